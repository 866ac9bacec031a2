/* How good the runs of several planners become, as a picture: one run each, or one per seed. */
#include "base/base.h"
#include "cli/subcommands/compare.h"
#include "cli/shared/pictures.h"
#include "cli/shared/summary.h"

#include "layout/cost.h"
#include "planners/planner.h"

struct gains {
    uint64_t evaluations;
    SW_ARRAY(struct sw_seeds_gain) items;
};

/* What a planner counts as an evaluation: orders decoded, else results measured. */
static bool is_evaluation(const struct sw_decision *decision, enum sw_decision_kind kind) {
    return sw_decision_is(decision, kind) &&
           (kind == SW_DECISION_DECODE || decision->measures != SW_AMOUNT_NOTHING || !isnan(decision->cost));
}

static bool collect_gains(const struct sw_search *search, enum sw_decision_kind kind, enum sw_measure *measure,
                          bool *any, struct gains *gains) {
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        enum sw_measure found;
        double value;
        if (!is_evaluation(decision, kind)) {
            continue;
        }
        gains->evaluations++;
        if (!sw_trend_figure(decision, &found, &value) || (*any && found != *measure)) {
            continue;
        }
        *measure = found;
        *any = true;
        size_t count = gains->items.count;
        if ((!count || value < gains->items.items[count - 1].value) &&
            !SW_PUSH(&gains->items, (struct sw_seeds_gain){gains->evaluations, value})) {
            return false;
        }
    }
    return true;
}

/* False: no memory. No gains: it measures nothing on the way, or another figure than the others. */
static bool gains_of(const struct sw_search *search, enum sw_measure *measure, bool *any, struct gains *gains) {
    return collect_gains(search, SW_DECISION_DECODE, measure, any, gains) &&
           (gains->evaluations > 0 || collect_gains(search, SW_DECISION_EVALUATE, measure, any, gains));
}

/* ---- all planners ---- */

struct search_curves {
    struct sw_seeds_page all;
    SW_ARRAY(struct sw_seeds_planner) bands;
    SW_ARRAY(struct gains) gains; /* of all runs, planner by planner */
    SW_ARRAY(struct sw_seeds_run) runs;
    struct sw_scene words; /* what is said of them */
    bool any;
};

static void free_curves(struct search_curves *curves) {
    for (size_t i = 0; i < curves->gains.count; i++) {
        SW_ARRAY_DONE(&curves->gains.items[i].items);
    }
    SW_ARRAY_DONE(&curves->gains, &curves->runs, &curves->bands);
    sw_scene_done(&curves->words);
}

static const char *settings_words(struct search_curves *curves, const struct sw_params *params) {
    const char *text = "";
    for (size_t i = 0; i < params->settings.count; i++) {
        text = sw_scene_printf(&curves->words, "%s%s%s=%s", text, *text ? ", " : "", params->settings.items[i].key,
                               params->settings.items[i].value);
    }
    return text;
}

/* Why a run that has ended has no curve. */
static const char *no_curve(struct search_curves *curves, const struct sw_search *search, bool measures) {
    struct sw_metrics metrics;
    char text[40];
    sw_metrics_of(sw_search_layout(search), &metrics);
    const char *why =
        measures ? "what it measures on the way is another figure" : "measures no whole layouts on the way";
    return metrics.single_tier && metrics.placed
               ? sw_scene_printf(&curves->words, "%s; its peak is %s", why,
                                 sw_show_bytes_in(curves->all.page.units, metrics.peak, text))
               : why;
}

/* A run of the planner that was begun last. */
static bool add_search_curve(struct search_curves *curves, const struct sw_search *search, struct sw_error *error) {
    struct sw_seeds_planner *band = &curves->bands.items[curves->bands.count - 1];
    struct gains gains = {0};
    bool good = gains_of(search, &curves->all.measure, &curves->any, &gains), any = gains.items.count > 0;
    if (good && !any) {
        band->why = no_curve(curves, search, gains.evaluations > 0);
    }
    if (!good || !any || !SW_PUSH(&curves->gains, gains)) {
        SW_ARRAY_DONE(&gains.items);
        return (good && !any) || sw_fail_memory(error);
    }
    band->count++;
    band->settings = settings_words(curves, sw_search_params(search));
    struct sw_seeds_run run = {.seed = sw_search_params(search)->seed,
                               .evaluations = gains.evaluations,
                               .gains = gains.items.items,
                               .count = gains.items.count};
    return SW_PUSH(&curves->runs, run) || sw_fail_memory(error);
}

static bool begin_planner(struct search_curves *curves, const char *planner, struct sw_error *error) {
    return SW_PUSH(&curves->bands, (struct sw_seeds_planner){.planner = planner, .settings = "", .why = ""}) ||
           sw_fail_memory(error);
}

/* What the bound of the figure is that all measure. */
static double bound_of_measure(const struct sw_problem *problem, const struct sw_cost_model *cost,
                               enum sw_measure measure) {
    double bound = (double)NAN;
    struct sw_migration migration = {0};
    if (measure == SW_MEASURE_PEAK) {
        return sw_problem_tier_count(problem) == 1 ? (double)sw_problem_lower_bound(problem) : bound;
    }
    if (measure == SW_MEASURE_COST) {
        return sw_cost_bound(problem, cost, &bound, NULL) ? bound : (double)NAN;
    }
    if (sw_problem_may_migrate(problem) && sw_problem_migration_bound(problem, &migration) && migration.feasible) {
        bound = (double)migration.bytes;
    }
    sw_migration_done(&migration);
    return bound;
}

