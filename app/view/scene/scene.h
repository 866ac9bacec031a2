/* A scene: what there is to see, without saying with what.
 *
 * Views build scenes; `tui` rasterizes them to cells, `export` draws them with cairo, tests and
 * `--screen` print them as text. Nothing in a scene knows of ncurses, cairo or planners, so the terminal
 * and the picture cannot disagree.
 *
 * A scene is a list of panels. A panel has a place on the page, in **units** (cells in a terminal,
 * typographic points on a page), furniture (title, axes), and one body: a plot with marks in data space,
 * or a table of text. Everything a scene points to lives in its arena, or outlives it (names of the
 * problem). The scene belongs to its caller. */
#ifndef SW_VIEW_SCENE_H
#define SW_VIEW_SCENE_H

#include "base/text.h"
#include "stowage_runs.h"
#include "view/scene/theme.h"

#include <stdarg.h>

/* What a mark or a row stands for: for the mouse, for tests, for links between panes. */
enum sw_item_kind {
    SW_ITEM_NONE,
    SW_ITEM_BUFFER,
    SW_ITEM_OPERATOR,
    SW_ITEM_CANDIDATE,
    SW_ITEM_DECISION,
    SW_ITEM_STEP,
    SW_ITEM_MERGED,
    SW_ITEM_BRANCH,
    SW_ITEM_PIECE
};
struct sw_item {
    enum sw_item_kind kind;
    uint64_t id; /* buffer, operator, candidate number, decision step, time step, how many merged, number of a branch,
                 or of a moment's block that is no buffer */
};

enum sw_mark_kind {
    SW_MARK_RECT,  /* filled: x0..x1, y0..y1 */
    SW_MARK_FRAME, /* outlined: the selection, a ghost */
    SW_MARK_LINE,  /* from x0,y0 to x1,y1: a bound, a cursor */
    SW_MARK_BAR,   /* x0..x1, from 0 up to y1: a profile */
    SW_MARK_ARROW, /* a transfer */
    SW_MARK_TEXT,  /* above the point x0,y0, moved sideways so that it stays inside the body */
    SW_MARK_POINT, /* a value of a curve, at x0,y0, of the shape `pattern`; its label is told where one points; on paper
                      only */
    SW_MARK_BAND   /* lightly filled and without an edge: a range of values; on paper only */
};
/* Hatching, so that color never speaks alone: what kind of buffer a block is. */
enum sw_pattern {
    SW_PATTERN_PLAIN,
    SW_PATTERN_INPUT,
    SW_PATTERN_OUTPUT,
    SW_PATTERN_CONSTANT,
    SW_PATTERN_SCRATCH,
    SW_PATTERN_COUNT,
    SW_PATTERN_CROSS = SW_PATTERN_COUNT, /* in a terminal of frames only */
    SW_PATTERN_GRID                      /* on paper only, where more than the kinds are told apart */
};
/* So that points of curves are told apart without their color. */
enum sw_shape {
    SW_SHAPE_CIRCLE,
    SW_SHAPE_SQUARE,
    SW_SHAPE_TRIANGLE,
    SW_SHAPE_DIAMOND,
    SW_SHAPE_CROSS,
    SW_SHAPE_DOWN,
    SW_SHAPE_STAR,
    SW_SHAPE_PLUS,
    SW_SHAPE_COUNT
};
enum sw_dash { SW_DASH_NONE, SW_DASH_LONG, SW_DASH_DOTS, SW_DASH_BOTH, SW_DASH_COUNT };
struct sw_mark {
    uint8_t kind;
    uint8_t style;   /* enum sw_style */
    uint8_t hue;     /* 0..SW_LOOKS-1 for SW_STYLE_BLOCK: which of the theme's block colors; MERGED: the one of most of
                      * it + 1; 0: none */
    uint8_t pattern; /* enum sw_pattern, of blocks and frames; MERGED: how full, in quarters, 1..4; LINE: 1 = dashed;
                      * GAP: 1 = dots without edges; a curve's LINE (SW_STYLE_BLOCK): enum sw_dash; BAND: 0, 1 =
                      * hatched, 2 = not */
    double x0, y0, x1, y1;
    struct sw_item item;
    bool peak;       /* of a block on paper: it ends where the arena does. It is seen, and named, in any case */
    bool faint;      /* of a block on paper: others are what is to be looked at */
    uint8_t under;   /* of a curve's LINE and POINT: so many other curves lie on it here, so that it is drawn wider */
    uint32_t hidden; /* SW_ITEM_MERGED: how many blocks are counted here, and in no other mark: their middle is here */
    uint32_t told;   /* SW_ITEM_MERGED: 1 + which of the panel's `merged` says what lies there; 0: nothing does */
    /* Ranked alternatives, longest first, NULL-ended; the first that fits is drawn; may be NULL. */
    const char *const *labels;
};
/* What an area of blocks that are too small to draw hides. */
enum {
    SW_MERGED_NAMED = 3,
    SW_MERGED_STEPS = 5 /* in a legend: all steps of how full an area is, in one sample */
};
struct sw_merged {
    uint32_t count;                    /* blocks that lie there, at least in part; few of them may be counted beside */
    uint64_t bytes;                    /* of these, together */
    double full;                       /* the part of the area that they fill */
    double classes[SW_HUES];           /* the parts that each of the panel's classes of blocks fills */
    uint32_t largest[SW_MERGED_NAMED]; /* buffers, of a moment its blocks; the largest first; SW_NONE: no more */
};
/* A mark from x0 to x1 and from y0 to y1. What else it may have is zero. */
static inline struct sw_mark sw_mark_over(enum sw_mark_kind kind, enum sw_style style, double x0, double x1, double y0,
                                          double y1) {
    return (struct sw_mark){.kind = (uint8_t)kind, .style = (uint8_t)style, .x0 = x0, .x1 = x1, .y0 = y0, .y1 = y1};
}

