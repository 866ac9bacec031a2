/* The words of files for kinds and element types. */
#include "problem/problem_internal.h"

static const char *const kind_names[] = {"input", "output", "constant", "intermediate", "scratch"};
_Static_assert(sizeof kind_names / sizeof *kind_names == SW_KIND_SCRATCH + 1, "a word for each kind");

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
_Static_assert(sizeof dtypes / sizeof *dtypes == SW_DTYPE_COMPLEX128 + 1, "a word for each element type");

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
