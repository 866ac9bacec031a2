#include "tui/cells.h"
#include "tui/glyphs.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

/* What a cell holds; later drawing respects what is above it. */
enum layer { EMPTY, FILL, LINE, BORDER, TEXT };

const struct sw_glyphs sw_glyphs[2][SW_STROKE_COUNT] = {
    {{{"┌", "┐", "└", "┘"}, "─", "│", {"├", "┤", "┬", "┴"}, "■"},
     {{"┏", "┓", "┗", "┛"}, "━", "┃", {"┣", "┫", "┳", "┻"}, "█"},
     {{"╔", "╗", "╚", "╝"}, "═", "║", {"╠", "╣", "╦", "╩"}, "▣"},
     {{"┌", "┐", "└", "┘"}, "╌", "╎", {"╎", "╎", "╌", "╌"}, "□"}},
    {{{"+", "+", "+", "+"}, "-", "|", {"[", "]", "-", "-"}, "o"},
     {{"#", "#", "#", "#"}, "=", "#", {"#", "#", "#", "#"}, "#"},
     {{"*", "*", "*", "*"}, "*", "*", {"*", "*", "*", "*"}, "*"},
     {{".", ".", ".", "."}, ".", ":", {":", ":", ".", "."}, "."}},
};

double sw_grid_fineness_x(bool ascii) {
    (void)ascii;
    return 1;
}

double sw_grid_fineness_y(bool ascii) {
    return ascii ? 1 : 2; /* half blocks */
}

/* ---- the grid ---- */

bool sw_grid_reset(struct sw_grid *grid, unsigned columns, unsigned rows,
                   const struct sw_theme *theme) {
    size_t count = (size_t)columns * rows, old = (size_t)grid->columns * grid->rows;
    if (count != old) {
        struct sw_cell *cells = count ? SW_NEW(struct sw_cell, count) : NULL;
        if (count && !cells) {
            return false;
        }
        if (grid->cells) {
            SW_FREE(grid->cells, old);
        }
        grid->cells = cells;
    }
    grid->columns = columns;
    grid->rows = rows;
    struct sw_cell blank = {.text = " ", .width = 1, .item = {SW_ITEM_NONE, 0}};
    if (theme) {
        blank.look = theme->styles[SW_STYLE_TEXT];
        blank.look.attributes = 0;
        blank.look.background = theme->background;
    }
    for (size_t i = 0; i < count; i++) {
        grid->cells[i] = blank;
    }
    return true;
}

void sw_grid_done(struct sw_grid *grid) {
    if (grid->cells) {
        SW_FREE(grid->cells, (size_t)grid->columns * grid->rows);
    }
    *grid = (struct sw_grid){0};
}

struct sw_cell *sw_grid_cell(const struct sw_grid *grid, unsigned column, unsigned row) {
    return column < grid->columns && row < grid->rows
               ? &grid->cells[(size_t)row * grid->columns + column]
               : NULL;
}

/* A part of the grid that drawing is limited to. */
struct clip {
    int left, top, right, bottom; /* right and bottom are outside */
};

/* What draws. */
struct brush {
    struct sw_grid *grid;
    const struct sw_theme *theme;
    struct clip clip;
};

static struct clip clip_to(const struct sw_grid *grid, double left, double top, double width,
                           double height) {
    double right = fmin(left + width, grid->columns), bottom = fmin(top + height, grid->rows);
    struct clip clip = {(int)fmax(ceil(left - 0.001), 0), (int)fmax(ceil(top - 0.001), 0),
                        (int)fmax(floor(right + 0.001), 0), (int)fmax(floor(bottom + 0.001), 0)};
    return clip;
}

static struct sw_cell *at(const struct brush *brush, int x, int y) {
    const struct clip *clip = &brush->clip;
    if (x < clip->left || x >= clip->right || y < clip->top || y >= clip->bottom) {
        return NULL;
    }
    return sw_grid_cell(brush->grid, (unsigned)x, (unsigned)y);
}

/* A character about to be overwritten in one half must go as a whole. */
static void unpair(struct sw_grid *grid, struct sw_cell *cell) {
    size_t index = (size_t)(cell - grid->cells);
    struct sw_cell *other = NULL;
    if (cell->width == 2 && (index + 1) % grid->columns != 0) {
        other = cell + 1;
    } else if (cell->width == 0 && index % grid->columns != 0) {
        other = cell - 1;
    }
    if (other) {
        memcpy(other->text, " ", 2);
        other->width = 1;
    }
    cell->width = 1;
}

/* A look on top of what is there: what it leaves open shows through. */
static void set_look(struct sw_cell *cell, struct sw_look look) {
    if (!look.background.set) {
        look.background = cell->look.background;
    }
    if (!look.foreground.set) {
        look.foreground = cell->look.foreground;
    }
    cell->look = look;
}

