/* stowage compare --seeds N: is evolving orders better than drawing them?
 *
 * Both planners run once per seed, beginning with --seed. random-order gets as many evaluations in
 * every run as order-genetic made in its longest, so that it never has fewer; a run that has ended
 * stays at its best. The best peak is the lowest that any planner reached with any seed, and what
 * counts is how many evaluations a run needs to reach it: a run that never does counts as needing
 * more than any other. */
#include "cli/shared/output.h"
#include "base/base.h"
#include "base/sort.h"
#include "cli/subcommands/compare.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "planners/planner.h"

struct seed_course {
    uint64_t seed;
    struct sw_curve curve;
};
struct seeds_side {
    const struct sw_planner *planner;
    struct seed_course *courses;
    uint64_t reached; /* how many courses reach the best peak */
    bool has_median;
    double median; /* evaluations to the best peak */
};
struct duel {
    const struct sw_problem *problem;
    size_t count; /* of seeds */
    struct seeds_side sides[2];
    uint64_t evaluations; /* the most that a run of order-genetic made */
    uint64_t best;
    size_t wins, ties, losses; /* of order-genetic, by the peaks of the same seed */
};

/* ---- running ---- */

struct sw_search *sw_compare_seed(const struct sw_cli *cli, const struct sw_problem *problem,
                                  const struct sw_planner *planner, uint64_t seed, uint64_t evaluations,
                                  struct sw_result *result, struct sw_error *error) {
    struct sw_params params = {0};
    struct sw_search *search = NULL;
    char text[24];
    bool counted = sw_compare_has_parameter(planner, "evaluations");
    bool ends = counted || sw_compare_has_parameter(planner, "patience");
    snprintf(text, sizeof text, "%" PRIu64, evaluations);
    if (sw_cli_interrupted()) {
        sw_fail(error, SW_ERROR_CANCELED, "interrupted");
    } else if (sw_compare_settings(&params, &cli->params, planner, error) &&
               (planner != sw_planner_find("order-genetic", NULL) || sw_params_add(&params, "choices=plain", error)) &&
               (evaluations == 0 || !counted || sw_params_set(&params, "evaluations", text, error))) {
        params.seed = seed;
        params.work = ends ? cli->params.work : params.work;
        search = sw_search_new(problem, planner, &params, error);
    }
    sw_params_done(&params);
    if (search && !sw_cli_complete(cli, search, result, error)) {
        sw_search_free(search);
        search = NULL;
    }
    return search;
}

static bool run_course(const struct sw_cli *cli, const struct duel *duel, int s, struct seed_course *course,
                       struct sw_error *error) {
    struct sw_result result;
    struct sw_search *search = sw_compare_seed(cli, duel->problem, duel->sides[s].planner, course->seed,
                                               s ? duel->evaluations : 0, &result, error);
    bool taken = search && (sw_curve_of(search, &course->curve) || sw_fail_memory(error));
    if (taken && course->curve.gains.count == 0) {
        sw_summary_infeasible(&result, error);
        taken = false;
    }
    sw_search_free(search);
    return taken;
}

static bool run_duel(const struct sw_cli *cli, struct duel *duel, struct sw_error *error) {
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < duel->count; i++) {
            struct seed_course *course = &duel->sides[s].courses[i];
            course->seed = cli->params.seed + i;
            if (!run_course(cli, duel, s, course, error)) {
                return false;
            }
            if (s == 0 && course->curve.evaluations > duel->evaluations) {
                duel->evaluations = course->curve.evaluations;
            }
        }
    }
    return true;
}

/* ---- figures ---- */

static uint64_t final_peak(const struct seed_course *course) {
    return course->curve.gains.items[course->curve.gains.count - 1].amount;
}

/* The best peak after so many evaluations. */
static uint64_t peak_after(const struct seed_course *course, uint64_t evaluations) {
    const struct sw_gain *gains = course->curve.gains.items;
    size_t later = SW_FIRST(i, course->curve.gains.count, gains[i].evaluation > evaluations);
    return gains[later > 0 ? later - 1 : 0].amount;
}

/* Of numbers where UINT64_MAX stands for more than any. */
static bool median_of(uint64_t *numbers, size_t count, double *median) {
    qsort(numbers, count, sizeof *numbers, sw_compare_u64);
    uint64_t low = numbers[(count - 1) / 2], high = numbers[count / 2];
    *median = ((double)low + (double)high) / 2;
    return high != UINT64_MAX;
}

