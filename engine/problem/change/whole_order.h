/* The same model with its operators in another order, all at once. (One operator moved: problem/change/reorder.h.)
 *
 * An order is a list: order[k] is the operator that runs at step k, by its number in the problem. Legal are those
 * orders that a program could not tell apart: every operator still reads what it read, and every `after` holds. */
#ifndef SW_PROBLEM_WHOLE_ORDER_H
#define SW_PROBLEM_WHOLE_ORDER_H

#include "problem/problem.h"

SW_C_BEGIN

/* Can the operators have another order at all? Not on several cores, where the order is not what lifetimes follow; not
 * where a buffer that operators touch was given a lifetime that these do not explain; not in a problem that stands in
 * for another, nor in one that was recorded. If not, says why. O(arguments). */
bool sw_problem_has_orders(const struct sw_problem *, struct sw_error *);

/* How many operators begin every order, in their order, because all others wait for them. A part of what that implies
 * is seen: `after` and what reads what was written. O(arguments). False: no memory. */
bool sw_problem_fixed_start(const struct sw_problem *, uint32_t *fixed);

/* The lifetime of a buffer that the file gave. An end that a use of the buffer explains moves with that; any other
 * keeps its step: what is filled before the run is there from the start, what is kept or read later stays to the end,
 * and what no operator touches is there when it was. `fixed`: as above. O(1), for step 0 O(arguments of one operator).
 */
struct sw_given_ends {
    bool first, last; /* this end was given, and keeps its step */
    bool follows;     /* other orders can keep that: the end is that of the run, or a step among those that begin every
                         order */
};
struct sw_given_ends sw_problem_given_ends(const struct sw_problem *, uint32_t buffer, uint32_t fixed);

/* What is wrong with an order of so many operators as the problem has. */
struct sw_order_fault {
    uint32_t step;         /* where it shows */
    uint32_t op, other;    /* `op` stands there, and should stand behind `other`, which comes later */
    uint32_t buffer;       /* both use it; SW_NONE: `op` was told to run after `other` */
    bool twice, no_number; /* or `op` is listed a second time; or is no number of an operator */
    bool apart;            /* or `op` should stand right behind `other`: both are parts of one */
};
/* Is it legal? Else `fault`, which may be NULL, is the first fault in the order. O(arguments). False with
 * SW_ERROR_MEMORY where there is no memory; `error` may be NULL. */
bool sw_problem_may_order(const struct sw_problem *, const uint32_t *order, struct sw_order_fault *, struct sw_error *);

/* The problem in this order; the caller's. Buffers keep their numbers, operators are numbered anew. As costly as
 * building it. NULL on error. */
struct sw_problem *sw_problem_in_order(const struct sw_problem *, const uint32_t *order, struct sw_error *);

/* The operators of `ordered`, which is `problem` in another order, by their numbers in `problem`; SW_NONE for one that
 * it has not. The caller's, one each of `problem`, of which `ordered` has as many. O(operators). NULL: no memory. */
uint32_t *sw_problem_order_between(const struct sw_problem *problem, const struct sw_problem *ordered);

SW_C_END

#endif
