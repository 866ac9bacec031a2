/* Operators of which each element of the result is computed from one element of every argument. */
#include "fit/kernels/arithmetic.h"
#include "fit/kernels/kernels.h"

#include <string.h>

/* ---- one argument: a table of what becomes of each of the 256 values ---- */

/* LOGISTIC and TANH are computed as real numbers and rounded, as TensorFlow Lite's tables are; a runtime that computes
 * them with integers can differ by one. */
static int32_t by_formula(int code, const struct tensor *in, const struct tensor *out, int32_t value) {
    double x = scale_of(in, 0) * (value - (double)in->zero), y = code == LOGISTIC ? 1 / (1 + exp(-x)) : tanh(x);
    return (int32_t)round(y / scale_of(out, 0)) + (int32_t)out->zero;
}

/* x times a gate, which is (x + 3) / 6 from 0 to 1, all in 16 bits: x in 128ths of its scale, the gate in 32768ths. */
static int32_t hard_swish(const struct tensor *in, const struct tensor *out, int32_t value) {
    float fine = (1.0f / 128.0f) * in->scales[0];
    struct factor result = factor_of((double)(fine / out->scales[0])),
                  third = factor_of((double)(fine / (3.0f / 32768.0f)));
    int32_t x = (value - (int32_t)in->zero) * 128, gate = x;
    if (third.shift > 0) {
        gate = clamped_left(gate, third.shift - 1);
    }
    gate = upper_half_16(gate, short_multiplier(third));
    gate = third.shift > 0 ? clamped_left(gate, 1) : shifted(gate, -third.shift);
    gate = (gate + 32768) / 2;
    return shifted(gate * upper_half_16(x, short_multiplier(result)) / 32768, -result.shift) + (int32_t)out->zero;
}

static int32_t table_entry(const struct call *call, const struct tensor *in, int32_t value) {
    const struct tensor *out = call->output;
    int32_t x = value - (int32_t)in->zero, zero = (int32_t)out->zero, hi = INT8_MAX;
    /* Scales are divided as floats, but for QUANTIZE. */
    struct factor same = factor_of(call->code == QUANTIZE ? scale_of(in, 0) / scale_of(out, 0)
                                                          : (double)(in->scales[0] / out->scales[0]));
    switch (call->code) {
    case RELU6:
        hi = clamped(zero + (int32_t)round(6 / scale_of(out, 0)), zero, INT8_MAX);
        break;
    case RELU:
        break;
    case RELU_N1_TO_1: {
        int32_t one = (int32_t)round(1 / scale_of(out, 0));
        return clamped(scaled(x, same), -one, one) + zero;
    }
    case LEAKY_RELU: {
        float alpha = call->options->alpha;
        struct factor slope = factor_of((double)(in->scales[0] * fabsf(alpha) / out->scales[0]));
        int32_t low = scaled(x, slope);
        return zero + (x >= 0 ? scaled(x, same) : alpha < 0 ? -low : low);
    }
    case ABS:
        return zero + scaled(x < 0 ? -x : x, same);
    case QUANTIZE:
        return zero + scaled(x, same);
    case HARD_SWISH:
        return hard_swish(in, out, value);
    default:
        return by_formula(call->code, in, out, value);
    }
    return clamped(scaled(x, same) + zero, zero, hi);
}

static bool run_unary(const struct call *call) {
    const struct tensor *in = input_of(call, 0);
    int8_t table[256];
    if (!is_int8(call, in, 0) || !is_int8(call, call->output, 0)) {
        return false;
    }
    if (!same_dims(in, call->output)) {
        return refuse(call, "%s and %s differ in shape", in->name, call->output->name);
    }
    if (call->code == HARD_SWISH && scale_of(in, 0) / 128 >= scale_of(call->output, 0)) {
        return refuse(call, "the scale of %s is too small for that of %s", call->output->name, in->name);
    }
    for (int32_t value = INT8_MIN; value <= INT8_MAX; value++) {
        table[value - INT8_MIN] = (int8_t)clamped(table_entry(call, in, value), INT8_MIN, INT8_MAX);
    }
    const int8_t *from = (const int8_t *)in->data;
    int8_t *to = (int8_t *)call->output->data;
    for (size_t i = 0; i < in->elements; i++) {
        to[i] = table[from[i] - INT8_MIN];
    }
    return true;
}

/* ---- two arguments ---- */

struct binary {
    int code;
    int32_t zeros[2], zero, lo, hi;
    struct factor factors[2], factor;
};

static int32_t sum(const struct binary *b, int32_t x, int32_t y) {
    int32_t left = scaled((x - b->zeros[0]) * (1 << 20), b->factors[0]),
            right = scaled((y - b->zeros[1]) * (1 << 20), b->factors[1]);
    return scaled(b->code == ADD ? left + right : left - right, b->factor) + b->zero;
}

static int32_t combined(const struct binary *b, int32_t x, int32_t y) {
    switch (b->code) {
    case MUL:
        return scaled((x - b->zeros[0]) * (y - b->zeros[1]), b->factor) + b->zero;
    case MAXIMUM:
        return x > y ? x : y;
    case MINIMUM:
        return x < y ? x : y;
    case PRELU:
        return b->zero + (x >= b->zeros[0] ? scaled(x - b->zeros[0], b->factors[0])
                                           : scaled((x - b->zeros[0]) * (y - b->zeros[1]), b->factors[1]));
    default:
        return sum(b, x, y);
    }
}

