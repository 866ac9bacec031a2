#include "fit/networks.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MACS = 40000, MOST_BYTES = 4096, MOST_CHANNELS = 12, LARGEST_KERNEL = 7 };

struct drawing {
    struct written *w;
    uint64_t r;
    int now;   /* the tensor that the next operator goes on from */
    int times; /* how often as large as usual it may be */
};

static int below(struct drawing *d, int bound) {
    return (int)sw_random_below(&d->r, (uint64_t)bound);
}

static int between(struct drawing *d, int lo, int hi) {
    return lo + below(d, hi - lo + 1);
}

static bool chance(struct drawing *d, int one_in) {
    return below(d, one_in) == 0;
}

/* A scale of a tensor that is computed: 0.02 to 0.1. */
static float draw_scale(struct drawing *d) {
    return (float)between(d, 20, 100) / 1000.0f;
}

static int draw_zero(struct drawing *d) {
    return chance(d, 4) ? 0 : chance(d, 3) ? -128 : between(d, -100, 100);
}

static const struct written_tensor *at(const struct drawing *d, int tensor) {
    return &d->w->tensors[tensor];
}

static float scale_at(const struct drawing *d, int tensor) {
    return at(d, tensor)->scales[0];
}

static int like(struct drawing *d, int tensor, float scale, int zero) {
    const struct written_tensor *from = at(d, tensor);
    return add_tensor(d->w, INT8, from->rank, from->dims, scale, zero);
}

static int32_t *draw_bias(struct drawing *d, int32_t channels) {
    int32_t *bias = malloc((size_t)channels * sizeof *bias);
    for (int32_t c = 0; c < channels; c++) {
        bias[c] = between(d, -3000, 3000);
    }
    return bias;
}

/* Weights: sums of `terms` of them fill most of the result's range. There is a scale for each channel, or one for all.
 */
static void add_weights(struct drawing *d, int in, int out, int rank, const int32_t *dims, int axis, int terms,
                        bool per_channel, int filter_bias[2]) {
    struct written *w = d->w;
    int32_t channels = dims[axis];
    size_t count = 1;
    for (int i = 0; i < rank; i++) {
        count *= (size_t)dims[i];
    }
    int8_t *weights = malloc(count);
    for (size_t i = 0; i < count; i++) {
        weights[i] = (int8_t)between(d, -127, 127);
    }
    float *scales = malloc((size_t)channels * sizeof *scales), *products = malloc((size_t)channels * sizeof *scales);
    float usual = scale_at(d, out) / (scale_at(d, in) * 110.0f * sqrtf((float)terms));
    for (int32_t c = 0; c < channels; c++) {
        scales[c] = c > 0 && !per_channel ? scales[0] : usual * (float)between(d, 50, 150) / 100.0f;
        products[c] = scales[c] * scale_at(d, in);
    }
    uint32_t scale_count = per_channel ? (uint32_t)channels : 1;
    int32_t *bias = draw_bias(d, channels);
    filter_bias[0] = add_constant(w, INT8, rank, dims, scales[0], 0, weights);
    filter_bias[1] = add_constant(w, INT32, 1, &channels, products[0], 0, bias);
    set_scales(w, filter_bias[0], scales, scale_count, axis);
    set_scales(w, filter_bias[1], products, scale_count, 0);
    free(weights);
    free(scales);
    free(products);
    free(bias);
}

/* ---- windows ---- */

/* How long an axis becomes; 0: it would vanish. */
static int made(int in, int kernel, int stride, int dilation, int padding) {
    int reach = (kernel - 1) * dilation + 1;
    return padding == SAME ? (in + stride - 1) / stride : in < reach ? 0 : (in - reach) / stride + 1;
}

static int draw_kernel(struct drawing *d) {
    return chance(d, 3) ? 3 : between(d, 1, LARGEST_KERNEL);
}

static int draw_stride(struct drawing *d) {
    return chance(d, 2) ? 1 : between(d, 1, 3);
}

