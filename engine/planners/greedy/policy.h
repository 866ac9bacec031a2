/* Choices of planners that are made outside, by scripts, where the method leaves them open: which free block
 * lifetime-best-fit takes, and which it enlarges. Each may be missing: the planner has its own.
 *
 * A policy is pure: what it answers follows from its arguments. It is asked about blocks of which each can be taken;
 * a number that is none of them ends the run with an error. */
#ifndef SW_GREEDY_POLICY_H
#define SW_GREEDY_POLICY_H

#include "base/error.h"
#include "problem/problem.h"

SW_C_BEGIN

/* A free block of the tier, as the buffer at hand sees it. */
struct sw_free_block {
    uint64_t offset, size;
    uint64_t start;        /* where the buffer would begin in it */
    uint64_t delta;        /* by how much the arena grows when it is enlarged; 0: the buffer fits */
    uint32_t below, above; /* its neighbors; SW_NONE */
};
struct sw_free_choice {
    const struct sw_problem *problem;
    uint32_t buffer, tier;
    uint64_t arena;                     /* next_offset of the tier */
    const struct sw_free_block *blocks; /* by offset; at least one */
    uint32_t count;
};

/* Which of them: a number from 0, or SW_NONE: what the planner would take. `why` is good as long as the policy, or
 * NULL. False: the error says why there is no answer. */
typedef bool sw_choose_free(void *context, const struct sw_free_choice *, uint32_t *chosen, const char **why,
                            struct sw_error *);
struct sw_policy {
    const char *name;
    void *context;
    sw_choose_free *fit;  /* of the blocks that the buffer fits into; NULL */
    sw_choose_free *grow; /* of the blocks that can be enlarged for it, when it fits into none; NULL */
};

SW_C_END

#endif
