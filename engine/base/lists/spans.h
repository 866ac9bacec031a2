/* Which of these intervals meet that one? A fixed set of intervals [lo, hi), sorted by lo, each of which
 * can be switched on and off; a tree of maxima over hi answers in O(log n + answers). Internal. */
#ifndef SW_BASE_SPANS_H
#define SW_BASE_SPANS_H

#include "base/mem.h"

struct sw_spans {
    size_t count, leaves;
    uint64_t *lo;  /* ascending */
    uint64_t *max; /* heap of maxima; leaf i at max[leaves + i]; 0 = off */
};

/* `lo` holds count values, ascending; it is copied. All intervals start switched off. */
bool sw_spans_init(struct sw_spans *, const uint64_t *lo, size_t count);
void sw_spans_done(struct sw_spans *);
/* Switch on with this end, or off with 0. O(log n). */
void sw_spans_set(struct sw_spans *, size_t index, uint64_t hi);
/* Set all ends at once; hi[i] = 0 is off. O(n). */
void sw_spans_fill(struct sw_spans *, const uint64_t *hi);
/* How many intervals begin below x: indices 0 .. result-1. O(log n). */
size_t sw_spans_below(const struct sw_spans *, uint64_t x);
/* The first index in [from, end) that is on and ends above `floor`; `end` when there is none. To list
 * what meets [a, b): end = below(b), floor = a. */
size_t sw_spans_next(const struct sw_spans *, size_t from, size_t end, uint64_t floor);

#endif
