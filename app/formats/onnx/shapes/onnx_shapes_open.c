/* ONNX: shapes of operators that keep what they find: how much that is, the run tells. Where the operator cannot
 * make more than some number, that is the upper bound. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

static bool other_than_zero(const struct onnx_value *x, uint64_t i) {
    return onnx_is_float(x->type) ? x->data[i].f != 0 : x->data[i].i != 0;
}

/* The number of elements as a length; false: there are too many. */
static bool as_length(struct onnx_step *step, const struct onnx_shape *shape, int64_t *length) {
    uint64_t count = onnx_count(shape);
    *length = count <= SW_MAX_BYTES ? (int64_t)count : 0;
    return count <= SW_MAX_BYTES || onnx_why(step, "it has too many elements");
}

/* Where the elements are not zero: one column for each. */
bool onnx_shape_non_zero(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t count, found = 0;
    if (!x || !as_length(step, &x->shape, &count)) {
        return false;
    }
    for (int64_t i = 0; x->data && i < count; i++) {
        found += other_than_zero(x, (uint64_t)i);
    }
    if (!x->data) {
        onnx_bound(step, 0, 1, "NonZero (every element)");
    }
    return onnx_set_lengths(step, 0, ONNX_INT64, x->shape.rank, x->data ? found : count);
}

/* The axis along which an operator works, and the lengths; without one, those of a list of all elements. */
static bool find_axis(struct onnx_step *step, const struct onnx_value *x, uint32_t *axis, uint32_t *rank,
                      int64_t *dims) {
    int64_t given = onnx_setting(step, "axis", INT64_MAX);
    *axis = 0;
    *rank = 1;
    if (!as_length(step, &x->shape, dims)) {
        return false;
    }
    if (given == INT64_MAX) {
        return true;
    }
    *rank = x->shape.rank;
    memcpy(dims, x->shape.dims, *rank * sizeof *dims);
    return onnx_axis(step, given, *rank, axis);
}

/* Slices along an axis, or elements, for which the condition holds. */
bool onnx_shape_compress(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *keep = onnx_need(step, 1);
    int64_t dims[ONNX_RANK], kept = 0;
    uint32_t index, rank;
    if (!x || !keep || !find_axis(step, x, &index, &rank, dims)) {
        return false;
    }
    int64_t length = keep->shape.rank == 1 ? keep->shape.dims[0] : 0;
    for (int64_t i = 0; keep->data && i < length; i++) {
        kept += keep->data[i].i != 0;
    }
    if (!keep->data) {
        onnx_bound(step, 0, index, "Compress (the whole length)");
    }
    dims[index] = keep->data ? kept : SW_MIN(dims[index], length);
    return onnx_set(step, 0, x->type, rank, dims);
}

bool onnx_shape_top_k(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0), *given = onnx_in(step, 1);
    int64_t k = onnx_setting(step, "k", -1);
    uint32_t axis;
    if (!x || !onnx_axis(step, onnx_setting(step, "axis", -1), x->shape.rank, &axis)) {
        return false;
    }
    if (given && !given->data) {
        k = x->shape.dims[axis];
        for (uint32_t i = 0; i < 2 && k != ONNX_OPEN; i++) {
            onnx_bound(step, i, axis, "TopK (the whole axis)");
        }
    } else if (given) {
        if (onnx_count(&given->shape) != 1) {
            return onnx_why(step, "k is no single number");
        }
        k = given->data->i;
    }
    int64_t all = x->shape.dims[axis], kept = step->bounded && all != ONNX_OPEN ? SW_MIN(k, all) : k;
    return onnx_set_along(step, 0, x, axis, kept, x->type) && onnx_set_along(step, 1, x, axis, kept, ONNX_INT64);
}

/* Boxes [batch, boxes, 4] and scores [batch, classes, boxes]: of every class so many at most, each as batch,
 * class and box. */
bool onnx_shape_non_max_suppression(struct onnx_step *step) {
    const struct onnx_value *boxes = onnx_need(step, 0), *scores = onnx_need(step, 1);
    const struct onnx_value *most = onnx_in(step, 2);
    if (!boxes || !scores || boxes->shape.rank != 3 || scores->shape.rank != 3) {
        return onnx_why(step, "boxes or scores do not have three axes");
    }
    int64_t each = most ? boxes->shape.dims[1] : 0; /* without a number none is kept */
    if (most && most->data && onnx_count(&most->shape) == 1) {
        each = most->data->i < 0 ? 0 : SW_MIN(each, most->data->i);
    }
    int64_t dims[] = {0, 3};
    if (__builtin_mul_overflow(scores->shape.dims[0], scores->shape.dims[1], &dims[0]) ||
        __builtin_mul_overflow(dims[0], each, &dims[0])) {
        return onnx_why(step, "a dimension comes out too large");
    }
    onnx_bound(step, 0, 0, "NonMaxSuppression (most boxes of a class, times classes and batch)");
    return onnx_set(step, 0, ONNX_INT64, 2, dims);
}

/* Values, the places of the first of each, where each element's value went, how often each was there. */
bool onnx_shape_unique(struct onnx_step *step) {
    static const char rule[] = "Unique (all are different)";
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK];
    uint32_t index, rank;
    if (!x || !find_axis(step, x, &index, &rank, dims)) {
        return false;
    }
    int64_t all = dims[index];
    onnx_bound(step, 0, index, rule);
    onnx_bound(step, 1, 0, rule);
    onnx_bound(step, 3, 0, rule);
    return onnx_set(step, 0, x->type, rank, dims) && onnx_set(step, 1, ONNX_INT64, 1, &all) &&
           onnx_set(step, 2, ONNX_INT64, 1, &all) && onnx_set(step, 3, ONNX_INT64, 1, &all);
}

/* ONNX Runtime's RemovePadding: [batch, length, hidden] as a list of the tokens that are none. */
bool onnx_shape_remove_padding(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    if (!x || x->shape.rank != 3) {
        return onnx_why(step, "the input does not have three axes");
    }
    int64_t tokens, batch = x->shape.dims[0], sums = batch + 1, one = 1;
    if (__builtin_mul_overflow(batch, x->shape.dims[1], &tokens)) {
        return onnx_why(step, "a dimension comes out too large");
    }
    int64_t dims[] = {tokens, x->shape.dims[2]};
    onnx_bound(step, 0, 0, "RemovePadding (no token is padding)");
    return onnx_set(step, 0, x->type, 2, dims) && onnx_set(step, 1, ONNX_INT32, 2, x->shape.dims) &&
           onnx_set(step, 2, ONNX_INT32, 1, &sums) && onnx_set(step, 3, ONNX_INT32, 1, &one);
}