/* Rows and columns of the window go into the options, as filter_h and filter_w, and what it makes into `dims`. False:
 * too small. */
static bool draw_window(struct drawing *d, bool dilates, bool keeps, struct options *o, int32_t dims[4]) {
    const struct written_tensor *in = at(d, d->now);
    *o = (struct options){.padding = keeps || chance(d, 2) ? SAME : VALID,
                          .filter_h = draw_kernel(d),
                          .filter_w = draw_kernel(d),
                          .stride_h = keeps ? 1 : draw_stride(d),
                          .stride_w = keeps ? 1 : draw_stride(d)};
    o->dilation_h = dilates && chance(d, 3) ? between(d, 1, 3) : 1;
    o->dilation_w = dilates && chance(d, 3) ? between(d, 1, 3) : 1;
    o->activation = chance(d, 2) ? NO_ACTIVATION : between(d, WITH_RELU, WITH_RELU6);
    dims[0] = 1;
    dims[1] = made(in->dims[1], o->filter_h, o->stride_h, o->dilation_h, o->padding);
    dims[2] = made(in->dims[2], o->filter_w, o->stride_w, o->dilation_w, o->padding);
    dims[3] = in->dims[3];
    return dims[1] > 0 && dims[2] > 0;
}

static bool is_small(const struct drawing *d, const int32_t dims[4], int macs) {
    return dims[1] * dims[2] * dims[3] <= MOST_BYTES * d->times &&
           dims[1] * dims[2] * dims[3] * macs <= MOST_MACS * d->times;
}

/* A convolution of what is there now; `to`: it makes that tensor, of the same rows and columns; NONE: a new one. False:
 * it is too large, or the window is. */
static bool add_convolution(struct drawing *d, int to) {
    struct options o;
    int32_t dims[4], channels = at(d, d->now)->dims[3];
    bool depthwise = to == NONE ? chance(d, 2) : at(d, to)->dims[3] == channels && chance(d, 2);
    if (!draw_window(d, true, to != NONE, &o, dims)) {
        return false;
    }
    int multiplier = depthwise && to == NONE && chance(d, 4) ? between(d, 2, 3) : 1;
    dims[3] = to != NONE ? at(d, to)->dims[3] : depthwise ? channels * multiplier : between(d, 1, MOST_CHANNELS);
    int terms = o.filter_h * o.filter_w * (depthwise ? 1 : channels), weights[2];
    if (dims[3] > 3 * MOST_CHANNELS || !is_small(d, dims, terms)) {
        return false;
    }
    int out = to != NONE ? to : add_tensor(d->w, INT8, 4, dims, draw_scale(d), draw_zero(d));
    int32_t filter[4] = {depthwise ? 1 : dims[3], o.filter_h, o.filter_w, depthwise ? dims[3] : channels};
    add_weights(d, d->now, out, 4, filter, depthwise ? 3 : 0, terms, !chance(d, 5), weights);
    int bias =
        depthwise || !chance(d, 6) ? weights[1] : NONE; /* depthwise kernels of interpreters do not work without one */
    struct written_operation *op = add_operation(d->w, depthwise ? DEPTHWISE_CONV_2D : CONV_2D,
                                                 (int[]){d->now, weights[0], bias, LIST_END}, (int[]){out, LIST_END});
    op->options = o;
    op->options.depth_multiplier = multiplier;
    d->now = out;
    return true;
}

static bool add_pool(struct drawing *d) {
    struct options o;
    int32_t dims[4];
    if (!draw_window(d, false, false, &o, dims) || !is_small(d, dims, o.filter_h * o.filter_w)) {
        return false;
    }
    int out = add_tensor(d->w, INT8, 4, dims, scale_at(d, d->now), (int)at(d, d->now)->zero);
    struct written_operation *op = add_operation(d->w, chance(d, 2) ? AVERAGE_POOL_2D : MAX_POOL_2D,
                                                 (int[]){d->now, LIST_END}, (int[]){out, LIST_END});
    op->options = o;
    d->now = out;
    return true;
}

