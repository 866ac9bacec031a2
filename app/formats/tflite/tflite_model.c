/* TensorFlow Lite: from the flatbuffer to tensors, operators and the order in which they run. */
#include "formats/tflite/tflite_model.h"
#include "base/base.h"
#include "formats/tflite/tflite_greedy.h"

#define MOST_NESTED_SUBGRAPHS 64 /* subgraphs that call one another */
#define LONGEST_NAME 256

#define tflite_fail(model, ...) sw_fail((model)->error, SW_ERROR_INPUT, __VA_ARGS__)

/* Lists and tables may be shared, so that a small file can stand for very many items. No more items are read than a
 * file of this length can hold without sharing. */
static bool spend_tflite_budget(struct tflite_model *model, size_t count) {
    if (count > model->budget) {
        return tflite_fail(model, "the model says more than the file has room for: its lists are "
                                  "shared too often");
    }
    model->budget -= count;
    return true;
}

int32_t tflite_item(const struct tflite_model *model, struct tflite_list list, size_t i) {
    const unsigned char *at = (const unsigned char *)model->input->bytes + list.at + 4 * i;
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

static bool read_index_list(struct tflite_model *model, const struct sw_flat *table, unsigned field,
                            struct tflite_list *list) {
    struct sw_flat_list items;
    if (!sw_flat_list(table, field, 4, &items) || !spend_tflite_budget(model, items.count)) {
        return false;
    }
    *list = (struct tflite_list){items.at, (uint32_t)items.count};
    return true;
}

static bool read_short_text(struct tflite_model *model, const struct sw_flat *table, unsigned field,
                            struct sw_flat_text *text) {
    if (!sw_flat_text(table, field, text)) {
        return false;
    }
    if (text->length > LONGEST_NAME) {
        text->length = LONGEST_NAME;
    }
    if (text->length > model->budget) {
        text->length = 0; /* the same long name, over and over */
    }
    model->budget -= text->length;
    return true;
}

/* ---- tensors ---- */

static const struct {
    enum sw_dtype dtype;
    uint8_t bits; /* 0: the file does not tell */
} element_types[] = {
    {SW_DTYPE_FLOAT32, 32}, {SW_DTYPE_FLOAT16, 16}, {SW_DTYPE_INT32, 32},
    {SW_DTYPE_UINT8, 8},    {SW_DTYPE_INT64, 64},   {SW_DTYPE_NONE, 0}, /* texts */
    {SW_DTYPE_BOOL, 8},     {SW_DTYPE_INT16, 16},   {SW_DTYPE_COMPLEX64, 64},
    {SW_DTYPE_INT8, 8},     {SW_DTYPE_FLOAT64, 64}, {SW_DTYPE_COMPLEX128, 128},
    {SW_DTYPE_UINT64, 64},  {SW_DTYPE_NONE, 32},   /* a resource: its number */
    {SW_DTYPE_NONE, 0},     {SW_DTYPE_UINT32, 32}, /* 0: a variant */
    {SW_DTYPE_UINT16, 16},  {SW_DTYPE_INT4, 4},     {SW_DTYPE_BFLOAT16, 16},
    {SW_DTYPE_NONE, 2},     {SW_DTYPE_UINT4, 4}, /* 2: int2 */
};

enum sw_dtype tflite_dtype(uint8_t type) {
    return element_types[type].dtype;
}

/* Elements narrower than a byte are packed. */
static bool read_tensor_size(struct tflite_model *model, const struct sw_flat *flat, struct tflite_tensor *tensor) {
    struct tflite_list signature;
    uint64_t type = 0, bits;
    if (!sw_flat_number(flat, TENSOR_TYPE, 1, &type) || !read_index_list(model, flat, TENSOR_SHAPE, &tensor->shape) ||
        !read_index_list(model, flat, TENSOR_SIGNATURE, &signature)) {
        return false;
    }
    if (type >= sizeof element_types / sizeof *element_types) {
        return sw_flat_fail(flat, flat->at, "a tensor of the unknown element type %" PRIu64, type);
    }
    for (uint32_t i = 0; i < signature.count; i++) {
        tensor->open |= tflite_item(model, signature, i) < 0;
    }
    tensor->type = (uint8_t)type;
    tensor->bits = element_types[type].bits;
    tensor->elements = 1;
    bool empty = false;
    for (uint32_t i = 0; i < tensor->shape.count; i++) {
        int32_t length = tflite_item(model, tensor->shape, i);
        if (length < 0) {
            return sw_flat_fail(flat, flat->at, "a tensor with the negative dimension %" PRId32, length);
        }
        empty |= length == 0;
        if (length > 0 && __builtin_mul_overflow(tensor->elements, (uint64_t)length, &tensor->elements)) {
            tensor->elements = UINT64_MAX;
            break;
        }
    }
    tensor->elements = empty ? 0 : tensor->elements;
    if (__builtin_mul_overflow(tensor->elements, (uint64_t)tensor->bits, &bits) || bits / 8 >= SW_MAX_BYTES) {
        return sw_flat_fail(flat, flat->at, "a tensor larger than 2^61 bytes");
    }
    tensor->size = bits / 8 + (bits % 8 != 0);
    return true;
}

/* Has buffer `number` contents, in the file or behind its end? */
static bool has_data(struct tflite_model *model, const struct sw_flat *flat, uint32_t number, bool *data) {
    struct sw_flat buffer;
    struct sw_flat_list bytes;
    uint64_t offset = 0, size = 0;
    *data = false;
    if (number == 0) {
        return true;
    }
    if (number >= model->buffers.count) {
        return sw_flat_fail(flat, flat->at, "a tensor in buffer %" PRIu32 ", of which there are only %zu,", number,
                            model->buffers.count);
    }
    if (!sw_flat_item_table(&model->buffers, number, &buffer) || !sw_flat_list(&buffer, BUFFER_DATA, 1, &bytes) ||
        !sw_flat_number(&buffer, BUFFER_OFFSET, 8, &offset) || !sw_flat_number(&buffer, BUFFER_SIZE, 8, &size)) {
        return false;
    }
    *data = bytes.count > 0 || (offset > 1 && size > 0);
    return true;
}

static bool read_graph_tensor(struct tflite_model *model, const struct sw_flat *flat, uint32_t subgraph,
                              uint32_t number) {
    struct tflite_tensor tensor = {.at = flat->at, .offset = -1, .number = number, .subgraph = subgraph};
    uint64_t buffer = 0, variable = 0;
    bool data;
    if (!read_tensor_size(model, flat, &tensor) || !sw_flat_number(flat, TENSOR_BUFFER, 4, &buffer) ||
        !sw_flat_number(flat, TENSOR_VARIABLE, 1, &variable) || !has_data(model, flat, (uint32_t)buffer, &data) ||
        !read_short_text(model, flat, TENSOR_NAME, &tensor.name)) {
        return false;
    }
    tensor.buffer = (uint32_t)buffer;
    tensor.state = data               ? TFLITE_CONSTANT
                   : variable         ? TFLITE_VARIABLE
                   : tensor.bits == 0 ? TFLITE_OPAQUE
                   : tensor.size == 0 ? TFLITE_EMPTY
                                      : TFLITE_UNUSED;
    return SW_PUSH(&model->tensors, tensor) || tflite_fail_memory(model);
}

struct tflite_tensor *tflite_tensor_at(const struct tflite_model *model, uint32_t subgraph, int32_t number) {
    const struct tflite_subgraph *graph = &model->subgraphs.items[subgraph];
    return number < 0 || (uint32_t)number >= graph->tensor_count
               ? NULL
               : &model->tensors.items[graph->first_tensor + (uint32_t)number];
}

struct tflite_tensor *tflite_listed(const struct tflite_model *model, uint32_t subgraph, struct tflite_list list,
                                    uint32_t i) {
    return i < list.count ? tflite_tensor_at(model, subgraph, tflite_item(model, list, i)) : NULL;
}

bool tflite_options(const struct tflite_model *model, const struct tflite_operator *op, struct sw_flat *options) {
    struct sw_flat table;
    return sw_flat_at(&model->root, op->at, &table) && sw_flat_table(&table, OP_OPTIONS, options);
}

bool tflite_quantization(const struct tflite_model *model, const struct tflite_tensor *tensor,
                         struct sw_flat_list *scales, struct sw_flat_list *zeros) {
    struct sw_flat table, quantization;
    return sw_flat_at(&model->root, tensor->at, &table) && sw_flat_table(&table, TENSOR_QUANTIZATION, &quantization) &&
           sw_flat_list(&quantization, QUANTIZATION_SCALE, 4, scales) &&
           sw_flat_list(&quantization, QUANTIZATION_ZERO, 8, zeros);
}

bool tflite_data(const struct tflite_model *model, size_t buffer, struct sw_flat_list *data) {
    struct sw_flat table;
    return sw_flat_item_table(&model->buffers, buffer, &table) && sw_flat_list(&table, BUFFER_DATA, 1, data);
}

/* ---- operators ---- */

/* Operators that name subgraphs: where in their options, and whether those run with tensors of
 * their own. */
static const struct {
    uint32_t code;
    unsigned options, fields[2];
    uint32_t count;
    bool runs;
} callers[] = {
    {TFLITE_OP_call, OP_OPTIONS, {0, 0}, 1, true},
    {TFLITE_OP_if, OP_OPTIONS, {0, 1}, 2, true},
    {TFLITE_OP_while, OP_OPTIONS, {0, 1}, 2, true},
    {TFLITE_OP_call_once, OP_OPTIONS, {0, 0}, 1, true},
    {TFLITE_OP_stablehlo_while, OP_OPTIONS_2, {0, 1}, 2, true},
    {TFLITE_OP_stablehlo_reduce, OP_OPTIONS_2, {1, 0}, 1, false},
    {TFLITE_OP_stablehlo_scatter, OP_OPTIONS_2, {6, 0}, 1, false},
    {TFLITE_OP_stablehlo_reduce_window, OP_OPTIONS_2, {5, 0}, 1, false},
    {TFLITE_OP_stablehlo_sort, OP_OPTIONS_2, {2, 0}, 1, false},
    {TFLITE_OP_stablehlo_composite, OP_OPTIONS_2, {1, 0}, 1, false}, /* what it is made of */
};

static bool read_calls(struct tflite_model *model, const struct sw_flat *flat, struct tflite_operator *op) {
    struct sw_flat options;
    op->calls[0] = op->calls[1] = -1;
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        if (callers[i].code != op->code) {
            continue;
        }
        if (!sw_flat_table(flat, callers[i].options, &options)) {
            return false;
        }
        for (uint32_t k = 0; k < callers[i].count; k++) {
            uint64_t subgraph = 0;
            if (!sw_flat_number(&options, callers[i].fields[k], 4, &subgraph)) {
                return false;
            }
            if ((int32_t)subgraph < 0 && !callers[i].runs) {
                continue;
            }
            if (subgraph >= model->subgraphs.count) {
                return sw_flat_fail(flat, flat->at,
                                    "an operator that runs subgraph %" PRId32 ", of which there are only %zu,",
                                    (int32_t)subgraph, model->subgraphs.count);
            }
            op->calls[k] = callers[i].runs ? (int32_t)subgraph : -1;
        }
    }
    return true;
}

