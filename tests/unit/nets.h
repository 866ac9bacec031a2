/* TensorFlow Lite models of images, written byte by byte and aligned as the format wants. */
#ifndef SW_UNIT_NETS_H
#define SW_UNIT_NETS_H

#include "faults.h"
#include "unit/flat.h"

enum { INT32 = 2, INT8 = 9, FLOAT32 = 0, INT16 = 7, UINT8_TYPE = 3 };
enum {
    ADD = 0,
    AVERAGE_POOL = 1,
    CONCATENATION = 2,
    CONV = 3,
    DEPTHWISE = 4,
    MAX_POOL = 17,
    RELU = 19,
    PAD = 34,
    MEAN = 40,
    CUSTOM = 32
};
enum { SAME = 0, VALID = 1 };
enum { MOST_TENSORS = 24, MOST_OPS = 16 };

struct tensor {
    const char *name;
    int shape[4];
    int rank, type;
    int buffer;     /* 0: none; 1: weights; 2: paddings of one row and column all around */
    int zero_point; /* with a scale of 1/8; -1000: no quantization */
    bool open;      /* its height may change */
};
struct op {
    int kind; /* builtin code */
    int inputs[3], input_count, output;
    int options[7], option_count; /* 4 bytes each, -1: not there */
};
struct net {
    struct tensor tensors[MOST_TENSORS];
    int tensor_count;
    struct op ops[MOST_OPS];
    int op_count;
    int input, output;
    bool planned; /* with a plan, of `offsets` */
    int offsets[MOST_TENSORS];
    bool caller; /* a second subgraph, of the same tensors and operators, that operator 0 calls */
};

static inline size_t table(struct flat *flat, unsigned count) {
    while ((flat->count + 4 + 2 * (size_t)count) % 8 != 4) {
        grow(flat, 1);
    }
    return new_table(flat, count);
}

static inline void align_list(struct flat *flat, size_t unit) {
    while ((flat->count + 4) % unit != 0) {
        grow(flat, 1);
    }
}

static inline void refer_text(struct flat *flat, size_t at, unsigned field, const char *text) {
    align_list(flat, 4);
    refer(flat, at, field, new_text(flat, text));
    grow(flat, 1);
}

static inline void refer_numbers(struct flat *flat, size_t at, unsigned field, const int *list, size_t count) {
    align_list(flat, 4);
    numbers(flat, at, field, list, count);
}

static inline size_t add_list(struct flat *flat, size_t at, unsigned field, size_t count) {
    align_list(flat, 4);
    size_t list = new_list(flat, count, 4);
    refer(flat, at, field, list);
    return list;
}

static inline void add_tensors(struct flat *flat, size_t graph, const struct net *net) {
    size_t list = add_list(flat, graph, 0, (size_t)net->tensor_count);
    for (int i = 0; i < net->tensor_count; i++) {
        const struct tensor *tensor = &net->tensors[i];
        size_t at = table(flat, 8);
        refer_item(flat, list, (size_t)i, at);
        refer_numbers(flat, at, 0, tensor->shape, (size_t)tensor->rank);
        set(flat, at, 1, (uint64_t)tensor->type);
        set(flat, at, 2, (uint64_t)tensor->buffer);
        if (tensor->name) {
            refer_text(flat, at, 3, tensor->name);
        }
        if (tensor->open) {
            const int open[] = {1, -1, tensor->shape[2], tensor->shape[3]};
            refer_numbers(flat, at, 7, open, 4);
        }
        if (tensor->zero_point > -1000) {
            size_t quantization = table(flat, 4), numbers_at;
            refer(flat, at, 4, quantization);
            refer_numbers(flat, quantization, 2, (const int[]){0x3e000000}, 1);
            align_list(flat, 8);
            numbers_at = new_list(flat, 1, 8);
            put(flat, numbers_at + 4, (uint64_t)(int64_t)tensor->zero_point, 8);
            refer(flat, quantization, 3, numbers_at);
        }
    }
}

static inline void add_operators(struct flat *flat, size_t graph, const struct net *net, bool calls) {
    size_t list = add_list(flat, graph, 3, (size_t)net->op_count);
    for (int i = 0; i < net->op_count; i++) {
        const struct op *op = &net->ops[i];
        size_t at = table(flat, 5), options;
        refer_item(flat, list, (size_t)i, at);
        set(flat, at, 0, calls && i == 0 ? MOST_OPS : (uint64_t)i);
        refer_numbers(flat, at, 1, op->inputs, (size_t)op->input_count);
        refer_numbers(flat, at, 2, &op->output, 1);
        options = table(flat, 7);
        set(flat, at, 3, 1);
        refer(flat, at, 4, options);
        for (int k = 0; k < op->option_count && !(calls && i == 0); k++) {
            if (op->options[k] >= 0) {
                set(flat, options, (unsigned)k, (uint64_t)op->options[k]);
            }
        }
        if (calls && i == 0) {
            set(flat, options, 0, 1);
        }
    }
}

