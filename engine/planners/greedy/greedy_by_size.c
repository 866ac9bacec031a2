/* greedy-by-size: large buffers first.
 *
 * The idea. The largest buffer is placed first, wherever in the program it is needed, and every
 * smaller one fills a gap that the larger ones have left. Time matters only for which buffers
 * conflict.
 *
 * The rule, from the specification: size descending, ties by order; each into the smallest
 * sufficient gap between conflicting placed buffers (equal gaps: lowest), else above them. The
 * method is by Pisarchyk and Lee ("Efficient memory management for deep neural net inference",
 * 2020) and is what TensorFlow Lite does.
 *
 * - Size descending; equal sizes in program order (by first step, then as listed).
 * - A gap is the free space between two blocks that conflict with the buffer, or between the bottom
 *   and the lowest of them. Its size counts from the end of the lower block, before alignment.
 * - The smallest gap that fits; equal ones: the lowest.
 * - No gap fits: directly above the highest conflicting block. There may be lower blocks above that
 *   one which are never alive together with the buffer; they do not matter.
 *
 * What to watch. Usually close to the bound, since the large buffers decide the peak. It fails
 * where many buffers of middling size cross in time, because it never changes a decision.
 *
 * One decision places one buffer. A group is a size class: sizes with the same number of binary
 * digits. The state is a shared sorted list and how far the run has come in it.
 *
 * Cost: n log n for sorting; then per decision what layout/free/skyline.h says, about as many words as there are ranges
 * covered where the buffer lives. Where that cannot be used (pins, windows, several cores or tiers, explanations),
 * k log k with k conflicts. */
#include "planners/planner_internal.h"

static bool size_open(void *state, struct sw_run *run) {
    return sw_walk_open(state, sw_order_by_size(run->problem), run->error);
}

static enum sw_step size_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    return sw_walk_place(state, run, SW_PLACE_SMALLEST_GAP, decision);
}

const struct sw_planner sw_greedy_by_size = {
    .name = "greedy-by-size",
    .summary = "The largest first, each into the smallest gap between blocks alive with it",
    .group_noun = "size class",
    .one_layout = true,
    .turn = sw_turn_by_size,
    .open = size_open,
    .step = size_step,
    .redo = sw_walk_redo,
    .described = &sw_walk_described,
    .state = sw_walk_state,
};
