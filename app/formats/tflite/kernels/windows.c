/* Windows and multiply-adds of operators, from their options and shapes.
 *
 * An operator has a window when each row of its result can be computed from a few rows of its arguments, and the window
 * says exactly which. Its result's height and width are computed once more from the window; where the file has
 * another size there is no window, since interpreters do not check it. */
#include "formats/tflite/kernels/rules.h"
#include "base/minmax.h"

enum { POOL_PADDING, POOL_STRIDE_W, POOL_STRIDE_H, POOL_WIDTH, POOL_HEIGHT };

/* Rows and columns of one argument and of the result. */
struct plane {
    int64_t in[2], out[2];
};

static bool one_image(const struct kernel_call *call, const struct tflite_tensor *tensor, struct kernel_shape *shape) {
    return tensor && rule_shape(call, tensor, shape) && shape->n == 1 && shape->h > 0 && shape->w > 0 && shape->c > 0;
}

static bool planes(const struct kernel_call *call, struct plane *plane) {
    struct kernel_shape in, out;
    if (!one_image(call, rule_input(call, 0), &in) || !one_image(call, rule_output(call, 0), &out)) {
        return false;
    }
    *plane = (struct plane){{in.h, in.w}, {out.h, out.w}};
    return true;
}

/* Sets the padding, and says whether the window makes a result of the size that the file gives. */
static bool pad_window(struct sw_op_window *w, const struct plane *plane, bool same) {
    for (int i = 0; i < 2; i++) {
        int64_t reach = (int64_t)(w->kernel[i] - 1) * w->dilation[i] + 1, stride = w->stride[i];
        int64_t out = same ? (plane->in[i] + stride - 1) / stride : (plane->in[i] + stride - reach) / stride;
        int64_t padding = same ? SW_MAX((out - 1) * stride + reach - plane->in[i], 0) : 0;
        if (out != plane->out[i] || reach > LONGEST_AXIS || padding > LONGEST_AXIS) {
            return false;
        }
        w->before[i] = (uint32_t)(padding / 2);
        w->after[i] = (uint32_t)(padding - padding / 2);
    }
    return true;
}

static bool convolution_window(const struct kernel_call *call, struct sw_op_window *w) {
    bool depthwise = call->op->code == TFLITE_OP_depthwise_conv_2d;
    struct convolution conv;
    struct plane plane;
    int64_t padding;
    if (!rule_convolution(call, depthwise, &conv) || !planes(call, &plane) || !rule_option(call, 0, 1, 0, &padding) ||
        conv.filter.h < 1 || conv.filter.w < 1) {
        return false;
    }
    *w = (struct sw_op_window){.axis = 1,
                               .kernel = {(uint32_t)conv.filter.h, (uint32_t)conv.filter.w},
                               .stride = {(uint32_t)conv.stride_h, (uint32_t)conv.stride_w},
                               .dilation = {(uint32_t)conv.dilation_h, (uint32_t)conv.dilation_w}};
    return pad_window(w, &plane, padding == 0);
}

static bool pool_window(const struct kernel_call *call, struct sw_op_window *w) {
    int64_t padding, stride[2], kernel[2];
    struct plane plane;
    if (!planes(call, &plane) || !rule_option(call, POOL_PADDING, 1, 0, &padding) ||
        !rule_option(call, POOL_STRIDE_H, 4, 0, &stride[0]) || !rule_option(call, POOL_STRIDE_W, 4, 0, &stride[1]) ||
        !rule_option(call, POOL_HEIGHT, 4, 0, &kernel[0]) || !rule_option(call, POOL_WIDTH, 4, 0, &kernel[1])) {
        return false;
    }
    *w = (struct sw_op_window){.axis = 1, .dilation = {1, 1}};
    for (int i = 0; i < 2; i++) {
        if (stride[i] < 1 || stride[i] > LONGEST_AXIS || kernel[i] < 1 || kernel[i] > LONGEST_AXIS) {
            return false;
        }
        w->stride[i] = (uint32_t)stride[i];
        w->kernel[i] = (uint32_t)kernel[i];
    }
    return pad_window(w, &plane, padding == 0);
}

static const struct sw_op_window tflite_row_by_row = {
    .axis = 1, .kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};

/* Every argument has the result's shape, or is a constant of one element, or of one for each channel. */
static bool elementwise_window(const struct kernel_call *call, struct sw_op_window *w) {
    struct kernel_shape in, out;
    if (!one_image(call, rule_output(call, 0), &out)) {
        return false;
    }
    for (uint32_t i = 0; i < call->op->inputs.count; i++) {
        const struct tflite_tensor *tensor = rule_input(call, i);
        bool constant = tensor && tensor->state == TFLITE_CONSTANT && tensor->shape.count > 0 &&
                        (tensor->elements == 1 || (tensor->elements == (uint64_t)out.c &&
                                                   rule_dim(call, tensor, tensor->shape.count - 1) == out.c));
        bool same = one_image(call, tensor, &in) && in.h == out.h && in.w == out.w && in.c == out.c &&
                    tensor->state != TFLITE_CONSTANT;
        if (!constant && !same) {
            return false;
        }
    }
    *w = tflite_row_by_row;
    return true;
}

