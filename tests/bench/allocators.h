/* Online allocators on a million requests: opening, the heap alone, the planner that steps it, seeking, the first
 * frame. */
#ifndef SW_BENCH_ALLOCATORS_H
#define SW_BENCH_ALLOCATORS_H

void bench_allocators(void);

#endif
