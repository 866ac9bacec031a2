/* What lies in areas of blocks that are too small to draw: how many blocks, their bytes, which classes fill how much of
 * it, and the largest. Looked up from the blocks themselves, for pictures that one can point into: each piece goes from
 * area to area along its marks. */
#include "view/map/map.h"
#include "view/web/web_data.h"
#include "base/base.h"
#include "problem/moment/moment.h"

/* An area in marks of the grid, and the last piece and the last buffer that were found there. */
struct told_area {
    double left, right, low, high;
    uint32_t piece, buffer;
};
struct area_telling {
    const struct sw_map *map;
    const uint32_t *owners; /* of each mark of the grid its area, counted from 1; NULL: there is only one */
    const uint8_t *drawn;   /* of each buffer: it has a mark; NULL: all have one that are not too small */
    struct told_area *areas;
    struct sw_merged *merged; /* of each */
    uint32_t piece;           /* the one that is looked at, counted from 1 */
};

/* In marks: whole ones, on the grid. */
static struct told_area told_area_of(const struct sw_space *space, const struct sw_mark *mark, bool whole) {
    struct told_area area = {
        .left = (mark->x0 - space->x_lo) * space->x_scale,
        .right = (mark->x1 - space->x_lo) * space->x_scale,
        .low = (mark->y0 - space->y_lo) * space->y_scale,
        .high = (mark->y1 - space->y_lo) * space->y_scale,
    };
    return whole ? (struct told_area){.left = round(area.left),
                                      .right = round(area.right),
                                      .low = round(area.low),
                                      .high = round(area.high)}
                 : area;
}

static void keep_if_large(const struct sw_problem *problem, struct sw_merged *merged, uint32_t b) {
    uint64_t size = sw_problem_buffer(problem, b)->size;
    size_t at = SW_MERGED_NAMED;
    while (at > 0 &&
           (merged->largest[at - 1] == SW_NONE || sw_problem_buffer(problem, merged->largest[at - 1])->size < size)) {
        at--;
    }
    if (at < SW_MERGED_NAMED) {
        memmove(merged->largest + at + 1, merged->largest + at, (SW_MERGED_NAMED - 1 - at) * sizeof *merged->largest);
        merged->largest[at] = b;
    }
}

/* A rectangle in marks, as far as it lies in the area. */
static void add_to_area(struct area_telling *telling, size_t i, uint32_t b, const struct told_area *at) {
    struct told_area *area = &telling->areas[i];
    struct sw_merged *merged = &telling->merged[i];
    double wide = fmin(at->right, area->right) - fmax(at->left, area->left);
    double high = fmin(at->high, area->high) - fmax(at->low, area->low);
    if (area->piece == telling->piece || wide <= 0 || high <= 0) {
        return;
    }
    double part = wide * high / ((area->right - area->left) * (area->high - area->low));
    merged->full += part;
    merged->classes[sw_block_class(&telling->map->counted, b)] += part;
    if (area->buffer != b + 1) {
        merged->count++;
        merged->bytes += sw_problem_buffer(telling->map->problem, b)->size;
        keep_if_large(telling->map->problem, merged, b);
    }
    area->piece = telling->piece;
    area->buffer = b + 1;
}

/* Along its rows, from area to area. */
static void tell_piece(struct area_telling *telling, uint32_t b, const struct sw_mark *mark) {
    const struct sw_space *space = &telling->map->space;
    size_t columns = (size_t)space->columns;
    struct told_area at = {.left = fmax((mark->x0 - space->x_lo) * space->x_scale, 0),
                           .right = fmin((mark->x1 - space->x_lo) * space->x_scale, space->columns),
                           .low = fmax((mark->y0 - space->y_lo) * space->y_scale, 0),
                           .high = fmin((mark->y1 - space->y_lo) * space->y_scale, space->rows)};
    telling->piece++;
    if (!telling->owners) {
        add_to_area(telling, 0, b, &at);
        return;
    }
    for (size_t r = (size_t)at.low; (double)r < at.high; r++) {
        for (size_t c = (size_t)at.left; (double)c < at.right;) {
            uint32_t owner = telling->owners[r * columns + c];
            if (owner) {
                add_to_area(telling, owner - 1, b, &at);
            }
            c = owner ? (size_t)telling->areas[owner - 1].right : c + 1;
        }
    }
}

static bool has_no_mark(const struct area_telling *telling, uint32_t b, const struct sw_mark *mark) {
    const struct sw_map *map = telling->map;
    bool small = (mark->x1 - mark->x0) * map->space.x_scale < 1 || (mark->y1 - mark->y0) * map->space.y_scale < 1;
    return telling->drawn ? !telling->drawn[b] : small;
}

