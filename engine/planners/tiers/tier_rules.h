/* Choices of tier-search that are made outside, by scripts, where the method leaves them open: in which order the free
 * places of a block are tried (in place of rules R1, R2, R4 and R5), and where segments begin. Each may be missing: the
 * planner has its own.
 *
 * Rules are pure: what they answer follows from their arguments. Planning anew stops where nothing that a block could
 * see has changed, so a rule sees what is free and nothing else. */
#ifndef SW_TIERS_TIER_RULES_H
#define SW_TIERS_TIER_RULES_H

#include "base/error.h"
#include "problem/problem.h"

SW_C_BEGIN

/* A free place: one end of a free space that the block fits into. */
struct sw_tier_place {
    uint64_t offset;       /* where the block would begin */
    uint64_t lo, hi;       /* the free space; hi = SW_UNBOUNDED: it has no end */
    uint32_t tier;         /* where it is */
    uint32_t below, above; /* the buffers beside the free space; SW_NONE: a boundary */
    bool high;             /* the high end of it */
    uint64_t dies;         /* the last step of what it touches there (R5); UINT64_MAX: a boundary */
};
struct sw_tier_question {
    const struct sw_problem *problem;
    uint32_t buffer;
    uint32_t given;                     /* the tier where R1 begins; of an action 0 */
    const struct sw_tier_place *places; /* in the order of the built-in rules; at least one */
    uint32_t count;
};
/* In which order: `ranking`, of `count`, comes as 0, 1, 2 ... and becomes another permutation. `why` is good as long as
 * the rules; NULL: the built-in order holds. False: the error says why there is no answer. */
typedef bool sw_rank_places(void *context, const struct sw_tier_question *, uint32_t *ranking, const char **why,
                            struct sw_error *);
/* The steps at which segments begin after the first one, ascending, from 1: up to `steps` of them. SW_NONE as their
 * count: the planner has its own. */
typedef bool sw_cut_segments(void *context, const struct sw_problem *, uint32_t *starts, uint32_t *count,
                             struct sw_error *);
struct sw_tier_rules {
    const char *name;
    void *context;
    sw_rank_places *places;      /* NULL */
    sw_cut_segments *boundaries; /* NULL */
};

SW_C_END

#endif
