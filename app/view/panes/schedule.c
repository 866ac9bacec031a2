/* The order of the operators before and after: what is alive in either, which operators moved, and which of these moves
 * matter.
 *
 * A run that has put the operators in order is compared with the order of the file. Any other run is compared with the
 * best order that a quick look finds. An operator counts as moved when it does not belong to a longest run of operators
 * that kept their order. What a move is worth is found by undoing it alone. */
#include "view/blame/orders_look.h"
#include "planners/planner.h"
#include "view/scene/lines.h"

#include <math.h>

enum { MOST_MOVE_ROWS = 500, MATTER = 3, LEAST_CHART = 18 };

struct schedule {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_lines lines;
    const struct sw_problem *before, *after; /* the file's order, and the other one */
    bool taken;                              /* the run is about the other one */
    const struct sw_orders_look *look;       /* of `before`; NULL: the run is about another order */
    const struct sw_order_moves *moves;
};

static uint64_t most_live(const struct sw_problem *problem) {
    uint32_t at;
    return sw_view_live_peak(problem, &at);
}

static const char *scheduled_name(const struct schedule *s, uint32_t op) {
    return sw_scene_clean(s->scene, sw_problem_operator(s->before, op)->name);
}

/* ---- what is alive under both ---- */

/* A line along the values of the other order: one stroke per run of equal ones, the largest where several share a mark.
 */
static void outline(const struct schedule *s, struct sw_panel *panel, const uint64_t *profile, unsigned hue) {
    const struct sw_view_input *in = s->in;
    uint32_t steps = sw_problem_steps(s->before);
    double lo = fmax(in->look.viewport.time_lo, 0), hi = fmin(in->look.viewport.time_hi, steps);
    double columns = sw_view_space(in, panel).columns, width = (hi - lo) / fmax(columns, 1), old = -1;
    width = fmax(width, 1);
    for (double from = lo; from < hi && !s->scene->failed; from += width) {
        double to = fmin(from + width, hi);
        uint64_t value = 0;
        for (uint32_t step = (uint32_t)from; step < to && step < steps; step++) {
            value = profile[step] > value ? profile[step] : value;
        }
        struct sw_mark mark = sw_mark_over(SW_MARK_LINE, sw_medium(in)->legend ? SW_STYLE_BLOCK : SW_STYLE_CURRENT,
                                           sw_view_x(in, from), sw_view_x(in, to), (double)value, (double)value);
        mark.hue = (uint8_t)hue;
        mark.item = (struct sw_item){SW_ITEM_STEP, (uint32_t)from};
        if (sw_medium(in)->fine && old >= 0 && old != (double)value) {
            struct sw_mark rise = mark;
            rise.x1 = rise.x0;
            rise.y0 = old;
            sw_panel_mark(s->scene, panel, rise);
        }
        sw_panel_mark(s->scene, panel, mark);
        old = (double)value;
    }
}

static void chart(const struct schedule *s, struct sw_box box) {
    struct sw_panel *panel = sw_scene_panel(s->scene, SW_PANEL_PLOT, "schedule");
    const struct sw_problem *shown = s->taken ? s->after : s->before, *other = s->taken ? s->before : s->after;
    uint64_t high = most_live(shown), there = most_live(other);
    const char *line = s->taken ? "in the order of the file" : "in the best order found";
    panel->title = sw_scene_printf(s->scene, "live bytes: at most %s; the line: %s %s",
                                   sw_view_bytes(s->in, s->scene, high), sw_view_bytes(s->in, s->scene, there), line);
    sw_view_place(s->in, s->scene, panel, box, true);
    sw_view_bytes_axis(s->in, s->scene, panel, 0, fmax((double)(high > there ? high : there) * 1.04, 1));
    sw_view_bars(s->in, s->scene, panel, sw_problem_profile(shown), high);
    outline(s, panel, sw_problem_profile(other), 1);
    if (sw_medium(s->in)->legend) {
        sw_view_bars_legend(s->scene, panel, s->taken ? "live bytes in the new order" : "live bytes in this order");
        sw_scene_legend_line(s->scene, SW_STYLE_BLOCK, 1, 0, false, sw_scene_printf(s->scene, "live bytes %s", line));
    }
}

