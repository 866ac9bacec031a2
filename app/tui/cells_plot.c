/* Plots: blocks, frames, lines, arrows and bars, with their axes. */
#include "tui/cells_internal.h"
#include "base/base.h"

/* How a box is drawn. */
struct sw_glyphs {
    const char *corner[4];     /* top left, top right, bottom left, bottom right */
    const char *across, *down; /* edges */
    const char *cap[4];        /* ends of a box one cell thin: left, right, top, bottom */
    const char *dot;           /* one cell in all */
};
enum sw_stroke { SW_STROKE_THIN, SW_STROKE_HEAVY, SW_STROKE_DOUBLE, SW_STROKE_DASHED, SW_STROKE_COUNT };
/* The two alphabets: [ascii][stroke]. */
static const struct sw_glyphs sw_glyphs[2][SW_STROKE_COUNT] = {
    {{{"┌", "┐", "└", "┘"}, "─", "│", {"├", "┤", "┬", "┴"}, "■"},
     {{"┏", "┓", "┗", "┛"}, "━", "┃", {"┣", "┫", "┳", "┻"}, "█"},
     {{"╔", "╗", "╚", "╝"}, "═", "║", {"╠", "╣", "╦", "╩"}, "▣"},
     {{"┌", "┐", "└", "┘"}, "╌", "╎", {"╎", "╎", "╌", "╌"}, "□"}},
    {{{"+", "+", "+", "+"}, "-", "|", {"[", "]", "-", "-"}, "o"},
     {{"#", "#", "#", "#"}, "=", "#", {"#", "#", "#", "#"}, "#"},
     {{"*", "*", "*", "*"}, "*", "*", {"*", "*", "*", "*"}, "*"},
     {{".", ".", ".", "."}, ".", ":", {":", ":", ".", "."}, "."}},
};

/* ---- from data to cells ---- */

struct plot_cells {
    struct sw_brush brush;
    const struct sw_panel *panel;
    double x_scale, y_scale;      /* cells per unit of data */
    const struct sw_mark *placed; /* the block of this decision; NULL: there is none */
};

static double to_x(const struct plot_cells *plot, double x) {
    return plot->panel->body_left + (x - plot->panel->x.lo) * plot->x_scale;
}

static double to_y(const struct plot_cells *plot, double y) {
    return plot->panel->body_top + (plot->panel->y.hi - y) * plot->y_scale;
}

static int whole_down(double value) {
    return value > 1e6 ? 1000000 : value < -1e6 ? -1000000 : (int)floor(value);
}

/* A box in cells, not clipped; right and bottom outside. */
struct cellbox {
    int left, top, right, bottom;
};

static struct cellbox box_of(const struct plot_cells *plot, const struct sw_mark *mark) {
    struct cellbox box = {sw_nearest_cell(to_x(plot, mark->x0)), sw_nearest_cell(to_y(plot, mark->y1)),
                          sw_nearest_cell(to_x(plot, mark->x1)), sw_nearest_cell(to_y(plot, mark->y0))};
    if (box.right <= box.left) {
        box.left = whole_down((to_x(plot, mark->x0) + to_x(plot, mark->x1)) / 2);
        box.right = box.left + 1;
    }
    return box;
}

/* The first alternative that fits; NULL when none does. */
static const char *fitting(const struct sw_brush *brush, const char *const *labels, int room) {
    for (; labels && *labels; labels++) {
        if (**labels && sw_grid_columns_of(brush->grid, *labels) <= room) {
            return *labels;
        }
    }
    return NULL;
}

/* ---- blocks ---- */

static char letter_of(uint64_t id) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return letters[id % 52];
}

/* The glyph of a box's edge at a cell, or NULL inside. */
static const char *edge_glyph(const struct sw_glyphs *glyphs, const struct cellbox *box, int x, int y) {
    bool left = x == box->left, right = x == box->right - 1;
    bool top = y == box->top, bottom = y == box->bottom - 1;
    bool thin_x = left && right, thin_y = top && bottom;
    if (thin_x && thin_y) {
        return glyphs->dot;
    }
    if (thin_y) {
        return left ? glyphs->cap[0] : right ? glyphs->cap[1] : glyphs->across;
    }
    if (thin_x) {
        return top ? glyphs->cap[2] : bottom ? glyphs->cap[3] : glyphs->down;
    }
    if (top || bottom) {
        return left ? glyphs->corner[bottom ? 2 : 0] : right ? glyphs->corner[bottom ? 3 : 1] : glyphs->across;
    }
    return left || right ? glyphs->down : NULL;
}

