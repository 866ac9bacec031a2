/* Changed TensorFlow Lite models as C++ source: names that compilers accept, and methods that TensorFlow Lite Micro
 * has. */
#include "formats/tflite/tflite_model.h"
#include "unit/nets.h"

static void write_source(struct sw_sink *sink, const struct net *net, const char *source, bool header) {
    struct flat flat;
    struct sw_error error = {0};
    write_net(&flat, net);
    const struct tflite_fitted fitted = {.source = source,
                                         .bytes = (const char *)flat.bytes,
                                         .length = flat.count,
                                         .head = 1,
                                         .arena = 2,
                                         .header = header};
    *sink = (struct sw_sink){0};
    if (!sw_tflite_fit_source(sink, &fitted, &error)) {
        fail_msg("%s", error.message);
    }
    sw_sink_add(sink, "", 1);
}

/* The methods of tflite::MicroMutableOpResolver, as its header has them. */
static void resolver(void **state) {
    (void)state;
    static const struct {
        int code;
        const char *method;
    } made[] = {{0, "AddAdd"},
                {1, "AddAveragePool2D"},
                {2, "AddConcatenation"},
                {3, "AddConv2D"},
                {4, "AddDepthwiseConv2D"},
                {9, "AddFullyConnected"},
                {12, "AddL2Pool2D"},
                {17, "AddMaxPool2D"},
                {21, "AddRelu6"},
                {34, "AddPad"},
                {44, "AddUnidirectionalSequenceLSTM"},
                {58, "AddLess"},
                {60, "AddPadV2"},
                {65, "AddSlice"},
                {67, "AddTransposeConv"},
                {102, "AddSplitV"},
                {105, "AddReverseV2"},
                {106, "AddAddN"},
                {117, "AddHardSwish"},
                {123, "AddSelectV2"},
                {126, "AddBatchMatMul"},
                {128, "AddCumSum"},
                {151, "AddDynamicUpdateSlice"}};
    for (size_t i = 0; i < COUNT(made); i++) {
        struct net net = copies();
        struct sw_sink sink;
        char line[100];
        for (int k = 0; k < net.op_count; k++) {
            net.ops[k].kind = made[i].code; /* five times the same: one method */
        }
        write_source(&sink, &net, "net.tflite", true);
        const char *text = sink.text.items;
        snprintf(line, sizeof line, " resolver   %s */\n", made[i].method);
        if (!strstr(text, line)) {
            fail_msg("%s: %.300s", made[i].method, text);
        }
        snprintf(line, sizeof line, "    return true\n        && static_cast<int>(resolver.%s()) == 0;\n",
                 made[i].method);
        assert_non_null(strstr(text, line));
        assert_non_null(strstr(text, "g_net_operators = 1;"));
        assert_null(strstr(text, "AddCustom"));
        sw_sink_done(&sink);
    }
}

/* An operator that goes by a name is added by the application, and needs room in the resolver. */
static void own_operators(void **state) {
    (void)state;
    struct net net = copies();
    struct sw_sink sink;
    net.ops[4].kind = CUSTOM;
    write_source(&sink, &net, "net.tflite", true);
    assert_non_null(strstr(sink.text.items,
                           " resolver   AddConcatenation AddRelu AddSlice, and the application's own operators */\n"));
    assert_non_null(strstr(
        sink.text.items,
        "or a larger one:\n * the application's own operators need room, too, and are added with AddCustom. */\n"));
    assert_non_null(strstr(sink.text.items, "g_net_operators = 3;"));
    sw_sink_done(&sink);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(resolver), cmocka_unit_test(own_operators)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
