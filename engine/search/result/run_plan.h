/* What a run returns, and which of its decisions made it.
 *
 * Many planners try many layouts in a run and return one of them. The one returned is the run's plan, and each of its
 * placements knows the decision that made it (sw_layout_stamp). So it is known, at whatever decision a run stands,
 * which one set the peak of the plan, and whether the layout that is there is a stage of the plan or a trial that was
 * given up. Of a planner that rebuilds its answer from a copy, it is the decision that placed the block in that copy
 * while the run still knows it; else the one that accepted the copy. */
#ifndef SW_SEARCH_RUN_PLAN_H
#define SW_SEARCH_RUN_PLAN_H

#include "layout/made.h"
#include "search/search.h"

SW_C_BEGIN

/* The layout that the run ends with, wherever it stands; NULL while its end is not known, and where it ends without
 * one. Borrowed until the next change. */
const struct sw_layout *sw_search_plan(const struct sw_search *);

/* Where the peak of a layout of a run is, and which decision made it. Of several tiers in use it is that of the
 * highest, as with sw_layout_peak. */
struct sw_peak {
    uint64_t bytes;
    uint32_t tier;
    uint32_t buffer; /* it ends there; of several the one placed there first; SW_NONE: none does, it is reserved. In a
                        tier that is filled from its far end it bounds the free stretch; of the two that do the one
                        placed later */
    uint64_t offset; /* of the buffer */
    uint64_t step;   /* the decision that put it there, or reserved it; 0: none did, a user moved it */
};
/* O(buffers). */
void sw_peak_of(const struct sw_layout *, struct sw_peak *);
/* The same; where the arena ends above all blocks, as one that is rounded up does, the buffer is the one that the
 * decision placed last, if it still lies there. */
void sw_search_peak(const struct sw_search *, const struct sw_layout *, struct sw_peak *);

/* The peak that a decision raised the peak of the plan to, with what it placed of it; 0: it did not. While the end is
 * not known, the peak of the run so far. Where one layout is made, or memory is reserved, every decision that raised
 * the peak counts. O(log n), the first time O(n log n). */
uint64_t sw_search_raised(const struct sw_search *, uint64_t step);
/* The peak of the plan as far as it was made by the decisions up to this one; while the end is not known, or where one
 * layout is made, the peak after the decision. */
uint64_t sw_search_peak_by(const struct sw_search *, uint64_t step);

/* A layout that a run tried and gave up, or is not a stage of the plan any more. Each measured layout is one, with the
 * decisions that led to it; a finished one stays it until another block is placed, and is it again when the run goes
 * back to it. */
struct sw_trial {
    uint64_t number; /* which one, from 1; 0: nothing was measured after it */
    uint64_t count;  /* how many the run measured */
    uint64_t peak;   /* of the layout at the present step */
    uint64_t plan;   /* and of the plan */
};
/* Is the layout at the present step such a trial? Not while the end of the run is not known, nor for a planner that
 * makes one layout. O(buffers), the first time O(steps). */
bool sw_search_trial(const struct sw_search *, struct sw_trial *);

SW_C_END

#endif
