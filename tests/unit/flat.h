/* Flatbuffers for tests, written byte by byte: tables of 64-bit fields, references to what comes
 * later. */
#ifndef SW_UNIT_FLAT_H
#define SW_UNIT_FLAT_H

#include "unit/formats.h"

struct flat {
    unsigned char bytes[32768];
    size_t count;
};

static inline void put(struct flat *flat, size_t at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) {
        flat->bytes[at + i] = (unsigned char)(value >> (8 * i));
    }
}

static inline size_t grow(struct flat *flat, size_t length) {
    size_t at = flat->count;
    flat->count += length;
    assert_true(flat->count <= sizeof flat->bytes);
    return at;
}

/* A table of `count` fields of eight bytes each; where it begins. */
static inline size_t new_table(struct flat *flat, unsigned count) {
    size_t vtable = grow(flat, 4 + 2 * (size_t)count), at = grow(flat, 4 + 8 * (size_t)count);
    put(flat, vtable, 4 + 2 * count, 2);
    put(flat, vtable + 2, 4 + 8 * count, 2);
    put(flat, at, at - vtable, 4);
    return at;
}

static inline void set(struct flat *flat, size_t table, unsigned field, uint64_t value) {
    size_t back = flat->bytes[table] | (size_t)flat->bytes[table + 1] << 8;
    put(flat, table - back + 4 + 2 * field, 4 + 8 * field, 2);
    put(flat, table + 4 + 8 * field, value, 8);
}

static inline void refer(struct flat *flat, size_t table, unsigned field, size_t to) {
    size_t at = table + 4 + 8 * field;
    set(flat, table, field, 0);
    put(flat, at, to - at, 4);
}

static inline size_t new_list(struct flat *flat, size_t count, size_t width) {
    size_t at = grow(flat, 4 + count * width);
    put(flat, at, count, 4);
    return at;
}

static inline size_t new_text(struct flat *flat, const char *text) {
    size_t at = new_list(flat, strlen(text), 1);
    memcpy(flat->bytes + at + 4, text, strlen(text));
    return at;
}

static inline void numbers(struct flat *flat, size_t table, unsigned field, const int *list, size_t count) {
    size_t at = new_list(flat, count, 4);
    for (size_t i = 0; i < count; i++) {
        put(flat, at + 4 + 4 * i, (uint64_t)(uint32_t)list[i], 4);
    }
    refer(flat, table, field, at);
}
#define NUMBERS(flat, table, field, ...) \
    numbers(flat, table, field, (const int[]){__VA_ARGS__}, COUNT(((const int[]){__VA_ARGS__})))

/* A list of references to tables that come later. */
static inline void refer_item(struct flat *flat, size_t list, size_t i, size_t to) {
    size_t at = list + 4 + 4 * i;
    put(flat, at, to - at, 4);
}

#endif
