#include "fit/onnx_run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TENSORS = 4096, MOST_NODES = 4096, MOST_ARGUMENTS = 64, MOST_ATTRIBUTES = 16 };
enum { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, INT64 = 7 };

typedef struct onnx_tensor_run tensor;
struct span {
    const unsigned char *at, *end;
};
struct field {
    unsigned number, wire;
    uint64_t value;
    struct span bytes;
};
struct attribute {
    char name[40];
    int64_t i, ints[12];
    size_t int_count;
    float f;
    char s[40];
    struct span t;
};
struct node {
    char kind[40], in[MOST_ARGUMENTS][200], out[200];
    size_t in_count, out_count, attribute_count;
    struct attribute attributes[MOST_ATTRIBUTES];
    bool ran;
};
struct machine {
    tensor *tensors;
    size_t count;
    struct node *nodes;
    size_t node_count;
    int64_t opset;
    char *why;
};

static bool say(struct machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(struct machine *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->why, ONNX_RUN_WHY, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- the file ---- */

static uint64_t varint(struct span *s) {
    uint64_t value = 0;
    for (unsigned shift = 0; s->at < s->end && shift < 64; shift += 7) {
        unsigned char byte = *s->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            break;
        }
    }
    return value;
}

static bool next(struct span *s, struct field *f) {
    if (s->at >= s->end) {
        return false;
    }
    uint64_t tag = varint(s);
    f->number = (unsigned)(tag >> 3);
    f->wire = tag & 7;
    if (f->wire == 0) {
        f->value = varint(s);
    } else if (f->wire == 2) {
        size_t length = (size_t)varint(s);
        f->bytes = (struct span){s->at, s->at + length};
        s->at += length;
    } else {
        f->value = 0;
        memcpy(&f->value, s->at, f->wire == 5 ? 4 : 8);
        s->at += f->wire == 5 ? 4 : 8;
    }
    return s->at <= s->end;
}

static void text(struct span s, char *to, size_t size) {
    snprintf(to, size, "%.*s", (int)(s.end - s.at), (const char *)s.at);
}

static tensor *find(struct machine *m, const char *name) {
    for (size_t i = 0; i < m->count; i++) {
        if (strcmp(m->tensors[i].name, name) == 0) {
            return &m->tensors[i];
        }
    }
    return NULL;
}

static tensor *fresh(struct machine *m, const char *name, int type, int rank, const int64_t *dims) {
    if (m->count == MOST_TENSORS || find(m, name)) {
        say(m, "%s is there twice", name);
        return NULL;
    }
    tensor *t = &m->tensors[m->count++];
    *t = (tensor){.type = type, .rank = rank, .count = 1};
    snprintf(t->name, sizeof t->name, "%s", name);
    for (int i = 0; i < rank; i++) {
        t->dims[i] = dims[i];
        t->count *= (size_t)dims[i];
    }
    t->data = calloc(t->count + 1, sizeof *t->data);
    return t;
}

static double element(const unsigned char *at, int type) {
    float f = 0;
    int32_t i = 0;
    int64_t l = 0;
    memcpy(&f, at, type == FLOAT ? 4 : 0);
    memcpy(&i, at, type == INT32 ? 4 : 0);
    memcpy(&l, at, type == INT64 ? 8 : 0);
    return type == FLOAT ? (double)f : type == UINT8 ? *at : type == INT8 ? (int8_t)*at : type == INT32 ? i : (double)l;
}

static bool read_tensor(struct machine *m, struct span s, const char *name) {
    struct field f;
    struct span raw = {0}, floats = {0};
    int64_t dims[ONNX_RUN_RANK] = {0};
    int rank = 0, type = 0;
    char own[200] = "";
    while (next(&s, &f)) {
        if (f.number == 1 && f.wire == 0 && rank < ONNX_RUN_RANK) {
            dims[rank++] = (int64_t)f.value;
        } else if (f.number == 2) {
            type = (int)f.value;
        } else if (f.number == 8) {
            text(f.bytes, own, sizeof own);
        } else if (f.number == 9) {
            raw = f.bytes;
        } else if (f.number == 4) {
            floats = f.bytes;
        }
    }
    tensor *t = fresh(m, name ? name : own, type, rank, dims);
    size_t width = type == FLOAT || type == INT32 ? 4 : type == INT64 ? 8 : 1;
    raw = raw.at ? raw : floats;
    if (!t || (size_t)(raw.end - raw.at) != width * t->count) {
        return t ? say(m, "%s has other bytes than its shape", t->name) : false;
    }
    for (size_t i = 0; i < t->count; i++) {
        t->data[i] = element(raw.at + i * width, type);
    }
    return true;
}

static bool read_attribute(struct span s, struct attribute *a) {
    struct field f;
    while (next(&s, &f)) {
        float number;
        switch (f.number) {
        case 1:
            text(f.bytes, a->name, sizeof a->name);
            break;
        case 2:
            memcpy(&number, &f.value, 4);
            a->f = number;
            break;
        case 3:
            a->i = (int64_t)f.value;
            break;
        case 4:
            text(f.bytes, a->s, sizeof a->s);
            break;
        case 5:
            a->t = f.bytes;
            break;
        case 8:
            if (a->int_count == 12) {
                return false;
            }
            a->ints[a->int_count++] = (int64_t)f.value;
            break;
        default:
            break;
        }
    }
    return true;
}

static bool read_node(struct machine *m, struct span s) {
    struct field f;
    struct node *n = &m->nodes[m->node_count++];
    memset(n, 0, sizeof *n);
    while (next(&s, &f)) {
        if (f.number == 1 && n->in_count < MOST_ARGUMENTS) {
            text(f.bytes, n->in[n->in_count++], sizeof n->in[0]);
        } else if (f.number == 2) {
            text(f.bytes, n->out, sizeof n->out);
            n->out_count++;
        } else if (f.number == 4) {
            text(f.bytes, n->kind, sizeof n->kind);
        } else if (f.number == 5 && (n->attribute_count == MOST_ATTRIBUTES ||
                                     !read_attribute(f.bytes, &n->attributes[n->attribute_count++]))) {
            return say(m, "%s has too many attributes", n->out);
        }
    }
    return n->out_count == 1 || say(m, "%s has not one result", n->kind);
}

/* The first field of a number, of a message. */
static struct field part_of(struct span s, unsigned number) {
    struct field f;
    while (next(&s, &f)) {
        if (f.number == number) {
            return f;
        }
    }
    return (struct field){0};
}

/* An input: its name, type and shape; its elements by the seed. */
static bool read_input(struct machine *m, struct span s, uint64_t seed) {
    struct field dim;
    struct span info = part_of(part_of(s, 2).bytes, 1).bytes, shape = part_of(info, 2).bytes;
    char name[200] = "";
    int64_t dims[ONNX_RUN_RANK] = {0};
    int rank = 0, type = (int)part_of(info, 1).value;
    text(part_of(s, 1).bytes, name, sizeof name);
    while (next(&shape, &dim) && rank < ONNX_RUN_RANK) {
        dims[rank++] = (int64_t)part_of(dim.bytes, 1).value;
    }
    tensor *t = fresh(m, name, type, rank, dims);
    for (size_t i = 0; t && i < t->count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t draw = seed >> 40;
        t->data[i] = type == FLOAT   ? (double)((float)(draw % 4001) / 1000.0f - 2.0f)
                     : type == UINT8 ? (double)(draw % 256)
                                     : (double)((int64_t)(draw % 256) - 128);
    }
    return t != NULL;
}

/* ---- attributes ---- */

static const struct attribute *attribute_of(const struct node *n, const char *name) {
    for (size_t i = 0; i < n->attribute_count; i++) {
        if (strcmp(n->attributes[i].name, name) == 0) {
            return &n->attributes[i];
        }
    }
    return NULL;
}

static int64_t number(const struct node *n, const char *name, int64_t otherwise) {
    const struct attribute *a = attribute_of(n, name);
    return a ? a->i : otherwise;
}

static float real(const struct node *n, const char *name, float otherwise) {
    const struct attribute *a = attribute_of(n, name);
    return a ? a->f : otherwise;
}

static const tensor *input(struct machine *m, const struct node *n, size_t i) {
    return i < MOST_ARGUMENTS && i < n->in_count && n->in[i][0] ? find(m, n->in[i]) : NULL;
}

/* ---- windows ---- */

struct sliding {
    int64_t kernel[2], stride[2], dilation[2], before[2], after[2], out[2];
};

static bool slide(struct machine *m, const struct node *n, const tensor *x, const tensor *weights, struct sliding *w) {
    const struct attribute *kernel = attribute_of(n, "kernel_shape"), *strides = attribute_of(n, "strides"),
                           *dilations = attribute_of(n, "dilations"), *pads = attribute_of(n, "pads"),
                           *mode = attribute_of(n, "auto_pad");
    const char *how = mode ? mode->s : "NOTSET";
    bool ceil = number(n, "ceil_mode", 0) != 0, same = strncmp(how, "SAME", 4) == 0;
    if (same && pads) {
        return say(m, "%s has auto_pad and pads", n->out);
    }
    for (int i = 0; i < 2; i++) {
        w->kernel[i] = weights ? weights->dims[2 + i] : kernel->ints[i];
        w->stride[i] = strides ? strides->ints[i] : 1;
        w->dilation[i] = dilations ? dilations->ints[i] : 1;
        w->before[i] = pads ? pads->ints[i] : 0;
        w->after[i] = pads ? pads->ints[2 + i] : 0;
        int64_t length = x->dims[2 + i], reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
        if (same) {
            w->out[i] = (length + w->stride[i] - 1) / w->stride[i];
            int64_t all = (w->out[i] - 1) * w->stride[i] + reach - length;
            all = all > 0 ? all : 0;
            w->before[i] = strcmp(how, "SAME_LOWER") == 0 ? (all + 1) / 2 : all / 2;
            w->after[i] = all - w->before[i];
            continue;
        }
        int64_t room = length + w->before[i] + w->after[i] - reach;
        if (room < 0) {
            return say(m, "the window of %s is larger than its image", n->out);
        }
        w->out[i] = room / w->stride[i] + 1;
        if (ceil && room % w->stride[i] != 0 && w->out[i] * w->stride[i] < length + w->before[i]) {
            w->out[i]++;
        }
    }
    return true;
}

static double at(const tensor *x, int64_t c, int64_t y, int64_t column) {
    return x->data[(c * x->dims[2] + y) * x->dims[3] + column];
}

static double saturate(double value, int type) {
    double lo = type == UINT8 ? 0 : -128, hi = type == UINT8 ? 255 : 127;
    return value < lo ? lo : value > hi ? hi : value;
}

/* Conv, ConvInteger, QLinearConv. */
static bool convolve(struct machine *m, const struct node *n, int form) {
    enum { REAL, INTEGER, QUANTIZED };
    const tensor *x = input(m, n, 0), *weights = input(m, n, form == QUANTIZED ? 3 : 1),
                 *bias = input(m, n,
                               form == REAL        ? 2
                               : form == QUANTIZED ? 8
                                                   : MOST_ARGUMENTS);
    const tensor *x_zero = input(m, n,
                                 form == INTEGER     ? 2
                                 : form == QUANTIZED ? 2
                                                     : MOST_ARGUMENTS),
                 *w_zero = input(m, n,
                                 form == INTEGER     ? 3
                                 : form == QUANTIZED ? 5
                                                     : MOST_ARGUMENTS);
    struct sliding w;
    int64_t groups = number(n, "group", 1);
    if (!slide(m, n, x, weights, &w)) {
        return false;
    }
    int64_t dims[4] = {1, weights->dims[0], w.out[0], w.out[1]};
    const tensor *y_zero = input(m, n, form == QUANTIZED ? 7 : MOST_ARGUMENTS);
    tensor *y = fresh(m, n->out, form == REAL ? FLOAT : form == INTEGER ? INT32 : y_zero->type, 4, dims);
    if (!y) {
        return false;
    }
    int64_t each = weights->dims[0] / groups, depth = weights->dims[1];
    for (int64_t o = 0, number_ = 0; o < dims[1]; o++) {
        for (int64_t r = 0; r < dims[2]; r++) {
            for (int64_t c = 0; c < dims[3]; c++, number_++) {
                float sum = 0;
                int64_t whole = 0;
                double zero_w = w_zero ? w_zero->data[w_zero->count > 1 ? o : 0] : 0,
                       zero_x = x_zero ? x_zero->data[0] : 0;
                for (int64_t d = 0; d < depth; d++) {
                    for (int64_t i = 0; i < w.kernel[0]; i++) {
                        for (int64_t j = 0; j < w.kernel[1]; j++) {
                            int64_t row = r * w.stride[0] - w.before[0] + i * w.dilation[0],
                                    column = c * w.stride[1] - w.before[1] + j * w.dilation[1];
                            bool inside = row >= 0 && row < x->dims[2] && column >= 0 && column < x->dims[3];
                            double factor = weights->data[((o * depth + d) * w.kernel[0] + i) * w.kernel[1] + j];
                            double pixel = inside ? at(x, o / each * depth + d, row, column) : zero_x;
                            sum += (float)pixel * (float)factor;
                            whole += (int64_t)(pixel - zero_x) * (int64_t)(factor - zero_w);
                        }
                    }
                }
                if (form == REAL) {
                    y->data[number_] = (double)(sum + (bias ? (float)bias->data[o] : 0));
                } else if (form == INTEGER) {
                    y->data[number_] = (double)whole;
                } else {
                    const tensor *w_scale = input(m, n, 4);
                    double scale =
                        input(m, n, 1)->data[0] * w_scale->data[w_scale->count > 1 ? o : 0] / input(m, n, 6)->data[0];
                    y->data[number_] = saturate(
                        nearbyint((double)(whole + (bias ? (int64_t)bias->data[o] : 0)) * scale) + y_zero->data[0],
                        y->type);
                }
            }
        }
    }
    return true;
}

static bool pool(struct machine *m, const struct node *n, bool mean) {
    const tensor *x = input(m, n, 0);
    struct sliding w;
    if (!slide(m, n, x, NULL, &w)) {
        return false;
    }
    int64_t dims[4] = {1, x->dims[1], w.out[0], w.out[1]};
    tensor *y = fresh(m, n->out, x->type, 4, dims);
    bool all = number(n, "count_include_pad", 0) != 0;
    for (int64_t o = 0, k = 0; y && o < dims[1]; o++) {
        for (int64_t r = 0; r < dims[2]; r++) {
            for (int64_t c = 0; c < dims[3]; c++, k++) {
                float sum = 0, most = -INFINITY;
                int64_t count = 0;
                for (int64_t i = 0; i < w.kernel[0]; i++) {
                    for (int64_t j = 0; j < w.kernel[1]; j++) {
                        int64_t row = r * w.stride[0] - w.before[0] + i * w.dilation[0],
                                column = c * w.stride[1] - w.before[1] + j * w.dilation[1];
                        bool inside = row >= 0 && row < x->dims[2] && column >= 0 && column < x->dims[3];
                        bool padding = row < x->dims[2] + w.after[0] && column < x->dims[3] + w.after[1];
                        count += inside || (all && padding);
                        if (inside) {
                            float pixel = (float)at(x, o, row, column);
                            sum += pixel;
                            most = pixel > most ? pixel : most;
                        }
                    }
                }
                y->data[k] = (double)(mean ? sum / (float)count : most);
            }
        }
    }
    return y != NULL;
}

/* ---- row by row ---- */

/* Element i of a result, of an argument that is as large, or spread over it. */
static float spread(const tensor *t, const tensor *y, size_t i) {
    size_t index = 0, step = 1;
    for (int d = y->rank - 1, k = t->rank - 1; k >= 0; d--, k--) {
        size_t here = i % (size_t)y->dims[d];
        i /= (size_t)y->dims[d];
        index += t->dims[k] == 1 ? 0 : here * step;
        step *= (size_t)t->dims[k];
    }
    return (float)t->data[index];
}

static float compute(const char *kind, const struct node *n, float a, float b, float lo, float hi) {
    if (strcmp(kind, "Relu") == 0) {
        return a > 0 ? a : 0;
    }
    if (strcmp(kind, "LeakyRelu") == 0) {
        return a > 0 ? a : a * real(n, "alpha", 0.01f);
    }
    if (strcmp(kind, "PRelu") == 0) {
        return a > 0 ? a : a * b;
    }
    if (strcmp(kind, "Clip") == 0) {
        return a < lo ? lo : a > hi ? hi : a;
    }
    if (strcmp(kind, "Sigmoid") == 0) {
        return 1 / (1 + expf(-a));
    }
    return strcmp(kind, "Add") == 0   ? a + b
           : strcmp(kind, "Sub") == 0 ? a - b
           : strcmp(kind, "Mul") == 0 ? a * b
           : strcmp(kind, "Max") == 0 ? (a > b ? a : b)
                                      : a;
}

static bool elements(struct machine *m, const struct node *n) {
    const tensor *a = input(m, n, 0), *b = input(m, n, 1), *c = input(m, n, 2);
    bool clip = strcmp(n->kind, "Clip") == 0;
    const tensor *whole = !clip && b && b->count > a->count ? b : a;
    tensor *y = fresh(m, n->out, whole->type, whole->rank, whole->dims);
    float lo = clip ? b ? (float)b->data[0] : real(n, "min", -INFINITY) : 0,
          hi = clip ? c ? (float)c->data[0] : real(n, "max", INFINITY) : 0;
    for (size_t i = 0; y && i < y->count; i++) {
        y->data[i] = (double)compute(n->kind, n, spread(a, y, i), b && !clip ? spread(b, y, i) : 0, lo, hi);
    }
    return y != NULL;
}

/* BatchNormalization, QuantizeLinear, DequantizeLinear, LRN. */
static bool channels(struct machine *m, const struct node *n) {
    const tensor *x = input(m, n, 0), *a = input(m, n, 1), *b = input(m, n, 2), *mean = input(m, n, 3),
                 *variance = input(m, n, 4);
    int type = strcmp(n->kind, "QuantizeLinear") == 0 ? b->type : FLOAT;
    tensor *y = fresh(m, n->out, type, x->rank, x->dims);
    size_t plane = (size_t)(x->dims[2] * x->dims[3]);
    int64_t size = number(n, "size", 1);
    for (size_t i = 0; y && i < y->count; i++) {
        int64_t c = (int64_t)(i / plane);
        float v = (float)x->data[i];
        if (strcmp(n->kind, "LRN") == 0) {
            float sum = 0;
            for (int64_t k = c - (size - 1) / 2; k <= c + size / 2; k++) {
                if (k >= 0 && k < x->dims[1]) {
                    float near = (float)x->data[(size_t)k * plane + i % plane];
                    sum += near * near;
                }
            }
            y->data[i] = (double)(v / powf(real(n, "bias", 1) + real(n, "alpha", 0.0001f) / (float)size * sum,
                                           real(n, "beta", 0.75f)));
            continue;
        }
        double scale = a->data[a->count > 1 ? c : 0], shift = b ? b->data[b->count > 1 ? c : 0] : 0;
        if (strcmp(n->kind, "BatchNormalization") == 0) {
            y->data[i] = (double)((v - (float)mean->data[c]) /
                                      sqrtf((float)variance->data[c] + real(n, "epsilon", 1e-5f)) * (float)scale +
                                  (float)shift);
        } else if (type == FLOAT) {
            y->data[i] = (double)((float)(x->data[i] - shift) * (float)scale);
        } else {
            y->data[i] = saturate((double)nearbyintf(v / (float)scale) + shift, type);
        }
    }
    return y != NULL;
}

/* ---- moves ---- */

static bool concatenate(struct machine *m, const struct node *n) {
    const tensor *first = input(m, n, 0);
    if (!first) {
        return say(m, "%s puts nothing together", n->out);
    }
    int64_t axis = number(n, "axis", 1), dims[ONNX_RUN_RANK], before = 1, after = 1, done = 0;
    axis = axis < 0 ? axis + first->rank : axis;
    memcpy(dims, first->dims, sizeof dims);
    dims[axis] = 0;
    for (size_t k = 0; k < n->in_count; k++) {
        const tensor *x = input(m, n, k);
        for (int d = 0; d < x->rank; d++) {
            if (x->rank != first->rank || x->type != first->type || (d != axis && x->dims[d] != dims[d])) {
                return say(m, "%s puts together what does not fit", n->out);
            }
        }
        dims[axis] += x->dims[axis];
    }
    tensor *y = fresh(m, n->out, first->type, first->rank, dims);
    for (int d = 0; d < first->rank; d++) {
        before *= d < axis ? dims[d] : 1;
        after *= d > axis ? dims[d] : 1;
    }
    for (size_t k = 0; y && k < n->in_count; k++) {
        const tensor *x = input(m, n, k);
        int64_t length = x->dims[axis] * after;
        for (int64_t b = 0; b < before; b++) {
            memcpy(y->data + (b * dims[axis] + done) * after, x->data + b * length, (size_t)length * sizeof *y->data);
        }
        done += x->dims[axis];
    }
    return y != NULL;
}

static bool cut(struct machine *m, const struct node *n) {
    const tensor *x = input(m, n, 0);
    bool tensors = m->opset >= 10;
    const tensor *s = input(m, n, 1), *e = input(m, n, 2), *a = input(m, n, 3);
    const struct attribute *starts = attribute_of(n, "starts"), *ends = attribute_of(n, "ends"),
                           *axes = attribute_of(n, "axes");
    if (tensors ? !s || !e || !a || s->count != 1 || s->type != INT64 || starts : !starts || !ends || !axes || s) {
        return say(m, "%s is no Slice of opset %d", n->out, (int)m->opset);
    }
    int64_t from = tensors ? (int64_t)s->data[0] : starts->ints[0], to = tensors ? (int64_t)e->data[0] : ends->ints[0],
            axis = tensors ? (int64_t)a->data[0] : axes->ints[0], dims[ONNX_RUN_RANK], before = 1, after = 1;
    if (from < 0 || to > x->dims[axis] || from >= to) {
        return say(m, "%s cuts %d to %d out of %d", n->out, (int)from, (int)to, (int)x->dims[axis]);
    }
    memcpy(dims, x->dims, sizeof dims);
    dims[axis] = to - from;
    for (int d = 0; d < x->rank; d++) {
        before *= d < axis ? dims[d] : 1;
        after *= d > axis ? dims[d] : 1;
    }
    tensor *y = fresh(m, n->out, x->type, x->rank, dims);
    for (int64_t b = 0; y && b < before; b++) {
        memcpy(y->data + b * dims[axis] * after, x->data + (b * x->dims[axis] + from) * after,
               (size_t)(dims[axis] * after) * sizeof *y->data);
    }
    return y != NULL;
}

/* ---- all of it ---- */

static bool run_node(struct machine *m, const struct node *n) {
    static const char *const by_row[] = {"Relu", "LeakyRelu", "PRelu", "Clip", "Sigmoid",
                                         "Add",  "Sub",       "Mul",   "Max",  "Identity"};
    static const char *const by_channel[] = {"BatchNormalization", "QuantizeLinear", "DequantizeLinear", "LRN"};
    if (strcmp(n->kind, "Constant") == 0) {
        return read_tensor(m, attribute_of(n, "value")->t, n->out);
    }
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) {
        if (strcmp(n->kind, by_row[i]) == 0) {
            return elements(m, n);
        }
    }
    for (size_t i = 0; i < sizeof by_channel / sizeof *by_channel; i++) {
        if (strcmp(n->kind, by_channel[i]) == 0) {
            return channels(m, n);
        }
    }
    return strcmp(n->kind, "Conv") == 0          ? convolve(m, n, 0)
           : strcmp(n->kind, "ConvInteger") == 0 ? convolve(m, n, 1)
           : strcmp(n->kind, "QLinearConv") == 0 ? convolve(m, n, 2)
           : strcmp(n->kind, "MaxPool") == 0     ? pool(m, n, false)
           : strcmp(n->kind, "AveragePool") == 0 ? pool(m, n, true)
           : strcmp(n->kind, "Concat") == 0      ? concatenate(m, n)
           : strcmp(n->kind, "Slice") == 0       ? cut(m, n)
                                                 : say(m, "%s is not known here", n->kind);
}

