/* tier-search: the worked example, each rule of placing, overwriting, segments, what it says, and a
 * network of some size. */
#include "tier.h"
#include "faults.h"

/* ---- the worked example ---- */

static void test_example_preconf(void **state) {
    struct sw_problem *problem = example();
    struct sw_search *search = start(problem, "");
    struct sw_details details = {0};
    (void)state;
    assert_true(isnan(cost_of(search)));
    stop_after_preconf(search);
    lies(search, "w", 0, 0);
    lies(search, "h1", 1, 0);
    lies(search, "h2", 1, 0);
    lies(search, "h3", 1, 0);
    lies(search, "y", 0, 0);
    assert_int_equal(permits(search), 3);
    assert_true(permitted(search, "h2", "h1") && permitted(search, "h3", "h2") && permitted(search, "y", "w"));
    assert_int_equal(sw_search_faults(search, NULL, NULL, NULL), 0);
    assert_true(sw_search_details(search, &details) && details.items.count == 0);
    const struct sw_decision *d = walk_to(search, SW_DECISION_EVALUATE, NULL);
    assert_int_equal(d->step, 6);
    assert_true(d->cost == 161.125 && cost_of(search) == 161.125);
    assert_true(sw_search_details(search, &details) && details.items.count == 1);
    assert_string_equal(details.items.items[0].key, "initial_cost");
    assert_true(details.items.items[0].number == 161.125);
    sw_details_done(&details);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void test_example_walk(void **state) {
    struct sw_problem *problem = example();
    struct sw_search *search = start(problem, "");
    (void)state;
    finish(search);
    assert_true(cost_of(search) == 80.125);
    lies(search, "w", 1, 964);
    lies(search, "h1", 0, 0);
    lies(search, "h2", 0, 0);
    lies(search, "h3", 0, 0);
    assert_true(permitted(search, "h2", "h1"));
    sw_search_free(search);
    search = start(problem, "carry=false");
    finish(search);
    assert_true(cost_of(search) == 120.625);
    sw_search_free(search);
    search = start(problem, "carry=true visit=touched");
    finish(search);
    assert_true(cost_of(search) == 80.125);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Every kind of decision, with its figures. */
static void test_example_decisions(void **state) {
    struct sw_problem *problem = example();
    struct sw_search *search = start(problem, "");
    char text[300];
    (void)state;
    const struct sw_decision *d = walk_to(search, SW_DECISION_TRY, "cross-tier move");
    assert_int_equal(d->buffer, find(search, "w"));
    assert_int_equal(d->time, 0);
    assert_int_equal(d->group, 1);
    assert_true(d->tier == 1 && d->offset == 964);
    assert_true(sw_decision_figure(d, 0) == 161.125 && sw_decision_figure(d, 1) == 120.625 && d->cost == 120.625);
    sw_decision_describe(problem, d, text, sizeof text);
    assert_string_equal(text, "tries cross-tier move on w, to dram+964, cost 161.125 -> 120.625: "
                              "the first place from which all later "
                              "steps find room");
    d = walk_to(search, SW_DECISION_EVALUATE, NULL);
    assert_true(sw_decision_figure(d, 0) == 161.125 && sw_decision_figure(d, 1) == 120.625);
    d = walk_to(search, SW_DECISION_ACCEPT, NULL);
    assert_int_equal(d->buffer, find(search, "w"));
    assert_string_equal(sw_decision_action(d), "cross-tier move");
    d = walk_to(search, SW_DECISION_TRY, "overwrite");
    assert_string_equal(d->reason, "its operator has no reusable space for it");
    d = walk_to(search, SW_DECISION_ACCEPT, "cross-tier move"); /* h1 */
    assert_true(d->cost == 80.125);
    d = walk_to(search, SW_DECISION_ACCEPT, NULL); /* the state taken at the update */
    assert_int_equal(d->buffer, SW_NONE);
    assert_true(sw_decision_figure(d, 0) == 161.125 && sw_decision_figure(d, 1) == 80.125);
    d = walk_to(search, SW_DECISION_UPDATE, NULL);
    assert_int_equal(d->time, 0);
    assert_true(d->cost == 80.125);
    d = walk_to(search, SW_DECISION_REVERT, NULL); /* step 1: h2 moved down and nothing is cheaper */
    assert_int_equal(d->time, 1);
    assert_true(sw_decision_figure(d, 0) == 120.625 && sw_decision_figure(d, 1) == 80.125);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* carry=false: each success is taken back at once. */
static void test_carry_decisions(void **state) {
    struct sw_problem *problem = example();
    struct sw_search *search = start(problem, "carry=false");
    (void)state;
    const struct sw_decision *d = walk_to(search, SW_DECISION_REVERT, NULL);
    assert_string_equal(sw_decision_action(d), "same-tier move");
    lies(search, "w", 0, 0);
    d = walk_to(search, SW_DECISION_REVERT, NULL);
    assert_string_equal(sw_decision_action(d), "cross-tier move");
    assert_true(sw_decision_figure(d, 0) == 120.625 && sw_decision_figure(d, 1) == 161.125);
    lies(search, "w", 0, 0);
    lies(search, "y", 0, 0);
    assert_int_equal(permits(search), 3);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Segments of 3 of 4 steps: updates after steps 2 and 3; only there E is recorded. */
static void test_segments(void **state) {
    struct sw_problem *problem = example();
    struct sw_search *search = start(problem, "segment=3");
    uint32_t updates = 0, at[4] = {0};
    (void)state;
    finish(search);
    for (uint64_t i = 7; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        assert_int_equal(d->group, d->time / 3 + 1);
        assert_int_equal(sw_decision_part(d), d->time / 3);
        assert_true(!sw_decision_is(d, SW_DECISION_EVALUATE) || d->time >= 2);
        if (d->kind == SW_DECISION_UPDATE && updates < 4) {
            at[updates++] = d->time;
        }
    }
    assert_int_equal(updates, 2);
    assert_int_equal(at[0], 2);
    assert_int_equal(at[1], 3);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- R4 and R5 ---- */

/* Region [0, 100), a gap between two blocks (or the boundary, where `last` is -1), and a block
 * of 30. */
static uint64_t side(uint64_t lo, uint64_t hi, int64_t below, int64_t above, uint64_t alignment) {
    struct sw_builder *builder = sw_builder_new(NULL);
    const struct sw_tier tier = {"sram", 100, 16, 1, 0};
    const int64_t once[] = {1};
    assert_true(sw_builder_tier(builder, &tier, NULL));
    struct sw_buffer_spec spec = {.name = "x",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .has_first = true,
                                  .has_last = true,
                                  .size = 30,
                                  .first = 1,
                                  .last = 1,
                                  .accesses = once,
                                  .access_count = 1,
                                  .has_accesses = true,
                                  .alignment = alignment};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    spec.first = 0;
    spec.alignment = 1;
    spec.has_offset = true;
    if (below >= 0) {
        spec.name = "below";
        spec.size = lo;
        spec.last = below;
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    if (above >= 0) {
        spec.name = "above";
        spec.offset = hi;
        spec.size = 100 - hi;
        spec.last = above;
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    sw_builder_offsets(builder, SW_OFFSETS_PINS);
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = start(problem, "");
    struct sw_placement at;
    stop_after_preconf(search);
    assert_true(sw_layout_placement(sw_search_layout(search), 0, 0, &at));
    sw_search_free(search);
    sw_problem_unref(problem);
    return at.offset;
}

static void test_sides(void **state) {
    (void)state;
    assert_int_equal(side(20, 60, 5, 3, 1), 20); /* the four of the specification */
    assert_int_equal(side(20, 60, 3, 5, 1), 30);
    assert_int_equal(side(20, 60, 4, 4, 1), 20);
    assert_int_equal(side(50, 90, 4, 4, 1), 60);
    assert_int_equal(side(30, 70, 4, 4, 1), 30);   /* equal distance: low */
    assert_int_equal(side(20, 100, 9, -1, 1), 70); /* the boundary never dies */
    assert_int_equal(side(0, 60, -1, 9, 1), 0);
    assert_int_equal(side(0, 100, -1, -1, 1), 0); /* an empty tier */
    assert_int_equal(side(20, 60, 3, 5, 8), 24);  /* as near as alignment allows: 30 is not */
    assert_int_equal(side(21, 60, 5, 3, 8), 24);
}

/* Where a block lies over another, the later of the two is the neighbor; and a reserved range is a
 * boundary. */
static void test_sides_more(void **state) {
    struct sw_builder *builder = sw_builder_new(NULL);
    const struct op ops[] = {
        {{"x", "z"}, NULL, {"h"}, NULL, NULL}, {{"h"}, NULL, {"n"}, NULL, NULL}, {{"h", "n"}, NULL, {"y"}, NULL, NULL}};
    const struct block blocks[] = {{"x", SW_KIND_INPUT, 40, NULL, 0},
                                   {"z", SW_KIND_INPUT, 10, NULL, 0},
                                   {"h", SW_KIND_INTERMEDIATE, 40, NULL, 0},
                                   {"n", SW_KIND_INTERMEDIATE, 5, NULL, 0},
                                   {"y", SW_KIND_OUTPUT, 1, NULL, 0}};
    (void)state;
    add_tiers(builder, 100, 1024);
    assert_true(sw_builder_reserve(builder, "sram", 0, 16, NULL));
    assert_true(sw_builder_reserve(builder, "sram", 90, 100, NULL));
    add_ops(builder, ops, 3);
    add_blocks(builder, blocks, 5);
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = start(problem, "");
    stop_after_preconf(search);
    lies(search, "x", 0, 16); /* both edges are boundaries */
    lies(search, "z", 0, 80); /* x dies, the boundary does not */
    lies(search, "h", 0, 16); /* over x */
    lies(search, "n", 0, 85); /* [56, 90): the boundary again, for z is dead */
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- R1, R2, R6 ---- */

/* The smallest free space of the highest tier that fits. */
static void test_best_fit(void **state) {
    const struct op ops[] = {{{"a", "b", "c", "d"}, NULL, {"t"}, NULL, NULL},
                             {{"b", "d"}, NULL, {"f", "g"}, NULL, NULL},
                             {{"b", "d", "f"}, NULL, {"y"}, NULL, NULL}};
    const struct block blocks[] = {{"a", SW_KIND_INPUT, 30, NULL, 0},         {"b", SW_KIND_INPUT, 10, NULL, 0},
                                   {"c", SW_KIND_INPUT, 20, NULL, 0},         {"d", SW_KIND_INPUT, 10, NULL, 0},
                                   {"t", SW_KIND_INTERMEDIATE, 200, NULL, 0}, {"f", SW_KIND_INTERMEDIATE, 15, NULL, 0},
                                   {"g", SW_KIND_INTERMEDIATE, 40, NULL, 0},  {"y", SW_KIND_OUTPUT, 1, NULL, 0}};
    struct sw_problem *problem = make(100, 1024, ops, 3, blocks, COUNT(blocks));
    struct sw_search *search = start(problem, "");
    (void)state;
    stop_after_preconf(search);
    lies(search, "a", 0, 0);
    lies(search, "b", 0, 90); /* the boundary stays longer than a */
    lies(search, "c", 0, 70); /* [30, 90): a dies at 0, b at 2 */
    lies(search, "d", 0, 30); /* [30, 70): a and c die at 0, both sides as far from a boundary */
    lies(search, "t", 1, 0);
    lies(search, "f", 0, 0);  /* [0, 30) is smaller than [40, 90) */
    lies(search, "g", 0, 50); /* d and b die at 2, b is nearer to the boundary */
    lies(search, "y", 0, 30); /* over d: as small as b, and lower */
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Two outputs share one dying input, each at the low end of what is left; a third finds too little.
 */
static void test_rest(void **state) {
    const struct op ops[] = {{{"x"}, NULL, {"a", "b", "c"}, NULL, NULL}, {{"a", "b", "c"}, NULL, {"y"}, NULL, NULL}};
    const struct block blocks[] = {{"x", SW_KIND_INPUT, 60, NULL, 0},
                                   {"a", SW_KIND_INTERMEDIATE, 20, NULL, 0},
                                   {"b", SW_KIND_INTERMEDIATE, 25, NULL, 0},
                                   {"c", SW_KIND_INTERMEDIATE, 16, NULL, 0},
                                   {"y", SW_KIND_OUTPUT, 70, NULL, 0}};
    struct sw_problem *problem = make(100, 1024, ops, 2, blocks, COUNT(blocks));
    struct sw_search *search = start(problem, "");
    (void)state;
    stop_after_preconf(search);
    lies(search, "a", 0, 0);
    lies(search, "b", 0, 20);
    lies(search, "c", 0, 84); /* 15 B of x are left */
    lies(search, "y", 1, 0);  /* too large for what is left of any block, and for [45, 84) */
    assert_int_equal(permits(search), 2);
    assert_true(permitted(search, "a", "x") && permitted(search, "b", "x"));
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Scratch over an input, an output over that scratch, and so over the input too. */
static void test_chain(void **state) {
    const struct op ops[] = {{{"x"}, "s", {"y"}, NULL, NULL}};
    const struct block blocks[] = {
        {"x", SW_KIND_INPUT, 60, NULL, 0}, {"y", SW_KIND_OUTPUT, 40, NULL, 0}, {"s", SW_KIND_SCRATCH, 45, NULL, 0}};
    struct sw_problem *problem = make(60, SW_UNBOUNDED, ops, 1, blocks, 3);
    struct sw_search *search = start(problem, "");
    (void)state;
    stop_after_preconf(search);
    lies(search, "s", 0, 0); /* before y, though listed after it */
    lies(search, "y", 0, 0);
    assert_int_equal(permits(search), 3);
    assert_true(permitted(search, "s", "x") && permitted(search, "y", "s") && permitted(search, "y", "x"));
    finish(search);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Targets: the highest tier, then the smallest, then the lowest; and not below plain allocation. */
static void test_targets(void **state) {
    const struct op ops[] = {{{"p", "q", "r"}, NULL, {"a", "b"}, NULL, NULL},
                             {{"a", "b", "v"}, NULL, {"c"}, NULL, NULL},
                             {{"c"}, NULL, {"y"}, NULL, NULL}};
    const struct block blocks[] = {{"p", SW_KIND_INPUT, 40, NULL, 0},        {"q", SW_KIND_INPUT, 30, NULL, 0},
                                   {"r", SW_KIND_INPUT, 30, NULL, 0},        {"v", SW_KIND_INPUT, 90, "dram", 0},
                                   {"a", SW_KIND_INTERMEDIATE, 25, NULL, 0}, {"b", SW_KIND_INTERMEDIATE, 26, NULL, 0},
                                   {"c", SW_KIND_INTERMEDIATE, 60, NULL, 0}, {"y", SW_KIND_OUTPUT, 1, NULL, 0}};
    struct sw_problem *problem = make(100, 1024, ops, 3, blocks, COUNT(blocks));
    struct sw_search *search = start(problem, "");
    (void)state;
    stop_after_preconf(search);
    lies(search, "p", 0, 0);
    lies(search, "q", 0, 70); /* the boundary stays */
    lies(search, "r", 0, 40); /* [40, 70) */
    lies(search, "a", 0, 40); /* r and q are the smallest, r the lowest */
    lies(search, "b", 0, 70);
    /* Step 1: a [40, 65) and b [70, 96) and no other block are in sram; v dies too, but in dram. c
     * fits nowhere in sram; in dram it goes over v rather than beside it. */
    lies(search, "c", 1, 0);
    assert_true(permitted(search, "c", "v"));
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Plain allocation in a higher tier is better than overwriting in a lower one. */
static void test_targets_below(void **state) {
    const struct op ops[] = {{{"x"}, NULL, {"y"}, NULL, NULL}};
    const struct block blocks[] = {{"x", SW_KIND_INPUT, 50, "dram", 0}, {"y", SW_KIND_OUTPUT, 40, NULL, 0}};
    struct sw_problem *problem = make(60, 1024, ops, 1, blocks, 2);
    struct sw_search *search = start(problem, "");
    (void)state;
    stop_after_preconf(search);
    lies(search, "y", 0, 0);
    assert_int_equal(permits(search), 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Not reusable: what is used later, a network output, an input kept separate. */
static void test_not_reusable(void **state) {
    const struct op ops[] = {
        {{"x"}, NULL, {"a"}, NULL, NULL}, {{"x", "a"}, NULL, {"o"}, NULL, NULL}, {{"o"}, NULL, {"y"}, NULL, NULL}};
    const struct block blocks[] = {{"x", SW_KIND_INPUT, 20, NULL, 0},
                                   {"a", SW_KIND_INTERMEDIATE, 20, NULL, 0},
                                   {"o", SW_KIND_OUTPUT, 20, NULL, 0},
                                   {"y", SW_KIND_OUTPUT, 20, NULL, 0}};
    struct sw_builder *builder = sw_builder_new(NULL);
    (void)state;
    add_tiers(builder, 100, 1024);
    add_ops(builder, ops, 3);
    add_blocks(builder, blocks, 4);
    assert_true(sw_builder_separate(builder, "o", "x", NULL));
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = start(problem, "");
    stop_after_preconf(search);
    assert_int_equal(permits(search), 1);
    assert_true(permitted(search, "o", "a")); /* not over x; and y not over o */
    finish(search);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* On several cores an input may be overwritten only when its other readers are known to be done. */
static void test_cores(void **state) {
    struct op ops[] = {
        {{"x"}, NULL, {"a"}, "A", NULL}, {{"x"}, NULL, {"b"}, "B", "op0"}, {{"a", "b"}, NULL, {"y"}, "A", "op1"}};
    const struct block blocks[] = {{"x", SW_KIND_INPUT, 60, NULL, 0},
                                   {"a", SW_KIND_INTERMEDIATE, 10, NULL, 0},
                                   {"b", SW_KIND_INTERMEDIATE, 60, NULL, 0},
                                   {"y", SW_KIND_OUTPUT, 60, NULL, 0}};
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        ops[1].after = waits ? "op0" : NULL;
        struct sw_problem *problem = make(100, 1024, ops, 3, blocks, 4);
        struct sw_search *search = start(problem, "");
        stop_after_preconf(search);
        assert_int_equal(permitted(search, "b", "x"), waits != 0);
        assert_int_equal(permitted(search, "y", "b"), waits != 0); /* else b is in dram */
        finish(search);
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

/* ---- no room ---- */

/* What an operator puts out is one class, whether the network reads it or an operator: the first of the list is placed,
 * and visited, first. Scratch comes before both. */
static void test_outputs(void **state) {
    static const struct op ops[] = {{{"x"}, "s", {"out", "a"}, NULL, NULL}, {{"a"}, NULL, {"y"}, NULL, NULL}};
    static const struct block blocks[] = {{"out", SW_KIND_OUTPUT, 60, NULL, 0},
                                          {"a", SW_KIND_INTERMEDIATE, 60, NULL, 0},
                                          {"s", SW_KIND_SCRATCH, 10, NULL, 0},
                                          {"x", SW_KIND_INPUT, 10, NULL, 0},
                                          {"y", SW_KIND_OUTPUT, 10, NULL, 0}};
    static const char *const order[] = {"x", "s", "out", "a", "y"};
    struct sw_problem *problem = make(100, 1024, ops, 2, blocks, 5);
    struct sw_search *apart = start(problem, "overwrite=off"); /* the plain choice */
    (void)state;
    stop_after_preconf(apart);
    lies(apart, "a", 0, 10);
    lies(apart, "out", 1, 0);
    sw_search_free(apart);
    for (int touched = 0; touched < 2; touched++) {
        struct sw_search *search = start(problem, touched ? "outputs=one-class overwrite=off visit=touched"
                                                          : "outputs=one-class overwrite=off");
        stop_after_preconf(search);
        for (uint64_t i = 0; i < 5; i++) {
            assert_int_equal(sw_search_journal(search, i + 1)->buffer, find(search, order[i]));
        }
        lies(search, "out", 0, 10);
        lies(search, "a", 1, 0);
        finish(search);
        for (uint64_t i = 0, step = 6; i < 4; step++) {
            const struct sw_decision *d = sw_search_journal(search, step);
            if (d->kind == SW_DECISION_TRY && (i == 0 || d->buffer != find(search, order[i - 1]))) {
                assert_int_equal(d->buffer, find(search, order[i++]));
            }
        }
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void test_infeasible(void **state) {
    struct sw_problem *problem = make(70, 50, example_ops, 4, example_blocks, 5);
    struct sw_search *search = start(problem, "");
    struct sw_error error = {0};
    (void)state;
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
    assert_string_equal(error.message, "h1 finds no room at time 0: 60 B required, 60 B available, "
                                       "largest hole 50 B in dram");
    lies(search, "w", 0, 0); /* the layout so far stays */
    assert_true(isnan(cost_of(search)));
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void test_needs(void **state) {
    const struct sw_planner *planner = sw_planner_find("tier-search", NULL);
    struct sw_problem *problem = plain_problem((const int64_t[][3]){{0, 1, 10}}, 1);
    struct sw_error error = {0};
    (void)state;
    assert_false(sw_planner_applies(planner, problem, &error));
    assert_string_equal(error.message, "tier-search needs several memory tiers, or one with a "
                                       "bandwidth, and there is one without");
    sw_problem_unref(problem);
    struct sw_builder *builder = sw_builder_new(NULL);
    add_tiers(builder, 10, 20);
    add_plain(builder, "b", 0, 1, 10);
    problem = must_finish(builder);
    assert_false(sw_planner_applies(planner, problem, &error)); /* when b is accessed is not given */
    sw_problem_unref(problem);
    builder = sw_builder_new(NULL);
    assert_true(sw_builder_tier(builder, &(struct sw_tier){"one", 200, 8, 0, 0}, NULL));
    add_ops(builder, example_ops, 4);
    add_blocks(builder, example_blocks, 5);
    problem = must_finish(builder);
    assert_true(sw_planner_applies(planner, problem, &error));
    struct sw_search *search = start(problem, "");
    finish(search);
    assert_true(cost_of(search) == 8 * 7.5 + 1.25);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- explanations ---- */

static void test_explain(void **state) {
    struct sw_problem *problem = example();
    struct sw_search *search = start(problem, "");
    struct sw_explanation e = {0};
    (void)state;
    finish(search);
    assert_true(sw_search_explain(search, 3, &e, NULL)); /* h2: three spaces */
    assert_int_equal(e.candidates.count, 3);
    assert_string_equal(candidate(&e, 0, 60)->reason, "h2 (60 B) refused at sram+60: 20 B short of the capacity");
    assert_string_equal(candidate(&e, 1, 964)->reason, "fits: touches a boundary, rather than h1, alive until 1");
    assert_int_equal(candidate(&e, 1, 0)->verdict, SW_VERDICT_CHOSEN);
    assert_string_equal(candidate(&e, 1, 0)->reason,
                        "chosen: h1 is used here for the last time and may be overwritten, 60 B of "
                        "it are left");
    assert_true(sw_search_explain(search, 7, &e, NULL)); /* w: the same-tier move */
    assert_string_equal(candidate(&e, 0, 40)->reason, "chosen: all later steps find room; 1 later block moves");
    assert_string_equal(e.candidates.items[0].reason, "it lies there already");
    assert_string_equal(e.candidates.items[2].reason, "could be left where it lies");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* w [70, 100) cannot move into [0, 65), for y needs all of it later. */
static void test_stuck(void **state) {
    const struct op ops[] = {{{"w"}, NULL, {"h"}, NULL, NULL}, {{"w", "h"}, NULL, {"y"}, NULL, NULL}};
    const struct block blocks[] = {{"w", SW_KIND_INPUT, 30, "sram", 0},
                                   {"h", SW_KIND_INTERMEDIATE, 30, "dram", 0},
                                   {"y", SW_KIND_OUTPUT, 65, "sram", 0}};
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_explanation e = {0};
    (void)state;
    add_tiers(builder, 100, 1024);
    assert_true(sw_builder_reserve(builder, "sram", 65, 70, NULL));
    add_ops(builder, ops, 2);
    add_blocks(builder, blocks, 3);
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = start(problem, "");
    const struct sw_decision *d = walk_to(search, SW_DECISION_TRY, "same-tier move");
    lies(search, "w", 0, 70);
    lies(search, "y", 0, 0);
    assert_string_equal(d->reason, "from no place it could go to do all later steps find room");
    assert_true(sw_search_explain(search, d->step, &e, NULL));
    assert_int_equal(e.candidates.count, 4);
    assert_string_equal(candidate(&e, 0, 0)->reason, "then y (65 B) finds no room at time 1");
    assert_string_equal(candidate(&e, 0, 35)->reason, "then y (65 B) finds no room at time 1");
    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 1};
    struct sw_error error = {0};
    assert_true(sw_search_seek(search, d->step - 1, NULL));
    assert_false(sw_search_force(search, &choose, &error));
    assert_string_equal(error.message, "candidate 1 cannot be taken: y would find no room at time 1");
    d = walk_to(search, SW_DECISION_TRY, "cross-tier move");
    assert_string_equal(d->reason, "its tier is given");
    finish(search);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- a network of some size ---- */

static struct sw_problem *network(int n) {
    struct sw_builder *builder = sw_builder_new(NULL);
    uint64_t r = 5;
    add_tiers(builder, 1500000, SW_UNBOUNDED);
    for (int i = 0; i <= n; i++) {
        char name[16], in[16], out[16], skip[16];
        snprintf(name, sizeof name, "op%d", i);
        snprintf(in, sizeof in, "b%d", i);
        snprintf(out, sizeof out, "b%d", i + 1);
        snprintf(skip, sizeof skip, "b%d", i > 20 ? i - (int)sw_random_below(&r, 20) : i);
        const char *inputs[] = {in, skip}, *outputs[] = {out};
        struct sw_operator_spec op = {
            .name = name, .inputs = inputs, .outputs = outputs, .input_count = i % 3 ? 1 : 2, .output_count = 1};
        struct sw_buffer_spec b = {.name = in,
                                   .has_size = true,
                                   .kind = i == 0   ? SW_KIND_INPUT
                                           : i == n ? SW_KIND_OUTPUT
                                                    : SW_KIND_INTERMEDIATE,
                                   .size = 1024 * (10 + sw_random_below(&r, 800))};
        assert_true(i == n || sw_builder_operator(builder, &op, NULL));
        assert_true(sw_builder_buffer(builder, &b, NULL));
    }
    return must_finish(builder);
}

/* What a run looks at stays in proportion, so that 250 buffers take well below a second. */
static void test_network(void **state) {
    struct sw_problem *problem = network(250);
    struct sw_search *search = start(problem, "");
    double bound;
    (void)state;
    finish(search);
    double first = sw_search_journal(search, 252)->cost;
    assert_int_equal(sw_search_journal(search, 252)->kind, SW_DECISION_EVALUATE_COST);
    assert_true(sw_cost_bound(problem, NULL, &bound, NULL));
    assert_true(cost_of(search) < first && cost_of(search) >= bound);
    assert_true(sw_search_work(search) < 30000000);
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_preconf),
        cmocka_unit_test(test_example_walk),
        cmocka_unit_test(test_example_decisions),
        cmocka_unit_test(test_carry_decisions),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_sides_more),
        cmocka_unit_test(test_best_fit),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_targets_below),
        cmocka_unit_test(test_not_reusable),
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_infeasible),
        cmocka_unit_test(test_needs),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
