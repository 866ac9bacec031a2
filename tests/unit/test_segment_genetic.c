/* segment-genetic: the worked examples, every rule and parameter. The rules restated are in
 * tests/property/test_segments.c; layouts and demands in test_segment_layouts.c. */
#include "segment_problems.h"

/* ---- the example ---- */

static void example_need(void **state) {
    (void)state;
    struct sw_problem *problem = example();
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search);
    assert_int_equal(migration(search), 140);
    assert_int_equal(detail(search, "segments", NULL, 0), 50);
    assert_int_equal(detail(search, "segments", NULL, 1), 40);
    assert_int_equal(detail(search, "segments", NULL, 2), -1);
    assert_int_equal(detail(search, "assignment", "A", 0), 0);
    assert_int_equal(detail(search, "assignment", "B", 0), 1);
    assert_int_equal(detail(search, "migration_bound", NULL, 0), 80);
    assert_int_equal(sw_layout_peak(sw_search_layout(search)), 90);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- the example, literally ---- */

/* Bytes moved when C, D and E live in these segments; counted by hand, step by step. */
static uint64_t by_hand(const int where[3], bool literal) {
    static const struct {
        int object, step;
    } accesses[] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {2, 5}, {1, 6}, {0, 7}, {4, 8}};
    static const uint64_t sizes[] = {50, 40, 30, 20, 10};
    const int home[] = {0, 1, where[0], where[1], where[2]};
    int resident[2] = {-1, -1};
    uint64_t moved = 0;
    for (size_t i = 0; i < 8; i++) {
        int object = accesses[i].object, *at = &resident[home[object]];
        if (*at >= 0 && *at != object) {
            bool again = false, before = false;
            for (size_t k = 0; k < 8; k++) {
                again |= k > i && accesses[k].object == *at;
                before |= k < i && accesses[k].object == object;
            }
            moved += (literal || again ? sizes[*at] : 0) + (literal || before ? sizes[object] : 0);
        }
        *at = object;
    }
    return moved;
}

static void example_literal(void **state) {
    (void)state;
    /* All eight sequences; segment 0 has 50 bytes, segment 1 has 40. */
    uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
    int ways[2] = {0, 0};
    for (int way = 0; way < 8; way++) {
        int where[3] = {way & 1, way >> 1 & 1, way >> 2 & 1};
        for (int literal = 0; literal < 2; literal++) {
            uint64_t moved = by_hand(where, literal);
            ways[literal] = moved < least[literal] ? 1 : ways[literal] + (moved == least[literal]);
            least[literal] = moved < least[literal] ? moved : least[literal];
        }
    }
    assert_int_equal(least[0], 140);
    assert_int_equal(least[1], 290);
    assert_int_equal(ways[1], 1);
    assert_int_equal(by_hand((int[]){1, 1, 1}, true), 290);
    assert_int_equal(by_hand((int[]){1, 1, 1}, false), 140);
    assert_int_equal(by_hand((int[]){1, 1, 0}, false), 140);
    assert_int_equal(by_hand((int[]){1, 1, 0}, true), 300);
    assert_int_equal(by_hand((int[]){0, 0, 0}, false), 160);
    assert_int_equal(by_hand((int[]){0, 0, 0}, true), 320);

    struct sw_problem *problem = example();
    struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"migration", "literal"}));
    run(search);
    assert_int_equal(migration(search), 290);
    assert_int_equal(detail(search, "assignment", "C", 0), 1);
    assert_int_equal(detail(search, "assignment", "D", 0), 1);
    assert_int_equal(detail(search, "assignment", "E", 0), 1);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* The figures of the specification, counted by the engine. */
static void example_sequences(void **state) {
    (void)state;
    static const uint32_t ways[3][5] = {{0, 1, 1, 1, 1}, {0, 1, 1, 1, 0}, {0, 1, 0, 0, 0}};
    static const uint64_t figures[3][2] = {{140, 290}, {140, 300}, {160, 320}};
    struct sw_problem *problem = example();
    struct sw_rules rules = {0};
    struct sw_movables *movables = sw_movables_new(problem, &rules, 0);
    for (int literal = 0; literal < 2; literal++) {
        struct sw_objects *objects = sw_objects_new(problem, &rules, movables, NULL, true, literal, NULL);
        for (int way = 0; way < 3; way++) {
            struct sw_resident residents[2];
            uint64_t cost[2];
            uint32_t clash[2];
            sw_segments_count(objects, 2, ways[way], residents, cost, clash);
            assert_int_equal(cost[0] + cost[1], figures[way][literal]);
            assert_int_equal(clash[0] + clash[1], 0);
        }
        sw_objects_drop(objects);
    }
    sw_movables_drop(movables);
    sw_problem_unref(problem);
}

