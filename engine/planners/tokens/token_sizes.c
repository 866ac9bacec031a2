/* token-sharing, rule (a): sizes. See token_sharing.c.
 *
 * size = product of the dimensions x bytes of the dtype, after alignment. What a tensor adopts:
 *
 * - Function layer. A tensor that goes in or out of a function on a dedicated unit takes the dtype and the alignment
 *   that unit demands. (chosen) When several dedicated units touch it, for there is one id and no copy, the
 *   alignments and channel multiples of all of them hold, and the dtype is that of the function that produces it,
 *   else that of the first dedicated one that reads it.
 * - Model layer. Inputs and outputs of the model are inputs and outputs of functions, so the same holds.
 * - Operator layer. Inner tensors keep the model's dtype. The output of an operator that a pseudo-quantize operator
 *   (kind fake_quantize) reads takes the quantized dtype: int8 unless the dtype of that reader says otherwise. This
 *   rule comes last, so it also goes over a unit's dtype.
 *
 * The dimension that is padded to the channel multiple is the unit's `channel_axis`: number 1 (as in
 * NCHW) when the graph does not say, -1 the last (as in NHWC). (chosen) In a tensor of fewer dimensions
 * it is the last one. When several units pad different dimensions, each is padded. The byte alignment
 * pads the total and holds for the offset, too.
 * (chosen) Without a shape, or when the size is not the shape's, bytes scale with the dtype and
 * nothing is padded. A tensor of unknown dtype, one with named parts and one in several pieces keep
 * their sizes.
 *
 * Since a re-typed tensor has another size than the file says, the planner works on a problem of
 * its own, derived from the user's: adopted sizes, dtypes and alignments; tuples without bytes of
 * their own, with branches that live as long as the tuple needs them; and groups that may share counted
 * once in the bound. What is shown, counted and checked is that problem. */
#include "planners/tokens/token.h"
#include "base/base.h"

#include "problem/builder.h"

/* ---- sizes ---- */

/* A dimension of a tensor that is padded, and to which multiple. */
struct token_padding {
    uint32_t axis;
    uint64_t multiple;
    uint64_t units; /* that demand it */
    uint32_t next;  /* of the same tensor, or SW_NONE */
};
struct paddings {
    SW_ARRAY(struct token_padding) list;
};

/* NULL: the tensor with this first padding has none of the dimension. */
static struct token_padding *padding_of_axis(const struct paddings *p, uint32_t first, uint32_t axis) {
    while (first != SW_NONE && p->list.items[first].axis != axis) {
        first = p->list.items[first].next;
    }
    return first == SW_NONE ? NULL : &p->list.items[first];
}

/* Product of the dimensions x bits, those before `axes` padded as demanded; false: it overflows. */
static bool shape_bytes(const struct sw_buffer *b, unsigned bits, const struct paddings *paddings, uint32_t first,
                        uint32_t axes, uint64_t *bytes) {
    uint64_t total = bits;
    for (uint32_t i = 0; i < b->shape_count; i++) {
        if (b->shape[i] == 0) {
            *bytes = 0;
            return true;
        }
    }
    for (uint32_t i = 0; i < b->shape_count; i++) {
        const struct token_padding *padding = i < axes ? padding_of_axis(paddings, first, i) : NULL;
        uint64_t dimension = b->shape[i], multiple = padding ? padding->multiple : 1;
        if (dimension > SW_MAX_BYTES || multiple > SW_MAX_BYTES) {
            return false;
        }
        dimension = sw_align_up(dimension, multiple);
        if (__builtin_mul_overflow(total, dimension, &total)) {
            return false;
        }
    }
    *bytes = total / 8 + (total % 8 != 0);
    return true;
}

/* ---- what each tensor is told ---- */

struct demand {
    enum sw_dtype dtype;
    bool any; /* some dedicated unit spoke */
    uint64_t alignment;
    uint32_t padding;                 /* the first; SW_NONE: none */
    uint32_t typist;                  /* the unit that `dtype` is of */
    uint64_t type_units, align_units; /* that demand some dtype, some alignment: a bit each */
};

/* The dimension that a unit pads: in a tensor of fewer dimensions the last one it has. */
static uint32_t channel_of(const struct sw_buffer *b, const struct sw_unit *unit) {
    uint32_t last = b->shape_count > 0 ? b->shape_count - 1 : 0;
    return unit->channel_axis < 0 || (uint32_t)unit->channel_axis > last ? last : (uint32_t)unit->channel_axis;
}