/* Half way between the writing and the ground, for edges and hatching. */
static struct sw_look soften(struct sw_look look) {
    if (look.foreground.set && look.background.set) {
        look.foreground.red = (uint8_t)((look.foreground.red + look.background.red) / 2);
        look.foreground.green = (uint8_t)((look.foreground.green + look.background.green) / 2);
        look.foreground.blue = (uint8_t)((look.foreground.blue + look.background.blue) / 2);
    }
    return look;
}

/* Inside of a block: what kind of buffer it is. */
static const char *hatch(unsigned pattern, bool ascii) {
    static const char *const both[2][SW_PATTERN_COUNT] = {{" ", "·", ":", "=", "/"}, {" ", ".", ":", "=", "/"}};
    return both[ascii][pattern < SW_PATTERN_COUNT ? pattern : 0];
}

static const char *density(unsigned quarters, bool ascii) {
    static const char *const both[2][5] = {{" ", "░", "▒", "▓", "▓"}, {" ", ".", ":", "%", "%"}};
    return both[ascii][quarters < 5 ? quarters : 4];
}

/* An area that only has a tint: it needs no edges, and several of them side by side are one. */
static bool is_dotted(const struct sw_mark *mark) {
    return mark->style == SW_STYLE_GAP && mark->pattern != 0;
}

static struct cellbox visible(const struct sw_clip *clip, const struct cellbox *box) {
    struct cellbox part = {SW_MAX(box->left, clip->left), box->top > clip->top ? box->top : clip->top,
                           box->right < clip->right ? box->right : clip->right,
                           box->bottom < clip->bottom ? box->bottom : clip->bottom};
    return part;
}

static void stamp(struct sw_cell *cell, const struct sw_mark *mark) {
    cell->item = mark->item;
    cell->hidden = mark->hidden;
}

/* A cell that belongs to the mark; NULL is none. */
static void set_stamped(const struct plot_cells *plot, struct sw_cell *cell, const char *glyph, struct sw_look look,
                        enum sw_layer layer, const struct sw_mark *mark) {
    if (cell) {
        sw_brush_set(&plot->brush, cell, glyph, look, layer);
        stamp(cell, mark);
    }
}

/* Merged blocks are not drawn over text, nor over a block that is drawn where they only reach over from beside it. */
static bool gives_way(const struct sw_mark *mark, const struct sw_cell *cell) {
    bool reaches = mark->item.kind == SW_ITEM_MERGED && mark->hidden == 0;
    return mark->style == SW_STYLE_MERGED &&
           (cell->layer == SW_LAYER_TEXT ||
            (reaches && cell->item.kind == SW_ITEM_BUFFER && cell->layer >= SW_LAYER_FILL));
}

/* The glyph of a thin block at a cell: one half of it, and only the left half of that at the
 * block's right end, so that thin blocks side by side do not become one. */
static const char *half_glyph(bool lower, bool end) {
    return lower ? (end ? "▖" : "▄") : (end ? "▘" : "▀");
}

/* In ASCII a thin block takes the row: in brackets, or a letter where it is short. */
static char thin_letter(const struct sw_mark *mark, const struct cellbox *box, int x) {
    if (mark->style == SW_STYLE_MERGED) {
        return *density(mark->pattern, true);
    }
    if (box->right - box->left > 2 && x == box->left) {
        return '[';
    }
    return box->right - box->left > 2 && x == box->right - 1 ? ']' : letter_of(mark->item.id);
}

