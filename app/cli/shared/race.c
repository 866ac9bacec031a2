/* --threads N: N runs of one planner side by side, with the seeds S, S + 1, ..., and the best of
 * them.
 *
 * They run in rounds of as much work each, however long that takes, and between two rounds it is
 * looked which has the answer: so the same N gives the same bytes on every machine, and the summary's
 * seed is that with which one thread does it again. Where every end is an answer
 * (branch-and-bound), the first round in which a run ends is the last one; where each seed is
 * another try (genetic planners), all run to their ends, unless one is proved the best. A search
 * shares nothing with others but the problem, which never changes. */
#include "cli/shared/output.h"
#include "base/base.h"
#include "cli/shared/run.h"
#include "planners/planner.h"

#include <pthread.h>

#define RACE_ROUND UINT64_C(2000000) /* units of work: 20 to 50 ms */

struct runner {
    struct sw_search *search;
    const struct sw_watch *watch;
    uint64_t work; /* it may still spend */
    enum sw_step step;
    struct sw_error error;
};
struct race {
    struct runner runners[SW_MOST_THREADS];
    uint32_t count;
};

static bool is_late_round(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    const struct runner *r = context;
    (void)search, (void)decision;
    return sw_watch_is_late(r->watch);
}

static void *run_round(void *argument) {
    struct runner *r = argument;
    uint64_t slice = SW_MIN(r->work, RACE_ROUND);
    r->step = sw_search_run(r->search, slice, is_late_round, r, &r->error);
    return NULL;
}

static bool is_running(const struct runner *r) {
    return r->step == SW_STEP_MORE && r->work > 0;
}

/* One round of all that have not ended. Where no thread is to be had, the work is done here. */
static void run_race_rounds(struct race *race) {
    pthread_t threads[SW_MOST_THREADS];
    bool started[SW_MOST_THREADS] = {false};
    for (uint32_t i = 1; i < race->count; i++) {
        started[i] =
            is_running(&race->runners[i]) && pthread_create(&threads[i], NULL, run_round, &race->runners[i]) == 0;
    }
    for (uint32_t i = 0; i < race->count; i++) {
        struct runner *r = &race->runners[i];
        if (started[i]) {
            pthread_join(threads[i], NULL);
        } else if (is_running(r)) {
            run_round(r);
        }
        uint64_t limit = sw_cli_work_limit(r->search), done = sw_search_work(r->search);
        r->work = !limit ? UINT64_MAX : done < limit ? limit - done : 0;
    }
}

/* Does this run leave nothing to be asked? */
static bool has_answer(const struct runner *r) {
    struct sw_claims claims;
    sw_search_claims(r->search, &claims);
    bool ended = r->step != SW_STEP_MORE;
    bool decides = sw_search_planner(r->search)->decides && !claims.instead;
    return ended && (decides || claims.optimal || claims.infeasible);
}

/* The run that ends the race, SW_NONE: none yet. `open`: some go on. */
static uint32_t find_winner(const struct race *race, bool *open) {
    *open = false;
    for (uint32_t i = 0; i < race->count; i++) {
        if (has_answer(&race->runners[i])) {
            return i;
        }
        *open = *open || is_running(&race->runners[i]);
    }
    return SW_NONE;
}

/* ---- the best of those that were stopped, or of many tries ---- */

static bool is_better_result(const struct sw_result *a, const struct sw_result *b, bool *better,
                             struct sw_error *error) {
    struct sw_metrics m, n;
    struct sw_objective one, two;
    sw_metrics_of(a->layout, &m);
    sw_metrics_of(b->layout, &n);
    bool fits = m.complete && m.fits, fits_too = n.complete && n.fits;
    if (!sw_search_objective(a->search, &one, error) || !sw_search_objective(b->search, &two, error)) {
        return false;
    }
    *better = fits != fits_too ? fits : sw_objective_is_less(&one, &two);
    return true;
}

/* The index of the best; SW_NONE: an error. */
static uint32_t find_best(const struct sw_cli *cli, struct race *race, uint32_t winner, double seconds,
                          struct sw_result *result, struct sw_error *error) {
    uint32_t best = SW_NONE;
    for (uint32_t i = 0; i < race->count; i++) {
        struct runner *r = &race->runners[i];
        struct sw_result own = {.seconds = seconds,
                                .stopped_at = r->step == SW_STEP_MORE ? sw_search_at(r->search) : 0};
        if (winner != SW_NONE && i != winner) {
            continue;
        }
        if (r->step == SW_STEP_FAILED) {
            *error = r->error;
        }
        if (!sw_cli_conclude(cli, r->search, r->step, &own, error)) {
            return SW_NONE;
        }
        bool better = best == SW_NONE;
        if (!better && !is_better_result(&own, result, &better, error)) {
            return SW_NONE;
        }
        if (better) {
            best = i;
            *result = own;
        }
    }
    return best;
}

/* ---- the race ---- */

static bool check_race(const struct sw_cli *cli, const struct sw_planner *planner, struct sw_error *error) {
    if (!planner->seeded) {
        return sw_fail(error, SW_ERROR_USAGE, "--threads: %s draws no lots, so that every thread would do the same",
                       planner->name);
    }
    return (!cli->params.cost && cli->params.action_count == 0 && !cli->params.breeding && !cli->params.policy &&
            !cli->params.tier_rules) ||
           sw_fail(error, SW_ERROR_USAGE, "--threads: scripts run on one thread only");
}

static bool open_runners(struct sw_cli *cli, const struct sw_problem *problem, struct race *race) {
    uint64_t seed = cli->params.seed;
    for (; race->count < cli->threads; race->count++) {
        struct runner *r = &race->runners[race->count];
        cli->params.seed = seed + race->count;
        r->search = sw_cli_search(cli, problem);
        r->step = SW_STEP_MORE;
        struct sw_error error = {0};
        if (r->search && race->count == 0 && !check_race(cli, sw_search_planner(r->search), &error)) {
            sw_cli_fail(&error);
            sw_search_free(r->search);
            r->search = NULL;
        }
        if (!r->search) {
            break;
        }
        uint64_t limit = sw_cli_work_limit(r->search);
        r->work = limit ? limit : UINT64_MAX;
        sw_search_only_end(r->search);
    }
    cli->params.seed = seed;
    return race->count == cli->threads;
}

struct sw_search *sw_cli_race(struct sw_cli *cli, const struct sw_problem *problem, struct sw_result *result) {
    struct race race = {.count = 0};
    struct sw_error error = {0};
    uint32_t winner = SW_NONE, best = SW_NONE;
    if (open_runners(cli, problem, &race)) {
        struct sw_watch watch = sw_watch_start(cli, race.runners[0].search, false);
        bool open = true;
        watch.work_limit = 0; /* every run has its own */
        for (uint32_t i = 0; i < race.count; i++) {
            race.runners[i].watch = &watch;
        }
        do {
            run_race_rounds(&race);
            winner = find_winner(&race, &open);
        } while (winner == SW_NONE && open && !sw_watch_stop(&watch, race.runners[0].search));
        double seconds = sw_watch_end(&watch);
        best = find_best(cli, &race, winner, seconds, result, &error);
        if (best == SW_NONE) {
            sw_cli_fail(&error);
        }
    }
    for (uint32_t i = 0; i < race.count; i++) {
        if (i != best) {
            sw_search_free(race.runners[i].search);
        }
    }
    return best == SW_NONE ? NULL : race.runners[best].search;
}