static void set(const struct brush *brush, struct sw_cell *cell, const char *glyph,
                struct sw_look look, enum layer layer) {
    if (!cell) {
        return;
    }
    if (cell->width != 1) {
        unpair(brush->grid, cell);
    }
    size_t length = strlen(glyph);
    memcpy(cell->text, glyph, length < SW_CELL_BYTES ? length + 1 : SW_CELL_BYTES);
    cell->width = 1;
    cell->layer = (uint8_t)layer;
    set_look(cell, look);
}

static struct sw_look style_of(const struct brush *brush, unsigned style, unsigned hue) {
    if (style == SW_STYLE_BLOCK) {
        return brush->theme->blocks[hue % SW_HUES];
    }
    return brush->theme->styles[style < SW_STYLE_COUNT ? style : SW_STYLE_TEXT];
}

/* ---- text ---- */

/* One character of UTF-8: its length in bytes; anything broken is one byte and '?'. */
static size_t decode(const char *text, wchar_t *wide) {
    const unsigned char *s = (const unsigned char *)text;
    static const unsigned least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : 4;
    unsigned code = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    *wide = L'?';
    if (s[0] >= 0x80 && (s[0] < 0xc2 || s[0] > 0xf4)) {
        return 1;
    }
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 1;
        }
        code = code << 6 | (s[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return 1;
    }
    *wide = (wchar_t)code;
    return length;
}

/* Columns of one character; what cannot be printed becomes one '?'. */
static int width_of(const struct sw_grid *grid, wchar_t *wide) {
    if (grid->ascii && *wide >= 0x80) {
        *wide = L'?';
    }
    int width = *wide < 0x80 ? (*wide < 32 || *wide == 127 ? -1 : 1) : wcwidth(*wide);
    if (width < 0 || width > 2) {
        *wide = L'?';
        width = 1;
    }
    return width;
}

static int columns_of(const struct sw_grid *grid, const char *text) {
    int total = 0;
    while (*text && total < INT_MAX - 2) {
        wchar_t wide;
        text += decode(text, &wide);
        total += width_of(grid, &wide);
    }
    return total;
}

static void append_mark(struct sw_cell *cell, const char *bytes, size_t length) {
    size_t used = strlen(cell->text);
    if (used + length < SW_CELL_BYTES) {
        memcpy(cell->text + used, bytes, length);
        cell->text[used + length] = 0;
    }
}

/* At most `room` columns of a text; returns the columns taken. */
static int put(const struct brush *brush, int x, int y, int room, const char *text,
               struct sw_look look) {
    int used = 0;
    struct sw_cell *last = NULL;
    while (*text) {
        wchar_t wide;
        size_t length = decode(text, &wide);
        wchar_t shown = wide;
        int width = width_of(brush->grid, &shown);
        if (used + width > room) {
            break;
        }
        if (width == 0) {
            if (last) {
                append_mark(last, text, length);
            }
        } else {
            char glyph[SW_CELL_BYTES] = "?";
            if (shown == wide && (length > 1 || wide != L'?')) {
                memcpy(glyph, text, length);
                glyph[length] = 0;
            }
            struct sw_cell *cell = at(brush, x + used, y);
            struct sw_cell *right = width == 2 ? at(brush, x + used + 1, y) : NULL;
            last = cell;
            if (width == 2 && (!cell || !right)) {
                set(brush, cell ? cell : right, " ", look, TEXT);
                last = NULL;
            } else {
                set(brush, cell, glyph, look, TEXT);
                if (right) {
                    set(brush, right, " ", look, TEXT);
                    right->text[0] = 0;
                    right->width = 0;
                    cell->width = 2;
                }
            }
        }
        used += width;
        text += length;
    }
    return used;
}

/* The text in exactly `room` columns at most, with a sign where it had to be cut. */
static int put_cut(const struct brush *brush, int x, int y, int room, const char *text,
                   struct sw_look look) {
    if (room <= 0) {
        return 0;
    }
    if (columns_of(brush->grid, text) <= room) {
        return put(brush, x, y, room, text, look);
    }
    int used = put(brush, x, y, room - 1, text, look);
    put(brush, x + used, y, 1, brush->grid->ascii ? "~" : "…", look);
    return used + 1;
}

/* The first alternative that fits; NULL when none does. */
static const char *fitting(const struct brush *brush, const char *const *labels, int room) {
    for (; labels && *labels; labels++) {
        if (**labels && columns_of(brush->grid, *labels) <= room) {
            return *labels;
        }
    }
    return NULL;
}

/* ---- plots ---- */

struct plot {
    struct brush brush;
    const struct sw_panel *panel;
    double x_scale, y_scale; /* cells per unit of data */
};

static double to_x(const struct plot *plot, double x) {
    return plot->panel->body_left + (x - plot->panel->x.lo) * plot->x_scale;
}

static double to_y(const struct plot *plot, double y) {
    return plot->panel->body_top + (plot->panel->y.hi - y) * plot->y_scale;
}

static int whole(double value) {
    return value > 1e6 ? 1000000 : value < -1e6 ? -1000000 : (int)floor(value + 0.5);
}