static void draw_half_cell(const struct plot_cells *plot, const struct sw_mark *mark, const struct cellbox *box,
                           struct sw_cell *cell, int x, bool lower) {
    const struct sw_brush *brush = &plot->brush;
    struct sw_look look = sw_brush_style(brush, mark->style, mark->hue);
    struct sw_look own = {.foreground = look.background.set ? look.background : look.foreground,
                          .attributes = look.attributes};
    bool end = x == box->right - 1;
    bool other_ends = strcmp(cell->text, half_glyph(!lower, true)) == 0;
    bool other = other_ends || strcmp(cell->text, half_glyph(!lower, false)) == 0;
    if (brush->grid->ascii) {
        char glyph[2] = {thin_letter(mark, box, x), 0};
        sw_brush_set(brush, cell, glyph, look, SW_LAYER_FILL);
    } else if (other && brush->theme->colors) {
        /* The other half is taken by a thin block already: both show. */
        struct sw_look both = cell->look;
        both.background = own.foreground;
        sw_brush_set(brush, cell, half_glyph(!lower, false), both, SW_LAYER_FILL);
    } else if (other) {
        sw_brush_set(brush, cell, end || other_ends ? "╡" : "═", own, SW_LAYER_FILL);
    } else {
        sw_brush_set(brush, cell, half_glyph(lower, end), own, SW_LAYER_FILL);
    }
    stamp(cell, mark);
}

/* Less than half a row: one half of a cell, the other half stays what it was. */
static void draw_half(const struct plot_cells *plot, const struct sw_mark *mark) {
    struct cellbox box = box_of(plot, mark);
    int half = sw_nearest_cell(2 * to_y(plot, mark->y1));
    box.top = half >= 0 ? half / 2 : -1;
    box.bottom = box.top + 1;
    struct cellbox part = visible(&plot->brush.clip, &box);
    for (int x = part.left; x < part.right && part.top < part.bottom; x++) {
        struct sw_cell *cell = sw_brush_at(&plot->brush, x, box.top);
        if (cell && is_dotted(mark)) {
            if (cell->layer < SW_LAYER_FILL) {
                set_stamped(plot, cell, hatch(mark->pattern, plot->brush.grid->ascii),
                            sw_brush_style(&plot->brush, mark->style, mark->hue), SW_LAYER_FILL, mark);
            }
        } else if (cell && !gives_way(mark, cell)) {
            draw_half_cell(plot, mark, &box, cell, x, half & 1);
        }
    }
}

static enum sw_stroke stroke_of(unsigned style) {
    bool dashed = style == SW_STYLE_GHOST || style == SW_STYLE_FITS || style == SW_STYLE_GAP;
    return style == SW_STYLE_CURRENT    ? SW_STROKE_HEAVY
           : style == SW_STYLE_SELECTED ? SW_STROKE_DOUBLE
           : dashed                     ? SW_STROKE_DASHED
                                        : SW_STROKE_THIN;
}

static void draw_block(const struct plot_cells *plot, const struct sw_mark *mark, const struct cellbox *box) {
    const struct sw_brush *brush = &plot->brush;
    bool ascii = brush->grid->ascii, merged = mark->style == SW_STYLE_MERGED;
    const struct sw_glyphs *glyphs = &sw_glyphs[ascii][stroke_of(mark->style)];
    struct sw_look look = sw_brush_style(brush, mark->style, mark->hue);
    struct sw_look soft = mark->style == SW_STYLE_BLOCK ? soften(look) : look;
    struct cellbox part = visible(&brush->clip, box);
    bool column = box->right - box->left == 1;
    /* A part of a bar is known by its hatching, which edges would hide in narrow ones. */
    bool bar = (mark->style == SW_STYLE_BLOCK && mark->item.kind == SW_ITEM_STEP) || is_dotted(mark);
    const char *fill = merged ? density(mark->pattern, ascii) : hatch(mark->pattern, ascii);
    for (int y = part.top; y < part.bottom; y++) {
        for (int x = part.left; x < part.right; x++) {
            struct sw_cell *cell = sw_brush_at(brush, x, y);
            const char *edge = bar || merged ? NULL : edge_glyph(glyphs, box, x, y);
            char letter[2] = {letter_of(mark->item.id), 0};
            if (!bar && ascii && column && mark->style == SW_STYLE_BLOCK) {
                edge = letter; /* columns side by side would look like one another */
            }
            if (cell && !gives_way(mark, cell)) {
                set_stamped(plot, cell, edge ? edge : fill, soft, edge ? SW_LAYER_BORDER : SW_LAYER_FILL, mark);
            }
        }
    }
}

/* Where there are no half rows a box has at least one. */
static struct cellbox whole_box(const struct plot_cells *plot, const struct sw_mark *mark, bool halves) {
    struct cellbox box = box_of(plot, mark);
    if (box.bottom <= box.top && !halves) {
        box.top = whole_down((to_y(plot, mark->y0) + to_y(plot, mark->y1)) / 2);
        box.bottom = box.top + 1;
    }
    return box;
}

