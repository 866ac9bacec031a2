/* What the layout of a run costs. */
#include "layout/cost.h"
#include "search/search.h"

#include <math.h>

/* With a cost model of the user, the layout of any planner has a cost. */
bool sw_search_cost(const struct sw_search *search, double *cost, struct sw_error *error) {
    const struct sw_cost_model *model = sw_search_params(search)->cost;
    const struct sw_layout *layout = sw_search_layout(search);
    struct sw_claims claims;
    struct sw_metrics metrics;
    sw_search_claims(search, &claims);
    sw_metrics_of(layout, &metrics);
    *cost = claims.cost;
    bool wanted = model || claims.priced || !isnan(claims.cost);
    if (wanted && metrics.complete && !claims.no_addresses &&
        sw_cost_known(sw_layout_problem(layout), model)) {
        return sw_cost_of_layout(layout, model, cost, error);
    }
    return true;
}