static int whole_down(double value) {
    return value > 1e6 ? 1000000 : value < -1e6 ? -1000000 : (int)floor(value);
}

/* A box in cells, not clipped; right and bottom outside. */
struct cellbox {
    int left, top, right, bottom;
};

static struct cellbox box_of(const struct plot *plot, const struct sw_mark *mark) {
    struct cellbox box = {whole(to_x(plot, mark->x0)), whole(to_y(plot, mark->y1)),
                          whole(to_x(plot, mark->x1)), whole(to_y(plot, mark->y0))};
    if (box.right <= box.left) {
        box.left = whole_down((to_x(plot, mark->x0) + to_x(plot, mark->x1)) / 2);
        box.right = box.left + 1;
    }
    return box;
}

static char letter_of(uint64_t id) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return letters[id % 52];
}

/* The glyph of a box's edge at a cell, or NULL inside. */
static const char *edge_glyph(const struct sw_glyphs *glyphs, const struct cellbox *box, int x,
                              int y) {
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
        return left    ? glyphs->corner[bottom ? 2 : 0]
               : right ? glyphs->corner[bottom ? 3 : 1]
                       : glyphs->across;
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
    static const char *const both[2][SW_PATTERN_COUNT] = {{" ", "·", ":", "=", "/"},
                                                          {" ", ".", ":", "=", "/"}};
    return both[ascii][pattern < SW_PATTERN_COUNT ? pattern : 0];
}

static const char *density(unsigned quarters, bool ascii) {
    static const char *const both[2][5] = {{" ", "░", "▒", "▓", "▓"}, {" ", ".", ":", "%", "%"}};
    return both[ascii][quarters < 5 ? quarters : 4];
}

static struct cellbox visible(const struct clip *clip, const struct cellbox *box) {
    struct cellbox part = {box->left > clip->left ? box->left : clip->left,
                           box->top > clip->top ? box->top : clip->top,
                           box->right < clip->right ? box->right : clip->right,
                           box->bottom < clip->bottom ? box->bottom : clip->bottom};
    return part;
}

