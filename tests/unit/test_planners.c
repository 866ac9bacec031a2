/* The planners on the worked examples of their specification, and on small cases of every rule;
 * lifetime-best-fit and auto have files of their own. */
#include "unit/planners.h"
#include "faults.h"

/* ---- the examples of the specification ---- */

static void orders_matter(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    CHECK(rows, "first-fit", 18, 0, 5, 8, 12, 0, 12);
    CHECK(rows, "best-fit", 19, 0, 5, 8, 12, 12, 13);
    CHECK(rows, "greedy-by-size", 15, 0, 10, 6, 13, 13, 0);
}

/* The example of Pisarchyk and Lee: 124 bytes, which are alive at step 5. */
static void pisarchyk_and_lee(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("t0", 0, 1, 32), ROW("t1", 1, 4, 28), ROW("t2", 2, 5, 36),
                                      ROW("t3", 3, 5, 16), ROW("t4", 4, 5, 8),  ROW("t5", 5, 7, 64),
                                      ROW("t6", 6, 8, 10), ROW("t7", 7, 8, 40)};
    struct sw_problem *problem = FROM(rows);
    assert_int_equal(sw_problem_lower_bound(problem), 124);
    static const char *const planners[] = {"greedy-by-size", "greedy-by-breadth", "auto"};
    for (size_t i = 0; i < 3; i++) {
        struct sw_search *search = run(problem, planners[i]);
        assert_int_equal(peak(search), 124);
        assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* A buffer of 0 bytes lies where it is pinned. It holds no byte, so it is above no capacity and no part of the arena,
 * for every planner and for the checker. */
static void nothing_is_pinned_high(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_tier tier = {.name = "sram", .capacity = 128, .bandwidth = 16, .latency = 1};
    assert_true(sw_builder_tier(builder, &tier, NULL));
    static const char *const made[] = {"a", "z", "b"};
    for (size_t i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "o%zu", i);
        struct sw_operator_spec op = {
            .name = name, .inputs = made, .input_count = i, .outputs = made + i, .output_count = 1};
        struct sw_buffer_spec buffer = {.name = made[i],
                                        .kind = i == 2 ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE,
                                        .has_size = true,
                                        .size = i == 1 ? 0 : 32,
                                        .has_offset = i == 1,
                                        .offset = 1024};
        assert_true(sw_builder_operator(builder, &op, NULL) && sw_builder_buffer(builder, &buffer, NULL));
    }
    struct sw_problem *problem = must_finish(builder);
    unsigned ran = 0;
    for (size_t i = 0; i < sw_planner_built_in_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        struct sw_error error = {0};
        struct sw_params params = {.seed = 1, .work = 20000};
        struct sw_search *search = planner->reserves ? NULL : sw_search_new(problem, planner, &params, &error);
        if (!search) {
            continue;
        }
        struct sw_placement at;
        if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
            fail_msg("%s: %s", planner->name, error.message);
        }
        uint64_t bytes = peak(search),
                 most = planner->needs & SW_NEEDS_ACCESSES ? 128 : 64; /* those may begin at the far end */
        if (bytes > most) {
            fail_msg("%s: the peak is %llu, above %llu", planner->name, (unsigned long long)bytes,
                     (unsigned long long)most);
        }
        struct sw_claims claims;
        sw_search_claims(search, &claims);
        if (!claims.no_addresses && sw_fault_count(sw_search_layout(search), NULL, NULL) > 0) {
            fail_msg("%s: the check finds faults", planner->name);
        }
        if (sw_layout_placement(sw_search_layout(search), sw_problem_find_buffer(sw_search_problem(search), "z"), 0,
                                &at)) {
            assert_int_equal(at.offset, 1024);
        }
        sw_search_free(search);
        ran++;
    }
    assert_true(ran > 10);
    sw_problem_unref(problem);
}

/* ---- rules, one by one ---- */

