/* ONNX models in strips of rows. The nodes of a region are taken out, and nodes on strips stand where the last of them
 * stood. Weights, names, opsets and metadata are not touched. */
#include "formats/onnx/write/onnx_fit.h"
#include "base/base.h"
#include "formats/text/unique.h"

enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_KIND = 4, NODE_ATTRIBUTE = 5 };
enum { GRAPH_NODE = 1, MODEL_GRAPH = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_INT = 3, ATTRIBUTE_TENSOR = 5, ATTRIBUTE_INTS = 8, ATTRIBUTE_TYPE = 20 };
enum { IS_INT = 2, IS_TENSOR = 4, IS_INTS = 7 };
enum { SLICE_OF_INPUTS = 10 };           /* the opset from which on Slice takes its numbers as tensors */
#define LARGEST_ONNX ((size_t)INT32_MAX) /* of a file of Protocol Buffers */

struct onnx_strips {
    struct onnx_fit fit;
    struct sw_unique names;              /* of all tensors, old and new */
    const char **value_name;             /* of each value of the program that is no tensor of the model */
    SW_ARRAY(int64_t) numbers;           /* that slices take as tensors, each once, */
    SW_ARRAY(const char *) number_names; /* and their names */
    struct sw_sink graph;                /* the new one */
};

static struct sw_pb_bytes pb_bytes_of(const char *text) {
    return (struct sw_pb_bytes){(const unsigned char *)text, strlen(text)};
}

/* ---- Protocol Buffers ---- */

static void put_varint(struct sw_sink *sink, uint64_t value) {
    do {
        char byte = (char)((value & 127) | (value > 127 ? 128 : 0));
        sw_sink_add(sink, &byte, 1);
        value >>= 7;
    } while (value > 0);
}

static void put_int(struct sw_sink *sink, unsigned field, int64_t value) {
    put_varint(sink, (uint64_t)field << 3 | SW_PB_VARINT);
    put_varint(sink, (uint64_t)value);
}

static void put_pb_bytes(struct sw_sink *sink, unsigned field, struct sw_pb_bytes bytes) {
    put_varint(sink, (uint64_t)field << 3 | SW_PB_BYTES);
    put_varint(sink, bytes.length);
    sw_sink_add(sink, bytes.length ? (const char *)bytes.at : "", bytes.length);
}

static void put_pb_text(struct sw_sink *sink, unsigned field, const char *text) {
    put_pb_bytes(sink, field, pb_bytes_of(text));
}

/* A message within another one; it is done. */
static void put_message(struct sw_sink *sink, unsigned field, struct sw_sink *message) {
    put_pb_bytes(sink, field, (struct sw_pb_bytes){(const unsigned char *)message->text.items, message->text.count});
    sink->failed = sink->failed || message->failed;
    sw_sink_done(message);
}

static void put_raw(struct sw_sink *sink, struct sw_pb_bytes bytes) {
    sw_sink_add(sink, (const char *)bytes.at, bytes.length);
}

static void put_ints(struct sw_sink *node, const char *name, const int64_t *items, size_t count) {
    struct sw_sink attribute = {0};
    put_pb_text(&attribute, ATTRIBUTE_NAME, name);
    for (size_t i = 0; i < count; i++) {
        put_int(&attribute, ATTRIBUTE_INTS, items[i]);
    }
    put_int(&attribute, ATTRIBUTE_TYPE, IS_INTS);
    put_message(node, NODE_ATTRIBUTE, &attribute);
}

/* ---- which nodes and values ---- */

static struct sw_quote quote_op(const struct onnx_fit *fit, uint32_t op) {
    return onnx_quote(pb_bytes_of(sw_problem_operator(fit->program->problem, op)->name));
}

struct sw_quote onnx_fit_call(const struct onnx_fit *fit, uint32_t call) {
    char name[1024];
    sw_fit_call_name(fit->program, call, name, sizeof name);
    return onnx_quote(pb_bytes_of(name));
}

