/* What a network ends with: means over rows and columns, matrices, softmax. */
#include "fit/kernels/arithmetic.h"
#include "fit/kernels/kernels.h"

#include <string.h>

/* Over height and width, in any order and with negative axes. */
static bool is_plane(const struct tensor *axes) {
    if (!axes || axes->elements != 2) {
        return false;
    }
    int64_t a = tensor_integer(axes, 0), b = tensor_integer(axes, 1);
    a = a < 0 ? a + 4 : a;
    b = b < 0 ? b + 4 : b;
    return (a == 1 && b == 2) || (a == 2 && b == 1);
}

/* The mean's division goes into the factor: it is shifted to the left as far as its 31 bits and the shift allow, then
 * divided. */
static struct factor divided(struct factor factor, size_t count) {
    int shift = 63 - __builtin_clzll((unsigned long long)count);
    shift = shift > 32 ? 32 : shift;
    shift = shift > 31 + factor.shift ? 31 + factor.shift : shift;
    factor.multiplier = (int32_t)(((int64_t)factor.multiplier << shift) / (int64_t)count);
    factor.shift -= shift;
    return factor;
}

static bool run_mean(const struct call *call) {
    const struct tensor *in = input_of(call, 0), *out = call->output;
    if (!is_int8(call, in, 4) || !is_int8(call, out, 0)) {
        return false;
    }
    size_t channels = (size_t)in->dims[3], count = (size_t)in->dims[1] * (size_t)in->dims[2];
    if (!is_plane(input_of(call, 1)) || in->dims[0] != 1 || out->elements != channels ||
        out->dims[out->rank - 1] != in->dims[3]) {
        return refuse(call, "only means over height and width are known here");
    }
    struct factor factor = divided(factor_of(scale_of(in, 0) / scale_of(out, 0)), count);
    for (size_t c = 0; c < channels; c++) {
        int32_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += ((const int8_t *)in->data)[i * channels + c];
        }
        sum -= (int32_t)in->zero * (int32_t)count;
        ((int8_t *)out->data)[c] = (int8_t)clamped(scaled(sum, factor) + (int32_t)out->zero, INT8_MIN, INT8_MAX);
    }
    return true;
}

static bool run_matrix(const struct call *call) {
    const struct tensor *in = input_of(call, 0), *filter = input_of(call, 1), *bias = input_of(call, 2),
                        *out = call->output;
    int32_t lo, hi;
    if (!is_int8(call, in, 0) || !is_int8(call, filter, 2) || !is_int8(call, out, 0) ||
        !activation_limits(call, &lo, &hi)) {
        return false;
    }
    size_t made = (size_t)filter->dims[0], depth = (size_t)filter->dims[1];
    if (in->elements % depth != 0 || out->elements != in->elements / depth * made ||
        out->dims[out->rank - 1] != (int32_t)made || (bias && (bias->type != INT32 || bias->elements != made)) ||
        (filter->scale_count > 1 && filter->scale_count != made)) {
        return refuse(call, "%s, %s and its bias do not make %s", in->name, filter->name, out->name);
    }
    for (size_t row = 0; row < in->elements / depth; row++) {
        const int8_t *values = (const int8_t *)in->data + row * depth;
        for (size_t c = 0; c < made; c++) {
            const int8_t *weights = (const int8_t *)filter->data + c * depth;
            int32_t sum = 0;
            if (bias) {
                memcpy(&sum, bias->data + 4 * c, sizeof sum);
            }
            for (size_t i = 0; i < depth; i++) {
                sum += (values[i] - (int32_t)in->zero) * (weights[i] - (int32_t)filter->zero);
            }
            /* With one scale for all channels the product of scales is a float's. */
            double real = filter->scale_count > 1 ? scale_of(in, 0) * scale_of(filter, c) / scale_of(out, 0)
                                                  : (double)(in->scales[0] * filter->scales[0]) / scale_of(out, 0);
            ((int8_t *)out->data)[row * made + c] =
                (int8_t)clamped(scaled(sum, factor_of(real)) + (int32_t)out->zero, lo, hi);
        }
    }
    return true;
}

/* As real numbers, rounded: runtimes compute it with integers, and can differ by one. */
static bool run_softmax(const struct call *call) {
    const struct tensor *in = input_of(call, 0), *out = call->output;
    if (!is_int8(call, in, 0) || !is_int8(call, out, 0) || !same_dims(in, out) || in->rank < 1) {
        return call->why[0] ? false : refuse(call, "%s has not the shape of its argument", out->name);
    }
    size_t depth = (size_t)in->dims[in->rank - 1];
    double step = scale_of(in, 0) * (double)call->options->beta;
    for (size_t row = 0; row < in->elements / depth; row++) {
        const int8_t *values = (const int8_t *)in->data + row * depth;
        int32_t largest = INT8_MIN;
        double sum = 0;
        for (size_t i = 0; i < depth; i++) {
            largest = values[i] > largest ? values[i] : largest;
        }
        for (size_t i = 0; i < depth; i++) {
            sum += exp(step * (values[i] - largest));
        }
        for (size_t i = 0; i < depth; i++) {
            double share = exp(step * (values[i] - largest)) / sum;
            ((int8_t *)out->data)[row * depth + i] =
                (int8_t)clamped((int32_t)round(share / scale_of(out, 0)) + (int32_t)out->zero, INT8_MIN, INT8_MAX);
        }
    }
    return true;
}

bool run_head(const struct call *call) {
    return call->code == MEAN ? run_mean(call) : call->code == FULLY_CONNECTED ? run_matrix(call) : run_softmax(call);
}