/* Old files have the kind in a byte, newer ones in both; the larger one is it. */
static bool read_code(struct tflite_model *model, const struct sw_flat *flat, struct tflite_operator *op) {
    struct sw_flat code;
    uint64_t index = 0, old = 0, builtin = 0;
    if (!sw_flat_number(flat, OP_CODE, 4, &index)) {
        return false;
    }
    if (index >= model->codes.count) {
        return sw_flat_fail(flat, flat->at, "an operator of kind %" PRIu64 ", of which the file names only %zu,", index,
                            model->codes.count);
    }
    if (!sw_flat_item_table(&model->codes, (size_t)index, &code) || !sw_flat_number(&code, CODE_OLD, 1, &old) ||
        !sw_flat_number(&code, CODE_BUILTIN, 4, &builtin) || !read_short_text(model, &code, CODE_CUSTOM, &op->custom)) {
        return false;
    }
    old = (int8_t)old < 0 ? 0 : old;
    builtin = (int32_t)builtin < 0 ? 0 : builtin;
    op->code = (uint32_t)(SW_MAX(old, builtin));
    model->ethos |= sw_flat_text_is(op->custom, "ethos-u");
    return true;
}

static bool check_arguments(struct tflite_model *model, const struct sw_flat *flat, struct tflite_list list,
                            uint32_t subgraph) {
    uint32_t count = model->subgraphs.items[subgraph].tensor_count;
    for (uint32_t i = 0; i < list.count; i++) {
        int32_t item = tflite_item(model, list, i);
        if (item < -1 || (item >= 0 && (uint32_t)item >= count)) {
            return sw_flat_fail(flat, flat->at,
                                "an argument names tensor %" PRId32 ", but the subgraph has only %" PRIu32
                                ", in the operator or graph",
                                item, count);
        }
    }
    return true;
}

