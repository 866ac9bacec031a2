/* What does not fit into a memory: one answer for summaries, pages and the explorer. */
#ifndef SW_VIEW_MISFIT_H
#define SW_VIEW_MISFIT_H

#include "stowage_runs.h"

struct sw_misfit {
    uint32_t buffer, tier, time; /* tier: SW_NONE when it is none in particular; time: a step */
    uint64_t required;           /* the capacity that this layout would need for it */
    uint64_t available, excess;
    uint64_t step; /* the decision that put it there; 0: unknown */
    bool has_hole;
    uint64_t hole;   /* the largest space it was refused */
    uint32_t blocks; /* how many end above the capacity of that tier; 0: it is not placed */
    uint64_t top;    /* where the highest of them ends */
};
/* Of the blocks that end above their capacity the one that was placed there first: those after it had
 * less to choose from. O(blocks). `found`: false when every placed block fits. False: no memory. */
bool sw_misfit_of(const struct sw_search *, struct sw_misfit *, bool *found) __attribute__((warn_unused_result));
/* Of a run that gave up: the block that found no room. */
bool sw_misfit_unplaced(const struct sw_search *, struct sw_misfit *);

#endif
