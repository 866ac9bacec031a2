/* ONNX: from the file to values and nodes. Names are looked up in scopes: the graph's, that of each
 * body within it, that of each call of a function. */
#include "formats/onnx/onnx.h"
#include "base/base.h"
#include "formats/text/unique.h"

#include "formats/onnx/onnx_bodies.h"

#define MOST_NODES (UINT32_C(1) << 22) /* with all calls of functions written out */

__attribute__((format(printf, 3, 0))) static void fail_with(struct onnx_model *model, enum sw_code code,
                                                            const char *format, va_list arguments) {
    if (!model->failed) {
        char text[sizeof model->error->message];
        vsnprintf(text, sizeof text, format, arguments);
        sw_fail(model->error, code, "%s", text);
        model->failed = true;
    }
}

bool onnx_fail(struct onnx_model *model, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_with(model, SW_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return false;
}

bool onnx_refuse(struct onnx_model *model, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_with(model, SW_ERROR_USAGE, format, arguments);
    va_end(arguments);
    return false;
}

bool onnx_fail_memory(struct onnx_model *model) {
    if (!model->failed) {
        sw_fail_memory(model->error);
        model->failed = true;
    }
    return false;
}

bool onnx_whole(struct onnx_model *model, const struct sw_pb *pb) {
    return !pb->fault || onnx_fail(model, "%s, at offset %zu", pb->fault,
                                   (size_t)(pb->fault_at - (const unsigned char *)model->input->bytes));
}

/* ---- names ---- */

const char *onnx_text(struct onnx_model *model, struct sw_pb_bytes bytes) {
    const char *copy = sw_unique_text(&model->arena, bytes.length ? (const char *)bytes.at : "", bytes.length);
    if (!copy) {
        onnx_fail_memory(model);
    }
    return copy;
}

struct sw_quote onnx_quote(struct sw_pb_bytes bytes) {
    const char *text = bytes.length ? (const char *)bytes.at : "";
    return sw_quote(text, sw_utf8_valid(text, bytes.length));
}

/* The entry of a name in one scope, made when there is none; NULL: no memory. */
static struct onnx_entry *scope_entry(struct onnx_model *model, uint32_t scope, struct sw_pb_bytes name) {
    uint32_t *number = sw_names_at(&model->scopes.items[scope].names, name.at, name.length);
    if (number && *number == SW_NONE) {
        uint32_t value = onnx_new_value(model, name);
        bool made = value != SW_NONE && SW_PUSH(&model->entries, (struct onnx_entry){.value = value});
        *number = made ? (uint32_t)model->entries.count - 1 : SW_NONE;
    }
    if (!number || *number == SW_NONE) {
        onnx_fail_memory(model);
        return NULL;
    }
    return &model->entries.items[*number];
}

uint32_t onnx_new_value(struct onnx_model *model, struct sw_pb_bytes name) {
    if (model->values.count >= UINT32_MAX / 4 ||
        !SW_PUSH(&model->values,
                 (struct onnx_value){.name = name, .alias = SW_NONE, .length = ONNX_OPEN, .loose = UINT32_MAX})) {
        onnx_fail_memory(model);
        return SW_NONE;
    }
    return (uint32_t)model->values.count - 1;
}

uint32_t onnx_find(const struct onnx_model *model, uint32_t scope, struct sw_pb_bytes name) {
    for (; scope != ONNX_OUTER; scope = model->scopes.items[scope].parent) {
        uint32_t number = sw_names_find(&model->scopes.items[scope].names, name.at, name.length);
        if (number != SW_NONE && model->entries.items[number].defined) {
            return model->entries.items[number].value;
        }
    }
    return SW_NONE;
}

/* A new tensor of a scope; NULL: failed. */
static struct onnx_entry *define_tensor(struct onnx_model *model, uint32_t scope, struct sw_pb_bytes name) {
    struct onnx_entry *made = scope_entry(model, scope, name);
    if (made && made->defined) {
        onnx_fail(model, "two tensors are named %s", onnx_quote(name).text);
        return NULL;
    }
    if (made) {
        made->defined = true;
    }
    return made;
}

bool onnx_bind(struct onnx_model *model, uint32_t scope, struct sw_pb_bytes name, uint32_t value) {
    struct onnx_entry *made = define_tensor(model, scope, name);
    if (!made) {
        return false;
    }
    struct onnx_value *to = &model->values.items[value];
    const struct onnx_value *from = &model->values.items[made->value];
    if (!to->shape.known && from->declared.known) {
        to->shape = from->declared;
        to->type = to->type ? to->type : from->declared_type;
    }
    made->value = value;
    return true;
}

/* ---- types ---- */

struct axis {
    int64_t length; /* or ONNX_OPEN */
    struct sw_pb_bytes name;
};

/* TensorShapeProto. False: more than 16 dimensions. */
static bool read_axes(struct sw_pb_bytes shape, struct axis *axes, uint32_t *rank) {
    struct sw_pb pb = sw_pb_open(shape);
    struct sw_pb_bytes dim;
    *rank = 0;
    while (sw_pb_next_of(&pb, 1, &dim)) {
        if (*rank == ONNX_RANK) {
            return false;
        }
        struct axis axis = {.length = ONNX_OPEN, .name = sw_pb_last(dim, 2)};
        struct sw_pb inner = sw_pb_open(dim);
        for (struct sw_pb_field part; sw_pb_next(&inner, &part);) {
            bool length = part.number == 1 && part.wire == SW_PB_VARINT && part.value <= SW_MAX_BYTES;
            axis.length = length ? (int64_t)part.value : axis.length;
        }
        axes[(*rank)++] = axis;
    }
    return true;
}

/* Lengths that --dim gives. The first that stays open is left in the value. What only value_info or an output
 * calls by a name is an upper bound. */
static void close_declared(struct onnx_model *model, struct onnx_value *value, struct axis *axes, uint32_t rank,
                           bool input) {
    for (uint32_t i = 0; i < rank; i++) {
        bool open = axes[i].length < 0 || (axes[i].length == 0 && input), exact = true;
        int64_t length = open ? onnx_dim_named(model, axes[i].name, &exact) : -1;
        if (open && input && length < 0) {
            length = onnx_dim_of(model, value, i);
        }
        if (length >= 0) {
            axes[i].length = length;
            value->declared_bounds |= input || exact ? 0 : UINT32_C(1) << i;
        } else if (axes[i].length < 0 && !value->open) {
            value->open = true;
            value->open_axis = i;
            value->open_dim = axes[i].name;
        }
        if (open && input &&
            !SW_PUSH(&model->open, (struct onnx_open){value->name, axes[i].name, i, axes[i].length >= 0})) {
            onnx_fail_memory(model);
        }
    }
}

/* The tensor within a TypeProto: itself, the elements of a sequence, what is optional. */
static struct sw_pb_bytes tensor_within(struct sw_pb_bytes type, struct onnx_value *value) {
    enum { OF_TENSOR = 1, OF_SEQUENCE = 4, OF_MAP = 5, OF_SPARSE = 8, OF_OPTIONAL = 9 };
    for (int depth = 0; depth < 4; depth++) {
        struct sw_pb pb = sw_pb_open(type);
        struct sw_pb_field field;
        struct sw_pb_bytes inner = {0};
        while (sw_pb_next_bytes(&pb, &field)) {
            if (field.number == OF_TENSOR || field.number == OF_SPARSE) {
                /* of a tensor here, of a sequence or of what is optional: its type of elements */
                return field.bytes;
            }
            value->optional |= field.number == OF_OPTIONAL;
            if (field.number == OF_MAP || field.number == OF_SEQUENCE) {
                enum onnx_form form = field.number == OF_MAP ? ONNX_MAP : ONNX_SEQUENCE;
                value->declared_form = value->declared_form ? value->declared_form : form;
            }
            if (field.number == OF_SEQUENCE || field.number == OF_OPTIONAL) {
                struct sw_pb_bytes part = sw_pb_last(field.bytes, 1);
                inner = part.at ? part : inner;
            }
        }
        if (!inner.at) {
            break;
        }
        type = inner;
    }
    return (struct sw_pb_bytes){0};
}

/* What a ValueInfoProto declares: its second field is the type. */
static bool read_type(struct onnx_model *model, struct sw_pb_bytes info, uint32_t number, bool input) {
    struct onnx_value *value = &model->values.items[number];
    struct sw_pb pb = sw_pb_open(tensor_within(sw_pb_last(info, 2), value));
    struct sw_pb_field field;
    struct axis axes[ONNX_RANK];
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    bool shaped = false;
    while (sw_pb_next(&pb, &field)) {
        if (field.number == 1 && field.wire == SW_PB_VARINT) {
            value->declared_type = field.value <= 255 ? (int)field.value : ONNX_NONE;
        } else if (field.number == 2 && field.wire == SW_PB_BYTES) {
            shaped = read_axes(field.bytes, axes, &rank);
        }
    }
    if (!shaped) {
        return true;
    }
    close_declared(model, value, axes, rank, input);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = axes[i].length;
    }
    return onnx_keep_shape(model, &value->declared, !value->open, rank, dims);
}

