/* The grid, text in it, and the panels of a scene; what fills a panel is in cells_plot.c and
 * cells_table.c. */
#include "tui/cells_internal.h"
#include "base/base.h"

#include <wchar.h>

/* ---- the grid ---- */

double sw_grid_fineness_y(bool ascii) {
    return ascii ? 1 : 2; /* half blocks */
}

bool sw_grid_reset(struct sw_grid *grid, unsigned columns, unsigned rows, const struct sw_theme *theme) {
    size_t count = (size_t)columns * rows, old = (size_t)grid->columns * grid->rows;
    if (count != old) {
        struct sw_cell *cells = count ? SW_NEW(struct sw_cell, count) : NULL;
        if (count && !cells) {
            return false;
        }
        SW_FREE(grid->cells, old);
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
    SW_FREE(grid->cells, (size_t)grid->columns * grid->rows);
    *grid = (struct sw_grid){0};
}

bool sw_same_color(struct sw_color a, struct sw_color b) {
    return a.set == b.set && (!a.set || (a.red == b.red && a.green == b.green && a.blue == b.blue));
}

bool sw_same_look(const struct sw_look *a, const struct sw_look *b) {
    return a->attributes == b->attributes && sw_same_color(a->foreground, b->foreground) &&
           sw_same_color(a->background, b->background);
}

struct sw_cell *sw_grid_cell(const struct sw_grid *grid, unsigned column, unsigned row) {
    return column < grid->columns && row < grid->rows ? &grid->cells[(size_t)row * grid->columns + column] : NULL;
}

struct sw_clip sw_clip_to(const struct sw_grid *grid, double left, double top, double width, double height) {
    double right = fmin(left + width, grid->columns), bottom = fmin(top + height, grid->rows);
    return (struct sw_clip){(int)fmax(ceil(left - 0.001), 0), (int)fmax(ceil(top - 0.001), 0),
                            (int)fmax(floor(right + 0.001), 0), (int)fmax(floor(bottom + 0.001), 0)};
}

struct sw_cell *sw_brush_at(const struct sw_brush *brush, int x, int y) {
    const struct sw_clip *clip = &brush->clip;
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

void sw_cell_set_look(struct sw_cell *cell, struct sw_look look) {
    if (!look.background.set) {
        look.background = cell->look.background;
    }
    if (!look.foreground.set) {
        look.foreground = cell->look.foreground;
    }
    cell->look = look;
}

void sw_brush_set(const struct sw_brush *brush, struct sw_cell *cell, const char *glyph, struct sw_look look,
                  enum sw_layer layer) {
    if (!cell) {
        return;
    }
    if (cell->width != 1) {
        unpair(brush->grid, cell);
    }
    size_t length = strlen(glyph);
    memcpy(cell->text, glyph, length < SW_GLYPH_BYTES ? length + 1 : SW_GLYPH_BYTES);
    cell->width = 1;
    cell->layer = (uint8_t)layer;
    cell->shared = cell->picture = false;
    sw_cell_set_look(cell, look);
}

struct sw_look sw_brush_style(const struct sw_brush *brush, unsigned style, unsigned hue) {
    if (style == SW_STYLE_BLOCK) {
        return brush->theme->blocks[hue % SW_LOOKS];
    }
    if (style == SW_STYLE_MERGED && hue > 0 && brush->theme->colors) { /* in the color of most of it */
        struct sw_look look = brush->theme->styles[style];
        look.foreground = brush->theme->blocks[(hue - 1) % SW_LOOKS].background;
        return look;
    }
    return brush->theme->styles[style < SW_STYLE_COUNT ? style : SW_STYLE_TEXT];
}

/* ---- text ---- */

/* One character of UTF-8: its length in bytes; anything broken is one byte and '?'. */
static size_t decode(const char *text, wchar_t *wide) {
    uint32_t code;
    size_t length = sw_utf8_decode(text, SIZE_MAX, &code);
    *wide = length ? (wchar_t)code : L'?';
    return length ? length : 1;
}

/* The lines of a tree and its arrows have counterparts in ASCII, nothing else has. */
static wchar_t plain(wchar_t wide) {
    return wide == L'│' || wide == L'├' ? L'|' : wide == L'└' ? L'`' : wide == L'→' ? L'>' : L'?';
}

/* Columns of one character; what cannot be printed becomes one '?'. */
static int wide_width(const struct sw_grid *grid, wchar_t *wide) {
    if (grid->ascii && *wide >= 0x80) {
        *wide = plain(*wide);
    }
    int width = *wide < 0x80 ? (*wide < 32 || *wide == 127 ? -1 : 1) : wcwidth(*wide);
    if (width < 0 || width > 2) {
        *wide = L'?';
        width = 1;
    }
    return width;
}

int sw_grid_columns_of(const struct sw_grid *grid, const char *text) {
    int total = 0;
    while (*text && total < INT_MAX - 2) {
        wchar_t wide;
        text += decode(text, &wide);
        total += wide_width(grid, &wide);
    }
    return total;
}

static void append_mark(struct sw_cell *cell, const char *bytes, size_t length) {
    size_t used = strlen(cell->text);
    if (used + length < SW_GLYPH_BYTES) {
        memcpy(cell->text + used, bytes, length);
        cell->text[used + length] = 0;
    }
}

int sw_brush_put(const struct sw_brush *brush, int x, int y, int room, const char *text, struct sw_look look) {
    int used = 0;
    struct sw_cell *last = NULL;
    while (*text) {
        wchar_t wide;
        size_t length = decode(text, &wide);
        wchar_t shown = wide;
        int width = wide_width(brush->grid, &shown);
        if (used + width > room) {
            break;
        }
        if (width == 0) {
            if (last) {
                append_mark(last, text, length);
            }
        } else {
            char glyph[SW_GLYPH_BYTES] = {shown < 0x80 ? (char)shown : '?'};
            if (shown == wide && (length > 1 || wide != L'?')) {
                memcpy(glyph, text, length);
                glyph[length] = 0;
            }
            struct sw_cell *cell = sw_brush_at(brush, x + used, y);
            struct sw_cell *right = width == 2 ? sw_brush_at(brush, x + used + 1, y) : NULL;
            last = cell;
            if (width == 2 && (!cell || !right)) {
                sw_brush_set(brush, cell ? cell : right, " ", look, SW_LAYER_TEXT);
                last = NULL;
            } else {
                sw_brush_set(brush, cell, glyph, look, SW_LAYER_TEXT);
                if (right) {
                    sw_brush_set(brush, right, " ", look, SW_LAYER_TEXT);
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

int sw_brush_put_cut(const struct sw_brush *brush, int x, int y, int room, const char *text, struct sw_look look) {
    if (room <= 0) {
        return 0;
    }
    if (sw_grid_columns_of(brush->grid, text) <= room) {
        return sw_brush_put(brush, x, y, room, text, look);
    }
    int used = sw_brush_put(brush, x, y, room - 1, text, look);
    sw_brush_put(brush, x + used, y, 1, brush->grid->ascii ? "~" : "…", look);
    return used + 1;
}

/* ---- panels ---- */

static void draw_edges(const struct sw_brush *brush, const struct sw_panel *panel) {
    struct sw_look look = sw_brush_style(brush, SW_STYLE_BORDER, 0);
    const struct sw_clip *clip = &brush->clip;
    bool ascii = brush->grid->ascii;
    bool left = panel->edges & SW_EDGE_LEFT, top = panel->edges & SW_EDGE_TOP;
    for (int y = clip->top; left && y < clip->bottom; y++) {
        sw_brush_set(brush, sw_brush_at(brush, clip->left, y), ascii ? "|" : "│", look, SW_LAYER_BORDER);
    }
    for (int x = clip->left; top && x < clip->right; x++) {
        struct sw_cell *cell = sw_brush_at(brush, x, clip->top);
        bool join = x == clip->left && left;
        sw_brush_set(brush, cell, ascii ? (join ? "+" : "-") : join ? "├" : "─", look, SW_LAYER_BORDER);
    }
}

static void draw_title(const struct sw_brush *brush, const struct sw_panel *panel) {
    struct sw_look look = sw_brush_style(brush, SW_STYLE_STRONG, 0);
    bool plot = panel->kind == SW_PANEL_PLOT, top = panel->edges & SW_EDGE_TOP;
    int y = plot ? sw_nearest_cell(panel->body_top) - 1 : brush->clip.top;
    int x = brush->clip.left + (panel->edges & SW_EDGE_LEFT ? 2 : top ? 1 : 0);
    if (y < brush->clip.top || !*panel->title) {
        return;
    }
    if (top) {
        sw_brush_put(brush, x++, y, 1, " ", look);
    }
    int room = brush->clip.right - x - top;
    char above[80];
    if (panel->less && panel->hidden_above > 0) {
        snprintf(above, sizeof above, " %s above: %.30s ", SW_COUNT(panel->hidden_above), panel->less);
        int wide = sw_grid_columns_of(brush->grid, above);
        if (wide + 8 < room) {
            room -= wide;
            sw_brush_put(brush, brush->clip.right - wide, y, wide, above, sw_brush_style(brush, SW_STYLE_DIM, 0));
        }
    }
    int used = sw_brush_put_cut(brush, x, y, room, panel->title, look);
    if (top) {
        sw_brush_put(brush, x + used, y, 1, " ", look);
    }
}

static bool draw_panel(struct sw_grid *grid, const struct sw_panel *panel, const struct sw_theme *theme) {
    struct sw_brush brush = {.grid = grid, .theme = theme};
    bool pixels = panel->on_cells.width > 0;
    struct sw_box box =
        pixels ? panel->on_cells : (struct sw_box){panel->left, panel->top, panel->width, panel->height};
    brush.clip = sw_clip_to(grid, box.left, box.top, box.width, box.height);
    struct sw_look fill = sw_brush_style(&brush, panel->fill, 0);
    if (!fill.background.set) {
        fill.background = theme->background;
    }
    /* A later panel covers an earlier one, like a prompt the footer. */
    for (int y = brush.clip.top; y < brush.clip.bottom; y++) {
        for (int x = brush.clip.left; x < brush.clip.right; x++) {
            struct sw_cell *cell = sw_brush_at(&brush, x, y);
            sw_brush_set(&brush, cell, " ", fill, SW_LAYER_EMPTY);
            cell->look = fill;
            cell->item = (struct sw_item){SW_ITEM_NONE, 0};
            cell->hidden = 0;
        }
    }
    for (int y = brush.clip.top; pixels && y < brush.clip.bottom; y++) {
        for (int x = brush.clip.left; x < brush.clip.right; x++) {
            sw_brush_at(&brush, x, y)->picture = true;
        }
    }
    if (pixels) {
        return true;
    }
    draw_edges(&brush, panel);
    if (panel->title) {
        draw_title(&brush, panel);
    }
    if (panel->kind == SW_PANEL_PLOT) {
        return sw_draw_plot(&brush, panel);
    }
    sw_draw_table(&brush, panel);
    return true;
}

bool sw_grid_scene(struct sw_grid *grid, const struct sw_scene *scene, const struct sw_theme *theme) {
    bool good = true;
    for (size_t i = 0; good && i < scene->panels.count; i++) {
        good = draw_panel(grid, &scene->panels.items[i], theme);
    }
    return good;
}

bool sw_scene_locate(const struct sw_scene *scene, double column, double row, const struct sw_panel **found, double *x,
                     double *y) {
    for (size_t i = scene->panels.count; i-- > 0;) {
        const struct sw_panel *panel = &scene->panels.items[i];
        const struct sw_box *cells = &panel->on_cells;
        bool pixels = cells->width > 0;
        double left = pixels ? panel->left + (column - cells->left) * panel->width / cells->width : column;
        double top = pixels ? panel->top + (row - cells->top) * panel->height / cells->height : row;
        double from_left = left - panel->body_left, from_top = top - panel->body_top;
        if (panel->kind == SW_PANEL_PLOT && from_left >= 0 && from_left < panel->body_width && from_top >= 0 &&
            from_top < panel->body_height) {
            *found = panel;
            *x = panel->x.lo + from_left * (panel->x.hi - panel->x.lo) / panel->body_width;
            *y = panel->y.hi - from_top * (panel->y.hi - panel->y.lo) / panel->body_height;
            return true;
        }
    }
    return false;
}

const struct sw_mark *sw_scene_mark(const struct sw_panel *panel, double x, double y) {
    for (size_t i = panel->marks.count; i-- > 0;) {
        const struct sw_mark *mark = &panel->marks.items[i];
        bool filled = mark->kind == SW_MARK_RECT || mark->kind == SW_MARK_BAR || mark->kind == SW_MARK_FRAME;
        if (filled && mark->item.kind != SW_ITEM_NONE && x >= mark->x0 && x < mark->x1 && y >= mark->y0 &&
            y < mark->y1) {
            return mark;
        }
    }
    return NULL;
}
