/* ONNX: attributes of nodes, and tensors. Both are read where they lie. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

unsigned onnx_bits(int type) {
    static const unsigned char bits[] = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                         64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};
    return type >= 0 && (size_t)type < sizeof bits ? bits[type] : 0;
}

enum sw_dtype onnx_dtype(int type) {
    static const unsigned char words[] = {
        SW_DTYPE_NONE,       SW_DTYPE_FLOAT32,  SW_DTYPE_UINT8,  SW_DTYPE_INT8,   SW_DTYPE_UINT16,
        SW_DTYPE_INT16,      SW_DTYPE_INT32,    SW_DTYPE_INT64,  SW_DTYPE_NONE,   SW_DTYPE_BOOL,
        SW_DTYPE_FLOAT16,    SW_DTYPE_FLOAT64,  SW_DTYPE_UINT32, SW_DTYPE_UINT64, SW_DTYPE_COMPLEX64,
        SW_DTYPE_COMPLEX128, SW_DTYPE_BFLOAT16, SW_DTYPE_FLOAT8, SW_DTYPE_FLOAT8, SW_DTYPE_FLOAT8,
        SW_DTYPE_FLOAT8,     SW_DTYPE_UINT4,    SW_DTYPE_INT4,   SW_DTYPE_NONE,   SW_DTYPE_FLOAT8};
    return type >= 0 && (size_t)type < sizeof words ? (enum sw_dtype)words[type] : SW_DTYPE_NONE;
}

uint64_t onnx_count(const struct onnx_shape *shape) {
    uint64_t count = 1;
    bool zero = false, big = false;
    for (uint32_t i = 0; i < shape->rank; i++) {
        zero |= shape->dims[i] == 0;
        big |= __builtin_mul_overflow(count, (uint64_t)shape->dims[i], &count) || count > SW_MAX_BYTES;
        count = big ? SW_MAX_BYTES : count;
    }
    return zero ? 0 : big ? UINT64_MAX : count;
}

bool onnx_keep_shape(struct onnx_model *model, struct onnx_shape *shape, bool known, uint32_t rank,
                     const int64_t *dims) {
    int64_t *copy = sw_arena_new(&model->arena, rank + 1, sizeof *copy);
    if (!copy) {
        return onnx_fail_memory(model);
    }
    if (rank > 0) {
        memcpy(copy, dims, rank * sizeof *dims);
    }
    *shape = (struct onnx_shape){.known = known, .rank = rank, .dims = copy};
    return true;
}

/* ---- attributes ---- */

static bool find_attribute(const struct onnx_model *model, const struct onnx_node *node, const char *name,
                           size_t length, struct sw_pb_bytes *found);

/* The attribute itself, or, in the body of a function, that of the call it refers to. */
static bool refer_to_call(const struct onnx_model *model, const struct onnx_node *node, struct sw_pb_bytes body,
                          struct sw_pb_bytes *found) {
    struct sw_pb pb = sw_pb_open(body);
    for (struct sw_pb_bytes other; sw_pb_next_of(&pb, 21, &other);) {
        if (other.length > 0) {
            return node->caller != SW_NONE && find_attribute(model, &model->nodes.items[node->caller],
                                                             (const char *)other.at, other.length, found);
        }
    }
    *found = body;
    return true;
}

/* Calls lie within calls at most ONNX_DEPTH deep, and with them these two functions. */
static bool find_attribute(const struct onnx_model *model, const struct onnx_node *node, const char *name,
                           size_t length, struct sw_pb_bytes *found) {
    struct sw_pb pb = sw_pb_open(node->body), inner;
    for (struct sw_pb_bytes attribute, own; sw_pb_next_of(&pb, 5, &attribute);) {
        inner = sw_pb_open(attribute);
        while (sw_pb_next_of(&inner, 1, &own)) {
            if (own.length == length && memcmp(own.at, name, length) == 0) {
                return refer_to_call(model, node, attribute, found);
            }
        }
    }
    return false;
}

