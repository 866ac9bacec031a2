/* TensorFlow Lite models, written here byte by byte: what is read of them, alone and joined with the log of a run. */
#include "formats/graphs/graph_json.h"
#include "unit/noted.h"
#include "unit/tflite_models.h"

#include <unistd.h>

static void must_not_load(const struct model *model, const char *words) {
    struct flat flat;
    struct sw_error error = {0};
    write_model(&flat, model);
    assert_null(load_flat(&flat, flat.count, NULL, &error));
    assert_int_equal(error.code, SW_ERROR_INPUT);
    assert_string_equal(error.file, "file");
    if (!strstr(error.message, words)) {
        fail_msg("wanted %s\ngot    %s", words, error.message);
    }
}

static void a_model(void **state) {
    (void)state;
    struct sw_problem *problem = must_load(&plain, NULL);
    assert_int_equal(sw_problem_operator_count(problem), 4);
    assert_int_equal(sw_problem_buffer_count(problem), 5);
    assert_int_equal(sw_problem_alignment(problem), 16);
    assert_life(problem, "idle", 0, 0, 9); /* nothing touches it: it has a place before the run */
    assert_life(problem, "x", 1, 1, 100);
    assert_life(problem, "a", 1, 2, 65);
    assert_life(problem, "b", 2, 3, 65);
    assert_string_equal(buffer_named(problem, "a")->origin, "a\nfused\nb");
    assert_life(problem, "t5", 3, 3, 3); /* five elements of four bits */
    assert_int_equal(buffer_named(problem, "x")->kind, SW_KIND_INPUT);
    assert_int_equal(buffer_named(problem, "t5")->kind, SW_KIND_OUTPUT);
    assert_int_equal(buffer_named(problem, "t5")->dtype, SW_DTYPE_INT4);
    assert_string_equal(sw_problem_operator(problem, 0)->name, "setup");
    assert_string_equal(sw_problem_operator(problem, 1)->name, "conv_2d_0");
    const struct sw_operator *relu = sw_problem_operator(problem, 2);
    assert_string_equal(relu->kind, "relu");
    assert_int_equal(relu->pair_count, 1);
    assert_int_equal(sw_problem_operator(problem, 1)->pair_count, 0);
    assert_true(noted(problem, "2 constants (19 bytes)"));
    assert_true(noted(problem, "1 variable tensors (40 bytes)"));
    assert_true(noted(problem, "left out: 1 tensors without bytes"));
    assert_true(noted(problem, "tensors that nothing in the run touches: 1"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void control_flow(void **state) {
    (void)state;
    static const char *const steps[] = {"while_0",
                                        "while_0/cond/begin",
                                        "while_0/cond/conv_2d_0",
                                        "while_0/cond/end",
                                        "while_0/subgraph2/begin",
                                        "while_0/subgraph2/conv_2d_0",
                                        "while_0/subgraph2/conv_2d_1",
                                        "while_0/subgraph2/end"};
    struct sw_problem *problem = must_load(&loop, NULL);
    assert_int_equal(sw_problem_operator_count(problem), COUNT(steps));
    for (uint32_t i = 0; i < COUNT(steps); i++) {
        assert_string_equal(sw_problem_operator(problem, i)->name, steps[i]);
    }
    assert_life(problem, "x", 0, 7, 16);
    assert_life(problem, "y", 0, 7, 16);
    assert_life(problem, "cond/x", 1, 2, 16);
    assert_life(problem, "cond/go", 2, 3, 1);
    assert_life(problem, "subgraph2/x", 4, 5, 16);
    assert_life(problem, "subgraph2/wide", 5, 6, 64);
    assert_life(problem, "subgraph2/x#2", 6, 7, 16);
    assert_true(noted(problem, "3 subgraphs"));
    sw_problem_unref(problem);
}

/* The tensors of a subgraph that no operator calls have places all at once, before the run. */
static void signatures(void **state) {
    (void)state;
    static const struct op ops[] = {{0, {0}, 1, {1}, 1, {0, 0}, 0}};
    const struct graph graphs[] = {{outer_tensors, 2, ops, 1, {0}, 1, {1}, 1, NULL},
                                   {outer_tensors, 2, ops, 1, {0}, 1, {1}, 1, "two"}};
    static const int kinds[] = {3};
    struct sw_problem *problem =
        must_load(&(struct model){.graphs = graphs, .graph_count = 2, .kinds = kinds, .kind_count = 1}, NULL);
    assert_int_equal(sw_problem_operator_count(problem), 2);
    assert_life(problem, "x", 1, 1, 16);
    assert_life(problem, "y", 1, 1, 16);
    assert_life(problem, "two/x", 0, 0, 16);
    assert_life(problem, "two/y", 0, 0, 16);
    assert_true(noted(problem, "subgraphs that no operator calls: 1"));
    assert_true(noted(problem, "tensors that nothing in the run touches: 2"));
    sw_problem_unref(problem);
}

/* What a subgraph calls that nothing calls does not run either. */
static void out_of_reach(void **state) {
    (void)state;
    static const struct op ops[] = {{1, {0}, 1, {1}, 1, {0, 0}, 0}};
    const struct graph graphs[] = {{outer_tensors, 2, ops, 1, {0}, 1, {1}, 1, NULL},
                                   {outer_tensors, 2, outer_ops, 1, {0}, 1, {1}, 1, "two"},
                                   {cond_tensors, 2, cond_ops, 1, {0}, 1, {1}, 1, "three"}};
    struct sw_problem *problem =
        must_load(&(struct model){.graphs = graphs, .graph_count = 3, .kinds = loop_kinds, .kind_count = 2}, NULL);
    assert_int_equal(sw_problem_operator_count(problem), 2);
    assert_life(problem, "y", 1, 1, 16);
    assert_life(problem, "two/y", 0, 0, 16);
    assert_life(problem, "three/go", 0, 0, 1);
    assert_true(noted(problem, "subgraphs that no operator calls: 2"));
    assert_true(noted(problem, "tensors that nothing in the run touches: 4"));
    sw_problem_unref(problem);
}

/* An input that no operator reads is there before the first one, and then its place is free. What nothing writes is
 * there from before that on. */
static void inputs(void **state) {
    (void)state;
    static const struct tensor tensors[] = {{INT8, 16, 0, false, "x"},
                                            {INT8, 32, 0, false, "unread"},
                                            {INT8, 48, 0, false, "unwritten"},
                                            {INT8, 64, 0, false, "y"},
                                            {INT8, 80, 0, false, "both"}};
    static const struct op ops[] = {{0, {0, 2}, 2, {3}, 1, {0, 0}, 0}};
    static const int kinds[] = {3};
    struct graph graph = {tensors, 4, ops, 1, {0, 1}, 2, {3}, 1, NULL};
    struct model model = {.graphs = &graph, .graph_count = 1, .kinds = kinds, .kind_count = 1};
    struct sw_problem *problem = must_load(&model, NULL);
    assert_int_equal(sw_problem_operator_count(problem), 2);
    assert_string_equal(sw_problem_operator(problem, 0)->name, "begin");
    assert_life(problem, "x", 0, 1, 16);
    assert_life(problem, "unread", 0, 0, 32);
    assert_life(problem, "unwritten", 0, 1, 48);
    assert_life(problem, "y", 1, 1, 64);
    assert_int_equal(sw_problem_lower_bound(problem), 16 + 48 + 64);
    sw_problem_unref(problem);
    graph.tensor_count = 5; /* and one that nothing touches, a step earlier */
    problem = must_load(&model, NULL);
    assert_int_equal(sw_problem_operator_count(problem), 3);
    assert_life(problem, "both", 0, 0, 80);
    assert_life(problem, "x", 1, 2, 16);
    assert_life(problem, "unread", 1, 1, 32);
    assert_life(problem, "unwritten", 0, 2, 48);
    assert_life(problem, "y", 2, 2, 64);
    sw_problem_unref(problem);
}

/* An Ethos-U's arena holds what the plan in the file puts into it. */
static void an_arena(void **state) {
    (void)state;
    static const struct tensor tensors[] = {{UINT8, 7, 1, false, "commands"},
                                            {UINT8, 256, 0, false, "scratch"},
                                            {INT8, 32, 0, false, "x"},
                                            {INT8, 16, 0, false, "y"}};
    static const struct op ops[] = {{0, {0, 1, 2}, 3, {3}, 1, {0, 0}, 0}};
    static const struct graph graph = {tensors, 4, ops, 1, {2}, 1, {3}, 1, NULL};
    static const int kinds[] = {32}, plan[] = {-1, 64, 96, 64};
    struct model model = {.graphs = &graph,
                          .graph_count = 1,
                          .kinds = kinds,
                          .kind_count = 1,
                          .custom = "ethos-u",
                          .plan = plan,
                          .plan_count = 4};
    struct sw_problem *problem = must_load(&model, NULL);
    assert_int_equal(sw_problem_buffer_count(problem), 3); /* and two workspaces of its kernel */
    assert_true(sw_problem_has_plan(problem));
    const struct sw_member *x = sw_problem_member(problem, sw_problem_find_member(problem, "x"));
    assert_int_equal(x->lo, 32);
    assert_int_equal(x->hi, 64);
    assert_int_equal(buffer_named(problem, "scratch")->offset, 64);
    assert_string_equal(sw_problem_operator(problem, 0)->kind, "ethos-u");
    assert_true(noted(problem, "2 tensors lie within the arena"));
    sw_problem_unref(problem);
    model.plan = NULL;
    problem = must_load(&model, NULL);
    assert_int_equal(sw_problem_buffer_count(problem), 5);
    sw_problem_unref(problem);
}

/* A handle stands in its kernel; a variable that the file's plan places is alive all the time. */
static void resources_and_variables(void **state) {
    (void)state;
    static const struct tensor tensors[] = {{RESOURCE, 1, 0, false, "handle"},
                                            {FLOAT, 4, 0, false, "x"},
                                            {FLOAT, 8, 0, false, "y"},
                                            {FLOAT, 2, 0, true, "state"},
                                            {FLOAT, 6, 0, false, "z"}};
    static const struct op ops[] = {{0, {0}, 0, {0}, 1, {0, 0}, 0},
                                    {1, {0, 1}, 2, {0}, 0, {0, 0}, 0},
                                    {2, {0, 3}, 2, {2}, 1, {0, 0}, 0},
                                    {3, {2}, 1, {4}, 1, {0, 0}, 0}};
    static const struct graph graph = {tensors, 5, ops, 4, {1}, 1, {4}, 1, NULL};
    static const int kinds[] = {142, 144, 0, 19}, plan[] = {-1, 0, 16, 64, 80};
    struct model model = {.graphs = &graph, .graph_count = 1, .kinds = kinds, .kind_count = 4};
    struct sw_problem *problem = must_load(&model, NULL);
    assert_int_equal(sw_problem_buffer_count(problem), 3);
    assert_int_equal(sw_problem_find_buffer(problem, "handle"), SW_NONE);
    assert_true(noted(problem, "left out: 1 handles of resources"));
    assert_true(noted(problem, "left out: 1 variable tensors (8 bytes)"));
    assert_false(noted(problem, "that is an estimate"));
    sw_problem_unref(problem);
    model.plan = plan;
    model.plan_count = 5;
    problem = must_load(&model, NULL);
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_life(problem, "state", 0, 3, 8);
    assert_true(sw_problem_has_plan(problem));
    assert_true(noted(problem, "1 variable tensors have an offset"));
    sw_problem_unref(problem);
}

static void wrong(void **state) {
    (void)state;
    struct graph graph = plain_graph;
    struct model model = plain;
    model.graphs = &graph;
    static const struct op far[] = {{0, {9}, 1, {2}, 1, {0, 0}, 0}};
    graph.ops = far;
    graph.op_count = 1;
    must_not_load(&model, "names tensor 9, but the subgraph has only 9");
    graph.op_count = 0;
    must_not_load(&model, "the model has no operators");
    graph = plain_graph;
    static const struct op kind[] = {{3, {0}, 1, {2}, 1, {0, 0}, 0}};
    graph.ops = kind;
    graph.op_count = 1;
    must_not_load(&model, "an operator of kind 3, of which the file names only 3");
    graph = plain_graph;
    static const struct tensor bad[][1] = {
        {{INT8, -4, 0, false, "x"}}, {{99, 4, 0, false, "x"}}, {{INT8, 4, 8, false, "x"}}};
    static const char *const words[] = {"negative dimension -4", "unknown element type 99",
                                        "in buffer 8, of which there are only 3"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        graph.tensors = bad[i];
        graph.tensor_count = 1;
        must_not_load(&model, words[i]);
    }
    static const int plan[] = {0, 0};
    model = plain;
    model.plan = plan;
    model.plan_count = 2;
    must_not_load(&model, "another number of tensors than the 9");
    static const int below[] = {-7, 0, 0, 0, 0, 0, 0, 0, 0};
    model.plan = below;
    model.plan_count = 9;
    must_not_load(&model, "gives tensor 0 of subgraph 0 the offset -7");
    static const struct op self[] = {{0, {0}, 1, {1}, 1, {0, 0}, 4}};
    struct graph graphs[] = {loop_graphs[0]};
    graphs[0].ops = self;
    model = loop;
    model.graphs = graphs;
    model.graph_count = 1;
    must_not_load(&model, "subgraph 0 runs itself");
    static const struct op none[] = {{0, {0}, 1, {1}, 1, {5, 0}, 4}};
    graphs[0].ops = none;
    must_not_load(&model, "runs subgraph 5, of which there are only 1");
}

static void cut_short(void **state) {
    (void)state;
    struct flat flat;
    const struct model *models[] = {&plain, &loop};
    for (size_t m = 0; m < COUNT(models); m++) {
        write_model(&flat, models[m]);
        for (size_t length = 0; length < flat.count; length++) {
            struct sw_error error = {0};
            char *copy = malloc(length + 1); /* so that reading past the end is seen */
            assert_non_null(copy);
            memcpy(copy, flat.bytes, length);
            struct sw_input input = text_input(copy, length);
            struct sw_problem *problem = sw_load_input(&input, NULL, &error);
            assert_true(problem || error.code == SW_ERROR_INPUT);
            sw_problem_unref(problem);
            free(copy);
        }
    }
}

static void no_memory(void **state) {
    (void)state;
    struct flat flat;
    write_model(&flat, &loop);
    for (uint64_t k = 0, done = 0; !done; k++) {
        struct limit limit = {.left = k};
        struct sw_error error = {0};
        sw_mem_hook(limited, &limit);
        struct sw_problem *problem = load_flat(&flat, flat.count, NULL, &error);
        done = problem != NULL;
        sw_problem_unref(problem);
        sw_mem_hook(NULL, NULL);
        assert_true(done ? !limit.hit : error.code == SW_ERROR_MEMORY);
    }
}

static const char log_text[] = "0 (id=0): size=112, offset=0, first_used=0 last_used=1\n"
                               "1 (id=1): size=80, offset=112, first_used=1 last_used=2\n"
                               "2 (id=2): size=80, offset=0, first_used=2 last_used=3\n"
                               "* (id=3): size=16, offset=80, first_used=3 last_used=3\n"
                               "4 (id=4): size=16, offset=96, first_used=-1 last_used=-1\n"
                               "* (id=5): size=48, offset=96, first_used=3 last_used=3\n"
                               "* (id=6): size=32, offset=144, first_used=3 last_used=3\n";

static void a_log(void **state) {
    (void)state;
    char path[] = "/tmp/stowage-tflite-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    save_file(path, log_text, strlen(log_text));
    struct sw_load_options options = {.join = path};
    struct sw_problem *problem = must_load(&plain, &options);
    assert_int_equal(sw_problem_buffer_count(problem), 7);
    assert_life(problem, "x", 1, 1, 112);
    assert_life(problem, "t5", 3, 3, 16);
    assert_life(problem, "idle", 0, 0, 16);
    assert_life(problem, "add_2.scratch1", 3, 3, 48);
    assert_life(problem, "add_2.scratch2", 3, 3, 32);
    assert_int_equal(buffer_named(problem, "add_2.scratch2")->offset, 144);
    assert_int_equal(buffer_named(problem, "b")->offset, 0);
    assert_int_equal(sw_problem_operator(problem, 3)->scratch_count, 2);
    assert_true(sw_problem_has_plan(problem));
    assert_true(noted(problem, "none of the libraries of kernels that are known (--kernels) asks for just the"));
    sw_problem_unref(problem);
    static const struct {
        const char *from, *to, *words;
        int line;
    } cases[] = {{"size=80, offset=112", "size=96, offset=112", "buffer 1 has 96 bytes, tensor 2 needs 80", 2},
                 {"first_used=2 last_used=3", "first_used=1 last_used=3",
                  "buffer 2 is used from 1 to 3, tensor 3 from 2 to 3", 3},
                 {"first_used=3 last_used=3\n* (id=6)", "first_used=4 last_used=4\n* (id=6)",
                  "where the model has no operator", 6},
                 {"4 (id=4)", "", "it has only 4 buffers", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[sizeof log_text + 16];
        const char *at = strstr(log_text, cases[i].from);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - log_text), log_text, cases[i].to,
                 *cases[i].to ? at + strlen(cases[i].from) : "");
        save_file(path, text, strlen(text));
        struct flat flat;
        struct sw_error error = {0};
        write_model(&flat, &plain);
        assert_null(load_flat(&flat, flat.count, &options, &error));
        assert_string_equal(error.file, path);
        assert_int_equal(error.line, cases[i].line);
        if (!strstr(error.message, cases[i].words)) {
            fail_msg("wanted %s\ngot    %s", cases[i].words, error.message);
        }
    }
    unlink(path);
}

/* What the interpreter has no kernel for is named; so is what handles texts. */
static void refused_by_the_interpreter(void **state) {
    (void)state;
    static const struct tensor tensors[] = {
        {INT8, 100, 0, false, "x"}, {INT8, 100, 0, false, "a"}, {TEXT, 1, 0, false, "t"}, {INT8, 100, 0, false, "y"}};
    static const struct op ops[] = {
        {0, {0}, 1, {1}, 1, {0, 0}, 0}, {2, {0}, 1, {2}, 1, {0, 0}, 0}, {1, {1, 2}, 2, {3}, 1, {0, 0}, 0}};
    static const int kinds[] = {32, 48, 0}; /* custom, topk_v2, add */
    const struct graph graph = {tensors, COUNT(tensors), ops, COUNT(ops), {0}, 1, {3}, 1, "main"};
    struct sw_problem *problem = must_load(
        &(struct model){.graphs = &graph, .graph_count = 1, .kinds = kinds, .kind_count = 3, .custom = "FlexErf"},
        NULL);
    assert_true(noted(problem, "TensorFlow Lite Micro refuses this model, for it lacks 3 operators of it: "));
    assert_true(noted(problem, "topk_v2_2"));
    assert_true(noted(problem, "add_1 (texts)"));
    assert_true(sw_problem_more_outside(problem));
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    assert_true(sw_graph_json_write(problem, &sink, &error));
    struct sw_problem *again = sw_load_input(
        &(struct sw_input){.name = "again", .bytes = sink.text.items, .length = sink.text.count}, NULL, &error);
    assert_non_null(again);
    assert_true(sw_problem_more_outside(again));
    sw_problem_unref(again);
    sw_sink_done(&sink);
    sw_problem_unref(problem);
    problem = must_load(
        &(struct model){.graphs = &graph, .graph_count = 1, .kinds = kinds, .kind_count = 3, .custom = "SignalWindow"},
        NULL);
    assert_true(noted(problem, "lacks 2 operators of it"));
    sw_problem_unref(problem);
    problem = must_load(&plain, NULL);
    assert_false(noted(problem, "refuses"));
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model),
        cmocka_unit_test(control_flow),
        cmocka_unit_test(signatures),
        cmocka_unit_test(an_arena),
        cmocka_unit_test(resources_and_variables),
        cmocka_unit_test(wrong),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(a_log),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(refused_by_the_interpreter),
        cmocka_unit_test(out_of_reach),
        cmocka_unit_test(inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
