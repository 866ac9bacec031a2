/* The planner `fit` on random networks: it finds what the search finds, every plan is valid, whatever the user chooses
 * or pins, going back and forward gives the same states, and a run that is stopped anywhere has a plan. */
#include "fit/interpreter.h"
#include "fit/networks.h"
#include "share.h"
#include "unit/unit.h"

#include "base/hash.h"
#include "formats/format.h"
#include "formats/tflite/write/tflite_fit.h"
#include "planners/fit/fit_look.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct scene {
    uint64_t seed, r;
    struct bytes file;
    struct sw_problem *problem;
    struct sw_search *search;
};
static struct { uint64_t runs, handed, looked, apart, forced, pinned, settled, written; } seen;

static uint64_t below(struct scene *s, uint64_t bound) {
    return sw_random_below(&s->r, bound);
}

static struct sw_search *open_run(const struct scene *s) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.seed = s->seed;
    struct sw_search *search = sw_search_new(s->problem, sw_planner_find("fit", &error), &params, &error);
    if (!search) {
        fail_msg("seed %" PRIu64 ": %s", s->seed, error.message);
    }
    return search;
}

static void run_on(struct scene *s) {
    struct sw_error error = {0};
    if (sw_search_run(s->search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("seed %" PRIu64 ": %s", s->seed, error.message);
    }
}

static void check_layout(struct scene *s, const struct sw_layout *layout) {
    size_t faults = 0;
    struct sw_metrics metrics;
    sw_metrics_of(layout, &metrics);
    if (!sw_layout_check(layout, &faults, NULL, NULL) || faults > 0 || !metrics.complete) {
        fail_msg("seed %" PRIu64 ", decision %" PRIu64 ": %zu faults, %s", s->seed, sw_search_at(s->search), faults,
                 metrics.complete ? "complete" : "not complete");
    }
}

/* The run ends with the model that the search by itself ends with, where its plan has every buffer. */
static void compare_with_search(struct scene *s) {
    struct sw_fit_result result = {0};
    struct sw_fit_look look;
    struct sw_error error = {0};
    unsigned moves = SW_FIT_MAY(SW_FIT_STRIPS) | SW_FIT_MAY(SW_FIT_ORDER) | SW_FIT_MAY(SW_FIT_INPLACE) |
                     SW_FIT_MAY(SW_FIT_RECOMPUTE);
    assert_true(sw_fit_run(s->problem, &(struct sw_fit_request){.seed = s->seed, .moves = moves}, &result, &error));
    assert_true(sw_fit_look(s->search, &look) && look.handed && look.now);
    const struct sw_fit_model *model = &result.models.items[result.chosen];
    assert_int_equal(sw_layout_peak(sw_search_layout(s->search)), model->head);
    assert_int_equal(look.now->arena, model->arena);
    assert_int_equal(look.region_count, model->region_count);
    for (size_t i = 0; i < model->region_count; i++) {
        assert_true(sw_fit_same_region(&look.regions[i], &model->regions[i]));
    }
    seen.handed += model->moves.items.count > 0;
    sw_fit_result_done(&result);
}

/* The decision that hands over: its step; 0: there is none. */
static uint64_t find_hand_over(const struct sw_search *search) {
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        if (sw_search_journal(search, i)->kind == SW_DECISION_HAND_OVER_MODEL) {
            return i;
        }
    }
    return 0;
}

/* Somewhere back and to the end again: every state is what it was. Before the model changed the run is about the given
 * one. */
static void go_back(struct scene *s) {
    uint64_t end = sw_search_at(s->search), digest = sw_search_digest(s->search), over = find_hand_over(s->search);
    for (int round = 0; round < 3; round++) {
        uint64_t to = below(s, end + 1);
        assert_true(sw_search_seek(s->search, to, NULL));
        assert_int_equal(sw_search_at(s->search), to);
        assert_true(to >= over || sw_search_problem(s->search) == s->problem);
        assert_true(to >= over || sw_search_known(s->search) <= over);
        for (uint64_t i = 1; i <= sw_search_known(s->search); i++) {
            uint32_t buffer = sw_search_journal(s->search, i)->buffer;
            assert_true(buffer == SW_NONE || buffer < sw_problem_buffer_count(sw_search_problem(s->search)));
        }
        run_on(s);
        assert_int_equal(sw_search_at(s->search), end);
        assert_int_equal(sw_search_digest(s->search), digest);
    }
}

