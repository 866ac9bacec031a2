/* auto: what it tries, when it stops, and how it obeys. */
#include "share.h"
#include "unit/planners.h"
#include "faults.h"

static const struct sw_decision *last_decision(const struct sw_search *search) {
    return sw_search_journal(search, sw_search_known(search));
}

/* Only best-fit and lifetime-best-fit are not last; the winner is repeated at the end. */
static void auto_takes_the_best(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    struct sw_problem *problem = FROM(rows);
    uint64_t best = UINT64_MAX;
    static const char *const planners[] = {"first-fit", "best-fit", "lifetime-best-fit", "greedy-by-size",
                                           "greedy-by-breadth"};
    for (size_t i = 0; i < 5; i++) {
        struct sw_search *search = run(problem, planners[i]);
        best = peak(search) < best ? peak(search) : best;
        sw_search_free(search);
    }
    struct sw_search *search = run(problem, "auto");
    assert_int_equal(peak(search), 14); /* the optimum: improved */
    const struct sw_decision *end = last_decision(search);
    assert_int_equal(end->kind, SW_DECISION_FINISH);
    assert_int_equal(sw_decision_amount(end), 14);
    uint32_t evaluations = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        evaluations += sw_search_journal(search, i)->kind == SW_DECISION_EVALUATE;
    }
    assert_true(best > sw_problem_lower_bound(problem));
    assert_int_equal(evaluations, 5);
    assert_string_equal(reason_of(end), "branch-and-bound wins, as it meets the lower bound");
    assert_int_equal(sw_search_journal(search, end->step - 1)->kind, SW_DECISION_PROVED);
    /* The group before is the winner's own run, in its own order: the largest first. */
    const struct sw_decision *first = NULL;
    for (uint64_t i = sw_search_known(search); i > 0; i--) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        first = decision->group == end->group - 1 ? decision : first;
    }
    assert_int_equal(first->buffer, 5);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void auto_stops_at_the_bound_or_the_budget(void **state) {
    (void)state;
    static const struct row easy[] = {ROW("a", 0, 1, 5), ROW("b", 1, 2, 3)};
    struct sw_problem *problem = FROM(easy);
    struct sw_search *search = run(problem, "auto");
    assert_int_equal(sw_search_known(search), 4); /* two places, evaluate, finish */
    assert_string_equal(reason_of(last_decision(search)), "greedy-by-size wins, as it meets the lower bound");
    sw_search_free(search);
    sw_problem_unref(problem);

    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    problem = FROM(rows);
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.work = 1;
    search = search_for(problem, "auto", &params);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(sw_search_known(search), 8); /* one member, though over budget; no repetition */
    assert_int_equal(peak(search), 15);
    assert_string_equal(reason_of(last_decision(search)),
                        "greedy-by-size wins, the best when the budget of work was spent");
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void auto_obeys(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *whole = run(problem, "auto");
    uint64_t steps = sw_search_known(whole);
    for (uint64_t at = 0; at <= steps; at++) {
        struct sw_search *search = sw_search_fork(whole, NULL);
        assert_true(sw_search_seek(search, at, NULL));
        struct sw_override pin = pin_at(3, 30);
        struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = 4, .lo = 0, .hi = 20};
        assert_true(sw_search_force(search, &pin, NULL));
        bool forbidden = sw_search_force(search, &forbid, NULL); /* not when e is placed there */
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
        assert_int_equal(offset_of(search, "d"), 30);
        if (forbidden) {
            assert_true(offset_of(search, "e") >= 20);
        }
        assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
        assert_int_equal(last_decision(search)->kind, SW_DECISION_FINISH);
        sw_search_free(search);
    }
    sw_search_free(whole);
    sw_problem_unref(problem);
}

/* A pin made in the middle of the winner's run is made again at the same place when it is repeated,
 * and nothing may be demanded before that place. */