static void draw_rect(const struct plot_cells *plot, const struct sw_mark *mark) {
    struct cellbox box = whole_box(plot, mark, !plot->brush.grid->ascii);
    if (box.bottom <= box.top) {
        draw_half(plot, mark);
    } else {
        draw_block(plot, mark, &box);
    }
}

/* Is the cell still this mark's, and no other drawn over it since? */
static bool owns_cell(const struct sw_brush *brush, int x, int y, const struct sw_mark *mark) {
    const struct sw_cell *cell = sw_brush_at(brush, x, y);
    return cell && cell->item.kind == mark->item.kind && cell->item.id == mark->item.id &&
           cell->hidden == mark->hidden && !cell->shared &&
           (cell->layer == SW_LAYER_FILL || cell->layer == SW_LAYER_BORDER);
}

/* The name, where it covers no other block: half a name would be another name. It stands in the upper
 * edge where the box is low, else below it; the count of merged blocks in the middle. */
static void label_rect(const struct plot_cells *plot, const struct sw_mark *mark) {
    const struct sw_brush *brush = &plot->brush;
    struct cellbox box = whole_box(plot, mark, !brush->grid->ascii), part = visible(&brush->clip, &box);
    bool merged = mark->style == SW_STYLE_MERGED;
    if (!mark->labels || part.top >= part.bottom || part.left >= part.right) {
        return;
    }
    int left = part.left + (!merged && box.left >= part.left);
    int right = part.right - (!merged && box.right <= part.right);
    bool tall = box.bottom - box.top > 2 && part.bottom - part.top > 1;
    int y = merged ? part.top + (part.bottom - part.top) / 2 : part.top + (tall && part.top == box.top);
    /* A row that is cut has no room for a name; the next one may. */
    int rows = brush->grid->down > 0 && !merged ? 2 : 1;
    struct sw_look look = sw_brush_style(brush, mark->style, mark->hue);
    for (const char *const *label = mark->labels; *label && **label; label++) {
        int need = sw_grid_columns_of(brush->grid, *label);
        int from = merged ? left + (right - left - need) / 2 : left;
        for (int row = y; row < y + rows; row++) {
            int run = 0;
            for (int x = from < left ? left : from; x < right; x++) {
                run = owns_cell(brush, x, row, mark) ? run + 1 : 0;
                if (run == need) {
                    sw_brush_put(brush, x - need + 1, row, need, *label, look);
                    return;
                }
            }
        }
    }
}

/* ---- outlines, lines, arrows, labels ---- */

/* An outline over what is there. One row high, it keeps what is written and only marks the ends. */
/* A place that was not taken is never drawn over the block that was placed. */
static bool is_under_placed(const struct plot_cells *plot, const struct sw_mark *mark, int x, int y) {
    bool left_out = mark->style == SW_STYLE_GHOST || mark->style == SW_STYLE_FITS;
    return left_out && plot->placed && owns_cell(&plot->brush, x, y, plot->placed);
}

/* Inside of a frame that is hatched, every other cell where nothing is written. */
static void hatch_frame(const struct plot_cells *plot, const struct sw_mark *mark, int x, int y, struct sw_look look) {
    struct sw_cell *cell = sw_brush_at(&plot->brush, x, y);
    if (mark->pattern && cell && cell->layer <= SW_LAYER_FILL && (x + y) % 2 == 0) {
        sw_brush_set(&plot->brush, cell, plot->brush.grid->ascii ? "x" : "╳", look, SW_LAYER_FILL);
    }
}

