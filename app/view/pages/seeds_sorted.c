/* What each seed ended with, sorted: the distribution of the results of each planner, beside what needs no seeds. */
#include "view/pages/runs.h"
#include "base/base.h"
#include "base/sort.h"

#include "view/charts/convergence.h"
#include "view/pages/xyplot.h"

/* Results that each have a point; of more, so many are taken evenly, the best and the worst among them. */
enum { POINTED_SEEDS = 30, TAKEN_SEEDS = 200 };

struct sorted_chart {
    const struct sw_seeds_page *all;
    struct sw_scene *scene;
    struct sw_panel *panel;
    struct sw_view_input in;
    double least, most;
};

/* A run by what it ended with, and by its seed. */
struct seed_end {
    double value;
    uint64_t seed;
};
SW_BY_FIELDS(compare_seed_ends, struct seed_end, SW_UP(value), SW_UP(seed))

static struct seed_end *sorted_ends(const struct sw_seeds_planner *band) {
    struct seed_end *ends = SW_NEW(struct seed_end, band->count);
    for (size_t i = 0; ends && i < band->count; i++) {
        const struct sw_seeds_run *run = &band->runs[i];
        ends[i] = (struct seed_end){run->gains[run->count - 1].value, run->seed};
    }
    if (ends) {
        qsort(ends, band->count, sizeof *ends, compare_seed_ends);
    }
    return ends;
}

static const char *end_figure(const struct sorted_chart *chart, double value) {
    return sw_convergence_figure(&chart->in, chart->scene, chart->all->measure, value);
}

/* ---- one planner ---- */

struct sorted_series {
    struct sw_xypoint *line, *points;
    const char **told;
    size_t taken, pointed;
};

/* Level over the share of the seeds that it stands for. */
static void fill_sorted_line(struct sorted_series *series, const struct seed_end *ends, size_t count) {
    for (size_t k = 0; k < series->taken; k++) {
        size_t at = series->taken == count ? k : k * (count - 1) / (series->taken - 1);
        for (size_t side = 0; side < 2; side++) {
            series->line[2 * k + side] =
                (struct sw_xypoint){100 * (double)(k + side) / (double)series->taken, ends[at].value};
        }
    }
}

static void fill_sorted_points(const struct sorted_chart *chart, struct sorted_series *series,
                               const struct sw_seeds_planner *band, const struct seed_end *ends) {
    static const char *const words[] = {"best", "median", "worst"};
    bool each = band->count <= POINTED_SEEDS;
    series->pointed = each ? band->count : 3;
    for (size_t k = 0; k < series->pointed; k++) {
        size_t at = each ? k : k * (band->count - 1) / 2;
        double value = each || k != 1 ? ends[at].value : (ends[at].value + ends[band->count / 2].value) / 2;
        series->points[k] =
            (struct sw_xypoint){each ? 100 * ((double)k + 0.5) / (double)band->count : 50 * (double)k, value};
        series->told[k] = each ? sw_scene_printf(chart->scene, "%s, seed %llu: %s", band->planner,
                                                 (unsigned long long)ends[at].seed, end_figure(chart, value))
                               : sw_scene_printf(chart->scene, "%s, %s of %s seeds: %s", band->planner, words[k],
                                                 SW_COUNT(band->count), end_figure(chart, value));
    }
}

static void done_sorted(struct sorted_series *series) {
    SW_FREE(series->line, 2 * TAKEN_SEEDS);
    SW_FREE(series->points, POINTED_SEEDS);
    SW_FREE(series->told, POINTED_SEEDS);
}

static bool make_sorted(struct sorted_chart *chart, const struct sw_seeds_planner *band, struct sorted_series *series) {
    *series = (struct sorted_series){.line = SW_NEW(struct sw_xypoint, 2 * TAKEN_SEEDS),
                                     .points = SW_NEW(struct sw_xypoint, POINTED_SEEDS),
                                     .told = SW_NEW(const char *, POINTED_SEEDS)};
    struct seed_end *ends = band->count ? sorted_ends(band) : NULL;
    bool good = series->line && series->points && series->told && (ends || !band->count);
    if (good && ends) {
        series->taken = SW_MIN(band->count, TAKEN_SEEDS);
        fill_sorted_line(series, ends, band->count);
        fill_sorted_points(chart, series, band, ends);
        chart->least = fmin(chart->least, ends[0].value);
        chart->most = fmax(chart->most, ends[band->count - 1].value);
    }
    SW_FREE(ends, band->count);
    return good;
}

/* ---- the plot ---- */

