#include "fit/onnx_networks.h"
#include "unit/onnx.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6, MOST_IMAGES = 40 };

struct image {
    char name[24];
    int type;
    int64_t channels, rows, columns;
    bool read;
};
struct network {
    uint64_t state;
    onnx_bytes graph, nodes[MOST_IMAGES * 2];
    size_t node_count;
    struct image images[MOST_IMAGES];
    unsigned count, weights;
    int opset;
    bool quantized;
};

static unsigned draw(struct network *n, unsigned bound) {
    n->state = n->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(n->state >> 33) % bound;
}

/* ---- the parts of a file ---- */

static onnx_bytes attribute(const char *name, int type) {
    onnx_bytes a = {0};
    put_text(&a, 1, name);
    put_int(&a, 20, type);
    return a;
}

static void put_ints(onnx_bytes *node, const char *name, const int64_t *items, size_t count) {
    onnx_bytes a = attribute(name, 7);
    for (size_t i = 0; i < count; i++) {
        put_int(&a, 8, items[i]);
    }
    put_message(node, 5, &a);
}

static void put_number(onnx_bytes *node, const char *name, int64_t value) {
    onnx_bytes a = attribute(name, 2);
    put_int(&a, 3, value);
    put_message(node, 5, &a);
}

static void put_real(onnx_bytes *node, const char *name, float value) {
    onnx_bytes a = attribute(name, 1);
    put_float(&a, 2, value);
    put_message(node, 5, &a);
}

static void put_word(onnx_bytes *node, const char *name, const char *word) {
    onnx_bytes a = attribute(name, 3);
    put_text(&a, 4, word);
    put_message(node, 5, &a);
}

/* An initializer with elements that are drawn: floats from lo to hi, integers alike. */
static void weight(struct network *n, char name[24], int type, const int64_t *dims, size_t rank, double lo, double hi) {
    onnx_bytes tensor = {0}, raw = {0};
    size_t count = 1;
    snprintf(name, 24, "w%u", n->weights++);
    for (size_t i = 0; i < rank; i++) {
        put_int(&tensor, 1, dims[i]);
        count *= (size_t)dims[i];
    }
    for (size_t i = 0; i < count; i++) {
        double value = lo + (hi - lo) * draw(n, 1001) / 1000;
        float real = (float)value;
        int32_t word = (int32_t)value;
        put(&raw, type == FLOAT ? (const void *)&real : &word,
            type == FLOAT || type == INT32 ? 4 : 1); /* tests run on little-endian machines */
    }
    put_int(&tensor, 2, type);
    put_text(&tensor, 8, name);
    put_message(&tensor, 9, &raw);
    put_message(&n->graph, 5, &tensor);
}

static onnx_bytes begin(struct network *n, const char *kind, const struct image *x) {
    onnx_bytes node = {0};
    n->images[x - n->images].read = true;
    put_text(&node, 4, kind);
    put_text(&node, 1, x->name);
    return node;
}

/* The node is done; what it makes. Some have no name. */
static void finish(struct network *n, onnx_bytes *node, int type, int64_t channels, int64_t rows, int64_t columns) {
    struct image *y = &n->images[n->count];
    char name[32];
    *y = (struct image){.type = type, .channels = channels, .rows = rows, .columns = columns};
    snprintf(y->name, sizeof y->name, "t%u", n->count);
    snprintf(name, sizeof name, draw(n, 9) ? "node_%u" : "t%u/rows 0 to 1", n->count);
    n->count++;
    put_text(node, 2, y->name);
    if (draw(n, 4)) {
        put_text(node, 3, name);
    }
    n->nodes[n->node_count++] = *node;
}

/* ---- windows ---- */

struct window {
    int64_t kernel[2], stride[2], dilation[2], pads[4], out[2];
    const char *mode;
    bool ceil;
};

