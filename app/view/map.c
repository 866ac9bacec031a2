/* The map: which bytes belong to whom, and when. Lifetime runs to the right, addresses run up.
 *
 * Honest detail: a block smaller than a mark of the resolution in either direction is not drawn but
 * adds to a grid of marks, which is then drawn as few large marks that say how many blocks they
 * hide. Each block is either drawn or counted in exactly one of them. Time is linear in the buffers
 * plus the marks of the resolution. */
#include "view/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FULL 4096 /* a mark of the grid that is covered entirely */

struct grid {
    uint32_t columns, rows;
    bool used;
    uint32_t *count;        /* blocks whose home is this mark */
    int64_t *across, *down; /* differences of coverage along a row, along a column */
};

struct map {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    const struct sw_layout *layout;
    struct sw_space space;
    struct grid grid;
    uint32_t current; /* the buffer the last decision was about, or SW_NONE */
    uint64_t drawn, hidden;
    double least_label_width, least_label_height; /* in marks */
    bool kinds[SW_PATTERN_COUNT], pinned;         /* what occurs, for the legend */
    bool zoomed;                                  /* part of time or memory is out of view */
};

/* ---- the looks of a block ---- */

static enum sw_pattern pattern_of(enum sw_kind kind) {
    switch (kind) {
    case SW_KIND_INPUT:
        return SW_PATTERN_INPUT;
    case SW_KIND_OUTPUT:
        return SW_PATTERN_OUTPUT;
    case SW_KIND_CONSTANT:
        return SW_PATTERN_CONSTANT;
    case SW_KIND_SCRATCH:
        return SW_PATTERN_SCRATCH;
    case SW_KIND_INTERMEDIATE:
        break;
    }
    return SW_PATTERN_PLAIN;
}

/* By name, so that a block keeps its colour in every plan of the model. Names that differ only in
 * their number are often neighbours, so the number walks through the colours. */
static unsigned name_hue(const struct sw_problem *problem, uint32_t b) {
    uint64_t stem = 0, number = 0;
    for (const char *name = sw_problem_buffer(problem, b)->name; *name; name++) {
        if (*name >= '0' && *name <= '9') {
            number = number * 10 + (uint64_t)(*name - '0');
        } else {
            stem = stem * 131 + (unsigned char)*name;
        }
    }
    return (unsigned)((sw_mix(stem) + number * 3) % SW_HUES);
}

/* Buffers listed one after the other often touch; of two with the same colour the odd one takes
 * another. */
static uint8_t hue_of(const struct sw_problem *problem, uint32_t b) {
    unsigned hue = name_hue(problem, b);
    if (b % 2 == 0) {
        return (uint8_t)hue;
    }
    unsigned before = name_hue(problem, b - 1);
    unsigned after = b + 1 < sw_problem_buffer_count(problem) ? name_hue(problem, b + 1) : SW_HUES;
    while (hue == before || hue == after) {
        hue = (hue + 3) % SW_HUES;
    }
    return (uint8_t)hue;
}

/* ---- what is too small ---- */

static bool grid_open(struct map *map) {
    struct grid *grid = &map->grid;
    grid->columns = (uint32_t)map->space.columns;
    grid->rows = (uint32_t)map->space.rows;
    size_t cells = (size_t)grid->columns * grid->rows;
    /* One more column and one more row, where ranges that reach the edge end. */
    grid->count = SW_NEW_ZERO(uint32_t, cells);
    grid->across = SW_NEW_ZERO(int64_t, cells + grid->rows);
    grid->down = SW_NEW_ZERO(int64_t, cells + grid->columns);
    return grid->count && grid->across && grid->down;
}

static void grid_close(struct grid *grid) {
    size_t cells = (size_t)grid->columns * grid->rows;
    SW_FREE(grid->count, cells);
    SW_FREE(grid->across, cells + grid->rows);
    SW_FREE(grid->down, cells + grid->columns);
}

