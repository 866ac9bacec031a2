/* What a layout costs to run. See cost.h.
 *
 * Everything is a sum of accesses, always taken in the same order: buffers as listed, the accesses
 * of each as they stand, then the transfers. So equal layouts have the same cost to the last bit.
 */
#include "layout/cost.h"
#include "base/base.h"

double sw_cost_of_access(const struct sw_problem *problem, uint32_t tier, uint64_t bytes) {
    const struct sw_tier *t = sw_problem_tier(problem, tier);
    double cycles = t->latency;
    if (t->bandwidth > 0) {
        cycles += (double)bytes / t->bandwidth;
    }
    return cycles * (1 + t->conflict);
}

/* ---- one access, by the model or by the rule ---- */

static bool is_finite_cost(const struct sw_cost_model *model, double cost, struct sw_error *error) {
    return isfinite(cost) ||
           sw_fail(error, SW_ERROR_USAGE, "the cost model %s gives a cost that is not a finite number",
                   model->name ? model->name : "of the user");
}

bool sw_cost_of_one(const struct sw_problem *problem, const struct sw_cost_model *model, uint32_t buffer, uint32_t step,
                    uint32_t tier, double *cost, struct sw_error *error) {
    uint64_t bytes = sw_problem_buffer(problem, buffer)->size;
    if (!model || !model->access) {
        *cost = sw_cost_of_access(problem, tier, bytes);
        return true;
    }
    return model->access(model->context, problem, buffer, step, tier, bytes, cost, error) &&
           is_finite_cost(model, *cost, error);
}

/* Where a sum goes: in all, and, where wanted, per step, per tier, and per both. */
struct sums {
    double total;
    double *by_step, *by_tier, *grid;
};

static bool add_access(const struct sw_problem *problem, const struct sw_cost_model *model, uint32_t buffer,
                       uint32_t step, uint32_t tier, struct sums *sums, struct sw_error *error) {
    double cost;
    if (!sw_cost_of_one(problem, model, buffer, step, tier, &cost, error)) {
        return false;
    }
    sums->total += cost;
    if (sums->by_step && step < sw_problem_steps(problem)) {
        sums->by_step[step] += cost;
    }
    if (sums->by_tier) {
        sums->by_tier[tier] += cost;
    }
    if (sums->grid && step < sw_problem_steps(problem)) {
        sums->grid[(size_t)step * sw_problem_tier_count(problem) + tier] += cost;
    }
    return true;
}

static bool cost_placement(const struct sw_problem *problem, const struct sw_placement *placement,
                           const struct sw_cost_model *model, struct sums *sums, struct sw_error *error) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, placement->buffer);
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        uint32_t step = buffer->accesses[i];
        if (step >= placement->span.from && step <= placement->span.to &&
            !add_access(problem, model, placement->buffer, step, placement->tier, sums, error)) {
            return false;
        }
    }
    return true;
}

/* ---- sums ---- */

bool sw_cost_of_placement(const struct sw_problem *problem, const struct sw_placement *placement,
                          const struct sw_cost_model *model, double *cost, struct sw_error *error) {
    struct sums sums = {0};
    if (!cost_placement(problem, placement, model, &sums, error)) {
        return false;
    }
    *cost = sums.total;
    return true;
}

/* Every access and every transfer: one read at its source and one write at its target. What happens
 * in host memory (SW_NONE) has no rate and counts nothing. */
static bool add_layout(const struct sw_layout *layout, const struct sw_cost_model *model, struct sums *sums,
                       struct sw_error *error) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement at;
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at); k++) {
            if (!cost_placement(problem, &at, model, sums, error)) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < sw_layout_transfer_count(layout); i++) {
        struct sw_transfer t = sw_layout_transfer_get(layout, i);
        if ((t.from != SW_NONE && !add_access(problem, model, t.buffer, t.step, t.from, sums, error)) ||
            (t.to != SW_NONE && !add_access(problem, model, t.buffer, t.step, t.to, sums, error))) {
            return false;
        }
    }
    return true;
}