struct sw_tick {
    double at;
    const char *label;
};
struct sw_axis {
    double lo, hi;     /* data space; lo < hi always */
    const char *title; /* "memory", "step", "time"; may be NULL */
    uint8_t rows; /* of x on paper: its labels stand in so many rows in turn, and its title below them; 0: the title
                   * stands right of them */
    SW_ARRAY(struct sw_tick) ticks;
};

#define SW_NO_ITEM ((struct sw_item){SW_ITEM_NONE, 0})

/* One cell of a table row: text with a style, aligned left or right in its column. A row of one cell
 * spans all columns, is cut at the panel's edge, and does not widen a column. */
struct sw_text {
    const char *text;
    uint8_t style;
    bool right;
    uint16_t name; /* 1 + the byte at which a name begins that fills the rest: where there is no room it loses its
                      middle, not its end (short_names.h); 0: none */
};
struct sw_row {
    struct sw_item item;
    bool current;          /* the cursor is here */
    uint32_t first, count; /* its cells in panel->texts */
};

/* A note that the user wrote on the picture, and the area of the page that it speaks of, in units. */
struct sw_scene_note {
    const char *text;
    bool aims;  /* it speaks of an area ... */
    bool arrow; /* ... and points at it */
    double left, top, right, bottom;
    bool fixed; /* it was told where to stand: here is its middle */
    double x, y;
};

/* A place inside a scene, in units. */
struct sw_box {
    double left, top, width, height;
};

/* Cut the upper part off. */
static inline struct sw_box sw_box_take(struct sw_box *box, double height) {
    struct sw_box upper = {box->left, box->top, box->width, height};
    box->top += height;
    box->height -= height;
    return upper;
}

