/* stowage compare --seeds N: is evolving orders better than drawing them?
 *
 * Both planners run once per seed, beginning with --seed. random-order gets as many evaluations in
 * every run as order-genetic made in its longest, so that it never has fewer; a run that has ended
 * stays at its best. The best peak is the lowest that any planner reached with any seed, and what
 * counts is how many evaluations a run needs to reach it: a run that never does counts as needing
 * more than any other. */
#include "cli/shared/output.h"
#include "cli/shared/several.h"
#include "cli/subcommands/compare.h"
#include "base/minmax.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "planners/planner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct course {
    uint64_t seed;
    struct sw_curve curve;
};
struct side {
    const struct sw_planner *planner;
    struct course *courses;
    uint64_t reached; /* how many courses reach the best peak */
    bool has_median;
    double median; /* evaluations to the best peak */
};
struct duel {
    const struct sw_problem *problem;
    size_t count; /* of seeds */
    struct side sides[2];
    uint64_t evaluations; /* the most that a run of order-genetic made */
    uint64_t best;
    size_t wins, ties, losses; /* of order-genetic, by the peaks of the same seed */
};

/* ---- running ---- */

static bool set_evaluations(struct sw_params *params, uint64_t evaluations,
                            struct sw_error *error) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, evaluations);
    return sw_params_set(params, "evaluations", text, error);
}

/* False after printing why. */
static bool run_course(struct sw_cli *cli, const struct duel *duel, const struct side *side,
                       struct course *course) {
    struct sw_error error = {0};
    struct sw_params params = {0};
    struct sw_search *search = NULL;
    struct sw_result result;
    if (sw_cli_interrupted()) {
        sw_fail(&error, SW_ERROR_CANCELED, "interrupted");
    } else if (sw_compare_settings(&params, &cli->params, side->planner, &error) &&
               (side == &duel->sides[0] || set_evaluations(&params, duel->evaluations, &error))) {
        params.seed = course->seed;
        params.work = cli->params.work; /* evaluations are the measure, unless --work says so */
        search = sw_search_new(duel->problem, side->planner, &params, &error);
    }
    bool ok = search != NULL, whole = false, taken = false;
    if (!ok) {
        sw_cli_fail(&error);
    } else if ((ok = sw_cli_finish(cli, search, &result)) &&
               !((whole = sw_curve_of(search, &course->curve)) && (taken = course->curve.gains.count > 0))) {
        if (whole) {
            sw_summary_infeasible(&result, &error);
        } else {
            sw_fail_memory(&error);
        }
        sw_cli_fail(&error);
    }
    sw_search_free(search);
    sw_params_done(&params);
    return ok && taken;
}

