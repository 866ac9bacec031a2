/* What a layout costs at each step in each tier. See view.h. */
#include "base/base.h"
#include "view/view_internal.h"

static bool new_grid(struct sw_costs *costs, uint32_t columns) {
    costs->columns = columns;
    costs->grid = SW_NEW_ZERO(double, (size_t)costs->steps *columns);
    return costs->grid || (size_t)costs->steps * columns == 0;
}

/* Bytes moved, at the step before which they move, in the tier to which they go. */
static bool count_moved_bytes(struct sw_costs *costs, const struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t tiers = sw_problem_tier_count(problem);
    costs->kind = sw_layout_transfer_count(layout) ? SW_COSTS_MOVED : SW_COSTS_NONE;
    if (costs->kind == SW_COSTS_NONE) {
        return true;
    }
    if (!new_grid(costs, tiers + 1)) {
        return false;
    }
    for (size_t i = 0; i < sw_layout_transfer_count(layout); i++) {
        struct sw_transfer t = sw_layout_transfer_get(layout, i);
        double bytes = (double)sw_problem_buffer(problem, t.buffer)->size;
        if (t.step < costs->steps) {
            costs->grid[(size_t)t.step * costs->columns + (t.to == SW_NONE ? tiers : t.to)] += bytes;
        }
        costs->total += bytes;
    }
    return true;
}

static bool price(struct sw_costs *costs, const struct sw_layout *layout, const struct sw_cost_model *model,
                  struct sw_error *error) {
    costs->kind = SW_COSTS_PRICED;
    costs->whole = model && model->whole;
    if (!new_grid(costs, sw_problem_tier_count(sw_layout_problem(layout)))) {
        return sw_fail_memory(error);
    }
    return sw_cost_by_step_and_tier(layout, model, costs->grid, &costs->total, error) &&
           (!costs->whole || sw_cost_of_layout(layout, model, &costs->total, error));
}

static void add_up_costs(struct sw_costs *costs) {
    costs->most = -1;
    for (uint32_t step = 0; step < costs->steps; step++) {
        double sum = 0;
        for (uint32_t c = 0; c < costs->columns; c++) {
            double value = costs->grid[(size_t)step * costs->columns + c];
            costs->by_column[c] += value;
            sum += value;
        }
        costs->parts += sum;
        if (sum > costs->most) {
            costs->most = sum;
            costs->dearest = step;
        }
    }
    costs->most = SW_MAX(costs->most, 0);
}

static bool reckon(struct sw_costs *costs, const struct sw_search *search, struct sw_error *error) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_cost_model *model = sw_search_params(search)->cost;
    if (sw_cost_known(problem, model) && sw_problem_accesses_known(problem)) {
        return price(costs, sw_search_layout(search), model, error);
    }
    return count_moved_bytes(costs, sw_search_layout(search)) || sw_fail_memory(error);
}

bool sw_costs_of(const struct sw_search *search, struct sw_costs *costs) {
    struct sw_error error = {0};
    sw_costs_done(costs);
    costs->steps = sw_problem_steps(sw_search_problem(search));
    if (reckon(costs, search, &error)) {
        if (costs->grid) {
            add_up_costs(costs);
        }
        return true;
    }
    sw_costs_done(costs);
    snprintf(costs->fault, sizeof costs->fault, "%.199s", error.message);
    return error.code != SW_ERROR_MEMORY;
}

void sw_costs_done(struct sw_costs *costs) {
    SW_FREE(costs->grid, (size_t)costs->steps * costs->columns);
    *costs = (struct sw_costs){0};
}