/* The operators of the problem are the nodes that run, in their order and by their names. */
static bool find_cut_nodes(struct onnx_strips *w, const struct sw_problem *problem) {
    struct onnx_model *model = &w->fit.model;
    uint32_t count = sw_problem_operator_count(problem), at = 0;
    struct sw_unique names = {0};
    w->fit.node_of = sw_arena_new(&model->arena, (size_t)count + 1, sizeof *w->fit.node_of);
    bool good = w->fit.node_of || onnx_fail_memory(model);
    for (size_t n = 0; good && n < model->nodes.count; n++) {
        if (!model->nodes.items[n].live) {
            continue;
        }
        const char *name = sw_unique_name(&names, &model->arena, onnx_node_name(model, &model->nodes.items[n]));
        good = name || onnx_fail_memory(model);
        if (good && (at == count || strcmp(name, sw_problem_operator(problem, at)->name) != 0)) {
            good = onnx_fail(model, "the operators are in another order than in the file: write that order first "
                                    "(stowage convert --order), and fit what comes out");
        }
        if (good) {
            w->fit.node_of[at++] = (uint32_t)n;
        }
    }
    sw_unique_done(&names);
    return good && (at == count || onnx_fail(model, "its operators are not those that were cut"));
}

static const struct onnx_node *node_of_op(const struct onnx_fit *fit, uint32_t op) {
    return &fit->model.nodes.items[fit->node_of[op]];
}

/* Note that the buffer is that value of the file. Only a value that has the same shape in every run may be cut. */
static bool take_value(struct onnx_strips *w, uint32_t op, uint32_t buffer, uint32_t value) {
    struct onnx_model *model = &w->fit.model;
    const struct onnx_value *v = &model->values.items[value];
    if (w->fit.value_of[buffer] != SW_NONE && w->fit.value_of[buffer] != value) {
        return onnx_fail(model, "%s reads or makes another tensor in the file", quote_op(&w->fit, op).text);
    }
    if (v->alias != SW_NONE || v->bounded || v->steered || !v->shape.known || !onnx_plain(v)) {
        return onnx_fail(model,
                         "%s works on %s, a tensor of no fixed shape: only tensors of one shape are cut into strips",
                         quote_op(&w->fit, op).text, onnx_quote(v->name).text);
    }
    w->fit.value_of[buffer] = value;
    return true;
}

/* Note the values of an operator's buffers. Its arguments are the node's inputs that are planned, each once and in
 * their order. */
static bool take_values(struct onnx_strips *w, uint32_t op) {
    struct onnx_model *model = &w->fit.model;
    const struct sw_operator *operator_ = sw_problem_operator(w->fit.program->problem, op);
    const struct onnx_node *node = node_of_op(&w->fit, op);
    const uint32_t *inputs = model->arguments.items + node->first_input;
    uint32_t taken = 0;
    bool good = node->output_count == 1 && operator_->output_count == 1;
    for (uint32_t i = 0; good && i < node->input_count; i++) {
        bool counts = inputs[i] != SW_NONE && !model->values.items[inputs[i]].constant;
        for (uint32_t k = 0; counts && k < i; k++) {
            counts = inputs[k] != inputs[i];
        }
        if (counts) {
            good = taken < operator_->input_count;
            if (good && !take_value(w, op, operator_->inputs[taken++].buffer, inputs[i])) {
                return false;
            }
        }
    }
    if (!good || taken != operator_->input_count) {
        return onnx_fail(model, "%s has other arguments in the file", quote_op(&w->fit, op).text);
    }
    return take_value(w, op, operator_->outputs[0].buffer, model->arguments.items[node->first_output]);
}

/* A model cannot be cut if an input has an open number of rows or columns. An open number of images does not matter to
 * strips. */
