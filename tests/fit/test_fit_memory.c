/* Lack of memory while a model is made to fit: whichever allocation fails, the search and the planner `fit` say so,
 * leave no block behind, and come to the same end when they are asked once more. */
#include "fit/find_fit.h"
#include "planners/fit/fit_look.h"
#include "share.h"
#include "unit/unit.h"

#include "formats/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Two windows, the tensor between them wide; a result that may lie over its argument; and an order that needs more than
 * another one does. */
static const char graph[] = "{\"operators\":["
                            "{\"name\":\"a\",\"inputs\":[\"x\"],\"outputs\":[\"m\"],\"window\":{\"kernel\":[3,3],"
                            "\"pad\":[1,1,1,1]},\"macs\":9},"
                            "{\"name\":\"b\",\"inputs\":[\"m\"],\"outputs\":[\"n\"],\"window\":{\"kernel\":[1,1]},"
                            "\"macs\":9,\"inplace\":[[\"m\",\"n\"]]},"
                            "{\"name\":\"c\",\"inputs\":[\"x\"],\"outputs\":[\"p\"]},"
                            "{\"name\":\"d\",\"inputs\":[\"n\"],\"outputs\":[\"y\"],\"window\":{\"kernel\":[3,3],"
                            "\"pad\":[1,1,1,1]},\"macs\":9},"
                            "{\"name\":\"e\",\"inputs\":[\"p\",\"y\"],\"outputs\":[\"z\"]}],"
                            "\"buffers\":["
                            "{\"name\":\"x\",\"kind\":\"input\",\"dtype\":\"int8\",\"shape\":[1,6,4,1]},"
                            "{\"name\":\"m\",\"dtype\":\"int8\",\"shape\":[1,6,4,9]},"
                            "{\"name\":\"n\",\"dtype\":\"int8\",\"shape\":[1,6,4,9]},"
                            "{\"name\":\"p\",\"dtype\":\"int8\",\"shape\":[1,6,4,2]},"
                            "{\"name\":\"y\",\"dtype\":\"int8\",\"shape\":[1,6,4,1]},"
                            "{\"name\":\"z\",\"kind\":\"output\",\"dtype\":\"int8\",\"shape\":[1,6,4,1]}]}";

/* So many more allocations are granted: one fails, and with `all` those behind it do, too. */
static struct {
    uint64_t left;
    bool all, hit;
} ration;

static void *rationed(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    if (ration.left == 0 && (ration.all || !ration.hit)) {
        ration.hit = true;
        return NULL;
    }
    ration.left -= ration.left > 0;
    return realloc(pointer, new_size);
}

static void grant(uint64_t left, bool all) {
    ration.left = left;
    ration.all = all;
    ration.hit = false;
}

static struct sw_problem *load(void) {
    struct sw_error error = {0};
    struct sw_input input = {.name = "graph.json", .bytes = graph, .length = sizeof graph - 1};
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static void must_be_memory(const struct sw_error *error, uint64_t left) {
    if (error->code != SW_ERROR_MEMORY) {
        fail_msg("allocation %" PRIu64 " failed: %s", left, error->message);
    }
}

enum {
    MOVES =
        SW_FIT_MAY(SW_FIT_STRIPS) | SW_FIT_MAY(SW_FIT_ORDER) | SW_FIT_MAY(SW_FIT_INPLACE) | SW_FIT_MAY(SW_FIT_RECOMPUTE)
};

/* The search, and what each move of its answer is worth. With `want` the answer is that, if there is one: what is not
 * needed may lack memory. Did an allocation fail? */
static bool search_fails(const struct sw_problem *problem, uint64_t left, bool all, uint64_t *want) {
    struct sw_fit_result result = {0};
    struct sw_error error = {0};
    const struct sw_fit_request request = {.moves = MOVES, .work = 20000};
    size_t held = sw_mem_held();
    grant(left, all);
    bool good = sw_fit_run(problem, &request, &result, &error) && sw_fit_find_effects(&result, &request, &error),
         hit = ration.hit;
    grant(UINT64_MAX, false);
    if (!good) {
        must_be_memory(&error, left);
    } else {
        uint64_t bytes = result.models.items[result.chosen].bytes;
        *want = *want ? *want : bytes;
        assert_int_equal(bytes, *want);
    }
    assert_true(good || hit);
    sw_fit_result_done(&result);
    assert_int_equal(sw_mem_held(), held);
    return hit;
}

static struct sw_search *open_run(struct sw_problem *problem, struct sw_error *error) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.work = 20000;
    return sw_search_new(problem, sw_planner_find("fit", error), &params, error);
}

/* To its end, back, and to its end again. */
static bool go_about(struct sw_search *search, struct sw_error *error) {
    struct sw_explanation why = {0};
    enum sw_step step = SW_STEP_MORE;
    while ((step = sw_search_step_explained(search, &why, error)) == SW_STEP_MORE) {
        sw_explanation_done(&why);
    }
    sw_explanation_done(&why);
    return step == SW_STEP_DONE && sw_search_seek(search, 2, error) &&
           sw_search_run(search, 0, NULL, NULL, error) == SW_STEP_DONE;
}

/* With memory again it goes on, and ends as it would have. */
static bool planner_fails(struct sw_problem *problem, uint64_t left, bool all, uint64_t want) {
    struct sw_error error = {0};
    size_t held = sw_mem_held();
    grant(left, all);
    struct sw_search *search = open_run(problem, &error);
    bool good = search && go_about(search, &error), hit = ration.hit;
    grant(UINT64_MAX, false);
    if (!good) {
        must_be_memory(&error, left);
    }
    if (search && sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("allocation %" PRIu64 " failed, and again: %s", left, error.message);
    }
    assert_true(!search || want == 0 || sw_search_digest(search) == want);
    sw_search_free(search);
    assert_int_equal(sw_mem_held(), held);
    return hit;
}

/* Which allocations are tried: a share of them; with STOWAGE_LONG all. */
static uint64_t after(uint64_t left) {
    enum { FULL = 4000 };
    uint64_t share = cases(FULL);
    return left + (share < FULL ? 4 * FULL / share : 1);
}

static void search_tells_lack_of_memory(void **state) {
    (void)state;
    struct sw_problem *problem = load();
    uint64_t want = 0, tried = 0;
    assert_false(search_fails(problem, UINT64_MAX, false, &want));
    for (int all = 0; all < 2; all++) {
        for (uint64_t left = 0; search_fails(problem, left, all, &want); left = after(left)) {
            tried++;
        }
    }
    print_message("%" PRIu64 " allocations\n", tried);
    sw_problem_unref(problem);
}

static void planner_goes_on_after_lack_of_memory(void **state) {
    (void)state;
    struct sw_problem *problem = load();
    struct sw_error error = {0};
    uint64_t tried = 0;
    struct sw_search *search = open_run(problem, &error);
    assert_true(search && go_about(search, &error));
    uint64_t want = sw_search_digest(search);
    sw_search_free(search);
    for (int all = 0; all < 2; all++) {
        for (uint64_t left = 0; planner_fails(problem, left, all, want); left = after(left)) {
            tried++;
        }
    }
    print_message("%" PRIu64 " allocations\n", tried);
    sw_problem_unref(problem);
}

int main(void) {
    sw_mem_hook(rationed, NULL);
    grant(UINT64_MAX, false);
    const struct CMUnitTest tests[] = {cmocka_unit_test(search_tells_lack_of_memory),
                                       cmocka_unit_test(planner_goes_on_after_lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
