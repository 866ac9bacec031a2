/* A set of operators that have run, and what is alive after them.
 *
 * The set is always one that can be reached: whatever runs before a member is a member. Running and un-running one
 * operator costs O(its edges and buffers), and once per buffer O(its users); so a search walks instead of copying.
 * The state borrows the graph and belongs to the caller. Internal; sizes are bytes. */
#ifndef SW_ORDER_STATE_H
#define SW_ORDER_STATE_H

#include "order/order_graph.h"

/* A fingerprint of a set: the exclusive or of 128 random bits per member. That two of 10^9 sets share one has a chance
 * below 10^-20; a proof that compares fingerprints instead of sets is true but for that chance. */
struct sw_order_print {
    uint64_t a, b;
};

static inline bool sw_order_print_is(struct sw_order_print x, struct sw_order_print y) {
    return x.a == y.a && x.b == y.b;
}

struct sw_order_state {
    const struct sw_order_graph *graph;
    uint64_t live;   /* bytes alive after the members have run */
    uint32_t done;   /* how many those are */
    uint32_t *trail; /* which, in the order in which they ran: an order once all are done */
    uint32_t *ready; /* those that may run next, in no order of note */
    uint32_t ready_count;
    /* With groups of operators that are kept together (order_wishes.h); else unused. */
    uint32_t open;    /* the group that was begun and is not complete; SW_NONE */
    uint32_t *inside; /* per group: how many of it have run */
    uint32_t *held;   /* those that may run once it is complete */
    uint32_t held_count;
    struct sw_order_print print;
    uint32_t *place;    /* per operator where it stands in `ready`; SW_NONE */
    uint32_t *missing;  /* per operator: how many that run before it have not run */
    uint64_t *fresh;    /* per operator: bytes that it names and that no member and no input is */
    uint64_t *dying;    /* per operator: bytes that it alone has still to use, and that are no outputs */
    uint32_t *left;     /* per buffer: users that have not run */
    uint32_t *left_xor; /* and the exclusive or of their numbers: with one left, that one */
    void *block;
    size_t block_size;
};

/* Nothing has run. O(size of the graph). False: no memory, and nothing to free. */
bool sw_order_state_init(struct sw_order_state *, const struct sw_order_graph *);
void sw_order_state_done(struct sw_order_state *); /* a zeroed one is allowed */
/* Both of the same graph. */
void sw_order_state_copy(struct sw_order_state *, const struct sw_order_state *from);

/* What it saves there by writing over what dies with it. */
uint64_t sw_order_state_saved(const struct sw_order_state *, uint32_t operator_);
/* Bytes alive while a ready operator runs, and after it. O(1), with writes in place O(its pairs). */
static inline uint64_t sw_order_state_during(const struct sw_order_state *state, uint32_t op) {
    uint64_t bytes = state->live + state->fresh[op] + (state->graph->extra ? state->graph->extra[state->done] : 0);
    return state->graph->pairs && state->graph->pairs[op].count ? bytes - sw_order_state_saved(state, op) : bytes;
}
static inline uint64_t sw_order_state_after(const struct sw_order_state *state, uint32_t op) {
    return state->live + state->fresh[op] - state->dying[op];
}

/* The fingerprint that the set has with one more. */
struct sw_order_print sw_order_print_with(const struct sw_order_state *, uint32_t operator_);

/* Would it begin a group? */
static inline bool sw_order_state_opens(const struct sw_order_state *state, uint32_t op) {
    return state->graph->group && state->graph->group[op] != SW_NONE && state->open == SW_NONE;
}

/* Run a ready operator; take back the one that ran last. */
void sw_order_state_run(struct sw_order_state *, uint32_t operator_);
void sw_order_state_back(struct sw_order_state *);

/* The most bytes alive while an operator of the order runs, and the place in it where that is first so (NULL: not
 * wanted). False: it is not an order of all operators that the edges allow, and the peak is UINT64_MAX; or no memory,
 * and the peak stays as it was. */
bool sw_order_peak(const struct sw_order_graph *, const uint32_t *order, uint64_t *peak, uint32_t *at);

#endif
