/* Turning an order into a layout by first fit: what order-genetic and random-order do thousands of
 * times.
 *
 * An order is a permutation of *places*: struct sw_rank, 0 .. count-1, which stand for the planned buffers in
 * program order. Decoding takes them one after another and puts each at the lowest offset where its
 * pre-allocated space (its size rounded up to its alignment) overlaps no buffer placed already that
 * conflicts with it. Pinned buffers lie at their pins before the first one is placed. In several
 * tiers the highest one in which the buffer fits below the capacity is taken; failing all, the last
 * one, above its capacity.
 *
 * There are two ways to do it that give the same answer wherever both are possible. The fast one
 * needs a single tier, whole buffers, and alignments that are all the same or all powers of two.
 * A block that is placed lifts those it conflicts with, so that the place of a buffer is mostly known
 * when its turn comes (decode_fast.c). Pins, reserved and forbidden ranges are blocks that
 * stand there from the beginning. The general way asks the problem for obstacles, and knows byte
 * windows, permits and tiers; it also explains.
 *
 * A decoder belongs to (problem, rules). It is shared by count between all clones of a state, as is
 * its scratch memory, so all of them stay in one thread. The last result stays in it until the next
 * decode. */
#ifndef SW_PLANNERS_DECODE_H
#define SW_PLANNERS_DECODE_H

#include "planners/planner_internal.h"

struct sw_decoder;

/* Checks the pins in force: NULL with SW_ERROR_INFEASIBLE when they cannot all be kept, with SW_ERROR_UNSUPPORTED when
 * the general way would have to look at too many pairs of buffers in conflict. O(n^2 / 64) memory up to some 20,000
 * buffers, O(n) above. */
struct sw_decoder *sw_decoder_new(const struct sw_run *);
void sw_decoder_unref(struct sw_decoder *); /* NULL is allowed */
extern const struct sw_pointed sw_decoder_pointed;
uint32_t sw_decoder_count(const struct sw_decoder *);
uint32_t sw_decoder_tier_count(const struct sw_decoder *);
/* Does it have the fast way? And give it up, for tests that compare the two. */
bool sw_decoder_fast(const struct sw_decoder *);
void sw_decoder_slow_down(struct sw_decoder *);
/* Units of work of one decode: fixed, so that it does not depend on the way. */
uint64_t sw_decoder_work(const struct sw_decoder *);
/* So much work takes some seconds: where the user gives no budget, that is the one. */
uint64_t sw_decoder_budget(const struct sw_decoder *);
/* ... and so much some ten seconds. */
uint64_t sw_decoder_long_budget(const struct sw_decoder *);
/* Pairs of buffers in conflict. */
uint64_t sw_decoder_conflicts(const struct sw_decoder *);

/* What a layout needs. */
struct sw_need {
    uint64_t above; /* bytes above capacities, over all tiers */
    uint64_t peak;  /* the arena; with several tiers the largest */
    uint64_t arena[SW_MAX_TIERS];
};

/* First fit in this order. False: no memory. O(n * neighbors), in an unlucky order with each of
 * them looked at several times. */
bool sw_decode(struct sw_decoder *, const struct sw_rank *order);
/* The last result: where a place lies, and what all of it needs. */
uint64_t sw_decoder_offset(const struct sw_decoder *, struct sw_rank place);
void sw_decoder_need(const struct sw_decoder *, struct sw_need *);

/* The places by (tier, start address) of the last result, ties as in `order`: the block sequence.
 */
void sw_decoder_sort(struct sw_decoder *, const struct sw_rank *order, struct sw_rank *sequence);
/* How many neighbors of a sequence do; which, by place in the sequence, goes to `reuse`. */
uint32_t sw_decoder_continuity(const struct sw_decoder *, const struct sw_rank *sequence, bool *reuse);

/* Which places of a sequence end where the last result ends: at the arena of the lowest tier in use. */
void sw_decoder_high(const struct sw_decoder *, const struct sw_rank *sequence, bool *high);
/* Are two places in conflict? */
bool sw_decoder_conflict(const struct sw_decoder *, struct sw_rank, struct sw_rank);
/* Are they known to be interchangeable: of the same size, and in conflict with the same others? */
bool sw_decoder_alike(const struct sw_decoder *, struct sw_rank, struct sw_rank);
/* Its size times the bytes of all that it is in conflict with. */
double sw_decoder_weight(const struct sw_decoder *, struct sw_rank);

/* Make run->layout that of the last result. */
bool sw_decoder_show(const struct sw_decoder *, struct sw_run *);
/* The same for an order that was decoded before, by the decision `made` (0: by none): the blocks are that one's. */
bool sw_decoder_show_best(const struct sw_decoder *, struct sw_run *, uint64_t made);
/* Explain decoding this order: for each placement the spaces refused, then the one chosen. */
bool sw_decoder_explain(struct sw_decoder *, const struct sw_run *, const struct sw_rank *order);

#endif
