/* What suggestions are worth: ./dev bench suggest. */
#ifndef SW_BENCH_SUGGESTS_H
#define SW_BENCH_SUGGESTS_H

void bench_suggests(void);

#endif
