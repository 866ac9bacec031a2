/* Another order of the operators: which moves are legal. sw_problem_bound_changed (problem/change/change.h) says what
 * the lower bound would be after a move.
 *
 * An operator may be moved past others as long as no operator reads what is not written yet, none writes what
 * is still to be read, and every `after` holds. Steps are operators, so lifetimes move along. */
#ifndef SW_PROBLEM_REORDER_H
#define SW_PROBLEM_REORDER_H

#include "problem/builder.h"

SW_C_BEGIN

/* The earliest and the latest step at which an operator may stand, with all others in their order.
 * O(operators x arguments). Both are its own step when it cannot be moved, also in a problem with
 * several cores, where the order is not what lifetimes follow. */
void sw_problem_move_range(const struct sw_problem *, uint32_t operator_, uint32_t *lo, uint32_t *hi);

/* May it be moved to step `to`? If not, says what stands in the way. */
bool sw_problem_may_move(const struct sw_problem *, uint32_t operator_, uint32_t to, struct sw_error *);

/* Move it, in a builder made by sw_builder_from of this problem. Lifetimes and accesses that the file
 * gave follow. Fails when the move is not legal. */
bool sw_builder_edit_order(struct sw_builder *, const struct sw_problem *, uint32_t operator_, uint32_t to,
                           struct sw_error *);

SW_C_END

#endif
