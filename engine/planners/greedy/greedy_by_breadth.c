/* greedy-by-breadth: the operator with the most live bytes first.
 *
 * The idea. At some operator more bytes are alive than at any other; it decides the size of the arena.
 * So the buffers alive at that operator are placed first, the large before the small, while the memory
 * is still empty. Then come those alive at the operator with the next most bytes that have no place
 * yet, and so on down to the operator with the fewest.
 *
 * The rule, from the specification: operators by the sum of the sizes live at them, descending; at
 * each, its buffers by size descending. The method is by Pisarchyk and Lee ("Efficient memory
 * management for deep neural net inference", 2020).
 *
 * - The breadth of an operator is the number of bytes alive at its step; equal ones: the earlier
 *   first. A list of buffers has no operators; there the steps themselves take their place.
 * - Its buffers are those alive at its step that have no place yet, by size descending, ties in
 *   program order.
 * - Each goes into the smallest sufficient gap between the placed blocks that conflict with it
 *   (equal gaps: the lowest), else above them, as in greedy-by-size.
 *
 * A buffer's turn therefore comes with the broadest operator at which it is alive. So the whole
 * order is known in advance, and is made once by sorting.
 *
 * What to watch. The broadest operator is packed without any waste. Waste appears later, at
 * operators with some buffers that have a place already.
 *
 * One decision places one buffer; `time` is the operator that has its turn, `live` is what is placed
 * and alive there, and the operator is also the group.
 *
 * Cost: n log n for the order, then n * k log k with k conflicts each. */
#include "planners/planner_internal.h"

static bool breadth_open(void *state, struct sw_run *run) {
    return sw_walk_open(state, sw_order_by_breadth(run->problem), run->error);
}

static enum sw_step breadth_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    const struct sw_queue_turn *turn = sw_walk_next(state);
    enum sw_step result = sw_walk_place(state, run, SW_PLACE_SMALLEST_GAP, decision);
    if (turn) {
        decision->time = turn->time;
        decision->live = turn->live;
    }
    return result;
}

const struct sw_planner sw_greedy_by_breadth = {
    .name = "greedy-by-breadth",
    .summary = "Operators with the most live bytes first, at each the largest buffers first",
    .group_noun = "operator",
    .one_layout = true,
    .turn = sw_turn_by_breadth,
    .open = breadth_open,
    .step = breadth_step,
    .redo = sw_walk_redo,
    .described = &sw_walk_described,
    .state = sw_walk_state,
};
