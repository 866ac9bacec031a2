/* ONNX models with their nodes in another order: where each goes, what stays together, what is refused. */
#include "unit/formats.h"
#include "unit/onnx.h"
#include "unit/onnx_checks.h"

/* The model is written in the order of these operators, by number, and must be read with them in that order. `because`:
 * it is refused with this. */
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
    put_in_order("input x float 2x3\nReshape x,s -> a\nints s 3,2\nNeg x -> lost\nExp x -> b\nReshape b,s -> c\nAdd "
                 "a,c -> y\noutput y\n",
                 "1023", NULL);
    /* The shape that the second Reshape takes is computed from a value that stands before. */
    put_in_order("input x float 2x3\nExp x -> a\nShape a -> s\nReshape x,s -> b\nAdd a,b -> y\noutput y\n", "012",
                 NULL);
    put_in_order("input x float 2x3\nExp x -> a\nShape a -> s\nReshape x,s -> b\nAdd a,b -> y\noutput y\n", "102",
                 "the order has b before what s is computed from");
}

/* Sequences are no buffers, and yet they tie; so do branches that are never taken, and names are told whole. */
#define LONG "a_name_of_seventy_characters_which_is_longer_than_any_quote_of_a_text_"
static void test_hidden(void **state) {
    (void)state;
    static const char sequence[] = "input x float 4\nint i 0\nRelu x -> a\nSequenceConstruct a -> q\nSequenceAt q,i -> "
                                   "b\nExp x -> c\nAdd b,c -> y\noutput y\n";
    struct sw_problem *problem = load(sequence);
    assert_int_equal(sw_problem_operator(problem, 2)->after_count, 1);
    assert_int_equal(sw_problem_operator(problem, 2)->after[0], 1);
    assert_int_equal(sw_problem_operator(problem, 1)->after_count, 0); /* a buffer says so */
    sw_problem_unref(problem);
    put_in_order(sequence, "30124", NULL);
    put_in_order(sequence, "30214", "the order has b before what q is computed from");
    put_in_order("input x float 2x3\nExp x -> " LONG "1\nShape " LONG "1 -> s\nReshape x,s -> b\nAdd " LONG
                 "1,b -> y\noutput y\n",
                 "102", "the order has b before what s is computed from");
    static const char never[] =
        "input x float 4\nints i0 1\nints i1 2\nints none\nLess i0,i1 -> w\nReshape w,none -> yes\nExp x -> " LONG "1\n"
        "graph then\nRelu x -> t1\noutput t1\nend\ngraph else\nNeg " LONG "1 -> e1\noutput e1\nend\n"
        "If yes -> " LONG "2 then_branch=@then else_branch=@else\nAdd " LONG "1," LONG "2 -> y\noutput y\n";
    problem = load(never);
    assert_int_equal(sw_problem_operator(problem, 1)->after_count, 1);
    sw_problem_unref(problem);
    put_in_order(never, "102", "the order has " LONG "2 before what " LONG "1 is computed from");
}

#define BRANCHES                                                                                                \
    "input x float 4\ninput c bool -\nSigmoid x -> s\ngraph then\nRelu x -> t1\nExp t1 -> t2\noutput t2\nend\n" \
    "graph else\nNeg s -> e1\noutput e1\nend\nTanh x -> u\nIf c -> z then_branch=@then else_branch=@else\n"     \
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
    put_in_order(BRANCHES, "0213456", "the order takes apart z: its operators stay together, one after the other");
    put_in_order(BRANCHES, "1234506", "the order has z before what s is computed from"); /* a branch reads it */
    put_in_order("input x float 4\nfunction Double p -> q\nAdd p,p -> r\nExp r -> q\nend\nRelu x -> a\nown/Double x -> "
                 "b\nAdd a,b -> y\noutput y\n",
                 "1203", NULL);
}

/* The operators in the order of ONNX Runtime, with values given to inputs: their kinds. */
static void run_order(const char *text, const char *order, const char *value, const char *kinds) {
    struct sw_params values = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct sw_load_options options = {.inplace_safe = true, .order = order, .values = value ? &values : NULL};
    char got[200] = "";
    assert_true(!value || sw_params_set(&values, "sr", value, &error));
    onnx_bytes model = onnx_encode(text);
    struct sw_input input = text_input(model.items, model.count);
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    if (!problem) {
        fail_msg("%s\n%s", error.message, text);
    }
    for (uint32_t i = 0; i < sw_problem_operator_count(problem); i++) {
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%s", i ? " " : "", sw_problem_operator(problem, i)->kind);
    }
    assert_string_equal(got, kinds);
    sw_problem_unref(problem);
    sw_params_done(&values);
    SW_ARRAY_DONE(&model);
}

