/* ONNX: sequences of tensors, what may be there or not, and texts. None of them is planned, but tensors come out
 * of them again: so a sequence is known by what its elements have in common, the largest length of each axis. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

static const char as_the_largest[] = "SequenceAt (the largest element)";

/* A sequence of elements that differ along some axes. */
static bool set_sequence(struct onnx_step *step, int type, const struct onnx_shape *element, int64_t length,
                         uint32_t differ) {
    struct onnx_value *out = onnx_out(step, 0);
    if (out) {
        out->form = ONNX_SEQUENCE;
        out->type = type;
        out->shape = *element;
        out->length = length;
        out->bound_axes |= differ;
        out->bound_rule = as_the_largest;
    }
    return true;
}

/* The shape that holds both elements: of each axis the larger length. If one shape is not known, neither is this one.
 */
static bool join_elements(struct onnx_step *step, struct onnx_shape *to, const struct onnx_shape *with,
                          uint32_t *differ) {
    if (!to->known || !with->known || to->rank != with->rank) {
        *to = (struct onnx_shape){.known = false};
        return true;
    }
    int64_t dims[ONNX_RANK];
    for (uint32_t i = 0; i < to->rank; i++) {
        *differ |= to->dims[i] != with->dims[i] ? UINT32_C(1) << i : 0;
        dims[i] = SW_MAX(to->dims[i], with->dims[i]);
    }
    return onnx_keep_shape(step->model, to, true, to->rank, dims);
}

static const struct onnx_value *need_sequence(struct onnx_step *step) {
    const struct onnx_value *x = onnx_in(step, 0);
    if (!x || x->form != ONNX_SEQUENCE) {
        onnx_why(step, "the input is no sequence");
        return NULL;
    }
    return x;
}

bool onnx_shape_sequence_construct(struct onnx_step *step) {
    const struct onnx_value *x = onnx_in(step, 0);
    struct onnx_shape element = x ? x->shape : (struct onnx_shape){0};
    uint32_t differ = 0;
    for (uint32_t i = 1; i < step->node->input_count && x; i++) {
        const struct onnx_value *y = onnx_in(step, i);
        if (!y || !join_elements(step, &element, &y->shape, &differ)) {
            return onnx_why(step, "an input is missing");
        }
    }
    return x ? set_sequence(step, x->type, &element, step->node->input_count, differ)
             : onnx_why(step, "an input is missing");
}

bool onnx_shape_sequence_empty(struct onnx_step *step) {
    static const struct onnx_shape none;
    int type = onnx_type_setting(step, "dtype", ONNX_FLOAT);
    return set_sequence(step, type, &none, 0, 0);
}

/* SequenceInsert, and SequenceErase, which takes nothing in. */
bool onnx_shape_sequence_change(struct onnx_step *step) {
    const struct onnx_value *x = need_sequence(step), *y = onnx_in(step, 1);
    bool inserts = sw_pb_equal(step->node->kind, "SequenceInsert");
    if (!x || (inserts && !y)) {
        return onnx_why(step, "an input is missing");
    }
    struct onnx_shape element = x->shape;
    int64_t length = x->length;
    uint32_t differ = x->bound_axes;
    if (inserts && x->length == 0) {
        element = y->shape;
    } else if (inserts && !join_elements(step, &element, &y->shape, &differ)) {
        return false;
    }
    if (length != ONNX_OPEN) {
        length += inserts ? 1 : length > 0 ? -1 : 0;
    }
    return set_sequence(step, x->type, &element, length, differ);
}

bool onnx_shape_sequence_at(struct onnx_step *step) {
    const struct onnx_value *x = need_sequence(step);
    if (!x) {
        return false;
    }
    if (x->type == ONNX_STRING || !x->shape.dims) {
        struct onnx_value *out = onnx_out(step, 0);
        if (out) {
            out->type = x->type;
        }
        return x->type == ONNX_STRING || onnx_why(step, "its elements have no shape in common that is known");
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        if (x->bound_axes >> i & 1) {
            onnx_bound(step, 0, i, as_the_largest);
        }
    }
    return onnx_set_like(step, 0, x, x->type);
}

bool onnx_shape_sequence_length(struct onnx_step *step) {
    const struct onnx_value *x = need_sequence(step);
    if (!x || !onnx_set(step, 0, ONNX_INT64, 0, NULL)) {
        return false;
    }
    if (x->length != ONNX_OPEN && onnx_out(step, 0)) {
        union onnx_number *data = sw_arena_new(&step->model->arena, 1, sizeof *data);
        if (!data) {
            return onnx_fail_memory(step->model);
        }
        data->i = x->length;
        onnx_out(step, 0)->data = data;
    }
    return true;
}

/* Pieces along an axis: of a size, of sizes, or of one each. */
bool onnx_shape_split_to_sequence(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *split = onnx_in(step, 1);
    bool keep = onnx_setting(step, "keepdims", 1) != 0;
    int64_t dims[ONNX_RANK], most = 1, pieces = ONNX_OPEN;
    struct onnx_shape element;
    uint32_t axis, rank = 0;
    if (!x || !onnx_axis(step, onnx_setting(step, "axis", 0), x->shape.rank, &axis)) {
        return false;
    }
    int64_t length = x->shape.dims[axis];
    bool open = split && !split->data;
    if (open) {
        most = length;
        pieces = split->shape.known && split->shape.rank == 1 ? split->shape.dims[0] : ONNX_OPEN;
    } else if (split) {
        uint64_t count = onnx_count(&split->shape);
        for (uint64_t i = 0; i < count; i++) {
            most = i == 0 ? split->data[i].i : SW_MAX(most, split->data[i].i);
            open |= split->data[i].i != split->data[0].i;
        }
        if (most < 1 || most > length) {
            return onnx_why(step, "the sizes of its pieces do not fit the input");
        }
        bool each = split->shape.rank == 0;
        pieces = each ? length / most + (length % most != 0) : (int64_t)count;
        open |= each && length % most != 0;
    } else {
        pieces = length;
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        if (i != axis || split || keep) {
            dims[rank++] = i == axis ? most : x->shape.dims[i];
        }
    }
    return onnx_keep_shape(step->model, &element, true, rank, dims) &&
           set_sequence(step, x->type, &element, pieces, open ? UINT32_C(1) << axis : 0);
}

