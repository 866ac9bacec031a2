/* Plans that come with a file, finished or as a recorded run, may break any rule. Our planners' layouts may not, and
 * are not looked at here: sw_search_check does that for all. */
#ifndef SW_SEARCH_BROKEN_H
#define SW_SEARCH_BROKEN_H

#include "search/search.h"

SW_C_BEGIN

/* Does the present layout of a plan that came with its file break a rule? `faults` receives how many it breaks: 0 for a
 * planner that makes the plan itself, and where no addresses are claimed. `first`, which may be NULL, receives the
 * first.
 *
 * A buffer without a place is a fault where every other one has a place, and at the end of a recorded run if its
 * planner says that it is done; before that the rest may follow. What the recorded planner lists as overwrites is
 * judged under the assumption that operators can do that (sw_search_assumes).
 *
 * False: no memory. O((n + faults) log n). */
bool sw_search_broken(const struct sw_search *, size_t *faults, struct sw_fault *first)
    __attribute__((warn_unused_result));

SW_C_END

#endif