/* Of the ways that a decision found the explanation names the same when the run comes by again. */
static void look_again(struct scene *s) {
    for (uint64_t i = 1; i <= sw_search_known(s->search) && sw_search_journal(s->search, i)->kind == SW_DECISION_LOOK;
         i++) {
        struct sw_decision first = *sw_search_journal(s->search, i);
        struct sw_explanation why = {0};
        uint64_t least = UINT64_MAX;
        assert_true(sw_search_seek(s->search, i - 1, NULL));
        assert_int_equal(sw_search_step_explained(s->search, &why, NULL), SW_STEP_MORE);
        for (size_t k = 0; first.candidates > 0 && k < why.candidates.count; k++) {
            assert_int_equal(why.candidates.items[k].op, first.time);
            least = why.candidates.items[k].size < least ? why.candidates.items[k].size : least;
        }
        assert_true(first.candidates == 0 || (why.candidates.count == first.candidates && least == first.look.least));
        assert_int_equal(why.decision.look.least, first.look.least);
        assert_int_equal(why.decision.candidates, first.candidates);
        seen.looked += first.candidates > 0;
        sw_explanation_done(&why);
    }
    run_on(s);
}

/* A limit at any decision leaves a plan of some model, once one was planned. */
static void stop_anywhere(struct scene *s) {
    uint64_t end = sw_search_known(s->search), to = below(s, end + 1);
    assert_true(sw_search_seek(s->search, to, NULL));
    assert_true(sw_search_settle(s->search, NULL));
    const struct sw_layout *layout = sw_search_layout(s->search);
    struct sw_fit_look look;
    if (sw_fit_look(s->search, &look) && !look.handed && sw_layout_placed_count(layout) > 0) {
        check_layout(s, layout);
        seen.settled++;
    }
    run_on(s);
}

/* At the decisions that choose and take, any candidate may be had; the run ends with a valid plan. */
static void choose_others(struct scene *s) {
    struct sw_error error = {0};
    uint64_t over = find_hand_over(s->search);
    for (uint64_t i = 1; i < over; i++) {
        const struct sw_decision *d = sw_search_journal(s->search, i);
        bool chooses = d->kind == SW_DECISION_CHOOSE_MODEL || sw_decision_is(d, SW_DECISION_TAKE);
        if (!chooses || below(s, 2)) {
            continue;
        }
        uint32_t count = d->candidates;
        struct sw_override demand = {
            .kind = SW_OVERRIDE_CHOOSE, .buffer = SW_NONE, .choice = (uint32_t)below(s, count)};
        struct sw_explanation why = {0};
        assert_true(sw_search_seek(s->search, i - 1, NULL));
        assert_true(sw_search_force(s->search, &demand, &error));
        if (sw_search_step_explained(s->search, &why, &error) != SW_STEP_MORE) {
            fail_msg("seed %" PRIu64 ", candidate %u of %u: %s", s->seed, demand.choice, count, error.message);
        }
        assert_int_equal(why.candidates.count, count);
        assert_int_equal(why.candidates.items[demand.choice].verdict, SW_VERDICT_CHOSEN);
        assert_true(sw_search_decision(s->search)->forced);
        sw_explanation_done(&why);
        run_on(s);
        check_layout(s, sw_search_layout(s->search));
        over = find_hand_over(s->search);
        seen.forced++;
        i = i < over ? i : over;
    }
}

/* Where a cut is taken the one that the model has is a candidate, and what is taken in its place makes another state.
 */
static void tell_candidates_apart(struct scene *s) {
    enum { MOST = 24 };
    struct sw_error error = {0};
    uint64_t over = find_hand_over(s->search), digests[MOST];
    for (uint64_t i = 1; i < over; i++) {
        const struct sw_decision *d = sw_search_journal(s->search, i);
        if (d->kind != SW_DECISION_TAKE || d->candidates < 2) {
            continue;
        }
        uint32_t count = d->candidates < MOST ? d->candidates : MOST;
        struct sw_explanation why = {0};
        assert_true(sw_search_seek(s->search, i - 1, NULL));
        assert_int_equal(sw_search_step_explained(s->search, &why, NULL), SW_STEP_MORE);
        size_t chosen = 0;
        for (size_t k = 0; k < why.candidates.count; k++) {
            chosen += why.candidates.items[k].verdict == SW_VERDICT_CHOSEN;
        }
        assert_int_equal(chosen, 1);
        assert_int_equal(why.candidates.items[0].verdict, SW_VERDICT_CHOSEN);
        sw_explanation_done(&why);
        for (uint32_t k = 0; k < count; k++) {
            struct sw_search *fork = NULL;
            struct sw_override demand = {.kind = SW_OVERRIDE_CHOOSE, .buffer = SW_NONE, .choice = k};
            assert_true(sw_search_seek(s->search, i - 1, NULL));
            assert_non_null(fork = sw_search_fork(s->search, &error));
            assert_true(sw_search_force(fork, &demand, &error));
            assert_int_equal(sw_search_step(fork, &error), SW_STEP_MORE);
            digests[k] = sw_search_digest(fork);
            for (uint32_t before = 0; before < k; before++) {
                if (digests[before] == digests[k]) {
                    fail_msg("seed %" PRIu64 ", decision %" PRIu64 ": candidates %u and %u make one state", s->seed, i,
                             before, k);
                }
            }
            sw_search_free(fork);
            seen.apart++;
        }
        break;
    }
    run_on(s);
}