/* Units above 64 share bits: then names are missing where units are listed. */
static uint64_t unit_bit(uint32_t unit) {
    return unit < 64 ? UINT64_C(1) << unit : 0;
}

static bool hear_channels(struct demand *d, struct paddings *paddings, const struct sw_buffer *b,
                          const struct sw_unit *unit, uint32_t number) {
    uint32_t axis = channel_of(b, unit);
    struct token_padding *known = padding_of_axis(paddings, d->padding, axis);
    if (known) {
        known->multiple = sw_multiple_up_to(known->multiple, unit->channel_multiple, SW_MAX_BYTES);
        known->units |= unit_bit(number);
        return true;
    }
    struct token_padding fresh = {axis, unit->channel_multiple, unit_bit(number), d->padding};
    d->padding = (uint32_t)paddings->list.count;
    return SW_PUSH(&paddings->list, fresh);
}

static bool hear_unit(struct demand *d, struct paddings *paddings, const struct sw_buffer *b,
                      const struct sw_unit *unit, uint32_t number) {
    if (unit->dtype != SW_DTYPE_NONE) { /* the producer speaks first */
        d->typist = d->dtype == SW_DTYPE_NONE ? number : d->typist;
        d->dtype = d->dtype == SW_DTYPE_NONE ? unit->dtype : d->dtype;
        d->type_units |= unit_bit(number);
    }
    d->alignment = d->any ? sw_multiple_up_to(d->alignment, unit->alignment, SW_MAX_BYTES) : unit->alignment;
    d->align_units |= unit->alignment > 1 ? unit_bit(number) : 0;
    d->padding = d->any ? d->padding : SW_NONE;
    d->any = true;
    return unit->channel_multiple == 1 || hear_channels(d, paddings, b, unit, number);
}

static bool hear_units(const struct token_graph *g, struct demand *demands, struct paddings *paddings) {
    for (uint32_t o = 0; o < g->operator_count; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        uint32_t unit = g->calls[g->call_of[o]].unit;
        const struct sw_unit *u = unit == SW_NONE ? NULL : sw_problem_unit(g->origin, unit);
        for (uint32_t i = 0; u && u->dedicated && i < op->input_count + op->output_count; i++) {
            bool out = i >= op->input_count;
            uint32_t b = out ? op->outputs[i - op->input_count].buffer : op->inputs[i].buffer;
            if (g->info[b].layer != TOKEN_OPERATOR &&
                !hear_unit(&demands[b], paddings, sw_problem_buffer(g->origin, b), u, unit)) {
                return false;
            }
        }
    }
    return true;
}

/* Can its size follow its dtype? */
static bool can_adopt(const struct sw_buffer *b, const struct token_info *info, bool has_members) {
    return b->planned && !has_members && b->piece_count <= 1 && !info->hull && !info->tuple;
}

/* ---- from the declared size to the adopted one ---- */

/* The size that a tensor comes to, term by term. */
struct sizing {
    struct token_graph *g;
    const struct sw_buffer *buffer;
    const struct demand *demand;
    const struct paddings *paddings;
    enum sw_dtype dtype;
    uint64_t size; /* so far; above SW_MAX_BYTES: more than any problem may have */
};

static bool add_term(struct sizing *s, struct token_term term, bool known, uint64_t after) {
    term.before = s->size;
    term.after = known && s->size <= SW_MAX_BYTES && after <= SW_MAX_BYTES ? after : SW_MAX_BYTES + 1;
    s->size = term.after;
    return SW_PUSH(&s->g->terms, term);
}

/* Bytes of the buffer's size scaled with the dtype; false: they overflow. */
static bool scale_token_bytes(uint64_t bytes, unsigned old, unsigned bits, uint64_t *scaled) {
    uint64_t product;
    bool fits = !__builtin_mul_overflow(bytes, (uint64_t)bits, &product);
    *scaled = fits ? product / old + (product % old != 0) : 0;
    return fits;
}

static bool add_type(struct sizing *s, bool shaped, uint32_t op) {
    unsigned old = sw_dtype_bits(s->buffer->dtype), bits = sw_dtype_bits(s->dtype);
    const struct demand *d = s->demand;
    struct token_term term = {.kind = TERM_TYPE, .dtype = s->dtype, .op = op};
    uint64_t after = 0;
    bool told = d->dtype != SW_DTYPE_NONE;
    term.units = op == SW_NONE && told ? unit_bit(d->typist) : 0;
    for (uint32_t u = 0; told && u < sw_problem_unit_count(s->g->origin); u++) {
        bool other = (d->type_units & unit_bit(u)) && sw_problem_unit(s->g->origin, u)->dtype != s->dtype;
        term.overruled |= other ? unit_bit(u) : 0;
    }
    bool known = s->buffer->size == 0 || (shaped ? shape_bytes(s->buffer, bits, s->paddings, SW_NONE, 0, &after)
                                                 : scale_token_bytes(s->buffer->size, old, bits, &after));
    return add_term(s, term, known, after);
}

