/* How good runs become: for each planner the median over its seeds of the best so far, in a band
 * from the lowest to the highest of them, over the evaluations made. */
#include "view/pages/runs.h"
#include "base/base.h"
#include "base/sort.h"

#include "view/charts/convergence.h"
#include "view/pages/xyplot.h"

#define LABELS_WIDTH 168.0 /* right of the plot: where each planner ends */
#define MOST_LOOKS 2e6     /* at results, for one curve */
#define BESIDE_WIDTH 96.0  /* the same of two plots side by side */
#define LEAST_PLOT 110.0   /* height: with less the table is left out */
#define FROM_LOG 40        /* evaluations: from here on the axis is logarithmic */

struct seeds_chart {
    const struct sw_seeds_page *all;
    struct sw_scene *scene;
    struct sw_panel *panel;
    struct sw_view_input in; /* paper */
    uint64_t evaluations;    /* of the longest run */
    bool log, seeds;         /* several runs of some planner */
    double least, most;      /* of what is drawn */
    double best;             /* of all runs */
    double *values;          /* one per run of a planner */
    size_t most_runs;
    bool curved;  /* there is room for how they came there, too */
    double right; /* room beside the curves, for where they end */
};

/* ---- what a planner had after so many evaluations ---- */

static double best_after(const struct sw_seeds_run *run, uint64_t evaluations) {
    size_t later = SW_FIRST(i, run->count, run->gains[i].evaluation > evaluations);
    return run->gains[later > 0 ? later - 1 : 0].value;
}

static int compare_values(const void *a, const void *b) {
    const double *x = a, *y = b;
    return SW_COMPARE(*x, *y);
}

struct spread {
    double low, middle, high;
};

/* Before all runs have a first result there is no median. */
static bool spread_at(const struct seeds_chart *chart, const struct sw_seeds_planner *band, uint64_t evaluations,
                      struct spread *spread) {
    for (size_t i = 0; i < band->count; i++) {
        if (band->runs[i].gains[0].evaluation > evaluations) {
            return false;
        }
        chart->values[i] = best_after(&band->runs[i], evaluations);
    }
    qsort(chart->values, band->count, sizeof *chart->values, compare_values);
    *spread =
        (struct spread){chart->values[0], (chart->values[(band->count - 1) / 2] + chart->values[band->count / 2]) / 2,
                        chart->values[band->count - 1]};
    return true;
}

static uint64_t most_evaluations(const struct sw_seeds_planner *band) {
    uint64_t most = 0;
    for (size_t i = 0; i < band->count; i++) {
        most = SW_MAX(band->runs[i].evaluations, most);
    }
    return most;
}

static const char *seeds_figure(const struct seeds_chart *chart, double value) {
    return sw_convergence_figure(&chart->in, chart->scene, chart->all->measure, value);
}

/* ---- curves ---- */

static bool same_run(const struct sw_seeds_run *a, const struct sw_seeds_run *b) {
    if (a->count != b->count || a->evaluations != b->evaluations) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct sw_seeds_gain *x = &a->gains[i], *y = &b->gains[i];
        if (x->evaluation != y->evaluation || x->value < y->value || x->value > y->value) {
            return false;
        }
    }
    return true;
}

static bool are_same_seeds(const struct sw_seeds_planner *one, const struct sw_seeds_planner *other) {
    bool same = one->count > 0 && one->count == other->count;
    for (size_t i = 0; same && i < one->count; i++) {
        same = same_run(&one->runs[i], &other->runs[i]);
    }
    return same;
}

/* One drawn before, run for run the same, which this one covers; and the other way round. */
static const char *twin_of(const struct seeds_chart *chart, size_t at) {
    const struct sw_seeds_planner *bands = chart->all->bands;
    for (size_t b = 0; b < at; b++) {
        if (are_same_seeds(&bands[b], &bands[at])) {
            return bands[b].planner;
        }
    }
    return NULL;
}

static bool has_twin(const struct seeds_chart *chart, size_t at) {
    for (size_t b = at + 1; b < chart->all->count; b++) {
        if (are_same_seeds(&chart->all->bands[at], &chart->all->bands[b])) {
            return true;
        }
    }
    return false;
}

static double evaluation_place(const struct seeds_chart *chart, double evaluations) {
    return chart->log ? log10(evaluations) : evaluations;
}

