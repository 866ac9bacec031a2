/* ONNX: the way of one node. Its rule says what its outputs look like; then come what the file declares and
 * what --dim gives, which close the axes that the rule leaves open. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

static const struct onnx_rule onnx_rules[] = {
#define ONNX_RULE(domain, shape, fold, operation, flags, kinds) \
    {ONNX_##domain, kinds, onnx_shape_##shape, onnx_fold_##fold, ONNX_##operation, flags},
#include "formats/onnx/shapes/onnx_operators.def"
#undef ONNX_RULE
};

static unsigned domain_of(const struct onnx_node *node) {
    return node->domain.length == 0                           ? ONNX_OWN
           : sw_pb_equal(node->domain, "com.microsoft")       ? ONNX_RUNTIME
           : sw_pb_equal(node->domain, "ai.onnx.ml")          ? ONNX_ML
           : sw_pb_equal(node->domain, "com.microsoft.nchwc") ? ONNX_BLOCKED
                                                              : 0;
}

static const struct onnx_rule *rule_of(const struct onnx_node *node) {
    unsigned domain = domain_of(node);
    for (size_t i = 0; i < sizeof onnx_rules / sizeof *onnx_rules && domain; i++) {
        if (onnx_rules[i].domain & domain && sw_pb_in(node->kind, onnx_rules[i].kinds)) {
            return &onnx_rules[i];
        }
    }
    return NULL;
}

/* Does it give something else at every run, or out of nothing? */
static bool is_random_node(const struct onnx_node *node, const struct onnx_rule *rule) {
    return (rule && rule->flags & ONNX_RANDOM) || (node->input_count == 0 && !sw_pb_equal(node->kind, "Constant"));
}

bool onnx_plain(const struct onnx_value *value) {
    return value->form == ONNX_TENSOR && !value->optional && value->type != ONNX_STRING;
}

/* ---- what the file declares ---- */

static bool is_as_declared(const struct onnx_value *out, bool or_less) {
    bool good = out->shape.known && out->shape.rank == out->declared.rank;
    for (uint32_t i = 0; good && i < out->shape.rank; i++) {
        int64_t ours = out->shape.dims[i], declared = out->declared.dims[i];
        good = ours == declared || (or_less && declared < ours);
    }
    return good;
}

/* A complete declared shape replaces the one of the rule; an incomplete one closes some of the open lengths. */
static bool apply_declared(struct onnx_model *model, struct onnx_value *out) {
    const struct onnx_shape *declared = &out->declared;
    int64_t dims[ONNX_RANK];
    if (declared->known) {
        if (out->shape.known && !is_as_declared(out, out->bounded)) {
            model->contradicted = model->contradictions++ ? model->contradicted : out->name;
        }
        out->data = is_as_declared(out, false) ? out->data : NULL;
        out->shape = *declared;
        out->bound_axes = out->given_axes = out->declared_bounds;
        out->bounded = out->bound_axes != 0 || (out->bounded && out->data);
        out->steered &= out->data != NULL;
        out->loose = out->bound_axes;
    } else if (!out->shape.dims) {
        out->shape = *declared;
    } else if (out->shape.rank == declared->rank) {
        bool known = true;
        for (uint32_t i = 0; i < declared->rank; i++) {
            uint32_t bit = UINT32_C(1) << i;
            bool tells = declared->dims[i] != ONNX_OPEN && (out->shape.dims[i] == ONNX_OPEN || out->bound_axes & bit);
            dims[i] = tells ? declared->dims[i] : out->shape.dims[i];
            out->bound_axes &= tells ? ~bit : UINT32_MAX;
            out->bound_axes |= tells ? out->declared_bounds & bit : 0;
            out->given_axes |= tells ? out->declared_bounds & bit : 0;
            out->loose &= tells ? ~bit : UINT32_MAX;
            out->data = tells && dims[i] != out->shape.dims[i] ? NULL : out->data;
            known &= dims[i] != ONNX_OPEN;
        }
        return onnx_keep_shape(model, &out->shape, known, declared->rank, dims);
    }
    return true;
}

/* ---- --dim ---- */

/* A tensor of which nothing is known takes the axes that are given, from the first on. */
static uint32_t given_rank(struct onnx_model *model, const struct onnx_value *out) {
    uint32_t rank = 0;
    while (rank < ONNX_RANK && onnx_dim_of(model, out, rank) >= 0) {
        rank++;
    }
    return rank;
}

