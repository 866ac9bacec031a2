/* Online allocators as planners: what stepping adds to their heaps. */
#include "unit.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A graph of which some operators can write in place, and others only say so. */
static struct sw_problem *graph(void) {
    static const struct {
        const char *name, *kind, *inputs[2], *output;
        bool inplace;
    } operators[] = {{"o1", "MUL", {"x", "w"}, "a", false},
                     {"o2", "relu", {"a", NULL}, "b", true},
                     {"o3", "conv", {"b", NULL}, "c", true}, /* ggml does no convolution in place */
                     {"o4", "add", {"c", "b"}, "d", true},
                     {"o5", "scale", {"d", NULL}, "e", true},
                     {"o6", "soft_max", {"e", NULL}, "y", false}}; /* the graph does not permit it */
    static const char *const buffers[] = {"x", "w", "a", "b", "c", "d", "e", "y"};
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    for (size_t i = 0; i < COUNT(buffers); i++) {
        struct sw_buffer_spec spec = {.name = buffers[i],
                                      .kind = i < 2 ? SW_KIND_INPUT : i + 1 == COUNT(buffers) ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = i == 1 ? 100 : 1000};
        assert_true(sw_builder_buffer(builder, &spec, &error));
    }
    for (size_t i = 0; i < COUNT(operators); i++) {
        struct sw_operator_spec spec = {.name = operators[i].name,
                                        .kind = operators[i].kind,
                                        .inplace = operators[i].inplace ? SW_INPLACE_ANY : SW_INPLACE_NO,
                                        .inputs = operators[i].inputs,
                                        .input_count = operators[i].inputs[1] ? 2 : 1,
                                        .outputs = &operators[i].output,
                                        .output_count = 1};
        assert_true(sw_builder_operator(builder, &spec, &error));
    }
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    assert_non_null(problem);
    sw_builder_free(builder);
    return problem;
}

static uint64_t offset(const struct sw_search *search, const char *name) {
    struct sw_placement at;
    uint32_t buffer = sw_problem_find_buffer(sw_search_problem(search), name);
    assert_true(sw_layout_placement(sw_search_layout(search), buffer, 0, &at));
    return at.offset;
}

/* By hand, from the rules in ggml_order.c: x at 0, w behind it, a behind that; then x and w are free. */
static void a_graph_in_ggml_s_order(void **state) {
    (void)state;
    struct sw_problem *problem = graph();
    struct sw_error error = {0};
    size_t faults;
    struct sw_search *search = sw_search_new(problem, sw_planner_find("ggml-dyn", &error), NULL, &error);
    assert_non_null(search);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_DONE);
    assert_int_equal(offset(search, "x"), 0);
    assert_int_equal(offset(search, "w"), 1024);
    assert_int_equal(offset(search, "a"), 1152);
    assert_int_equal(offset(search, "b"), 1152); /* over a */
    assert_int_equal(offset(search, "c"), 0);    /* where x and w were */
    assert_int_equal(offset(search, "d"), 0);    /* over c */
    assert_int_equal(offset(search, "e"), 0);    /* over d */
    assert_int_equal(offset(search, "y"), 1024); /* what was free of w, with b's, which is the open end now */
    assert_int_equal(sw_layout_arena(sw_search_layout(search), 0), 2176);
    assert_true(sw_layout_check(sw_search_layout(search), &faults, NULL, NULL));
    assert_int_equal(faults, 0);
    unsigned overs = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_TAKE_OVER && overs++ == 0) {
            char text[200];
            sw_decision_describe(problem, d, text, sizeof text);
            assert_string_equal(text, "puts b (1,024 B) over a at memory+1152: in place, over an argument that is used here for "
                                      "the last time");
        }
        assert_true(d->live <= sw_problem_naive(problem));
    }
    assert_int_equal(overs, 3);
    assert_true(sw_search_seek(search, 0, &error)); /* and back, and there again */
    assert_true(sw_search_seek(search, sw_search_known(search), &error));
    assert_int_equal(offset(search, "y"), 1024);
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_graph_in_ggml_s_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
