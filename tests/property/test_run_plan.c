/* The plan of a run and the decisions that made it, for every planner on random problems:
 *
 * - a run that has ended has a plan, its last layout, wherever it stands, and so has a fork; a demand takes it away;
 * - the peak of the plan is that of its tier, the block named makes it, and at the decision named that block lies where
 * the plan has it;
 * - so of every block: at the decision that made its place it lies there, and, where one layout is made, not before;
 * - which decision made each place is the same after going back and forth, and when the run goes back to a layout that
 * it had;
 * - the end is no trial, the number of a trial is that of the layout on view or of one that is measured later, and what
 * is called a trial holds a block that the plan does not have so;
 * - the decisions that raised the peak raise it step by step, and the last to the plan's. */
#include "layout/made.h"
#include "model.h"
#include "search/result/curve.h"
#include "search/result/figures.h"
#include "search/result/run_plan.h"
#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 240, MAX_STEPS = 2000, SEEKS = 6, MOST_SPANS = 8 };

static uint64_t plans, peaks_in_trials, trials, made_anew, by_hand, after_demands, reserved, far_ends, finished_trials;

/* Every placement of a layout and the decision that made it, as one number, for comparing. */
static uint64_t all_of(const struct sw_layout *layout) {
    uint64_t digest = sw_layout_digest(layout);
    struct sw_placement at;
    for (uint32_t b = 0; b < sw_problem_buffer_count(sw_layout_problem(layout)); b++) {
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at); k++) {
            digest = sw_fold(digest, sw_layout_made(layout, b, k));
        }
    }
    return digest;
}

/* Does the buffer lie there, for some of its life? */
static bool lies(const struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint64_t offset) {
    struct sw_placement at;
    for (uint32_t k = 0; k < MOST_SPANS && sw_layout_placement(layout, buffer, k, &at); k++) {
        if (at.tier == tier && at.offset == offset) {
            return true;
        }
    }
    return false;
}

struct place {
    uint32_t buffer, tier;
    uint64_t offset, made;
};

static size_t places_of(const struct sw_layout *layout, struct place *places, size_t room) {
    size_t count = 0;
    struct sw_placement at;
    for (uint32_t b = 0; b < sw_problem_buffer_count(sw_layout_problem(layout)); b++) {
        for (uint32_t k = 0; count < room && sw_layout_placement(layout, b, k, &at); k++) {
            places[count++] = (struct place){b, at.tier, at.offset, sw_layout_made(layout, b, k)};
        }
    }
    return count;
}

static void check_makers(const struct model *m, struct sw_search *search, bool demanded) {
    const char *name = sw_search_planner(search)->name;
    struct place places[MAX_BUFFERS * MOST_SPANS];
    size_t count = places_of(sw_search_plan(search), places, sizeof places / sizeof *places);
    for (size_t i = 0; i < count; i++) {
        const struct place *p = &places[i];
        check_that(p->made <= sw_search_known(search), m, name, "buffer %u was placed by decision %llu of %llu",
                   p->buffer, (unsigned long long)p->made, (unsigned long long)sw_search_known(search));
        check_that(p->made > 0 || demanded, m, name, "no decision placed buffer %u", p->buffer);
        if (p->made == 0) {
            continue;
        }
        check_that(demanded || sw_search_journal(search, p->made)->kind != SW_DECISION_REVERT, m, name,
                   "decision %llu goes back to a layout and is said to have made it", (unsigned long long)p->made);
        check_that(sw_search_seek(search, p->made, NULL), m, name, "seek");
        check_that(lies(sw_search_layout(search), p->buffer, p->tier, p->offset), m, name,
                   "buffer %u does not lie at %llu after decision %llu, which is said to have placed it there",
                   p->buffer, (unsigned long long)p->offset, (unsigned long long)p->made);
        check_that(sw_search_seek(search, p->made - 1, NULL), m, name, "seek");
        bool before = lies(sw_search_layout(search), p->buffer, p->tier, p->offset);
        check_that(!before || !sw_search_planner(search)->one_layout, m, name,
                   "buffer %u lay at %llu before decision %llu", p->buffer, (unsigned long long)p->offset,
                   (unsigned long long)p->made);
        made_anew += before;
    }
}