static uint32_t clamp_index(double at, uint32_t count) {
    return !(at > 0) ? 0 : at >= count ? count - 1 : (uint32_t)at;
}

/* A rectangle in marks, clipped to the body, of which one side is below 1. */
static void grid_add(struct grid *grid, double x0, double x1, double y0, double y1, bool counts) {
    uint32_t c0 = clamp_index(x0, grid->columns), r0 = clamp_index(y0, grid->rows);
    uint32_t c1 = clamp_index(ceil(x1) - 1, grid->columns);
    uint32_t r1 = clamp_index(ceil(y1) - 1, grid->rows);
    uint32_t c = clamp_index((x0 + x1) / 2, grid->columns);
    uint32_t r = clamp_index((y0 + y1) / 2, grid->rows);
    grid->used = true;
    double width = fmin(x1 - x0, 1), height = fmin(y1 - y0, 1);
    if (counts) {
        grid->count[(size_t)r * grid->columns + c]++;
    }
    int64_t amount = (int64_t)fmax(1, FULL * width * height);
    if (y1 - y0 < 1) {
        c0 = x1 - x0 < 1 ? c : c0;
        c1 = x1 - x0 < 1 ? c : c1 < c0 ? c0 : c1;
        int64_t *row = grid->across + (size_t)r * (grid->columns + 1);
        row[c0] += amount;
        row[c1 + 1] -= amount;
    } else {
        r1 = r1 < r0 ? r0 : r1;
        int64_t *column = grid->down + (size_t)c * (grid->rows + 1);
        column[r0] += amount;
        column[r1 + 1] -= amount;
    }
}

/* How full each mark is, in quarters, into `count`'s companion: across is reused for the answer. */
static void grid_sum(struct grid *grid) {
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
            cover = cover > FULL ? FULL : cover;
            row[c] = (cover * 4 + FULL - 1) / FULL;
        }
    }
}

