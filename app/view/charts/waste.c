/* Where the bytes were that an online allocator reserved, over time: what the program asked for, and above it the
 * waste, cause upon cause. The figures are those of the planner's history, which samples long runs. */
#include "view/charts/waste.h"
#include "base/base.h"
#include "planners/online/online_look.h"

enum { WASTE_PARTS = SW_RESERVED_PARTS, LEAST_WASTE_PLOT = 6 };

static const char *const waste_names[WASTE_PARTS] = {"asked for", "rounding",    "unsplit", "waiting",
                                                     "too small", "other holes", "cached",  "not told"};

static unsigned waste_pattern(unsigned which) {
    return which == 0 ? SW_PATTERN_PLAIN : SW_PATTERN_INPUT + (which - 1) % (SW_PATTERN_COUNT - 1);
}

/* What was asked for has the color of live bytes; each cause of waste one of the blocks' colors. */
static enum sw_style waste_style(unsigned which) {
    return which == 0 ? SW_STYLE_LIVE : SW_STYLE_BLOCK;
}

static uint8_t waste_hue(unsigned which) {
    return (uint8_t)(which == 0 ? 0 : (which - 1) % SW_HUES);
}

static const struct sw_online_history *history_of(const struct sw_view_input *in) {
    struct sw_online_look look;
    const struct sw_search *search = in->run.search;
    return sw_online_look(sw_search_planner(search), sw_search_planner_state(search), &look) ? look.history : NULL;
}

static void draw_waste_sample(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                              const struct sw_online_sample *s, double from, double to, bool found[WASTE_PARTS]) {
    double below = 0;
    uint64_t parts[WASTE_PARTS];
    sw_reserved_parts(s->requested, &s->waste, parts);
    for (unsigned p = 0; p < WASTE_PARTS && to > from; p++) {
        double value = (double)parts[p];
        if (value <= 0) {
            continue;
        }
        found[p] = true;
        struct sw_mark *mark =
            sw_panel_mark(scene, panel,
                          sw_mark_over(p == 0 ? SW_MARK_BAR : SW_MARK_RECT, waste_style(p), sw_view_x(in, from),
                                       sw_view_x(in, to), below, below + value));
        mark->hue = waste_hue(p);
        mark->pattern = (uint8_t)waste_pattern(p);
        mark->item = (struct sw_item){SW_ITEM_STEP, s->step};
        below += value;
    }
}

/* A bar a sample, up to the next. Where several fall into one mark of the resolution, the one with most reserved; then
 * it is true. */
static bool draw_samples(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                         const struct sw_online_history *history, bool found[WASTE_PARTS]) {
    uint32_t steps = sw_problem_steps(sw_search_problem(in->run.search));
    double lo = in->look.viewport.time_lo, hi = in->look.viewport.time_hi;
    double wide = fmax((hi - lo) / fmax(sw_view_space(in, panel).columns, 1), 1);
    bool merged = false;
    for (size_t i = 0; i < history->count && !scene->failed;) {
        const struct sw_online_sample *most = &history->items[i];
        double from = most->step, stop = floor(from / wide) * wide + wide;
        size_t next = i + 1;
        for (; next < history->count && history->items[next].step < stop; next++) {
            most = history->items[next].reserved > most->reserved ? &history->items[next] : most;
        }
        merged |= next > i + 1;
        double to =
            next < history->count ? history->items[next].step : fmin(fmax(from + 1, in->look.cursor + 1.0), steps);
        from = fmax(from, lo);
        to = fmin(to, hi);
        draw_waste_sample(in, scene, panel, most, from, to, found);
        i = next;
    }
    return merged;
}

static void draw_waste_legend(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                              const bool found[WASTE_PARTS]) {
    unsigned count = 0;
    for (unsigned p = 0; p < WASTE_PARTS; p++) {
        count += found[p];
    }
    if (sw_medium(in)->legend) {
        for (unsigned p = 0; p < WASTE_PARTS; p++) {
            if (found[p]) {
                sw_scene_legend(scene, waste_style(p), waste_hue(p), waste_pattern(p), sw_reserved_names[p]);
            }
        }
        return;
    }
    struct sw_panel *panel = sw_view_legend_row(scene, "waste-legend", box, 0, count);
    for (unsigned p = 0, at = 0; p < WASTE_PARTS; p++) {
        if (found[p]) {
            struct sw_mark *mark =
                sw_panel_mark(scene, panel, sw_mark_over(SW_MARK_RECT, waste_style(p), at, at + 1, 0, 1));
            mark->hue = waste_hue(p);
            mark->pattern = (uint8_t)waste_pattern(p);
            mark->item = (struct sw_item){SW_ITEM_STEP, in->look.cursor};
            mark->labels = sw_scene_labels(scene, waste_names[p]);
            at++;
        }
    }
}

bool sw_view_build_waste(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_online_history *history = history_of(in);
    bool found[WASTE_PARTS] = {false}, apart = !sw_medium(in)->legend && box.height > LEAST_WASTE_PLOT;
    uint64_t most = 0;
    if (!history || history->count == 0) {
        return false;
    }
    for (size_t i = 0; i < history->count; i++) {
        most = SW_MAX(history->items[i].most, most);
    }
    most = SW_MAX(history->most, most);
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "waste");
    panel->title = "reserved bytes";
    box.height -= apart ? 1 : 0;
    sw_view_place(in, scene, panel, box, true);
    sw_view_bytes_axis(in, scene, panel, 0, fmax((double)most * (sw_medium(in)->fine ? 1.22 : 1.05), 1));
    bool merged = draw_samples(in, scene, panel, history, found);
    const char *sampled =
        history->spacing == 1 ? "" : sw_scene_printf(scene, ", sampled every %s requests", SW_COUNT(history->spacing));
    panel->title = sw_scene_printf(scene, "reserved bytes by what they hold%s%s", sampled,
                                   merged ? "; the most of each column" : "");
    sw_view_level(scene, panel, SW_STYLE_PEAK, false, (double)most, sw_view_figure(in, scene, "at most", most));
    draw_waste_legend(in, scene, (struct sw_box){box.left, box.top + box.height, box.width, apart ? 1 : 0}, found);
    return true;
}