static inline void add_graph(struct flat *flat, size_t list, size_t number, const struct net *net, bool calls) {
    size_t graph = table(flat, 5);
    refer_item(flat, list, number, graph);
    refer_numbers(flat, graph, 1, &net->input, 1);
    refer_numbers(flat, graph, 2, &net->output, 1);
    refer_text(flat, graph, 4, number ? "inner" : "main");
    add_tensors(flat, graph, net);
    add_operators(flat, graph, net, calls);
}

static inline void add_bytes(struct flat *flat, size_t buffer, const int *words, size_t count) {
    align_list(flat, 16);
    size_t data = new_list(flat, 4 * count, 1);
    refer(flat, buffer, 0, data);
    for (size_t i = 0; i < count; i++) {
        put(flat, data + 4 + 4 * i, (uint64_t)(uint32_t)words[i], 4);
    }
}

static inline void write_net(struct flat *flat, const struct net *net) {
    static const int weights[] = {1, 2, 3, 4}, amounts[] = {0, 0, 1, 1, 1, 1, 0, 0}, begin[] = {0, 4, 0, 0},
                     size[] = {1, 4, 8, 4}, low[] = {0, 0, 0, 0};
    *flat = (struct flat){.count = 8};
    memcpy(flat->bytes + 4, "TFL3", 4);
    size_t root = table(flat, 8), list;
    put(flat, 0, root, 4);
    set(flat, root, 0, 3);
    list = add_list(flat, root, 1, MOST_OPS + 1); /* one kind for each operator, and CALL */
    for (int i = 0; i <= MOST_OPS; i++) {
        size_t code = table(flat, 4);
        refer_item(flat, list, (size_t)i, code);
        set(flat, code, 0, i == MOST_OPS ? 31 : (uint64_t)net->ops[i].kind);
        set(flat, code, 2, 1);
        set(flat, code, 3, i == MOST_OPS ? 31 : (uint64_t)net->ops[i].kind);
        if (i < MOST_OPS && net->ops[i].kind == CUSTOM) {
            refer_text(flat, code, 1, "mine");
        }
    }
    list = add_list(flat, root, 2, net->caller ? 2 : 1);
    add_graph(flat, list, 0, net, net->caller);
    if (net->caller) {
        add_graph(flat, list, 1, net, false);
    }
    refer_text(flat, root, 3, "made by hand");
    list = add_list(flat, root, 4, 7);
    const struct {
        const int *words;
        size_t count;
    } contents[] = {{NULL, 0}, {weights, 4}, {amounts, 8}, {begin, 4}, {size, 4}, {low, 4}};
    for (size_t i = 0; i < 6; i++) {
        size_t buffer = table(flat, 3);
        refer_item(flat, list, i, buffer);
        if (contents[i].words) {
            add_bytes(flat, buffer, contents[i].words, contents[i].count);
        }
    }
    size_t plan = table(flat, 1);
    refer_item(flat, list, 6, plan);
    int words[3 + MOST_TENSORS] = {0, 1, net->tensor_count};
    memcpy(words + 3, net->offsets, (size_t)net->tensor_count * sizeof *words);
    add_bytes(flat, plan, words, 3 + (size_t)net->tensor_count);
    list = add_list(flat, root, 6, 1);
    size_t entry = table(flat, 2);
    refer_item(flat, list, 0, entry);
    refer_text(flat, entry, 0, net->planned ? "OfflineMemoryAllocation" : "something else");
    set(flat, entry, 1, 6);
    while (flat->count % 8 != 0) {
        grow(flat, 1);
    }
}

/* x: conv SAME -> a: pad -> p: depthwise VALID, stride 2 -> b: conv -> c: add b -> d: max pool SAME -> e: mean -> y.
 * Rows of all but p are multiples of 16 bytes. */
