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

static bool tflm_open(void *state, struct sw_run *run) {
    return sw_walk_open(state, sw_order_by_rounded_size(run->problem), run->error);
}

/* The arena ends where the last block, rounded up, ends. */
static void reserve_rounded(struct sw_run *run, const struct sw_decision *decision) {
    uint64_t size = sw_problem_buffer(run->problem, decision->buffer)->size;
    uint64_t end = decision->offset + sw_align_up(size, SW_PLACE_GRAIN);
    if (size > 0 && end > sw_layout_arena(run->layout, decision->tier)) {
        sw_layout_set_arena(run->layout, decision->tier, end);
    }
}

static bool tflm_redo(void *state, struct sw_run *run, const struct sw_decision *decision) {
    bool done = sw_walk_redo(state, run, decision);
    if (done) {
        reserve_rounded(run, decision);
    }
    return done;
}

static enum sw_step tflm_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    enum sw_step result = sw_walk_place(state, run, SW_PLACE_ROUNDED, decision);
    if (result == SW_STEP_MORE) {
        reserve_rounded(run, decision);
    }
    return result;
}

const struct sw_planner sw_tflm_greedy = {
    .name = "tflm-greedy",
    .summary = "What TensorFlow Lite Micro does: the largest first, each into the lowest gap, "
               "sizes rounded up to 16",
    .group_noun = "size class",
    .one_layout = true,
    .turn = sw_turn_by_rounded_size,
    .open = tflm_open,
    .step = tflm_step,
    .redo = tflm_redo,
    .described = &sw_walk_described,
    .state = sw_walk_state,
};