static void plot_frame(const struct plot_cells *plot, const struct sw_mark *mark) {
    const struct sw_brush *brush = &plot->brush;
    const struct sw_glyphs *glyphs = &sw_glyphs[brush->grid->ascii][stroke_of(mark->style)];
    struct sw_look look = sw_brush_style(brush, mark->style, mark->hue);
    struct cellbox box = whole_box(plot, mark, false), part = visible(&brush->clip, &box);
    bool low = box.bottom - box.top == 1;
    for (int y = part.top; y < part.bottom; y++) {
        for (int x = part.left; x < part.right; x++) {
            struct sw_cell *cell = sw_brush_at(brush, x, y);
            const char *edge = edge_glyph(glyphs, &box, x, y);
            bool end = x == box.left || x == box.right - 1;
            if (!edge || (low && !end)) {
                hatch_frame(plot, mark, x, y, look);
            }
            if (!cell || !edge || is_under_placed(plot, mark, x, y)) {
                continue;
            }
            bool own = cell->item.kind == mark->item.kind && cell->item.id == mark->item.id;
            if (cell->layer == SW_LAYER_TEXT && !(end && low && own)) {
                /* A name in the edge stays readable. */
                sw_cell_set_look(cell, own ? look : cell->look);
                continue;
            }
            sw_brush_set(brush, cell, edge, look, SW_LAYER_BORDER);
            if (mark->item.kind != SW_ITEM_NONE) {
                stamp(cell, mark);
            }
        }
    }
    int room = part.right - part.left - 2;
    const char *label = fitting(brush, mark->labels, room);
    struct sw_cell *first = sw_brush_at(brush, part.left + 1, part.top);
    if (label && part.top < part.bottom && first && first->layer != SW_LAYER_TEXT &&
        !is_under_placed(plot, mark, part.left + 1, part.top)) {
        sw_brush_put(brush, part.left + 1, part.top, room, label, look);
    }
}

/* The row with its lower edge nearest to y, so that a line stands on top of what ends there. */
static int cell_row_above(const struct plot_cells *plot, double y) {
    int row = sw_nearest_cell(to_y(plot, y)) - 1;
    return row < plot->brush.clip.top       ? plot->brush.clip.top
           : row >= plot->brush.clip.bottom ? plot->brush.clip.bottom - 1
                                            : row;
}

static bool is_free(const struct sw_brush *brush, int x, int y) {
    const struct sw_cell *cell = sw_brush_at(brush, x, y);
    return cell && (cell->layer == SW_LAYER_EMPTY || cell->layer == SW_LAYER_LINE);
}

/* Right-most place in a row where the label covers nothing. */
static bool label_line(const struct plot_cells *plot, const struct sw_mark *mark, int row, int from, int to,
                       struct sw_look look) {
    const struct sw_brush *brush = &plot->brush;
    for (const char *const *label = mark->labels; label && *label && **label; label++) {
        int need = sw_grid_columns_of(brush->grid, *label), run = 0;
        for (int x = to - 1; x >= from; x--) {
            run = is_free(brush, x, row) ? run + 1 : 0;
            /* One cell of the line on either side, so that two labels do not run together. */
            int gap = x + run == to ? 1 : 2;
            if (run == need + gap) {
                sw_brush_put(brush, x + 1, row, need, *label, look);
                return true;
            }
        }
    }
    return false;
}

/* A line runs behind what is written and between what is filled. */
static void cross_cell(const struct plot_cells *plot, int x, int y, const char *glyph, const struct sw_mark *mark) {
    struct sw_cell *cell = sw_brush_at(&plot->brush, x, y);
    if (cell && cell->layer <= SW_LAYER_LINE) {
        enum sw_layer layer = cell->layer == SW_LAYER_FILL ? SW_LAYER_FILL : SW_LAYER_LINE;
        sw_brush_set(&plot->brush, cell, glyph, sw_brush_style(&plot->brush, mark->style, mark->hue), layer);
    }
}

/* The row of a level line or of a tick. Where a higher line takes that row, it is the row below, if it lies in that:
 * two values share no row where they need not. */
static int level_row(const struct plot_cells *plot, double y) {
    int row = cell_row_above(plot, y), own = whole_down(to_y(plot, y));
    bool shared = false;
    for (size_t i = 0; i < plot->panel->marks.count && own > row && !shared; i++) {
        const struct sw_mark *other = &plot->panel->marks.items[i];
        shared = other->kind == SW_MARK_LINE && other->y0 == other->y1 && other->y0 > y &&
                 cell_row_above(plot, other->y0) == row;
    }
    return shared && own < plot->brush.clip.bottom ? own : row;
}

