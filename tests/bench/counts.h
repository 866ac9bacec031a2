/* Instructions of the hot paths on small instances that never change, beside those that were kept. */
#ifndef SW_BENCH_COUNTS_H
#define SW_BENCH_COUNTS_H

#include <stdbool.h>

/* Print them; `update` keeps those of today instead. Returns an exit status. */
int bench_counts(bool update);
/* What callgrind runs: one path, on one instance. */
int bench_counted(const char *path, const char *instance);

#endif