static bool write_page(const struct sw_cli *cli, struct search_curves *curves, struct sw_error *error) {
    size_t at = 0;
    for (size_t b = 0; b < curves->bands.count; b++) {
        curves->bands.items[b].runs = curves->runs.items + at;
        at += curves->bands.items[b].count;
    }
    curves->all.bound = bound_of_measure(curves->all.problem, cli->params.cost, curves->all.measure);
    curves->all.bands = curves->bands.items;
    curves->all.count = curves->bands.count;
    if (curves->words.failed) {
        return sw_fail_memory(error);
    }
    struct sw_scene scene = {0};
    sw_view_bands(&curves->all, &scene);
    return sw_picture_write(cli, &scene, error);
}

static struct search_curves start_curves(const struct sw_cli *cli, const struct compared_table *table) {
    return (struct search_curves){.all = {.page = sw_picture_page(cli, table->problem),
                                          .problem = table->problem,
                                          .input_name = cli->files[0],
                                          .input_digest = table->digest,
                                          .greedy = (double)NAN}};
}

/* ---- one run each ---- */

bool sw_compare_curves(const struct sw_cli *cli, const struct compared_table *table, struct sw_error *error) {
    struct search_curves curves = start_curves(cli, table);
    bool good = true;
    for (size_t i = 0; i < table->rows.count && good; i++) {
        const struct compared_row *row = &table->rows.items[i];
        good = begin_planner(&curves, row->planner->name, error) &&
               (!row->search || add_search_curve(&curves, row->search, error));
        struct sw_seeds_planner *band = good ? &curves.bands.items[curves.bands.count - 1] : NULL;
        if (band && band->count == 0 && *row->why) {
            band->why = row->why;
        }
    }
    good = good && write_page(cli, &curves, error);
    free_curves(&curves);
    return good;
}

/* ---- a run per seed ---- */

static bool run_seed(const struct sw_cli *cli, struct search_curves *curves, const struct sw_planner *planner,
                     uint64_t seed, uint64_t evaluations, struct sw_error *error) {
    struct sw_result result;
    const struct sw_seeds_planner *band = &curves->bands.items[curves->bands.count - 1];
    size_t before = band->count;
    struct sw_search *search = sw_compare_seed(cli, curves->all.problem, planner, seed, evaluations, &result, error);
    bool good = search && add_search_curve(curves, search, error);
    if (good && band->count == before) {
        good = false;
        if (sw_cli_outcome(&result) == SW_OUTCOME_FEASIBLE) {
            sw_fail(error, SW_ERROR_USAGE, "--seeds: %s measures nothing that could be drawn beside the others",
                    planner->name);
        } else {
            sw_summary_infeasible(&result, error);
        }
    }
    sw_search_free(search);
    return good;
}

static bool run_seeds(const struct sw_cli *cli, struct search_curves *curves, const struct sw_planner *planner,
                      uint64_t evaluations, struct sw_error *error) {
    bool good = begin_planner(curves, planner->name, error);
    for (uint64_t i = 0; i < cli->seeds && good; i++) {
        good = run_seed(cli, curves, planner, cli->params.seed + i, evaluations, error);
    }
    return good;
}

/* What needs no seeds, as a reference: it is not drawn where it finds no plan. False: no memory, or interrupted. */
static bool find_greedy(const struct sw_cli *cli, struct search_curves *curves, struct sw_error *error) {
    const struct sw_planner *planner = sw_planner_find("greedy-by-size", NULL);
    struct sw_error why = {0};
    struct sw_result result;
    curves->all.greedy_name = planner->name;
    if (curves->all.measure != SW_MEASURE_PEAK || sw_problem_tier_count(curves->all.problem) != 1) {
        return true;
    }
    struct sw_search *search = sw_compare_seed(cli, curves->all.problem, planner, 1, 0, &result, &why);
    if (search && sw_cli_outcome(&result) == SW_OUTCOME_FEASIBLE) {
        struct sw_metrics metrics;
        sw_metrics_of(sw_search_layout(search), &metrics);
        curves->all.greedy = (double)metrics.peak;
    }
    sw_search_free(search);
    if (!search && (why.code == SW_ERROR_MEMORY || why.code == SW_ERROR_CANCELED)) {
        *error = why;
        return false;
    }
    return true;
}

bool sw_compare_seed_curves(const struct sw_cli *cli, const struct compared_table *table, struct sw_error *error) {
    struct search_curves curves = start_curves(cli, table);
    bool good = true, given = sw_params_given(&cli->params, "evaluations");
    uint64_t most = 0;
    for (int random = 0; random < 2; random++) {
        for (size_t i = 0; i < table->rows.count && good; i++) {
            const struct sw_planner *planner = table->rows.items[i].planner;
            if ((strcmp(planner->name, "random-order") == 0) == (random == 1)) {
                /* as many as the longest of the others made */
                good = run_seeds(cli, &curves, planner, random && !given ? most : 0, error);
            }
        }
        for (size_t i = 0; i < curves.runs.count; i++) {
            uint64_t own = curves.runs.items[i].evaluations;
            most = SW_MAX(own, most);
        }
    }
    good = good && find_greedy(cli, &curves, error) && write_page(cli, &curves, error);
    free_curves(&curves);
    return good;
}
