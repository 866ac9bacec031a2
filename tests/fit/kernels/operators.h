/* The operators of TensorFlow Lite that the tests of `fit` know, and their options. Numbers are those of the format's
 * schema. */
#ifndef SW_TESTS_FIT_OPERATORS_H
#define SW_TESTS_FIT_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code {
    ADD = 0,
    AVERAGE_POOL_2D = 1,
    CONCATENATION = 2,
    CONV_2D = 3,
    DEPTHWISE_CONV_2D = 4,
    FULLY_CONNECTED = 9,
    LOGISTIC = 14,
    MAX_POOL_2D = 17,
    MUL = 18,
    RELU = 19,
    RELU_N1_TO_1 = 20,
    RELU6 = 21,
    RESHAPE = 22,
    SOFTMAX = 25,
    TANH = 28,
    PAD = 34,
    MEAN = 40,
    SUB = 41,
    PRELU = 54,
    MAXIMUM = 55,
    MINIMUM = 57,
    LESS = 58,
    PADV2 = 60,
    SLICE = 65,
    LEAKY_RELU = 98,
    ABS = 101,
    QUANTIZE = 114,
    HARD_SWISH = 117,
    WHILE = 119,
    DYNAMIC_UPDATE_SLICE = 151
};
enum type { FLOAT32 = 0, INT32 = 2, UINT8 = 3, INT64 = 4, BOOL = 6, INT16 = 7, INT8 = 9 };
enum padding { SAME = 0, VALID = 1 };
enum activation { NO_ACTIVATION = 0, WITH_RELU = 1, WITH_RELU_N1_TO_1 = 2, WITH_RELU6 = 3 };

/* Of all operators together: each has some of them. */
struct options {
    int32_t padding, stride_h, stride_w, dilation_h, dilation_w, filter_h, filter_w, depth_multiplier, activation, axis,
        keep, format, condition, body;
    float alpha, beta;
};
/* Where an option stands in the table of an operator's options, and in struct options. */
struct option_field {
    unsigned field, width;
    size_t place;
    int32_t missing; /* its value when it is not there */
};
struct operator_kind {
    int code;
    const char *name;
    unsigned options; /* which of the schema's union of options; 0: it has none */
    const struct option_field *fields;
    size_t field_count;
};
/* NULL: not known here. */
const struct operator_kind *operator_kind(int code);
/* "CONV_2D"; "operator 77" when it is not known. */
const char *operator_name(int code);
size_t type_width(int type); /* 0: not known here */

#endif