static void stamp(struct sw_cell *cell, const struct sw_mark *mark) {
    cell->item = mark->item;
    cell->hidden = mark->hidden;
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

static void draw_half_cell(const struct plot *plot, const struct sw_mark *mark,
                           const struct cellbox *box, struct sw_cell *cell, int x, bool lower) {
    const struct brush *brush = &plot->brush;
    struct sw_look look = style_of(brush, mark->style, mark->hue);
    struct sw_look own = {.foreground = look.background.set ? look.background : look.foreground,
                          .attributes = look.attributes};
    bool end = x == box->right - 1;
    bool other_ends = strcmp(cell->text, half_glyph(!lower, true)) == 0;
    bool other = other_ends || strcmp(cell->text, half_glyph(!lower, false)) == 0;
    if (brush->grid->ascii) {
        char glyph[2] = {thin_letter(mark, box, x), 0};
        set(brush, cell, glyph, look, FILL);
    } else if (other && brush->theme->colours) {
        /* The other half is taken by a thin block already: both show. */
        struct sw_look both = cell->look;
        both.background = own.foreground;
        set(brush, cell, half_glyph(!lower, false), both, FILL);
    } else if (other) {
        set(brush, cell, end || other_ends ? "╡" : "═", own, FILL);
    } else {
        set(brush, cell, half_glyph(lower, end), own, FILL);
    }
    stamp(cell, mark);
}

/* Less than half a row: one half of a cell, the other half stays what it was. */
static void draw_half(const struct plot *plot, const struct sw_mark *mark) {
    struct cellbox box = box_of(plot, mark);
    int half = whole(2 * to_y(plot, mark->y1));
    box.top = half >= 0 ? half / 2 : -1;
    box.bottom = box.top + 1;
    struct cellbox part = visible(&plot->brush.clip, &box);
    for (int x = part.left; x < part.right && part.top < part.bottom; x++) {
        struct sw_cell *cell = at(&plot->brush, x, box.top);
        if (cell && !(mark->style == SW_STYLE_MERGED && cell->layer == TEXT)) {
            draw_half_cell(plot, mark, &box, cell, x, half & 1);
        }
    }
}

static enum sw_stroke stroke_of(unsigned style) {
    switch (style) {
    case SW_STYLE_CURRENT:
        return SW_STROKE_HEAVY;
    case SW_STYLE_SELECTED:
        return SW_STROKE_DOUBLE;
    case SW_STYLE_GHOST:
    case SW_STYLE_FITS:
    case SW_STYLE_GAP:
        return SW_STROKE_DASHED;
    default:
        return SW_STROKE_THIN;
    }
}

static void draw_merged(const struct plot *plot, const struct sw_mark *mark,
                        const struct cellbox *box, struct sw_look look) {
    const struct brush *brush = &plot->brush;
    struct cellbox part = visible(&brush->clip, box);
    for (int y = part.top; y < part.bottom; y++) {
        for (int x = part.left; x < part.right; x++) {
            struct sw_cell *cell = at(brush, x, y);
            if (cell && cell->layer != TEXT) {
                set(brush, cell, density(mark->pattern, brush->grid->ascii), look, FILL);
                stamp(cell, mark);
            }
        }
    }
}

static void draw_block(const struct plot *plot, const struct sw_mark *mark,
                       const struct cellbox *box, struct sw_look look) {
    const struct brush *brush = &plot->brush;
    bool ascii = brush->grid->ascii;
    const struct sw_glyphs *glyphs = &sw_glyphs[ascii][stroke_of(mark->style)];
    struct sw_look soft = mark->style == SW_STYLE_BLOCK ? soften(look) : look;
    struct cellbox part = visible(&brush->clip, box);
    bool column = box->right - box->left == 1;
    for (int y = part.top; y < part.bottom; y++) {
        for (int x = part.left; x < part.right; x++) {
            struct sw_cell *cell = at(brush, x, y);
            const char *edge = edge_glyph(glyphs, box, x, y);
            char letter[2] = {letter_of(mark->item.id), 0};
            if (ascii && column && mark->style == SW_STYLE_BLOCK) {
                edge = letter; /* columns side by side would look like one another */
            }
            set(brush, cell, edge ? edge : hatch(mark->pattern, ascii), soft, edge ? BORDER : FILL);
            if (cell) {
                stamp(cell, mark);
            }
        }
    }
}

/* In ASCII there are no half rows. */
static struct cellbox rect_box(const struct plot *plot, const struct sw_mark *mark) {
    struct cellbox box = box_of(plot, mark);
    if (box.bottom <= box.top && plot->brush.grid->ascii) {
        box.top = whole_down((to_y(plot, mark->y0) + to_y(plot, mark->y1)) / 2);
        box.bottom = box.top + 1;
    }
    return box;
}

static void draw_rect(const struct plot *plot, const struct sw_mark *mark) {
    struct sw_look look = style_of(&plot->brush, mark->style, mark->hue);
    struct cellbox box = rect_box(plot, mark);
    if (box.bottom <= box.top) {
        draw_half(plot, mark);
    } else if (mark->style == SW_STYLE_MERGED) {
        draw_merged(plot, mark, &box, look);
    } else {
        draw_block(plot, mark, &box, look);
    }
}

/* Is the cell still this mark's, and no other drawn over it since? */
static bool owns(const struct brush *brush, int x, int y, const struct sw_mark *mark) {
    const struct sw_cell *cell = at(brush, x, y);
    return cell && cell->item.kind == mark->item.kind && cell->item.id == mark->item.id &&
           cell->hidden == mark->hidden && (cell->layer == FILL || cell->layer == BORDER);
}

/* The name, where it covers nobody else: half a name would be another name. It stands in the upper
 * edge where the box is low, else below it; the count of merged blocks in the middle. */
static void label_rect(const struct plot *plot, const struct sw_mark *mark) {
    const struct brush *brush = &plot->brush;
    struct cellbox box = rect_box(plot, mark), part = visible(&brush->clip, &box);
    bool merged = mark->style == SW_STYLE_MERGED;
    if (!mark->labels || part.top >= part.bottom || part.left >= part.right) {
        return;
    }
    int left = part.left + (!merged && box.left >= part.left);
    int right = part.right - (!merged && box.right <= part.right);
    bool tall = box.bottom - box.top > 2 && part.bottom - part.top > 1;
    int y =
        merged ? part.top + (part.bottom - part.top) / 2 : part.top + (tall && part.top == box.top);
    struct sw_look look = style_of(brush, mark->style, mark->hue);
    for (const char *const *label = mark->labels; *label && **label; label++) {
        int need = columns_of(brush->grid, *label), run = 0;
        int from = merged ? left + (right - left - need) / 2 : left;
        for (int x = from < left ? left : from; x < right; x++) {
            run = owns(brush, x, y, mark) ? run + 1 : 0;
            if (run == need) {
                put(brush, x - need + 1, y, need, *label, look);
                return;
            }
        }
    }
}

/* An outline over what is there. One row high, it keeps what is written and only marks the ends. */
static void draw_frame(const struct plot *plot, const struct sw_mark *mark) {
    const struct brush *brush = &plot->brush;
    const struct sw_glyphs *glyphs = &sw_glyphs[brush->grid->ascii][stroke_of(mark->style)];
    struct sw_look look = style_of(brush, mark->style, mark->hue);
    struct cellbox box = box_of(plot, mark);
    if (box.bottom <= box.top) {
        box.top = whole_down((to_y(plot, mark->y0) + to_y(plot, mark->y1)) / 2);
        box.bottom = box.top + 1;
    }
    struct cellbox part = visible(&brush->clip, &box);
    bool low = box.bottom - box.top == 1;
    for (int y = part.top; y < part.bottom; y++) {
        for (int x = part.left; x < part.right; x++) {
            struct sw_cell *cell = at(brush, x, y);
            const char *edge = edge_glyph(glyphs, &box, x, y);
            bool end = x == box.left || x == box.right - 1;
            if (!cell || !edge) {
                continue;
            }
            bool own = cell->item.kind == mark->item.kind && cell->item.id == mark->item.id;
            if (cell->layer == TEXT && !(end && low && own)) {
                /* A name in the edge stays readable. */
                set_look(cell, own ? look : cell->look);
                continue;
            }
            set(brush, cell, edge, look, BORDER);
            if (mark->item.kind != SW_ITEM_NONE) {
                stamp(cell, mark);
            }
        }
    }
    int room = part.right - part.left - 2;
    const char *label = fitting(brush, mark->labels, room);
    struct sw_cell *first = at(brush, part.left + 1, part.top);
    if (label && part.top < part.bottom && first && first->layer != TEXT) {
        put(brush, part.left + 1, part.top, room, label, look);
    }
}

/* The row whose lower edge is nearest to y, so that a line stands on top of what ends there. */
static int row_above(const struct plot *plot, double y) {
    int row = whole(to_y(plot, y)) - 1;
    return row < plot->brush.clip.top       ? plot->brush.clip.top
           : row >= plot->brush.clip.bottom ? plot->brush.clip.bottom - 1
                                            : row;
}

static bool is_free(const struct brush *brush, int x, int y) {
    const struct sw_cell *cell = at(brush, x, y);
    return cell && (cell->layer == EMPTY || cell->layer == LINE);
}

/* Right-most place in a row where the label covers nothing. */
static bool label_line(const struct plot *plot, const struct sw_mark *mark, int row, int from,
                       int to, struct sw_look look) {
    const struct brush *brush = &plot->brush;
    for (const char *const *label = mark->labels; label && *label && **label; label++) {
        int need = columns_of(brush->grid, *label), run = 0;
        for (int x = to - 1; x >= from; x--) {
            run = is_free(brush, x, row) ? run + 1 : 0;
            /* One cell of the line on either side, so that two labels do not run together. */
            int gap = x + run == to ? 1 : 2;
            if (run == need + gap) {
                put(brush, x + 1, row, need, *label, look);
                return true;
            }
        }
    }
    return false;
}

static void draw_level(const struct plot *plot, const struct sw_mark *mark) {
    const struct brush *brush = &plot->brush;
    bool ascii = brush->grid->ascii;
    const char *glyph = mark->pattern                      ? (ascii ? "-" : "╌")
                        : mark->style == SW_STYLE_CAPACITY ? (ascii ? "=" : "═")
                                                           : (ascii ? "-" : "─");
    struct sw_look look = style_of(brush, mark->style, mark->hue);
    int row = row_above(plot, mark->y0);
    int from = whole_down(to_x(plot, mark->x0)), to = whole(to_x(plot, mark->x1));
    to = to <= from ? from + 1 : to;
    from = from < brush->clip.left ? brush->clip.left : from;
    to = to > brush->clip.right ? brush->clip.right : to;
    for (int x = from; x < to; x++) {
        struct sw_cell *cell = at(brush, x, row);
        if (cell && cell->layer <= LINE) {
            bool inside = cell->layer == FILL;
            set(brush, cell, glyph, look, inside ? FILL : LINE);
        }
    }
    if (!label_line(plot, mark, row, from, to, look) && row > brush->clip.top) {
        label_line(plot, mark, row - 1, from, to, look);
    }
}

static void draw_upright(const struct plot *plot, const struct sw_mark *mark) {
    const struct brush *brush = &plot->brush;
    bool ascii = brush->grid->ascii;
    struct sw_look look = style_of(brush, mark->style, mark->hue);
    const char *glyph = mark->pattern ? (ascii ? ":" : "┆") : (ascii ? "|" : "│");
    int x = whole_down(to_x(plot, mark->x0));
    int top = whole(to_y(plot, fmax(mark->y0, mark->y1)));
    int bottom = whole(to_y(plot, fmin(mark->y0, mark->y1)));
    top = top < brush->clip.top ? brush->clip.top : top;
    bottom = bottom > brush->clip.bottom ? brush->clip.bottom : bottom;
    for (int y = top; y < bottom; y++) {
        struct sw_cell *cell = at(brush, x, y);
        if (cell && cell->layer <= LINE) {
            set(brush, cell, glyph, look, (enum layer)(cell->layer == EMPTY ? LINE : cell->layer));
        }
    }
}

/* A move between two places: an upright or level stroke with a head. */
static void draw_arrow(const struct plot *plot, const struct sw_mark *mark) {
    const struct brush *brush = &plot->brush;
    bool ascii = brush->grid->ascii;
    struct sw_look look = style_of(brush, mark->style, mark->hue);
    int x0 = whole_down(to_x(plot, mark->x0)), x1 = whole_down(to_x(plot, mark->x1));
    int y0 = row_above(plot, mark->y0), y1 = row_above(plot, mark->y1);
    int dy = y1 > y0 ? 1 : -1, dx = x1 > x0 ? 1 : -1;
    for (int y = y0; y != y1; y += dy) {
        set(brush, at(brush, x0, y), ascii ? "|" : "│", look, BORDER);
    }
    for (int x = x0; x != x1 && x >= brush->clip.left - 1 && x <= brush->clip.right; x += dx) {
        set(brush, at(brush, x, y1), ascii ? "-" : "─", look, BORDER);
    }
    const char *head = x0 != x1 ? (dx > 0 ? (ascii ? ">" : "▶") : (ascii ? "<" : "◀"))
                                : (dy > 0 ? (ascii ? "v" : "▼") : (ascii ? "^" : "▲"));
    set(brush, at(brush, x1, y1), head, look, BORDER);
}

static void draw_label(const struct plot *plot, const struct sw_mark *mark) {
    const struct brush *brush = &plot->brush;
    int x = whole_down(to_x(plot, mark->x0)), y = whole_down(to_y(plot, mark->y0));
    y = y >= brush->clip.bottom ? brush->clip.bottom - 1 : y;
    const char *label = fitting(brush, mark->labels, brush->clip.right - x);
    if (!label && mark->labels && *mark->labels) {
        /* Too near to the right edge: to its left instead. */
        label = fitting(brush, mark->labels, x - brush->clip.left);
        x -= label ? columns_of(brush->grid, label) : 0;
    }
    if (label) {
        put(brush, x, y, brush->clip.right - x, label, style_of(brush, mark->style, mark->hue));
    }
}

/* ---- bars: one column each, in eighths of a cell ---- */

struct bar {
    double top; /* in cells above the floor */
    const struct sw_mark *mark;
};

static void collect_bar(const struct plot *plot, const struct sw_mark *mark, struct bar *bars) {
    const struct clip *clip = &plot->brush.clip;
    int from = whole_down(to_x(plot, mark->x0) + 0.001);
    int to = whole_down(to_x(plot, mark->x1) + 0.999);
    double base = mark->y0 > plot->panel->y.lo ? mark->y0 : plot->panel->y.lo;
    double top = (mark->y1 - base) * plot->y_scale;
    to = to <= from ? from + 1 : to;
    for (int x = from < clip->left ? clip->left : from; x < to && x < clip->right; x++) {
        struct bar *bar = &bars[x - clip->left];
        if (!bar->mark || top > bar->top) {
            *bar = (struct bar){top, mark};
        }
    }
}

static void draw_bars(const struct plot *plot, const struct bar *bars) {
    static const char *const eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct brush *brush = &plot->brush;
    for (int x = brush->clip.left; x < brush->clip.right; x++) {
        const struct bar *bar = &bars[x - brush->clip.left];
        if (!bar->mark) {
            continue;
        }
        /* The rest of the topmost cell is not the bar's. */
        struct sw_look look = style_of(brush, bar->mark->style, bar->mark->hue);
        look.background.set = false;
        double left = bar->top;
        for (int y = brush->clip.bottom - 1; y >= brush->clip.top && left > 0; y--, left -= 1) {
            int part = left >= 1 ? 8 : (int)ceil(left * 8);
            part = part > 8 ? 8 : part;
            struct sw_cell *cell = at(brush, x, y);
            const char *glyph = !brush->grid->ascii ? eighths[part]
                                : part > 5          ? "#"
                                : part > 2          ? ":"
                                                    : ".";
            set(brush, cell, glyph, look, BORDER);
            if (cell) {
                stamp(cell, bar->mark);
            }
        }
    }
}

/* ---- furniture of a plot ---- */

static void draw_ticks(const struct plot *plot) {
    const struct sw_panel *panel = plot->panel;
    struct brush brush = plot->brush;
    struct sw_look look = style_of(&brush, SW_STYLE_AXIS, 0);
    bool ascii = brush.grid->ascii;
    struct plot body = *plot;
    int axis = whole(panel->body_left) - 1, left = whole(panel->left);
    brush.clip = clip_to(brush.grid, panel->left, panel->top, panel->width, panel->height);
    for (int y = body.brush.clip.top; axis >= left && y < body.brush.clip.bottom; y++) {
        set(&brush, at(&brush, axis, y), ascii ? "|" : "│", look, BORDER);
    }
    int last = INT_MAX;
    for (size_t i = 0; i < panel->y.ticks.count && axis > left; i++) {
        const struct sw_tick *tick = &panel->y.ticks.items[i];
        if (tick->at < panel->y.lo || tick->at > panel->y.hi || !tick->label) {
            continue;
        }
        int row = row_above(&body, tick->at), need = columns_of(brush.grid, tick->label);
        if (row == last) {
            continue;
        }
        last = row;
        set(&brush, at(&brush, axis, row), ascii ? "+" : "┤", look, BORDER);
        int room = axis - left;
        put(&brush, need < room ? axis - need : left, row, room, tick->label, look);
    }
    int row = whole(panel->body_top + panel->body_height), free_from = left;
    for (size_t i = 0; i < panel->x.ticks.count; i++) {
        const struct sw_tick *tick = &panel->x.ticks.items[i];
        if (tick->at < panel->x.lo || tick->at > panel->x.hi || !tick->label) {
            continue;
        }
        int x = whole_down(to_x(plot, tick->at)), need = columns_of(brush.grid, tick->label);
        if (x >= free_from && x + need <= brush.clip.right) {
            put(&brush, x, row, need, tick->label, look);
            free_from = x + need + 1;
        }
    }
    if (panel->x.ticks.count && panel->x.title) {
        int need = columns_of(brush.grid, panel->x.title);
        if (brush.clip.right - need >= free_from) {
            put(&brush, brush.clip.right - need, row, need, panel->x.title, look);
        } else if (need < axis - left) {
            put(&brush, left, row, need, panel->x.title, look);
        }
    }
}

static void draw_mark(const struct plot *plot, const struct sw_mark *mark) {
    switch (mark->kind) {
    case SW_MARK_FRAME:
        draw_frame(plot, mark);
        break;
    case SW_MARK_LINE:
        if (fabs(mark->x1 - mark->x0) * plot->x_scale < fabs(mark->y1 - mark->y0) * plot->y_scale) {
            draw_upright(plot, mark);
        } else {
            draw_level(plot, mark);
        }
        break;
    case SW_MARK_ARROW:
        draw_arrow(plot, mark);
        break;
    case SW_MARK_TEXT:
        draw_label(plot, mark);
        break;
    default:
        break;
    }
}

static bool draw_plot(const struct brush *whole_brush, const struct sw_panel *panel) {
    struct plot plot = {.brush = *whole_brush, .panel = panel};
    plot.brush.clip = clip_to(plot.brush.grid, panel->body_left, panel->body_top, panel->body_width,
                              panel->body_height);
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
        draw_bars(&plot, bars);
        SW_FREE(bars, (size_t)columns);
    }
    /* First all areas, then their names, then what lies over both. */
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            if (mark->kind != SW_MARK_RECT) {
                if (pass == 2) {
                    draw_mark(&plot, mark);
                }
            } else if (pass == 0) {
                draw_rect(&plot, mark);
            } else if (pass == 1) {
                label_rect(&plot, mark);
            }
        }
    }
    return true;
}