/* ---- rule 2: merging ---- */

static void merging(void **state) {
    (void)state;
    struct sw_problem *problem = merge_example();
    struct sw_rules rules = {0};
    struct sw_movables *movables = sw_movables_new(problem, &rules, 10);
    assert_int_equal(movables->groups.count, 1);
    assert_int_equal(movables->groups.items[0].count, 3);
    assert_int_equal(movables->groups.items[0].size, 15);
    assert_int_equal(sw_problem_time(problem, movables->groups.items[0].first), 7);
    assert_int_equal(sw_problem_time(problem, movables->groups.items[0].last), 10);
    struct sw_objects *o = sw_objects_new(problem, &rules, movables, NULL, true, false, NULL);
    /* R1 {[1-2],5}, R2 {[3-4]}, R3 {6}, S {[7-10]}; object numbers are ranks by size. */
    static const int64_t runs[][3] = {{0, 1, 2}, {1, 3, 4}, {0, 5, 5}, {2, 6, 6}, {3, 7, 10}};
    assert_int_equal(o->count, 4);
    assert_int_equal(o->items[3].size, 15);
    assert_int_equal(o->items[3].members, 3);
    assert_int_equal(o->run_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(o->runs[i].object, runs[i][0]);
        assert_int_equal(sw_problem_time(problem, o->runs[i].first), runs[i][1]);
        assert_int_equal(sw_problem_time(problem, o->runs[i].last), runs[i][2]);
    }
    sw_objects_drop(o);
    /* Without joining: an access each; and the group kept apart. */
    o = sw_objects_new(problem, &rules, movables, (const bool[]){true}, false, false, NULL);
    assert_int_equal(o->count, 6);
    assert_int_equal(o->run_count, 10);
    sw_objects_drop(o);
    sw_movables_drop(movables);
    sw_problem_unref(problem);
}

static void merge_parameter(void **state) {
    (void)state;
    static const struct {
        const char *merge;
        uint64_t merges, objects;
    } cases[] = {{"none", 0, 6}, {"runs", 1, 6}, {"objects", 1, 4}, {"both", 2, 4}};
    struct sw_problem *problem = merge_example();
    for (size_t i = 0; i < 4; i++) {
        struct sw_search *search =
            search_with(problem, "segment-genetic", SETTINGS({"merge", cases[i].merge}, {"merge_below", "10"}));
        run(search);
        assert_int_equal(count_kind(search, SW_DECISION_MERGE), cases[i].merges);
        assert_int_equal(sw_decision_amount(sw_search_journal(search, find(search, SW_DECISION_SORT, 0))),
                         cases[i].objects);
        sw_search_free(search);
    }
    /* By default small is below 1/64 of the capacity: 15 B, so all of S1 to S3. */
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search);
    assert_int_equal(sw_decision_amount(sw_search_journal(search, find(search, SW_DECISION_SORT, 0))), 4);
    /* The three lie side by side in one segment. */
    struct sw_placement a, b;
    assert_true(sw_layout_placement(sw_search_layout(search), sw_problem_find_buffer(problem, "S1"), 0, &a));
    assert_true(sw_layout_placement(sw_search_layout(search), sw_problem_find_buffer(problem, "S2"), 0, &b));
    assert_int_equal(b.offset, a.offset + 4);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- rules 4 to 7: parameters ---- */