/* What is near is drawn as a line; what is far would press the curves flat, and is told in words. */
static void take_level(struct sorted_chart *chart, double level) {
    double span = fmax(chart->most - chart->least, chart->least / 20);
    if (level < chart->least && chart->least - level <= 3 * span + chart->least / 4) {
        chart->least = level;
    } else if (level > chart->most && level - chart->most <= 3 * span + chart->most / 4) {
        chart->most = level;
    }
}

static void set_sorted_axes(struct sorted_chart *chart, struct sw_box box, double right) {
    static const char *const quantiles[] = {"best", "25%", "median", "75%", "worst"};
    struct sw_panel *panel = chart->panel;
    double span = fmax(chart->most - chart->least, fmax(fabs(chart->most) * 0.1, 1e-9));
    double lo = fmax(chart->least - span * 0.1, 0), hi = chart->most + span * 0.1;
    box.height -= SW_PAGE_LABEL_ROW; /* of the axis' title */
    sw_page_place(panel, box, SW_PAGE_GUTTER, right);
    panel->x.rows = 1;
    panel->x.lo = -2;
    panel->x.hi = 102;
    panel->x.title = "seeds, the best first";
    for (size_t i = 0; i < 5 && !chart->scene->failed; i++) {
        if (!SW_PUSH(&panel->x.ticks, ((struct sw_tick){25 * (double)i, quantiles[i]}))) {
            chart->scene->failed = true;
        }
    }
    if (chart->all->measure == SW_MEASURE_COST) {
        sw_view_number_axis(&chart->in, chart->scene, panel, lo, hi);
    } else {
        sw_view_bytes_axis(&chart->in, chart->scene, panel, lo, hi);
    }
}

static void mark_sorted_level(struct sorted_chart *chart, enum sw_style style, double level, const char *name) {
    if (level >= chart->panel->y.lo && level <= chart->panel->y.hi) {
        const char *text = sw_scene_printf(chart->scene, "%s %s", name, end_figure(chart, level));
        sw_view_level(chart->scene, chart->panel, style, true, level, SW_LABELS(chart->scene, text, name));
    }
}

static void draw_sorted(struct sorted_chart *chart, const struct sorted_series *series, struct sw_box box,
                        double right) {
    struct sw_xyseries *lines = SW_NEW_ZERO(struct sw_xyseries, 2 * chart->all->count);
    if (!lines) {
        chart->scene->failed = true;
        return;
    }
    struct sw_xyseries *points = lines + chart->all->count;
    for (size_t b = 0; b < chart->all->count; b++) {
        const char *name = chart->all->bands[b].planner;
        lines[b] = (struct sw_xyseries){.name = name, .points = series[b].line, .count = 2 * series[b].taken};
        points[b] = (struct sw_xyseries){
            .name = name, .points = series[b].points, .count = series[b].pointed, .told = series[b].told};
    }
    take_level(chart, chart->all->bound);
    take_level(chart, chart->all->greedy);
    set_sorted_axes(chart, box, right);
    struct sw_xyplot plot = {.series = lines, .count = chart->all->count};
    sw_xy_curves(&plot, chart->scene, chart->panel, SW_XY_LINES);
    mark_sorted_level(chart, SW_STYLE_BOUND, chart->all->bound, "bound");
    mark_sorted_level(chart, SW_STYLE_STRONG, chart->all->greedy, chart->all->greedy_name);
    plot.series = points;
    sw_xy_curves(&plot, chart->scene, chart->panel, SW_XY_POINTS);
    SW_FREE(lines, 2 * chart->all->count);
}

void sw_seeds_sorted(const struct sw_seeds_page *all, const struct sw_view_input *in, struct sw_scene *scene,
                     struct sw_box box, double right) {
    static const char *const titles[] = {"peak of each seed, sorted", "bytes moved with each seed, sorted",
                                         "cost E of each seed, sorted"};
    struct sorted_chart chart = {.all = all, .scene = scene, .in = *in, .least = INFINITY, .most = -INFINITY};
    struct sorted_series *series = SW_NEW_ZERO(struct sorted_series, all->count);
    bool good = series != NULL;
    chart.panel = sw_scene_panel(scene, SW_PANEL_PLOT, "seeds");
    chart.panel->title = titles[all->measure];
    for (size_t b = 0; good && b < all->count; b++) {
        good = make_sorted(&chart, &all->bands[b], &series[b]);
    }
    if (good) {
        draw_sorted(&chart, series, box, right);
    }
    scene->failed |= !good;
    for (size_t b = 0; series && b < all->count; b++) {
        done_sorted(&series[b]);
    }
    SW_FREE(series, all->count);
}
