/* The explorer's plots for a terminal: drawn as pictures are, and made bytes that the terminal shows. All of it happens
 * in a process of its own (apart.h), for Pango and Chafa end their process when memory runs out. It is started when it
 * is first needed; when it ends by itself, what was asked fails, and the terminal is still the caller's. */
#ifndef SW_EXPORT_PAINTER_H
#define SW_EXPORT_PAINTER_H

#include "formats/format.h"
#include "view/scene/scene.h"

struct sw_painter;
struct sw_painter *sw_painter_new(void); /* NULL: no memory */
void sw_painter_free(struct sw_painter *);

/* Was the program built with Chafa, which finds the symbols of cells in parts? */
bool sw_painter_has_chafa(void);

/* How a terminal is given pixels. */
enum sw_protocol { SW_PROTOCOL_NONE, SW_PROTOCOL_SIXEL, SW_PROTOCOL_ITERM2, SW_PROTOCOL_KITTY };

/* What a cell of the screen is: not of a picture, of one, or of one and to be sent again, for what it showed is lost.
 */
enum sw_canvas_cell { SW_CANVAS_NOT, SW_CANVAS_KEPT, SW_CANVAS_LOST };
struct sw_canvas {
    enum sw_protocol protocol;
    unsigned colors;                  /* that a picture of sixels may have; 0: 256, which nearly all can */
    unsigned columns, rows;           /* of the screen */
    unsigned cell_width, cell_height; /* pixels */
    const uint8_t *cells;             /* enum sw_canvas_cell, row by row */
};
/* Pictures are drawn so that a text is about as large as the terminal's: a cell is so many points high. */
#define SW_CANVAS_ROW 13.0
/* How many points a cell is wide. */
double sw_canvas_column(const struct sw_canvas *);

/* The bytes that bring the screen from what was painted last to the plots of the scene that lie in cells (`on_cells` of
 * their panels): only what differs. The cursor ends anywhere. */
bool sw_painter_paint(struct sw_painter *, const struct sw_canvas *, const struct sw_scene *, const struct sw_theme *,
                      struct sw_sink *bytes, struct sw_error *);
/* The bytes that take everything away again that stays in a terminal when its text is cleared; may be none. Needs no
 * process, and no memory. */
const char *sw_painter_clear(enum sw_protocol);

/* Those plots alone, as a scene of points: what the painter draws. Its panels are borrowed; `room` keeps them. */
struct sw_canvas_scene {
    struct sw_scene scene;
    struct sw_box cells; /* of the screen, which it covers */
};
bool sw_canvas_scene(const struct sw_canvas *, const struct sw_scene *, struct sw_canvas_scene *);
void sw_canvas_scene_done(struct sw_canvas_scene *);

/* Cells cut in parts, each with a color 0xrrggbb: as one character with two colors. */
struct sw_cut {
    unsigned across, down; /* parts of a cell: 2x3, 2x2 or 1x2 */
    size_t count;          /* cells */
    const uint32_t *parts; /* of each cell row by row */
};
struct sw_cut_cell {
    uint32_t character, front, back;
};
bool sw_painter_cut(struct sw_painter *, const struct sw_cut *, struct sw_cut_cell *cells, struct sw_error *);

#endif