static void best_fit_extends_a_free_last_block(void **state) {
    (void)state;
    /* b dies at the top of the arena; c is larger and starts where b did. */
    static const struct row rows[] = {ROW("a", 0, 5, 10), ROW("b", 0, 1, 10), ROW("c", 2, 3, 30)};
    CHECK(rows, "best-fit", 40, 0, 10, 10);
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "best-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "c", &e);
    assert_int_equal(e.candidates.count, 2);
    expect_candidate(&e, 0, "refused", 0, 10, "c (30 B) refused at memory+0: overlaps a, alive 0..5");
    expect_candidate(&e, 1, "chosen", 10, SW_UNBOUNDED,
                     "no free block fits, so the arena is extended at its end by 20 B");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void greedy_by_breadth_takes_the_tightest_step_first(void **state) {
    (void)state;
    /* Breadths 30, 35, 27: step 1 first, there b then c then a. */
    static const struct row rows[] = {ROW("a", 0, 1, 10), ROW("b", 1, 1, 15), ROW("c", 1, 2, 10), ROW("d", 2, 2, 17),
                                      ROW("e", 0, 0, 20)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "greedy-by-breadth");
    EXPECT(search, 15, 0, 25, 0, 25);
    static const char order[] = "baced";
    static const uint32_t times[] = {1, 1, 1, 0, 2}, groups[] = {0, 0, 0, 1, 2};
    static const uint64_t live[] = {15, 25, 35, 30, 27};
    for (uint64_t i = 0; i < 5; i++) {
        const struct sw_decision *d = sw_search_journal(search, i + 1);
        assert_int_equal(sw_problem_buffer(problem, d->buffer)->name[0], order[i]);
        assert_int_equal(d->time, times[i]);
        assert_int_equal(d->group, groups[i]);
        assert_int_equal(d->live, live[i]);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void greedy_takes_the_smallest_gap(void **state) {
    (void)state;
    /* Two gaps for the last: 12 below, 10 above. */
    static const struct row rows[] = {ROW("x", 0, 0, 12), ROW("p", 0, 2, 20), ROW("y", 0, 1, 10), ROW("q", 1, 2, 30),
                                      ROW("z", 2, 2, 9)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "greedy-by-size");
    /* q 30 at 0; p 20 above it; x 12 in [0, 30); y 10 at 50; z: nothing between 0 and 50. */
    EXPECT(search, 0, 30, 50, 0, 50);
    struct sw_explanation e = {0};
    explain(search, "place", "x", &e);
    expect_candidate(&e, 0, "chosen", 0, 30, "smallest gap that fits, leaves 18 B");
    expect_candidate(&e, 1, "refused", 30, 20, "x (12 B) refused at memory+30: overlaps p, alive 0..2");
    expect_candidate(&e, 2, "fits", 50, SW_UNBOUNDED, "fits, the end is open");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void explanation_says_what_is_in_the_way(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("conv1_out", 0, 1, 188160), ROW("conv2_out", 0, 9, 100352),
                                      ROW("conv3_out", 2, 3, 200704)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "conv3_out", &e);
    assert_int_equal(e.candidates.count, 3);
    expect_candidate(&e, 0, "refused", 0, 188160,
                     "conv3_out (200,704 B) refused at memory+0: 12,544 B short of the next live "
                     "buffer conv2_out");
    expect_candidate(&e, 1, "refused", 188160, 100352,
                     "conv3_out (200,704 B) refused at memory+188160: overlaps conv2_out, alive "
                     "0..9");
    expect_candidate(&e, 2, "chosen", 288512, SW_UNBOUNDED, "lowest offset that fits");
    assert_int_equal(e.candidates.items[0].above, 1);
    assert_int_equal(e.candidates.items[2].below, 1);
    assert_int_equal(e.decision.candidates, 3);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void alignment(void **state) {
    (void)state;
    static const struct row rows[] = {{.name = "a", .first = 0, .last = 3, .size = 10, .alignment = 1, .offset = -1},
                                      {.name = "b", .first = 0, .last = 3, .size = 10, .alignment = 16, .offset = -1},
                                      {.name = "c", .first = 1, .last = 3, .size = 7, .alignment = 1, .offset = -1},
                                      {.name = "d", .first = 1, .last = 3, .size = 5, .alignment = 12, .offset = -1}};
    CHECK(rows, "first-fit", 41, 0, 16, 26, 36);
    CHECK(rows, "best-fit", 41, 0, 16, 26, 36);
    /* [10, 16) is too small for c by 1; b moves by a multiple of its alignment. */
    CHECK(rows, "lifetime-best-fit", 42, 0, 32, 10, 24);
    CHECK(rows, "greedy-by-size", 41, 0, 16, 26, 36);
}

/* ---- pieces, permits, tiers ---- */

static void add_pieces(struct sw_builder *builder, const char *name, uint64_t size, const struct sw_piece_spec *pieces,
                       size_t count) {
    struct sw_error error = {0};
    struct sw_buffer_spec spec = {.name = name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = size,
                                  .pieces = pieces,
                                  .piece_count = count};
    if (!sw_builder_buffer(builder, &spec, &error)) {
        fail_msg("%s", error.message);
    }
}

static void holes_and_windows(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    /* `host` is absent at 2..3, so `guest` may live there; at 6 only its upper half is needed. */
    add_pieces(builder, "host", 100, (const struct sw_piece_spec[]){{0, 1, 0, 100}, {4, 5, 0, 100}, {6, 6, 50, 100}},
               3);
    add_row(builder, &(struct row)ROW("guest", 2, 3, 100));
    add_row(builder, &(struct row)ROW("low", 6, 6, 50));
    add_row(builder, &(struct row)ROW("late", 3, 4, 10));
    struct sw_problem *problem = must_finish(builder);
    static const char *const planners[] = {"first-fit", "best-fit", "lifetime-best-fit", "greedy-by-size",
                                           "greedy-by-breadth"};
    for (size_t i = 0; i < 5; i++) {
        struct sw_search *search = run(problem, planners[i]);
        EXPECT(search, 0, 0, 0, 100);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void permits_are_used_and_recorded(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    sw_builder_inplace(builder, true);
    const char *in = "x", *out = "y";
    struct sw_operator_spec spec = {
        .name = "relu", .inplace = SW_INPLACE_ANY, .inputs = &in, .input_count = 1, .outputs = &out, .output_count = 1};
    assert_true(sw_builder_operator(builder, &spec, NULL));
    add_buffer(builder, "x", SW_KIND_INPUT, 64);
    add_buffer(builder, "y", SW_KIND_OUTPUT, 64);
    struct sw_problem *problem = must_finish(builder);
    static const char *const planners[] = {"first-fit", "best-fit", "lifetime-best-fit", "greedy-by-size",
                                           "greedy-by-breadth"};
    for (size_t i = 0; i < 5; i++) {
        struct sw_search *search = run(problem, planners[i]);
        EXPECT(search, 0, 0);
        assert_int_equal(peak(search), 64);
        assert_int_equal(sw_layout_permit_count(sw_search_layout(search)), 1);
        struct sw_permit p = sw_layout_permit_get(sw_search_layout(search), 0);
        assert_int_equal(p.fresh, 1);
        assert_int_equal(p.old, 0);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static struct sw_problem *two_tiers(uint64_t top, uint64_t bottom) {
    struct sw_builder *builder = sw_builder_new(NULL);
    assert_true(sw_builder_tier(builder, &(struct sw_tier){.name = "sram", .capacity = top}, NULL));
    assert_true(sw_builder_tier(builder, &(struct sw_tier){.name = "dram", .capacity = bottom}, NULL));
    add_row(builder, &(struct row)ROW("a", 0, 2, 60));
    add_row(builder, &(struct row)ROW("b", 0, 2, 60));
    add_row(builder, &(struct row){
                         .name = "c", .first = 0, .last = 2, .size = 10, .alignment = 1, .tier = "dram", .offset = -1});
    add_row(builder, &(struct row)ROW("d", 1, 2, 40));
    return must_finish(builder);
}

static void tiers_from_high_to_low(void **state) {
    (void)state;
    struct sw_problem *problem = two_tiers(100, SW_UNBOUNDED);
    static const char *const planners[] = {"first-fit", "best-fit", "lifetime-best-fit", "greedy-by-size",
                                           "greedy-by-breadth"};
    for (size_t i = 0; i < 5; i++) {
        struct sw_search *search = run(problem, planners[i]);
        EXPECT(search, 0, 0, 60, 60);
        assert_int_equal(sw_layout_arena(sw_search_layout(search), 0), 100);
        assert_int_equal(sw_layout_arena(sw_search_layout(search), 1), 70);
        sw_search_free(search);
    }
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "b", &e);
    expect_candidate(&e, 0, "refused", 0, 60, "b (60 B) refused at sram+0: overlaps a, alive 0..2");
    expect_candidate(&e, 1, "refused", 60, 40, "b (60 B) refused at sram+60: 20 B short of the capacity");
    expect_candidate(&e, 2, "chosen", 0, SW_UNBOUNDED, "lowest offset that fits");
    assert_int_equal(e.candidates.items[2].tier, 1);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void above_the_capacity(void **state) {
    (void)state;
    struct sw_problem *problem = two_tiers(100, 60);
    static const char *const planners[] = {"first-fit", "best-fit", "greedy-by-breadth", "lifetime-best-fit"};
    for (size_t i = 0; i < 4; i++) {
        struct sw_search *search = run(problem, planners[i]);
        struct sw_metrics m;
        sw_metrics_of(sw_search_layout(search), &m);
        assert_true(m.complete);
        assert_false(m.fits);
        assert_int_equal(sw_layout_arena(sw_search_layout(search), 1), 70);
        sw_search_free(search);
    }
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "c", &e);
    assert_int_equal(e.candidates.count, 2);
    assert_string_equal(sw_verdict_word(e.candidates.items[0].verdict), "refused");
    expect_candidate(&e, 1, "chosen", 60, SW_UNBOUNDED,
                     "fits nowhere, so it goes on top and ends 10 B above the capacity");
    assert_int_equal(sw_decision_amount(&e.decision), 10);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- pins and demands ---- */

static void pins(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 0, 2, 10),
                                      {.name = "p", .first = 1, .last = 3, .size = 10, .alignment = 1, .offset = 5},
                                      ROW("b", 2, 3, 5),
                                      ROW("empty", 1, 1, 0)};
    /* a sees the pinned block before it is placed, and goes above it. */
    CHECK(rows, "first-fit", 25, 15, 5, 0, 0);
    CHECK(rows, "greedy-by-size", 25, 15, 5, 0, 0);
    CHECK(rows, "greedy-by-breadth", 25, 15, 5, 0, 0);
    CHECK(rows, "best-fit", 25, 15, 5, 0, 0);
    CHECK(rows, "lifetime-best-fit", 25, 15, 5, 0, 0);
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "p", &e);
    assert_int_equal(e.candidates.count, 1);
    expect_candidate(&e, 0, "chosen", 5, 10, "p is pinned to memory+5 by the input");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A file's plan is shown as it is, faults and all. */
static void as_built_says_what_is_wrong(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    assert_true(sw_builder_tier(builder, &(struct sw_tier){.name = "m", .capacity = 50}, NULL));
    assert_true(sw_builder_reserve(builder, "m", 30, 32, NULL));
    add_row(builder, &(struct row){"high", 0, 1, 10, 1, NULL, 45});
    add_row(builder, &(struct row){"odd", 2, 3, 10, 4, NULL, 6});
    add_row(builder, &(struct row){"taken", 4, 5, 10, 1, NULL, 25});
    add_row(builder, &(struct row){"fine", 6, 7, 10, 1, NULL, 0});
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = run(problem, "as-built");
    static const char *const reasons[] = {"as the plan says, which ends above the capacity",
                                          "as the plan says, which is not aligned",
                                          "as the plan says, which is a reserved range", "as the plan says"};
    for (uint64_t i = 0; i < 4; i++) {
        assert_string_equal(sw_search_journal(search, i + 1)->reason, reasons[i]);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void long_names_are_cut_at_a_character(void **state) {
    (void)state;
    /* 23 letters of two bytes: the 48th byte would be half of one. */
    static const char name[] = "x\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
                               "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
    const struct row rows[] = {ROW("a", 0, 0, 4), ROW("b", 0, 1, 4), ROW(name, 1, 1, 9)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", name, &e);
    const char *end = strstr(e.candidates.items[0].reason, " (9 B) refused");
    assert_non_null(end);
    assert_int_equal(end - e.candidates.items[0].reason, 46); /* 21 bytes, as 22 would end in a letter, "...", and 22 */
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void a_broken_pin_is_infeasible(void **state) {
    (void)state;
    /* p and q overlap in time and place; a is in the way of none. */
    static const struct row rows[] = {ROW("a", 0, 2, 10),
                                      {.name = "p", .first = 1, .last = 3, .size = 10, .alignment = 1, .offset = 5},
                                      {.name = "q", .first = 2, .last = 3, .size = 10, .alignment = 1, .offset = 12}};
    struct sw_error error = {0};
    struct sw_problem *problem = FROM(rows);
    static const char *const planners[] = {"first-fit", "lifetime-best-fit", "auto"};
    for (size_t i = 0; i < 3; i++) {
        struct sw_search *search = search_for(problem, planners[i], NULL);
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
        assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
        assert_non_null(strstr(error.message, "p "));
        assert_non_null(strstr(error.message, "q "));
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void demands(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 0, 1, 10), ROW("b", 0, 3, 10), ROW("c", 2, 3, 5), ROW("d", 2, 3, 5)};
    struct sw_problem *problem = FROM(rows);
    struct sw_error error = {0};
    struct sw_search *search = run(problem, "first-fit");
    EXPECT(search, 0, 10, 0, 5);
    assert_true(sw_search_seek(search, 2, NULL));

    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 7};
    assert_false(sw_search_force(search, &choose, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_string_equal(error.message, "candidate 7 does not exist: this decision has 3, numbered from 0");
    choose.choice = 1; /* where b lies */
    assert_false(sw_search_force(search, &choose, &error));
    assert_string_equal(error.message, "candidate 1 was refused and cannot be taken");
    choose.choice = 2;
    assert_true(sw_search_force(search, &choose, &error));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    EXPECT(search, 0, 10, 20, 0);
    const struct sw_decision *d = sw_search_journal(search, 3);
    assert_true(d->forced);
    assert_string_equal(d->reason, "chosen by the user");

    sw_search_free(search);
    search = run(problem, "first-fit");
    assert_true(sw_search_seek(search, 2, NULL));
    struct sw_override pin = pin_at(3, 2);
    assert_true(sw_search_force(search, &pin, &error));
    struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .lo = 20, .hi = 100};
    assert_true(sw_search_force(search, &forbid, &error));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(offset_of(search, "d"), 2);
    assert_int_equal(offset_of(search, "c"), 100);
    sw_search_free(search);

    /* A candidate that was refused. */
    static const struct row tight[] = {ROW("a", 0, 1, 4), ROW("b", 0, 3, 10), ROW("c", 2, 3, 5)};
    struct sw_problem *small = FROM(tight);
    search = run(small, "first-fit");
    assert_true(sw_search_seek(search, 2, NULL));
    choose.choice = 0;
    assert_false(sw_search_force(search, &choose, &error));
    assert_string_equal(error.message, "candidate 0 was refused and cannot be taken");
    sw_search_free(search);
    sw_problem_unref(small);
    sw_problem_unref(problem);
}

/* ---- as-built ---- */

static void as_built(void **state) {
    (void)state;
    struct row rows[] = {{.name = "late", .first = 2, .last = 3, .size = 10, .alignment = 1, .offset = 5},
                         {.name = "a", .first = 0, .last = 2, .size = 10, .alignment = 1, .offset = 0},
                         {.name = "b", .first = 0, .last = 1, .size = 10, .alignment = 1, .offset = 40}};
    struct sw_problem *problem = FROM(rows);
    assert_true(sw_problem_has_plan(problem));
    struct sw_search *search = run(problem, "as-built");
    assert_int_equal(offset_of(search, "late"), 5);
    assert_int_equal(offset_of(search, "b"), 40);
    assert_int_equal(peak(search), 50);
    assert_int_equal(sw_search_journal(search, 1)->buffer, 1); /* by birth, not as listed */
    assert_int_equal(sw_search_journal(search, 3)->buffer, 0);
    assert_int_equal(sw_decision_other(sw_search_journal(search, 3)), 1);
    char told[200];
    sw_decision_describe(problem, sw_search_journal(search, 3), told, sizeof told);
    assert_non_null(strstr(told, ", over a: as the plan says, where another block lies"));
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 1);
    struct sw_explanation e = {0};
    explain(search, "place", "late", &e);
    expect_candidate(&e, 0, "chosen", 5, 10, "as the plan says, where another block lies: it overlaps a");
    sw_explanation_done(&e);
    struct sw_error error = {0};
    struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .lo = 0, .hi = 100};
    assert_false(sw_search_force(search, &forbid, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    sw_search_free(search);
    sw_problem_unref(problem);

    rows[2].offset = -1;
    problem = FROM(rows);
    assert_false(sw_planner_applies(sw_planner_find("as-built", NULL), problem, &error));
    assert_string_equal(error.message,
                        "as-built needs a finished plan, and not every buffer of this file has an offset");
    sw_problem_unref(problem);
}

/* ---- the table and parameters ---- */

static void what_planners_need(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 0, 1, 5)};
    struct sw_problem *list = FROM(rows), *graph = example_1(), *tiers = two_tiers(100, 200);
    struct sw_planner planner = {.name = "sample", .needs = SW_NEEDS_OPERATORS};
    struct sw_error error = {0};
    assert_true(sw_planner_applies(&planner, graph, &error));
    assert_false(sw_planner_applies(&planner, list, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_string_equal(error.message, "sample needs operators, and this is a list of buffers without any");
    planner.needs = SW_NEEDS_TIERS;
    assert_true(sw_planner_applies(&planner, tiers, &error));
    assert_false(sw_planner_applies(&planner, list, &error));
    assert_string_equal(error.message, "sample needs several memory tiers, or one with a bandwidth, and "
                                       "there is one without");
    planner.needs = SW_NEEDS_CAPACITY;
    assert_true(sw_planner_applies(&planner, tiers, &error));
    assert_false(sw_planner_applies(&planner, list, &error));
    assert_string_equal(error.message, "sample needs a limited capacity of the first tier, and none is "
                                       "given");
    sw_problem_unref(list);
    sw_problem_unref(graph);
    sw_problem_unref(tiers);
}

static void levels(void **state) {
    (void)state;
    static const char *const names[] = {"event", "decision", "operator", "group", "run"};
    for (unsigned i = 0; i < SW_LEVEL_COUNT; i++) {
        assert_string_equal(sw_level_name((enum sw_level)i), names[i]);
    }
}

static void finding_planners(void **state) {
    (void)state;
    struct sw_error error = {0};
    assert_string_equal(sw_planner_find("first", NULL)->name, "first-fit");
    assert_string_equal(sw_planner_find("auto", NULL)->name, "auto");
    assert_string_equal(sw_planner_find("greedy-by-s", NULL)->name, "greedy-by-size");
    assert_null(sw_planner_find("greedy", &error));
    assert_string_equal(error.message, "'greedy' may mean any of the planners greedy-by-size, greedy-by-breadth");
    assert_null(sw_planner_find("nope", &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        assert_non_null(strstr(error.message, planner->name));
        assert_ptr_equal(sw_planner_find(planner->name, NULL), planner);
        assert_non_null(planner->summary);
    }
    assert_null(sw_planner_find("", &error));
    assert_null(sw_planner_get(sw_planner_count()));
}

enum { CHOICE_COUNT = 3 };
static const char *const colors[CHOICE_COUNT] = {"red", "green", NULL};
static const struct sw_parameter sample[] = {
    {.name = "flag", .type = SW_PARAMETER_BOOL, .fallback = "true"},
    {.name = "count", .type = SW_PARAMETER_INTEGER, .fallback = "7", .lowest = 1, .highest = 100},
    {.name = "rate", .type = SW_PARAMETER_NUMBER, .fallback = "0.5", .lowest = 0, .highest = 1},
    {.name = "color", .type = SW_PARAMETER_CHOICE, .fallback = "green", .choices = colors},
    {0}};
static const struct sw_planner sampler = {.name = "sampler", .parameters = sample};

static void expect_refused(const char *key, const char *value, const char *message) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    assert_true(sw_params_set(&params, key, value, NULL));
    assert_false(sw_params_check(&params, &sampler, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    assert_string_equal(error.message, message);
    sw_params_done(&params);
}

static void parameters(void **state) {
    (void)state;
    struct sw_params params = SW_PARAMS_DEFAULT, copy;
    assert_true(sw_params_bool(&params, &sampler, "flag"));
    assert_int_equal(sw_params_integer(&params, &sampler, "count"), 7);
    assert_true(sw_params_number(&params, &sampler, "rate") == 0.5);
    assert_string_equal(sw_params_text(&params, &sampler, "color"), "green");
    assert_true(sw_params_set(&params, "flag", "true", NULL));
    assert_true(sw_params_set(&params, "flag", "false", NULL));
    assert_true(sw_params_set(&params, "count", "100", NULL));
    assert_true(sw_params_set(&params, "rate", "0.25", NULL));
    assert_true(sw_params_set(&params, "color", "red", NULL));
    assert_int_equal(params.settings.count, 4);
    assert_true(sw_params_check(&params, &sampler, NULL));
    assert_true(sw_params_copy(&copy, &params));
    sw_params_done(&params);
    assert_false(sw_params_bool(&copy, &sampler, "flag"));
    assert_int_equal(sw_params_integer(&copy, &sampler, "count"), 100);
    assert_true(sw_params_number(&copy, &sampler, "rate") == 0.25);
    assert_string_equal(sw_params_text(&copy, &sampler, "color"), "red");
    sw_params_done(&copy);

    expect_refused("flag", "yes", "parameter flag of sampler must be true or false, not 'yes'");
    expect_refused("count", "101", "parameter count of sampler must be a whole number from 1 to 100, not '101'");
    expect_refused("count", "7x", "parameter count of sampler must be a whole number from 1 to 100, not '7x'");
    expect_refused("rate", "nan", "parameter rate of sampler must be a number from 0 to 1, not 'nan'");
    expect_refused("color", "blue", "parameter color of sampler must be one of red, green, not 'blue'");
    expect_refused("size", "1", "sampler has no parameter 'size'; it has flag, count, rate, color; it belongs to tlsf");
    struct sw_error error = {0};
    assert_false(sw_params_set(&params, "", "1", &error));
    char key[sizeof(struct sw_setting){0}.key + 1];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = 0;
    assert_false(sw_params_set(&params, key, "1", &error));
    for (unsigned i = 0; i <= SW_MAX_SETTINGS; i++) {
        snprintf(key, sizeof key, "k%u", i);
        assert_true(sw_params_set(&params, key, "1", &error) == (i < SW_MAX_SETTINGS));
    }
    assert_string_equal(error.message, "more than 4096 settings");
    sw_params_done(&params);
    params = SW_PARAMS_DEFAULT;
    static const struct row rows[] = {ROW("a", 0, 1, 5)};
    struct sw_problem *problem = FROM(rows);
    assert_true(sw_params_set(&params, "x", "1", NULL));
    assert_null(sw_search_new(problem, sw_planner_find("first-fit", NULL), &params, &error));
    assert_string_equal(error.message, "first-fit has no parameter 'x'; it has none");
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* ---- nothing to do, and little ---- */

static void small_problems(void **state) {
    (void)state;
    static const struct row none[] = {ROW("z", 3, 3, 0)};
    static const struct row one[] = {ROW("z", 3, 3, 8)};
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        for (int empty = 0; empty < 2; empty++) {
            struct sw_problem *problem = empty ? FROM(none) : FROM(one);
            if (sw_planner_applies(planner, problem, NULL)) {
                struct sw_search *search = run(problem, planner->name);
                EXPECT(search, 0);
                bool rounds = strcmp(planner->name, "tflm-greedy") == 0;
                if (planner->reserves) {
                    assert_true(empty ? peak(search) == 0 : peak(search) >= 8);
                } else {
                    assert_int_equal(peak(search), empty ? 0 : rounds ? 16 : 8);
                }
                sw_search_free(search);
            }
            sw_problem_unref(problem);
        }
    }
}

/* The only layout within 130 is, from the bottom, x3, x2, x1, x0, z, and every block but x3 has to wait for one below
 * it. At the most crowded step only x0 is alive that could lie lowest; x3 is reached from it by way of x1, but not by
 * way of z, which is larger and comes first. */
static void a_pivot_reaches_whoever_lies_below(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("x0", 0, 3, 30), ROW("y", 0, 0, 40),   ROW("x1", 2, 8, 10),
                                      ROW("z", 3, 8, 40),  ROW("x2", 8, 10, 20), ROW("x3", 10, 12, 30)};
    static const uint64_t closed[][3] = {{5, 30, 999}, {4, 50, 999}, {2, 0, 50}, {2, 60, 999}, {0, 0, 60}, {1, 0, 90}};
    struct sw_problem *problem = FROM(rows);
    struct sw_params params = SW_PARAMS_DEFAULT;
    assert_true(sw_params_set(&params, "branching", "pivot", NULL));
    struct sw_search *search = search_for(problem, "branch-and-bound", &params);
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        struct sw_override forbid = {
            .kind = SW_OVERRIDE_FORBID, .buffer = (uint32_t)closed[i][0], .lo = closed[i][1], .hi = closed[i][2]};
        assert_true(sw_search_force(search, &forbid, NULL));
    }
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(peak(search), 130);
    sw_search_free(search);
    sw_problem_unref(problem);
    sw_params_done(&params);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_matter),
        cmocka_unit_test(pisarchyk_and_lee),
        cmocka_unit_test(nothing_is_pinned_high),
        cmocka_unit_test(best_fit_extends_a_free_last_block),
        cmocka_unit_test(greedy_by_breadth_takes_the_tightest_step_first),
        cmocka_unit_test(greedy_takes_the_smallest_gap),
        cmocka_unit_test(explanation_says_what_is_in_the_way),
        cmocka_unit_test(alignment),
        cmocka_unit_test(holes_and_windows),
        cmocka_unit_test(permits_are_used_and_recorded),
        cmocka_unit_test(tiers_from_high_to_low),
        cmocka_unit_test(above_the_capacity),
        cmocka_unit_test(pins),
        cmocka_unit_test(a_broken_pin_is_infeasible),
        cmocka_unit_test(demands),
        cmocka_unit_test(as_built),
        cmocka_unit_test(as_built_says_what_is_wrong),
        cmocka_unit_test(long_names_are_cut_at_a_character),
        cmocka_unit_test(what_planners_need),
        cmocka_unit_test(levels),
        cmocka_unit_test(finding_planners),
        cmocka_unit_test(parameters),
        cmocka_unit_test(small_problems),
        cmocka_unit_test(a_pivot_reaches_whoever_lies_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
