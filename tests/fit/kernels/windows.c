/* Convolutions and pools. The loops run over rows, columns and channels of the result, and in each over the window. */
#include "fit/kernels/arithmetic.h"
#include "fit/kernels/kernels.h"

#include <limits.h>
#include <string.h>

/* One axis of a window: rows, or columns. */
struct axis {
    int32_t in, out, kernel, stride, dilation, before;
};
struct window {
    const struct tensor *in;
    struct tensor *out;
    struct axis y, x;
    int32_t channels; /* of the argument */
    int32_t lo, hi;   /* of the activation */
};

/* By the padding that the operator has: what it makes must be what the result has. */
static bool set_axis(const struct call *call, struct axis *axis, const char *word) {
    int64_t reach = (int64_t)(axis->kernel - 1) * axis->dilation + 1, out;
    if (axis->kernel < 1 || axis->stride < 1 || axis->dilation < 1) {
        return refuse(call, "its kernel, stride and dilation are %d, %d and %d", axis->kernel, axis->stride,
                      axis->dilation);
    }
    if (call->options->padding == SAME) {
        out = (axis->in + axis->stride - 1) / axis->stride;
        int64_t all = (out - 1) * axis->stride + reach - axis->in;
        axis->before = (int32_t)(all > 0 ? all / 2 : 0);
    } else {
        out = axis->in < reach ? 0 : (axis->in - reach) / axis->stride + 1;
    }
    return out == axis->out ||
           refuse(call, "%d %s make %d, but %s has %d", axis->in, word, (int)out, call->output->name, axis->out);
}

static bool set_window(const struct call *call, struct window *w, int32_t kernel_h, int32_t kernel_w,
                       int32_t dilation_h, int32_t dilation_w) {
    const struct options *options = call->options;
    w->in = input_of(call, 0);
    w->out = call->output;
    if (!is_int8(call, w->in, 4) || !is_int8(call, w->out, 4)) {
        return false;
    }
    w->y = (struct axis){.in = w->in->dims[1],
                         .out = w->out->dims[1],
                         .kernel = kernel_h,
                         .stride = options->stride_h,
                         .dilation = dilation_h};
    w->x = (struct axis){.in = w->in->dims[2],
                         .out = w->out->dims[2],
                         .kernel = kernel_w,
                         .stride = options->stride_w,
                         .dilation = dilation_w};
    w->channels = w->in->dims[3];
    if (w->in->dims[0] != 1 || w->out->dims[0] != 1) {
        return refuse(call, "it has more than one image");
    }
    return set_axis(call, &w->y, "rows") && set_axis(call, &w->x, "columns") && activation_limits(call, &w->lo, &w->hi);
}

/* Where row (column) `out` of the result has element k of its window; -1: in the padding. */
static int32_t place(const struct axis *axis, int32_t out, int32_t k) {
    int32_t at = out * axis->stride - axis->before + k * axis->dilation;
    return at < axis->in ? at : -1;
}

static const int8_t *pixel(const struct window *w, int32_t y, int32_t x) {
    return (const int8_t *)w->in->data + ((size_t)y * (size_t)w->x.in + (size_t)x) * (size_t)w->channels;
}

/* The sum of a convolution for one element; `depthwise`: of channel `from` alone. */
static int32_t sum_of(const struct window *w, const struct tensor *filter, bool depthwise, int32_t y, int32_t x,
                      int32_t channel, int32_t from) {
    const int8_t *weights = (const int8_t *)filter->data;
    int32_t channels = depthwise ? filter->dims[3] : w->channels, zero = (int32_t)w->in->zero, sum = 0;
    for (int32_t ky = 0; ky < w->y.kernel; ky++) {
        int32_t row = place(&w->y, y, ky);
        for (int32_t kx = 0; kx < w->x.kernel && row >= 0; kx++) {
            int32_t column = place(&w->x, x, kx), at = ky * w->x.kernel + kx;
            if (column < 0) {
                continue;
            }
            const int8_t *in = pixel(w, row, column);
            if (depthwise) {
                sum += (in[from] - zero) * weights[at * channels + channel];
                continue;
            }
            const int8_t *own =
                weights + ((size_t)channel * (size_t)(w->y.kernel * w->x.kernel) + (size_t)at) * (size_t)channels;
            for (int32_t c = 0; c < channels; c++) {
                sum += (in[c] - zero) * own[c];
            }
        }
    }
    return sum;
}

