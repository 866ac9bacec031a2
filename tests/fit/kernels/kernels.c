#include "fit/kernels/kernels.h"
#include "fit/kernels/arithmetic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool refuse(const struct call *call, const char *format, ...) {
    int length = snprintf(call->why, WHY, "%s: ", operator_name(call->code));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call->why + length, WHY - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

struct tensor *input_of(const struct call *call, size_t i) {
    return i < call->input_count ? call->inputs[i] : NULL;
}

bool is_int8(const struct call *call, const struct tensor *tensor, int rank) {
    if (!tensor) {
        return refuse(call, "an argument is missing");
    }
    if (tensor->type != INT8 || tensor->scale_count == 0) {
        return refuse(call, "%s is not quantized int8", tensor->name);
    }
    return rank == 0 || tensor->rank == rank ||
           refuse(call, "%s has %d dimensions, not %d", tensor->name, tensor->rank, rank);
}

double scale_of(const struct tensor *tensor, size_t channel) {
    return tensor->scales[tensor->scale_count > 1 ? channel : 0];
}

bool same_dims(const struct tensor *a, const struct tensor *b) {
    return a->rank == b->rank && memcmp(a->dims, b->dims, sizeof a->dims[0] * (size_t)a->rank) == 0;
}

bool same_quantization(const struct tensor *a, const struct tensor *b) {
    return a->scale_count == 1 && b->scale_count == 1 && scale_of(a, 0) == scale_of(b, 0) && a->zero == b->zero;
}

static int32_t quantized(const struct tensor *tensor, float real) {
    return (int32_t)tensor->zero + (int32_t)roundf(real / tensor->scales[0]);
}

bool activation_limits(const struct call *call, int32_t *lo, int32_t *hi) {
    const struct tensor *out = call->output;
    *lo = INT8_MIN;
    *hi = INT8_MAX;
    switch (call->options->activation) {
    case NO_ACTIVATION:
        return true;
    case WITH_RELU:
        break;
    case WITH_RELU6:
        *hi = clamped(quantized(out, 6), INT32_MIN, *hi);
        break;
    case WITH_RELU_N1_TO_1:
        *hi = clamped(quantized(out, 1), INT32_MIN, *hi);
        *lo = clamped(quantized(out, -1), *lo, INT32_MAX);
        return true;
    default:
        return refuse(call, "activation %d is not known", call->options->activation);
    }
    *lo = clamped(quantized(out, 0), *lo, INT32_MAX);
    return true;
}

bool copy_bytes(const struct call *call, unsigned char *to, const unsigned char *from, size_t count) {
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    if (a == b) {
        return true;
    }
    if (a < b + count && b < a + count) {
        return refuse(call, "%zu bytes are copied onto others of themselves, %td bytes on", count, (ptrdiff_t)(a - b));
    }
    memcpy(to, from, count);
    return true;
}

bool run_kernel(const struct call *call) {
    switch (call->code) {
    case CONV_2D:
    case DEPTHWISE_CONV_2D:
    case AVERAGE_POOL_2D:
    case MAX_POOL_2D:
        return run_window(call);
    case PAD:
    case PADV2:
    case RESHAPE:
    case SLICE:
    case CONCATENATION:
    case DYNAMIC_UPDATE_SLICE:
        return run_move(call);
    case MEAN:
    case FULLY_CONNECTED:
    case SOFTMAX:
        return run_head(call);
    case ADD:
    case MUL:
    case SUB:
    case LESS:
    case PRELU:
    case MAXIMUM:
    case MINIMUM:
    case RELU:
    case RELU6:
    case RELU_N1_TO_1:
    case LEAKY_RELU:
    case HARD_SWISH:
    case LOGISTIC:
    case TANH:
    case QUANTIZE:
    case ABS:
        return run_elementwise(call);
    default:
        return refuse(call, "there is no kernel for it here");
    }
}