static void auto_repeats_demands(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    struct sw_problem *problem = FROM(rows);
    struct sw_error error = {0};
    struct sw_search *search = run(problem, "auto");
    assert_true(sw_search_seek(search, 3, NULL));
    struct sw_override pin = pin_at(3, 13); /* where greedy-by-size puts it in any case */
    assert_true(sw_search_force(search, &pin, NULL));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(peak(search), 15);
    const struct sw_decision *end = last_decision(search);
    assert_string_equal(reason_of(end), "the layout of greedy-by-size wins, as branch-and-bound proved that nothing is "
                                        "lower");
    uint64_t begin = end->step;
    while (sw_search_journal(search, begin)->group > 5) {
        begin--; /* this one, and the improvement */
    }
    begin -= 5; /* six decisions of the repetition */
    assert_int_equal(sw_search_journal(search, begin)->group, 5);
    assert_int_equal(sw_search_journal(search, begin - 1)->kind, SW_DECISION_EVALUATE);

    assert_true(sw_search_seek(search, begin + 1, NULL));
    struct sw_override other = pin_at(4, 20);
    assert_false(sw_search_force(search, &other, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_string_equal(error.message, "auto is repeating a run of greedy-by-size with demands that are still to "
                                       "come; make this one after them");
    assert_true(sw_search_seek(search, begin + 3, NULL));
    assert_true(sw_search_force(search, &other, &error));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(offset_of(search, "e"), 20);
    assert_int_equal(offset_of(search, "d"), 13);
    assert_string_equal(reason_of(last_decision(search)), "greedy-by-size won, and was then changed on request");
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A choice in a member's run belongs to its result. */
/* A choice in the repetition must not undo a pin that is still to come there: it is refused, or the
 * pin holds. */
static void auto_keeps_pins_that_are_ahead(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 7, 7, 3), ROW("b", 5, 5, 3), ROW("c", 0, 3, 3), ROW("d", 4, 5, 2),
                                      ROW("e", 2, 2, 1), ROW("f", 3, 3, 2), ROW("g", 7, 7, 2), ROW("h", 4, 4, 4)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "auto");
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 7, .offset = 12};
    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE};
    assert_true(sw_search_seek(search, 4, NULL) && sw_search_force(search, &pin, NULL));
    assert_true(sw_search_seek(search, 1000, NULL));
    uint64_t end = sw_search_known(search), refused = 0;
    for (uint64_t at = 4; at < end; at++) {
        struct sw_search *fork = sw_search_fork(search, NULL);
        assert_true(sw_search_seek(fork, at, NULL));
        refused += !sw_search_force(fork, &choose, NULL);
        assert_true(sw_search_seek(fork, 1000, NULL));
        struct sw_placement placement;
        assert_true(sw_layout_placement(sw_search_layout(fork), 7, 0, &placement));
        assert_int_equal(placement.offset, 12);
        sw_search_free(fork);
    }
    assert_true(refused > 0 && refused < end - 4);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void auto_explains_what_it_ran(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "auto");
    struct sw_explanation e = {0};
    assert_true(sw_search_explain(search, sw_search_known(search), &e, NULL));
    assert_int_equal(e.candidates.count, 6);
    expect_candidate(&e, 0, "chosen", 0, 14, "branch-and-bound: needs 14 B, 0 B over the lower bound");
    expect_candidate(&e, 1, "fits", 0, 15, "greedy-by-size: needs 15 B, 1 B over the lower bound");
    expect_candidate(&e, 4, "fits", 0, 18, "first-fit: needs 18 B, 4 B over the lower bound");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* The tests of very large problems: a share has one of three. */
enum { LARGE_PARTS = 3 };

/* So many blocks alive together that looking at all neighbors takes too long; `wide`: of all
 * sizes. */
enum { MANY = 6000 };
static struct sw_problem *many(uint64_t random, bool wide) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        struct row row =
            ROW(name, i, i + 2400 + (int64_t)sw_random_below(&random, 1200), 16 * (1 + sw_random_below(&random, 1000)));
        if (wide) {
            row.size = (UINT64_C(1) << sw_random_below(&random, 24)) * (1 + 2 * sw_random_below(&random, 4)) + 1;
            row.last = row.first + (int64_t)sw_random_below(&random, 4800);
        }
        row.alignment = i % 7 == 0 ? 64 : 1;
        add_row(builder, &row);
    }
    return must_finish(builder);
}

