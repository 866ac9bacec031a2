/* Placed blocks, filed by lifetime. The search for free spaces asks for those alive in a span of steps.
 *
 * Blocks are filed by the length of their lives, in levels of powers of two, and within level j by first step,
 * in drawers of 2^j steps. A block of level j lives less than two drawers' worth of steps, so all that meet
 * the steps [a, b] stand in the drawers from (a - 2^(j+1) + 1) / 2^j to b / 2^j. About half of the entries
 * visited are alive in [a, b], they are adjacent in memory, and blocks that are not placed cost nothing.
 *
 * Only for simple problems (sw_problem_simple), where a block is one rectangle of time and bytes. It follows a
 * layout (follow.h). Scratch: it belongs to a struct sw_gaps. Internal to the engine. */
#ifndef SW_LAYOUT_NEAR_H
#define SW_LAYOUT_NEAR_H

#include "base/mem.h"
#include "layout/free/follow.h"

struct sw_near_block {
    uint32_t first, last; /* steps, both inside */
    uint32_t buffer, tier;
    uint64_t lo, hi; /* bytes */
};
struct sw_near_level {
    uint32_t first_drawer; /* in `drawers`; its drawers follow one another */
    uint32_t count;        /* how many drawers; 0: no buffer has such a life */
};
struct sw_near_drawer {
    uint32_t begin; /* in `blocks`; there is room for all that can come */
    uint32_t count; /* filed so far */
};
enum { SW_NEAR_LEVELS = 32 };

struct sw_near {
    struct sw_follow follow;
    struct sw_near_level levels[SW_NEAR_LEVELS];
    SW_ARRAY(struct sw_near_drawer) drawers;
    SW_ARRAY(struct sw_near_block) blocks;
};

/* Is everything that the layout holds filed? See sw_follow_ready. */
bool sw_near_ready(struct sw_near *, const struct sw_layout *, uint32_t buffer);
void sw_near_done(struct sw_near *);

#endif
