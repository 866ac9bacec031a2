/* ONNX: what a node's outputs look like. Here: helpers of the rules, and operators that work
 * element by element. */
#include "formats/onnx/onnx.h"

#include <string.h>

struct onnx_value *onnx_in(const struct onnx_step *step, uint32_t i) {
    return onnx_value_at(step->model, onnx_input(step->model, step->node, i));
}

struct onnx_value *onnx_out(const struct onnx_step *step, uint32_t i) {
    return onnx_value_at(step->model, onnx_output(step->model, step->node, i));
}

bool onnx_why(struct onnx_step *step, const char *why) {
    step->why = step->why ? step->why : why;
    return false;
}

const struct onnx_value *onnx_need(struct onnx_step *step, uint32_t i) {
    const struct onnx_value *value = onnx_in(step, i);
    if (!value) {
        onnx_why(step, "an input is missing");
        return NULL;
    }
    if (value->form != ONNX_TENSOR || value->optional) {
        onnx_why(step, "an input is no tensor");
        return NULL;
    }
    if (!value->shape.known) {
        onnx_why(step, "the shape of an input is not known either");
        return NULL;
    }
    return value;
}

const struct onnx_value *onnx_need_rank(struct onnx_step *step, uint32_t i) {
    const struct onnx_value *value = onnx_in(step, i);
    return value && value->shape.dims && value->form == ONNX_TENSOR && !value->optional ? value : onnx_need(step, i);
}

const union onnx_number *onnx_need_data(struct onnx_step *step, uint32_t i, uint64_t *count) {
    const struct onnx_value *value = onnx_need(step, i);
    if (!value) {
        return NULL;
    }
    if (!value->data) {
        onnx_why(step, "it depends on values that are known only when the model runs");
        return NULL;
    }
    *count = onnx_count(&value->shape);
    return value->data;
}

bool onnx_set(struct onnx_step *step, uint32_t i, int type, uint32_t rank, const int64_t *dims) {
    struct onnx_value *out = onnx_out(step, i);
    if (!out) {
        return true;
    }
    bool known = true;
    for (uint32_t k = 0; k < rank; k++) {
        if (dims[k] != ONNX_OPEN && (dims[k] < 0 || (uint64_t)dims[k] > SW_MAX_BYTES)) {
            return onnx_why(step, "a dimension comes out negative or too large");
        }
        known &= dims[k] != ONNX_OPEN;
    }
    if (rank > ONNX_RANK) {
        return onnx_why(step, "it has more than 16 dimensions");
    }
    out->type = type;
    return onnx_keep_shape(step->model, &out->shape, known, rank, dims);
}

int64_t onnx_setting(const struct onnx_step *step, const char *name, int64_t otherwise) {
    return onnx_int(step->model, step->node, name, otherwise);
}

int onnx_type_setting(const struct onnx_step *step, const char *name, int otherwise) {
    return (int)(onnx_setting(step, name, otherwise) & 0xff);
}

bool onnx_set_like(struct onnx_step *step, uint32_t i, const struct onnx_value *value, int type) {
    return onnx_set(step, i, type, value->shape.rank, value->shape.dims);
}

bool onnx_set_along(struct onnx_step *step, uint32_t i, const struct onnx_value *value, uint32_t axis, int64_t length,
                    int type) {
    int64_t dims[ONNX_RANK];
    memcpy(dims, value->shape.dims, value->shape.rank * sizeof *dims);
    dims[axis] = length;
    return onnx_set(step, i, type, value->shape.rank, dims);
}

void onnx_bound(struct onnx_step *step, uint32_t i, uint32_t axis, const char *rule) {
    struct onnx_value *out = onnx_out(step, i);
    if (out && axis < ONNX_RANK) {
        out->bound_axes |= UINT32_C(1) << axis;
        out->bound_rule = rule;
    }
}

bool onnx_axis(struct onnx_step *step, int64_t axis, uint32_t rank, uint32_t *index) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank) {
        return onnx_why(step, "an axis lies outside of the shape");
    }
    *index = (uint32_t)axis;
    return true;
}

bool onnx_broadcast(struct onnx_step *step, const struct onnx_shape *shape, uint32_t *rank, int64_t *dims) {
    uint32_t wide = shape->rank > *rank ? shape->rank : *rank;
    if (wide > *rank) {
        memmove(dims + (wide - *rank), dims, *rank * sizeof *dims);
        for (uint32_t i = 0; i < wide - *rank; i++) {
            dims[i] = 1;
        }
    }
    *rank = wide;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t *to = &dims[wide - shape->rank + i], other = shape->dims[i];
        if (*to == ONNX_OPEN || other == ONNX_OPEN) { /* known, it can only be this length, or 1 */
            int64_t known = *to == ONNX_OPEN ? other : *to;
            *to = known == 1 ? ONNX_OPEN : known;
            continue;
        }
        if (*to != other && *to != 1 && other != 1 && !step->bounded) {
            return onnx_why(step, "the shapes of its inputs do not fit together");
        }
        /* Two bounds of one length: the smaller one holds. */
        *to = *to == 1 || (other != 1 && other < *to) ? other : *to;
    }
    return true;
}

