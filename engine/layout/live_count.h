/* Placed bytes that are alive at a step, for planners that ask this after every block.
 *
 * Asking the problem costs a look at all that is alive. Most answers are the last one, or that and the block which was
 * placed since; the digest of the layout tells. Scratch: zero it to start with; copies are good. Internal to the
 * engine. */
#ifndef SW_LAYOUT_LIVE_COUNT_H
#define SW_LAYOUT_LIVE_COUNT_H

#include "layout/layout.h"

struct sw_live {
    uint64_t problem_digest, digest; /* of the layout */
    uint64_t bytes;
    uint32_t step;
    bool known;
};

/* `fresh`: the buffer that may have been placed since the last question. O(1), or O(alive) where more has changed. */
uint64_t sw_live_at(struct sw_live *, const struct sw_layout *, uint32_t step, uint32_t fresh);

#endif
