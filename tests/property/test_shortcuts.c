/* What makes a million buffers quick must not show: near.h, shelf.h, redo, and runs without a
 * journal.
 *
 * A run that is explained at every step looks at every space, one by one, and keeps nothing from
 * one decision to the next. A run that is not takes all the shortcuts. Both must make the same
 * decisions, field by field, and have the same digests: on problems of up to 900 buffers, sparse,
 * crowded and nested, with sizes of 0, alignments and capacities that are passed, and when the run
 * jumps back and forth, changes its mind, or forgets. */
#include "share.h"
#include "stowage.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 120 };

static void must(bool ok, uint64_t seed, const char *planner, uint64_t step, const char *what) {
    if (!ok) {
        fprintf(stderr, "seed %" PRIu64 ", %s, decision %" PRIu64 ": %s\n", seed, planner, step, what);
        exit(1);
    }
}

static struct sw_problem *draw(uint64_t seed) {
    uint64_t r = seed, count = 2 + sw_random_below(&r, seed % 4 ? 300 : 900), steps = 1 + count / (1 + seed % 9);
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    bool ok = builder != NULL;
    for (uint64_t i = 0; ok && i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%" PRIu64, i);
        uint64_t longest = sw_random_below(&r, 10) ? 8 : sw_random_below(&r, 10) ? 64 : steps;
        struct sw_buffer_spec spec = {.name = name, .has_size = true, .has_first = true, .has_last = true};
        spec.first = (int64_t)sw_random_below(&r, steps);
        spec.last = spec.first + (int64_t)sw_random_below(&r, longest);
        if (seed % 7 == 5) { /* all alive together, born and dead at different steps */
            spec.first = (int64_t)sw_random_below(&r, steps);
            spec.last = (int64_t)(steps + sw_random_below(&r, steps));
        }
        if (seed % 7 == 6) { /* nested */
            spec.first = (int64_t)(i / 2);
            spec.last = (int64_t)(2 * count - i);
        }
        spec.size = sw_random_below(&r, 30) ? 1 + sw_random_below(&r, UINT64_C(1) << (1 + sw_random_below(&r, 12))) : 0;
        spec.alignment = seed % 3 == 1   ? UINT64_C(1) << sw_random_below(&r, 7)
                         : seed % 3 == 2 ? 1 + sw_random_below(&r, 48)
                                         : 0;
        ok = sw_builder_buffer(builder, &spec, &error);
    }
    if (ok && seed % 5 == 4) {
        sw_builder_capacity(builder, 1 + sw_random_below(&r, 3000));
    }
    struct sw_problem *problem = ok ? sw_builder_finish(builder, &error) : NULL;
    sw_builder_free(builder);
    must(problem != NULL, seed, "-", 0, error.message);
    return problem;
}

static struct sw_search *start(const struct sw_problem *problem, const char *name, uint64_t seed) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find(name, &error), NULL, &error);
    must(search != NULL, seed, name, 0, error.message);
    return search;
}

static bool same(const struct sw_decision *a, const struct sw_decision *b) {
    return a->step == b->step && a->kind == b->kind && a->forced == b->forced && a->buffer == b->buffer &&
           sw_decision_other(a) == sw_decision_other(b) && a->tier == b->tier && a->time == b->time &&
           a->group == b->group && a->candidates == b->candidates && a->offset == b->offset && a->size == b->size &&
           sw_decision_amount(a) == sw_decision_amount(b) && a->peak == b->peak && a->peak_before == b->peak_before &&
           a->live == b->live && a->work == b->work && sw_decision_part(a) == sw_decision_part(b) &&
           (a->reason == b->reason || strcmp(a->reason, b->reason) == 0);
}

/* The whole run, explained; what was decided stays in its journal. */
static struct sw_search *look_at_all(const struct sw_problem *problem, const char *name, uint64_t seed) {
    struct sw_search *search = start(problem, name, seed);
    struct sw_explanation why = {0};
    enum sw_step step;
    while ((step = sw_search_step_explained(search, &why, NULL)) == SW_STEP_MORE) {
    }
    must(step == SW_STEP_DONE, seed, name, sw_search_at(search), "the explained run failed");
    sw_explanation_done(&why);
    return search;
}