static bool add_channels(struct sizing *s) {
    const struct sw_buffer *b = s->buffer;
    bool ok = true;
    for (uint32_t axis = 0; ok && axis < b->shape_count; axis++) {
        const struct token_padding *p = padding_of_axis(s->paddings, s->demand->padding, axis);
        if (p) {
            uint64_t after = 0, length = b->shape[axis];
            uint64_t padded = length > SW_MAX_BYTES || p->multiple > SW_MAX_BYTES ? SW_MAX_BYTES + 1
                                                                                  : sw_align_up(length, p->multiple);
            bool known = b->size == 0 ||
                         shape_bytes(b, sw_dtype_bits(s->dtype), s->paddings, s->demand->padding, axis + 1, &after);
            ok = add_term(s,
                          (struct token_term){.kind = TERM_CHANNELS,
                                              .units = p->units,
                                              .axis = axis,
                                              .length = length,
                                              .padded = padded,
                                              .multiple = p->multiple,
                                              .op = SW_NONE},
                          known, after);
        }
    }
    return ok;
}

static bool add_alignment(struct sizing *s) {
    const struct demand *d = s->demand;
    struct token_term term = {.kind = TERM_ALIGNMENT, .units = d->align_units, .multiple = d->alignment, .op = SW_NONE};
    return s->size > SW_MAX_BYTES || add_term(s, term, true, sw_align_up(s->size, d->alignment));
}

/* false: no memory. */
static bool find_terms(struct sizing *s, uint32_t op) {
    unsigned old = sw_dtype_bits(s->buffer->dtype);
    uint64_t plain = 0;
    bool shaped = s->buffer->shape_count > 0 && old > 0 &&
                  shape_bytes(s->buffer, old, s->paddings, SW_NONE, 0, &plain) && plain == s->buffer->size;
    return (old == 0 || add_type(s, shaped, op)) && (!shaped || !s->demand->any || add_channels(s)) &&
           (!s->demand->any || s->demand->alignment <= 1 || add_alignment(s));
}

static bool settle_size(struct token_graph *g, uint32_t b, const struct demand *d, const struct paddings *paddings,
                        uint32_t quantiser) {
    const struct sw_buffer *buffer = sw_problem_buffer(g->origin, b);
    struct token_info *info = &g->info[b];
    enum sw_dtype quantised = SW_DTYPE_NONE;
    if (quantiser != SW_NONE) {
        quantised = sw_problem_operator(g->origin, quantiser)->dtype;
        quantised = quantised == SW_DTYPE_NONE ? SW_DTYPE_INT8 : quantised;
    }
    enum sw_dtype dtype = quantised != SW_DTYPE_NONE ? quantised : d->dtype != SW_DTYPE_NONE ? d->dtype : buffer->dtype;
    uint64_t alignment = d->any ? sw_multiple_up_to(buffer->alignment, d->alignment, SW_MAX_BYTES) : buffer->alignment;
    alignment = alignment > SW_MAX_ALIGNMENT ? buffer->alignment : alignment;
    dtype = buffer->dtype == SW_DTYPE_NONE ? SW_DTYPE_NONE : dtype;
    struct sizing sizing = {
        .g = g, .buffer = buffer, .demand = d, .paddings = paddings, .dtype = dtype, .size = buffer->size};
    info->term = (uint32_t)g->terms.count;
    if (!find_terms(&sizing, quantiser)) {
        return false;
    }
    info->term_count = (uint32_t)g->terms.count - info->term;
    info->dtype = dtype;
    info->alignment = alignment;
    info->size = sizing.size;
    bool model = buffer->kind == SW_KIND_INPUT || buffer->output;
    if (dtype != buffer->dtype || alignment != buffer->alignment || info->size != buffer->size) {
        info->adopted = quantised != SW_DTYPE_NONE && dtype == quantised && dtype != buffer->dtype
                            ? "its successor is a pseudo-quantise operator (operator layer)"
                        : model ? "the function it enters or leaves demands it (model layer)"
                                : "the dedicated unit of its function demands it (function layer)";
    }
    return true;
}

