/* What moves between tiers: an arrow a move; and the tiers as lanes. */
#include "view/charts/segments.h"

#include <math.h>

const char *sw_segments_tier(const struct sw_segments_view *s, uint32_t tier) {
    return tier == SW_NONE ? SW_HOST_NAME : sw_problem_tier(s->problem, tier)->name;
}

uint64_t sw_segments_size(const struct sw_segments_view *s, const struct sw_transfer *move) {
    return sw_problem_buffer(s->problem, move->buffer)->size;
}

double sw_segments_text_marks(const struct sw_segments_view *s, const char *text) {
    double units = (double)sw_view_columns(text) * sw_medium(s->in)->character;
    return units * s->in->marks_per_unit_x;
}

void sw_segments_label(const struct sw_segments_view *s, struct sw_panel *panel, double x, double y, const char *text) {
    if (sw_medium(s->in)->fine) { /* there a text stands with its middle above the point */
        x += (sw_segments_text_marks(s, text) / 2 + 4) / sw_view_space(s->in, panel).x_scale;
    }
    sw_view_point(s->scene, panel, SW_STYLE_TRANSFER, x, y, SW_LABELS(s->scene, text, ""));
}

bool sw_segments_crowded(const struct sw_segments_view *s, double width) {
    size_t seen = 0;
    for (size_t i = 0; i < s->facts->moves.count; i++) {
        uint32_t step = s->facts->moves.items[i].step;
        seen += step >= s->in->look.viewport.time_lo && step < s->in->look.viewport.time_hi;
    }
    return (double)seen * sw_medium(s->in)->arrow_room > width;
}

/* ---- arrows ---- */

struct move_flow {
    uint32_t from, to, buffer, count, step;
    uint64_t bytes;
};
struct arrows {
    const struct sw_segments_view *s;
    struct sw_panel *panel;
    struct sw_space space;
    const struct sw_arrows *style;
    SW_ARRAY(struct move_flow) flows; /* of one column */
    double column;                    /* marks that one is wide */
    double free_from[2];              /* marks from here on have no text: of what goes down, and up */
    uint64_t seen;
};

static void collect_flow(struct arrows *arrows, const struct sw_transfer *move) {
    uint64_t bytes = sw_segments_size(arrows->s, move);
    for (size_t i = 0; i < arrows->flows.count; i++) {
        struct move_flow *flow = &arrows->flows.items[i];
        if (flow->from == move->from && flow->to == move->to) {
            flow->count++;
            flow->bytes += bytes;
            return;
        }
    }
    struct move_flow flow = {move->from, move->to, move->buffer, 1, move->step, bytes};
    arrows->s->scene->failed |= !SW_PUSH(&arrows->flows, flow);
}

static void draw_flow(struct arrows *arrows, const struct move_flow *flow, double column) {
    const struct sw_segments_view *s = arrows->s;
    const struct sw_arrows *style = arrows->style;
    bool one = flow->count == 1;
    double x = arrows->space.x_lo + fmin(column, arrows->space.columns - 0.5) / arrows->space.x_scale;
    struct sw_item item = {one ? SW_ITEM_BUFFER : SW_ITEM_MERGED, one ? flow->buffer : flow->count};
    bool selected = one && flow->buffer == s->in->look.selected;
    struct sw_mark *mark = sw_panel_mark(s->scene, arrows->panel,
                                         sw_mark_over(SW_MARK_ARROW, selected ? SW_STYLE_SELECTED : SW_STYLE_TRANSFER,
                                                      x, x, style->level(style->context, flow->from, flow->step, false),
                                                      style->level(style->context, flow->to, flow->step, true)));
    mark->item = item;
    mark->hidden = one ? 0 : flow->count;
}

/* Beside its arrow; on paper with its direction, and never outside the plot. */
static void label_flow(struct arrows *arrows, const struct move_flow *flow, double column, bool up) {
    const struct sw_segments_view *s = arrows->s;
    const char *bytes = sw_view_bytes(s->in, s->scene, flow->bytes);
    const char *text = flow->count == 1 ? bytes : sw_scene_printf(s->scene, "%u: %s", flow->count, bytes);
    text = sw_medium(s->in)->fine ? sw_scene_printf(s->scene, "%s %s", up ? "↑" : "↓", text) : text;
    double width = sw_segments_text_marks(s, text), at = column + (up ? 1 : 2) * s->in->marks_per_unit_x;
    at = sw_medium(s->in)->fine ? fmin(at, arrows->space.columns - width) : at;
    if (at < arrows->free_from[up] || at + width > arrows->space.columns) {
        return;
    }
    sw_segments_label(s, arrows->panel, arrows->space.x_lo + at / arrows->space.x_scale,
                      arrows->style->text(arrows->style->context, flow->from, flow->to), text);
    arrows->free_from[up] = at + width + s->in->marks_per_unit_x;
}

