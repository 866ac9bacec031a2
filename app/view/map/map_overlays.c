/* What lies over the blocks of the map: candidates, moves, lines, what the user looks at. */
#include "view/map/map.h"
#include "base/base.h"
#include "planners/tiers/tier_search_look.h"

/* NULL: it is out of view. */
static struct sw_mark *draw_map_frame(struct sw_map *map, enum sw_style style, uint32_t first, uint32_t last, double lo,
                                      double hi, struct sw_item item, const char *const *labels) {
    struct sw_mark mark =
        sw_mark_over(SW_MARK_FRAME, style, sw_view_x(map->in, first), sw_view_x(map->in, last + 1.0), lo, hi);
    mark.item = item;
    mark.labels = labels;
    bool seen = mark.x1 > map->space.x_lo && mark.x0 < map->space.x_hi && hi > map->space.y_lo &&
                lo < map->space.y_hi && hi > lo;
    return seen ? sw_panel_mark(map->scene, map->panel, mark) : NULL;
}

/* Where the last decision could have gone: what was refused is as large as the free space was, what
 * fits as large as the block would have been. */
static void draw_places(struct sw_map *map, bool marked_one) {
    const struct sw_explanation *explanation = map->in->run.explanation;
    if (!explanation || map->current == SW_NONE) {
        return;
    }
    const struct sw_buffer *buffer = sw_problem_buffer(map->problem, map->current);
    static const char *const refused[] = {"refused", "no", "", NULL};
    static const char *const fits[] = {"fits", "", NULL};
    for (size_t i = 0; i < explanation->candidates.count; i++) {
        const struct sw_candidate *candidate = &explanation->candidates.items[i];
        bool marked = map->in->look.candidate == i;
        if (candidate->tier != map->in->look.tier || marked != marked_one || (!marked && !map->in->look.ghosts) ||
            (!marked && (candidate->occupied || candidate->verdict == SW_VERDICT_CHOSEN))) {
            continue;
        }
        bool no = candidate->verdict == SW_VERDICT_REFUSED;
        uint64_t size = no && candidate->size < buffer->size ? candidate->size : buffer->size;
        double lo = (double)candidate->offset, hi = lo + (double)size;
        enum sw_style style = marked ? SW_STYLE_SELECTED : no ? SW_STYLE_GHOST : SW_STYLE_FITS;
        draw_map_frame(map, style, buffer->first, buffer->last, lo, hi, (struct sw_item){SW_ITEM_CANDIDATE, i},
                       no ? refused : fits);
    }
}

void sw_map_draw_ghosts(struct sw_map *map) {
    draw_places(map, false);
}

/* Space that a decision freed, joined or enlarged; blocks it moved. */
static void draw_decision(struct sw_map *map) {
    const struct sw_decision *decision = sw_search_decision(map->in->run.search);
    /* In a picture of a finished run nothing is "the last decision". */
    if (!decision || (sw_medium(map->in)->still && sw_view_at_end(map->in->run.search))) {
        return;
    }
    bool space = decision->kind == SW_DECISION_RELEASE || decision->kind == SW_DECISION_COALESCE ||
                 decision->kind == SW_DECISION_GROW;
    if (space && decision->time != SW_NONE && decision->tier == map->in->look.tier) {
        draw_map_frame(map, SW_STYLE_CHOSEN, decision->time, decision->time, (double)decision->offset,
                       (double)decision->offset + (double)decision->size,
                       (struct sw_item){SW_ITEM_DECISION, decision->step}, NULL);
    }
    if (!map->in->run.explanation) {
        return;
    }
    for (size_t i = 0; i < map->in->run.explanation->moved.count && i < 256; i++) {
        const struct sw_moved *moved = &map->in->run.explanation->moved.items[i];
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, moved->buffer);
        if (moved->tier != map->in->look.tier || !sw_map_in_time(map, buffer)) {
            continue;
        }
        double x = sw_view_x(map->in, (buffer->first + buffer->last + 1.0) / 2);
        double half = (double)buffer->size / 2;
        sw_panel_mark(
            map->scene, map->panel,
            sw_mark_over(SW_MARK_ARROW, SW_STYLE_TRANSFER, x, x, (double)moved->from + half, (double)moved->to + half))
            ->item = (struct sw_item){SW_ITEM_BUFFER, moved->buffer};
    }
}