static void plot_level(const struct plot_cells *plot, const struct sw_mark *mark) {
    const struct sw_brush *brush = &plot->brush;
    bool ascii = brush->grid->ascii;
    const char *glyph = mark->pattern                      ? (ascii ? "-" : "╌")
                        : mark->style == SW_STYLE_CAPACITY ? (ascii ? "=" : "═")
                                                           : (ascii ? "-" : "─");
    struct sw_look look = sw_brush_style(brush, mark->style, mark->hue);
    int row = level_row(plot, mark->y0);
    int from = whole_down(to_x(plot, mark->x0)), to = sw_nearest_cell(to_x(plot, mark->x1));
    to = to <= from ? from + 1 : to;
    from = from < brush->clip.left ? brush->clip.left : from;
    to = to > brush->clip.right ? brush->clip.right : to;
    for (int x = from; x < to; x++) {
        cross_cell(plot, x, row, glyph, mark);
    }
    if (!label_line(plot, mark, row, from, to, look) && row > brush->clip.top) {
        label_line(plot, mark, row - 1, from, to, look);
    }
}

static void draw_upright(const struct plot_cells *plot, const struct sw_mark *mark) {
    const struct sw_brush *brush = &plot->brush;
    bool ascii = brush->grid->ascii;
    const char *glyph = mark->pattern == SW_DASH_DOTS ? (ascii ? "!" : "╎")
                        : mark->pattern               ? (ascii ? ":" : "┆")
                                                      : (ascii ? "|" : "│");
    int x = whole_down(to_x(plot, mark->x0));
    int top = sw_nearest_cell(to_y(plot, fmax(mark->y0, mark->y1)));
    int bottom = sw_nearest_cell(to_y(plot, fmin(mark->y0, mark->y1)));
    top = top < brush->clip.top ? brush->clip.top : top;
    bottom = bottom > brush->clip.bottom ? brush->clip.bottom : bottom;
    for (int y = top; y < bottom; y++) {
        cross_cell(plot, x, y, glyph, mark);
    }
}

/* A move between two places: an upright or level stroke with a head. */
static void draw_arrow(const struct plot_cells *plot, const struct sw_mark *mark) {
    const struct sw_brush *brush = &plot->brush;
    bool ascii = brush->grid->ascii;
    struct sw_look look = sw_brush_style(brush, mark->style, mark->hue);
    int x0 = whole_down(to_x(plot, mark->x0)), x1 = whole_down(to_x(plot, mark->x1));
    int y0 = cell_row_above(plot, mark->y0), y1 = cell_row_above(plot, mark->y1);
    int dy = y1 > y0 ? 1 : -1, dx = x1 > x0 ? 1 : -1;
    for (int y = y0; y != y1; y += dy) {
        sw_brush_set(brush, sw_brush_at(brush, x0, y), ascii ? "|" : "│", look, SW_LAYER_BORDER);
    }
    for (int x = x0; x != x1 && x >= brush->clip.left - 1 && x <= brush->clip.right; x += dx) {
        sw_brush_set(brush, sw_brush_at(brush, x, y1), ascii ? "-" : "─", look, SW_LAYER_BORDER);
    }
    const char *head = x0 != x1 ? (dx > 0 ? (ascii ? ">" : "▶") : (ascii ? "<" : "◀"))
                                : (dy > 0 ? (ascii ? "v" : "▼") : (ascii ? "^" : "▲"));
    sw_brush_set(brush, sw_brush_at(brush, x1, y1), head, look, SW_LAYER_BORDER);
}

static void draw_label(const struct plot_cells *plot, const struct sw_mark *mark) {
    const struct sw_brush *brush = &plot->brush;
    int x = whole_down(to_x(plot, mark->x0)), y = whole_down(to_y(plot, mark->y0));
    y = y >= brush->clip.bottom ? brush->clip.bottom - 1 : y;
    const char *label = fitting(brush, mark->labels, brush->clip.right - x);
    if (!label && mark->labels && *mark->labels) {
        /* Too near to the right edge: to its left instead. */
        label = fitting(brush, mark->labels, x - brush->clip.left);
        x -= label ? sw_grid_columns_of(brush->grid, label) : 0;
    }
    if (label) {
        sw_brush_put(brush, x, y, brush->clip.right - x, label, sw_brush_style(brush, mark->style, mark->hue));
    }
}

/* ---- bars: one column each, in eighths of a cell ---- */

struct bar {
    double top; /* in cells above the floor */
    const struct sw_mark *mark;
};

