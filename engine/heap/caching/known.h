/* A heap as it was when recording began: from what a snapshot tells of the end, back to the beginning, and then forward
 * along the record. rewind.c begins with the rules. */
#ifndef SW_HEAP_KNOWN_H
#define SW_HEAP_KNOWN_H

#include "heap/heap.h"

/* The segments and blocks of `requests` are those of the end: they become those of the beginning. The planner is
 * cuda-caching, the parameters are what it was recorded with. O((events + blocks) log blocks). */
bool sw_requests_rewind(struct sw_requests *, uint32_t buffers, const struct sw_params *, const struct sw_planner *,
                        struct sw_error *);

/* The free block, which is not listed, becomes the known blocks from number *at on that begin below `end`; what is left
 * of it is listed. *at is behind them then. False: no memory. O(blocks log blocks). */
bool sw_heap_fill(struct sw_heap *, uint32_t block, const struct sw_requests *, size_t *at, uint64_t end);

/* Put the segments and blocks of `requests` into an empty heap of the kind cuda-caching. False: no memory. */
bool sw_caching_known(struct sw_heap *, const struct sw_requests *);

/* Do what the record did, whatever the rules say. Each returns false for lack of memory only, and gives SW_NONE or 0
 * where the record contradicts the heap. */

/* A segment, or pages, at that address; `rounded`: of the request that it was made for (0: unknown). */
bool sw_caching_made(struct sw_heap *, const struct sw_request *, uint64_t rounded);
/* A segment, or pages, went back; `bytes` receives how many did. */
bool sw_caching_gone(struct sw_heap *, const struct sw_request *, uint64_t *bytes);
/* The free block that begins at that address, cut out of what is there; it is not listed. It has room for turn->rounded
 * bytes, which become fewer where the record shows that there are fewer. What another block holds beyond what was asked
 * for goes to this one. */
bool sw_caching_carve(struct sw_heap *, struct sw_turn *, uint64_t address, uint32_t *block);

#endif
