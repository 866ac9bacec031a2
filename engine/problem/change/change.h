/* Changes to a model that lower what is alive at once: a problem with one of them made, and its bound.
 *
 * **Spill**: a buffer that only waits is written to memory outside of the plan after the use before, and
 * fetched back for the next one. Its lifetime gets a hole between the two.
 * **Recompute**: the operator that made a buffer runs once more, just before the next use. The buffer ends
 * with its use before; a new one serves all uses after. What the operator reads lives on until it has run
 * again, and it needs its workspaces, and room for its other outputs, once more.
 * **In place**: an operator writes an output over an input that it is the last to use.
 * **Move**: an operator stands at another step (problem/change/reorder.h).
 *
 * A changed problem is one like any other: it can be planned, checked and written to a file. The caller
 * owns it. Nothing here says that a kernel can work in place, or gives the same result when it runs again,
 * where the graph does not tell. */
#ifndef SW_PROBLEM_CHANGE_H
#define SW_PROBLEM_CHANGE_H

#include "problem/problem.h"

SW_C_BEGIN

enum sw_edit_kind {
    SW_EDIT_SPILL,
    SW_EDIT_RECOMPUTE,
    SW_EDIT_INPLACE,        /* one output over one input */
    SW_EDIT_INPLACE_MARKED, /* all that the graph marks: what --inplace safe does */
    SW_EDIT_MOVE
};

struct sw_edit {
    enum sw_edit_kind kind;
    uint32_t step;   /* spill, recompute: one at which the buffer waits; in place, move: the operator */
    uint32_t buffer; /* spill, recompute: it; in place: the output */
    uint32_t other;  /* in place: the input that is written over */
    uint32_t to;     /* move: the step at which the operator shall stand */
};

/* Does the buffer only wait at the step: it is alive there, but neither used nor born, and the step is not the last
 * at which the host can read it? Then `from` and `to` are the uses before and after the step; the buffer is not
 * needed at the steps strictly between. False also when its uses are not known. O(accesses). */
bool sw_problem_waits(const struct sw_problem *, uint32_t buffer, uint32_t step, uint32_t *from, uint32_t *to);

/* Does the operator compute each element of its output from the same element of its inputs, by the name
 * of its kind (add, relu, aten::mul.Tensor ...)? */
bool sw_operator_elementwise(const struct sw_operator *);
/* Does the graph mark that the operator may write the output over the input? O(pairs). */
bool sw_operator_marked(const struct sw_operator *, uint32_t output, uint32_t input);

/* The writes in place of an operator that may be thought possible, one after the other: what the graph marks and is not
 * in force yet, and, where the kind computes element by element, a dying input of the same size. `at` counts them,
 * from 0. False at the end. */
bool sw_problem_next_inplace(const struct sw_problem *, uint32_t step, uint32_t *at, struct sw_edit *);

/* May the change be made? If not, says why. Spills, recomputations and moves need a single core; a
 * recomputation needs an operator that alone writes the buffer, with inputs that still hold what they
 * held. None is possible in a problem derived from another. O(accesses x arguments). */
bool sw_problem_may_change(const struct sw_problem *, const struct sw_edit *, struct sw_error *);

/* The problem with the changes made: any number of spills and of in-place writes, each once, or one
 * recomputation or move alone. An in-place write in a problem without --inplace safe is the only one that
 * the new problem allows, unless SW_EDIT_INPLACE_MARKED is among the changes. NULL on error. As costly
 * as building it. */
struct sw_problem *sw_problem_changed(const struct sw_problem *, const struct sw_edit *, size_t count,
                                      struct sw_error *);

/* A lower bound, and where it is met. In a list of buffers, where a time that only the changed buffer knew
 * may be no step any more, steps are those of the problem before. */
struct sw_changed_bound {
    uint64_t bytes;
    uint32_t step; /* of the changed problem, the first such */
    uint32_t was;  /* the same step before the change; SW_NONE: it is the operator that the change adds */
    uint32_t met;  /* at how many steps; 0: a clique proves it */
};
/* The bound that sw_problem_changed's problem has. O(steps + buffers alive) where sw_problem_bound_is_quick,
 * else it is built. False on error. */
bool sw_problem_bound_changed(const struct sw_problem *, const struct sw_edit *, size_t count,
                              struct sw_changed_bound *, struct sw_error *);
bool sw_problem_bound_is_quick(const struct sw_problem *);

/* What a spill costs: bytes moved out and back in. What is not written again (a constant) need not be moved
 * out, and a workspace holds nothing over. 0 where it may not be made. */
uint64_t sw_problem_spill_bytes(const struct sw_problem *, uint32_t buffer, uint32_t step);
/* The operator that a recomputation runs again; SW_NONE where it may not be made. `held`, which may be NULL:
 * how many bytes of its inputs live longer for it. */
uint32_t sw_problem_recomputes(const struct sw_problem *, uint32_t buffer, uint32_t step, uint64_t *held);

SW_C_END

#endif