static void measure_side(const struct duel *duel, struct seeds_side *side, uint64_t *numbers) {
    for (size_t i = 0; i < duel->count; i++) {
        const struct seed_course *course = &side->courses[i];
        bool reached = final_peak(course) == duel->best;
        numbers[i] = reached ? course->curve.gains.items[course->curve.gains.count - 1].evaluation : UINT64_MAX;
        side->reached += reached;
    }
    side->has_median = median_of(numbers, duel->count, &side->median);
}

static void measure_duel(struct duel *duel, uint64_t *numbers) {
    duel->best = UINT64_MAX;
    for (size_t i = 0; i < duel->count; i++) {
        uint64_t a = final_peak(&duel->sides[0].courses[i]), b = final_peak(&duel->sides[1].courses[i]);
        duel->best = SW_MIN(a, duel->best);
        duel->best = SW_MIN(b, duel->best);
        duel->wins += a < b;
        duel->ties += a == b;
        duel->losses += a > b;
    }
    measure_side(duel, &duel->sides[0], numbers);
    measure_side(duel, &duel->sides[1], numbers);
}

/* The evaluations at which the curve is shown: 1, 2, 5, 10 ... and the last. 0 after that. */
static uint64_t next_point(const struct duel *duel, uint64_t now) {
    uint64_t power = 1;
    while (power * 10 <= now) {
        power *= 10;
    }
    uint64_t next = now == 0 ? 1 : now < 2 * power ? 2 * power : now < 5 * power ? 5 * power : 10 * power;
    return now >= duel->evaluations ? 0 : SW_MIN(next, duel->evaluations);
}

/* The median over the seeds of the best peak so far. */
static double curve_at(const struct duel *duel, int s, uint64_t evaluations, uint64_t *numbers) {
    double median;
    for (size_t i = 0; i < duel->count; i++) {
        numbers[i] = peak_after(&duel->sides[s].courses[i], evaluations);
    }
    median_of(numbers, duel->count, &median);
    return median;
}

/* Which planner is ahead: by the medians; where those are level, or neither exists, by the peaks seed by
 * seed. -1: a tie, and it is called one. */
static int winner_of_duel(const struct duel *duel) {
    const struct seeds_side *a = &duel->sides[0], *b = &duel->sides[1];
    if (a->has_median != b->has_median) {
        return a->has_median ? 0 : 1;
    }
    if (a->has_median && (a->median < b->median || b->median < a->median)) {
        return a->median < b->median ? 0 : 1;
    }
    return duel->wins > duel->losses ? 0 : duel->wins < duel->losses ? 1 : -1;
}

/* ---- output ---- */

static void put_csv(struct sw_cli_report *out, const struct duel *duel) {
    static const struct sw_report_column columns[] = {
        {.csv = "planner"}, {.csv = "seed"}, {.csv = "evaluation"}, {.csv = "peak"}};
    sw_rows_begin(out, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < 2 * duel->count; i++) {
        const struct seeds_side *side = &duel->sides[i / duel->count];
        const struct seed_course *course = &side->courses[i % duel->count];
        for (size_t k = 0; k < course->curve.gains.count; k++) {
            sw_row_text(out, side->planner->name);
            SW_ROW_COUNTS(out, true, course->seed, course->curve.gains.items[k].evaluation,
                          course->curve.gains.items[k].amount);
        }
    }
    sw_rows_end(out);
}

/* The runs are told as JSON only. */
static void put_runs(struct sw_json_out *json, const struct duel *duel, const struct seeds_side *side) {
    sw_put_list(json, "runs");
    sw_put_lines(json);
    for (size_t i = 0; i < duel->count; i++) {
        const struct seed_course *course = &side->courses[i];
        sw_put_object(json, NULL);
        SW_PUT_COUNTS(json, {"seed", course->seed}, {"evaluations", course->curve.evaluations},
                      {"peak", final_peak(course)});
        sw_put_list(json, "gains");
        for (size_t k = 0; k < course->curve.gains.count; k++) {
            sw_put_list(json, NULL);
            SW_PUT_COUNTS(json, {NULL, course->curve.gains.items[k].evaluation},
                          {NULL, course->curve.gains.items[k].amount});
            sw_put_end(json);
        }
        sw_put_end(json);
        sw_put_end(json);
    }
    sw_put_end(json);
}

static void put_sides(struct sw_cli_report *out, const struct duel *duel) {
    static const struct sw_report_column columns[] = {
        {.json = "planner", .head = "planner", .width = 14, .left = true, .plain = true},
        {.json = "reached"},
        {.head = "reached it", .width = 12},
        {.json = "median_evaluations"},
        {.head = "median evaluations to reach it", .width = 30}};
    sw_rows_begin(out, "planners", columns, sizeof columns / sizeof *columns);
    for (int s = 0; s < 2; s++) {
        const struct seeds_side *side = &duel->sides[s];
        sw_row_text(out, side->planner->name);
        sw_row_count(out, side->reached);
        sw_row_words(out, "%" PRIu64 " of %zu", side->reached, duel->count);
        sw_row_exact(out, side->has_median ? side->median : (double)NAN);
        put_runs(&out->json, duel, side);
        sw_row_words(out, side->has_median ? "%.1f" : "-", side->median);
    }
    sw_rows_end(out);
}

