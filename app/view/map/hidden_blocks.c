/* What is too small to draw, as few large marks that say how many blocks they hide. */
#include "view/map/map.h"

#include <math.h>

#define FULL_MARK 4096 /* a mark of the grid that is covered entirely */

/* A sheet that is kept is copied, since drawing changes it. */
bool sw_map_open(struct sw_map *map) {
    map->sheet = sw_frame_cache_sheet(map->in->kept, map->in, map->space);
    if (map->sheet) {
        return sw_hidden_copy(&map->grid, &map->sheet->hidden);
    }
    bool good = sw_small_blocks_open(&map->own, map->in, map->space);
    map->sheet = &map->own;
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

/* How full each mark is, in quarters, into `count`'s companion: across is reused for the answer. */
static void grid_sum(struct sw_hidden *grid) {
    for (uint32_t c = 0; c < grid->columns; c++) {
        int64_t *column = grid->down + (size_t)c * (grid->rows + 1);
        for (uint32_t r = 1; r < grid->rows; r++) {
            column[r] += column[r - 1];
        }
    }
    for (uint32_t r = 0; r < grid->rows; r++) {
        int64_t *row = grid->across + (size_t)r * (grid->columns + 1);
        int64_t sum = 0;
        for (uint32_t c = 0; c < grid->columns; c++) {
            sum += row[c];
            int64_t cover = sum + grid->down[(size_t)c * (grid->rows + 1) + r];
            cover = cover > FULL_MARK ? FULL_MARK : cover;
            row[c] = (cover * 4 + FULL_MARK - 1) / FULL_MARK;
        }
    }
}

static int64_t level_at(const struct sw_hidden *grid, uint32_t r, uint32_t c) {
    return grid->across[(size_t)r * (grid->columns + 1) + c];
}

/* A run of equally full marks in a row; `mark` is the one it became part of. */
struct run {
    uint32_t from, to;
    int64_t level;
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
    sw_panel_mark(map->scene, map->panel,
                  (struct sw_mark){.kind = SW_MARK_RECT,
                                   .style = SW_STYLE_MERGED,
                                   .pattern = (uint8_t)run->level,
                                   .x0 = x0,
                                   .x1 = x1,
                                   .y0 = y0,
                                   .y1 = y1,
                                   .item = {.kind = SW_ITEM_MERGED}});
    return map->panel->marks.count - 1;
}

/* One row of the grid: its runs continue those of the row below where they are the same. */
static void merge_row(struct sw_map *map, uint32_t r, struct runs *below, struct runs *here) {
    const struct sw_hidden *grid = &map->grid;
    size_t b = 0;
    here->count = 0;
    for (uint32_t c = 0; c < grid->columns && !map->scene->failed;) {
        struct run run = {.from = c, .level = level_at(grid, r, c)};
        uint32_t count = 0;
        while (c < grid->columns && level_at(grid, r, c) == run.level) {
            count += grid->count[(size_t)r * grid->columns + c++];
        }
        run.to = c;
        if (!run.level) {
            continue;
        }
        while (b < below->count && below->items[b].from < run.from) {
            b++;
        }
        const struct run *same = b < below->count ? &below->items[b] : NULL;
        if (same && same->from == run.from && same->to == run.to && same->level == run.level) {
            run.mark = same->mark;
            map->panel->marks.items[run.mark].y1 = map->space.y_lo + (r + 1) / map->space.y_scale;
        } else {
            run.mark = start_mark(map, &run, r);
        }
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
    size_t room = (size_t)map->grid.columns;
    struct runs below = {.items = SW_NEW(struct run, room)};
    struct runs here = {.items = SW_NEW(struct run, room)};
    size_t first = map->panel->marks.count;
    if (!below.items || !here.items) {
        map->scene->failed = true;
    } else {
        grid_sum(&map->grid);
        for (uint32_t r = 0; r < map->grid.rows; r++) {
            merge_row(map, r, &below, &here);
            struct runs swap = below;
            below = here;
            here = swap;
        }
        label_merged(map, first);
    }
    SW_FREE(below.items, room);
    SW_FREE(here.items, room);
}