static bool is_ready(struct machine *m, const struct node *n) {
    for (size_t i = 0; i < n->in_count; i++) {
        if (n->in[i][0] && !find(m, n->in[i])) {
            return false;
        }
    }
    return true;
}

/* Files may have nodes before what they read. */
static bool run_nodes(struct machine *m) {
    for (size_t left = m->node_count, before = left + 1; left > 0;) {
        if (left == before) {
            return say(m, "some nodes read what nothing makes");
        }
        before = left;
        for (size_t i = 0; i < m->node_count; i++) {
            struct node *n = &m->nodes[i];
            if (!n->ran && is_ready(m, n)) {
                if (!run_node(m, n)) {
                    return false;
                }
                n->ran = true;
                left--;
            }
        }
    }
    return true;
}

static bool read_graph(struct machine *m, struct span graph, uint64_t seed) {
    struct field f;
    for (struct span s = graph; next(&s, &f);) {
        if ((f.number == 5 && !read_tensor(m, f.bytes, NULL)) || (f.number == 11 && !read_input(m, f.bytes, seed++)) ||
            (f.number == 1 && (m->node_count == MOST_NODES ? !say(m, "too many nodes") : !read_node(m, f.bytes)))) {
            return false;
        }
    }
    return true;
}

static bool take_outputs(struct machine *m, struct span graph, struct onnx_results *results) {
    struct field f, part;
    while (next(&graph, &f)) {
        char name[200] = "";
        for (struct span s = f.bytes; f.number == 12 && next(&s, &part);) {
            if (part.number == 1) {
                text(part.bytes, name, sizeof name);
            }
        }
        tensor *t = f.number == 12 ? find(m, name) : NULL;
        if (f.number == 12 && !t) {
            return say(m, "the output %s is not made", name);
        }
        if (t) {
            results->items = realloc(results->items, (results->count + 1) * sizeof *results->items);
            results->items[results->count++] = *t;
            t->data = NULL;
        }
    }
    return true;
}

bool onnx_run(const unsigned char *bytes, size_t length, uint64_t seed, struct onnx_results *results,
              char why[ONNX_RUN_WHY]) {
    static tensor tensors[MOST_TENSORS]; /* large, and little of it is used: each one is cleared when it is */
    static struct node nodes[MOST_NODES];
    struct machine m = {.tensors = tensors, .nodes = nodes, .why = why};
    struct span file = {bytes, bytes + length}, graph = {0};
    struct field f, part;
    while (next(&file, &f)) {
        graph = f.number == 7 ? f.bytes : graph;
        for (struct span s = f.bytes; f.number == 8 && next(&s, &part);) {
            m.opset = part.number == 2 ? (int64_t)part.value : m.opset;
        }
    }
    *results = (struct onnx_results){0};
    bool good = read_graph(&m, graph, seed) && run_nodes(&m) && take_outputs(&m, graph, results);
    for (size_t i = 0; i < m.count; i++) {
        free(m.tensors[i].data);
    }
    return good;
}

void onnx_results_done(struct onnx_results *results) {
    for (size_t i = 0; i < results->count; i++) {
        free(results->items[i].data);
    }
    free(results->items);
    *results = (struct onnx_results){0};
}
