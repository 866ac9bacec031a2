#include "fit/examples.h"

#define IMAGE(h, w, c, scale, zero, ...)              \
    {                                                 \
        INT8, 4, {1, h, w, c}, {scale, 0}, zero, 0, { \
            __VA_ARGS__                               \
        }                                             \
    }
#define FILTER(n, h, w, c, scale, ...)             \
    {                                              \
        INT8, 4, {n, h, w, c}, {scale, 0}, 0, 0, { \
            __VA_ARGS__                            \
        }                                          \
    }
#define ROW(n, scale, zero, ...)             \
    {                                        \
        INT8, 1, {n}, {scale, 0}, zero, 0, { \
            __VA_ARGS__                      \
        }                                    \
    }
#define INTEGERS(n, ...)               \
    {                                  \
        INT32, 1, {n}, {0, 0}, 0, 0, { \
            __VA_ARGS__                \
        }                              \
    }
#define NINE IMAGE(3, 3, 1, 0.5f, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9) /* 0 to 8 when its zero point is taken off */
#define KERNEL FILTER(1, 2, 2, 1, 0.5f, 1, 2, 0, -1)
#define WINDOW(kind, strides, dilations) \
    .options = {                         \
        .padding = kind, .stride_h = strides, .stride_w = strides, .dilation_h = dilations, .dilation_w = dilations}
#define POOL(kind, h, w, strides) \
    .options = {.padding = kind, .stride_h = strides, .stride_w = strides, .filter_h = h, .filter_w = w}