/* A name that a body defines is its own, though a node of the graph makes one of that name, too: later, or before. */
static void test_shadows(void **state) {
    (void)state;
    static const char *const models[] = {
        "input x float 4\ninput c bool -\ngraph t\nRelu x -> y\noutput y\nend\ngraph e\nSigmoid x -> z\noutput z\nend\n"
        "If c -> r then_branch=@t else_branch=@e\nTanh x -> y\nAdd r,y -> o\noutput o\n",
        /* deeper */
        "input x float 4\ninput c bool -\ngraph t2\nRelu x -> y\noutput y\nend\ngraph e2\nSigmoid x -> z\noutput "
        "z\nend\n"
        "graph t\nIf c -> u then_branch=@t2 else_branch=@e2\noutput u\nend\ngraph e\nExp x -> v\noutput v\nend\n"
        "If c -> r then_branch=@t else_branch=@e\nTanh x -> y\nAdd r,y -> o\noutput o\n",
        /* an input, and what goes from turn to turn */
        "input x float 4\nint m 3\ninput c bool -\ngraph b\ninput i int64 -\ninput d bool -\ninput s float 4\nRelu s "
        "-> n\nIdentity d -> k\n"
        "output k\noutput n\nend\nLoop m,c,x -> r body=@b\nTanh x -> s\nAdd r,s -> o\noutput o\n",
        /* an initializer */
        "input x float 4\ninput c bool -\ngraph t\nweight w float 4\nAdd x,w -> p\noutput p\nend\ngraph e\nSigmoid x "
        "-> z\noutput z\nend\n"
        "If c -> r then_branch=@t else_branch=@e\nTanh x -> w\nAdd r,w -> o\noutput o\n",
        /* in a function that is called */
        "input x float 4\nfunction F u -> w\nRelu u -> y\nExp y -> w\nend\nown/F x -> r\nTanh x -> y\nAdd r,y -> "
        "o\noutput o\n",
    };
    for (size_t i = 0; i < COUNT(models); i++) {
        struct sw_problem *problem = load(models[i]);
        uint32_t count = sw_problem_operator_count(problem);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(sw_problem_operator(problem, k)->after_count, 0);
        }
        assert_string_equal(sw_problem_operator(problem, count - 2)->kind, "Tanh");
        char numbers[16] = ""; /* what is no edge ties nothing: the last but one first */
        numbers[0] = (char)('0' + count - 2);
        for (uint32_t k = 0; k < count - 2; k++) {
            numbers[k + 1] = (char)('0' + k);
        }
        numbers[count - 1] = (char)('0' + count - 1);
        sw_problem_unref(problem);
        put_in_order(models[i], numbers, NULL);
    }
    run_order(models[0], "onnxruntime", NULL, "Tanh Relu Sigmoid If Add");
    run_order(models[0], "onnxruntime-priority", NULL, "Relu Sigmoid If Tanh Add");
}

/* What follows from a value that is given holds for a runtime's order, too. */
static void test_values(void **state) {
    (void)state;
    static const char text[] =
        "input x float 4\ninput sr int64 -\nint k 16000\nEqual sr,k -> c\ngraph t\nRelu x -> p\noutput p\nend\n"
        "graph e\nExp x -> q\nNeg q -> r\noutput r\nend\nIf c -> y then_branch=@t else_branch=@e\nAbs x -> z\n"
        "Add y,z -> o\noutput o\n";
    run_order(text, "onnxruntime", "16000", "Abs Equal Relu If Add");
    run_order(text, "onnxruntime", "8000", "Abs Equal Exp Neg If Add");
    run_order(text, "onnxruntime", NULL, "Abs Equal Relu Exp Neg If Add");
    run_order(text, "onnxruntime-priority", "8000", "Equal Exp Neg If Abs Add");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators), cmocka_unit_test(test_others),  cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_bodies),    cmocka_unit_test(test_shadows), cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
