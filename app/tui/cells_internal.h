/* What the files that draw cells share: where they may draw, and how a cell is changed. */
#ifndef SW_TUI_CELLS_INTERNAL_H
#define SW_TUI_CELLS_INTERNAL_H

#include "tui/cells.h"

#include <math.h>

/* What a cell holds; later drawing respects what is above it. */
enum sw_layer { SW_LAYER_EMPTY, SW_LAYER_FILL, SW_LAYER_LINE, SW_LAYER_BORDER, SW_LAYER_TEXT };

/* A part of the grid that drawing is limited to. */
struct sw_clip {
    int left, top, right, bottom; /* right and bottom are outside */
};

/* What draws. */
struct sw_brush {
    struct sw_grid *grid;
    const struct sw_theme *theme;
    struct sw_clip clip;
};

static inline int sw_nearest_cell(double value) {
    return value > 1e6 ? 1000000 : value < -1e6 ? -1000000 : (int)floor(value + 0.5);
}

/* ---- cells.c: the grid and text ---- */

struct sw_clip sw_clip_to(const struct sw_grid *, double left, double top, double width, double height);
/* The cell, or NULL outside of the clip. */
struct sw_cell *sw_brush_at(const struct sw_brush *, int x, int y);
/* A look on top of what is there: what it leaves open shows through. */
void sw_cell_set_look(struct sw_cell *, struct sw_look);
/* Change a cell; NULL is no cell, and nothing happens. */
void sw_brush_set(const struct sw_brush *, struct sw_cell *, const char *glyph, struct sw_look, enum sw_layer);
struct sw_look sw_brush_style(const struct sw_brush *, unsigned style, unsigned hue);
/* How many columns a text takes. */
int sw_grid_columns_of(const struct sw_grid *, const char *text);
/* At most `room` columns of a text; returns the columns taken. */
int sw_brush_put(const struct sw_brush *, int x, int y, int room, const char *text, struct sw_look);
/* The text in exactly `room` columns at most, with a sign where it had to be cut. */
int sw_brush_put_cut(const struct sw_brush *, int x, int y, int room, const char *text, struct sw_look);

/* ---- ways/cells_parts.c: blocks in parts of cells ---- */

struct sw_cell_parts {
    struct sw_clip clip;
    unsigned across, down;        /* of a cell */
    const struct sw_mark **marks; /* for each part of each cell: the block that covers it; NULL: no block does */
    size_t count;                 /* parts */
};
/* For the brush's clip; empty where its grid cuts no cells. False: no memory. */
bool sw_cell_parts_open(struct sw_cell_parts *, const struct sw_brush *);
void sw_cell_parts_done(struct sw_cell_parts *);
/* Can the mark be drawn so? */
bool sw_cell_parts_take(const struct sw_cell_parts *, const struct sw_mark *);
/* The mark's rectangle, in cells. */
void sw_cell_parts_fill(struct sw_cell_parts *, const struct sw_mark *, double left, double top, double right,
                        double bottom);
/* Cells that are one mark's alone are given to `whole`. False: the symbols could not be found, and nothing is drawn. */
bool sw_cell_parts_draw(struct sw_cell_parts *, const struct sw_brush *,
                        void (*whole)(const struct sw_brush *, struct sw_cell *, const struct sw_mark *));

/* ---- cells_plot.c and cells_table.c: the body of a panel ---- */

/* False: no memory. */
bool sw_draw_plot(const struct sw_brush *, const struct sw_panel *);
void sw_draw_table(const struct sw_brush *, const struct sw_panel *);

#endif
