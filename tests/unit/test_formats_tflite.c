/* TensorFlow Lite models, written here byte by byte: what is read, joined and written back. */
#include "formats/graphs/graph_json.h"
#include "problem/change/whole_order.h"
#include "unit/flat.h"
#include "unit/noted.h"

#include <stdlib.h>
#include <unistd.h>

struct tensor {
    int type, length; /* of one dimension; 0: none */
    int buffer;
    bool variable;
    const char *name;
};
struct op {
    int code; /* index of the kinds */
    int inputs[4], input_count;
    int outputs[2], output_count;
    int calls[2];
    int options; /* the field of the options; 0: none */
};
struct graph {
    const struct tensor *tensors;
    size_t tensor_count;
    const struct op *ops;
    size_t op_count;
    int inputs[2], input_count;
    int outputs[2], output_count;
    const char *name;
};
struct model {
    const struct graph *graphs;
    size_t graph_count;
    const int *kinds; /* builtin codes; 32 is custom */
    size_t kind_count;
    const char *custom;
    const int *plan; /* offsets; NULL: none */
    size_t plan_count;
    uint64_t external; /* where buffer 2 lies behind the file; 0: it is not there */
};
enum { RESOURCE = 13, FLOAT = 0, UINT8 = 3, TEXT = 5, INT8 = 9, INT4 = 17 };

static void add_tensors(struct flat *flat, size_t graph, const struct graph *from) {
    size_t list = new_list(flat, from->tensor_count, 4);
    refer(flat, graph, 0, list);
    for (size_t i = 0; i < from->tensor_count; i++) {
        const struct tensor *tensor = &from->tensors[i];
        size_t table = new_table(flat, 8);
        refer_item(flat, list, i, table);
        NUMBERS(flat, table, 0, tensor->length);
        set(flat, table, 1, (uint64_t)tensor->type);
        set(flat, table, 2, (uint64_t)tensor->buffer);
        if (tensor->name) {
            refer(flat, table, 3, new_text(flat, tensor->name));
        }
        set(flat, table, 5, tensor->variable);
    }
}

static void add_operators(struct flat *flat, size_t graph, const struct graph *from) {
    size_t list = new_list(flat, from->op_count, 4);
    refer(flat, graph, 3, list);
    for (size_t i = 0; i < from->op_count; i++) {
        const struct op *op = &from->ops[i];
        size_t table = new_table(flat, 13);
        refer_item(flat, list, i, table);
        set(flat, table, 0, (uint64_t)op->code);
        numbers(flat, table, 1, op->inputs, (size_t)op->input_count);
        numbers(flat, table, 2, op->outputs, (size_t)op->output_count);
        if (op->options) {
            size_t options = new_table(flat, 2);
            set(flat, options, 0, (uint64_t)op->calls[0]);
            set(flat, options, 1, (uint64_t)op->calls[1]);
            refer(flat, table, (unsigned)op->options, options);
        }
    }
}

static void add_plan(struct flat *flat, size_t root, size_t buffers, const struct model *model) {
    size_t buffer = new_table(flat, 1), metadata = new_list(flat, 1, 4), entry;
    refer_item(flat, buffers, 3, buffer);
    refer(flat, root, 6, metadata);
    entry = new_table(flat, 2);
    refer_item(flat, metadata, 0, entry);
    set(flat, entry, 1, 3);
    refer(flat, entry, 0, new_text(flat, "OfflineMemoryAllocation"));
    size_t data = new_list(flat, 4 * (3 + model->plan_count), 1);
    refer(flat, buffer, 0, data);
    put(flat, data + 4 + 8, model->plan_count, 4);
    for (size_t i = 0; i < model->plan_count; i++) {
        put(flat, data + 16 + 4 * i, (uint64_t)(uint32_t)model->plan[i], 4);
    }
}

