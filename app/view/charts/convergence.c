/* How good a run becomes: the best, mean and worst figure over its decisions, with the bound. */
#include "view/charts/convergence.h"
#include "base/base.h"
#include "view/pages/xyplot.h"

#include "planners/planner.h"

enum { LEAST_TREND_PLOT = 10, TREND_CURVES = 3 }; /* rows: below that the table alone */

/* From the best up; what is upper on the screen is worse, so the order names the curves, too. */
static const struct {
    const char *name;
    enum sw_style style;
} curves[TREND_CURVES] = {{"best", SW_STYLE_PEAK}, {"mean", SW_STYLE_TEXT}, {"worst", SW_STYLE_DIM}};

struct trend_chart {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    const struct sw_trend *trend;
    struct sw_panel *panel;
    bool rounds;        /* generations are drawn, not single results */
    double least, most; /* of what is drawn */
    double bound;       /* NaN: none */
    double beyond;      /* the worst, when it lies above what is drawn; else NaN */
};

/* Has some generation a figure? */
static bool has_rounds(const struct sw_trend *trend) {
    for (size_t i = trend->rounds.count; i-- > 0;) {
        if (!isnan(trend->rounds.items[i].best)) {
            return true;
        }
    }
    return false;
}

static double bound_of(const struct sw_view_input *in, enum sw_measure measure) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_cost_model *model = sw_search_params(in->run.search)->cost;
    double bound = (double)NAN;
    if (measure == SW_MEASURE_PEAK) {
        /* The bound is of all live bytes, which several tiers share. */
        return sw_view_single(in) ? (double)sw_problem_lower_bound(problem) : (double)NAN;
    }
    if (measure == SW_MEASURE_COST) {
        return sw_cost_bound(problem, model, &bound, NULL) ? bound : (double)NAN;
    }
    struct sw_migration migration = {0};
    if (sw_problem_may_migrate(problem) && sw_problem_migration_bound(problem, &migration) && migration.feasible) {
        bound = (double)migration.bytes;
    }
    sw_migration_done(&migration);
    return bound;
}

static const char *measure_words(enum sw_measure measure) {
    return measure == SW_MEASURE_PEAK ? "peak" : measure == SW_MEASURE_MOVED ? "bytes moved" : "cost E";
}

static const char *chart_figure(const struct trend_chart *chart, double value) {
    return sw_convergence_figure(chart->in, chart->scene, chart->trend->measure, value);
}

/* ---- curves ---- */

/* What the curves are at the decisions [from, to): NaN where nothing was measured. */
static void values_at(const struct trend_chart *chart, uint64_t from, uint64_t to, double values[TREND_CURVES]) {
    const struct sw_trend *trend = chart->trend;
    for (int i = 0; i < TREND_CURVES; i++) {
        values[i] = (double)NAN;
    }
    if (chart->rounds) {
        size_t end = sw_trend_round_after(trend, to - 1);
        if (end > 0) {
            const struct sw_trend_round *round = &trend->rounds.items[end - 1];
            values[0] = round->best;
            values[1] = round->mean;
            values[2] = round->worst;
        }
        return;
    }
    size_t first = sw_trend_point_after(trend, from - 1), end = sw_trend_point_after(trend, to - 1);
    if (end > 0) {
        values[0] = trend->points.items[end - 1].best;
    }
    if (end > first) {
        sw_trend_range(trend, first, end, &values[1], &values[2]);
    }
}

struct stroke {
    double x0, x1, y; /* NaN: none */
    uint64_t step;
};

static void draw_stroke(struct trend_chart *chart, int curve, const struct stroke *stroke, double from) {
    double y = fmin(stroke->y, chart->most);
    struct sw_mark mark = sw_mark_over(SW_MARK_LINE, curves[curve].style, stroke->x0, stroke->x1, y, y);
    mark.item = (struct sw_item){SW_ITEM_DECISION, stroke->step};
    if (sw_medium(chart->in)->legend) {
        mark.style = SW_STYLE_BLOCK;
        mark.hue = (uint8_t)sw_series_hue((size_t)curve);
        mark.pattern = (uint8_t)sw_series_dash((size_t)curve);
    }
    /* Cells would be full of the rises and falls of single results. */
    bool calm = chart->rounds || curve == 0 || sw_medium(chart->in)->fine;
    if (calm && !isnan(from) && fmin(from, chart->most) != y) {
        struct sw_mark rise = mark;
        rise.x1 = rise.x0;
        rise.y0 = fmin(from, chart->most);
        sw_panel_mark(chart->scene, chart->panel, rise);
    }
    sw_panel_mark(chart->scene, chart->panel, mark);
}

