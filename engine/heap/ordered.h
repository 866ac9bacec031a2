/* An ordered set of free blocks: keys of three numbers, smallest first, each with the number of a block.
 *
 * Sorted pieces of at most SW_ORDERED_PIECE entries: finding, adding and taking out cost O(log n + piece), and a copy
 * is one memcpy per piece. No two entries have the same key. */
#ifndef SW_HEAP_ORDERED_H
#define SW_HEAP_ORDERED_H

#include "base/described.h"

#include <stdbool.h>
#include <stdint.h>

enum { SW_ORDERED_PIECE = 128 };
struct sw_key {
    uint64_t a, b, c;
};
struct sw_ordered_entry {
    struct sw_key key;
    uint32_t block;
};
struct sw_ordered_piece {
    struct sw_ordered_entry *items; /* SW_ORDERED_PIECE of them */
    uint32_t count;                 /* at least 1 */
    uint64_t most;                  /* the largest `b` of their keys */
};
struct sw_ordered {
    SW_ARRAY(struct sw_ordered_piece) pieces;
    size_t count;
};
/* A place in a set, good until the set changes. */
struct sw_ordered_place {
    uint32_t piece, index;
};

/* False: no memory, nothing has changed. Zero a set to start with. */
bool sw_ordered_add(struct sw_ordered *, struct sw_key, uint32_t block);
bool sw_ordered_remove(struct sw_ordered *, struct sw_key); /* false: it is not there */
extern const struct sw_described sw_ordered_described;
/* The blocks in order, as many as there is room for; `to` NULL: only their number. */
size_t sw_ordered_list(const struct sw_ordered *, uint32_t *to, size_t room);

/* The first entry that is not below the key; NULL: none. */
const struct sw_ordered_entry *sw_ordered_from(const struct sw_ordered *, struct sw_key, struct sw_ordered_place *);
/* The first entry of all with at least this `b`; NULL: none. A piece without one is passed over as a whole. */
const struct sw_ordered_entry *sw_ordered_first_with(const struct sw_ordered *, uint64_t b);
/* The last entry that is below the key; NULL: none. */
const struct sw_ordered_entry *sw_ordered_before(const struct sw_ordered *, struct sw_key, struct sw_ordered_place *);
/* The next and the previous one; NULL: none. */
const struct sw_ordered_entry *sw_ordered_next(const struct sw_ordered *, struct sw_ordered_place *);

#endif
