/* What is too small to draw, as few large marks that say how many blocks they hide, how full they are, and what most of
 * them is. */
#include "view/map/map.h"
#include "base/minmax.h"

#include <math.h>

/* A sheet that is kept is copied, since drawing changes it. */
bool sw_map_open(struct sw_map *map) {
    if (!sw_map_classify(map)) {
        return false;
    }
    map->sheet = sw_frame_cache_sheet(map->in->kept, map->in, map->space, map->counted);
    if (map->sheet) {
        map->counted = map->sheet->classes;
        return sw_hidden_copy(&map->grid, &map->sheet->hidden);
    }
    bool good = sw_small_blocks_open(&map->own, map->in, map->space, map->counted);
    map->sheet = &map->own;
    map->counted = map->own.classes;
    map->grid = map->own.hidden;
    map->own.hidden = (struct sw_hidden){0};
    return good;
}

void sw_map_close(struct sw_map *map) {
    sw_map_names_done(map);
    SW_ARRAY_DONE(&map->colored);
    SW_FREE(map->hues, map->hue_count);
    sw_color_classes_done(&map->own_classes);
    sw_hidden_done(&map->grid);
    sw_small_blocks_done(&map->own);
}

uint8_t sw_map_class_hue(const struct sw_map *map, unsigned class) {
    if (!map->counted.of && map->classes->by != SW_COLOR_TIER) {
        return 0;
    }
    return map->classes->by == SW_COLOR_TIER ? map->in->look.tier % SW_HUES + 1
           : map->classes->by == SW_COLOR_SIZE || map->classes->by == SW_COLOR_LIFETIME
               ? (uint8_t)(SW_HUES + class % SW_RAMP + 1)
               : (uint8_t)(class + 1);
}

const char *sw_map_class_words(const struct sw_map *map, unsigned class) {
    unsigned hue = sw_map_class_hue(map, class);
    return hue ? sw_color_class_words(map->classes, map->scene, hue - 1) : NULL;
}

/* What each mark of the grid looks like: how full it is, in quarters, and the class that fills most of it. */
enum { LOOK_CLASS = 8 }; /* level + LOOK_CLASS * class; 0: nothing is hidden there */

/* From differences to coverage, of one class: into `across`. */
static void sum_class(struct sw_hidden *grid, uint32_t class) {
    size_t wide = grid->columns + 2, high = grid->rows + 2;
    uint32_t *down = grid->down + class * grid->columns * high, *across = grid->across + class * grid->rows * wide;
    for (uint32_t c = 0; c < grid->columns; c++) {
        for (uint32_t r = 1; r < grid->rows; r++) {
            down[c * high + r] += down[c * high + r - 1];
        }
    }
    for (uint32_t r = 0; r < grid->rows; r++) {
        uint32_t sum = 0;
        for (uint32_t c = 0; c < grid->columns; c++) {
            sum += across[r * wide + c];
            across[r * wide + c] = sum + down[c * high + r];
        }
    }
}

/* Of each mark; a block that is counted there covers one part too many. NULL: no memory. */
static uint8_t *choose_hidden_looks(struct sw_hidden *grid) {
    size_t cells = (size_t)grid->columns * grid->rows, wide = grid->columns + 2;
    uint8_t *looks = SW_NEW(uint8_t, cells);
    for (uint32_t class = 0; looks && class < grid->classes; class ++) {
        if (grid->used >> class & 1) {
            sum_class(grid, class);
        }
    }
    for (size_t cell = 0; looks && cell < cells; cell++) {
        const uint32_t *covers = grid->across + cell / grid->columns * wide + cell % grid->columns;
        uint32_t most = 0, main = 0, count = grid->count[cell];
        uint64_t all = 0;
        for (uint32_t class = 0; class < grid->classes; class ++) {
            uint32_t cover = grid->used >> class & 1 ? covers[class * grid->rows * wide] : 0;
            main = cover > most ? class : main;
            most = SW_MAX(most, cover);
            all += cover;
        }
        all = all > count ? all - count : count > 0;
        uint64_t level = (all * 4 + SW_HIDDEN_WHOLE - 1) / SW_HIDDEN_WHOLE;
        looks[cell] = level ? (uint8_t)(SW_MIN(level, 4) + LOOK_CLASS * main) : 0;
    }
    return looks;
}

/* A run of marks in a row that look alike; `mark` is the one it became part of. */
struct run {
    uint32_t from, to;
    unsigned look;
    size_t mark;
};
struct runs {
    struct run *items;
    size_t count;
};