/* --dim TENSOR:AXIS closes an open axis, and lowers an upper bound. */
static bool close_axes(struct onnx_model *model, struct onnx_value *out) {
    bool ranked = out->shape.dims != NULL, known = true;
    uint32_t rank = ranked ? out->shape.rank : given_rank(model, out);
    if ((!ranked && rank == 0) || (out->shape.known && !out->bounded)) {
        return true;
    }
    int64_t dims[ONNX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        int64_t length = onnx_dim_of(model, out, i);
        dims[i] = ranked ? out->shape.dims[i] : ONNX_OPEN;
        if (length >= 0 && (dims[i] == ONNX_OPEN || length <= dims[i])) {
            out->data = length == dims[i] ? out->data : NULL;
            dims[i] = length;
            out->bound_axes |= UINT32_C(1) << i;
            out->given_axes |= UINT32_C(1) << i;
        }
        known &= dims[i] != ONNX_OPEN;
    }
    return onnx_keep_shape(model, &out->shape, known, rank, dims);
}

bool onnx_settle(struct onnx_model *model, struct onnx_value *out) {
    if (out->declared_form != ONNX_TENSOR && out->form == ONNX_TENSOR && !out->shape.dims) {
        out->form = out->declared_form; /* what a rule tells is more than what the file can declare */
    }
    out->bounded |= out->bound_axes != 0;
    if (!onnx_plain(out)) {
        out->shape = out->shape.dims ? out->shape : out->declared;
    } else if (out->declared.dims && !apply_declared(model, out)) {
        return false;
    }
    if (out->declared_type && out->declared_type != out->type) {
        out->type = out->declared_type;
        out->data = NULL;
    }
    if (onnx_plain(out) && model->dims && !close_axes(model, out)) {
        return false;
    }
    out->bounded |= out->bound_axes != 0;
    out->loose |= out->bound_axes;
    return true;
}

/* ---- what holds in every run ---- */

/* Hide an input's bounds, and what is known of it in one run only. */
static bool hide_bounds(struct onnx_model *model, struct onnx_value *in) {
    int64_t dims[ONNX_RANK];
    bool known = in->shape.known;
    for (uint32_t i = 0; i < in->shape.rank && in->shape.dims; i++) {
        bool loose = in->loose >> i & 1;
        dims[i] = loose ? ONNX_OPEN : in->shape.dims[i];
        known &= !loose;
    }
    in->data = NULL;
    return !in->shape.dims || onnx_keep_shape(model, &in->shape, known, in->shape.rank, dims);
}

/* The shapes that the rule gives the outputs when it is not told what follows from bounds or from --value: lengths that
 * it knows all the same hold in every run. */
static bool try_hidden(const struct onnx_step *step, const struct onnx_rule *rule, struct onnx_shape *shapes) {
    struct onnx_model *model = step->model;
    uint32_t inputs = step->node->input_count, outputs = step->node->output_count;
    struct onnx_value *ins = sw_arena_new(&model->arena, inputs + 1, sizeof *ins);
    struct onnx_value *outs = sw_arena_new(&model->arena, outputs + 1, sizeof *outs);
    struct onnx_step own = {.model = model, .node = step->node, .bounded = step->bounded};
    bool plain = true, good = true;
    if (!ins || !outs) {
        return onnx_fail_memory(model);
    }
    for (uint32_t i = 0; i < outputs; i++) {
        outs[i] = onnx_out(step, i) ? *onnx_out(step, i) : (struct onnx_value){0};
    }
    for (uint32_t i = 0; i < inputs; i++) {
        struct onnx_value *in = onnx_in(step, i);
        ins[i] = in ? *in : (struct onnx_value){0};
        bool loose = in && (in->bounded || in->steered);
        plain &= !loose || onnx_plain(in);
        good = good && (!loose || hide_bounds(model, in));
    }
    bool known = good && plain && rule->infer(&own);
    for (uint32_t i = 0; i < outputs; i++) {
        struct onnx_value *out = onnx_out(step, i);
        int64_t *dims =
            out && known && out->shape.dims ? sw_arena_new(&model->arena, out->shape.rank + 1, sizeof *dims) : NULL;
        for (uint32_t k = 0; dims && k < out->shape.rank; k++) {
            dims[k] = out->bound_axes >> k & 1 ? ONNX_OPEN : out->shape.dims[k];
        }
        shapes[i] = (struct onnx_shape){.rank = dims ? out->shape.rank : 0, .dims = dims};
    }
    for (uint32_t i = outputs; i-- > 0;) {
        if (onnx_out(step, i)) {
            *onnx_out(step, i) = outs[i];
        }
    }
    for (uint32_t i = inputs; i-- > 0;) { /* backwards, as one may be there twice */
        if (onnx_in(step, i)) {
            *onnx_in(step, i) = ins[i];
        }
    }
    return !model->failed;
}