static int64_t level_at(const struct grid *grid, uint32_t r, uint32_t c) {
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

static size_t start_mark(struct map *map, const struct run *run, uint32_t r) {
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
static void merge_row(struct map *map, uint32_t r, struct runs *below, struct runs *here) {
    const struct grid *grid = &map->grid;
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
static void label_merged(struct map *map, size_t first) {
    for (size_t i = first; i < map->panel->marks.count; i++) {
        struct sw_mark *mark = &map->panel->marks.items[i];
        mark->item.id = mark->hidden;
        double width = (mark->x1 - mark->x0) * map->space.x_scale;
        double height = (mark->y1 - mark->y0) * map->space.y_scale;
        if (mark->hidden == 0 || width < map->least_label_width ||
            height < map->least_label_height) {
            continue;
        }
        const char **labels = sw_arena_new(&map->scene->arena, 4, sizeof *labels);
        if (!labels) {
            map->scene->failed = true;
            return;
        }
        char count[32];
        sw_show_count(mark->hidden, count);
        labels[0] = sw_scene_printf(map->scene, "%s block%s", count, mark->hidden == 1 ? "" : "s");
        labels[1] = sw_scene_printf(map->scene, "%s", count);
        labels[2] = "";
        mark->labels = labels;
    }
}

static void draw_merged(struct map *map) {
    if (!map->grid.used) {
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

/* ---- blocks ---- */

static struct sw_mark block_mark(struct map *map, uint32_t b, const struct sw_buffer *buffer) {
    return (struct sw_mark){.kind = SW_MARK_RECT,
                            .style = b == map->current ? SW_STYLE_CURRENT : SW_STYLE_BLOCK,
                            .hue = hue_of(map->problem, b),
                            .pattern = (uint8_t)pattern_of(buffer->kind),
                            .item = {.kind = SW_ITEM_BUFFER, .id = b}};
}

static bool is_pinned(const struct map *map, uint32_t b, const struct sw_buffer *buffer) {
    const struct sw_rules *rules = sw_search_rules(map->in->search);
    struct sw_pin pin;
    return buffer->pinned ||
           (rules && rules->pins.count && sw_rules_pin(map->problem, rules, b, &pin));
}

/* The rectangle of one piece, in data; false when nothing of it is in view. */
static bool piece_in_view(const struct map *map, const struct sw_placement *placement,
                          const struct sw_piece *piece, struct sw_mark *mark) {
    uint32_t first = piece->first > placement->span.from ? piece->first : placement->span.from;
    uint32_t last = piece->last < placement->span.to ? piece->last : placement->span.to;
    const struct sw_viewport *port = &map->in->viewport;
    if (first > last || first >= port->time_hi || last + 1.0 <= port->time_lo) {
        return false;
    }
    mark->y0 = (double)(placement->offset + piece->lo);
    mark->y1 = (double)(placement->offset + piece->hi);
    if (mark->y0 >= map->space.y_hi || mark->y1 <= map->space.y_lo) {
        return false;
    }
    mark->x0 = sw_view_x(map->in, first);
    mark->x1 = sw_view_x(map->in, last + 1.0);
    return mark->x1 > mark->x0 && mark->y1 > mark->y0;
}

static void draw_piece(struct map *map, struct sw_mark *mark, const char *name, double width,
                       double height, bool pinned) {
    if (name && width >= map->least_label_width && height >= map->least_label_height) {
        mark->labels = sw_scene_labels(map->scene, name);
    }
    sw_panel_mark(map->scene, map->panel, *mark);
    if (pinned) {
        struct sw_mark frame = *mark;
        frame.kind = SW_MARK_FRAME;
        frame.style = SW_STYLE_PINNED;
        frame.pattern = 0;
        frame.labels = NULL;
        sw_panel_mark(map->scene, map->panel, frame);
        map->pinned = true;
    }
}

static void hide_piece(struct map *map, const struct sw_mark *mark, bool counts) {
    const struct sw_space *space = &map->space;
    double x0 = fmax((mark->x0 - space->x_lo) * space->x_scale, 0);
    double x1 = fmin((mark->x1 - space->x_lo) * space->x_scale, space->columns);
    double y0 = fmax((mark->y0 - space->y_lo) * space->y_scale, 0);
    double y1 = fmin((mark->y1 - space->y_lo) * space->y_scale, space->rows);
    /* A block that is too small in one direction stays so after clipping; both sides below 1 is
     * what the grid takes for a dot. */
    grid_add(&map->grid, x0, x1, y0, y1, counts);
}

/* The largest piece in view carries the name. */
struct seen {
    uint32_t pieces;
    double area;
    uint32_t named_placement, named_piece;
    bool large; /* some piece is large enough to be drawn */
};

static void look(const struct map *map, const struct sw_buffer *buffer, uint32_t k,
                 const struct sw_placement *placement, struct seen *seen) {
    struct sw_mark mark = {0};
    for (uint32_t p = 0; p < buffer->piece_count; p++) {
        if (!piece_in_view(map, placement, &buffer->pieces[p], &mark)) {
            continue;
        }
        double width = (mark.x1 - mark.x0) * map->space.x_scale;
        double height = (mark.y1 - mark.y0) * map->space.y_scale;
        seen->pieces++;
        seen->large |= width >= 1 && height >= 1;
        if (width * height > seen->area) {
            seen->area = width * height;
            seen->named_placement = k;
            seen->named_piece = p;
        }
    }
}

static void show(struct map *map, uint32_t b, const struct sw_buffer *buffer, uint32_t k,
                 const struct sw_placement *placement, struct seen *seen, bool always) {
    struct sw_mark mark = block_mark(map, b, buffer);
    bool pinned = (seen->large || always) && is_pinned(map, b, buffer);
    for (uint32_t p = 0; p < buffer->piece_count; p++) {
        if (!piece_in_view(map, placement, &buffer->pieces[p], &mark)) {
            continue;
        }
        double width = (mark.x1 - mark.x0) * map->space.x_scale;
        double height = (mark.y1 - mark.y0) * map->space.y_scale;
        bool named = k == seen->named_placement && p == seen->named_piece;
        if (always || (width >= 1 && height >= 1)) {
            mark.labels = NULL;
            draw_piece(map, &mark, named ? buffer->name : NULL, width, height, pinned);
        } else {
            hide_piece(map, &mark, named && !seen->large);
        }
    }
}

/* One buffer: drawn when any piece is large enough, else hidden once. */
static void add_block(struct map *map, uint32_t b, const struct sw_buffer *buffer, bool always) {
    struct sw_placement placement;
    struct seen seen = {0};
    for (uint32_t k = 0; sw_layout_placement(map->layout, b, k, &placement); k++) {
        if (placement.tier == map->in->tier) {
            look(map, buffer, k, &placement, &seen);
        }
    }
    if (!seen.pieces) {
        return;
    }
    if (seen.large || always) {
        map->drawn++;
        map->kinds[pattern_of(buffer->kind)] = true;
    } else {
        map->hidden++;
    }
    for (uint32_t k = 0; sw_layout_placement(map->layout, b, k, &placement); k++) {
        if (placement.tier == map->in->tier) {
            show(map, b, buffer, k, &placement, &seen, always);
        }
    }
}

static bool in_time(const struct map *map, const struct sw_buffer *buffer) {
    return buffer->planned && buffer->size && buffer->first < map->in->viewport.time_hi &&
           buffer->last + 1.0 > map->in->viewport.time_lo;
}

static void draw_blocks(struct map *map) {
    uint32_t count = sw_problem_buffer_count(map->problem);
    uint32_t apart[2] = {map->in->selected, map->current};
    for (uint32_t b = 0; b < count && !map->scene->failed; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
        if (b != apart[0] && b != apart[1] && in_time(map, buffer)) {
            add_block(map, b, buffer, false);
        }
    }
    draw_merged(map);
    for (int i = 0; i < 2; i++) {
        if (apart[i] < count && (i == 0 || apart[1] != apart[0])) {
            const struct sw_buffer *buffer = sw_problem_buffer(map->problem, apart[i]);
            if (in_time(map, buffer)) {
                add_block(map, apart[i], buffer, true);
            }
        }
    }
}

/* ---- what lies over the blocks ---- */

static void frame(struct map *map, enum sw_style style, uint32_t first, uint32_t last, double lo,
                  double hi, struct sw_item item, const char *const *labels) {
    struct sw_mark mark = {.kind = SW_MARK_FRAME,
                           .style = (uint8_t)style,
                           .x0 = sw_view_x(map->in, first),
                           .x1 = sw_view_x(map->in, last + 1.0),
                           .y0 = lo,
                           .y1 = hi,
                           .item = item,
                           .labels = labels};
    if (mark.x1 > map->space.x_lo && mark.x0 < map->space.x_hi && hi > map->space.y_lo &&
        lo < map->space.y_hi && hi > lo) {
        sw_panel_mark(map->scene, map->panel, mark);
    }
}

/* Where the last decision could have gone: what was refused is as large as the free space was, what
 * fits as large as the block would have been. */
static void draw_ghosts(struct map *map) {
    const struct sw_explanation *explanation = map->in->explanation;
    if (!explanation || map->current == SW_NONE) {
        return;
    }
    const struct sw_buffer *buffer = sw_problem_buffer(map->problem, map->current);
    static const char *const refused[] = {"refused", "no", "", NULL};
    static const char *const fits[] = {"fits", "", NULL};
    for (size_t i = 0; i < explanation->candidates.count; i++) {
        const struct sw_candidate *candidate = &explanation->candidates.items[i];
        bool marked = map->in->candidate == i;
        if (candidate->tier != map->in->tier || (!marked && !map->in->ghosts) ||
            (!marked && candidate->verdict == SW_VERDICT_CHOSEN)) {
            continue;
        }
        bool no = candidate->verdict == SW_VERDICT_REFUSED;
        uint64_t size = no && candidate->size < buffer->size ? candidate->size : buffer->size;
        double lo = (double)candidate->offset, hi = lo + (double)size;
        enum sw_style style = marked ? SW_STYLE_SELECTED : no ? SW_STYLE_GHOST : SW_STYLE_FITS;
        frame(map, style, buffer->first, buffer->last, lo, hi,
              (struct sw_item){SW_ITEM_CANDIDATE, i}, no ? refused : fits);
    }
}

/* Space that a decision freed, joined or enlarged; blocks it moved. */
static void draw_decision(struct map *map) {
    const struct sw_decision *decision = sw_search_decision(map->in->search);
    if (!decision) {
        return;
    }
    bool space = decision->kind == SW_DECISION_RELEASE || decision->kind == SW_DECISION_COALESCE ||
                 decision->kind == SW_DECISION_GROW;
    if (space && decision->time != SW_NONE && decision->tier == map->in->tier) {
        frame(map, SW_STYLE_CHOSEN, decision->time, decision->time, (double)decision->offset,
              (double)decision->offset + (double)decision->size,
              (struct sw_item){SW_ITEM_DECISION, decision->step}, NULL);
    }
    if (!map->in->explanation) {
        return;
    }
    for (size_t i = 0; i < map->in->explanation->moved.count && i < 256; i++) {
        const struct sw_moved *moved = &map->in->explanation->moved.items[i];
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, moved->buffer);
        if (moved->tier != map->in->tier || !in_time(map, buffer)) {
            continue;
        }
        double x = sw_view_x(map->in, (buffer->first + buffer->last + 1.0) / 2);
        double half = (double)buffer->size / 2;
        sw_panel_mark(map->scene, map->panel,
                      (struct sw_mark){.kind = SW_MARK_ARROW,
                                       .style = SW_STYLE_TRANSFER,
                                       .x0 = x,
                                       .x1 = x,
                                       .y0 = (double)moved->from + half,
                                       .y1 = (double)moved->to + half,
                                       .item = {SW_ITEM_BUFFER, moved->buffer}});
    }
}

/* A block that comes or goes at a step: an arrow between its middle and the upper edge, or between
 * its two places when it stays in the tier. */
static void draw_transfers(struct map *map) {
    size_t count = sw_layout_transfer_count(map->layout);
    for (size_t i = 0; i < count && !map->scene->failed; i++) {
        struct sw_transfer transfer = sw_layout_transfer_get(map->layout, i);
        double x = sw_view_x(map->in, transfer.step);
        bool leaves = transfer.from == map->in->tier, comes = transfer.to == map->in->tier;
        if ((!leaves && !comes) || x < map->space.x_lo || x > map->space.x_hi) {
            continue;
        }
        struct sw_placement before, after;
        double half = (double)sw_problem_buffer(map->problem, transfer.buffer)->size / 2;
        double y0 = map->space.y_hi, y1 = map->space.y_hi;
        if (leaves && transfer.step > 0 &&
            sw_layout_at(map->layout, transfer.buffer, transfer.step - 1, &before)) {
            y0 = (double)before.offset + half;
        }
        if (comes && sw_layout_at(map->layout, transfer.buffer, transfer.step, &after)) {
            y1 = (double)after.offset + half;
        }
        uint32_t elsewhere = leaves ? transfer.to : transfer.from;
        const char **labels = sw_arena_new(&map->scene->arena, 3, sizeof *labels);
        if (!labels) {
            map->scene->failed = true;
            return;
        }
        labels[0] = sw_scene_printf(map->scene, "%s %s", leaves ? "to" : "from",
                                    sw_problem_tier(map->problem, elsewhere)->name);
        labels[1] = "";
        sw_panel_mark(map->scene, map->panel,
                      (struct sw_mark){.kind = SW_MARK_ARROW,
                                       .style = SW_STYLE_TRANSFER,
                                       .x0 = x,
                                       .x1 = x,
                                       .y0 = y0,
                                       .y1 = y1,
                                       .item = {SW_ITEM_BUFFER, transfer.buffer},
                                       .labels = labels});
        sw_scene_legend(map->scene, SW_STYLE_TRANSFER, 0, 0, "move between tiers");
    }
}

static void draw_reserved(struct map *map) {
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(map->problem, &count);
    static const char *const labels[] = {"reserved", "", NULL};
    for (size_t i = 0; i < count; i++) {
        double lo = (double)reserved[i].lo, hi = (double)reserved[i].hi;
        if (reserved[i].tier != map->in->tier || lo >= map->space.y_hi || hi <= map->space.y_lo) {
            continue;
        }
        sw_panel_mark(map->scene, map->panel,
                      (struct sw_mark){.kind = SW_MARK_RECT,
                                       .style = SW_STYLE_CAPACITY,
                                       .pattern = 1,
                                       .x0 = map->panel->x.lo,
                                       .x1 = map->panel->x.hi,
                                       .y0 = lo,
                                       .y1 = hi,
                                       .labels = labels});
        sw_scene_legend(map->scene, SW_STYLE_CAPACITY, 0, 1, "reserved");
    }
}

/* The lower bound as a dashed line, and solid over the steps that prove it. */
static void draw_bound(struct map *map) {
    uint64_t bound = sw_problem_lower_bound(map->problem);
    double y = (double)bound;
    if (!sw_view_single(map->in) || bound == 0 || y < map->space.y_lo || y > map->space.y_hi) {
        return;
    }
    /* Where both are one line, the peak's label says so. */
    bool met = bound == sw_layout_arena(map->layout, map->in->tier);
    sw_view_level(map->scene, map->panel, SW_STYLE_BOUND, true, y,
                  met ? NULL : sw_view_figure(map->in, map->scene, "bound", bound));
    const uint64_t *profile = sw_problem_profile(map->problem);
    uint32_t steps = sw_problem_steps(map->problem);
    struct sw_mark *last = NULL;
    for (uint32_t i = 0; i < steps && !map->scene->failed; i++) {
        if (profile[i] < bound || i + 1.0 <= map->in->viewport.time_lo ||
            i >= map->in->viewport.time_hi) {
            continue;
        }
        double x0 = sw_view_x(map->in, i), x1 = sw_view_x(map->in, i + 1.0);
        if (last && (x0 - last->x1) * map->space.x_scale < 0.5) {
            last->x1 = x1;
            continue;
        }
        last = sw_panel_mark(map->scene, map->panel,
                             (struct sw_mark){.kind = SW_MARK_LINE,
                                              .style = SW_STYLE_BOUND,
                                              .x0 = x0,
                                              .x1 = x1,
                                              .y0 = y,
                                              .y1 = y,
                                              .item = {SW_ITEM_STEP, i}});
    }
}

static void draw_lines(struct map *map) {
    uint64_t capacity = sw_view_capacity(map->in);
    uint64_t arena = sw_layout_arena(map->layout, map->in->tier);
    bool met = sw_view_single(map->in) && arena == sw_problem_lower_bound(map->problem);
    draw_bound(map);
    if (capacity != SW_UNBOUNDED) {
        sw_view_level(map->scene, map->panel, SW_STYLE_CAPACITY, false, (double)capacity,
                      sw_view_figure(map->in, map->scene, "capacity", capacity));
    }
    if (arena > 0) {
        sw_view_level(map->scene, map->panel, SW_STYLE_PEAK, false, (double)arena,
                      sw_view_figure(map->in, map->scene, met ? "peak = bound" : "peak", arena));
    }
}

static void draw_sight(struct map *map) {
    const struct sw_view_input *in = map->in;
    struct sw_placement placement;
    if (in->selected < sw_problem_buffer_count(map->problem)) {
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, in->selected);
        for (uint32_t k = 0; sw_layout_placement(map->layout, in->selected, k, &placement); k++) {
            if (placement.tier == in->tier) {
                double lo = (double)placement.offset;
                uint32_t from = placement.span.from, to = placement.span.to;
                frame(map, SW_STYLE_SELECTED, from > buffer->first ? from : buffer->first,
                      to < buffer->last ? to : buffer->last, lo, lo + (double)buffer->size,
                      (struct sw_item){SW_ITEM_BUFFER, in->selected}, NULL);
            }
        }
    }
    double x = sw_view_x(in, in->cursor + 0.5);
    if (!in->paper && in->cursor < sw_problem_steps(map->problem) && x >= map->space.x_lo &&
        x < map->space.x_hi) {
        sw_panel_mark(map->scene, map->panel,
                      (struct sw_mark){.kind = SW_MARK_LINE,
                                       .style = SW_STYLE_CURSOR,
                                       .pattern = 1,
                                       .x0 = x,
                                       .x1 = x,
                                       .y0 = map->space.y_lo,
                                       .y1 = map->space.y_hi,
                                       .item = {SW_ITEM_STEP, in->cursor}});
    }
}

/* ---- furniture ---- */

static const char *map_title(struct map *map) {
    struct sw_scene *scene = map->scene;
    uint64_t placed = sw_layout_placed_count(map->layout), seen = map->drawn + map->hidden;
    uint32_t planned = sw_problem_planned_count(map->problem);
    bool single = sw_view_single(map->in);
    char a[32], b[32];
    const char *text;
    if (!single) { /* how many of all are in this tier nobody counts */
        text = sw_scene_printf(scene, "%s: %s block%s",
                               sw_problem_tier(map->problem, map->in->tier)->name,
                               sw_show_count(seen, a), seen == 1 ? "" : "s");
    } else if (placed < planned) {
        text = sw_scene_printf(scene, "memory: %s of %s blocks placed", sw_show_count(placed, a),
                               sw_show_count(planned, b));
    } else {
        text = sw_scene_printf(scene, "memory: %s block%s", sw_show_count(planned, b),
                               planned == 1 ? "" : "s");
    }
    if (single && map->zoomed) {
        text = sw_scene_printf(scene, "%s, %s in view", text, sw_show_count(seen, a));
    }
    if (map->hidden) {
        text = sw_scene_printf(scene, "%s, %s too small to draw singly", text,
                               sw_show_count(map->hidden, a));
    }
    return text;
}

static void map_legend(struct map *map) {
    static const char *const kinds[SW_PATTERN_COUNT] = {"block", "input", "output", "constant",
                                                        "scratch"};
    for (unsigned i = 0; i < SW_PATTERN_COUNT; i++) {
        if (map->kinds[i]) {
            sw_scene_legend(map->scene, SW_STYLE_BLOCK, i, i, kinds[i]);
        }
    }
    if (map->pinned) {
        sw_scene_legend(map->scene, SW_STYLE_PINNED, 0, 0, "pinned");
    }
    if (map->hidden) {
        sw_scene_legend(map->scene, SW_STYLE_MERGED, 0, 3, "blocks too small to draw singly");
    }
    for (size_t i = 0; i < map->panel->marks.count; i++) {
        const struct sw_mark *mark = &map->panel->marks.items[i];
        if (mark->style == SW_STYLE_CURRENT) {
            sw_scene_legend(map->scene, SW_STYLE_CURRENT, mark->hue, 0, "last decision");
        } else if (mark->style == SW_STYLE_GHOST) {
            sw_scene_legend(map->scene, SW_STYLE_GHOST, 0, 0, "refused");
        } else if (mark->style == SW_STYLE_FITS) {
            sw_scene_legend(map->scene, SW_STYLE_FITS, 0, 0, "would have fitted");
        }
    }
}

/* In a picture of a finished run nothing is "the last decision". */
static uint32_t subject(const struct sw_view_input *in) {
    const struct sw_decision *decision = sw_search_decision(in->search);
    bool finished =
        sw_search_complete(in->search) && sw_search_at(in->search) == sw_search_known(in->search);
    return decision && !(in->paper && finished) ? decision->buffer : SW_NONE;
}

void sw_view_build_map(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                       bool x_labels) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "map");
    panel->title = "";
    sw_view_place(in, scene, panel, box, x_labels);
    sw_view_bytes_axis(in, scene, panel, in->viewport.bytes_lo, in->viewport.bytes_hi);
    panel->y.title = in->paper ? "memory" : NULL;
    struct map map = {.in = in,
                      .scene = scene,
                      .panel = panel,
                      .problem = sw_search_problem(in->search),
                      .layout = sw_search_layout(in->search),
                      .space = sw_view_space(in, panel),
                      .current = subject(in)};
    map.zoomed = in->viewport.time_lo > 0 || in->viewport.bytes_lo > 0 ||
                 in->viewport.time_hi < sw_problem_steps(map.problem) ||
                 in->viewport.bytes_hi < (double)sw_layout_arena(map.layout, in->tier);
    map.least_label_width = in->marks_per_unit_x * (in->paper ? 7 : 2);
    map.least_label_height = in->marks_per_unit_y * (in->paper ? 6 : 1);
    if (!grid_open(&map)) {
        scene->failed = true;
    } else {
        draw_reserved(&map);
        draw_blocks(&map);
        draw_ghosts(&map);
        draw_decision(&map);
        draw_transfers(&map);
        draw_lines(&map);
        draw_sight(&map);
        panel->title = map_title(&map);
        if (in->paper) {
            map_legend(&map);
        }
    }
    grid_close(&map.grid);
}

/* One map a tier that is in use, one above the other, the highest tier on top. */
static void build_tiers(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_layout *layout = sw_search_layout(in->search);
    uint32_t tiers = sw_problem_tier_count(sw_search_problem(in->search)), used = 0;
    for (uint32_t t = 0; t < tiers; t++) {
        used += sw_layout_arena(layout, t) > 0;
    }
    uint32_t shown = used ? used : 1, place = 0;
    double height = box.height / shown;
    for (uint32_t t = 0; t < tiers && place < shown; t++) {
        if (used && sw_layout_arena(layout, t) == 0) {
            continue;
        }
        struct sw_view_input one = *in;
        struct sw_viewport all = sw_viewport_all(in->search, t);
        one.tier = t;
        one.viewport.bytes_lo = all.bytes_lo;
        one.viewport.bytes_hi = all.bytes_hi;
        sw_view_build_map(
            &one, scene, (struct sw_box){box.left, box.top + height * place, box.width, height - 4},
            false);
        place++;
    }
}

static void build(const struct sw_view_input *in, struct sw_scene *scene, double left, double top,
                  double width, double height) {
    struct sw_box box = {left, top, width, height};
    if (!in->paper) {
        sw_view_build_map(in, scene, box, true);
        return;
    }
    /* On paper the curve of live bytes stands below, on the same axis of time. */
    double low = fmax(fmin(height * 0.24, 130), fmin(72, height / 3));
    box.height -= low + 4;
    if (in->tier == SW_NONE) {
        build_tiers(in, scene, box);
    } else {
        sw_view_build_map(in, scene, box, false);
    }
    sw_view_build_live(in, scene, (struct sw_box){left, top + height - low, width, low}, true);
}

const struct sw_view sw_view_layout = {
    .name = "layout",
    .summary = "the map of memory: lifetime to the right, addresses upward",
    .build = build,
};
