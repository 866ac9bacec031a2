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

static struct sw_problem *make(uint64_t count, enum synthetic_shape shape, uint64_t seed) {
    char path[] = "/tmp/stowage-synthetic-XXXXXX";
    struct sw_sink out = {0};
    struct sw_error error = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    synthetic_csv(count, shape, seed, &out);
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
    struct sw_problem *problem = make(count, dense ? SYNTHETIC_DENSE : SYNTHETIC_SPARSE, 1);
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
    struct sw_problem *problem = make(100000, SYNTHETIC_DENSE, 1);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("best-fit", &error), NULL, &error);
    assert_non_null(search);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_DONE);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char path[] = "/tmp/stowage-picture-XXXXXX.svg";
        struct sw_view_input in = {.run.search = search,
                                   .run.input_name = "dense.csv",
                                   .look.selected = SW_NONE,
                                   .look.cursor = SW_NONE,
                                   .look.candidate = SW_NONE,
                                   .look.viewport = sw_viewport_all(search, 0)};
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

/* The same for the same seed, another for another one. */
static void test_seeds(void **state) {
    (void)state;
    for (enum synthetic_shape shape = 0; shape < SYNTHETIC_SHAPES; shape++) {
        struct sw_problem *a = make(1000, shape, 1), *b = make(1000, shape, 1), *c = make(1000, shape, 2);
        enum synthetic_shape found;
        assert_true(synthetic_find(synthetic_names[shape], &found) && found == shape);
        assert_true(sw_problem_digest(a) == sw_problem_digest(b));
        assert_true(sw_problem_digest(a) != sw_problem_digest(c));
        sw_problem_unref(a);
        sw_problem_unref(b);
        sw_problem_unref(c);
    }
    enum synthetic_shape none;
    assert_false(synthetic_find("thick", &none));
}

static const struct sw_buffer *buffer_at(const struct sw_problem *problem, uint32_t i) {
    char name[16];
    snprintf(name, sizeof name, "%u", (unsigned)i);
    return sw_problem_buffer(problem, sw_problem_find_buffer(problem, name));
}

/* Two calls are one inside the other, or one after the other. */
static void test_nested(void **state) {
    (void)state;
    struct sw_problem *problem = make(600, SYNTHETIC_NESTED, 3);
    for (uint32_t i = 0; i < 600; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const struct sw_buffer *inner = buffer_at(problem, i), *outer = buffer_at(problem, k);
            assert_true(inner->first > outer->first); /* numbered as they are entered */
            assert_true(inner->first > outer->last || inner->last < outer->last);
        }
    }
    sw_problem_unref(problem);
}

/* What is alive at once: eight frames in a pipeline and those handed over; a block and the sum
 * before it. */
static void test_repeated(void **state) {
    (void)state;
    struct sw_problem *resnet = make(6400, SYNTHETIC_RESNET, 1);
    for (uint32_t i = 4; i + 4 < 6400; i += 4) {
        const struct sw_buffer *sum = buffer_at(resnet, i + 3);
        assert_true(sum->last - sum->first == 4); /* until the next sum is written */
        assert_true(buffer_at(resnet, i)->size * 4 == sum->size);
    }
    struct sw_problem *stream = make(8000, SYNTHETIC_STREAMING, 1);
    for (uint32_t i = 0; i < 8000; i++) {
        assert_true(sw_problem_time(stream, buffer_at(stream, i)->first) == i / 8 + i % 8);
    }
    sw_problem_unref(resnet);
    sw_problem_unref(stream);
}

int main(void) {
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sparse),   cmocka_unit_test(test_dense),
                                       cmocka_unit_test(test_seeds),    cmocka_unit_test(test_nested),
                                       cmocka_unit_test(test_repeated), cmocka_unit_test(test_pictures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
