/* What a layout costs to run: the cost function E of tier-search.
 *
 * E = sum over steps, over every read and write of a buffer at that step, of
 * (latency of its tier + size / bandwidth of its tier) x (1 + conflict factor of its tier), plus, for each
 * transfer, one read at its source and one write at its target. A tier without a bandwidth costs its
 * latency alone. A cost model replaces the rule for an access, or the whole. */
#ifndef SW_LAYOUT_COST_H
#define SW_LAYOUT_COST_H

#include "layout/layout.h"

SW_C_BEGIN

/* What memory traffic costs. Borrowed: must outlive every search that uses it. Pure: the same arguments
 * give the same figure. `failed` of the error stops the run with the message. */
struct sw_cost_model {
    const char *name;
    void *context;
    /* One read or write of `bytes` bytes of a buffer in a tier at a step; NULL: the built-in rule,
     * (latency + bytes / bandwidth) x (1 + conflict factor). */
    bool (*access)(void *context, const struct sw_problem *, uint32_t buffer, uint32_t step, uint32_t tier,
                   uint64_t bytes, double *cost, struct sw_error *);
    /* Instead of a sum over accesses: the cost of a whole layout; NULL: the sum. */
    bool (*whole)(void *context, const struct sw_layout *, double *cost, struct sw_error *);
};

/* One access by the built-in rule. O(1). */
double sw_cost_of_access(const struct sw_problem *, uint32_t tier, uint64_t bytes);
/* One access, by the model where there is one. */
bool sw_cost_of_one(const struct sw_problem *, const struct sw_cost_model *, uint32_t buffer, uint32_t step,
                    uint32_t tier, double *cost, struct sw_error *);
/* The accesses of one buffer at one placement (those inside its span), transfers left out; model may be
 * NULL. O(accesses). */
bool sw_cost_of_placement(const struct sw_problem *, const struct sw_placement *, const struct sw_cost_model *,
                          double *cost, struct sw_error *);
/* E of a layout; buffers without a place count nothing. O(n + accesses + transfers). */
bool sw_cost_of_layout(const struct sw_layout *, const struct sw_cost_model *, double *cost, struct sw_error *);
/* E per step: `steps` values, and per tier: SW_MAX_TIERS values; either may be NULL. A model that prices
 * whole layouts has no parts: then these are the parts by its rule for an access, or by the built-in one. */
bool sw_cost_by_step(const struct sw_layout *, const struct sw_cost_model *, double *by_step, double *by_tier,
                     struct sw_error *);
/* The same for every step and tier: `steps` times the number of tiers values, step after step. `total`
 * (NULL is allowed) is their sum, taken as sw_cost_of_layout takes it. */
bool sw_cost_by_step_and_tier(const struct sw_layout *, const struct sw_cost_model *, double *grid, double *total,
                              struct sw_error *);
/* Does the problem say anything about cost: a model, or a tier with a bandwidth or a latency, and when
 * buffers are accessed? Without that E is 0 or unknown. */
bool sw_cost_known(const struct sw_problem *, const struct sw_cost_model *);
/* No layout costs less: every access at the fastest tier that could hold the buffer (allowed, and at
 * least as large), capacity shared with others ignored. NaN for a model that prices whole layouts, of
 * which nothing is known. */
bool sw_cost_bound(const struct sw_problem *, const struct sw_cost_model *, double *cost, struct sw_error *);
/* The part of one buffer in that sum: the proof of it. */
bool sw_cost_bound_of_buffer(const struct sw_problem *, const struct sw_cost_model *, uint32_t buffer, double *cost,
                             struct sw_error *);

SW_C_END

#endif
