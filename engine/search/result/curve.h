/* How good a run had become after so many evaluations: the curve of planners that try many layouts. */
#ifndef SW_SEARCH_CURVE_H
#define SW_SEARCH_CURVE_H

#include "search/search.h"

SW_C_BEGIN

/* The best figure so far, and the evaluation that found it (the first is 1). */
struct sw_gain {
    uint64_t evaluation, amount;
};
struct sw_curve {
    uint64_t evaluations;
    SW_ARRAY(struct sw_gain) gains;
};
/* Of the decisions up to the present step: orders decoded (their peaks), else results measured (peaks, or
 * bytes moved). Planners that measure nothing have no gains. Zero the curve to start with; it is the
 * caller's. O(steps). False: no memory. */
bool sw_curve_of(const struct sw_search *, struct sw_curve *);
/* Is the decision such an evaluation? If so, `amount` is what it measured. A decoded order, a measured result and
 * a better layout count. */
bool sw_curve_measured(const struct sw_decision *, uint64_t *amount);
void sw_curve_done(struct sw_curve *);

/* Is the decision about a layout as a whole, with no block of its own? Its tier is then the one with the peak that it
 * tells, and it has no offset. */
bool sw_curve_whole(const struct sw_decision *);
/* Is its offset an address? It is none without a tier, and none where the decision is about a layout as a whole. */
bool sw_curve_addressed(const struct sw_decision *);

SW_C_END

#endif
