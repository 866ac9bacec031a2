/* OpenVINO's IR: small whole numbers that are known before the run. Shapes are reckoned from them, in layers: ShapeOf,
 * Gather, Concat, and constants. The bytes of constants are in the .bin beside the file. */
#include "formats/compilers/openvino.h"
#include "base/base.h"
#include "formats/open_file.h"

#include <glib.h>

enum { MOST_OV_NUMBERS = 256 }; /* numbers of one result */

static int64_t *new_ov_numbers(struct ov_net *net, struct ov_port *port, size_t count) {
    int64_t *numbers = sw_arena_new(&net->arena, count + 1, sizeof *numbers);
    port->numbers = numbers;
    port->count = count;
    return numbers;
}

/* False: no memory. */
static bool set_ov_numbers(struct ov_net *net, struct ov_port *port, const int64_t *from, size_t count) {
    int64_t *numbers = new_ov_numbers(net, port, count);
    if (numbers && count > 0) {
        memcpy(numbers, from, count * sizeof *numbers);
    }
    return numbers != NULL;
}

/* ---- constants ---- */

/* False: they are not there, or could not be read. */
static bool read_weights(const struct ov_weights *weights, uint64_t at, char *to, size_t length) {
    if (weights->file < 0 || at > weights->size || length > weights->size - at ||
        !sw_read_at(weights->file, at, to, length, NULL)) {
        return false;
    }
    if (weights->digest) {
        *weights->digest = sw_fold_bytes(sw_fold(*weights->digest, at), to, length);
    }
    return true;
}

static bool read_ov_constant(struct ov_net *net, const struct ov_layer *layer, struct ov_port *port,
                             const struct ov_weights *weights) {
    static const struct {
        const char *word;
        size_t bytes;
    } types[] = {{"i64", 8}, {"i32", 4}, {"u64", 8}, {"u32", 4}, {"i16", 2}, {"i8", 1}, {"u8", 1}};
    const char *type = ov_attribute(layer, "element_type"), *offset = ov_attribute(layer, "offset"),
               *size = ov_attribute(layer, "size");
    uint64_t count, at = offset ? strtoull(offset, NULL, 10) : 0, length = size ? strtoull(size, NULL, 10) : 0;
    size_t open, bytes = 0;
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++) {
        bytes = strcmp(type, types[i].word) == 0 ? types[i].bytes : bytes;
    }
    char raw[MOST_OV_NUMBERS * 8];
    if (bytes == 0 || !offset || !size || !ov_count(net, port, &count, &open) || open > 0 || count > MOST_OV_NUMBERS ||
        length != count * bytes || !read_weights(weights, at, raw, length)) {
        return true;
    }
    int64_t *numbers = new_ov_numbers(net, port, count);
    for (size_t i = 0; numbers && i < count; i++) {
        uint64_t word = 0;
        for (size_t k = bytes; k-- > 0;) {
            word = word << 8 | (unsigned char)raw[i * bytes + k];
        }
        unsigned shift = (unsigned)(64 - 8 * bytes);
        numbers[i] = *type == 'i' ? (int64_t)(word << shift) >> shift : (int64_t)word;
    }
    return numbers != NULL;
}

/* ---- what is reckoned ---- */

static bool read_ov_shape(struct ov_net *net, const struct ov_layer *layer, struct ov_port *port) {
    const struct ov_port *of = ov_source(net, layer, 0);
    for (size_t i = 0; of && i < of->rank; i++) {
        if (net->dims.items[of->first_dim + i] == OV_OPEN) {
            return true;
        }
    }
    if (!of || of->rank > MOST_OV_NUMBERS) {
        return true;
    }
    return set_ov_numbers(net, port, net->dims.items + of->first_dim, of->rank);
}

static bool pick(struct ov_net *net, const struct ov_layer *layer, struct ov_port *port) {
    const struct ov_port *from = ov_source(net, layer, 0), *which = ov_source(net, layer, 1);
    if (!from || !which || !from->numbers || !which->numbers || from->rank != 1 || which->count > MOST_OV_NUMBERS) {
        return true;
    }
    int64_t count = (int64_t)from->count;
    for (size_t i = 0; i < which->count; i++) {
        if (which->numbers[i] < -count || which->numbers[i] >= count) {
            return true;
        }
    }
    int64_t *numbers = new_ov_numbers(net, port, which->count);
    for (size_t i = 0; numbers && i < which->count; i++) {
        numbers[i] = from->numbers[which->numbers[i] + (which->numbers[i] < 0 ? count : 0)];
    }
    return numbers != NULL;
}

static bool join_numbers(struct ov_net *net, const struct ov_layer *layer, struct ov_port *port) {
    size_t sources = ov_source_count(net, layer), count = 0;
    for (size_t i = 0; i < sources; i++) {
        const struct ov_port *part = ov_source(net, layer, i);
        if (!part->numbers || part->rank != 1 || (count += part->count) > MOST_OV_NUMBERS) {
            return true;
        }
    }
    int64_t *numbers = new_ov_numbers(net, port, count);
    for (size_t i = 0, at = 0; numbers && i < sources; i++) {
        const struct ov_port *part = ov_source(net, layer, i);
        memcpy(numbers + at, part->numbers, part->count * sizeof *numbers);
        at += part->count;
    }
    return numbers != NULL;
}