static size_t start_mark(struct sw_map *map, const struct run *run, uint32_t r) {
    double x0 = map->space.x_lo + run->from / map->space.x_scale;
    double x1 = map->space.x_lo + run->to / map->space.x_scale;
    double y0 = map->space.y_lo + r / map->space.y_scale;
    double y1 = map->space.y_lo + (r + 1) / map->space.y_scale;
    struct sw_mark mark = sw_mark_over(SW_MARK_RECT, SW_STYLE_MERGED, x0, x1, y0, y1);
    unsigned class = run->look / LOOK_CLASS;
    mark.pattern = (uint8_t)(run->look % LOOK_CLASS);
    mark.hue = sw_map_class_hue(map, class);
    mark.item.kind = SW_ITEM_MERGED;
    sw_panel_mark(map->scene, map->panel, mark);
    if (mark.hue) {
        map->looks[mark.hue - 1] |= 1;
    }
    return map->panel->marks.count - 1;
}

/* One row of the grid: its runs continue those of the row below where they are the same. */
static void merge_row(struct sw_map *map, const uint8_t *looks, uint32_t *owners, size_t first, uint32_t r,
                      struct runs *below, struct runs *here) {
    const struct sw_hidden *grid = &map->grid;
    size_t b = 0, at = (size_t)r * grid->columns;
    here->count = 0;
    for (uint32_t c = 0; c < grid->columns && !map->scene->failed;) {
        struct run run = {.from = c, .look = looks[at + c]};
        uint32_t count = 0;
        while (c < grid->columns && looks[at + c] == run.look) {
            count += grid->count[at + c++];
        }
        run.to = c;
        if (!run.look) {
            continue;
        }
        while (b < below->count && below->items[b].from < run.from) {
            b++;
        }
        const struct run *same = b < below->count ? &below->items[b] : NULL;
        if (same && same->from == run.from && same->to == run.to && same->look == run.look) {
            run.mark = same->mark;
            map->panel->marks.items[run.mark].y1 = map->space.y_lo + (r + 1) / map->space.y_scale;
        } else {
            run.mark = start_mark(map, &run, r);
        }
        for (c = run.from; owners && c < run.to; c++) {
            owners[at + c] = (uint32_t)(run.mark - first + 1);
        }
        c = run.to;
        if (!map->scene->failed) {
            map->panel->marks.items[run.mark].hidden += count;
            here->items[here->count++] = run;
        }
    }
}

/* "12 blocks", "12", "": where there is room. */
static void label_merged(struct sw_map *map, size_t first) {
    for (size_t i = first; i < map->panel->marks.count; i++) {
        struct sw_mark *mark = &map->panel->marks.items[i];
        mark->item.id = mark->hidden;
        double width = (mark->x1 - mark->x0) * map->space.x_scale;
        double height = (mark->y1 - mark->y0) * map->space.y_scale;
        if (mark->hidden == 0 || width < map->least_label_width || height < map->least_label_height) {
            continue;
        }
        mark->labels = SW_LABELS(map->scene, sw_scene_counted(map->scene, mark->hidden, "block"),
                                 sw_scene_printf(map->scene, "%s", SW_COUNT(mark->hidden)), "");
    }
}

void sw_map_draw_hidden(struct sw_map *map) {
    if (!map->hidden && !map->scattered) {
        return;
    }
    size_t room = (size_t)map->grid.columns, cells = room * map->grid.rows, first = map->panel->marks.count;
    struct runs below = {.items = SW_NEW(struct run, room)}, here = {.items = SW_NEW(struct run, room)};
    uint32_t *owners = map->in->points ? SW_NEW_ZERO(uint32_t, cells) : NULL;
    uint8_t *looks = choose_hidden_looks(&map->grid);
    if (!below.items || !here.items || !looks || (map->in->points && !owners)) {
        map->scene->failed = true;
    } else {
        for (uint32_t r = 0; r < map->grid.rows; r++) {
            merge_row(map, looks, owners, first, r, &below, &here);
            struct runs swap = below;
            below = here;
            here = swap;
        }
        label_merged(map, first);
    }
    if (owners && !map->scene->failed) {
        sw_map_tell_areas(map, first, owners);
    }
    SW_FREE(looks, cells);
    SW_FREE(owners, cells);
    SW_FREE(below.items, room);
    SW_FREE(here.items, room);
}
