/* The inside of a layout; only for the files of this folder. */
#ifndef SW_LAYOUT_INTERNAL_H
#define SW_LAYOUT_INTERNAL_H

#include "base/lists/cow.h"
#include "layout/made.h"

/* Bits. Four slots fill a line of the cache. */
enum { SW_SLOT_TIER = 7, SW_SLOT_SPAN = 25 };
_Static_assert(SW_MAX_TIERS < 1 << SW_SLOT_TIER, "a slot has room for the number of a tier");

/* One per planned buffer, by rank, so that buffers that live together lie together: its only placement, or
 * the head of its list of spans. */
struct sw_layout_slot {
    uint64_t offset;
    unsigned tier : SW_SLOT_TIER; /* number + 1; 0 = not placed */
    unsigned span : SW_SLOT_SPAN; /* number + 1 in spans; 0 = placed for its whole life */
    uint32_t made;                /* the decision that placed it; 0: none did */
};
struct sw_layout_span {
    struct sw_placement placement;
    uint32_t next; /* number + 1 */
    uint32_t made;
};

/* Of a tier that is filled from its far end: the stretch [lo, hi) that no block uses; `saved` of it count. What is
 * placed makes stretches shorter, never longer, so that one that stays longer than `second` is still the longest.
 * What is taken away makes one longer, unless other blocks lie over all of it: with many buffers it is counted how many
 * cover each part of the tier, and how many free bytes there are outside the longest stretch. */
struct sw_far_end {
    bool known;   /* false: look for it */
    bool reached; /* a block ends at the capacity */
    uint64_t lo, hi, saved;
    uint64_t step;   /* the least common multiple of the alignments above it */
    uint64_t second; /* of no other stretch count more */
    uint64_t others; /* all other stretches together are no longer */
    uint32_t *cover; /* per part of the tier the blocks that cover all of it; NULL: not counted */
};

struct sw_layout {
    const struct sw_problem *problem;
    struct sw_cow slots, spans, transfers, permits;
    uint64_t arena[SW_MAX_TIERS];
    uint32_t arena_made[SW_MAX_TIERS]; /* the decision that made it what it is */
    uint32_t stamp;                    /* the decision that is being made: what is placed is its; 0: none is */
    uint32_t before;                   /* the decision that began with it */
    uint32_t since;                    /* what was placed before this decision is its as well: it took all of it anew */
    uint64_t digest;                   /* sum over placements, transfers and permits */
    uint32_t placed;
    bool shared;                             /* its arenas hold more than its buffers */
    struct sw_far_end far_end[SW_MAX_TIERS]; /* of tiers that have one */
};

/* A buffer that was in no tier lies there now. */
void sw_far_end_placed(struct sw_layout *, uint32_t buffer, uint32_t tier, uint64_t offset);
/* A buffer that lay there lies there no more. */
void sw_far_end_lifted(struct sw_layout *, uint32_t buffer, uint32_t tier, uint64_t offset);
/* Blocks have moved otherwise, or the layout ends. */
void sw_far_end_forget(struct sw_layout *, uint32_t tier);

struct sw_gaps;
/* Where the free space ends downwards that holds `offset`, as the buffer sees it: the highest end of an obstacle at or
 * below it, or 0. `covered`: something lies there. What sw_gaps_find would say, without the other spaces. False: no
 * memory. */
bool sw_gaps_floor(struct sw_gaps *, const struct sw_layout *, uint32_t buffer, const struct sw_placement *,
                   uint64_t *floor, bool *covered);

/* What a placement adds to the digest. */
uint64_t sw_layout_placement_digest(const struct sw_placement *);

/* Which tensors hold the same bytes by the graph's own meaning, for the checker: value[b] is the one that
 * stands for all with the bytes of b. NULL when the graph has no reshapes and no get-items. False: no memory. */
bool sw_alias_build(const struct sw_problem *, uint32_t **value);
void sw_alias_done(const struct sw_problem *, uint32_t *value);

/* May `fresh` be written over `old` at the step, from the same offset, because the graph marks the operator
 * `inplace`? And could it be anywhere over it if every operator could write over what it reads (rule R6)?
 * `reach`: scratch with room for all operators, used on several cores. */
bool sw_overwrite_is_permitted(const struct sw_problem *, const struct sw_permit *, bool *reach);
bool sw_overwrite_is_assumed(const struct sw_problem *, const struct sw_permit *, bool *reach);

#endif
