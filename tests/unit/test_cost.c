/* What a layout costs: the rule, its parts, transfers, cost models, the bound. */
#include "unit.h"

#include <math.h>
#include <string.h>

/* Two tiers, two operators: op0 reads x and writes y, op1 reads x and y twice and writes z. */
static struct sw_problem *make_problem(void) {
    struct sw_builder *builder = sw_builder_new(NULL);
    const char *in0[] = {"x"}, *in1[] = {"x", "y", "y"}, *out0[] = {"y"}, *out1[] = {"z"};
    const struct sw_tier tiers[] = {{"fast", 64, 16, 1, 0}, {"slow", 1024, 4, 10, 0.5}};
    const struct sw_operator_spec operators[] = {
        {.name = "op0", .inputs = in0, .outputs = out0, .input_count = 1, .output_count = 1},
        {.name = "op1", .inputs = in1, .outputs = out1, .input_count = 3, .output_count = 1}};
    const struct sw_buffer_spec buffers[] = {{.name = "x", .kind = SW_KIND_INPUT, .has_size = true, .size = 32},
                                             {.name = "y", .kind = SW_KIND_INTERMEDIATE, .has_size = true, .size = 64},
                                             {.name = "z", .kind = SW_KIND_OUTPUT, .has_size = true, .size = 128}};
    for (int i = 0; i < 2; i++) {
        assert_true(sw_builder_tier(builder, &tiers[i], NULL));
        assert_true(sw_builder_operator(builder, &operators[i], NULL));
    }
    for (int i = 0; i < 3; i++) {
        assert_true(sw_builder_buffer(builder, &buffers[i], NULL));
    }
    return must_finish(builder);
}

static double cost_of(const struct sw_layout *layout, const struct sw_cost_model *model) {
    double cost = -1;
    struct sw_error error = {0};
    if (!sw_cost_of_layout(layout, model, &cost, &error)) {
        fail_msg("%s", error.message);
    }
    return cost;
}

static void test_access(void **state) {
    struct sw_problem *problem = make_problem();
    (void)state;
    assert_true(sw_cost_of_access(problem, 0, 32) == 3);
    assert_true(sw_cost_of_access(problem, 1, 32) == 27); /* (10 + 8) x 1.5 */
    assert_true(sw_cost_of_access(problem, 0, 0) == 1);
    sw_problem_unref(problem);
    struct sw_problem *plain = plain_problem((const int64_t[][3]){{0, 1, 100}}, 1);
    assert_true(sw_cost_of_access(plain, 0, 100) == 0); /* neither latency nor bandwidth */
    sw_problem_unref(plain);
}

