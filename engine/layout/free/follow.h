/* Following a layout: an index of what a layout holds that is kept while the layout grows.
 *
 * near.h and skyline.h index placed blocks; planners do not report what they place. Each index remembers the digest of
 * the layout that it has indexed, and the one buffer that was asked about since. When that buffer's placement explains
 * the present digest, the index takes it in; else the layout is indexed anew, once looking without the index has cost
 * as much as that. Whether an index is used changes what an answer costs, never what it is. Internal to the engine. */
#ifndef SW_LAYOUT_FOLLOW_H
#define SW_LAYOUT_FOLLOW_H

#include "layout/layout.h"

struct sw_follow {
    /* What is indexed: a layout of this problem with this digest, and perhaps what `asked` got since. */
    const struct sw_problem *problem; /* compared, never read; NULL: none */
    uint64_t problem_digest, digest;
    uint32_t asked;
    bool current;
    uint64_t owed; /* neighbors looked at without it since it went out of date */
};

/* What an index does. Both: false when memory lacks, or when it cannot index that. */
struct sw_follower {
    /* Take in the buffer of this rank, which now lies at `offset` and is not empty. */
    bool (*enter)(void *index, const struct sw_layout *, uint32_t rank, uint64_t offset);
    /* Index all that the layout holds. `fresh`: the problem is another one than the last time. */
    bool (*fill)(void *index, const struct sw_layout *, bool fresh);
};

/* Is everything that the layout holds indexed? If not, look without the index, and add to `owed` what that cost.
 * `buffer`: the buffer to be placed next, for which the caller asks. O(1), or O(buffers) when it is indexed anew. */
bool sw_follow_ready(struct sw_follow *, const struct sw_layout *, uint32_t buffer, const struct sw_follower *,
                     void *index);
/* Was this index made for the problem of the layout, and is it in use? */
static inline bool sw_follow_shows(const struct sw_follow *follow, const struct sw_problem *problem) {
    return follow->current && follow->problem == problem;
}

#endif