bool onnx_attribute(const struct onnx_model *model, const struct onnx_node *node, const char *name,
                    struct onnx_attribute *attribute) {
    *attribute = (struct onnx_attribute){0};
    if (!find_attribute(model, node, name, strlen(name), &attribute->body)) {
        return false;
    }
    struct sw_pb pb = sw_pb_open(attribute->body);
    struct sw_pb_field field;
    while (sw_pb_next(&pb, &field)) {
        if (field.number == 3 && field.wire == SW_PB_VARINT) {
            attribute->i = sw_pb_signed(field.value);
        } else if (field.number == 2 && field.wire == SW_PB_FIXED32) {
            attribute->f = sw_pb_float(field.value);
        } else if (field.number >= 4 && field.number <= 6 && field.wire == SW_PB_BYTES) {
            struct sw_pb_bytes *to[] = {&attribute->s, &attribute->t, &attribute->g};
            *to[field.number - 4] = field.bytes;
        }
    }
    return true;
}

/* A zero may be left out of the file, so an attribute without a value is one with 0. */
int64_t onnx_int(const struct onnx_model *model, const struct onnx_node *node, const char *name, int64_t otherwise) {
    struct onnx_attribute attribute;
    return onnx_attribute(model, node, name, &attribute) ? attribute.i : otherwise;
}

double onnx_float(const struct onnx_model *model, const struct onnx_node *node, const char *name, double otherwise) {
    struct onnx_attribute attribute;
    return onnx_attribute(model, node, name, &attribute) ? (double)attribute.f : otherwise;
}

struct sw_pb_bytes onnx_string(const struct onnx_model *model, const struct onnx_node *node, const char *name) {
    struct onnx_attribute attribute;
    return onnx_attribute(model, node, name, &attribute) ? attribute.s : (struct sw_pb_bytes){0};
}

bool onnx_ints(const struct onnx_model *model, const struct onnx_node *node, const char *name, int64_t *items,
               size_t most, size_t *count) {
    struct onnx_attribute attribute;
    *count = 0;
    if (!onnx_attribute(model, node, name, &attribute)) {
        return false;
    }
    struct sw_pb_numbers walk = sw_pb_numbers(attribute.body, 8, SW_PB_VARINT);
    for (uint64_t value; sw_pb_number(&walk, &value);) {
        if (*count == most) {
            return false;
        }
        items[(*count)++] = sw_pb_signed(value);
    }
    return true;
}

const union onnx_number *onnx_list(struct onnx_model *model, const struct onnx_attribute *attribute, bool floats,
                                   size_t *count) {
    size_t most = SW_MIN(attribute->body.length, ONNX_SMALL);
    union onnx_number *items = sw_arena_new(&model->arena, most + 1, sizeof *items);
    struct sw_pb_numbers walk = sw_pb_numbers(attribute->body, floats ? 7 : 8, floats ? SW_PB_FIXED32 : SW_PB_VARINT);
    *count = 0;
    if (!items) {
        onnx_fail_memory(model);
        return NULL;
    }
    for (uint64_t value; sw_pb_number(&walk, &value);) {
        if (*count == most) {
            return NULL;
        }
        items[(*count)++] = floats ? (union onnx_number){.f = (double)sw_pb_float(value)}
                                   : (union onnx_number){.i = sw_pb_signed(value)};
    }
    return items;
}

int64_t onnx_count_texts(const struct onnx_attribute *attribute) {
    struct sw_pb pb = sw_pb_open(attribute->body);
    int64_t count = 0;
    for (struct sw_pb_field field; sw_pb_next(&pb, &field);) {
        count += field.number == 9;
    }
    return count;
}

/* ---- tensors ---- */

