/* What the files of this folder share. The plan of texts is also what tests look at: no two boxes may
 * meet. */
#ifndef SW_EXPORT_DRAWING_H
#define SW_EXPORT_DRAWING_H

#include "export/export.h"
#include "export/late.h"

struct sw_area {
    double left, top, right, bottom;
};

/* A text with its place on the page, in units of the scene. */
struct sw_placed_text {
    double left, top, width, height; /* the box it takes on the page */
    const char *text;                /* lives as long as scene and drawing */
    double size;
    bool bold, rotated;   /* rotated: reads upward */
    bool boxed;           /* on a ground of its own, over hatching ... */
    double across, along; /* ... which is so much larger on two sides, and above and below */
    bool beside;          /* the name of a block that has no room for it, with a line to the block */
    bool note;            /* in a frame, wrapped at `room` instead of cut */
    double drop;          /* its letters stand so much lower in the box */
    double room;          /* > 0: cut with an ellipsis at this width */
    struct sw_color color, ground;
    const struct sw_mark *mark; /* it has this name, on this panel; NULL: none has it */
    const struct sw_panel *panel;
    const struct sw_legend_entry *entry; /* what the legend says there; NULL: it is no part of it */
};

/* The name of a block. */
enum { SW_NAME_FORMS = 8 };
struct sw_block_name {
    const struct sw_mark *mark;
    struct sw_area area, room;    /* of the block; where no line crosses it */
    uint32_t panel;               /* number of it */
    uint32_t forms, tried;        /* so many labels has the mark; so many of them may have room */
    uint32_t alike;               /* a bit for each form that another block has, too */
    double widths[SW_NAME_FORMS]; /* at a size of 1; INFINITY: it has no room */
    double size;                  /* as those of other blocks of this height */
    bool upward;                  /* as others of its row */
};
/* A block that has no room for its name. */
struct sw_unnamed {
    const struct sw_block_name *name;
    struct sw_area within; /* its panel's body, where a name beside it may stand */
};
enum { SW_MOST_UNNAMED = 12 }; /* of a page: the largest */

#define SW_NOTE_PADDING 4.0 /* between a note's frame and its text */

struct sw_drawing {
    const struct sw_scene *scene;
    const struct sw_theme *theme;
    const struct sw_panel *panel; /* being planned */
    cairo_t *cairo;
    PangoLayout *layout;
    PangoFontDescription *font;
    SW_ARRAY(struct sw_placed_text) texts;
    SW_ARRAY(struct sw_area) arrows;      /* of notes, from (left, top) to (right, bottom) */
    SW_ARRAY(struct sw_area) leaders;     /* from names to their blocks, likewise */
    SW_ARRAY(struct sw_block_name) names; /* that blocks may have, in the order of panels and marks */
    double name_size;                     /* of most of them; before the plan: what it was on the page before, or 0 */
    struct sw_color name_ink;             /* of those that are darker than their ground */
    struct sw_unnamed unnamed[SW_MOST_UNNAMED];
    size_t unnamed_count;
    const char *crowded;   /* a note for which there was no room */
    struct sw_arena arena; /* texts made here */
    bool failed;           /* no memory */
    /* Instead of drawing: given every path that would be filled or stroked, with its color and pen in the
     * context. NULL: draw. `layer` rises with what lies on top of what. */
    void (*trace)(void *tracer, struct sw_drawing *, bool stroke);
    void (*trace_text)(void *tracer, struct sw_drawing *, const struct sw_placed_text *);
    void *tracer;
    unsigned layer;
    /* For a tracer: paths of blocks are to come one by one, each with its mark; NULL where it is of none. */
    bool apart;
    const struct sw_mark *mark;
    const struct sw_legend_entry *entry; /* whose sample is drawn; or NULL */
    bool momentary; /* what is drawn is about the step of the run that is seen: a frame, a note, a name beside */
};

/* Measure and place every text of the scene. The cairo context may belong to any surface. */
bool sw_drawing_open(struct sw_drawing *, const struct sw_scene *, const struct sw_theme *, cairo_t *);
void sw_drawing_plan(struct sw_drawing *);
void sw_drawing_draw(struct sw_drawing *);
/* For tests: given every drawing of a picture whose texts have their places, before it is drawn. */
extern void (*sw_drawing_watch)(struct sw_drawing *);
void sw_drawing_close(struct sw_drawing *);

/* ---- between the files ---- */

