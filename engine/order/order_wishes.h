/* What a user asks of an order besides what the graph demands: this operator before that one, these one behind the
 * other.
 *
 * A wish becomes edges of the graph, and a group of operators that are to be kept together. A group is begun only when
 * all that runs before any of its members has run, and then nothing else runs until its last member has: so no walk
 * gets stuck.
 *
 * Why the rules of order_search.h still hold. Fewer orders are allowed, so a bound by cuts stays one. A safe move or
 * segment that opens no group may be moved to the front as before: what it is taken out of stays together. A waypoint
 * that splits no group leaves each group whole on one of its sides. Moves that open a group, and sets that split one,
 * are left out. Internal to the engine. */
#ifndef SW_ORDER_WISHES_H
#define SW_ORDER_WISHES_H

#include "order/order_graph.h"

struct sw_order_wish {
    uint32_t first, second; /* operators: one runs before the other */
};
struct sw_order_wishes {
    SW_ARRAY(struct sw_order_wish) before;
    SW_ARRAY(uint32_t) together; /* groups of two operators and more, each ended by SW_NONE; no operator twice */
};

void sw_order_wishes_done(struct sw_order_wishes *);
/* Add them to the graph, which was made of this problem and has none yet. False with a sentence (SW_ERROR_UNSUPPORTED)
 * where no order has what is asked for, or where an operator is in two groups; or no memory. The graph then is of no
 * use. O(wishes x size of the graph). */
bool sw_order_graph_wish(struct sw_order_graph *, const struct sw_problem *, const struct sw_order_wishes *,
                         struct sw_error *);

/* The groups that the problem has itself: operators that are joined stay together, in their order. Before any wish.
 * False: no memory. */
bool sw_order_graph_join(struct sw_order_graph *, const struct sw_problem *, struct sw_error *);

#endif