static bool read_graph_operator(struct tflite_model *model, const struct sw_flat *flat, uint32_t subgraph,
                                uint32_t number) {
    struct tflite_operator op = {.at = flat->at, .subgraph = subgraph, .number = number};
    return read_code(model, flat, &op) && read_index_list(model, flat, OP_INPUTS, &op.inputs) &&
           read_index_list(model, flat, OP_OUTPUTS, &op.outputs) && check_arguments(model, flat, op.inputs, subgraph) &&
           check_arguments(model, flat, op.outputs, subgraph) && read_calls(model, flat, &op) &&
           (SW_PUSH(&model->operators, op) || tflite_fail_memory(model));
}

const char *tflite_operator_kind(struct tflite_model *model, const struct tflite_operator *op) {
    const char *name = tflite_code_name(op->code);
    if (op->custom.length > 0) {
        return sw_unique_text(&model->arena, op->custom.text, op->custom.length);
    }
    return name ? name : sw_unique_printf(&model->arena, "operator %" PRIu32, op->code);
}

/* ---- subgraphs ---- */

/* Read each table of a list: of the tensors, or the operators, of a subgraph. `count` receives how many there are. */
static bool read_each(struct tflite_model *model, uint32_t subgraph, const struct sw_flat *flat, unsigned field,
                      bool (*read)(struct tflite_model *, const struct sw_flat *, uint32_t subgraph, uint32_t number),
                      uint32_t *count) {
    struct sw_flat_list list;
    if (!sw_flat_list(flat, field, 4, &list) || !spend_tflite_budget(model, list.count)) {
        return false;
    }
    *count = (uint32_t)list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        struct sw_flat table;
        if (!sw_flat_item_table(&list, i, &table) || !read(model, &table, subgraph, i)) {
            return false;
        }
    }
    return true;
}

