/* The inside of cuda-caching: settings, lists of free blocks, pages, and giving back. */
#ifndef SW_HEAP_CUDA_CACHING_H
#define SW_HEAP_CUDA_CACHING_H

#include "heap/kinds.h"

#define SW_MIB (UINT64_C(1) << 20)

/* The settings, in bytes. */
struct caching_settings {
    uint64_t max_split; /* SW_UNBOUNDED: none */
    uint64_t non_split_rounding;
    uint64_t large_segment;
    uint64_t divisions[16]; /* for sizes of 1, 2, 4 ... 32768 MiB */
    bool expandable;
    double threshold; /* 0: no garbage is collected */
};
bool sw_caching_settings_read(struct caching_settings *, const struct sw_params *, const struct sw_planner *,
                              struct sw_error *);

/* The free blocks of one pool, small or large. Keys are (stream, size, address), and of unmapped blocks (stream, 0,
 * address). */
struct caching_pool {
    struct sw_ordered free, unmapped;
    uint64_t finds; /* so often a block was looked for, while garbage is collected */
};
struct caching {
    struct caching_settings settings;
    SW_ARRAY(struct caching_pool) pools; /* of pool p, small or not: number 2 p + small */
};

/* False: no memory. */
bool sw_caching_need_pool(struct sw_heap *, uint16_t pool, bool small);
bool sw_caching_list(struct sw_heap *, uint32_t block); /* a free or an unmapped one */
void sw_caching_unlist(struct sw_heap *, uint32_t block);
/* A segment of which that is known; `page` 0: a plain one. SW_NONE: no memory. */
uint32_t sw_caching_segment_add(struct sw_heap *, const struct sw_known_segment *, uint64_t span, uint64_t page);
/* Bytes of a page of expandable segments. */
uint64_t sw_caching_page(const struct sw_heap *, bool small);
/* The free block is all of a plain segment. */
bool sw_caching_is_whole(const struct sw_heap *, uint32_t block);

/* ---- pages of expandable segments ---- */

/* One more stretch of pages towards turn->rounded bytes, starting at turn->candidate (SW_NONE: the place is looked for
 * first). Fills the act: GROW or REFUSED; when the candidate is large enough it becomes turn->block and is not listed.
 */
bool sw_caching_map(struct sw_heap *, struct sw_turn *, struct sw_act *);
/* Give back the whole pages inside a free block of a range, which is listed; `bytes` receives how many. */
bool sw_caching_unmap(struct sw_heap *, uint32_t block, uint64_t *bytes);

/* ---- giving back ---- */

/* Each adds to the act's count and size. */
bool sw_caching_release_all(struct sw_heap *, struct sw_act *);
/* `enough` receives whether so much was given back that growing is worth another attempt. */
bool sw_caching_release_oversize(struct sw_heap *, const struct sw_turn *, struct sw_act *, bool *enough);
bool sw_caching_collect_garbage(struct sw_heap *, struct sw_act *);
/* One whole plain segment, of a listed block. */
void sw_caching_release_segment(struct sw_heap *, uint32_t block, struct sw_act *);

#endif