/* Parts of a message are looked up when they are asked for: what is wrong in it must be found now. */
static bool check_message(struct onnx_model *model, struct sw_pb_bytes bytes) {
    struct sw_pb pb = sw_pb_open(bytes);
    for (struct sw_pb_field field; sw_pb_next(&pb, &field);) {
    }
    return onnx_whole(model, &pb);
}

/* ---- graphs ---- */

static bool add_weight(struct onnx_model *model, uint32_t scope, struct sw_pb_bytes tensor, bool sparse) {
    struct onnx_value value = {.alias = SW_NONE};
    struct sw_pb_bytes name = {0};
    if (sparse) { /* its shape stands beside its elements; nothing needs either */
        struct sw_pb_bytes elements = sw_pb_last(tensor, 1);
        tensor = elements.at ? elements : tensor;
    }
    if (!check_message(model, tensor) || !onnx_tensor(model, tensor, &value, &name)) {
        return false;
    }
    struct onnx_entry *made = scope_entry(model, scope, name);
    if (!made || made->defined) {
        return made != NULL; /* twice the same name: the first counts */
    }
    made->defined = true;
    value.name = name;
    value.shape.known &= !sparse;
    model->values.items[made->value] = value;
    return true;
}

static bool add_graph_input(struct onnx_model *model, struct sw_pb_bytes info) {
    struct onnx_entry *made = scope_entry(model, 0, sw_pb_last(info, 1));
    if (!made || made->defined) {
        return made != NULL; /* a weight that old files list among the inputs, or an input twice */
    }
    made->defined = true;
    uint32_t number = made->value;
    if (!read_type(model, info, number, true) || !SW_PUSH(&model->inputs, number)) {
        return onnx_fail_memory(model);
    }
    struct onnx_value *value = &model->values.items[number];
    value->input = true;
    value->shape = value->declared;
    value->type = value->declared_type;
    value->form = value->declared_form;
    value->length = ONNX_OPEN;
    /* One without a shape takes it from --dim, whole. */
    if (!value->shape.dims && !onnx_settle(model, value)) {
        return false;
    }
    value->bounded = false;
    value->bound_axes = value->given_axes = 0;
    return onnx_give_value(model, value);
}

