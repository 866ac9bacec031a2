/* The step-wise state: both directions, branches, overrides, checkpoints, lack of memory. */
#include "search/tree.h"
#include "faults.h"
#include "search/trend.h"
#include "unit/unit.h"

static const struct sw_planner *planner(const char *name) {
    struct sw_error error = {0};
    const struct sw_planner *found = sw_planner_find(name, &error);
    if (!found) {
        fail_msg("%s", error.message);
    }
    return found;
}

static struct sw_search *new_search(const struct sw_problem *problem, const char *name) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, planner(name), NULL, &error);
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}

static uint64_t offset_of(const struct sw_search *search, uint32_t buffer) {
    struct sw_placement placement;
    assert_true(sw_layout_placement(sw_search_layout(search), buffer, 0, &placement));
    return placement.offset;
}

static struct sw_problem *sample(void) {
    const int64_t rows[][3] = {{1, 4, 5}, {1, 6, 3}, {1, 6, 4}, {2, 3, 2}, {5, 6, 1}, {5, 6, 6}};
    return plain_problem(rows, 6);
}

/* first-fit, but its fourth step fails when all its work is done. */
static enum sw_step step_that_fails(void *state, struct sw_run *run, struct sw_decision *decision) {
    enum sw_step result = planner("first-fit")->step(state, run, decision);
    if (sw_layout_placed_count(run->layout) < 4) {
        return result;
    }
    sw_fail(run->error, SW_ERROR_UNSUPPORTED, "not like this");
    return SW_STEP_FAILED;
}