static bool add_pad(struct drawing *d) {
    const struct written_tensor *in = at(d, d->now);
    int32_t amounts[8] = {0, 0, between(d, 0, 3), between(d, 0, 3), between(d, 0, 3), between(d, 0, 3), 0, 0};
    int32_t dims[4] = {1, in->dims[1] + amounts[2] + amounts[3], in->dims[2] + amounts[4] + amounts[5], in->dims[3]};
    if (!is_small(d, dims, 1)) {
        return false;
    }
    float scale = scale_at(d, d->now);
    int zero = (int)in->zero, value = NONE, list = add_constant(d->w, INT32, 2, (int32_t[]){4, 2}, 0, 0, amounts);
    int8_t given = (int8_t)between(d, -128, 127);
    if (chance(d, 3)) {
        value = add_constant(d->w, INT8, 1, (int32_t[]){1}, scale, zero, &given);
    }
    int out = add_tensor(d->w, INT8, 4, dims, scale, zero);
    add_operation(d->w, value == NONE ? PAD : PADV2, (int[]){d->now, list, value == NONE ? LIST_END : value, LIST_END},
                  (int[]){out, LIST_END});
    d->now = out;
    return true;
}

/* ---- elementwise ---- */

static bool add_unary(struct drawing *d) {
    static const int codes[] = {RELU, RELU6, LEAKY_RELU, HARD_SWISH, LOGISTIC, TANH, QUANTIZE, ABS};
    int code = codes[below(d, 8)], zero = (int)at(d, d->now)->zero;
    float scale = scale_at(d, d->now);
    switch (code) {
    case RELU6: /* kernels keep the scale, and want a 6 that is in range */
        if (6 / scale + (float)zero > 127) {
            return false;
        }
        break;
    case LOGISTIC:
        scale = 1.0f / 256;
        zero = -128;
        break;
    case TANH:
        scale = 1.0f / 128;
        zero = 0;
        break;
    case RELU:
    case LEAKY_RELU:
    case HARD_SWISH:
    case ABS:
    case QUANTIZE:
        scale = scale < 1 ? draw_scale(d) : scale; /* kernels have no factors of any size */
        zero = draw_zero(d);
        break;
    default:
        break;
    }
    int out = like(d, d->now, scale, zero);
    struct written_operation *op = add_operation(d->w, code, (int[]){d->now, LIST_END}, (int[]){out, LIST_END});
    op->options.alpha = (float)between(d, 1, 9) / 10;
    d->now = out;
    return true;
}

/* A constant of one element, or of one for each channel. */
static int draw_constant(struct drawing *d, float scale, int zero) {
    int8_t values[3 * MOST_CHANNELS * MOST_LISTED];
    int32_t channels = at(d, d->now)->dims[3], length = chance(d, 2) ? 1 : channels;
    if (channels > (int32_t)sizeof values) {
        length = 1;
    }
    for (int32_t i = 0; i < length; i++) {
        values[i] = (int8_t)between(d, -128, 127);
    }
    return chance(d, 2) ? add_constant(d->w, INT8, 1, &length, scale, zero, values)
                        : add_constant(d->w, INT8, 4, (int32_t[]){1, 1, 1, length}, scale, zero, values);
}

