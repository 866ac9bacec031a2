/* Marks: rectangles, lines, bars and arrows with cairo. Marks that look the same go into one path,
 * which keeps files small; nothing is clipped or masked, which keeps them plain. */
#include "export/drawing.h"
#include "view/pages/page.h"

#include <math.h>

/* Of a point of a curve, and of each that another one lies on; of its line. */
#define POINT_RADIUS 3.6
#define POINT_MORE 1.9
#define LINE_MORE 2.6

void sw_drawing_color(struct sw_drawing *drawing, struct sw_color color, double alpha) {
    sw_late.cairo_set_source_rgba(drawing->cairo, color.red / 255.0, color.green / 255.0, color.blue / 255.0, alpha);
}

double sw_drawing_x(const struct sw_panel *panel, double x) {
    return panel->body_left + (x - panel->x.lo) / (panel->x.hi - panel->x.lo) * panel->body_width;
}

double sw_drawing_y(const struct sw_panel *panel, double y) {
    return panel->body_top + (panel->y.hi - y) / (panel->y.hi - panel->y.lo) * panel->body_height;
}

/* keep: the path is used again */
static void fill_path(struct sw_drawing *drawing, struct sw_color color, double alpha, bool keep) {
    sw_drawing_color(drawing, color, alpha);
    if (drawing->trace) {
        drawing->trace(drawing->tracer, drawing, false);
    } else if (keep) {
        sw_late.cairo_fill_preserve(drawing->cairo);
    } else {
        sw_late.cairo_fill(drawing->cairo);
    }
    if (drawing->trace && !keep) {
        sw_late.cairo_new_path(drawing->cairo);
    }
}

static void stroke_path(struct sw_drawing *drawing, double width, struct sw_color color, double alpha) {
    sw_late.cairo_set_line_width(drawing->cairo, width);
    sw_drawing_color(drawing, color, alpha);
    if (drawing->trace) {
        drawing->trace(drawing->tracer, drawing, true);
        sw_late.cairo_new_path(drawing->cairo);
    } else {
        sw_late.cairo_stroke(drawing->cairo);
    }
}

/* What is traced from here on belongs to this mark; NULL: to none. A tracer that tells marks apart gets the path of
 * each by itself, and not one for all that look alike: true then, and the path is to be painted. */
static bool each_mark(struct sw_drawing *drawing, const struct sw_mark *mark) {
    drawing->mark = drawing->apart ? mark : NULL;
    return drawing->mark != NULL;
}

static void trace_line(struct sw_drawing *drawing, double x0, double y0, double x1, double y1) {
    sw_late.cairo_move_to(drawing->cairo, x0, y0);
    sw_late.cairo_line_to(drawing->cairo, x1, y1);
}

/* To halves of a point: whole pixels of a PNG, short numbers in an SVG. */
static double snap(double at) {
    return floor(at * 2 + 0.5) / 2;
}

static double point_radius(const struct sw_mark *mark) {
    return POINT_RADIUS + POINT_MORE * mark->under;
}

bool sw_drawing_area(const struct sw_panel *panel, const struct sw_mark *mark, struct sw_area *area) {
    if (mark->kind == SW_MARK_POINT) { /* of one size, however the plot is scaled */
        double x = sw_drawing_x(panel, mark->x0), y = sw_drawing_y(panel, mark->y0), radius = point_radius(mark);
        *area = (struct sw_area){x - radius, y - radius, x + radius, y + radius};
        return true;
    }
    double left = sw_drawing_x(panel, mark->x0), right = sw_drawing_x(panel, mark->x1);
    double top = sw_drawing_y(panel, mark->y1), bottom = sw_drawing_y(panel, mark->y0);
    area->left = fmax(left, panel->body_left);
    area->right = fmin(right, panel->body_left + panel->body_width);
    area->top = fmax(top, panel->body_top);
    area->bottom = fmin(bottom, panel->body_top + panel->body_height);
    if (!panel->zooms) {
        *area = (struct sw_area){snap(area->left), snap(area->top), snap(area->right), snap(area->bottom)};
    }
    /* What one is to look at is never too small to see. */
    if (mark->kind == SW_MARK_FRAME || mark->style == SW_STYLE_CURRENT || mark->peak) {
        double least = mark->peak ? 1 : 2;
        area->right = fmax(area->right, area->left + least);
        area->top = fmin(area->top, area->bottom - least);
    }
    return area->right > area->left && area->bottom > area->top;
}

static void trace_rectangle(struct sw_drawing *drawing, const struct sw_area *area, double inset) {
    sw_late.cairo_rectangle(drawing->cairo, area->left + inset, area->top + inset, area->right - area->left - 2 * inset,
                            area->bottom - area->top - 2 * inset);
}

/* ---- blocks that go on outside the picture have torn edges ---- */

#define TOOTH 3.0 /* depth */
enum { TORN_LEFT = 1, TORN_TOP = 2, TORN_RIGHT = 4, TORN_BOTTOM = 8 };

static unsigned torn_sides(const struct sw_panel *panel, const struct sw_mark *mark, const struct sw_area *area) {
    if (area->right - area->left < 4 * TOOTH || area->bottom - area->top < 4 * TOOTH) {
        return 0; /* too small to be seen */
    }
    return (mark->x0 < panel->x.lo ? TORN_LEFT : 0u) | (mark->x1 > panel->x.hi ? TORN_RIGHT : 0u) |
           (mark->y0 < panel->y.lo ? TORN_BOTTOM : 0u) | (mark->y1 > panel->y.hi ? TORN_TOP : 0u);
}

