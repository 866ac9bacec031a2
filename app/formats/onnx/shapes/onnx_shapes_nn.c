/* ONNX: shapes of what networks are made of: convolutions, pools, products of matrices, recurrent
 * layers, changes of resolution. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

/* ---- windows that slide: convolutions and pools ---- */

struct slide_window {
    uint32_t axes; /* spatial ones */
    int64_t kernel[ONNX_RANK], strides[ONNX_RANK], dilations[ONNX_RANK], pads[2 * ONNX_RANK];
    enum { EXPLICIT, SAME, VALID } pad;
};

/* One attribute of so many numbers; `otherwise` when it is not given. */
static bool numbers(struct onnx_step *step, const char *name, int64_t *items, size_t count, int64_t otherwise) {
    size_t got;
    if (!onnx_ints(step->model, step->node, name, items, count, &got)) {
        if (got > 0) {
            return onnx_why(step, "an attribute lists more numbers than there are axes");
        }
        for (size_t i = 0; i < count; i++) {
            items[i] = otherwise;
        }
        return true;
    }
    return got == count || onnx_why(step, "an attribute does not have a number for every axis");
}

/* The window of an input [n, c, spatial...]; the weights' shape gives the kernel when no attribute
 * does. */
static bool read_slide_window(struct onnx_step *step, const struct onnx_shape *x, const struct onnx_shape *weights,
                              struct slide_window *window) {
    struct sw_pb_bytes pad = onnx_string(step->model, step->node, "auto_pad");
    if (x->rank < 3) {
        return onnx_why(step, "the input has no spatial axes");
    }
    window->axes = x->rank - 2;
    window->pad = sw_pb_equal(pad, "VALID")                                          ? VALID
                  : sw_pb_equal(pad, "SAME_UPPER") || sw_pb_equal(pad, "SAME_LOWER") ? SAME
                                                                                     : EXPLICIT;
    if (!numbers(step, "kernel_shape", window->kernel, window->axes, -1) ||
        !numbers(step, "strides", window->strides, window->axes, 1) ||
        !numbers(step, "dilations", window->dilations, window->axes, 1) ||
        !numbers(step, "pads", window->pads, 2 * (size_t)window->axes, 0)) {
        return false;
    }
    for (uint32_t i = 0; i < window->axes; i++) {
        if (window->kernel[i] < 0 && weights && weights->rank == x->rank) {
            window->kernel[i] = weights->dims[2 + i];
        }
        const int64_t limit = INT64_C(1) << 31;
        int64_t *pads = window->pads;
        if (window->kernel[i] < 1 || window->kernel[i] > limit || window->strides[i] < 1 ||
            window->strides[i] > limit || window->dilations[i] < 1 || window->dilations[i] > limit ||
            pads[i] < -limit || pads[i] > limit || pads[window->axes + i] < -limit || pads[window->axes + i] > limit ||
            x->dims[2 + i] > INT64_C(1) << 60) {
            return onnx_why(step, "kernel, strides, dilations or pads are out of range");
        }
    }
    return true;
}

/* How many positions the window has along an axis. */
static int64_t positions(const struct slide_window *window, uint32_t i, int64_t length, bool ceil) {
    int64_t stride = window->strides[i];
    int64_t extent = (window->kernel[i] - 1) * window->dilations[i] + 1;
    if (window->pad == SAME) {
        return (length + stride - 1) / stride;
    }
    int64_t before = window->pad == VALID ? 0 : window->pads[i];
    int64_t after = window->pad == VALID ? 0 : window->pads[window->axes + i];
    int64_t room = length + before + after - extent;
    if (room < 0) {
        return room <= -stride || !ceil ? 0 : 1;
    }
    int64_t count = room / stride + 1;
    if (ceil && room % stride != 0 && count * stride < length + before) {
        count++; /* the last window begins within the input or its front padding */
    }
    return count;
}

static bool slide(struct onnx_step *step, const struct onnx_value *x, int64_t channels,
                  const struct onnx_shape *weights, bool ceil, int type, int second) {
    struct slide_window window;
    int64_t dims[ONNX_RANK];
    if (!read_slide_window(step, &x->shape, weights, &window)) {
        return false;
    }
    dims[0] = x->shape.dims[0];
    dims[1] = channels;
    for (uint32_t i = 0; i < window.axes; i++) {
        dims[2 + i] = positions(&window, i, x->shape.dims[2 + i], ceil);
        if (dims[2 + i] < 1 && x->shape.dims[2 + i] > 0) {
            return onnx_why(step, "the window is larger than the input");
        }
    }
    return onnx_set(step, 0, type, x->shape.rank, dims) && (!second || onnx_set(step, 1, second, x->shape.rank, dims));
}

