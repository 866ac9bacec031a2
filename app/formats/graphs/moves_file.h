/* Lists of moves that make a model need less (fit --take): chosen by a script, or printed by an earlier run. */
#ifndef SW_FORMATS_MOVES_FILE_H
#define SW_FORMATS_MOVES_FILE_H

#include "fit/strips/strip_program.h"
#include "formats/format.h"

/* Read a list as `fit --format json` prints it and scripts have it, [{"kind":"strips","first":"conv_1",...}, ...]:
 * regions of the problem, ascending and apart. The caller frees `*count` of them. Whether they can be made is not known
 * then. False: the error says why, with the place in the text. */
bool sw_moves_file_read(const struct sw_input *, const struct sw_problem *, struct sw_fit_region **, size_t *count,
                        struct sw_error *);

#endif