/* Decisions [from, to) of a column of the resolution; a decision is at least one column wide. */
static void column_at(const struct trend_chart *chart, double columns, double column, double *x, uint64_t *from) {
    double span = chart->panel->x.hi - chart->panel->x.lo;
    double place = chart->panel->x.lo + (span < columns ? column : span * column / columns);
    *x = fmin(place, chart->panel->x.hi);
    *from = (uint64_t)*x;
}

static void draw_trend_curve(struct trend_chart *chart, int curve) {
    double span = chart->panel->x.hi - chart->panel->x.lo, last = (double)NAN;
    double columns = fmin(sw_view_space(chart->in, chart->panel).columns, span);
    struct stroke stroke = {.y = (double)NAN};
    for (double column = 0; column < columns && !chart->scene->failed; column++) {
        double x0, x1, values[TREND_CURVES];
        uint64_t from, to;
        column_at(chart, columns, column, &x0, &from);
        column_at(chart, columns, column + 1, &x1, &to);
        if (to <= from) {
            continue;
        }
        values_at(chart, from, to, values);
        if (values[curve] == stroke.y) {
            stroke.x1 = x1;
            continue;
        }
        if (!isnan(stroke.y)) {
            draw_stroke(chart, curve, &stroke, last);
        }
        /* Lines are drawn between neighbors only. */
        last = stroke.y;
        stroke = (struct stroke){x0, x1, values[curve], from};
    }
    if (!isnan(stroke.y)) {
        draw_stroke(chart, curve, &stroke, last);
    }
}

/* ---- the plot ---- */

/* One bad result would press all that follow flat: it is drawn at the edge then, and named. */
static void cut_top(struct trend_chart *chart, double first) {
    double floor_ = chart->bound <= chart->least ? chart->bound : chart->least;
    double top = first + 4 * fmax(first - floor_, fabs(first) / 10);
    if (chart->most > top) {
        chart->beyond = chart->most;
        chart->most = top;
    }
}

static void find_range(struct trend_chart *chart) {
    const struct sw_trend *trend = chart->trend;
    double mean;
    if (chart->rounds) {
        chart->least = INFINITY;
        chart->most = -INFINITY;
        for (size_t i = 0; i < trend->rounds.count; i++) {
            const struct sw_trend_round *round = &trend->rounds.items[i];
            chart->least = isnan(round->best) ? chart->least : fmin(chart->least, round->best);
            chart->most = isnan(round->worst) ? chart->most : fmax(chart->most, round->worst);
        }
    } else {
        chart->least = trend->points.items[trend->points.count - 1].best;
        sw_trend_range(trend, 0, trend->points.count, &mean, &chart->most);
        cut_top(chart, trend->points.items[0].value);
    }
    /* A bound that is far below would press the curves flat: it is said in words then. */
    bool near = chart->bound <= chart->least &&
                chart->least - chart->bound <= 3 * (chart->most - chart->least) + chart->least / 4;
    chart->least = near ? chart->bound : chart->least;
}

static void set_trend_axes(struct trend_chart *chart, struct sw_box box) {
    struct sw_view_input in = *chart->in;
    uint64_t known = sw_search_known(in.run.search);
    in.look.viewport.time_lo = 1; /* what can be told apart is reckoned from it, too */
    in.look.viewport.time_hi = (double)known + 1;
    sw_view_place_count(&in, chart->scene, chart->panel, box, "decision", 1, (double)known + 1);
    double span = fmax(chart->most - chart->least, fmax(fabs(chart->most) * 0.1, 1e-9));
    double lo = fmax(chart->least - span * 0.08, 0), hi = chart->most + span * 0.12;
    if (chart->trend->measure != SW_MEASURE_COST) {
        sw_view_bytes_axis(&in, chart->scene, chart->panel, lo, hi);
    } else {
        sw_view_number_axis(&in, chart->scene, chart->panel, lo, hi);
    }
}

static void mark_present(struct trend_chart *chart) {
    double at = (double)sw_search_at(chart->in->run.search);
    bool end = sw_search_at(chart->in->run.search) == sw_search_known(chart->in->run.search);
    if (at >= chart->panel->x.lo && !(end && sw_medium(chart->in)->still)) {
        struct sw_mark *mark = sw_panel_mark(
            chart->scene, chart->panel,
            sw_mark_over(SW_MARK_LINE, SW_STYLE_CURSOR, at + 0.5, at + 0.5, chart->panel->y.lo, chart->panel->y.hi));
        mark->pattern = 1;
        mark->item = (struct sw_item){SW_ITEM_DECISION, (uint64_t)at};
    }
}