static bool check_inputs(struct onnx_model *model) {
    for (size_t i = 0; i < model->open.count; i++) {
        const struct onnx_open *open = &model->open.items[i];
        if (open->axis > 0) {
            return onnx_fail(model,
                             "the input %s leaves its dimension %u open in the file: only a model with inputs of fixed "
                             "shape is cut into strips",
                             onnx_quote(open->tensor).text, (unsigned)open->axis);
        }
    }
    return true;
}

/* Some runtimes count a window that begins in the padding behind the image, and others do not: the rows of the result
 * are not known then. */
static bool agrees(struct onnx_model *model, struct onnx_node *node) {
    struct onnx_step step = {.model = model, .node = node};
    const struct onnx_value *x = onnx_in(&step, 0);
    struct sw_pb_bytes mode = onnx_string(model, node, "auto_pad");
    struct sw_op_window w;
    bool pool = sw_pb_equal(node->kind, "MaxPool") || sw_pb_equal(node->kind, "AveragePool") ||
                sw_pb_equal(node->kind, "LpPool");
    bool same = sw_pb_equal(mode, "SAME_UPPER") || sw_pb_equal(mode, "SAME_LOWER");
    if (!pool || same || onnx_int(model, node, "ceil_mode", 0) == 0 || !x || !x->shape.known ||
        x->shape.rank != ONNX_IMAGE || !onnx_sliding_window(&step, x, NULL, &w)) {
        return true;
    }
    for (int i = 0; i < 2; i++) {
        int64_t length = x->shape.dims[ONNX_ROWS + i] + w.before[i],
                room = length + w.after[i] - (int64_t)(w.kernel[i] - 1) * w.dilation[i] - 1;
        if (room > 0 && room % w.stride[i] != 0 && (room / w.stride[i] + 1) * w.stride[i] >= length) {
            return false;
        }
    }
    return true;
}

static bool check_pools(struct onnx_model *model) {
    for (size_t i = 0; i < model->nodes.count; i++) {
        struct onnx_node *node = &model->nodes.items[i];
        if (node->live && !agrees(model, node)) {
            const char *name = onnx_node_name(model, node);
            return name && onnx_fail(model,
                                     "%s is a pool with ceil_mode, and its last window begins behind the image: "
                                     "runtimes do not agree whether it counts",
                                     onnx_quote(pb_bytes_of(name)).text);
        }
    }
    return true;
}

/* SW_NONE: it is in none. */
static uint32_t region_of_op(const struct sw_fit_program *program, uint32_t op) {
    for (size_t r = 0; r < program->region_count && op != SW_NONE; r++) {
        if (op >= program->regions[r].first && op <= program->regions[r].last) {
            return (uint32_t)r;
        }
    }
    return SW_NONE;
}

/* The operator that a node of the graph is; SW_NONE: none, or several. */
static uint32_t op_of(const struct onnx_tops *tops, uint32_t top) {
    return tops->items.items[top].operators == 1 ? tops->items.items[top].last : SW_NONE;
}

/* A tensor inside of a region is there in strips only, so nothing outside may read it. That includes nodes that are no
 * operators of the problem, such as Shape. */
static bool check_readers(struct onnx_strips *w) {
    const struct onnx_tops *tops = &w->fit.tops;
    const struct sw_fit_program *program = w->fit.program;
    for (uint32_t top = 0; top < tops->items.count; top++) {
        uint32_t own = region_of_op(program, op_of(tops, top));
        for (size_t i = onnx_top_reads(tops, top); i < tops->sorted->ends.items[top]; i++) {
            uint32_t maker = tops->sorted->reads.items[i], op = op_of(tops, maker), region = region_of_op(program, op);
            if (region != SW_NONE && region != own && op != program->regions[region].last) {
                return onnx_fail(&w->fit.model, "%s reads the result of %s, which would be there in strips only",
                                 onnx_quote(onnx_name_of(tops->items.items[top].body)).text,
                                 onnx_quote(onnx_name_of(tops->items.items[maker].body)).text);
            }
        }
    }
    return true;
}

