/* MLIR with buffers in it. What memref.alloc and IREE's stream.resource.alloca make lives from its line to the last that
 * names it, or one of its views; inside of a loop, to the end of the loop. IREE's stream.resource.pack lists slices with
 * lifetimes of their own. Times are lines; each pack's times stand behind them. Offsets are not in the text.
 *
 * No dialect is known here: names of values, braces and a handful of operations are enough. */
#include "formats/compilers/program.h"
#include "formats/tools/placed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    struct sw_text name;
    const char *tier, *at;
    uint64_t size;
    enum sw_dtype dtype;
    int64_t first, last;
    uint32_t loop; /* the outermost loop that uses it and began after it; SW_NONE */
    bool output, slice;
    uint32_t line, column;
};
struct loop {
    const char *at;
    int64_t end;
};

struct reader {
    const struct sw_input *input;
    struct sw_builder *builder;
    struct sw_error *error;
    const struct sw_params *dims; /* --dim NAME=LENGTH; NULL */
    uint64_t dims_used;
    const char *at, *end, *line_start;
    uint32_t line;
    bool starts;       /* nothing of the line has been read yet */
    struct sw_text op; /* of the present statement */
    SW_ARRAY(struct sw_text) results;
    SW_ARRAY(struct buffer) buffers;
    SW_ARRAY(struct loop) loops;
    SW_ARRAY(uint32_t) open;    /* braces: the loop that each began, or SW_NONE */
    SW_ARRAY(uint32_t) running; /* loops around the present place */
    SW_ARRAY(uint64_t) numbers;
    struct sw_index values;    /* buffers by the names of values, and of their views */
    struct sw_index constants; /* places in `numbers` by the names of values */
    struct sw_index packed;    /* values that are the size of all of a pack */
    struct sw_index types;     /* where in the text the memref of "!name = memref<...>" stands */
    struct sw_arena arena;
    const char *tiers[SW_MAX_TIERS];
    uint32_t tier_count, packs, arenas, functions, arguments;
    int64_t clock; /* where the times of the next pack begin; 0: not known yet */
    uint64_t alignment;
};