static void number_of_segments(void **state) {
    (void)state;
    struct sw_builder *builder = device(100);
    add_object(builder, "A", 30, AT(1, 6));
    add_object(builder, "B", 30, AT(2, 7));
    add_object(builder, "C", 20, AT(3, 8));
    add_object(builder, "D", 20, AT(4, 9));
    add_object(builder, "E", 10, AT(5, 10));
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search);
    assert_int_equal(detail(search, "segments", NULL, 3), 20);
    assert_int_equal(detail(search, "segments", NULL, 4), -1);
    sw_search_free(search);
    /* Pairwise different sizes: 30, 20 and 10. */
    search = search_with(problem, "segment-genetic", SETTINGS({"choose", "distinct"}));
    run(search);
    assert_int_equal(detail(search, "segments", NULL, 1), 20);
    assert_int_equal(detail(search, "segments", NULL, 2), 10);
    assert_int_equal(detail(search, "segments", NULL, 3), -1);
    sw_search_free(search);
    search = search_with(problem, "segment-genetic", SETTINGS({"k", "2"}));
    run(search);
    assert_int_equal(detail(search, "segments", NULL, 1), 30);
    assert_int_equal(detail(search, "segments", NULL, 2), -1);
    uint64_t two = migration(search);
    sw_search_free(search);
    search = search_with(problem, "segment-genetic", SETTINGS({"k", "all"}));
    run(search);
    assert_int_equal(count_kind(search, SW_DECISION_CHOOSE), 4);
    assert_true(migration(search) <= two);
    sw_search_free(search);
    search = search_with(problem, "segment-genetic", SETTINGS({"k", "5"}));
    struct sw_error error = {0};
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_string_equal(error.message, "parameter k of segment-genetic is 5, and only 4 segments "
                                       "fit into device");
    sw_search_free(search);
    struct sw_params params = SW_PARAMS_DEFAULT;
    sw_params_set(&params, "k", "many", NULL);
    assert_null(sw_search_new(problem, sw_planner_find("segment-genetic", NULL), &params, &error));
    assert_string_equal(error.message, "parameter k of segment-genetic must be a whole number from 1 "
                                       "to 1000000000 or largest or all, not 'many'");
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* Every K has the same random numbers, so that all of them are never worse than the largest; not when work runs out,
 * either. */
static void all_counts_are_never_worse(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct sw_problem *problem = busy(seed);
        uint64_t moved[2];
        for (int all = 0; all < 2; all++) {
            struct sw_search *search = search_with(
                problem, "segment-genetic",
                SETTINGS({"k", all ? "all" : "largest"}, {"rounds", "3"}, {"population", "8"}, {"survivors", "4"}));
            if (seed % 2) {
                run(search);
            } else {
                assert_int_not_equal(sw_search_run(search, 20000, NULL, NULL, NULL), SW_STEP_FAILED);
                assert_true(sw_search_settle(search, NULL));
            }
            moved[all] = migration(search);
            sw_search_free(search);
        }
        assert_true(moved[1] <= moved[0]);
        sw_problem_unref(problem);
    }
}

static void rounds_and_ends(void **state) {
    (void)state;
    struct sw_problem *problem = busy(3);
    struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"rounds", "7"}));
    run(search);
    assert_int_equal(detail(search, "generations", NULL, 0), 7);
    assert_int_equal(count_kind(search, SW_DECISION_GENERATION), 7);
    assert_int_equal(count_kind(search, SW_DECISION_INDIVIDUAL), 64);
    assert_int_equal(count_kind(search, SW_DECISION_CROSSOVER), 7 * 16);
    assert_string_equal(sw_search_decision(search)->reason, "the rounds are over");
    /* 32 survive, so 32 come in. */
    uint64_t i = find(search, SW_DECISION_SELECT, 0);
    assert_int_equal(sw_decision_amount(sw_search_journal(search, i)), 32);
    assert_int_equal(sw_decision_amount(sw_search_journal(search, find(search, SW_DECISION_IMMIGRATE, 0))), 32);
    sw_search_free(search);
    /* No gain of more than everything there is: it ends when patience does. */
    search = search_with(problem, "segment-genetic", SETTINGS({"patience", "4"}, {"epsilon", "1000000"}));
    run(search);
    assert_int_equal(detail(search, "generations", NULL, 0), 5);
    assert_string_equal(sw_search_decision(search)->reason,
                        "the best has gained too little for as many rounds as patience says");
    sw_search_free(search);
    /* Nothing at all is gained where the first population holds the best. */
    struct sw_problem *small = example();
    search = search_with(small, "segment-genetic", SETTINGS({"patience", "6"}));
    run(search);
    assert_int_equal(detail(search, "generations", NULL, 0), 7);
    sw_search_free(search);
    sw_problem_unref(small);
    search = search_with(problem, "segment-genetic",
                         SETTINGS({"rounds", "3"}, {"population", "10"}, {"survivors", "4"}, {"crossover", "1"},
                                  {"mutation_first", "0"}, {"mutation_last", "1"}));
    run(search);
    assert_int_equal(count_kind(search, SW_DECISION_CROSSOVER), 3 * 5);
    /* Probabilities 0, 1/2 and 1: none in the first round, all in the last. */
    uint64_t mutations[3] = {0};
    for (i = 0; (i = find(search, SW_DECISION_MUTATE, i)) != 0;) {
        mutations[sw_search_journal(search, i)->group - 1]++;
    }
    assert_int_equal(mutations[0], 0);
    assert_true(mutations[1] > 0 && mutations[1] < 10);
    assert_int_equal(mutations[2], 10);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* The best ever seen is the answer; each group is a generation; figures add up. */