/* SAME pads so that there are as many outputs as inputs per stride, the odd one behind (UPPER) or before (LOWER).
 * False: strides pass over so much that no padding is needed, but less than none: some runtimes leave elements out in
 * front then, others do not. */
static bool same_padding(const struct slide_window *window, const int64_t *lengths, bool lower, int64_t *pads) {
    for (uint32_t i = 0; i < window->axes; i++) {
        int64_t stride = window->strides[i], out = (lengths[i] + stride - 1) / stride;
        int64_t all = (out - 1) * stride + (window->kernel[i] - 1) * window->dilations[i] + 1 - lengths[i];
        if (all < 0) {
            return false;
        }
        pads[i] = lower ? all - all / 2 : all / 2;
        pads[window->axes + i] = all - pads[i];
    }
    return true;
}

bool onnx_sliding_window(struct onnx_step *step, const struct onnx_value *x, const struct onnx_shape *weights,
                         struct sw_op_window *to) {
    struct slide_window window;
    if (!read_slide_window(step, &x->shape, weights, &window) || window.axes != 2) {
        return false;
    }
    bool lower = sw_pb_equal(onnx_string(step->model, step->node, "auto_pad"), "SAME_LOWER");
    if (window.pad == SAME && !same_padding(&window, x->shape.dims + 2, lower, window.pads)) {
        return false;
    }
    *to = (struct sw_op_window){.axis = 2, .told = true};
    for (uint32_t i = 0; i < 2; i++) {
        int64_t before = window.pad == VALID ? 0 : window.pads[i], after = window.pad == VALID ? 0 : window.pads[2 + i];
        if (window.kernel[i] > SW_MAX_WINDOW || window.strides[i] > SW_MAX_WINDOW ||
            window.dilations[i] > SW_MAX_WINDOW || before < 0 || after < 0 || before > SW_MAX_WINDOW ||
            after > SW_MAX_WINDOW) {
            return false;
        }
        to->kernel[i] = (uint32_t)window.kernel[i];
        to->stride[i] = (uint32_t)window.strides[i];
        to->dilation[i] = (uint32_t)window.dilations[i];
        to->before[i] = (uint32_t)before;
        to->after[i] = (uint32_t)after;
    }
    return true;
}

bool onnx_slide(struct onnx_step *step, const struct onnx_value *x, const struct onnx_shape *weights) {
    return slide(step, x, weights->dims[0], weights, false, x->type, 0);
}

static bool conv_with(struct onnx_step *step, uint32_t input, int type) {
    const struct onnx_value *x = onnx_need(step, 0), *w = onnx_need(step, input);
    if (!x || !w || w->shape.rank != x->shape.rank || x->shape.rank < 3) {
        return onnx_why(step, "input and weights have different ranks");
    }
    int64_t groups = onnx_setting(step, "group", 1);
    if (groups < 1 || x->shape.dims[1] % groups != 0 || x->shape.dims[1] / groups != w->shape.dims[1]) {
        return onnx_why(step, "the input's channels are not those of the weights times the groups");
    }
    return slide(step, x, w->shape.dims[0], &w->shape, false, type ? type : x->type, 0);
}
bool onnx_shape_conv(struct onnx_step *step) {
    return conv_with(step, 1, ONNX_NONE);
}
bool onnx_shape_conv_integer(struct onnx_step *step) {
    return conv_with(step, 1, ONNX_INT32);
}
bool onnx_shape_conv_quantized(struct onnx_step *step) {
    const struct onnx_value *zero = onnx_in(step, 7);
    return conv_with(step, 3, zero ? zero->type : ONNX_NONE);
}

bool onnx_shape_deform_conv(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *w = onnx_need(step, 1);
    return x && w && w->shape.rank == x->shape.rank && slide(step, x, w->shape.dims[0], &w->shape, false, x->type, 0);
}