static void mark_trend_bound(struct trend_chart *chart) {
    if (!isnan(chart->bound)) {
        const char *full = sw_scene_printf(chart->scene, "bound %s", chart_figure(chart, chart->bound));
        sw_view_level(chart->scene, chart->panel, SW_STYLE_BOUND, true, chart->bound,
                      SW_LABELS(chart->scene, full, "bound"));
    }
}

static void draw_trend_plot(struct trend_chart *chart, struct sw_box box) {
    chart->panel = sw_scene_panel(chart->scene, SW_PANEL_PLOT, "convergence");
    chart->panel->decided = true;
    chart->panel->title = sw_scene_printf(
        chart->scene, "%s%s: from above worst%s%s%s, mean, best", measure_words(chart->trend->measure),
        chart->rounds ? " of the population" : ", as measured", isnan(chart->beyond) ? "" : " (",
        isnan(chart->beyond) ? "" : chart_figure(chart, chart->beyond), isnan(chart->beyond) ? "" : ", beyond)");
    set_trend_axes(chart, box);
    mark_trend_bound(chart);
    /* The best last, so that it lies over the others. */
    for (int i = TREND_CURVES; i-- > 0;) {
        draw_trend_curve(chart, i);
        if (sw_medium(chart->in)->legend) {
            sw_scene_legend_line(chart->scene, SW_STYLE_BLOCK, sw_series_hue((size_t)i), sw_series_dash((size_t)i),
                                 false, i == 0 && !chart->rounds ? "best so far" : curves[i].name);
        }
    }
    mark_present(chart);
}

/* ---- words ---- */

static const char *over_bound(const struct trend_chart *chart, double best) {
    if (isnan(chart->bound)) {
        return "";
    }
    if (best <= chart->bound) {
        return sw_scene_printf(chart->scene, "; the bound %s is reached", chart_figure(chart, chart->bound));
    }
    return chart->bound > 0
               ? sw_scene_printf(chart->scene, "; %s over the bound %s", SW_PERCENT(best / chart->bound - 1, true),
                                 chart_figure(chart, chart->bound))
               : sw_scene_printf(chart->scene, "; bound %s", chart_figure(chart, chart->bound));
}

/* What is not drawn is said. */
static const char *left_out(const struct trend_chart *chart) {
    const char *text = "";
    if (chart->trend->impossible > 0) {
        text = sw_scene_printf(chart->scene, "; %s without a result", SW_COUNT(chart->trend->impossible));
    }
    return chart->trend->other ? sw_scene_printf(chart->scene, "%s; %s figures of another kind are not drawn", text,
                                                 SW_COUNT(chart->trend->other))
                               : text;
}

/* As the planner counts them: some call the first population generation 0. */
static uint64_t round_number(const struct trend_chart *chart, size_t round) {
    uint64_t step = chart->trend->rounds.items[round].step;
    const struct sw_decision *decision = sw_search_journal(chart->in->run.search, step);
    uint32_t number = sw_decision_part(decision);
    return number == SW_NONE ? round + 1 : number;
}

static const char *round_line(const struct trend_chart *chart, size_t number) {
    const struct sw_trend_round *round = &chart->trend->rounds.items[number];
    const char *head =
        sw_scene_printf(chart->scene, "after generation %s of %s:", SW_COUNT(round_number(chart, number)),
                        SW_COUNT(round_number(chart, chart->trend->rounds.count - 1)));
    return isnan(round->best)
               ? sw_scene_printf(chart->scene, "%s no member is possible yet%s", head, left_out(chart))
               : sw_scene_printf(chart->scene, "%s best %s, mean %s, worst %s%s%s", head,
                                 chart_figure(chart, round->best), chart_figure(chart, round->mean),
                                 chart_figure(chart, round->worst), over_bound(chart, round->best), left_out(chart));
}

static const char *point_line(const struct trend_chart *chart, size_t end) {
    const struct sw_trend_point *last = &chart->trend->points.items[end - 1];
    return sw_scene_printf(chart->scene, "%s measured: best %s %s, the last %s%s%s", SW_COUNT(end),
                           measure_words(chart->trend->measure), chart_figure(chart, last->best),
                           chart_figure(chart, last->value), over_bound(chart, last->best), left_out(chart));
}

