/* What the layout of a run costs, and what its planner minimizes. */
#include "layout/cost.h"
#include "search/search.h"

#include <math.h>

bool sw_search_cost(const struct sw_search *search, double *cost, struct sw_error *error) {
    const struct sw_cost_model *model = sw_search_params(search)->cost;
    const struct sw_layout *layout = sw_search_layout(search);
    struct sw_claims claims;
    struct sw_metrics metrics;
    sw_search_claims(search, &claims);
    sw_metrics_of(layout, &metrics);
    bool known = sw_cost_known(sw_layout_problem(layout), model);
    *cost = known ? claims.cost : (double)NAN;
    return !known || !metrics.complete || claims.no_addresses || sw_cost_of_layout(layout, model, cost, error);
}

bool sw_search_objective(const struct sw_search *search, struct sw_objective *objective, struct sw_error *error) {
    struct sw_claims claims;
    struct sw_metrics metrics;
    double cost;
    sw_search_claims(search, &claims);
    sw_metrics_of(sw_search_layout(search), &metrics);
    if (!sw_search_cost(search, &cost, error)) {
        return false;
    }
    bool priced = claims.priced && !isnan(cost);
    *objective = (struct sw_objective){.kind = priced                 ? SW_OBJECTIVE_COST
                                               : claims.has_migration ? SW_OBJECTIVE_MOVED
                                                                      : SW_OBJECTIVE_PEAK,
                                       .cost = priced ? cost : 0,
                                       .moved = claims.has_migration ? claims.migration_bytes : 0};
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        objective->peak[t] = metrics.tier_peak[t];
    }
    return true;
}

bool sw_objective_is_less(const struct sw_objective *a, const struct sw_objective *b) {
    if (a->cost < b->cost || a->cost > b->cost) {
        return a->cost < b->cost;
    }
    if (a->kind == SW_OBJECTIVE_MOVED && a->moved != b->moved) {
        return a->moved < b->moved;
    }
    for (uint32_t t = SW_MAX_TIERS; t-- > 0;) {
        if (a->peak[t] != b->peak[t]) {
            return a->peak[t] < b->peak[t];
        }
    }
    return false;
}
