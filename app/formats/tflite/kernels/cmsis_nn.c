/* What CMSIS-NN's kernels ask for, compiled with GCC or LLVM for speed, as TensorFlow Lite Micro's build does.
 *
 * A convolution gathers the window of an output into a row (im2col): as bytes widened to 16 bits, two rows at a time;
 * with the vector extension (MVE) four rows of whole registers. What stands in front of a matrix as one column already
 * needs no row. Sums that depend on weights alone are made once and kept in the arena's tail when the weights are
 * constant.
 *
 * Versions differ (SW_CMSIS_VERSIONS), and so does what TensorFlow Lite Micro of their day runs on them.
 *
 * Source: the functions arm_*_get_buffer_size of CMSIS-NN and kernels/cmsis_nn of TensorFlow Lite Micro, to 2026. Arm's
 * own compiler (armclang) takes 4 bytes per input channel more for a 1x1 convolution with DSP instructions. */
#include "formats/tflite/kernels/rules.h"
#include "base/minmax.h"

enum {
    DEPTHWISE_BLOCK = 124, /* channels that MVE takes at a time */
    REVERSE_ABOVE = 16     /* input channels above which a transposed convolution runs as one with the filter turned */
};

/* Rows of `length` input elements. */
static int64_t rows8(const struct kernel_call *call, int64_t length) {
    if (call->chip == CHIP_MVE) {
        return 4 * rule_whole(length, call->version < CMSIS_V6 ? 8 : 16);
    }
    return 2 * 2 * (call->version < CMSIS_V5 ? length : rule_whole(length, 4));
}

static int64_t rows16(const struct kernel_call *call, const struct convolution *conv) {
    enum { SHORT_ROW = 512 }; /* longer ones were not gathered */
    int64_t length = conv->filter.w * conv->filter.h * conv->in.c;
    if (call->version < CMSIS_V6) {
        bool gathers = call->chip == CHIP_DSP && length < SHORT_ROW && conv->dilation_w == 1 && conv->dilation_h == 1;
        return gathers ? 2 * 2 * length : 0;
    }
    return call->chip == CHIP_MVE ? 4 * 2 * rule_whole(length, 8) : 2 * 2 * length;
}

/* With MVE an input of one row is read in place, but for its padded ends. */
static int64_t one_row(const struct kernel_call *call, const struct convolution *conv) {
    if (call->version < CMSIS_V6) {
        return 0;
    }
    int64_t length = conv->filter.w * conv->in.c;
    int64_t odd = ((conv->out.w - 1) * conv->stride_w + conv->filter.w - conv->in.w) % 2;
    int64_t ends = conv->pad_w + odd;
    int64_t right = ends != 0 ? SW_MAX(1, (ends + conv->stride_w - 1) / conv->stride_w) : 0;
    int64_t left = conv->pad_w != 0 ? SW_MAX(1, (conv->pad_w + conv->stride_w - 1) / conv->stride_w) : 0;
    if (right + left > conv->out.w) {
        return rows8(call, length * conv->filter.h);
    }
    int64_t pad_left = conv->pad_w * conv->in.c, pad_right = odd ? right * conv->in.c : pad_left;
    return SW_MAX(length + pad_left, length - conv->in.c + pad_right);
}

static int64_t conv8(const struct kernel_call *call, const struct convolution *conv) {
    bool dense = conv->dilation_w == 1 && (call->version < CMSIS_V2026 || conv->in.c == conv->filter.c);
    if (dense && conv->dilation_h == 1 && conv->pad_w == 0 && conv->pad_h == 0 && conv->filter.w == 1 &&
        conv->filter.h == 1) {
        return 0;
    }
    if (call->chip == CHIP_MVE && dense && conv->in.h == 1 && conv->filter.h == 1 &&
        (call->version < CMSIS_V4_1 ? conv->out.w : conv->stride_w * conv->in.c) % 4 == 0) {
        return one_row(call, conv);
    }
    return rows8(call, conv->filter.w * conv->filter.h * conv->in.c);
}

/* Weights of 4 bits were spread first, as the reference kernels do. */
static bool early_int4_filter(struct kernel_call *call) {
    return call->version >= CMSIS_V5 || reference_int4_filter(call);
}

bool cmsis_conv(struct kernel_call *call) {
    struct convolution conv;
    int type = rule_type(rule_input(call, 0));
    if (type != TYPE_INT8 && type != TYPE_INT16) {
        return type >= 0;
    }
    if (!rule_convolution(call, false, &conv) || !early_int4_filter(call)) {
        return false;
    }
    return rule_ask(call, type == TYPE_INT8 ? conv8(call, &conv) : rows16(call, &conv));
}

/* A filter per channel: nothing to gather but with DSP (widened) or MVE (in blocks of channels). */
static int64_t depthwise(const struct kernel_call *call, const struct convolution *conv, bool int4) {
    int64_t window = conv->filter.w * conv->filter.h;
    bool fast = conv->in.c == conv->out.c && conv->in.n == 1 && conv->dilation_w == 1 && conv->dilation_h == 1;
    if (call->version >= CMSIS_V7 && call->chip == CHIP_MVE && !int4 && conv->in.c == 1 && conv->out.c > 1) {
        struct convolution as_conv = *conv; /* one input channel: runs as a convolution, with the filter transposed */
        as_conv.filter.c = 1;
        if (conv->in.h == 1 && conv->filter.h == 1) {
            return -1; /* it depends on a stride that the interpreter does not hand on */
        }
        return conv8(call, &as_conv) + conv->out.c * window;
    }
    if (!fast) {
        return 0;
    }
    if (call->chip == CHIP_MVE && (!int4 || call->version >= CMSIS_V6)) {
        return 4 * DEPTHWISE_BLOCK * window;
    }
    if (call->version > CMSIS_V4_0 && !int4 && conv->filter.w == 3 && conv->filter.h == 3 && conv->pad_h <= 1 &&
        conv->pad_w <= 1) {
        return 0;
    }
    return call->chip == CHIP_DSP || int4 ? 2 * conv->in.c * window : 0;
}