static void add_trend_lines(struct trend_chart *chart, struct sw_box box) {
    uint64_t at = sw_search_at(chart->in->run.search);
    size_t round = sw_trend_round_after(chart->trend, at);
    size_t end = sw_trend_point_after(chart->trend, at);
    bool generations = chart->trend->rounds.count > 0;
    struct sw_lines lines = sw_lines_begin(chart->in, chart->scene, "population", NULL, box, 4, generations ? 1 : 3);
    sw_lines_flow(&lines);
    lines.panel->title =
        !generations ? "results better than all before"
        : round == 0 ? "population"
                     : sw_scene_printf(chart->scene, "made in generation %s, the best first; select tells which stayed",
                                       SW_COUNT(round_number(chart, round - 1)));
    if (generations && round > 0) {
        sw_lines_text(&lines, SW_STYLE_STRONG, round_line(chart, round - 1));
        sw_convergence_population(&lines, chart->trend, &chart->trend->rounds.items[round - 1]);
    } else if (generations) {
        sw_lines_text(&lines, SW_STYLE_DIM, "the first generation has not ended here");
    } else if (end > 0) {
        sw_lines_text(&lines, SW_STYLE_STRONG, point_line(chart, end));
        sw_convergence_gains(&lines, chart->trend);
    } else {
        sw_lines_text(&lines, SW_STYLE_DIM, "nothing has been measured up to here");
    }
}

/* ---- nothing to show ---- */

static void say_no_trend(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                         const struct sw_trend *trend) {
    const char *planner = sw_search_planner(in->run.search)->name;
    struct sw_claims claims;
    sw_search_claims(in->run.search, &claims);
    struct sw_lines lines = sw_lines_begin(in, scene, "population", "convergence", box, 1, 0);
    sw_lines_text(
        &lines, SW_STYLE_DIM,
        trend->impossible > 0 ? sw_scene_printf(scene, "%s has tried %s results so far, and none of them was possible.",
                                                planner, SW_COUNT(trend->impossible))
        : sw_search_complete(in->run.search)
            ? sw_scene_printf(scene,
                              "%s makes one layout and measures nothing on the way, so there is no "
                              "curve; planners that try many layouts have one.",
                              planner)
        : claims.ordering ? sw_scene_printf(scene,
                                            "%s still puts the operators in order; it measures layouts, which come "
                                            "after that: run on (End).",
                                            planner)
                          : sw_scene_printf(scene, "%s has measured nothing so far: run on (End).", planner));
}

/* ---- both ---- */

enum { PAPER_TABLE = 14 }; /* rows: on a page the curves get the rest */

static void build_trend(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                        const struct sw_trend *trend) {
    struct trend_chart chart = {
        .in = in, .scene = scene, .trend = trend, .beyond = (double)NAN, .rounds = has_rounds(trend)};
    double unit = sw_medium(in)->row;
    if (!chart.rounds && trend->points.count == 0) {
        say_no_trend(in, scene, box, trend);
        return;
    }
    chart.bound = bound_of(in, trend->measure);
    bool drawn = box.height >= (sw_medium(in)->still ? 5 : LEAST_TREND_PLOT) * unit;
    if (drawn) {
        double high = fmax(floor(box.height / unit * 0.55), 7) * unit;
        high = sw_medium(in)->fine ? fmax(high, box.height - PAPER_TABLE * unit) : high;
        find_range(&chart);
        draw_trend_plot(&chart, sw_box_take(&box, sw_page_plot_height(in, box.height, high)));
    }
    if (!drawn || box.height > 0) {
        add_trend_lines(&chart, box);
    }
}

static void convergence_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_trend own = {0};
    if (!in->run.trend && !sw_trend_read(&own, in->run.search)) {
        scene->failed = true;
        return;
    }
    build_trend(in, scene, box, in->run.trend ? in->run.trend : &own);
    sw_trend_done(&own);
}

static bool convergence_applies(const struct sw_search *search, bool *missed) {
    struct sw_trend trend = {0};
    bool tries = !sw_search_planner(search)->one_layout, whole = sw_search_complete(search);
    *missed |= tries && whole && !sw_trend_read(&trend, search);
    bool shows = tries && (!whole || trend.any || trend.impossible > 0);
    sw_trend_done(&trend);
    return shows;
}

const struct sw_view sw_view_convergence = {
    .name = "convergence",
    .summary = "how good a run becomes, with the bound and the members",
    .scrolls = SW_SCROLLS_TEXT,
    .applies = convergence_applies,
    .build = convergence_build,
    .reads = SW_VIEW_READS_TREND,
};
