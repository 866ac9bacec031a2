/* What kernels keep in the arena's tail as long as the model is there: a structure of their own per operator, which the
 * table has, and lists that go by shapes, per-channel factors for example.
 *
 * Source: Init and Prepare of the kernels of TensorFlow Lite Micro, CMSIS-NN and ESP-NN, 2026. */
#include "formats/tflite/kernels/rules.h"

enum { KEPT_ALIGNMENT = TFLITE_ALIGNMENT };

/* Each list stands on its own multiple of 16. */
static bool add_persistent(struct kernel_call *call, int64_t bytes) {
    if (bytes < 0 || bytes > INT32_MAX) {
        return false;
    }
    call->kept += sw_align_up((uint64_t)bytes, KEPT_ALIGNMENT);
    return true;
}

/* A factor and a shift for each channel; CMSIS-NN has none for floating point. */
static bool keep_channels(struct kernel_call *call, uint32_t input, uint32_t filter, uint32_t axis, bool always) {
    int64_t channels = rule_dim(call, rule_input(call, filter), axis);
    if (!always && call->library == LIBRARY_CMSIS && !rule_is_integer(rule_input(call, input))) {
        return true;
    }
    return channels >= 0 && channels <= INT32_MAX / 4 && add_persistent(call, 4 * channels) &&
           add_persistent(call, 4 * channels);
}

static bool keep_conv(struct kernel_call *call) {
    return keep_channels(call, 0, 1, 0, false);
}

static bool keep_depthwise(struct kernel_call *call) {
    return keep_channels(call, 0, 1, 3, false);
}

static bool keep_transpose_conv(struct kernel_call *call) {
    return keep_channels(call, 2, 1, 0, true);
}

/* Per channel like a convolution; with CMSIS-NN's vector kernels sums of constant weights. */
static bool keep_fully_connected(struct kernel_call *call) {
    const struct tflite_tensor *in = rule_input(call, 0), *filter = rule_input(call, 1), *bias = rule_input(call, 2),
                               *out = rule_output(call, 0);
    size_t scales = 0;
    if (!in || !filter || !out || rule_rank(out) < 1 || rule_rank(filter) < 1 || !rule_scales(call, filter, &scales) ||
        scales > INT32_MAX / 4) {
        return false;
    }
    if (rule_is_integer(in) && scales > 1 &&
        (!add_persistent(call, 4 * (int64_t)scales) || !add_persistent(call, 4 * (int64_t)scales))) {
        return false;
    }
    int64_t depth = rule_dim(call, filter, rule_rank(filter) - 1), units = rule_dim(call, out, rule_rank(out) - 1);
    bool as_conv = rule_rank(out) > 2 && depth % 4 == 0;
    if (call->chip != CHIP_MVE || rule_type(in) != TYPE_INT8 || rule_type(filter) == TYPE_INT4 || as_conv ||
        !rule_is_constant(filter) || (bias && !rule_is_constant(bias))) {
        return true;
    }
    return units <= INT32_MAX / 4 && add_persistent(call, 4 * units);
}

static bool keep_svdf(struct kernel_call *call) {
    int64_t filters = rule_dim(call, rule_input(call, 1), 0);
    return call->chip != CHIP_MVE || rule_type(rule_input(call, 0)) != TYPE_INT8 ||
           (filters >= 0 && filters <= INT32_MAX / 4 && add_persistent(call, 4 * filters));
}

/* CMSIS-NN: eight lists of biases with the sums of weights in them. */
static bool keep_lstm(struct kernel_call *call) {
    int type = rule_type(rule_input(call, 0));
    int64_t units = rule_dim(call, rule_input(call, LSTM_OUTPUT_STATE), 1);
    if (call->library != LIBRARY_CMSIS || rule_type(rule_input(call, LSTM_CELL_STATE)) != TYPE_INT16 ||
        (type != TYPE_INT8 && type != TYPE_INT16)) {
        return true;
    }
    bool good = units >= 0 && units <= INT32_MAX / 8;
    for (int i = 0; good && i < 8; i++) {
        good = add_persistent(call, (type == TYPE_INT8 ? 4 : 8) * units);
    }
    return good;
}

/* Two tables of 513 values. */
static bool keep_softmax(struct kernel_call *call) {
    return rule_type(rule_input(call, 0)) != TYPE_INT16 ||
           (add_persistent(call, 2 * 513) && add_persistent(call, 2 * 513));
}

/* The shape of the result, which the kernel changes and the file must keep. */
static bool keep_shape(struct kernel_call *call) {
    const struct tflite_tensor *out = rule_output(call, 0);
    return out && add_persistent(call, 4 * ((int64_t)rule_rank(out) + 1));
}