/* One that fits the image; with its padding not larger than itself, as pools want it. */
static struct window draw_window(struct network *n, const struct image *x, bool pool) {
    static const char *const modes[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    const int64_t lengths[2] = {x->rows, x->columns};
    struct window w = {.mode = modes[draw(n, 3) ? 0 : draw(n, 4)], .ceil = pool && n->opset >= 10 && draw(n, 4) == 0};
    bool explicit_ = w.mode == modes[0], same = w.mode == modes[1] || w.mode == modes[2];
    for (int i = 0; i < 2; i++) {
        bool fits = false;
        for (int tries = 0; !fits; tries++) {
            w.kernel[i] = tries > 20 ? 1 : 1 + draw(n, draw(n, 3) ? 3 : 7);
            w.stride[i] = 1 + draw(n, draw(n, 2) ? 1 : 3);
            w.dilation[i] = !pool && !same && draw(n, 4) == 0 ? 2 + draw(n, 2) : 1;
            int64_t most = w.kernel[i] < 4 ? w.kernel[i] : 4, reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
            w.pads[i] = explicit_ ? draw(n, (unsigned)most) : 0;
            w.pads[2 + i] = explicit_ ? draw(n, 3) ? w.pads[i] : (int64_t)draw(n, (unsigned)most) : 0;
            int64_t room = lengths[i] + w.pads[i] + w.pads[2 + i] - reach;
            fits = same ? reach <= lengths[i] + 2 : room >= 0;
            w.out[i] = same ? (lengths[i] + w.stride[i] - 1) / w.stride[i] : fits ? room / w.stride[i] + 1 : 0;
            if (w.ceil && fits && !same && room % w.stride[i] != 0) { /* what begins behind the image is refused */
                fits = w.out[i] * w.stride[i] < lengths[i] + w.pads[i];
                w.out[i]++;
            }
        }
    }
    return w;
}

static void put_window(struct network *n, onnx_bytes *node, const struct window *w, bool pool) {
    bool padded = (w->pads[0] | w->pads[1] | w->pads[2] | w->pads[3]) != 0;
    if (pool || draw(n, 2)) {
        put_ints(node, "kernel_shape", w->kernel, 2);
    }
    if (w->stride[0] * w->stride[1] > 1 || draw(n, 3) == 0) {
        put_ints(node, "strides", w->stride, 2);
    }
    if (w->dilation[0] * w->dilation[1] > 1) {
        put_ints(node, "dilations", w->dilation, 2);
    }
    if (padded) {
        put_ints(node, "pads", w->pads, 4);
    }
    if (strcmp(w->mode, "NOTSET") != 0 || (!padded && draw(n, 5) == 0)) {
        put_word(node, "auto_pad", w->mode);
    }
    if (w->ceil) {
        put_number(node, "ceil_mode", 1);
    }
}

static void convolve(struct network *n, const struct image *x) {
    struct window w = draw_window(n, x, false);
    int64_t out = 1 + draw(n, 6), groups = 1;
    char name[24];
    if (draw(n, 3) == 0) { /* a filter for each channel */
        groups = x->channels;
        out = groups * (1 + draw(n, 2));
    }
    const int64_t dims[4] = {out, x->channels / groups, w.kernel[0], w.kernel[1]}, each = out, one = 1;
    onnx_bytes node;
    int type = x->type;
    if (x->type == FLOAT) {
        node = begin(n, "Conv", x);
        weight(n, name, FLOAT, dims, 4, -1, 1);
        put_text(&node, 1, name);
        if (draw(n, 2)) {
            weight(n, name, FLOAT, &each, 1, -1, 1);
            put_text(&node, 1, name);
        }
    } else {
        bool by_channel = draw(n, 2);
        node = begin(n, "QLinearConv", x);
        type = x->type;
        weight(n, name, FLOAT, &one, draw(n, 2), 0.01, 0.05);
        put_text(&node, 1, name);
        weight(n, name, x->type, &one, draw(n, 2), 1, 100);
        put_text(&node, 1, name);
        weight(n, name, INT8, dims, 4, -127, 127);
        put_text(&node, 1, name);
        weight(n, name, FLOAT, by_channel ? &each : &one, 1, 0.001, 0.01);
        put_text(&node, 1, name);
        weight(n, name, INT8, by_channel ? &each : &one, 1, 0, 0);
        put_text(&node, 1, name);
        weight(n, name, FLOAT, &one, 1, 0.02, 0.2);
        put_text(&node, 1, name);
        weight(n, name, type, &one, 1, 0, 100);
        put_text(&node, 1, name);
        if (draw(n, 2)) {
            weight(n, name, INT32, &each, 1, -3000, 3000);
            put_text(&node, 1, name);
        }
    }
    put_window(n, &node, &w, false);
    if (groups > 1) {
        put_number(&node, "group", groups);
    }
    finish(n, &node, type, out, w.out[0], w.out[1]);
}

static void pool(struct network *n, const struct image *x) {
    struct window w = draw_window(n, x, true);
    bool mean = x->type == FLOAT && draw(n, 2);
    onnx_bytes node = begin(n, mean ? "AveragePool" : "MaxPool", x);
    put_window(n, &node, &w, true);
    if (mean && draw(n, 2)) {
        put_number(&node, "count_include_pad", draw(n, 4) > 0);
    }
    finish(n, &node, x->type, x->channels, w.out[0], w.out[1]);
}

/* ---- row by row ---- */

static void activate(struct network *n, const struct image *x) {
    static const char *const kinds[] = {"Relu", "LeakyRelu",          "Clip", "Sigmoid", "PRelu", "Identity",
                                        "Mul",  "BatchNormalization", "LRN"};
    const char *kind = kinds[draw(n, 9)];
    const int64_t channels[3] = {x->channels, 1, 1}, each = x->channels, one = 1;
    onnx_bytes node = begin(n, kind, x);
    char name[24];
    if (strcmp(kind, "LeakyRelu") == 0) {
        put_real(&node, "alpha", 0.125f);
    } else if (strcmp(kind, "Clip") == 0 && n->opset < 11) {
        put_real(&node, "min", -0.5f);
        put_real(&node, "max", 1.5f);
    } else if (strcmp(kind, "Clip") == 0) {
        weight(n, name, FLOAT, &one, 0, -0.5, -0.5);
        put_text(&node, 1, name);
        weight(n, name, FLOAT, &one, 0, 1.5, 1.5);
        put_text(&node, 1, name);
    } else if (strcmp(kind, "PRelu") == 0 || strcmp(kind, "Mul") == 0) {
        weight(n, name, FLOAT, channels, 3, -1, 1);
        put_text(&node, 1, name);
    } else if (strcmp(kind, "BatchNormalization") == 0) {
        for (int i = 0; i < 4; i++) {
            weight(n, name, FLOAT, &each, 1, i == 3 ? 0.5 : -1, i == 3 ? 2 : 1);
            put_text(&node, 1, name);
        }
    } else if (strcmp(kind, "LRN") == 0) {
        put_number(&node, "size", 1 + 2 * (int64_t)draw(n, 3));
    }
    finish(n, &node, FLOAT, x->channels, x->rows, x->columns);
}

static void quantize(struct network *n, const struct image *x) {
    const int64_t each = x->channels, one = 1;
    bool to_float = x->type != FLOAT, by_channel = draw(n, 2);
    int type = to_float ? FLOAT : draw(n, 2) ? UINT8 : INT8;
    onnx_bytes node = begin(n, to_float ? "DequantizeLinear" : "QuantizeLinear", x);
    char name[24];
    weight(n, name, FLOAT, by_channel ? &each : &one, by_channel ? 1 : draw(n, 2), 0.01, 0.05);
    put_text(&node, 1, name);
    weight(n, name, to_float ? x->type : type, by_channel ? &each : &one, by_channel ? 1 : 0, 0, 100);
    put_text(&node, 1, name);
    finish(n, &node, type, x->channels, x->rows, x->columns);
}

/* Another image as large; NULL. */
static const struct image *other(struct network *n, const struct image *x, bool channels) {
    for (int tries = 0; tries < 8; tries++) {
        const struct image *y = &n->images[draw(n, n->count)];
        if (y != x && y->type == x->type && y->rows == x->rows && y->columns == x->columns &&
            (!channels || y->channels == x->channels)) {
            return y;
        }
    }
    return NULL;
}

static void combine(struct network *n, const struct image *x) {
    static const char *const kinds[] = {"Add", "Sub", "Mul", "Max"};
    bool beside = x->type != FLOAT || draw(n, 2);
    const struct image *y = other(n, x, !beside);
    if (!y) {
        convolve(n, x);
        return;
    }
    onnx_bytes node = begin(n, beside ? "Concat" : kinds[draw(n, n->opset >= 8 ? 4 : 3)], x);
    put_text(&node, 1, y->name);
    n->images[y - n->images].read = true;
    if (beside) {
        put_number(&node, "axis", n->opset >= 11 && draw(n, 2) ? -3 : 1);
    }
    finish(n, &node, x->type, x->channels + (beside ? y->channels : 0), x->rows, x->columns);
}

/* ---- all of it ---- */

static void add_node(struct network *n) {
    const struct image *x = &n->images[draw(n, 3) ? n->count - 1 : draw(n, n->count)];
    unsigned what = draw(n, 10);
    if (what < 5) {
        convolve(n, x);
    } else if (what < 6) {
        pool(n, x);
    } else if (what < 8) {
        combine(n, x);
    } else if (n->opset >= 13 && draw(n, x->type == FLOAT ? 6 : 3) == 0) {
        quantize(n, x);
    } else if (x->type == FLOAT) {
        activate(n, x);
    } else {
        pool(n, x);
    }
}

static void put_image(struct network *n, unsigned field, const struct image *x) {
    static const char *const types[] = {[FLOAT] = "float", [UINT8] = "uint8", [INT8] = "int8"};
    char shape[64];
    snprintf(shape, sizeof shape, "1x%dx%dx%d", (int)x->channels, (int)x->rows, (int)x->columns);
    put_info(&n->graph, field, x->name, types[x->type], shape);
}

unsigned char *onnx_network(uint64_t seed, size_t *length) {
    static const int opsets[] = {7, 9, 10, 11, 13, 17};
    struct network n = {.state = seed * 2654435761u + 99};
    onnx_bytes model = {0}, graph = {0}, opset = {0};
    draw(&n, 2);
    n.opset = opsets[draw(&n, 6)];
    unsigned count = 2 + draw(&n, 9), inputs = 1 + (draw(&n, 5) == 0);
    bool integers = n.opset >= 13 && draw(&n, 4) == 0;
    for (unsigned i = 0; i < inputs; i++) {
        n.images[n.count] = n.count && draw(&n, 2) ? n.images[0]
                                                   : (struct image){.channels = draw(&n, 4) ? 1 + draw(&n, 4) : 1,
                                                                    .rows = 2 + draw(&n, 14),
                                                                    .columns = 1 + draw(&n, 9)};
        n.images[n.count].type = integers ? UINT8 : FLOAT;
        snprintf(n.images[n.count].name, sizeof n.images[0].name, "x%u", n.count);
        n.count++;
    }
    while (n.count < inputs + count) {
        add_node(&n);
    }
    bool backwards = draw(&n, 12) == 0; /* nodes before what they read, which public models have */
    for (size_t i = 0; i < n.node_count; i++) {
        put_message(&graph, 1, &n.nodes[backwards ? n.node_count - 1 - i : i]);
    }
    put_text(&graph, 2, "network");
    put(&graph, n.graph.items, n.graph.count);
    SW_ARRAY_DONE(&n.graph);
    memset(&n.graph, 0, sizeof n.graph);
    for (unsigned i = 0; i < n.count; i++) {
        unsigned field = i < inputs ? 11 : !n.images[i].read || draw(&n, 10) == 0 ? 12 : draw(&n, 4) ? 0 : 13;
        if (field > 0) {
            put_image(&n, field, &n.images[i]);
        }
    }
    put(&graph, n.graph.items, n.graph.count);
    SW_ARRAY_DONE(&n.graph);
    put_int(&model, 1, n.opset < 13 ? 4 + n.opset / 10 : 8);
    put_text(&model, 2, "stowage's tests");
    put_message(&model, 7, &graph);
    put_int(&opset, 2, n.opset);
    put_message(&model, 8, &opset);
    *length = model.count;
    unsigned char *file = malloc(model.count + 1);
    memcpy(file, model.items, model.count);
    SW_ARRAY_DONE(&model);
    return file;
}
