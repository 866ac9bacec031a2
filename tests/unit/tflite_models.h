/* What the tests of reading and of writing TensorFlow Lite models share: models, written byte by byte as graphs of few
 * tensors, and the two of them that most cases take. */
#ifndef SW_UNIT_TFLITE_MODELS_H
#define SW_UNIT_TFLITE_MODELS_H

#include "unit/flat.h"

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

static inline void add_tensors(struct flat *flat, size_t graph, const struct graph *from) {
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

static inline void add_operators(struct flat *flat, size_t graph, const struct graph *from) {
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

static inline void add_plan(struct flat *flat, size_t root, size_t buffers, const struct model *model) {
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

static inline void write_model(struct flat *flat, const struct model *model) {
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

static inline struct sw_problem *load_flat(const struct flat *flat, size_t length,
                                           const struct sw_load_options *options, struct sw_error *error) {
    struct sw_input input = text_input((const char *)flat->bytes, length);
    return sw_load_input(&input, options, error);
}

static inline struct sw_problem *must_load(const struct model *model, const struct sw_load_options *options) {
    struct flat flat;
    struct sw_error error = {0};
    write_model(&flat, model);
    struct sw_problem *problem = load_flat(&flat, flat.count, options, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static inline void assert_life(const struct sw_problem *problem, const char *name, uint32_t first, uint32_t last,
                               uint64_t size) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    if (buffer->first != first || buffer->last != last || buffer->size != size) {
        fail_msg("%s lives %u..%u with %d bytes", name, buffer->first, buffer->last, (int)buffer->size);
    }
}

static inline void save_file(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* conv reads x and weights, writes a; relu a -> b; add reads b, a variable and nothing, writes y. */
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

#endif
