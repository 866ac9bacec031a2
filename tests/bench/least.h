/* Figures of the order of operators: the peak of the file's order, the order found, the bound proved, seconds, memory.
 */
#ifndef SW_BENCH_LEAST_H
#define SW_BENCH_LEAST_H

void bench_least(void);

#endif
