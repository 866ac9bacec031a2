/* MLIR's types: how many bytes a memref has, and in which memory. Sizes are those that MLIR's own lowering to LLVM
 * takes: elements in whole bytes, integers and the innermost dimension of a vector rounded up to a power of two. */
#include "formats/compilers/mlir.h"
#include "base/base.h"

#define MOST_RANK 64
enum { MOST_ALIASES = 16, MOST_ALIAS_NAME = 1024 }; /* of aliases; bytes of its name */

const char *mlir_near(const struct mlir *reader, const char *at) {
    return at + SW_MIN(reader->end - at, MLIR_MOST_TYPE);
}

const char *mlir_resolve(const struct mlir *reader, const char *at) {
    for (int i = 0; i < MOST_ALIASES && at < reader->end && (*at == '!' || *at == '#'); i++) {
        struct sw_input_text name = mlir_word(at + 1, at + SW_MIN(reader->end - at, MOST_ALIAS_NAME));
        if (name.length + 1 >= MOST_ALIAS_NAME) {
            break;
        }
        name.at--; /* with its mark: types and attributes have names of their own */
        name.length++;
        uint32_t place = sw_names_find(&reader->aliases, name.at, name.length);
        if (place == SW_NONE) {
            break;
        }
        at = sw_text_begin(reader->input) + place;
    }
    return at;
}

/* "i8", "si4", "ui16", "u8" of quantized types: its bits; 0: it is no integer. */
static uint64_t integer_bits(struct sw_input_text word) {
    const char *at = word.at, *end = word.at + word.length;
    uint64_t bits = 0;
    at += at < end && (*at == 's' || *at == 'u');
    at += at < end && *at == 'i';
    return at > word.at && sw_take_number(&at, end, &bits) && at == end && bits <= 4096 ? bits : 0;
}

static uint64_t in_memory(uint64_t bits) {
    uint64_t bytes = (bits + 7) / 8, power = 1;
    while (power < bytes && power < 8) {
        power *= 2;
    }
    return 8 * (bytes <= 8 ? power : (bytes + 15) / 16 * 16);
}

static uint64_t element_bits(const struct mlir *reader, const char *at, const char *end, enum sw_dtype *dtype,
                             unsigned depth);

/* "4x8xf32": the innermost dimension is as long as the next power of two. 0: not known. */
static uint64_t vector_bits(const struct mlir *reader, const char *at, const char *end, unsigned depth) {
    uint64_t count = 1, length, last = 1, bits;
    enum sw_dtype dtype;
    for (at = mlir_skip(at, end); sw_take_number(&at, end, &length);) {
        at = mlir_skip(at, end);
        if (at == end || *at != 'x' || __builtin_mul_overflow(count, last, &count)) {
            return 0;
        }
        at = mlir_skip(at + 1, end);
        last = length;
    }
    bits = element_bits(reader, at, end, &dtype, depth);
    uint64_t power = 1;
    while (power < last && power < SW_MAX_BYTES) {
        power *= 2;
    }
    return __builtin_mul_overflow(bits, last ? power : 0, &bits) || __builtin_mul_overflow(bits, count, &bits) ||
                   bits > SW_MAX_BYTES
               ? 0
               : bits;
}

/* "f32", "vector<4x8xf16>", "complex<f64>", "index", "!quant.uniform<u8:f32, 0.5>": how many bits one takes in memory.
 * 0: not known. */
