/* Synthetic instances of any size, always the same: splitmix64 with state 1, four draws per buffer. */
#ifndef SW_BENCH_SYNTHETIC_H
#define SW_BENCH_SYNTHETIC_H

#include "formats/format.h"

/* Write the CSV of `count` buffers. Dense: ten times as many alive at once. */
void synthetic_csv(uint64_t count, bool dense, struct sw_sink *);

#endif