/* A body's inputs are what its operator hands in. */
static bool bind_input(struct onnx_model *model, const struct onnx_body *body, uint32_t i, struct sw_pb_bytes info) {
    return i >= body->input_count || onnx_bind(model, body->scope, sw_pb_last(info, 1), body->inputs[i]);
}

static bool declare_value(struct onnx_model *model, uint32_t scope, struct sw_pb_bytes info) {
    struct onnx_entry *made = scope_entry(model, scope, sw_pb_last(info, 1));
    if (!made) {
        return false;
    }
    struct onnx_value *value = &model->values.items[made->value];
    if (made->defined || value->declared.known) {
        return true;
    }
    value->open = false;
    return read_type(model, info, made->value, false);
}

/* Weights come first, then inputs, then the declared types of other tensors: of two with one name the first counts. */
bool onnx_read_graph(struct onnx_model *model, const struct onnx_body *body) {
    bool main = body->scope == 0, good = true;
    uint32_t inputs = 0;
    for (int pass = 0; good && pass < 3; pass++) {
        struct sw_pb pb = sw_pb_open(body->bytes);
        for (struct sw_pb_field field; good && sw_pb_next_bytes(&pb, &field);) {
            if (pass == 0 && (field.number == 5 || field.number == 15)) {
                good = add_weight(model, body->scope, field.bytes, field.number == 15);
            } else if (pass == 1 && field.number == 11) {
                good = main ? add_graph_input(model, field.bytes) : bind_input(model, body, inputs++, field.bytes);
            } else if (pass == 2 && (field.number == 12 || field.number == 13)) {
                good = declare_value(model, body->scope, field.bytes);
            }
        }
        good = good && onnx_whole(model, &pb);
    }
    return good && onnx_each_node(model, body->bytes, 1, body->scope);
}

