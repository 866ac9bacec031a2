/* What unit tests share: cmocka with its headers in order, and short ways to make problems. */
#ifndef SW_UNIT_H
#define SW_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "stowage_runs.h"

/* Add a buffer that lives over [first, last]. */
static inline void add_plain(struct sw_builder *builder, const char *name, int64_t first, int64_t last, uint64_t size) {
    struct sw_buffer_spec spec = {.name = name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = size,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = first,
                                  .last = last};
    struct sw_error error = {0};
    if (!sw_builder_buffer(builder, &spec, &error)) {
        fail_msg("%s", error.message);
    }
}

/* Finish, expecting success, and free the builder. */
static inline struct sw_problem *must_finish(struct sw_builder *builder) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    sw_builder_free(builder);
    return problem;
}

/* Finish, expecting this message, and free the builder. */
static inline void must_refuse(struct sw_builder *builder, const char *message) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    assert_null(problem);
    assert_string_equal(error.message, message);
    sw_builder_free(builder);
}

/* A problem of plain buffers b0, b1, ... : {first, last, size}. */
static inline struct sw_problem *plain_problem(const int64_t (*rows)[3], size_t count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%zu", i);
        add_plain(builder, name, rows[i][0], rows[i][1], (uint64_t)rows[i][2]);
    }
    return must_finish(builder);
}

/* For sw_mem_hook: an allocator that fails after `left` allocations, and says whether it did. What
 * leaks is found by cmocka. */
struct limit {
    uint64_t left;
    bool hit;
};

static inline void *limited(void *context, void *pointer, size_t old_size, size_t new_size) {
    struct limit *limit = context;
    (void)old_size;
    if (new_size == 0) {
        test_free(pointer);
        return NULL;
    }
    if (limit->left == 0) {
        limit->hit = true;
        return NULL;
    }
    limit->left--;
    return test_realloc(pointer, new_size);
}

#endif
