/* tier-search with its good choices: where the walk ends, where segments end, and that what is followed from one
 * state to the next is what a look at everything finds. */
#include "tier.h"

/* ---- random chains ---- */

/* Each operator reads what the one before it wrote, some also an earlier output. In the third tier no block may live;
 * with `reserved` a range of it is, and then blocks are planned on a layout, without a sweep. */
static struct sw_problem *random_chain(uint64_t seed, uint32_t count, bool reserved) {
    struct sw_builder *builder = sw_builder_new(NULL);
    const char *const allowed[] = {"sram", "dram"};
    const struct sw_tier third = {"apart", 64, 1, 1, 0};
    uint64_t random = seed;
    add_tiers(builder, 150, SW_UNBOUNDED);
    assert_true(sw_builder_tier(builder, &third, NULL));
    assert_true(!reserved || sw_builder_reserve(builder, "apart", 0, 32, NULL));
    for (uint32_t i = 0; i < count; i++) {
        char name[16], before[16], earlier[16];
        const char *inputs[] = {before, earlier}, *output = name;
        bool second = i > 6 && sw_random_below(&random, 3) == 0;
        snprintf(name, sizeof name, "b%u", (unsigned)i);
        snprintf(before, sizeof before, "b%u", (unsigned)i - 1);
        snprintf(earlier, sizeof earlier, "b%u", (unsigned)(i - 2 - sw_random_below(&random, 5)));
        struct sw_buffer_spec buffer = {.name = name,
                                        .kind = SW_KIND_INTERMEDIATE,
                                        .has_size = true,
                                        .size = 1 + sw_random_below(&random, 70),
                                        .tiers = allowed,
                                        .tier_count = 2};
        struct sw_operator_spec op = {.name = name,
                                      .inputs = inputs,
                                      .input_count = i == 0 ? 0 : 1 + second,
                                      .outputs = &output,
                                      .output_count = 1};
        assert_true(sw_builder_buffer(builder, &buffer, NULL) && sw_builder_operator(builder, &op, NULL));
    }
    return must_finish(builder);
}

/* At every decision E is that of the whole layout, and at each of them both runs have the same one. */
static void test_sweep_and_layout(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint32_t count = seed % 3 == 0 ? 160 : 40; /* by greedy, and by a beam */
        struct sw_problem *problem = random_chain(seed, count, false), *other = random_chain(seed, count, true);
        const char *set = seed % 2 ? "choices=good overwrite=off" : "choices=good segment=4";
        struct sw_search *search = start(problem, set), *same = start(other, set);
        struct sw_error error = {0};
        enum sw_step result;
        while ((result = sw_search_step(search, &error)) == SW_STEP_MORE) {
            const struct sw_decision *d = sw_search_decision(search);
            double cost;
            assert_int_equal(sw_search_step(same, &error), SW_STEP_MORE);
            const struct sw_decision *e = sw_search_decision(same);
            assert_true(d->kind == e->kind && d->buffer == e->buffer && d->tier == e->tier && d->offset == e->offset);
            assert_true(d->cost == e->cost || (isnan(d->cost) && isnan(e->cost)));
            if (!isnan(cost_of(search))) {
                assert_true(sw_cost_of_layout(sw_search_layout(search), NULL, &cost, NULL));
                assert_true(cost == cost_of(search));
                assert_int_equal(sw_search_faults(search, NULL, NULL, NULL), 0);
            }
        }
        assert_int_equal(result, SW_STEP_DONE);
        assert_int_equal(sw_search_step(same, &error), SW_STEP_DONE);
        sw_search_free(search);
        sw_search_free(same);
        sw_problem_unref(problem);
        sw_problem_unref(other);
    }
}

static void test_longer_segments(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct sw_problem *problem = random_chain(seed, 60, false);
        double before = (double)INFINITY;
        for (uint32_t segment = 1; segment <= 16; segment *= 2) {
            char set[64];
            snprintf(set, sizeof set, "choices=good overwrite=permitted segment=%u", (unsigned)segment);
            struct sw_search *search = start(problem, set);
            finish(search);
            assert_true(cost_of(search) <= before);
            before = cost_of(search);
            sw_search_free(search);
        }
        sw_problem_unref(problem);
    }
}

/* ---- where it ends ---- */

static void test_ends_at_bound(void **state) {
    struct sw_problem *problem = make(1000, 1024, example_ops, 4, example_blocks, 5);
    struct sw_search *search = start(problem, "choices=good");
    double bound;
    (void)state;
    finish(search);
    assert_int_equal(sw_search_known(search), 6); /* five blocks, and E */
    assert_true(sw_cost_bound(problem, NULL, &bound, NULL) && cost_of(search) == bound);
    sw_search_free(search);
    search = start(problem, "choices=good stop=end");
    finish(search);
    assert_true(sw_search_known(search) > 20 && cost_of(search) == bound);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- where segments end ---- */

/* Two diamonds: few bytes are alive after a (step 0), and after the join of each (steps 3 and 6). */
static void test_quiet_ends(void **state) {
    static const struct op ops[] = {{{NULL}, NULL, {"a"}, NULL, NULL},     {{"a"}, NULL, {"b"}, NULL, NULL},
                                    {{"a"}, NULL, {"c"}, NULL, NULL},      {{"b", "c"}, NULL, {"d"}, NULL, NULL},
                                    {{"d"}, NULL, {"e"}, NULL, NULL},      {{"d"}, NULL, {"f"}, NULL, NULL},
                                    {{"e", "f"}, NULL, {"g"}, NULL, NULL}, {{"g"}, NULL, {"h"}, NULL, NULL}};
    static const struct block blocks[] = {
        {"a", SW_KIND_INTERMEDIATE, 40, NULL, 0}, {"b", SW_KIND_INTERMEDIATE, 40, NULL, 0},
        {"c", SW_KIND_INTERMEDIATE, 40, NULL, 0}, {"d", SW_KIND_INTERMEDIATE, 40, NULL, 0},
        {"e", SW_KIND_INTERMEDIATE, 40, NULL, 0}, {"f", SW_KIND_INTERMEDIATE, 40, NULL, 0},
        {"g", SW_KIND_INTERMEDIATE, 40, NULL, 0}, {"h", SW_KIND_OUTPUT, 40, NULL, 0}};
    struct sw_problem *problem = make(100, 1024, ops, COUNT(ops), blocks, COUNT(blocks));
    struct sw_search *search = start(problem, "choices=good overwrite=off");
    const uint32_t ends[] = {0, 3, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t found = 0;
    (void)state;
    finish(search);
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (sw_decision_is(d, SW_DECISION_UPDATE)) {
            assert_true(found < COUNT(ends));
            assert_int_equal(d->time, ends[found]);
            assert_int_equal(d->group, ++found);
        }
    }
    assert_int_equal(found, COUNT(ends));
    sw_search_free(search);
    search = start(problem, "choices=good overwrite=off boundaries=even");
    finish(search);
    const struct sw_decision *last = sw_search_journal(search, sw_search_known(search));
    assert_int_equal(last->group, 8);
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sweep_and_layout), cmocka_unit_test(test_longer_segments),
                                       cmocka_unit_test(test_ends_at_bound), cmocka_unit_test(test_quiet_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