/* The pseudo-quantise operator that says how each tensor is stored; SW_NONE: none does. */
static void hear_quantisers(const struct token_graph *g, uint32_t *quantiser) {
    for (uint32_t o = g->operator_count; o-- > 0;) { /* the first successor has the last word */
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        for (uint32_t i = 0; sw_token_kind(op, "fake_quantize") && i < op->input_count; i++) {
            uint32_t producer = sw_problem_producer(g->origin, op->inputs[i].buffer);
            if (producer != SW_NONE && producer != o) {
                quantiser[op->inputs[i].buffer] = o;
            }
        }
    }
}

bool sw_token_adopt(struct token_graph *g) {
    struct demand *demands = SW_NEW_ZERO(struct demand, (size_t)g->buffer_count + 1);
    uint32_t *quantiser = SW_NEW_ZERO(uint32_t, (size_t)g->buffer_count + 1);
    bool *members = SW_NEW_ZERO(bool, (size_t)g->buffer_count + 1);
    struct paddings paddings = {0};
    bool ok = demands && quantiser && members && hear_units(g, demands, &paddings);
    for (uint32_t i = 0; ok && i < sw_problem_member_count(g->origin); i++) {
        members[sw_problem_member(g->origin, i)->buffer] = true;
    }
    if (ok) {
        memset(quantiser, 0xff, g->buffer_count * sizeof *quantiser);
        hear_quantisers(g, quantiser);
    }
    for (uint32_t b = 0; ok && b < g->buffer_count; b++) {
        bool told = demands[b].any || quantiser[b] != SW_NONE;
        if (told && can_adopt(sw_problem_buffer(g->origin, b), &g->info[b], members[b])) {
            ok = settle_size(g, b, &demands[b], &paddings, quantiser[b]);
        }
    }
    SW_ARRAY_DONE(&paddings.list);
    SW_FREE(demands, (size_t)g->buffer_count + 1);
    SW_FREE(quantiser, (size_t)g->buffer_count + 1);
    SW_FREE(members, (size_t)g->buffer_count + 1);
    return ok;
}

/* ---- the derived problem ---- */

struct deriving {
    const struct token_graph *g;
    uint32_t *group;   /* leader; later SW_NONE for those alone */
    uint32_t *members; /* per leader */
    uint32_t *last;    /* of a tuple's branch: the last step at which it is needed through a tuple */
    uint32_t adopted, tuples, hulls;
    uint64_t before, after;
    bool grouped;
};

static void unite(struct deriving *d, uint32_t a, uint32_t b) {
    sw_token_unite(d->group, a, b);
    d->grouped = true;
}

/* Group tensors that may share bytes: what an operator may write in place, and a branch with its tuple's. */
static void group_sharers(struct deriving *d) {
    const struct token_graph *g = d->g;
    for (uint32_t o = 0; o < g->operator_count; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        for (uint32_t i = 0; i < op->output_count; i++) {
            uint32_t out = op->outputs[i].buffer;
            for (uint32_t k = 0; k < op->input_count; k++) {
                uint32_t in = op->inputs[k].buffer;
                if (sw_token_marked(op, in, out) && in != out && g->info[in].root != SW_NONE &&
                    g->info[out].root == out && !sw_token_given(g->origin, in)) {
                    unite(d, in, out);
                }
            }
            if (g->info[out].root != SW_NONE && g->info[out].root != out) {
                unite(d, out, g->info[out].root);
            }
        }
    }
}

/* Until when the branches of tuples are needed. */
static void find_token_ends(struct deriving *d) {
    const struct token_graph *g = d->g;
    for (uint32_t o = 0; o < g->operator_count; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        uint32_t item = SW_NONE;
        for (uint32_t i = 0; i < op->output_count; i++) {
            const struct token_info *out = &g->info[op->outputs[i].buffer];
            item = out->root != SW_NONE && out->root != op->outputs[i].buffer ? out->root : item;
        }
        for (uint32_t i = 0; i < op->input_count; i++) {
            const struct token_info *in = &g->info[op->inputs[i].buffer];
            for (uint32_t k = in->part; k < in->part + in->part_count; k++) {
                uint32_t root = g->parts.items[k];
                if (item == SW_NONE || item == root) {
                    d->last[root] = o;
                }
            }
        }
    }
    for (uint32_t t = 0; t < g->buffer_count; t++) {
        const struct token_info *info = &g->info[t];
        d->tuples += info->part_count > 0;
        for (uint32_t k = info->part; k < info->part + info->part_count; k++) {
            if (sw_problem_buffer(g->origin, t)->output) {
                d->last[g->parts.items[k]] = sw_problem_steps(g->origin) - 1;
            }
        }
    }
}

