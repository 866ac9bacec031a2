/* The order problem: operators that may run in any order that their edges allow, and the buffers that they hold.
 *
 * Made from a problem with operators on one core. The graph belongs to the caller, never changes, and copies what it
 * needs: the problem may go first. Internal to the engine; sizes are bytes.
 *
 * Edges. One operator runs before another where the file lists it earlier and both use the same bytes, which at least
 * one of them writes; and where `after` says so. Operators that are joined are kept together, in their order
 * (order_wishes.h). So an operator that overwrites a buffer in place runs after every other reader of the old contents.
 * Scratch ties no two operators.
 *
 * Cost. A buffer is alive from the first operator of the order that names it to the last one; an input (`starts`) from
 * the beginning, an output (`ends`) to the end. While an operator runs, what was alive and all that it names are alive
 * together. With --inplace safe an operator saves what it writes over inputs that die with it; no byte is saved twice.
 * The peak of an order is the most bytes alive while any operator runs: in the file's order that is, without writes in
 * place, the largest value of sw_problem_profile. Of several tiers only what may live in tier 0 counts.
 *
 * A lifetime that the file gave keeps an end that no use explains (problem/change/whole_order.h). What no operator
 * touches is alive at its steps in every order.
 *
 * Refused, with a sentence in the error (SW_ERROR_UNSUPPORTED): no operators, several cores, and a buffer with pieces
 * of its own or with an end, neither a use nor that of the run, that other orders could not keep. */
#ifndef SW_ORDER_GRAPH_H
#define SW_ORDER_GRAPH_H

#include "base/mem.h"
#include "problem/problem.h"

struct sw_order_buffer {
    uint64_t size;
    uint32_t users;      /* how many operators name it, at least 1 */
    uint32_t in_problem; /* its number there */
    bool starts, ends;
};

/* Lists of lists: those of item i are list[at[i]] .. list[at[i + 1] - 1], ascending, none twice. */
struct sw_order_lists {
    uint32_t *at, *list;
};

/* `fresh` may be written over `old` by an operator that old dies with; then only the larger of them, old, is alive. */
struct sw_order_pair {
    uint32_t old, fresh;
};
enum { SW_ORDER_MOST_PAIRS = 16 }; /* of one operator; others are refused */
struct sw_order_pairs {
    struct sw_order_pair *list; /* by size of the fresh one, the largest first */
    uint32_t count;
};

struct sw_order_graph {
    uint32_t operator_count, buffer_count;
    struct sw_order_lists before, behind; /* operators that run before one, and after it: its edges */
    struct sw_order_lists holds;          /* the buffers that an operator names */
    struct sw_order_lists users;          /* the operators that name a buffer */
    struct sw_order_buffer *buffers;
    /* With --inplace safe: what an operator may write over a dying input. NULL: nothing. */
    struct sw_order_pairs *pairs; /* per operator */
    bool turned;                  /* it is the graph read from the end: what dies there begins here */
    bool *loses; /* of a turned one, per operator: another one might save less when this one runs first */
    /* What was asked for besides (order_wishes.h). */
    bool wished;          /* the file's order need not be one of the graph */
    uint32_t *group;      /* per operator: with which group it is kept together; SW_NONE. NULL: there is no group */
    uint32_t *group_size; /* per group */
    uint32_t group_count;
    uint64_t always; /* bytes of buffers that no operator names and that are alive throughout */
    uint64_t *extra; /* and of those alive at some steps, whichever operator runs there: per step. NULL: they decide
                        nothing */
    struct sw_arena arena;
};

/* O(a log a) for a arguments; a buffer with w writers and k users costs w x k. NULL: refused, or no memory. */
struct sw_order_graph *sw_order_graph_new(const struct sw_problem *, struct sw_error *);
/* The same graph read from the end: every edge turned round, inputs and outputs changed for each other. An order of it,
 * reversed, is one of the graph, with the same bytes alive while each operator runs. O(size of the graph). NULL: no
 * memory. */
struct sw_order_graph *sw_order_graph_reversed(const struct sw_order_graph *);
void sw_order_graph_free(struct sw_order_graph *); /* NULL is allowed */

/* More edges. They may close no circle; those that are there already are no matter. O(e log e) for e edges in all.
 * False: no memory. */
struct sw_order_wish;
bool sw_order_graph_tie(struct sw_order_graph *, const struct sw_order_wish *, size_t count);
/* Room for groups, of which there are none yet. False: no memory. */
bool sw_order_graph_regroup(struct sw_order_graph *);
/* What an operator saves at most by writing in place, in whatever order. */
uint64_t sw_order_graph_saved(const struct sw_order_graph *, uint32_t operator_);
/* The bytes that one operator names, less that: no order holds less when it runs. */
uint64_t sw_order_graph_own(const struct sw_order_graph *, uint32_t operator_);

#endif
