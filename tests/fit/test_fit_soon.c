/* With a capacity a model that fits comes soon: before the search looks at other orders and bases, after a few plans.
 * The capacities are a little more than the least arena that is known. */
#include "fit/find_fit.h"
#include "formats/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

static const struct {
    const char *path; /* from scripts/models, or from the data folder */
    bool ships;
    uint64_t capacity;
} models[] = {
    {"resnet8.lua", true, 37632},
    {"mobilenet_v2_035.lua", true, 156784},
    {"mcunet_like.lua", true, 221408},
    {"tflite/person_detect.tflite", false, 59000},
    {"tflite/vww_96_int8.tflite", false, 66656},
};

/* How many models are planned until one fits. Only the model's own cuts are known until then. */
static size_t plans_until_one_fits(const struct sw_problem *problem, uint64_t capacity) {
    unsigned all = SW_FIT_MAY(SW_FIT_STRIPS) | SW_FIT_MAY(SW_FIT_ORDER) | SW_FIT_MAY(SW_FIT_INPLACE) |
                   SW_FIT_MAY(SW_FIT_RECOMPUTE);
    struct sw_fit_request request = {.has_capacity = true, .capacity = capacity, .seed = 1, .moves = all};
    struct sw_fit_result result = {0};
    struct sw_fit_event event = {.kind = SW_FIT_NOTHING};
    struct sw_error error = {0};
    struct sw_fit_search *search = sw_fit_search_new(problem, &request, &result, &error);
    size_t plans = 0;
    for (bool fits = false; search && !fits;) {
        assert_true(sw_fit_search_step(search, &event, &error));
        assert_true(event.kind == SW_FIT_LOOKED || event.kind == SW_FIT_PLANNED);
        plans += event.kind == SW_FIT_PLANNED;
        fits = event.kind == SW_FIT_PLANNED && event.model.bytes <= capacity;
    }
    sw_fit_search_free(search);
    sw_fit_result_done(&result);
    return plans;
}

static void one_that_fits_comes_soon(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[4096];
        struct sw_error error = {0};
        snprintf(path, sizeof path, "%s/%s", models[i].ships ? SW_TEST_SOURCE "/scripts/models" : SW_TEST_DATA,
                 models[i].path);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s is not there\n", models[i].path);
            continue;
        }
        struct sw_problem *problem = sw_load(path, NULL, NULL, &error);
        assert_non_null(problem);
        size_t plans = plans_until_one_fits(problem, models[i].capacity);
        print_message("%s: %zu plans until one fits in %llu\n", models[i].path, plans,
                      (unsigned long long)models[i].capacity);
        assert_in_range(plans, 2, 8);
        sw_problem_unref(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_fits_comes_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
