/* The free spaces of a tier as one buffer sees them.
 *
 * This is how planners look for room. It knows lifetimes with holes, byte windows, permits, pins,
 * forbidden and reserved ranges and several cores, so that planners need not. A `struct sw_gaps` is
 * scratch memory that may be used again and again; it belongs to the caller; zero it to start with. It is
 * fast when the same layout is asked about repeatedly, with a block placed now and then: near.h. */
#ifndef SW_LAYOUT_GAPS_H
#define SW_LAYOUT_GAPS_H

#include "base/mem.h"
#include "layout/layout.h"

SW_C_BEGIN

/* What the user demanded on top of the problem: pins and forbidden ranges. Owned by the run. */
struct sw_pin {
    uint32_t buffer, tier;
    uint64_t offset;
};
struct sw_forbid {
    uint32_t buffer; /* SW_NONE: no buffer may use it */
    uint32_t tier;
    uint64_t lo, hi;
};
struct sw_rules {
    SW_ARRAY(struct sw_pin) pins;
    SW_ARRAY(struct sw_forbid) forbids;
    const uint32_t
        *pin_of; /* borrowed: per buffer the number of its pin + 1, 0 for none; NULL: pins are looked through */
};
struct sw_described;
struct sw_gap_indexes;
extern const struct sw_described sw_rules_described;
void sw_rules_done(struct sw_rules *);
bool sw_rules_copy(struct sw_rules *to, const struct sw_rules *from); /* without pin_of */
/* The pin in force for a buffer: the user's, or the problem's. */
bool sw_rules_pin(const struct sw_problem *, const struct sw_rules *, uint32_t buffer, struct sw_pin *);

struct sw_gap {
    uint64_t lo, hi;       /* free bytes [lo, hi); hi = SW_UNBOUNDED for an open end */
    uint64_t start;        /* lo rounded up to the buffer's alignment */
    uint32_t below, above; /* the buffers that end and begin there, or SW_NONE (an edge) */
};
struct sw_gap_bound { /* internal: one obstacle with its owner */
    int64_t lo, hi;
    uint32_t owner;
};
struct sw_gaps {
    SW_ARRAY(struct sw_gap) gaps;                /* ascending; the last one is open, up to the top */
    SW_ARRAY(struct sw_gap_bound) bounds, spare; /* spare: to sort into */
    struct sw_obstacles obstacles;
    struct sw_gap_indexes *indexes; /* of the layout last asked about; NULL: none yet */
    size_t in_the_way;              /* sw_gaps_glance: how many obstacles there are; they are not in `bounds` */
    uint64_t visited;               /* neighbors looked at so far: the measure of work */
    uint64_t live;                  /* placed bytes alive at the buffer's first step, without its own */
};

/* All free spaces of `tier` that `buffer` sees over the steps of `span`, up to `top` (a capacity, an
 * arena's end, or SW_UNBOUNDED). Blocks that are pinned but not yet placed count as placed.
 * O(k log k), k = neighbors. False: no memory. */
bool sw_gaps_find(struct sw_gaps *, const struct sw_layout *, const struct sw_rules *, uint32_t buffer,
                  struct sw_span span, uint32_t tier, uint64_t top);
/* The same over the whole life, for callers that do not need the owners of the obstacles: gaps without neighbors,
 * and the number of obstacles. Much faster in the usual case, a simple problem of one tier: skyline.h. */
bool sw_gaps_glance(struct sw_gaps *, const struct sw_layout *, const struct sw_rules *, uint32_t buffer, uint32_t tier,
                    uint64_t top);
/* Does the buffer (its size) fit into the gap? */
static inline bool sw_gap_fits(const struct sw_gap *gap, uint64_t size) {
    return gap->hi == SW_UNBOUNDED || (gap->start <= gap->hi && gap->hi - gap->start >= size);
}
void sw_gaps_done(struct sw_gaps *);

/* What stands in the way of `buffer` at exactly `offset`: the first obstacle, SW_NONE when free;
 * `free_` tells which. False: no memory. */
bool sw_gaps_blocker(struct sw_gaps *, const struct sw_layout *, const struct sw_rules *, uint32_t buffer,
                     struct sw_span span, uint32_t tier, uint64_t offset, bool *free_, uint32_t *blocker);

SW_C_END

#endif
