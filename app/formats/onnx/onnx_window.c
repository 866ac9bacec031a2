/* Windows and multiply-adds of ONNX operators, from their attributes and shapes: images of one batch, [1, channels,
 * rows, columns]. */
#include "formats/onnx/onnx.h"

static const struct sw_op_window onnx_row_by_row = {
    .axis = ONNX_ROWS, .kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}, .told = true};

static bool is_image(const struct onnx_value *value) {
    if (!value || !onnx_plain(value) || !value->shape.known || value->shape.rank != ONNX_IMAGE || value->bounded) {
        return false;
    }
    for (uint32_t i = 0; i < ONNX_IMAGE; i++) {
        if (value->shape.dims[i] < 1 || value->shape.dims[i] > SW_MAX_WINDOW) {
            return false;
        }
    }
    return value->shape.dims[0] == 1;
}

static bool same_plane(const struct onnx_value *a, const struct onnx_value *b) {
    return a->shape.dims[ONNX_ROWS] == b->shape.dims[ONNX_ROWS] &&
           a->shape.dims[ONNX_COLUMNS] == b->shape.dims[ONNX_COLUMNS];
}

/* One row of a constant serves every row of the result. */
static bool serves_all_rows(const struct onnx_value *value) {
    const struct onnx_shape *shape = &value->shape;
    return value->constant && shape->known && (shape->rank < 2 || shape->dims[shape->rank - 2] == 1);
}

/* The window must have as many positions as the shapes say, since interpreters round in more than one way. With `ceil`
 * a last window may hang over, and runtimes do not agree which ones count. */
static bool makes_plane(const struct sw_op_window *w, bool ceil, const struct onnx_value *in,
                        const struct onnx_value *out) {
    for (uint32_t i = 0; i < 2; i++) {
        int64_t reach = (int64_t)(w->kernel[i] - 1) * w->dilation[i] + 1;
        int64_t room = in->shape.dims[ONNX_ROWS + i] + w->before[i] + w->after[i] - reach;
        if (room < 0 || room / w->stride[i] + 1 != out->shape.dims[ONNX_ROWS + i] ||
            (ceil && room % w->stride[i] != 0)) {
            return false;
        }
    }
    return true;
}

static bool sliding(struct onnx_step *step, const struct onnx_value *x, const struct onnx_value *weights,
                    struct sw_op_window *w) {
    const struct onnx_value *out = onnx_out(step, 0);
    return is_image(x) && is_image(out) && (!weights || weights->shape.known) &&
           onnx_sliding_window(step, x, weights ? &weights->shape : NULL, w) &&
           makes_plane(w, onnx_setting(step, "ceil_mode", 0) != 0, x, out);
}

static bool elementwise_rows(struct onnx_step *step, struct sw_op_window *w) {
    const struct onnx_value *out = onnx_out(step, 0);
    if (!is_image(out)) {
        return false;
    }
    for (uint32_t i = 0; i < step->node->input_count; i++) {
        const struct onnx_value *in = onnx_in(step, i);
        if (in && !serves_all_rows(in) &&
            !(is_image(in) && !in->constant && same_plane(in, out) &&
              in->shape.dims[ONNX_CHANNELS] == out->shape.dims[ONNX_CHANNELS])) {
            return false;
        }
    }
    *w = onnx_row_by_row;
    return true;
}

/* The numbers that a quantization or a normalization has are one for all, or one for each channel, which is axis 1. */
static bool by_channels(struct onnx_step *step, struct sw_op_window *w) {
    int64_t axis = onnx_setting(step, "axis", ONNX_CHANNELS);
    bool training = onnx_setting(step, "training_mode", 0) != 0, blocks = onnx_setting(step, "block_size", 0) != 0;
    for (uint32_t i = 1; i < step->node->input_count; i++) {
        const struct onnx_value *in = onnx_in(step, i);
        bool single = in && in->constant && in->shape.known && onnx_count(&in->shape) == 1;
        bool channels = in && in->constant && in->shape.known && in->shape.rank == 1 &&
                        (axis == ONNX_CHANNELS || axis == ONNX_CHANNELS - ONNX_IMAGE);
        if (in && !single && !channels) {
            return false;
        }
    }
    return !training && !blocks && elementwise_rows(step, w);
}

static bool side_by_side(struct onnx_step *step, struct sw_op_window *w) {
    const struct onnx_value *out = onnx_out(step, 0);
    int64_t axis = onnx_setting(step, "axis", 0);
    if (!is_image(out) || (axis != ONNX_CHANNELS && axis != ONNX_CHANNELS - ONNX_IMAGE)) {
        return false;
    }
    for (uint32_t i = 0; i < step->node->input_count; i++) {
        const struct onnx_value *in = onnx_in(step, i);
        if (!in || !is_image(in) || in->constant || !same_plane(in, out)) {
            return false;
        }
    }
    *w = onnx_row_by_row;
    return true;
}

/* Convolution and pooling by another name belong here; an operator that is not listed has no window. */
static const struct {
    const char *kinds; /* words */
    enum { FORM_CONVOLUTION, FORM_POOL, FORM_ELEMENTWISE, FORM_BY_CHANNELS, FORM_SIDE_BY_SIDE } form;
    uint32_t weights; /* which input */
} window_forms[] = {
    {"Conv ConvInteger", FORM_CONVOLUTION, 1},
    {"QLinearConv", FORM_CONVOLUTION, 3},
    {"MaxPool AveragePool LpPool", FORM_POOL, 0},
    {"Concat", FORM_SIDE_BY_SIDE, 0},
    {"BatchNormalization QuantizeLinear DequantizeLinear", FORM_BY_CHANNELS, 0},
    {"Abs Add Cast Celu Clip Div Elu Erf Exp Gelu HardSigmoid HardSwish Identity LRN LeakyRelu Max Min Mish Mul Neg "
     "PRelu Relu Selu Sigmoid Softplus Softsign Sqrt Sub Sum Tanh",
     FORM_ELEMENTWISE, 0},
};

bool onnx_window(struct onnx_model *model, struct onnx_node *node, struct sw_op_window *w, uint64_t *macs) {
    struct onnx_step step = {.model = model, .node = node};
    const struct onnx_value *x = onnx_in(&step, 0), *out = onnx_out(&step, 0);
    *macs = 0;
    if (node->domain.length > 0 || node->output_count != 1 || !x || !out) {
        return false;
    }
    for (size_t i = 0; i < sizeof window_forms / sizeof *window_forms; i++) {
        if (!sw_pb_in(node->kind, window_forms[i].kinds)) {
            continue;
        }
        switch (window_forms[i].form) {
        case FORM_CONVOLUTION: {
            const struct onnx_value *weights = onnx_in(&step, window_forms[i].weights);
            bool known = weights && weights->shape.known && weights->shape.rank > 1 && out->shape.known;
            uint64_t each = known ? onnx_count(&weights->shape) : 0, all = known ? onnx_count(&out->shape) : 0;
            each = known && weights->shape.dims[0] > 0 ? each / (uint64_t)weights->shape.dims[0] : 0;
            *macs = each && all <= SW_MAX_BYTES / each ? all * each : 0;
            return sliding(&step, x, weights, w);
        }
        case FORM_POOL:
            return sliding(&step, x, NULL, w);
        case FORM_ELEMENTWISE:
            return elementwise_rows(&step, w);
        case FORM_BY_CHANNELS:
            return by_channels(&step, w);
        case FORM_SIDE_BY_SIDE:
            return side_by_side(&step, w);
        }
    }
    return false;
}