/* ---- tables ---- */

enum { MOST_COLUMNS = 16 };

struct table {
    struct brush brush;
    const struct sw_panel *panel;
    int left, top, width, height; /* of the rows */
    int widths[MOST_COLUMNS];
};

static void measure(struct table *table) {
    const struct sw_panel *panel = table->panel;
    uint32_t columns = panel->columns < MOST_COLUMNS ? panel->columns : MOST_COLUMNS;
    int total = columns > 0 ? (int)columns - 1 : 0;
    for (size_t i = 0; i < panel->rows.count; i++) {
        const struct sw_row *row = &panel->rows.items[i];
        for (uint32_t c = 0; row->count > 1 && c < row->count && c < columns; c++) {
            int need = columns_of(table->brush.grid, panel->texts.items[row->first + c].text);
            table->widths[c] = need > table->widths[c] ? need : table->widths[c];
        }
    }
    for (uint32_t c = 0; c < columns; c++) {
        total += table->widths[c];
    }
    if (panel->stretch < columns) {
        int *stretch = &table->widths[panel->stretch];
        *stretch += table->width - total;
        *stretch = *stretch < 0 ? 0 : *stretch;
    }
}

static void draw_row(const struct table *table, const struct sw_row *row, int y) {
    const struct sw_panel *panel = table->panel;
    const struct brush *brush = &table->brush;
    struct sw_look current = style_of(brush, SW_STYLE_SELECTED, 0);
    int x = table->left, end = table->left + table->width;
    for (int i = brush->clip.left; i < brush->clip.right; i++) {
        struct sw_cell *cell = at(brush, i, y);
        if (cell) {
            cell->item = row->item;
            if (row->current && i >= table->left) {
                set(brush, cell, " ", current, FILL);
            }
        }
    }
    if (row->current && table->left > brush->clip.left) {
        put(brush, table->left - 1, y, 1, ">", current); /* where colours do not say it */
    }
    for (uint32_t c = 0; c < row->count && x < end; c++) {
        const struct sw_text *text = &panel->texts.items[row->first + c];
        struct sw_look look = row->current ? current : style_of(brush, text->style, 0);
        int room = row->count == 1 || c >= MOST_COLUMNS ? end - x : table->widths[c];
        room = room > end - x ? end - x : room;
        int need = columns_of(brush->grid, text->text);
        int shift = text->right && need < room ? room - need : 0;
        put_cut(brush, x + shift, y, room - shift, text->text, look);
        x += room + 1;
    }
}

