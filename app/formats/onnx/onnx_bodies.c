/* ONNX: bodies. The branches of an If stand one after the other among the operators; a branch whose
 * condition is known stands alone. Bodies of Loop and Scan are looked at for their shapes, and for
 * what they use from outside. Functions are written out at each call. */
#include "formats/onnx/onnx_bodies.h"

#include <string.h>

#define MOST_CALLS (UINT32_C(1) << 20)

const char *onnx_node_name(struct onnx_model *model, const struct onnx_node *node) {
    if (node->name.length > 0) {
        return onnx_text(model, node->name);
    }
    const char *kind = onnx_text(model, node->kind);
    size_t length = kind ? strlen(kind) : 0;
    char *name = sw_arena_new(&model->arena, length + 12, 1);
    if (!kind || !name) {
        onnx_fail_memory(model);
        return NULL;
    }
    memcpy(name, kind, length);
    name[length] = '_';
    char digits[12];
    size_t count = 0;
    for (uint32_t rest = node->number; count == 0 || rest > 0; rest /= 10) {
        digits[count++] = (char)('0' + rest % 10);
    }
    for (size_t i = 0; i < count; i++) {
        name[length + 1 + i] = digits[count - 1 - i];
    }
    return name;
}

static bool same(struct sw_pb_bytes a, struct sw_pb_bytes b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static bool enter(struct onnx_model *model, struct onnx_scope scope, uint32_t *number) {
    if (model->depth == ONNX_DEPTH) {
        return onnx_fail(model, "bodies and functions lie more than %d deep in one another",
                         ONNX_DEPTH);
    }
    if (!SW_PUSH(&model->scopes, scope)) {
        return onnx_fail_memory(model);
    }
    model->depth++;
    *number = (uint32_t)model->scopes.count - 1;
    return true;
}

/* Outputs of a graph, or of a function: the values they stand for in its scope. */
static bool results(struct onnx_model *model, struct sw_pb_bytes body, uint32_t scope,
                    bool function, uint32_t *first, uint32_t *count) {
    struct sw_pb pb = sw_pb_open(body), inner;
    struct sw_pb_field field, part;
    *first = (uint32_t)model->arguments.count;
    while (sw_pb_next(&pb, &field)) {
        struct sw_pb_bytes name = field.bytes;
        if (field.number != (function ? 5 : 12) || field.wire != SW_PB_BYTES) {
            continue;
        }
        if (!function) {
            inner = sw_pb_open(field.bytes);
            name = (struct sw_pb_bytes){0};
            while (sw_pb_next(&inner, &part)) {
                name = part.number == 1 && part.wire == SW_PB_BYTES ? part.bytes : name;
            }
        }
        uint32_t value = onnx_find(model, scope, name);
        if (value == SW_NONE) {
            return onnx_fail(model, "the output %s of a body is made by no operator",
                             onnx_quote(name).text);
        }
        if (!SW_PUSH(&model->arguments, value)) {
            return onnx_fail_memory(model);
        }
    }
    *count = (uint32_t)model->arguments.count - *first;
    return true;
}

/* Give the outputs of a node, by their names, to values that exist. */
static bool bind_outputs(struct onnx_model *model, const struct onnx_node *node, uint32_t first,
                         uint32_t count) {
    struct sw_pb pb = sw_pb_open(node->body);
    struct sw_pb_field field;
    uint32_t i = 0;
    while (sw_pb_next(&pb, &field)) {
        if (field.number != 2 || field.wire != SW_PB_BYTES) {
            continue;
        }
        uint32_t at = i++;
        if (field.bytes.length == 0) {
            continue;
        }
        if (at >= count) {
            return onnx_fail(model, "the tensor %s is an output that its body does not have",
                             onnx_quote(field.bytes).text);
        }
        if (!onnx_bind(model, node->scope, field.bytes, model->arguments.items[first + at])) {
            return false;
        }
    }
    return true;
}

/* ---- functions ---- */

const struct onnx_function *onnx_function_of(const struct onnx_model *model,
                                             const struct onnx_node *node) {
    for (size_t i = 0; i < model->functions.count; i++) {
        const struct onnx_function *function = &model->functions.items[i];
        if (same(function->name, node->kind) && same(function->domain, node->domain)) {
            return function;
        }
    }
    return NULL;
}

static bool read_function(struct onnx_model *model, const struct onnx_node *call, uint32_t scope,
                          struct sw_pb_bytes body) {
    struct sw_pb pb = sw_pb_open(body);
    struct sw_pb_field field;
    uint32_t inputs = 0;
    while (sw_pb_next(&pb, &field)) {
        if (field.wire != SW_PB_BYTES) {
            continue;
        }
        if (field.number == 4) { /* what the call leaves out is not there in the body either */
            uint32_t at = inputs++;
            uint32_t value =
                at < call->input_count ? model->arguments.items[call->first_input + at] : SW_NONE;
            value = value != SW_NONE ? value : model->absent;
            if (!onnx_bind(model, scope, field.bytes, value)) {
                return false;
            }
        }
    }
    pb = sw_pb_open(body);
    while (sw_pb_next(&pb, &field)) {
        if (field.number == 7 && field.wire == SW_PB_BYTES &&
            !onnx_read_node(model, scope, field.bytes)) {
            return false;
        }
    }
    return onnx_whole(model, &pb);
}

/* The version of ONNX's operators that a function was written for. */
static int64_t function_opset(struct sw_pb_bytes body, int64_t otherwise) {
    struct sw_pb pb = sw_pb_open(body), inner;
    struct sw_pb_field field, part;
    while (sw_pb_next(&pb, &field)) {
        if (field.number != 9 || field.wire != SW_PB_BYTES) {
            continue;
        }
        bool own = true;
        int64_t version = otherwise;
        inner = sw_pb_open(field.bytes);
        while (sw_pb_next(&inner, &part)) {
            if (part.number == 1 && part.wire == SW_PB_BYTES) {
                own = part.bytes.length == 0 || sw_pb_equal(part.bytes, "ai.onnx");
            } else if (part.number == 2 && part.wire == SW_PB_VARINT) {
                version = sw_pb_signed(part.value);
            }
        }
        if (own) {
            return version;
        }
    }
    return otherwise;
}

bool onnx_call(struct onnx_model *model, uint32_t at, const struct onnx_function *function) {
    struct sw_pb_bytes body = function->body;
    struct onnx_node call = model->nodes.items[at];
    uint32_t scope = 0, first, count;
    model->nodes.items[at].shadow = true; /* what it does is done by the operators of its body */
    if (model->calls++ == MOST_CALLS) {
        return onnx_fail(model, "functions are called more than %u times", (unsigned)MOST_CALLS);
    }
    if (model->absent == SW_NONE) {
        model->absent = onnx_new_value(model, (struct sw_pb_bytes){0});
        if (model->absent == SW_NONE) {
            return false;
        }
    }
    int64_t opset = function_opset(body, model->scopes.items[call.scope].opset);
    struct onnx_scope inside = {.parent = ONNX_OUTER, .opset = opset, .caller = at};
    if (!enter(model, inside, &scope) || !read_function(model, &call, scope, body) ||
        !results(model, body, scope, true, &first, &count)) {
        return false;
    }
    model->depth--;
    return bind_outputs(model, &call, first, count);
}

/* ---- If ---- */

static bool read_branch(struct onnx_model *model, const struct onnx_node *node,
                        struct sw_pb_bytes bytes, uint32_t *first, uint32_t *count) {
    struct onnx_scope inside = {.parent = node->scope,
                                .opset = model->scopes.items[node->scope].opset,
                                .caller = node->caller};
    struct onnx_body body = {.bytes = bytes};
    if (!enter(model, inside, &body.scope) || !onnx_read_graph(model, &body) ||
        !results(model, bytes, body.scope, false, first, count)) {
        return false;
    }
    model->depth--;
    return true;
}

/* One result of both branches: the larger shape; the branches' operators write into it themselves
 * when they can. */
static bool join(struct onnx_model *model, uint32_t node, uint32_t into, const uint32_t *from,
                 uint32_t since) {
    struct onnx_value *out = &model->values.items[into];
    for (int k = 0; k < 2; k++) {
        struct onnx_value *value = &model->values.items[from[k]];
        out->type = out->type ? out->type : value->type;
        if (value->shape.known &&
            (!out->shape.known || onnx_count(&value->shape) > onnx_count(&out->shape))) {
            out->shape = value->shape;
        }
        if (!value->constant && value->alias == SW_NONE && from[k] >= since) {
            value->alias = into;
        } else {
            if (!SW_PUSH(&model->arguments, from[k])) {
                return onnx_fail_memory(model);
            }
            model->nodes.items[node].extra_count++;
        }
    }
    if (!out->shape.known) {
        out->shape = out->declared;
        out->type = out->type ? out->type : out->declared_type;
        model->nodes.items[node].why = "its branches do not tell";
    }
    return true;
}

static bool read_if(struct onnx_model *model, uint32_t at) {
    struct onnx_node node = model->nodes.items[at];
    struct onnx_attribute bodies[2];
    uint32_t first[2], count[2];
    uint32_t condition = node.input_count ? model->arguments.items[node.first_input] : SW_NONE;
    for (int k = 0; k < 2; k++) {
        if (!onnx_attribute(model, &node, k == 0 ? "then_branch" : "else_branch", &bodies[k]) ||
            !bodies[k].has_g) {
            const char *name = onnx_node_name(model, &node);
            return onnx_fail(model, "operator %s (If) has no %s", name ? name : "",
                             k == 0 ? "then_branch" : "else_branch");
        }
    }
    const union onnx_number *known =
        condition == SW_NONE ? NULL : model->values.items[condition].data;
    if (known && onnx_count(&model->values.items[condition].shape) == 1) {
        model->nodes.items[at].shadow = true;
        int k = known->i ? 0 : 1;
        return read_branch(model, &node, bodies[k].g, &first[0], &count[0]) &&
               bind_outputs(model, &node, first[0], count[0]);
    }
    uint32_t since = (uint32_t)model->values.count;
    model->branches += !node.shadow;
    for (int k = 0; k < 2; k++) {
        if (!read_branch(model, &node, bodies[k].g, &first[k], &count[k])) {
            return false;
        }
    }
    if (!onnx_read_outputs(model, &node)) {
        return false;
    }
    /* The operator itself comes after those of its branches: it makes what they do not. */
    node.extra_first = (uint32_t)model->arguments.count;
    if (!SW_PUSH(&model->nodes, node)) {
        return onnx_fail_memory(model);
    }
    model->nodes.items[at].shadow = true;
    at = (uint32_t)model->nodes.count - 1;
    for (uint32_t i = 0; i < node.output_count; i++) {
        uint32_t into = model->arguments.items[node.first_output + i];
        if (i >= count[0] || i >= count[1]) {
            return onnx_fail(model, "a branch of an If has fewer outputs than the If");
        }
        uint32_t from[2] = {model->arguments.items[first[0] + i],
                            model->arguments.items[first[1] + i]};
        if (into != SW_NONE && !join(model, at, into, from, since)) {
            return false;
        }
    }
    return true;
}

/* ---- Loop and Scan ---- */

/* What a body, or one within it, uses from outside. Names are never used twice, so whatever is
 * found outside is meant. */
static bool captures(struct onnx_model *model, uint32_t at, struct sw_pb_bytes body,
                     unsigned depth) {
    struct sw_pb graph = sw_pb_open(body), node, attribute;
    struct sw_pb_field field, part, inner;
    uint32_t scope = model->nodes.items[at].scope;
    while (depth < ONNX_DEPTH && sw_pb_next(&graph, &field)) {
        if (field.number != 1 || field.wire != SW_PB_BYTES) {
            continue;
        }
        node = sw_pb_open(field.bytes);
        while (sw_pb_next(&node, &part)) {
            if (part.wire != SW_PB_BYTES || (part.number != 1 && part.number != 5)) {
                continue;
            }
            uint32_t value = part.number == 1 && part.bytes.length
                                 ? onnx_find(model, scope, part.bytes)
                                 : SW_NONE;
            if (value != SW_NONE) {
                if (!SW_PUSH(&model->arguments, value)) {
                    return onnx_fail_memory(model);
                }
                model->nodes.items[at].extra_count++;
            }
            attribute = sw_pb_open(part.bytes);
            while (part.number == 5 && sw_pb_next(&attribute, &inner)) {
                if (inner.number == 6 && inner.wire == SW_PB_BYTES &&
                    !captures(model, at, inner.bytes, depth + 1)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* What the body sees of one input of Loop or Scan. */
static uint32_t hand_in(struct onnx_model *model, uint32_t argument, int type, bool slice,
                        int64_t axis) {
    uint32_t made = onnx_new_value(model, (struct sw_pb_bytes){0});
    if (made == SW_NONE) {
        return SW_NONE;
    }
    struct onnx_value *value = &model->values.items[made];
    value->type = type;
    static const int64_t none[1];
    value->shape = (struct onnx_shape){.known = type != ONNX_NONE, .dims = none};
    if (argument == SW_NONE) {
        return made;
    }
    const struct onnx_value *from = &model->values.items[argument];
    value->type = from->type;
    value->shape = from->shape;
    if (slice && from->shape.known) {
        uint32_t rank = from->shape.rank;
        axis += axis < 0 ? rank : 0;
        int64_t *dims = sw_arena_new(&model->arena, rank + 1, sizeof *dims);
        if (!dims) {
            onnx_fail_memory(model);
            return SW_NONE;
        }
        value->shape.known = axis >= 0 && axis < rank;
        for (uint32_t i = 0, k = 0; i < rank && value->shape.known; i++) {
            if (i != (uint32_t)axis) {
                dims[k++] = from->shape.dims[i];
            }
        }
        value->shape.rank = value->shape.known ? rank - 1 : 0;
        value->shape.dims = dims;
    }
    return made;
}

/* An output that collects one slice per round. */
static bool collect(struct onnx_model *model, const struct onnx_value *slice, int64_t rounds,
                    int64_t axis, struct onnx_value *out) {
    uint32_t rank = slice->shape.rank + 1;
    axis += axis < 0 ? rank : 0;
    out->type = slice->type;
    if (!slice->shape.known || rounds < 0 || axis < 0 || axis >= rank || rank > ONNX_RANK) {
        return true;
    }
    int64_t *dims = sw_arena_new(&model->arena, rank, sizeof *dims);
    if (!dims) {
        return onnx_fail_memory(model);
    }
    for (uint32_t i = 0, k = 0; i < rank; i++) {
        dims[i] = i == (uint32_t)axis ? rounds : slice->shape.dims[k++];
    }
    out->shape = (struct onnx_shape){true, rank, dims};
    return true;
}

struct loop {
    bool scan;
    uint32_t states; /* carried from round to round */
    uint32_t inputs; /* of the body */
    int64_t rounds;  /* -1: not known */
    int64_t in_axes[ONNX_RANK], out_axes[ONNX_RANK];
    size_t in_count, out_count;
};

static bool set_outputs(struct onnx_model *model, uint32_t at, const struct loop *loop,
                        uint32_t first, uint32_t count) {
    const struct onnx_node *node = &model->nodes.items[at];
    uint32_t skip = loop->scan ? 0 : 1; /* a Loop's body says first whether it goes on */
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t into = model->arguments.items[node->first_output + i];
        if (into == SW_NONE || i + skip >= count) {
            continue;
        }
        struct onnx_value *out = &model->values.items[into];
        const struct onnx_value *made =
            &model->values.items[model->arguments.items[first + skip + i]];
        size_t k = i - loop->states;
        int64_t axis = i >= loop->states && k < loop->out_count ? loop->out_axes[k] : 0;
        if (i < loop->states) {
            out->type = made->type;
            out->shape = made->shape;
        } else if (!collect(model, made, loop->rounds, axis, out)) {
            return false;
        }
        if (!out->shape.known) {
            out->shape = out->declared;
            out->type = out->type ? out->type : out->declared_type;
        }
    }
    model->nodes.items[at].why = "it depends on how often the body runs, or on what it does";
    return true;
}

/* How a Loop or a Scan uses its inputs. */
static struct loop loop_of(const struct onnx_model *model, const struct onnx_node *node,
                           bool scan) {
    struct loop loop = {.scan = scan, .rounds = -1};
    const uint32_t *inputs = node->input_count ? &model->arguments.items[node->first_input] : NULL;
    if (!scan) {
        loop.states = node->input_count > 2 ? node->input_count - 2 : 0;
        loop.inputs = loop.states + 2;
        const struct onnx_value *most =
            node->input_count && inputs[0] != SW_NONE ? &model->values.items[inputs[0]] : NULL;
        if (most && most->data && onnx_count(&most->shape) == 1 && most->data->i >= 0) {
            loop.rounds = most->data->i;
        }
        return loop;
    }
    int64_t slices = onnx_int(model, node, "num_scan_inputs", 1);
    loop.inputs = node->input_count;
    loop.states = slices >= 0 && slices <= loop.inputs ? loop.inputs - (uint32_t)slices : 0;
    onnx_ints(model, node, "scan_input_axes", loop.in_axes, ONNX_RANK, &loop.in_count);
    onnx_ints(model, node, "scan_output_axes", loop.out_axes, ONNX_RANK, &loop.out_count);
    if (loop.states < loop.inputs && inputs[loop.states] != SW_NONE) {
        const struct onnx_shape *shape = &model->values.items[inputs[loop.states]].shape;
        int64_t axis = loop.in_count ? loop.in_axes[0] : 0;
        axis += axis < 0 && shape->known ? shape->rank : 0;
        loop.rounds = shape->known && axis >= 0 && axis < shape->rank ? shape->dims[axis] : -1;
    }
    return loop;
}

static bool read_loop(struct onnx_model *model, uint32_t at, bool scan) {
    struct onnx_node node = model->nodes.items[at];
    struct onnx_attribute attribute;
    if (!onnx_attribute(model, &node, "body", &attribute) || !attribute.has_g) {
        return onnx_fail(model, "a Loop or Scan without a body, at offset %zu",
                         (size_t)(node.body.at - (const unsigned char *)model->input->bytes));
    }
    struct loop loop = loop_of(model, &node, scan);
    struct onnx_scope inside = {.parent = node.scope,
                                .opset = model->scopes.items[node.scope].opset,
                                .caller = node.caller};
    struct onnx_body body = {.bytes = attribute.g, .input_count = loop.inputs};
    uint32_t *inputs = sw_arena_new(&model->arena, loop.inputs + 1, sizeof *inputs);
    if (!inputs) {
        return onnx_fail_memory(model);
    }
    for (uint32_t i = 0; i < loop.inputs; i++) {
        uint32_t own = scan ? i : i < 2 ? SW_NONE : i;
        int type = own != SW_NONE ? ONNX_NONE : i == 0 ? ONNX_INT64 : ONNX_BOOL;
        size_t k = i - loop.states;
        bool slice = scan && i >= loop.states;
        inputs[i] = hand_in(
            model, own == SW_NONE ? SW_NONE : model->arguments.items[node.first_input + own], type,
            slice, slice && k < loop.in_count ? loop.in_axes[k] : 0);
        if (inputs[i] == SW_NONE) {
            return false;
        }
    }
    body.inputs = inputs;
    uint32_t first, count;
    model->loops += !node.shadow;
    model->shadow++;
    if (!enter(model, inside, &body.scope) || !onnx_read_graph(model, &body) ||
        !results(model, attribute.g, body.scope, false, &first, &count)) {
        return false;
    }
    model->depth--;
    model->shadow--;
    if (!onnx_read_outputs(model, &node)) {
        return false;
    }
    node.extra_first = (uint32_t)model->arguments.count;
    model->nodes.items[at] = node;
    return captures(model, at, attribute.g, 0) && set_outputs(model, at, &loop, first, count);
}

bool onnx_control(struct onnx_model *model, uint32_t at) {
    struct onnx_node *node = &model->nodes.items[at];
    if (node->domain.length == 0 && sw_pb_equal(node->kind, "If")) {
        return read_if(model, at);
    }
    if (node->domain.length == 0 && sw_pb_equal(node->kind, "Loop")) {
        return read_loop(model, at, false);
    }
    if (node->domain.length == 0 && sw_pb_equal(node->kind, "Scan") && node->opset >= 9) {
        return read_loop(model, at, true);
    }
    struct onnx_node copy = *node;
    if (!onnx_read_outputs(model, &copy)) {
        return false;
    }
    model->nodes.items[at] = copy;
    return onnx_infer(model, at);
}
