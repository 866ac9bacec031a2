/* --take: moves that were chosen elsewhere, by a script or by an earlier run. */
#ifndef SW_CLI_GIVEN_MOVES_H
#define SW_CLI_GIVEN_MOVES_H

#include "fit/strips/strip_program.h"

/* Read a list of moves as `fit --format json` prints them and scripts have them, [{"kind":"strips","first":"conv_1",...}, ...]: regions of the problem,
 * ascending and apart. The caller frees `*count` of them. False: the error says why, with the place in the file. */
bool given_moves_read(const char *path, const struct sw_problem *, struct sw_fit_region **, size_t *count, struct sw_error *);

#endif
