/* Keeping an index of a layout up to date. See follow.h. */
#include "layout/free/follow.h"

#include "layout/layout_internal.h"

#include "problem/hot.h"

/* If the only change since is that the buffer asked about was placed, take it in. False: there are others. */
static bool catch_up(struct sw_follow *follow, const struct sw_layout *layout, const struct sw_follower *follower,
                     void *index) {
    struct sw_placement placement;
    uint64_t digest = layout->digest;
    if (follow->digest == digest) {
        return true;
    }
    if (follow->asked == SW_NONE || !sw_layout_placement(layout, follow->asked, 0, &placement) ||
        follow->digest + sw_layout_placement_digest(&placement) != digest) {
        return false;
    }
    uint32_t rank = sw_problem_rank(sw_layout_problem(layout), follow->asked).at;
    follow->digest = digest;
    return sw_problem_hot(sw_layout_problem(layout))[rank].size == 0 ||
           follower->enter(index, layout, rank, placement.offset);
}

bool sw_follow_ready(struct sw_follow *follow, const struct sw_layout *layout, uint32_t buffer,
                     const struct sw_follower *follower, void *index) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    /* The address of a problem may be that of an earlier one, its digest is not. */
    bool same = follow->problem == problem && follow->problem_digest == sw_problem_digest(problem);
    follow->current = follow->current && same && catch_up(follow, layout, follower, index);
    /* Indexing costs a pass over all buffers; it has to be worth it. Lack of memory only means to go on without. */
    if (!follow->current && follow->owed >= sw_problem_planned_count(problem) / 4) {
        follow->current = follower->fill(index, layout, !same);
        follow->problem = follow->current || same ? problem : NULL;
        follow->problem_digest = sw_problem_digest(problem);
        follow->digest = layout->digest;
        follow->owed = 0; /* even when it failed: not again at the next question */
    }
    follow->asked = sw_layout_placed(layout, buffer) ? SW_NONE : buffer;
    return follow->current;
}