/* With a tensor of the same shape (NONE: a constant) at either side. */
static void add_binary(struct drawing *d, int other) {
    static const int codes[] = {ADD, ADD, ADD, MUL, SUB, MAXIMUM, MINIMUM, PRELU};
    int code = codes[below(d, other == NONE ? 8 : 7)];
    bool keeps = code == MAXIMUM || code == MINIMUM; /* kernels compare the bytes as they are */
    float scale = scale_at(d, d->now), second = keeps || chance(d, 2) ? scale : draw_scale(d);
    int zero = (int)at(d, d->now)->zero;
    if (other == NONE) {
        other = draw_constant(d, second, keeps ? zero : draw_zero(d));
    } else {
        second = scale_at(d, other);
        keeps = keeps && second == scale && at(d, other)->zero == zero;
        code = (code == MAXIMUM || code == MINIMUM) && !keeps ? ADD : code;
    }
    float largest = scale > second ? scale : second;
    float result = keeps || code == PRELU ? scale : code == MUL ? scale * second * 60 : largest * 1.5f;
    int out = like(d, d->now, result, keeps ? zero : draw_zero(d));
    bool swaps = code != PRELU && chance(d, 2);
    struct written_operation *op = add_operation(
        d->w, code, (int[]){swaps ? other : d->now, swaps ? d->now : other, LIST_END}, (int[]){out, LIST_END});
    op->options.activation = code == ADD || code == MUL || code == SUB ? below(d, 4) : 0;
    d->now = out;
}

/* ---- branches ---- */

/* A convolution that keeps rows and columns, and makes a tensor of that many channels. False: it is too large. */
static bool add_keeping(struct drawing *d, int32_t channels, float scale, int zero) {
    int32_t dims[4] = {1, at(d, d->now)->dims[1], at(d, d->now)->dims[2], channels};
    int out = add_tensor(d->w, INT8, 4, dims, scale, zero);
    if (!add_convolution(d, out)) {
        free(d->w->tensors[out].scales);
        d->w->tensor_count = out;
        return false;
    }
    return true;
}

/* A convolution that keeps the shape, or two, and the sum with what was before. */
static bool add_residual(struct drawing *d) {
    int before = d->now;
    int32_t channels = at(d, before)->dims[3];
    if (!add_keeping(d, channels, draw_scale(d), draw_zero(d))) {
        return false;
    }
    if (chance(d, 2)) {
        add_keeping(d, channels, draw_scale(d), draw_zero(d));
    }
    add_binary(d, before);
    return true;
}

/* Two or three convolutions of one tensor, of the same scale, side by side; the tensor itself at times. */
static bool add_branches(struct drawing *d) {
    int before = d->now, count = between(d, 2, 3), parts[4], made_parts = 0;
    const struct written_tensor *in = at(d, before);
    bool itself = chance(d, 3);
    float scale = itself ? scale_at(d, before) : draw_scale(d);
    int zero = itself ? (int)in->zero : draw_zero(d);
    int32_t dims[4] = {1, in->dims[1], in->dims[2], 0}, channels = 0;
    for (int i = 0; i < count; i++) {
        d->now = before;
        if (itself && i == 0) {
            parts[made_parts++] = before;
            channels += in->dims[3];
            continue;
        }
        dims[3] = between(d, 1, MOST_CHANNELS / 2);
        if (add_keeping(d, dims[3], scale, zero)) {
            parts[made_parts++] = d->now;
            channels += dims[3];
        }
    }
    d->now = before;
    if (made_parts == 0 || (itself && made_parts == 1)) {
        return false;
    }
    dims[3] = channels;
    int out = add_tensor(d->w, INT8, 4, dims, scale, zero);
    parts[made_parts] = LIST_END;
    add_operation(d->w, CONCATENATION, parts, (int[]){out, LIST_END})->options.axis = chance(d, 2) ? 3 : -1;
    d->now = out;
    return true;
}

/* ---- the head ---- */

static void add_matrix(struct drawing *d, int32_t depth) {
    int32_t count = between(d, 2, 10);
    int out = add_tensor(d->w, INT8, 2, (int32_t[]){1, count}, draw_scale(d), draw_zero(d)), weights[2];
    add_weights(d, d->now, out, 2, (int32_t[]){count, depth}, 0, (int)depth, chance(d, 2), weights);
    add_operation(d->w, FULLY_CONNECTED, (int[]){d->now, weights[0], weights[1], LIST_END}, (int[]){out, LIST_END});
    d->now = out;
}