const struct example examples[] = {
    {"convolution of whole windows",
     CONV_2D,
     WINDOW(VALID, 1, 1),
     {NINE, KERNEL, INTEGERS(1, 10)},
     /* 0 + 2*1 - 4 + 10 = 8, 1 + 4 - 5 + 10 = 10, 3 + 8 - 7 + 10 = 14, 4 + 10 - 8 + 10 = 16; the zero point is -2 */
     IMAGE(2, 2, 1, 0.25f, -2, 6, 8, 12, 14)},
    {"padding below and on the right",
     CONV_2D,
     WINDOW(SAME, 2, 1),
     {NINE, KERNEL, INTEGERS(1, 10)},
     /* 3 of 2 by 2 make 2, one row more is wanted, below: 0 + 2 - 4, 2 (the rest is padding), 6 + 14, 8; and 10 each */
     IMAGE(2, 2, 1, 0.25f, -2, 6, 10, 28, 16)},
    {"dilation",
     CONV_2D,
     WINDOW(VALID, 1, 2),
     {NINE, KERNEL, INTEGERS(1, 10)},
     /* the corners: 0 + 2*2 - 8 + 10 */
     IMAGE(1, 1, 1, 0.25f, -2, 4)},
    {"padding on all sides, by dilation",
     CONV_2D,
     WINDOW(SAME, 3, 2),
     {NINE, KERNEL, INTEGERS(1, 10)},
     /* one window of 3 by 3 for 3 by 3: (1 - 1) * 3 + 3 - 3 = 0 of padding */
     IMAGE(1, 1, 1, 0.25f, -2, 4)},
    {"a stride longer than the kernel",
     CONV_2D,
     WINDOW(SAME, 2, 1),
     {NINE, FILTER(1, 1, 1, 1, 0.5f, 2), {0}},
     IMAGE(2, 2, 1, 0.25f, 0, 0, 4, 12, 16)},
    {"factors of channels, rounded twice",
     CONV_2D,
     WINDOW(VALID, 1, 1),
     {IMAGE(1, 5, 1, 1.0f, 0, 3, -3, 1, -1, 100), {INT8, 4, {2, 1, 1, 1}, {0.5f, 0.25f}, 0, 0, {1, 1}}, {0}},
     /* a half: 1.5 is 2, -1.5 is -1, 0.5 is 1, -0.5 is 0. A quarter is half of that once more: 2 / 2, -1 / 2 is -1
      * (halves away from 0), 1 / 2 is 1 where 0.25 is meant, 0, 25 */
     IMAGE(1, 5, 2, 1.0f, 0, 2, 1, -1, -1, 1, 1, 0, 0, 50, 25)},
    {"a fused RELU6",
     CONV_2D,
     .options =
         {.padding = VALID, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .activation = WITH_RELU6},
     {IMAGE(1, 4, 1, 1.0f, 0, -5, 2, 6, 7), FILTER(1, 1, 1, 1, 1.0f, 1), {0}},
     IMAGE(1, 4, 1, 1.0f, 10, 10, 12, 16, 16)},
    {"two channels to one",
     CONV_2D,
     WINDOW(VALID, 1, 1),
     {IMAGE(1, 2, 2, 1.0f, 0, 1, 2, 3, 4), FILTER(1, 1, 1, 2, 1.0f, 10, -1), {0}},
     IMAGE(1, 2, 1, 1.0f, 0, 8, 26)},
    {"a depth multiplier",
     DEPTHWISE_CONV_2D,
     .options =
         {.padding = VALID, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .depth_multiplier = 2},
     {IMAGE(2, 1, 2, 1.0f, 1, 2, 3, 4, 5), FILTER(1, 2, 1, 4, 1.0f, 1, 2, 3, 4, 10, 20, 1, 0), INTEGERS(4, 0, 0, 0, 5)},
     /* 1*1 + 3*10, 1*2 + 3*20, 2*3 + 4*1, 2*4 + 4*0 + 5 */
     IMAGE(1, 1, 4, 1.0f, 0, 31, 62, 10, 13)},
    {"a mean counts what is there",
     AVERAGE_POOL_2D,
     POOL(SAME, 2, 2, 1),
     {IMAGE(2, 2, 1, 1.0f, 0, 1, 2, 3, 4)},
     /* 10/4 is 3, 6/2, 7/2 is 4, 4/1 */
     IMAGE(2, 2, 1, 1.0f, 0, 3, 3, 4, 4)},
    {"a mean of negative numbers",
     AVERAGE_POOL_2D,
     POOL(SAME, 2, 2, 1),
     {IMAGE(2, 2, 1, 1.0f, 0, -1, -2, -3, -4)},
     IMAGE(2, 2, 1, 1.0f, 0, -3, -3, -4, -4)},
    {"maxima of uneven windows",
     MAX_POOL_2D,
     POOL(SAME, 3, 1, 2),
     {IMAGE(4, 1, 1, 1.0f, 0, -7, -3, -9, -8)},
     /* 4 rows by 2: 2, (2 - 1) * 2 + 3 - 4 = 1 of padding, below: rows 0 to 2, rows 2 and 3 */
     IMAGE(2, 1, 1, 1.0f, 0, -3, -8)},
    {"zero is the zero point",
     PAD,
     {0},
     {IMAGE(1, 2, 1, 1.0f, 5, 1, 2), {INT32, 2, {4, 2}, {0, 0}, 0, 0, {0, 0, 1, 0, 0, 1, 0, 0}}},
     IMAGE(2, 3, 1, 1.0f, 5, 5, 5, 5, 1, 2, 5)},
    {"a value of its own",
     PADV2,
     {0},
     {IMAGE(1, 2, 1, 1.0f, 5, 1, 2), {INT32, 2, {4, 2}, {0, 0}, 0, 0, {0, 0, 0, 1, 1, 0, 0, 0}}, ROW(1, 1.0f, 5, -128)},
     IMAGE(2, 3, 1, 1.0f, 5, -128, 1, 2, -128, -128, -128)},
    {"sum of two scales",
     ADD,
     {0},
     {ROW(3, 0.5f, 0, 3, 4, -8), ROW(3, 0.25f, 2, 4, 10, 2)},
     /* 1.5 + 0.5, 2 + 2, -4 + 0 */
     ROW(3, 1.0f, 1, 3, 5, -3)},
    {"sum with a constant for each channel",
     ADD,
     .options = {.activation = WITH_RELU},
     {IMAGE(1, 2, 2, 1.0f, 0, 1, 2, 3, 4), ROW(2, 1.0f, 0, 10, -3)},
     IMAGE(1, 2, 2, 1.0f, 0, 11, 0, 13, 1)},
    {"product",
     MUL,
     {0},
     {ROW(3, 0.5f, 1, 3, 5, -1), ROW(3, 0.5f, 0, 4, -3, 2)},
     /* 2*4, 4*-3, -2*2 */
     ROW(3, 0.25f, 0, 8, -12, -4)},
    {"product with one constant",
     MUL,
     {0},
     {ROW(3, 1.0f, 0, 3, 5, -1), ROW(1, 1.0f, 0, 7)},
     ROW(3, 1.0f, 0, 21, 35, -7)},
    {"difference", SUB, {0}, {ROW(2, 0.5f, 0, 6, 1), ROW(2, 0.5f, 0, 2, 5)}, ROW(2, 0.5f, 0, 4, -4)},
    {"the larger", MAXIMUM, {0}, {ROW(3, 0.5f, 0, 6, 1, -4), ROW(3, 0.5f, 0, 2, 5, -3)}, ROW(3, 0.5f, 0, 6, 5, -3)},
    {"the smaller", MINIMUM, {0}, {ROW(3, 0.5f, 0, 6, 1, -4), ROW(3, 0.5f, 0, 2, 5, -3)}, ROW(3, 0.5f, 0, 2, 1, -4)},
    {"slopes below zero",
     PRELU,
     {0},
     {IMAGE(1, 2, 2, 1.0f, 1, 5, -7, -3, 9), {INT8, 3, {1, 1, 2}, {0.5f, 0}, 0, 0, {1, 3}}},
     /* 4, -8 * 1.5, -4 * 0.5, 8 */
     IMAGE(1, 2, 2, 1.0f, 0, 4, -12, -2, 8)},
    {"nothing below zero", RELU, {0}, {ROW(3, 1.0f, 2, 0, 2, 6)}, ROW(3, 0.5f, -1, -1, -1, 7)},
    {"nothing above six", RELU6, {0}, {ROW(4, 0.5f, 2, 0, 2, 6, 100)}, ROW(4, 0.5f, 2, 2, 2, 6, 14)},
    {"nothing beyond one", RELU_N1_TO_1, {0}, {ROW(4, 0.25f, 0, -9, -4, 3, 100)}, ROW(4, 0.25f, 0, -4, -4, 3, 4)},
    {"a slope of a half",
     LEAKY_RELU,
     .options = {.alpha = 0.5f},
     {ROW(3, 1.0f, 0, -8, 0, 5)},
     ROW(3, 1.0f, 0, -4, 0, 5)},
    {"without sign", ABS, {0}, {ROW(3, 1.0f, 0, -8, 0, 5)}, ROW(3, 1.0f, 0, 8, 0, 5)},
    {"another scale", QUANTIZE, {0}, {ROW(4, 0.5f, 0, 3, -3, 8, -128)}, ROW(4, 1.0f, 10, 12, 9, 14, -54)},
    {"x (x + 3) / 6 between -3 and 3",
     HARD_SWISH,
     {0},
     {ROW(4, 1.0f, 0, -4, -1, 1, 5)},
     /* 0, -2/6, 4/6, 5, in eighths */
     ROW(4, 0.125f, 0, 0, -3, 5, 40)},
    {"1 / (1 + e^-x)", LOGISTIC, {0}, {ROW(3, 1.0f, 0, 0, 20, -20)}, ROW(3, 0.00390625f, -128, 0, 127, -128)},
    {"tanh", TANH, {0}, {ROW(3, 1.0f, 0, 0, 20, -20)}, ROW(3, 0.0078125f, 0, 0, 127, -128)},
    {"mean over the image",
     MEAN,
     {0},
     {IMAGE(2, 2, 2, 1.0f, 1, 1, 11, 2, 12, 3, 13, 6, 16), INTEGERS(2, 1, 2)},
     /* 0 + 1 + 2 + 5 = 8, 10 + 11 + 12 + 15 = 48 */
     {INT8, 2, {1, 2}, {1.0f, 0}, 0, 0, {2, 12}}},
    {"matrix",
     FULLY_CONNECTED,
     {0},
     {{INT8, 2, {1, 3}, {1.0f, 0}, 1, 0, {2, 3, 4}},
      {INT8, 2, {2, 3}, {0.5f, 0}, 0, 0, {1, 2, 3, -1, 0, 1}},
      INTEGERS(2, 2, 0)},
     /* 1 + 4 + 9 + 2 = 16, -1 + 3 = 2, and a half */
     {INT8, 2, {1, 2}, {1.0f, 0}, -1, 0, {7, 0}}},
    {"equal shares",
     SOFTMAX,
     .options = {.beta = 1},
     {{INT8, 2, {1, 4}, {1.0f, 0}, 0, 0, {3, 3, 3, 3}}},
     {INT8, 2, {1, 4}, {0.00390625f, 0}, -128, 0, {-64, -64, -64, -64}}},
    {"rows of an image",
     SLICE,
     {0},
     {IMAGE(3, 2, 1, 1.0f, 0, 1, 2, 3, 4, 5, 6), INTEGERS(4, 0, 1, 0, 0), INTEGERS(4, 1, 2, 2, -1)},
     IMAGE(2, 2, 1, 1.0f, 0, 3, 4, 5, 6)},
    {"columns of an image",
     SLICE,
     {0},
     {IMAGE(3, 2, 1, 1.0f, 0, 1, 2, 3, 4, 5, 6), INTEGERS(4, 0, 0, 1, 0), INTEGERS(4, 1, 3, 1, 1)},
     IMAGE(3, 1, 1, 1.0f, 0, 2, 4, 6)},
    {"channels side by side",
     CONCATENATION,
     .options = {.axis = -1},
     {IMAGE(2, 1, 1, 1.0f, 0, 1, 2), IMAGE(2, 1, 2, 1.0f, 0, 3, 4, 5, 6)},
     IMAGE(2, 1, 3, 1.0f, 0, 1, 3, 4, 2, 5, 6)},
    {"rows behind rows",
     CONCATENATION,
     .options = {.axis = 1},
     {IMAGE(1, 2, 1, 1.0f, 0, 1, 2), IMAGE(2, 2, 1, 1.0f, 0, 3, 4, 5, 6)},
     IMAGE(3, 2, 1, 1.0f, 0, 1, 2, 3, 4, 5, 6)},
    {"another shape",
     RESHAPE,
     {0},
     {IMAGE(3, 2, 1, 1.0f, 0, 1, 2, 3, 4, 5, 6), INTEGERS(2, 2, 3)},
     {INT8, 2, {2, 3}, {1.0f, 0}, 0, 0, {1, 2, 3, 4, 5, 6}}},
    {"rows put into an image",
     DYNAMIC_UPDATE_SLICE,
     {0},
     {IMAGE(3, 2, 1, 1.0f, 0, 1, 2, 3, 4, 5, 6), IMAGE(1, 2, 1, 1.0f, 0, 7, 8), INTEGERS(4, 0, 1, 0, 0)},
     IMAGE(3, 2, 1, 1.0f, 0, 1, 2, 7, 8, 5, 6)},
    {"no further than the end",
     DYNAMIC_UPDATE_SLICE,
     {0},
     {IMAGE(3, 2, 1, 1.0f, 0, 1, 2, 3, 4, 5, 6), IMAGE(2, 2, 1, 1.0f, 0, 7, 8, 9, 10), INTEGERS(4, 0, 9, 0, 0)},
     IMAGE(3, 2, 1, 1.0f, 0, 1, 2, 7, 8, 9, 10)},
    {"integers", ADD, {0}, {INTEGERS(3, 1, 100000, -7), INTEGERS(1, 5)}, INTEGERS(3, 6, 100005, -2)},
    {"less or not", LESS, {0}, {INTEGERS(3, 1, 5, 9), INTEGERS(1, 5)}, {BOOL, 1, {3}, {0, 0}, 0, 0, {1, 0, 0}}},
};
const size_t example_count = sizeof examples / sizeof *examples;
