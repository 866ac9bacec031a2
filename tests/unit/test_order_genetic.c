/* order-genetic and random-order: the worked examples of the specification, their parameters, what
 * their decisions say, and what can be demanded of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "planners/orders/genome.h"
#include "faults.h"
#include "stowage.h"

/* ---- making problems and running them ---- */

struct row {
    int64_t first, last;
    uint64_t size;
};

static struct sw_problem *finish(struct sw_builder *builder) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    sw_builder_free(builder);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static struct sw_problem *from_rows(const struct row *rows, size_t count, uint64_t reserved) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%zu", i);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = rows[i].size,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = rows[i].first,
                                      .last = rows[i].last};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    if (reserved > 0) {
        struct sw_tier tier = {.name = "memory", .capacity = SW_UNBOUNDED};
        assert_true(sw_builder_tier(builder, &tier, NULL));
        assert_true(sw_builder_reserve(builder, "memory", 0, reserved, NULL));
    }
    return finish(builder);
}

static const struct row example_2[] = {{1, 4, 5}, {1, 6, 3}, {1, 6, 4}, {2, 3, 2}, {5, 6, 1}, {5, 6, 6}};
enum { ROWS = sizeof example_2 / sizeof example_2[0] };

static struct sw_params with(const char *key, const char *value) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    assert_true(!key || sw_params_set(&params, key, value, NULL));
    return params;
}

static struct sw_search *open_search(const struct sw_problem *problem, const char *planner,
                                     const struct sw_params *params) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find(planner, &error), params, &error);
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}

static void run_out(struct sw_search *search) {
    struct sw_error error = {0};
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
}

static struct sw_search *run(const struct sw_problem *problem, const char *planner, const struct sw_params *params) {
    struct sw_search *search = open_search(problem, planner, params);
    run_out(search);
    return search;
}

static uint64_t peak_of(const struct sw_search *search) {
    return sw_layout_peak(sw_search_layout(search));
}

static int64_t detail(const struct sw_search *search, const char *key) {
    struct sw_details details = {0};
    int64_t value = -1;
    assert_true(sw_search_details(search, &details));
    for (size_t i = 0; i < details.items.count; i++) {
        if (strcmp(details.items.items[i].key, key) == 0) {
            value = details.items.items[i].integer;
        }
    }
    sw_details_done(&details);
    return value;
}

static uint32_t count_kind(const struct sw_search *search, enum sw_decision_kind kind) {
    uint32_t count = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        count += sw_decision_is(sw_search_journal(search, i), kind);
    }
    return count;
}

static uint64_t first_of(struct sw_search *search, enum sw_decision_kind kind) {
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        if (sw_decision_is(sw_search_journal(search, i), kind)) {
            return i;
        }
    }
    fail_msg("there is no decision %s", sw_decision_word(kind));
    return 0;
}

/* ---- example 1: two cores ---- */