/* What a stride, a kernel and pads make of a length when the sliding goes backwards. */
bool onnx_shape_conv_transpose(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *w = onnx_need(step, 1);
    struct slide_window window;
    int64_t dims[ONNX_RANK], extra[ONNX_RANK], shape[ONNX_RANK];
    size_t given;
    if (!x || !w || !read_slide_window(step, &x->shape, &w->shape, &window) ||
        !numbers(step, "output_padding", extra, window.axes, 0) || w->shape.rank != x->shape.rank ||
        w->shape.dims[0] != x->shape.dims[1]) {
        return onnx_why(step, "the input's channels are not those of the weights");
    }
    bool exact = onnx_ints(step->model, step->node, "output_shape", shape, ONNX_RANK, &given);
    if (exact && given != window.axes && given != x->shape.rank) {
        return onnx_why(step, "output_shape does not have a number for every axis");
    }
    int64_t groups = onnx_setting(step, "group", 1);
    dims[0] = x->shape.dims[0];
    if (groups < 1 || __builtin_mul_overflow(w->shape.dims[1], groups, &dims[1])) {
        return onnx_why(step, "the number of groups is out of range");
    }
    for (uint32_t i = 0; i < window.axes; i++) {
        int64_t length = x->shape.dims[2 + i], stride = window.strides[i];
        int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
        int64_t pads = window.pad == VALID ? 0 : window.pads[i] + window.pads[window.axes + i];
        if (length > INT64_C(1) << 30 || extra[i] < 0 || extra[i] > INT64_C(1) << 31) {
            return onnx_why(step, "a dimension or output_padding is out of range");
        }
        int64_t whole = stride * (length - 1) + extra[i] + extent;
        dims[2 + i] = exact                ? shape[given - window.axes + i]
                      : window.pad == SAME ? SW_MIN(length * stride, whole) /* nothing is padded on */
                                           : whole - pads;
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

bool onnx_shape_pool(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    if (!x || x->shape.rank < 3) {
        return onnx_why(step, "the input has no spatial axes");
    }
    return slide(step, x, x->shape.dims[1], NULL, onnx_setting(step, "ceil_mode", 0) != 0, x->type, ONNX_INT64);
}

bool onnx_shape_global_pool(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK];
    if (!x) {
        return false;
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        dims[i] = i < 2 ? x->shape.dims[i] : 1;
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

bool onnx_shape_unpool(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    struct slide_window window;
    int64_t dims[ONNX_RANK];
    if (!x) {
        return false;
    }
    if (onnx_in(step, 2)) {
        uint32_t rank;
        return onnx_shape_input(step, 2, &rank, dims) && onnx_set(step, 0, x->type, rank, dims);
    }
    if (!read_slide_window(step, &x->shape, NULL, &window)) {
        return false;
    }
    memcpy(dims, x->shape.dims, 2 * sizeof *dims);
    for (uint32_t i = 0; i < window.axes; i++) {
        int64_t span;
        if (__builtin_mul_overflow(x->shape.dims[2 + i] - 1, window.strides[i], &span) ||
            span > (int64_t)SW_MAX_BYTES) {
            return onnx_why(step, "a dimension comes out too large");
        }
        dims[2 + i] = span + window.kernel[i] - window.pads[i] - window.pads[window.axes + i];
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

/* Regions of interest, each pooled to a fixed size. */
bool onnx_shape_roi(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *boxes = onnx_need(step, 1);
    int64_t size[2] = {onnx_setting(step, "output_height", 1), onnx_setting(step, "output_width", 1)};
    size_t count;
    onnx_ints(step->model, step->node, "pooled_shape", size, 2, &count);
    if (!x || !boxes || x->shape.rank != 4 || boxes->shape.rank < 1) {
        return onnx_why(step, "the input is no image");
    }
    return onnx_set_lengths(step, 0, x->type, boxes->shape.dims[0], x->shape.dims[1], size[0], size[1]);
}

/* ---- products ---- */

bool onnx_product(struct onnx_step *step, const struct onnx_shape *x, const struct onnx_shape *y, int type) {
    int64_t dims[2 * ONNX_RANK];
    uint32_t rank = 0;
    if (x->rank == 0 || y->rank == 0) {
        return onnx_why(step, "an input is a single number");
    }
    int64_t inner = x->dims[x->rank - 1];
    if (inner != y->dims[y->rank > 1 ? y->rank - 2 : 0] && !step->bounded) {
        return onnx_why(step, "the matrices do not fit together");
    }
    struct onnx_shape front = {true, x->rank > 2 ? x->rank - 2 : 0, x->dims};
    struct onnx_shape other = {true, y->rank > 2 ? y->rank - 2 : 0, y->dims};
    if (!onnx_broadcast(step, &front, &rank, dims) || !onnx_broadcast(step, &other, &rank, dims)) {
        return false;
    }
    if (x->rank > 1) {
        dims[rank++] = x->dims[x->rank - 2];
    }
    if (y->rank > 1) {
        dims[rank++] = y->dims[y->rank - 1];
    }
    return onnx_set(step, 0, type, rank, dims);
}

bool onnx_product_of(struct onnx_step *step, uint32_t second, int type) {
    const struct onnx_value *a = onnx_need(step, 0), *b = onnx_need(step, second);
    return a && b && onnx_product(step, &a->shape, &b->shape, type ? type : a->type);
}

bool onnx_shape_matmul(struct onnx_step *step) {
    return onnx_product_of(step, 1, ONNX_NONE);
}
bool onnx_shape_matmul_integer(struct onnx_step *step) {
    return onnx_product_of(step, 1, ONNX_INT32);
}
bool onnx_shape_matmul_quantized(struct onnx_step *step) {
    const struct onnx_value *zero = onnx_in(step, 7);
    return onnx_product_of(step, 3, zero ? zero->type : ONNX_NONE);
}

bool onnx_shape_gemm(struct onnx_step *step) {
    const struct onnx_value *a = onnx_need(step, 0), *b = onnx_need(step, 1);
    if (!a || !b || a->shape.rank < 2 || b->shape.rank != 2) {
        return onnx_why(step, "the inputs are no matrices");
    }
    int64_t rows = a->shape.dims[0], inner = 1;
    for (uint32_t i = 1; i < a->shape.rank; i++) { /* before opset 7 what follows was flattened */
        if (__builtin_mul_overflow(inner, a->shape.dims[i], &inner)) {
            return onnx_why(step, "the matrices do not fit together");
        }
    }
    if (onnx_setting(step, "transA", 0)) {
        int64_t swap = rows;
        rows = inner;
        inner = swap;
    }
    bool turned = onnx_setting(step, "transB", 0) != 0;
    if (inner != b->shape.dims[turned ? 1 : 0] && !step->bounded) {
        return onnx_why(step, "the matrices do not fit together");
    }
    return onnx_set_lengths(step, 0, a->type, rows, b->shape.dims[turned ? 0 : 1]);
}

struct sum { /* of an Einsum: the length of each letter */
    int64_t length[128];
    int64_t wide[ONNX_RANK]; /* of "..." */
    uint32_t wide_rank;
};

/* The letters of one operand, spaces left out; "..." as '.'. False: not such a term. */
static bool term(const char **at, const char *end, char *letters, uint32_t *count) {
    *count = 0;
    for (; *at < end && **at != ',' && **at != '-'; ++*at) {
        char c = **at;
        if (c == ' ') {
            continue;
        }
        if (c == '.') {
            if (end - *at < 3 || (*at)[1] != '.' || (*at)[2] != '.') {
                return false;
            }
            *at += 2;
        } else if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
            return false;
        }
        if (*count == ONNX_RANK) {
            return false;
        }
        letters[(*count)++] = c;
    }
    return true;
}

static bool sum_input(struct onnx_step *step, struct sum *sum, const char *letters, uint32_t count,
                      const struct onnx_shape *shape) {
    bool wide = memchr(letters, '.', count) != NULL;
    if (wide ? shape->rank + 1 < count : shape->rank != count) {
        return onnx_why(step, "the equation does not fit the inputs");
    }
    uint32_t axis = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (letters[i] == '.') {
            struct onnx_shape part = {true, shape->rank + 1 - count, shape->dims + axis};
            if (!onnx_broadcast(step, &part, &sum->wide_rank, sum->wide)) {
                return false;
            }
            axis += part.rank;
            continue;
        }
        int64_t *length = &sum->length[(unsigned char)letters[i] & 127];
        if (*length > 1 && shape->dims[axis] > 1 && *length != shape->dims[axis]) {
            return onnx_why(step, "the equation does not fit the inputs");
        }
        *length = *length == -1 || *length == 1 ? shape->dims[axis] : *length;
        axis++;
    }
    return true;
}

static bool sum_output(struct onnx_step *step, const struct sum *sum, const char *letters, uint32_t count, int type) {
    int64_t dims[2 * ONNX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (letters[i] == '.') {
            memcpy(dims + rank, sum->wide, sum->wide_rank * sizeof *dims);
            rank += sum->wide_rank;
        } else {
            dims[rank++] = sum->length[(unsigned char)letters[i] & 127];
        }
        if (rank > ONNX_RANK || (rank > 0 && dims[rank - 1] < 0)) {
            return onnx_why(step, "the equation names an axis that no input has");
        }
    }
    return onnx_set(step, 0, type, rank, dims);
}

bool onnx_shape_einsum(struct onnx_step *step) {
    struct sw_pb_bytes text = onnx_string(step->model, step->node, "equation");
    const char *at = text.length ? (const char *)text.at : "", *end = at + text.length;
    struct sum sum = {.wide_rank = 0};
    char letters[ONNX_RANK + 1], implied[ONNX_RANK + 1];
    uint8_t seen[128] = {0};
    uint32_t count, implied_count = 0;
    memset(sum.length, -1, sizeof sum.length);
    for (uint32_t i = 0; text.length > 0; i++) {
        const struct onnx_value *x = onnx_need(step, i);
        if (!x || !term(&at, end, letters, &count) || !sum_input(step, &sum, letters, count, &x->shape)) {
            return onnx_why(step, "the equation cannot be read");
        }
        for (uint32_t k = 0; k < count; k++) {
            uint8_t *times = &seen[(unsigned char)letters[k] & 127];
            *times = *times > 0 ? 2 : 1;
        }
        if (at == end || *at != ',') {
            break;
        }
        at++;
    }
    const struct onnx_value *x = onnx_need(step, 0);
    if (x && end - at >= 2 && at[0] == '-' && at[1] == '>') {
        at += 2;
        return term(&at, end, letters, &count) && at == end ? sum_output(step, &sum, letters, count, x->type)
                                                            : onnx_why(step, "the equation cannot be read");
    }
    if (!x || at != end || text.length == 0) {
        return onnx_why(step, "the equation cannot be read");
    }
    for (int c = 0; c < 128; c++) { /* without an arrow: what occurs once, in order */
        if ((c == '.' ? seen[c] > 0 : seen[c] == 1) && implied_count < ONNX_RANK) {
            implied[implied_count++] = (char)c;
        }
    }
    return sum_output(step, &sum, implied, implied_count, x->type);
}

/* ---- recurrent layers ---- */

bool onnx_shape_recurrent(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *r = onnx_need(step, 2);
    if (!x || !r || x->shape.rank != 3 || r->shape.rank != 3) {
        return onnx_why(step, "input or recurrent weights do not have three axes");
    }
    int64_t hidden = onnx_setting(step, "hidden_size", r->shape.dims[2]);
    int64_t ways = r->shape.dims[0];
    bool batched = onnx_setting(step, "layout", 0) != 0;
    int64_t time = x->shape.dims[batched ? 1 : 0], batch = x->shape.dims[batched ? 0 : 1];
    int64_t all[] = {time, ways, batch, hidden}, all_batched[] = {batch, time, ways, hidden};
    int64_t last[] = {ways, batch, hidden}, last_batched[] = {batch, ways, hidden};
    return onnx_set(step, 0, x->type, 4, batched ? all_batched : all) &&
           onnx_set(step, 1, x->type, 3, batched ? last_batched : last) &&
           onnx_set(step, 2, x->type, 3, batched ? last_batched : last);
}

/* ---- resolution ---- */

bool onnx_shape_depth_to_space(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t block = onnx_setting(step, "blocksize", 0);
    bool down = sw_pb_equal(step->node->kind, "SpaceToDepth");
    if (!x || x->shape.rank != 4 || block < 1 || block > 1 << 20) {
        return onnx_why(step, "the input is no image, or blocksize is out of range");
    }
    const int64_t *in = x->shape.dims;
    int64_t square = block * block;
    if (down ? in[2] % block || in[3] % block : in[1] % square) {
        return onnx_why(step, "the input cannot be divided by blocksize");
    }
    int64_t dims[] = {in[0], down ? in[1] : in[1] / square, in[2], in[3]};
    if (down) {
        dims[2] /= block;
        dims[3] /= block;
    }
    if (__builtin_mul_overflow(dims[1], down ? square : 1, &dims[1]) ||
        __builtin_mul_overflow(dims[2], down ? 1 : block, &dims[2]) ||
        __builtin_mul_overflow(dims[3], down ? 1 : block, &dims[3])) {
        return onnx_why(step, "a dimension comes out too large");
    }
    return onnx_set(step, 0, x->type, 4, dims);
}

/* A length times a factor, as ONNX rounds it. */
static bool scaled(struct onnx_step *step, int64_t length, double factor, int64_t *to) {
    double product = floor((double)length * factor);
    if (!(product >= 0) || product > (double)(INT64_C(1) << 60)) {
        return onnx_why(step, "a scale is out of range");
    }
    *to = (int64_t)product;
    return true;
}

/* The axes that a Resize changes: those of its attribute, or else all in order. */
static bool resize_axes(struct onnx_step *step, uint32_t rank, uint32_t *axes, size_t *count) {
    int64_t given[ONNX_RANK];
    if (!onnx_ints(step->model, step->node, "axes", given, ONNX_RANK, count)) {
        for (*count = 0; *count < rank; ++*count) {
            axes[*count] = (uint32_t)*count;
        }
        return true;
    }
    for (size_t i = 0; i < *count; i++) {
        if (!onnx_axis(step, given[i], rank, &axes[i])) {
            return false;
        }
    }
    return true;
}

/* keep_aspect_ratio_policy: one factor for all axes. */
static bool keep_aspect(struct onnx_step *step, const struct onnx_shape *x, const uint32_t *axes, size_t count,
                        const union onnx_number *sizes, int64_t *dims) {
    struct sw_pb_bytes policy = onnx_string(step->model, step->node, "keep_aspect_ratio_policy");
    bool less = sw_pb_equal(policy, "not_larger"), more = sw_pb_equal(policy, "not_smaller");
    double factor = -1;
    for (size_t i = 0; i < count; i++) {
        double own = (double)sizes[i].i / (double)x->dims[axes[i]];
        factor = factor < 0 || (less ? own < factor : own > factor) ? own : factor;
        dims[axes[i]] = sizes[i].i;
    }
    for (size_t i = 0; i < count && (less || more); i++) {
        double length = round(factor * (double)x->dims[axes[i]]);
        if (!(length >= 0) || length > (double)(INT64_C(1) << 60)) {
            return onnx_why(step, "a size is out of range");
        }
        dims[axes[i]] = (int64_t)length;
    }
    return true;
}

bool onnx_shape_resize(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    uint32_t axes[ONNX_RANK];
    int64_t dims[ONNX_RANK];
    size_t axis_count;
    uint64_t count = 0;
    if (!x || !resize_axes(step, x->shape.rank, axes, &axis_count)) {
        return false;
    }
    memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    const struct onnx_value *sizes = onnx_in(step, 3);
    uint32_t at = step->node->opset < 11 ? 1 : sizes ? 3 : 2;
    const struct onnx_value *given = onnx_need(step, at);
    if (!given) {
        return false;
    }
    if (!given->data) { /* how large, only the run knows */
        for (size_t i = 0; i < axis_count; i++) {
            dims[axes[i]] = ONNX_OPEN;
        }
        return onnx_set(step, 0, x->type, x->shape.rank, dims);
    }
    const union onnx_number *data = onnx_need_data(step, at, &count);
    if (count != axis_count) {
        return onnx_why(step, "there is not one scale or size for every axis");
    }
    if (at == 3) {
        return keep_aspect(step, &x->shape, axes, axis_count, data, dims) &&
               onnx_set(step, 0, x->type, x->shape.rank, dims);
    }
    for (size_t i = 0; i < axis_count; i++) {
        if (!scaled(step, x->shape.dims[axes[i]], data[i].f, &dims[axes[i]])) {
            return false;
        }
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

/* Scales were attributes once: a list, or one for height and one for width. */
bool onnx_shape_upsample(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    struct onnx_attribute attribute;
    int64_t dims[ONNX_RANK];
    size_t count = 0;
    if (!x) {
        return false;
    }
    if (onnx_in(step, 1)) {
        return onnx_shape_resize(step);
    }
    if (!onnx_attribute(step->model, step->node, "scales", &attribute)) {
        double height = onnx_float(step->model, step->node, "height_scale", 1);
        double width = onnx_float(step->model, step->node, "width_scale", 1);
        if (x->shape.rank != 4) {
            return onnx_why(step, "there are no scales");
        }
        memcpy(dims, x->shape.dims, 4 * sizeof *dims);
        return scaled(step, dims[2], height, &dims[2]) && scaled(step, dims[3], width, &dims[3]) &&
               onnx_set(step, 0, x->type, 4, dims);
    }
    const union onnx_number *scales = onnx_list(step->model, &attribute, true, &count);
    if (!scales || count != x->shape.rank) {
        return onnx_why(step, "there is not one scale for every axis");
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        if (!scaled(step, x->shape.dims[i], scales[i].f, &dims[i])) {
            return false;
        }
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}