static void draw_table(const struct brush *whole_brush, const struct sw_panel *panel) {
    struct table table = {.brush = *whole_brush, .panel = panel};
    const struct clip *clip = &table.brush.clip;
    bool left = panel->edges & SW_EDGE_LEFT, top = panel->edges & SW_EDGE_TOP;
    table.left = clip->left + (left ? 2 : 0);
    table.top = clip->top + (top || panel->title ? 1 : 0);
    table.width = clip->right - table.left;
    table.height = clip->bottom - table.top;
    if (table.width <= 0 || table.height <= 0) {
        return;
    }
    measure(&table);
    size_t room = (size_t)table.height, shown = panel->rows.count;
    bool more = panel->hidden_below > 0 || shown > room;
    if (more && shown >= room) {
        shown = room > 1 ? room - 1 : room;
    }
    for (size_t i = 0; i < shown; i++) {
        draw_row(&table, &panel->rows.items[i], table.top + (int)i);
    }
    uint64_t hidden = panel->hidden_below + (panel->rows.count - shown);
    if (hidden > 0 && shown < room) {
        char text[48], count[32];
        snprintf(text, sizeof text, "%s more", sw_show_count(hidden, count));
        put_cut(&table.brush, table.left, table.top + (int)shown, table.width, text,
                style_of(&table.brush, SW_STYLE_DIM, 0));
    }
}