/* ---- nodes ---- */

static bool push_argument(struct onnx_model *model, uint32_t value) {
    return SW_PUSH(&model->arguments, value) || onnx_fail_memory(model);
}

static bool read_node_head(struct onnx_model *model, struct onnx_node *node) {
    struct sw_pb pb = sw_pb_open(node->body);
    struct sw_pb_bytes attribute;
    node->name = sw_pb_last(node->body, 3);
    node->kind = sw_pb_last(node->body, 4);
    node->domain = sw_pb_last(node->body, 7);
    while (sw_pb_next_of(&pb, 5, &attribute)) {
        if (!check_message(model, attribute)) {
            return false;
        }
    }
    return onnx_whole(model, &pb);
}

static bool read_node_inputs(struct onnx_model *model, struct onnx_node *node) {
    struct sw_pb pb = sw_pb_open(node->body);
    struct sw_pb_bytes input;
    node->first_input = (uint32_t)model->arguments.count;
    for (; sw_pb_next_of(&pb, 1, &input); node->input_count++) {
        uint32_t value = input.length ? onnx_find(model, node->scope, input) : SW_NONE;
        if (value == SW_NONE && input.length) {
            const char *name = onnx_node_name(model, node);
            return onnx_fail(model, "operator %s reads the tensor %s, which no operator makes", name ? name : "",
                             onnx_quote(input).text);
        }
        if (!push_argument(model, value == model->absent ? SW_NONE : value)) {
            return false;
        }
    }
    return true;
}

bool onnx_read_outputs(struct onnx_model *model, struct onnx_node *node) {
    struct sw_pb pb = sw_pb_open(node->body);
    struct sw_pb_bytes output;
    node->first_output = (uint32_t)model->arguments.count;
    for (; sw_pb_next_of(&pb, 2, &output); node->output_count++) {
        const struct onnx_entry *made = output.length ? define_tensor(model, node->scope, output) : NULL;
        if ((!made && output.length) || !push_argument(model, made ? made->value : SW_NONE)) {
            return false;
        }
    }
    return true;
}

static int64_t opset_of(const struct onnx_model *model, const struct onnx_node *node) {
    for (size_t i = 0; i < model->opsets.count && node->domain.length > 0; i++) {
        if (sw_pb_same(model->opsets.items[i].domain, node->domain)) {
            return model->opsets.items[i].version;
        }
    }
    return model->scopes.items[node->scope].opset;
}