/* All pieces that have no mark of their own. */
static void tell_pieces(struct area_telling *telling) {
    const struct sw_map *map = telling->map;
    for (uint32_t b = 0; b < sw_problem_buffer_count(map->problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
        struct sw_placement place;
        bool drawn = b == map->highest || b == map->in->look.selected || b == map->current;
        if (drawn || !sw_map_in_time(map, buffer)) {
            continue;
        }
        for (uint32_t k = 0; sw_layout_placement(map->layout, b, k, &place); k++) {
            for (uint32_t p = 0; place.tier == map->in->look.tier && p < buffer->piece_count; p++) {
                struct sw_mark mark;
                if (sw_map_piece(map, &place, &buffer->pieces[p], &mark) && has_no_mark(telling, b, &mark)) {
                    tell_piece(telling, b, &mark);
                }
            }
        }
    }
}

static struct sw_merged nothing_merged(void) {
    struct sw_merged merged = {0};
    for (size_t i = 0; i < SW_MERGED_NAMED; i++) {
        merged.largest[i] = SW_NONE;
    }
    return merged;
}

/* Of the panel's marks from `first` on, so many. False: no memory. */
static bool tell_marks(struct sw_map *map, struct area_telling *telling, size_t first, size_t count) {
    struct sw_panel *panel = map->panel;
    bool good = (telling->areas = SW_NEW(struct told_area, count + 1)) != NULL;
    telling->map = map;
    for (size_t i = 0; good && i < count; i++) {
        struct sw_mark *mark = &panel->marks.items[first + i];
        telling->areas[i] = told_area_of(&map->space, mark, telling->owners != NULL);
        good = SW_PUSH(&panel->merged, nothing_merged());
        mark->told = (uint32_t)panel->merged.count;
    }
    if (good && count > 0) {
        telling->merged = panel->merged.items + panel->merged.count - count;
        tell_pieces(telling);
    }
    for (unsigned class = 0; class < (map->counted.of ? SW_HUES : 1u); class ++) {
        panel->classes[class] = sw_map_class_words(map, class);
    }
    SW_FREE(telling->areas, count + 1);
    return good;
}

void sw_map_tell_areas(struct sw_map *map, size_t first, const uint32_t *owners) {
    struct area_telling telling = {.owners = owners};
    map->scene->failed |= !tell_marks(map, &telling, first, map->panel->marks.count - first);
}

bool sw_view_tell_merged(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, size_t mark) {
    struct sw_view_input own = *in;
    own.look.viewport = (struct sw_viewport){panel->x.lo, panel->x.hi, panel->y.lo, panel->y.hi};
    own.look.tier = panel->tier;
    struct sw_map map = {.in = &own,
                         .scene = scene,
                         .panel = panel,
                         .problem = sw_search_problem(in->run.search),
                         .layout = sw_view_shown(in),
                         .space = {panel->x.lo, panel->x.hi, panel->y.lo, panel->y.hi, 1, 1, panel->x.hi - panel->x.lo,
                                   panel->y.hi - panel->y.lo},
                         .current = SW_NONE,
                         .highest = SW_NONE};
    size_t count = sw_problem_buffer_count(map.problem);
    bool known = !in->look.raw_time && panel->tier != SW_NONE && panel->about == in->run.search;
    uint8_t *drawn = known ? SW_NEW_ZERO(uint8_t, count + 1) : NULL;
    for (size_t i = 0; drawn && i < panel->marks.count; i++) {
        const struct sw_mark *other = &panel->marks.items[i];
        if (other->kind == SW_MARK_RECT && other->item.kind == SW_ITEM_BUFFER && other->item.id < count) {
            drawn[other->item.id] = 1;
        }
    }
    struct area_telling telling = {.drawn = drawn};
    panel->merged.count = 0;
    bool good = drawn && sw_map_classify(&map) && tell_marks(&map, &telling, mark, 1);
    sw_color_classes_done(&map.own_classes);
    SW_FREE(drawn, count + 1);
    return good;
}

const char *sw_view_merged_words(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                                 size_t mark) {
    if (!panel->marks.items[mark].told) {
        (void)sw_view_tell_merged(in, scene, panel, mark); /* else the words are only how many */
    }
    return sw_web_tell(scene, panel, &panel->marks.items[mark]);
}

/* Where the cursor stands on the panel; NaN: there is none. */
static double cursor_across(const struct sw_panel *panel) {
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_LINE && mark->style == SW_STYLE_CURSOR) {
            return mark->x0;
        }
    }
    return NAN;
}

/* The merged marks of a map that can be picked, of which the one with this number becomes `found`. */
static uint32_t count_merged(const struct sw_panel *panel, bool moment, uint32_t number, size_t *found) {
    double at = cursor_across(panel);
    uint32_t count = 0;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        bool there = moment || (mark->x0 <= at && at < mark->x1);
        if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_MERGED && there && ++count == number) {
            *found = i;
        }
    }
    return count;
}

static bool shows_run(const struct sw_view_input *in, const struct sw_panel *panel) {
    return panel->about == in->run.search && (!strcmp(panel->id, "map") || !strcmp(panel->id, "moment-map"));
}

const char *sw_view_pick_merged(const struct sw_view_input *in, struct sw_scene *scene, uint32_t number) {
    bool moment = sw_problem_moment(sw_search_problem(in->run.search)) != NULL, drawn = false;
    uint32_t all = 0, before = 0;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < scene->panels.count; i++) {
        bool shown = shows_run(in, &scene->panels.items[i]);
        drawn |= shown;
        all += shown ? count_merged(&scene->panels.items[i], moment, 0, &found) : 0;
    }
    number = all ? (number - 1) % all + 1 : 0;
    for (size_t i = 0; i < scene->panels.count && number; i++) {
        struct sw_panel *panel = &scene->panels.items[i];
        uint32_t here = shows_run(in, panel) ? count_merged(panel, moment, number - before, &found) : 0;
        if (found != SIZE_MAX) {
            struct sw_mark frame = panel->marks.items[found];
            const char *words = sw_view_merged_words(in, scene, panel, found);
            frame.kind = SW_MARK_FRAME;
            frame.style = SW_STYLE_SELECTED;
            frame.hue = frame.pattern = 0;
            frame.labels = NULL;
            frame.hidden = 0; /* they are counted in the area itself */
            sw_panel_mark(scene, panel, frame);
            return sw_scene_printf(scene, "%u of %u: %s", number, all, words);
        }
        before += here;
    }
    return !drawn   ? "there is no map on the screen"
           : moment ? "nothing is too small to draw"
                    : sw_scene_printf(scene, "at time step %u nothing is too small to draw", in->look.cursor);
}