/* An output as its rule made it. If its lengths hold in every run, and nothing is known of its elements, it follows
 * from nothing. */
static void follow_inputs(const struct onnx_step *step, struct onnx_value *out, const struct onnx_shape *hidden) {
    out->loose = out->bound_axes;
    bool same = hidden && hidden->dims && out->shape.dims && hidden->rank == out->shape.rank;
    for (uint32_t i = 0; i < out->shape.rank && out->shape.dims; i++) {
        bool loose = hidden && (!same || hidden->dims[i] != out->shape.dims[i]);
        out->loose |= loose ? UINT32_C(1) << i : 0;
    }
    bool follows = out->loose != 0 || out->data || !out->shape.dims || !onnx_plain(out);
    out->bounded |= step->bounded && follows;
    out->steered |= step->steered && follows;
}

/* ---- the way of one node ---- */

/* Outputs that one bound closes, such as values and places of a TopK, close together; pieces of a Split do not. */
static bool share_bounds(struct onnx_step *step) {
    struct onnx_value *first = onnx_out(step, 0);
    bool apart = sw_pb_equal(step->node->kind, "Split");
    for (uint32_t i = 1; i < step->node->output_count && first && !apart; i++) {
        struct onnx_value *out = onnx_out(step, i);
        if (!out || !out->bound_rule || out->bound_rule != first->bound_rule || out->shape.rank != first->shape.rank ||
            !out->shape.known || !first->shape.known) {
            continue;
        }
        int64_t dims[ONNX_RANK];
        for (uint32_t k = 0; k < out->shape.rank; k++) {
            bool lower = (first->bound_axes & out->bound_axes) >> k & 1;
            dims[k] = lower ? SW_MIN(first->shape.dims[k], out->shape.dims[k]) : out->shape.dims[k];
        }
        if (!onnx_keep_shape(step->model, &out->shape, true, out->shape.rank, dims)) {
            return false;
        }
        out->given_axes |= first->given_axes & out->bound_axes;
    }
    return true;
}

/* `computed`: all that it makes is known before the run, and the same in every run. */
static bool settle_outputs(struct onnx_step *step, const struct onnx_shape *hidden, bool *computed) {
    *computed = step->node->output_count > 0;
    for (uint32_t i = 0; i < step->node->output_count; i++) {
        struct onnx_value *out = onnx_out(step, i);
        if (!out) {
            continue;
        }
        follow_inputs(step, out, hidden ? &hidden[i] : NULL);
        if (!onnx_settle(step->model, out)) {
            return false;
        }
        *computed &= out->data != NULL && !out->bounded && !out->steered;
    }
    return share_bounds(step);
}

bool onnx_infer(struct onnx_model *model, uint32_t at) {
    struct onnx_node *node = &model->nodes.items[at];
    struct onnx_step step = {.model = model, .node = node};
    const struct onnx_rule *rule = rule_of(node);
    bool constant = !is_random_node(node, rule), computed;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct onnx_value *in = onnx_in(&step, i);
        constant &= !in || in->constant;
        step.bounded |= in && in->bounded;
        step.steered |= in && in->steered;
    }
    struct onnx_shape *hidden = NULL;
    if (rule && (step.bounded || step.steered)) {
        hidden = sw_arena_new(&model->arena, node->output_count + 1, sizeof *hidden);
        if (!hidden || !try_hidden(&step, rule, hidden)) {
            return onnx_fail_memory(model);
        }
    }
    node->unknown = !rule;
    node->inplace = rule && rule->flags & ONNX_INPLACE;
    bool known = rule ? rule->infer(&step) : onnx_why(&step, "this operator is not known here");
    if (!model->failed && known) {
        known = onnx_fold(&step, rule);
    }
    node->why = known ? "what it computes is not known here" : step.why;
    if (model->failed || !settle_outputs(&step, hidden, &computed)) {
        return false;
    }
    node->constant = constant || computed;
    for (uint32_t i = 0; i < node->output_count && node->constant; i++) {
        if (onnx_out(&step, i)) {
            onnx_out(&step, i)->constant = true;
        }
    }
    return !model->failed;
}