static void put_curve(struct sw_cli_report *out, const struct duel *duel, uint64_t *numbers) {
    const char *const names[] = {duel->sides[0].planner->name, duel->sides[1].planner->name};
    const struct sw_report_column columns[] = {{.json = "evaluations", .head = "evaluations", .width = 12},
                                               {.json = names[0]},
                                               {.head = names[0], .width = 16},
                                               {.json = names[1]},
                                               {.head = names[1], .width = 16}};
    sw_rows_begin(out, "curve", columns, sizeof columns / sizeof *columns);
    for (uint64_t at = next_point(duel, 0); at > 0; at = next_point(duel, at)) {
        sw_row_count(out, at);
        for (int s = 0; s < 2; s++) {
            double median = curve_at(duel, s, at, numbers);
            sw_row_exact(out, median);
            sw_row_count(out, (uint64_t)(median + 0.5));
        }
    }
    sw_rows_end(out);
}

static void put_duel(struct sw_cli_report *report, const struct duel *duel, uint64_t *numbers) {
    struct sw_json_out *json = &report->json;
    struct sw_sink *out = report->words;
    uint64_t bound = sw_problem_lower_bound(duel->problem);
    int first = winner_of_duel(duel);
    const char *ahead = duel->sides[first < 0 ? 0 : first].planner->name;
    sw_report_about(report, duel->problem);
    SW_PUT_COUNTS(json, {"lower_bound", bound}, {"seeds", duel->count}, {"evaluations", duel->evaluations},
                  {"best_peak", duel->best});
    sw_put_text(json, "ahead", first < 0 ? "tie" : ahead);
    SW_PUT_COUNTS(json, {"wins", duel->wins}, {"ties", duel->ties}, {"losses", duel->losses});
    sw_sink_printf(out, ": %zu %s, at most %s evaluations each, best peak %s, bound %s\n\n", duel->count,
                   duel->count == 1 ? "seed" : "seeds", SW_COUNT(duel->evaluations), SW_BYTES(duel->best),
                   SW_BYTES(bound));
    put_sides(report, duel);
    sw_sink_printf(out, first < 0 ? "\nA tie." : "\n%s is ahead.", ahead);
    sw_sink_printf(out, " Seed by seed %s ends lower %zu time%s, level %zu time%s, higher %zu time%s.\n",
                   duel->sides[0].planner->name, duel->wins, duel->wins == 1 ? "" : "s", duel->ties,
                   duel->ties == 1 ? "" : "s", duel->losses, duel->losses == 1 ? "" : "s");
    sw_sink_printf(out, "\nThe best peak so far, median over the seeds:\n\n");
    put_curve(report, duel, numbers);
    sw_put_end(json);
}

static int print_duel(const struct sw_cli *cli, const struct duel *duel, uint64_t *numbers, enum sw_output output) {
    struct sw_cli_report report;
    sw_cli_report_start(&report, output);
    if (output == SW_OUTPUT_CSV) {
        put_csv(&report, duel);
    } else {
        put_duel(&report, duel, numbers);
    }
    return sw_cli_report_finish(cli, &report, 0);
}

int sw_compare_seeds(struct sw_cli *cli, const struct sw_problem *problem, enum sw_output output) {
    struct duel duel = {.problem = problem, .count = (size_t)cli->seeds};
    uint64_t *numbers = SW_NEW(uint64_t, duel.count);
    struct sw_error error = {0};
    bool ok = numbers != NULL;
    int status;
    for (int s = 0; s < 2; s++) {
        duel.sides[s].planner = sw_planner_find(s ? "random-order" : "order-genetic", NULL);
        duel.sides[s].courses = SW_NEW_ZERO(struct seed_course, duel.count);
        ok = ok && duel.sides[s].courses;
    }
    if ((ok || sw_fail_memory(&error)) && run_duel(cli, &duel, &error)) {
        measure_duel(&duel, numbers);
        status = print_duel(cli, &duel, numbers, output);
    } else {
        status = sw_cli_fail(&error);
    }
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; duel.sides[s].courses && i < duel.count; i++) {
            SW_ARRAY_DONE(&duel.sides[s].courses[i].curve.gains);
        }
        SW_FREE(duel.sides[s].courses, duel.count);
    }
    SW_FREE(numbers, duel.count);
    return status;
}