static void decisions_add_up(void **state) {
    (void)state;
    struct sw_problem *problem = busy(5);
    struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"rounds", "12"}));
    run(search);
    uint64_t least = UINT64_MAX;
    uint32_t group = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        bool measured = d->kind == SW_DECISION_INDIVIDUAL || sw_decision_is(d, SW_DECISION_EVALUATE);
        least = measured && sw_decision_amount(d) < least ? sw_decision_amount(d) : least;
        assert_true(d->group == group || d->group == group + 1);
        group = d->group;
        if (d->kind == SW_DECISION_GENERATION) {
            assert_true(sw_decision_figure(d, 0) <= sw_decision_figure(d, 1) &&
                        sw_decision_figure(d, 1) <= sw_decision_figure(d, 2));
        }
    }
    assert_true(migration(search) <= least);
    assert_int_equal(group, 13);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void seeds_decide(void **state) {
    (void)state;
    struct sw_problem *problem = busy(9);
    uint64_t digests[3];
    for (int i = 0; i < 3; i++) {
        struct sw_params params = SW_PARAMS_DEFAULT;
        params.seed = i < 2 ? 4 : 5;
        assert_true(sw_params_set(&params, "choices", "plain", NULL));
        struct sw_search *search = sw_search_new(problem, sw_planner_find("segment-genetic", NULL), &params, NULL);
        run(search);
        digests[i] = sw_search_digest(search);
        sw_params_done(&params);
        sw_search_free(search);
    }
    assert_true(digests[0] == digests[1] && digests[0] != digests[2]);
    sw_problem_unref(problem);
}

/* ---- a cost model that prices whole layouts ---- */

struct wish {
    const char *buffer;
    uint64_t offset; /* where it should lie: the cost is how far it is from there, on the whole */
    unsigned asked;
};

static bool far_from_wish(void *context, const struct sw_layout *layout, double *cost, struct sw_error *error) {
    struct wish *wish = context;
    struct sw_placement place;
    uint32_t b = sw_problem_find_buffer(sw_layout_problem(layout), wish->buffer);
    (void)error;
    *cost = 1000;
    for (uint32_t i = 0; sw_layout_placement(layout, b, i, &place); i++) {
        double offset = (double)place.offset, wanted = (double)wish->offset;
        *cost = place.tier == 0 ? offset > wanted ? offset - wanted : wanted - offset : *cost;
    }
    wish->asked++;
    return true;
}

static void whole_layouts(void **state) {
    (void)state;
    struct sw_problem *problem = example();
    static const struct {
        const char *buffer;
        uint64_t offset;
    } wishes[] = {{"E", 0}, {"E", 50}, {"C", 0}, {"D", 50}, {"B", 0}};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        struct wish wish = {wishes[i].buffer, wishes[i].offset, 0};
        struct sw_cost_model model = {.name = "wish", .context = &wish, .whole = far_from_wish};
        struct sw_params params = SW_PARAMS_DEFAULT;
        params.cost = &model;
        assert_true(sw_params_set(&params, "choices", "plain", NULL)); /* which has two segments */
        assert_true(sw_params_set(&params, "fitness", "cost", NULL));
        struct sw_search *search = sw_search_new(problem, sw_planner_find("segment-genetic", NULL), &params, NULL);
        run(search);
        double cost = -1;
        assert_true(sw_search_cost(search, &cost, NULL));
        assert_true(cost == 0); /* segments lie at 0 and at 50: what is wished for can be had */
        assert_true(wish.asked > 10);
        for (uint64_t step = 1; step <= sw_search_known(search); step++) {
            const struct sw_decision *d = sw_search_journal(search, step);
            char text[400];
            sw_decision_describe(problem, d, text, sizeof text);
            assert_null(strstr(text, "to move"));
        }
        sw_params_done(&params);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_need),
        cmocka_unit_test(example_literal),
        cmocka_unit_test(example_sequences),
        cmocka_unit_test(merging),
        cmocka_unit_test(merge_parameter),
        cmocka_unit_test(number_of_segments),
        cmocka_unit_test(all_counts_are_never_worse),
        cmocka_unit_test(rounds_and_ends),
        cmocka_unit_test(decisions_add_up),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(whole_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