static double evaluations_at(const struct seeds_chart *chart, double place) {
    return floor((chart->log ? pow(10, place) : place) * (1 + 1e-12) + 1e-9);
}

static void add_band(struct seeds_chart *chart, size_t at, double x0, double x1, struct spread s) {
    if (s.high > s.low && x1 > x0) {
        struct sw_mark *mark = sw_panel_mark(chart->scene, chart->panel,
                                             sw_mark_over(SW_MARK_BAND, SW_STYLE_BLOCK, x0, x1, s.low, s.high));
        mark->hue = (uint8_t)sw_series_hue(at);
        mark->pattern = (uint8_t)(2 - at % 3); /* the first is not hatched: what lies over it is */
    }
}

static void add_median_line(struct seeds_chart *chart, size_t at, double x0, double y0, double x1, double y1,
                            const char *const *labels) {
    struct sw_mark *mark =
        sw_panel_mark(chart->scene, chart->panel, sw_mark_over(SW_MARK_LINE, SW_STYLE_BLOCK, x0, x1, y0, y1));
    mark->hue = (uint8_t)sw_series_hue(at);
    mark->pattern = (uint8_t)sw_series_dash(at);
    mark->under = has_twin(chart, at);
    mark->labels = labels;
}

/* "order-genetic 54 KiB", where that is not too long. */
static const char *const *end_labels(struct seeds_chart *chart, const struct sw_seeds_planner *band, double value) {
    const char *text = sw_scene_printf(chart->scene, "%s %s", band->planner, seeds_figure(chart, value));
    bool wide = (double)sw_view_columns(text) * SW_PAGE_CHARACTER * 0.95 > chart->right - 10;
    return SW_LABELS(chart->scene, wide ? sw_scene_clean(chart->scene, band->planner) : text);
}

/* Marks end where something changes; `lines`: the median, else the band. */
static void draw_band_curve(struct seeds_chart *chart, size_t at, bool lines) {
    const struct sw_seeds_planner *band = &chart->all->bands[at];
    double columns = sw_view_space(&chart->in, chart->panel).columns;
    double lo = chart->panel->x.lo, end = evaluation_place(chart, (double)most_evaluations(band));
    double width = (chart->panel->x.hi - lo) / columns, from = NAN;
    struct spread now = {NAN, NAN, NAN};
    double apart = ceil((double)band->count * columns / MOST_LOOKS); /* of many seeds not every column is looked at */
    for (double column = 0; column <= columns && !chart->scene->failed; column += apart) {
        double x = lo + column * width;
        struct spread next = {NAN, NAN, NAN};
        if (x > end || column == columns) {
            break;
        }
        if (!spread_at(chart, band, (uint64_t)fmax(evaluations_at(chart, x), 1), &next)) {
            continue;
        }
        bool same = lines ? next.middle == now.middle : next.low == now.low && next.high == now.high;
        if (same) {
            continue;
        }
        if (!isnan(from) && lines) {
            add_median_line(chart, at, from, now.middle, x, now.middle, NULL);
            add_median_line(chart, at, x, now.middle, x, next.middle, NULL);
        } else if (!isnan(from)) {
            add_band(chart, at, from, x, now);
        }
        from = x;
        now = next;
    }
    /* The end exactly: the last column may lie before the last gain. */
    struct spread last = now;
    if (spread_at(chart, band, UINT64_MAX, &last) && isnan(from)) {
        from = end;
        now = last;
    }
    if (!lines) {
        add_band(chart, at, from, end, now);
        return;
    }
    if (now.middle != last.middle) {
        add_median_line(chart, at, from, now.middle, end, now.middle, NULL);
        add_median_line(chart, at, end, now.middle, end, last.middle, NULL);
        from = end;
    }
    const char *const *labels = end_labels(chart, band, last.middle);
    bool whole = end >= chart->panel->x.hi;
    add_median_line(chart, at, from, last.middle, end, last.middle, whole ? labels : NULL);
    if (!whole) { /* it has ended: from here to its label it stays what it is */
        struct sw_mark *mark =
            sw_panel_mark(chart->scene, chart->panel,
                          sw_mark_over(SW_MARK_LINE, SW_STYLE_DIM, end, chart->panel->x.hi, last.middle, last.middle));
        mark->pattern = 1;
        mark->labels = labels;
    }
}