static void add_head(struct drawing *d) {
    const struct written_tensor *in = at(d, d->now);
    int32_t channels = in->dims[3], all = in->dims[1] * in->dims[2] * channels;
    int zero = (int)in->zero;
    float scale = scale_at(d, d->now);
    if (chance(d, 2)) {
        int axes = add_constant(d->w, INT32, 1, (int32_t[]){2}, 0, 0, (int32_t[]){1, 2});
        int out = add_tensor(d->w, INT8, 2, (int32_t[]){1, channels}, draw_scale(d), draw_zero(d));
        add_operation(d->w, MEAN, (int[]){d->now, axes, LIST_END}, (int[]){out, LIST_END});
        d->now = out;
        add_matrix(d, channels);
    } else {
        int shape = add_constant(d->w, INT32, 1, (int32_t[]){2}, 0, 0, (int32_t[]){1, all});
        int out = add_tensor(d->w, INT8, 2, (int32_t[]){1, all}, scale, zero);
        add_operation(d->w, RESHAPE, (int[]){d->now, shape, LIST_END}, (int[]){out, LIST_END});
        d->now = out;
        if (all <= MOST_BYTES / 2) { /* weights are written in full */
            add_matrix(d, all);
        }
    }
    if (chance(d, 2)) {
        int out = like(d, d->now, 1.0f / 256, -128);
        add_operation(d->w, SOFTMAX, (int[]){d->now, LIST_END}, (int[]){out, LIST_END})->options.beta = 1;
        d->now = out;
    }
}

/* ---- all of it ---- */

static void add_output_once(struct drawing *d) {
    for (int i = 0; i < d->w->output_counts[0]; i++) {
        if (d->w->outputs[0][i] == d->now) {
            return;
        }
    }
    add_output(d->w, d->now);
}

static int draw_length(struct drawing *d, int most) {
    return chance(d, 12) ? 1 : between(d, most / 4, most);
}

static bool add_any(struct drawing *d) {
    switch (below(d, 12)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return add_convolution(d, NONE);
    case 4:
    case 5:
        return add_pool(d);
    case 6:
        return add_pad(d);
    case 7:
        return add_unary(d);
    case 8:
        add_binary(d, chance(d, 8) ? d->now : NONE);
        return true; /* with itself at times */
    case 9:
    case 10:
        return add_residual(d);
    default:
        return add_branches(d);
    }
}

void draw_network(struct written *w, uint64_t seed) {
    struct drawing d = {.w = w, .r = sw_mix(seed + 34)};
    *w = (struct written){0};
    d.times = chance(&d, 12) ? 6 : 1;
    int32_t dims[4] = {1, draw_length(&d, d.times > 1 ? 64 : 36), draw_length(&d, d.times > 1 ? 32 : 14),
                       between(&d, 1, 6)};
    d.now = add_tensor(w, INT8, 4, dims, draw_scale(&d), draw_zero(&d));
    add_input(w, d.now);
    if (chance(&d, 10)) { /* a second one, which is added, or the like */
        int other = like(&d, d.now, draw_scale(&d), draw_zero(&d));
        add_input(w, other);
        add_binary(&d, other);
    }
    int wanted = between(&d, 1, 9);
    for (int tries = 0; w->operation_count < wanted && tries < 60; tries++) {
        add_any(&d);
        if (chance(&d, 40) && w->operation_count > 0 && w->output_counts[0] < 2) {
            add_output_once(&d); /* a tensor from the middle is wanted, too */
        }
    }
    if (w->operation_count == 0) {
        add_binary(&d, NONE);
    }
    if (chance(&d, 4)) {
        add_head(&d);
    }
    add_output_once(&d);
}

/* Wide tensors, each from the same narrow one; all are there before the first of them is used. The narrow results are
 * put together. */
