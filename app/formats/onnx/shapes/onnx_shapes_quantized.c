/* ONNX: operators on quantized numbers, and what ONNX Runtime's optimizer puts in the place of ONNX's: products
 * with turned inputs, images with their channels last, images in blocks of channels. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

/* ---- element by element ---- */

/* QLinearAdd and its like: x, scale, zero, y, scale, zero. */
bool onnx_shape_quantized_pair(struct onnx_step *step) {
    const struct onnx_value *a = onnx_need(step, 0), *b = onnx_need(step, 3);
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    return a && b && onnx_broadcast(step, &a->shape, &rank, dims) && onnx_broadcast(step, &b->shape, &rank, dims) &&
           onnx_set(step, 0, a->type, rank, dims);
}

/* QLinearWhere: the condition, then two of x, scale, zero. */
bool onnx_shape_quantized_where(struct onnx_step *step) {
    const struct onnx_value *c = onnx_need(step, 0), *a = onnx_need(step, 1), *b = onnx_need(step, 4);
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    return c && a && b && onnx_broadcast(step, &c->shape, &rank, dims) &&
           onnx_broadcast(step, &a->shape, &rank, dims) && onnx_broadcast(step, &b->shape, &rank, dims) &&
           onnx_set(step, 0, a->type, rank, dims);
}

/* QLinearConcat: scale and zero of the result, then x, scale, zero of every part. */
bool onnx_shape_quantized_concat(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 2);
    uint32_t axis;
    if (!x || !onnx_axis(step, onnx_setting(step, "axis", 0), x->shape.rank, &axis)) {
        return false;
    }
    int64_t length = x->shape.dims[axis];
    for (uint32_t i = 5; i < step->node->input_count; i += 3) {
        const struct onnx_value *y = onnx_need(step, i);
        if (!y) {
            return false;
        }
        if (y->shape.rank != x->shape.rank || __builtin_add_overflow(length, y->shape.dims[axis], &length)) {
            return onnx_why(step, "the shapes of its inputs do not fit together");
        }
    }
    return onnx_set_along(step, 0, x, axis, length, x->type);
}

/* MurmurHash3: a number of 32 bits for every element. */
bool onnx_shape_hash(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int type = onnx_setting(step, "positive", 1) ? ONNX_UINT32 : ONNX_INT32;
    return x && onnx_set_like(step, 0, x, type);
}

/* ---- products ---- */

/* The inputs as they are multiplied: the last two axes turned, and before that the first with those between. */
static bool turn_axes(struct onnx_step *step, const struct onnx_shape *shape, const char *last, const char *batch,
                      int64_t *dims) {
    uint32_t rank = shape->rank;
    if (rank == 0) {
        return onnx_why(step, "an input is a single number");
    }
    memcpy(dims, shape->dims, rank * sizeof *dims);
    if (onnx_setting(step, batch, 0) && rank > 2) {
        memmove(dims, dims + 1, (rank - 2) * sizeof *dims);
        dims[rank - 2] = shape->dims[0];
    }
    if (onnx_setting(step, last, 0) && rank > 1) {
        int64_t swap = dims[rank - 1];
        dims[rank - 1] = dims[rank - 2];
        dims[rank - 2] = swap;
    }
    return true;
}

bool onnx_shape_matmul_turned(struct onnx_step *step) {
    const struct onnx_value *a = onnx_need(step, 0), *b = onnx_need(step, 1);
    int64_t left[ONNX_RANK], right[ONNX_RANK];
    if (!a || !b || !turn_axes(step, &a->shape, "transA", "transBatchA", left) ||
        !turn_axes(step, &b->shape, "transB", "transBatchB", right)) {
        return false;
    }
    struct onnx_shape x = {true, a->shape.rank, left}, y = {true, b->shape.rank, right};
    return onnx_product(step, &x, &y, a->type);
}

bool onnx_shape_matmul_float(struct onnx_step *step) {
    return onnx_product_of(step, 1, ONNX_FLOAT);
}
/* The scale of the first input tells what comes out. */
bool onnx_shape_matmul_scaled(struct onnx_step *step) {
    const struct onnx_value *scale = onnx_in(step, 2);
    return onnx_product_of(step, 1, scale && scale->type ? scale->type : ONNX_FLOAT);
}
/* x, scale, y, scale, scale of the result */
bool onnx_shape_matmul_ordered(struct onnx_step *step) {
    return onnx_product_of(step, 2, ONNX_INT8);
}

/* QGemm: a, scale, zero, b, scale, zero, c, scale and zero of the result; without them it is float. */
bool onnx_shape_gemm_quantized(struct onnx_step *step) {
    const struct onnx_value *a = onnx_need(step, 0), *b = onnx_need(step, 3);
    const struct onnx_value *zero = onnx_in(step, 8);
    int64_t left[ONNX_RANK], right[ONNX_RANK];
    if (!a || !b || !turn_axes(step, &a->shape, "transA", "", left) ||
        !turn_axes(step, &b->shape, "transB", "", right)) {
        return false;
    }
    struct onnx_shape x = {true, a->shape.rank, left}, y = {true, b->shape.rank, right};
    return onnx_product(step, &x, &y, zero ? zero->type : ONNX_FLOAT);
}