/* Never worse than any planner of one layout, in three times the work that one of them counts. */
static void auto_is_never_worse(void **state) {
    (void)state;
    static const char *const members[] = {"greedy-by-size", "greedy-by-breadth", "best-fit", "first-fit",
                                          "lifetime-best-fit"};
    for (unsigned turn = 0; turn != (SW_SANITIZED ? 0 : 2); turn++) {
        if (!in_share(turn, LARGE_PARTS)) {
            continue;
        }
        struct sw_problem *problem = many(turn + 1, turn > 0);
        struct sw_search *search = NULL;
        for (unsigned i = 0; i < sizeof members / sizeof members[0]; i++) {
            struct sw_search *member = run(problem, members[i]);
            struct sw_params params = {.seed = 1, .work = 3 * sw_search_work(member)};
            if (!search) {
                search = search_for(problem, "auto", &params);
                assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
                assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
            }
            if (peak(search) > peak(member)) {
                fail_msg("%s needs %llu B, auto %llu", members[i], (unsigned long long)peak(member),
                         (unsigned long long)peak(search));
            }
            sw_search_free(member);
        }
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

/* Seventy blocks for which the greedy planners are above the bound. */
static struct sw_problem *crowded(uint64_t random) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (int i = 0; i < 70; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        struct row row = ROW(name, (int64_t)sw_random_below(&random, 12), 0, 0);
        row.last = row.first + (int64_t)sw_random_below(&random, 6);
        row.size = 1 + sw_random_below(&random, 200);
        add_row(builder, &row);
    }
    return must_finish(builder);
}

/* Inside a planner of orders it ends when it no longer gains, counted in work. */
static void auto_loses_patience(void **state) {
    (void)state;
    struct sw_problem *problem = crowded(31);
    uint64_t work[2], peaks[2];
    for (int i = 0; i < 2; i++) {
        struct sw_params params = {.seed = 1, .patience = i ? 30000000 : 2000};
        struct sw_search *search = search_for(problem, "auto", &params);
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
        assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
        work[i] = sw_search_work(search);
        peaks[i] = peak(search);
        sw_search_free(search);
    }
    assert_int_equal(peaks[1], sw_problem_lower_bound(problem));
    assert_true(peaks[0] >= peaks[1]);
    assert_true(work[0] < 200000); /* alone it spends 320,000,000 where the bound is not met */
    sw_problem_unref(problem);
}

/* With very many neighbors the sweep is the first member. */
static void auto_sweeps_what_is_large(void **state) {
    (void)state;
    if (!in_share(0, LARGE_PARTS)) {
        return;
    }
    struct sw_problem *problem = many(1, false);
    struct sw_params params = {.seed = 1, .work = 30000000};
    struct sw_search *search = search_for(problem, "auto", &params);
    struct sw_search *again = search_for(problem, "auto", &params);
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    uint64_t first = peak(search);
    assert_int_equal(sw_search_decision(search)->kind, SW_DECISION_INCUMBENT);
    assert_int_equal(sw_decision_amount(sw_search_decision(search)), first);
    assert_int_equal(sw_layout_placed_count(sw_search_layout(search)), MANY);
    uint64_t digest = sw_search_digest(search);
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    assert_int_equal(sw_search_decision(search)->kind, SW_DECISION_EVALUATE);
    assert_string_equal(reason_of(sw_search_decision(search)), "the sweep is the best so far");
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
    assert_true(peak(search) <= first && peak(search) >= sw_problem_lower_bound(problem));
    assert_int_equal(sw_search_run(again, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(sw_search_digest(again), sw_search_digest(search));
    assert_true(sw_search_seek(search, 1, NULL));
    assert_int_equal(sw_search_digest(search), digest);
    /* A demand that comes before the sweep is obeyed, and so is one after it. */
    for (uint64_t at = 0; at < 3; at += 2) {
        assert_true(sw_search_seek(again, at, NULL));
        struct sw_override pin = pin_at(7, 64 * 1000 * 1000);
        assert_true(sw_search_force(again, &pin, NULL));
        assert_int_equal(sw_search_run(again, 0, NULL, NULL, NULL), SW_STEP_DONE);
        assert_int_equal(offset_of(again, "b7"), 64 * 1000 * 1000);
        assert_int_equal(sw_fault_count(sw_search_layout(again), NULL, NULL), 0);
    }
    sw_search_free(search);
    sw_search_free(again);
    sw_problem_unref(problem);
}

/* Tens of thousands of spaces that are all too small: a sweep would walk past them for hours, so it
 * gives up, and another planner makes the first layout. */
enum { SPLINTERS = 140000 };
static struct sw_problem *splintered(void) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (int64_t i = 0; i < SPLINTERS; i++) {
        char name[16];
        bool early = i < SPLINTERS / 2;
        snprintf(name, sizeof name, "b%d", (int)i);
        add_plain(builder, name, early ? 0 : i, early && i % 2 ? 10 : 2 * SPLINTERS, early ? 1 : 2);
    }
    return must_finish(builder);
}

static void a_sweep_gives_up(void **state) {
    (void)state;
    if (!in_share(1, LARGE_PARTS)) {
        return;
    }
    struct sw_problem *problem = splintered();
    struct sw_params params = {.seed = 1, .work = 1};
    struct sw_search *search = search_for(problem, "improve", &params);
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    assert_int_equal(last_decision(search)->kind, SW_DECISION_PLACE);
    sw_search_forget(search);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(sw_layout_placed_count(sw_search_layout(search)), SPLINTERS);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Then no other member can be afforded, but one has to run, for something must be the answer. */
static void a_member_runs_where_none_can_be_afforded(void **state) {
    (void)state;
    if (SW_SANITIZED || !in_share(2, LARGE_PARTS)) {
        return; /* as large a problem as the one before, and the same code */
    }
    struct sw_problem *problem = splintered();
    struct sw_params params = {.seed = 1, .work = 1000000};
    struct sw_search *search = search_for(problem, "auto", &params);
    sw_search_forget(search);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(sw_layout_placed_count(sw_search_layout(search)), SPLINTERS);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Demands after each member: all must run again, and what was spent is not held against them. */
static void demands_after_members(void **state) {
    (void)state;
    if (SW_SANITIZED || !in_share(1, LARGE_PARTS)) {
        return; /* what runs here runs in the tests above as well */
    }
    struct sw_problem *problem = many(3, false);
    struct sw_params params = {.seed = 1, .work = 30000000};
    struct sw_search *search = search_for(problem, "auto", &params);
    unsigned tried = 0;
    while (sw_search_step(search, NULL) == SW_STEP_MORE) {
        if (sw_search_decision(search)->kind != SW_DECISION_EVALUATE) {
            continue;
        }
        struct sw_search *fork = sw_search_fork(search, NULL);
        struct sw_override pin = pin_at(7, 64 * 1000 * 1000);
        struct sw_error error = {0};
        assert_true(sw_search_force(fork, &pin, &error));
        assert_int_equal(sw_search_run(fork, 0, NULL, NULL, &error), SW_STEP_DONE);
        assert_int_equal(offset_of(fork, "b7"), 64 * 1000 * 1000);
        assert_int_equal(sw_fault_count(sw_search_layout(fork), NULL, NULL), 0);
        sw_search_free(fork);
        tried++;
    }
    assert_true(tried > 1);
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_takes_the_best),
        cmocka_unit_test(auto_stops_at_the_bound_or_the_budget),
        cmocka_unit_test(auto_obeys),
        cmocka_unit_test(auto_repeats_demands),
        cmocka_unit_test(auto_keeps_pins_that_are_ahead),
        cmocka_unit_test(auto_explains_what_it_ran),
        cmocka_unit_test(auto_loses_patience),
        cmocka_unit_test(auto_is_never_worse),
        cmocka_unit_test(auto_sweeps_what_is_large),
        cmocka_unit_test(a_sweep_gives_up),
        cmocka_unit_test(a_member_runs_where_none_can_be_afforded),
        cmocka_unit_test(demands_after_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
