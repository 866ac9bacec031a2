/* What the states of several planners hold. */
#include "planners/planner_internal.h"

static void layout_drop(void *layout) {
    sw_layout_free(layout);
}

static void *layout_copy(const void *layout) {
    return sw_layout_clone(layout, NULL);
}

static uint64_t layout_digest(const void *layout) {
    return sw_layout_digest(layout);
}

static size_t layout_bytes(const void *layout) {
    return sw_layout_own_bytes(layout);
}

const struct sw_pointed sw_layout_pointed = {layout_drop, layout_copy, layout_digest, layout_bytes};

static void problem_drop(void *problem) {
    sw_problem_unref(problem);
}

static void *problem_copy(const void *problem) {
    return (void *)(uintptr_t)sw_problem_ref(problem);
}

const struct sw_pointed sw_problem_pointed = {.drop = problem_drop, .copy = problem_copy};