static bool check_filter(const struct call *call, const struct window *w, const struct tensor *filter,
                         const struct tensor *bias, bool depthwise) {
    int32_t made = w->out->dims[3], axis = depthwise ? 3 : 0;
    bool fits = depthwise ? filter->dims[0] == 1 && filter->dims[3] == made && made % w->channels == 0 &&
                                made / w->channels == call->options->depth_multiplier
                          : filter->dims[0] == made && filter->dims[3] == w->channels;
    if (!fits || (bias && (bias->type != INT32 || bias->elements != (size_t)made))) {
        return refuse(call, "%d channels, filter and bias of %s do not make %d channels", w->channels, filter->name,
                      made);
    }
    if (filter->zero != 0 ||
        (filter->scale_count > 1 && (filter->scale_count != (uint32_t)made || filter->quantized_axis != axis))) {
        return refuse(call, "the scales of %s are not those of its channels", filter->name);
    }
    return true;
}

static bool convolve(const struct call *call) {
    const struct tensor *filter = input_of(call, 1), *bias = input_of(call, 2);
    bool depthwise = call->code == DEPTHWISE_CONV_2D;
    struct window w = {0};
    if (!is_int8(call, filter, 4) ||
        !set_window(call, &w, filter->dims[1], filter->dims[2], call->options->dilation_h, call->options->dilation_w) ||
        !check_filter(call, &w, filter, bias, depthwise)) {
        return false;
    }
    int8_t *out = (int8_t *)w.out->data;
    int32_t made = w.out->dims[3], multiplier = depthwise ? made / w.channels : 1;
    enum { MOST = 2048 };
    struct factor factors[MOST];
    if (made > MOST) {
        return refuse(call, "%d channels are too many here", made);
    }
    for (int32_t c = 0; c < made; c++) {
        factors[c] = factor_of(scale_of(w.in, 0) * scale_of(filter, (size_t)c) / scale_of(w.out, 0));
    }
    for (int32_t y = 0; y < w.y.out; y++) {
        for (int32_t x = 0; x < w.x.out; x++) {
            for (int32_t c = 0; c < made; c++) {
                int32_t sum = sum_of(&w, filter, depthwise, y, x, c, c / multiplier), start = 0;
                if (bias) {
                    memcpy(&start, bias->data + 4 * (size_t)c, sizeof start);
                }
                *out++ = (int8_t)clamped(scaled(sum + start, factors[c]) + (int32_t)w.out->zero, w.lo, w.hi);
            }
        }
    }
    return true;
}

/* Of the elements that are there: a mean rounded to nearest, halves away from zero, or the largest. */
static bool pool_element(const struct window *w, bool mean, int32_t y, int32_t x, int32_t c, int32_t *result) {
    int32_t sum = 0, count = 0, largest = INT8_MIN;
    for (int32_t ky = 0; ky < w->y.kernel; ky++) {
        int32_t row = place(&w->y, y, ky);
        for (int32_t kx = 0; kx < w->x.kernel && row >= 0; kx++) {
            int32_t column = place(&w->x, x, kx);
            if (column >= 0) {
                int32_t value = pixel(w, row, column)[c];
                sum += value;
                largest = value > largest ? value : largest;
                count++;
            }
        }
    }
    if (count > 0) {
        *result = !mean ? largest : (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
    }
    return count > 0;
}

static bool pool(const struct call *call) {
    struct window w = {0};
    if (!set_window(call, &w, call->options->filter_h, call->options->filter_w, 1, 1)) {
        return false;
    }
    if (w.out->dims[3] != w.channels || !same_quantization(w.in, w.out)) {
        return refuse(call, "%s differs from %s in channels or quantization", w.out->name, w.in->name);
    }
    int8_t *out = (int8_t *)w.out->data;
    for (int32_t y = 0; y < w.y.out; y++) {
        for (int32_t x = 0; x < w.x.out; x++) {
            for (int32_t c = 0; c < w.channels; c++) {
                int32_t value = 0;
                if (!pool_element(&w, call->code == AVERAGE_POOL_2D, y, x, c, &value)) {
                    return refuse(call, "a window lies wholly in the padding");
                }
                *out++ = (int8_t)clamped(value, w.lo, w.hi);
            }
        }
    }
    return true;
}

bool run_window(const struct call *call) {
    return call->code == CONV_2D || call->code == DEPTHWISE_CONV_2D ? convolve(call) : pool(call);
}