bool cmsis_depthwise_conv(struct kernel_call *call) {
    struct convolution conv;
    int filter = rule_type(rule_input(call, 1));
    if (rule_type(rule_input(call, 0)) != TYPE_INT8) {
        return rule_input(call, 0) != NULL;
    }
    return (filter == TYPE_INT8 || filter == TYPE_INT4) && early_int4_filter(call) &&
           rule_convolution(call, true, &conv) &&
           rule_ask(call, depthwise(call, &conv, filter == TYPE_INT4 && call->version >= CMSIS_V5));
}

/* Runs as a convolution of the stretched input when the stride is small and channels are many; up to 6.0.0 by gathering
 * the windows of all pixels. */
bool cmsis_transpose_conv(struct kernel_call *call) {
    enum { STRIDE_W = 1, STRIDE_H = 2 };
    const struct tflite_tensor *input = rule_input(call, TRANSPOSE_INPUT);
    struct kernel_shape in, filter, out;
    int64_t stride_w, stride_h;
    if (rule_type(input) != TYPE_INT8 || call->version < CMSIS_V5) {
        return reference_transpose_conv(call);
    }
    if (!rule_shape(call, input, &in) || !rule_shape(call, rule_input(call, TRANSPOSE_WEIGHTS), &filter) ||
        !rule_shape(call, rule_output(call, 0), &out) || !rule_option(call, STRIDE_W, 4, 0, &stride_w) ||
        !rule_option(call, STRIDE_H, 4, 0, &stride_h) || stride_w < 1 || stride_h < 1 || in.w < 1 ||
        stride_w > LONGEST_AXIS || stride_h > LONGEST_AXIS) {
        return false;
    }
    if (call->version < CMSIS_V7) {
        return rule_ask(call, 4 * filter.w * filter.h * in.w * in.h * out.c) &&
               rule_ask(call, 4 * out.h * out.w * out.c);
    }
    if (stride_w <= 2 && stride_h <= 2 && in.c > REVERSE_ABOVE) {
        return rule_ask(call, rows8(call, filter.w * filter.h * in.c)) &&
               rule_ask(call, in.c * filter.w * filter.h * filter.n);
    }
    int64_t row = ((in.w - 1) * stride_w + SW_MAX(filter.w, stride_h)) * filter.n;
    return rule_ask(call, 4 * row * SW_MAX(filter.h, stride_h));
}

bool cmsis_fully_connected(struct kernel_call *call) {
    const struct tflite_tensor *filter = rule_input(call, 1), *bias = rule_input(call, 2), *out = rule_output(call, 0);
    size_t scales;
    if (!filter || !out || rule_rank(out) < 1 || rule_rank(filter) < 1) {
        return false;
    }
    if (rule_type(rule_input(call, 0)) != TYPE_INT8 || rule_type(filter) == TYPE_INT4) {
        return early_int4_filter(call);
    }
    int64_t depth = rule_dim(call, filter, rule_rank(filter) - 1), units = rule_dim(call, out, rule_rank(out) - 1);
    if (rule_rank(out) > 2 && depth % 4 == 0) { /* as a convolution, with scales per channel */
        return call->version < CMSIS_V7 ||
               (rule_scales(call, filter, &scales) && (scales > 1 || rule_ask(call, 8 * units)));
    }
    return call->chip != CHIP_MVE || call->version < CMSIS_V6 ||
           (rule_is_constant(filter) && (call->version < CMSIS_V2026 || !bias || rule_is_constant(bias))) ||
           rule_ask(call, 4 * units);
}

bool cmsis_batch_matmul(struct kernel_call *call) {
    const struct tflite_tensor *left = rule_input(call, 0), *right = rule_input(call, 1), *out = rule_output(call, 0);
    if (!left || !right || !out) {
        return false;
    }
    if (call->chip != CHIP_MVE || call->version < CMSIS_V7 || rule_type(left) != TYPE_INT8 ||
        rule_type(right) == TYPE_FLOAT32) {
        return true;
    }
    uint32_t rank = SW_MAX(rule_rank(left), rule_rank(right));
    int64_t columns = rank >= 2 && rank <= 4 ? rule_dim(call, out, rank - 1) : 1;
    return columns >= 0 && rule_ask(call, 4 * columns);
}

/* A sum per channel. */
bool cmsis_average_pool(struct kernel_call *call) {
    const struct tflite_tensor *in = rule_input(call, 0);
    if (!rule_is_integer(in)) {
        return in != NULL;
    }
    int64_t channels = rule_dim(call, in, 3);
    bool sums = call->chip == CHIP_DSP && (call->version > CMSIS_V4_0 || rule_type(in) == TYPE_INT8);
    return channels >= 0 && (!sums || rule_ask(call, 4 * channels));
}

/* Quantized ones need no buffer for the output gate, since 6.0.0. */
bool cmsis_lstm(struct kernel_call *call) {
    if (!reference_lstm(call)) {
        return false;
    }
    bool quantized = call->version >= CMSIS_V6 && rule_is_integer(rule_input(call, 0)) &&
                     rule_type(rule_input(call, LSTM_CELL_STATE)) == TYPE_INT16;
    call->out->count -= quantized && call->out->count > 0;
    return true;
}
