/* The generator makes the instances that published figures were measured on. */
#include "synthetic.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t bound_of(uint64_t count, bool dense) {
    char path[] = "/tmp/stowage-synthetic-XXXXXX";
    struct sw_sink out = {0};
    struct sw_error error = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    synthetic_csv(count, dense, &out);
    assert_true(sw_sink_commit(&out, path, &error));
    sw_sink_done(&out);
    struct sw_load_options options = {0};
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    unlink(path);
    assert_non_null(problem);
    assert_int_equal(sw_problem_planned_count(problem), count);
    uint64_t bound = sw_problem_lower_bound(problem);
    sw_problem_unref(problem);
    return bound;
}

static void test_sparse(void **state) {
    (void)state;
    assert_int_equal(bound_of(1000, false), 9704128);
    assert_int_equal(bound_of(10000, false), 13392000);
}

static void test_dense(void **state) {
    (void)state;
    assert_int_equal(bound_of(1000, true), 28404096);
    assert_int_equal(bound_of(10000, true), 45247744);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sparse), cmocka_unit_test(test_dense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
