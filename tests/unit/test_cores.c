/* Operators on several cores: which buffers are in conflict, and the clique of buffers in conflict that bounds the peak
 * where no single step does. */
#include "planners/orders/decode.h"
#include "unit/planners.h"

static void add_on_core(struct sw_builder *builder, const char *name, const char *core, const char *const *inputs,
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

/* Example 1 of the specification. */
static struct sw_problem *two_cores(void) {
    static const struct {
        const char *name;
        uint64_t size;
    } buffers[] = {{"D0", 8}, {"D00", 4}, {"D01", 4}, {"D10", 4}, {"D11", 4}, {"D20", 1}, {"D21", 1}, {"D2", 2}};
    struct sw_builder *builder = sw_builder_new(NULL);
    add_on_core(builder, "split", "A", LIST("D0"), LIST("D00", "D01"), NULL);
    add_on_core(builder, "conv_a", "A", LIST("D00"), LIST("D10"), NULL);
    add_on_core(builder, "conv_b", "B", LIST("D01"), LIST("D11"), "split");
    add_on_core(builder, "pool_a", "A", LIST("D10"), LIST("D20"), NULL);
    add_on_core(builder, "pool_b", "B", LIST("D11"), LIST("D21"), NULL);
    add_on_core(builder, "concat", "A", LIST("D20", "D21"), LIST("D2"), "pool_b");
    for (size_t i = 0; i < 8; i++) {
        add_buffer(builder, buffers[i].name,
                   i == 0   ? SW_KIND_INPUT
                   : i == 7 ? SW_KIND_OUTPUT
                            : SW_KIND_INTERMEDIATE,
                   buffers[i].size);
    }
    return must_finish(builder);
}

static bool in_conflict(const struct sw_problem *problem, const char *a, const char *b) {
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
            pairs += in_conflict(problem, names[a], names[b]);
        }
        for (int i = 0; i < 5; i++) {
            d00 |= strcmp(names[a], with_d00[i]) == 0;
        }
        assert_int_equal(in_conflict(problem, "D00", names[a]), d00);
        assert_int_equal(in_conflict(problem, "D2", names[a]), a == 5 || a == 6);
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
    struct sw_decoder *decoder = sw_decoder_new(&stage);
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

    struct sw_search *search = run(problem, "order-genetic");
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
    assert_int_equal(peak(search), 16);
    assert_int_equal(detail_of(search, "conflicts"), 17);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Two cores that never wait for each other: what both hold is never alive at one step of the list. */
static void a_clique_outweighs_every_step(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    static const char *const names[] = {"a0", "a1", "b0", "b1"};
    add_on_core(builder, "a_make", "A", LIST(NULL), LIST("a0"), NULL);
    add_on_core(builder, "a_use", "A", LIST("a0"), LIST("a1"), NULL);
    add_on_core(builder, "b_make", "B", LIST(NULL), LIST("b0"), NULL);
    add_on_core(builder, "b_use", "B", LIST("b0"), LIST("b1"), NULL);
    for (size_t i = 0; i < 4; i++) {
        add_buffer(builder, names[i], SW_KIND_INTERMEDIATE, i % 2 ? 3 : 10);
    }
    struct sw_problem *problem = must_finish(builder);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_1_conflicts),
        cmocka_unit_test(example_1_clique),
        cmocka_unit_test(a_clique_outweighs_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
