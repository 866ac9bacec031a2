/* Figures of branch-and-bound: how long until something fits, and until the least is proved. */
#ifndef SW_BENCH_EXACT_H
#define SW_BENCH_EXACT_H

#include <stdbool.h>

void bench_exact(void);
/* One run to its end, to be counted by callgrind: every step explained, or none. */
int bench_exact_only(const char *file, bool explained);

#endif