static bool read_subgraph(struct tflite_model *model, uint32_t number, const struct sw_flat *flat) {
    struct tflite_subgraph *graph = &model->subgraphs.items[number];
    graph->at = flat->at;
    graph->first_tensor = (uint32_t)model->tensors.count;
    graph->first_operator = (uint32_t)model->operators.count;
    return read_each(model, number, flat, GRAPH_TENSORS, read_graph_tensor, &graph->tensor_count) &&
           read_index_list(model, flat, GRAPH_INPUTS, &graph->inputs) &&
           read_index_list(model, flat, GRAPH_OUTPUTS, &graph->outputs) &&
           check_arguments(model, flat, graph->inputs, number) &&
           check_arguments(model, flat, graph->outputs, number) &&
           read_short_text(model, flat, GRAPH_NAME, &graph->name) &&
           read_each(model, number, flat, GRAPH_OPERATORS, read_graph_operator, &graph->operator_count);
}

static bool read_subgraphs(struct tflite_model *model) {
    struct sw_flat_list list;
    if (!sw_flat_list(&model->root, MODEL_SUBGRAPHS, 4, &list)) {
        return false;
    }
    if (list.count == 0) {
        return sw_flat_fail(&model->root, model->root.at, "a model without subgraphs");
    }
    if (!SW_RESERVE(&model->subgraphs, list.count)) {
        return tflite_fail_memory(model);
    }
    for (size_t i = 0; i < list.count; i++) {
        model->subgraphs.items[i] = (struct tflite_subgraph){0};
    }
    model->subgraphs.count = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        struct sw_flat table;
        if (!sw_flat_item_table(&list, i, &table) || !read_subgraph(model, i, &table)) {
            return false;
        }
    }
    return true;
}

