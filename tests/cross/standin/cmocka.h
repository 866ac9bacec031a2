/* As much of cmocka as the tests of the engine use, where there is none: Debian has it neither for musl nor, without a
 * second architecture in dpkg, for other processors. The same names, and the same results: what an assertion refuses
 * ends its case, blocks of test_malloc that are left fail it, and the program ends in the number of failed cases. */
#ifndef SW_STANDIN_CMOCKA_H
#define SW_STANDIN_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};
#define cmocka_unit_test(function) \
    { #function, function }

static struct {
    jmp_buf end;
    long blocks; /* of test_malloc, not freed yet */
} standin_case;

enum { STANDIN_FAILED = 1, STANDIN_SKIPPED = 2 };

/* ---- assertions ---- */

#define skip() longjmp(standin_case.end, STANDIN_SKIPPED)
#define fail_msg(...)                                                                                          \
    (fprintf(stderr, "%s:%d: error: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), \
     longjmp(standin_case.end, STANDIN_FAILED))
#define fail() fail_msg("failed")
#define assert_true(what) ((what) ? (void)0 : fail_msg("not true: %s", #what))
#define assert_false(what) assert_true(!(what))
#define assert_null(what) assert_true(!(what))
#define assert_non_null(what) assert_true(what)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
/* As wide as cmocka compares. */
#define assert_int_equal(a, b) standin_int_equal((uintmax_t)(a), (uintmax_t)(b), #a, #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) assert_true((uintmax_t)(a) != (uintmax_t)(b))
#define assert_in_range(what, low, high) \
    assert_true((uintmax_t)(what) >= (uintmax_t)(low) && (uintmax_t)(what) <= (uintmax_t)(high))
#define assert_string_equal(a, b) standin_string_equal(a, b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) assert_true(strcmp(a, b) != 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)

static inline void standin_int_equal(uintmax_t a, uintmax_t b, const char *a_text, const char *b_text, const char *file,
                                     int line) {
    if (a != b) {
        fprintf(stderr, "%s:%d: error: %s is %jd, %s is %jd\n", file, line, a_text, (intmax_t)a, b_text, (intmax_t)b);
        longjmp(standin_case.end, STANDIN_FAILED);
    }
}

static inline void standin_string_equal(const char *a, const char *b, const char *file, int line) {
    if (strcmp(a, b) != 0) {
        fprintf(stderr, "%s:%d: error: \"%s\" is not \"%s\"\n", file, line, a, b);
        longjmp(standin_case.end, STANDIN_FAILED);
    }
}

#define print_message(...) ((void)printf(__VA_ARGS__))
#define print_error(...) ((void)fprintf(stderr, __VA_ARGS__))

/* ---- memory that is counted ---- */

static inline void *test_realloc(void *block, size_t size) {
    void *grown = realloc(block, size);
    standin_case.blocks += grown && !block;
    return grown;
}
static inline void test_free(void *block) {
    standin_case.blocks -= block != NULL;
    free(block);
}

/* ---- running ---- */

#define cmocka_run_group_tests(tests, setup, teardown) \
    standin_run(tests, sizeof(tests) / sizeof *(tests), setup, teardown)

static inline int standin_run(const struct CMUnitTest *tests, size_t count, int (*setup)(void **),
                              int (*teardown)(void **)) {
    volatile int passed = 0, failed = 0, skipped = 0;
    void *state = NULL;
    if (setup && setup(&state) != 0) {
        fprintf(stderr, "[  FAILED  ] setup\n");
        return 1;
    }
    for (volatile size_t i = 0; i < count; i++) {
        standin_case.blocks = 0;
        int end = setjmp(standin_case.end);
        if (end == 0) {
            tests[i].run(&state);
        }
        if (end == 0 && standin_case.blocks != 0) {
            fprintf(stderr, "%ld blocks are left\n", standin_case.blocks);
            end = STANDIN_FAILED;
        }
        if (end == STANDIN_SKIPPED) {
            skipped++;
        } else if (end == STANDIN_FAILED) {
            failed++;
            fprintf(stderr, "[  FAILED  ] %s\n", tests[i].name);
        } else {
            passed++;
        }
    }
    if (teardown && teardown(&state) != 0) {
        fprintf(stderr, "[  FAILED  ] teardown\n");
        failed++;
    }
    fprintf(stderr, "[  PASSED  ] %d test(s).\n", passed);
    if (failed) {
        fprintf(stderr, "[  FAILED  ] %d test(s), listed above\n", failed);
    }
    if (skipped) {
        fprintf(stderr, "[  SKIPPED ] %d test(s)\n", skipped);
    }
    return failed;
}

#endif
