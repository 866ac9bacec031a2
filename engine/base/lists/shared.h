/* A growing list that several holders share, each at its own length: the past of a tree of branches.
 *
 * A holder of a block and a count sees the first `count` items, which never change and never move. One more
 * item goes into the same block when the holder sees all of it and there is room, else into a copy. So a
 * chain of n holders, each one item longer than the one before, needs memory for O(n) items, not O(n^2).
 * Counts are not atomic: holders stay in one thread. Internal to the engine and the program. */
#ifndef SW_BASE_SHARED_H
#define SW_BASE_SHARED_H

#include "base/mem.h"

struct sw_shared;

struct sw_shared_kind {
    size_t size;                /* of an item */
    void (*keep)(void *item);   /* a copy was made of it; NULL: nothing to do */
    void (*forget)(void *item); /* it goes; NULL */
};

/* One more holder, and one less; NULL is the empty list. */
struct sw_shared *sw_shared_ref(struct sw_shared *);
void sw_shared_unref(struct sw_shared *, const struct sw_shared_kind *);
/* The items, NULL of the empty list; good as long as the block is held. */
void *sw_shared_items(struct sw_shared *);
/* A holder of the first `count` items of *block adds one; *block may become another one. False, and nothing
 * has changed: no memory. Amortised O(1) along a chain, O(count) where it forks. */
bool sw_shared_push(struct sw_shared **block, size_t count, const struct sw_shared_kind *, const void *item);

#endif
