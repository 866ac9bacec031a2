/* ONNX: bodies. The branches of an If stand one after the other among the operators; if the
 * condition is known, its branch stands alone. Bodies of Loop and Scan are looked at for their shapes, and for
 * what they use from outside. Functions are written out at each call. */
#include "formats/onnx/onnx_bodies.h"
#include "base/base.h"
#include "formats/text/unique.h"

#define MOST_CALLS (UINT32_C(1) << 20)

const char *onnx_node_name(struct onnx_model *model, const struct onnx_node *node) {
    if (node->name.length > 0) {
        return onnx_text(model, node->name);
    }
    const char *kind = onnx_text(model, node->kind);
    const char *name = kind ? sw_unique_printf(&model->arena, "%s_%" PRIu32, kind, node->number) : NULL;
    if (!name) {
        onnx_fail_memory(model);
    }
    return name;
}

static bool enter_scope(struct onnx_model *model, struct onnx_scope scope, uint32_t *number) {
    if (model->depth == ONNX_DEPTH) {
        return onnx_fail(model, "bodies and functions lie more than %d deep in one another", ONNX_DEPTH);
    }
    if (!SW_PUSH(&model->scopes, scope)) {
        return onnx_fail_memory(model);
    }
    model->depth++;
    *number = (uint32_t)model->scopes.count - 1;
    return true;
}

/* Outputs of a graph, or of a function: the values they stand for in its scope. */
static bool find_results(struct onnx_model *model, struct sw_pb_bytes body, uint32_t scope, bool function,
                         uint32_t *first, uint32_t *count) {
    struct sw_pb pb = sw_pb_open(body);
    struct sw_pb_bytes output;
    *first = (uint32_t)model->arguments.count;
    while (sw_pb_next_of(&pb, function ? 5 : 12, &output)) {
        struct sw_pb_bytes name = function ? output : sw_pb_last(output, 1);
        uint32_t value = onnx_find(model, scope, name);
        if (value == SW_NONE) {
            return onnx_fail(model, "the output %s of a body is made by no operator", onnx_quote(name).text);
        }
        if (!SW_PUSH(&model->arguments, value)) {
            return onnx_fail_memory(model);
        }
    }
    *count = (uint32_t)model->arguments.count - *first;
    return true;
}

/* Give the outputs of a node, by their names, to values that exist. */
static bool bind_outputs(struct onnx_model *model, const struct onnx_node *node, uint32_t first, uint32_t count) {
    struct sw_pb pb = sw_pb_open(node->body);
    struct sw_pb_bytes output;
    for (uint32_t i = 0; sw_pb_next_of(&pb, 2, &output); i++) {
        if (output.length > 0 && i >= count) {
            return onnx_fail(model, "the tensor %s is an output that its body does not have", onnx_quote(output).text);
        }
        if (output.length > 0 && !onnx_bind(model, node->scope, output, model->arguments.items[first + i])) {
            return false;
        }
    }
    return true;
}

/* ---- functions ---- */

const struct onnx_function *onnx_function_of(const struct onnx_model *model, const struct onnx_node *node) {
    for (size_t i = 0; i < model->functions.count; i++) {
        const struct onnx_function *function = &model->functions.items[i];
        if (sw_pb_same(function->name, node->kind) && sw_pb_same(function->domain, node->domain)) {
            return function;
        }
    }
    return NULL;
}

static bool read_function_body(struct onnx_model *model, const struct onnx_node *call, uint32_t scope,
                               struct sw_pb_bytes body) {
    struct sw_pb pb = sw_pb_open(body);
    struct sw_pb_bytes input;
    for (uint32_t i = 0; sw_pb_next_of(&pb, 4, &input); i++) {
        /* what the call leaves out is not there in the body either */
        uint32_t value = onnx_input(model, call, i);
        if (!onnx_bind(model, scope, input, value != SW_NONE ? value : model->absent)) {
            return false;
        }
    }
    return onnx_each_node(model, body, 7, scope);
}