static bool combine_numbers(struct ov_net *net, const struct ov_layer *layer, struct ov_port *port, char sign) {
    const struct ov_port *a = ov_source(net, layer, 0), *b = ov_source(net, layer, 1);
    if (!a || !b || !a->numbers || !b->numbers || a->count == 0 || b->count == 0 ||
        (a->count != b->count && a->count != 1 && b->count != 1)) {
        return true;
    }
    size_t count = SW_MAX(a->count, b->count);
    int64_t results[MOST_OV_NUMBERS];
    for (size_t i = 0; i < count; i++) {
        int64_t x = a->numbers[a->count == 1 ? 0 : i], y = b->numbers[b->count == 1 ? 0 : i];
        bool wrong = false;
        switch (sign) {
        case '+':
            wrong = __builtin_add_overflow(x, y, &results[i]);
            break;
        case '-':
            wrong = __builtin_sub_overflow(x, y, &results[i]);
            break;
        case '*':
            wrong = __builtin_mul_overflow(x, y, &results[i]);
            break;
        case '/':
            wrong = y <= 0 || x < 0;
            results[i] = wrong ? 0 : x / y;
            break;
        default:
            results[i] = sign == '>' ? SW_MAX(x, y) : SW_MIN(x, y);
        }
        if (wrong) {
            return true;
        }
    }
    return set_ov_numbers(net, port, results, count);
}

/* A list from begin to end by steps; a mask says "from the start" or "to the end". */
static bool cut_numbers(struct ov_net *net, const struct ov_layer *layer, struct ov_port *port) {
    const struct ov_port *from = ov_source(net, layer, 0), *begin = ov_source(net, layer, 1),
                         *end = ov_source(net, layer, 2), *step = ov_source(net, layer, 3);
    bool strided = strcmp(layer->kind, "StridedSlice") == 0;
    const char *open = strided ? ov_attribute(layer, "begin_mask") : NULL,
               *close = strided ? ov_attribute(layer, "end_mask") : NULL;
    if (!from || !begin || !end || !from->numbers || !begin->numbers || !end->numbers || from->rank != 1 ||
        begin->count != 1 || end->count != 1 ||
        (step && (!step->numbers || step->count != 1 || step->numbers[0] != 1))) {
        return true;
    }
    int64_t length = (int64_t)from->count, low = begin->numbers[0], high = end->numbers[0];
    low = open && *open == '1' ? 0 : low < 0 ? low + length : low;
    high = close && *close == '1' ? length : high < 0 ? high + length : high;
    low = SW_MIN(SW_MAX(low, 0), length);
    high = SW_MIN(SW_MAX(high, low), length);
    return set_ov_numbers(net, port, from->numbers + low, (size_t)(high - low));
}

static bool multiply_all(struct ov_net *net, const struct ov_layer *layer, struct ov_port *port) {
    const struct ov_port *from = ov_source(net, layer, 0);
    int64_t product = 1;
    for (size_t i = 0; from && from->numbers && i < from->count; i++) {
        if (__builtin_mul_overflow(product, from->numbers[i], &product)) {
            return true;
        }
    }
    if (!from || !from->numbers || from->rank != 1) {
        return true;
    }
    return set_ov_numbers(net, port, &product, 1);
}

bool ov_reckon(struct ov_net *net, struct ov_layer *layer, const struct ov_weights *weights) {
    static const struct {
        const char *kinds; /* words */
        bool (*reckon)(struct ov_net *, const struct ov_layer *, struct ov_port *);
    } rules[] = {
        {"Gather", pick}, {"Concat", join_numbers}, {"ReduceProd", multiply_all}, {"Slice StridedSlice", cut_numbers}};
    static const struct {
        const char *word;
        char sign;
    } signs[] = {{"Add", '+'},    {"Subtract", '-'}, {"Multiply", '*'},
                 {"Divide", '/'}, {"Maximum", '>'},  {"Minimum", '<'}};
    struct ov_port *port = layer->first_port == SW_NONE ? NULL : &net->ports.items[layer->first_port];
    const struct ov_port *first = ov_source(net, layer, 0);
    const char *type = port ? port->type : NULL;
    if (!port || (type && g_ascii_strncasecmp(type, "I", 1) != 0 && g_ascii_strncasecmp(type, "U", 1) != 0)) {
        return true;
    }
    if (strcmp(layer->kind, "Const") == 0) {
        return read_ov_constant(net, layer, port, weights);
    }
    if (strcmp(layer->kind, "ShapeOf") == 0) {
        return read_ov_shape(net, layer, port);
    }
    if (!first || !first->numbers) {
        return true;
    }
    if (ov_is_one_of(layer->kind, "Convert Unsqueeze Squeeze Reshape")) {
        port->numbers = first->numbers;
        port->count = first->count;
        return true;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (ov_is_one_of(layer->kind, rules[i].kinds)) {
            return rules[i].reckon(net, layer, port);
        }
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strcmp(layer->kind, signs[i].word) == 0) {
            return combine_numbers(net, layer, port, signs[i].sign);
        }
    }
    return true;
}
