/* The bytes that several blocks cover together, as few ranges as that takes.
 *
 * A range is one word, lo << 32 | hi, in units that the owner knows: sorted as numbers, such words are sorted by
 * address. A list is ascending, its ranges neither meet nor touch, and a sentinel above all ranges stands behind the
 * last, so that merging needs no lengths. Zero it to start with. Internal to the engine. */
#ifndef SW_LAYOUT_RANGES_H
#define SW_LAYOUT_RANGES_H

#include "base/mem.h"

#define SW_RANGES_END UINT64_MAX

struct sw_ranges {
    SW_ARRAY(uint64_t) words; /* the sentinel is not counted; an empty list may have none */
    uint64_t bytes;           /* of all blocks added, in units */
    uint32_t blocks;          /* how many were added */
};

static inline uint64_t sw_range(uint32_t lo, uint32_t hi) {
    return (uint64_t)lo << 32 | hi;
}
static inline uint64_t sw_range_lo(uint64_t range) {
    return range >> 32;
}
static inline uint64_t sw_range_hi(uint64_t range) {
    return range & UINT32_MAX;
}

/* Add a block; ranges that it meets or touches are merged with it. O(log k + what moves), k = ranges. False: no
 * memory. */
bool sw_ranges_add(struct sw_ranges *, uint64_t range);
void sw_ranges_clear(struct sw_ranges *);
void sw_ranges_done(struct sw_ranges *);

/* Put words in ascending order of where they begin; of those that begin together, in any. `spare` has room for as many.
 * Returns where they are then: `words` or `spare`. O(n), and no branch to guess. */
uint64_t *sw_ranges_sort(uint64_t *words, uint64_t *spare, size_t count);

/* Merge two ascending runs of words, `a` and `b` with a sentinel behind each, into `out`, which gets one, too, and has
 * room for all: O(a + b), and no branch to guess. */
void sw_ranges_merge(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint64_t *out);

#endif
