/* Panes as text, and their sentences read as a person reads them. */
#ifndef SW_PROPERTY_PANE_READING_H
#define SW_PROPERTY_PANE_READING_H

#include "view_claims_oracle.h"

#include "view/view.h"

enum { PANE_LINES = 400, PANE_LINE = 700 };

/* How many panes were built, and how many of their sentences matched a pattern. */
extern uint64_t pane_looks, pane_claims;

/* The pane that was built last: its rows, cells parted by '|'. */
extern char pane_lines[PANE_LINES][PANE_LINE];
extern int pane_line_count;

/* Build the pane of this name; of `in` the selected buffer, the cursor and the tier are kept, and all else is filled
 * in. */
void pane_build(const struct pane_scene *, const char *name, struct sw_view_input *in);

/* Does the line match? %B: bytes, to a uint64_t; %N: a buffer, %O: an operator or a time, to a uint32_t; %U: a count,
 * to a uint32_t; all else is as it stands. The end of the pattern need not be the line's. */
bool line_reads(const struct pane_scene *, const char *line, const char *pattern, ...);

/* What follows is done for each line that matches. */
#define LINE_THAT(s, i, ...)                  \
    for (int i = 0; i < pane_line_count; i++) \
        if (line_reads(s, pane_lines[i], __VA_ARGS__))

/* Print what is wrong with the line, and exit. */
void refuse_line(const struct pane_scene *, const char *line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
