/* Operators that move bytes and compute nothing. */
#include "fit/kernels/kernels.h"

#include <string.h>

/* ---- PAD, PADV2 ---- */

/* The amounts as they stand, and whether the result has just that much more. */
static bool read_amounts(const struct call *call, const struct tensor *in, int64_t before[RANK]) {
    const struct tensor *amounts = input_of(call, 1), *out = call->output;
    if (!amounts || (amounts->type != INT32 && amounts->type != INT64) || amounts->elements != 2 * (size_t)in->rank ||
        out->rank != in->rank) {
        return refuse(call, "it has no amounts for %s", in->name);
    }
    for (int i = 0; i < in->rank; i++) {
        int64_t after = tensor_integer(amounts, 2 * (size_t)i + 1);
        before[i] = tensor_integer(amounts, 2 * (size_t)i);
        if (before[i] < 0 || after < 0 || in->dims[i] + before[i] + after != out->dims[i]) {
            return refuse(call, "dimension %d of %s is %d, with %d and %d more, but that of %s %d", i, in->name,
                          in->dims[i], (int)before[i], (int)after, out->name, out->dims[i]);
        }
    }
    return true;
}

static bool run_pad(const struct call *call) {
    const struct tensor *in = input_of(call, 0), *given = input_of(call, 2), *out = call->output;
    int64_t before[RANK];
    if (!is_int8(call, in, 0) || !is_int8(call, out, 0) || !read_amounts(call, in, before)) {
        return false;
    }
    if (!same_quantization(in, out) ||
        (given && (given->type != INT8 || given->elements != 1 || !same_quantization(given, out)))) {
        return refuse(call, "the scale or zero point of %s is not that of its arguments", out->name);
    }
    unsigned char value = given ? given->data[0] : (unsigned char)(int8_t)out->zero;
    const unsigned char *next = in->data;
    for (size_t i = 0; i < out->elements; i++) {
        size_t rest = i;
        bool inside = true;
        for (int d = out->rank - 1; d >= 0; d--) {
            int64_t at = (int64_t)(rest % (size_t)out->dims[d]) - before[d];
            rest /= (size_t)out->dims[d];
            inside &= at >= 0 && at < in->dims[d];
        }
        out->data[i] = inside ? *next++ : value;
    }
    return true;
}

/* ---- parts of tensors ---- */

/* The part of `whole` that begins at `begin` and has the dimensions of `part`, copied from one into the other, each
 * time as many bytes as lie one behind the other in both. */
static bool copy_part(const struct call *call, const struct tensor *whole, const struct tensor *part,
                      const int64_t begin[RANK], bool into) {
    int cut = part->rank - 1; /* the dimension within which, or of which all, lies one behind the other */
    size_t run = type_width(part->type) * (size_t)part->dims[cut];
    while (cut > 0 && part->dims[cut] == whole->dims[cut]) {
        run *= (size_t)part->dims[--cut];
    }
    for (size_t i = 0; i < part->bytes / run; i++) {
        size_t rest = i, at = 0, stride = type_width(part->type);
        for (int d = part->rank - 1; d >= 0; d--) {
            size_t own = d < cut ? rest % (size_t)part->dims[d] : 0;
            rest /= d < cut ? (size_t)part->dims[d] : 1;
            at += ((size_t)begin[d] + own) * stride;
            stride *= (size_t)whole->dims[d];
        }
        unsigned char *there = whole->data + at, *here = part->data + i * run;
        if (!copy_bytes(call, into ? there : here, into ? here : there, run)) {
            return false;
        }
    }
    return true;
}

static bool run_slice(const struct call *call) {
    const struct tensor *in = input_of(call, 0), *begin = input_of(call, 1), *size = input_of(call, 2),
                        *out = call->output;
    int64_t from[RANK];
    if (!in || !begin || !size || in->rank < 1 || begin->elements != (size_t)in->rank ||
        size->elements != (size_t)in->rank || in->type != out->type || in->rank != out->rank) {
        return refuse(call, "%s is not cut into something of its kind", in ? in->name : "nothing");
    }
    for (int i = 0; i < in->rank; i++) {
        int64_t length = tensor_integer(size, (size_t)i);
        from[i] = tensor_integer(begin, (size_t)i);
        length = length == -1 ? in->dims[i] - from[i] : length;
        if (from[i] < 0 || from[i] + length > in->dims[i] || length != out->dims[i]) {
            return refuse(call, "dimension %d of %s is %d, and %d from %d on are not the %d of %s", i, in->name,
                          in->dims[i], (int)length, (int)from[i], out->dims[i], out->name);
        }
    }
    if (in->scale_count && !same_quantization(in, out)) {
        return refuse(call, "the scale or zero point of %s is not that of %s", out->name, in->name);
    }
    return copy_part(call, in, out, from, false);
}