/* Every row against every row: distances. */
bool onnx_shape_distances(struct onnx_step *step) {
    const struct onnx_value *a = onnx_need(step, 0), *b = onnx_need(step, 1);
    if (!a || !b || a->shape.rank != 2 || b->shape.rank != 2) {
        return onnx_why(step, "the inputs are no matrices");
    }
    return onnx_set_lengths(step, 0, a->type, a->shape.dims[0], b->shape.dims[0]);
}

/* ---- channels last ---- */

/* A shape with its channels moved from the last place to the second, or back. */
static void move_channels(const struct onnx_shape *from, bool back, int64_t *dims) {
    uint32_t rank = from->rank;
    memcpy(dims, from->dims, rank * sizeof *dims);
    memcpy(dims + (back ? 1 : 2), from->dims + (back ? 2 : 1), (rank - 2) * sizeof *dims);
    dims[back ? rank - 1 : 1] = from->dims[back ? 1 : rank - 1];
}

/* Run a rule for channels in the second place on an image that has them last. */
static bool channels_last(struct onnx_step *step, bool (*rule)(struct onnx_step *)) {
    struct onnx_value *x = onnx_in(step, 0), *y = onnx_out(step, 0);
    int64_t in[ONNX_RANK], dims[ONNX_RANK];
    if (!onnx_need(step, 0) || !y) {
        return y == NULL;
    }
    if (x->shape.rank < 3) {
        return onnx_why(step, "the input has no spatial axes");
    }
    struct onnx_shape own = x->shape;
    move_channels(&own, false, in);
    x->shape.dims = in;
    bool good = rule(step);
    x->shape = own;
    if (!good || y->shape.rank != own.rank) {
        return false;
    }
    move_channels(&y->shape, true, dims);
    return onnx_set(step, 0, y->type, own.rank, dims);
}

bool onnx_shape_conv_last(struct onnx_step *step) {
    return channels_last(step, onnx_shape_conv);
}
bool onnx_shape_pool_last(struct onnx_step *step) {
    return channels_last(step, onnx_shape_pool);
}
/* QLinear*: where the channels are is an attribute. */
bool onnx_shape_conv_quantized_either(struct onnx_step *step) {
    return onnx_setting(step, "channels_last", 0) ? channels_last(step, onnx_shape_conv_quantized)
                                                  : onnx_shape_conv_quantized(step);
}
bool onnx_shape_pool_either(struct onnx_step *step) {
    return onnx_setting(step, "channels_last", 0) ? channels_last(step, onnx_shape_pool) : onnx_shape_pool(step);
}
bool onnx_shape_global_pool_either(struct onnx_step *step) {
    return onnx_setting(step, "channels_last", 0) ? channels_last(step, onnx_shape_global_pool)
                                                  : onnx_shape_global_pool(step);
}

/* ---- blocks of channels ---- */

bool onnx_shape_into_blocks(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK];
    if (!x || x->shape.rank < 3) {
        return onnx_why(step, "the input has no spatial axes");
    }
    memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    if (onnx_setting(step, "channels_last", 0)) {
        move_channels(&x->shape, false, dims);
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

/* Back again, without the channels that filled the last block. */
bool onnx_shape_out_of_blocks(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK], turned[ONNX_RANK], channels = onnx_setting(step, "channels", 0);
    if (!x || x->shape.rank < 3 || channels < 1) {
        return onnx_why(step, "the number of channels is out of range");
    }
    memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    dims[1] = channels;
    struct onnx_shape shape = {true, x->shape.rank, dims};
    bool last = onnx_setting(step, "channels_last", 0) != 0;
    if (last) {
        move_channels(&shape, true, turned);
    }
    return onnx_set(step, 0, x->type, x->shape.rank, last ? turned : dims);
}

/* Weights that were brought into blocks may have more channels than the image. */
bool onnx_shape_conv_blocks(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *w = onnx_need(step, 1);
    return x && w && w->shape.rank == x->shape.rank && x->shape.rank > 2
               ? onnx_slide(step, x, &w->shape)
               : onnx_why(step, "input and weights have different ranks");
}

/* Whole factors for every axis. */
bool onnx_shape_upsample_blocks(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK];
    size_t count;
    if (!x || !onnx_ints(step->model, step->node, "scales", dims, ONNX_RANK, &count) || count != x->shape.rank) {
        return onnx_why(step, "there is not one scale for every axis");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (dims[i] < 1 || __builtin_mul_overflow(dims[i], x->shape.dims[i], &dims[i])) {
            return onnx_why(step, "a scale is out of range");
        }
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

/* Crop: so much from each side of an image, or a window of some size. */
bool onnx_shape_crop(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t border[4] = {0}, scale[2];
    size_t count, sizes;
    if (!x || x->shape.rank != 4 || !onnx_ints(step->model, step->node, "border", border, 4, &count) || count != 4) {
        return onnx_why(step, "the input is no image, or border does not have four numbers");
    }
    const int64_t *in = x->shape.dims, most = INT64_C(1) << 40;
    bool sized = onnx_ints(step->model, step->node, "scale", scale, 2, &sizes) && sizes == 2;
    for (int i = 0; i < 4; i++) {
        if (border[i] < 0 || border[i] > most) {
            return onnx_why(step, "border is out of range");
        }
    }
    return onnx_set_lengths(step, 0, x->type, in[0], in[1], sized ? scale[0] : in[2] - border[1] - border[3],
                            sized ? scale[1] : in[3] - border[0] - border[2]);
}
