/* What no order can do without: least live bytes, by cuts.
 *
 * While operator v runs, whatever runs before it has run, whatever runs behind it has not, and of all others some have.
 * Over all such sets the least number of bytes alive is a minimum cut (project selection: Picard 1976): a node per
 * operator that may or may not have run, a node or two per buffer that it costs to begin or to keep. The largest of
 * these figures over all v is a bound for every order. The maximum flow is Dinic's (1970).
 *
 * A cutter belongs to the caller, borrows the graph and holds the network of its last question. Internal; bytes. */
#ifndef SW_ORDER_CUTS_H
#define SW_ORDER_CUTS_H

#include "order/order_graph.h"

struct sw_order_cutter;

struct sw_order_cutter *sw_order_cutter_new(const struct sw_order_graph *); /* NULL: no memory */
void sw_order_cutter_free(struct sw_order_cutter *);                        /* NULL is allowed */
const struct sw_order_graph *sw_order_cutter_graph(const struct sw_order_cutter *);
/* Arcs looked at since it was made: its work, the same on every machine. */
uint64_t sw_order_cutter_work(const struct sw_order_cutter *);

/* The least bytes alive while the operator runs, in whatever order. False: no memory. */
bool sw_order_cut(struct sw_order_cutter *, uint32_t operator_, uint64_t *bytes);

/* Of the last question, a set that attains it: has the operator run in it? */
bool sw_order_cut_ran(const struct sw_order_cutter *, uint32_t operator_);
/* The witness of sw_order_cut: the buffers alive in that set while the operator runs; their sizes, and graph->always,
 * add up to its bytes. `forced`: no order runs the operator without it (others are the cheapest choice where some
 * choice is forced). Room for all buffers; returns how many. O(size of the graph). */
struct sw_order_held {
    uint32_t buffer; /* of the graph */
    bool forced;
};
uint32_t sw_order_cut_witness(const struct sw_order_cutter *, struct sw_order_held *held);

/* The least bytes alive after a set of operators, over all sets that contain those with role IN and none with role OUT;
 * IN must hold what runs before its members, OUT what runs behind its own. */
enum sw_order_role { SW_ORDER_FREE, SW_ORDER_IN, SW_ORDER_OUT };
bool sw_order_cut_between(struct sw_order_cutter *, const uint8_t *roles, uint64_t *bytes);

#endif