static bool edit_buffer(struct deriving *d, struct sw_builder *builder, uint32_t b, struct sw_error *error) {
    const struct token_info *info = &d->g->info[b];
    const struct sw_buffer *buffer = sw_problem_buffer(d->g->origin, b);
    if (info->part_count > 0) {
        return sw_builder_edit_tensor(builder, b, buffer->dtype, 0, buffer->alignment, error);
    }
    if (info->adopted) {
        d->adopted++;
        d->before += info->before;
        d->after += info->size > SW_MAX_BYTES ? SW_MAX_BYTES : info->size;
        if (!sw_builder_edit_tensor(builder, b, info->dtype, info->size, info->alignment, error)) {
            return false;
        }
    }
    return d->last[b] == SW_NONE || d->last[b] <= buffer->last ||
           sw_builder_edit_lifetime(builder, buffer->name, buffer->first, d->last[b], error);
}

static bool note_changes(struct deriving *d, struct sw_builder *builder, struct sw_error *error) {
    char text[240];
    bool ok = true;
    if (d->adopted > 0) {
        snprintf(text, sizeof text,
                 "token-sharing: %u %s another dtype, padding or alignment: %s as declared, %s as "
                 "planned, and the plan, its bound and its check are about those",
                 (unsigned)d->adopted, d->adopted == 1 ? "tensor adopts" : "tensors adopt", SW_BYTES(d->before),
                 SW_BYTES(d->after));
        ok = sw_builder_note(builder, text, error);
    }
    if (ok && d->hulls > 0) {
        snprintf(text, sizeof text,
                 "token-sharing: %u %s in pieces, which are taken by their hull: holes and windows "
                 "are not used",
                 (unsigned)d->hulls, d->hulls == 1 ? "tensor lives" : "tensors live");
        ok = sw_builder_note(builder, text, error);
    }
    if (ok && d->tuples > 0) {
        snprintf(text, sizeof text, "token-sharing: %u %s no bytes of %s own: the bytes are those of the branches",
                 (unsigned)d->tuples, d->tuples == 1 ? "tuple has" : "tuples have", d->tuples == 1 ? "its" : "their");
        ok = sw_builder_note(builder, text, error);
    }
    return ok;
}

static const struct sw_problem *derive_problem(struct deriving *d, struct sw_error *error) {
    const struct token_graph *g = d->g;
    bool changed = false;
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        d->group[b] = b;
        d->last[b] = SW_NONE;
        d->hulls += g->info[b].hull && sw_problem_buffer(g->origin, b)->planned;
        changed |= g->info[b].adopted || g->info[b].part_count > 0 || d->hulls > 0;
    }
    group_sharers(d);
    find_token_ends(d);
    if (!changed && !d->grouped) {
        return sw_problem_ref(g->origin);
    }
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        d->members[sw_token_leader(d->group, b)]++;
    }
    for (uint32_t b = g->buffer_count; b-- > 0;) { /* leaders are the lowest: they come last */
        uint32_t lead = sw_token_leader(d->group, b);
        if (lead != b || d->members[lead] == 1) {
            d->group[b] = d->members[lead] > 1 ? lead : SW_NONE;
        }
    }
    struct sw_builder *builder = sw_builder_from(g->origin, error);
    bool ok = builder != NULL;
    for (uint32_t b = 0; ok && b < g->buffer_count; b++) {
        ok = edit_buffer(d, builder, b, error);
    }
    const struct sw_problem *derived =
        ok && note_changes(d, builder, error)
            ? sw_builder_finish_derived(builder, g->origin, d->grouped ? d->group : NULL, error)
            : NULL;
    sw_builder_free(builder);
    return derived;
}

const struct sw_problem *sw_token_derive(const struct sw_problem *origin, const struct sw_params *params,
                                         struct sw_error *error) {
    (void)params;
    struct token_graph *g = sw_token_graph_new(origin, error);
    if (!g) {
        return NULL;
    }
    size_t n = g->buffer_count;
    uint32_t *each = SW_NEW_ZERO(uint32_t, 3 * n);
    struct deriving d = {.g = g, .group = each, .members = each + n, .last = each + 2 * n};
    const struct sw_problem *derived = NULL;
    if (each) {
        derived = derive_problem(&d, error);
    } else {
        sw_fail_memory(error);
    }
    SW_FREE(each, 3 * n);
    sw_token_graph_drop(g);
    return derived;
}