bool onnx_read_node(struct onnx_model *model, uint32_t scope, struct sw_pb_bytes body) {
    struct onnx_node node = {.body = body,
                             .scope = scope,
                             .caller = model->scopes.items[scope].caller,
                             .number = model->node_number++,
                             .shadow = model->shadow > 0};
    if (model->nodes.count >= MOST_NODES) {
        return onnx_fail(model, "more than %u operators", (unsigned)MOST_NODES);
    }
    if (!read_node_head(model, &node)) {
        return false;
    }
    if (sw_pb_equal(node.domain, "ai.onnx")) {
        node.domain.length = 0;
    }
    node.opset = opset_of(model, &node);
    if (!read_node_inputs(model, &node)) {
        return false;
    }
    const struct onnx_function *function = onnx_function_of(model, &node);
    if (!SW_PUSH(&model->nodes, node)) {
        return onnx_fail_memory(model);
    }
    uint32_t at = (uint32_t)model->nodes.count - 1;
    return function ? onnx_call(model, at, function) : onnx_control(model, at);
}

/* ---- the file ---- */

static bool read_opset(struct onnx_model *model, struct sw_pb_bytes bytes) {
    struct onnx_opset opset = {sw_pb_last(bytes, 1), sw_pb_signed(sw_pb_last_varint(bytes, 2))};
    if (sw_pb_equal(opset.domain, "ai.onnx")) {
        opset.domain.length = 0;
    }
    return check_message(model, bytes) && (SW_PUSH(&model->opsets, opset) || onnx_fail_memory(model));
}

static bool keep_model_function(struct onnx_model *model, struct sw_pb_bytes bytes) {
    struct onnx_function function = {.body = bytes, .name = sw_pb_last(bytes, 1), .domain = sw_pb_last(bytes, 10)};
    return check_message(model, bytes) && (SW_PUSH(&model->functions, function) || onnx_fail_memory(model));
}

static bool read_model_file(struct onnx_model *model) {
    struct sw_pb pb = sw_pb_open(onnx_file(model->input));
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next_bytes(&pb, &field)) {
        if (field.number == 7) {
            model->graph = field.bytes;
        } else if (field.number == 8) {
            good = read_opset(model, field.bytes);
        } else if (field.number == 25) {
            good = keep_model_function(model, field.bytes);
        }
    }
    return good && onnx_whole(model, &pb) &&
           (model->graph.at || onnx_fail(model, "there is no graph in the file: it is truncated, or no ONNX model"));
}

static bool find_outputs(struct onnx_model *model) {
    struct sw_pb pb = sw_pb_open(model->graph);
    struct sw_pb_bytes output;
    while (sw_pb_next_of(&pb, 12, &output)) {
        struct sw_pb_bytes name = sw_pb_last(output, 1);
        uint32_t value = onnx_find(model, 0, name);
        if (value == SW_NONE) {
            return onnx_fail(model, "the graph's output %s is made by no operator", onnx_quote(name).text);
        }
        if (!SW_PUSH(&model->outputs, value)) {
            return onnx_fail_memory(model);
        }
    }
    return true;
}

bool onnx_model_read(struct onnx_model *model) {
    if (!read_model_file(model)) {
        return false;
    }
    model->absent = SW_NONE;
    struct onnx_scope scope = {.parent = ONNX_OUTER, .opset = 1, .caller = SW_NONE};
    for (size_t i = 0; i < model->opsets.count; i++) {
        if (model->opsets.items[i].domain.length == 0) {
            scope.opset = model->opsets.items[i].version;
        }
    }
    struct onnx_body body = {.bytes = model->graph};
    return (SW_PUSH(&model->scopes, scope) || onnx_fail_memory(model)) && onnx_dims_find(model) &&
           onnx_read_graph(model, &body) && find_outputs(model) && onnx_dims_check(model) && onnx_values_check(model);
}

void onnx_model_done(struct onnx_model *model) {
    SW_ARRAY_DONE(&model->values, &model->nodes, &model->arguments);
    for (size_t i = 0; i < model->scopes.count; i++) {
        sw_names_done(&model->scopes.items[i].names);
    }
    SW_ARRAY_DONE(&model->scopes, &model->entries, &model->functions, &model->opsets, &model->inputs, &model->open);
    sw_lengths_done(&model->lengths);
    SW_ARRAY_DONE(&model->outputs);
    onnx_sorted_done(&model->sorted);
    sw_arena_done(&model->arena);
}