static void compare_runs(struct sw_search *plain, const struct sw_search *looked, const char *name, uint64_t seed,
                         const char *what) {
    enum sw_step step;
    while ((step = sw_search_step(plain, NULL)) == SW_STEP_MORE) {
        uint64_t at = sw_search_at(plain);
        const struct sw_decision *theirs = sw_search_journal(looked, at);
        must(theirs && same(sw_search_decision(plain), theirs), seed, name, at, what);
    }
    must(step == SW_STEP_DONE && sw_search_known(plain) == sw_search_known(looked), seed, name, sw_search_at(plain),
         "another length");
    must(sw_search_digest(plain) == sw_search_digest(looked), seed, name, 0, "another digest");
}

/* Go back, and on from there; now and then with one step looked at in between. */
static void jump(struct sw_search *search, const struct sw_search *looked, const char *name, uint64_t seed) {
    uint64_t r = seed + 1, known = sw_search_known(looked);
    struct sw_explanation why = {0};
    for (int i = 0; i < 6; i++) {
        must(sw_search_seek(search, sw_random_below(&r, known + 1), NULL), seed, name, 0, "seek");
        for (uint64_t k = sw_random_below(&r, 30); k > 0; k--) {
            bool explain = sw_random_below(&r, 8) == 0;
            enum sw_step step = explain ? sw_search_step_explained(search, &why, NULL) : sw_search_step(search, NULL);
            if (step != SW_STEP_MORE) {
                break;
            }
        }
    }
    sw_explanation_done(&why);
    must(sw_search_seek(search, sw_random_below(&r, known + 1), NULL), seed, name, 0, "seek");
    compare_runs(search, looked, name, seed, "another decision after going back");
}

/* A user pins something half way, in a run that took the shortcuts so far and in one that did not.
 */
static void change_mind(const struct sw_problem *problem, struct sw_search *looked, const char *name, uint64_t seed) {
    uint64_t half = sw_search_known(looked) / 2;
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN,
                              .buffer = sw_problem_order(problem)[sw_problem_planned_count(problem) / 3]};
    struct sw_search *a = start(problem, name, seed);
    pin.offset = (sw_layout_peak(sw_search_layout(looked)) + 4095) / 4096 * 4096 * 315;
    must(sw_search_seek(a, half, NULL) && sw_search_seek(looked, half, NULL), seed, name, half, "seek");
    bool first = sw_search_force(a, &pin, NULL), second = sw_search_force(looked, &pin, NULL);
    must(first == second, seed, name, half, "a pin is refused once");
    struct sw_explanation why = {0};
    while (first && sw_search_step_explained(looked, &why, NULL) == SW_STEP_MORE) {
        must(sw_search_step(a, NULL) == SW_STEP_MORE && same(sw_search_decision(a), sw_search_decision(looked)), seed,
             name, sw_search_at(looked), "another decision after a pin");
    }
    sw_explanation_done(&why);
    sw_search_free(a);
}

int main(void) {
    static const char *const planners[] = {"first-fit",         "best-fit",          "greedy-by-size",
                                           "greedy-by-breadth", "lifetime-best-fit", "tflm-greedy"};
    const char *begin = getenv("SW_PROPERTY_SEED");
    uint64_t from = begin ? strtoull(begin, NULL, 10) : 1, decisions = 0;
    for (uint64_t seed = from + first_case(PROBLEMS), seed_end = seed + cases(PROBLEMS); seed < seed_end; seed++) {
        struct sw_problem *problem = draw(seed);
        for (size_t p = 0; p < sizeof planners / sizeof *planners; p++) {
            if (!sw_planner_applies(sw_planner_find(planners[p], NULL), problem, NULL)) {
                continue; /* greedy-by-breadth goes by operators */
            }
            struct sw_search *looked = look_at_all(problem, planners[p], seed);
            struct sw_search *plain = start(problem, planners[p], seed);
            struct sw_search *forgets = start(problem, planners[p], seed);
            compare_runs(plain, looked, planners[p], seed, "another decision than with all spaces looked at");
            jump(plain, looked, planners[p], seed);
            sw_search_forget(forgets);
            compare_runs(forgets, looked, planners[p], seed, "another decision without a journal");
            jump(forgets, looked, planners[p], seed);
            must(sw_search_journal(forgets, 1) == NULL || sw_search_known(forgets) == 1, seed, planners[p], 1,
                 "a journal is kept");
            decisions += sw_search_known(plain);
            change_mind(problem, looked, planners[p], seed);
            sw_search_free(plain);
            sw_search_free(forgets);
            sw_search_free(looked);
        }
        sw_problem_unref(problem);
    }
    printf("%" PRIu64 " problems, %" PRIu64 " decisions\n", cases(PROBLEMS), decisions);
    return 0;
}
