/* Where TensorFlow Lite Micro's own planner puts buffers around those that have an offset. */
#ifndef SW_FORMATS_TFLITE_GREEDY_H
#define SW_FORMATS_TFLITE_GREEDY_H

#include "formats/tflite/tflite_model.h"

struct tflite_block {
    uint64_t offset, size; /* size: rounded up as the interpreter does */
    uint32_t first, last;  /* steps, both inside */
    bool placed;           /* it has an offset */
};
/* `offset`: -1 for none. */
static inline struct tflite_block tflite_block_of(uint64_t size, int64_t first, int64_t last, int64_t offset) {
    return (struct tflite_block){.size = sw_align_up(size, TFLITE_ALIGNMENT),
                                 .first = (uint32_t)first,
                                 .last = (uint32_t)last,
                                 .placed = offset >= 0,
                                 .offset = offset >= 0 ? (uint64_t)offset : 0};
}
/* Give each block an offset, in the order of GreedyMemoryPlanner: those that have one stand, then the largest first, of
 * equal ones the last of the list, each in the lowest gap between those that are alive with it. `end` receives where
 * the last byte ends. False: no memory. O(n^2), as the interpreter's. */
bool tflite_place_blocks(struct sw_arena *, struct tflite_block *, size_t count, uint64_t *end);

#endif
