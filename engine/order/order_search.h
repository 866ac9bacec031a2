/* The least peak over all orders, with its proof: a search that can be stopped after every decision.
 *
 * At every moment there are an order and a bound: no order has a peak below the bound, and the two meet when the order
 * is proved least. The search belongs to the caller and borrows the graph. Nothing is decided by a clock: the same
 * graph and options give the same events on every machine. Internal to the engine; sizes are bytes.
 *
 * 1. First orders: the file's, greedy and LPMF, each from the start and from the end.
 * 2. Bounds by cuts (order_cuts.h), operators by falling cost in the best order, until one costs no more than the
 *    bound.
 * 3. Waypoints (order_waypoints.h): sets that some least order passes through.
 * 4. Attempts: is there an order within a threshold B? Depth first over sets of operators. A goal is a better order.
 *    An attempt that ends without one proves that every order needs at least the smallest step it refused. B bisects
 *    what is left between bound and peak, from the start and from the end in turns, with budgets of states that
 *    double.
 *
 * Why an attempt may leave out alternatives. Let live(S) be the bytes alive after a set S that can be reached. It is
 * coverage minus containment, so live(A or B) + live(A and B) <= live(A) + live(B), and the same holds of an operator's
 * own step. Let X be a smallest set that can be run on S with every step within B and live(S + X) <= live(S).
 * Every Y inside X that can be reached then has live(S + Y) >= live(S + X): of the Y with least live none could be
 * smaller than X, for X's own order, left to Y, stays within B as well. So in any order within B that begins with S, X
 * may be moved to the front: each step costs at most what it cost before, plus live(S + X) less the live bytes of some
 * such Y. X of one operator is a **safe move**, X of several a **safe segment** (after Liu 1987, on hills and valleys
 * of trees; here for any graph). Segments are looked for breadth first among a few sets, so that X is a smallest one.
 *
 * Writes in place. What an operator saves by writing over a dying input grows with the set that ran before it, so a
 * safe move from the start stays one. From the end it is one unless the operator uses what another one might write
 * over. Segments and waypoints need more, and are left out where anything may be written in place, but for the
 * waypoints that all orders pass. A bound by a cut is less by the most that its operator can save.
 *
 * Where buffers that no operator touches make some steps dearer than others by their number, moves, segments and
 * waypoints are left out.
 *
 * A set that was left without success is known by its fingerprint (order_state.h says with what certainty).
 * Memory: 20 to 44 bytes for each set of the attempt that runs. */
#ifndef SW_ORDER_SEARCH_H
#define SW_ORDER_SEARCH_H

#include "order/order_graph.h"

struct sw_order_options {
    uint64_t work;     /* states to open at most, over all attempts; 0: no limit */
    uint64_t cut_work; /* arcs of networks to look at for bounds, at most; 0: 200 million. Waypoints get half as much */
    size_t memory;     /* bytes for the sets of one attempt, at most; 0: 1 GiB */
    uint32_t look;     /* sets to look at for a safe segment; 0: 30; 1: none */
    bool no_safe_moves, no_waypoints, no_backward, no_forward, no_cuts; /* rules left out, to compare */
};

enum sw_order_event_kind {
    SW_ORDER_EVENT_INCUMBENT, /* a better order was found: `bytes` is its peak */
    SW_ORDER_EVENT_CUT,       /* no order runs `operator_` with less than `bytes` */
    SW_ORDER_EVENT_RAISE,     /* the bound rose to `bytes` */
    SW_ORDER_EVENT_WAYPOINT,  /* some least order first runs `count` operators, that of the last being `operator_` */
    SW_ORDER_EVENT_READY,     /* an attempt begins: is there an order within `threshold`? */
    SW_ORDER_EVENT_SAFE,      /* `count` operators ran, `operator_` first, with no need for an alternative */
    SW_ORDER_EVENT_BRANCH,    /* `count` operators may run next; `refused` others do not fit */
    SW_ORDER_EVENT_RUN,       /* `operator_` ran, one of the branches */
    SW_ORDER_EVENT_PRUNE,     /* back: why tells `why` */
    SW_ORDER_EVENT_GIVE_UP    /* the attempt used its budget */
};
enum sw_order_prune { SW_ORDER_KNOWN, SW_ORDER_NOTHING_FITS, SW_ORDER_ALL_TRIED };

