/* What a run is worth: every figure that is told of it, from one function.
 *
 * Summary, comparison, report, captions, branches and scripts all ask here, so that they cannot differ. What a view
 * needs at every frame, the arenas and the bound, it may take from sw_metrics_of alone, which is what stands here. */
#ifndef SW_SEARCH_FIGURES_H
#define SW_SEARCH_FIGURES_H

#include "search/search.h"

SW_C_BEGIN

struct sw_figures {
    struct sw_metrics metrics; /* of the layout: peak, bound, excess, fragmentation, counts */
    struct sw_claims claims;   /* what the planner says of it */
    double cost;               /* E; NaN where it has none */
    bool ended;                /* the run stands at its end, with a layout */
    bool broken;               /* the plan came with its file, or is below the bound, and breaks a rule */
    enum sw_below below;       /* why the peak is below the bound */
    bool placed;               /* every block has its place, and the planner gives addresses */
    bool at_bound; /* it is proved by meeting the bound: nothing was moved out for it, no order was chosen for it */
    bool optimal;  /* it is proved that nothing smaller exists: at_bound, or the planner proved it */
    uint64_t decisions; /* of the whole run, as far as it is known */
};
/* Of a run where it stands. O(blocks + accesses), that of a check for a plan that came with its file. False: no memory,
 * or the cost model of the user failed. */
bool sw_figures_of(const struct sw_search *, struct sw_figures *, struct sw_error *);

SW_C_END

#endif