static void add_side_by_side(struct drawing *d) {
    int before = d->now, count = between(d, 2, 3), wide[3], parts[4], made_parts = 0;
    float scale = draw_scale(d);
    int zero = draw_zero(d);
    for (int i = 0; i < count; i++) {
        d->now = before;
        wide[i] =
            add_keeping(d, between(d, MOST_CHANNELS / 2, MOST_CHANNELS), draw_scale(d), draw_zero(d)) ? d->now : before;
    }
    for (int i = 0; i < count; i++) {
        d->now = wide[i];
        if (add_keeping(d, between(d, 1, 2), scale, zero)) {
            parts[made_parts++] = d->now;
        }
    }
    d->now = made_parts > 0 ? parts[0] : before;
    if (made_parts > 1) {
        int32_t dims[4] = {1, at(d, before)->dims[1], at(d, before)->dims[2], 0};
        for (int i = 0; i < made_parts; i++) {
            dims[3] += at(d, parts[i])->dims[3];
        }
        parts[made_parts] = LIST_END;
        d->now = add_tensor(d->w, INT8, 4, dims, scale, zero);
        add_operation(d->w, CONCATENATION, parts, (int[]){d->now, LIST_END})->options.axis = 3;
    }
}

void draw_skipping(struct written *w, uint64_t seed) {
    struct drawing d = {.w = w, .r = sw_mix(seed + 35)};
    *w = (struct written){0};
    d.times = 4;
    int32_t dims[4] = {1, between(&d, 8, 16), between(&d, 6, 12), between(&d, 1, 2)};
    d.now = add_tensor(w, INT8, 4, dims, draw_scale(&d), draw_zero(&d));
    add_input(w, d.now);
    int narrow = d.now, channels = between(&d, 3, MOST_CHANNELS / 2);
    if (chance(&d, 2)) {
        add_unary(&d);
    }
    add_keeping(&d, channels, draw_scale(&d), draw_zero(&d));
    int waits = d.now; /* wide, used at once and at the end */
    if (chance(&d, 3)) {
        add_unary(&d);
    } else {
        d.now = chance(&d, 2) ? narrow : waits;
    }
    if (waits != narrow && d.now != waits) {
        int before = d.now;
        d.now = waits;
        add_keeping(&d, 1, draw_scale(&d), draw_zero(&d));
        d.now = chance(&d, 2) ? d.now : before;
    }
    for (int i = between(&d, 1, 2); i > 0; i--) {
        add_side_by_side(&d);
        if (chance(&d, 2)) {
            add_unary(&d);
        }
    }
    if (at(&d, d.now)->dims[3] != at(&d, waits)->dims[3]) {
        add_keeping(&d, at(&d, waits)->dims[3], draw_scale(&d), draw_zero(&d));
    }
    if (d.now != waits && at(&d, d.now)->dims[3] == at(&d, waits)->dims[3]) {
        add_binary(&d, waits);
    }
    if (chance(&d, 3)) {
        add_unary(&d);
    }
    if (w->operation_count == 0) {
        add_binary(&d, NONE);
    }
    add_output_once(&d);
}

static void file_of(void (*draw)(struct written *, uint64_t), uint64_t seed, struct bytes *bytes) {
    struct written *w = malloc(sizeof *w);
    draw(w, seed);
    write_model(w, bytes);
    written_done(w);
    free(w);
}

void skipping_file(uint64_t seed, struct bytes *bytes) {
    file_of(draw_skipping, seed, bytes);
}

static void draw_idle(struct written *w, uint64_t seed) {
    draw_network(w, seed);
    add_tensor(w, INT8, 4, (int32_t[]){1, 2, 2, 1}, 1, 0);
}

void idle_file(uint64_t seed, struct bytes *bytes) {
    file_of(draw_idle, seed, bytes);
}

void network_file(uint64_t seed, struct bytes *bytes) {
    file_of(draw_network, seed, bytes);
}
