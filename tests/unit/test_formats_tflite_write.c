/* Plans, and other orders of the operators, written into TensorFlow Lite models and read back; and what is refused. */
#include "problem/change/whole_order.h"
#include "unit/noted.h"
#include "unit/tflite_models.h"

#include <unistd.h>

/* ---- files ---- */

static char folder[] = "/tmp/stowage-tflite-XXXXXX";

static const char *path_of(const char *name) {
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"model", "other", "order", "branches"};
    for (size_t i = 0; i < COUNT(names); i++) {
        unlink(path_of(names[i]));
    }
    return rmdir(folder);
}

/* ---- plans ---- */

/* Every buffer above the one before it. */
static struct sw_layout *stacked(const struct sw_problem *problem, uint64_t shift) {
    struct sw_error error = {0};
    struct sw_layout *layout = sw_layout_new(problem, &error);
    assert_non_null(layout);
    uint64_t at = shift;
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        assert_true(sw_layout_place(layout, i, 0, at));
        at += sw_align_up(sw_problem_buffer(problem, i)->size, 16);
    }
    return layout;
}

static bool write_stacked(const struct sw_problem *problem, const char *source, uint64_t shift, struct sw_sink *sink,
                          struct sw_sink *said, struct sw_error *error) {
    struct sw_layout *layout = stacked(problem, shift);
    struct sw_result result = {.layout = layout, .source = source, .even_if_larger = true};
    const struct sw_format *format = sw_format_for_output("x.tflite", true, error);
    assert_non_null(format);
    bool good = format->write_plan(&result, sink, error) && format->say_plan(&result, said, error);
    sw_layout_free(layout);
    return good;
}

/* The plan goes in, and comes out; written again, the old one is gone; what lies behind the file
 * has moved with it. */
static void a_plan(void **state) {
    (void)state;
    struct flat flat;
    struct sw_error error = {0};
    write_model(&flat, &plain);
    save_file(path_of("model"), flat.bytes, flat.count);
    char source[64];
    snprintf(source, sizeof source, "%s", path_of("model"));
    struct sw_problem *problem = must_load(&plain, NULL);
    for (int round = 0; round < 2; round++) {
        struct sw_sink sink = {0}, said = {0};
        if (!write_stacked(problem, source, 32, &sink, &said, &error)) {
            fail_msg("%s", error.message);
        }
        struct sw_input input = text_input(sink.text.items, sink.text.count);
        struct sw_problem *again = sw_load_input(&input, NULL, &error);
        if (!again) {
            fail_msg("%s", error.message);
        }
        assert_true(sw_problem_has_plan(again));
        assert_int_equal(buffer_named(again, "x")->offset, 32);
        assert_int_equal(buffer_named(again, "a")->offset, 32 + 112);
        assert_int_equal(buffer_named(again, "b")->offset, 32 + 112 + 80);
        assert_int_equal(buffer_named(again, "t5")->offset, 32 + 112 + 160);
        assert_true(noted(again, "for 5 of these tensors"));
        sw_problem_unref(again);
        sw_sink_add(&said, "", 1);
        assert_string_equal(said.text.items,
                            "OfflineMemoryAllocation: 9 offsets; the arena's head is 336 bytes for "
                            "the 5 tensors placed\n"
                            "the reference kernels ask for no workspaces\n"
                            "the interpreter's own plan for the same takes 192 bytes: this one saves nothing\n"
                            "  32, -1, 144, 224, -1, 304, -1, 320, -1\n");
        save_file(path_of("model"), sink.text.items, sink.text.count);
        /* The old file lies at the end as it was, but for the place of the external buffer. */
        size_t changed = 0;
        for (size_t i = 0; i < flat.count && round == 0; i++) {
            changed += (unsigned char)sink.text.items[sink.text.count - flat.count + i] != flat.bytes[i];
        }
        assert_true(changed <= 8);
        sw_sink_done(&sink);
        sw_sink_done(&said);
    }
    sw_problem_unref(problem);
}

