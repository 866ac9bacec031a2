/* first-fit: the simplest planner that reuses memory.
 *
 * The idea. Imagine the memory as a long shelf. Buffers come in the order in which the program
 * brings them to life. Each one looks at the shelf, ignores every block that is never needed at the
 * same time as itself, and takes the first place from the left where it fits.
 *
 * The rule, from the specification: program order, lowest free offset among conflicting buffers.
 *
 * - Program order is by the first step of the lifetime, ties in listed order.
 * - Conflicting buffers are those already placed that need their bytes at a common step. What they
 *   occupy is not free; everything else is, also what lies below blocks that have died.
 * - The block goes to the low end of the lowest free space that is large enough, rounded up to its
 *   alignment. The topmost space is open, so something always fits, unless the tier has a capacity.
 * - With several tiers the same is tried from the highest tier to the lowest.
 *
 * What to watch. It never looks ahead: a small long-lived buffer that takes a low place splits the
 * shelf for a long time, and later large buffers have to go above it. That is the usual answer to
 * "why is the arena larger than what is ever alive?"
 *
 * One decision places one buffer. Its candidates are all free spaces the buffer sees, by offset.
 * The state is only how far the run has come in the program order; everything else is in the
 * layout.
 *
 * Cost: n log n where every buffer is whole and nothing is pinned (layout/free/shelf.h); else, for n buffers with k
 * conflicts each, n * k log k. */
#include "planners/planner_internal.h"

static enum sw_step first_fit_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    return sw_cursor_place(state, run, SW_PLACE_LOWEST, decision);
}

const struct sw_planner sw_first_fit = {
    .name = "first-fit",
    .summary = "In program order, each block at the lowest offset that is free for its lifetime",
    .one_layout = true,
    .turn = sw_turn_by_program,
    .step = first_fit_step,
    .redo = sw_cursor_redo,
    .described = &sw_cursor_described,
    .state = sw_cursor_state,
};
