/* Figures of large problems: load, planners, bound, check, explorer and exporter. */
#ifndef SW_BENCH_SCALE_H
#define SW_BENCH_SCALE_H

void bench_scale(void);  /* 100,000 and 1,000,000 buffers, sparse and dense */
void bench_shapes(void); /* 1,000,000 buffers of every shape: load and planners */

#endif
