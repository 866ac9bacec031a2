/* A whole layout at once, for problems too large to begin with anything slower. Internal to this folder. */
#ifndef SW_PLANNERS_SWEEP_H
#define SW_PLANNERS_SWEEP_H

#include "planners/planner.h"

/* Would a planner that looks at all neighbors of every block take long, and is the problem one that a sweep
 * can plan: one core and one tier, nothing pinned, reserved, forbidden or kept apart? Then `*neighbors` is how many
 * all blocks have, each pair counted once or twice; else 0. O(n + steps). False: no memory. */
bool sw_sweep_neighbors(const struct sw_run *, uint64_t *neighbors);
/* Plan everything into run->layout. Blocks that it has already are placed anew. `done` is false, and nothing placed,
 * where there are so many free spaces that it would take long. False: no memory. */
bool sw_sweep(struct sw_run *, bool *done);
/* Fill the decision of a sweep that has placed every block. */
void sw_sweep_tell(const struct sw_run *, struct sw_decision *);

/* A sweep as a planner of one decision, for `auto`; it is in no list. */
extern const struct sw_planner sw_sweep_planner;

#endif