bool onnx_shape_concat_from_sequence(struct onnx_step *step) {
    const struct onnx_value *x = need_sequence(step);
    bool fresh = onnx_setting(step, "new_axis", 0) != 0;
    int64_t dims[ONNX_RANK + 1];
    uint32_t axis, rank = 0;
    if (!x || !x->shape.known) {
        return onnx_why(step, "its elements have no shape in common that is known");
    }
    if (x->shape.rank >= ONNX_RANK || !onnx_axis(step, onnx_setting(step, "axis", 0), x->shape.rank + fresh, &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < x->shape.rank + fresh; i++) {
        int64_t one = i == axis && fresh ? 1 : x->shape.dims[rank++];
        dims[i] = one;
        if (i != axis) {
            continue;
        }
        if (x->length == ONNX_OPEN) {
            dims[i] = ONNX_OPEN;
        } else if (__builtin_mul_overflow(one, x->length, &dims[i])) {
            return onnx_why(step, "a dimension comes out too large");
        }
        if (x->bound_axes && !fresh && x->length != ONNX_OPEN) {
            onnx_bound(step, 0, axis, as_the_largest);
        }
    }
    return onnx_set(step, 0, x->type, x->shape.rank + fresh, dims);
}

static void pass_on(struct onnx_value *out, const struct onnx_value *x) {
    out->form = x->form;
    out->type = x->type;
    out->shape = x->shape;
    out->length = x->length;
}

/* Optional: its input, which may as well not be there. */
bool onnx_shape_optional(struct onnx_step *step) {
    const struct onnx_value *x = onnx_in(step, 0);
    struct onnx_value *out = onnx_out(step, 0);
    if (out && x) {
        pass_on(out, x);
    }
    if (out) {
        out->optional = true;
    }
    return true;
}

bool onnx_shape_optional_get(struct onnx_step *step) {
    const struct onnx_value *x = onnx_in(step, 0);
    struct onnx_value *out = onnx_out(step, 0);
    if (!x || !out) {
        return onnx_why(step, "an input is missing");
    }
    pass_on(out, x);
    return x->shape.known || !onnx_plain(out) || onnx_why(step, "the shape of an input is not known either");
}

/* A single truth: OptionalHasElement, IsAllFinite. */
bool onnx_shape_one_truth(struct onnx_step *step) {
    return onnx_set(step, 0, ONNX_BOOL, 0, NULL);
}

/* ---- texts ---- */

bool onnx_shape_text(struct onnx_step *step) {
    for (uint32_t i = 0; i < step->node->output_count; i++) {
        if (onnx_out(step, i)) {
            onnx_out(step, i)->type = ONNX_STRING;
        }
    }
    return true;
}

/* StringNormalizer: its words, or fewer. */
bool onnx_shape_text_words(struct onnx_step *step) {
    const struct onnx_value *x = onnx_in(step, 0);
    struct onnx_attribute words;
    if (x && x->shape.known && x->shape.rank > 0) {
        if (onnx_attribute(step->model, step->node, "stopwords", &words)) {
            onnx_bound(step, 0, x->shape.rank - 1, "StringNormalizer (every word)");
        }
        return onnx_set_like(step, 0, x, ONNX_STRING);
    }
    return onnx_shape_text(step);
}

/* StringSplit: the parts of every text, as many as that with the most has, and how many came of each. `maxsplit` cuts
 * leave one part more. */
bool onnx_shape_text_split(struct onnx_step *step) {
    const struct onnx_value *x = onnx_in(step, 0);
    int64_t dims[ONNX_RANK + 1], most = onnx_setting(step, "maxsplit", -1);
    if (!x || !x->shape.dims || x->shape.rank >= ONNX_RANK) {
        return onnx_shape_text(step);
    }
    uint32_t rank = x->shape.rank;
    memcpy(dims, x->shape.dims, rank * sizeof *dims);
    dims[rank] = most >= 0 && most < INT64_C(1) << 40 ? most + 1 : ONNX_OPEN;
    if (dims[rank] != ONNX_OPEN) {
        onnx_bound(step, 0, rank, "StringSplit (every cut)");
    }
    return onnx_set(step, 0, ONNX_STRING, rank + 1, dims) && onnx_set(step, 1, ONNX_INT64, rank, x->shape.dims);
}

/* Counts of n-grams: one for every place of a table. */
bool onnx_shape_tf_idf(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    struct onnx_attribute places;
    int64_t most = -1;
    if (!x || x->shape.rank < 1 || x->shape.rank > 2 ||
        !onnx_attribute(step->model, step->node, "ngram_indexes", &places)) {
        return onnx_why(step, "there is no table of n-grams");
    }
    struct sw_pb_numbers walk = sw_pb_numbers(places.body, 8, SW_PB_VARINT);
    for (uint64_t value; sw_pb_number(&walk, &value);) {
        most = SW_MAX(most, value <= SW_MAX_BYTES ? (int64_t)value : 0);
    }
    int64_t dims[2] = {x->shape.dims[0], most + 1};
    return onnx_set(step, 0, ONNX_FLOAT, x->shape.rank, x->shape.rank == 1 ? dims + 1 : dims);
}
