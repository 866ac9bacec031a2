/* What the tests of formats share: reading from a text, and errors with their exact place. */
#ifndef SW_UNIT_FORMATS_H
#define SW_UNIT_FORMATS_H

#include "share.h"
#include "unit/unit.h"

#include "formats/format.h"

#include <stdlib.h>
#include <string.h>

static inline struct sw_input text_input(const char *text, size_t length) {
    return (struct sw_input){.name = "file", .bytes = text, .length = length};
}

static inline struct sw_problem *read_options(const char *text, const struct sw_load_options *options) {
    struct sw_error error = {0};
    struct sw_input input = text_input(text, strlen(text));
    struct sw_problem *problem = sw_load_input(&input, options, &error);
    if (!problem) {
        fail_msg("%s:%u:%u: %s\n%s", error.file, error.line, error.column, error.message, text);
    }
    return problem;
}

static inline struct sw_problem *must_read(const char *text) {
    return read_options(text, NULL);
}

/* A text that must be refused, and where and how. */
struct refusal {
    const char *text;
    uint32_t line, column;
    const char *message;
};

static inline void check_refusal(const struct sw_error *error, const struct refusal *wanted) {
    char got[SW_MESSAGE + 32], want[SW_MESSAGE + 32];
    snprintf(got, sizeof got, "%u:%u: %s", error->line, error->column, error->message);
    snprintf(want, sizeof want, "%u:%u: %s", wanted->line, wanted->column, wanted->message);
    if (strcmp(got, want) != 0) {
        fail_msg("for\n%s\nwanted %s\ngot    %s", wanted->text, want, got);
    }
    assert_string_equal(error->file, "file");
}

static inline void must_refuse_text(const struct refusal *refusals, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct sw_error error = {0};
        struct sw_input input = text_input(refusals[i].text, strlen(refusals[i].text));
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        if (problem) {
            fail_msg("accepted:\n%s", refusals[i].text);
        }
        assert_int_equal(error.code, SW_ERROR_INPUT);
        check_refusal(&error, &refusals[i]);
    }
}

/* Every beginning of a text is a smaller problem, or refused with one line. Each is a block of its own, so that reading
 * past its end is seen. */
static inline void cut_everywhere(const char *text) {
    for (size_t length = 0; length < strlen(text); length++) {
        if (!in_share(length, 4)) {
            continue;
        }
        struct sw_error error = {0};
        char *copy = malloc(length > 0 ? length : 1);
        assert_non_null(copy);
        memcpy(copy, text, length);
        struct sw_input input = text_input(copy, length);
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        if (!problem && (error.code != SW_ERROR_INPUT || !error.message[0] || strchr(error.message, '\n'))) {
            fail_msg("cut at %zu: %s", length, error.message);
        }
        sw_problem_unref(problem);
        free(copy);
    }
}

static inline const struct sw_buffer *buffer_named(const struct sw_problem *problem, const char *name) {
    uint32_t i = sw_problem_find_buffer(problem, name);
    assert_int_not_equal(i, SW_NONE);
    return sw_problem_buffer(problem, i);
}

/* Written as a problem with the format of this extension; the caller frees the sink. */
static inline void write_as(const struct sw_problem *problem, const char *name, struct sw_sink *sink) {
    struct sw_error error = {0};
    const struct sw_format *format = sw_format_for_output(name, false, &error);
    assert_non_null(format);
    if (!format->write_problem(problem, sink, &error)) {
        fail_msg("%s", error.message);
    }
}

static inline void assert_written(const struct sw_problem *problem, const char *name, const char *text) {
    struct sw_sink sink = {0};
    write_as(problem, name, &sink);
    sw_sink_add(&sink, "", 1);
    assert_string_equal(sink.text.items, text);
    sw_sink_done(&sink);
}

/* Written and read again: the same problem. */
static inline void assert_round_trip(const struct sw_problem *problem, const char *name) {
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    write_as(problem, name, &sink);
    struct sw_input input = text_input(sink.text.items, sink.text.count);
    struct sw_problem *again = sw_load_input(&input, NULL, &error);
    if (!again || sw_problem_digest(again) != sw_problem_digest(problem)) {
        fail_msg("%s\n%.*s", again ? "another problem" : error.message, (int)sink.text.count, sink.text.items);
    }
    sw_problem_unref(again);
    sw_sink_done(&sink);
}

/* The length of a list in the tests. */
#define COUNT(list) (sizeof(list) / sizeof *(list))

#endif
