#include "fit/kernels/operators.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define AT(member) offsetof(struct options, member)

static const struct option_field convolution[] = {{0, 1, AT(padding), 0},    {1, 4, AT(stride_w), 0},
                                                  {2, 4, AT(stride_h), 0},   {3, 1, AT(activation), 0},
                                                  {4, 4, AT(dilation_w), 1}, {5, 4, AT(dilation_h), 1}};
static const struct option_field depthwise[] = {
    {0, 1, AT(padding), 0},    {1, 4, AT(stride_w), 0},   {2, 4, AT(stride_h), 0},  {3, 4, AT(depth_multiplier), 0},
    {4, 1, AT(activation), 0}, {5, 4, AT(dilation_w), 1}, {6, 4, AT(dilation_h), 1}};
static const struct option_field pool[] = {{0, 1, AT(padding), 0},  {1, 4, AT(stride_w), 0}, {2, 4, AT(stride_h), 0},
                                           {3, 4, AT(filter_w), 0}, {4, 4, AT(filter_h), 0}, {5, 1, AT(activation), 0}};
static const struct option_field connected[] = {{0, 1, AT(activation), 0}, {1, 1, AT(format), 0}, {2, 1, AT(keep), 0}};
static const struct option_field joined[] = {{0, 4, AT(axis), 0}, {1, 1, AT(activation), 0}};
static const struct option_field activated[] = {{0, 1, AT(activation), 0}};
static const struct option_field reduced[] = {{0, 1, AT(keep), 0}};
static const struct option_field leaky[] = {{0, 4, AT(alpha), 0}};
static const struct option_field soft[] = {{0, 4, AT(beta), 0}};
static const struct option_field loop[] = {{0, 4, AT(condition), 0}, {1, 4, AT(body), 0}};

#define WITH(fields) fields, COUNT(fields)
#define NONE NULL, 0
static const struct operator_kind kinds[] = {
    {ADD, "ADD", 11, WITH(activated)},
    {AVERAGE_POOL_2D, "AVERAGE_POOL_2D", 5, WITH(pool)},
    {CONCATENATION, "CONCATENATION", 10, WITH(joined)},
    {CONV_2D, "CONV_2D", 1, WITH(convolution)},
    {DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", 2, WITH(depthwise)},
    {FULLY_CONNECTED, "FULLY_CONNECTED", 8, WITH(connected)},
    {LOGISTIC, "LOGISTIC", 0, NONE},
    {MAX_POOL_2D, "MAX_POOL_2D", 5, WITH(pool)},
    {MUL, "MUL", 21, WITH(activated)},
    {RELU, "RELU", 0, NONE},
    {RELU_N1_TO_1, "RELU_N1_TO_1", 0, NONE},
    {RELU6, "RELU6", 0, NONE},
    {RESHAPE, "RESHAPE", 17, NONE},
    {SOFTMAX, "SOFTMAX", 9, WITH(soft)},
    {TANH, "TANH", 0, NONE},
    {PAD, "PAD", 22, NONE},
    {MEAN, "MEAN", 27, WITH(reduced)},
    {SUB, "SUB", 28, WITH(activated)},
    {PRELU, "PRELU", 0, NONE},
    {MAXIMUM, "MAXIMUM", 39, NONE},
    {MINIMUM, "MINIMUM", 39, NONE},
    {LESS, "LESS", 41, NONE},
    {PADV2, "PADV2", 43, NONE},
    {SLICE, "SLICE", 48, NONE},
    {LEAKY_RELU, "LEAKY_RELU", 75, WITH(leaky)},
    {ABS, "ABS", 78, NONE},
    {QUANTIZE, "QUANTIZE", 89, NONE},
    {HARD_SWISH, "HARD_SWISH", 91, NONE},
    {WHILE, "WHILE", 93, WITH(loop)},
    {DYNAMIC_UPDATE_SLICE, "DYNAMIC_UPDATE_SLICE", 117, NONE},
};

const struct operator_kind *operator_kind(int code) {
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].code == code) {
            return &kinds[i];
        }
    }
    return NULL;
}

const char *operator_name(int code) {
    static char number[32];
    const struct operator_kind *kind = operator_kind(code);
    if (!kind) {
        snprintf(number, sizeof number, "operator %d", code);
    }
    return kind ? kind->name : number;
}

size_t type_width(int type) {
    switch (type) {
    case INT8:
    case UINT8:
    case BOOL:
        return 1;
    case INT16:
        return 2;
    case INT32:
    case FLOAT32:
        return 4;
    case INT64:
        return 8;
    default:
        return 0;
    }
}
