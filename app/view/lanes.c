/* What moves between tiers: a lane a tier, an arrow a move. */
#include "view/segments.h"

#include <math.h>

const char *sw_segments_tier(const struct sw_segments_view *s, uint32_t tier) {
    return tier == SW_NONE ? SW_HOST_NAME : sw_problem_tier(s->problem, tier)->name;
}

uint64_t sw_segments_size(const struct sw_segments_view *s, const struct sw_transfer *move) {
    return sw_problem_buffer(s->problem, move->buffer)->size;
}

double sw_segments_text_marks(const struct sw_segments_view *s, const char *text) {
    double units = (double)sw_view_columns(text) * (s->in->paper ? SW_PAGE_CHARACTER : 1);
    return units * s->in->marks_per_unit_x;
}

void sw_segments_label(const struct sw_segments_view *s, struct sw_panel *panel, double x, double y,
                       const char *text) {
    const char **labels = sw_arena_new(&s->scene->arena, 3, sizeof *labels);
    if (!labels) {
        s->scene->failed = true;
        return;
    }
    if (s->in->paper) { /* there a text stands with its middle above the point */
        x += (sw_segments_text_marks(s, text) / 2 + 4) / sw_view_space(s->in, panel).x_scale;
    }
    labels[0] = text;
    labels[1] = "";
    sw_panel_mark(s->scene, panel,
                  (struct sw_mark){.kind = SW_MARK_TEXT,
                                   .style = SW_STYLE_TRANSFER,
                                   .x0 = x,
                                   .x1 = x,
                                   .y0 = y,
                                   .y1 = y,
                                   .labels = labels});
}

bool sw_segments_crowded(const struct sw_segments_view *s, double width) {
    size_t seen = 0;
    for (size_t i = 0; i < s->facts->moves.count; i++) {
        uint32_t step = s->facts->moves.items[i].step;
        seen += step >= s->in->viewport.time_lo && step < s->in->viewport.time_hi;
    }
    return (double)seen * (s->in->paper ? 24 : 4) > width;
}

/* ---- tiers as lanes ---- */

struct flow {
    uint32_t from, to, buffer, count;
    uint64_t bytes;
};
struct lanes {
    const struct sw_segments_view *s;
    struct sw_panel *panel;
    struct sw_space space;
    uint32_t count;
    SW_ARRAY(struct flow) flows; /* of one column */
    double column;               /* marks that one is wide */
    double free_from[2];         /* marks from here on have no text: of what goes down, and up */
    uint64_t seen;
};

static double lane_y(const struct lanes *lanes, uint32_t tier) {
    uint32_t lane = tier == SW_NONE ? lanes->count - 1 : tier;
    return lanes->count - lane - 0.5;
}

static void name_lanes(struct lanes *lanes) {
    size_t most = lanes->s->in->paper ? 11 : 6;
    uint32_t tiers = sw_problem_tier_count(lanes->s->problem);
    for (uint32_t t = 0; t < lanes->count; t++) {
        uint32_t tier = t < tiers ? t : SW_NONE;
        const char *const *labels = sw_scene_labels(
            lanes->s->scene, tier == SW_NONE ? "host" : sw_segments_tier(lanes->s, t));
        while (labels && **labels && sw_view_columns(*labels) > most) {
            labels++;
        }
        struct sw_tick tick = {lane_y(lanes, tier), labels ? *labels : ""};
        lanes->s->scene->failed |= !SW_PUSH(&lanes->panel->y.ticks, tick);
        sw_panel_mark(lanes->s->scene, lanes->panel,
                      (struct sw_mark){.kind = SW_MARK_LINE,
                                       .style = SW_STYLE_GAP,
                                       .pattern = 1,
                                       .x0 = lanes->panel->x.lo,
                                       .x1 = lanes->panel->x.hi,
                                       .y0 = tick.at,
                                       .y1 = tick.at});
    }
}

static void collect(struct lanes *lanes, const struct sw_transfer *move) {
    uint64_t bytes = sw_segments_size(lanes->s, move);
    for (size_t i = 0; i < lanes->flows.count; i++) {
        struct flow *flow = &lanes->flows.items[i];
        if (flow->from == move->from && flow->to == move->to) {
            flow->count++;
            flow->bytes += bytes;
            return;
        }
    }
    struct flow flow = {move->from, move->to, move->buffer, 1, bytes};
    lanes->s->scene->failed |= !SW_PUSH(&lanes->flows, flow);
}

static void draw_flow(struct lanes *lanes, const struct flow *flow, double column) {
    const struct sw_segments_view *s = lanes->s;
    bool one = flow->count == 1;
    double x = lanes->space.x_lo + fmin(column, lanes->space.columns - 0.5) / lanes->space.x_scale;
    struct sw_item item = {one ? SW_ITEM_BUFFER : SW_ITEM_MERGED, one ? flow->buffer : flow->count};
    bool selected = one && flow->buffer == s->in->selected;
    sw_panel_mark(s->scene, lanes->panel,
                  (struct sw_mark){.kind = SW_MARK_ARROW,
                                   .style = selected ? SW_STYLE_SELECTED : SW_STYLE_TRANSFER,
                                   .x0 = x,
                                   .x1 = x,
                                   .y0 = lane_y(lanes, flow->from),
                                   .y1 = lane_y(lanes, flow->to),
                                   .item = item,
                                   .hidden = one ? 0 : flow->count});
}