/* To (x, y), straight, or torn with teeth that point inward, where (nx, ny) is. */
static void trace_side(cairo_t *cairo, bool torn, double x, double y, double nx, double ny) {
    double x0, y0;
    sw_late.cairo_get_current_point(cairo, &x0, &y0);
    int teeth = torn ? (int)fmax(1, floor(hypot(x - x0, y - y0) / (2.5 * TOOTH))) : 0;
    for (int i = 1; i < 2 * teeth; i++) {
        double part = i / (2.0 * teeth), depth = i % 2 ? TOOTH : 0;
        sw_late.cairo_line_to(cairo, x0 + (x - x0) * part + nx * depth, y0 + (y - y0) * part + ny * depth);
    }
    sw_late.cairo_line_to(cairo, x, y);
}

static void trace_block(struct sw_drawing *drawing, const struct sw_panel *panel, const struct sw_mark *mark,
                        const struct sw_area *area) {
    unsigned torn = torn_sides(panel, mark, area);
    if (!torn) {
        trace_rectangle(drawing, area, 0);
        return;
    }
    cairo_t *cairo = drawing->cairo;
    sw_late.cairo_move_to(cairo, area->left, area->top);
    trace_side(cairo, torn & TORN_TOP, area->right, area->top, 0, 1);
    trace_side(cairo, torn & TORN_RIGHT, area->right, area->bottom, -1, 0);
    trace_side(cairo, torn & TORN_BOTTOM, area->left, area->bottom, 0, -1);
    trace_side(cairo, torn & TORN_LEFT, area->left, area->top, 1, 0);
    sw_late.cairo_close_path(cairo);
}

/* ---- hatching, computed instead of clipped ---- */

#define HATCH 5.0
#define STRIPE 9.0 /* of bands, which are large */

/* Lines of the family  x + direction * y = c  inside the area. */
static void add_slanted(struct sw_drawing *drawing, const struct sw_area *area, int direction) {
    double width = area->right - area->left, height = area->bottom - area->top;
    for (double c = HATCH; c < width + height; c += HATCH) {
        double x0 = fmin(c, width), y0 = c - x0;
        double y1 = fmin(c, height), x1 = c - y1;
        if (direction < 0) {
            y0 = height - y0;
            y1 = height - y1;
        }
        trace_line(drawing, area->left + x0, area->top + y0, area->left + x1, area->top + y1);
    }
}

static void add_level(struct sw_drawing *drawing, const struct sw_area *area, bool vertical) {
    double end = vertical ? area->right : area->bottom;
    for (double at = (vertical ? area->left : area->top) + HATCH * 0.8; at < end; at += HATCH * 0.8) {
        trace_line(drawing, vertical ? at : area->left, vertical ? area->top : at, vertical ? at : area->right,
                   vertical ? area->bottom : at);
    }
}

static void add_hatch(struct sw_drawing *drawing, const struct sw_area *area, unsigned pattern) {
    enum { RISING = 1, FALLING = 2, LEVEL = 4, UPRIGHT = 8 };
    static const unsigned char lines[] = {
        [SW_PATTERN_INPUT] = RISING,    [SW_PATTERN_OUTPUT] = FALLING,         [SW_PATTERN_CONSTANT] = LEVEL,
        [SW_PATTERN_SCRATCH] = UPRIGHT, [SW_PATTERN_CROSS] = RISING | FALLING, [SW_PATTERN_GRID] = LEVEL | UPRIGHT};
    unsigned own = pattern < sizeof lines ? lines[pattern] : 0;
    if (own & RISING) {
        add_slanted(drawing, area, 1);
    }
    if (own & FALLING) {
        add_slanted(drawing, area, -1);
    }
    if (own & LEVEL) {
        add_level(drawing, area, false);
    }
    if (own & UPRIGHT) {
        add_level(drawing, area, true);
    }
}

/* Slanted lines that run on from one area to its neighbor: bands are made of many narrow ones. */
static void add_stripes(struct sw_drawing *drawing, const struct sw_area *area, unsigned pattern) {
    int direction = pattern % 2 ? 1 : -1;
    /* Lines of the family  x + direction * y = c  of the page. */
    double low = area->left + direction * (direction > 0 ? area->top : area->bottom);
    double high = area->right + direction * (direction > 0 ? area->bottom : area->top);
    for (double c = ceil(low / STRIPE) * STRIPE; c < high; c += STRIPE) {
        double x0 = c - direction * area->top, x1 = c - direction * area->bottom;
        double from = fmax(fmin(x0, x1), area->left), to = fmin(fmax(x0, x1), area->right);
        if (to > from) {
            trace_line(drawing, from, (c - from) * direction, to, (c - to) * direction);
        }
    }
}

/* ---- layers of a plot ---- */

static void draw_grid(struct sw_drawing *drawing, const struct sw_panel *panel) {
    double left = panel->body_left, right = left + panel->body_width;
    for (size_t i = 0; i < panel->y.ticks.count; i++) {
        double y = snap(sw_drawing_y(panel, panel->y.ticks.items[i].at));
        if (y < panel->body_top + panel->body_height - 1) {
            trace_line(drawing, left, y, right, y);
        }
    }
    stroke_path(drawing, 0.5, sw_drawing_ink(drawing, SW_STYLE_GAP), 0.55);
}

