/* Cells: a scene as a grid of characters.
 *
 * Each cell has its text (one character as the user sees it), how wide it is, its look, and the item it
 * stands for. The grid knows no terminal: curses.c sends it to one, text.c prints it. Nothing is ever
 * written outside of the grid, and a wide character is never split. */
#ifndef SW_TUI_CELLS_H
#define SW_TUI_CELLS_H

#include "view/scene/scene.h"
#include "view/scene/theme.h"

#define SW_GLYPH_BYTES 16

struct sw_cell {
    char text[SW_GLYPH_BYTES]; /* UTF-8, NUL-ended; "" in the right half of a wide character */
    uint8_t width;             /* 1, 2, or 0 for a right half */
    uint8_t layer;             /* internal: what may draw over it */
    struct sw_look look;
    struct sw_item item;
    uint32_t hidden; /* of a merged block: how many it stands for */
    bool shared;     /* parts of it belong to several marks */
    bool picture;    /* blank: a picture is to lie over it */
};
/* Find the symbols of cells in parts. False: it cannot be done. */
struct sw_cut;
struct sw_cut_cell;
typedef bool sw_grid_cut_fn(void *context, const struct sw_cut *, struct sw_cut_cell *);
struct sw_grid {
    unsigned columns, rows;
    struct sw_cell *cells; /* row by row */
    bool ascii;            /* nothing but ASCII is drawn */
    /* Cells of a map are cut in so many parts, 2x3, 2x2 or 1x2, each of its own color; 0: they are not. */
    unsigned across, down;
    sw_grid_cut_fn *cut; /* when it fails `down` becomes 0 */
    void *cut_context;
};

/* Make the grid this large and blank; keeps memory that fits. False: no memory. */
bool sw_grid_reset(struct sw_grid *, unsigned columns, unsigned rows, const struct sw_theme *);
void sw_grid_done(struct sw_grid *);
struct sw_cell *sw_grid_cell(const struct sw_grid *, unsigned column, unsigned row);

bool sw_same_color(struct sw_color, struct sw_color);
bool sw_same_look(const struct sw_look *, const struct sw_look *);

/* Draw the scene. Its units are cells. False: no memory. */
bool sw_grid_scene(struct sw_grid *, const struct sw_scene *, const struct sw_theme *);

/* Marks per unit that this raster can tell apart, for the view. */
double sw_grid_fineness_y(bool ascii);

/* The rows as text, without trailing blanks, each with a newline. */
struct sw_sink;
void sw_grid_text(const struct sw_grid *, struct sw_sink *);

/* Where a point, in cells from the screen's corner, lies in the data of a plot; false outside of every plot's body. */
bool sw_scene_locate(const struct sw_scene *, double column, double row, const struct sw_panel **panel, double *x,
                     double *y);
/* What a point of a plot stands for that is drawn in pixels: of several the topmost mark; NULL: nothing. */
const struct sw_mark *sw_scene_mark(const struct sw_panel *, double x, double y);

#endif