static uint64_t element_bits(const struct mlir *reader, const char *at, const char *end, enum sw_dtype *dtype,
                             unsigned depth) {
    static const struct {
        const char *word;
        uint64_t bits;
        enum sw_dtype dtype;
    } types[] = {{"f32", 32, SW_DTYPE_FLOAT32}, {"f16", 16, SW_DTYPE_FLOAT16}, {"bf16", 16, SW_DTYPE_BFLOAT16},
                 {"f64", 64, SW_DTYPE_FLOAT64}, {"tf32", 32, SW_DTYPE_NONE},   {"f80", 128, SW_DTYPE_NONE},
                 {"f128", 128, SW_DTYPE_NONE},  {"index", 64, SW_DTYPE_INT64}, {"i1", 8, SW_DTYPE_BOOL},
                 {"i8", 8, SW_DTYPE_INT8},      {"i16", 16, SW_DTYPE_INT16},   {"i32", 32, SW_DTYPE_INT32},
                 {"i64", 64, SW_DTYPE_INT64},   {"ui8", 8, SW_DTYPE_UINT8},    {"ui16", 16, SW_DTYPE_UINT16},
                 {"ui32", 32, SW_DTYPE_UINT32}, {"ui64", 64, SW_DTYPE_UINT64}, {"!llvm.ptr", 64, SW_DTYPE_NONE}};
    const char *place = mlir_resolve(reader, at);
    end = place == at ? end : mlir_near(reader, place);
    at = place;
    *dtype = SW_DTYPE_NONE;
    if (at == end || depth > 4) {
        return 0;
    }
    bool dialect = *at == '!';
    struct sw_input_text word = mlir_word(at + dialect, end);
    word.at -= dialect;
    word.length += dialect;
    const char *open = word.at + word.length, *close = open < end && *open == '<' ? mlir_close(open, end) : NULL;
    if (close && sw_text_is(word, "vector")) {
        return vector_bits(reader, open + 1, close, depth + 1);
    }
    if (close && (sw_text_is(word, "complex") || sw_text_in(word, "!quant.uniform !quant.any !quant.calibrated"))) {
        bool complex = sw_text_is(word, "complex");
        uint64_t bits = element_bits(reader, mlir_skip(open + 1, close), close, dtype, depth + 1);
        *dtype = complex ? SW_DTYPE_NONE : *dtype;
        return complex && bits <= SW_MAX_BYTES / 2 ? 2 * bits : bits;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (sw_text_is(word, types[i].word)) {
            *dtype = types[i].dtype;
            return types[i].bits;
        }
    }
    if (word.length > 3 && word.at[0] == 'f' && word.at[1] >= '4' && word.at[1] <= '8' && word.at[2] == 'E') {
        *dtype = word.at[1] == '8' ? SW_DTYPE_FLOAT8 : SW_DTYPE_NONE;
        return 8;
    }
    uint64_t bits = integer_bits(word);
    return bits ? in_memory(bits) : 0;
}

/* Lengths of dimensions, as many as are kept. */
struct shape {
    const char *from;
    uint64_t lengths[MOST_RANK], count;
    size_t rank;
};

/* "4 x ?x", up to the type of the elements, where `at` is left. */
static bool read_mlir_shape(struct mlir *reader, const char **at, const char *stop, const char *open, const char *close,
                            struct shape *shape) {
    struct sw_input_text name;
    shape->count = 1;
    for (*at = mlir_skip(*at, stop);; *at = mlir_skip(*at, stop)) {
        uint64_t length = 0;
        if (*at < stop && **at == '?') {
            while (open < close && *open != '%') {
                open++;
            }
            if (open >= close || !mlir_value(&open, close, &name)) {
                return mlir_fail(reader, *at, "no operand gives the length of this dimension");
            }
            if (!mlir_number_of(reader, name, &length)) {
                return false;
            }
            ++*at;
        } else if (!sw_take_number(at, stop, &length)) {
            return true;
        }
        *at = mlir_skip(*at, stop);
        if (*at >= stop || **at != 'x' ||
            (length && shape->count && __builtin_mul_overflow(shape->count, length, &shape->count))) {
            return mlir_fail(reader, shape->from,
                             "the dimensions of the memref are wrong, or it is larger than 2^61 bytes");
        }
        ++*at;
        shape->count = length ? shape->count : 0;
        if (shape->rank < MOST_RANK) {
            shape->lengths[shape->rank] = length;
        }
        shape->rank++;
    }
}

/* The numbers of a list "[8, 1]", as many as there are dimensions. False: some are not known. */
static bool strides_at(const char *at, const char *end, size_t rank, uint64_t *strides) {
    size_t count = 0;
    for (at = mlir_skip(at + 1, end); at < end && *at != ']'; at = mlir_skip(at, end)) {
        if (count == rank || !sw_take_number(&at, end, &strides[count++])) {
            return false;
        }
        at = mlir_skip(at, end);
        at += at < end && *at == ',';
    }
    return count == rank;
}

