/* A moment (problem/moment/moment.h) in JSON, and its blocks as a table. */
#ifndef SW_FORMATS_MOMENT_FILE_H
#define SW_FORMATS_MOMENT_FILE_H

#include "formats/text/json.h"
#include "formats/text/json_write.h"
#include "problem/moment/moment.h"

/* "in_use", as JSON has it; "in use", "not told". */
const char *sw_moment_figure_key(enum sw_moment_figure);
const char *sw_held_state_words(enum sw_held_state);

/* What the moment is made of, as members of the object that is open; `more` adds to what failed, and may be NULL. */
typedef void sw_moment_more_fn(const struct sw_moment *, struct sw_json_out *);
void sw_moment_json_put(const struct sw_moment *, sw_moment_more_fn *more, struct sw_json_out *);
/* From the present value, which is such an object. Sums and sentences that stand beside that are passed over: they are
 * made anew. */
bool sw_moment_json_read(struct sw_json *, struct sw_builder *);
/* Its blocks, a row each. */
void sw_moment_csv_put(const struct sw_moment *, struct sw_sink *);

#endif