static bool run_all(struct sw_cli *cli, struct duel *duel) {
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < duel->count; i++) {
            struct course *course = &duel->sides[s].courses[i];
            course->seed = cli->params.seed + i;
            if (!run_course(cli, duel, &duel->sides[s], course)) {
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

static uint64_t final_peak(const struct course *course) {
    return course->curve.gains.items[course->curve.gains.count - 1].amount;
}

/* The best peak after so many evaluations. */
static uint64_t peak_after(const struct course *course, uint64_t evaluations) {
    size_t i = 1;
    while (i < course->curve.gains.count &&
           course->curve.gains.items[i].evaluation <= evaluations) {
        i++;
    }
    return course->curve.gains.items[i - 1].amount;
}

static int compare_numbers(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Of numbers where UINT64_MAX stands for more than any. */
static bool median_of(uint64_t *numbers, size_t count, double *median) {
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    uint64_t low = numbers[(count - 1) / 2], high = numbers[count / 2];
    *median = ((double)low + (double)high) / 2;
    return high != UINT64_MAX;
}

static void measure_side(const struct duel *duel, struct side *side, uint64_t *numbers) {
    for (size_t i = 0; i < duel->count; i++) {
        const struct course *course = &side->courses[i];
        bool reached = final_peak(course) == duel->best;
        numbers[i] = reached ? course->curve.gains.items[course->curve.gains.count - 1].evaluation
                             : UINT64_MAX;
        side->reached += reached;
    }
    side->has_median = median_of(numbers, duel->count, &side->median);
}

static void measure(struct duel *duel, uint64_t *numbers) {
    duel->best = UINT64_MAX;
    for (size_t i = 0; i < duel->count; i++) {
        uint64_t a = final_peak(&duel->sides[0].courses[i]),
                 b = final_peak(&duel->sides[1].courses[i]);
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
    uint64_t next = now == 0          ? 1
                    : now < 2 * power ? 2 * power
                    : now < 5 * power ? 5 * power
                                      : 10 * power;
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
static int winner(const struct duel *duel) {
    const struct side *a = &duel->sides[0], *b = &duel->sides[1];
    if (a->has_median != b->has_median) {
        return a->has_median ? 0 : 1;
    }
    if (a->has_median && (a->median < b->median || b->median < a->median)) {
        return a->median < b->median ? 0 : 1;
    }
    return duel->wins > duel->losses ? 0 : duel->wins < duel->losses ? 1 : -1;
}

/* ---- output ---- */

static void print_csv(const struct duel *duel, struct sw_sink *out) {
    sw_sink_printf(out, "planner,seed,evaluation,peak\n");
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < duel->count; i++) {
            const struct course *course = &duel->sides[s].courses[i];
            for (size_t k = 0; k < course->curve.gains.count; k++) {
                sw_sink_csv(out, duel->sides[s].planner->name);
                sw_sink_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", course->seed,
                               course->curve.gains.items[k].evaluation,
                               course->curve.gains.items[k].amount);
            }
        }
    }
}

static void json_side(const struct duel *duel, const struct side *side, struct sw_sink *out) {
    sw_sink_printf(out, "\n  {\"planner\":");
    sw_sink_json(out, side->planner->name);
    sw_sink_printf(out, ",\"reached\":%" PRIu64 ",\"median_evaluations\":", side->reached);
    if (side->has_median) {
        sw_sink_number(out, side->median);
    } else {
        sw_sink_printf(out, "null");
    }
    sw_sink_printf(out, ",\"runs\":[");
    for (size_t i = 0; i < duel->count; i++) {
        const struct course *course = &side->courses[i];
        sw_sink_printf(out,
                       "%s\n   {\"seed\":%" PRIu64 ",\"evaluations\":%" PRIu64 ",\"peak\":%" PRIu64
                       ",\"gains\":[",
                       i ? "," : "", course->seed, course->curve.evaluations, final_peak(course));
        for (size_t k = 0; k < course->curve.gains.count; k++) {
            sw_sink_printf(out, "%s[%" PRIu64 ",%" PRIu64 "]", k ? "," : "",
                           course->curve.gains.items[k].evaluation,
                           course->curve.gains.items[k].amount);
        }
        sw_sink_printf(out, "]}");
    }
    sw_sink_printf(out, "]}");
}

static void print_json(const struct duel *duel, uint64_t *numbers, struct sw_sink *out) {
    int first = winner(duel);
    sw_sink_printf(out, "{\"graph\":");
    sw_sink_json(out, sw_problem_name(duel->problem));
    sw_sink_printf(out,
                   ",\n \"lower_bound\":%" PRIu64 ",\n \"seeds\":%zu,\n \"evaluations\":%" PRIu64
                   ",\n \"best_peak\":%" PRIu64 ",\n \"ahead\":",
                   sw_problem_lower_bound(duel->problem), duel->count, duel->evaluations,
                   duel->best);
    sw_sink_json(out, first < 0 ? "tie" : duel->sides[first].planner->name);
    sw_sink_printf(out, ",\n \"wins\":%zu,\n \"ties\":%zu,\n \"losses\":%zu,\n \"planners\":[",
                   duel->wins, duel->ties, duel->losses);
    json_side(duel, &duel->sides[0], out);
    sw_sink_printf(out, ",");
    json_side(duel, &duel->sides[1], out);
    sw_sink_printf(out, "],\n \"curve\":[");
    for (uint64_t at = next_point(duel, 0), k = 0; at > 0; at = next_point(duel, at), k++) {
        sw_sink_printf(out, "%s\n  {\"evaluations\":%" PRIu64, k ? "," : "", at);
        for (int s = 0; s < 2; s++) {
            sw_sink_printf(out, ",");
            sw_sink_json(out, duel->sides[s].planner->name);
            sw_sink_printf(out, ":");
            sw_sink_number(out, curve_at(duel, s, at, numbers));
        }
        sw_sink_printf(out, "}");
    }
    sw_sink_printf(out, "]}\n");
}

static void print_curve(const struct duel *duel, uint64_t *numbers, bool markdown,
                        struct sw_sink *out) {
    const char *fence = markdown ? " | " : "  ", *edge = markdown ? "| " : "",
               *end = markdown ? " |" : "";
    sw_sink_printf(out, "\n%s%12s%s%16s%s%16s%s\n", edge, "evaluations", fence,
                   duel->sides[0].planner->name, fence, duel->sides[1].planner->name, end);
    if (markdown) {
        sw_sink_printf(out, "| ---: | ---: | ---: |\n");
    }
    for (uint64_t at = next_point(duel, 0); at > 0; at = next_point(duel, at)) {
        char count[32];
        sw_sink_printf(out, "%s%12s", edge, sw_show_count(at, count));
        for (int s = 0; s < 2; s++) {
            uint64_t peak = (uint64_t)(curve_at(duel, s, at, numbers) + 0.5);
            sw_sink_printf(out, "%s%16s", fence, sw_show_count(peak, count));
        }
        sw_sink_printf(out, "%s\n", end);
    }
}

static void print_text(const struct duel *duel, uint64_t *numbers, bool markdown,
                       struct sw_sink *out) {
    char count[32], most[32], bound[32];
    const char *fence = markdown ? " | " : "  ", *edge = markdown ? "| " : "",
               *end = markdown ? " |" : "";
    int first = winner(duel);
    (markdown ? sw_sink_md : sw_sink_text)(out, sw_problem_name(duel->problem));
    sw_sink_printf(out, ": %zu %s, at most %s evaluations each, best peak %s B, bound %s B\n\n",
                   duel->count, duel->count == 1 ? "seed" : "seeds",
                   sw_show_count(duel->evaluations, most), sw_show_count(duel->best, count),
                   sw_show_count(sw_problem_lower_bound(duel->problem), bound));
    sw_sink_printf(out, "%s%-14s%s%12s%s%30s%s\n", edge, "planner", fence, "reached it", fence,
                   "median evaluations to reach it", end);
    if (markdown) {
        sw_sink_printf(out, "| :--- | ---: | ---: |\n");
    }
    for (int s = 0; s < 2; s++) {
        const struct side *side = &duel->sides[s];
        char reached[48], median[32] = "-";
        snprintf(reached, sizeof reached, "%" PRIu64 " of %zu", side->reached, duel->count);
        if (side->has_median) {
            snprintf(median, sizeof median, "%.1f", side->median);
        }
        sw_sink_printf(out, "%s%-14s%s%12s%s%30s%s\n", edge, side->planner->name, fence, reached,
                       fence, median, end);
    }
    if (first < 0) {
        sw_sink_printf(out, "\nA tie.");
    } else {
        sw_sink_printf(out, "\n%s is ahead.", duel->sides[first].planner->name);
    }
    sw_sink_printf(out,
                   " Seed by seed %s ends lower %zu times, level %zu times, higher %zu times.\n",
                   duel->sides[0].planner->name, duel->wins, duel->ties, duel->losses);
    sw_sink_printf(out, "\nThe best peak so far, median over the seeds:\n");
    print_curve(duel, numbers, markdown, out);
    sw_cli_clean(out);
}

static int print(const struct sw_cli *cli, const struct duel *duel, uint64_t *numbers,
                 enum sw_output output) {
    struct sw_sink out = {0};
    if (output == SW_OUTPUT_JSON) {
        print_json(duel, numbers, &out);
    } else if (output == SW_OUTPUT_CSV) {
        print_csv(duel, &out);
    } else {
        print_text(duel, numbers, output == SW_OUTPUT_MD, &out);
    }
    return sw_cli_put(cli, &out, 0);
}

int sw_compare_seeds(struct sw_cli *cli, const struct sw_problem *problem, enum sw_output output) {
    struct sw_error error = {0};
    struct duel duel = {.problem = problem, .count = (size_t)cli->seeds};
    uint64_t *numbers = SW_NEW(uint64_t, duel.count);
    bool ok = numbers != NULL;
    int status = 2;
    for (int s = 0; s < 2; s++) {
        duel.sides[s].planner = sw_planner_find(s ? "random-order" : "order-genetic", NULL);
        duel.sides[s].courses = SW_NEW_ZERO(struct course, duel.count);
        ok = ok && duel.sides[s].courses;
    }
    if (!ok) {
        sw_fail_memory(&error);
        sw_cli_fail(&error);
    } else if (run_all(cli, &duel)) {
        measure(&duel, numbers);
        status = print(cli, &duel, numbers, output);
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