enum sw_panel_kind { SW_PANEL_PLOT, SW_PANEL_TABLE };
/* Lines in SW_STYLE_BORDER along a panel's first column or row of units, which holds nothing else. */
enum { SW_EDGE_LEFT = 1, SW_EDGE_TOP = 2 };
struct sw_panel {
    enum sw_panel_kind kind;
    const char *id;                  /* "map", "live", "decision": stable, for tests and the mouse */
    const char *title;               /* may be NULL */
    double left, top, width, height; /* units, furniture included */
    struct sw_box on_cells; /* of a plot that the terminal draws in pixels: its place in cells; all else of it is in
                             * points, from the screen's corner. Of no width: it is no such plot */
    unsigned edges;         /* SW_EDGE_...; the title of a panel with SW_EDGE_TOP stands in that line */
    uint8_t fill;           /* style of the whole panel's background: SW_STYLE_HEADER ...; TEXT = none */
    /* plot. The body is where the axes' ranges are mapped to; tick labels of y stand left of it, those
     * of x below it, the title above it, labels of lines at their right end (in or right of it). */
    double body_left, body_top, body_width, body_height;
    bool timed; /* x is steps, or raw time where that is shown: */
    bool raw_time;
    bool decided;                  /* x counts decisions */
    uint32_t tier;                 /* y counts the addresses of this tier; SW_NONE: y is something else */
    const struct sw_search *about; /* the run that its items are of; borrowed. NULL: of none */
    uint64_t base;                 /* what addresses are counted from where they are told */
    bool steps;                    /* its blocks lie as in the layout of that run at its step */
    bool zooms;                    /* one can go nearer: what lies between whole points does so on the page, too */
    struct sw_axis x, y;
    SW_ARRAY(struct sw_mark) marks; /* drawn in this order */
    SW_ARRAY(struct sw_merged) merged;
    const char *classes[SW_HUES]; /* what the classes of merged blocks are called; NULL: nothing */
    /* table: columns are as wide as they need with one blank between, the one marked `stretch` takes
     * the rest or is cut. With an edge at the left or top the rows stand inside it (and one blank). */
    uint32_t columns, stretch;
    uint32_t spare;          /* a bit for each column that may go, the rightmost first, where names are cut */
    const char *more, *less; /* the keys that bring what is below or above into view; NULL: none does */
    bool header;             /* the first row is a header */
    bool margin;             /* a blank column at the left, where cells mark the current row */
    SW_ARRAY(struct sw_row) rows;
    SW_ARRAY(struct sw_text) texts;
    uint64_t hidden_above, hidden_below; /* rows that did not fit: said by the back end */
    bool flows;                          /* text that is scrolled from its top on */
    bool scrolls;                        /* the keys that scroll move its rows, */
    int32_t over; /* and would have moved them by so many more, had there been any; above the top: < 0 */
};

struct sw_legend_entry {
    uint8_t style, hue, pattern; /* pattern: as of a mark of that style; of a line: enum sw_dash */
    bool line, band;             /* its sample is a line; on a band */
    bool faint;                  /* of blocks that are drawn so */
    uint8_t shape;               /* 1 + enum sw_shape: with a point of a curve; 0: without */
    const char *text;
};

/* In what bytes are written: in a terminal as fits each figure; as asked for; or, in a picture, as fits the largest,
 * and what is less than a hundredth of that unit in a smaller one. One number has one unit on a page. */
enum sw_units { SW_UNITS_AUTO, SW_UNITS_BYTES, SW_UNITS_KIB, SW_UNITS_MIB, SW_UNITS_FITTED_KIB, SW_UNITS_FITTED_MIB };

struct sw_scene {
    struct sw_arena arena;
    double width, height;          /* units */
    enum sw_units units;           /* of axes and figures in a picture */
    uint8_t coloring;              /* enum sw_coloring: what the colors of its blocks say; AUTO: it has no map */
    bool joins;                    /* on paper: what joins letters and emoji is kept; terminals lose count of it, and
                                    * have no room for long units and for commas in numbers */
    double zoom;                   /* of a picture: its points per unit; 0: 1 */
    double dpi;                    /* of a PNG: its pixels per 72 points; 0: 144 */
    const struct sw_search *about; /* the run that rows of tables are of; NULL: of several, or none */
    uint64_t base;                 /* as of a panel */
    const char *title, *subtitle;  /* of a picture; may be NULL */
    bool warns;                    /* the subtitle says that something is wrong */
    SW_ARRAY(struct sw_panel) panels;
    SW_ARRAY(struct sw_legend_entry) legend;
    SW_ARRAY(const char *) caption; /* lines of provenance, for pictures */
    size_t caption_shown;           /* so many of them are drawn, the others only told by the file; 0: all */
    const char *number;             /* of a page: "3 of 7", right of the caption; NULL: it is the only one */
    const char *heading;            /* of a page, for lists of contents; NULL: the title */
    const char *exact;              /* what the texts round, for the file to tell; may be NULL */
    SW_ARRAY(struct sw_scene_note) notes;
    bool failed; /* no memory: sticky; the scene is then not to be drawn */
};