/* ---- panels ---- */

static void draw_edges(const struct brush *brush, const struct sw_panel *panel) {
    struct sw_look look = style_of(brush, SW_STYLE_BORDER, 0);
    const struct clip *clip = &brush->clip;
    bool ascii = brush->grid->ascii;
    bool left = panel->edges & SW_EDGE_LEFT, top = panel->edges & SW_EDGE_TOP;
    for (int y = clip->top; left && y < clip->bottom; y++) {
        set(brush, at(brush, clip->left, y), ascii ? "|" : "│", look, BORDER);
    }
    for (int x = clip->left; top && x < clip->right; x++) {
        struct sw_cell *cell = at(brush, x, clip->top);
        bool join = x == clip->left && left;
        set(brush, cell, ascii ? (join ? "+" : "-") : join ? "├" : "─", look, BORDER);
    }
}

static void draw_title(const struct brush *brush, const struct sw_panel *panel) {
    struct sw_look look = style_of(brush, SW_STYLE_STRONG, 0);
    bool plot = panel->kind == SW_PANEL_PLOT, top = panel->edges & SW_EDGE_TOP;
    int y = plot ? whole(panel->body_top) - 1 : brush->clip.top;
    int x = brush->clip.left + (panel->edges & SW_EDGE_LEFT ? 2 : top ? 1 : 0);
    if (y < brush->clip.top || !*panel->title) {
        return;
    }
    if (top) {
        put(brush, x++, y, 1, " ", look);
    }
    int used = put_cut(brush, x, y, brush->clip.right - x - top, panel->title, look);
    if (top) {
        put(brush, x + used, y, 1, " ", look);
    }
}