/* Where an arrow begins or ends outside the tier: in a terminal, where it is one of several maps,
 * beyond the upper edge; on paper nearby, on the side on which the other tier is drawn. */
static double outside(const struct sw_map *map, double inside, uint32_t elsewhere) {
    if (!sw_medium(map->in)->fine) {
        return map->space.y_hi;
    }
    double length = 14 * map->in->marks_per_unit_y / map->space.y_scale;
    double end = elsewhere > map->in->look.tier ? inside - length : inside + length;
    end = end < map->space.y_lo ? map->space.y_lo : end;
    return end > map->space.y_hi ? map->space.y_hi : end;
}

static void draw_transfer(struct sw_map *map, const struct sw_transfer *transfer, bool leaves, bool comes) {
    struct sw_placement before, after;
    double x = sw_view_x(map->in, transfer->step), y0 = NAN, y1 = NAN;
    double half = (double)sw_problem_buffer(map->problem, transfer->buffer)->size / 2;
    uint32_t elsewhere = leaves ? transfer->to : transfer->from;
    if (leaves && transfer->step > 0 && sw_layout_at(map->layout, transfer->buffer, transfer->step - 1, &before)) {
        y0 = (double)before.offset + half;
    }
    if (comes && sw_layout_at(map->layout, transfer->buffer, transfer->step, &after)) {
        y1 = (double)after.offset + half;
    }
    double inside = isnan(y0) ? y1 : y0;
    if (sw_medium(map->in)->fine && (isnan(inside) || inside < map->space.y_lo || inside > map->space.y_hi)) {
        return; /* the block is not in view */
    }
    const char *where =
        sw_scene_printf(map->scene, "%s %s", leaves ? "to" : "from",
                        elsewhere == SW_NONE ? SW_HOST_NAME : sw_problem_tier(map->problem, elsewhere)->name);
    struct sw_mark *mark = sw_panel_mark(map->scene, map->panel,
                                         sw_mark_over(SW_MARK_ARROW, SW_STYLE_TRANSFER, x, x,
                                                      isnan(y0) ? outside(map, inside, elsewhere) : y0,
                                                      isnan(y1) ? outside(map, inside, elsewhere) : y1));
    mark->item = (struct sw_item){SW_ITEM_BUFFER, transfer->buffer};
    mark->labels = SW_LABELS(map->scene, where, "");
}

/* A block that comes or goes at a step: an arrow from its middle, or to it, or between its two
 * places when it stays in the tier. Of more than can be told apart only those of the selected buffer are drawn, which
 * the title says. */
static void draw_transfers(struct sw_map *map) {
    size_t count = sw_layout_transfer_count(map->layout), seen = 0, drawn = 0;
    bool fine = sw_medium(map->in)->fine, few = true;
    double most = fine ? map->panel->body_width / 8 : map->panel->width / sw_medium(map->in)->arrow_room;
    for (int draws = 0; draws < 2 && !map->scene->failed; draws++) {
        for (size_t i = 0; i < count && !map->scene->failed; i++) {
            struct sw_transfer transfer = sw_layout_transfer_get(map->layout, i);
            double x = sw_view_x(map->in, transfer.step);
            bool leaves = transfer.from == map->in->look.tier, comes = transfer.to == map->in->look.tier;
            if ((!leaves && !comes) || x < map->space.x_lo || x > map->space.x_hi) {
                continue;
            }
            seen += !draws;
            if (draws && (few || transfer.buffer == map->in->look.selected)) {
                draw_transfer(map, &transfer, leaves, comes);
                drawn++;
            }
        }
        few = (double)seen <= most;
    }
    map->arrows = seen - drawn;
    if (sw_medium(map->in)->legend && drawn > 0) {
        sw_scene_legend(map->scene, SW_STYLE_TRANSFER, 0, 0, "move between tiers");
    }
}

enum { LEAST_HATCHED = 3 };