static bool check_regions(struct onnx_strips *w) {
    struct onnx_model *model = &w->fit.model;
    const struct sw_fit_program *program = w->fit.program;
    uint32_t buffers = sw_problem_buffer_count(program->problem);
    w->fit.value_of = sw_arena_new(&model->arena, (size_t)buffers + 1, sizeof *w->fit.value_of);
    if (!w->fit.value_of) {
        return onnx_fail_memory(model);
    }
    for (uint32_t b = 0; b < buffers; b++) {
        w->fit.value_of[b] = SW_NONE;
    }
    for (size_t r = 0; r < program->region_count; r++) {
        for (uint32_t op = program->regions[r].first; op <= program->regions[r].last; op++) {
            const struct onnx_node *node = node_of_op(&w->fit, op);
            const struct onnx_top *top = &w->fit.tops.items.items[w->fit.tops.owner[op]];
            if (node->body.at != top->body.at || top->operators != 1) {
                return onnx_fail(model,
                                 "%s is part of a branch, a loop or a function: only nodes of the graph itself are "
                                 "written in strips",
                                 quote_op(&w->fit, op).text);
            }
            if (!take_values(w, op)) {
                return false;
            }
        }
    }
    return check_readers(w);
}

/* ---- names ---- */

/* New names must differ from all names in the file, those in bodies included: where one is taken, a number follows it.
 */
static bool name_values(struct onnx_strips *w) {
    struct onnx_model *model = &w->fit.model;
    const struct sw_fit_program *program = w->fit.program;
    w->value_name = sw_arena_new(&model->arena, program->values.count + 1, sizeof *w->value_name);
    if (!w->value_name) {
        return onnx_fail_memory(model);
    }
    for (size_t i = 0; i < model->values.count; i++) {
        if (!sw_unique_name(&w->names, &model->arena, onnx_text(model, model->values.items[i].name))) {
            return onnx_fail_memory(model);
        }
    }
    for (uint32_t v = 0; v < program->values.count; v++) {
        if (program->values.items[v].whole) {
            continue;
        }
        size_t size = (size_t)sw_fit_value_name(program, v, NULL, 0) + 1;
        char *name = sw_arena_new(&model->arena, size, 1);
        if (name) {
            sw_fit_value_name(program, v, name, size);
        }
        w->value_name[v] = sw_unique_name(&w->names, &model->arena, name);
        if (!w->value_name[v]) {
            return onnx_fail_memory(model);
        }
    }
    return true;
}

static struct sw_pb_bytes strip_name(const struct onnx_strips *w, uint32_t value) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    return v->whole ? w->fit.model.values.items[w->fit.value_of[v->buffer]].name : pb_bytes_of(w->value_name[value]);
}

/* ---- nodes ---- */

/* A number as a tensor of one element. SW_NONE: no memory. */
static uint32_t number_tensor(struct onnx_strips *w, int64_t number) {
    struct onnx_model *model = &w->fit.model;
    for (uint32_t i = 0; i < w->numbers.count; i++) {
        if (w->numbers.items[i] == number) {
            return i;
        }
    }
    const char *name =
        sw_unique_name(&w->names, &model->arena, sw_unique_printf(&model->arena, "rows/%" PRId64, number));
    return name && SW_PUSH(&w->numbers, number) && SW_PUSH(&w->number_names, name) ? (uint32_t)w->numbers.count - 1
                                                                                   : SW_NONE;
}

