/* Blocks in parts of cells. Each part of a cell belongs to one block or to none; a character with two colors shows
 * them. */
#include "tui/cells_internal.h"
#include "base/base.h"
#include "export/terminal/painter.h"

bool sw_cell_parts_open(struct sw_cell_parts *parts, const struct sw_brush *brush) {
    const struct sw_grid *grid = brush->grid;
    *parts = (struct sw_cell_parts){.clip = brush->clip, .across = grid->across, .down = grid->down};
    if (grid->ascii || !brush->theme->colors || grid->down == 0) {
        return true;
    }
    size_t cells = (size_t)(parts->clip.right - parts->clip.left) * (size_t)(parts->clip.bottom - parts->clip.top);
    parts->count = cells * parts->across * parts->down;
    parts->marks = SW_NEW_ZERO(const struct sw_mark *, parts->count);
    return parts->marks != NULL;
}

void sw_cell_parts_done(struct sw_cell_parts *parts) {
    SW_FREE(parts->marks, parts->count);
    *parts = (struct sw_cell_parts){0};
}

bool sw_cell_parts_take(const struct sw_cell_parts *parts, const struct sw_mark *mark) {
    return parts->count > 0 && mark->kind == SW_MARK_RECT &&
           (mark->style == SW_STYLE_BLOCK || mark->style == SW_STYLE_CURRENT || mark->style == SW_STYLE_MERGED);
}

/* From `lo` to `hi`, in cells, as parts: one at least. */
static void part_range(double lo, double hi, unsigned each, int clip_lo, int clip_hi, int *from, int *to) {
    *from = sw_nearest_cell(lo * each);
    *to = sw_nearest_cell(hi * each);
    if (*to <= *from) {
        *from = (int)floor((lo + hi) / 2 * each);
        *to = *from + 1;
    }
    *from = SW_MAX(*from, clip_lo * (int)each);
    *to = SW_MIN(*to, clip_hi * (int)each);
}

/* The parts of a cell of the clip. */
static const struct sw_mark **parts_of(const struct sw_cell_parts *parts, int x, int y) {
    size_t columns = (size_t)(parts->clip.right - parts->clip.left);
    return parts->marks +
           ((size_t)(y - parts->clip.top) * columns + (size_t)(x - parts->clip.left)) * parts->across * parts->down;
}

void sw_cell_parts_fill(struct sw_cell_parts *parts, const struct sw_mark *mark, double left, double top, double right,
                        double bottom) {
    const struct sw_clip *clip = &parts->clip;
    int x0, x1, y0, y1, across = (int)parts->across, down = (int)parts->down;
    part_range(left, right, parts->across, clip->left, clip->right, &x0, &x1);
    part_range(top, bottom, parts->down, clip->top, clip->bottom, &y0, &y1);
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            parts_of(parts, x / across, y / down)[y % down * across + x % across] = mark;
        }
    }
}

/* ---- from parts to cells ---- */

static uint32_t packed_color(struct sw_color color) {
    return color.set ? (uint32_t)color.red << 16 | (uint32_t)color.green << 8 | color.blue : 0;
}

