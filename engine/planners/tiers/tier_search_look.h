/* The segments of a run of tier-search, for views. */
#ifndef SW_TIERS_TIER_SEARCH_LOOK_H
#define SW_TIERS_TIER_SEARCH_LOOK_H

#include "planners/planner.h"

/* In the walk under way, of which segments are longer than a step or are listed: does one after the first begin at the
 * step? False, too, of other planners. `state`: sw_search_planner_state. */
bool sw_tier_segment_begins(const struct sw_planner *, const void *state, uint32_t step);

#endif
