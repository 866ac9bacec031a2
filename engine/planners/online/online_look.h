/* Looking at the heap of an online allocator's run from outside: for reports that want more than the summary has. */
#ifndef SW_PLANNERS_ONLINE_LOOK_H
#define SW_PLANNERS_ONLINE_LOOK_H

#include "heap/heap_moment.h"
#include "planners/online/waste_history.h"
#include "planners/planner.h"

/* All is borrowed, until the run goes on. */
struct sw_online_look {
    const struct sw_heap *heap;
    const struct sw_requests *requests; /* of this run: with start=all they begin with what was alive before */
    enum sw_moment_bound bound;         /* what bounds a run that goes on from a moment */
    size_t next;                        /* the request under way, or the one that comes next */
    bool between;                       /* no request is under way */
    uint64_t served;                    /* whole requests so far */
    uint64_t failed;                    /* bytes asked for by those that got nothing */
    const struct sw_online_history *history;
    uint64_t peak_at; /* `served` when the peak of what is reserved was reached first */
};

/* `state`: of a run of that planner (sw_search_planner_state). False: it is no online allocator. */
bool sw_online_look(const struct sw_planner *, const void *state, struct sw_online_look *);
/* What the reserved bytes of such a run are at present, part by part (waste_history.h). O(blocks). */
void sw_online_reserved(const void *state, uint64_t bytes[SW_RESERVED_PARTS]);
/* The rules that it has; NULL: it is no online allocator. */
const struct sw_heap_kind *sw_online_kind(const struct sw_planner *);

#endif
