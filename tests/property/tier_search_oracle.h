/* The rules of tier-search once more, from the specification alone, on plain graphs.
 *
 * The restatement knows bytes, not intervals: a tier is an array of bytes, a free space a run of bytes that no block
 * alive at the same time holds. It plans later steps anew to the end each time. It calls nothing of the engine. */
#ifndef SW_PROPERTY_TIER_SEARCH_ORACLE_H
#define SW_PROPERTY_TIER_SEARCH_ORACLE_H

#include "stowage.h"

enum { STEPS = 7, BLOCKS = 14, ARGUMENTS = 3, TIERS = 3, COSTS = 4096 };
enum { NOWHERE = -1 };

struct tier_block {
    enum sw_kind kind;
    int size, alignment, first, last, accesses[STEPS * 2], access_count;
    bool allowed[TIERS];
    bool given; /* its tier is given */
};
struct tier_operation {
    int inputs[ARGUMENTS], outputs[ARGUMENTS], scratch, input_count, output_count;
};
struct tier_graph {
    uint64_t seed;
    int steps, blocks, tiers;
    int capacity[TIERS]; /* 0 = none */
    int bandwidth[TIERS], latency[TIERS];
    double conflict[TIERS];
    struct tier_block block[BLOCKS];
    struct tier_operation op[STEPS];
};

/* Where the blocks lie. */
struct tier_state {
    int tier[BLOCKS], at[BLOCKS]; /* tier NOWHERE: not placed */
};

struct tier_settings {
    int segment;
    bool carry, touched;
    int inside; /* 0: greedy; -1: exhaustive; else the width of the beam */
};
struct tier_outcome {
    bool feasible, too_many;
    struct tier_state start, end;
    double reference, costs[COSTS];
    int cost_count;
};

/* R6: at the birth of `fresh` its operator uses `old` for the last time, in the right role. */
bool tier_reusable(const struct tier_graph *, int fresh, int old);
/* The whole run: the places after PRECONF, every E that is measured on the way, and the places at the end. */
void tier_walk(const struct tier_graph *, const struct tier_settings *, struct tier_outcome *);
/* The least E over all choices of tiers in which, at every step, what must lie side by side fits. */
double tier_least_cost(const struct tier_graph *);

#endif