static void no_plan(void **state) {
    (void)state;
    struct flat flat;
    write_model(&flat, &plain);
    save_file(path_of("model"), flat.bytes, flat.count);
    save_file(path_of("other"), "{}", 2);
    char model[64], other[64];
    snprintf(model, sizeof model, "%s", path_of("model"));
    snprintf(other, sizeof other, "%s", path_of("other"));
    struct sw_problem *problem = must_load(&plain, NULL), *loops = must_load(&loop, NULL);
    const struct {
        const struct sw_problem *problem;
        const char *source, *words;
        uint64_t shift;
    } cases[] = {{problem, model, "lies at 8, but", 8},
                 {problem, NULL, "must be given as a file", 0},
                 {problem, "-", "must be given as a file", 0},
                 {problem, other, "is no TensorFlow Lite model", 0},
                 {loops, model, "the plan is not one of this model", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sw_sink sink = {0}, said = {0};
        struct sw_error error = {0};
        assert_false(write_stacked(cases[i].problem, cases[i].source, cases[i].shift, &sink, &said, &error));
        if (!strstr(error.message, cases[i].words)) {
            fail_msg("wanted %s\ngot    %s", cases[i].words, error.message);
        }
        sw_sink_done(&sink);
        sw_sink_done(&said);
    }
    sw_problem_unref(problem);
    sw_problem_unref(loops);
}

/* Several subgraphs: the offsets of one stand behind those of the other. By the older rule tensors of one number have
 * the same offset, and those which would need different ones get none. */
static void of_subgraphs(void **state) {
    (void)state;
    static const char *const names[] = {
        "x", "y", "cond/x", "cond/go", "subgraph2/x", "subgraph2/wide", "subgraph2/x#2"};
    static const int plan[] = {0, 16, 32, 48, 64, 80, 144}, older[] = {0, 16, 0, 16, 0, 16, 32};
    struct flat flat;
    struct sw_error error = {0};
    struct model model = loop;
    struct sw_load_options each = {.per_subgraph = true};
    char source[64];
    snprintf(source, sizeof source, "%s", path_of("model"));
    write_model(&flat, &loop);
    save_file(path_of("model"), flat.bytes, flat.count);
    struct sw_problem *problem = must_load(&loop, NULL);
    struct sw_layout *layout = stacked(problem, 0);
    for (int rule = 0; rule < 2; rule++) {
        struct sw_sink sink = {0}, said = {0};
        struct sw_result result = {
            .layout = layout, .source = source, .load = rule ? &each : NULL, .even_if_larger = true};
        assert_true(sw_format_tflite.write_plan(&result, &sink, &error));
        assert_true(sw_format_tflite.say_plan(&result, &said, &error));
        sw_sink_add(&said, "", 1);
        assert_true((strstr(said.text.items, "since March 2023") != NULL) == !rule);
        assert_true((strstr(said.text.items, "7 tensors stay with the interpreter") != NULL) == rule);
        assert_non_null(
            strstr(said.text.items, rule ? "  -1, -1, -1, -1, -1, -1, -1\n" : "  0, 16, 32, 48, 64, 80, 144\n"));
        /* Where the interpreter puts what has no offset is counted. */
        assert_non_null(
            strstr(said.text.items, rule ? "head is 112 bytes for the 0 tensors placed, 7 left to the interpreter\n"
                                         : "head is 160 bytes for the 7 tensors placed\n"));
        struct sw_sink none = {0};
        result.even_if_larger = false;
        assert_false(sw_format_tflite.write_plan(&result, &none, &error));
        assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
        sw_sink_done(&none);
        struct sw_input input = text_input(sink.text.items, sink.text.count);
        struct sw_problem *again = sw_load_input(&input, rule ? &each : NULL, &error);
        assert_non_null(again);
        assert_true(sw_problem_has_plan(again) == !rule);
        sw_problem_unref(again);
        sw_sink_done(&sink);
        sw_sink_done(&said);
    }
    sw_layout_free(layout);
    sw_problem_unref(problem);
    model.plan = plan;
    model.plan_count = COUNT(plan);
    for (int rule = 0; rule < 2; rule++) {
        problem = must_load(&model, rule ? &each : NULL);
        for (size_t i = 0; i < COUNT(names); i++) {
            assert_int_equal(buffer_named(problem, names[i])->offset, rule ? older[i] : plan[i]);
        }
        assert_true(noted(problem, rule ? "as before March 2023" : "of one subgraph behind those of the other"));
        sw_problem_unref(problem);
    }
}

/* ---- another order ---- */

/* Two branches and their sum; the third operator writes what nothing reads; two that share a variable. */
static const struct tensor branch_tensors[] = {
    {INT8, 100, 0, false, "x"}, {INT8, 100, 0, false, "a"},    {INT8, 100, 0, false, "b"},
    {INT8, 100, 0, false, "y"}, {FLOAT, 10, 0, true, "state"}, {INT8, 100, 0, false, "z"},
};
static const struct op branch_ops[] = {
    {0, {0}, 1, {1}, 1, {0, 0}, 0},
    {1, {0}, 1, {2}, 1, {0, 0}, 0},
    {2, {1, 2}, 2, {3}, 1, {0, 0}, 0},
    {0, {0, 4}, 2, {5}, 1, {0, 0}, 0},
};
static const struct op state_ops[] = {
    {0, {0, 4}, 2, {1}, 1, {0, 0}, 0},
    {1, {0, 4}, 2, {2}, 1, {0, 0}, 0},
    {2, {1, 2}, 2, {3}, 1, {0, 0}, 0},
    {0, {0}, 1, {5}, 1, {0, 0}, 0},
};
static const int branch_kinds[] = {3, 19, 0};

static bool in_order(const struct model *model, const uint32_t *order, uint32_t count, struct flat *flat,
                     struct sw_sink *out, struct sw_error *error) {
    write_model(flat, model);
    struct sw_input input = text_input((const char *)flat->bytes, flat->count);
    *error = (struct sw_error){0};
    return sw_format_for_output("x.tflite", true, NULL)->write_order(&input, NULL, order, count, out, error);
}

static void another_order(void **state) {
    (void)state;
    struct graph graph = {branch_tensors, COUNT(branch_tensors), branch_ops, COUNT(branch_ops), {0}, 1, {3, 5}, 2,
                          "main"};
    struct model model = {.graphs = &graph, .graph_count = 1, .kinds = branch_kinds, .kind_count = 3};
    static const uint32_t orders[][4] = {{1, 0, 2, 3}, {3, 1, 0, 2}, {0, 1, 2, 3}};
    static const char *const names[][4] = {{"relu_0", "conv_2d_1", "add_2", "conv_2d_3"},
                                           {"conv_2d_0", "relu_1", "conv_2d_2", "add_3"},
                                           {"conv_2d_0", "relu_1", "add_2", "conv_2d_3"}};
    struct flat flat;
    struct sw_error error;
    for (size_t k = 0; k < COUNT(orders); k++) {
        struct sw_sink out = {0};
        size_t changed = 0;
        if (!in_order(&model, orders[k], 4, &flat, &out, &error)) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(out.text.count, flat.count);
        for (size_t i = 0; i < flat.count; i++) {
            changed += (unsigned char)out.text.items[i] != flat.bytes[i];
        }
        assert_true(k == 2 ? changed == 0 : changed > 0 && changed <= 4 * 4); /* of the list of operators alone */
        struct sw_input input = text_input(out.text.items, out.text.count);
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        assert_non_null(problem);
        for (uint32_t i = 0; i < 4; i++) {
            assert_string_equal(sw_problem_operator(problem, i)->name, names[k][i]);
        }
        sw_problem_unref(problem);
        sw_sink_done(&out);
    }
    /* What is refused writes nothing. */
    struct sw_sink out = {0};
    static const uint32_t early[] = {2, 0, 1, 3}, states[] = {1, 0, 2, 3}, first[] = {1, 0, 2, 3, 4, 5, 6, 7};
    assert_false(in_order(&model, early, 4, &flat, &out, &error));
    assert_string_equal(error.message, "the order has operator 2 before operator 0, which writes what it reads");
    assert_false(in_order(&model, early, 3, &flat, &out, &error));
    graph.ops = state_ops;
    assert_false(in_order(&model, states, 4, &flat, &out, &error));
    assert_string_equal(error.message,
                        "the order has operator 1 before operator 0: those with a state of their own keep their order");
    static const int plan[] = {0, 112, 224, 336, -1, 448};
    graph.ops = branch_ops;
    model.plan = plan;
    model.plan_count = 6;
    assert_false(in_order(&model, orders[0], 4, &flat, &out, &error));
    assert_true(strstr(error.message, "holds a plan for its own order") != NULL);
    struct sw_problem *problem = must_load(&loop, NULL);
    assert_false(in_order(&loop, first, sw_problem_operator_count(problem), &flat, &out, &error));
    assert_string_equal(error.message,
                        "the order takes apart operator 0, which stays together with the subgraphs that it runs");
    sw_problem_unref(problem);
    assert_int_equal(out.text.count, 0);
    sw_sink_done(&out);
}

/* A text is no buffer, and yet it ties the operator that makes it to the one that reads it. */
static void ties_without_buffers(void **state) {
    (void)state;
    static const struct tensor tensors[] = {
        {INT8, 100, 0, false, "x"}, {TEXT, 1, 0, false, "t"}, {INT8, 100, 0, false, "b"}, {INT8, 100, 0, false, "y"}};
    static const struct op ops[] = {
        {0, {0}, 1, {1}, 1, {0, 0}, 0}, {1, {0}, 1, {2}, 1, {0, 0}, 0}, {2, {1, 0}, 2, {3}, 1, {0, 0}, 0}};
    const struct graph graph = {tensors, COUNT(tensors), ops, COUNT(ops), {0}, 1, {2, 3}, 2, "main"};
    const struct model model = {.graphs = &graph, .graph_count = 1, .kinds = branch_kinds, .kind_count = 3};
    struct sw_problem *problem = must_load(&model, NULL);
    static const uint32_t orders[][3] = {{1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}};
    for (size_t k = 0; k < COUNT(orders); k++) {
        struct flat flat;
        struct sw_error error;
        struct sw_sink out = {0};
        assert_int_equal(sw_problem_may_order(problem, orders[k], NULL, NULL), k < 2);
        assert_int_equal(in_order(&model, orders[k], 3, &flat, &out, &error), k < 2);
        sw_sink_done(&out);
    }
    sw_problem_unref(problem);
}

/* An input that no operator reads, and what only a signature that is never called touches, are there before the first
 * operator, in every order; the steps for them stay where they are. */
static void orders_of_untouched(void **state) {
    (void)state;
    static const struct tensor tensors[] = {{INT8, 100, 0, false, "x"},
                                            {INT8, 100, 0, false, "a"},
                                            {INT8, 100, 0, false, "b"},
                                            {INT8, 100, 0, false, "y"},
                                            {INT8, 100, 0, false, "unread"}};
    static const struct op never[] = {{0, {0}, 1, {1}, 1, {0, 0}, 0}};
    const struct graph graphs[] = {{tensors, COUNT(tensors), branch_ops, 3, {0, 4}, 2, {3}, 1, NULL},
                                   {outer_tensors, 2, never, 1, {0}, 1, {1}, 1, "two"}};
    const struct model model = {.graphs = graphs, .graph_count = 2, .kinds = branch_kinds, .kind_count = 3};
    struct sw_problem *problem = must_load(&model, NULL), *ordered;
    static const uint32_t order[] = {0, 1, 3, 2, 4}, early[] = {1, 0, 2, 3, 4};
    struct flat flat;
    struct sw_error error;
    struct sw_sink out = {0};
    assert_int_equal(sw_problem_operator_count(problem), 5);
    assert_life(problem, "two/x", 0, 0, 16);
    assert_life(problem, "unread", 1, 1, 100);
    assert_false(sw_problem_may_order(problem, early, NULL, NULL));
    ordered = sw_problem_in_order(problem, order, &error);
    if (!ordered) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(sw_problem_operator(ordered, 2)->kind, "relu");
    assert_life(ordered, "two/x", 0, 0, 16);
    assert_life(ordered, "unread", 1, 1, 100);
    assert_life(ordered, "x", 1, 3, 100);
    assert_true(in_order(&model, order, 5, &flat, &out, &error));
    struct sw_input input = text_input(out.text.items, out.text.count);
    struct sw_problem *again = sw_load_input(&input, NULL, &error);
    assert_non_null(again);
    assert_life(again, "unread", 1, 1, 100);
    assert_life(again, "x", 1, 3, 100);
    sw_problem_unref(again);
    sw_sink_done(&out);
    sw_problem_unref(ordered);
    sw_problem_unref(problem);
}

/* A plan for --order goes into a model that has that order. */
static void a_plan_in_order(void **state) {
    (void)state;
    struct graph graph = {branch_tensors, COUNT(branch_tensors), branch_ops, COUNT(branch_ops), {0}, 1, {3, 5}, 2,
                          "main"};
    struct model model = {.graphs = &graph, .graph_count = 1, .kinds = branch_kinds, .kind_count = 3};
    char source[64], order[64];
    static const char lines[] = "conv_2d_3\nrelu_1\nconv_2d_0\nadd_2\n";
    struct flat flat;
    struct sw_error error = {0};
    struct sw_sink out = {0};
    write_model(&flat, &model);
    save_file(path_of("branches"), flat.bytes, flat.count);
    snprintf(source, sizeof source, "%s", path_of("branches"));
    save_file(path_of("order"), lines, sizeof lines - 1);
    snprintf(order, sizeof order, "%s", path_of("order"));
    struct sw_load_options options = {.order = order};
    struct sw_problem *problem = sw_load(source, &options, NULL, &error);
    assert_non_null(problem);
    struct sw_layout *layout = stacked(problem, 0);
    struct sw_result result = {.layout = layout, .source = source, .even_if_larger = true, .load = &options};
    if (!sw_format_for_output("x.tflite", true, &error)->write_plan(&result, &out, &error)) {
        fail_msg("%s", error.message);
    }
    struct sw_input input = text_input(out.text.items, out.text.count);
    struct sw_problem *again = sw_load_input(&input, NULL, &error);
    assert_non_null(again);
    assert_true(sw_problem_has_plan(again));
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(sw_problem_operator(again, i)->kind, sw_problem_operator(problem, i)->kind);
    }
    assert_int_equal(sw_problem_lower_bound(again), sw_problem_lower_bound(problem));
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement place;
        assert_true(sw_layout_placement(layout, b, 0, &place));
        assert_int_equal(buffer_named(again, sw_problem_buffer(problem, b)->name)->offset, place.offset);
    }
    assert_false(sw_format_for_output("x.hpp", true, &error)->write_plan(&result, &out, &error));
    assert_true(strstr(error.message, "write the model in this order first") != NULL);
    sw_layout_free(layout);
    sw_problem_unref(problem);
    sw_problem_unref(again);
    sw_sink_done(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan),        cmocka_unit_test(ties_without_buffers), cmocka_unit_test(orders_of_untouched),
        cmocka_unit_test(another_order), cmocka_unit_test(a_plan_in_order),      cmocka_unit_test(no_plan),
        cmocka_unit_test(of_subgraphs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