/* ---- the plot ---- */

static void survey_curves(struct seeds_chart *chart) {
    chart->least = chart->best = INFINITY;
    chart->most = -INFINITY;
    for (size_t b = 0; b < chart->all->count; b++) {
        const struct sw_seeds_planner *band = &chart->all->bands[b];
        uint64_t evaluations = most_evaluations(band);
        chart->evaluations = SW_MAX(evaluations, chart->evaluations);
        chart->seeds |= band->count > 1;
        chart->most_runs = SW_MAX(band->count, chart->most_runs);
        for (size_t i = 0; i < band->count; i++) {
            const struct sw_seeds_run *run = &band->runs[i];
            chart->most = fmax(chart->most, run->gains[0].value);
            chart->best = fmin(chart->best, run->gains[run->count - 1].value);
        }
    }
    chart->least = chart->best;
    double bound = chart->all->bound;
    /* A bound that is far below would press the curves flat: it is said in words then. */
    if (bound <= chart->least && chart->least - bound <= 3 * (chart->most - chart->least) + chart->least / 4) {
        chart->least = bound;
    }
    chart->log = chart->evaluations >= FROM_LOG;
}

static void set_seeds_axes(struct seeds_chart *chart, struct sw_box box) {
    struct sw_panel *panel = chart->panel;
    sw_page_place(panel, box, SW_PAGE_GUTTER, fmin(chart->right, box.width / 4));
    panel->x.lo = evaluation_place(chart, 1);
    panel->x.hi = fmax(evaluation_place(chart, (double)chart->evaluations), panel->x.lo + 1);
    panel->x.title = "evaluations";
    unsigned columns = (unsigned)fmax(2, panel->body_width / 46);
    if (chart->log) {
        sw_view_log_ticks(chart->scene, &panel->x, columns);
    } else {
        sw_axis_ticks(chart->scene, &panel->x, columns, false);
    }
    double span = fmax(chart->most - chart->least, fmax(fabs(chart->most) * 0.1, 1e-9));
    double lo = fmax(chart->least - span * 0.08, 0), hi = chart->most + span * 0.08;
    if (chart->all->measure == SW_MEASURE_COST) {
        sw_view_number_axis(&chart->in, chart->scene, panel, lo, hi);
    } else {
        sw_view_bytes_axis(&chart->in, chart->scene, panel, lo, hi);
    }
}

static const char *const measure_titles[] = {"best peak so far", "least bytes moved so far", "least cost E so far"};

/* A planner that uses no random numbers makes the same run with every seed. */
static bool same_for_all(const struct sw_seeds_planner *band) {
    for (size_t i = 1; i < band->count; i++) {
        if (!same_run(&band->runs[0], &band->runs[i])) {
            return false;
        }
    }
    return true;
}

static void add_band_legend(struct seeds_chart *chart, size_t at) {
    const struct sw_seeds_planner *band = &chart->all->bands[at];
    const char *text = band->planner, *twin = twin_of(chart, at);
    bool spread = band->count > 1 && !same_for_all(band);
    if (band->count > 1 && !spread) {
        text = sw_scene_printf(chart->scene, "%s: the same with all %s seeds", band->planner, SW_COUNT(band->count));
    }
    if (twin) {
        text = sw_scene_printf(chart->scene, "%s; equal to %s", text, twin);
    }
    sw_scene_add_legend(chart->scene,
                        (struct sw_legend_entry){.style = SW_STYLE_BLOCK,
                                                 .hue = (uint8_t)sw_series_hue(at),
                                                 .pattern = (uint8_t)sw_series_dash(at),
                                                 .line = true,
                                                 .band = spread && chart->curved,
                                                 .shape = chart->seeds ? (uint8_t)(1 + sw_series_shape(at)) : 0,
                                                 .text = text});
}

static void mark_seeds_bound(struct seeds_chart *chart) {
    double bound = chart->all->bound;
    if (bound >= chart->panel->y.lo && bound <= chart->panel->y.hi) {
        const char *text = sw_scene_printf(chart->scene, "bound %s", seeds_figure(chart, bound));
        sw_view_level(chart->scene, chart->panel, SW_STYLE_BOUND, true, bound, SW_LABELS(chart->scene, text, "bound"));
    }
}

