/* A heap as a moment shows it (problem/moment/moment.h), which serves requests from there on. */
#ifndef SW_HEAP_MOMENT_H
#define SW_HEAP_MOMENT_H

#include "heap/heap.h"
#include "problem/moment/moment.h"

/* What bounds the heap, and where that is from. */
enum sw_moment_bound {
    SW_MOMENT_BOUND_GIVEN,  /* the caller's */
    SW_MOMENT_BOUND_TOLD,   /* the moment tells a limit, or what the device has free */
    SW_MOMENT_BOUND_FAILED, /* neither is told, and a request failed: no more than is reserved */
    SW_MOMENT_BOUND_NONE
};
struct sw_moment_start {
    struct sw_heap *heap;
    struct sw_requests *known; /* the streams and pools by number */
    uint32_t held;             /* blocks in use or waiting: buffers 0 to held - 1 of the heap */
    enum sw_moment_bound bound;
};
/* The heap with so many more buffers; their numbers begin with `held`. `after`: the requests that follow, which
 * start->known begins with, so that their streams have the same numbers; NULL. The planner is cuda-caching or
 * bfc-arena; its settings are those given, else those that the moment tells. `limit`: SW_UNBOUNDED: not given. False:
 * the moment does not show all of a heap, or other settings are given than fit together, or no memory; nothing is to be
 * ended. O(blocks log blocks). */
bool sw_moment_start(const struct sw_moment *, const struct sw_requests *after, const struct sw_planner *,
                     const struct sw_params *, uint64_t limit, uint32_t buffers, struct sw_moment_start *,
                     struct sw_error *);
void sw_moment_start_end(struct sw_moment_start *);

/* What became of a request. */
struct sw_moment_answer {
    uint64_t address, block; /* of an ALLOC, in a segment that the moment shows; SW_NO_ADDRESS: in none */
    uint64_t segment;        /* bytes of the new segment that it got, or mapped pages; 0: it needed none */
    uint64_t refused;        /* bytes that the device or the limit refused last; 0: nothing */
    uint64_t given;          /* bytes that were given back for it, or by it */
    bool failed;
    const char *why; /* a static phrase */
};
/* Serve a request (ALLOC, FREE, EMPTY). False: no memory. */
bool sw_moment_go_on(struct sw_heap *, struct sw_turn *, struct sw_moment_answer *, struct sw_error *);

/* The failed request asked for again, under these settings, by the moment's own allocator: is it served? A size that is
 * rounded is taken at its most (`most`) or its least. False: it cannot be asked again, which is no matter, or there is
 * no memory (error->code says it). */
bool sw_moment_ask_again(const struct sw_moment *, const struct sw_params *, bool most, bool *served,
                         struct sw_error *);

#endif