/* ---- the order in which everything runs ---- */

static bool add_step(struct tflite_model *model, struct tflite_step step, const char *prefix, const char *name) {
    step.scope = model->scope;
    if (!spend_tflite_budget(model, strlen(prefix) + 1)) {
        return false;
    }
    step.name = sw_unique_printf(&model->arena, "%s%s", prefix, name);
    return (step.name && SW_PUSH(&model->steps, step)) || tflite_fail_memory(model);
}

static const char *graph_name(struct tflite_model *model, uint32_t number) {
    const struct tflite_subgraph *graph = &model->subgraphs.items[number];
    return graph->name.length ? sw_unique_text(&model->arena, graph->name.text, graph->name.length)
                              : sw_unique_printf(&model->arena, "subgraph%" PRIu32, number);
}

static bool run_subgraph(struct tflite_model *model, uint32_t number, const char *prefix, unsigned depth);

/* A subgraph that operator `caller` runs, from where its arguments are there to where its results are taken. */
static bool run_called(struct tflite_model *model, uint32_t number, uint32_t caller, bool last, const char *prefix,
                       unsigned depth) {
    const char *name = graph_name(model, number);
    const char *inner = name ? sw_unique_printf(&model->arena, "%s%s/", prefix, name) : NULL;
    if (!inner) {
        return tflite_fail_memory(model);
    }
    struct tflite_step step = {.kind = TFLITE_BEGIN, .subgraph = number, .operator= caller };
    struct tflite_step end = {.kind = TFLITE_END, .subgraph = number, .operator= caller, .last = last};
    model->scope++;
    if (!add_step(model, step, inner, "begin") || !run_subgraph(model, number, inner, depth + 1)) {
        return false;
    }
    return add_step(model, end, inner, "end");
}

static bool run_operator(struct tflite_model *model, uint32_t number, const char *prefix, unsigned depth) {
    const struct tflite_operator *op = &model->operators.items[number];
    char name[LONGEST_NAME + 32];
    const char *kind = tflite_operator_kind(model, op);
    if (!kind) {
        return tflite_fail_memory(model);
    }
    snprintf(name, sizeof name, "%s_%" PRIu32, kind, op->number);
    struct tflite_step step = {.kind = TFLITE_RUN, .subgraph = op->subgraph, .operator= number };
    model->scope++;
    if (!add_step(model, step, prefix, name)) {
        return false;
    }
    int32_t calls[2] = {op->calls[0], op->calls[1]};
    const char *inner = calls[0] >= 0 ? sw_unique_printf(&model->arena, "%s%s/", prefix, name) : "";
    for (int i = 0; i < 2; i++) {
        if (!inner) {
            return tflite_fail_memory(model);
        }
        bool last = i == 1 || calls[1] < 0;
        if (calls[i] >= 0 && !run_called(model, (uint32_t)calls[i], number, last, inner, depth)) {
            return false;
        }
    }
    return true;
}