static void draw_curves(struct seeds_chart *chart, struct sw_box box) {
    chart->panel = sw_scene_panel(chart->scene, SW_PANEL_PLOT, "convergence");
    chart->panel->title =
        chart->seeds ? sw_scene_printf(chart->scene, "%s: median and range", measure_titles[chart->all->measure])
                     : measure_titles[chart->all->measure];
    set_seeds_axes(chart, box);
    for (int lines = 0; lines < 2; lines++) {
        for (size_t b = 0; b < chart->all->count && !chart->scene->failed; b++) {
            if (chart->all->bands[b].count > 0 && (lines || !twin_of(chart, b))) {
                draw_band_curve(chart, b, lines == 1);
            }
        }
    }
    mark_seeds_bound(chart);
}

/* How they end first, and how they came there where there is room for both. */
static void draw_seeds_plots(struct seeds_chart *chart, struct sw_box box) {
    bool beside = box.width >= 700 && box.width > 1.3 * box.height, below = !beside && box.height >= 360;
    chart->right = chart->seeds && beside ? BESIDE_WIDTH : LABELS_WIDTH;
    if (chart->seeds) {
        struct sw_box first = box;
        first.width = beside ? box.width / 2 - SW_PAGE_GAP : box.width;
        first.height = below ? box.height / 2 - SW_PAGE_GAP : box.height;
        sw_seeds_sorted(chart->all, &chart->in, chart->scene, first, fmin(chart->right, first.width / 4));
        box.left += beside ? box.width / 2 : 0;
        box.width /= beside ? 2 : 1;
        box.top += below ? box.height / 2 : 0;
        box.height /= below ? 2 : 1;
    }
    chart->curved = !chart->seeds || beside || below;
    if (chart->curved) {
        draw_curves(chart, box);
    }
    for (size_t b = 0; b < chart->all->count; b++) {
        if (chart->all->bands[b].count > 0) {
            add_band_legend(chart, b);
        }
    }
    if (chart->all->bound >= 0) {
        sw_scene_legend_line(chart->scene, SW_STYLE_BOUND, 0, SW_DASH_LONG, false,
                             sw_scene_printf(chart->scene, "lower bound %s", seeds_figure(chart, chart->all->bound)));
    }
    if (chart->seeds && chart->all->greedy >= 0) {
        sw_scene_legend_line(chart->scene, SW_STYLE_STRONG, 0, SW_DASH_LONG, false,
                             sw_scene_printf(chart->scene, "%s, without seeds: %s", chart->all->greedy_name,
                                             seeds_figure(chart, chart->all->greedy)));
    }
}

/* ---- what each planner reached ---- */

static void cell(struct seeds_chart *chart, struct sw_panel *table, bool right, const char *text) {
    sw_panel_cell(chart->scene, table, SW_STYLE_TEXT, right, text);
}

/* How many runs end at the best of all, and the median of what they needed for it; a run that does
 * not counts as needing more than any. */
static const char *reach_words(struct seeds_chart *chart, const struct sw_seeds_planner *band, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < band->count; i++) {
        const struct sw_seeds_gain *last = &band->runs[i].gains[band->runs[i].count - 1];
        chart->values[i] = last->value <= chart->best ? (double)last->evaluation : INFINITY;
        *count += last->value <= chart->best;
    }
    qsort(chart->values, band->count, sizeof *chart->values, compare_values);
    double median = (chart->values[(band->count - 1) / 2] + chart->values[band->count / 2]) / 2;
    /* Of an even number of runs it may lie between two. */
    return isinf(median)
               ? "-"
               : sw_scene_printf(chart->scene, "%s%s", SW_COUNT((uint64_t)median), median > floor(median) ? ".5" : "");
}

/* To the byte: peaks that look the same when they are rounded are not. */
static const char *exact_figure(const struct seeds_chart *chart, double value) {
    char text[40];
    if (chart->all->measure == SW_MEASURE_COST || !(value >= 0)) {
        return seeds_figure(chart, value);
    }
    return sw_scene_printf(chart->scene, "%s", sw_show_bytes_in(chart->scene->units, (uint64_t)(value + 0.5), text));
}

