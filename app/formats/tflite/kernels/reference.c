/* What the reference kernels of TensorFlow Lite Micro ask for. Most ask for nothing; the others count in elements of
 * their shapes. The other libraries leave many of these as they are.
 *
 * Source: the Prepare functions of tensorflow/lite/micro/kernels, August 2026. */
#include "formats/tflite/kernels/rules.h"
#include "base/minmax.h"

bool rule_none(struct kernel_call *call) {
    (void)call;
    return true;
}

bool rule_unknown(struct kernel_call *call) {
    (void)call;
    return false;
}

/* Elements of a tensor as the kernels count them, in 32 bits; -1: too many, or no such tensor. */
static int64_t elements(const struct tflite_tensor *tensor) {
    return tensor && tensor->elements <= INT32_MAX ? (int64_t)tensor->elements : -1;
}

/* Convolutions and fully connected layers: weights of four bits are spread to bytes. */
bool reference_int4_filter(struct kernel_call *call) {
    const struct tflite_tensor *filter = rule_input(call, 1);
    return rule_type(filter) != TYPE_INT4 || rule_ask(call, elements(filter));
}

/* Pointers to the arguments. */
bool reference_add_n(struct kernel_call *call) {
    int type = rule_type(rule_output(call, 0));
    return (type != TYPE_FLOAT32 && type != TYPE_INT8) ||
           rule_ask(call, (int64_t)call->pointer * call->op->inputs.count);
}

/* ---- reductions ---- */

/* Where it stands in the input, and the axes without repetitions. */
bool reference_axes(struct kernel_call *call) {
    const struct tflite_tensor *in = rule_input(call, 0), *axis = rule_input(call, 1);
    return in && elements(axis) >= 0 && rule_ask(call, (int64_t)4 * rule_rank(in)) &&
           rule_ask(call, 4 * elements(axis));
}

/* Mean and sum add in 32 bits where the input has fewer. */
bool reference_mean(struct kernel_call *call) {
    int64_t count = elements(rule_output(call, 0));
    return count >= 0 && (!rule_is_integer(rule_input(call, 0)) || rule_ask(call, 4 * count)) && reference_axes(call);
}

/* Two lists, with a number per dimension. */
bool reference_mirror_pad(struct kernel_call *call) {
    const struct tflite_tensor *in = rule_input(call, 0);
    return in && rule_ask(call, (int64_t)4 * rule_rank(in)) && rule_ask(call, (int64_t)4 * rule_rank(in));
}

/* ---- layers with a state ---- */

/* One 32-bit sum per filter and, of quantized ones, one per unit. */
bool reference_svdf(struct kernel_call *call) {
    const struct tflite_tensor *in = rule_input(call, 0);
    int64_t batch = rule_dim(call, in, 0), filters = rule_dim(call, rule_input(call, 1), 0), rank;
    if (!rule_option(call, 0, 4, 0, &rank) || batch < 0 || filters < 0 || rank < 1) {
        return false;
    }
    return rule_ask(call, 4 * batch * filters) &&
           (rule_type(in) != TYPE_INT8 || rule_ask(call, 4 * batch * (filters / rank)));
}

/* A gate or the cell's update each: four of them. */
bool reference_lstm(struct kernel_call *call) {
    enum { LSTM_TIME_MAJOR = 3 };
    const struct tflite_tensor *in = rule_input(call, 0), *cell = rule_input(call, LSTM_CELL_STATE);
    int64_t time_major, units = rule_dim(call, rule_input(call, LSTM_OUTPUT_STATE), 1);
    if (!in || (rule_type(cell) != TYPE_FLOAT32 && rule_type(cell) != TYPE_INT16) ||
        !rule_option(call, LSTM_TIME_MAJOR, 1, 0, &time_major)) {
        return false;
    }
    int64_t batch = rule_dim(call, in, time_major ? 1 : 0), width = rule_type(cell) == TYPE_INT16 ? 2 : 4;
    bool good = batch >= 0 && units >= 0;
    for (int i = 0; good && i < 4; i++) {
        good = rule_ask(call, batch * units * width);
    }
    return good;
}

/* ---- others ---- */

/* Sums of all products that fall on an output, and a bias of 16 bits made wider. */
bool reference_transpose_conv(struct kernel_call *call) {
    const struct tflite_tensor *bias = rule_input(call, TRANSPOSE_BIAS);
    int type = rule_type(rule_input(call, TRANSPOSE_INPUT));
    int64_t count = elements(rule_output(call, 0));
    if (count < 0 || type < 0) {
        return false;
    }
    if (type == TYPE_INT8) {
        return rule_ask(call, 4 * count);
    }
    return type != TYPE_INT16 ||
           (rule_ask(call, 8 * count) && (rule_type(bias) != TYPE_INT16 || rule_ask(call, 8 * elements(bias))));
}

/* Boxes, their scores, and lists for the suppression of those that overlap. */
bool reference_detection_postprocess(struct kernel_call *call) {
    const struct tflite_tensor *classes = rule_input(call, 1);
    int64_t boxes = rule_dim(call, rule_input(call, 0), 1), most, kinds;
    int64_t rows = rule_dim(call, classes, 1), columns = rule_dim(call, classes, 2);
    if (!rule_custom_option(call, "max_detections", &most) || !rule_custom_option(call, "num_classes", &kinds) ||
        boxes < 0 || rows < 0 || columns < 0 || most < 0 || kinds < 0 || most > INT32_MAX || kinds > INT32_MAX) {
        return false;
    }
    const int64_t per_box[] = {1, 16, 0, 4, 4};
    bool good = boxes <= INT32_MAX / 16;
    for (size_t i = 0; good && i < sizeof per_box / sizeof *per_box; i++) {
        good = rule_ask(call, i == 2 ? 4 * SW_MIN(rows * columns, (int64_t)INT32_MAX) : per_box[i] * boxes);
    }
    int64_t lists[] = {most, most, 1, most, SW_MAX(kinds, most), SW_MIN(boxes, most)};
    for (size_t i = 0; good && i < sizeof lists / sizeof *lists; i++) {
        good = (boxes == 0 || lists[i] <= INT32_MAX / boxes) && rule_ask(call, 4 * lists[i] * boxes);
    }
    return good;
}

/* A window of samples. */
bool reference_rfft(struct kernel_call *call) {
    const struct tflite_tensor *in = rule_input(call, 0);
    int64_t length;
    return in && rule_custom_option(call, "fft_length", &length) && length >= 0 && length <= INT32_MAX &&
           rule_ask(call, length * (in->bits / 8));
}

/* Where each argument lies, in 64 bits, and how long it is. */
bool reference_ethos_u(struct kernel_call *call) {
    int64_t count = (int64_t)call->op->inputs.count + call->op->outputs.count;
    return rule_ask(call, 8 * count) && rule_ask(call, (int64_t)call->pointer * count);
}