static void collect_bar(const struct plot_cells *plot, const struct sw_mark *mark, struct bar *bars) {
    const struct sw_clip *clip = &plot->brush.clip;
    int from = whole_down(to_x(plot, mark->x0) + 0.001);
    int to = whole_down(to_x(plot, mark->x1) + 0.999);
    double base = SW_MAX(mark->y0, plot->panel->y.lo);
    double top = (mark->y1 - base) * plot->y_scale;
    to = to <= from ? from + 1 : to;
    for (int x = from < clip->left ? clip->left : from; x < to && x < clip->right; x++) {
        struct bar *bar = &bars[x - clip->left];
        if (!bar->mark || top > bar->top) {
            *bar = (struct bar){top, mark};
        }
    }
}

static void plot_bars(const struct plot_cells *plot, const struct bar *bars) {
    static const char *const eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct sw_brush *brush = &plot->brush;
    for (int x = brush->clip.left; x < brush->clip.right; x++) {
        const struct bar *bar = &bars[x - brush->clip.left];
        if (!bar->mark) {
            continue;
        }
        /* The rest of the topmost cell is not the bar's. */
        struct sw_look look = sw_brush_style(brush, bar->mark->style, bar->mark->hue);
        look.background.set = false;
        double left = bar->top;
        for (int y = brush->clip.bottom - 1; y >= brush->clip.top && left > 0; y--, left -= 1) {
            int part = left >= 1 ? 8 : (int)ceil(left * 8);
            part = part > 8 ? 8 : part;
            const char *glyph = !brush->grid->ascii ? eighths[part] : part > 5 ? "#" : part > 2 ? ":" : ".";
            set_stamped(plot, sw_brush_at(brush, x, y), glyph, look, SW_LAYER_BORDER, bar->mark);
        }
    }
}

/* ---- furniture of a plot ---- */

static void draw_ticks(const struct plot_cells *plot) {
    const struct sw_panel *panel = plot->panel;
    struct sw_brush brush = plot->brush;
    struct sw_look look = sw_brush_style(&brush, SW_STYLE_AXIS, 0);
    bool ascii = brush.grid->ascii;
    struct plot_cells body = *plot;
    int axis = sw_nearest_cell(panel->body_left) - 1, left = sw_nearest_cell(panel->left);
    brush.clip = sw_clip_to(brush.grid, panel->left, panel->top, panel->width, panel->height);
    for (int y = body.brush.clip.top; axis >= left && y < body.brush.clip.bottom; y++) {
        sw_brush_set(&brush, sw_brush_at(&brush, axis, y), ascii ? "|" : "│", look, SW_LAYER_BORDER);
    }
    int last = INT_MAX;
    for (size_t i = 0; i < panel->y.ticks.count && axis > left; i++) {
        const struct sw_tick *tick = &panel->y.ticks.items[i];
        if (tick->at < panel->y.lo || tick->at > panel->y.hi || !tick->label) {
            continue;
        }
        int row = level_row(&body, tick->at), need = sw_grid_columns_of(brush.grid, tick->label);
        if (row == last) {
            continue;
        }
        last = row;
        sw_brush_set(&brush, sw_brush_at(&brush, axis, row), ascii ? "+" : "┤", look, SW_LAYER_BORDER);
        int room = axis - left;
        sw_brush_put(&brush, need < room ? axis - need : left, row, room, tick->label, look);
    }
    int row = sw_nearest_cell(panel->body_top + panel->body_height), free_from = left;
    for (size_t i = 0; i < panel->x.ticks.count; i++) {
        const struct sw_tick *tick = &panel->x.ticks.items[i];
        if (tick->at < panel->x.lo || tick->at > panel->x.hi || !tick->label) {
            continue;
        }
        int x = whole_down(to_x(plot, tick->at)), need = sw_grid_columns_of(brush.grid, tick->label);
        if (x >= free_from && x + need <= brush.clip.right) {
            sw_brush_put(&brush, x, row, need, tick->label, look);
            free_from = x + need + 1;
        }
    }
    if (panel->x.ticks.count && panel->x.title) {
        int need = sw_grid_columns_of(brush.grid, panel->x.title);
        if (brush.clip.right - need >= free_from) {
            sw_brush_put(&brush, brush.clip.right - need, row, need, panel->x.title, look);
        } else if (need < axis - left) {
            sw_brush_put(&brush, left, row, need, panel->x.title, look);
        }
    }
}

