/* The curve of live bytes: what any layout needs at each step, whatever the planner does. */
#include "view/charts/waste.h"
#include "base/base.h"
#include "view/view_internal.h"

/* The step at which a mark of the resolution begins; the last mark ends at the viewport's end. */
static double step_at(const struct sw_view_input *in, double columns, double column) {
    double span = in->look.viewport.time_hi - in->look.viewport.time_lo;
    return in->look.viewport.time_lo + span * column / columns;
}

static void draw_bar(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, double from,
                     double to, uint64_t bytes, bool most, uint32_t step) {
    if (bytes == 0 || to <= from) {
        return;
    }
    struct sw_mark *last = panel->marks.count ? &panel->marks.items[panel->marks.count - 1] : NULL;
    if (last && last->y1 == (double)bytes && last->x1 == sw_view_x(in, from)) {
        last->x1 = sw_view_x(in, to);
        return;
    }
    sw_panel_mark(scene, panel,
                  sw_mark_over(SW_MARK_BAR, most ? SW_STYLE_PEAK : SW_STYLE_LIVE, sw_view_x(in, from),
                               sw_view_x(in, to), 0, (double)bytes))
        ->item = (struct sw_item){SW_ITEM_STEP, step};
}

/* The largest of the values from `from` on, before `end`, and the first place where it is. There
 * may be a million, so the loops are short. */
static uint64_t largest(const uint64_t *profile, uint32_t from, uint32_t end, uint32_t *where) {
    uint64_t most = 0;
    uint32_t at = from;
    for (uint32_t i = from; i < end; i++) {
        most = SW_MAX(profile[i], most);
    }
    while (most > 0 && profile[at] != most) {
        at++;
    }
    *where = at;
    return most;
}

/* The end of the bar that begins at a step: where the value changes, or, when steps are finer than
 * marks, where the mark ends that `column` counts to. */
static uint32_t bar_end(const uint64_t *profile, uint32_t from, uint32_t end) {
    uint32_t i = from + 1;
    while (i < end && profile[i] == profile[from]) {
        i++;
    }
    return i;
}

static uint32_t column_end(const struct sw_view_input *in, double columns, double *column, uint32_t from,
                           uint32_t end) {
    double at = ceil(step_at(in, columns, *column + 1));
    uint32_t next = at <= from ? from + 1 : at >= end ? end : (uint32_t)at;
    while (next >= step_at(in, columns, *column + 1) && next < end) {
        ++*column;
    }
    return next;
}

/* One bar per run of equal steps; when steps are finer than marks, one per mark with the largest of
 * its steps, so that no peak is lost. */
void sw_view_bars(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                  const uint64_t *profile, uint64_t most) {
    uint32_t steps = sw_problem_steps(sw_search_problem(in->run.search));
    double lo = fmax(in->look.viewport.time_lo, 0), hi = fmin(in->look.viewport.time_hi, steps);
    if (!(hi > lo)) {
        return;
    }
    double columns = sw_view_space(in, panel).columns, column = 0;
    bool fine = in->look.viewport.time_hi - in->look.viewport.time_lo <= columns;
    uint32_t first = (uint32_t)lo, end = (uint32_t)ceil(hi);
    for (uint32_t i = first, next, where; i < end; i = next) {
        next = fine ? bar_end(profile, i, end) : column_end(in, columns, &column, i, end);
        uint64_t value = largest(profile, i, next, &where);
        draw_bar(in, scene, panel, i > first ? i : lo, next < end ? next : hi, value, value == most, where);
    }
}

void sw_view_bars_legend(struct sw_scene *scene, const struct sw_panel *panel, const char *text) {
    for (int peak = 0; peak < 2; peak++) {
        enum sw_style style = peak ? SW_STYLE_PEAK : SW_STYLE_LIVE;
        bool found = false;
        for (size_t i = 0; i < panel->marks.count && !found; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            found = mark->kind == SW_MARK_BAR && mark->style == style;
        }
        if (found) {
            sw_scene_legend(scene, style, 0, 0, peak ? sw_scene_printf(scene, "peak %s", text) : text);
        }
    }
}

