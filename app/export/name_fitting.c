/* Names in blocks: as they are, smaller, upward, shortened, cut; and which blocks have room for none. */
#include "export/drawing.h"
#include "base/base.h"

static const double name_sizes[] = {9, 7.5, 6.2, 5.2};
enum { NAME_SIZES = sizeof name_sizes / sizeof *name_sizes, LEVEL_SIZES = NAME_SIZES - 1 };

/* Is the text in a frame that is hatched, at least in part? */
static bool in_hatched_frame(const struct sw_drawing *drawing, const struct sw_mark *mark,
                             const struct sw_placed_text *text) {
    struct sw_area area;
    return mark->kind == SW_MARK_FRAME && mark->pattern && sw_drawing_area(drawing->panel, mark, &area) &&
           text->left < area.right && area.left < text->left + text->width && text->top < area.bottom &&
           area.top < text->top + text->height;
}

/* Does a broken line go up through the text? */
static bool on_upright(const struct sw_panel *panel, const struct sw_mark *mark, const struct sw_placed_text *text) {
    double x = sw_drawing_x(panel, mark->x0);
    return mark->kind == SW_MARK_LINE && mark->pattern && mark->x0 == mark->x1 && x > text->left &&
           x < text->left + text->width;
}

/* Does a line run through the text, or hatching? Then it needs a ground of its own. */
static bool crossed(const struct sw_drawing *drawing, const struct sw_placed_text *text) {
    const struct sw_panel *panel = drawing->panel;
    for (size_t i = panel->marks.count; i-- > 0;) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_LINE && mark->y0 == mark->y1) {
            double y = sw_drawing_y(panel, mark->y0);
            if (y > text->top && y < text->top + text->height) {
                return true;
            }
        } else if (in_hatched_frame(drawing, mark, text) || on_upright(panel, mark, text)) {
            return true;
        } else if (mark->kind == SW_MARK_RECT) {
            return false; /* lines and frames were added after the blocks */
        }
    }
    return false;
}

/* No letter in use is narrower than this; marks on letters and what joins them take no width. */
static double narrowest(const char *text) {
    double width = 0;
    for (; *text; text = g_utf8_next_char(text)) {
        if ((unsigned char)*text < 0x80) {
            width += 0.3;
        } else {
            gunichar code = g_utf8_get_char(text);
            width += g_unichar_iszerowidth(code) || g_unichar_ismark(code) ? 0 : 0.2;
        }
    }
    return width;
}

/* Centerd in the area, or false. Rotated when the area is a tower. */
static bool place_inside(struct sw_drawing *drawing, const struct sw_area *area, const char *name, double size,
                         bool rotated, struct sw_placed_text text, double drop) {
    double across = area->right - area->left, up = area->bottom - area->top;
    double length = rotated ? up : across, thickness = rotated ? across : up;
    /* Cheaper than measuring. */
    if (thickness < size * 1.2 || length < narrowest(name) * size) {
        return false;
    }
    text.text = name;
    text.size = size;
    sw_drawing_measure(drawing, name, size, text.bold, &text.width, &text.height);
    if (text.width + 4 > length || text.height * 0.82 > thickness) {
        return false;
    }
    /* The box is trimmed to what letters use of the line's height. */
    text.height = fmin(text.height, thickness);
    text.rotated = rotated;
    if (rotated) {
        double width = text.width;
        text.width = text.height;
        text.height = width;
    }
    text.left = area->left + (across - text.width) / 2;
    text.top = area->top + (up - text.height) / 2 + drop;
    /* Edges of blocks lie on whole points, and may lie a little below the axis. */
    text.top = fmin(text.top, drawing->panel->body_top + drawing->panel->body_height - text.height);
    text.boxed = text.boxed || crossed(drawing, &text);
    /* The ground leaves the block's outline alone. */
    text.across = fmin(1.5, (across - text.width) / 2 - 0.8);
    text.along = fmin(0, (up - text.height) / 2 - 0.8);
    return sw_drawing_place(drawing, text);
}

/* The bytes below the name, where the plot is one of addresses and there is room for both. */
static bool place_two_lines(struct sw_drawing *drawing, const struct sw_area *area, const struct sw_mark *mark,
                            struct sw_placed_text text) {
    double up = area->bottom - area->top;
    if (up < 27 || drawing->panel->tier == SW_NONE || mark->item.kind != SW_ITEM_BUFFER || !mark->labels[0][0]) {
        return false;
    }
    char bytes[40];
    sw_show_bytes_in(drawing->scene->units, (uint64_t)(mark->y1 - mark->y0), bytes);
    char *copy = sw_arena_string(&drawing->arena, bytes, strlen(bytes));
    double width, height;
    sw_drawing_measure(drawing, bytes, 7.5, false, &width, &height);
    if (!copy || width + 4 > area->right - area->left) {
        drawing->failed |= !copy;
        return false;
    }
    if (!place_inside(drawing, area, mark->labels[0], 9, false, text, -5.5)) {
        return false;
    }
    text.bold = false;
    place_inside(drawing, area, copy, 7.5, false, text, 6);
    return true;
}