static void set_binary(const struct call *call, struct binary *b) {
    const struct tensor *first = input_of(call, 0), *second = input_of(call, 1);
    double one = scale_of(first, 0), two = scale_of(second, 0), out = scale_of(call->output, 0),
           twice = 2 * (one > two ? one : two);
    if (call->code == MUL) {
        b->factor = factor_of(one * two / out);
    } else if (call->code == PRELU) {
        b->factors[0] = factor_of(one / out);
        b->factors[1] = factor_of(one * two / out);
    } else if (call->code == SUB) { /* its factors are computed as floats */
        float single = (float)twice;
        b->factors[0] = factor_of((double)((float)one / single));
        b->factors[1] = factor_of((double)((float)two / single));
        b->factor = factor_of((double)(single / ((float)(1 << 20) * (float)out)));
    } else {
        b->factors[0] = factor_of(one / twice);
        b->factors[1] = factor_of(two / twice);
        b->factor = factor_of(twice / ((1 << 20) * out));
    }
}

/* How far apart in an argument elements lie that are neighbours along each dimension of the result; 0: all take the
 * same. False: the shapes do not go together. */
static bool set_strides(const struct tensor *in, const struct tensor *out, size_t strides[RANK]) {
    size_t stride = 1;
    if (in->rank > out->rank) {
        return false;
    }
    for (int i = out->rank - 1; i >= 0; i--) {
        int own = i - (out->rank - in->rank);
        int32_t length = own >= 0 ? in->dims[own] : 1;
        if (length != 1 && length != out->dims[i]) {
            return false;
        }
        strides[i] = length == 1 ? 0 : stride;
        stride *= (size_t)length;
    }
    return true;
}

/* Each dimension must be the longest of the arguments'. */
static bool set_places(const struct call *call, size_t strides[2][RANK]) {
    const struct tensor *a = input_of(call, 0), *b = input_of(call, 1), *out = call->output;
    bool good = set_strides(a, out, strides[0]) && set_strides(b, out, strides[1]);
    for (int i = 0; good && i < out->rank; i++) {
        good = out->dims[i] == 1 || strides[0][i] || strides[1][i];
    }
    return good || refuse(call, "%s and %s do not make the shape of %s", a->name, b->name, out->name);
}

static size_t place_of(const struct tensor *out, const size_t strides[RANK], size_t i) {
    size_t at = 0;
    for (int d = out->rank - 1; d >= 0; d--) {
        at += i % (size_t)out->dims[d] * strides[d];
        i /= (size_t)out->dims[d];
    }
    return at;
}

/* Sums and comparisons of int32, for the counters of loops. */
static bool run_integers(const struct call *call) {
    const struct tensor *a = input_of(call, 0), *b = input_of(call, 1);
    size_t strides[2][RANK];
    if (!a || !b || a->type != INT32 || b->type != INT32 || call->output->type != (call->code == LESS ? BOOL : INT32)) {
        return refuse(call, "its arguments are not int32");
    }
    if (!set_places(call, strides)) {
        return false;
    }
    for (size_t i = 0; i < call->output->elements; i++) {
        int32_t x = (int32_t)tensor_integer(a, place_of(call->output, strides[0], i));
        int32_t y = (int32_t)tensor_integer(b, place_of(call->output, strides[1], i));
        if (call->code == LESS) {
            call->output->data[i] = x < y;
            continue;
        }
        int32_t result = (int32_t)((uint32_t)x + (uint32_t)y);
        memcpy(call->output->data + 4 * i, &result, sizeof result);
    }
    return true;
}

static bool run_binary(const struct call *call) {
    const struct tensor *a = input_of(call, 0), *b = input_of(call, 1);
    struct binary how = {.code = call->code, .lo = INT8_MIN, .hi = INT8_MAX};
    size_t strides[2][RANK];
    if (!is_int8(call, a, 0) || !is_int8(call, b, 0) || !is_int8(call, call->output, 0) || !set_places(call, strides) ||
        ((call->code == ADD || call->code == MUL || call->code == SUB) && !activation_limits(call, &how.lo, &how.hi))) {
        return false;
    }
    how.zeros[0] = (int32_t)a->zero;
    how.zeros[1] = (int32_t)b->zero;
    how.zero = (int32_t)call->output->zero;
    set_binary(call, &how);
    bool plain = same_dims(a, call->output) && same_dims(b, call->output);
    for (size_t i = 0; i < call->output->elements; i++) {
        int32_t x = ((const int8_t *)a->data)[plain ? i : place_of(call->output, strides[0], i)];
        int32_t y = ((const int8_t *)b->data)[plain ? i : place_of(call->output, strides[1], i)];
        ((int8_t *)call->output->data)[i] = (int8_t)clamped(combined(&how, x, y), how.lo, how.hi);
    }
    return true;
}

bool run_elementwise(const struct call *call) {
    switch (call->code) {
    case LESS:
        return run_integers(call);
    case ADD:
        if (call->output->type == INT32) {
            return run_integers(call);
        }
        return run_binary(call);
    case MUL:
    case SUB:
    case PRELU:
    case MAXIMUM:
    case MINIMUM:
        return run_binary(call);
    default:
        return run_unary(call);
    }
}