static void add_seeds_row(struct seeds_chart *chart, struct sw_panel *table, const struct sw_seeds_planner *band) {
    struct sw_scene *scene = chart->scene;
    struct spread end;
    size_t count;
    sw_panel_row(scene, table, SW_NO_ITEM, false);
    if (band->count == 0) {
        sw_panel_cell(scene, table, SW_STYLE_DIM, false, sw_scene_printf(scene, "%s: %s", band->planner, band->why));
        return;
    }
    spread_at(chart, band, UINT64_MAX, &end);
    cell(chart, table, false, band->planner);
    cell(chart, table, true, exact_figure(chart, end.low));
    cell(chart, table, true,
         chart->all->bound > 0 ? sw_scene_printf(scene, "%s", SW_PERCENT(end.low / chart->all->bound - 1, true)) : "");
    if (chart->seeds) {
        cell(chart, table, true, exact_figure(chart, end.middle));
        cell(chart, table, true, exact_figure(chart, end.high));
    }
    cell(chart, table, true, sw_scene_printf(scene, "%s", SW_COUNT(most_evaluations(band))));
    const char *needed = reach_words(chart, band, &count);
    if (chart->seeds) {
        cell(chart, table, true, sw_scene_printf(scene, "%s of %s", SW_COUNT(count), SW_COUNT(band->count)));
    }
    cell(chart, table, true, needed);
}

static void add_seeds_table(struct seeds_chart *chart, struct sw_box box) {
    struct sw_scene *scene = chart->scene;
    struct sw_panel *table = sw_scene_panel(scene, SW_PANEL_TABLE, "planners");
    size_t rows = (size_t)fmax(floor(box.height / SW_PAGE_ROW), 1);
    const char *least = isinf(chart->best) ? "it" : exact_figure(chart, chart->best);
    const char *const heads[] = {"planner",
                                 chart->seeds ? "lowest" : "best",
                                 "over bound",
                                 chart->seeds ? "median" : NULL,
                                 chart->seeds ? "highest" : NULL,
                                 "evaluations",
                                 chart->seeds ? sw_scene_printf(scene, "reach %s", least) : NULL,
                                 chart->seeds ? "after (median)" : sw_scene_printf(scene, "to reach %s", least)};
    sw_panel_put(table, box);
    table->stretch = 0;
    sw_panel_row(scene, table, SW_NO_ITEM, false);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (heads[i]) {
            sw_panel_cell(scene, table, SW_STYLE_DIM, i > 0, heads[i]);
        }
    }
    for (size_t b = 0; b < chart->all->count && !scene->failed; b++) {
        if (table->rows.count < rows) {
            add_seeds_row(chart, table, &chart->all->bands[b]);
        } else {
            table->hidden_below++;
        }
    }
}

/* ---- the page ---- */

static void set_seeds_titles(struct seeds_chart *chart) {
    struct sw_scene *scene = chart->scene;
    const struct sw_seeds_page *all = chart->all;
    size_t searching = 0;
    for (size_t b = 0; b < all->count; b++) {
        searching += all->bands[b].count > 0;
    }
    scene->title = all->page.title ? sw_scene_clean(scene, all->page.title)
                                   : sw_scene_printf(scene, "%s, searched by %zu planner%s",
                                                     sw_runs_name(scene, all->problem, all->input_name), searching,
                                                     searching == 1 ? "" : "s");
    if (isinf(chart->best)) {
        scene->subtitle = "none of these planners measures whole layouts on the way";
        return;
    }
    const char *line = sw_scene_printf(scene, "Best %s", seeds_figure(chart, chart->best));
    if (!isnan(all->bound)) {
        line = chart->best <= all->bound
                   ? sw_scene_printf(scene, "%s, which is the lower bound", line)
                   : sw_scene_printf(scene, "%s, lower bound %s (%s)", line, seeds_figure(chart, all->bound),
                                     all->bound > 0 ? SW_PERCENT(chart->best / all->bound - 1, true) : "");
    }
    scene->subtitle =
        chart->seeds ? sw_scene_printf(scene, "%s; %s seeds each", line, SW_COUNT(chart->most_runs)) : line;
}

