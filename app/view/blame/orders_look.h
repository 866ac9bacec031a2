/* What there is to say of all orders of the operators, found once for many frames. */
#ifndef SW_VIEW_ORDERS_LOOK_H
#define SW_VIEW_ORDERS_LOOK_H

#include "order/orders.h"
#include "view/view_internal.h"

struct sw_orders_look {
    const struct sw_problem *problem; /* a reference; NULL: nothing was looked at */
    bool known;                       /* false: `why`, "" where there is nothing to say */
    struct sw_orders orders;
    const struct sw_problem *there; /* the problem in the best order: a reference */
    uint64_t bound_there;           /* its lower bound */
    char why[200];
    /* Which operators moved between the two orders of a run that chose one: sw_orders_moved. */
    const struct sw_problem *from, *to; /* references */
    struct sw_order_moves moves;
    bool moves_known;
};
/* Of the problem: what an earlier frame left, or, with a cache or without, found now; then it stands in `own`, which is
 * zeroed before and the caller's. NULL: no memory. */
const struct sw_orders_look *sw_orders_look(const struct sw_view_input *, const struct sw_problem *,
                                            struct sw_orders_look *own);
/* What moved between two problems that differ in the order of their operators alone. NULL: no memory, or they do not.
 */
const struct sw_order_moves *sw_orders_moved(const struct sw_view_input *, const struct sw_problem *from,
                                             const struct sw_problem *to, struct sw_orders_look *own);
void sw_orders_look_done(struct sw_orders_look *);

#endif
