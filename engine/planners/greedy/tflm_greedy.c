/* tflm-greedy: what TensorFlow Lite Micro does on the device, offset by offset.
 *
 * The idea. A microcontroller has one arena and plans it once, before the first inference. Its
 * planner sorts the buffers by size, the largest first, and gives each the lowest place between
 * those already placed that live at the same time. It is greedy-by-size with another choice of gap:
 * the lowest that is large enough, not the smallest.
 *
 * The rule, from the specification: size descending, ties by higher index first; lowest gap among
 * placed buffers with closed lifetimes that overlap; sizes rounded up to 16.
 *
 * - Sizes rounded up to 16: before anything else, so sorting sees the rounded sizes, a gap must
 *   hold the rounded size, and every block begins at a multiple of 16. What lies above the last byte
 *   of a block up to the next multiple of 16 belongs to it, and the arena ends where the highest of
 *   these rounded blocks ends.
 * - Size descending, ties by higher index first: the device fills its list from the tail and then
 *   sorts it stably. The index is the place in the list of buffers. This detail matters: with
 *   ties the other way round one known network needs 9 KB more.
 * - Lowest gap: from the bottom upwards the first that is large enough; failing all, above the
 *   highest block that lives at the same time.
 *
 * What goes beyond the device: an alignment that 16 does not satisfy is kept in addition; holes,
 * byte windows, permits, pins and reserved ranges are what the gaps are made of, as for every
 * planner here, and what they cut out is rounded up to the next multiple of 16, too. A block of
 * size 0 takes no room.
 *
 * What to watch. Compare its order among equal sizes with greedy-by-size on the same network.
 *
 * One decision places one buffer. A group is a size class, as for greedy-by-size. The state is a
 * shared sorted list and how far the run has come in it.
 *
 * Cost: n log n for sorting, then n * k log k with k conflicts each. */
#include "planners/planner_internal.h"

#include <stdlib.h>

static uint64_t rounded(const struct sw_problem *problem, uint32_t buffer) {
    return sw_align_up(sw_problem_buffer(problem, buffer)->size, SW_PLACE_GRAIN);
}

struct ranked {
    uint64_t size;
    uint32_t buffer;
};

static int compare_ranked(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    return a->buffer > b->buffer ? -1 : a->buffer < b->buffer;
}

static uint32_t digits(uint64_t size) {
    return size ? 64u - (uint32_t)__builtin_clzll(size) : 0;
}

static void fill(struct sw_order *order, const struct sw_problem *problem, const struct ranked *ranked) {
    uint32_t group = 0;
    for (size_t i = 0; i < order->count; i++) {
        group += i > 0 && digits(ranked[i].size) != digits(ranked[i - 1].size);
        order->turns[i] = (struct sw_queue_turn){
            .buffer = ranked[i].buffer, .time = sw_problem_buffer(problem, ranked[i].buffer)->first, .group = group};
    }
}

static struct sw_order *order_of(const struct sw_problem *problem) {
    uint32_t count = sw_problem_planned_count(problem);
    struct ranked *ranked = SW_NEW(struct ranked, count);
    struct sw_order *order = SW_NEW(struct sw_order, 1);
    struct sw_queue_turn *turns = SW_NEW_ZERO(struct sw_queue_turn, count);
    if (!ranked || !order || !turns) {
        SW_FREE(ranked, count);
        SW_FREE(order, 1);
        SW_FREE(turns, count);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t buffer = sw_problem_order(problem)[i];
        ranked[i] = (struct ranked){rounded(problem, buffer), buffer};
    }
    if (count > 1) {
        qsort(ranked, count, sizeof *ranked, compare_ranked);
    }
    *order = (struct sw_order){.owners = 1, .count = count, .turns = turns};
    fill(order, problem, ranked);
    SW_FREE(ranked, count);
    return order;
}

static bool open_(struct sw_run *run, void **state, struct sw_error *error) {
    return sw_walk_open(order_of(run->problem), state, error);
}

/* The arena ends where the last block, rounded up, ends. */
static void reserve(struct sw_run *run, uint32_t buffer, const struct sw_decision *decision) {
    uint64_t size = rounded(run->problem, buffer), end = decision->offset + size;
    if (size > 0 && end > sw_layout_arena(run->layout, decision->tier)) {
        sw_layout_set_arena(run->layout, decision->tier, end);
    }
}

static bool redo(void *state, struct sw_run *run, const struct sw_decision *decision) {
    bool done = sw_walk_redo(state, run, decision);
    if (done) {
        reserve(run, decision->buffer, decision);
    }
    return done;
}

static enum sw_step step(void *state, struct sw_run *run, struct sw_decision *decision, struct sw_error *error) {
    struct sw_walk *walk = state;
    const struct sw_queue_turn *turn = sw_walk_next(walk);
    if (!turn) {
        return SW_STEP_DONE;
    }
    sw_walk_foresee(walk, run);
    enum sw_step result = sw_place_by(run, SW_PLACE_ROUNDED, turn->buffer, decision, error);
    if (result != SW_STEP_MORE) {
        return result;
    }
    reserve(run, turn->buffer, decision);
    walk->at++;
    decision->group = turn->group;
    return SW_STEP_MORE;
}

const struct sw_planner sw_tflm_greedy = {
    .name = "tflm-greedy",
    .summary = "What TensorFlow Lite Micro does: the largest first, each into the lowest gap, "
               "sizes rounded up to 16",
    .group_noun = "size class",
    .one_layout = true,
    .open = open_,
    .step = step,
    .redo = redo,
    .described = &sw_walk_described,
    .state = sw_walk_state,
};
