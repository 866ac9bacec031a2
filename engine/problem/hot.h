/* What the search for free spaces reads of every neighbour, packed by rank (place in program order), so
 * that neighbours in time are neighbours in memory. Internal to the engine. */
#ifndef SW_PROBLEM_HOT_H
#define SW_PROBLEM_HOT_H

#include "problem/problem.h"

struct sw_hot {
    uint32_t first, last; /* hull */
    uint64_t size;
    uint32_t buffer;
    bool plain;  /* conflicts with another plain one exactly when their hulls meet, over all bytes */
    bool pinned; /* by the problem */
};
const struct sw_hot *sw_problem_hot(const struct sw_problem *);

#endif