static void draw_axes(struct sw_drawing *drawing, const struct sw_panel *panel) {
    double left = snap(panel->body_left), bottom = snap(panel->body_top + panel->body_height);
    if (!panel->x.title && !panel->y.title && !panel->y.ticks.count) {
        return; /* it lies over others, which have axes */
    }
    trace_line(drawing, left, panel->body_top, left, bottom);
    sw_late.cairo_line_to(drawing->cairo, panel->body_left + panel->body_width, bottom);
    for (size_t i = 0; i < panel->y.ticks.count; i++) {
        double y = snap(sw_drawing_y(panel, panel->y.ticks.items[i].at));
        trace_line(drawing, left - 4, y, left, y);
    }
    for (size_t i = 0; i < panel->x.ticks.count; i++) {
        double x = snap(sw_drawing_x(panel, panel->x.ticks.items[i].at));
        trace_line(drawing, x, bottom, x, bottom + 4);
    }
    stroke_path(drawing, 0.8, sw_drawing_ink(drawing, SW_STYLE_AXIS), 1);
}

static bool is_block(const struct sw_mark *mark) {
    return mark->kind == SW_MARK_RECT && (mark->style == SW_STYLE_BLOCK || mark->style == SW_STYLE_CURRENT);
}

#define FAINT_FILL 0.35
#define FAINT_LINE 0.4

static void fill_blocks(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_area area;
    for (unsigned pass = 0; pass <= 2 * SW_LOOKS + 1; pass++) {
        unsigned hue = pass / 2;
        bool faint = pass % 2;
        struct sw_color color =
            hue < SW_LOOKS ? drawing->theme->blocks[hue].background : sw_drawing_ground(drawing, SW_STYLE_CURRENT);
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            unsigned own = mark->style == SW_STYLE_CURRENT ? SW_LOOKS : mark->hue;
            if (is_block(mark) && own == hue && mark->faint == faint && sw_drawing_area(panel, mark, &area)) {
                trace_block(drawing, panel, mark, &area);
                if (each_mark(drawing, mark)) {
                    fill_path(drawing, color, faint ? FAINT_FILL : 1, false);
                }
            }
        }
        each_mark(drawing, NULL);
        fill_path(drawing, color, faint ? FAINT_FILL : 1, false);
    }
}

static void hatch_blocks(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_area area;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (is_block(mark) && mark->pattern && sw_drawing_area(panel, mark, &area)) {
            unsigned torn = torn_sides(panel, mark, &area);
            area.left += torn & TORN_LEFT ? TOOTH : 0;
            area.right -= torn & TORN_RIGHT ? TOOTH : 0;
            area.top += torn & TORN_TOP ? TOOTH : 0;
            area.bottom -= torn & TORN_BOTTOM ? TOOTH : 0;
            add_hatch(drawing, &area, mark->pattern);
            if (each_mark(drawing, mark)) {
                stroke_path(drawing, 0.6, drawing->theme->blocks[0].foreground, 0.42);
            }
        }
    }
    each_mark(drawing, NULL);
    stroke_path(drawing, 0.6, drawing->theme->blocks[0].foreground, 0.42);
}

/* Outlines thin out with the blocks, so that many small ones do not turn black, and none of about
 * the same size stands out. */
static void outline_blocks(struct sw_drawing *drawing, const struct sw_panel *panel) {
    static const struct {
        double least, width, alpha;
    } pens[] = {{14, 0.7, 0.85}, {8, 0.5, 0.8}, {0, 0.35, 0.7}, {0, 0.1, 0.5}};
    const int count = panel->zooms ? 4 : 3; /* the last is for what is seen from near alone */
    struct sw_area area;
    for (int pass = 0; pass < 2 * count; pass++) {
        const int pen = pass % count;
        const bool faint = pass >= count;
        const double alpha = pens[pen].alpha * (faint ? FAINT_LINE : 1);
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            if (!is_block(mark) || mark->faint != faint || !sw_drawing_area(panel, mark, &area)) {
                continue;
            }
            double size = fmin(area.right - area.left, area.bottom - area.top);
            double least = count == 4 && pen == 2 ? 2.5 : pens[pen].least;
            double most = pen == 0 ? HUGE_VAL : pen == 3 ? 2.5 : pens[pen - 1].least;
            if (size >= least && size < most) {
                trace_block(drawing, panel, mark, &area);
                if (each_mark(drawing, mark)) {
                    stroke_path(drawing, pens[pen].width, drawing->theme->blocks[0].foreground, alpha);
                }
            }
        }
        each_mark(drawing, NULL);
        stroke_path(drawing, pens[pen].width, drawing->theme->blocks[0].foreground, alpha);
    }
}

