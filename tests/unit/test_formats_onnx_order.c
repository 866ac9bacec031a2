/* ONNX models with their nodes in another order: where each goes, what stays together, what is refused. */
#include "unit/formats.h"
#include "unit/onnx.h"
#include "unit/onnx_checks.h"

/* The model is written in the order of these operators, by number, and must be read with them in that order. `because`: it is
 * refused with this. */
static void put_in_order(const char *text, const char *numbers, const char *because) {
    uint32_t order[16], count = 0;
    struct sw_load_options options = {.inplace_safe = true};
    struct sw_error error = {0};
    struct sw_sink out = {0};
    onnx_bytes model = onnx_encode(text);
    struct sw_input input = text_input(model.items, model.count);
    struct sw_problem *problem = load(text);
    for (const char *at = numbers; *at; at++) {
        order[count++] = (uint32_t)(*at - '0');
    }
    bool written = sw_format_onnx.write_order(&input, &options, order, count, &out, &error);
    if (because) {
        assert_false(written);
        assert_string_equal(error.message, because);
        assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    } else {
        struct sw_input copy = text_input(out.text.items, out.text.count);
        struct sw_problem *other = written ? sw_load_input(&copy, &options, &error) : NULL;
        if (!other) {
            fail_msg("%s\n%s", error.message, text);
        }
        assert_int_equal(out.text.count, model.count);
        assert_int_equal(sw_problem_operator_count(other), count);
        for (uint32_t i = 0; i < count; i++) {
            assert_string_equal(sw_problem_operator(other, i)->kind, sw_problem_operator(problem, order[i])->kind);
        }
        sw_problem_unref(other);
    }
    sw_problem_unref(problem);
    sw_sink_done(&out);
    SW_ARRAY_DONE(&model);
}

#define TWO "input x float 4\nRelu x -> a\nExp x -> b\nAdd a,b -> y\noutput y\n"

static void test_operators(void **state) {
    (void)state;
    put_in_order(TWO, "012", NULL);
    put_in_order(TWO, "102", NULL);
    put_in_order(TWO, "10", "its operators are not those that were put in order");
}

/* What is known before the run, and what no output depends on, is in the file as well. */
static void test_others(void **state) {
    (void)state;
    put_in_order("input x float 2x3\nReshape x,s -> a\nints s 3,2\nNeg x -> lost\nExp x -> b\nReshape b,s -> c\nAdd a,c -> y\noutput y\n",
        "1023", NULL);
    /* The shape that the second Reshape takes is computed from a value that stands before. */
    put_in_order("input x float 2x3\nExp x -> a\nShape a -> s\nReshape x,s -> b\nAdd a,b -> y\noutput y\n", "012", NULL);
    put_in_order("input x float 2x3\nExp x -> a\nShape a -> s\nReshape x,s -> b\nAdd a,b -> y\noutput y\n", "102",
        "the order has b before what s is computed from");
}

#define BRANCHES                                                                                                                          \
    "input x float 4\ninput c bool -\nSigmoid x -> s\ngraph then\nRelu x -> t1\nExp t1 -> t2\noutput t2\nend\n"                           \
    "graph else\nNeg s -> e1\noutput e1\nend\nTanh x -> u\nIf c -> z then_branch=@then else_branch=@else\n"                               \
    "Add u,z -> y\noutput y\n"

static void test_bodies(void **state) {
    (void)state;
    struct sw_problem *problem = load(BRANCHES);
    static const char *const kinds[] = {"Sigmoid", "Tanh", "Relu", "Exp", "Neg", "If", "Add"};
    for (uint32_t i = 0; i < 7; i++) {
        assert_string_equal(sw_problem_operator(problem, i)->kind, kinds[i]);
    }
    sw_problem_unref(problem);
    put_in_order(BRANCHES, "0234516", NULL);
    put_in_order(BRANCHES, "1023456", NULL);
    put_in_order(BRANCHES, "0213456", "the order takes apart z, whose operators stay together, one after the other");
    put_in_order(BRANCHES, "1234506", "the order has z before what s is computed from"); /* a branch reads it */
    put_in_order("input x float 4\nfunction Double p -> q\nAdd p,p -> r\nExp r -> q\nend\nRelu x -> a\nown/Double x -> b\nAdd a,b -> y\noutput y\n",
        "1203", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