/* x fast: read twice; y slow: written once, read twice; z not placed, then slow. */
static void test_layout(void **state) {
    struct sw_problem *problem = make_problem();
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    double by_step[2], by_tier[SW_MAX_TIERS], one;
    (void)state;
    assert_true(cost_of(layout, NULL) == 0);
    assert_true(sw_layout_place(layout, 0, 0, 0) && sw_layout_place(layout, 1, 1, 0));
    assert_true(cost_of(layout, NULL) == 2 * 3 + 3 * 39);
    assert_true(sw_layout_place(layout, 2, 1, 64));
    assert_true(cost_of(layout, NULL) == 2 * 3 + 3 * 39 + 63);
    assert_true(sw_cost_by_step(layout, NULL, by_step, by_tier, NULL));
    assert_true(by_step[0] == 3 + 39 && by_step[1] == 3 + 2 * 39 + 63);
    assert_true(by_tier[0] == 6 && by_tier[1] == 3 * 39 + 63 && by_tier[2] == 0);
    assert_true(sw_cost_by_step(layout, NULL, NULL, NULL, NULL));
    double grid[2][2] = {{-1, -1}, {-1, -1}};
    assert_true(sw_cost_by_step_and_tier(layout, NULL, grid[0], NULL, NULL));
    assert_true(grid[0][0] == 3 && grid[0][1] == 39);
    assert_true(grid[1][0] == 3 && grid[1][1] == 2 * 39 + 63);
    struct sw_placement at = {1, 0, 0, {1, 1}}; /* y, fast, at step 1 only */
    assert_true(sw_cost_of_placement(problem, &at, NULL, &one, NULL) && one == 2 * 5);
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

/* y is written slow, moved before step 1, and read fast: a read at its source, a write at its
 * target. */
static void test_transfer(void **state) {
    struct sw_problem *problem = make_problem();
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    double by_step[2], by_tier[SW_MAX_TIERS];
    (void)state;
    assert_true(sw_layout_place_span(layout, &(struct sw_placement){1, 1, 0, {0, 0}}));
    assert_true(sw_layout_place_span(layout, &(struct sw_placement){1, 0, 0, {1, 1}}));
    assert_true(sw_layout_transfer(layout, &(struct sw_transfer){1, 1, 1, 0}));
    assert_true(cost_of(layout, NULL) == 39 + 2 * 5 + 39 + 5);
    assert_true(sw_cost_by_step(layout, NULL, by_step, by_tier, NULL));
    assert_true(by_step[0] == 39 && by_step[1] == 2 * 5 + 39 + 5);
    assert_true(by_tier[0] == 3 * 5 && by_tier[1] == 2 * 39);
    double grid[2][2];
    double total = -1;
    assert_true(sw_cost_by_step_and_tier(layout, NULL, grid[0], &total, NULL));
    assert_true(total == cost_of(layout, NULL));
    assert_true(grid[0][0] == 0 && grid[0][1] == 39);
    assert_true(grid[1][0] == 3 * 5 && grid[1][1] == 39);
    assert_true(grid[0][0] + grid[0][1] + grid[1][0] + grid[1][1] == cost_of(layout, NULL));
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

/* ---- models ---- */

struct seen {
    uint32_t calls, wrong;
    double price;
};

/* The step times the price, whatever the tier. */
static bool by_time(void *context, const struct sw_problem *problem, uint32_t buffer, uint32_t step, uint32_t tier,
                    uint64_t bytes, double *cost, struct sw_error *error) {
    struct seen *seen = context;
    seen->calls++;
    seen->wrong += bytes != sw_problem_buffer(problem, buffer)->size || tier > 1;
    *cost = (step + 1) * seen->price;
    return seen->calls < 100 || sw_fail(error, SW_ERROR_USAGE, "called too often");
}

static bool by_count(void *context, const struct sw_layout *layout, double *cost, struct sw_error *error) {
    struct seen *seen = context;
    seen->calls++;
    *cost = sw_layout_placed_count(layout) * seen->price;
    return seen->price > 0 || sw_fail(error, SW_ERROR_USAGE, "the price must be above 0");
}

static void test_models(void **state) {
    struct sw_problem *problem = make_problem();
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    struct seen seen = {.price = 2};
    struct sw_cost_model access = {.name = "time", .context = &seen, .access = by_time};
    struct sw_cost_model whole = {.name = "count", .context = &seen, .whole = by_count};
    struct sw_error error = {0};
    double cost = -1, by_step[2], bound;
    (void)state;
    assert_true(sw_layout_place(layout, 0, 0, 0) && sw_layout_place(layout, 1, 1, 0));
    assert_true(cost_of(layout, &access) == 2 * 2 + 3 * 4); /* steps 0, 0 and 1, 1, 1 */
    assert_int_equal(seen.calls, 5);
    assert_int_equal(seen.wrong, 0);
    assert_true(sw_cost_bound(problem, &access, &bound, NULL) && bound == 2 * 2 + 4 * 4);
    assert_true(cost_of(layout, &whole) == 4);
    assert_true(sw_cost_bound(problem, &whole, &bound, NULL) && isnan(bound));
    assert_true(sw_cost_by_step(layout, &whole, by_step, NULL, NULL)); /* by the built-in rule */
    assert_true(by_step[0] == 3 + 39);
    seen.price = 0;
    assert_false(sw_cost_of_layout(layout, &whole, &cost, &error));
    assert_string_equal(error.message, "the price must be above 0");
    seen.calls = 99;
    assert_false(sw_cost_of_layout(layout, &access, &cost, &error));
    assert_string_equal(error.message, "called too often");
    seen.calls = 0;
    seen.price = (double)INFINITY;
    assert_false(sw_cost_of_layout(layout, &access, &cost, &error));
    assert_string_equal(error.message, "the cost model time gives a cost that is not a finite number");
    assert_false(sw_cost_of_layout(layout, &whole, &cost, &error));
    assert_true(cost == -1); /* left untouched */
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

/* x and y could both be fast, each alone; z is too large for it. */
static void test_bound(void **state) {
    struct sw_problem *problem = make_problem();
    double bound;
    (void)state;
    assert_true(sw_cost_bound(problem, NULL, &bound, NULL));
    assert_true(bound == 2 * 3 + 3 * 5 + 63);
    sw_problem_unref(problem);
}

/* A tier that is given or not allowed counts; the fastest need not be the highest. */
static void test_bound_tiers(void **state) {
    struct sw_builder *builder = sw_builder_new(NULL);
    const char *both[] = {"a", "c"};
    const int64_t accesses[] = {0, 1, 1};
    double bound;
    (void)state;
    const struct sw_tier tiers[] = {{"a", 100, 1, 0, 0}, {"b", 100, 8, 0, 0}, {"c", 100, 2, 0, 0}};
    for (int i = 0; i < 3; i++) {
        assert_true(sw_builder_tier(builder, &tiers[i], NULL));
    }
    struct sw_buffer_spec spec = {.name = "anywhere",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = 8,
                                  .has_first = true,
                                  .has_last = true,
                                  .last = 1,
                                  .accesses = accesses,
                                  .access_count = 3,
                                  .has_accesses = true};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    spec.name = "given";
    spec.tier = "c";
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    spec.name = "allowed";
    spec.tier = NULL;
    spec.tiers = both;
    spec.tier_count = 2;
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    spec.name = "nowhere"; /* too large for each: no layout, and no claim */
    spec.size = 101;
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    struct sw_problem *problem = must_finish(builder);
    assert_true(sw_cost_bound(problem, NULL, &bound, NULL));
    assert_true(bound == 3 * 1 + 3 * 4 + 3 * 4);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access), cmocka_unit_test(test_layout), cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_models), cmocka_unit_test(test_bound),  cmocka_unit_test(test_bound_tiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
