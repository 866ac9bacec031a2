/* Where the reserved bytes of an online allocator were, over the requests: a bounded number of samples.
 *
 * A sample is taken behind every request until there is no room for another one; then every second one is dropped, and
 * from then on they are taken half as often. So there are always enough for a curve, the same ones in every run, and no
 * more than so many however long the run is. What was reserved between two samples is not lost: `most` has the most of
 * it. */
#ifndef SW_PLANNERS_WASTE_HISTORY_H
#define SW_PLANNERS_WASTE_HISTORY_H

#include "heap/heap.h"

enum { SW_ONLINE_SAMPLES = 256 };

struct sw_online_sample {
    uint64_t request; /* behind so many requests */
    uint64_t reserved, requested;
    struct sw_heap_waste waste; /* its parts add up to reserved - requested */
    uint64_t most;              /* reserved at most since the sample before, that one not included */
    uint32_t step;              /* of time */
};
struct sw_online_history {
    uint64_t spacing; /* a sample behind every so many requests */
    uint64_t most;    /* reserved at most since the last sample */
    size_t count;
    struct sw_online_sample items[SW_ONLINE_SAMPLES];
};

/* What reserved bytes are, part by part: what was asked for, then each cause of waste. The last part, what a record
 * does not tell, is mostly 0. */
enum { SW_RESERVED_PARTS = 8 };
extern const char *const sw_reserved_names[SW_RESERVED_PARTS];
void sw_reserved_parts(uint64_t requested, const struct sw_heap_waste *, uint64_t bytes[SW_RESERVED_PARTS]);

/* Behind request number `request` (0: before the first). `wanted`: what free blocks are compared with, to tell which
 * are too small. O(1), and O(blocks) where a sample is taken. */
void sw_online_history_add(struct sw_online_history *, const struct sw_heap *, uint64_t request, uint32_t step,
                           uint64_t wanted);

#endif
