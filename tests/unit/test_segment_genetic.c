/* segment-genetic and farthest-next-use: the worked examples, every rule and parameter, what a user
 * may demand, and brute force. The rules restated are in tests/property/test_segments.c. */
#include "unit.h"

#include "planners/segments.h"

#include <stdlib.h>
#include <string.h>

/* ---- making problems ---- */

static void add_object(struct sw_builder *builder, const char *name, uint64_t size,
                       const int64_t *accesses, size_t count) {
    struct sw_error error = {0};
    struct sw_buffer_spec spec = {.name = name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = size,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = accesses[0],
                                  .last = accesses[count - 1],
                                  .accesses = accesses,
                                  .access_count = count,
                                  .has_accesses = true};
    if (!sw_builder_buffer(builder, &spec, &error)) {
        fail_msg("%s", error.message);
    }
}
#define AT(...)                                                                                    \
    (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static struct sw_builder *device(uint64_t capacity) {
    struct sw_builder *builder = sw_builder_new(NULL);
    assert_true(
        sw_builder_tier(builder, &(struct sw_tier){.name = "device", .capacity = capacity}, NULL));
    return builder;
}

/* The example of the specification. */
static struct sw_problem *example(void) {
    struct sw_builder *builder = device(100);
    add_object(builder, "A", 50, AT(1, 7));
    add_object(builder, "B", 40, AT(2, 6));
    add_object(builder, "C", 30, AT(3, 5));
    add_object(builder, "D", 20, AT(4));
    add_object(builder, "E", 10, AT(8));
    return must_finish(builder);
}

struct choices {
    const char *key, *value;
};

static struct sw_search *search_with(const struct sw_problem *problem, const char *planner,
                                     const struct choices *choices) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    for (; choices && choices->key; choices++) {
        assert_true(sw_params_set(&params, choices->key, choices->value, NULL));
    }
    struct sw_search *search =
        sw_search_new(problem, sw_planner_find(planner, NULL), &params, &error);
    sw_params_done(&params);
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}
#define SETTINGS(...)                                                                              \
    (const struct choices[]) {                                                                     \
        __VA_ARGS__, {                                                                             \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

static void print_fault(void *context, const struct sw_fault *fault) {
    char text[300];
    sw_fault_describe(context, fault, text, sizeof text);
    print_error("%s\n", text);
}

static void run(struct sw_search *search) {
    struct sw_error error = {0};
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    if (!claims.no_addresses &&
        sw_layout_check(sw_search_layout(search), print_fault,
                        (void *)(uintptr_t)sw_search_problem(search)) != 0) {
        fail_msg("the layout is at fault");
    }
}

static uint64_t migration(const struct sw_search *search) {
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    assert_true(claims.has_migration);
    return claims.migration_bytes;
}

/* A figure of the summary: of a buffer, or the k-th element of a list, or a plain one. */
static int64_t detail(const struct sw_search *search, const char *key, const char *buffer,
                      size_t k) {
    struct sw_details details = {0};
    uint32_t id = buffer ? sw_problem_find_buffer(sw_search_problem(search), buffer) : SW_NONE;
    int64_t found = -1;
    assert_true(sw_search_details(search, &details));
    for (size_t i = 0; i < details.items.count; i++) {
        const struct sw_detail *d = &details.items.items[i];
        if (strcmp(d->key, key) == 0 && d->buffer == id && k-- == 0) {
            found = d->integer;
            break;
        }
    }
    sw_details_done(&details);
    return found;
}

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
        int who = accesses[i].object, *at = &resident[home[who]];
        if (*at >= 0 && *at != who) {
            bool again = false, before = false;
            for (size_t k = 0; k < 8; k++) {
                again |= k > i && accesses[k].object == *at;
                before |= k < i && accesses[k].object == who;
            }
            moved += (literal || again ? sizes[*at] : 0) + (literal || before ? sizes[who] : 0);
        }
        *at = who;
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
    struct sw_search *search =
        search_with(problem, "segment-genetic", SETTINGS({"migration", "literal"}));
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
        struct sw_objects *objects =
            sw_objects_new(problem, &rules, movables, NULL, true, literal, NULL);
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

static struct sw_problem *merge_example(void) {
    struct sw_builder *builder = device(1000);
    add_object(builder, "R1", 500, AT(1, 2, 5));
    add_object(builder, "R2", 400, AT(3, 4));
    add_object(builder, "R3", 300, AT(6));
    add_object(builder, "S1", 4, AT(7));
    add_object(builder, "S2", 5, AT(8, 10));
    add_object(builder, "S3", 6, AT(9));
    return must_finish(builder);
}

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

/* The first decision of a kind, from 1; 0 when there is none. */
static uint64_t find(const struct sw_search *search, enum sw_decision_kind kind, uint64_t after) {
    for (uint64_t i = after + 1; i <= sw_search_known(search); i++) {
        if (sw_search_journal(search, i)->kind == kind) {
            return i;
        }
    }
    return 0;
}

static uint64_t count_kind(const struct sw_search *search, enum sw_decision_kind kind) {
    uint64_t count = 0;
    for (uint64_t i = 0; (i = find(search, kind, i)) != 0;) {
        count++;
    }
    return count;
}

static void merge_parameter(void **state) {
    (void)state;
    static const struct {
        const char *merge;
        uint64_t merges, objects;
    } cases[] = {{"none", 0, 6}, {"runs", 1, 6}, {"objects", 1, 4}, {"both", 2, 4}};
    struct sw_problem *problem = merge_example();
    for (size_t i = 0; i < 4; i++) {
        struct sw_search *search = search_with(
            problem, "segment-genetic", SETTINGS({"merge", cases[i].merge}, {"merge_below", "10"}));
        run(search);
        assert_int_equal(count_kind(search, SW_DECISION_MERGE), cases[i].merges);
        assert_int_equal(sw_search_journal(search, find(search, SW_DECISION_SORT, 0))->amount,
                         cases[i].objects);
        sw_search_free(search);
    }
    /* By default small is below 1/64 of the capacity: 15 B, so all of S1 to S3. */
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search);
    assert_int_equal(sw_search_journal(search, find(search, SW_DECISION_SORT, 0))->amount, 4);
    /* The three lie side by side in one segment. */
    struct sw_placement a, b;
    assert_true(sw_layout_placement(sw_search_layout(search), sw_problem_find_buffer(problem, "S1"),
                                    0, &a));
    assert_true(sw_layout_placement(sw_search_layout(search), sw_problem_find_buffer(problem, "S2"),
                                    0, &b));
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
    assert_string_equal(error.message,
                        "parameter k of segment-genetic must be a whole number from 1 "
                        "to 1000000000 or largest or all, not 'many'");
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* Fifty objects that take turns at random. */
static struct sw_problem *busy(uint64_t seed) {
    struct sw_builder *builder = device(300);
    for (int i = 0; i < 50; i++) {
        int64_t accesses[3];
        char name[16];
        for (int k = 0; k < 3; k++) {
            accesses[k] = (int64_t)(k * 50 + (i * 7 + k * 13) % 50);
        }
        snprintf(name, sizeof name, "o%d", i);
        add_object(builder, name, 5 + sw_random_below(&seed, 60), accesses, 3);
    }
    return must_finish(builder);
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
    assert_int_equal(sw_search_journal(search, i)->amount, 32);
    assert_int_equal(sw_search_journal(search, find(search, SW_DECISION_IMMIGRATE, 0))->amount, 32);
    sw_search_free(search);
    /* No gain of more than everything there is: it ends when patience does. */
    search = search_with(problem, "segment-genetic",
                         SETTINGS({"patience", "4"}, {"epsilon", "1000000"}));
    run(search);
    assert_int_equal(detail(search, "generations", NULL, 0), 5);
    assert_string_equal(sw_search_decision(search)->reason,
                        "no better for as long as patience lasts");
    sw_search_free(search);
    /* Nothing at all is gained where the first population holds the best. */
    struct sw_problem *small = example();
    search = search_with(small, "segment-genetic", SETTINGS({"patience", "6"}));
    run(search);
    assert_int_equal(detail(search, "generations", NULL, 0), 7);
    sw_search_free(search);
    sw_problem_unref(small);
    search =
        search_with(problem, "segment-genetic",
                    SETTINGS({"rounds", "3"}, {"population", "10"}, {"survivors", "4"},
                             {"crossover", "1"}, {"mutation_first", "0"}, {"mutation_last", "1"}));
    run(search);
    assert_int_equal(count_kind(search, SW_DECISION_CROSSOVER), 3 * 5);
    /* Probabilities 0, 1/2 and 1: nobody in the first round, everybody in the last. */
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
        bool measured = d->kind == SW_DECISION_INDIVIDUAL || d->kind == SW_DECISION_EVALUATE;
        least = measured && d->amount < least ? d->amount : least;
        assert_true(d->group == group || d->group == group + 1);
        group = d->group;
        if (d->kind == SW_DECISION_GENERATION) {
            assert_true(d->figures[0] <= d->figures[1] && d->figures[1] <= d->figures[2]);
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
        struct sw_search *search =
            sw_search_new(problem, sw_planner_find("segment-genetic", NULL), &params, NULL);
        run(search);
        digests[i] = sw_search_digest(search);
        sw_search_free(search);
    }
    assert_true(digests[0] == digests[1] && digests[0] != digests[2]);
    sw_problem_unref(problem);
}

/* ---- what cannot be ---- */

static void add_step(struct sw_builder *builder, const char *name, const char *const *inputs,
                     size_t count, const char *output) {
    struct sw_operator_spec spec = {.name = name,
                                    .inputs = inputs,
                                    .input_count = count,
                                    .outputs = &output,
                                    .output_count = 1};
    assert_true(sw_builder_operator(builder, &spec, NULL));
}

static void add_sized(struct sw_builder *builder, const char *name, enum sw_kind kind,
                      uint64_t size) {
    struct sw_buffer_spec spec = {.name = name, .kind = kind, .has_size = true, .size = size};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
}

/* x -> a -> b -> c -> y = f(a, c): a has to leave and to come back. */
static struct sw_builder *chain(struct sw_builder *builder) {
    add_step(builder, "op0", (const char *const[]){"x"}, 1, "a");
    add_step(builder, "op1", (const char *const[]){"a"}, 1, "b");
    add_step(builder, "op2", (const char *const[]){"b"}, 1, "c");
    add_step(builder, "op3", (const char *const[]){"c"}, 1, "d");
    add_step(builder, "op4", (const char *const[]){"a", "d"}, 2, "y");
    add_sized(builder, "x", SW_KIND_INPUT, 10);
    add_sized(builder, "a", SW_KIND_INTERMEDIATE, 10);
    add_sized(builder, "b", SW_KIND_INTERMEDIATE, 10);
    add_sized(builder, "c", SW_KIND_INTERMEDIATE, 10);
    add_sized(builder, "d", SW_KIND_INTERMEDIATE, 10);
    add_sized(builder, "y", SW_KIND_OUTPUT, 10);
    return builder;
}

static void infeasible_runs(void **state) {
    (void)state;
    uint64_t digest = 0;
    struct sw_error error = {0};
    struct sw_problem *problem = must_finish(chain(device(29)));
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
    assert_non_null(strstr(error.message,
                           "no sequence was found in which all objects of an operator "
                           "lie in different segments: op"));
    assert_non_null(strstr(error.message, " of 2"));
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    assert_false(claims.has_migration);
    sw_search_free(search);
    search = search_with(problem, "farthest-next-use", NULL);
    while (sw_search_step(search, &error) == SW_STEP_MORE) {
        digest = sw_search_digest(search);
    }
    assert_true(sw_search_digest(search) == digest); /* failing changes nothing */
    assert_string_equal(error.message,
                        "y (10 B) finds no room in device at time 4, for op4: 20 B of its "
                        "29 B are in use then or may not leave");
    sw_search_free(search);
    sw_problem_unref(problem);

    problem = must_finish(chain(device(9)));
    search = search_with(problem, "segment-genetic", NULL);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_string_equal(error.message, "x (10 B) does not fit into device");
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void needs(void **state) {
    (void)state;
    struct sw_error error = {0};
    const struct sw_planner *planner = sw_planner_find("segment-genetic", NULL);
    struct sw_problem *problem = must_finish(chain(sw_builder_new(NULL)));
    assert_false(sw_planner_applies(planner, problem, &error));
    assert_string_equal(error.message,
                        "segment-genetic needs a limited capacity of the first tier, "
                        "and none is given");
    sw_problem_unref(problem);
    struct sw_builder *builder = device(100);
    add_plain(builder, "a", 0, 3, 10);
    problem = must_finish(builder);
    assert_false(sw_planner_applies(planner, problem, &error));
    assert_string_equal(error.message,
                        "segment-genetic needs to know when every buffer is accessed, "
                        "and this list of buffers does not say");
    assert_false(sw_layout_has_host(problem));
    sw_problem_unref(problem);
}

/* ---- the layout ---- */

static size_t faults;
static enum sw_fault_kind last_fault;

static void keep_fault(void *context, const struct sw_fault *fault) {
    char text[300];
    assert_true(sw_fault_describe(context, fault, text, sizeof text) > 0);
    faults++;
    last_fault = fault->kind;
}

static void expect_fault(const struct sw_layout *layout, enum sw_fault_kind kind) {
    faults = 0;
    sw_layout_check(layout, keep_fault, (void *)(uintptr_t)sw_layout_problem(layout));
    assert_int_equal(faults, 1);
    assert_int_equal(last_fault, kind);
}

static void put(struct sw_layout *layout, uint32_t buffer, uint64_t offset, uint32_t from,
                uint32_t to) {
    assert_true(
        sw_layout_place_span(layout, &(struct sw_placement){buffer, 0, offset, {from, to}}));
}

static void move(struct sw_layout *layout, uint32_t buffer, uint32_t step, uint32_t from,
                 uint32_t to) {
    assert_true(sw_layout_transfer(layout, &(struct sw_transfer){buffer, step, from, to}));
}

/* What the checker says of a buffer that is away between its accesses at 0 and 4. */
static void host_memory(void **state) {
    (void)state;
    struct sw_builder *builder = device(10);
    add_object(builder, "a", 10, AT(0, 4));
    add_object(builder, "b", 10, AT(1, 2, 3));
    struct sw_problem *problem = must_finish(builder);
    assert_true(sw_layout_has_host(problem));
    for (int fault = 0; fault < 8; fault++) {
        struct sw_layout *layout = sw_layout_new(problem, NULL);
        put(layout, 0, 0, 0, 0);
        if (fault != 7) {
            put(layout, 0, 0, 4, 4);
        }
        if (fault != 1 && fault != 2) {
            move(layout, 0, 1, 0, SW_NONE);
        }
        if (fault != 1 && fault != 3 && fault != 7) {
            move(layout, 0, 4, SW_NONE, 0);
        }
        if (fault == 4) { /* away at step 2, where it is accessed */
            put(layout, 1, 0, 1, 1);
            put(layout, 1, 0, 3, 3);
            move(layout, 1, 2, 0, SW_NONE);
            move(layout, 1, 3, SW_NONE, 0);
        } else {
            put(layout, 1, 0, 1, 3);
        }
        if (fault == 5) { /* said to leave while it stays */
            move(layout, 1, 2, 0, SW_NONE);
        }
        if (fault == 6) { /* back too early: over b */
            assert_true(sw_layout_lift(layout, 0));
            put(layout, 0, 0, 0, 0);
            put(layout, 0, 0, 3, 4);
        }
        switch (fault) {
        case 0:
            assert_int_equal(sw_layout_check(layout, NULL, NULL), 0);
            break;
        case 1:
            expect_fault(layout, SW_FAULT_MISSING);
            break;
        case 4:
        case 7:
            expect_fault(layout, SW_FAULT_AWAY);
            break;
        case 6:
            assert_true(sw_layout_check(layout, NULL, NULL) > 0);
            break;
        default:
            expect_fault(layout, SW_FAULT_TRANSFER);
            break;
        }
        sw_layout_free(layout);
    }
    sw_problem_unref(problem);
}

/* Without an end to the tier, or pinned in it, nobody may be away. */
static void no_host_memory(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++) {
        struct sw_builder *builder = device(way == 0 ? SW_UNBOUNDED : 20);
        int64_t accesses[] = {0, 4};
        struct sw_buffer_spec spec = {.name = "a",
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = 10,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = 0,
                                      .last = 4,
                                      .accesses = accesses,
                                      .access_count = 2,
                                      .has_accesses = true,
                                      .tier = way == 1 ? "device" : NULL,
                                      .has_offset = way == 2,
                                      .offset = 0};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
        add_object(builder, "b", 10, AT(1, 2, 3));
        sw_builder_offsets(builder, SW_OFFSETS_PINS);
        struct sw_problem *problem = must_finish(builder);
        struct sw_layout *layout = sw_layout_new(problem, NULL);
        put(layout, 0, 0, 0, 0);
        put(layout, 0, 0, 4, 4);
        put(layout, 1, 10, 1, 3);
        move(layout, 0, 1, 0, SW_NONE);
        move(layout, 0, 4, SW_NONE, 0);
        assert_true(sw_layout_check(layout, NULL, NULL) > 0);
        sw_layout_free(layout);
        sw_problem_unref(problem);
    }
}

/* The first object moves out of the way of the others and comes back. */
static void turns_in_a_chain(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(chain(device(30)));
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search);
    const struct sw_layout *layout = sw_search_layout(search);
    uint64_t moved = 0;
    for (size_t i = 0; i < sw_layout_transfer_count(layout); i++) {
        struct sw_transfer t = sw_layout_transfer_get(layout, i);
        assert_true((t.from == 0 && t.to == SW_NONE) || (t.from == SW_NONE && t.to == 0));
        moved += sw_problem_find_buffer(problem, "a") == t.buffer ? 10 : 0;
    }
    assert_int_equal(migration(search), moved);
    assert_true(sw_layout_peak(layout) <= 30);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* With a second tier that is the host: everybody has a home there while away. */
static void a_tier_as_host(void **state) {
    (void)state;
    struct sw_builder *builder = device(30);
    assert_true(sw_builder_tier(builder,
                                &(struct sw_tier){.name = "dram", .capacity = SW_UNBOUNDED}, NULL));
    struct sw_problem *problem = must_finish(chain(builder));
    assert_false(sw_layout_has_host(problem));
    /* One segment fewer than the operators need is not enough; three are. All seeds agree. */
    struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"k", "3"}));
    run(search);
    const struct sw_layout *layout = sw_search_layout(search);
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct sw_placement p;
        for (uint32_t s = buffer->first; s <= buffer->last; s++) {
            assert_true(sw_layout_at(layout, b, s, &p));
        }
        for (uint32_t i = 0; i < buffer->access_count; i++) {
            assert_true(sw_layout_at(layout, b, buffer->accesses[i], &p) && p.tier == 0);
        }
    }
    assert_true(sw_layout_transfer_count(layout) > 0 || migration(search) == 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* What is pinned keeps its place, and segments lie around it and around reserved ranges. */
static void pinned_and_reserved(void **state) {
    (void)state;
    struct sw_builder *builder = device(100);
    add_object(builder, "A", 30, AT(1, 5));
    add_object(builder, "B", 20, AT(2, 6));
    add_object(builder, "C", 10, AT(3, 7));
    struct sw_buffer_spec spec = {.name = "P",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = 10,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = 4,
                                  .last = 4,
                                  .accesses = (const int64_t[]){4},
                                  .access_count = 1,
                                  .has_accesses = true,
                                  .has_offset = true,
                                  .offset = 5};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    assert_true(sw_builder_reserve(builder, "device", 40, 50, NULL));
    sw_builder_offsets(builder, SW_OFFSETS_PINS);
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search);
    /* A of 30 goes between 50 and 80, B to 15..35, C to 80..90. */
    static const uint64_t offsets[] = {50, 15, 80, 5};
    for (uint32_t i = 0; i < 4; i++) {
        struct sw_placement p;
        assert_true(sw_layout_placement(sw_search_layout(search), i, 0, &p));
        assert_int_equal(p.offset, offsets[i]);
    }
    assert_int_equal(migration(search), 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void alignment(void **state) {
    (void)state;
    struct sw_builder *builder = device(64);
    const uint64_t sizes[] = {20, 18, 10, 9}, alignments[] = {4, 16, 8, 1};
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = sizes[i],
                                      .alignment = alignments[i],
                                      .has_first = true,
                                      .has_last = true,
                                      .first = i,
                                      .last = 8 + i,
                                      .accesses = (const int64_t[]){i, 8 + i},
                                      .access_count = 2,
                                      .has_accesses = true};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search); /* the check knows about alignment */
    struct sw_explanation e = {0};
    uint64_t i = find(search, SW_DECISION_PARTITION, 0);
    assert_true(sw_search_explain(search, i, &e, NULL));
    /* 20 at 0, 18 at 32, 10 at 20 -> 24 would hit 32: at 56 it would end at 66; so two segments. */
    assert_int_equal(e.candidates.items[1].offset, 32);
    assert_int_equal(e.candidates.count, 2);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- what a user may demand ---- */

static void what_if(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_problem *problem = example();
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 3, .tier = 0, .offset = 70};
    struct sw_override forbid = {
        .kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .tier = 0, .lo = 0, .hi = 5};
    assert_true(sw_search_force(search, &pin, &error));
    assert_true(sw_search_force(search, &forbid, &error));
    run(search); /* A at 5..55; B does not fit any more between 55 and 70 or above 90 */
    struct sw_placement p;
    assert_true(sw_layout_placement(sw_search_layout(search), 0, 0, &p));
    assert_int_equal(p.offset, 5);
    assert_true(sw_layout_placement(sw_search_layout(search), 3, 0, &p));
    assert_int_equal(p.offset, 70);
    sw_search_free(search);

    search = search_with(problem, "segment-genetic", NULL);
    run(search);
    assert_true(sw_search_seek(search, 3, &error));
    assert_false(sw_search_force(search, &pin, &error));
    assert_string_equal(
        error.message, "segment-genetic lays out its segments around what is pinned and forbidden, "
                       "so it has to know before its first decision: go back to the start to pin a "
                       "block");
    /* K = 1: everybody takes turns in the only segment. */
    uint64_t choose = find(search, SW_DECISION_CHOOSE, 0);
    assert_true(sw_search_seek(search, choose - 1, &error));
    assert_true(sw_search_force(
        search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 0}, &error));
    run(search);
    assert_int_equal(detail(search, "segments", NULL, 1), -1);
    assert_true(sw_search_journal(search, choose)->forced);
    assert_int_equal(migration(search), 2 * (50 + 40 + 30));
    /* What was refused cannot be taken; and drawing is no choice. */
    assert_true(sw_search_seek(search, choose - 1, &error));
    assert_false(sw_search_force(
        search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 2}, &error));
    assert_true(sw_search_seek(search, choose + 1, &error));
    assert_false(sw_search_force(
        search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 0}, &error));
    assert_non_null(strstr(error.message, "offers no candidates for this decision"));
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void choose_segment_and_group(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_problem *problem = busy(2);
    struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"rounds", "3"}));
    run(search);
    uint64_t cross = find(search, SW_DECISION_CROSSOVER, 0);
    uint32_t part = sw_search_journal(search, cross)->part, other = part == 0;
    assert_true(sw_search_seek(search, cross - 1, &error));
    assert_true(sw_search_force(
        search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = other}, &error));
    run(search);
    assert_int_equal(sw_search_journal(search, cross)->part, other);
    sw_search_free(search);
    sw_problem_unref(problem);
    problem = merge_example();
    search = search_with(problem, "segment-genetic", NULL);
    run(search);
    assert_true(sw_search_seek(search, 1, &error)); /* runs are joined, the group comes */
    assert_true(sw_search_force(
        search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 1}, &error));
    run(search);
    assert_int_equal(sw_search_journal(search, find(search, SW_DECISION_SORT, 0))->amount, 6);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void sentences(void **state) {
    (void)state;
    struct sw_problem *problem = example();
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    struct sw_explanation e = {0};
    run(search);
    uint64_t choose = find(search, SW_DECISION_CHOOSE, 0);
    assert_true(sw_search_explain(search, choose, &e, NULL));
    assert_int_equal(e.candidates.count, 3);
    assert_string_equal(e.candidates.items[0].reason,
                        "K = 1, the last segment for A: 50 B of 100 B");
    assert_string_equal(e.candidates.items[1].reason,
                        "chosen: K = 2, the last segment for B: 90 B of 100 B");
    assert_string_equal(
        e.candidates.items[2].reason,
        "C (30 B) refused a segment: 90 B of device are taken, and no free range of "
        "30 B is left");
    assert_true(sw_search_explain(search, find(search, SW_DECISION_PARTITION, 0), &e, NULL));
    assert_string_equal(e.candidates.items[1].reason, "segment 1, 40 B at device+50, belongs to B");
    /* Every decision has a sentence, and every candidate a reason. */
    for (uint64_t i = 1; i <= 150 && i <= sw_search_known(search); i++) {
        char text[300];
        assert_true(sw_search_explain(search, i, &e, NULL));
        assert_true(sw_decision_describe(problem, &e.decision, text, sizeof text) > 8);
        assert_null(strstr(text, "18446744073709551615"));
        for (size_t k = 0; k < e.candidates.count; k++) {
            assert_true(e.candidates.items[k].reason[0] != '\0');
        }
    }
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A run that is stopped answers with the best sequence so far. */
static void stopped(void **state) {
    (void)state;
    struct sw_problem *problem = busy(4);
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    struct sw_error error = {0};
    assert_true(sw_search_seek(search, 40, &error)); /* in the middle of the first population */
    assert_int_equal(sw_layout_placed_count(sw_search_layout(search)), 0);
    uint64_t claimed = migration(search);
    assert_true(claimed > 0 && sw_search_settle(search, &error));
    assert_int_equal(sw_layout_check(sw_search_layout(search), NULL, NULL), 0);
    run(search);
    assert_true(migration(search) <= claimed);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- farthest-next-use and the bound ---- */

static void farthest(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_problem *problem = example();
    struct sw_search *search = search_with(problem, "farthest-next-use", NULL);
    run(search);
    /* 1 A, 2 B; 3 C: A (7) leaves, 50; 4 D; 5 and 6 hit; 7 A again, 50: nobody else is wanted any
     * more, so the largest leaves, and C, D and A are 100. */
    assert_int_equal(migration(search), 100);
    assert_int_equal(detail(search, "migration_bound", NULL, 0), 80);
    assert_int_equal(sw_layout_peak(sw_search_layout(search)), 100);
    uint64_t evict = find(search, SW_DECISION_EVICT, 0);
    struct sw_explanation e = {0};
    assert_int_equal(evict, 3);
    assert_true(sw_search_explain(search, evict, &e, NULL));
    assert_int_equal(e.candidates.count, 2);
    assert_string_equal(e.candidates.items[0].reason,
                        "chosen: A (50 B) is next accessed at time 7");
    assert_string_equal(e.candidates.items[1].reason, "B (40 B) is next accessed at time 6");
    char text[200];
    sw_decision_describe(problem, sw_search_journal(search, evict), text, sizeof text);
    assert_string_equal(text, "moves A (50 B) out of device: its next access is farthest");
    /* Another resident: B leaves instead and comes back at 6. */
    assert_true(sw_search_seek(search, evict - 1, &error));
    assert_true(sw_search_force(
        search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 1}, &error));
    run(search);
    assert_int_equal(sw_search_journal(search, evict)->buffer, 1);
    assert_true(sw_search_journal(search, evict)->forced);
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 3, .tier = 0, .offset = 70};
    assert_false(sw_search_force(search, &pin, &error));
    assert_string_equal(error.message,
                        "farthest-next-use deals in no addresses: it cannot pin a block");
    struct sw_override forbid = {
        .kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .tier = 0, .lo = 0, .hi = 5};
    assert_false(sw_search_force(search, &forbid, &error));
    assert_string_equal(error.message,
                        "farthest-next-use deals in no addresses: it cannot keep off a range");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* What the present operator touches stays. */
static void in_use_stays(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(chain(device(30)));
    struct sw_search *search = search_with(problem, "farthest-next-use", NULL);
    run(search);
    /* x a | b | x out, c | ... a is never in the way: x, b, c die first. */
    assert_int_equal(migration(search), 0);
    struct sw_explanation e = {0};
    uint64_t evict = find(search, SW_DECISION_EVICT, 0);
    assert_true(sw_search_explain(search, evict, &e, NULL));
    assert_string_equal(e.candidates.items[0].reason, "chosen: x (10 B) is never accessed again");
    assert_string_equal(e.candidates.items[2].reason,
                        "b (10 B) is never accessed again, and is in use at this step");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void bound_and_proof(void **state) {
    (void)state;
    struct sw_problem *problem = example();
    struct sw_migration bound = {0};
    assert_true(sw_problem_migration_bound(problem, &bound));
    /* At 3 and at 4 twenty bytes of A have to go; at 7 all forty come back. */
    assert_true(bound.feasible);
    assert_int_equal(bound.bytes, 80);
    assert_int_equal(bound.count, 1);
    assert_int_equal(bound.items[0].buffer, 0);
    assert_int_equal(bound.items[0].bytes, 40);
    assert_int_equal(sw_problem_time(problem, bound.items[0].step), 7);
    sw_migration_done(&bound);
    sw_problem_unref(problem);
    problem = must_finish(chain(device(9)));
    assert_true(sw_problem_migration_bound(problem, &bound));
    assert_false(bound.feasible);
    sw_migration_done(&bound);
    sw_problem_unref(problem);
    /* Reserved bytes are no room. */
    struct sw_builder *builder = device(100);
    add_object(builder, "A", 50, AT(1, 3));
    add_object(builder, "B", 50, AT(2, 4));
    assert_true(sw_builder_reserve(builder, "device", 0, 10, NULL));
    assert_true(sw_builder_reserve(builder, "device", 5, 20, NULL));
    problem = must_finish(builder);
    assert_true(sw_problem_migration_bound(problem, &bound));
    assert_int_equal(bound.bytes, 2 * 20 + 2 * 20);
    sw_migration_done(&bound);
    sw_problem_unref(problem);
}

/* ---- lack of memory ---- */

static struct { uint64_t count, fail_at; } memory;

static void *faulty(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    return ++memory.count == memory.fail_at ? NULL : realloc(pointer, new_size);
}

static void starving(void **state) {
    (void)state;
    static const char *const planners[] = {"segment-genetic", "farthest-next-use"};
    sw_mem_hook(faulty, NULL);
    struct sw_problem *problem = merge_example();
    for (size_t k = 0; k < 2; k++) {
        const struct sw_planner *planner = sw_planner_find(planners[k], NULL);
        struct sw_params params = SW_PARAMS_DEFAULT;
        if (k == 0) {
            sw_params_set(&params, "rounds", "2", NULL);
            sw_params_set(&params, "population", "6", NULL);
        }
        uint64_t wanted = 0;
        bool whole = false;
        for (uint64_t at = 0; !whole; at++) {
            struct sw_error error = {0};
            memory.count = 0;
            memory.fail_at = at;
            struct sw_search *search = sw_search_new(problem, planner, &params, &error);
            enum sw_step end = SW_STEP_FAILED;
            if (search) {
                sw_search_budget(search, 1 << 20, 50);
                end = sw_search_run(search, 0, NULL, NULL, &error);
            }
            whole = at > 0 && memory.count < at;
            memory.fail_at = 0;
            assert_true(end == SW_STEP_DONE || error.code == SW_ERROR_MEMORY);
            if (search) {
                run(search); /* and goes on as if nothing had happened */
                wanted = at == 0 ? sw_search_digest(search) : wanted;
                assert_true(sw_search_digest(search) == wanted);
            }
            sw_search_free(search);
        }
        sw_params_done(&params);
    }
    sw_problem_unref(problem);
    sw_mem_hook(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_need),
        cmocka_unit_test(example_literal),
        cmocka_unit_test(example_sequences),
        cmocka_unit_test(merging),
        cmocka_unit_test(merge_parameter),
        cmocka_unit_test(number_of_segments),
        cmocka_unit_test(rounds_and_ends),
        cmocka_unit_test(decisions_add_up),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(infeasible_runs),
        cmocka_unit_test(needs),
        cmocka_unit_test(host_memory),
        cmocka_unit_test(no_host_memory),
        cmocka_unit_test(turns_in_a_chain),
        cmocka_unit_test(a_tier_as_host),
        cmocka_unit_test(pinned_and_reserved),
        cmocka_unit_test(alignment),
        cmocka_unit_test(what_if),
        cmocka_unit_test(choose_segment_and_group),
        cmocka_unit_test(sentences),
        cmocka_unit_test(stopped),
        cmocka_unit_test(farthest),
        cmocka_unit_test(in_use_stays),
        cmocka_unit_test(bound_and_proof),
        cmocka_unit_test(starving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
