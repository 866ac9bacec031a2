/* The generator makes the instances that published figures were measured on. */
#include "synthetic.h"
#include "export/export.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sw_problem *synthetic(uint64_t count, bool dense) {
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
    return problem;
}

static uint64_t bound_of(uint64_t count, bool dense) {
    struct sw_problem *problem = synthetic(count, dense);
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

/* Every block is drawn or counted, and still the picture of 100,000 is small. */
static void test_pictures(void **state) {
    (void)state;
    static const char *const views[] = {"layout", "live", "occupancy", "conflicts"};
    struct sw_error error = {0};
    struct sw_problem *problem = synthetic(100000, true);
    struct sw_search *search =
        sw_search_new(problem, sw_planner_find("best-fit", &error), NULL, &error);
    assert_non_null(search);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_DONE);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char path[] = "/tmp/stowage-picture-XXXXXX.svg";
        struct sw_view_input in = {.search = search,
                                   .input_name = "dense.csv",
                                   .selected = SW_NONE,
                                   .cursor = SW_NONE,
                                   .candidate = SW_NONE,
                                   .viewport = sw_viewport_all(search, 0)};
        struct sw_export options = {.view = views[i]};
        struct stat status;
        int fd = mkstemps(path, 4);
        assert_true(fd >= 0);
        close(fd);
        assert_true(sw_export_file(&in, &options, path, &error));
        assert_int_equal(stat(path, &status), 0);
        unlink(path);
        assert_in_range(status.st_size, 10000, 5 * 1000 * 1000);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sparse), cmocka_unit_test(test_dense),
                                       cmocka_unit_test(test_pictures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