static void mark_peak(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, uint64_t most,
                      uint32_t step) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const char *bytes = sw_view_bytes(in, scene, most);
    bool named = step < sw_problem_operator_count(problem);
    const char *name = named ? sw_problem_operator(problem, step)->name : "";
    const char *when = sw_view_when(in, scene, step);
    bool said = most == sw_problem_lower_bound(problem) && sw_view_says(scene, "bound", SW_NONE);
    const char *what = said ? "most live" : sw_scene_printf(scene, "most live: %s", bytes);
    const char *const *labels = SW_LABELS(
        scene, sw_scene_printf(scene, "%s at %s, %s", what, name, when), sw_scene_printf(scene, "%s at %s", what, when),
        sw_scene_printf(scene, "%s at %lld", said ? "most" : bytes, sw_view_moment(in, step)), "");
    double x = sw_view_x(in, step + 0.5);
    if (x >= panel->x.lo && x < panel->x.hi) {
        struct sw_mark *mark =
            sw_panel_mark(scene, panel, sw_mark_over(SW_MARK_TEXT, SW_STYLE_PEAK, x, x, (double)most, (double)most));
        mark->item = (struct sw_item){SW_ITEM_STEP, step};
        mark->labels = labels && (!named || sw_problem_goes_on(problem)) ? labels + 1 : labels;
    }
}

/* While the planner puts the operators in order, the curve is that of the file's order. */
static bool still_orders(const struct sw_view_input *in) {
    struct sw_claims claims;
    sw_search_claims(in->run.search, &claims);
    return claims.ordering;
}

/* In a terminal there is no room above the curve. */
static const char *live_title(const struct sw_view_input *in, struct sw_scene *scene, uint64_t most, uint32_t step) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const char *order = still_orders(in) ? " in the file's order" : "";
    const char *text = sw_scene_printf(scene, "live bytes%s%s: most %s at %s", sw_view_if_served(problem), order,
                                       sw_view_bytes(in, scene, most), sw_view_when(in, scene, step));
    return step < sw_problem_operator_count(problem)
               ? sw_scene_printf(scene, "%s, %s", text, sw_view_operator_name(in, scene, step, 24))
               : text;
}

void sw_view_build_live(const struct sw_view_input *input, struct sw_scene *scene, struct sw_box box, bool x_labels) {
    struct sw_view_input own, *in = &own;
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "live");
    panel->on_cells = sw_view_in_pixels(input, in, &box);
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const char *words = sw_scene_printf(scene, "live bytes%s", sw_view_if_served(problem));
    uint32_t step;
    uint64_t most = sw_view_live_peak(problem, &step);
    panel->title = sw_medium(in)->axis_titles            ? words
                   : box.height < 5 * sw_medium(in)->row ? NULL
                                                         : live_title(in, scene, most, step);
    sw_view_place(in, scene, panel, box, x_labels);
    uint64_t bound = sw_problem_lower_bound(problem), capacity = sw_view_capacity(in);
    double hi = (double)(SW_MAX(most, bound));
    bool near = sw_view_single(in) && capacity != SW_UNBOUNDED && (double)capacity <= 1.5 * hi;
    hi = near ? fmax(hi, (double)capacity) : hi;
    sw_view_bytes_axis(in, scene, panel, 0, fmax(hi * (sw_medium(in)->fine ? 1.22 : 1.02), 1));
    sw_view_bars(in, scene, panel, sw_problem_profile(problem), most);
    if (bound > 0) {
        /* Once on a page: the map above may say it. */
        bool said = sw_medium(in)->still && sw_view_says(scene, "bound", SW_NONE);
        sw_view_level(scene, panel, SW_STYLE_BOUND, true, (double)bound,
                      said ? NULL
                           : sw_view_figure(in, scene, still_orders(in) ? "bound in file's order" : "bound", bound));
    }
    if (near) {
        sw_view_level(scene, panel, SW_STYLE_CAPACITY, false, (double)capacity,
                      sw_view_figure(in, scene, "capacity", capacity));
    }
    if (most > 0 && sw_medium(in)->still) {
        mark_peak(in, scene, panel, most, step);
    }
    sw_view_mark_cursor(in, scene, panel);
    if (sw_medium(in)->legend) {
        sw_view_bars_legend(scene, panel, words);
    }
}

static void live_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    if (!sw_view_build_waste(in, scene, box)) {
        sw_view_build_live(in, scene, box, true);
    }
}

const struct sw_view sw_view_live = {
    .name = "live",
    .summary = "the curve of live bytes with the lower bound and its peak",
    .takes = SW_TAKES_TIME,
    .build = live_build,
};
