/* One attempt of the exact search: is there an order within a threshold? order_search.h says why it may leave out
 * what it leaves out. Works on one graph, from its start; the caller turns graph and answers round. Internal. */
#ifndef SW_ORDER_ATTEMPT_H
#define SW_ORDER_ATTEMPT_H

#include "order/order_search.h"
#include "order/order_state.h"

/* What an attempt needs to know; all borrowed. */
struct sw_order_aim {
    const struct sw_order_graph *graph;
    const uint32_t *cuts; /* waypoints: after how many operators */
    uint32_t cut_count;
    const uint32_t *level; /* per operator how many waypoints it lies behind; NULL: there are none */
    uint64_t threshold;
    uint64_t budget; /* states to open at most */
    size_t memory;   /* bytes for known sets at most */
    uint32_t look;   /* sets to look at for a segment */
    bool no_safe_moves;
};

enum sw_order_outcome {
    SW_ORDER_GOES_ON,
    SW_ORDER_GOAL,      /* state.trail is an order within the threshold */
    SW_ORDER_EXHAUSTED, /* there is none, and every order needs at least `least` */
    SW_ORDER_BUDGET,
    SW_ORDER_TOO_LARGE, /* the sets need more memory than allowed */
    SW_ORDER_NO_MEMORY
};

struct sw_order_attempt;
struct sw_order_attempt *sw_order_attempt_new(const struct sw_order_aim *); /* NULL: no memory */
/* A copy that goes on as the first would, on the same graph. The sets that are known are shared. O(operators + frames).
 * NULL: no memory. */
struct sw_order_attempt *sw_order_attempt_clone(const struct sw_order_attempt *);
/* What it borrows lies elsewhere now. */
void sw_order_attempt_borrow(struct sw_order_attempt *, const struct sw_order_aim *);
void sw_order_attempt_free(struct sw_order_attempt *); /* NULL is allowed */
/* One decision on; fills kind, why, operator_, count, refused of the event, which GOAL and the like leave alone. */
enum sw_order_outcome sw_order_attempt_step(struct sw_order_attempt *, struct sw_order_event *);
const struct sw_order_state *sw_order_attempt_state(const struct sw_order_attempt *); /* borrowed */
uint64_t sw_order_attempt_least(const struct sw_order_attempt *);  /* the smallest step refused; UINT64_MAX: none */
uint64_t sw_order_attempt_states(const struct sw_order_attempt *); /* opened */

/* Does the attempt stand at a set at which it branched? The next step then runs the first choice that is left, or goes
 * back. */
bool sw_order_attempt_branches(const struct sw_order_attempt *);
/* The operators that may run next, those of the branch first, in the order in which they are tried. Room for as many as
 * are ready. */
uint32_t sw_order_attempt_choices(const struct sw_order_attempt *, struct sw_order_choice *);
/* Try this one of those that are left first. False: it is none of them, or the attempt does not stand at a branch. */
bool sw_order_attempt_prefer(struct sw_order_attempt *, uint32_t operator_);
uint64_t sw_order_attempt_digest(const struct sw_order_attempt *); /* O(branches) */
size_t sw_order_attempt_bytes(const struct sw_order_attempt *);

/* A smallest set of operators that can be run on the state with every step within the threshold and no more alive
 * afterwards, by looking at `look` sets at most; into `segment`, in an order that does. Returns how many, 0: none was
 * found. The state is left as it was. `level`, `most`: only operators of a level up to `most`; NULL: all.
 * `segment` has room for `look`, which is at most SW_ORDER_MOST_LOOKS. */
enum { SW_ORDER_MOST_LOOKS = 1000 };
uint32_t sw_order_safe_segment(struct sw_order_state *, uint64_t threshold, const uint32_t *level, uint32_t most,
                               uint32_t look, uint32_t *segment);

#endif
