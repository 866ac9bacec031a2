/* Where TensorFlow Lite Micro's own planner puts buffers around those that have an offset. */
#ifndef SW_FORMATS_TFLITE_GREEDY_H
#define SW_FORMATS_TFLITE_GREEDY_H

#include "formats/format.h"

struct tflite_block {
    uint64_t offset, size; /* size: rounded up as the interpreter does */
    uint32_t first, last;  /* steps, both inside */
    bool placed;           /* it has an offset */
};
/* Give each block an offset, in the order of GreedyMemoryPlanner: those that have one stand, then the largest first, of
 * equal ones the last of the list, each in the lowest gap between those that are alive with it. `end` receives where
 * the last byte ends. False: no memory. O(n^2), as the interpreter's. */
bool tflite_place_blocks(struct sw_arena *, struct tflite_block *, size_t count, uint64_t *end);

#endif
