/* Figures of tier-search on networks and chains. */
#ifndef SW_BENCH_TIERS_H
#define SW_BENCH_TIERS_H

void bench_tiers(void);

#endif