static void ink_merged(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_area area;
    bool hues[SW_BASES + 1] = {false};
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        hues[mark->hue % (SW_BASES + 1)] |= mark->kind == SW_MARK_RECT && mark->style == SW_STYLE_MERGED;
    }
    for (unsigned look = 0; look < (SW_BASES + 1) * SW_MERGED_LEVELS; look++) {
        unsigned hue = look / SW_MERGED_LEVELS, level = look % SW_MERGED_LEVELS + 1;
        for (size_t i = 0; hues[hue] && i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            if (mark->kind == SW_MARK_RECT && mark->style == SW_STYLE_MERGED && mark->pattern == level &&
                mark->hue == hue && sw_drawing_area(panel, mark, &area)) {
                trace_rectangle(drawing, &area, 0);
            }
        }
        struct sw_color color;
        double alpha = sw_drawing_merged(drawing, hue, level, &color);
        if (hues[hue]) {
            fill_path(drawing, color, alpha, false);
        }
    }
    /* Single blocks that are only dimmed keep their edges. */
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_RECT && mark->style == SW_STYLE_MERGED && mark->item.kind == SW_ITEM_BUFFER &&
            sw_drawing_area(panel, mark, &area)) {
            trace_rectangle(drawing, &area, 0);
        }
    }
    stroke_path(drawing, 0.35, sw_drawing_ink(drawing, SW_STYLE_MERGED), 0.8);
}

/* Where only few marks stand for blocks that are too small they are not to be overlooked: darker,
 * and of a size that is seen. */
enum { FEW_MERGED = 300 };

static void draw_few_merged(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_area area;
    size_t count = 0;
    for (size_t i = 0; i < panel->marks.count; i++) {
        count += panel->marks.items[i].kind == SW_MARK_RECT && panel->marks.items[i].item.kind == SW_ITEM_MERGED;
    }
    for (unsigned hue = 0; hue <= SW_BASES && count <= FEW_MERGED; hue++) {
        bool any = false;
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            if (mark->kind != SW_MARK_RECT || mark->item.kind != SW_ITEM_MERGED || mark->hue != hue ||
                !sw_drawing_area(panel, mark, &area) || fmin(area.right - area.left, area.bottom - area.top) >= 3) {
                continue;
            }
            area.top = fmax(fmin(area.top, area.bottom - 2), panel->body_top);
            area.right = fmax(area.right, area.left + 2);
            trace_rectangle(drawing, &area, 0);
            any = true;
        }
        if (any) {
            fill_path(drawing, hue ? sw_drawing_curve_ink(drawing, hue - 1) : sw_drawing_ink(drawing, SW_STYLE_MERGED),
                      0.5, false);
        }
    }
}

/* The range that several runs span: a tint of the curve's color, hatched so that bands that lie on
 * each other stay apart. */
static void ink_bands(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_area area;
    for (unsigned hue = 0; hue < SW_HUES; hue++) {
        bool any = false;
        for (int hatched = 0; hatched < 2; hatched++) {
            for (size_t i = 0; i < panel->marks.count; i++) {
                const struct sw_mark *mark = &panel->marks.items[i];
                bool wanted =
                    mark->kind == SW_MARK_BAND && mark->hue % SW_HUES == hue && (mark->pattern < 2 || !hatched);
                if (wanted && sw_drawing_area(panel, mark, &area)) {
                    hatched ? add_stripes(drawing, &area, mark->pattern) : trace_rectangle(drawing, &area, 0);
                    any = true;
                }
            }
            if (any) {
                struct sw_color color = drawing->theme->blocks[hue].background;
                hatched ? stroke_path(drawing, 0.6, color, 1) : fill_path(drawing, color, 0.3, false);
            }
        }
    }
}

/* Free memory in the color of texts beside plots, as that of lines behind blocks is too light. */
static void ink_hatched(struct sw_drawing *drawing, const struct sw_area *area, enum sw_style style) {
    struct sw_color ink = sw_drawing_ink(drawing, style == SW_STYLE_GAP ? SW_STYLE_DIM : style);
    trace_rectangle(drawing, area, 0);
    fill_path(drawing, ink, 0.12, false);
    add_slanted(drawing, area, 1);
    if (style == SW_STYLE_GAP) {
        trace_rectangle(drawing, area, 0);
    }
    stroke_path(drawing, 0.5, ink, 0.5);
}

/* Reserved ranges and whatever else is filled. */
static void draw_other_areas(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_area area;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind != SW_MARK_RECT || is_block(mark) || mark->style == SW_STYLE_MERGED ||
            !sw_drawing_area(panel, mark, &area)) {
            continue;
        }
        drawing->momentary = mark->style == SW_STYLE_GAP;
        if (mark->style == SW_STYLE_LIVE) {
            trace_rectangle(drawing, &area, 0);
            fill_path(drawing, sw_drawing_ground(drawing, SW_STYLE_LIVE), 1, false);
            continue;
        }
        ink_hatched(drawing, &area, mark->style);
    }
    drawing->momentary = false;
}

static void ink_bars(struct sw_drawing *drawing, const struct sw_panel *panel) {
    static const enum sw_style bar_styles[] = {SW_STYLE_LIVE, SW_STYLE_PEAK};
    struct sw_area area;
    for (int s = 0; s < 2; s++) {
        bool any = false;
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            if (mark->kind == SW_MARK_BAR && mark->style == bar_styles[s] && sw_drawing_area(panel, mark, &area)) {
                trace_rectangle(drawing, &area, 0);
                any = true;
            }
        }
        if (any) {
            fill_path(drawing, s ? sw_drawing_ink(drawing, SW_STYLE_PEAK) : sw_drawing_ground(drawing, SW_STYLE_LIVE),
                      s ? 0.4 : 1, false);
        }
    }
    double end = NAN, floor_ = panel->body_top + panel->body_height;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind != SW_MARK_BAR || !sw_drawing_area(panel, mark, &area)) {
            continue;
        }
        if (area.left != end) {
            if (!isnan(end)) {
                sw_late.cairo_line_to(drawing->cairo, end, floor_);
            }
            sw_late.cairo_move_to(drawing->cairo, area.left, floor_);
        }
        sw_late.cairo_line_to(drawing->cairo, area.left, area.top);
        sw_late.cairo_line_to(drawing->cairo, area.right, area.top);
        end = area.right;
    }
    if (!isnan(end)) {
        sw_late.cairo_line_to(drawing->cairo, end, floor_);
    }
    stroke_path(drawing, 0.9, sw_drawing_ink(drawing, SW_STYLE_LIVE), 1);
}