/* A cell inside of a block that is drawn in parts. */
static void draw_whole_cell(const struct sw_brush *brush, struct sw_cell *cell, const struct sw_mark *mark) {
    struct sw_look look = sw_brush_style(brush, mark->style, mark->hue);
    bool merged = mark->style == SW_STYLE_MERGED;
    sw_brush_set(brush, cell, (merged ? density : hatch)(mark->pattern, false),
                 mark->style == SW_STYLE_BLOCK ? soften(look) : look, SW_LAYER_FILL);
    stamp(cell, mark);
}

/* Blocks in parts of cells. False: not so. */
static bool draw_in_parts(const struct plot_cells *plot, struct sw_cell_parts *parts) {
    const struct sw_panel *panel = plot->panel;
    for (size_t i = 0; i < panel->marks.count && parts->count > 0; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (sw_cell_parts_take(parts, mark)) {
            sw_cell_parts_fill(parts, mark, to_x(plot, mark->x0), to_y(plot, mark->y1), to_x(plot, mark->x1),
                               to_y(plot, mark->y0));
        }
    }
    return parts->count > 0 && sw_cell_parts_draw(parts, &plot->brush, draw_whole_cell);
}

static void plot_line(const struct plot_cells *plot, const struct sw_mark *mark) {
    bool steep = fabs(mark->x1 - mark->x0) * plot->x_scale < fabs(mark->y1 - mark->y0) * plot->y_scale;
    steep ? draw_upright(plot, mark) : plot_level(plot, mark);
}

bool sw_draw_plot(const struct sw_brush *whole_brush, const struct sw_panel *panel) {
    struct plot_cells plot = {.brush = *whole_brush, .panel = panel};
    plot.brush.clip =
        sw_clip_to(plot.brush.grid, panel->body_left, panel->body_top, panel->body_width, panel->body_height);
    double wide = panel->x.hi - panel->x.lo, high = panel->y.hi - panel->y.lo;
    plot.x_scale = wide > 0 ? panel->body_width / wide : 1;
    plot.y_scale = high > 0 ? panel->body_height / high : 1;
    int columns = plot.brush.clip.right - plot.brush.clip.left;
    if (columns <= 0 || plot.brush.clip.bottom <= plot.brush.clip.top) {
        return true;
    }
    draw_ticks(&plot);
    bool barred = false;
    for (size_t i = 0; i < panel->marks.count && !barred; i++) {
        barred = panel->marks.items[i].kind == SW_MARK_BAR;
    }
    struct bar *bars = barred ? SW_NEW_ZERO(struct bar, (size_t)columns) : NULL;
    if (barred && !bars) {
        return false;
    }
    for (size_t i = 0; i < panel->marks.count && barred; i++) {
        if (panel->marks.items[i].kind == SW_MARK_BAR) {
            collect_bar(&plot, &panel->marks.items[i], bars);
        }
    }
    if (barred) {
        plot_bars(&plot, bars);
        SW_FREE(bars, (size_t)columns);
    }
    /* First all areas, then their names, then what lies over both. */
    static void (*const passes[3][SW_MARK_BAND + 1])(const struct plot_cells *,
                                                     const struct sw_mark *) = {{[SW_MARK_RECT] = draw_rect},
                                                                                {[SW_MARK_RECT] = label_rect},
                                                                                {[SW_MARK_FRAME] = plot_frame,
                                                                                 [SW_MARK_LINE] = plot_line,
                                                                                 [SW_MARK_ARROW] = draw_arrow,
                                                                                 [SW_MARK_TEXT] = draw_label}};
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        plot.placed = mark->kind == SW_MARK_RECT && mark->style == SW_STYLE_CURRENT ? mark : plot.placed;
    }
    struct sw_cell_parts parts = {0};
    if (panel->tier != SW_NONE && !sw_cell_parts_open(&parts, &plot.brush)) {
        return false;
    }
    bool in_parts = false;
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            bool cut = pass == 0 && parts.count > 0 && sw_cell_parts_take(&parts, mark);
            if (passes[pass][mark->kind] && !cut) {
                passes[pass][mark->kind](&plot, mark);
            }
        }
        in_parts = pass == 0 ? draw_in_parts(&plot, &parts) : in_parts;
        if (pass == 0 && !in_parts && parts.count > 0) { /* in whole cells after all */
            sw_cell_parts_done(&parts);
            pass--;
        }
    }
    sw_cell_parts_done(&parts);
    return true;
}