static bool run_update(const struct call *call) {
    const struct tensor *whole = input_of(call, 0), *part = input_of(call, 1), *begin = input_of(call, 2),
                        *out = call->output;
    int64_t from[RANK];
    if (!whole || !part || !begin || whole->type != out->type || part->type != out->type || !same_dims(whole, out) ||
        part->rank != out->rank || out->rank < 1 || begin->elements != (size_t)out->rank) {
        return refuse(call, "its arguments do not go together");
    }
    for (int i = 0; i < out->rank; i++) {
        int64_t most = out->dims[i] - part->dims[i], wanted = tensor_integer(begin, (size_t)i);
        if (most < 0) {
            return refuse(call, "%s is larger than %s", part->name, out->name);
        }
        from[i] = wanted < 0 ? 0 : wanted > most ? most : wanted;
    }
    return (part->elements == out->elements || copy_bytes(call, out->data, whole->data, out->bytes)) &&
           copy_part(call, out, part, from, true);
}

/* ---- CONCATENATION, RESHAPE ---- */

enum { MOST_JOINED = 10 }; /* of TensorFlow Lite Micro */

static bool check_joined(const struct call *call, int axis) {
    const struct tensor *out = call->output;
    int64_t length = 0;
    for (size_t i = 0; i < call->input_count; i++) {
        const struct tensor *in = input_of(call, i);
        if (!in || in->rank != out->rank || in->type != out->type) {
            return refuse(call, "argument %zu is not of the kind of %s", i, out->name);
        }
        for (int d = 0; d < out->rank; d++) {
            if (d != axis && in->dims[d] != out->dims[d]) {
                return refuse(call, "dimension %d of %s is %d, that of %s %d", d, in->name, in->dims[d], out->name,
                              out->dims[d]);
            }
        }
        if (out->scale_count && !same_quantization(in, out)) {
            return refuse(call, "the scale or zero point of %s is not that of %s", in->name, out->name);
        }
        length += in->dims[axis];
    }
    return length == out->dims[axis] ||
           refuse(call, "its arguments are %d long together, and %s is %d", (int)length, out->name, out->dims[axis]);
}

static bool run_join(const struct call *call) {
    const struct tensor *out = call->output;
    int axis = call->options->axis < 0 ? call->options->axis + out->rank : call->options->axis;
    size_t outer = 1, inner = type_width(out->type);
    if (axis < 0 || axis >= out->rank || call->options->activation != NO_ACTIVATION) {
        return refuse(call, "it has no axis %d, or an activation", call->options->axis);
    }
    if (call->input_count > MOST_JOINED) {
        return refuse(call, "it has %zu arguments, and a runtime takes %d at most", call->input_count, MOST_JOINED);
    }
    if (!check_joined(call, axis)) {
        return false;
    }
    for (int d = 0; d < out->rank; d++) {
        outer *= d < axis ? (size_t)out->dims[d] : 1;
        inner *= d > axis ? (size_t)out->dims[d] : 1;
    }
    unsigned char *to = out->data;
    for (size_t k = 0; k < outer; k++) {
        for (size_t i = 0; i < call->input_count; i++) {
            size_t count = (size_t)call->inputs[i]->dims[axis] * inner;
            if (!copy_bytes(call, to, call->inputs[i]->data + k * count, count)) {
                return false;
            }
            to += count;
        }
    }
    return true;
}

static bool run_reshape(const struct call *call) {
    const struct tensor *in = input_of(call, 0), *out = call->output;
    if (!in || in->type != out->type || in->bytes != out->bytes) {
        return refuse(call, "%s has not as many bytes as its argument", out->name);
    }
    return copy_bytes(call, out->data, in->data, in->bytes);
}

bool run_move(const struct call *call) {
    switch (call->code) {
    case SLICE:
        return run_slice(call);
    case DYNAMIC_UPDATE_SLICE:
        return run_update(call);
    case CONCATENATION:
        return run_join(call);
    case RESHAPE:
        return run_reshape(call);
    default:
        return run_pad(call);
    }
}