/* ---- what moved ---- */

static const char *peak_and_step(const struct schedule *s, const struct sw_problem *problem) {
    uint32_t at;
    uint64_t bytes = sw_view_live_peak(problem, &at);
    const char *name = at < sw_problem_operator_count(problem)
                           ? sw_scene_printf(s->scene, " at %s (step %u)",
                                             sw_scene_clean(s->scene, sw_problem_operator(problem, at)->name), at)
                           : "";
    return sw_scene_printf(s->scene, "%s%s", sw_lines_bytes(&s->lines, bytes), name);
}

static const char *order_need(const struct schedule *s) {
    return sw_view_order_need(s->scene, s->before, sw_lines_bytes(&s->lines, s->look->orders.bound));
}

/* The header has what the run has proved up to this decision, which is less as long as it goes on. */
static const char *proved_so_far(const struct schedule *s) {
    struct sw_claims claims;
    sw_search_claims(s->in->run.search, &claims);
    return claims.ordering && claims.order_bound < s->look->orders.bound
               ? sw_scene_printf(s->scene, "; the run has proved %s so far",
                                 sw_lines_bytes(&s->lines, claims.order_bound))
               : "";
}

static void summary(struct schedule *s) {
    size_t count = s->moves->items.count;
    const char *which = sw_scene_printf(s->scene, "%s of %s operators", SW_COUNT(count),
                                        SW_COUNT(sw_problem_operator_count(s->before)));
    sw_lines_text(&s->lines, SW_STYLE_STRONG,
                  s->taken ? sw_scene_printf(s->scene, "%s moved.", which)
                           : sw_scene_printf(s->scene, "A better order moves %s (reorder auto).", which));
    sw_lines_textf(&s->lines, SW_STYLE_TEXT, "Alive at most, in the order of the file: %s.",
                   peak_and_step(s, s->before));
    sw_lines_textf(&s->lines, SW_STYLE_FITS, "%s: %s.", s->taken ? "In the order of this run" : "In the better order",
                   peak_and_step(s, s->after));
    if (s->look && s->look->known) {
        sw_lines_textf(&s->lines, SW_STYLE_DIM, "Every order needs %s%s.", order_need(s), proved_so_far(s));
    }
}

static const char *undone(const struct schedule *s, const struct sw_order_move *move, bool matters) {
    if (!move->tried) {
        return "";
    }
    const char *bytes = sw_scene_bytes(s->scene, move->peak);
    return matters && s->taken
               ? sw_scene_printf(s->scene, "%s (reorder %s %u)", bytes, scheduled_name(s, move->op), move->undone)
               : bytes;
}

static void table(struct schedule *s) {
    static const struct sw_lines_head heads[] = {
        {"operator", false}, {"was", true}, {"is", true}, {"with it undone alone", false}};
    uint64_t now = most_live(s->after);
    size_t count = s->moves->items.count, shown = count < MOST_MOVE_ROWS ? count : MOST_MOVE_ROWS;
    sw_lines_blank(&s->lines);
    if (s->moves->tried < count) {
        sw_lines_textf(&s->lines, SW_STYLE_DIM,
                       "The %s that moved farthest were undone, each alone:", SW_COUNT(s->moves->tried));
    } else {
        sw_lines_text(&s->lines, SW_STYLE_DIM,
                      "What is alive at most with one of the moves undone, the dearest first:");
    }
    sw_lines_head_row(&s->lines, heads, 4);
    for (size_t i = 0; i < shown; i++) {
        const struct sw_order_move *move = &s->moves->items.items[i];
        bool matters = i < MATTER && move->tried && move->peak > now;
        enum sw_style style = matters ? SW_STYLE_PEAK : SW_STYLE_TEXT;
        uint32_t step = s->taken ? move->to : move->op;
        if (sw_lines_row(&s->lines, (struct sw_item){SW_ITEM_OPERATOR, step}, false)) {
            sw_lines_name(&s->lines, style, scheduled_name(s, move->op));
            sw_lines_cellf(&s->lines, style, true, "%u", move->op);
            sw_lines_cellf(&s->lines, style, true, "%u", move->to);
            sw_lines_cell(&s->lines, style, false, undone(s, move, matters));
        }
    }
    if (count > shown) {
        sw_lines_textf(&s->lines, SW_STYLE_DIM, "and %s more", SW_COUNT(count - shown));
    }
}

