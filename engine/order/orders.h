/* What can be said of all orders of a problem's operators, within a budget: for panes, proofs and scripts that do not
 * step.
 *
 * Of the orders the best one that was found, a bound that no order goes below, and what proves it: an operator, and the
 * buffers that are held when it runs. Then what an order has changed: which operators moved, and what each move is
 * worth. Same problem and budget, same answer; no clock is asked. Belongs to the caller; zero it to start with,
 * sw_orders_done ends it. Numbers of operators and buffers are the problem's; sizes are bytes. */
#ifndef SW_ORDERS_H
#define SW_ORDERS_H

#include "base/mem.h"
#include "problem/problem.h"

/* A buffer that is alive when the witness runs. `forced`: in every order. Others are the cheapest choice where some
 * choice is forced: an order without one of them holds as much of something else. */
struct sw_held {
    uint32_t buffer;
    bool forced;
};

struct sw_orders {
    uint32_t *order, count;    /* the best order that was found: operators by number */
    uint64_t file_peak, peak;  /* alive at most in the order of the problem, and in the best one */
    uint32_t file_at, peak_at; /* operators at which that is first so */
    uint64_t bound;            /* every order needs as much */
    uint32_t witness; /* the operator that runs with `witness_bytes` alive in every order; SW_NONE: none was asked */
    uint64_t witness_bytes; /* at most the bound */
    uint64_t witness_saved; /* so much of what is held it may write over */
    SW_ARRAY(struct sw_held) held;
};

/* How much is looked at: sets of operators, and arcs of networks. 0: as much as a screen may wait for. */
struct sw_orders_budget {
    uint64_t sets, arcs;
};
/* Above this many operators nothing is looked at on a screen's account. */
enum { SW_ORDERS_QUICK = 1600 };

/* False: the method does not hold for the problem (SW_ERROR_UNSUPPORTED with a sentence), it is too large for a budget
 * of 0 (the same), or no memory. */
bool sw_orders_of(const struct sw_problem *, struct sw_orders_budget, struct sw_orders *, struct sw_error *);
void sw_orders_done(struct sw_orders *);

/* ---- two orders ---- */

/* An operator that stands elsewhere. */
struct sw_order_move {
    uint32_t op;     /* its number, and so its step in the order of the problem */
    uint32_t to;     /* its step in the other order */
    uint32_t undone; /* the step there at which it stands when this move alone is undone, as far as the edges let it */
    uint64_t peak;   /* alive at most then */
    bool tried;      /* the last two were found out: not of parts that stay together */
};
struct sw_order_moves {
    SW_ARRAY(struct sw_order_move) items; /* what undoing costs most first, then by how far they moved */
    uint32_t tried;                       /* so many of them were undone, those that moved farthest */
};
/* The fewest operators that have to move to make the other order of the problem's own: all but a longest run of those
 * that kept their order. O(n log n), and O(size of the graph) for each that is tried, `most` at most. False: it is no
 * order of the problem, or no memory. */
bool sw_order_moves_of(const struct sw_problem *, const uint32_t *order, uint32_t most, struct sw_order_moves *,
                       struct sw_error *);
void sw_order_moves_done(struct sw_order_moves *);

#endif
