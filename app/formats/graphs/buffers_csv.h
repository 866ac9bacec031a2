/* Parts of the CSV format that plans share. */
#ifndef SW_FORMATS_BUFFERS_CSV_H
#define SW_FORMATS_BUFFERS_CSV_H

#include "formats/text/utf8.h"

/* Does it look like a table of buffers? The first row that is no comment names a known column. */
bool sw_csv_detect(const struct sw_input *);

/* Can `gaps` say how the buffer lives? Not when two of its pieces share a step. */
bool sw_csv_gaps_hold(const struct sw_buffer *);
/* The field: "a-b" and "a-b@lo:hi", half-open, separated by spaces. */
void sw_csv_add_gaps(const struct sw_problem *, const struct sw_buffer *, struct sw_sink *);
/* What a row says of a buffer without its place: id,lower,upper,size. `from` and `to` are steps. */
void sw_csv_add_buffer(const struct sw_problem *, const struct sw_buffer *, uint32_t from, uint32_t to,
                       struct sw_sink *);

#endif