bool onnx_axes(struct onnx_step *step, uint32_t input, uint32_t rank, bool *marked, size_t *count) {
    int64_t axes[ONNX_RANK];
    memset(marked, 0, ONNX_RANK * sizeof *marked);
    if (!onnx_ints(step->model, step->node, "axes", axes, ONNX_RANK, count) && onnx_in(step, input)) {
        uint64_t elements;
        const union onnx_number *data = onnx_need_data(step, input, &elements);
        if (!data || elements > ONNX_RANK) {
            return onnx_why(step, "there are more than 16 axes");
        }
        for (*count = 0; *count < elements; ++*count) {
            axes[*count] = data[*count].i;
        }
    }
    for (size_t i = 0; i < *count; i++) {
        uint32_t axis;
        if (!onnx_axis(step, axes[i], rank, &axis)) {
            return false;
        }
        marked[axis] = true;
    }
    return true;
}

/* ---- element by element ---- */

bool onnx_shape_same(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    return x && onnx_set_like(step, 0, x, x->type);
}

/* Outputs of the first input's shape; beside the first they are masks. */
bool onnx_shape_same_masked(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    return x && onnx_set_like(step, 0, x, x->type) &&
           onnx_set_like(step, 1, x, step->node->opset < 10 ? x->type : ONNX_BOOL);
}

bool onnx_shape_truth(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    return x && onnx_set_like(step, 0, x, ONNX_BOOL);
}

static bool broadcast_all(struct onnx_step *step, int type) {
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < step->node->input_count; i++) {
        const struct onnx_value *x = onnx_need_rank(step, i);
        if (!x || !onnx_broadcast(step, &x->shape, &rank, dims)) {
            return false;
        }
        type = type ? type : x->type;
    }
    return step->node->input_count > 0 ? onnx_set(step, 0, type, rank, dims) : onnx_why(step, "it has no input");
}

/* Before opset 7 the second input was fitted to the first, at an axis of choice. */
bool onnx_shape_broadcast(struct onnx_step *step) {
    return step->node->opset < 7 && step->node->domain.length == 0 && onnx_setting(step, "broadcast", 0)
               ? onnx_shape_same(step)
               : broadcast_all(step, ONNX_NONE);
}

bool onnx_shape_compare(struct onnx_step *step) {
    if (step->node->opset < 7 && onnx_setting(step, "broadcast", 0)) {
        return onnx_shape_truth(step);
    }
    return broadcast_all(step, ONNX_BOOL);
}

bool onnx_shape_where(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 1);
    return x && broadcast_all(step, x->type);
}

bool onnx_shape_cast(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    return x && onnx_set_like(step, 0, x, onnx_type_setting(step, "to", 0));
}

bool onnx_shape_cast_like(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0), *y = onnx_in(step, 1);
    return x && (y ? onnx_set_like(step, 0, x, y->type) : onnx_why(step, "an input is missing"));
}

/* The type is that of the zero point, or an attribute. */
bool onnx_shape_quantize(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0), *zero = onnx_in(step, 2);
    int type = onnx_type_setting(step, "output_dtype", 0);
    return x && onnx_set_like(step, 0, x, zero ? zero->type : type ? type : ONNX_UINT8);
}

bool onnx_shape_dequantize(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0), *scale = onnx_in(step, 1);
    int type = onnx_type_setting(step, "output_dtype", 0);
    return x && onnx_set_like(step, 0, x, type ? type : scale && scale->type ? scale->type : ONNX_FLOAT);
}

bool onnx_shape_dynamic_quantize(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    return x && onnx_set_like(step, 0, x, ONNX_UINT8) && onnx_set(step, 1, ONNX_FLOAT, 0, NULL) &&
           onnx_set(step, 2, ONNX_UINT8, 0, NULL);
}

/* And EyeLike. */
bool onnx_shape_random_like(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int type = onnx_type_setting(step, "dtype", 0);
    return x && onnx_set_like(step, 0, x, type ? type : x->type);
}

bool onnx_shape_random_shape(struct onnx_step *step) {
    int64_t dims[ONNX_RANK];
    size_t count;
    return onnx_ints(step->model, step->node, "shape", dims, ONNX_RANK, &count)
               ? onnx_set(step, 0, onnx_type_setting(step, "dtype", 1), (uint32_t)count, dims)
               : onnx_why(step, "it has no shape");
}

/* Mean and inverse deviation beside the output, one of each for what lies before the axis. */
bool onnx_shape_layer_norm(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK];
    uint32_t axis;
    if (!x || !onnx_axis(step, onnx_setting(step, "axis", -1), x->shape.rank, &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        dims[i] = i < axis ? x->shape.dims[i] : 1;
    }
    return onnx_set_like(step, 0, x, x->type) && onnx_set(step, 1, ONNX_FLOAT, x->shape.rank, dims) &&
           onnx_set(step, 2, ONNX_FLOAT, x->shape.rank, dims);
}

/* Beside the output the statistics, per channel. */
bool onnx_shape_batch_norm(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    if (!x || !onnx_set_like(step, 0, x, x->type)) {
        return false;
    }
    int64_t channels = x->shape.rank > 1 ? x->shape.dims[1] : 1;
    for (uint32_t i = 1; i < 5; i++) {
        if (!onnx_set(step, i, x->type, 1, &channels)) {
            return false;
        }
    }
    return true;
}
