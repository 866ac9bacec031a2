/* The words of files for kinds and element types, and tables of names. */
#include "problem/problem_internal.h"

#include <string.h>

static const char *const kind_names[] = {"input", "output", "constant", "intermediate", "scratch"};

const char *sw_kind_name(enum sw_kind kind) {
    return kind_names[kind];
}

const char *sw_buffer_kind(const struct sw_buffer *buffer) {
    return buffer->before ? "before the recording" : sw_kind_name(buffer->kind);
}

bool sw_kind_parse(const char *name, enum sw_kind *kind) {
    for (unsigned i = 0; i < sizeof kind_names / sizeof *kind_names; i++) {
        if (strcmp(name, kind_names[i]) == 0) {
            *kind = (enum sw_kind)i;
            return true;
        }
    }
    return false;
}

static const struct {
    const char *name;
    unsigned bits;
} dtypes[] = {{"", 0},         {"bool", 8},     {"int4", 4},       {"uint4", 4},       {"int8", 8},
              {"uint8", 8},    {"int16", 16},   {"uint16", 16},    {"int32", 32},      {"uint32", 32},
              {"int64", 64},   {"uint64", 64},  {"float8", 8},     {"float16", 16},    {"bfloat16", 16},
              {"float32", 32}, {"float64", 64}, {"complex64", 64}, {"complex128", 128}};

const char *sw_dtype_name(enum sw_dtype dtype) {
    return dtypes[dtype].name;
}

unsigned sw_dtype_bits(enum sw_dtype dtype) {
    return dtypes[dtype].bits;
}

bool sw_dtype_parse(const char *name, enum sw_dtype *dtype) {
    for (unsigned i = 1; i < sizeof dtypes / sizeof *dtypes; i++) {
        if (strcmp(name, dtypes[i].name) == 0) {
            *dtype = (enum sw_dtype)i;
            return true;
        }
    }
    return false;
}

bool sw_names_init(struct sw_names *table, size_t names) {
    size_t slots = 16;
    while (slots < names * 2) {
        slots *= 2;
    }
    *table = (struct sw_names){.slots = SW_NEW_ZERO(uint32_t, slots), .slot_count = slots};
    return table->slots != NULL;
}

void sw_names_done(struct sw_names *table) {
    SW_FREE(table->slots, table->slot_count);
    *table = (struct sw_names){0};
}

static size_t slot_of(const struct sw_names *table, const char *name, sw_name_fn *name_of, const void *context) {
    size_t at = sw_fold_bytes(0, name, strlen(name)) & (table->slot_count - 1);
    while (table->slots[at] && strcmp(name_of(context, table->slots[at] - 1), name) != 0) {
        at = (at + 1) & (table->slot_count - 1);
    }
    return at;
}

uint32_t sw_names_find(const struct sw_names *table, const char *name, sw_name_fn *name_of, const void *context) {
    if (!table->slots) {
        return SW_NONE;
    }
    return table->slots[slot_of(table, name, name_of, context)] - 1; /* 0 - 1 = SW_NONE */
}

uint32_t sw_names_add(struct sw_names *table, const char *name, uint32_t number, sw_name_fn *name_of,
                      const void *context) {
    size_t at = slot_of(table, name, name_of, context);
    if (table->slots[at]) {
        return table->slots[at] - 1;
    }
    table->slots[at] = number + 1;
    return SW_NONE;
}
