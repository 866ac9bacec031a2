/* Tables of text for side panes and pages: rows one after the other while there is room, what does
 * not fit is counted. For views only. */
#ifndef SW_VIEW_LINES_H
#define SW_VIEW_LINES_H

#include "view/view_internal.h"

struct sw_lines {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_search *search; /* of the input, with its layout and problem */
    const struct sw_layout *layout;
    const struct sw_problem *problem;
    size_t rows;   /* that fit */
    unsigned room; /* characters of a row */
    uint32_t skip; /* rows to leave out at the top, for a pane that is scrolled */
    bool hides;    /* the row that was started last is not shown, nor are its cells */
};
/* A table of `columns` columns of which `stretch` takes what is left. */
struct sw_lines sw_lines_begin(const struct sw_view_input *, struct sw_scene *, const char *id, const char *title,
                               struct sw_box, uint32_t columns, uint32_t stretch);
/* The pane is text, which is scrolled from its top on; before its first row. And the first row of a list of which
 * `room` of `count` rows are shown, `first` when the pane was not scrolled. */
void sw_lines_flow(struct sw_lines *);
uint32_t sw_lines_first(struct sw_lines *, uint32_t first, uint32_t count, uint32_t room);
/* The step of time to look at: the cursor's, or where the bound is met when there is none. */
uint32_t sw_lines_cursor(const struct sw_view_input *);
/* Start a row; its cells follow. False: there is no room for it. It is counted then, and its cells are dropped. */
bool sw_lines_row(struct sw_lines *, struct sw_item, bool current);
/* A row of heads, where there is height for it, above a list of `count` rows: how many of them fit.
 */
struct sw_lines_head {
    const char *name;
    bool right;
};
void sw_lines_head_row(struct sw_lines *, const struct sw_lines_head *, uint32_t columns); /* that row alone */
uint32_t sw_lines_heads(struct sw_lines *, const struct sw_lines_head *, uint32_t columns, uint32_t count);
void sw_lines_cell(struct sw_lines *, enum sw_style, bool right, const char *text);
void sw_lines_cellf(struct sw_lines *, enum sw_style, bool right, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A name: where the column is too narrow it loses its middle. */
void sw_lines_name(struct sw_lines *, enum sw_style, const char *name);
/* A buffer's name in a sentence: in about half a row. */
const char *sw_lines_buffer(const struct sw_lines *, uint32_t buffer);
/* Text over all columns, wrapped. */
void sw_lines_text(struct sw_lines *, enum sw_style, const char *text);
void sw_lines_textf(struct sw_lines *, enum sw_style, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sw_lines_blank(struct sw_lines *);
/* What asked for a buffer, a line each frame. */
void sw_lines_origin(struct sw_lines *, const char *origin);
/* sw_view_said_bytes. */
const char *sw_lines_bytes(const struct sw_lines *, uint64_t bytes);
/* "sram 70, dram 120": a figure of each tier that has one. With `before` what became more or less: "sram +10", "="
 * where nothing did. */
const char *sw_lines_tiers(const struct sw_lines *, const struct sw_problem *, const uint64_t *of,
                           const uint64_t *before);
/* Are operators told with their cores? And the core of one; "" when there is only one. */
bool sw_lines_cores(const struct sw_lines *);
const char *sw_lines_core(const struct sw_lines *, uint32_t step);
/* "conv_3", or "time 5" where there are no operators; and with its step: "conv_3 (step 5)", "conv_3 on A (step 5)". */
const char *sw_lines_step(const struct sw_lines *, uint32_t step);
/* sw_view_life. */
const char *sw_lines_life(const struct sw_lines *, const struct sw_buffer *);
const char *sw_lines_when(const struct sw_lines *, uint32_t step);

#endif