/* A node that makes the number. */
static void put_constant_node(struct sw_sink *graph, int64_t number, const char *name) {
    struct sw_sink node = {0}, attribute = {0}, tensor = {0};
    unsigned char raw[8];
    for (int i = 0; i < 8; i++) {
        raw[i] = (unsigned char)((uint64_t)number >> (8 * i));
    }
    put_int(&tensor, 1, 1);
    put_int(&tensor, 2, ONNX_INT64);
    put_pb_bytes(&tensor, 9, (struct sw_pb_bytes){raw, sizeof raw});
    put_pb_text(&attribute, ATTRIBUTE_NAME, "value");
    put_message(&attribute, ATTRIBUTE_TENSOR, &tensor);
    put_int(&attribute, ATTRIBUTE_TYPE, IS_TENSOR);
    put_pb_text(&node, NODE_OUTPUT, name);
    put_pb_text(&node, NODE_NAME, name);
    put_pb_text(&node, NODE_KIND, "Constant");
    put_message(&node, NODE_ATTRIBUTE, &attribute);
    put_message(graph, GRAPH_NODE, &node);
}

/* The whole name of a call. Where memory lacks, the node fails. */
static void put_call_name(struct onnx_strips *w, struct sw_sink *node, uint32_t number) {
    size_t size = (size_t)sw_fit_call_name(w->fit.program, number, NULL, 0) + 1;
    char *name = sw_arena_new(&w->fit.model.arena, size, 1);
    node->failed = node->failed || !name;
    if (name) {
        sw_fit_call_name(w->fit.program, number, name, size);
        put_pb_text(node, NODE_NAME, name);
    }
}

/* The rest of a new node. Its inputs are written already. */
static void end_fresh(struct onnx_strips *w, uint32_t number, struct sw_sink *node, const char *kind) {
    put_pb_bytes(node, NODE_OUTPUT, strip_name(w, w->fit.program->calls.items[number].output));
    put_call_name(w, node, number);
    put_pb_text(node, NODE_KIND, kind);
}

static bool put_slice(struct onnx_strips *w, struct sw_sink *nodes, uint32_t number) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = &program->calls.items[number];
    uint32_t input = program->inputs.items[call->first_input];
    const struct sw_fit_value *from = &program->values.items[input], *to = &program->values.items[call->output];
    const int64_t numbers[3] = {to->rows.lo - from->rows.lo, to->rows.hi - from->rows.lo, ONNX_ROWS};
    static const char *const names[3] = {"starts", "ends", "axes"};
    bool tensors = w->fit.model.scopes.items[0].opset >= SLICE_OF_INPUTS;
    struct sw_sink node = {0};
    put_pb_bytes(&node, NODE_INPUT, strip_name(w, input));
    for (int i = 0; i < 3 && tensors; i++) {
        uint32_t tensor = number_tensor(w, numbers[i]);
        if (tensor == SW_NONE) {
            sw_sink_done(&node);
            return onnx_fail_memory(&w->fit.model);
        }
        put_pb_text(&node, NODE_INPUT, w->number_names.items[tensor]);
    }
    end_fresh(w, number, &node, "Slice");
    for (int i = 0; i < 3 && !tensors; i++) {
        put_ints(&node, names[i], &numbers[i], 1);
    }
    put_message(nodes, GRAPH_NODE, &node);
    return true;
}

static void put_join(struct onnx_strips *w, struct sw_sink *nodes, uint32_t number) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = &program->calls.items[number];
    struct sw_sink node = {0}, attribute = {0};
    for (uint32_t i = 0; i < call->input_count; i++) {
        put_pb_bytes(&node, NODE_INPUT, strip_name(w, program->inputs.items[call->first_input + i]));
    }
    end_fresh(w, number, &node, "Concat");
    put_pb_text(&attribute, ATTRIBUTE_NAME, "axis");
    put_int(&attribute, ATTRIBUTE_INT, ONNX_ROWS);
    put_int(&attribute, ATTRIBUTE_TYPE, IS_INT);
    put_message(&node, NODE_ATTRIBUTE, &attribute);
    put_message(nodes, GRAPH_NODE, &node);
}

/* An attribute that says how an operator pads. */
static bool is_pad_attribute(struct sw_pb_bytes attribute) {
    return sw_pb_in(sw_pb_last(attribute, ATTRIBUTE_NAME), "pads auto_pad");
}

