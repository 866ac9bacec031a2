/* Shapes, types and options of an operator, as rules ask for them. */
#include "formats/tflite/kernels/rules.h"
#include "base/minmax.h"

const struct tflite_tensor *rule_input(const struct kernel_call *call, uint32_t i) {
    return tflite_listed(call->model, call->op->subgraph, call->op->inputs, i);
}

const struct tflite_tensor *rule_output(const struct kernel_call *call, uint32_t i) {
    return tflite_listed(call->model, call->op->subgraph, call->op->outputs, i);
}

int rule_type(const struct tflite_tensor *tensor) {
    return tensor ? tensor->type : -1;
}

uint32_t rule_rank(const struct tflite_tensor *tensor) {
    return tensor->shape.count;
}

int64_t rule_dim(const struct kernel_call *call, const struct tflite_tensor *tensor, uint32_t i) {
    return tensor && i < tensor->shape.count ? tflite_item(call->model, tensor->shape, i) : -1;
}

bool rule_shape(const struct kernel_call *call, const struct tflite_tensor *tensor, struct kernel_shape *shape) {
    if (!tensor || rule_rank(tensor) != 4) {
        return false;
    }
    *shape = (struct kernel_shape){rule_dim(call, tensor, 0), rule_dim(call, tensor, 1), rule_dim(call, tensor, 2),
                                   rule_dim(call, tensor, 3)};
    return SW_MAX(SW_MAX(shape->n, shape->h), SW_MAX(shape->w, shape->c)) <= LONGEST_AXIS;
}

bool rule_option(const struct kernel_call *call, unsigned field, size_t width, int64_t value, int64_t *out) {
    uint64_t number = (uint64_t)value;
    if (call->options.at && !sw_flat_number(&call->options, field, width, &number)) {
        return false;
    }
    *out = width == 4 ? (int32_t)number : width == 1 ? (int8_t)number : (int64_t)number;
    return true;
}

bool rule_scales(const struct kernel_call *call, const struct tflite_tensor *tensor, size_t *count) {
    struct sw_flat table, quantization;
    struct sw_flat_list scales;
    if (!sw_flat_at(&call->model->root, tensor->at, &table) ||
        !sw_flat_table(&table, TENSOR_QUANTIZATION, &quantization) ||
        !sw_flat_list(&quantization, QUANTIZATION_SCALE, 4, &scales)) {
        return false;
    }
    *count = scales.count;
    return true;
}

bool rule_ask(struct kernel_call *call, int64_t bytes) {
    struct tflite_workspaces *out = call->out;
    if (bytes < 0 || bytes > INT32_MAX || out->count == TFLITE_MOST_WORKSPACES) {
        return false;
    }
    if (bytes > 0) {
        out->sizes[out->count++] = (uint64_t)bytes;
    }
    return true;
}

/* Half of what the windows reach beyond the input, as the interpreter computes it: SAME pads so that there are as many
 * outputs as inputs per stride, VALID not at all. */
static int64_t pad_in_front(bool same, int64_t in, int64_t filter, int64_t stride, int64_t dilation) {
    int64_t reach = (filter - 1) * dilation + 1;
    int64_t out = same ? (in + stride - 1) / stride : (in + stride - reach) / stride;
    return SW_MAX((out - 1) * stride + reach - in, 0) / 2;
}

enum { CONV_PADDING, CONV_STRIDE_W, CONV_STRIDE_H };

bool rule_convolution(const struct kernel_call *call, bool depthwise, struct convolution *conv) {
    unsigned dilation = depthwise ? 5 : 4; /* a depthwise one has the multiplier of channels before its activation */
    int64_t padding;
    conv->multiplier = 0;
    if (!rule_shape(call, rule_input(call, 0), &conv->in) || !rule_shape(call, rule_input(call, 1), &conv->filter) ||
        !rule_shape(call, rule_output(call, 0), &conv->out) || !rule_option(call, CONV_PADDING, 1, 0, &padding) ||
        !rule_option(call, CONV_STRIDE_W, 4, 0, &conv->stride_w) ||
        !rule_option(call, CONV_STRIDE_H, 4, 0, &conv->stride_h) ||
        (depthwise && !rule_option(call, 3, 4, 0, &conv->multiplier)) ||
        !rule_option(call, dilation, 4, 1, &conv->dilation_w) ||
        !rule_option(call, dilation + 1, 4, 1, &conv->dilation_h)) {
        return false;
    }
    const int64_t steps[] = {conv->stride_w, conv->stride_h, conv->dilation_w, conv->dilation_h};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i] < 1 || steps[i] > LONGEST_AXIS) {
            return false;
        }
    }
    conv->pad_h = pad_in_front(padding == 0, conv->in.h, conv->filter.h, conv->stride_h, conv->dilation_h);
    conv->pad_w = pad_in_front(padding == 0, conv->in.w, conv->filter.w, conv->stride_w, conv->dilation_w);
    return conv->pad_h <= LONGEST_AXIS && conv->pad_w <= LONGEST_AXIS;
}