/* Where two blocks share bytes at a step; false: nowhere on this map. */
static bool shared_bytes(const struct sw_map *map, const struct sw_permit *permit, double *lo, double *hi) {
    struct sw_placement fresh, old;
    uint32_t tier = map->in->look.tier;
    if (!sw_layout_at(map->layout, permit->fresh, permit->step, &fresh) ||
        !sw_layout_at(map->layout, permit->old, permit->step, &old) || fresh.tier != tier || old.tier != tier) {
        return false;
    }
    uint64_t fresh_end = fresh.offset + sw_problem_buffer(map->problem, permit->fresh)->size,
             old_end = old.offset + sw_problem_buffer(map->problem, permit->old)->size;
    *lo = (double)SW_MAX(fresh.offset, old.offset);
    *hi = (double)SW_MIN(fresh_end, old_end);
    return *lo < *hi;
}

/* Hatched: where a block is written over another one that is still alive. In a terminal a label names that one, and of
 * more than can be told apart those of the selected buffer and of the last decision are drawn; on paper those that are
 * wide enough for hatching. */
static void draw_overwrites(struct sw_map *map) {
    size_t count = sw_layout_permit_count(map->layout), drawn = 0;
    bool fine = sw_medium(map->in)->fine, still = sw_medium(map->in)->still;
    bool few = still || (double)count <= map->panel->width / sw_medium(map->in)->arrow_room;
    for (size_t i = 0; i < count && !map->scene->failed; i++) {
        struct sw_permit permit = sw_layout_permit_get(map->layout, i);
        uint32_t selected = map->in->look.selected;
        bool wanted = few || permit.fresh == map->current || permit.fresh == selected || permit.old == selected;
        double lo, hi, step = permit.step;
        if (!wanted || !shared_bytes(map, &permit, &lo, &hi)) {
            continue;
        }
        double width = (sw_view_x(map->in, step + 1) - sw_view_x(map->in, step)) * map->space.x_scale;
        if (still && (width < LEAST_HATCHED || (hi - lo) * map->space.y_scale < LEAST_HATCHED)) {
            continue;
        }
        const char *old = sw_view_buffer_name(map->in, map->scene, permit.old, 16);
        struct sw_mark *mark = draw_map_frame(
            map, SW_STYLE_TRANSFER, permit.step, permit.step, lo, hi, (struct sw_item){SW_ITEM_BUFFER, permit.fresh},
            fine ? NULL : SW_LABELS(map->scene, sw_scene_printf(map->scene, "over %s", old), "over", "x", ""));
        if (mark) {
            mark->pattern = SW_PATTERN_CROSS;
            drawn++;
        }
    }
    if (sw_medium(map->in)->legend && drawn > 0) {
        sw_scene_legend(map->scene, SW_STYLE_TRANSFER, 0, SW_PATTERN_CROSS,
                        "written over an earlier value (where there is room to hatch)");
    }
}

void sw_map_draw_reserved(struct sw_map *map) {
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(map->problem, &count);
    static const char *const labels[] = {"reserved", "", NULL};
    for (size_t i = 0; i < count; i++) {
        double lo = (double)reserved[i].lo, hi = (double)reserved[i].hi;
        if (reserved[i].tier != map->in->look.tier || lo >= map->space.y_hi || hi <= map->space.y_lo) {
            continue;
        }
        struct sw_mark *mark =
            sw_panel_mark(map->scene, map->panel,
                          sw_mark_over(SW_MARK_RECT, SW_STYLE_CAPACITY, map->panel->x.lo, map->panel->x.hi, lo, hi));
        mark->pattern = 1;
        mark->labels = labels;
        if (sw_medium(map->in)->legend) {
            sw_scene_legend(map->scene, SW_STYLE_CAPACITY, 0, 1, "reserved");
        }
    }
}

/* ---- free memory where it matters: below what stands at the peak ---- */

enum { MOST_HOLES = 256 };
struct hole {
    uint64_t lo, hi;
};