static void add_seeds_caption(struct seeds_chart *chart) {
    struct sw_scene *scene = chart->scene;
    const struct sw_seeds_page *all = chart->all;
    sw_runs_caption(&all->page, scene,
                    sw_scene_printf(scene, "Input %s. stowage %s.",
                                    sw_runs_input(scene, all->input_name, all->input_digest, all->problem),
                                    STOWAGE_VERSION));
    sw_runs_conditions(&all->page, scene, all->problem);
    const char *text = "";
    for (size_t b = 0; b < all->count; b++) {
        const struct sw_seeds_planner *band = &all->bands[b];
        if (band->count == 0) {
            continue;
        }
        const char *seeds = band->count == 1
                                ? sw_scene_printf(scene, "seed %llu", (unsigned long long)band->runs[0].seed)
                                : sw_scene_printf(scene, "seeds %llu to %llu", (unsigned long long)band->runs[0].seed,
                                                  (unsigned long long)band->runs[band->count - 1].seed);
        text = sw_scene_printf(scene, "%s%s%s (%s%s%s)", text, *text ? "; " : "Planners: ", band->planner, seeds,
                               *band->settings ? ", " : "", band->settings);
    }
    if (*text) {
        sw_runs_caption(&all->page, scene, sw_scene_printf(scene, "%s.", text));
    }
}

static void build_seeds(const void *context, struct sw_scene *scene, double foot) {
    const struct sw_seeds_page *all = context;
    struct seeds_chart chart = {.all = all, .scene = scene};
    chart.in = (struct sw_view_input){
        .medium = SW_ON_PAGE, .marks_per_unit_x = all->page.marks, .marks_per_unit_y = all->page.marks};
    struct sw_box box = sw_page_box(all->page.width, all->page.height, foot);
    survey_curves(&chart);
    chart.values = SW_NEW(double, chart.most_runs ? chart.most_runs : 1);
    if (!chart.values) {
        scene->failed = true;
        return;
    }
    set_seeds_titles(&chart);
    add_seeds_caption(&chart);
    double low = fmin((double)(all->count + 1) * SW_PAGE_ROW, box.height * 0.45);
    bool drawn = !isinf(chart.best), tabled = !drawn || box.height - low - 12 >= LEAST_PLOT;
    if (drawn) {
        draw_seeds_plots(&chart, (struct sw_box){box.left, box.top, box.width, box.height - (tabled ? low + 12 : 0)});
    }
    if (tabled) {
        add_seeds_table(&chart, (struct sw_box){box.left, box.top + box.height - low, box.width, low});
    }
    SW_FREE(chart.values, chart.most_runs ? chart.most_runs : 1);
}

/* Do two figures differ, and read the same? */
static bool blur(enum sw_units units, double a, double b) {
    char one[40], other[40];
    return (a < b || a > b) && fmin(a, b) >= 0 &&
           !strcmp(sw_show_bytes_in(units, (uint64_t)a, one), sw_show_bytes_in(units, (uint64_t)b, other));
}

/* The unit that suits the largest figure, unless the best and the worst of two planners, or the best and the bound,
 * would read the same in it, which are not: then bytes. */
static enum sw_units units_of_ends(const struct sw_seeds_page *all) {
    double ends[2] = {INFINITY, INFINITY}, most = 0; /* of the planner before */
    enum sw_units units = SW_UNITS_BYTES;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t b = 0; b < all->count; b++) {
            double own[2] = {INFINITY, -INFINITY};
            for (size_t i = 0; i < all->bands[b].count; i++) {
                const struct sw_seeds_run *run = &all->bands[b].runs[i];
                own[0] = fmin(own[0], run->gains[run->count - 1].value);
                own[1] = fmax(own[1], run->gains[run->count - 1].value);
            }
            most = fmax(most, own[1]);
            bool any = pass && all->bands[b].count > 0, two = any && !isinf(ends[0]);
            if (any && (blur(units, own[0], own[1]) || blur(units, own[0], all->bound) ||
                        (two && (blur(units, own[0], ends[0]) || blur(units, own[1], ends[1]))))) {
                return SW_UNITS_BYTES;
            }
            ends[0] = any ? own[0] : ends[0];
            ends[1] = any ? own[1] : ends[1];
        }
        units = sw_units_for(SW_UNITS_AUTO, (uint64_t)fmin(most, 0x1p62));
    }
    return units;
}

void sw_view_bands(const struct sw_seeds_page *all, struct sw_scene *scene) {
    struct sw_runs_page page = all->page;
    page.units = page.units == SW_UNITS_AUTO ? units_of_ends(all) : page.units;
    sw_runs_build(&page, scene, build_seeds, all);
}
