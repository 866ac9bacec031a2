/* Figures of branch-and-bound: how long until something fits, and until the least is proved. */
#ifndef SW_BENCH_EXACT_H
#define SW_BENCH_EXACT_H

void bench_exact(void);

#endif