static bool draw_panel(struct sw_grid *grid, const struct sw_panel *panel,
                       const struct sw_theme *theme) {
    struct brush brush = {.grid = grid, .theme = theme};
    brush.clip = clip_to(grid, panel->left, panel->top, panel->width, panel->height);
    struct sw_look fill = theme->styles[SW_STYLE_TEXT];
    if (panel->fill != SW_STYLE_TEXT) {
        fill = style_of(&brush, panel->fill, 0);
    }
    if (!fill.background.set) {
        fill.background = theme->background;
    }
    /* A later panel covers an earlier one, like a prompt the footer. */
    for (int y = brush.clip.top; y < brush.clip.bottom; y++) {
        for (int x = brush.clip.left; x < brush.clip.right; x++) {
            struct sw_cell *cell = at(&brush, x, y);
            set(&brush, cell, " ", fill, EMPTY);
            cell->look = fill;
            cell->item = (struct sw_item){SW_ITEM_NONE, 0};
            cell->hidden = 0;
        }
    }
    draw_edges(&brush, panel);
    if (panel->title) {
        draw_title(&brush, panel);
    }
    if (panel->kind == SW_PANEL_PLOT) {
        return draw_plot(&brush, panel);
    }
    draw_table(&brush, panel);
    return true;
}

bool sw_grid_scene(struct sw_grid *grid, const struct sw_scene *scene,
                   const struct sw_theme *theme) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (!draw_panel(grid, &scene->panels.items[i], theme)) {
            return false;
        }
    }
    return true;
}

bool sw_scene_locate(const struct sw_scene *scene, unsigned column, unsigned row,
                     const char **panel_id, double *x, double *y) {
    for (size_t i = scene->panels.count; i-- > 0;) {
        const struct sw_panel *panel = &scene->panels.items[i];
        double from_left = column + 0.5 - panel->body_left, from_top = row + 0.5 - panel->body_top;
        if (panel->kind == SW_PANEL_PLOT && from_left >= 0 && from_left < panel->body_width &&
            from_top >= 0 && from_top < panel->body_height) {
            *panel_id = panel->id;
            *x = panel->x.lo + from_left * (panel->x.hi - panel->x.lo) / panel->body_width;
            *y = panel->y.hi - from_top * (panel->y.hi - panel->y.lo) / panel->body_height;
            return true;
        }
    }
    return false;
}