/* The amounts are a constant: rows and columns only. */
static bool pad_operator_window(const struct kernel_call *call, struct sw_op_window *w) {
    const struct tflite_tensor *amounts = rule_input(call, 1);
    struct plane plane;
    struct sw_flat_list data;
    struct kernel_shape in, out;
    if (!planes(call, &plane) || !one_image(call, rule_input(call, 0), &in) ||
        !one_image(call, rule_output(call, 0), &out) || in.c != out.c || !amounts ||
        amounts->state != TFLITE_CONSTANT || amounts->elements != 8 || amounts->bits != 32 ||
        !tflite_data(call->model, amounts->buffer, &data) || data.count != 32) {
        return false;
    }
    struct tflite_list numbers = {data.at, 8};
    *w = tflite_row_by_row;
    for (uint32_t i = 0; i < 4; i++) {
        int64_t before = tflite_item(call->model, numbers, 2 * i), after = tflite_item(call->model, numbers, 2 * i + 1);
        bool plane_axis = i == 1 || i == 2;
        if (before < 0 || after < 0 || before > LONGEST_AXIS || after > LONGEST_AXIS ||
            (!plane_axis && before + after > 0) ||
            (plane_axis && plane.in[i - 1] + before + after != plane.out[i - 1])) {
            return false;
        }
        if (plane_axis) {
            w->before[i - 1] = (uint32_t)before;
            w->after[i - 1] = (uint32_t)after;
        }
    }
    return true;
}

static bool concatenation_window(const struct kernel_call *call, struct sw_op_window *w) {
    struct kernel_shape in, out;
    int64_t axis, channels = 0;
    if (!one_image(call, rule_output(call, 0), &out) || !rule_option(call, 0, 4, 0, &axis) ||
        (axis != 3 && axis != -1)) {
        return false;
    }
    for (uint32_t i = 0; i < call->op->inputs.count; i++) {
        const struct tflite_tensor *tensor = rule_input(call, i);
        if (!one_image(call, tensor, &in) || tensor->state == TFLITE_CONSTANT || in.h != out.h || in.w != out.w) {
            return false;
        }
        channels += in.c;
    }
    *w = tflite_row_by_row;
    return channels == out.c;
}

static const struct {
    uint32_t code;
    bool (*find)(const struct kernel_call *, struct sw_op_window *);
} window_rules[] = {
    {TFLITE_OP_conv_2d, convolution_window},
    {TFLITE_OP_depthwise_conv_2d, convolution_window},
    {TFLITE_OP_average_pool_2d, pool_window},
    {TFLITE_OP_max_pool_2d, pool_window},
    {TFLITE_OP_pad, pad_operator_window},
    {TFLITE_OP_padv2, pad_operator_window},
    {TFLITE_OP_concatenation, concatenation_window},
    {TFLITE_OP_add, elementwise_window},
    {TFLITE_OP_dequantize, elementwise_window},
    {TFLITE_OP_logistic, elementwise_window},
    {TFLITE_OP_mul, elementwise_window},
    {TFLITE_OP_relu, elementwise_window},
    {TFLITE_OP_relu_n1_to_1, elementwise_window},
    {TFLITE_OP_relu6, elementwise_window},
    {TFLITE_OP_tanh, elementwise_window},
    {TFLITE_OP_sub, elementwise_window},
    {TFLITE_OP_prelu, elementwise_window},
    {TFLITE_OP_maximum, elementwise_window},
    {TFLITE_OP_minimum, elementwise_window},
    {TFLITE_OP_leaky_relu, elementwise_window},
    {TFLITE_OP_abs, elementwise_window},
    {TFLITE_OP_quantize, elementwise_window},
    {TFLITE_OP_hard_swish, elementwise_window},
};

static bool find_window(const struct kernel_call *call, struct sw_op_window *w) {
    for (size_t i = 0; i < sizeof window_rules / sizeof *window_rules; i++) {
        if (window_rules[i].code == call->op->code) {
            return window_rules[i].find(call, w);
        }
    }
    return false;
}

static uint64_t product(const int64_t *factors, size_t count) {
    uint64_t result = 1;
    for (size_t i = 0; i < count; i++) {
        if (factors[i] < 0 || __builtin_mul_overflow(result, (uint64_t)factors[i], &result) || result > SW_MAX_BYTES) {
            return 0;
        }
    }
    return result;
}

/* One for every weight that an element of the result is multiplied by; padding counts. */
static uint64_t macs_of(const struct kernel_call *call) {
    const struct tflite_tensor *out = rule_output(call, 0), *filter = rule_input(call, 1);
    bool depthwise = call->op->code == TFLITE_OP_depthwise_conv_2d;
    if (!out || !filter || out->elements > SW_MAX_BYTES) {
        return 0;
    }
    if (call->op->code == TFLITE_OP_fully_connected && rule_rank(filter) == 2) {
        return product((const int64_t[]){(int64_t)out->elements, rule_dim(call, filter, 1)}, 2);
    }
    if ((call->op->code == TFLITE_OP_conv_2d || depthwise) && rule_rank(filter) == 4) {
        return product((const int64_t[]){(int64_t)out->elements, rule_dim(call, filter, 1), rule_dim(call, filter, 2),
                                         depthwise ? 1 : rule_dim(call, filter, 3)},
                       4);
    }
    return 0;
}

bool tflite_window(struct tflite_model *model, const struct tflite_operator *op, struct tflite_window *out) {
    struct tflite_workspaces unused = {0};
    struct kernel_call call;
    *out = (struct tflite_window){.known = false};
    if (!rule_call(&call, model, op, SW_KERNELS_REFERENCE, false, &unused)) {
        return false;
    }
    out->known = op->outputs.count == 1 && find_window(&call, &out->window);
    out->macs = macs_of(&call);
    return !model->error || model->error->code == SW_OK;
}
