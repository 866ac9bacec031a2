/* Names in blocks. A page has two sizes of them, and blocks of the same height have one: that at which they say most. A
 * name is level where it fits, else upward, shortened or cut; some blocks have room for none. */
#include "export/drawing.h"
#include "base/base.h"
#include "base/hash.h"
#include "base/sort.h"

static const double name_sizes[][2] = {{9, 7}, {8, 6.2}, {7, 5.6}, {6.2, 5.2}};
enum { SIZE_PAIRS = sizeof name_sizes / sizeof *name_sizes };
#define LEAST_NAME_SIZE 5.2
#define MOST_NAME_SIZE 9.0

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

/* ---- which form has room ---- */

/* Level, or upward where the block is higher than wide. */
static bool has_room_inside(const struct sw_block_name *name, size_t form, double size, bool rotated) {
    double across = name->room.right - name->room.left, up = name->room.bottom - name->room.top;
    double length = rotated ? up : across, thickness = rotated ? across : up;
    return (!rotated || up > 1.1 * across) && thickness >= size * 1.2 && name->widths[form] * size + 3 <= length;
}

/* Of a block that has no shorter form than its name some letters are better than none. */
static bool may_be_cut(const struct sw_block_name *name, double size) {
    return name->forms == 1 && name->room.right - name->room.left >= 40 &&
           name->room.bottom - name->room.top >= size * 1.4;
}

/* What is seen of a name at a size, from 0 to 1: level before upward, the whole before a part. */
static double seen_of_form(const struct sw_block_name *name, uint32_t form, double size, bool rotated) {
    return (rotated || !name->upward) && has_room_inside(name, form, size, rotated)
               ? (form ? 0.6 - 0.02 * form : 1) * (rotated ? 0.75 : 1)
               : 0;
}

static double seen_of_name(const struct sw_block_name *name, double size) {
    double most = may_be_cut(name, size) ? 0.3 : 0;
    for (uint32_t form = 0; form < name->tried; form++) {
        most = fmax(most, fmax(seen_of_form(name, form, size, false), seen_of_form(name, form, size, true)));
    }
    return most;
}

/* How high its block is, and where it begins, in parts of a point. */
struct sw_name_place {
    int64_t height, top, left;
    uint32_t panel, name;
};

/* A name that is larger is worth more, but not so much that others are lost for it. */
static double worth_of_names(const struct sw_drawing *drawing, const struct sw_name_place *those, size_t count,
                             double size) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += seen_of_name(&drawing->names.items[those[i].name], size);
    }
    return sum * pow(size, 0.6);
}

/* ---- sizes ---- */

SW_BY_FIELDS(compare_name_places, struct sw_name_place, SW_UP(height), SW_UP(name))

/* Takes the better of two sizes for the blocks of each height. */
static double take_sizes(struct sw_drawing *drawing, const struct sw_name_place *places, const double sizes[2]) {
    double sum = 0;
    for (size_t at = 0; at < drawing->names.count;) {
        size_t end = at + 1;
        while (end < drawing->names.count && places[end].height == places[at].height) {
            end++;
        }
        double large = worth_of_names(drawing, &places[at], end - at, sizes[0]);
        double small = worth_of_names(drawing, &places[at], end - at, sizes[1]);
        sum += fmax(large, small);
        for (; at < end; at++) {
            drawing->names.items[places[at].name].size = large >= small && large > 0 ? sizes[0] : sizes[1];
        }
    }
    drawing->name_size = sizes[0];
    return sum;
}

