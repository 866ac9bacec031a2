/* Real files, cut short: an error, or a smaller problem, never more. Of long files the first and
 * the last cuts and some between; with STOWAGE_EVERY_BYTE=1 in the environment every cut of every
 * file. */
#include "share.h"
#include "unit/formats.h"

#include <glob.h>
#include <stdlib.h>

#define NEAR 512 /* cuts at both ends */
#define MOST 400 /* and about as many between */

static void cut(const struct sw_input *input, size_t length) {
    struct sw_error error = {0};
    char *copy = malloc(length + 1); /* so that reading past the end is seen */
    assert_non_null(copy);
    memcpy(copy, input->bytes, length);
    struct sw_input part = {.name = input->name, .bytes = copy, .length = length};
    struct sw_problem *problem = sw_load_input(&part, NULL, &error);
    if (!problem && error.code != SW_ERROR_INPUT) {
        fail_msg("%s cut at %zu: %s", input->name, length, error.message);
    }
    if (!problem && (strchr(error.message, '\n') || !error.message[0])) {
        fail_msg("%s cut at %zu: not one line: %s", input->name, length, error.message);
    }
    sw_problem_unref(problem);
    free(copy);
}

static void cut_all(const char *path) {
    struct sw_error error = {0};
    struct sw_input input;
    bool every = getenv("STOWAGE_EVERY_BYTE") != NULL;
    assert_true(sw_input_open(path, &input, &error));
    /* What can be read in little time is cut more often. */
    size_t between = input.length > 1000000 ? MOST / 40 : input.length > 100000 ? MOST / 4 : MOST;
    size_t near = input.length > 1000000 ? NEAR / 16 : NEAR;
    size_t stride = input.length / between + 1;
    size_t tail = input.length > near ? input.length - near : 0;
    for (size_t at = 0; at < input.length;) {
        cut(&input, at);
        bool fine = every || at < near || at >= tail;
        at = fine ? at + 1 : at + stride < tail ? at + stride : tail;
    }
    sw_input_close(&input);
}

static void real_files(void **state) {
    (void)state;
    static const char *const patterns[] = {"tflite/*.tflite",  "tflite/*.log",   "executorch/*.pte",
                                           "vela/*.log",       "dsa/*.json",     "onnx/*.onnx",
                                           "minimalloc/*.csv", "idealloc/*.csv", "pytorch/*.pickle"};
    size_t files = 0;
    for (size_t i = 0; i < COUNT(patterns); i++) {
        char pattern[1024];
        glob_t found;
        snprintf(pattern, sizeof pattern, SW_TEST_DATA "/%s", patterns[i]);
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t k = 0; k < found.gl_pathc; k++) {
                files++;
                if (in_share(files, 4)) {
                    cut_all(found.gl_pathv[k]);
                }
            }
            globfree(&found);
        }
    }
    if (files == 0) {
        print_message("no " SW_TEST_DATA ": real files are not cut\n");
        skip();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