/* The model that the run has come to, written with its plan, computes what the one that was given does. */
static void write_run(struct scene *s) {
    struct sw_input input = {.name = "file", .bytes = (const char *)s->file.items, .length = s->file.count};
    struct sw_fit_look look;
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    char why[WHY];
    assert_true(sw_fit_look(s->search, &look) && look.now);
    if (look.now->moves.items.count == 0) {
        return;
    }
    assert_true(sw_fit_model_program(look.result, look.now, &program, &refusal));
    if (!tflite_write_fit(&input, NULL, &program, sw_search_layout(s->search), &sink, &error)) {
        fail_msg("seed %" PRIu64 ": %s", s->seed, error.message);
    }
    const struct bytes changed = {.items = (unsigned char *)sink.text.items, .count = sink.text.count};
    if (!same_results(&s->file, &changed, s->seed, why)) {
        fail_msg("seed %" PRIu64 ": %s", s->seed, why);
    }
    seen.written++;
    sw_fit_program_done(&program);
    sw_sink_done(&sink);
}

/* Pins are refused before there are buffers to pin, and obeyed afterwards. */
static void pin_one(struct scene *s) {
    struct sw_error error = {0};
    uint64_t over = find_hand_over(s->search);
    struct sw_override demand = {.kind = SW_OVERRIDE_PIN, .buffer = 0, .offset = 0};
    assert_true(sw_search_seek(s->search, 0, NULL));
    assert_false(sw_search_force(s->search, &demand, &error));
    assert_true(sw_search_seek(s->search, over, NULL));
    const struct sw_problem *problem = sw_search_problem(s->search);
    demand.buffer = sw_problem_order(problem)[below(s, sw_problem_planned_count(problem))];
    demand.offset = 16 * below(s, 64);
    if (!sw_search_force(s->search, &demand, &error)) {
        return;
    }
    run_on(s);
    struct sw_placement place;
    assert_true(sw_layout_placement(sw_search_layout(s->search), demand.buffer, 0, &place));
    assert_int_equal(place.offset, demand.offset);
    check_layout(s, sw_search_layout(s->search));
    seen.pinned++;
}

static void test_planner(void **state) {
    (void)state;
    uint64_t count = cases(400);
    for (uint64_t seed = 1 + first_case(400), end = seed + count; seed < end; seed++) {
        struct scene s = {.seed = seed, .r = seed * 91 + 3};
        struct sw_error error = {0};
        network_file(seed, &s.file);
        struct sw_input input = {.name = "file", .bytes = (const char *)s.file.items, .length = s.file.count};
        s.problem = sw_load_input(&input, NULL, &error);
        if (!s.problem) {
            fail_msg("seed %" PRIu64 ": %s", seed, error.message);
        }
        if (sw_planner_applies(sw_planner_find("fit", &error), s.problem, &error)) {
            s.search = open_run(&s);
            run_on(&s);
            check_layout(&s, sw_search_layout(s.search));
            compare_with_search(&s);
            go_back(&s);
            look_again(&s);
            stop_anywhere(&s);
            tell_candidates_apart(&s);
            choose_others(&s);
            write_run(&s);
            pin_one(&s);
            write_run(&s);
            sw_search_free(s.search);
            seen.runs++;
        }
        sw_problem_unref(s.problem);
        free(s.file.items);
    }
    printf("%" PRIu64 " runs, %" PRIu64 " with a changed model, %" PRIu64 " other candidates, %" PRIu64
           " pins, %" PRIu64 " stopped early, %" PRIu64 " written\n",
           seen.runs, seen.handed, seen.forced, seen.pinned, seen.settled, seen.written);
    if (seen.runs < 20) {
        return; /* a small share may have none of what is rare */
    }
    assert_true(seen.handed >= seen.runs / 8 && seen.forced >= seen.runs / 8 && seen.pinned >= seen.runs / 4 &&
                seen.settled > 0 && seen.looked > seen.runs && seen.apart > 0 && seen.written > seen.runs / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planner)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
