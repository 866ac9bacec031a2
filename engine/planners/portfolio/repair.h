/* Lowering a finished layout by guided ejection: the engine of `improve`, which `auto` uses as well.
 *
 * It works on flat arrays of the blocks of one tier, each in one place for its whole life. A repair
 * *attempt* has a *target* below the present peak. Every block that ends above the target is taken out
 * into a *pool*; then, until the pool is empty, the block with the heaviest *grudge* is put back below
 * the target: into the smallest space that holds it or, where there is none, where the blocks in its way
 * have the least grudges; those are pushed out into the pool. A block that had to push gains grudge, so
 * that it is not pushed out again so easily. An empty pool is a layout no higher than the target.
 *
 * Internal to this folder. */
#ifndef SW_PLANNERS_REPAIR_H
#define SW_PLANNERS_REPAIR_H

#include "planners/planner.h"

struct sw_repair;

/* For the blocks of `tier` as run->layout places them; all of the problem must be placed. NULL with an
 * error for lack of memory. `seed` starts its draws. O(n log n). */
struct sw_repair *sw_repair_new(struct sw_run *, uint32_t tier, uint64_t seed);
extern const struct sw_described sw_repair_described;

uint32_t sw_repair_tier(const struct sw_repair *);
uint32_t sw_repair_count(const struct sw_repair *); /* blocks in the tier */
uint64_t sw_repair_peak(const struct sw_repair *);  /* of the best layout known, that of run->layout */
uint64_t sw_repair_least(const struct sw_repair *); /* no layout it could find is lower */
uint64_t sw_repair_grain(const struct sw_repair *); /* all sizes are multiples of it */
uint64_t sw_repair_target(const struct sw_repair *);
uint32_t sw_repair_pool(const struct sw_repair *); /* blocks without a place in this attempt */

/* Begin an attempt: every block above `target` goes into the pool. `sharpness`: a grudge grows by
 * 1 / 2^sharpness of itself. target must be at least the least and below the peak. O(n). */
void sw_repair_begin(struct sw_repair *, struct sw_run *, uint64_t target, unsigned sharpness);

/* The same, but with every block taken out: all are placed anew in turns, each into the smallest space that holds
 * it; what finds none waits in the pool. Level by level, the large ones first, the pool is emptied before the next
 * level begins. With all levels at once, those of the busiest times first, the attempt is STUCK when the pool becomes
 * large. */
enum sw_repair_kind {
    SW_REPAIR_ALL_AT_ONCE,
    SW_REPAIR_BY_AREA,     /* level by level, within one by area */
    SW_REPAIR_BY_BUSINESS, /* or by the most live bytes at a step of their lives */
    SW_REPAIR_KINDS
};
bool sw_repair_begin_afresh(struct sw_repair *, struct sw_run *, uint64_t target, unsigned sharpness,
                            enum sw_repair_kind);
/* Go on with an attempt that was begun afresh, below a higher target, which must be below the peak. */
void sw_repair_raise(struct sw_repair *, uint64_t target);

enum sw_repaired {
    SW_REPAIR_MORE,  /* `slice` is spent */
    SW_REPAIR_DONE,  /* the pool is empty */
    SW_REPAIR_STUCK, /* a block can lie nowhere below the target; see also above */
    SW_REPAIR_MEMORY /* no memory; the repair can only be freed */
};
/* Put blocks back until `slice` units of work are spent, counted in run->work. `inserted` and `ejected`
 * count; `progress` says whether the pool became smaller than ever in this attempt. Explains each insertion. */
enum sw_repaired sw_repair_go(struct sw_repair *, struct sw_run *, uint64_t slice, uint32_t *inserted,
                              uint32_t *ejected, bool *progress);
/* After DONE: write what moved into run->layout, which becomes the best layout known. */
bool sw_repair_commit(struct sw_repair *, struct sw_run *);
/* Give the attempt up: everything goes back to where run->layout has it. */
void sw_repair_abandon(struct sw_repair *);

#endif