static void write_model(struct flat *flat, const struct model *model) {
    *flat = (struct flat){.count = 8};
    memcpy(flat->bytes + 4, "TFL3", 4);
    size_t root = new_table(flat, 8);
    put(flat, 0, root, 4);
    set(flat, root, 0, 3);
    size_t kinds = new_list(flat, model->kind_count, 4);
    refer(flat, root, 1, kinds);
    for (size_t i = 0; i < model->kind_count; i++) {
        size_t kind = new_table(flat, 4);
        refer_item(flat, kinds, i, kind);
        set(flat, kind, 0, (uint64_t)(model->kinds[i] < 127 ? model->kinds[i] : 127));
        set(flat, kind, 3, (uint64_t)model->kinds[i]);
        if (model->kinds[i] == 32) {
            refer(flat, kind, 1, new_text(flat, model->custom));
        }
    }
    size_t graphs = new_list(flat, model->graph_count, 4);
    refer(flat, root, 2, graphs);
    for (size_t g = 0; g < model->graph_count; g++) {
        const struct graph *from = &model->graphs[g];
        size_t graph = new_table(flat, 5);
        refer_item(flat, graphs, g, graph);
        numbers(flat, graph, 1, from->inputs, (size_t)from->input_count);
        numbers(flat, graph, 2, from->outputs, (size_t)from->output_count);
        if (from->name) {
            refer(flat, graph, 4, new_text(flat, from->name));
        }
        add_tensors(flat, graph, from);
        add_operators(flat, graph, from);
    }
    /* Buffer 0 is empty, 1 holds bytes, 2 lies behind the file or is empty. */
    size_t buffers = new_list(flat, model->plan ? 4 : 3, 4);
    refer(flat, root, 4, buffers);
    for (size_t i = 0; i < 3; i++) {
        size_t buffer = new_table(flat, 3);
        refer_item(flat, buffers, i, buffer);
        if (i == 1) {
            refer(flat, buffer, 0, new_text(flat, "weights"));
        } else if (i == 2 && model->external) {
            set(flat, buffer, 1, model->external);
            set(flat, buffer, 2, 4);
        }
    }
    if (model->plan) {
        add_plan(flat, root, buffers, model);
    }
}

static struct sw_problem *load(const struct flat *flat, size_t length, const struct sw_load_options *options,
                               struct sw_error *error) {
    struct sw_input input = text_input((const char *)flat->bytes, length);
    return sw_load_input(&input, options, error);
}

static struct sw_problem *must_load(const struct model *model, const struct sw_load_options *options) {
    struct flat flat;
    struct sw_error error = {0};
    write_model(&flat, model);
    struct sw_problem *problem = load(&flat, flat.count, options, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static void must_not_load(const struct model *model, const char *words) {
    struct flat flat;
    struct sw_error error = {0};
    write_model(&flat, model);
    assert_null(load(&flat, flat.count, NULL, &error));
    assert_int_equal(error.code, SW_ERROR_INPUT);
    assert_string_equal(error.file, "file");
    if (!strstr(error.message, words)) {
        fail_msg("wanted %s\ngot    %s", words, error.message);
    }
}

static void assert_life(const struct sw_problem *problem, const char *name, uint32_t first, uint32_t last,
                        uint64_t size) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    if (buffer->first != first || buffer->last != last || buffer->size != size) {
        fail_msg("%s lives %u..%u with %d bytes", name, buffer->first, buffer->last, (int)buffer->size);
    }
}

/* conv reads x and weights, writes a; relu a -> b; add reads b, a variable and nothing, writes y.
 */
static const struct tensor plain_tensors[] = {
    {INT8, 100, 0, false, "x"},   {INT8, 7, 1, false, "w"},      {INT8, 65, 0, false, "a;fused;b"},
    {INT8, 65, 0, false, "b"},    {FLOAT, 10, 0, true, "state"}, {INT4, 5, 0, false, NULL},
    {INT8, 0, 0, false, "empty"}, {UINT8, 9, 0, false, "idle"},  {FLOAT, 3, 2, false, "far"},
};
static const struct op plain_ops[] = {
    {0, {0, 1, -1}, 3, {2}, 1, {0, 0}, 0},
    {1, {2}, 1, {3}, 1, {0, 0}, 0},
    {2, {3, 4, -1, 8}, 4, {5, 6}, 2, {0, 0}, 0},
};
static const struct graph plain_graph = {
    plain_tensors, COUNT(plain_tensors), plain_ops, COUNT(plain_ops), {0}, 1, {5}, 1, "main"};
static const int plain_kinds[] = {3, 19, 0};
static const struct model plain = {
    .graphs = &plain_graph, .graph_count = 1, .kinds = plain_kinds, .kind_count = 3, .external = 4096};

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

/* while(x): its condition and its body have tensors of their own; the loop's arguments and results
 * last until both are done. */
static const struct tensor outer_tensors[] = {{INT8, 16, 0, false, "x"}, {INT8, 16, 0, false, "y"}};
static const struct tensor cond_tensors[] = {{INT8, 16, 0, false, "x"}, {INT8, 1, 0, false, "go"}};
static const struct tensor body_tensors[] = {
    {INT8, 16, 0, false, "x"}, {INT8, 64, 0, false, "wide"}, {INT8, 16, 0, false, "x"}};
static const struct op outer_ops[] = {{0, {0}, 1, {1}, 1, {1, 2}, 4}};
static const struct op cond_ops[] = {{1, {0}, 1, {1}, 1, {0, 0}, 0}};
static const struct op body_ops[] = {{1, {0}, 1, {1}, 1, {0, 0}, 0}, {1, {1}, 1, {2}, 1, {0, 0}, 0}};
static const struct graph loop_graphs[] = {
    {outer_tensors, 2, outer_ops, 1, {0}, 1, {1}, 1, NULL},
    {cond_tensors, 2, cond_ops, 1, {0}, 1, {1}, 1, "cond"},
    {body_tensors, 3, body_ops, 2, {0}, 1, {2}, 1, NULL},
};
static const int loop_kinds[] = {119, 3};
static const struct model loop = {.graphs = loop_graphs, .graph_count = 3, .kinds = loop_kinds, .kind_count = 2};

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
        struct sw_problem *problem = load(&flat, flat.count, NULL, &error);
        done = problem != NULL;
        sw_problem_unref(problem);
        sw_mem_hook(NULL, NULL);
        assert_true(done ? !limit.hit : error.code == SW_ERROR_MEMORY);
    }
}

