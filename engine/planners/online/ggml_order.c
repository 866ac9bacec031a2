/* The order in which ggml's graph allocator asks for the tensors of a graph (ggml_gallocr), for the planner ggml-dyn.
 *
 * - First the leafs: inputs, constants, and what no operator writes.
 * - Then operator by operator: those of its arguments that have no place yet, in their order; itself; and then each
 *   argument of which this was the last use is given back, in their order. Results of the network are never given
 *   back, nor is what no operator reads.
 * - An operator of certain kinds takes the place of its first argument that is used here for the last time, is no
 *   result, and has the same element type and shape. What the argument had beyond that is free.
 *
 * The last rule is kept only where the graph says that the operator can write over that argument (sw_problem_offers):
 * what it does not permit is an overlap, whatever ggml's operator of that name does. Workspaces, which ggml's tensors
 * have not, are asked for behind their operator's outputs and given back with its arguments.
 *
 * A graph of which the file itself says when buffers live has its requests by these lifetimes, like all others. */
#include "planners/online/online.h"

#include <ctype.h>
#include <string.h>

struct ggml_requests {
    const struct sw_problem *problem;
    struct sw_requests *to;
    uint32_t *uses; /* per buffer: operators that are still to read it */
    bool *placed;
    const struct sw_permit *offers; /* by (fresh, old) */
    size_t offer_count;
};

/* Kinds of operators that ggml can do in place, and what other formats call such operators. Without underscores, in
 * lower case. */
static const char *const in_place[] = {
    "fill",    "scale",       "diagmaskinf", "diagmaskzero", "add",         "addid", "add1",     "sub",      "mul",
    "div",     "sqr",         "sqrt",        "log",          "unary",       "rope",  "ropeback", "siluback", "rmsnorm",
    "softmax", "rmsnormback", "softmaxback", "relu",         "sigmoid",     "tanh",  "gelu",     "silu",     "neg",
    "exp",     "abs",         "elu",         "hardswish",    "hardsigmoid", NULL};

static bool is_kind_in_place(const char *kind) {
    char name[24];
    size_t length = 0;
    for (; *kind; kind++) {
        if (*kind == '_') {
            continue;
        }
        if (length + 1 == sizeof name) {
            return false;
        }
        name[length++] = (char)tolower((unsigned char)*kind);
    }
    name[length] = '\0';
    for (const char *const *known = in_place; *known; known++) {
        if (strcmp(name, *known) == 0) {
            return true;
        }
    }
    return false;
}

static bool owns_bytes(const struct ggml_requests *o, uint32_t buffer) {
    return sw_problem_buffer(o->problem, buffer)->planned;
}

static bool push_ggml_request(struct ggml_requests *o, enum sw_request_kind kind, uint32_t buffer, uint32_t over,
                              uint32_t time) {
    o->placed[buffer] = kind != SW_REQUEST_FREE;
    return SW_PUSH(&o->to->items, (struct sw_request){.address = SW_NO_ADDRESS,
                                                      .size = sw_problem_buffer(o->problem, buffer)->size,
                                                      .buffer = buffer,
                                                      .over = over,
                                                      .time = time,
                                                      .kind = (uint16_t)kind});
}

static bool request_buffer(struct ggml_requests *o, uint32_t buffer, uint32_t step) {
    return !owns_bytes(o, buffer) || o->placed[buffer] || push_ggml_request(o, SW_REQUEST_ALLOC, buffer, SW_NONE, step);
}

static bool is_offered(const struct ggml_requests *o, uint32_t fresh, uint32_t old, uint32_t step) {
    for (size_t i = 0; i < o->offer_count; i++) {
        if (o->offers[i].fresh == fresh && o->offers[i].old == old && o->offers[i].step == step) {
            return true;
        }
    }
    return false;
}

static bool same_layout(const struct sw_buffer *a, const struct sw_buffer *b) {
    return a->size == b->size && a->dtype == b->dtype && a->shape_count == b->shape_count &&
           (a->shape_count == 0 || memcmp(a->shape, b->shape, a->shape_count * sizeof *a->shape) == 0);
}

/* The argument of which the output takes the place; SW_NONE: none. */
static uint32_t parent_of(const struct ggml_requests *o, const struct sw_operator *op, uint32_t step, uint32_t output) {
    const struct sw_buffer *child = sw_problem_buffer(o->problem, output);
    for (uint32_t i = 0; is_kind_in_place(op->kind) && i < op->input_count; i++) {
        uint32_t b = op->inputs[i].buffer;
        const struct sw_buffer *parent = sw_problem_buffer(o->problem, b);
        if (op->inputs[i].member == SW_NONE && owns_bytes(o, b) && o->placed[b] && o->uses[b] == 1 && !parent->output &&
            parent->kind != SW_KIND_OUTPUT && same_layout(parent, child) && is_offered(o, output, b, step)) {
            return b;
        }
    }
    return SW_NONE;
}

