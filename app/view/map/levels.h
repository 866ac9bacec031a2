/* Bytes in use at each step, in each tier. */
#ifndef SW_VIEW_LEVELS_H
#define SW_VIEW_LEVELS_H

#include "view/view.h"

struct sw_tier_use {
    uint64_t *use; /* bytes at each step; one more at the end */
    uint64_t most; /* of them, and the first step of it */
    uint32_t when;
};
struct sw_levels {
    const struct sw_problem *problem;
    uint32_t steps, count; /* tiers */
    struct sw_tier_use tiers[SW_MAX_TIERS];
    bool simple;              /* nothing but blocks that lie in one place for life, and share no bytes */
    struct sw_layout *layout; /* what they are of, when they are kept; or NULL */
};

/* False: no memory; there is nothing to be freed. O(n + steps), without permits. */
bool sw_levels_open(struct sw_levels *, const struct sw_layout *);
void sw_levels_done(struct sw_levels *);
/* From the layout that they are of to another one of its problem, where both are simple: the price is what differs, and
 * the steps. False: they cannot, and are of no use any more. */
bool sw_levels_follow(struct sw_levels *, const struct sw_layout *);

/* frame_cache.c: of the layout as it is now, out of what is kept; NULL: nothing can be kept, open some. */
const struct sw_levels *sw_frame_cache_levels(struct sw_frame_cache *, const struct sw_layout *);

#endif