/* ---- files ---- */

static char folder[] = "/tmp/stowage-tflite-XXXXXX";

static const char *path_of(const char *name) {
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void save(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
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
    char path[64];
    snprintf(path, sizeof path, "%s", path_of("log"));
    save("log", log_text, strlen(log_text));
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
        save("log", text, strlen(text));
        struct flat flat;
        struct sw_error error = {0};
        write_model(&flat, &plain);
        assert_null(load(&flat, flat.count, &options, &error));
        assert_string_equal(error.file, path);
        assert_int_equal(error.line, cases[i].line);
        if (!strstr(error.message, cases[i].words)) {
            fail_msg("wanted %s\ngot    %s", cases[i].words, error.message);
        }
    }
}

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

static bool write_plan(const struct sw_problem *problem, const char *source, uint64_t shift, struct sw_sink *sink,
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
    save("model", flat.bytes, flat.count);
    char source[64];
    snprintf(source, sizeof source, "%s", path_of("model"));
    struct sw_problem *problem = must_load(&plain, NULL);
    for (int round = 0; round < 2; round++) {
        struct sw_sink sink = {0}, said = {0};
        if (!write_plan(problem, source, 32, &sink, &said, &error)) {
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
        save("model", sink.text.items, sink.text.count);
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
    save("model", flat.bytes, flat.count);
    save("other", "{}", 2);
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
        assert_false(write_plan(cases[i].problem, cases[i].source, cases[i].shift, &sink, &said, &error));
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
    save("model", flat.bytes, flat.count);
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

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"log", "model", "other", "order", "branches"};
    for (size_t i = 0; i < COUNT(names); i++) {
        unlink(path_of(names[i]));
    }
    return rmdir(folder);
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
    save("branches", flat.bytes, flat.count);
    snprintf(source, sizeof source, "%s", path_of("branches"));
    save("order", lines, sizeof lines - 1);
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
        cmocka_unit_test(a_model),
        cmocka_unit_test(control_flow),
        cmocka_unit_test(signatures),
        cmocka_unit_test(an_arena),
        cmocka_unit_test(resources_and_variables),
        cmocka_unit_test(wrong),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(a_log),
        cmocka_unit_test(a_plan),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(ties_without_buffers),
        cmocka_unit_test(refused_by_the_interpreter),
        cmocka_unit_test(orders_of_untouched),
        cmocka_unit_test(another_order),
        cmocka_unit_test(a_plan_in_order),
        cmocka_unit_test(no_plan),
        cmocka_unit_test(of_subgraphs),
        cmocka_unit_test(out_of_reach),
        cmocka_unit_test(inputs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