static void ink_frame(struct sw_drawing *drawing, const struct sw_area *area, enum sw_style style) {
    static const double dash[] = {3, 2};
    bool ghost = style == SW_STYLE_GHOST || style == SW_STYLE_FITS;
    double inset = style == SW_STYLE_PINNED ? 2 : 0.5;
    if (area->right - area->left <= 2 * inset || area->bottom - area->top <= 2 * inset) {
        inset = 0;
    }
    trace_rectangle(drawing, area, inset);
    if (ghost) {
        fill_path(drawing, drawing->theme->background, 0.35, true);
        sw_late.cairo_set_dash(drawing->cairo, dash, 2, 0);
    }
    stroke_path(drawing, style == SW_STYLE_SELECTED ? 2 : 1.2, sw_drawing_ink(drawing, style), 1);
    sw_late.cairo_set_dash(drawing->cairo, NULL, 0, 0);
}

static void ink_hatch(struct sw_drawing *drawing, const struct sw_area *area, unsigned pattern, enum sw_style style) {
    if (pattern) {
        add_hatch(drawing, area, pattern);
        stroke_path(drawing, 0.6, sw_drawing_ink(drawing, style), 0.6);
    }
}

/* Curves stay apart without colors, too. */
static void set_dash(struct sw_drawing *drawing, unsigned pattern, bool curve) {
    static const double line[] = {5, 3}, dashes[] = {7, 3.5}, dots[] = {2, 2.5}, both[] = {8, 3, 2, 3};
    static const struct {
        const double *lengths;
        int count;
    } families[SW_DASH_COUNT] = {{NULL, 0}, {dashes, 2}, {dots, 2}, {both, 4}};
    if (curve) {
        unsigned at = pattern % SW_DASH_COUNT;
        sw_late.cairo_set_dash(drawing->cairo, families[at].lengths, families[at].count, 0);
    } else {
        sw_late.cairo_set_dash(drawing->cairo, line, pattern ? 2 : 0, 0);
    }
}

/* A polygon round the place, or a star, of which every second corner lies nearer. */
static void ink_point(struct sw_drawing *drawing, double x, double y, double radius, unsigned shape, unsigned hue) {
    static const struct {
        int corners;
        double turn, size, inner; /* turn: of a whole one; inner: of a star */
    } shapes[SW_SHAPE_COUNT] = {
        [SW_SHAPE_CIRCLE] = {16, 0, 1, 0},         [SW_SHAPE_SQUARE] = {4, 0.125, 1.25, 0},
        [SW_SHAPE_TRIANGLE] = {3, -0.25, 1.35, 0}, [SW_SHAPE_DIAMOND] = {4, 0, 1.3, 0},
        [SW_SHAPE_CROSS] = {4, 0.125, 1.5, 0.45},  [SW_SHAPE_DOWN] = {3, 0.25, 1.35, 0},
        [SW_SHAPE_STAR] = {5, -0.25, 1.5, 0.45},   [SW_SHAPE_PLUS] = {4, 0, 1.4, 0.45},
    };
    unsigned at = shape % SW_SHAPE_COUNT;
    bool star = shapes[at].inner > 0;
    int corners = shapes[at].corners * (star ? 2 : 1);
    for (int i = 0; i < corners; i++) {
        double angle = 2 * M_PI * (shapes[at].turn + (double)i / corners);
        double far = radius * shapes[at].size * (star && i % 2 ? shapes[at].inner : 1);
        sw_late.cairo_line_to(drawing->cairo, x + far * cos(angle), y + far * sin(angle));
    }
    sw_late.cairo_close_path(drawing->cairo);
    fill_path(drawing, drawing->theme->blocks[hue % SW_HUES].background, 1, true);
    stroke_path(drawing, 1.2, sw_drawing_curve_ink(drawing, hue), 1);
}

/* The next line of the same curve, which goes on where this one ends: dashes are one row of dashes then. */
static bool line_goes_on(const struct sw_mark *line, const struct sw_mark *next) {
    return next->kind == SW_MARK_LINE && next->style == SW_STYLE_BLOCK && next->hue == line->hue &&
           next->pattern == line->pattern && next->under == line->under && next->x0 == line->x1 && next->y0 == line->y1;
}

/* Of a curve, from the mark `at` on; the last mark that it took. */
static size_t draw_curve(struct sw_drawing *drawing, const struct sw_panel *panel, size_t at) {
    const struct sw_mark *marks = panel->marks.items, *first = &marks[at];
    double left = panel->body_left, right = left + panel->body_width;
    sw_late.cairo_move_to(drawing->cairo, snap(fmin(fmax(sw_drawing_x(panel, first->x0), left), right)),
                          snap(sw_drawing_y(panel, first->y0)));
    for (;; at++) {
        sw_late.cairo_line_to(drawing->cairo, snap(fmin(fmax(sw_drawing_x(panel, marks[at].x1), left), right)),
                              snap(sw_drawing_y(panel, marks[at].y1)));
        if (at + 1 == panel->marks.count || !line_goes_on(&marks[at], &marks[at + 1])) {
            break;
        }
    }
    set_dash(drawing, first->pattern, true);
    stroke_path(drawing, 1.8 + LINE_MORE * first->under, sw_drawing_curve_ink(drawing, first->hue), 1);
    sw_late.cairo_set_dash(drawing->cairo, NULL, 0, 0);
    return at;
}