/* Take [lo, hi) out of the holes, at `step`. */
static size_t take_from_holes(struct hole *holes, size_t count, uint64_t lo, uint64_t hi) {
    for (size_t i = 0; i < count; i++) {
        struct hole *hole = &holes[i];
        if (hi <= hole->lo || lo >= hole->hi) {
            continue;
        }
        struct hole above = {.lo = hi, .hi = hole->hi};
        if (lo > hole->lo) {
            hole->hi = lo;
            if (above.lo < above.hi && count < MOST_HOLES) {
                holes[count++] = above;
            }
        } else if (above.lo < above.hi) {
            *hole = above;
        } else {
            *hole = holes[--count];
            i--;
        }
    }
    return count;
}

static size_t find_holes(const struct sw_map *map, uint32_t step, struct hole *holes) {
    size_t count = 1;
    struct sw_neighbors alive = sw_problem_alive(map->problem, step, step);
    holes[0] = (struct hole){.hi = sw_layout_arena(map->layout, map->in->look.tier)};
    for (uint32_t b; count > 0 && (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
        struct sw_placement place;
        if (buffer->size && sw_buffer_alive(buffer, step) && sw_layout_at(map->layout, b, step, &place) &&
            place.tier == map->in->look.tier) {
            count = take_from_holes(holes, count, place.offset, place.offset + buffer->size);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) { /* those that can be seen */
        if ((double)(holes[i].hi - holes[i].lo) * map->space.y_scale >= 2) {
            holes[kept++] = holes[i];
        }
    }
    return kept;
}

/* Too small for anything but the alignment of what lies above: padding. */
static bool is_padding_hole(const struct sw_map *map, const struct hole *hole, uint32_t step) {
    struct sw_neighbors alive = sw_problem_alive(map->problem, step, step);
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        struct sw_placement place;
        if (sw_layout_at(map->layout, b, step, &place) && place.tier == map->in->look.tier &&
            place.offset == hole->hi && hole->hi - hole->lo < sw_problem_buffer(map->problem, b)->alignment) {
            return true;
        }
    }
    return false;
}

static const char *const *hole_labels(struct sw_map *map, const struct hole *hole, uint32_t step) {
    const char *what = is_padding_hole(map, hole, step) ? "padding" : "free";
    const char *bytes = sw_view_bytes(map->in, map->scene, hole->hi - hole->lo);
    return SW_LABELS(map->scene, sw_scene_printf(map->scene, "%s %s", bytes, what), bytes, "");
}

/* A finished plan above its bound: what is free at the step of the bound, which a better plan would
 * not leave free; of several tiers, at the first step of what stands at the peak. */
void sw_map_draw_holes(struct sw_map *map) {
    struct hole holes[MOST_HOLES];
    uint64_t arena = sw_layout_arena(map->layout, map->in->look.tier);
    bool single = sw_view_single(map->in);
    if (!sw_medium(map->in)->still || !sw_search_complete(map->in->run.search) || arena == 0 ||
        sw_layout_transfer_count(map->layout) > 0 || sw_layout_shared(map->layout) ||
        (single && arena == sw_problem_lower_bound(map->problem))) {
        return;
    }
    uint32_t top = sw_layout_at_peak(map->layout, map->in->look.tier);
    if (top == SW_NONE) {
        return;
    }
    uint32_t step = single ? sw_problem_bound_step(map->problem) : sw_problem_buffer(map->problem, top)->first;
    if (step >= sw_problem_steps(map->problem)) {
        return;
    }
    size_t count = find_holes(map, step, holes);
    for (size_t i = 0; i < count && !map->scene->failed; i++) {
        double lo = (double)holes[i].lo, hi = (double)holes[i].hi;
        struct sw_mark mark =
            sw_mark_over(SW_MARK_RECT, SW_STYLE_GAP, sw_view_x(map->in, step), sw_view_x(map->in, step + 1.0), lo, hi);
        mark.item = (struct sw_item){SW_ITEM_STEP, step};
        bool wide = (mark.x1 - mark.x0) * map->space.x_scale >= 1; /* else it is not seen, and the legend lies */
        if (wide && mark.x0 < map->space.x_hi && mark.x1 > map->space.x_lo && lo < map->space.y_hi &&
            hi > map->space.y_lo) {
            mark.labels = hole_labels(map, &holes[i], step);
            sw_panel_mark(map->scene, map->panel, mark);
            sw_scene_legend(map->scene, SW_STYLE_GAP, 0, 0,
                            single ? "free at the step that sets the bound" : "free when the highest block is born");
        }
    }
}

static void draw_map_level(struct sw_map *map, enum sw_style style, bool dashed, double at, const char *const *labels) {
    static const char *const none[] = {"", NULL};
    bool quiet = labels && map->in->furniture && map->in->furniture->tell_level;
    sw_view_level(map->scene, map->panel, style, dashed, at, quiet ? none : labels);
}

/* The steps at which the bound is what it is. */
static void draw_binding(struct sw_map *map, uint64_t bound) {
    const uint64_t *profile = sw_problem_profile(map->problem);
    bool after = sw_problem_goes_on(map->problem); /* what is asked for then bounds nothing */
    const struct sw_viewport *port = &map->in->look.viewport;
    double steps = sw_problem_steps(map->problem);
    uint32_t end = (uint32_t)fmin(fmax(ceil(port->time_hi), 0), steps);
    struct sw_mark *last = NULL;
    for (uint32_t i = (uint32_t)fmin(fmax(floor(port->time_lo), 0), steps); !map->scene->failed; i++) {
        while (i < end && (profile[i] < bound || (after && profile[i] > bound))) {
            i++;
        }
        if (i >= end) {
            break;
        }
        double x0 = sw_view_x(map->in, i), x1 = sw_view_x(map->in, i + 1.0);
        if (last && (x0 - last->x1) * map->space.x_scale < 0.5) {
            last->x1 = x1;
            continue;
        }
        last = sw_panel_mark(map->scene, map->panel,
                             sw_mark_over(SW_MARK_LINE, SW_STYLE_BOUND, x0, x1, (double)bound, (double)bound));
        last->item = (struct sw_item){SW_ITEM_STEP, i};
    }
    if (last && sw_medium(map->in)->legend) {
        sw_scene_legend(map->scene, SW_STYLE_BOUND, 0, 1, "steps that set the lower bound");
    }
}

/* The lower bound is a dashed line, and solid over the steps that prove it: on paper on top of the peak, which may be
 * the same line. Where both are one line, the peak's label says so. */
static void draw_lines(struct sw_map *map) {
    uint64_t capacity = sw_view_capacity(map->in), bound = sw_problem_lower_bound(map->problem);
    uint64_t arena = sw_layout_arena(map->layout, map->in->look.tier);
    bool single = sw_view_single(map->in), met = single && arena == bound, fine = sw_medium(map->in)->fine;
    bool bounded = single && bound > 0 && (double)bound >= map->space.y_lo && (double)bound <= map->space.y_hi;
    if (bounded) {
        draw_map_level(map, SW_STYLE_BOUND, true, (double)bound,
                       met ? NULL : sw_view_figure(map->in, map->scene, "bound", bound));
    }
    if (bounded && !fine) {
        draw_binding(map, bound);
    }
    if (capacity != SW_UNBOUNDED) {
        draw_map_level(map, SW_STYLE_CAPACITY, false, (double)capacity,
                       sw_view_figure(map->in, map->scene, "capacity", capacity));
    }
    if (arena > 0 && sw_layout_tier_peak(map->layout, map->in->look.tier) == arena) { /* else it is no height */
        draw_map_level(map, SW_STYLE_PEAK, false, (double)arena,
                       sw_view_figure(map->in, map->scene,
                                      *sw_view_trial(map->in, map->scene, NULL) ? "trial"
                                      : met                                     ? SW_PEAK_IS "bound"
                                                                                : "peak",
                                      arena));
        if (map->highest != SW_NONE && map->panel->marks.count > 0) {
            map->panel->marks.items[map->panel->marks.count - 1].item = (struct sw_item){SW_ITEM_BUFFER, map->highest};
        }
    }
    if (bounded && fine) {
        draw_binding(map, bound);
    }
}

static void draw_sight(struct sw_map *map) {
    const struct sw_view_input *in = map->in;
    struct sw_placement placement;
    if (in->look.selected < sw_problem_buffer_count(map->problem)) {
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, in->look.selected);
        for (uint32_t k = 0; sw_layout_placement(map->layout, in->look.selected, k, &placement); k++) {
            if (placement.tier == in->look.tier) {
                double lo = (double)placement.offset;
                uint32_t from = placement.span.from, to = placement.span.to;
                draw_map_frame(map, SW_STYLE_SELECTED, SW_MAX(from, buffer->first),
                               to < buffer->last ? to : buffer->last, lo, lo + (double)buffer->size,
                               (struct sw_item){SW_ITEM_BUFFER, in->look.selected}, NULL);
            }
        }
    }
    sw_view_mark_cursor(in, map->scene, map->panel);
}