static inline struct net plain_net(void) {
    struct net net = {.tensors = {{"x", {1, 24, 8, 4}, 4, INT8, 0, 3, false},
                                  {"a;fused", {1, 24, 8, 8}, 4, INT8, 0, -4, false},
                                  {"p", {1, 26, 10, 8}, 4, INT8, 0, -4, false},
                                  {"b", {1, 12, 4, 8}, 4, INT8, 0, 5, false},
                                  {"c", {1, 12, 4, 8}, 4, INT8, 0, 6, false},
                                  {"d", {1, 12, 4, 8}, 4, INT8, 0, 7, false},
                                  {"e", {1, 12, 4, 8}, 4, INT8, 0, 7, false},
                                  {"y", {1, 8}, 2, INT8, 0, 9, false},
                                  {"w0", {8, 3, 3, 4}, 4, INT8, 1, 0, false},
                                  {"w1", {1, 3, 3, 8}, 4, INT8, 1, 0, false},
                                  {"w2", {8, 1, 1, 8}, 4, INT8, 1, 0, false},
                                  {"amounts", {4, 2}, 2, INT32, 2, -1000, false},
                                  {"axes", {1}, 1, INT32, 5, -1000, false}},
                      .tensor_count = 13,
                      .ops = {{CONV, {0, 8, -1}, 3, 1, {SAME, 1, 1, 1, -1, -1}, 6},
                              {PAD, {1, 11}, 2, 2, {0}, 0},
                              {DEPTHWISE, {2, 9, -1}, 3, 3, {VALID, 2, 2, 1, 3, 1, 1}, 7},
                              {CONV, {3, 10, -1}, 3, 4, {VALID, 1, 1, 0, 1, 1}, 6},
                              {ADD, {4, 3}, 2, 5, {0}, 1},
                              {MAX_POOL, {5}, 1, 6, {-1, 1, 1, 3, 3, 0}, 6},
                              {MEAN, {6, 12}, 2, 7, {0}, 1}},
                      .op_count = 7,
                      .input = 0,
                      .output = 7};
    return net;
}

/* The same, but that the depthwise convolution pads by itself. */
static inline struct net same_net(void) {
    struct net net = plain_net();
    net.ops[1] = (struct op){RELU, {1}, 1, 2, {0}, 0};
    net.tensors[2] = (struct tensor){"p", {1, 24, 8, 8}, 4, INT8, 0, -4, false};
    net.ops[2].options[0] = SAME;
    return net;
}

static inline struct sw_problem *load_bytes(const char *bytes, size_t count) {
    struct sw_error error = {0};
    struct sw_input input = text_input(bytes, count);
    static const struct sw_load_options options = {
        .kernels = SW_KERNELS_NONE}; /* workspaces are named after operators by their numbers, which change */
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

/* x: slice rows 4 to 7 -> s: relu -> r, relu -> q: concatenation of r and q -> y: relu -> z. */
static inline struct net copies(void) {
    struct net net = {.tensors = {{"x", {1, 8, 8, 4}, 4, INT8, 0, 3, false},
                                  {"s", {1, 4, 8, 4}, 4, INT8, 0, 3, false},
                                  {"r", {1, 4, 8, 4}, 4, INT8, 0, 3, false},
                                  {"q", {1, 4, 8, 4}, 4, INT8, 0, 3, false},
                                  {"y", {1, 8, 8, 4}, 4, INT8, 0, 3, false},
                                  {"z", {1, 8, 8, 4}, 4, INT8, 0, 3, false},
                                  {"begin", {4}, 1, INT32, 3, -1000, false},
                                  {"size", {4}, 1, INT32, 4, -1000, false}},
                      .tensor_count = 8,
                      .ops = {{65, {0, 6, 7}, 3, 1, {0}, 0},
                              {RELU, {1}, 1, 2, {0}, 0},
                              {RELU, {1}, 1, 3, {0}, 0},
                              {CONCATENATION, {2, 3}, 2, 4, {1, 0}, 2},
                              {RELU, {4}, 1, 5, {0}, 0}},
                      .op_count = 5,
                      .input = 0,
                      .output = 5,
                      .planned = true,
                      .offsets = {0, 128, 256, 384, 256, 0, -1, -1}};
    return net;
}

/* The plan in the file breaks no rule. */
static inline void assert_valid(const struct sw_problem *problem, bool valid) {
    struct sw_error error = {0};
    struct sw_layout *layout = sw_layout_new(problem, &error);
    assert_non_null(layout);
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        assert_true(sw_layout_place(layout, b, 0, sw_problem_buffer(problem, b)->offset));
    }
    assert_int_equal(sw_fault_count(layout, NULL, NULL) == 0, valid);
    sw_layout_free(layout);
}

#endif