static struct sw_color unpacked_color(uint32_t value) {
    return (struct sw_color){(uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value, true};
}

/* Merged blocks have a tint, as dense as they are full. */
static uint32_t part_color(const struct sw_brush *brush, const struct sw_mark *mark) {
    uint32_t page = packed_color(brush->theme->background), mixed = 0;
    if (!mark) {
        return page;
    }
    struct sw_look look = sw_brush_style(brush, mark->style, mark->hue);
    if (mark->style != SW_STYLE_MERGED) {
        return packed_color(look.background.set ? look.background : look.foreground);
    }
    uint32_t ink = packed_color(look.foreground), quarters = SW_MIN(mark->pattern, 4u);
    for (int shift = 0; shift < 24; shift += 8) {
        mixed |= ((ink >> shift & 255) * quarters + (page >> shift & 255) * (4 - quarters)) / 4 << shift;
    }
    return mixed;
}

/* Are all of one mark, or of none? */
static bool is_whole(const struct sw_mark *const *marks, size_t each) {
    for (size_t i = 1; i < each; i++) {
        if (marks[i] != marks[0]) {
            return false;
        }
    }
    return true;
}

/* The mark that has most of the parts: what a click finds. */
static const struct sw_mark *most_of(const struct sw_mark *const *marks, size_t each) {
    const struct sw_mark *found = NULL;
    size_t most = 0;
    for (size_t i = 0; i < each; i++) {
        size_t count = 0;
        for (size_t k = 0; k < each; k++) {
            count += marks[k] == marks[i];
        }
        if (marks[i] && count > most) {
            most = count;
            found = marks[i];
        }
    }
    return found;
}

static void set_shared(const struct sw_brush *brush, struct sw_cell *cell, const struct sw_cut_cell *cut,
                       const struct sw_mark *mark) {
    char glyph[SW_GLYPH_BYTES];
    glyph[sw_utf8_encode(cut->character, glyph)] = '\0';
    struct sw_look look = {.foreground = unpacked_color(cut->front), .background = unpacked_color(cut->back)};
    if (cut->back == packed_color(brush->theme->background)) {
        look.background = brush->theme->background;
    }
    sw_brush_set(brush, cell, glyph, look, SW_LAYER_BORDER);
    cell->look = look;
    cell->shared = true;
    cell->item = mark->item;
    cell->hidden = mark->hidden;
}

/* The cells that several marks share, in order; `take` is called for each. */
struct shared_cells {
    const struct sw_brush *brush;
    struct sw_cut cut;
    uint32_t *colors;
    struct sw_cut_cell *cells;
};

static size_t count_shared(const struct sw_cell_parts *parts) {
    size_t each = (size_t)parts->across * parts->down, count = 0;
    for (size_t at = 0; at < parts->count; at += each) {
        count += !is_whole(parts->marks + at, each);
    }
    return count;
}

static bool cut_shared(struct sw_cell_parts *parts, struct shared_cells *shared) {
    size_t each = (size_t)parts->across * parts->down, used = 0;
    for (size_t at = 0; at < parts->count; at += each) {
        for (size_t i = 0; i < each && !is_whole(parts->marks + at, each); i++) {
            shared->colors[used++] = part_color(shared->brush, parts->marks[at + i]);
        }
    }
    shared->cut.parts = shared->colors;
    struct sw_grid *grid = shared->brush->grid;
    return shared->cut.count == 0 || (grid->cut && grid->cut(grid->cut_context, &shared->cut, shared->cells));
}

static void draw_parts(struct sw_cell_parts *parts, const struct shared_cells *shared,
                       void (*whole)(const struct sw_brush *, struct sw_cell *, const struct sw_mark *)) {
    const struct sw_brush *brush = shared->brush;
    const struct sw_cut_cell *next = shared->cells;
    size_t each = (size_t)parts->across * parts->down;
    for (int y = parts->clip.top; y < parts->clip.bottom; y++) {
        for (int x = parts->clip.left; x < parts->clip.right; x++) {
            const struct sw_mark *const *marks = parts_of(parts, x, y);
            if (!is_whole(marks, each)) {
                set_shared(brush, sw_brush_at(brush, x, y), next++, most_of(marks, each));
            } else if (marks[0]) {
                whole(brush, sw_brush_at(brush, x, y), marks[0]);
            }
        }
    }
}

bool sw_cell_parts_draw(struct sw_cell_parts *parts, const struct sw_brush *brush,
                        void (*whole)(const struct sw_brush *, struct sw_cell *, const struct sw_mark *)) {
    size_t count = count_shared(parts), each = (size_t)parts->across * parts->down;
    struct shared_cells shared = {.brush = brush, .cut = {parts->across, parts->down, count, NULL}};
    shared.colors = SW_NEW(uint32_t, count * each + 1);
    shared.cells = SW_NEW_ZERO(struct sw_cut_cell, count + 1);
    bool good = shared.colors && shared.cells && cut_shared(parts, &shared);
    if (good) {
        draw_parts(parts, &shared, whole);
    } else {
        brush->grid->down = 0;
    }
    SW_FREE(shared.colors, count * each + 1);
    SW_FREE(shared.cells, count + 1);
    return good;
}