/* Helpers for views; each sets `failed` instead of returning an error. */
struct sw_panel *sw_scene_panel(struct sw_scene *, enum sw_panel_kind, const char *id);
void sw_panel_put(struct sw_panel *, struct sw_box); /* where it lies, furniture included */
struct sw_mark *sw_panel_mark(struct sw_scene *, struct sw_panel *, struct sw_mark);
/* The text is cleaned as sw_scene_clean does. Never NULL: "" when memory is short. */
const char *sw_scene_printf(struct sw_scene *, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *sw_scene_vprintf(struct sw_scene *, const char *format, va_list);
/* The text itself, or a copy in which everything that could steer a terminal or turn its direction
 * (controls, bidirectional overrides, broken UTF-8) is '?'. */
const char *sw_scene_clean(struct sw_scene *, const char *text);
/* Start a row; then add its cells. */
struct sw_row *sw_panel_row(struct sw_scene *, struct sw_panel *, struct sw_item, bool current);
void sw_panel_cell(struct sw_scene *, struct sw_panel *, enum sw_style, bool right, const char *text);
/* The same for a name, with a word before it or "". */
void sw_panel_name(struct sw_scene *, struct sw_panel *, enum sw_style, const char *before, const char *name);
/* Add a legend entry unless the same one is there, also as it stands in another scene; a line of the caption. */
void sw_scene_add_legend(struct sw_scene *, struct sw_legend_entry);
void sw_scene_legend(struct sw_scene *, enum sw_style, unsigned hue, unsigned pattern, const char *text);
/* The same for a line; `band`: that runs through a band of its color. */
void sw_scene_legend_line(struct sw_scene *, enum sw_style, unsigned hue, enum sw_dash, bool band, const char *text);
/* How wide its sample is: dashes need room to be told apart. */
double sw_legend_sample(const struct sw_legend_entry *);
void sw_scene_caption(struct sw_scene *, const char *text);
size_t sw_scene_caption_lines(const struct sw_scene *); /* that are drawn */
/* Bytes in the scene's unit; else on paper "3.06 MiB", and in a terminal as short as sw_show_bytes makes them. */
const char *sw_scene_bytes(struct sw_scene *, uint64_t bytes);
/* "1 block", "1,204 blocks": `what` is the singular. */
const char *sw_scene_counted(struct sw_scene *, uint64_t count, const char *what);
/* As a sentence begins: with a capital letter. */
const char *sw_scene_capital(struct sw_scene *, const char *text);
/* The texts, the longest first, as the labels of a mark. */
#define SW_LABELS(scene, ...) sw_scene_label_list((scene), (const char *const[]){__VA_ARGS__, NULL})
const char *const *sw_scene_label_list(struct sw_scene *, const char *const *texts);
/* Does a part of a name end here? A separator that is no letter's body. */
bool sw_label_splits(const char *text);
/* name, then shorter and shorter forms of it, then "". */
const char *const *sw_scene_labels(struct sw_scene *, const char *name);
/* The same, where `length` bytes from `at` on are what tells this name from others. */
const char *const *sw_scene_labels_by(struct sw_scene *, const char *name, size_t at, size_t length);
/* The pointer a panel helper gave is good until the next sw_scene_panel. */
void sw_scene_clear(struct sw_scene *); /* keeps the arrays' memory for the next frame */
void sw_scene_done(struct sw_scene *);

/* ---- numbers for people: the one place that formats them ---- */

/* "7.66M", "392K", "512": at most 5 characters below 1000 T; powers of 1024. */
const char *sw_show_bytes(uint64_t bytes, char text[16]);
/* "7.66 MiB", "392 KiB", "512 B". */
const char *sw_show_bytes_long(uint64_t bytes, char text[24]);
/* How many bytes the unit has in which most figures are written. */
double sw_units_bytes(enum sw_units);
/* Bytes in that unit: "8,032,256 B", "7,844 KiB", "7.66 MiB". */
const char *sw_show_bytes_in(enum sw_units, uint64_t bytes, char text[40]);
/* The unit of a picture: what was asked for. SW_UNITS_AUTO: MiB if `most`, the largest figure, has one; else KiB if it
 * has four, so that small blocks do not become fractions; else bytes. */
enum sw_units sw_units_for(enum sw_units asked, uint64_t most);
/* "+11.1%". */
const char *sw_show_percent(double fraction, bool sign, char text[16]);
#define SW_PERCENT(fraction, sign) sw_show_percent((fraction), (sign), (char[16]){0}) /* as SW_COUNT */
/* Round ticks for a range: 1, 2 or 5 times a power of ten, or powers of two for bytes, or what is round
 * in the scene's unit. Appends at most `most` ticks with labels from the scene's arena. */
void sw_axis_ticks(struct sw_scene *, struct sw_axis *, unsigned most, bool bytes);

#endif
