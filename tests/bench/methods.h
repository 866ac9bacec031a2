/* Figures of the published methods: good choices beside plain ones and a rival. */
#ifndef SW_BENCH_METHODS_H
#define SW_BENCH_METHODS_H

void bench_methods(void);

#endif
