/* What blame says of strips: the bound that is promised is that of the changed model, and no other single cut at that
 * operator lowers it more. */
#include "fit/networks.h"
#include "share.h"
#include "unit/unit.h"

#include "base/minmax.h"
#include "fit/cuts/cut_advice.h"
#include "formats/format.h"

#include <inttypes.h>
#include <stdlib.h>

static struct { uint64_t networks, helped, useless; } seen;

static uint64_t bound_with(const struct sw_problem *problem, const struct sw_fit_region *region) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    assert_true(sw_fit_program_make(problem, region, 1, &program, &refusal));
    struct sw_problem *changed = sw_fit_program_problem(&program, NULL);
    assert_non_null(changed);
    uint64_t bound = sw_problem_lower_bound(changed);
    sw_problem_unref(changed);
    sw_fit_program_done(&program);
    return bound;
}

static void check(uint64_t seed, const struct sw_problem *problem) {
    uint32_t op = sw_problem_bound_step(problem);
    struct sw_fit_limits limits = {.of_head = true};
    struct sw_fit_cuts cuts = {0};
    struct sw_fit_advice advice;
    uint64_t best = UINT64_MAX;
    if (op >= sw_problem_operator_count(problem)) {
        return;
    }
    assert_true(sw_fit_cuts_find(problem, &limits, &cuts) && sw_fit_advise(problem, op, UINT64_MAX, &advice, NULL));
    assert_false(advice.left_out);
    size_t count = 0;
    for (size_t i = 0; i < cuts.items.count; i++) {
        const struct sw_fit_region *region = &cuts.items.items[i].region;
        if (region->first <= op && op <= region->last) {
            count++;
            best = SW_MIN(best, bound_with(problem, region));
        }
    }
    if (count != advice.tried || (advice.tried > 0 && bound_with(problem, &advice.region) != advice.bound) ||
        (count > 0 && advice.bound != best) || advice.helps != (count > 0 && best < sw_problem_lower_bound(problem)) ||
        (advice.helps && advice.head < advice.bound)) {
        fail_msg("seed %" PRIu64 ": %zu ways of %zu; %" PRIu64 " promised, the best is %" PRIu64, seed, advice.tried,
                 count, advice.bound, best);
    }
    seen.networks++;
    seen.helped += advice.helps;
    seen.useless += count > 0 && !advice.helps;
    sw_fit_cuts_done(&cuts);
}

static void test_advice(void **state) {
    (void)state;
    for (uint64_t seed = 1 + first_case(400), seed_end = seed + cases(400); seed < seed_end; seed++) {
        struct bytes file = {0};
        struct sw_error error = {0};
        network_file(seed, &file);
        struct sw_input input = {.name = "file", .bytes = (const char *)file.items, .length = file.count};
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        assert_non_null(problem);
        check(seed, problem);
        sw_problem_unref(problem);
        free(file.items);
    }
    printf("%" PRIu64 " networks, %" PRIu64 " with a cut that lowers the bound\n", seen.networks, seen.helped);
    assert_true(seen.helped > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_advice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
