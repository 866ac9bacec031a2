/* For the rules in this folder: an operator as a kernel sees it when it prepares. */
#ifndef SW_FORMATS_TFLITE_RULES_H
#define SW_FORMATS_TFLITE_RULES_H

#include "formats/tflite/kernels/kernels.h"

/* Of the schema's element types. */
enum { TYPE_FLOAT32 = 0, TYPE_INT64 = 4, TYPE_INT16 = 7, TYPE_INT8 = 9, TYPE_INT4 = 17 };
/* Arguments of a transposed convolution, and of an LSTM. */
enum { TRANSPOSE_WEIGHTS = 1, TRANSPOSE_INPUT, TRANSPOSE_BIAS };
enum { LSTM_OUTPUT_STATE = 18, LSTM_CELL_STATE };
/* A dimension that rules multiply is at most this; five of them fit 64 bits with room to spare. */
enum { LONGEST_AXIS = 32767 };

enum library { LIBRARY_REFERENCE, LIBRARY_CMSIS, LIBRARY_ESP };
/* Of ESP-NN, and of CMSIS-NN. */
#define ESP_VERSION(name, text, since) ESP_##name,
enum esp_version { SW_ESP_VERSIONS(ESP_VERSION) ESP_VERSION_COUNT, ESP_NEWEST = ESP_VERSION_COUNT - 1 };
#undef ESP_VERSION
#define CMSIS_VERSION(name, text, since) CMSIS_##name,
enum cmsis_version { SW_CMSIS_VERSIONS(CMSIS_VERSION) CMSIS_VERSION_COUNT, CMSIS_NEWEST = CMSIS_VERSION_COUNT - 1 };
#undef CMSIS_VERSION
enum chip { CHIP_PLAIN, CHIP_DSP, CHIP_MVE, CHIP_S3, CHIP_P4 };
struct kernel_call {
    struct tflite_model *model;
    const struct tflite_operator *op;
    struct sw_flat options; /* at 0: none */
    enum library library;
    enum chip chip;
    unsigned version; /* enum esp_version or cmsis_version */
    unsigned pointer; /* bytes */
    struct tflite_workspaces *out;
    uint64_t kept; /* bytes of lists that stay */
};
/* A rule adds what the kernel asks for. False: the model does not tell, or the kernel would refuse the operator. */
typedef bool rule(struct kernel_call *);
/* The call of an operator with these kernels. False: damaged. */
bool rule_call(struct kernel_call *, struct tflite_model *, const struct tflite_operator *, unsigned kernels, bool wide,
               struct tflite_workspaces *);
/* Is it a custom operator that TensorFlow Lite Micro has a kernel for? */
bool rule_has_custom(const struct tflite_operator *);
bool rule_none(struct kernel_call *);
bool rule_unknown(struct kernel_call *);

/* Argument i; NULL: it is left out. Its type; -1 for one that is left out. */
const struct tflite_tensor *rule_input(const struct kernel_call *, uint32_t i);
const struct tflite_tensor *rule_output(const struct kernel_call *, uint32_t i);
int rule_type(const struct tflite_tensor *);
static inline bool rule_is_integer(const struct tflite_tensor *tensor) { /* as quantized ones are */
    return rule_type(tensor) == TYPE_INT8 || rule_type(tensor) == TYPE_INT16;
}
static inline bool rule_is_constant(const struct tflite_tensor *tensor) {
    return tensor && tensor->state == TFLITE_CONSTANT;
}
/* A count, rounded up to a multiple. */
static inline int64_t rule_whole(int64_t count, int64_t unit) {
    return (count + unit - 1) / unit * unit;
}
/* Dimension i; -1: there is none of that number. */
int64_t rule_dim(const struct kernel_call *, const struct tflite_tensor *, uint32_t i);
uint32_t rule_rank(const struct tflite_tensor *);
/* Batch, height, width, channels of a tensor of rank 4 without long axes. */
struct kernel_shape {
    int64_t n, h, w, c;
};
bool rule_shape(const struct kernel_call *, const struct tflite_tensor *, struct kernel_shape *);
/* A number in the options, of `width` bytes, with the schema's default. False: damaged. */
bool rule_option(const struct kernel_call *, unsigned field, size_t width, int64_t value, int64_t *out);
/* The whole number of that name in the options of a custom operator, which are a flexbuffer: a map of names to numbers.
 * False: there is none, or the options are no such map (flexbuffer.c). */
bool rule_custom_option(const struct kernel_call *, const char *name, int64_t *value);
/* How many scales the quantization of a tensor has. False: damaged. */
bool rule_scales(const struct kernel_call *, const struct tflite_tensor *, size_t *);
/* Ask for so many bytes; 0 asks for nothing. False: the kernel counts in 32 bits and would get a wrong size. */
bool rule_ask(struct kernel_call *, int64_t bytes);

/* A convolution with its geometry: padding as the interpreter computes it, before and, with `odd`, one more behind. */
struct convolution {
    struct kernel_shape in, filter, out; /* filter: n output channels, or 1 of a depthwise one */
    int64_t stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w, multiplier;
};
bool rule_convolution(const struct kernel_call *, bool depthwise, struct convolution *);

rule reference_add_n, reference_axes, reference_detection_postprocess, reference_ethos_u, reference_int4_filter,
    reference_lstm, reference_mean, reference_mirror_pad, reference_rfft, reference_svdf, reference_transpose_conv;
rule cmsis_average_pool, cmsis_batch_matmul, cmsis_conv, cmsis_depthwise_conv, cmsis_fully_connected, cmsis_lstm,
    cmsis_transpose_conv;
rule esp_conv, esp_depthwise_conv, esp_softmax;

#endif
