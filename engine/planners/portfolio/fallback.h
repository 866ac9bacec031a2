/* Planners that try many layouts cannot do so with too many blocks. They then run the greedy planners, and
 * `improve`, which lowers the best of their layouts. That is what `auto` does, so a run of `auto` goes on
 * inside theirs. Internal to this folder. */
#ifndef SW_PLANNERS_OVERSIZE_H
#define SW_PLANNERS_OVERSIZE_H

#include "planners/planner.h"

struct sw_fallback;
extern const struct sw_described sw_fallback_described;

/* The most blocks, all on one tier and whole, that hang together in time: between two moments at which
 * no block is alive. O(blocks + steps); false: no memory. */
bool sw_fallback_together(const struct sw_problem *, uint32_t *most);

/* Begin, on an empty run->layout. `fit`: the first layout within all capacities is enough. The first decision
 * says `why`, its claims say `instead`; both are static. NULL: no memory, or what the planners say. */
struct sw_fallback *sw_fallback_new(struct sw_run *, bool fit, const char *why, const char *instead);
/* The rest is what planner.h asks of planners. */
enum sw_step sw_fallback_step(struct sw_fallback *, struct sw_run *, struct sw_decision *);
bool sw_fallback_constrain(struct sw_fallback *, struct sw_run *, const struct sw_override *);
bool sw_fallback_settle(const struct sw_fallback *, struct sw_run *);
void sw_fallback_claims(const struct sw_fallback *, const struct sw_run *, struct sw_claims *);
void sw_fallback_state(const struct sw_fallback *, const struct sw_run *, const struct sw_decision *last,
                       struct sw_state_tables *);
sw_because_fn sw_fallback_because; /* of the fallback, not of its owner's state */
const struct sw_planner *sw_fallback_acting(const struct sw_fallback *);

#endif