static void check_peak(const struct model *m, struct sw_search *search, bool demanded) {
    const char *name = sw_search_planner(search)->name;
    struct sw_peak peak;
    struct sw_trial trial;
    sw_peak_of(sw_search_plan(search), &peak);
    check_that(peak.bytes == sw_layout_tier_peak(sw_search_plan(search), peak.tier), m, name,
               "the peak is that of no tier");
    bool far = peak.bytes < sw_layout_arena(sw_search_plan(search), peak.tier);
    far_ends += far;
    if (peak.bytes == 0) {
        return;
    }
    check_that(peak.step > 0 || demanded, m, name, "no decision set the peak of %llu", (unsigned long long)peak.bytes);
    by_hand += peak.step == 0;
    reserved += peak.buffer == SW_NONE;
    if (peak.step == 0 || peak.buffer == SW_NONE) {
        return;
    }
    check_that(lies(sw_search_plan(search), peak.buffer, peak.tier, peak.offset) &&
                   (peak.offset + sw_problem_buffer(sw_search_given(search), peak.buffer)->size == peak.bytes || far),
               m, name, "the block of the peak does not end there");
    check_that(sw_search_seek(search, peak.step, NULL), m, name, "seek");
    check_that(lies(sw_search_layout(search), peak.buffer, peak.tier, peak.offset), m, name,
               "at decision %llu the block of the peak lies elsewhere", (unsigned long long)peak.step);
    check_that(sw_layout_arena(sw_search_layout(search), peak.tier) >= peak.bytes, m, name,
               "at decision %llu the peak is below that of the plan", (unsigned long long)peak.step);
    peaks_in_trials += sw_search_trial(search, &trial);
}

static void check_raises(const struct model *m, const struct sw_search *search, bool demanded) {
    const char *name = sw_search_planner(search)->name;
    const struct sw_layout *plan = sw_search_plan(search);
    struct sw_peak peak;
    sw_peak_of(plan, &peak);
    if (sw_search_planner(search)->one_layout || peak.buffer == SW_NONE || demanded) {
        return;
    }
    uint64_t last = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        uint64_t raised = sw_search_raised(search, i);
        check_that(raised == 0 || raised > last, m, name, "decision %llu raises the peak of the plan to less",
                   (unsigned long long)i);
        last = raised ? raised : last;
        check_that(sw_search_peak_by(search, i) == last || last == 0, m, name,
                   "the peak by decision %llu is another one", (unsigned long long)i);
    }
    check_that(last == peak.bytes, m, name, "the decisions raise the peak to %llu, the plan has %llu",
               (unsigned long long)last, (unsigned long long)peak.bytes);
    /* where the tier is used up, the block that makes the peak may have stood at the far end before it did */
    bool may_end_far =
        sw_layout_arena(plan, peak.tier) == sw_problem_tier(sw_layout_problem(plan), peak.tier)->capacity;
    check_that(sw_search_raised(search, peak.step) == peak.bytes || may_end_far, m, name,
               "decision %llu set the peak and did not raise it", (unsigned long long)peak.step);
}