/* Beside its arrow: what goes down above the middle, what comes up below it. */
static void label_flow(struct lanes *lanes, const struct flow *flow, double column, bool up) {
    const struct sw_segments_view *s = lanes->s;
    const char *bytes = sw_view_bytes(s->in, s->scene, flow->bytes);
    const char *text =
        flow->count == 1 ? bytes : sw_scene_printf(s->scene, "%u: %s", flow->count, bytes);
    double from = lane_y(lanes, flow->from), to = lane_y(lanes, flow->to);
    double width = sw_segments_text_marks(s, text),
           at = column + (up ? 1 : 2) * s->in->marks_per_unit_x;
    if (at < lanes->free_from[up] || at + width > lanes->space.columns) {
        return;
    }
    sw_segments_label(s, lanes->panel, lanes->space.x_lo + at / lanes->space.x_scale,
                      (from + to) / 2 + (up ? -0.2 : 0.12), text);
    lanes->free_from[up] = at + width + s->in->marks_per_unit_x;
}

/* The arrows of one column: what leaves a tier for a lower one, and beside it what comes back. */
static void draw_flows(struct lanes *lanes, double at) {
    double beside = lanes->s->in->marks_per_unit_x * (lanes->s->in->paper ? 4 : 1);
    for (size_t i = 0; i < lanes->flows.count && !lanes->s->scene->failed; i++) {
        const struct flow *flow = &lanes->flows.items[i];
        bool up = flow->to < flow->from; /* SW_NONE is the lowest */
        draw_flow(lanes, flow, at + (up ? beside : 0));
        label_flow(lanes, flow, at + (up ? beside : 0), up);
    }
    lanes->flows.count = 0;
}

static void draw_moves(struct lanes *lanes) {
    const struct sw_segments_view *s = lanes->s;
    double current = -1;
    for (size_t i = 0; i < s->facts->moves.count && !s->scene->failed; i++) {
        const struct sw_transfer *move = &s->facts->moves.items[i];
        double x = sw_view_x(s->in, move->step);
        if (x < lanes->space.x_lo || x >= lanes->space.x_hi) {
            continue;
        }
        double at = floor((x - lanes->space.x_lo) * lanes->space.x_scale / lanes->column);
        at *= lanes->column;
        if (at != current) {
            draw_flows(lanes, current);
            current = at;
        }
        collect(lanes, move);
        lanes->seen++;
    }
    draw_flows(lanes, current);
}

void sw_segments_lanes(const struct sw_segments_view *s, struct sw_box box) {
    uint32_t tiers = sw_problem_tier_count(s->problem);
    struct lanes lanes = {.s = s, .panel = sw_scene_panel(s->scene, SW_PANEL_PLOT, "lanes")};
    char all[32], seen[32];
    lanes.panel->title = "moves";
    sw_view_place(s->in, s->scene, lanes.panel, box, true);
    lanes.count = tiers + sw_layout_has_host(s->problem);
    lanes.panel->y.hi = lanes.count;
    lanes.space = sw_view_space(s->in, lanes.panel);
    bool many = sw_segments_crowded(s, lanes.panel->body_width);
    double step = lanes.space.x_scale * (sw_view_x(s->in, 1) - sw_view_x(s->in, 0));
    /* Room for an arrow in each direction. */
    const char *wide = s->in->paper ? "123: 1023 KiB      " : "123: 1.23M  ";
    lanes.column = many ? sw_segments_text_marks(s, wide) : step >= 2 ? 1 : 2;
    name_lanes(&lanes);
    draw_moves(&lanes);
    const char *part =
        lanes.seen < s->facts->moves.count
            ? sw_scene_printf(s->scene, ", %s in view", sw_show_count(lanes.seen, seen))
            : "";
    lanes.panel->title = sw_scene_printf(
        s->scene, "%s move%s between tiers%s%s", sw_show_count(s->facts->moves.count, all),
        s->facts->moves.count == 1 ? "" : "s", many ? ", those near in time together" : "", part);
    double x = sw_view_x(s->in, s->in->cursor + 0.5);
    if (!s->in->paper && s->in->cursor < sw_problem_steps(s->problem) && x >= lanes.space.x_lo &&
        x < lanes.space.x_hi) {
        sw_panel_mark(s->scene, lanes.panel,
                      (struct sw_mark){.kind = SW_MARK_LINE,
                                       .style = SW_STYLE_CURSOR,
                                       .pattern = 1,
                                       .x0 = x,
                                       .x1 = x,
                                       .y0 = 0,
                                       .y1 = lanes.count,
                                       .item = {SW_ITEM_STEP, s->in->cursor}});
    }
    if (s->in->paper) {
        sw_scene_legend(s->scene, SW_STYLE_TRANSFER, 0, 0, "move between tiers");
    }
    SW_ARRAY_DONE(&lanes.flows);
}
