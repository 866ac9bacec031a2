/* Waypoints: sets of operators that some order of least peak passes through.
 *
 * Between two waypoints P and Q, a set Z is one when neither of these has fewer live bytes than Z: Z with operators
 * that could run before Z is complete, and Z without operators that could be left until after others outside Z have
 * run. Proof: turn any order into one that first takes what lies in Z, then the rest, each in the old order. As live
 * bytes are submodular (order_search.h), no step then costs more than before plus live(Z) less the live bytes of such a
 * set. An operator that all others run before or behind makes a waypoint whatever is alive. Two minimum cuts test any
 * other set; only beginnings of a given order are tested, those with least live bytes first. Then both sides are
 * problems of their own: an attempt need not come back to before a waypoint. */
#ifndef SW_ORDER_WAYPOINTS_H
#define SW_ORDER_WAYPOINTS_H

#include "order/exact/order_cuts.h"

/* Into `cuts`, which has room for as many as there are operators: how many operators of `order` run before each
 * waypoint, ascending, without the trivial ones. `work`: arcs to look at, at most. False: no memory. */
bool sw_order_waypoints(const struct sw_order_graph *, const uint32_t *order, uint64_t work, uint32_t *cuts,
                        uint32_t *count);

/* The same question for one beginning of the order alone, between the positions `from` and `to`, which are waypoints or
 * ends. `place`: per operator its position. */
bool sw_order_is_waypoint(struct sw_order_cutter *, const uint32_t *order, const uint32_t *place, uint32_t from,
                          uint32_t to, uint32_t position, bool *is);

#endif