/* "strided<[16, 1], offset: 4>": all elements from the start of the memref to the last that it reaches. Strides that
 * the text leaves open are those of elements side by side. */
static bool shape_span(const struct shape *shape, const char *at, const char *end, uint64_t *count) {
    const char *list = memchr(at, '[', (size_t)(end - at)), *offset = memmem(at, (size_t)(end - at), "offset:", 7);
    uint64_t strides[MOST_RANK], span = 0;
    if (!list || shape->rank > MOST_RANK || !strides_at(list, end, shape->rank, strides)) {
        return true;
    }
    if (offset && (offset = mlir_skip(offset + 7, end), !sw_take_number(&offset, end, &span))) {
        span = 0;
    }
    for (size_t i = 0; i < shape->rank && shape->count > 0; i++) {
        uint64_t reach;
        if (__builtin_mul_overflow(shape->lengths[i] - 1, strides[i], &reach) ||
            __builtin_add_overflow(span, reach, &span)) {
            return false;
        }
    }
    *count = shape->count == 0 ? 0 : span + 1;
    return span < SW_MAX_BYTES;
}

/* What stands behind the type of the elements: layouts, and the memory. */
static bool read_parts(struct mlir *reader, const char *at, const char *stop, const struct shape *shape,
                       uint64_t *count, struct mlir_buffer *buffer) {
    static const char *const layouts[] = {"affine_map", "(", "offset", "strides"};
    while (at < stop) {
        at = mlir_skip(at + 1, stop);
        const char *next = mlir_part(at, stop), *place = mlir_resolve(reader, at);
        const char *end = place == at ? next : mlir_near(reader, place);
        bool layout = false;
        for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
            layout |= mlir_starts(place, end, layouts[i]);
        }
        if (mlir_starts(place, end, "strided<")) {
            const char *close = mlir_close(place + 7, end);
            if (!close || !shape_span(shape, place, close, count)) {
                return mlir_fail(reader, at, "the layout of the memref is wrong, or it is larger than 2^61 bytes");
            }
        } else if (layout) {
            struct sw_input_text map = {place, (size_t)(end - place)};
            const char *close = memchr(place, '\n', map.length);
            map.length = close && place != at ? (size_t)(close - place) : map.length;
            reader->layouts += memmem(map.at, map.length, "mod", 3) || memmem(map.at, map.length, "div", 3) ||
                               memchr(map.at, '*', map.length) || memchr(map.at, '+', map.length);
        } else if (!(mlir_starts(place, end, "#map") && place == at)) {
            const char *colon = memmem(at, (size_t)(next - at), " :", 2); /* "1 : i32" */
            buffer->space = (struct sw_input_text){at, (size_t)((colon ? colon : next) - at)};
            while (buffer->space.length > 0 && memchr(" \t\r\n", at[buffer->space.length - 1], 4)) {
                buffer->space.length--;
            }
        }
        at = next;
    }
    return true;
}

bool mlir_memref(struct mlir *reader, const char *at, const char *open, const char *close, struct mlir_buffer *buffer) {
    static const char word[] = "memref<";
    const char *type = mlir_resolve(reader, at);
    const char *near = mlir_near(reader, type);
    const char *stop = mlir_starts(type, near, word) ? mlir_close(type + sizeof word - 2, near) : NULL;
    if (!stop) {
        return mlir_fail(reader, at, "this is no memref of at most %d bytes: memref<4x8xf32>", MLIR_MOST_TYPE);
    }
    type += sizeof word - 1;
    struct shape shape = {.from = type};
    if (!read_mlir_shape(reader, &type, stop, open, close, &shape)) {
        return false;
    }
    const char *part = mlir_part(type, stop);
    uint64_t bits = element_bits(reader, type, part, &buffer->dtype, 0), count = shape.count;
    if (bits == 0) {
        return mlir_fail(reader, type, "%.*s is no element type of known size",
                         (int)SW_MIN((size_t)(part - type), 1000), type);
    }
    if (!read_parts(reader, part, stop, &shape, &count, buffer)) {
        return false;
    }
    buffer->element = shape.rank == 1 ? bits / 8 : 0;
    return sw_bytes_of(count, bits, &buffer->size) ||
           mlir_fail(reader, shape.from, "the memref is larger than 2^61 bytes");
}