/* What a step did before it failed is taken back, and it can be tried again. */
static void a_step_that_fails_leaves_nothing(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_planner failing = *planner("first-fit");
    failing.step = step_that_fails;
    struct sw_search *search = sw_search_new(problem, &failing, NULL, NULL);
    assert_non_null(search);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    }
    uint64_t digest = sw_search_digest(search);
    for (int i = 0; i < 2; i++) {
        struct sw_error error = {0};
        assert_int_equal(sw_search_step(search, &error), SW_STEP_FAILED);
        assert_string_equal(error.message, "not like this");
        assert_true(sw_search_digest(search) == digest);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void a_run_and_back(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *search = new_search(problem, "first-fit");
    assert_null(sw_search_decision(search));
    uint64_t digests[7];
    for (int i = 0; i < 6; i++) {
        digests[i] = sw_search_digest(search);
        assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
        assert_int_equal(sw_search_decision(search)->step, (uint64_t)i + 1);
    }
    digests[6] = sw_search_digest(search);
    assert_false(sw_search_complete(search));
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_DONE);
    assert_true(sw_search_complete(search));
    const uint64_t want[] = {0, 5, 8, 12, 0, 12};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(offset_of(search, i), want[i]);
    }
    for (int i = 6; i >= 0; i--) {
        assert_true(sw_search_seek(search, (uint64_t)i, NULL));
        assert_int_equal(sw_search_at(search), i);
        assert_true(sw_search_digest(search) == digests[i]);
    }
    assert_int_equal(sw_search_known(search), 6);
    assert_true(sw_search_seek(search, 1000, NULL)); /* stops at the end */
    assert_int_equal(sw_search_at(search), 6);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void pins_move_and_bind(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *search = new_search(problem, "first-fit");
    struct sw_error error;
    assert_true(sw_search_seek(search, 3, NULL)); /* 0 at 0..5, 1 at 5..8, 2 at 8..12 */
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 1, .tier = 0, .offset = 10};
    assert_false(sw_search_force(search, &pin, &error));
    assert_string_equal(error.message, "b1 at memory+10 would overlap b2, alive 1..6");
    assert_int_equal(sw_search_at(search), 3);
    pin.offset = 20; /* a placed block moves at once */
    assert_true(sw_search_force(search, &pin, &error));
    assert_int_equal(offset_of(search, 1), 20);
    pin.buffer = 5; /* one to come is kept free for */
    pin.offset = 0;
    assert_true(sw_search_force(search, &pin, &error));
    uint64_t forced = sw_search_digest(search);
    assert_true(sw_search_seek(search, 0, NULL));
    assert_int_equal(sw_layout_placed_count(sw_search_layout(search)), 0);
    assert_true(sw_search_seek(search, 3, NULL));
    assert_true(sw_search_digest(search) == forced);
    assert_true(sw_search_seek(search, 100, NULL));
    assert_int_equal(offset_of(search, 5), 0);
    assert_int_equal(offset_of(search, 1), 20);
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
    size_t count;
    const struct sw_recipe_entry *recipe = sw_search_recipe(search, &count);
    assert_int_equal(count, 2);
    assert_int_equal(recipe[0].step, 3);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void forbidding_and_choosing(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *search = new_search(problem, "first-fit");
    struct sw_error error;
    struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = 0, .lo = 0, .hi = 7};
    assert_true(sw_search_force(search, &forbid, &error));
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    assert_int_equal(offset_of(search, 0), 7);
    assert_false(sw_search_force(
        search, &(struct sw_override){.kind = SW_OVERRIDE_FORBID, .buffer = 0, .lo = 8, .hi = 9}, &error));
    /* b1 sees [0,7), the forbidden range is another's, b0 at 7..12, and what lies above: take that
     */
    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 2};
    assert_true(sw_search_force(search, &choose, &error));
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    assert_int_equal(offset_of(search, 1), 12);
    assert_true(sw_search_decision(search)->forced);
    choose.choice = 99;
    assert_false(sw_search_force(search, &choose, &error));
    assert_int_equal(sw_search_at(search), 2);
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    assert_int_equal(offset_of(search, 2), 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void forks_are_independent(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *search = new_search(problem, "first-fit");
    sw_search_seek(search, 3, NULL);
    struct sw_search *fork = sw_search_fork(search, NULL);
    assert_true(sw_search_digest(fork) == sw_search_digest(search));
    assert_true(sw_search_force(fork, &(struct sw_override){.kind = SW_OVERRIDE_PIN, .buffer = 3, .offset = 40}, NULL));
    assert_true(sw_search_seek(fork, 100, NULL));
    assert_true(sw_search_seek(search, 100, NULL));
    assert_int_equal(offset_of(fork, 3), 40);
    assert_int_equal(offset_of(search, 3), 12);
    sw_search_free(search); /* checkpoints are shared: the fork keeps its own */
    assert_true(sw_search_seek(fork, 1, NULL));
    assert_int_equal(sw_search_at(fork), 1);
    sw_search_free(fork);
    sw_problem_unref(problem);
}

static void explaining_moves_nothing(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *search = new_search(problem, "first-fit");
    sw_search_seek(search, 100, NULL);
    uint64_t digest = sw_search_digest(search);
    struct sw_explanation explanation = {0};
    for (uint64_t at = 1; at <= 6; at++) {
        assert_true(sw_search_explain(search, at, &explanation, NULL));
        const struct sw_decision *decision = sw_search_journal(search, at);
        assert_int_equal(explanation.decision.offset, decision->offset);
        unsigned chosen = 0;
        for (size_t i = 0; i < explanation.candidates.count; i++) {
            if (explanation.candidates.items[i].verdict == SW_VERDICT_CHOSEN) {
                assert_int_equal(explanation.candidates.items[i].offset, decision->offset);
                chosen++;
            }
        }
        assert_int_equal(chosen, 1);
    }
    assert_true(sw_search_digest(search) == digest);
    assert_int_equal(sw_search_at(search), 6);
    assert_false(sw_search_explain(search, 7, &explanation, NULL));
    sw_explanation_done(&explanation);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A bounded history still reaches every step. */
static void history_is_bounded(void **state) {
    (void)state;
    int64_t rows[2000][3];
    uint64_t random = 3;
    for (int i = 0; i < 2000; i++) {
        rows[i][0] = (int64_t)sw_random_below(&random, 1000);
        rows[i][1] = rows[i][0] + (int64_t)sw_random_below(&random, 8);
        rows[i][2] = 1 + (int64_t)sw_random_below(&random, 100);
    }
    struct sw_problem *problem = plain_problem((const int64_t(*)[3])rows, 2000);
    struct sw_search *plain = new_search(problem, "best-fit");
    struct sw_search *search = new_search(problem, "best-fit");
    sw_search_budget(search, 400000, 1);
    assert_true(sw_search_seek(search, 2000, NULL));
    size_t kept = sw_search_checkpoints(search);
    assert_true(kept > 1 && kept < 500);
    for (int i = 0; i < 30; i++) {
        uint64_t at = sw_random_below(&random, 2001);
        assert_true(sw_search_seek(search, at, NULL) && sw_search_seek(plain, at, NULL));
        assert_true(sw_search_digest(search) == sw_search_digest(plain));
        assert_true(sw_search_checkpoints(search) < 500);
    }
    sw_search_free(plain);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Without a journal only the present decision is known; everything else stays. */
static void a_run_can_forget(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *plain = new_search(problem, "first-fit");
    struct sw_search *search = new_search(problem, "first-fit");
    assert_true(sw_search_seek(plain, 100, NULL));
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    sw_search_forget(search);
    assert_int_equal(sw_search_decision(search)->buffer, sw_search_journal(plain, 1)->buffer);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_true(sw_search_known(search) == sw_search_known(plain));
    assert_true(sw_search_digest(search) == sw_search_digest(plain));
    assert_null(sw_search_journal(search, 1));
    assert_int_equal(sw_search_decision(search)->buffer, sw_search_decision(plain)->buffer);
    assert_true(sw_search_boundary(search, 1, SW_LEVEL_OPERATOR, true) == sw_search_known(search));
    struct sw_explanation why = {0}; /* going back still works */
    assert_true(sw_search_explain(search, 2, &why, NULL));
    assert_int_equal(why.decision.buffer, sw_search_journal(plain, 2)->buffer);
    sw_explanation_done(&why);
    assert_true(sw_search_seek(search, 3, NULL) && sw_search_seek(plain, 3, NULL));
    assert_true(sw_search_digest(search) == sw_search_digest(plain));
    sw_search_free(plain);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Wherever it goes back to, and whatever is demanded there, the present decision is known, and none that is not. */
static void what_forgets_knows_where_it_is(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *plain = new_search(problem, "first-fit");
    struct sw_search *search = new_search(problem, "first-fit");
    struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .lo = 500, .hi = 501};
    sw_search_budget(search, 1 << 20, 1); /* a checkpoint at every step */
    assert_true(sw_search_seek(plain, 100, NULL) && sw_search_seek(search, 100, NULL));
    uint64_t end = sw_search_known(search);
    sw_search_forget(search);
    assert_true(sw_search_seek(search, 2, NULL));
    assert_non_null(sw_search_decision(search));
    assert_int_equal(sw_search_decision(search)->buffer, sw_search_journal(plain, 2)->buffer);
    assert_null(sw_search_journal(search, end));
    struct sw_trend trend = {0};
    struct sw_tree tree = {0};
    struct sw_curve curve = {0};
    assert_true(sw_trend_read(&trend, search) && sw_tree_read(&tree, search) && sw_curve_of(search, &curve));
    assert_int_equal(trend.measured + tree.nodes.count + curve.gains.count, 0);
    assert_true(sw_search_force(search, &forbid, NULL));
    assert_null(sw_search_journal(search, end));
    struct sw_search *fork = sw_search_fork(search, NULL);
    assert_int_equal(sw_search_decision(fork)->step, 2);
    assert_true(sw_search_seek(fork, 0, NULL));
    assert_null(sw_search_decision(fork));
    sw_search_free(fork);
    sw_search_free(plain);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static bool above_ten(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    (void)context;
    (void)search;
    return decision->peak > 10;
}

static void runs_stop_where_asked(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *search = new_search(problem, "first-fit");
    assert_int_equal(sw_search_run(search, 0, above_ten, NULL, NULL), SW_STEP_MORE);
    assert_int_equal(sw_search_at(search), 3);
    assert_int_equal(sw_search_run(search, 1, NULL, NULL, NULL), SW_STEP_MORE);
    assert_int_equal(sw_search_at(search), 4);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(sw_search_boundary(search, 0, SW_LEVEL_OPERATOR, true), 1);
    assert_int_equal(sw_search_boundary(search, 1, SW_LEVEL_OPERATOR, true), 4);
    assert_int_equal(sw_search_boundary(search, 6, SW_LEVEL_OPERATOR, false), 5);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- lack of memory ---- */

/* With room for `left` more allocations: step, go back, fork, force. Whatever fails says so, and a
 * later attempt with memory reaches the same end. */
static bool struggle(uint64_t left, uint64_t want) {
    struct limit limit = {.left = UINT64_MAX};
    sw_mem_hook(limited, &limit);
    struct sw_problem *problem = sample();
    struct sw_search *search = new_search(problem, "first-fit");
    sw_search_budget(search, 1 << 20, 1);
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 3, .offset = 40};
    limit.left = left;
    struct sw_error error = {0};
    for (int i = 0; i < 4; i++) {
        if (sw_search_step(search, &error) == SW_STEP_FAILED) {
            assert_int_equal(error.code, SW_ERROR_MEMORY);
        }
    }
    if (!sw_search_seek(search, 2, &error)) {
        assert_int_equal(error.code, SW_ERROR_MEMORY);
    }
    struct sw_search *fork = sw_search_fork(search, &error);
    bool forced = fork && sw_search_force(fork, &pin, &error);
    sw_search_free(fork);
    bool hit = limit.hit;
    limit.left = UINT64_MAX;
    (void)forced;
    assert_true(sw_search_seek(search, 6, &error));
    assert_true(sw_search_digest(search) == want);
    sw_search_free(search);
    sw_problem_unref(problem);
    sw_mem_hook(NULL, NULL);
    return hit;
}

static void memory_may_run_out(void **state) {
    (void)state;
    struct sw_problem *problem = sample();
    struct sw_search *search = new_search(problem, "first-fit");
    assert_true(sw_search_seek(search, 6, NULL));
    uint64_t want = sw_search_digest(search);
    sw_search_free(search);
    sw_problem_unref(problem);
    uint64_t left = 0;
    while (struggle(left, want)) {
        left++;
    }
    assert_true(left > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_fails_leaves_nothing),
        cmocka_unit_test(a_run_and_back),
        cmocka_unit_test(pins_move_and_bind),
        cmocka_unit_test(forbidding_and_choosing),
        cmocka_unit_test(forks_are_independent),
        cmocka_unit_test(explaining_moves_nothing),
        cmocka_unit_test(history_is_bounded),
        cmocka_unit_test(a_run_can_forget),
        cmocka_unit_test(what_forgets_knows_where_it_is),
        cmocka_unit_test(runs_stop_where_asked),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