static bool run_subgraph(struct tflite_model *model, uint32_t number, const char *prefix, unsigned depth) {
    struct tflite_subgraph *graph = &model->subgraphs.items[number];
    if (graph->running) {
        return tflite_fail(model, "subgraph %" PRIu32 " runs itself", number);
    }
    if (depth > MOST_NESTED_SUBGRAPHS) {
        return tflite_fail(model, "subgraphs call one another more than %d deep", MOST_NESTED_SUBGRAPHS);
    }
    graph->running = graph->reached = true;
    bool good = true;
    for (uint32_t i = 0; good && i < graph->operator_count; i++) {
        good = run_operator(model, graph->first_operator + i, prefix, depth);
    }
    graph->running = false;
    return good;
}

/* ---- which tensors matter ---- */

static void touch_list(struct tflite_model *model, uint32_t subgraph, struct tflite_list list, bool write) {
    for (uint32_t i = 0; i < list.count; i++) {
        struct tflite_tensor *tensor = tflite_tensor_at(model, subgraph, tflite_item(model, list, i));
        if (tensor) {
            tensor->read |= !write;
            tensor->written |= write;
            tensor->state = tensor->state == TFLITE_UNUSED ? TFLITE_PLANNED : tensor->state;
        }
    }
}

/* The interpreter points such a tensor into the kernel when that prepares, and then plans it no more. */
static void find_handles(struct tflite_model *model) {
    for (size_t i = 0; i < model->operators.count; i++) {
        const struct tflite_operator *op = &model->operators.items[i];
        struct tflite_tensor *tensor = tflite_listed(model, op->subgraph, op->outputs, 0);
        if (op->code == TFLITE_OP_var_handle && tensor && tensor->state == TFLITE_UNUSED) {
            tensor->state = TFLITE_HANDLE;
        }
    }
}

static bool touch_steps(struct tflite_model *model) {
    find_handles(model);
    for (size_t i = 0; i < model->steps.count; i++) {
        const struct tflite_step *step = &model->steps.items[i];
        if (step->kind == TFLITE_RUN) {
            const struct tflite_operator *op = &model->operators.items[step->operator];
            if (!spend_tflite_budget(model, (size_t)op->inputs.count + op->outputs.count)) {
                return false;
            }
            touch_list(model, step->subgraph, op->inputs, false);
            touch_list(model, step->subgraph, op->outputs, true);
        } else {
            const struct tflite_subgraph *graph = &model->subgraphs.items[step->subgraph];
            if (!spend_tflite_budget(model, (size_t)graph->inputs.count + graph->outputs.count)) {
                return false;
            }
            touch_list(model, step->subgraph, step->kind == TFLITE_BEGIN ? graph->inputs : graph->outputs,
                       step->kind == TFLITE_BEGIN);
        }
    }
    return true;
}

static void mark_model_ends(struct tflite_model *model, uint32_t subgraph, struct tflite_list list, bool output) {
    touch_list(model, subgraph, list, !output);
    for (uint32_t i = 0; i < list.count; i++) {
        struct tflite_tensor *tensor = tflite_tensor_at(model, subgraph, tflite_item(model, list, i));
        if (tensor) {
            tensor->input |= !output;
            tensor->output |= output;
        }
    }
}

/* ---- before the first operator ---- */

/* An input that no operator reads has a place before the first operator, and none after. */
static bool is_left(const struct tflite_tensor *tensor) {
    return tensor->state == TFLITE_PLANNED && tensor->input && !tensor->read;
}

/* What nothing touches: tensors of subgraphs that nothing calls, and spare ones. The interpreter plans them all the
 * same, for the time -1, where they are all there at once. */
static void find_idle(struct tflite_model *model) {
    for (size_t i = 0; i < model->tensors.count; i++) {
        struct tflite_tensor *tensor = &model->tensors.items[i];
        tensor->idle = tensor->state == TFLITE_UNUSED;
        tensor->state = tensor->idle ? TFLITE_PLANNED : tensor->state;
        model->idle_tensors += tensor->idle;
    }
    for (size_t i = 0; i < model->subgraphs.count; i++) {
        model->idle_graphs += !model->subgraphs.items[i].reached;
    }
}

