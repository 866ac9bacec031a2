/* Decision traces of a million decisions: opening, the explorer's first frame, the whole run, seeking, memory. */
#ifndef SW_BENCH_TRACES_H
#define SW_BENCH_TRACES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum trace_shape {
    TRACE_ONCE,       /* as many buffers as decisions: each is placed once */
    TRACE_AGAIN,      /* 20,000 buffers, placed again and again */
    TRACE_CANDIDATES, /* the first, with five candidates before each decision: about 640 MB */
    TRACE_SHAPES
};
/* The same bytes everywhere for a shape and a count. Blocks do not overlap. False: it could not be written. */
bool trace_write(FILE *, enum trace_shape, uint64_t decisions);
void bench_traces(void);

#endif