/* The larger part of a block that a level line crosses, where that has room for a name. */
static void avoid_lines(const struct sw_drawing *drawing, struct sw_area *area) {
    const struct sw_panel *panel = drawing->panel;
    for (size_t i = panel->marks.count; i-- > 0;) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_RECT) {
            return; /* lines were added after the blocks */
        }
        double y = mark->kind == SW_MARK_LINE && mark->y0 == mark->y1 ? sw_drawing_y(panel, mark->y0) : area->bottom;
        double above = y - 2 - area->top, below = area->bottom - y - 2;
        if (y > area->top && y < area->bottom && fmax(above, below) >= 13) {
            if (above > below) {
                area->bottom = y - 2;
            } else {
                area->top = y + 2;
            }
        }
    }
}

/* A name that has no shorter form is cut between characters as people count them, when a few of
 * them are left. */
static bool place_cut(struct sw_drawing *drawing, const struct sw_area *area, const struct sw_mark *mark,
                      struct sw_placed_text text) {
    double across = area->right - area->left, up = area->bottom - area->top;
    bool shorter = mark->labels[0] && mark->labels[1] && *mark->labels[1];
    text.size = name_sizes[1];
    if (!mark->labels[0] || !*mark->labels[0] || shorter || across < 40 || up < text.size * 1.4) {
        return false;
    }
    text.text = mark->labels[0];
    sw_drawing_measure(drawing, text.text, text.size, text.bold, &text.width, &text.height);
    text.height = fmin(text.height, up);
    sw_drawing_limit(&text, across - 6);
    text.left = area->left + (across - text.width) / 2;
    text.top = area->top + (up - text.height) / 2;
    text.boxed = text.boxed || crossed(drawing, &text);
    text.across = 1.5;
    text.along = fmin(0, (up - text.height) / 2 - 0.8);
    return sw_drawing_place(drawing, text);
}

/* The name inside the block; false when it has no room there. */
static bool plan_name(struct sw_drawing *drawing, const struct sw_mark *mark, struct sw_area area) {
    avoid_lines(drawing, &area);
    const struct sw_look *look =
        mark->style == SW_STYLE_BLOCK ? &drawing->theme->blocks[mark->hue] : &drawing->theme->styles[mark->style];
    /* What has no ground of its own to be read on. */
    bool merged = mark->style == SW_STYLE_MERGED || mark->style == SW_STYLE_GAP;
    struct sw_placed_text text = {.mark = mark,
                                  .panel = drawing->panel,
                                  .bold = mark->style == SW_STYLE_CURRENT,
                                  .boxed = mark->pattern != 0,
                                  .color =
                                      look->foreground.set && !merged ? look->foreground : drawing->theme->foreground,
                                  .ground = look->background.set ? look->background : drawing->theme->background};
    if (place_two_lines(drawing, &area, mark, text)) {
        return true;
    }
    bool tower = area.bottom - area.top > 1.4 * (area.right - area.left);
    for (size_t i = 0; mark->labels[i] && *mark->labels[i]; i++) {
        for (int s = 0; s < LEVEL_SIZES; s++) {
            if (place_inside(drawing, &area, mark->labels[i], name_sizes[s], false, text, 0)) {
                return true;
            }
        }
        for (int s = 0; tower && s < NAME_SIZES; s++) {
            if (place_inside(drawing, &area, mark->labels[i], name_sizes[s], true, text, 0)) {
                return true;
            }
        }
    }
    return place_cut(drawing, &area, mark, text);
}

static double unnamed_size(const struct sw_unnamed *one) {
    return (one->area.right - one->area.left) * (one->area.bottom - one->area.top);
}

/* Does it come before the other when not all can be named beside? */
static bool unnamed_before(const struct sw_unnamed *a, const struct sw_unnamed *b) {
    return a->mark->peak != b->mark->peak ? a->mark->peak : unnamed_size(a) > unnamed_size(b);
}

/* Kept when it sets the peak, or is large as the panel goes: the largest of the page, in order. Where heights are no
 * bytes no block matters more than others. */
static void keep_unnamed(struct sw_drawing *drawing, const struct sw_panel *panel, struct sw_unnamed one) {
    bool large = panel->tier != SW_NONE && one.area.bottom - one.area.top >= panel->body_height / 6;
    if (!one.mark->peak && !large) {
        return;
    }
    size_t at = drawing->unnamed_count;
    while (at > 0 && unnamed_before(&one, &drawing->unnamed[at - 1])) {
        at--;
    }
    size_t moved = drawing->unnamed_count - at;
    if (at == SW_MOST_UNNAMED) {
        return;
    }
    moved -= drawing->unnamed_count == SW_MOST_UNNAMED;
    memmove(&drawing->unnamed[at + 1], &drawing->unnamed[at], moved * sizeof one);
    drawing->unnamed[at] = one;
    drawing->unnamed_count += drawing->unnamed_count < SW_MOST_UNNAMED;
}

void sw_drawing_plan_names(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_area area;
    /* Back to front: what lies on top was added last and gets its name first. */
    for (size_t i = panel->marks.count; i-- > 0;) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if ((mark->kind != SW_MARK_RECT && mark->kind != SW_MARK_FRAME) || !mark->labels ||
            !sw_drawing_area(panel, mark, &area) || plan_name(drawing, mark, area)) {
            continue;
        }
        if (mark->item.kind == SW_ITEM_BUFFER && mark->labels[0] && *mark->labels[0]) {
            struct sw_area body = {panel->body_left, panel->body_top, panel->body_left + panel->body_width,
                                   panel->body_top + panel->body_height};
            keep_unnamed(drawing, panel, (struct sw_unnamed){.mark = mark, .area = area, .within = body});
        }
    }
}
