/* best-fit: what an allocator at run time does that looks for the smallest free block.
 *
 * The idea. An arena grows as the program runs. When a buffer is born it is put into the smallest
 * free block that can hold it, so that large free blocks stay whole for large buffers; only when
 * none fits does the arena become larger. When a buffer dies its block is free again, and free
 * blocks that touch are one block.
 *
 * The rule, from the specification: program order with a free list, smallest block that fits,
 * coalescing, the arena extended at its end (a free last block is extended); no rounding.
 *
 * - Program order is by the first step of the lifetime, ties in listed order.
 * - The free list is everything inside the present arena [0, end) that no conflicting block
 *   occupies. It is derived from the layout whenever it is needed; so it is always coalesced, and
 *   holes in lifetimes, byte windows and pinned blocks are accounted for without bookkeeping.
 * - Smallest block that fits; equal ones: the lowest. The buffer takes its low end.
 * - None fits: the arena is extended. A last free block that touches the end becomes part of the
 *   extension, so the buffer starts at its low end; otherwise it starts at the end of the arena.
 * - No rounding: sizes are taken as they are. Offsets keep the buffer's alignment.
 *
 * What to watch. It differs from first-fit in what it leaves behind: first-fit leaves its
 * remainders at the bottom, best-fit leaves many small ones everywhere. Neither is better on all
 * programs.
 *
 * One decision places one buffer. Its candidates are the free blocks and the open end. The state is
 * only how far the run has come in the program order.
 *
 * Cost: n log n where every buffer is whole and nothing is pinned (layout/free/shelf.h); else, for n buffers with k
 * conflicts each, n * k log k. */
#include "planners/planner_internal.h"

static enum sw_step best_fit_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    return sw_cursor_place(state, run, SW_PLACE_IN_ARENA, decision);
}

const struct sw_planner sw_best_fit = {
    .name = "best-fit",
    .summary = "In program order, each block in the smallest free block; else the arena is extended",
    .one_layout = true,
    .turn = sw_turn_by_program,
    .step = best_fit_step,
    .redo = sw_cursor_redo,
    .described = &sw_cursor_described,
    .state = sw_cursor_state,
};
