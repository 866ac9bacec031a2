/* Models that stand between two versions of one: the old one with the changes of some kinds made, and of others not.
 *
 * The kinds are made in this order, each on top of those before it. What counts is what the operators do: a buffer
 * lives longer when another operator is its last user, and not because an operator that came stands between its uses,
 * or because the same operators stand in another order. Models without operators have times in place of these. */
#ifndef SW_PROBLEM_BETWEEN_H
#define SW_PROBLEM_BETWEEN_H

#include "problem/compare/pairing.h"

SW_C_BEGIN

enum sw_due_kind {
    SW_DUE_WENT,    /* buffers that the new side has not */
    SW_DUE_SIZES,   /* grew or shrank */
    SW_DUE_CAME,    /* buffers that only the new side has, and the operators with them */
    SW_DUE_LIVES,   /* other operators, or other times, begin and end a life */
    SW_DUE_ORDER,   /* of the operators that both have, and in which buffers are listed */
    SW_DUE_REST,    /* alignments, tiers, pins, kinds, writes in place and what else may change a plan */
    SW_DUE_PLANNER, /* the model is the same, and what is chosen is not */
    SW_DUE_KINDS
};
#define SW_DUE(kind) (1u << (kind))

/* Which kinds of change of the model there are, as a set. False: no memory. */
bool sw_between_kinds(const struct sw_pairing *, unsigned *kinds);
/* The old model with the changes of all kinds up to this one; the caller's. With SW_DUE_REST it is the new model
 * itself. NULL on error: of several cores, and where such a model cannot be, there is nothing in between. */
struct sw_problem *sw_problem_between(const struct sw_pairing *, enum sw_due_kind, struct sw_error *);

SW_C_END

#endif