/* The version of ONNX's operators that a function was written for. */
static int64_t function_opset(struct sw_pb_bytes body, int64_t otherwise) {
    struct sw_pb pb = sw_pb_open(body);
    struct sw_pb_bytes opset;
    while (sw_pb_next_of(&pb, 9, &opset)) {
        struct sw_pb_bytes domain = sw_pb_last(opset, 1);
        if (domain.length == 0 || sw_pb_equal(domain, "ai.onnx")) {
            int64_t version = sw_pb_signed(sw_pb_last_varint(opset, 2));
            return version ? version : otherwise;
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
    if (model->absent == SW_NONE && (model->absent = onnx_new_value(model, (struct sw_pb_bytes){0})) == SW_NONE) {
        return false;
    }
    int64_t opset = function_opset(body, model->scopes.items[call.scope].opset);
    struct onnx_scope inside = {.parent = ONNX_OUTER, .opset = opset, .caller = at};
    if (!enter_scope(model, inside, &scope) || !read_function_body(model, &call, scope, body) ||
        !find_results(model, body, scope, true, &first, &count)) {
        return false;
    }
    model->depth--;
    return bind_outputs(model, &call, first, count);
}

/* ---- If ---- */

/* A graph within a node, in a scope of its own, and what it gives, among the arguments. */
static bool read_branch(struct onnx_model *model, const struct onnx_node *node, struct onnx_body body, uint32_t *first,
                        uint32_t *count) {
    struct onnx_scope inside = {
        .parent = node->scope, .opset = model->scopes.items[node->scope].opset, .caller = node->caller};
    if (!enter_scope(model, inside, &body.scope) || !onnx_read_graph(model, &body) ||
        !find_results(model, body.bytes, body.scope, false, first, count)) {
        return false;
    }
    model->depth--;
    return true;
}

/* The shape of what comes from one branch or from the other: the larger one, and where they differ its lengths are
 * bounds. A length that one of them leaves open is open. */
static bool join_branch_shapes(struct onnx_model *model, struct onnx_value *out, const struct onnx_value *value) {
    const struct onnx_shape *a = &out->shape, *b = &value->shape;
    if (!onnx_plain(out)) { /* sequences and maps are not planned; the elements of an empty sequence have no shape */
        out->shape = a->dims ? *a : *b;
        return true;
    }
    if (!a->dims || !b->dims || (a->rank != b->rank && !(a->known && b->known))) {
        out->shape = (struct onnx_shape){0};
        return true;
    }
    int64_t dims[ONNX_RANK];
    uint32_t differ = 0, smaller = a->rank != b->rank, larger = smaller;
    bool known = true;
    for (uint32_t i = 0; i < a->rank && a->rank == b->rank; i++) {
        bool open = a->dims[i] == ONNX_OPEN || b->dims[i] == ONNX_OPEN;
        dims[i] = open ? ONNX_OPEN : SW_MAX(a->dims[i], b->dims[i]);
        differ |= !open && a->dims[i] != b->dims[i] ? UINT32_C(1) << i : 0;
        smaller |= a->dims[i] < b->dims[i];
        larger |= a->dims[i] > b->dims[i];
        known &= !open;
    }
    if (known && smaller && larger) { /* none of the two holds the other: that which has more elements */
        out->shape = onnx_count(b) > onnx_count(a) ? *b : *a;
        out->bounded = true;
        out->bound_axes = 0;
        return true;
    }
    out->bound_axes |= differ;
    out->bound_rule = differ ? "If (the larger branch)" : out->bound_rule;
    return onnx_keep_shape(model, &out->shape, known, a->rank, dims);
}

/* One result of the branches that may run, `count` of them; the branches' operators write into it themselves when they
 * can. */
static bool join_branches(struct onnx_model *model, uint32_t node, uint32_t into, const uint32_t *from, int count,
                          uint32_t since) {
    struct onnx_value *out = &model->values.items[into];
    for (int k = 0; k < count; k++) {
        struct onnx_value *value = &model->values.items[from[k]];
        out->type = out->type ? out->type : value->type;
        out->form = out->form ? out->form : value->form;
        out->optional |= value->optional;
        out->bounded |= value->bounded;
        out->steered |= value->steered;
        out->bound_axes |= value->bound_axes;
        out->given_axes |= value->given_axes;
        out->bound_rule = out->bound_rule ? out->bound_rule : value->bound_rule;
        if (k == 0) {
            out->shape = value->shape;
            out->length = count == 1 ? value->length : ONNX_OPEN;
        } else if (!join_branch_shapes(model, out, value)) {
            return false;
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
    model->nodes.items[node].why = "its branches do not tell";
    if (count == 1) {
        const struct onnx_value *steer =
            &model->values.items[model->arguments.items[model->nodes.items[node].first_input]];
        out->data = model->values.items[from[0]].data;
        out->bounded |= steer->bounded;
        out->steered |= steer->steered;
    }
    return onnx_settle(model, out);
}

static bool read_if(struct onnx_model *model, uint32_t at) {
    struct onnx_node node = model->nodes.items[at];
    struct onnx_attribute bodies[2];
    uint32_t first[2], count[2];
    for (int k = 0; k < 2; k++) {
        if (!onnx_attribute(model, &node, k == 0 ? "then_branch" : "else_branch", &bodies[k]) || !bodies[k].g.at) {
            const char *name = onnx_node_name(model, &node);
            return onnx_fail(model, "operator %s (If) has no %s", name ? name : "",
                             k == 0 ? "then_branch" : "else_branch");
        }
    }
    const struct onnx_value none = {0}, *given = onnx_value_at(model, onnx_input(model, &node, 0));
    const struct onnx_value *steer = given ? given : &none;
    bool known = steer->data && onnx_count(&steer->shape) == 1;
    bool bounded = steer->bounded, steered = steer->steered;
    int taken = known && !steer->data->i, branches = known ? 1 : 2; /* the first that is read, and how many */
    if (known && !bounded && !steered) {                            /* in every run: there is no If */
        model->nodes.items[at].shadow = true;
        return read_branch(model, &node, (struct onnx_body){.bytes = bodies[taken].g}, &first[0], &count[0]) &&
               bind_outputs(model, &node, first[0], count[0]);
    }
    uint32_t since = (uint32_t)model->values.count;
    model->branches += !node.shadow && !known;
    model->decided += !node.shadow && known && bounded;
    model->steered += !node.shadow && known && !bounded;
    for (int k = 0; k < branches; k++) {
        if (!read_branch(model, &node, (struct onnx_body){.bytes = bodies[taken + k].g}, &first[k], &count[k])) {
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
        uint32_t from[2];
        for (int k = 0; k < branches; k++) {
            if (i >= count[k]) {
                return onnx_fail(model, "a branch of an If has fewer outputs than the If");
            }
            from[k] = model->arguments.items[first[k] + i];
        }
        if (into != SW_NONE && !join_branches(model, at, into, from, branches, since)) {
            return false;
        }
    }
    return true;
}

/* ---- Loop and Scan ---- */

/* What a body, or one within it, uses from outside. Names are never used twice, so whatever is
 * found outside is meant. */
static bool captures(struct onnx_model *model, uint32_t at, struct sw_pb_bytes body, unsigned depth) {
    struct sw_pb graph = sw_pb_open(body), attribute;
    struct sw_pb_bytes node, inner;
    struct sw_pb_field part;
    while (depth < ONNX_DEPTH && sw_pb_next_of(&graph, 1, &node)) {
        struct sw_pb parts = sw_pb_open(node);
        while (sw_pb_next_bytes(&parts, &part)) {
            bool input = part.number == 1 && part.bytes.length > 0;
            uint32_t value = input ? onnx_find(model, model->nodes.items[at].scope, part.bytes) : SW_NONE;
            if (value != SW_NONE) {
                if (!SW_PUSH(&model->arguments, value)) {
                    return onnx_fail_memory(model);
                }
                model->nodes.items[at].extra_count++;
            }
            attribute = sw_pb_open(part.bytes);
            while (part.number == 5 && sw_pb_next_of(&attribute, 6, &inner)) {
                if (!captures(model, at, inner, depth + 1)) {
                    return false;
                }
            }
        }
    }
    return true;
}

struct body_loop {
    bool scan, map;  /* neither: a Loop */
    uint32_t states; /* carried from round to round */
    uint32_t inputs; /* of the body */
    int64_t rounds;  /* ONNX_OPEN: not known */
    bool exact;      /* it never ends earlier */
    bool steered;    /* how often follows from --value */
    bool batched; /* a Scan before opset 9: all but the body has an axis more, the first, which the body does not see */
    int64_t batch; /* its length; ONNX_OPEN */
    int64_t in_axes[ONNX_RANK], out_axes[ONNX_RANK];
    size_t in_count, out_count;
    uint32_t *values;             /* what the body's inputs are */
    struct onnx_shape *states_in; /* of the states, when not those that the loop begins with; NULL */
    uint32_t first, count;        /* what the body gives, among the arguments */
};

/* The shape of one slice along an axis. */
static bool slice_shape(struct onnx_model *model, int64_t axis, struct onnx_shape *shape) {
    uint32_t rank = shape->rank, kept = 0;
    int64_t dims[ONNX_RANK];
    axis += axis < 0 ? rank : 0;
    bool known = shape->known && axis >= 0 && axis < rank;
    for (uint32_t i = 0; i < rank && known; i++) {
        if (i != (uint32_t)axis) {
            dims[kept++] = shape->dims[i];
        }
    }
    *shape = (struct onnx_shape){0};
    return !known || onnx_keep_shape(model, shape, true, kept, dims);
}

static void take_over(struct onnx_value *to, const struct onnx_value *from) {
    to->type = from->type;
    to->shape = from->shape;
    to->form = from->form;
    to->optional = from->optional;
    to->bounded |= from->bounded;
    to->steered |= from->steered;
}

/* What the body sees of one input. The first two of a Loop are the round and whether to go on; of a sequence that is
 * mapped it sees one element. */
static bool hand_in(struct onnx_model *model, const struct onnx_node *node, struct body_loop *loop, uint32_t i) {
    static const int64_t none[1];
    static const union onnx_number yes = {.i = 1};
    uint32_t made = onnx_new_value(model, (struct sw_pb_bytes){0});
    if (made == SW_NONE) {
        return false;
    }
    const struct onnx_value *from = onnx_value_at(model, onnx_input(model, node, i));
    struct onnx_value *value = &model->values.items[made];
    uint32_t skip = loop->scan || loop->map ? 0 : 2;
    loop->values[i] = made;
    if (i < skip) {
        value->type = i == 0 ? ONNX_INT64 : ONNX_BOOL;
        value->shape = (struct onnx_shape){.known = true, .dims = none};
        value->constant = i == 1 && (!from || from->constant);
        value->data = i == 1 ? &yes : NULL; /* else the body does not run */
        return true;
    }
    if (!from) {
        return true;
    }
    take_over(value, from);
    if (loop->map) {
        bool element = from->form == ONNX_SEQUENCE;
        value->form = element ? ONNX_TENSOR : value->form;
        value->bounded |= element && from->bound_axes != 0;
        return true;
    }
    size_t slice = i - skip - loop->states;
    struct onnx_shape shape = value->shape;
    if (loop->batched && !slice_shape(model, 0, &shape)) {
        return false;
    }
    if (i - skip < loop->states) {
        model->values.items[made].shape = loop->states_in ? loop->states_in[i - skip] : shape;
        return true;
    }
    if (!slice_shape(model, slice < loop->in_count ? loop->in_axes[slice] : 0, &shape)) {
        return false;
    }
    value->shape = shape;
    return true;
}

/* An output that collects one slice per round. */
static bool gather_up(struct onnx_model *model, const struct onnx_value *slice, const struct body_loop *loop,
                      int64_t axis, struct onnx_value *out) {
    uint32_t rank = slice->shape.rank + 1;
    axis += axis < 0 ? rank : 0;
    out->type = slice->type;
    out->bounded |= slice->bounded;
    out->steered |= slice->steered || loop->steered;
    if (!slice->shape.dims || axis < 0 || axis >= rank || rank > ONNX_RANK) {
        return true;
    }
    int64_t dims[ONNX_RANK];
    for (uint32_t i = 0, k = 0; i < rank; i++) {
        dims[i] = i == (uint32_t)axis ? loop->rounds : slice->shape.dims[k++];
    }
    if (!loop->exact && loop->rounds != ONNX_OPEN) {
        out->bound_axes |= UINT32_C(1) << axis;
        out->bound_rule = "Loop (every round)";
    }
    return onnx_keep_shape(model, &out->shape, slice->shape.known && loop->rounds != ONNX_OPEN, rank, dims);
}

/* A state may grow with every round: then its length at the end is a bound when it grows alike in the first
 * round and in the last; otherwise it is open. */
enum state_growth { STATE_STAYS, STATE_GROWS, STATE_STRAYS };
static enum state_growth growth_of(const struct onnx_shape *in, const struct onnx_shape *out) {
    if (!in->known || !out->known) {
        return STATE_STAYS;
    }
    if (in->rank != out->rank) {
        return STATE_STRAYS;
    }
    return in->rank == 0 || memcmp(in->dims, out->dims, in->rank * sizeof *in->dims) == 0 ? STATE_STAYS : STATE_GROWS;
}

/* A shape after so many rounds more, each of which does to it what one did. */
static bool grow_shape(struct onnx_model *model, const struct onnx_shape *in, const struct onnx_shape *out,
                       int64_t rounds, struct onnx_shape *to) {
    int64_t dims[ONNX_RANK];
    bool known = true;
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t step = out->dims[i] - in->dims[i], grown = 0;
        known &= step >= 0 && !__builtin_mul_overflow(step, rounds, &grown) &&
                 !__builtin_add_overflow(grown, in->dims[i], &grown) && grown <= (int64_t)SW_MAX_BYTES;
        dims[i] = known ? grown : 0;
    }
    return onnx_keep_shape(model, to, known, in->rank, dims);
}

/* The states as the body finds them in one round; false: none of them grows, or by how much is not known. */
static bool last_states(struct onnx_model *model, const struct body_loop *loop, int64_t round,
                        struct onnx_shape *shapes) {
    uint32_t skip = loop->scan ? 0 : 1;
    bool grows = false;
    for (uint32_t i = 0; i < loop->states && i + skip < loop->count; i++) {
        const struct onnx_shape in = model->values.items[loop->values[i + 2 * skip]].shape;
        const struct onnx_shape out = model->values.items[model->arguments.items[loop->first + skip + i]].shape;
        shapes[i] = in;
        if (growth_of(&in, &out) != STATE_GROWS) {
            continue;
        }
        if (!grow_shape(model, &in, &out, round, &shapes[i]) || !shapes[i].known) {
            return false;
        }
        grows = true;
    }
    return grows;
}

static bool read_loop_body(struct onnx_model *model, const struct onnx_node *node, struct body_loop *loop,
                           struct sw_pb_bytes bytes) {
    struct onnx_body body = {.bytes = bytes, .inputs = loop->values, .input_count = loop->inputs};
    for (uint32_t i = 0; i < loop->inputs; i++) {
        if (!hand_in(model, node, loop, i)) {
            return false;
        }
    }
    model->shadow++;
    bool good = read_branch(model, node, body, &loop->first, &loop->count);
    model->shadow--;
    return good;
}

/* A state at the end: as the body leaves it, unless it grows in another way than foreseen. */
static bool set_state(struct onnx_model *model, const struct body_loop *loop, uint32_t i, const struct onnx_value *made,
                      const struct onnx_shape *foreseen, struct onnx_value *out) {
    uint32_t skip = loop->scan ? 0 : 2;
    const struct onnx_shape *in = &model->values.items[loop->values[i + skip]].shape;
    take_over(out, made);
    enum state_growth growth = growth_of(in, &made->shape);
    if (growth == STATE_STAYS) {
        return true;
    }
    if (growth == STATE_STRAYS || out->form != ONNX_TENSOR) {
        out->shape = (struct onnx_shape){0};
        return true;
    }
    bool right = foreseen && growth_of(foreseen, &made->shape) == STATE_STAYS;
    int64_t dims[ONNX_RANK];
    for (uint32_t k = 0; k < in->rank; k++) {
        bool same = in->dims[k] == made->shape.dims[k];
        dims[k] = same || right ? made->shape.dims[k] : ONNX_OPEN;
        out->bound_axes |= !same && right ? UINT32_C(1) << k : 0;
    }
    out->bound_rule = "Loop (what every round adds)";
    return onnx_keep_shape(model, &out->shape, right, in->rank, dims);
}

/* The axis that the body does not see. */
static bool add_batch(struct onnx_model *model, const struct body_loop *loop, struct onnx_value *out) {
    uint32_t rank = out->shape.rank + 1;
    if (!loop->batched || !out->shape.dims) {
        return true;
    }
    int64_t dims[ONNX_RANK + 1] = {loop->batch};
    bool known = out->shape.known && loop->batch != ONNX_OPEN;
    memcpy(dims + 1, out->shape.dims, (rank - 1) * sizeof *dims);
    out->shape = (struct onnx_shape){0};
    out->bound_axes <<= 1;
    return rank > ONNX_RANK || onnx_keep_shape(model, &out->shape, known, rank, dims);
}

static bool set_outputs(struct onnx_model *model, uint32_t at, const struct body_loop *loop,
                        const struct onnx_shape *foreseen) {
    uint32_t skip = loop->scan ? 0 : 1; /* a Loop's body says first whether it goes on */
    model->nodes.items[at].why = "it depends on how often the body runs, or on what it does";
    for (uint32_t i = 0; i < model->nodes.items[at].output_count; i++) {
        uint32_t into = model->arguments.items[model->nodes.items[at].first_output + i];
        if (into == SW_NONE || i + skip >= loop->count) {
            continue;
        }
        struct onnx_value *out = &model->values.items[into];
        const struct onnx_value *made = &model->values.items[model->arguments.items[loop->first + skip + i]];
        size_t k = i - loop->states;
        int64_t axis = i >= loop->states && k < loop->out_count ? loop->out_axes[k] : 0;
        bool good = i < loop->states ? set_state(model, loop, i, made, foreseen ? &foreseen[i] : NULL, out)
                                     : gather_up(model, made, loop, axis, out);
        if (!good || !add_batch(model, loop, out) || !onnx_settle(model, out)) {
            return false;
        }
    }
    return true;
}

/* How a Loop or a Scan uses its inputs. */
static struct body_loop loop_of(const struct onnx_model *model, const struct onnx_node *node, bool scan) {
    struct body_loop loop = {
        .scan = scan, .rounds = ONNX_OPEN, .exact = scan, .batched = scan && node->opset < 9, .batch = ONNX_OPEN};
    if (!scan) {
        loop.states = node->input_count > 2 ? node->input_count - 2 : 0;
        loop.inputs = loop.states + 2;
        const struct onnx_value *most = onnx_value_at(model, onnx_input(model, node, 0));
        if (most && most->data && onnx_count(&most->shape) == 1 && most->data->i >= 0 &&
            most->data->i <= INT64_C(1) << 40) { /* a loop without an end is given as 2^63 - 1 */
            loop.rounds = most->data->i;
            const struct onnx_value *begin = onnx_value_at(model, onnx_input(model, node, 1));
            bool begins =
                !begin || (begin->data && onnx_count(&begin->shape) == 1 && begin->data->i && !begin->bounded);
            loop.exact = !most->bounded && begins;
            loop.steered = most->steered || (begin && begin->steered);
        }
        return loop;
    }
    int64_t slices = onnx_int(model, node, "num_scan_inputs", 1);
    loop.inputs = node->input_count;
    loop.states = slices >= 0 && slices <= loop.inputs ? loop.inputs - (uint32_t)slices : 0;
    onnx_ints(model, node, "scan_input_axes", loop.in_axes, ONNX_RANK, &loop.in_count);
    onnx_ints(model, node, "scan_output_axes", loop.out_axes, ONNX_RANK, &loop.out_count);
    const struct onnx_value *slices_of = onnx_value_at(model, onnx_input(model, node, loop.states));
    if (slices_of) {
        const struct onnx_shape *shape = &slices_of->shape;
        loop.exact = !slices_of->bounded;
        loop.steered = slices_of->steered;
        int64_t axis = loop.in_count ? loop.in_axes[0] : 0;
        axis += axis < 0 && shape->known ? shape->rank : 0;
        axis += loop.batched;
        loop.rounds = shape->known && axis >= 0 && axis < shape->rank ? shape->dims[axis] : ONNX_OPEN;
        loop.batch = shape->known && shape->rank > 0 ? shape->dims[0] : ONNX_OPEN;
    }
    return loop;
}

static bool read_loop(struct onnx_model *model, uint32_t at, bool scan) {
    struct onnx_node node = model->nodes.items[at];
    struct onnx_attribute attribute;
    if (!onnx_attribute(model, &node, "body", &attribute) || !attribute.g.at) {
        return onnx_fail(model, "a Loop or Scan without a body, at offset %zu",
                         (size_t)(node.body.at - (const unsigned char *)model->input->bytes));
    }
    struct onnx_node hands =
        node; /* what the body is handed; before opset 9 a Scan was first told how long each list is */
    bool told = scan && node.opset < 9 && node.input_count > 0;
    hands.first_input += told;
    hands.input_count -= told;
    struct body_loop loop = loop_of(model, &hands, scan);
    struct onnx_shape *shapes[2]; /* of the states, before the last round and after it */
    loop.values = sw_arena_new(&model->arena, loop.inputs + 1, sizeof *loop.values);
    shapes[0] = sw_arena_new(&model->arena, loop.states + 1, sizeof *shapes[0]);
    shapes[1] = sw_arena_new(&model->arena, loop.states + 1, sizeof *shapes[1]);
    if (!loop.values || !shapes[0] || !shapes[1]) {
        return onnx_fail_memory(model);
    }
    memset(shapes[1], 0, (loop.states + 1) * sizeof *shapes[1]);
    model->loops += !node.shadow;
    if (!read_loop_body(model, &hands, &loop, attribute.g)) {
        return false;
    }
    /* A body is read twice when its states grow: not so in loops within loops within loops. */
    bool grows = model->shadow < 3 && loop.rounds > 0 && last_states(model, &loop, loop.rounds - 1, shapes[0]) &&
                 last_states(model, &loop, loop.rounds, shapes[1]);
    if (model->failed) {
        return false;
    }
    if (grows) {
        loop.states_in = shapes[0];
        if (!read_loop_body(model, &hands, &loop, attribute.g)) {
            return false;
        }
    }
    if (!scan && loop.exact) { /* a body that says in every round that it goes on */
        const struct onnx_value *on = loop.count > 0 ? &model->values.items[model->arguments.items[loop.first]] : NULL;
        loop.exact = on && on->data && onnx_count(&on->shape) == 1 && on->data->i && !on->bounded;
        loop.steered |= on && on->steered;
    }
    if (!onnx_read_outputs(model, &node)) {
        return false;
    }
    node.extra_first = (uint32_t)model->arguments.count;
    model->nodes.items[at] = node;
    return captures(model, at, attribute.g, 0) && set_outputs(model, at, &loop, grows ? shapes[1] : NULL);
}

/* ---- SequenceMap ---- */

/* The body runs for every element of the first sequence, and each of its results becomes an element of a sequence. */
static bool read_map(struct onnx_model *model, uint32_t at) {
    struct onnx_node node = model->nodes.items[at];
    struct onnx_attribute attribute;
    struct body_loop loop = {.map = true, .inputs = node.input_count, .rounds = ONNX_OPEN};
    if (!onnx_attribute(model, &node, "body", &attribute) || !attribute.g.at) {
        return onnx_fail(model, "a SequenceMap without a body, at offset %zu",
                         (size_t)(node.body.at - (const unsigned char *)model->input->bytes));
    }
    loop.values = sw_arena_new(&model->arena, loop.inputs + 1, sizeof *loop.values);
    if (!loop.values) {
        return onnx_fail_memory(model);
    }
    model->loops += !node.shadow;
    uint32_t first = onnx_input(model, &node, 0);
    int64_t length = first == SW_NONE ? ONNX_OPEN : model->values.items[first].length;
    if (!read_loop_body(model, &node, &loop, attribute.g) || !onnx_read_outputs(model, &node)) {
        return false;
    }
    node.extra_first = (uint32_t)model->arguments.count;
    node.why = "it depends on what its body does";
    model->nodes.items[at] = node;
    for (uint32_t i = 0; i < node.output_count && i < loop.count; i++) {
        uint32_t into = model->arguments.items[node.first_output + i];
        const struct onnx_value *made = &model->values.items[model->arguments.items[loop.first + i]];
        if (into == SW_NONE) {
            continue;
        }
        struct onnx_value *out = &model->values.items[into];
        out->form = ONNX_SEQUENCE;
        out->type = made->type;
        out->shape = made->shape;
        out->length = length;
        out->bounded |= made->bounded || (first != SW_NONE && model->values.items[first].bounded);
        out->steered |= made->steered || (first != SW_NONE && model->values.items[first].steered);
        out->bound_axes |= made->bound_axes;
        out->bound_rule = made->bound_rule;
        if (!onnx_settle(model, out)) {
            return false;
        }
    }
    return captures(model, at, attribute.g, 0);
}

bool onnx_control(struct onnx_model *model, uint32_t at) {
    struct onnx_node node = model->nodes.items[at];
    bool own = node.domain.length == 0;
    if (own && sw_pb_equal(node.kind, "SequenceMap")) {
        return read_map(model, at);
    }
    if (own && sw_pb_equal(node.kind, "If")) {
        return read_if(model, at);
    }
    if (own && sw_pb_in(node.kind, "Loop Scan")) {
        return read_loop(model, at, sw_pb_equal(node.kind, "Scan"));
    }
    if (!onnx_read_outputs(model, &node)) {
        return false;
    }
    model->nodes.items[at] = node;
    return onnx_infer(model, at);
}