static bool keep_embedding(struct kernel_call *call) {
    return keep_shape(call) && add_persistent(call, call->pointer == 8 ? 16 : 8);
}

/* The structure of a quantized one is made in Prepare. */
static bool keep_when_int8(struct kernel_call *call) {
    enum { STRUCTURE = 40 };
    return rule_type(rule_output(call, 0)) != TYPE_INT8 || add_persistent(call, STRUCTURE);
}

static bool keep_log_softmax(struct kernel_call *call) {
    return rule_type(rule_input(call, 0)) != TYPE_INT8 || add_persistent(call, call->pointer == 8 ? 40 : 28);
}

/* A copy of an argument that is transposed, with its shape, and what quantized ones need. */
static bool keep_transposed(struct kernel_call *call, const struct tflite_tensor *tensor) {
    return tensor && tensor->size <= INT32_MAX && add_persistent(call, call->pointer == 8 ? 24 : 12) &&
           add_persistent(call, 4 * ((int64_t)rule_rank(tensor) + 1)) && add_persistent(call, (int64_t)tensor->size);
}

static bool keep_batch_matmul(struct kernel_call *call) {
    enum { ADJOINT_LEFT, ADJOINT_RIGHT, QUANTIZED_PRODUCT = 28 };
    const struct tflite_tensor *left = rule_input(call, 0), *right = rule_input(call, 1);
    int64_t adjoint_left, adjoint_right;
    if (!rule_option(call, ADJOINT_LEFT, 1, 0, &adjoint_left) ||
        !rule_option(call, ADJOINT_RIGHT, 1, 0, &adjoint_right)) {
        return false;
    }
    return (!adjoint_left || keep_transposed(call, left)) && (adjoint_right || keep_transposed(call, right)) &&
           keep_shape(call) && (!rule_is_integer(left) || add_persistent(call, QUANTIZED_PRODUCT));
}

/* ---- the table ---- */

static const struct {
    uint32_t code;
    struct {
        uint8_t bytes, alignment;
    } options[2];       /* of the operator: pointers of 64 bits, Cortex-M */
    uint16_t own[3][2]; /* bytes of the kernel's structure, by library, then as above */
    rule *rule;
} kept_builtin[] = {
#define KEEP_BY(name, options, align, narrow, narrow_align, r64, r32, c64, c32, e64, e32, rule) \
    {TFLITE_OP_##name, {{options, align}, {narrow, narrow_align}}, {{r64, r32}, {c64, c32}, {e64, e32}}, rule},
#include "formats/tflite/kernels/persistent.def"
#undef KEEP_BY
};
/* Custom operators have no options, and one kernel in all libraries. */
static const struct {
    const char *name;
    uint16_t own;
} kept_custom[] = {{"CIRCULAR_BUFFER", 8}, {"TFLite_Detection_PostProcess", 112}, {"ethos-u", 12}};

bool tflite_kernel_exists(const struct tflite_operator *op) {
    for (size_t i = 0; op->code != TFLITE_OP_custom && i < sizeof kept_builtin / sizeof *kept_builtin; i++) {
        if (kept_builtin[i].code == op->code) {
            return true;
        }
    }
    return op->code == TFLITE_OP_custom && rule_has_custom(op);
}

bool tflite_kernel_keeps(struct tflite_model *model, const struct tflite_operator *op, unsigned kernels, bool wide,
                         struct tflite_kept *out) {
    struct kernel_call call;
    struct tflite_workspaces unused = {.known = true};
    *out = (struct tflite_kept){.alignment = 1};
    for (size_t i = 0; op->code == TFLITE_OP_custom && i < sizeof kept_custom / sizeof *kept_custom; i++) {
        if (sw_flat_text_is(op->custom, kept_custom[i].name)) {
            out->known = true;
            out->own = kept_custom[i].own;
        }
    }
    if (!rule_call(&call, model, op, kernels, wide, &unused)) {
        return false;
    }
    for (size_t i = 0; op->code != TFLITE_OP_custom && i < sizeof kept_builtin / sizeof *kept_builtin; i++) {
        if (kept_builtin[i].code == op->code) {
            out->known = kept_builtin[i].rule(&call);
            out->options = kept_builtin[i].options[!wide].bytes;
            out->alignment = kept_builtin[i].options[!wide].alignment;
            out->own = kept_builtin[i].own[call.library][!wide];
            out->lists = call.kept;
        }
    }
    return !model->error || model->error->code == SW_OK;
}