/* The arrows of one column: what leaves a tier for a lower one, and beside it what comes back. */
static void draw_flows(struct arrows *arrows, double at) {
    double beside = arrows->s->in->marks_per_unit_x * sw_medium(arrows->s->in)->arrow_apart;
    for (size_t i = 0; i < arrows->flows.count && !arrows->s->scene->failed; i++) {
        const struct move_flow *flow = &arrows->flows.items[i];
        bool up = flow->to < flow->from; /* SW_NONE is the lowest */
        draw_flow(arrows, flow, at + (up ? beside : 0));
        label_flow(arrows, flow, at + (up ? beside : 0), up);
    }
    arrows->flows.count = 0;
}

/* Moves that are near in time are drawn as one, at the first of them. */
static void draw_moves(struct arrows *arrows) {
    const struct sw_segments_view *s = arrows->s;
    double current = -1;
    for (size_t i = 0; i < s->facts->moves.count && !s->scene->failed; i++) {
        const struct sw_transfer *move = &s->facts->moves.items[i];
        double x = sw_view_x(s->in, move->step);
        if (x < arrows->space.x_lo || x >= arrows->space.x_hi) {
            continue;
        }
        double at = (x - arrows->space.x_lo) * arrows->space.x_scale;
        bool apart = sw_medium(s->in)->fine ? current < 0 || at >= current + arrows->column
                                            : (at = floor(at / arrows->column) * arrows->column) != current;
        if (apart) {
            draw_flows(arrows, current);
            current = at;
        }
        collect_flow(arrows, move);
        arrows->seen++;
    }
    draw_flows(arrows, current);
}

bool sw_segments_arrows(const struct sw_segments_view *s, struct sw_panel *panel, const struct sw_arrows *style,
                        uint64_t *seen) {
    struct arrows arrows = {.s = s, .panel = panel, .style = style, .space = sw_view_space(s->in, panel)};
    bool many = sw_segments_crowded(s, panel->body_width);
    double step = arrows.space.x_scale * (sw_view_x(s->in, 1) - sw_view_x(s->in, 0));
    /* Room for an arrow in each direction. */
    const char *wide = sw_medium(s->in)->fine ? "↓ 123: 1023 KiB    " : "123: 1.23M  ";
    arrows.column = many ? sw_segments_text_marks(s, wide) : step >= 2 ? 1 : 2;
    draw_moves(&arrows);
    *seen = arrows.seen;
    SW_ARRAY_DONE(&arrows.flows);
    if (sw_medium(s->in)->legend && arrows.seen) {
        sw_scene_legend(s->scene, SW_STYLE_TRANSFER, 0, 0, "move between tiers");
    }
    return many;
}

/* ---- tiers as lanes ---- */

struct lanes {
    const struct sw_segments_view *s;
    struct sw_panel *panel;
    uint32_t count;
};

static double lane_y(const struct lanes *lanes, uint32_t tier) {
    uint32_t lane = tier == SW_NONE ? lanes->count - 1 : tier;
    return lanes->count - lane - 0.5;
}

static double lane_level(const void *context, uint32_t tier, uint32_t step, bool arrives) {
    (void)step;
    (void)arrives;
    return lane_y(context, tier);
}

/* What goes down above the middle, what comes up below it. */
static double lane_text(const void *context, uint32_t from, uint32_t to) {
    return (lane_y(context, from) + lane_y(context, to)) / 2 + (to < from ? -0.2 : 0.12);
}

static void name_lanes(struct lanes *lanes) {
    uint32_t tiers = sw_problem_tier_count(lanes->s->problem);
    for (uint32_t t = 0; t < lanes->count; t++) {
        uint32_t tier = t < tiers ? t : SW_NONE;
        const char *name = tier == SW_NONE ? "host" : sw_segments_tier(lanes->s, t);
        struct sw_tick tick = {lane_y(lanes, tier), sw_view_gutter_name(lanes->s->in, lanes->s->scene, name)};
        lanes->s->scene->failed |= !SW_PUSH(&lanes->panel->y.ticks, tick);
        sw_view_level(lanes->s->scene, lanes->panel, SW_STYLE_GAP, true, tick.at, NULL);
    }
}

void sw_segments_lanes(const struct sw_segments_view *s, struct sw_box box) {
    uint32_t tiers = sw_problem_tier_count(s->problem);
    struct lanes lanes = {.s = s, .panel = sw_scene_panel(s->scene, SW_PANEL_PLOT, "lanes")};
    uint64_t drawn;
    lanes.panel->title = "moves";
    sw_view_place(s->in, s->scene, lanes.panel, box, true);
    lanes.count = tiers + sw_layout_has_host(s->problem);
    lanes.panel->y.hi = lanes.count;
    name_lanes(&lanes);
    struct sw_arrows style = {.level = lane_level, .text = lane_text, .context = &lanes};
    bool many = sw_segments_arrows(s, lanes.panel, &style, &drawn);
    const char *part = drawn < s->facts->moves.count ? sw_scene_printf(s->scene, ", %s in view", SW_COUNT(drawn)) : "";
    lanes.panel->title =
        sw_scene_printf(s->scene, "%s between tiers%s%s", sw_scene_counted(s->scene, s->facts->moves.count, "move"),
                        many ? ", those near in time together" : "", part);
    sw_view_mark_cursor(s->in, s->scene, lanes.panel);
}
