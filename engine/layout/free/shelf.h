/* The shelf: the blocks alive at one moment of a run in program order, side by side, and the gaps between them.
 *
 * A planner that places buffers in program order needs only the blocks alive when the next one is born: the dead
 * ones are out of the way, and later ones are not placed yet. From one decision to the next this set changes only
 * by the blocks that died and the one that was placed. So the shelf keeps it: blocks in a list by address, gaps
 * in an ordered list of their own. A decision then costs O(log n) instead of a look at all blocks alive.
 *
 * Gaps stand by address (to find the lowest that fits) or by size, then address (to find the smallest). Either
 * way they stand in pages of at most SW_SHELF_PAGE, each with the largest gap on it: one page is searched from
 * end to end, all others by their first gap or their largest.
 *
 * Where all blocks live together at one step, no order matters: nothing is ever out of the way of another. The shelf
 * then shows whatever is placed, and serves planners that place by size as well. Bytes that live at an earlier step are
 * then kept as sums by step, in a Fenwick tree (P. M. Fenwick, 1994).
 *
 * Only for simple problems (problem/hot.h) of one tier, without pins of the user and ranges that are forbidden or
 * reserved; then blocks that are alive together are disjoint. The shelf is scratch: it remembers the digest of the
 * layout it was made from, and it is made anew for a layout with another digest. Belongs to the run; zero it
 * to start with. Internal to the engine. */
#ifndef SW_LAYOUT_SHELF_H
#define SW_LAYOUT_SHELF_H

#include "layout/free/gaps.h"

enum { SW_SHELF_PAGE = 64 };

/* Block 0 is the bottom: no bytes at address 0. Numbers of blocks are used again. */
struct sw_shelf_block {
    uint64_t lo, hi;
    uint32_t buffer, last; /* last: its last step */
    uint32_t below, above; /* blocks by address; above: 0 for the topmost */
};
struct sw_shelf_gap {
    uint64_t lo, size; /* size > 0, closed at both ends */
    uint32_t below;    /* the block that ends at lo */
};
struct sw_shelf_page {
    uint32_t count;
    uint64_t largest;
    struct sw_shelf_gap gaps[SW_SHELF_PAGE];
};
struct sw_shelf_death {
    uint32_t last, block;
};

/* What the shelf is to show: the moment of the run, and the order of gaps. */
struct sw_shelf_view {
    bool by_size;            /* how gaps are ordered */
    bool releases;           /* the planner takes blocks off itself, one by one, and not sw_shelf_bury at their end */
    bool crowd;              /* all blocks live together: all that are placed are there, and none is taken off */
    uint32_t step;           /* the moment */
    uint32_t rank;           /* buffers from this place in program order on are not there yet */
    const uint32_t *waiting; /* releases: what died before the step and is not taken off yet */
    size_t waiting_count;
};

struct sw_shelf {
    const struct sw_problem *problem; /* compared, never read */
    uint64_t problem_digest, digest;  /* of the layout */
    bool filled, by_size, releases, crowd;
    uint64_t released;           /* for planners that release block by block: how many, when this was made or changed */
    uint64_t bytes;              /* of all blocks */
    uint64_t doomed;             /* of those that are dead and wait for their release */
    uint32_t count;              /* blocks */
    uint32_t gaps;               /* closed gaps */
    uint32_t top;                /* the topmost block; 0: there is none */
    uint32_t freed, freed_below; /* the buffer taken off last, and the block below it */
    SW_ARRAY(struct sw_shelf_block) blocks;
    SW_ARRAY(uint32_t) unused;              /* numbers of blocks */
    SW_ARRAY(struct sw_shelf_page *) pages; /* in order */
    SW_ARRAY(struct sw_shelf_page *) spare;
    SW_ARRAY(struct sw_shelf_death) deaths; /* a heap, the earliest first */
    SW_ARRAY(uint32_t) numbers;             /* by rank: the block's number; only blocks on the shelf are right */
    SW_ARRAY(uint64_t) born;                /* a crowd: the tree of bytes by first step */
};

/* May it be used at all? */
bool sw_shelf_serves(const struct sw_layout *, const struct sw_rules *);
/* Does it show this layout? */
bool sw_shelf_shows(const struct sw_shelf *, const struct sw_layout *, const struct sw_shelf_view *);
/* Make it anew. O(alive log alive). False: it could not be made, because memory ran out or blocks overlap.
 * That is no failure: look without it. */
bool sw_shelf_fill(struct sw_shelf *, const struct sw_layout *, const struct sw_shelf_view *);
/* Take off all that died before `step`. False: no memory; it then shows nothing. */
bool sw_shelf_bury(struct sw_shelf *, uint32_t step);
/* Take off one buffer. False: it is not there, or no memory; it then shows nothing. */
bool sw_shelf_take(struct sw_shelf *, const struct sw_layout *, uint32_t buffer);

/* The lowest closed gap that fits (not by_size), or the smallest, ties the lowest (by_size), counting what
 * alignment costs. NULL: none. Until the next change. */
const struct sw_shelf_gap *sw_shelf_find(const struct sw_shelf *, uint64_t size, uint64_t alignment);
/* The largest closed gap, ties the lowest (by_size). NULL: none. Until the next change. */
const struct sw_shelf_gap *sw_shelf_largest(const struct sw_shelf *);
/* What lies above block `below` moves up by `delta`, on the shelf and in the layout; there that goes for all of the
 * first `ranks` buffers in program order that lie as high, on the shelf or not. The arena stays. O(ranks). False: no
 * memory. */
bool sw_shelf_raise(struct sw_shelf *, struct sw_layout *, uint32_t below, uint64_t delta, uint32_t ranks);
/* Put a buffer, which the layout has placed just now, onto block `below`. False: no memory; it then shows nothing,
 * and the layout is as it should be. */
bool sw_shelf_put(struct sw_shelf *, const struct sw_layout *, uint32_t buffer, uint64_t lo, uint32_t below);
void sw_shelf_done(struct sw_shelf *);

/* A crowd: the bytes of its blocks that live at a step, which is not after the one that they all live at. O(log steps).
 */
uint64_t sw_shelf_live(const struct sw_shelf *, uint32_t step);

/* Where the topmost block ends. */
static inline uint64_t sw_shelf_top(const struct sw_shelf *shelf) {
    return shelf->blocks.items[shelf->top].hi;
}

#endif