static void draw_line(struct sw_drawing *drawing, const struct sw_panel *panel, const struct sw_mark *mark) {
    bool level = mark->y0 == mark->y1;
    double right = panel->body_left + panel->body_width;
    double x0 = fmax(sw_drawing_x(panel, mark->x0), panel->body_left);
    double x1 = fmin(sw_drawing_x(panel, mark->x1), right);
    double y0 = sw_drawing_y(panel, mark->y0), y1 = sw_drawing_y(panel, mark->y1);
    bool route = mark->style == SW_STYLE_TRANSFER || mark->style == SW_STYLE_WARNING; /* on to an arrow */
    bool whole = mark->labels || mark->pattern;
    if (level && !whole) { /* however short, it is seen */
        x1 = fmax(x1, x0 + 3);
    }
    set_dash(drawing, mark->pattern, false);
    trace_line(drawing, level ? x0 : snap(x0), level ? snap(y0) : y0, level ? x1 + (whole ? 5 : 0) : snap(x1),
               level ? snap(y1) : y1);
    stroke_path(drawing, whole ? 1.1 : route ? 1.3 : 2.4, sw_drawing_ink(drawing, mark->style), 1);
    sw_late.cairo_set_dash(drawing->cairo, NULL, 0, 0);
}

static void draw_arrow_between(struct sw_drawing *drawing, double x0, double y0, double x1, double y1,
                               struct sw_color color) {
    double length = hypot(x1 - x0, y1 - y0);
    if (length < 1) {
        return;
    }
    double ux = (x1 - x0) / length, uy = (y1 - y0) / length, head = fmin(6, length / 2);
    trace_line(drawing, x0, y0, x1 - ux * head, y1 - uy * head);
    stroke_path(drawing, 1.3, color, 1);
    trace_line(drawing, x1, y1, x1 - ux * head - uy * head / 2, y1 - uy * head + ux * head / 2);
    sw_late.cairo_line_to(drawing->cairo, x1 - ux * head + uy * head / 2, y1 - uy * head - ux * head / 2);
    sw_late.cairo_close_path(drawing->cairo);
    fill_path(drawing, color, 1, false);
}

static void draw_over(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_area area;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        drawing->momentary = mark->kind == SW_MARK_FRAME;
        if (mark->kind == SW_MARK_FRAME && sw_drawing_area(panel, mark, &area)) {
            ink_frame(drawing, &area, mark->style);
            ink_hatch(drawing, &area, mark->pattern, mark->style);
        } else if (mark->kind == SW_MARK_LINE && mark->style == SW_STYLE_BLOCK) {
            i = draw_curve(drawing, panel, i);
        } else if (mark->kind == SW_MARK_LINE) {
            draw_line(drawing, panel, mark);
        } else if (mark->kind == SW_MARK_ARROW) {
            draw_arrow_between(drawing, sw_drawing_x(panel, mark->x0), sw_drawing_y(panel, mark->y0),
                               sw_drawing_x(panel, mark->x1), sw_drawing_y(panel, mark->y1),
                               sw_drawing_ink(drawing, mark->style));
        }
    }
    /* The current block stands out by its edge too, not by color alone. */
    drawing->momentary = true;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_RECT && mark->style == SW_STYLE_CURRENT && sw_drawing_area(panel, mark, &area)) {
            trace_rectangle(drawing, &area, 0);
            stroke_path(drawing, 2, sw_drawing_ink(drawing, SW_STYLE_STRONG), 1);
        }
    }
    drawing->momentary = false;
}

/* One after the other: a tracer has those of a panel as one group. */
static void draw_points(struct sw_drawing *drawing, const struct sw_panel *panel) {
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_POINT) {
            each_mark(drawing, mark);
            ink_point(drawing, sw_drawing_x(panel, mark->x0), sw_drawing_y(panel, mark->y0), point_radius(mark),
                      mark->pattern, mark->hue);
        }
    }
    each_mark(drawing, NULL);
}

static void ink_plot(struct sw_drawing *drawing, const struct sw_panel *panel) {
    static void (*const layers[])(struct sw_drawing *, const struct sw_panel *) = {
        draw_grid,   ink_bands,    draw_other_areas, ink_bars,  ink_merged, draw_few_merged,
        fill_blocks, hatch_blocks, outline_blocks,   draw_axes, draw_over,  draw_points};
    drawing->panel = panel;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        drawing->layer++;
        drawing->momentary = layers[i] == ink_merged || layers[i] == draw_few_merged;
        layers[i](drawing, panel);
    }
}

/* ---- the legend's samples ---- */

static void sample_blocks(struct sw_drawing *drawing, const struct sw_area *area, double alpha) {
    double third = (area->right - area->left) / 3;
    for (int i = 0; i < 3; i++) {
        struct sw_area part = *area;
        part.left = area->left + third * i;
        part.right = part.left + third;
        trace_rectangle(drawing, &part, 0);
        fill_path(drawing, drawing->theme->blocks[i].background, alpha, false);
    }
}