/* Those that an animation had before are kept while they do. */
static void choose_sizes(struct sw_drawing *drawing, const struct sw_name_place *places) {
    double most = -1, had = drawing->name_size;
    size_t best = 0;
    for (size_t i = 0; i < SIZE_PAIRS; i++) {
        double sum = take_sizes(drawing, places, name_sizes[i]) * (name_sizes[i][0] == had ? 1.2 : 1);
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    take_sizes(drawing, places, name_sizes[best]);
}

/* ---- directions ---- */

SW_BY_FIELDS(compare_name_rows, struct sw_name_place, SW_UP(panel), SW_UP(top), SW_UP(height), SW_UP(left), SW_UP(name))

static bool reads_upward(const struct sw_block_name *name) {
    double level = 0, upward = 0;
    for (uint32_t form = 0; form < name->tried; form++) {
        level = fmax(level, seen_of_form(name, form, name->size, false));
        upward = fmax(upward, seen_of_form(name, form, name->size, true));
    }
    return upward > level;
}

static bool can_read_upward(const struct sw_block_name *name) {
    return name->tried && has_room_inside(name, name->tried - 1, name->size, true);
}

/* Of blocks in a row, each of which begins where the one before ends: where one has to read upward, all do that can. */
static void choose_directions(struct sw_drawing *drawing, const struct sw_name_place *places) {
    for (size_t at = 0; at < drawing->names.count;) {
        struct sw_block_name *name = &drawing->names.items[places[at].name];
        bool upward = reads_upward(name);
        size_t end = at + 1;
        for (; end < drawing->names.count && places[end].panel == places[at].panel &&
               places[end].top == places[at].top && places[end].height == places[at].height;
             end++) {
            struct sw_block_name *next = &drawing->names.items[places[end].name];
            if (next->area.left > name->area.right + 1) {
                break;
            }
            upward |= reads_upward(next);
            name = next;
        }
        for (; at < end; at++) {
            name = &drawing->names.items[places[at].name];
            name->upward = upward && can_read_upward(name);
        }
    }
}

/* ---- names that could be taken for one another ---- */

struct sw_name_text {
    uint64_t hash;
    uint32_t name, form;
};
SW_BY_FIELDS(compare_name_texts, struct sw_name_text, SW_UP(hash), SW_UP(name), SW_UP(form))

/* A shorter form that another block of the panel has, too, is none. */
static void drop_forms_alike(struct sw_drawing *drawing) {
    SW_ARRAY(struct sw_name_text) texts = {0};
    for (size_t n = 0; n < drawing->names.count && !drawing->failed; n++) {
        const struct sw_block_name *name = &drawing->names.items[n];
        for (size_t form = 0; name->mark->item.kind != SW_ITEM_NONE && form < name->forms; form++) {
            const char *text = name->mark->labels[form];
            struct sw_name_text one = {sw_fold_bytes(name->panel + 1, text, strlen(text)), (uint32_t)n, (uint32_t)form};
            drawing->failed |= !SW_PUSH(&texts, one);
        }
    }
    SW_SORT_LIST(&texts, compare_name_texts);
    for (size_t i = 0; i < texts.count;) {
        size_t end = i + 1;
        bool several = false;
        for (; end < texts.count && texts.items[end].hash == texts.items[i].hash; end++) {
            several |= drawing->names.items[texts.items[end].name].mark->item.id !=
                       drawing->names.items[texts.items[i].name].mark->item.id;
        }
        for (; i < end; i++) {
            if (several && texts.items[i].form > 0) {
                drawing->names.items[texts.items[i].name].alike |= 1u << texts.items[i].form;
            }
        }
    }
    SW_ARRAY_DONE(&texts);
}

/* ---- all names of the page ---- */

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

/* As wide as each form is, where it could have room, at a size of 1. What needs no shorter form has none measured. */
static void measure_forms(struct sw_drawing *drawing, struct sw_block_name *name) {
    double across = name->room.right - name->room.left, up = name->room.bottom - name->room.top;
    double longest = fmax(across, up), height;
    for (uint32_t form = 0; form < name->forms; form++) {
        const char *text = name->mark->labels[form];
        bool bold = name->mark->style == SW_STYLE_CURRENT;
        name->widths[form] = INFINITY;
        name->tried = form + 1;
        if (!(name->alike >> form & 1) && fmin(across, up) >= LEAST_NAME_SIZE * 1.2 &&
            narrowest(text) * LEAST_NAME_SIZE <= longest) {
            sw_drawing_measure(drawing, text, MOST_NAME_SIZE, bold, &name->widths[form], &height);
            name->widths[form] /= MOST_NAME_SIZE;
        }
        if (has_room_inside(name, form, MOST_NAME_SIZE, false)) {
            return;
        }
    }
}

/* Is it written in an ink that is darker than its ground? */
static const struct sw_color *dark_ink(const struct sw_drawing *drawing, const struct sw_mark *mark) {
    const struct sw_look *look = &drawing->theme->blocks[mark->hue];
    bool dark = mark->style == SW_STYLE_BLOCK && look->foreground.set && look->background.set &&
                sw_color_lightness(look->foreground) < sw_color_lightness(look->background);
    return dark ? &look->foreground : NULL;
}

static void gather_names(struct sw_drawing *drawing, const struct sw_panel *panel, uint32_t number) {
    drawing->panel = panel;
    for (size_t i = 0; i < panel->marks.count && !drawing->failed; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        struct sw_block_name name = {.mark = mark, .panel = number};
        if ((mark->kind != SW_MARK_RECT && mark->kind != SW_MARK_FRAME) || !mark->labels ||
            !sw_drawing_area(panel, mark, &name.area)) {
            continue;
        }
        while (name.forms < SW_NAME_FORMS && mark->labels[name.forms] && *mark->labels[name.forms]) {
            name.forms++;
        }
        const struct sw_color *ink = dark_ink(drawing, mark);
        if (ink && (!drawing->name_ink.set || sw_color_lightness(*ink) < sw_color_lightness(drawing->name_ink))) {
            drawing->name_ink = *ink; /* one for the tones of a page: that which can be read on all */
        }
        name.room = name.area;
        avoid_lines(drawing, &name.room);
        drawing->failed |= !SW_PUSH(&drawing->names, name);
    }
}

void sw_drawing_size_names(struct sw_drawing *drawing) {
    SW_ARRAY(struct sw_name_place) places = {0};
    for (size_t p = 0; p < drawing->scene->panels.count; p++) {
        if (drawing->scene->panels.items[p].kind == SW_PANEL_PLOT) {
            gather_names(drawing, &drawing->scene->panels.items[p], (uint32_t)p);
        }
    }
    drop_forms_alike(drawing);
    for (size_t i = 0; i < drawing->names.count && !drawing->failed; i++) {
        struct sw_block_name *name = &drawing->names.items[i];
        measure_forms(drawing, name);
        const struct sw_panel *panel = &drawing->scene->panels.items[name->panel];
        double top = sw_drawing_y(panel, name->mark->y1), height = sw_drawing_y(panel, name->mark->y0) - top;
        struct sw_name_place place = {llround(fmin(height, 1e6) * 64), llround(fmax(top, -1e6) * 64),
                                      llround(64 * name->area.left), name->panel, (uint32_t)i};
        drawing->failed |= !SW_PUSH(&places, place);
    }
    SW_SORT_LIST(&places, compare_name_places);
    if (!drawing->failed) {
        choose_sizes(drawing, places.items);
        SW_SORT_LIST(&places, compare_name_rows);
        choose_directions(drawing, places.items);
    }
    SW_ARRAY_DONE(&places);
}

/* ---- placing ---- */

/* Centered in the area, or false. */
static bool place_inside(struct sw_drawing *drawing, const struct sw_area *area, const char *name, double size,
                         bool rotated, struct sw_placed_text text, double drop) {
    double across = area->right - area->left, up = area->bottom - area->top;
    double thickness = rotated ? across : up;
    text.text = name;
    text.size = size;
    sw_drawing_measure(drawing, name, size, text.bold, &text.width, &text.height);
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
static bool place_two_lines(struct sw_drawing *drawing, const struct sw_block_name *name, struct sw_placed_text text) {
    const struct sw_mark *mark = name->mark;
    if (name->room.bottom - name->room.top < 3 * name->size || drawing->panel->tier == SW_NONE ||
        mark->item.kind != SW_ITEM_BUFFER || !name->tried || name->upward ||
        !has_room_inside(name, 0, name->size, false)) {
        return false;
    }
    char bytes[40];
    sw_show_bytes_in(drawing->scene->units, (uint64_t)(mark->y1 - mark->y0), bytes);
    char *copy = sw_arena_string(&drawing->arena, bytes, strlen(bytes));
    double width, height, size = name->size * 0.83;
    sw_drawing_measure(drawing, bytes, size, false, &width, &height);
    if (!copy || width + 3 > name->room.right - name->room.left) {
        drawing->failed |= !copy;
        return false;
    }
    if (!place_inside(drawing, &name->room, mark->labels[0], name->size, false, text, -0.61 * name->size)) {
        return false;
    }
    text.bold = false;
    place_inside(drawing, &name->room, copy, size, false, text, 0.67 * name->size);
    return true;
}

/* Cut between characters as people count them. */
static bool place_cut(struct sw_drawing *drawing, const struct sw_block_name *name, struct sw_placed_text text) {
    const struct sw_area *area = &name->room;
    double across = area->right - area->left, up = area->bottom - area->top;
    text.size = name->size;
    text.text = name->mark->labels[0];
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
static bool plan_name(struct sw_drawing *drawing, const struct sw_block_name *name) {
    const struct sw_mark *mark = name->mark;
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
    text.color = dark_ink(drawing, mark) ? drawing->name_ink : text.color;
    if (place_two_lines(drawing, name, text)) {
        return true;
    }
    /* The best first; where another text lies in its way, the next. */
    for (double below = INFINITY;;) {
        uint32_t best = 0;
        bool upward = false;
        double most = 0;
        for (uint32_t form = 0; form < 2 * name->tried; form++) {
            double seen = seen_of_form(name, form / 2, name->size, form % 2 == 1);
            if (seen > most && seen < below) {
                most = seen;
                best = form / 2;
                upward = form % 2 == 1;
            }
        }
        if (!(most > 0)) {
            break;
        }
        if (place_inside(drawing, &name->room, mark->labels[best], name->size, upward, text, 0)) {
            return true;
        }
        below = most;
    }
    return may_be_cut(name, name->size) && place_cut(drawing, name, text);
}

static double unnamed_size(const struct sw_unnamed *one) {
    const struct sw_area *area = &one->name->area;
    return (area->right - area->left) * (area->bottom - area->top);
}

/* Does it come before the other when not all can be named beside? */
static bool unnamed_before(const struct sw_unnamed *a, const struct sw_unnamed *b) {
    return a->name->mark->peak != b->name->mark->peak ? a->name->mark->peak : unnamed_size(a) > unnamed_size(b);
}

/* Kept when it sets the peak, or is large as the panel goes: the largest of the page, in order. Where heights are no
 * bytes no block matters more than others. */
static void keep_unnamed(struct sw_drawing *drawing, const struct sw_panel *panel, struct sw_unnamed one) {
    bool large = panel->tier != SW_NONE && one.name->area.bottom - one.name->area.top >= panel->body_height / 6;
    if (!one.name->mark->peak && !large) {
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
    struct sw_area body = {panel->body_left, panel->body_top, panel->body_left + panel->body_width,
                           panel->body_top + panel->body_height};
    /* Back to front: what lies on top was added last and gets its name first. */
    for (size_t i = drawing->names.count; i-- > 0;) {
        const struct sw_block_name *name = &drawing->names.items[i];
        if (&drawing->scene->panels.items[name->panel] == panel && !plan_name(drawing, name) &&
            name->mark->item.kind == SW_ITEM_BUFFER && name->forms) {
            keep_unnamed(drawing, panel, (struct sw_unnamed){.name = name, .within = body});
        }
    }
}