static bool fail(struct reader *reader, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(struct reader *reader, const char *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_text_vfail(reader->input, at, reader->error, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- characters ---- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || c == '-';
}

static bool starts_with(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at;
}

static struct sw_text word_at(const char *at, const char *end) {
    struct sw_text word = {at, 0};
    while (at < end && is_word(*at)) {
        at++;
    }
    word.length = (size_t)(at - word.at);
    return word;
}

/* "%name", without what may stand behind it: "#1", ":2". */
static bool value_at(const char **at, const char *end, struct sw_text *name) {
    if (*at == end || **at != '%') {
        return false;
    }
    *name = word_at(*at + 1, end);
    *at = name->at + name->length;
    return name->length > 0;
}

static bool number_at(const char **at, const char *end, uint64_t *number) {
    const char *from = *at;
    for (*number = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        if (*number > SW_MAX_BYTES) {
            return false;
        }
        *number = 10 * *number + (uint64_t)(**at - '0');
    }
    return *at > from;
}

static bool is_one_of(struct sw_text word, const char *const *words) {
    for (; *words; words++) {
        if (sw_text_is(word, *words)) {
            return true;
        }
    }
    return false;
}

/* ---- numbers ---- */

/* A value that is a constant of the text, or given with --dim. */
static bool number_of(struct reader *reader, struct sw_text name, uint64_t *number) {
    uint32_t place = sw_index_get(&reader->constants, name);
    size_t count = reader->dims ? reader->dims->settings.count : 0;
    if (place != SW_NONE) {
        *number = reader->numbers.items[place];
        return true;
    }
    for (size_t i = 0; i < count && i < 64; i++) {
        const struct sw_setting *setting = &reader->dims->settings.items[i];
        if (sw_text_is(name, setting->key)) {
            reader->dims_used |= UINT64_C(1) << i;
            *number = strtoull(setting->value, NULL, 10);
            return true;
        }
    }
    return fail(
        reader, name.at - 1,
        "a size depends on %%%s, which the text leaves open: give it, for instance with --dim %s=1",
        sw_quote(name.at, name.length).text, sw_quote(name.at, name.length).text);
}

static bool set_number(struct reader *reader, uint64_t number) {
    return reader->results.count == 0 ||
           (SW_PUSH(&reader->numbers, number) &&
            sw_index_put(&reader->constants, reader->results.items[0],
                         (uint32_t)reader->numbers.count - 1)) ||
           sw_fail_memory(reader->error);
}

/* "%c4 = arith.constant 4 : index", "%n = arith.muli %a, %b : index". */
static bool read_number(struct reader *reader, const char *at) {
    uint64_t a = 0, b = 0;
    struct sw_text left, right;
    at = skip_blanks(at, reader->end);
    if (sw_text_is(reader->op, "arith.constant") || sw_text_is(reader->op, "constant")) {
        return !number_at(&at, reader->end, &a) || !starts_with(at, reader->end, " : ") ||
               set_number(reader, a);
    }
    bool product = sw_text_is(reader->op, "arith.muli");
    if (!product && !sw_text_is(reader->op, "arith.addi")) {
        return true;
    }
    if (!value_at(&at, reader->end, &left) || !starts_with(at, reader->end, ", ") ||
        (at += 2, !value_at(&at, reader->end, &right)) ||
        sw_index_get(&reader->constants, left) == SW_NONE ||
        sw_index_get(&reader->constants, right) == SW_NONE || !number_of(reader, left, &a) ||
        !number_of(reader, right, &b)) {
        return true;
    }
    bool over = product ? __builtin_mul_overflow(a, b, &a) : __builtin_add_overflow(a, b, &a);
    return over || set_number(reader, a);
}

/* ---- types ---- */

/* "f32", "vector<4x8xf16>", "complex<f64>", "index": how many bits one has, in whole bytes. 0: not known. */
static uint64_t element_bits(const char *at, const char *end, enum sw_dtype *dtype,
                             unsigned depth) {
    static const struct {
        const char *word;
        uint64_t bits;
        enum sw_dtype dtype;
    } types[] = {{"f32", 32, SW_DTYPE_FLOAT32},   {"f16", 16, SW_DTYPE_FLOAT16},
                 {"bf16", 16, SW_DTYPE_BFLOAT16}, {"f64", 64, SW_DTYPE_FLOAT64},
                 {"tf32", 32, SW_DTYPE_NONE},     {"f80", 128, SW_DTYPE_NONE},
                 {"f128", 128, SW_DTYPE_NONE},    {"index", 64, SW_DTYPE_INT64},
                 {"i1", 8, SW_DTYPE_BOOL},        {"i8", 8, SW_DTYPE_INT8},
                 {"i16", 16, SW_DTYPE_INT16},     {"i32", 32, SW_DTYPE_INT32},
                 {"i64", 64, SW_DTYPE_INT64}};
    struct sw_text word = word_at(at, end);
    uint64_t bits = 0, count = 1;
    *dtype = SW_DTYPE_NONE;
    bool complex = sw_text_is(word, "complex"), vector = sw_text_is(word, "vector");
    if ((complex || vector) && at + word.length < end && depth < 4) {
        at += word.length + 1;
        for (uint64_t length; vector && number_at(&at, end, &length) && at < end && *at == 'x';
             at++) {
            if (__builtin_mul_overflow(count, length, &count)) {
                return 0;
            }
        }
        bits = element_bits(at, end, dtype, depth + 1);
        *dtype = SW_DTYPE_NONE;
        return __builtin_mul_overflow(bits, complex ? 2 : count, &bits) || bits > SW_MAX_BYTES
                   ? 0
                   : bits;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (sw_text_is(word, types[i].word)) {
            *dtype = types[i].dtype;
            return types[i].bits;
        }
    }
    if (word.length > 3 && word.at[0] == 'f' && word.at[1] >= '4' && word.at[1] <= '8' &&
        word.at[2] == 'E') {
        *dtype = word.at[1] == '8' ? SW_DTYPE_FLOAT8 : SW_DTYPE_NONE;
        return 8;
    }
    /* i4, si8, ui16: one in whole bytes. */
    const char *digits = word.at + (word.length > 1 && (*word.at == 's' || *word.at == 'u'));
    if (digits < end && *digits == 'i' && (digits++, number_at(&digits, end, &bits)) &&
        digits == word.at + word.length && bits > 0 && bits <= 4096) {
        return (bits + 7) / 8 * 8;
    }
    return 0;
}

static bool find_tier(struct reader *reader, struct sw_text name, const char **tier) {
    for (uint32_t i = 0; i < reader->tier_count; i++) {
        if (sw_text_is(name, reader->tiers[i])) {
            *tier = reader->tiers[i];
            return true;
        }
    }
    if (reader->tier_count == SW_MAX_TIERS) {
        return fail(reader, reader->at, "more than %d memories, or packs", SW_MAX_TIERS);
    }
    *tier = sw_arena_string(&reader->arena, name.at, name.length);
    reader->tiers[reader->tier_count++] = *tier;
    return *tier != NULL || sw_fail_memory(reader->error);
}

/* The end of "<...>", at whose inside `at` stands; NULL: it is cut off. An arrow closes nothing. */
static const char *close_angle(const char *at, const char *end) {
    size_t depth = 1;
    for (; at < end; at++) {
        depth += *at == '<';
        if (*at == '>' && at[-1] != '-' && --depth == 0) {
            return at;
        }
    }
    return NULL;
}

/* "4x?xf32, strided<[8, 1]>, 3": the last part is a memory unless it is a layout. `open` are the operands of the alloc,
 * the lengths of dimensions with a question mark. */
static bool read_memref(struct reader *reader, const char *at, const char *stop, const char *open,
                        const char *close, struct buffer *buffer) {
    const char *from = at, *part = NULL;
    uint64_t count = 1, length = 0;
    struct sw_text name;
    for (;; at++) {
        if (at < stop && *at == '?') {
            while (open < close && *open != '%') {
                open++;
            }
            if (open >= close || !value_at(&open, close, &name)) {
                return fail(reader, at, "no operand gives the length of this dimension");
            }
            if (!number_of(reader, name, &length)) {
                return false;
            }
            at++;
        } else if (!number_at(&at, stop, &length)) {
            break;
        }
        if (at >= stop || *at != 'x' ||
            (length && count && __builtin_mul_overflow(count, length, &count))) {
            return fail(reader, from,
                        "the dimensions of the memref are wrong, or it is larger than 2^61 bytes");
        }
        count = length ? count : 0;
    }
    size_t depth = 0;
    for (const char *scan = at; scan < stop; scan++) {
        depth += *scan == '<' || *scan == '(' || *scan == '[';
        depth -= depth > 0 && (*scan == '>' || *scan == ')' || *scan == ']');
        part = *scan == ',' && depth == 0 ? scan + 1 : part;
    }
    uint64_t bits = element_bits(at, stop, &buffer->dtype, 0);
    if (bits == 0) {
        return fail(reader, at, "%s is no element type whose size is known",
                    sw_quote(at, word_at(at, stop).length).text);
    }
    if (!sw_bytes_of(count, bits, &buffer->size)) {
        return fail(reader, from, "the memref is larger than 2^61 bytes");
    }
    part = part ? skip_blanks(part, stop) : NULL;
    if (!part || starts_with(part, stop, "strided") || starts_with(part, stop, "affine_map") ||
        starts_with(part, stop, "#map")) {
        return true;
    }
    return find_tier(reader, (struct sw_text){part, (size_t)(stop - part)}, &buffer->tier);
}

/* ---- buffers ---- */

static bool add_buffer(struct reader *reader, struct buffer *buffer) {
    if (reader->buffers.count >= SW_NONE / 8) {
        return fail(reader, buffer->at, "too many buffers");
    }
    buffer->loop = SW_NONE;
    buffer->line = reader->line;
    return SW_PUSH(&reader->buffers, *buffer) || sw_fail_memory(reader->error);
}

/* "%alloc = memref.alloc(%n) {alignment = 64 : i64} : memref<4x?xf32, 1>" */
static bool read_alloc(struct reader *reader, const char *at) {
    static const char word[] = "memref<";
    const char *open = at, *close = memchr(at, ')', (size_t)(reader->end - at));
    const char *line_end = memchr(at, '\n', (size_t)(reader->end - at));
    line_end = line_end ? line_end : reader->end;
    const char *type = memmem(at, (size_t)(line_end - at), word, sizeof word - 1);
    const char *alias = type ? NULL : memmem(at, (size_t)(line_end - at), ": !", 3);
    if (alias) {
        uint32_t place = sw_index_get(&reader->types, word_at(alias + 3, line_end));
        type = place == SW_NONE ? NULL : sw_text_begin(reader->input) + place;
    }
    const char *stop = type ? close_angle(type + sizeof word - 1, reader->end) : NULL;
    struct buffer buffer = {.at = reader->op.at, .first = reader->line, .last = reader->line};
    if (reader->results.count != 1 || !close || !stop) {
        return fail(reader, reader->op.at,
                    "this is no allocation: %%name = memref.alloc() : memref<4x8xf32>");
    }
    buffer.name = reader->results.items[0];
    struct sw_text stack = {"stack", strlen("stack")}, heap = {"memory", strlen("memory")};
    bool alloca = sw_text_is(reader->op, "memref.alloca");
    return read_memref(reader, type + sizeof word - 1, stop, open, close, &buffer) &&
           (buffer.tier || find_tier(reader, alloca ? stack : heap, &buffer.tier)) &&
           (sw_index_put(&reader->values, buffer.name, (uint32_t)reader->buffers.count) ||
            sw_fail_memory(reader->error)) &&
           add_buffer(reader, &buffer);
}

/* "%r, %t = stream.resource.alloca uninitialized : !stream.resource<transient>{%c1024} => ...". One type and size for
 * each result that is a resource. What a pack is laid out in is the pack. */
static bool read_resource(struct reader *reader, const char *at) {
    static const char word[] = "!stream.resource<";
    const char *stop = memchr(at, '\n', (size_t)(reader->end - at));
    stop = stop ? stop : reader->end;
    for (size_t i = 0; i < reader->results.count; i++) {
        struct buffer buffer = {.at = reader->op.at, .first = reader->line, .last = reader->line};
        struct sw_text size;
        const char *type = memmem(at, (size_t)(stop - at), word, sizeof word - 1);
        if (!type && i == 0) { /* it may stand on the next line */
            const char *next = stop < reader->end
                                   ? memchr(stop + 1, '\n', (size_t)(reader->end - stop - 1))
                                   : NULL;
            stop = next ? next : reader->end;
            type = memmem(at, (size_t)(stop - at), word, sizeof word - 1);
        }
        const char *open = type ? memchr(type, '{', (size_t)(stop - type)) : NULL;
        if (!open && i > 0) {
            return true; /* the timepoint */
        }
        const char *inside = open ? open + 1 : NULL;
        if (!open || !value_at(&inside, stop, &size)) {
            return fail(reader, reader->op.at,
                        "this is no allocation: ... !stream.resource<transient>{%%size}");
        }
        at = inside;
        if (sw_index_get(&reader->packed, size) != SW_NONE) {
            reader->arenas++;
            continue;
        }
        struct sw_text tier = {type + sizeof word - 1, 0};
        const char *close = memchr(tier.at, '>', (size_t)(open - tier.at));
        tier.length = close ? (size_t)(close - tier.at) : 0;
        buffer.name = reader->results.items[i];
        if (!number_of(reader, size, &buffer.size) || !find_tier(reader, tier, &buffer.tier)) {
            return false;
        }
        if (buffer.size >= SW_MAX_BYTES) {
            return fail(reader, size.at - 1, "the resource is larger than 2^61 bytes");
        }
        if (!sw_index_put(&reader->values, buffer.name, (uint32_t)reader->buffers.count)) {
            return sw_fail_memory(reader->error);
        }
        if (!add_buffer(reader, &buffer)) {
            return false;
        }
    }
    return true;
}

/* "    [0, 4] = %c200,  // comment" */
static bool read_slice(struct reader *reader, const char **at, const char *tier, uint32_t number,
                       int64_t *span) {
    uint64_t first = 0, last = 0;
    struct sw_text size;
    struct buffer buffer = {.tier = tier, .at = *at, .slice = true};
    const char *end = reader->end, *from = *at;
    ++*at;
    *at = skip_blanks(*at, end);
    bool good = number_at(at, end, &first) &&
                (*at = skip_blanks(*at, end), *at < end && **at == ',') &&
                (++*at, *at = skip_blanks(*at, end), number_at(at, end, &last)) &&
                (*at = skip_blanks(*at, end), starts_with(*at, end, "]")) &&
                (++*at, *at = skip_blanks(*at, end), starts_with(*at, end, "=")) &&
                (++*at, *at = skip_blanks(*at, end), value_at(at, end, &size));
    if (!good || last < first || last >= INT32_MAX) {
        return fail(reader, from, "this is no slice with its lifetime: [first, last] = %%size");
    }
    struct sw_text base = reader->results.items[0];
    char *name = sw_arena_new(&reader->arena, base.length + 16, 1);
    if (!name) {
        return sw_fail_memory(reader->error);
    }
    snprintf(name, base.length + 16, "%.*s#%" PRIu32, (int)base.length, base.at, number);
    buffer.name = (struct sw_text){name, strlen(name)};
    buffer.first = (int64_t)first;
    buffer.last = (int64_t)last;
    *span = buffer.last >= *span ? buffer.last + 1 : *span;
    if (!number_of(reader, size, &buffer.size)) {
        return false;
    }
    return (buffer.size < SW_MAX_BYTES ||
            fail(reader, size.at - 1, "the slice is larger than 2^61 bytes")) &&
           add_buffer(reader, &buffer);
}

/* "%t:7 = stream.resource.pack slices({ ... }) : index": a memory of its own, on a clock of its own. */
static bool read_pack(struct reader *reader, const char *at) {
    static const char word[] = "slices({";
    char name[64];
    const char *list = memmem(at, (size_t)(reader->end - at), word, sizeof word - 1), *tier;
    int64_t span = 0;
    size_t before = reader->buffers.count;
    if (!list || reader->results.count == 0) {
        return fail(reader, reader->op.at,
                    "this is no pack: %%name:2 = stream.resource.pack slices({ ... })");
    }
    struct sw_text base = reader->results.items[0];
    snprintf(name, sizeof name, "%.40s in line %" PRIu32, sw_quote(base.at, base.length).text,
             reader->line);
    if (!find_tier(reader, (struct sw_text){name, strlen(name)}, &tier) ||
        !(sw_index_put(&reader->packed, base, 0) || sw_fail_memory(reader->error))) {
        return false;
    }
    reader->packs++;
    const char *scan = list + sizeof word - 1;
    for (uint32_t number = 1;; number++) {
        while (scan < reader->end && *scan != '[' && *scan != '}') {
            const char *stop = starts_with(scan, reader->end, "//")
                                   ? memchr(scan, '\n', (size_t)(reader->end - scan))
                                   : scan;
            scan = stop ? stop + 1 : reader->end;
        }
        if (scan == reader->end) {
            return fail(reader, list, "the list of slices is cut off");
        }
        if (*scan == '}') {
            break;
        }
        if (!read_slice(reader, &scan, tier, number, &span)) {
            return false;
        }
    }
    for (size_t i = before; i < reader->buffers.count; i++) {
        reader->buffers.items[i].first += reader->clock;
        reader->buffers.items[i].last += reader->clock;
    }
    reader->clock += span;
    return true;
}

/* ---- statements ---- */

static uint32_t outermost_loop(const struct reader *reader, const char *since) {
    size_t low = 0, high = reader->running.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool after = reader->loops.items[reader->running.items[middle]].at > since;
        low = after ? low : middle + 1;
        high = after ? middle : high;
    }
    return low < reader->running.count ? reader->running.items[low] : SW_NONE;
}

static void use(struct reader *reader, struct sw_text name) {
    uint32_t number = sw_index_get(&reader->values, name);
    if (number == SW_NONE) {
        return;
    }
    struct buffer *buffer = &reader->buffers.items[number];
    static const char *const returns[] = {"return", "func.return", "util.return", NULL};
    buffer->last = reader->line;
    buffer->loop = buffer->loop == SW_NONE ? outermost_loop(reader, buffer->at) : buffer->loop;
    buffer->output |= is_one_of(reader->op, returns);
}

/* What gives a buffer, or a part of it, another name. */
static bool is_view(struct sw_text op) {
    static const char *const views[] = {"memref.subview",
                                        "memref.cast",
                                        "memref.reinterpret_cast",
                                        "memref.collapse_shape",
                                        "memref.expand_shape",
                                        "memref.view",
                                        "memref.transpose",
                                        "memref.assume_alignment",
                                        "memref.memory_space_cast",
                                        "bufferization.to_tensor",
                                        "bufferization.to_buffer",
                                        "stream.resource.subview",
                                        "amdgpu.fat_raw_buffer_cast",
                                        "memref.reshape",
                                        "iree_codegen.swizzle_hint",
                                        "memref.distinct_objects",
                                        NULL};
    return is_one_of(op, views);
}

/* The values that a statement makes, and its operation. All names that it makes mean nothing else from here on. */
static bool begin_statement(struct reader *reader) {
    const char *at = reader->at, *end = reader->end;
    struct sw_text name;
    reader->results.count = 0;
    while (at < end && (*at == '}' || *at == ' ')) {
        at++;
    }
    const char *from = at;
    while (value_at(&at, end, &name)) {
        if (!SW_PUSH(&reader->results, name)) {
            return sw_fail_memory(reader->error);
        }
        if (at < end && *at == ':') { /* so many results */
            uint64_t count;
            at++;
            number_at(&at, end, &count);
        }
        at = skip_blanks(at, end);
        at += at < end && *at == ',';
        at = skip_blanks(at, end);
    }
    bool assigned = reader->results.count > 0 && at < end && *at == '=';
    reader->results.count = assigned ? reader->results.count : 0;
    at = assigned ? skip_blanks(at + 1, end) : from;
    struct sw_text op = word_at(at + (at < end && *at == '"'), end);
    reader->op = op.length > 0 ? op : reader->op;
    for (size_t i = 0; i < reader->results.count; i++) {
        if (sw_index_get(&reader->values, reader->results.items[i]) != SW_NONE &&
            !sw_index_put(&reader->values, reader->results.items[i], SW_NONE)) {
            return sw_fail_memory(reader->error);
        }
    }
    return true;
}

static bool begin_function(struct reader *reader, const char *at) {
    const char *stop = memchr(at, '\n', (size_t)(reader->end - at));
    stop = stop ? stop : reader->end;
    sw_index_clear(&reader->values);
    sw_index_clear(&reader->constants);
    sw_index_clear(&reader->packed);
    reader->functions++;
    for (const char *from = at; (from = memmem(from, (size_t)(stop - from), ": memref<", 9));
         from++) {
        reader->arguments++;
    }
    return true;
}

/* "!tile = memref<4x8xf32>": a type's other name. */
static bool read_type(struct reader *reader) {
    struct sw_text name = word_at(reader->at + 1, reader->end);
    const char *at = skip_blanks(name.at + name.length, reader->end);
    if (!starts_with(at, reader->end, "= memref<") ||
        reader->end - reader->input->bytes > INT32_MAX) {
        return true;
    }
    uint32_t place = (uint32_t)(at + 2 - sw_text_begin(reader->input));
    return sw_index_put(&reader->types, name, place) || sw_fail_memory(reader->error);
}

static bool read_statement(struct reader *reader) {
    static const char *const functions[] = {"func.func", "util.func",      "func",   "llvm.func",
                                            "gpu.func",  "builtin.module", "module", NULL};
    static const char *const resources[] = {"stream.resource.alloca", "stream.resource.alloc",
                                            NULL};
    struct sw_text word = word_at(reader->at, reader->end);
    if (*reader->at == '!') {
        return read_type(reader);
    }
    if (!begin_statement(reader)) {
        return false;
    }
    struct sw_text op = reader->op;
    const char *at = op.at + op.length;
    if (reader->results.count == 0) {
        return !is_one_of(word, functions) || begin_function(reader, at);
    }
    if (sw_text_is(op, "memref.alloc") || sw_text_is(op, "memref.alloca")) {
        return read_alloc(reader, at);
    }
    if (is_one_of(op, resources)) {
        return read_resource(reader, at);
    }
    return sw_text_is(op, "stream.resource.pack") ? read_pack(reader, at) : read_number(reader, at);
}

/* "%view = memref.subview %0[...]": from its first operand; "%0 as %arg1", "%arg1 = %0" in a loop's variables. */
static bool rename_value(struct reader *reader, struct sw_text old, struct sw_text name) {
    uint32_t number = sw_index_get(&reader->values, old);
    return number == SW_NONE || sw_index_put(&reader->values, name, number) ||
           sw_fail_memory(reader->error);
}

static bool read_value(struct reader *reader, bool *viewed) {
    struct sw_text name, other;
    const char *end = reader->end;
    if (!value_at(&reader->at, end, &name)) {
        reader->at++;
        return true;
    }
    use(reader, name);
    bool result = false;
    for (size_t i = 0; i < reader->results.count && i < 64; i++) {
        result |= reader->results.items[i].at == name.at;
    }
    if (!result && !*viewed && reader->results.count == 1 && is_view(reader->op)) {
        *viewed = true;
        if (!rename_value(reader, name, reader->results.items[0])) {
            return false;
        }
    }
    const char *at = skip_blanks(reader->at, end);
    bool as = starts_with(at, end, "as %"), is = starts_with(at, end, "= %");
    if (!result && (as || is)) {
        at += as ? 3 : 2;
        if (value_at(&at, end, &other)) {
            return as ? rename_value(reader, name, other) : rename_value(reader, other, name);
        }
    }
    return true;
}

static bool open_brace(struct reader *reader) {
    static const char *const loops[] = {"scf.for",      "scf.while",  "scf.forall",
                                        "scf.parallel", "affine.for", "affine.parallel",
                                        "do",           NULL};
    uint32_t loop = SW_NONE;
    reader->at++;
    if (is_one_of(reader->op, loops)) {
        loop = (uint32_t)reader->loops.count;
        if (!SW_PUSH(&reader->loops, (struct loop){reader->op.at, INT64_MAX}) ||
            !SW_PUSH(&reader->running, loop)) {
            return sw_fail_memory(reader->error);
        }
    }
    return SW_PUSH(&reader->open, loop) || sw_fail_memory(reader->error);
}

static void close_brace(struct reader *reader) {
    reader->at++;
    if (reader->open.count == 0) {
        return;
    }
    uint32_t loop = reader->open.items[--reader->open.count];
    if (loop != SW_NONE) {
        reader->loops.items[loop].end = reader->line;
        reader->running.count--;
    }
}

static void skip_text(struct reader *reader) {
    for (reader->at++; reader->at < reader->end && *reader->at != '"' && *reader->at != '\n';
         reader->at++) {
        reader->at += *reader->at == '\\' && reader->at + 1 < reader->end && reader->at[1] != '\n';
    }
    reader->at += reader->at < reader->end && *reader->at == '"';
}

static bool read_all(struct reader *reader) {
    bool starts = true, viewed = false;
    while (reader->at < reader->end) {
        char c = *reader->at;
        if (c == '\n') {
            reader->line += reader->line < UINT32_MAX;
            reader->at++;
            starts = true;
        } else if (starts_with(reader->at, reader->end, "//")) {
            const char *stop = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
            reader->at = stop ? stop : reader->end;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            reader->at++;
        } else if (starts) {
            starts = viewed = false;
            if (!read_statement(reader)) {
                return false;
            }
        } else if (c == '"') {
            skip_text(reader);
        } else if (c == '{') {
            if (!open_brace(reader)) {
                return false;
            }
        } else if (c == '}') {
            close_brace(reader);
        } else if (c == '%') {
            if (!read_value(reader, &viewed)) {
                return false;
            }
        } else {
            reader->at++;
        }
    }
    return true;
}

/* ---- to the builder ---- */

/* "min_buffer_offset_alignment = 16": what IREE lays slices out by. */
static void find_alignment(struct reader *reader) {
    static const char word[] = "min_buffer_offset_alignment = ";
    const char *at = memmem(reader->at, (size_t)(reader->end - reader->at), word, sizeof word - 1);
    uint64_t number = 0;
    at = at ? at + sizeof word - 1 : NULL;
    if (at && number_at(&at, reader->end, &number) && number > 0 && number <= SW_MAX_ALIGNMENT) {
        reader->alignment = number;
    }
}

static bool add_buffers(struct reader *reader) {
    struct sw_unique unique = {0};
    bool good = sw_unique_init(&unique, reader->buffers.count) || sw_fail_memory(reader->error);
    for (size_t i = 0; good && i < reader->buffers.count; i++) {
        const struct buffer *buffer = &reader->buffers.items[i];
        int64_t end = buffer->loop == SW_NONE ? 0 : reader->loops.items[buffer->loop].end;
        end = end == INT64_MAX ? reader->line : end;
        const char *text = sw_unique_text(&reader->arena, buffer->name.at, buffer->name.length);
        const char *name = sw_unique_name(&unique, &reader->arena, text);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind =
                                          buffer->output ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE,
                                      .dtype = buffer->dtype,
                                      .has_size = true,
                                      .size = buffer->size,
                                      .alignment = buffer->slice ? reader->alignment : 0,
                                      .tier = reader->tier_count > 1 ? buffer->tier : NULL,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = buffer->first,
                                      .last = buffer->last > end ? buffer->last : end};
        sw_builder_at(reader->builder, buffer->line, 1);
        good = name ? sw_builder_buffer(reader->builder, &spec, reader->error)
                    : sw_fail_memory(reader->error);
    }
    sw_unique_done(&unique);
    return good;
}