/* A color of its own, where the legend tells of several. */
static bool tells_colors(const struct sw_scene *scene) {
    unsigned plain = 0;
    for (size_t i = 0; i < scene->legend.count; i++) {
        const struct sw_legend_entry *entry = &scene->legend.items[i];
        plain += entry->style == SW_STYLE_BLOCK && !entry->pattern && !entry->line;
    }
    return plain > 1;
}

static void sample_block(struct sw_drawing *drawing, const struct sw_area *area, const struct sw_legend_entry *entry) {
    if (entry->style == SW_STYLE_BLOCK && !entry->pattern &&
        (entry->hue == SW_HUE_NEUTRAL || (entry->hue == 0 && !tells_colors(drawing->scene)))) {
        sample_blocks(drawing, area, entry->faint ? FAINT_FILL : 1);
    } else {
        trace_rectangle(drawing, area, 0);
        fill_path(drawing,
                  entry->style == SW_STYLE_BLOCK ? drawing->theme->blocks[entry->hue].background
                                                 : sw_drawing_ground(drawing, entry->style),
                  1, false);
        if (entry->style == SW_STYLE_BLOCK) {
            add_hatch(drawing, area, entry->pattern);
            stroke_path(drawing, 0.6, drawing->theme->blocks[0].foreground, 0.5);
        }
    }
    trace_rectangle(drawing, area, 0);
    stroke_path(drawing, entry->style == SW_STYLE_CURRENT ? 1.6 : 0.7,
                entry->style == SW_STYLE_CURRENT ? sw_drawing_ink(drawing, SW_STYLE_STRONG)
                                                 : drawing->theme->blocks[0].foreground,
                entry->faint ? FAINT_LINE : 0.9);
}

/* A line through the middle, with the dashes that are set, which end here. */
static void sample_level(struct sw_drawing *drawing, const struct sw_area *area, double inset, double width,
                         struct sw_color color) {
    double y = snap((area->top + area->bottom) / 2);
    trace_line(drawing, area->left + inset, y, area->right - inset, y);
    stroke_path(drawing, width, color, 1);
    sw_late.cairo_set_dash(drawing->cairo, NULL, 0, 0);
}

static void sample_line(struct sw_drawing *drawing, const struct sw_area *area, enum sw_style style) {
    set_dash(drawing, style == SW_STYLE_BOUND, false);
    sample_level(drawing, area, 0, 1.1, sw_drawing_ink(drawing, style));
}

/* Is it a curve's? */
static bool is_curve(const struct sw_drawing *drawing, const struct sw_legend_entry *entry) {
    bool curve = false;
    for (size_t p = 0; p < drawing->scene->panels.count && entry->style == SW_STYLE_BLOCK; p++) {
        const struct sw_panel *panel = &drawing->scene->panels.items[p];
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            if (mark->style == SW_STYLE_BLOCK && mark->kind != SW_MARK_LINE) {
                return false;
            }
            curve |= mark->style == SW_STYLE_BLOCK && mark->hue == entry->hue;
        }
    }
    return curve;
}

/* A line that its entry describes: a curve, in a band where it has one. */
static void sample_series(struct sw_drawing *drawing, const struct sw_area *area, const struct sw_legend_entry *entry) {
    bool curve = entry->style == SW_STYLE_BLOCK;
    if (entry->band) {
        trace_rectangle(drawing, area, 0);
        fill_path(drawing, drawing->theme->blocks[entry->hue % SW_HUES].background, 0.45, false);
    }
    set_dash(drawing, entry->pattern, curve);
    sample_level(drawing, area, 0, curve ? 1.8 : 1.1,
                 curve ? sw_drawing_curve_ink(drawing, entry->hue) : sw_drawing_ink(drawing, entry->style));
}

/* One tone; or all, from what is least full on. */
static void sample_merged(struct sw_drawing *drawing, const struct sw_area *area, const struct sw_legend_entry *entry) {
    struct sw_color color;
    bool all = entry->pattern > SW_MERGED_LEVELS;
    double step = (area->right - area->left) / (all ? SW_MERGED_LEVELS : 1);
    for (unsigned i = 0; i < (all ? SW_MERGED_LEVELS : 1u); i++) {
        struct sw_area part = *area;
        part.left += step * i;
        part.right = part.left + step;
        trace_rectangle(drawing, &part, 0);
        double alpha = sw_drawing_merged(drawing, entry->hue, all ? i + 1 : entry->pattern, &color);
        fill_path(drawing, color, alpha, false);
    }
    trace_rectangle(drawing, area, 0);
    stroke_path(drawing, 0.8, sw_drawing_ink(drawing, SW_STYLE_MERGED), 1);
}

