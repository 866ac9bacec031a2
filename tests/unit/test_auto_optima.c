/* auto finds what is known to be the least, without being asked for more than it does by itself: on
 * the hard instances and the networks of the optional data folder, and on all networks that ship.
 * The budget is units of work, so this says the same on every machine. */
#include "share.h"
#include "faults.h"
#include "unit/unit.h"

#include "formats/format.h"
#include "planners/planner.h"
#include "search/search.h"

#include <glob.h>
#include <string.h>

/* What auto does by itself. The caller frees it. */
static struct sw_search *plan(const struct sw_problem *problem, const char *path) {
    struct sw_error error = {0};
    struct sw_params params = {.seed = 1};
    struct sw_search *search = sw_search_new(problem, sw_planner_find("auto", &error), &params, &error);
    if (!search) {
        fail_msg("%s: %s", path, error.message);
    }
    sw_search_forget(search);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s: %s", path, error.message);
    }
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
    return search;
}

static bool is_single(const struct sw_problem *problem) {
    return sw_problem_tier_count(problem) == 1;
}

/* Is it the least, and known to be? `most`: or at least no more than that; 0: no. */
static void must_be_least(const char *path, uint64_t most) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_load(path, NULL, NULL, &error);
    if (!problem) {
        fail_msg("%s: %s", path, error.message);
    }
    if (is_single(problem)) {
        struct sw_search *search = plan(problem, path);
        struct sw_claims claims;
        sw_search_claims(search, &claims);
        uint64_t peak = sw_layout_peak(sw_search_layout(search));
        uint64_t bound = sw_problem_lower_bound(problem);
        if (most ? peak > most : peak > bound && !claims.optimal) {
            fail_msg("%s: auto needs %llu B; the bound is %llu B", path, (unsigned long long)peak,
                     (unsigned long long)bound);
        }
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* All files of a pattern. Returns how many there are. */
static size_t each(const char *pattern) {
    glob_t found = {0};
    size_t count = 0;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            must_be_least(found.gl_pathv[i], 0);
        }
        count = found.gl_pathc;
    } else {
        print_message("skipped: %s is not there\n", pattern);
    }
    globfree(&found);
    return count;
}

static void networks_that_ship(void **state) {
    (void)state;
    assert_true(each(SW_TEST_SOURCE "/scripts/models/*.json") >= 5);
    assert_true(each(SW_TEST_SOURCE "/scripts/models/*.lua") >= 13);
}

static void networks_of_the_data_folder(void **state) {
    (void)state;
    each(SW_TEST_DATA "/reference/*.csv");
    each(SW_TEST_DATA "/tflite/*.tflite");
    each(SW_TEST_DATA "/onnx/*.onnx");
}

static void hard_instances(void **state) {
    (void)state;
    if (SW_SANITIZED) {
        return; /* figures: the plain run compares them */
    }
    each(SW_TEST_DATA "/minimalloc/[ACFHK].*.csv");
}

/* The least of D is not known. This is what branch-and-bound alone has after 40 million units. */
static void an_open_instance(void **state) {
    (void)state;
    if (SW_SANITIZED) {
        return; /* the same */
    }
    const char *path = SW_TEST_DATA "/minimalloc/D.1048576.csv";
    glob_t found = {0};
    if (glob(path, 0, NULL, &found) == 0) {
        must_be_least(path, 1026048);
    } else {
        print_message("skipped: %s is not there\n", path);
    }
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_that_ship),
        cmocka_unit_test(networks_of_the_data_folder),
        cmocka_unit_test(hard_instances),
        cmocka_unit_test(an_open_instance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