bool sw_cost_of_layout(const struct sw_layout *layout, const struct sw_cost_model *model, double *cost,
                       struct sw_error *error) {
    struct sums sums = {0};
    if (model && model->whole) {
        double whole = 0;
        if (!model->whole(model->context, layout, &whole, error) || !is_finite_cost(model, whole, error)) {
            return false;
        }
        *cost = whole;
        return true;
    }
    if (!add_layout(layout, model, &sums, error)) {
        return false;
    }
    *cost = sums.total;
    return true;
}

bool sw_cost_by_step(const struct sw_layout *layout, const struct sw_cost_model *model, double *by_step,
                     double *by_tier, struct sw_error *error) {
    struct sums sums = {.by_step = by_step, .by_tier = by_tier};
    uint32_t steps = sw_problem_steps(sw_layout_problem(layout));
    for (uint32_t i = 0; by_step && i < steps; i++) {
        by_step[i] = 0;
    }
    for (uint32_t t = 0; by_tier && t < SW_MAX_TIERS; t++) {
        by_tier[t] = 0;
    }
    return add_layout(layout, model, &sums, error);
}

bool sw_cost_by_step_and_tier(const struct sw_layout *layout, const struct sw_cost_model *model, double *grid,
                              double *total, struct sw_error *error) {
    struct sums sums = {.grid = grid};
    const struct sw_problem *problem = sw_layout_problem(layout);
    size_t count = (size_t)sw_problem_steps(problem) * sw_problem_tier_count(problem);
    for (size_t i = 0; i < count; i++) {
        grid[i] = 0;
    }
    if (!add_layout(layout, model, &sums, error)) {
        return false;
    }
    if (total) {
        *total = sums.total;
    }
    return true;
}

/* ---- the bound ---- */

bool sw_cost_known(const struct sw_problem *problem, const struct sw_cost_model *model) {
    bool rates = model != NULL;
    if (model && model->whole) {
        return true; /* it looks at layouts, whatever is known of accesses */
    }
    for (uint32_t t = 0; !rates && t < sw_problem_tier_count(problem); t++) {
        const struct sw_tier *tier = sw_problem_tier(problem, t);
        rates = tier->bandwidth > 0 || tier->latency > 0;
    }
    return rates && sw_problem_accesses_known(problem);
}

/* The cheapest tier for one access; 0 when no tier could hold the buffer, since then no layout
 * exists and every number is a bound. */
static bool least_access(const struct sw_problem *problem, const struct sw_cost_model *model, uint32_t buffer,
                         uint32_t step, double *least, struct sw_error *error) {
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    bool found = false;
    *least = 0;
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        bool allowed = b->tier != SW_NONE ? b->tier == t : b->tiers >> t & 1;
        double cost;
        if (!allowed || sw_problem_tier(problem, t)->capacity < b->size) {
            continue;
        }
        if (!sw_cost_of_one(problem, model, buffer, step, t, &cost, error)) {
            return false;
        }
        *least = !found || cost < *least ? cost : *least;
        found = true;
    }
    return true;
}

/* Add what one buffer costs at least. */
static bool add_least(const struct sw_problem *problem, const struct sw_cost_model *model, uint32_t buffer,
                      double *total, struct sw_error *error) {
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    for (uint32_t i = 0; b->planned && i < b->access_count; i++) {
        double least;
        if (!least_access(problem, model, buffer, b->accesses[i], &least, error)) {
            return false;
        }
        *total += least;
    }
    return true;
}

bool sw_cost_bound_of_buffer(const struct sw_problem *problem, const struct sw_cost_model *model, uint32_t buffer,
                             double *cost, struct sw_error *error) {
    double total = 0;
    bool good = add_least(problem, model, buffer, &total, error);
    *cost = good ? total : *cost;
    return good;
}

bool sw_cost_bound(const struct sw_problem *problem, const struct sw_cost_model *model, double *cost,
                   struct sw_error *error) {
    double total = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        if (!add_least(problem, model, b, &total, error)) {
            return false;
        }
    }
    *cost = model && model->whole ? (double)NAN : total;
    return true;
}