static void ink_sample(struct sw_drawing *drawing, const struct sw_legend_entry *entry,
                       const struct sw_legend_place *at) {
    struct sw_area area = {.left = snap(at->left),
                           .top = snap(at->top + 4),
                           .right = snap(at->left + sw_legend_sample(entry)),
                           .bottom = snap(at->top + SW_PAGE_LEGEND_ROW - 4)};
    struct sw_color ink = sw_drawing_ink(drawing, entry->style);
    if (entry->line) {
        sample_series(drawing, &area, entry);
    }
    if (entry->shape) {
        ink_point(drawing, (area.left + area.right) / 2, (area.top + area.bottom) / 2, POINT_RADIUS, entry->shape - 1u,
                  entry->hue);
    }
    if (entry->line || entry->shape) {
        return;
    }
    if (entry->pattern && (entry->style == SW_STYLE_TRANSFER || entry->style == SW_STYLE_ERROR ||
                           entry->style == SW_STYLE_CHOSEN || entry->style == SW_STYLE_STRONG)) {
        ink_frame(drawing, &area, entry->style); /* of what is hatched, and no arrow */
        ink_hatch(drawing, &area, entry->pattern, entry->style);
        return;
    }
    if (entry->style == SW_STYLE_PEAK && entry->pattern) { /* the line, and not bars */
        sample_line(drawing, &area, entry->style);
        return;
    }
    switch (entry->style) {
    case SW_STYLE_BLOCK:
    case SW_STYLE_CURRENT:
        if (is_curve(drawing, entry)) {
            sample_level(drawing, &area, 0, 1.8, sw_drawing_curve_ink(drawing, entry->hue));
        } else {
            sample_block(drawing, &area, entry);
        }
        break;
    case SW_STYLE_GHOST:
    case SW_STYLE_PINNED:
    case SW_STYLE_SELECTED:
    case SW_STYLE_STRONG:
        ink_frame(drawing, &area, entry->style);
        break;
    case SW_STYLE_TRANSFER:
        draw_arrow_between(drawing, area.left, (area.top + area.bottom) / 2, area.right, (area.top + area.bottom) / 2,
                           ink);
        break;
    case SW_STYLE_BOUND:
        if (entry->pattern) {
            sample_level(drawing, &area, 2, 2.4, ink); /* as draw_line draws a part of a level */
        } else {
            sample_line(drawing, &area, entry->style);
        }
        break;
    case SW_STYLE_CAPACITY: /* the line; with a pattern it is what is reserved */
        entry->pattern ? ink_hatched(drawing, &area, entry->style) : sample_line(drawing, &area, entry->style);
        break;
    case SW_STYLE_FITS: /* a place; with a pattern it is what is filled */
        entry->pattern ? ink_hatched(drawing, &area, entry->style) : ink_frame(drawing, &area, entry->style);
        break;
    case SW_STYLE_GAP:
        ink_hatched(drawing, &area, entry->style);
        break;
    case SW_STYLE_MERGED:
        sample_merged(drawing, &area, entry);
        break;
    default: {
        bool tint = entry->style == SW_STYLE_PEAK;
        trace_rectangle(drawing, &area, 0);
        fill_path(drawing, tint ? ink : sw_drawing_ground(drawing, entry->style), tint ? 0.4 : 1, true);
        stroke_path(drawing, 0.8, ink, 1);
        break;
    }
    }
}

/* ---- the page ---- */

/* With an edge of the page's color, so that it is seen over any block. */
static void draw_note_arrow(struct sw_drawing *drawing, const struct sw_area *arrow) {
    trace_line(drawing, arrow->left, arrow->top, arrow->right, arrow->bottom);
    stroke_path(drawing, 3.4, drawing->theme->background, 0.8);
    draw_arrow_between(drawing, arrow->left, arrow->top, arrow->right, arrow->bottom,
                       sw_drawing_ink(drawing, SW_STYLE_STRONG));
}

/* From a name to its block, where it ends in a dot. */
static void draw_leader(struct sw_drawing *drawing, const struct sw_area *line) {
    struct sw_color ink = sw_drawing_ink(drawing, SW_STYLE_TEXT);
    for (int edge = 1; edge >= 0; edge--) {
        trace_line(drawing, line->left, line->top, line->right, line->bottom);
        stroke_path(drawing, edge ? 2.2 : 0.6, edge ? drawing->theme->background : ink, edge ? 0.7 : 1);
    }
    sw_late.cairo_arc(drawing->cairo, line->right, line->bottom, 1.3, 0, 2 * M_PI);
    fill_path(drawing, ink, 1, false);
}

void sw_drawing_draw(struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    /* Of a PNG's last row and column a part may lie beyond the page. */
    sw_late.cairo_rectangle(drawing->cairo, 0, 0, scene->width + 1, scene->height + 1);
    fill_path(drawing, drawing->theme->background, 1, false);
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (scene->panels.items[i].kind == SW_PANEL_PLOT) {
            ink_plot(drawing, &scene->panels.items[i]);
        }
    }
    struct sw_legend_place at;
    drawing->layer++;
    for (size_t i = 0; sw_drawing_legend(drawing, i, &at); i++) {
        drawing->entry = &scene->legend.items[i];
        ink_sample(drawing, drawing->entry, &at);
    }
    drawing->entry = NULL;
    drawing->layer++;
    drawing->momentary = true;
    drawing->panel = NULL; /* names and notes may stand in any */
    for (size_t i = 0; i < drawing->leaders.count; i++) {
        draw_leader(drawing, &drawing->leaders.items[i]);
    }
    for (size_t i = 0; i < drawing->arrows.count; i++) {
        draw_note_arrow(drawing, &drawing->arrows.items[i]);
    }
    drawing->momentary = false;
    drawing->layer++;
    for (size_t i = 0; i < drawing->texts.count; i++) {
        if (drawing->trace_text) {
            drawing->trace_text(drawing->tracer, drawing, &drawing->texts.items[i]);
        } else {
            sw_drawing_text(drawing, &drawing->texts.items[i]);
        }
    }
}
