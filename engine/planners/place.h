/* Placing one block by a rule: what all planners that look for gaps have in common.
 *
 * sw_place_by tries the tiers a block may live in from high to low; in each it lists the free spaces
 * (layout/free/gaps.h), lets the rule pick one, and places the block at its low end. It obeys pins and the
 * user's choice of a candidate, explains every space it saw, and fills the decision. When nothing fits
 * below any capacity the block goes above the highest block of its last tier: the layout then does not
 * fit, which sw_metrics_of reports, but stays complete, so that a user can see by how much. */
#ifndef SW_PLANNERS_PLACE_H
#define SW_PLANNERS_PLACE_H

#include "planners/planner.h"

/* The name of a buffer cut to what fits a sentence, at a character's edge. */
#define SW_SHORT_NAME 48
const char *sw_place_name(const struct sw_problem *, uint32_t buffer, char text[SW_SHORT_NAME]);

enum sw_place_rule {
    SW_PLACE_LOWEST,       /* the lowest space that fits */
    SW_PLACE_SMALLEST_GAP, /* the smallest closed gap between blocks that fits, ties lowest; else above */
    SW_PLACE_IN_ARENA,     /* the smallest space inside the present arena, ties lowest; else extend it */
    SW_PLACE_ROUNDED,      /* the lowest space that fits; sizes count rounded up to SW_PLACE_GRAIN */
};

/* SW_PLACE_ROUNDED: every block takes a whole number of grains, so it begins on one, too. */
#define SW_PLACE_GRAIN UINT64_C(16)

/* Place `buffer`, which is not placed yet. SW_STEP_MORE and a filled decision, or SW_STEP_FAILED. */
enum sw_step sw_place_by(struct sw_run *, enum sw_place_rule, uint32_t buffer, struct sw_decision *);

/* The same, with the same result, by rule SW_PLACE_LOWEST or SW_PLACE_IN_ARENA, where all that comes before the
 * buffer in program order is placed, and nothing that comes after it. O(log n) in the usual case. */
enum sw_step sw_place_next(struct sw_run *, enum sw_place_rule, uint32_t buffer, struct sw_decision *);

/* A place that a planner outside of the engine proposes: propose.c. */
struct sw_proposal {
    uint32_t buffer, tier;
    uint64_t offset;
    bool legal;       /* the judgement ... */
    char reason[400]; /* ... and, when it is not, why: a sentence */
};
/* Free of every conflicting block, allowed, aligned, as pins and forbidden ranges demand? A tier's capacity is
 * not looked at: a layout that does not fit is complete, too. False: no memory. O(k log k), k = neighbors. */
bool sw_propose_judge(struct sw_run *, struct sw_proposal *);
/* Place a legal one, and fill a decision of kind place. False: no memory. */
bool sw_propose_take(struct sw_run *, const struct sw_proposal *, struct sw_decision *);

#endif