/* The trial named is the one to which the decisions lead, or an earlier one if its layout is on view. */
static void check_number(const struct model *m, struct sw_search *search, uint64_t to, const struct sw_trial *trial) {
    const char *name = sw_search_planner(search)->name;
    uint64_t here = sw_layout_digest(sw_search_layout(search)), all = all_of(sw_search_layout(search)), at = 0,
             number = 0, amount;
    bool finished =
        sw_layout_placed_count(sw_search_layout(search)) == sw_problem_planned_count(sw_search_given(search));
    while (trial->number > 0 && number < trial->number) {
        number += sw_curve_measured(sw_search_journal(search, ++at), &amount);
    }
    if (trial->number > 0 && at < to) {
        check_that(finished, m, name, "decision %llu leads to trial %llu, which was measured before, at %llu",
                   (unsigned long long)to, (unsigned long long)trial->number, (unsigned long long)at);
        check_that(sw_search_seek(search, at, NULL), m, name, "seek");
        check_that(sw_layout_digest(sw_search_layout(search)) == here, m, name,
                   "decision %llu is called trial %llu, which is another layout, of decision %llu",
                   (unsigned long long)to, (unsigned long long)trial->number, (unsigned long long)at);
        finished_trials++;
    }
    uint64_t last = 0;
    for (uint64_t i = 1; i < to; i++) {
        last = sw_curve_measured(sw_search_journal(search, i), &amount) ? i : last;
    }
    if (last > 0 && finished) {
        check_that(sw_search_seek(search, last, NULL), m, name, "seek");
        struct place places[MAX_BUFFERS * MOST_SPANS];
        size_t count = places_of(sw_search_layout(search), places, sizeof places / sizeof *places);
        bool moved = false; /* by hand: it is not known when */
        for (size_t i = 0; i < count; i++) {
            moved = moved || places[i].made == 0;
        }
        check_that(moved || all_of(sw_search_layout(search)) != all || (trial->number > 0 && at <= last), m, name,
                   "the layout of decision %llu was measured at %llu and is called trial %llu, of decision %llu",
                   (unsigned long long)to, (unsigned long long)last, (unsigned long long)trial->number,
                   (unsigned long long)at);
    }
}

/* Where it is no trial, every block lies as in the plan. */
static void check_trials(const struct model *m, struct sw_search *search, uint64_t *r) {
    const char *name = sw_search_planner(search)->name;
    struct sw_trial trial;
    for (int i = 0; i < SEEKS; i++) {
        uint64_t to = i == 0 ? sw_search_known(search) : sw_random_below(r, sw_search_known(search) + 1);
        check_that(sw_search_seek(search, to, NULL), m, name, "seek");
        bool given_up = sw_search_trial(search, &trial);
        check_that(!given_up || to < sw_search_known(search), m, name, "the end is called a trial");
        trials += given_up;
        if (given_up) {
            check_that(trial.number <= trial.count, m, name, "trial %llu of %llu", (unsigned long long)trial.number,
                       (unsigned long long)trial.count);
            check_that(trial.plan == sw_layout_peak(sw_search_plan(search)), m, name,
                       "the plan of the trial is another one");
            check_number(m, search, to, &trial); /* the run stands elsewhere then */
            continue;
        }
        struct place places[MAX_BUFFERS * MOST_SPANS];
        size_t count = places_of(sw_search_layout(search), places, sizeof places / sizeof *places);
        for (size_t k = 0; k < count && !sw_search_planner(search)->one_layout; k++) {
            check_that(lies(sw_search_plan(search), places[k].buffer, places[k].tier, places[k].offset), m, name,
                       "decision %llu is called a stage of the plan, which has buffer %u elsewhere",
                       (unsigned long long)to, places[k].buffer);
        }
    }
}

/* To the end, remembering what lies where, and back and forth. False: it failed. */
static bool walk(const struct model *m, struct sw_search *search, uint64_t *r) {
    static uint64_t was[MAX_STEPS + 1];
    const char *name = sw_search_planner(search)->name;
    struct sw_error error = {0};
    uint64_t from = sw_search_at(search), at = from;
    enum sw_step result;
    check_that(!sw_search_plan(search), m, name, "there is a plan before the end is known");
    was[at] = all_of(sw_search_layout(search));
    while ((result = sw_search_step(search, &error)) == SW_STEP_MORE) {
        check_that(++at <= MAX_STEPS, m, name, "the run does not end");
        was[at] = all_of(sw_search_layout(search));
    }
    if (result == SW_STEP_FAILED) {
        check_that(!sw_search_plan(search), m, name, "a run that failed has a plan");
        return false;
    }
    uint64_t end = all_of(sw_search_plan(search));
    check_that(end == was[at], m, name, "the plan is not the last layout");
    for (int i = 0; i < SEEKS; i++) {
        uint64_t to = from + sw_random_below(r, at - from + 1);
        check_that(sw_search_seek(search, to, NULL), m, name, "seek");
        check_that(all_of(sw_search_layout(search)) == was[to], m, name,
                   "after going to decision %llu others are said to have placed the blocks", (unsigned long long)to);
        check_that(all_of(sw_search_plan(search)) == end, m, name, "the plan changes with where the run stands");
    }
    plans++;
    return true;
}

