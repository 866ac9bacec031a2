/* An array in chunks that are shared between clones and copied on the first write.
 *
 * Cloning costs the table of chunks, not the items. Internal to the engine. Chunk counts are not atomic:
 * clones stay in one thread. Zeroed items. */
#ifndef SW_BASE_COW_H
#define SW_BASE_COW_H

#include "base/mem.h"

enum { SW_COW_CHUNK = 64 }; /* items per chunk */

struct sw_cow_chunk;
struct sw_cow {
    size_t item;  /* bytes per item */
    size_t count; /* items in use */
    struct sw_cow_chunk **chunks;
    size_t chunk_count, chunk_capacity;
    size_t own; /* bytes allocated or copied since the last clone */
};

void sw_cow_init(struct sw_cow *, size_t item);
void sw_cow_done(struct sw_cow *);
bool sw_cow_clone(struct sw_cow *to, const struct sw_cow *from);
extern const struct sw_described sw_cow_described; /* for base/described.h */
/* Grow to `count` zeroed items, or cut back to it. */
bool sw_cow_resize(struct sw_cow *, size_t count);
const void *sw_cow_get(const struct sw_cow *, size_t index);
/* The same, and how many items lie one after another from there on: to the end of its chunk. */
const void *sw_cow_run(const struct sw_cow *, size_t index, size_t *count);
/* The chunk behind the one that holds the item will be read next: chunks lie anywhere, and memory is slow. */
void sw_cow_hint(const struct sw_cow *, size_t index);
/* Is the chunk that holds the item the very same one in both? Then so are its items. */
bool sw_cow_shares(const struct sw_cow *, const struct sw_cow *, size_t index);
/* Hold the chunk of the other array, which has as many items, instead of the own one: then its items are the same. */
void sw_cow_take(struct sw_cow *, const struct sw_cow *from, size_t index);
/* For writing; NULL: no memory. */
void *sw_cow_edit(struct sw_cow *, size_t index);

#endif
