/* The two sides of a difference: read, planned, and what stands between them planned as well. */
#include "base/base.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "cli/subcommands/diff.h"
#include "planners/planner.h"
#include "search/broken.h"

bool sw_diff_open(const struct sw_cli *cli, unsigned side, const char *path, const struct sw_told *kept, size_t count,
                  struct sw_diff_run *run, struct sw_error *error) {
    run->seen.path = path;
    if (sw_cli_side(cli, side, kept, count, &run->own, error)) {
        run->given = sw_load(path, &run->own.load, &run->seen.digest, error);
    }
    if (run->given) {
        run->problem = sw_problem_ref(run->given);
        run->seen.plan = sw_problem_has_plan(run->problem);
    }
    return run->given != NULL;
}

void sw_diff_close(struct sw_diff_run *run) {
    sw_search_free(run->search);
    sw_problem_unref(run->given);
    sw_problem_unref(run->problem);
    sw_cli_side_done(&run->own);
}

/* The command line with which a plan is played, or the planner runs. */
static struct sw_cli due_run_line(const struct sw_diff_run *run) {
    struct sw_cli own = run->own;
    own.base = 0;
    if (run->seen.plan) {
        own.planner = "as-built";
        own.params = SW_PARAMS_DEFAULT;
    }
    return own;
}

static bool is_stopped(struct sw_error *error) {
    return sw_cli_interrupted() && !sw_fail(error, SW_ERROR_CANCELED, "interrupted: nothing is compared");
}

bool sw_diff_plan(struct sw_diff_run *run, struct sw_error *error) {
    struct sw_cli own = due_run_line(run);
    struct sw_result result;
    struct sw_metrics metrics;
    run->seen.search = run->search = sw_cli_try(&own, run->problem, error);
    if (!run->search || !sw_cli_complete(&own, run->search, &result, error)) {
        return false;
    }
    if (is_stopped(error)) { /* the other side would stop at once, too: no verdict */
        return false;
    }
    sw_metrics_of(result.layout, &metrics);
    const struct sw_problem *about = sw_layout_problem(result.layout);
    if (sw_search_planner(run->search)->reorders && about != run->problem) {
        sw_problem_unref(run->problem); /* what is compared is the model in the order of its plan */
        run->problem = sw_problem_ref(about);
    }
    run->seen.stopped_at = result.stopped_at;
    run->seen.has_peak = metrics.complete && metrics.single_tier;
    run->seen.peak = metrics.peak;
    run->fits = metrics.complete && metrics.fits;
    run->several = metrics.complete && !metrics.single_tier;
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        run->tier_peak[t] = metrics.tier_peak[t];
        snprintf(run->words[t], sizeof run->words[t], "peak of %.36s",
                 SW_SHOWN(sw_problem_tier(run->problem, t)->name));
    }
    bool known = true;
    run->recorded = !run->seen.plan && sw_search_planner(run->search)->needs & SW_NEEDS_RECORDING;
    if (run->recorded) {
        known = sw_search_broken(run->search, &run->faults, NULL);
    } else if (run->seen.plan) { /* what is written at an address counts from there */
        run->seen.peak -= SW_MIN(run->own.base, run->seen.peak);
        known = sw_layout_check(result.layout, &run->faults, NULL, NULL);
    }
    return known || sw_fail_memory(error);
}

/* ---- what a difference is due to ---- */

struct due_runs {
    const struct sw_diff_run *old;
    uint32_t tier;
};

/* The figure of a model between the two, as the planner of the old side plans it. */
static bool figure_between(void *context, const struct sw_problem *problem, bool *known, uint64_t *figure,
                           struct sw_error *error) {
    const struct due_runs *runs = context;
    struct sw_cli own = due_run_line(runs->old);
    struct sw_error why = {0};
    struct sw_result result;
    struct sw_metrics metrics = {.complete = false};
    struct sw_search *search = sw_cli_try(&own, problem, &why);
    bool ran = search && sw_cli_complete(&own, search, &result, &why);
    if (ran) {
        sw_metrics_of(result.layout, &metrics);
    }
    uint32_t tier = runs->tier;
    bool same = tier == SW_NONE ||
                (tier < sw_problem_tier_count(problem) &&
                 !strcmp(sw_problem_tier(problem, tier)->name, sw_problem_tier(runs->old->problem, tier)->name));
    *known = metrics.complete && same && (tier != SW_NONE || metrics.single_tier);
    if (*known) {
        *figure = tier == SW_NONE ? metrics.peak : metrics.tier_peak[tier];
    }
    sw_search_free(search);
    if (why.code == SW_ERROR_MEMORY) {
        *error = why;
        return false;
    }
    return !is_stopped(error);
}

bool sw_diff_due(const struct sw_diff_run *old, const struct sw_diff_run *fresh, const struct sw_diff_verdict *verdict,
                 struct sw_due *due, struct sw_error *error) {
    struct sw_pairing pairing;
    struct due_runs runs = {old, verdict->tier};
    bool files = old->seen.plan || fresh->seen.plan || old->recorded || fresh->recorded;
    struct sw_due_sides sides = {.old = verdict->before,
                                 .fresh = verdict->after,
                                 .again = old->kept,
                                 .other = !verdict->is_bound && !sw_cli_sides_alike(&old->own, &fresh->own),
                                 .figure = files || verdict->is_bound ? NULL : figure_between,
                                 .context = &runs};
    bool good = (sw_pairing_make(&pairing, old->given, fresh->given) || sw_fail_memory(error)) &&
                sw_due_find(&pairing, &sides, due, error);
    sw_pairing_done(&pairing);
    return good;
}
