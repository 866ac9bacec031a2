/* What the search for free spaces reads of every neighbor, packed by rank (place in program order), so
 * that neighbors in time are neighbors in memory. Internal to the engine. */
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

/* One core, nothing pinned, kept separate or permitted, and every buffer one piece over all its bytes (or of size
 * 0). Every placed buffer is then a rectangle of time and bytes, and two conflict exactly when their lives meet. */
bool sw_problem_simple(const struct sw_problem *);
/* Are all planned buffers with a size alive together at one step? Which, the first such, in `step`. */
bool sw_problem_together(const struct sw_problem *, uint32_t *step);
/* How many planned buffers live at some step of [first, last]: what sw_problem_alive would find. O(1). */
uint32_t sw_problem_alive_count(const struct sw_problem *, uint32_t first, uint32_t last);

/* How many buffers are born, and how many are dead, before a step (0 to the number of steps). If `n` are born before
 * it, these are the ranks 0 to n - 1. O(1). */
uint32_t sw_problem_born_before(const struct sw_problem *, uint32_t step);
uint32_t sw_problem_dead_before(const struct sw_problem *, uint32_t step);

/* Prefetch what is kept of a buffer, and the counts that belong to a step. With a million buffers hardly any row is in
 * the processor's cache, and a planner would wait for memory most of the time. A caller that knows which buffers come
 * next has their rows fetched meanwhile. These functions only start the fetch, and change nothing. */
void sw_problem_fetch(const struct sw_problem *, uint32_t buffer, uint32_t rank);
void sw_problem_fetch_counts(const struct sw_problem *, uint32_t step);

/* The first rank in [rank, end) with a buffer that lives until `step` or longer; `end` when none does. O(log n). */
uint32_t sw_problem_outlives(const struct sw_problem *, uint32_t rank, uint32_t end, uint32_t step);

#endif