/* The user's pins of blocks that are not placed yet: where these will lie. */
static void draw_waiting_pins(struct sw_map *map) {
    const struct sw_rules *rules = sw_search_rules(map->in->run.search);
    for (size_t i = 0; rules && i < rules->pins.count && !map->scene->failed; i++) {
        const struct sw_pin *pin = &rules->pins.items[i];
        if (pin->tier != map->in->look.tier || sw_layout_placed(map->layout, pin->buffer)) {
            continue;
        }
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, pin->buffer);
        draw_map_frame(map, SW_STYLE_PINNED, buffer->first, buffer->last, (double)pin->offset,
                       (double)pin->offset + (double)buffer->size, (struct sw_item){SW_ITEM_BUFFER, pin->buffer},
                       sw_scene_labels(map->scene, buffer->name));
    }
}

/* ---- segments of a walk ---- */

static bool begins_segment(const struct sw_map *map, uint32_t step) {
    const struct sw_search *search = map->in->run.search;
    return sw_tier_segment_begins(sw_search_planner(search), sw_search_planner_state(search), step);
}

/* Upright lines, over the blocks; none where there are more than can be told apart. */
static void draw_segment_starts(struct sw_map *map) {
    enum { LEAST_APART = 3 };
    uint32_t steps = sw_problem_steps(map->problem), all = 0, seen = 0;
    for (int draws = 0; draws < 2 && seen * LEAST_APART <= map->space.columns; draws++) {
        for (uint32_t i = 1; i < steps && (!draws || seen > 0) && !map->scene->failed; i++) {
            bool begins = begins_segment(map, i);
            double x = begins ? sw_view_x(map->in, i) : 0;
            bool in_view = begins && x > map->space.x_lo && x < map->space.x_hi;
            all += !draws && begins;
            seen += !draws && in_view;
            if (draws && in_view) {
                struct sw_mark *line = sw_panel_mark(
                    map->scene, map->panel,
                    sw_mark_over(SW_MARK_LINE, SW_STYLE_STRONG, x, x, map->panel->y.lo, map->panel->y.hi));
                line->pattern = SW_DASH_DOTS;
                line->item = (struct sw_item){SW_ITEM_STEP, i};
                map->segments = all + 1;
            }
        }
    }
    if (sw_medium(map->in)->legend && map->segments > 0) {
        sw_scene_legend_line(map->scene, SW_STYLE_STRONG, 0, SW_DASH_DOTS, false, "a segment begins");
    }
}

/* The block in the user's hand, where it would lie. */
static void draw_held(struct sw_map *map) {
    const struct sw_view_input *in = map->in;
    static const char *const labels[] = {"here", "", NULL};
    if (!in->look.holding || in->look.held_tier != in->look.tier ||
        in->look.held >= sw_problem_buffer_count(map->problem)) {
        return;
    }
    const struct sw_buffer *buffer = sw_problem_buffer(map->problem, in->look.held);
    draw_map_frame(map, SW_STYLE_CHOSEN, buffer->first, buffer->last, (double)in->look.held_offset,
                   (double)in->look.held_offset + (double)buffer->size, (struct sw_item){SW_ITEM_BUFFER, in->look.held},
                   labels);
}

void sw_map_draw_over(struct sw_map *map) {
    draw_places(map, true);
    draw_segment_starts(map);
    draw_decision(map);
    draw_overwrites(map);
    draw_transfers(map);
    draw_lines(map);
    draw_waiting_pins(map);
    draw_sight(map);
    draw_held(map);
}