static void add_op(struct sw_builder *builder, const char *name, const char *core, const char *const *inputs,
                   const char *const *outputs, const char *after) {
    struct sw_operator_spec spec = {.name = name,
                                    .core = core,
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .after = &after,
                                    .after_count = after != NULL};
    while (inputs[spec.input_count]) {
        spec.input_count++;
    }
    while (outputs[spec.output_count]) {
        spec.output_count++;
    }
    assert_true(sw_builder_operator(builder, &spec, NULL));
}
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct sw_problem *two_cores(void) {
    static const struct {
        const char *name;
        uint64_t size;
    } buffers[] = {{"D0", 8}, {"D00", 4}, {"D01", 4}, {"D10", 4}, {"D11", 4}, {"D20", 1}, {"D21", 1}, {"D2", 2}};
    struct sw_builder *builder = sw_builder_new(NULL);
    add_op(builder, "split", "A", LIST("D0"), LIST("D00", "D01"), NULL);
    add_op(builder, "conv_a", "A", LIST("D00"), LIST("D10"), NULL);
    add_op(builder, "conv_b", "B", LIST("D01"), LIST("D11"), "split");
    add_op(builder, "pool_a", "A", LIST("D10"), LIST("D20"), NULL);
    add_op(builder, "pool_b", "B", LIST("D11"), LIST("D21"), NULL);
    add_op(builder, "concat", "A", LIST("D20", "D21"), LIST("D2"), "pool_b");
    for (size_t i = 0; i < 8; i++) {
        struct sw_buffer_spec spec = {.name = buffers[i].name,
                                      .kind = i == 0   ? SW_KIND_INPUT
                                              : i == 7 ? SW_KIND_OUTPUT
                                                       : SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = buffers[i].size};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    return finish(builder);
}

static bool conflict(const struct sw_problem *problem, const char *a, const char *b) {
    return sw_problem_conflict(problem, sw_problem_find_buffer(problem, a), sw_problem_find_buffer(problem, b)) !=
           SW_CONFLICT_NONE;
}

static void example_1_conflicts(void **state) {
    (void)state;
    static const char *const names[] = {"D0", "D00", "D01", "D10", "D11", "D20", "D21", "D2"};
    static const char *const with_d00[] = {"D0", "D01", "D10", "D11", "D21"};
    struct sw_problem *problem = two_cores();
    int pairs = 0;
    for (int a = 0; a < 8; a++) {
        bool d00 = false;
        for (int b = 0; b < a; b++) {
            pairs += conflict(problem, names[a], names[b]);
        }
        for (int i = 0; i < 5; i++) {
            d00 |= strcmp(names[a], with_d00[i]) == 0;
        }
        assert_int_equal(conflict(problem, "D00", names[a]), d00);
        assert_int_equal(conflict(problem, "D2", names[a]), a == 5 || a == 6);
    }
    assert_int_equal(pairs, 17);
    sw_problem_unref(problem);
}

static void example_1_clique(void **state) {
    (void)state;
    struct sw_problem *problem = two_cores();
    uint32_t count;
    const uint32_t *clique = sw_problem_bound_clique(problem, &count);
    assert_int_equal(sw_problem_lower_bound(problem), 16);
    /* {D0, D00, D01}: alive together at step 0, so the step is as good a proof. */
    assert_null(clique);
    assert_int_equal(count, 0);
    assert_int_equal(sw_problem_bound_step(problem), 0);
    assert_int_equal(sw_problem_profile(problem)[0], 16);

    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_run stage = {.problem = problem, .params = &params, .choice = -1};
    struct sw_decoder *decoder = sw_decoder_new(&stage, NULL);
    struct sw_need need;
    struct sw_rank order[8];
    for (uint32_t i = 0; i < 8; i++) { /* the listed order */
        order[i] = sw_problem_rank(problem, i);
    }
    assert_true(sw_decode(decoder, order));
    sw_decoder_need(decoder, &need);
    assert_int_equal(need.peak, 16);
    assert_int_equal(sw_decoder_conflicts(decoder), 17);
    sw_decoder_unref(decoder);

    struct sw_search *search = run(problem, "order-genetic", NULL);
    assert_int_equal(peak_of(search), 16);
    assert_int_equal(detail(search, "conflicts"), 17);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Two cores that never wait for each other: what both hold is never alive at one step of the list.
 */
static void a_clique_outweighs_every_step(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    static const char *const names[] = {"a0", "a1", "b0", "b1"};
    add_op(builder, "a_make", "A", LIST(NULL), LIST("a0"), NULL);
    add_op(builder, "a_use", "A", LIST("a0"), LIST("a1"), NULL);
    add_op(builder, "b_make", "B", LIST(NULL), LIST("b0"), NULL);
    add_op(builder, "b_use", "B", LIST("b0"), LIST("b1"), NULL);
    for (size_t i = 0; i < 4; i++) {
        struct sw_buffer_spec spec = {
            .name = names[i], .kind = SW_KIND_INTERMEDIATE, .has_size = true, .size = i % 2 ? 3 : 10};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    struct sw_problem *problem = finish(builder);
    uint32_t count;
    const uint32_t *clique = sw_problem_bound_clique(problem, &count);
    assert_int_equal(sw_problem_profile(problem)[sw_problem_bound_step(problem)], 13);
    assert_int_equal(sw_problem_lower_bound(problem), 26);
    assert_int_equal(count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(clique[i], i);
    }
    sw_problem_unref(problem);
}

/* ---- example 2: orders matter ---- */

static void decode_expect(const struct sw_problem *problem, const struct sw_rank *order, uint64_t peak,
                          const uint64_t *offsets) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_run stage = {.problem = problem, .params = &params, .choice = -1};
    struct sw_decoder *decoder = sw_decoder_new(&stage, NULL);
    for (int slow = 0; slow < 2; slow++) {
        struct sw_need need;
        assert_int_equal(sw_decoder_fast(decoder), !slow);
        assert_true(sw_decode(decoder, order));
        sw_decoder_need(decoder, &need);
        assert_int_equal(need.peak, peak);
        for (uint32_t i = 0; i < ROWS; i++) { /* program order is the listed order here */
            assert_int_equal(sw_decoder_offset(decoder, (struct sw_rank){i}), offsets[i]);
        }
        sw_decoder_slow_down(decoder);
    }
    sw_decoder_unref(decoder);
}

static void example_2_decoded(void **state) {
    (void)state;
    struct sw_problem *problem = from_rows(example_2, ROWS, 0);
    decode_expect(problem, (const struct sw_rank[]){{0}, {1}, {2}, {3}, {4}, {5}}, 18,
                  (const uint64_t[]){0, 5, 8, 12, 0, 12});
    decode_expect(problem, (const struct sw_rank[]){{0}, {3}, {1}, {2}, {4}, {5}}, 14,
                  (const uint64_t[]){0, 7, 10, 5, 0, 1});
    /* First fit by size: 5 (6 B), 0 (5 B), 2 (4 B), 1 (3 B), 3 (2 B), 4 (1 B). */
    decode_expect(problem, (const struct sw_rank[]){{5}, {0}, {2}, {1}, {3}, {4}}, 15,
                  (const uint64_t[]){0, 10, 6, 13, 13, 0});
    struct sw_search *search = run(problem, "best-fit", NULL);
    static const uint64_t best_fit[] = {0, 5, 8, 12, 12, 13};
    for (uint32_t i = 0; i < ROWS; i++) {
        struct sw_placement p;
        assert_true(sw_layout_placement(sw_search_layout(search), i, 0, &p));
        assert_int_equal(p.offset, best_fit[i]);
    }
    assert_int_equal(peak_of(search), 19);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void example_2_evolved(void **state) {
    (void)state;
    struct sw_problem *problem = from_rows(example_2, ROWS, 0);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sw_params params = {.seed = seed};
        struct sw_search *search = run(problem, "order-genetic", &params);
        struct sw_claims claims;
        assert_int_equal(peak_of(search), 14);
        sw_search_claims(search, &claims);
        assert_true(claims.optimal);
        sw_search_free(search);
        search = run(problem, "random-order", &params);
        assert_int_equal(peak_of(search), 14);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* ---- alignment ---- */

static void sizes_are_rounded_up(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    for (int i = 0; i < 2; i++) {
        struct sw_buffer_spec spec = {.name = i ? "b" : "a",
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = 10,
                                      .alignment = i ? 1 : 16,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = 0,
                                      .last = 1};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    struct sw_problem *problem = finish(builder);
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_run stage = {.problem = problem, .params = &params, .choice = -1};
    struct sw_decoder *decoder = sw_decoder_new(&stage, NULL);
    for (int slow = 0; slow < 2; slow++) {
        assert_true(sw_decode(decoder, (const struct sw_rank[]){{0}, {1}}));
        assert_int_equal(sw_decoder_offset(decoder, (struct sw_rank){1}), 16); /* not 10: a's space is 16 bytes */
        assert_true(sw_decode(decoder, (const struct sw_rank[]){{1}, {0}}));
        assert_int_equal(sw_decoder_offset(decoder, (struct sw_rank){0}), 16);
        sw_decoder_slow_down(decoder);
    }
    sw_decoder_unref(decoder);
    sw_problem_unref(problem);
}

/* ---- parameters ---- */

/* A problem whose bound no planner reaches, for 4 bytes at the bottom are reserved. */
static struct sw_problem *unreachable(void) {
    return from_rows(example_2, ROWS, 4);
}

static void the_end_comes_as_told(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = with("patience", "7");
    struct sw_search *search = run(problem, "order-genetic", &params);
    const struct sw_decision *last = sw_search_journal(search, sw_search_known(search));
    assert_int_equal(peak_of(search), 18);
    assert_string_equal(last->reason, "no gain for long enough");
    assert_int_equal(detail(search, "evaluations"), 60 + 60 * detail(search, "generations"));
    assert_int_equal(count_kind(search, SW_DECISION_DECODE), detail(search, "evaluations"));
    uint32_t stale = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_GENERATION) {
            stale = strcmp(d->reason, "no gain") == 0 ? stale + 1 : 0;
            assert_true(stale < 7 || i + 1 == sw_search_known(search));
        }
    }
    assert_int_equal(stale, 7);
    sw_search_free(search);
    sw_params_done(&params);

    params = with("generations", "3");
    assert_true(sw_params_set(&params, "population", "11", NULL));
    search = run(problem, "order-genetic", &params);
    last = sw_search_journal(search, sw_search_known(search));
    assert_string_equal(last->reason, "the last generation is over");
    assert_int_equal(detail(search, "generations"), 3);
    assert_int_equal(detail(search, "evaluations"), 44);
    assert_int_equal(count_kind(search, SW_DECISION_INDIVIDUAL), 11);
    assert_int_equal(count_kind(search, SW_DECISION_CROSSOVER), 33);
    assert_int_equal(count_kind(search, SW_DECISION_SELECT), 3);
    assert_int_equal(count_kind(search, SW_DECISION_GENERATION), 4); /* and the first population */
    sw_search_free(search);
    sw_params_done(&params);

    params = with("evaluations", "25");
    search = run(problem, "random-order", &params);
    assert_int_equal(detail(search, "evaluations"), 25);
    assert_int_equal(count_kind(search, SW_DECISION_DECODE), 25);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* The preset condition: a block sequence as continuous as was asked for. */
static void a_continuity_ends_it(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = with("continuity_goal", "2");
    struct sw_search *search = run(problem, "order-genetic", &params);
    uint64_t known = sw_search_known(search);
    assert_string_equal(sw_search_journal(search, known)->reason, "a block sequence has reached the continuity goal");
    for (uint64_t i = 1; i < known; i++) { /* the last individual is the first that has it */
        const struct sw_decision *d = sw_search_journal(search, i);
        assert_true(d->kind != SW_DECISION_SORT_BLOCKS || (d->sort_blocks.continuity >= 2) == (i + 1 == known));
    }
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* The lengths of all windows, the least and the largest; false: there is none. */
static bool windows_of(const struct sw_search *search, uint64_t *least, uint64_t *most) {
    *least = UINT64_MAX;
    *most = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_CROSSOVER) {
            *least = d->size < *least ? d->size : *least;
            *most = d->size > *most ? d->size : *most;
        }
    }
    return *most > 0;
}

static void breeding_has_parameters(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_error error = {0};
    uint64_t least, most;
    struct sw_params params = with("crossover", "0");
    assert_true(sw_params_set(&params, "swap", "0", NULL));
    assert_true(sw_params_set(&params, "generations", "2", NULL));
    struct sw_search *search = run(problem, "order-genetic", &params);
    assert_false(windows_of(search, &least, &most));
    assert_int_equal(count_kind(search, SW_DECISION_SWAP), 120); /* one for each child */
    sw_search_free(search);
    sw_params_done(&params);

    params = with("crossover", "0.25");
    assert_true(sw_params_set(&params, "swap", "0.9", NULL));
    assert_true(sw_params_set(&params, "generations", "10", NULL));
    search = run(problem, "order-genetic", &params);
    uint32_t crossed = count_kind(search, SW_DECISION_CROSSOVER);
    assert_in_range(crossed, 100, 200); /* of 600 children */
    assert_in_range(count_kind(search, SW_DECISION_SWAP), 4500, 8000);
    sw_search_free(search);
    sw_params_done(&params);

    params = with("window_min", "4");
    assert_true(sw_params_set(&params, "window_max", "5", NULL));
    search = run(problem, "order-genetic", &params);
    assert_true(windows_of(search, &least, &most) && least == 4 && most == 5);
    sw_search_free(search);
    sw_params_done(&params);

    params = with("window_min", "5");
    assert_true(sw_params_set(&params, "window_max", "4", NULL));
    assert_null(sw_search_new(problem, sw_planner_find("order-genetic", NULL), &params, &error));
    assert_string_equal(error.message, "window_min 5 is above window_max 4: no window of a crossover is so long");
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* A choice where chance made no crossover is refused, and the run goes on as if nothing had been asked. */
static void no_choice_without_a_crossover(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = with("crossover", "0");
    struct sw_search *search = run(problem, "order-genetic", &params);
    struct sw_error error = {0};
    uint64_t digest = sw_search_digest(search), at = first_of(search, SW_DECISION_SWAP) - 1;
    struct sw_search *fork = sw_search_fork(search, NULL);
    struct sw_override choice = {.kind = SW_OVERRIDE_CHOOSE, .buffer = SW_NONE, .choice = 0};
    assert_true(sw_search_seek(fork, at, NULL));
    assert_false(sw_search_force(fork, &choice, &error));
    assert_non_null(strstr(error.message, "the positions are random"));
    assert_int_equal(sw_search_run(fork, 0, NULL, NULL, &error), SW_STEP_DONE);
    assert_int_equal(sw_search_digest(fork), digest);
    sw_search_free(fork);
    assert_int_equal(sw_search_digest(search), digest);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* The first members are the layouts of the greedy planners, each once. */
static void seeds_come_first(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = with("seeds", "greedy");
    assert_true(sw_params_set(&params, "population", "1", NULL)); /* which has room for them */
    struct sw_search *search = run(problem, "order-genetic", &params);
    uint32_t seen = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        seen += d->kind == SW_DECISION_INDIVIDUAL && strstr(d->reason, "layout by start address");
    }
    assert_in_range(seen, 1, 3);
    assert_int_equal(count_kind(search, SW_DECISION_INDIVIDUAL), 3);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

static void work_ends_it(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = {.seed = 1, .work = 3000};
    struct sw_search *search = run(problem, "order-genetic", &params);
    assert_string_equal(sw_search_journal(search, sw_search_known(search))->reason, "the budget of work is spent");
    assert_true(detail(search, "generations") < 5);
    sw_search_free(search);
    search = run(problem, "random-order", &params);
    assert_true(detail(search, "evaluations") < 1000);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Three buffers have six orders, and fewer than four have no crossover. */
static void few_buffers(void **state) {
    (void)state;
    static const struct row rows[] = {{0, 1, 5}, {1, 2, 3}, {2, 3, 4}};
    for (size_t count = 0; count <= 3; count++) {
        struct sw_problem *problem = from_rows(rows, count, count ? 4 : 0);
        struct sw_search *search = run(problem, "order-genetic", NULL);
        static const uint32_t orders[] = {1, 1, 2, 6};
        assert_int_equal(count_kind(search, SW_DECISION_INDIVIDUAL), orders[count]);
        assert_int_equal(count_kind(search, SW_DECISION_CROSSOVER), 0);
        assert_int_equal(count_kind(search, SW_DECISION_SWAP) > 0, count >= 2);
        assert_int_equal(count_kind(search, SW_DECISION_FINISH), 1);
        assert_true(count < 2 ||
                    strcmp(sw_search_journal(search, sw_search_known(search))->reason, "no gain for long enough") == 0);
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

/* All of the first orders are different. */
static void orders_are_different(void **state) {
    (void)state;
    static const struct row rows[] = {{0, 1, 5}, {1, 2, 3}, {2, 3, 4}, {0, 3, 1}};
    struct sw_problem *problem = from_rows(rows, 4, 4);
    static const char *const sizes[] = {"20", "24", "60"};
    for (int s = 0; s < 3; s++) {
        struct sw_params params = with("population", sizes[s]);
        assert_true(sw_params_set(&params, "generations", "0", NULL));
        struct sw_search *search = open_search(problem, "order-genetic", &params);
        struct sw_explanation e = {0};
        char seen[24][200];
        size_t count = 0;
        while (sw_search_step_explained(search, &e, NULL) == SW_STEP_MORE) {
            if (e.decision.kind != SW_DECISION_INDIVIDUAL) {
                continue;
            }
            assert_true(count < 24);
            strcpy(seen[count], strchr(e.candidates.items[0].reason, ':'));
            for (size_t k = 0; k < count; k++) {
                assert_string_not_equal(seen[k], seen[count]);
            }
            count++;
        }
        assert_int_equal(count, s == 0 ? 20 : 24);
        sw_explanation_done(&e);
        sw_search_free(search);
        sw_params_done(&params);
    }
    sw_problem_unref(problem);
}

static void fitness_decides(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = with("fitness", "continuity");
    struct sw_search *by_peak = run(problem, "order-genetic", NULL);
    struct sw_search *by_continuity = run(problem, "order-genetic", &params);
    assert_int_equal(peak_of(by_peak), 18);
    assert_true(detail(by_continuity, "continuity") >= detail(by_peak, "continuity"));
    /* The best of each generation never falls. */
    uint64_t continuity = 0;
    double peak = 1e9;
    for (uint64_t i = 1; i <= sw_search_known(by_continuity); i++) {
        const struct sw_decision *d = sw_search_journal(by_continuity, i);
        if (d->kind == SW_DECISION_GENERATION) {
            assert_true(sw_decision_amount(d) >= continuity);
            continuity = sw_decision_amount(d);
        }
    }
    for (uint64_t i = 1; i <= sw_search_known(by_peak); i++) {
        const struct sw_decision *d = sw_search_journal(by_peak, i);
        if (d->kind == SW_DECISION_GENERATION) {
            assert_true(sw_decision_figure(d, 0) <= peak && sw_decision_figure(d, 0) <= sw_decision_figure(d, 1) &&
                        sw_decision_figure(d, 1) <= sw_decision_figure(d, 2));
            peak = sw_decision_figure(d, 0);
        }
    }
    sw_search_free(by_peak);
    sw_search_free(by_continuity);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* Fitter: by peak and then continuity, or the other way round. */
static void fitness_is_in_that_order(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_run stage = {.problem = problem, .params = &params, .choice = -1};
    struct sw_decoder *decoder = sw_decoder_new(&stage, NULL);
    struct sw_genome *low = sw_genome_new(decoder), *smooth = sw_genome_new(decoder);
    low->above = smooth->above = 0;
    low->arena[0] = 10;
    smooth->arena[0] = 11;
    low->continuity = 1;
    smooth->continuity = 2;
    assert_true(sw_genome_compare(low, smooth, false) < 0);
    assert_true(sw_genome_compare(low, smooth, true) > 0);
    smooth->arena[0] = 10; /* ties */
    assert_true(sw_genome_compare(low, smooth, false) > 0);
    smooth->arena[0] = 11;
    smooth->continuity = 1;
    assert_true(sw_genome_compare(low, smooth, true) < 0);
    low->above = 1; /* above the capacity is worse than any peak */
    assert_true(sw_genome_compare(low, smooth, false) > 0);
    sw_genome_unref(low);
    sw_genome_unref(smooth);
    sw_decoder_unref(decoder);
    sw_problem_unref(problem);
}

static void seeds_differ(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params one = {.seed = 1}, two = {.seed = 2};
    static const char *const planners[] = {"order-genetic", "random-order"};
    for (int i = 0; i < 2; i++) {
        struct sw_search *a = run(problem, planners[i], &one), *b = run(problem, planners[i], &one),
                         *c = run(problem, planners[i], &two);
        assert_true(sw_search_digest(a) == sw_search_digest(b));
        assert_true(sw_search_digest(a) != sw_search_digest(c));
        sw_search_free(a);
        sw_search_free(b);
        sw_search_free(c);
    }
    sw_problem_unref(problem);
}

/* ---- what decisions say ---- */

static void decodes_are_explained(void **state) {
    (void)state;
    struct sw_problem *problem = from_rows(example_2, ROWS, 0);
    struct sw_search *search = run(problem, "order-genetic", NULL);
    struct sw_explanation e = {0};
    assert_true(sw_search_explain(search, first_of(search, SW_DECISION_DECODE), &e, NULL));
    size_t placed = 0, refused = 0;
    for (size_t i = 0; i < e.candidates.count; i++) {
        const struct sw_candidate *c = &e.candidates.items[i];
        placed += c->verdict == SW_VERDICT_CHOSEN;
        refused += c->verdict == SW_VERDICT_REFUSED;
        assert_true(c->verdict != SW_VERDICT_REFUSED || strstr(c->reason, " short of "));
    }
    assert_int_equal(placed, ROWS);
    assert_int_equal(refused, 2);
    assert_string_equal(e.candidates.items[5].reason,
                        "b5 (6 B) refused at memory+1: 2 B short of the next live buffer b1");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void selections_are_explained(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = with("population", "8");
    struct sw_search *search = run(problem, "order-genetic", &params);
    struct sw_explanation e = {0};
    uint64_t at = first_of(search, SW_DECISION_SELECT);
    assert_true(sw_search_explain(search, at, &e, NULL));
    size_t stay = 0;
    assert_int_equal(e.candidates.count, 16);
    for (size_t i = 0; i < e.candidates.count; i++) {
        stay += e.candidates.items[i].verdict == SW_VERDICT_CHOSEN;
    }
    assert_int_equal(stay, sw_decision_amount(sw_search_journal(search, at)));
    assert_true(stay <= 8);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* ---- demands ---- */

static struct sw_override choose(uint32_t k) {
    return (struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = k};
}

static void windows_can_be_chosen(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_search *search = run(problem, "order-genetic", NULL);
    uint64_t at = first_of(search, SW_DECISION_CROSSOVER);
    struct sw_explanation e = {0};
    struct sw_error error = {0};
    assert_true(sw_search_explain(search, at, &e, NULL));
    uint32_t windows = (uint32_t)e.candidates.count;
    assert_int_equal(windows, ROWS - e.decision.size + 1);
    assert_true(sw_search_seek(search, at - 1, NULL));
    struct sw_override last = choose(windows - 1), none = choose(windows);
    assert_false(sw_search_force(search, &none, &error));
    assert_non_null(strstr(error.message, "does not exist"));
    assert_true(sw_search_force(search, &last, &error));
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    assert_int_equal(sw_search_decision(search)->offset, windows - 1);
    assert_true(sw_search_decision(search)->forced);
    /* Nothing else can be chosen: first fit follows from the order. */
    assert_true(sw_search_seek(search, 1, NULL));
    last = choose(0);
    assert_false(sw_search_force(search, &last, &error));
    assert_non_null(strstr(error.message, "first fit follows from the order"));
    run_out(search);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static uint64_t offset_of(const struct sw_search *search, uint32_t buffer) {
    struct sw_placement p;
    assert_true(sw_layout_placement(sw_search_layout(search), buffer, 0, &p));
    return p.offset;
}

/* A finished run goes on when a pin takes its answer away. */
static void pins_are_obeyed(void **state) {
    (void)state;
    static const char *const planners[] = {"order-genetic", "random-order"};
    struct sw_problem *problem = from_rows(example_2, ROWS, 0);
    for (int i = 0; i < 2; i++) {
        struct sw_search *search = run(problem, planners[i], NULL);
        struct sw_error error = {0};
        uint64_t known = sw_search_known(search);
        struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 5, .tier = 0, .offset = 40};
        if (!sw_search_force(search, &pin, &error)) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(offset_of(search, 5), 40);
        run_out(search);
        assert_int_equal(offset_of(search, 5), 40);
        assert_int_equal(peak_of(search), 46);
        assert_true(sw_search_known(search) > known);
        assert_int_equal(sw_decision_amount(sw_search_journal(search, sw_search_known(search))), 46);
        /* And one from the very beginning. */
        assert_true(sw_search_seek(search, 0, NULL));
        pin.offset = 2;
        assert_true(sw_search_force(search, &pin, &error));
        run_out(search);
        assert_int_equal(offset_of(search, 5), 2);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void forbidden_ranges_are_obeyed(void **state) {
    (void)state;
    static const char *const planners[] = {"order-genetic", "random-order"};
    struct sw_problem *problem = from_rows(example_2, ROWS, 0);
    for (int i = 0; i < 2; i++) {
        struct sw_search *search = open_search(problem, planners[i], NULL);
        struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .tier = 0, .lo = 0, .hi = 3};
        assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
        assert_true(sw_search_force(search, &forbid, NULL));
        run_out(search);
        for (uint32_t b = 0; b < ROWS; b++) {
            assert_true(offset_of(search, b) >= 3);
        }
        assert_int_equal(peak_of(search), 17);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* A run that a limit stopped answers with its best. */
static void limits_settle_on_the_best(void **state) {
    (void)state;
    static const char *const planners[] = {"order-genetic", "random-order"};
    struct sw_problem *problem = unreachable();
    for (int i = 0; i < 2; i++) {
        struct sw_search *search = open_search(problem, planners[i], NULL);
        uint64_t best = UINT64_MAX;
        for (int k = 0; k < 40; k++) {
            assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
            const struct sw_decision *d = sw_search_decision(search);
            bool decoded = d->kind == (i ? SW_DECISION_DECODE : SW_DECISION_SORT_BLOCKS);
            best = decoded && peak_of(search) < best ? peak_of(search) : best;
        }
        assert_true(sw_search_settle(search, NULL));
        assert_int_equal(peak_of(search), best);
        assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
        run_out(search);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* ---- operators from outside ---- */

static struct sw_genome seen_as(const struct sw_individual *one) {
    return (struct sw_genome){
        .count = one->count, .sequence = (struct sw_rank *)one->sequence, .reuse = (bool *)one->reuse};
}

/* The planner's own ones, told from outside. */
static bool own_seed(void *context, const struct sw_breeding_scene *scene, struct sw_rank *order, bool *given,
                     const char **why, struct sw_error *error) {
    (void)context, (void)error;
    sw_genome_shuffle(order, sw_problem_planned_count(scene->problem), scene->random);
    *given = true;
    *why = "a random order, different from those before";
    return true;
}

static bool own_cross(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *first,
                      const struct sw_individual *second, struct sw_rank *order, struct sw_crossing *told,
                      struct sw_error *error) {
    (void)context, (void)error;
    bool taken[256];
    struct sw_genome a = seen_as(first);
    uint32_t length =
        scene->window_min + (uint32_t)sw_random_below(scene->random, scene->window_max - scene->window_min + 1);
    struct sw_window window = sw_genome_window(&a, length, scene->random);
    sw_genome_cross(first->sequence, second->sequence, first->count, &window, taken, order);
    *told = (struct sw_crossing){window.at, window.length,
                                 window.equals > 1 ? "one of the most continuous windows, the rest in the other's order"
                                                   : "the most continuous window, the rest in the other's order"};
    return true;
}

static bool own_mutate(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *one,
                       struct sw_exchange *told, struct sw_error *error) {
    (void)context, (void)error;
    told->a = (uint32_t)sw_random_below(scene->random, one->count);
    told->b = (uint32_t)sw_random_below(scene->random, one->count - 1);
    told->b += told->b >= told->a;
    told->again = (double)sw_random_below(scene->random, 10) < scene->swap * 10;
    told->why = scene->swaps ? "two more random positions, as happens with the probability `swap`"
                             : "two random positions, as a further adjustment";
    return true;
}

static bool own_fitness(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *one,
                        double *figures, uint32_t *count, struct sw_error *error) {
    (void)context, (void)scene, (void)error;
    figures[0] = (double)one->above;
    figures[1] = (double)one->peak;
    figures[2] = -(double)one->continuity;
    *count = 3;
    return true;
}

static uint64_t digest_with(const struct sw_problem *problem, const struct sw_breeding *breeding, char *texts,
                            size_t size) {
    struct sw_params params = {.seed = 7, .breeding = breeding};
    assert_true(sw_params_set(&params, "generations", "3", NULL));
    struct sw_search *search = sw_search_new(problem, sw_planner_find("order-genetic", NULL), &params, NULL);
    size_t used = 0;
    while (sw_search_step(search, NULL) == SW_STEP_MORE) {
        if (used + 400 < size) {
            used += (size_t)sw_decision_describe(problem, sw_search_decision(search), texts + used, size - used);
        }
    }
    uint64_t digest = sw_search_digest(search);
    sw_params_done(&params);
    sw_search_free(search);
    return digest;
}

static void operators_from_outside(void **state) {
    (void)state;
    static char plain[200000], told[200000];
    static const struct row rows[] = {{0, 4, 30}, {1, 6, 20}, {2, 3, 50}, {5, 9, 40}, {4, 8, 10},
                                      {7, 9, 60}, {3, 7, 25}, {0, 2, 15}, {6, 8, 35}};
    struct sw_problem *problem = from_rows(rows, sizeof rows / sizeof *rows, 0);
    struct sw_breeding breeding = {.name = "own",
                                   .peak_first = true,
                                   .seed = own_seed,
                                   .cross = own_cross,
                                   .mutate = own_mutate,
                                   .fitness = own_fitness};
    uint64_t digest = digest_with(problem, NULL, plain, sizeof plain);
    assert_true(digest_with(problem, &breeding, told, sizeof told) == digest);
    assert_string_equal(plain, told);
    struct sw_breeding one = {.name = "own", .mutate = own_mutate};
    assert_true(digest_with(problem, &one, told, sizeof told) == digest);
    sw_problem_unref(problem);
}

static bool twice_the_first(void *context, const struct sw_breeding_scene *scene, struct sw_rank *order, bool *given,
                            const char **why, struct sw_error *error) {
    (void)scene, (void)why, (void)error;
    for (uint32_t i = 0; i < 9; i++) {
        order[i].at = i;
    }
    order[0].at = context ? 1 : 0;
    *given = true;
    return true;
}

static bool no_exchange(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *one,
                        struct sw_exchange *told, struct sw_error *error) {
    (void)context, (void)scene, (void)one, (void)error;
    *told = (struct sw_exchange){.a = 3, .b = 3};
    return true;
}

/* Answers that are none end the run in words, and leave the state as it was. */
static void operators_are_checked(void **state) {
    (void)state;
    static const struct row rows[] = {{0, 4, 30}, {1, 6, 20}, {2, 3, 50}, {5, 9, 40}, {4, 8, 10},
                                      {7, 9, 60}, {3, 7, 25}, {0, 2, 15}, {6, 8, 35}};
    const struct {
        struct sw_breeding breeding;
        const char *message;
    } wrong[] = {
        {{.name = "w", .seed = twice_the_first, .fitness = own_fitness, .context = (void *)rows},
         "seed_population of w: place 2 has a buffer that came before"},
        {{.name = "w", .seed = twice_the_first, .fitness = own_fitness},
         "seed_population of w gives orders that are there already, 1000 times in a row"},
        {{.name = "w", .mutate = no_exchange, .fitness = own_fitness},
         "mutate of w: it gives two different places from 1 to 9"},
    };
    struct sw_problem *problem = from_rows(rows, sizeof rows / sizeof *rows, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sw_error error = {0};
        struct sw_params params = {.seed = 7, .breeding = &wrong[i].breeding};
        struct sw_search *search = sw_search_new(problem, sw_planner_find("order-genetic", NULL), &params, NULL);
        enum sw_step step = SW_STEP_MORE;
        while (step == SW_STEP_MORE) {
            step = sw_search_step(search, &error);
        }
        assert_int_equal(step, SW_STEP_FAILED);
        assert_string_equal(error.message, wrong[i].message);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_1_conflicts),
        cmocka_unit_test(example_1_clique),
        cmocka_unit_test(a_clique_outweighs_every_step),
        cmocka_unit_test(example_2_decoded),
        cmocka_unit_test(example_2_evolved),
        cmocka_unit_test(sizes_are_rounded_up),
        cmocka_unit_test(the_end_comes_as_told),
        cmocka_unit_test(a_continuity_ends_it),
        cmocka_unit_test(breeding_has_parameters),
        cmocka_unit_test(no_choice_without_a_crossover),
        cmocka_unit_test(seeds_come_first),
        cmocka_unit_test(work_ends_it),
        cmocka_unit_test(few_buffers),
        cmocka_unit_test(orders_are_different),
        cmocka_unit_test(fitness_decides),
        cmocka_unit_test(fitness_is_in_that_order),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(decodes_are_explained),
        cmocka_unit_test(selections_are_explained),
        cmocka_unit_test(windows_can_be_chosen),
        cmocka_unit_test(pins_are_obeyed),
        cmocka_unit_test(forbidden_ranges_are_obeyed),
        cmocka_unit_test(limits_settle_on_the_best),
        cmocka_unit_test(operators_from_outside),
        cmocka_unit_test(operators_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
