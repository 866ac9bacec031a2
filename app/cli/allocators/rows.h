/* A table of words and figures: aligned text, Markdown or CSV. */
#ifndef SW_CLI_ROWS_H
#define SW_CLI_ROWS_H

#include "cli/cli.h"

enum { SW_ROWS_COLUMNS = 16, SW_ROWS_CELL = 240, SW_ROWS_SITE = 64 };
struct sw_rows_cell {
    char text[SW_ROWS_CELL];
};
/* Zero it, then fill in the first three. A cell that is too long is cut. */
struct sw_rows {
    const char *const *heads;
    size_t columns;
    unsigned left; /* bit k: column k is text, at the left of its column */
    SW_ARRAY(struct sw_rows_cell) cells; /* row by row */
    bool failed;   /* no memory */
};
void sw_rows_text(struct sw_rows *, const char *text); /* the next cell */
void sw_rows_count(struct sw_rows *, uint64_t, bool exact); /* "55,296"; exact: 55296 */
void sw_rows_percent(struct sw_rows *, double fraction, bool exact);
/* Where a buffer was asked for, on one line: the frames of its stack, the innermost first, with " < " between them, as many as
 * fit into SW_ROWS_SITE bytes; `origin` has one a line, and may be NULL. */
const char *sw_rows_site(const char *origin, char text[SW_ROWS_SITE + 1]);
void sw_rows_print(const struct sw_rows *, enum sw_output, struct sw_sink *); /* no memory: the sink has failed */
void sw_rows_done(struct sw_rows *);

#endif
