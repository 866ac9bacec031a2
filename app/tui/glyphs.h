/* The characters that pictures are made of, in both alphabets. For this folder only. */
#ifndef SW_TUI_GLYPHS_H
#define SW_TUI_GLYPHS_H

/* How a box is drawn. */
struct sw_glyphs {
    const char *corner[4];     /* top left, top right, bottom left, bottom right */
    const char *across, *down; /* edges */
    const char *cap[4];        /* ends of a box one cell thin: left, right, top, bottom */
    const char *dot;           /* one cell in all */
};
enum sw_stroke { SW_STROKE_THIN, SW_STROKE_HEAVY, SW_STROKE_DOUBLE, SW_STROKE_DASHED, SW_STROKE_COUNT };
extern const struct sw_glyphs sw_glyphs[2][SW_STROKE_COUNT]; /* [ascii][stroke] */

#endif