static bool add_front(struct tflite_model *model, enum tflite_step_kind kind, int64_t scope, const char *name) {
    struct tflite_step step = {.kind = kind, .operator= SW_NONE, .scope = scope, .name = name};
    if (!SW_PUSH(&model->steps, step)) {
        return tflite_fail_memory(model);
    }
    memmove(model->steps.items + 1, model->steps.items, (model->steps.count - 1) * sizeof step);
    model->steps.items[0] = step;
    model->fronts++;
    return true;
}

static bool add_fronts(struct tflite_model *model) {
    bool left = false;
    for (size_t i = 0; i < model->tensors.count; i++) {
        left |= is_left(&model->tensors.items[i]);
    }
    find_idle(model);
    model->entry = model->idle_tensors > 0;
    return (!left || add_front(model, TFLITE_ENTRY, 0, "begin")) &&
           (model->idle_tensors == 0 || add_front(model, TFLITE_SETUP, -1, "setup"));
}

/* ---- the plan that the file may hold ---- */

static bool read_offline_plan(struct tflite_model *model, const struct sw_flat *metadata) {
    struct sw_flat_list data;
    uint64_t number = 0;
    if (!sw_flat_number(metadata, METADATA_BUFFER, 4, &number)) {
        return false;
    }
    if (number >= model->buffers.count) {
        return sw_flat_fail(metadata, metadata->at, "a plan in a buffer that does not exist,");
    }
    if (!tflite_data(model, (size_t)number, &data)) {
        return false;
    }
    struct tflite_list words = {data.at, (uint32_t)(data.count / 4)};
    if (words.count < 3 || (uint32_t)tflite_item(model, words, 2) != model->tensors.count ||
        words.count - 3 < model->tensors.count) {
        return sw_flat_fail(metadata, metadata->at,
                            "a plan (" TFLITE_PLAN ") for another number of tensors than the %zu "
                            "of the model,",
                            model->tensors.count);
    }
    model->plan = (struct tflite_list){data.at + 12, (uint32_t)model->tensors.count};
    return true;
}

static bool read_metadata(struct tflite_model *model) {
    if (!sw_flat_list(&model->root, MODEL_METADATA, 4, &model->metadata)) {
        return false;
    }
    model->plan_entry = SIZE_MAX;
    for (size_t i = 0; i < model->metadata.count; i++) {
        struct sw_flat table;
        struct sw_flat_text name;
        if (!sw_flat_item_table(&model->metadata, i, &table) || !sw_flat_text(&table, METADATA_NAME, &name)) {
            return false;
        }
        if (sw_flat_text_is(name, TFLITE_PLAN)) {
            model->plan_entry = i;
            if (!read_offline_plan(model, &table)) {
                return false;
            }
        }
    }
    return true;
}

/* Offsets stand one subgraph behind the other. Before 2023 tensor i of every subgraph had the i-th. */
static bool place_tensors(struct tflite_model *model) {
    for (size_t i = 0; model->plan.at && i < model->tensors.count; i++) {
        struct tflite_tensor *tensor = &model->tensors.items[i];
        tensor->offset = tflite_item(model, model->plan, model->per_subgraph ? tensor->number : i);
        tensor->kept = tensor->state == TFLITE_VARIABLE && tensor->offset >= 0 && tensor->read;
        tensor->state = tensor->kept ? TFLITE_PLANNED : tensor->state;
        if (tensor->offset < -1) {
            return tflite_fail(model,
                               "the plan in the file (" TFLITE_PLAN ") gives tensor %" PRIu32 " of subgraph %" PRIu32
                               " the offset %" PRId64,
                               tensor->number, tensor->subgraph, tensor->offset);
        }
    }
    return true;
}

