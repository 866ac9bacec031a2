/* What tests of ONNX models share: load one that is written as lines, compare shapes, look for a note. */
#ifndef SW_UNIT_ONNX_CHECKS_H
#define SW_UNIT_ONNX_CHECKS_H

#include "unit/formats.h"
#include "unit/onnx.h"

static inline struct sw_problem *load_dims(const char *text, const char *dims, struct sw_error *error) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.dims = dims ? &params : NULL, .inplace_safe = true};
    for (const char *at = dims; at && *at; at += *at == ' ') {
        char key[64], value[16];
        int length;
        assert_int_equal(sscanf(at, "%63[^=]=%15[0-9]%n", key, value, &length), 2);
        assert_true(sw_params_set(&params, key, value, error));
        at += length;
    }
    onnx_bytes model = onnx_encode(text);
    struct sw_input input = text_input(model.items, model.count);
    struct sw_problem *problem = sw_load_input(&input, &options, error);
    SW_ARRAY_DONE(&model);
    sw_params_done(&params);
    return problem;
}

static inline struct sw_problem *load(const char *text) {
    struct sw_error error = {0};
    struct sw_problem *problem = load_dims(text, NULL, &error);
    if (!problem) {
        fail_msg("%s\n%s", error.message, text);
    }
    return problem;
}

/* "y=1x3 z=float16:2": shapes, and types where they are not float32, of some buffers. */
static inline void check_shapes(const struct sw_problem *problem, const char *text, const char *wanted) {
    for (const char *at = wanted; *at; at += *at == ' ') {
        char name[32], want[128], got[160] = "";
        int length;
        assert_int_equal(sscanf(at, "%31[^=]=%127[^ ]%n", name, want, &length), 2);
        at += length;
        uint32_t number = sw_problem_find_buffer(problem, name);
        if (number == SW_NONE) {
            fail_msg("there is no %s in\n%s", name, text);
        }
        const struct sw_buffer *buffer = sw_problem_buffer(problem, number);
        size_t used = 0;
        if (buffer->dtype != SW_DTYPE_FLOAT32) {
            used = (size_t)snprintf(got, sizeof got, "%s:", sw_dtype_name(buffer->dtype));
        }
        uint64_t count = 1;
        for (uint32_t i = 0; i < buffer->shape_count; i++) {
            used += (size_t)snprintf(got + used, sizeof got - used, "%s%llu", i ? "x" : "",
                                     (unsigned long long)buffer->shape[i]);
            count *= buffer->shape[i];
        }
        if (buffer->shape_count == 0) {
            snprintf(got + used, sizeof got - used, "-");
        }
        if (strcmp(got, want) != 0) {
            fail_msg("%s: wanted %s, got %s in\n%s", name, want, got, text);
        }
        assert_int_equal(buffer->size, (count * sw_dtype_bits(buffer->dtype) + 7) / 8);
    }
}

struct example {
    const char *text, *wanted;
};

static inline void check_examples(const struct example *examples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct sw_problem *problem = load(examples[i].text);
        check_shapes(problem, examples[i].text, examples[i].wanted);
        sw_problem_unref(problem);
    }
}

/* Is there a note with these words? */
static inline bool has_note(const struct sw_problem *problem, const char *words) {
    size_t count;
    const char *const *notes = sw_problem_notes(problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (strstr(notes[i], words)) {
            return true;
        }
    }
    return false;
}
static inline void check_note(const struct sw_problem *problem, const char *text, const char *words) {
    size_t count;
    const char *const *notes = sw_problem_notes(problem, &count);
    if (!has_note(problem, words)) {
        for (size_t i = 0; i < count; i++) {
            print_message("%s\n", notes[i]);
        }
        fail_msg("no note says: %s\n%s", words, text);
    }
}

#endif