static bool write_output(struct ggml_requests *o, const struct sw_operator *op, uint32_t step,
                         const struct sw_ref *ref) {
    if (!owns_bytes(o, ref->buffer) || o->placed[ref->buffer]) {
        return true;
    }
    uint32_t parent = ref->member == SW_NONE ? parent_of(o, op, step, ref->buffer) : SW_NONE;
    if (parent == SW_NONE) {
        return push_ggml_request(o, SW_REQUEST_ALLOC, ref->buffer, SW_NONE, step);
    }
    o->placed[parent] = false;
    return push_ggml_request(o, SW_REQUEST_OVER, ref->buffer, parent, step);
}

/* One use less of an argument; the same buffer may be several arguments of an operator. */
static bool used(struct ggml_requests *o, uint32_t buffer, uint32_t step) {
    const struct sw_buffer *b = sw_problem_buffer(o->problem, buffer);
    return --o->uses[buffer] > 0 || !o->placed[buffer] || b->output || b->kind == SW_KIND_OUTPUT ||
           push_ggml_request(o, SW_REQUEST_FREE, buffer, SW_NONE, step + 1);
}

static bool visit_node(struct ggml_requests *o, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(o->problem, step);
    bool good = true;
    for (uint32_t i = 0; good && i < op->input_count; i++) {
        good = request_buffer(o, op->inputs[i].buffer, step);
    }
    for (uint32_t i = 0; good && i < op->output_count; i++) {
        good = write_output(o, op, step, &op->outputs[i]);
    }
    for (uint32_t i = 0; good && i < op->scratch_count; i++) {
        good = request_buffer(o, op->scratch[i].buffer, step);
    }
    for (uint32_t i = 0; good && i < op->input_count; i++) {
        good = used(o, op->inputs[i].buffer, step);
    }
    for (uint32_t i = 0; good && i < op->scratch_count; i++) {
        good = used(o, op->scratch[i].buffer, step);
    }
    return good;
}

static void count_uses(struct ggml_requests *o) {
    for (uint32_t step = 0; step < sw_problem_operator_count(o->problem); step++) {
        const struct sw_operator *op = sw_problem_operator(o->problem, step);
        for (uint32_t i = 0; i < op->input_count; i++) {
            o->uses[op->inputs[i].buffer]++;
        }
        for (uint32_t i = 0; i < op->scratch_count; i++) {
            o->uses[op->scratch[i].buffer]++;
        }
    }
}

bool online_ggml_orders(const struct sw_problem *problem) {
    bool good = sw_problem_operator_count(problem) > 0 && !sw_problem_told_requests(problem);
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        good = !buffer->lifetime_given && buffer->piece_count <= 1;
    }
    return good;
}

struct sw_requests *online_ggml_requests(const struct sw_problem *problem) {
    uint32_t buffers = sw_problem_buffer_count(problem);
    struct ggml_requests o = {.problem = problem,
                              .to = sw_requests_new(),
                              .uses = SW_NEW_ZERO(uint32_t, (size_t)buffers + 1),
                              .placed = SW_NEW_ZERO(bool, (size_t)buffers + 1)};
    bool good = o.to && o.uses && o.placed;
    o.offers = sw_problem_offers(problem, &o.offer_count);
    if (good) {
        o.to->implied = true;
        count_uses(&o);
    }
    for (uint32_t b = 0; good && b < buffers; b++) {
        enum sw_kind kind = sw_problem_buffer(problem, b)->kind;
        bool leaf = kind == SW_KIND_INPUT || kind == SW_KIND_CONSTANT ||
                    (sw_problem_producer(problem, b) == SW_NONE && kind != SW_KIND_SCRATCH);
        good = !leaf || request_buffer(&o, b, 0);
    }
    for (uint32_t step = 0; good && step < sw_problem_operator_count(problem); step++) {
        good = visit_node(&o, step);
    }
    SW_FREE(o.uses, (size_t)buffers + 1);
    SW_FREE(o.placed, (size_t)buffers + 1);
    if (!good) {
        sw_requests_unref(o.to);
        return NULL;
    }
    return o.to;
}