/* Input i of a node, on a strip. */
static struct sw_pb_bytes strip_input(const struct onnx_strips *w, const struct sw_fit_call *call, uint32_t i,
                                      struct sw_pb_bytes name) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_operator *op = sw_problem_operator(program->problem, call->op);
    const struct onnx_node *node = node_of_op(&w->fit, call->op);
    uint32_t value = onnx_input(&w->fit.model, node, i);
    for (uint32_t k = 0; k < op->input_count && value != SW_NONE; k++) {
        if (w->fit.value_of[op->inputs[k].buffer] == value) {
            return strip_name(w, program->inputs.items[call->first_input + k]);
        }
    }
    return name;
}

/* Copy the fields of a node, without its inputs, its output, its name and its attributes of padding. */
static void put_run(struct onnx_strips *w, struct sw_sink *nodes, uint32_t number) {
    const struct sw_fit_call *call = &w->fit.program->calls.items[number];
    const struct onnx_node *old = node_of_op(&w->fit, call->op);
    bool slides = onnx_fit_slides(old), named = false;
    struct sw_pb pb = sw_pb_open(old->body);
    struct sw_pb_field field;
    struct sw_sink node = {0};
    uint32_t inputs = 0;
    for (const unsigned char *begin = pb.at; sw_pb_next(&pb, &field); begin = pb.at) {
        bool bytes = field.wire == SW_PB_BYTES;
        if (bytes && field.number == NODE_INPUT) {
            put_pb_bytes(&node, NODE_INPUT, strip_input(w, call, inputs++, field.bytes));
        } else if (bytes && field.number == NODE_OUTPUT) {
            put_pb_bytes(&node, NODE_OUTPUT, strip_name(w, call->output));
        } else if (bytes && field.number == NODE_NAME) {
            if (!named) {
                put_call_name(w, &node, number);
            }
            named = true;
        } else if (!(bytes && field.number == NODE_ATTRIBUTE && slides && is_pad_attribute(field.bytes))) {
            put_raw(&node, (struct sw_pb_bytes){begin, (size_t)(pb.at - begin)});
        }
    }
    if (!named) {
        put_call_name(w, &node, number);
    }
    const int64_t pads[4] = {call->above, call->left, call->below, call->right};
    if (slides && (pads[0] | pads[1] | pads[2] | pads[3]) != 0) {
        put_ints(&node, "pads", pads, 4);
    }
    put_message(nodes, GRAPH_NODE, &node);
}

/* All calls of a region. */
static bool put_region(struct onnx_strips *w, struct sw_sink *nodes, uint32_t region) {
    const struct sw_fit_program *program = w->fit.program;
    bool good = true;
    for (uint32_t c = 0; good && c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        if (call->region == region && call->act == SW_FIT_SLICE) {
            good = put_slice(w, nodes, c);
        } else if (call->region == region) {
            (call->act == SW_FIT_RUN ? put_run : put_join)(w, nodes, c);
        }
    }
    return good;
}

/* Write the nodes in the file's order. If a node stands there before another one that makes what it reads, write all in
 * the order in which they run. */
static bool put_nodes(struct onnx_strips *w, struct sw_sink *nodes) {
    const struct onnx_tops *tops = &w->fit.tops;
    bool good = true;
    for (uint32_t i = 0; good && i < tops->items.count; i++) {
        uint32_t top = tops->sorted->order ? tops->sorted->order[i] : i, op = op_of(tops, top);
        uint32_t region = region_of_op(w->fit.program, op);
        if (region == SW_NONE) {
            put_raw(nodes, tops->items.items[top].whole);
        } else if (op == w->fit.program->regions[region].last) {
            good = put_region(w, nodes, region);
        }
    }
    return good;
}

/* ---- the file ---- */