struct sw_order_event {
    enum sw_order_event_kind kind;
    enum sw_order_prune why;
    bool backward; /* SAFE, BRANCH, RUN, PRUNE: operators are taken from the end */
    uint32_t operator_, count, refused;
    uint64_t bytes, threshold;
};

/* An operator that may run next, in an attempt. */
enum sw_order_standing {
    SW_ORDER_LEFT,     /* to try */
    SW_ORDER_TRIED,    /* its set was left without success, in this branch or before */
    SW_ORDER_TOO_MUCH, /* its step passes the threshold */
    SW_ORDER_LATER     /* it lies behind a waypoint that was not reached */
};
struct sw_order_choice {
    uint32_t op;
    uint64_t during, after;
    enum sw_order_standing standing;
};

enum sw_order_progress { SW_ORDER_MORE, SW_ORDER_PROVED, SW_ORDER_STOPPED, SW_ORDER_FAILED };

struct sw_order_search;

/* O(size of the graph). NULL: no memory. */
struct sw_order_search *sw_order_search_new(const struct sw_order_graph *, const struct sw_order_options *);
void sw_order_search_free(struct sw_order_search *); /* NULL is allowed */

/* A copy that goes on as the first would, and outlives it; the graph stays borrowed by both. The sets that an attempt
 * knows are shared, all else is copied: O(size of the graph). NULL: no memory. */
struct sw_order_search *sw_order_search_clone(const struct sw_order_search *);
uint64_t sw_order_search_digest(const struct sw_order_search *);
size_t sw_order_search_bytes(const struct sw_order_search *);

/* One decision on. PROVED: bound and peak meet. STOPPED: the work is used, or no attempt may have more memory. FAILED:
 * no memory; the order and the bound stand. The event is filled with MORE only. */
enum sw_order_progress sw_order_search_step(struct sw_order_search *, struct sw_order_event *);

const uint32_t *sw_order_search_order(const struct sw_order_search *); /* NULL before the first step; borrowed */
uint64_t sw_order_search_peak(const struct sw_order_search *);         /* UINT64_MAX before the first step */
uint64_t sw_order_search_bound(const struct sw_order_search *);
/* No order needs less, as is known from elsewhere: what is not more than that is no news. Before the first step. */
void sw_order_search_know(struct sw_order_search *, uint64_t bound);
/* An order that is known from elsewhere: the search goes on from it where it is better. Before the first step or
 * between two. False: it is no order of the graph, or no memory. O(size of the graph). */
bool sw_order_search_offer(struct sw_order_search *, const uint32_t *order);
/* The set of the attempt that runs, on the graph or, in a search from the end, on the reversed one; NULL between
 * attempts. */
struct sw_order_state;
const struct sw_order_state *sw_order_search_state(const struct sw_order_search *);
/* What the attempt that runs must not pass; 0 between attempts. */
uint64_t sw_order_search_threshold(const struct sw_order_search *);
/* Does an attempt stand where it branched? Its choices, in the order in which they are tried; then what else may run
 * and why it is no choice. Elsewhere in an attempt: all that may run. Room for as many as are ready in
 * sw_order_search_state. */
bool sw_order_search_branches(const struct sw_order_search *);
uint32_t sw_order_search_choices(const struct sw_order_search *, struct sw_order_choice *);
/* Try this one of the choices that are left first, the others afterwards: what is proved stays proved. False: it is
 * none. */
bool sw_order_search_prefer(struct sw_order_search *, uint32_t operator_);
uint64_t sw_order_search_states(const struct sw_order_search *); /* opened so far */
/* The operator with the cut that gives the bound by cuts, and that bound. */
uint32_t sw_order_search_cut_operator(const struct sw_order_search *, uint64_t *bytes);

#endif
