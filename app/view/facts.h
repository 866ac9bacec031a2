/* What a planner says of a run besides its layout, sorted so that views only draw: memory ids, segments,
 * moves between tiers. Gathered once per step by the owner of the run's place; a view that is lent none
 * gathers its own. */
#ifndef SW_VIEW_FACTS_H
#define SW_VIEW_FACTS_H

#include "stowage_runs.h"

/* Buffers in numbered groups: those of a memory id, those of a segment. */
struct sw_parts {
    uint32_t count;             /* 0: there are none */
    SW_ARRAY(uint64_t) bytes;   /* of each part */
    SW_ARRAY(uint32_t) of;      /* per buffer: its part, or SW_NONE */
    SW_ARRAY(uint32_t) first;   /* part p has members first[p] to first[p + 1] */
    SW_ARRAY(uint32_t) members; /* buffers, by birth */
};

struct sw_facts {
    struct sw_parts ids, segments;
    SW_ARRAY(uint64_t) decided; /* per buffer: the decision that gave it its id; 0: none. Empty without ids */
    SW_ARRAY(uint64_t) bottom;  /* per segment: its first byte, SW_UNBOUNDED while nothing lies in it */
    bool stale;                 /* the segments are newer than the layout: `bottom` says nothing */
    bool hands_out_ids;         /* the planner does, even if there are none yet */
    int64_t adopted;            /* bytes saved by other element types and alignments */
    bool has_bound;
    uint64_t migration_bound;
    /* A planner that says its bound and nothing else says the same at every step: it is not asked again. */
    const struct sw_planner *says_bound_only;
    uint64_t bound_of; /* digest of the problem */
    struct sw_claims claims;
    SW_ARRAY(struct sw_transfer) moves; /* by step: of the layout, or of the decisions of a planner that makes none */
    uint64_t moved;                     /* their bytes */
    uint64_t free_moves;                /* decisions that count nothing: first fetches, last evictions */
};
/* Zero it to start with; it may be used again. O(n log n). False: no memory. */
bool sw_facts_gather(struct sw_facts *, const struct sw_search *);
void sw_facts_done(struct sw_facts *);

/* The most bytes that are in use at once in each tier. Where blocks lie at both ends of a memory that is much
 * less than where the highest of them ends. O(n + steps), without permits. False: no memory. */
bool sw_most_in_use(const struct sw_layout *, uint64_t most[SW_MAX_TIERS]);

/* How a peak below the lower bound is told, everywhere: never as a success. "" when it is not below; `brief` for a
 * header. NULL: no memory. */
const char *sw_below_words(const struct sw_search *, bool brief);
/* " without migration" where the planner moves blocks out of the way, for which the lower bound does not hold; or "".
 */
const char *sw_bound_remark(const struct sw_search *);

#endif