/* The color of a merged area, and how much of it lies on the page. */
enum { SW_MERGED_LEVELS = 4 };
double sw_drawing_merged(const struct sw_drawing *, unsigned hue, unsigned level, struct sw_color *);
struct sw_color sw_drawing_ink(const struct sw_drawing *, enum sw_style);
struct sw_color sw_drawing_ground(const struct sw_drawing *, enum sw_style);
struct sw_color sw_drawing_curve_ink(const struct sw_drawing *, unsigned hue);
void sw_drawing_color(struct sw_drawing *, struct sw_color, double alpha);
/* From data to the page. */
double sw_drawing_x(const struct sw_panel *, double x);
double sw_drawing_y(const struct sw_panel *, double y);
/* A mark's rectangle on the page, clipped to the body and snapped; false when nothing is left. */
bool sw_drawing_area(const struct sw_panel *, const struct sw_mark *, struct sw_area *);
/* Where the legend's entries stand: `left` and `top` of the sample of each. The plan fills it, drawing
 * uses it. */
struct sw_legend_place {
    double left, top;
};
bool sw_drawing_legend(struct sw_drawing *, size_t entry, struct sw_legend_place *);

void sw_drawing_measure(struct sw_drawing *, const char *text, double size, bool bold, double *width, double *height);
void sw_drawing_text(struct sw_drawing *, const struct sw_placed_text *);
/* Keep the text unless it would meet another or leave the page; was it kept? Cut it at so much room. */
bool sw_drawing_place(struct sw_drawing *, struct sw_placed_text);
void sw_drawing_limit(struct sw_placed_text *, double room);
/* How large each name is, on all panels: blocks of one height have one size. */
void sw_drawing_size_names(struct sw_drawing *);
/* Every name in its block; what has no room for one is kept as unnamed. */
void sw_drawing_plan_names(struct sw_drawing *, const struct sw_panel *);
/* The size of a note's text, wrapped at its room. */
void sw_drawing_measure_note(struct sw_drawing *, struct sw_placed_text *);
/* Is the box inside the page, and does no text come nearer than this? */
bool sw_drawing_free(const struct sw_drawing *, const struct sw_placed_text *, double apart);
void sw_drawing_plan_notes(struct sw_drawing *);
/* A name beside each block that has room for none, with a line to it. */
void sw_drawing_plan_leaders(struct sw_drawing *);
/* All texts once more as SVG, to be found, selected and copied where the outlines are seen; below them what each mark
 * is, as the title of an area. */
void sw_drawing_layer(struct sw_drawing *, struct sw_sink *);
/* For files that write texts themselves. */
/* Each line of a placed text: its left end, its line of writing and its width; `from` is what it says, of
 * a text that is cut all of it. */
struct sw_text_line {
    double left, baseline, width;
    const char *from;
    size_t length;
};
void sw_drawing_lines(struct sw_drawing *, const struct sw_placed_text *,
                      void (*line)(void *context, const struct sw_placed_text *, const struct sw_text_line *),
                      void *context);
/* As much of a text as fits into its room. */
const char *sw_drawing_cut(struct sw_drawing *, const struct sw_placed_text *);

/* ---- between files that write SVG ---- */

/* Hundredths of a point, without zeros at the end; ` name="value"`. */
void sw_svg_coordinate(struct sw_sink *, double);
void sw_svg_attribute(struct sw_sink *, const char *name, double);
/* What a path is drawn with now; of a filled one no width and no dashes. */
struct sw_svg_paint {
    struct sw_color color;
    double alpha, width, dashes[8];
    int dash_count;
};
struct sw_svg_paint sw_svg_paint_of(cairo_t *, bool stroke);
/* The next point of a path, which has no curves. Zero a pen to start with. */
struct sw_svg_pen {
    double x, y;
    unsigned points;
};
void sw_svg_point(struct sw_sink *, struct sw_svg_pen *, const cairo_path_data_t *);
/* Letters of the viewer's own font, stretched to the room that they were given here; `attributes` of each element. */
void sw_svg_text(struct sw_sink *, struct sw_drawing *, const struct sw_placed_text *, const char *attributes);
/* The box of its ground, or of a note's frame; without its colors and its end. */
void sw_svg_box(struct sw_sink *, const struct sw_placed_text *);

/* ---- between pictures ---- */

/* The caption as one text, in the sink, "" where that failed; the title. */
const char *sw_picture_describe(const struct sw_scene *, struct sw_sink *);
const char *sw_picture_title(const struct sw_scene *);
/* Both as an SVG's <title>, <desc> and <metadata>. */
void sw_picture_metadata(struct sw_sink *, const char *title, const char *text);
/* Is it a size that a picture can have? */
bool sw_picture_check(const struct sw_scene *, struct sw_error *);

#endif