static bool add_tiers(struct reader *reader) {
    for (uint32_t i = 0; reader->tier_count > 1 && i < reader->tier_count; i++) {
        struct sw_tier tier = {.name = reader->tiers[i], .capacity = SW_UNBOUNDED};
        if (!sw_builder_tier(reader->builder, &tier, reader->error)) {
            return false;
        }
    }
    return true;
}

static bool add_notes(struct reader *reader) {
    struct sw_builder *builder = reader->builder;
    struct sw_error *error = reader->error;
    return sw_builder_note(
               builder,
               "times are lines of the text: a buffer lives from the line that allocates it to the "
               "last "
               "that names it or a view of it, or to the end of a loop around that, both inclusive",
               error) &&
           sw_builder_note(builder,
                           "functions stand one after the other as in the text; what calls which "
                           "is not followed",
                           error) &&
           (reader->arguments == 0 ||
            sw_notef(builder, error,
                     "left out: %" PRIu32 " arguments of functions, which are the caller's",
                     reader->arguments)) &&
           (reader->packs == 0 || sw_notef(builder, error,
                                           "%" PRIu32 " stream.resource.pack: each a memory of its "
                                                      "own, their slices with the lifetimes that "
                                           "IREE gives them, both ends inside, behind the lines "
                                           "and each pack behind the other",
                                           reader->packs)) &&
           (reader->arenas == 0 ||
            sw_notef(builder, error,
                     "left out: %" PRIu32 " allocations that the slices of a pack lie in",
                     reader->arenas));
}