/* ---- putting it together ---- */

/* Which two orders are compared; false: no memory. */
static bool find_orders(struct schedule *s, struct sw_orders_look *own) {
    s->before = sw_search_given(s->in->run.search);
    s->after = sw_search_problem(s->in->run.search);
    if (sw_search_planner(s->in->run.search)->rewrites) { /* other operators are no other order */
        s->after = s->before;
    }
    s->taken = s->after != s->before;
    s->look = sw_orders_look(s->in, s->before, own);
    if (!s->look) {
        return false;
    }
    if (!s->taken) {
        s->after = s->look->known ? s->look->there : s->before;
    }
    s->moves = s->after != s->before ? sw_orders_moved(s->in, s->before, s->after, own) : NULL;
    return true;
}

static void write_words(struct schedule *s) {
    if (sw_search_problem(s->in->run.search) != s->before && !s->taken) {
        sw_lines_text(&s->lines, SW_STYLE_DIM, "This is about the model as it was before it was changed.");
    }
    if (s->moves && s->moves->items.count > 0 && (s->taken || most_live(s->after) < most_live(s->before))) {
        summary(s);
        table(s);
    } else if (s->look->known) {
        sw_lines_text(&s->lines, SW_STYLE_STRONG,
                      most_live(s->before) <= s->look->orders.bound
                          ? "No order of the operators needs less than that of the file."
                          : "No order that needs less than that of the file was found.");
        sw_lines_textf(&s->lines, SW_STYLE_TEXT, "Alive at most: %s. Every order needs %s%s.",
                       peak_and_step(s, s->before), order_need(s), proved_so_far(s));
    } else {
        sw_lines_textf(&s->lines, SW_STYLE_DIM, "Other orders were not looked at: %s.", s->look->why);
    }
}

static void schedule_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct schedule s = {.in = in, .scene = scene};
    struct sw_orders_look own = {0};
    double unit = sw_medium(in)->row;
    if (!find_orders(&s, &own)) {
        scene->failed = true;
        return;
    }
    bool drawn = s.moves && !in->text && box.height / unit >= LEAST_CHART;
    double above = drawn ? floor(box.height / unit * 0.4) * unit : 0;
    if (drawn) {
        chart(&s, (struct sw_box){box.left, box.top, box.width, above});
    }
    s.lines = sw_lines_begin(in, scene, "moves", "the order of the operators",
                             (struct sw_box){box.left, box.top + above, box.width, box.height - above}, 4, 0);
    sw_lines_flow(&s.lines);
    write_words(&s);
    sw_orders_look_done(&own);
}

static bool schedule_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    const struct sw_problem *problem = sw_search_given(search);
    return sw_problem_operator_count(problem) > 1 && sw_problem_core_count(problem) == 1;
}

const struct sw_view sw_view_schedule = {
    .name = "schedule",
    .summary = "the order before and after: what moved, what that is worth",
    .takes = SW_TAKES_TIME,
    .scrolls = SW_SCROLLS_TEXT,
    .applies = schedule_applies,
    .build = schedule_build,
};
