/* Figures of segment-genetic: evaluations per second, and its count beside a plain quadratic one. */
#ifndef SW_BENCH_SEGMENTS_H
#define SW_BENCH_SEGMENTS_H

void bench_segments(void);
/* For instruction counts: measure `count` sequences in the way named. */
int bench_count_only(const char *way, long count);

#endif