static bool check_dims(struct reader *reader) {
    size_t count = reader->dims ? reader->dims->settings.count : 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= 64 || !(reader->dims_used >> i & 1)) {
            return sw_fail(reader->error, SW_ERROR_USAGE,
                           "--dim %s: no size depends on a value of this name",
                           reader->dims->settings.items[i].key);
        }
    }
    return true;
}

static bool mlir_read(const struct sw_input *input, const struct sw_load_options *options,
                      struct sw_builder *builder, struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.input = input,
                            .builder = builder,
                            .error = &own,
                            .dims = options ? options->dims : NULL,
                            .at = sw_text_begin(input),
                            .end = sw_text_end(input),
                            .line = 1,
                            .op = {"", 0}};
    if (!sw_text_check(input, error)) {
        return false;
    }
    for (const char *at = reader.at; at < reader.end; at++) {
        reader.clock += *at == '\n';
    }
    reader.clock += 2;
    find_alignment(&reader);
    bool good = read_all(&reader) && check_dims(&reader);
    if (good && reader.buffers.count == 0) {
        good = fail(&reader, reader.end,
                    "no buffer is allocated here: no memref.alloc, stream.resource.alloca or "
                    "stream.resource.pack");
    }
    good = good && add_tiers(&reader) && add_buffers(&reader) && add_notes(&reader);
    SW_ARRAY_DONE(&reader.results);
    SW_ARRAY_DONE(&reader.buffers);
    SW_ARRAY_DONE(&reader.loops);
    SW_ARRAY_DONE(&reader.open);
    SW_ARRAY_DONE(&reader.running);
    SW_ARRAY_DONE(&reader.numbers);
    sw_index_done(&reader.values);
    sw_index_done(&reader.constants);
    sw_index_done(&reader.packed);
    sw_index_done(&reader.types);
    sw_arena_done(&reader.arena);
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool has(const struct sw_input *input, const char *word) {
    const char *at = sw_text_begin(input);
    return memmem(at, (size_t)(sw_text_end(input) - at), word, strlen(word)) != NULL;
}

/* It begins as MLIR does, and allocates something. */
static bool mlir_detect(const struct sw_input *input) {
    static const char *const begins[] = {"module",    "builtin.module", "\"builtin.module\"",
                                         "func.func", "util.func",      "func @",
                                         "hal.",      "stream.",        "flow.",
                                         "memref.",   "util.",          "#",
                                         "!"};
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    for (at = skip_blanks(at, end); starts_with(at, end, "//"); at = skip_blanks(at, end)) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop : end;
    }
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (starts_with(at, end, begins[i])) {
            return has(input, "= memref.alloc") || has(input, "= stream.resource.alloc") ||
                   has(input, "= stream.resource.pack");
        }
    }
    return false;
}

const struct sw_format sw_format_mlir = {
    .name = "mlir",
    .summary = "MLIR with memref.alloc, IREE's stream.resource.alloca and stream.resource.pack: "
               "times are lines, a pack's its "
               "own; both ends are inside",
    .extensions = ".mlir",
    .heeds = SW_HEEDS_DIMS,
    .detect = mlir_detect,
    .read = mlir_read,
};
