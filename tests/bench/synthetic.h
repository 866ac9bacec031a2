/* Synthetic instances for figures: buffers as CSV, half-open, the same everywhere for a shape, a count and a seed. */
#ifndef SW_BENCH_SYNTHETIC_H
#define SW_BENCH_SYNTHETIC_H

#include "formats/format.h"

enum synthetic_shape {
    SYNTHETIC_SPARSE,    /* many short lives and few long ones, about 13 alive at a time: published figures */
    SYNTHETIC_DENSE,     /* the same, ten times as many at a time */
    SYNTHETIC_RANDOM,    /* lives of 1 to 256 steps, sizes of 16 B to 64 KiB, all equally likely */
    SYNTHETIC_NESTED,    /* calls within calls: what is born later dies earlier, up to 256 deep */
    SYNTHETIC_STREAMING, /* frames through a pipeline of eight stages, and what every stage keeps for a while */
    SYNTHETIC_RESNET,    /* residual blocks: three convolutions, and the input kept for the sum */
    SYNTHETIC_SHAPES
};
extern const char *const synthetic_names[SYNTHETIC_SHAPES];
bool synthetic_find(const char *name, enum synthetic_shape *);
/* At least 10 buffers. */
void synthetic_csv(uint64_t count, enum synthetic_shape, uint64_t seed, struct sw_sink *);

#endif