static void try_demand(const struct model *m, struct sw_search *search, uint64_t *r) {
    const char *name = sw_search_planner(search)->name;
    uint64_t end = all_of(sw_search_plan(search));
    struct sw_search *fork = sw_search_fork(search, NULL);
    check_that(fork && all_of(sw_search_plan(fork)) == end, m, name, "the fork has another plan");
    check_that(sw_search_seek(fork, sw_random_below(r, sw_search_known(fork) + 1), NULL), m, name, "seek");
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN,
                              .buffer = (uint32_t)sw_random_below(r, sw_problem_buffer_count(sw_search_problem(fork)))};
    pin.offset = sw_random_below(r, 30) * sw_problem_buffer(sw_search_problem(fork), pin.buffer)->alignment * 4;
    if (sw_search_force(fork, &pin, NULL)) {
        check_that(!sw_search_plan(fork), m, name, "there is a plan after a demand");
        check_that(all_of(sw_search_plan(search)) == end, m, name, "a demand on the fork changes the plan");
        if (walk(m, fork, r)) {
            after_demands++;
            check_peak(m, fork, true);
            check_makers(m, fork, true);
            check_trials(m, fork, r);
        }
    }
    sw_search_free(fork);
}

static void try_planner(const struct model *m, const struct sw_problem *problem, const struct sw_planner *planner,
                        uint64_t seed) {
    struct sw_error error = {0};
    struct sw_params params = short_run(planner);
    uint64_t r = seed;
    params.seed = seed;
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    sw_params_done(&params);
    if (!search) {
        return;
    }
    if (seed % 2) {
        sw_search_budget(search, 4096, 64);
    }
    if (walk(m, search, &r)) {
        struct sw_figures figures;
        check_peak(m, search, false);
        check_makers(m, search, false);
        check_raises(m, search, false);
        check_trials(m, search, &r);
        try_demand(m, search, &r);
        check_that(sw_search_seek(search, sw_search_known(search), NULL) && sw_figures_of(search, &figures, &error), m,
                   planner->name, "figures: %s", error.message);
        check_that(figures.ended && figures.metrics.peak == sw_layout_peak(sw_search_plan(search)), m, planner->name,
                   "the figures at the end are not those of the plan");
    }
    sw_search_free(search);
}

int main(void) {
    uint64_t first = base_seed();
    for (uint64_t seed = first + first_case(PROBLEMS), seed_end = seed + cases(PROBLEMS); seed < seed_end; seed++) {
        struct model m;
        if (seed % 3) {
            model_draw(&m, seed);
        } else {
            model_draw_plain(&m, seed, 12);
        }
        struct sw_problem *problem = model_build(&m, NULL);
        for (size_t p = 0; p < sw_planner_built_in_count(); p++) {
            const struct sw_planner *planner = sw_planner_get(p);
            if (model_applies(planner, problem)) {
                try_planner(&m, problem, planner, seed);
            }
        }
        sw_problem_unref(problem);
    }
    check_that(often(plans, 2000) && often(trials, 300) && often(made_anew, 300) && often(finished_trials, 100) &&
                   often(after_demands, 100) && often(far_ends, 10),
               NULL, "all",
               "too little was tried: %llu finished trials, %llu far ends, %llu plans, %llu trials, %llu blocks placed "
               "anew, %llu after demands",
               (unsigned long long)finished_trials, (unsigned long long)far_ends, (unsigned long long)plans,
               (unsigned long long)trials, (unsigned long long)made_anew, (unsigned long long)after_demands);
    printf("%llu plans, %llu after demands, %llu peaks set in trials, %llu trials, %llu peaks by hand, %llu reserved\n",
           (unsigned long long)plans, (unsigned long long)after_demands, (unsigned long long)peaks_in_trials,
           (unsigned long long)trials, (unsigned long long)by_hand, (unsigned long long)reserved);
    return 0;
}