/* ---- where the interpreter itself puts what nothing touches ---- */

/* A plan that has offsets for all but these is whole: the interpreter puts each into the lowest gap that it fits, among
 * all that is there at the time -1. */
static bool place_idle(struct tflite_model *model) {
    size_t count = 0;
    uint64_t end;
    struct tflite_tensor **tensors = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof(void *));
    struct tflite_block *blocks = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *blocks);
    for (size_t i = 0; tensors && blocks && i < model->tensors.count; i++) {
        struct tflite_tensor *tensor = &model->tensors.items[i];
        if (tensor->state == TFLITE_PLANNED && !tensor->idle && tensor->offset < 0) {
            return true; /* the plan leaves more than these */
        }
        if (tensor->state == TFLITE_PLANNED && (tensor->idle || !tensor->written)) {
            tensors[count] = tensor;
            blocks[count++] = tflite_block_of(tensor->size, 0, 0, tensor->offset);
        }
    }
    if (!tensors || !blocks || !tflite_place_blocks(&model->arena, blocks, count, &end)) {
        return tflite_fail_memory(model);
    }
    for (size_t i = 0; i < count; i++) {
        if (tensors[i]->offset < 0 && blocks[i].offset <= INT32_MAX) {
            tensors[i]->offset = (int64_t)blocks[i].offset;
            tensors[i]->completed = true;
        }
    }
    return true;
}

/* ---- all of it ---- */

static const char *tensor_name(struct tflite_model *model, const struct tflite_tensor *tensor) {
    struct sw_flat_text given = tensor->name;
    const char *cut = given.length ? memchr(given.text + 1, ';', given.length - 1) : NULL;
    given.length = cut ? (size_t)(cut - given.text) : given.length;
    const char *name = given.length ? sw_unique_text(&model->arena, given.text, given.length)
                                    : sw_unique_printf(&model->arena, "t%" PRIu32, tensor->number);
    if (tensor->subgraph > 0 && name) {
        const char *graph = graph_name(model, tensor->subgraph);
        name = graph ? sw_unique_printf(&model->arena, "%s/%s", graph, name) : NULL;
    }
    return name;
}

const char **tflite_names(struct tflite_model *model) {
    struct sw_unique names = {0};
    const char **list = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *list);
    bool good = list != NULL;
    for (size_t i = 0; good && i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        if (tensor->state == TFLITE_PLANNED) {
            list[i] = sw_unique_name(&names, &model->arena, tensor_name(model, tensor));
            good = list[i] != NULL;
        }
    }
    sw_unique_done(&names);
    return good ? list : NULL;
}

bool tflite_model_read(struct tflite_model *model, const struct sw_input *input, bool per_subgraph,
                       struct sw_error *error) {
    *model = (struct tflite_model){
        .input = input, .error = error, .per_subgraph = per_subgraph, .budget = 4 * input->length + 4096};
    if (!sw_flat_root(input, "TFL3", &model->root, error) ||
        !sw_flat_list(&model->root, MODEL_CODES, 4, &model->codes) ||
        !sw_flat_list(&model->root, MODEL_BUFFERS, 4, &model->buffers) || !read_subgraphs(model) ||
        !read_metadata(model) || !run_subgraph(model, 0, "", 0) || !touch_steps(model)) {
        return false;
    }
    const struct tflite_subgraph *main = &model->subgraphs.items[0];
    mark_model_ends(model, 0, main->inputs, false);
    mark_model_ends(model, 0, main->outputs, true);
    if (model->steps.count == 0) {
        return tflite_fail(model, "there is nothing to plan: the model has no operators");
    }
    return add_fronts(model) && place_tensors(model) &&
           (model->plan.at == 0 || model->idle_tensors == 0 || place_idle(model));
}

void tflite_model_done(struct tflite_model *model) {
    sw_arena_done(&model->arena);
    SW_ARRAY_DONE(&model->tensors, &model->operators, &model->subgraphs, &model->steps);
}