/* The graph: all fields as they are, the nodes where the first of them stood. */
static bool put_onnx_graph(struct onnx_strips *w) {
    struct sw_sink nodes = {0};
    struct sw_pb pb = sw_pb_open(w->fit.model.graph);
    struct sw_pb_field field;
    bool first = true, good = put_nodes(w, &nodes);
    for (const unsigned char *begin = pb.at; good && sw_pb_next(&pb, &field); begin = pb.at) {
        if (field.number != GRAPH_NODE || field.wire != SW_PB_BYTES) {
            put_raw(&w->graph, (struct sw_pb_bytes){begin, (size_t)(pb.at - begin)});
        } else if (first) {
            first = false;
            for (size_t i = 0; i < w->numbers.count; i++) {
                put_constant_node(&w->graph, w->numbers.items[i], w->number_names.items[i]);
            }
            sw_sink_add(&w->graph, nodes.text.items, nodes.text.count);
        }
    }
    w->graph.failed = w->graph.failed || nodes.failed;
    sw_sink_done(&nodes);
    return good && (!w->graph.failed || onnx_fail_memory(&w->fit.model));
}

static bool put_file(struct onnx_strips *w, struct sw_sink *sink) {
    const struct sw_input *input = w->fit.model.input;
    struct sw_pb pb = sw_pb_open(onnx_file(input));
    struct sw_pb_field field;
    for (const unsigned char *begin = pb.at; sw_pb_next(&pb, &field); begin = pb.at) {
        if (field.number == MODEL_GRAPH && field.wire == SW_PB_BYTES && field.bytes.at == w->fit.model.graph.at) {
            put_pb_bytes(sink, MODEL_GRAPH,
                         (struct sw_pb_bytes){(const unsigned char *)w->graph.text.items, w->graph.text.count});
        } else {
            put_raw(sink, (struct sw_pb_bytes){begin, (size_t)(pb.at - begin)});
        }
    }
    return sink->text.count <= LARGEST_ONNX ||
           onnx_fail(&w->fit.model,
                     "the changed model would be larger than 2 GiB, the most that an ONNX file can have");
}

/* Read the model; is it one that can be cut at all? */
static bool begin_fit(struct onnx_strips *w, const struct sw_input *input, const struct sw_load_options *options,
                      const struct sw_problem *problem, struct sw_error *error) {
    struct onnx_model *model = &w->fit.model;
    return onnx_open_model(model, input, options, error) && check_inputs(model) && check_pools(model) &&
           onnx_tops_open(&w->fit.tops, model, sw_problem_operator_count(problem)) && find_cut_nodes(w, problem);
}

static bool end_fit(struct onnx_strips *w, bool good, struct sw_error *error) {
    sw_sink_done(&w->graph);
    sw_unique_done(&w->names);
    SW_ARRAY_DONE(&w->numbers, &w->number_names);
    onnx_tops_close(&w->fit.tops);
    onnx_model_done(&w->fit.model);
    if (!good && error && error->code == SW_ERROR_INPUT) {
        error->code = SW_ERROR_UNSUPPORTED;
    }
    return good;
}

bool sw_onnx_may_fit(const struct sw_input *input, const struct sw_load_options *options,
                     const struct sw_problem *problem, struct sw_error *error) {
    struct onnx_strips w = {0};
    return end_fit(&w, begin_fit(&w, input, options, problem, error), error);
}

bool sw_onnx_write_fit(const struct sw_input *input, const struct sw_load_options *options,
                       const struct sw_fit_program *program, struct sw_sink *sink, struct sw_error *error) {
    struct onnx_strips w = {.fit = {.program = program}};
    bool good = begin_fit(&w, input, options, program->problem, error) && check_regions(&w) && onnx_fit_prove(&w.fit) &&
                name_values(&w) && put_onnx_graph(&w) && put_file(&w, sink) && (!sink->failed || sw_fail_memory(error));
    sink->text.count = good ? sink->text.count : 0;
    return end_fit(&w, good, error);
}