static double half_float(uint64_t bits) {
    unsigned exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(1024 + mantissa, (int)exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* An element from its bits, as raw data and the lists of 32-bit words hold it. */
static union onnx_number element_of(int type, uint64_t bits) {
    if (onnx_is_float(type)) {
        return (union onnx_number){.f = type == ONNX_FLOAT     ? (double)sw_pb_float(bits)
                                        : type == ONNX_DOUBLE  ? sw_pb_double(bits)
                                        : type == ONNX_FLOAT16 ? half_float(bits)
                                                               : (double)sw_pb_float(bits << 16)};
    }
    bool narrow = type == ONNX_INT8 || type == ONNX_INT16 || type == ONNX_INT32; /* and with a sign */
    uint64_t sign = narrow ? UINT64_C(1) << (onnx_bits(type) - 1) : 0;
    return (union onnx_number){.i =
                                   narrow ? (int64_t)(bits & (sign - 1)) - (int64_t)(bits & sign) : sw_pb_signed(bits)};
}

static size_t raw_elements(struct sw_pb_bytes raw, int type, union onnx_number *items, size_t most) {
    size_t width = onnx_bits(type) / 8, count = 0;
    for (; width > 0 && count < most && (count + 1) * width <= raw.length; count++) {
        uint64_t bits = 0;
        for (size_t k = width; k-- > 0;) {
            bits = bits << 8 | raw.at[count * width + k];
        }
        items[count] = element_of(type, bits);
    }
    return count;
}

/* Elements of a small tensor; NULL when they are not all in the file. */
static const union onnx_number *elements_of(struct onnx_model *model, struct sw_pb_bytes tensor, int type,
                                            size_t wanted) {
    union onnx_number *items = sw_arena_new(&model->arena, wanted + 1, sizeof *items);
    struct sw_pb pb = sw_pb_open(tensor);
    struct sw_pb_field field;
    size_t count = 0;
    if (!items) {
        onnx_fail_memory(model);
        return NULL;
    }
    for (const unsigned char *begin = pb.at; sw_pb_next(&pb, &field); begin = pb.at) {
        /* floats, words of 32 bits, int64, doubles and uint64; or the elements as bytes */
        uint32_t number = field.number;
        enum sw_pb_wire wire = number == 4 ? SW_PB_FIXED32 : number == 10 ? SW_PB_FIXED64 : SW_PB_VARINT;
        if (number == 9) {
            count = field.wire == SW_PB_BYTES ? raw_elements(field.bytes, type, items, wanted) : 0;
        } else if (number == 4 || number == 5 || number == 7 || number == 10 || number == 11) {
            struct sw_pb_numbers walk =
                sw_pb_numbers((struct sw_pb_bytes){begin, (size_t)(pb.at - begin)}, number, wire);
            for (uint64_t bits; count < wanted && sw_pb_number(&walk, &bits);) {
                items[count++] = element_of(type, bits);
            }
        }
    }
    return count == wanted ? items : NULL;
}

bool onnx_tensor(struct onnx_model *model, struct sw_pb_bytes tensor, struct onnx_value *value,
                 struct sw_pb_bytes *name) {
    struct sw_pb pb = sw_pb_open(tensor);
    struct sw_pb_field field;
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    bool external = false;
    struct sw_pb_numbers walk = sw_pb_numbers(tensor, 1, SW_PB_VARINT);
    for (uint64_t dim; sw_pb_number(&walk, &dim); rank++) {
        if (rank == ONNX_RANK || dim > SW_MAX_BYTES) {
            return onnx_fail(model, "a weight has %s at offset %zu",
                             rank == ONNX_RANK ? "more than 16 dimensions" : "an impossible dimension",
                             (size_t)(tensor.at - (const unsigned char *)model->input->bytes));
        }
        dims[rank] = (int64_t)dim;
    }
    while (sw_pb_next(&pb, &field)) {
        if (field.number == 2 && field.wire == SW_PB_VARINT) {
            value->type = field.value <= 255 ? (int)field.value : ONNX_NONE;
        } else if (field.number == 8 && field.wire == SW_PB_BYTES) {
            *name = field.bytes;
        } else if (field.number == 14 && field.wire == SW_PB_VARINT) {
            external = field.value == 1;
        }
    }
    if (!onnx_keep_shape(model, &value->shape, true, rank, dims)) {
        return false;
    }
    value->constant = true;
    uint64_t count = onnx_count(&value->shape);
    if (count == UINT64_MAX) {
        return onnx_fail(model, "a weight has more than 2^61 elements");
    }
    if (!external && count <= ONNX_SMALL && (onnx_is_float(value->type) || onnx_is_integer(value->type))) {
        value->data = elements_of(model, tensor, value->type, (size_t)count);
    }
    return !model->failed;
}
