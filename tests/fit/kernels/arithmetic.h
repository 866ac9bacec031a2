/* Integer arithmetic of quantized kernels, as TensorFlow Lite's reference kernels and gemmlowp publish it.
 *
 * A real factor is a 31-bit multiplier and a shift. Products are rounded twice, as TensorFlow Lite Micro does unless it
 * is built with TFLITE_SINGLE_ROUNDING: once where the product's upper half is taken, once where that is shifted to the
 * right. */
#ifndef SW_TESTS_FIT_ARITHMETIC_H
#define SW_TESTS_FIT_ARITHMETIC_H

#include <math.h>
#include <stdint.h>

struct factor {
    int32_t multiplier; /* of 2^-31 */
    int shift;          /* to the left; negative: to the right */
};

/* 2^-31 and below count as 0. */
static inline struct factor factor_of(double real) {
    struct factor factor = {0, 0};
    if (real == 0) {
        return factor;
    }
    int64_t fixed = (int64_t)round(frexp(real, &factor.shift) * (double)(INT64_C(1) << 31));
    if (fixed == INT64_C(1) << 31) {
        fixed /= 2;
        factor.shift++;
    }
    if (factor.shift < -31) {
        return (struct factor){0, 0};
    }
    factor.multiplier = (int32_t)fixed;
    return factor;
}

/* The upper half of twice the product, rounded to nearest. */
static inline int32_t upper_half(int32_t a, int32_t b) {
    if (a == INT32_MIN && b == INT32_MIN) {
        return INT32_MAX;
    }
    int64_t product = (int64_t)a * b, half = INT64_C(1) << 30;
    return (int32_t)((product + (product >= 0 ? half : 1 - half)) / (INT64_C(1) << 31));
}

/* x / 2^exponent, rounded to nearest, halves away from zero. */
static inline int32_t shifted(int32_t x, int exponent) {
    int64_t unit = INT64_C(1) << exponent, rest = x & (unit - 1), floored = ((int64_t)x - rest) / unit;
    return (int32_t)(floored + (rest > ((unit - 1) >> 1) + (x < 0)));
}

static inline int32_t scaled(int32_t x, struct factor factor) {
    int left = factor.shift > 0 ? factor.shift : 0, right = factor.shift > 0 ? 0 : -factor.shift;
    return shifted(upper_half((int32_t)((uint32_t)x << left), factor.multiplier), right);
}

static inline int32_t clamped(int32_t x, int32_t lo, int32_t hi) {
    return x < lo ? lo : x > hi ? hi : x;
}

/* The same in 16 bits. */
static inline int32_t short_multiplier(struct factor factor) {
    return factor.multiplier >= INT32_MAX - (1 << 15) ? INT16_MAX : (factor.multiplier + (1 << 15)) >> 16;
}

static inline int32_t upper_half_16(int32_t a, int32_t b) {
    int32_t product = a * b, half = 1 << 14;
    return (product + (product >= 0 ? half : 1 - half)) / (1 << 15);
}

static inline int32_t clamped_left(int32_t x, int shift) {
    int64_t result = (int64_t)x * (INT64_C(1) << shift);
    return (int32_t)(result < INT16_MIN ? INT16_MIN : result > INT16_MAX ? INT16_MAX : result);
}

#endif
