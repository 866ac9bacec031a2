/* Every figure that is told of a run. See figures.h. */
#include "search/result/figures.h"
#include "search/broken.h"

bool sw_figures_of(const struct sw_search *search, struct sw_figures *figures, struct sw_error *error) {
    struct sw_figures f = {.decisions = sw_search_known(search)};
    size_t faults = 0;
    sw_metrics_of(sw_search_layout(search), &f.metrics);
    sw_search_claims(search, &f.claims);
    if (!sw_search_cost(search, &f.cost, error)) {
        return false;
    }
    if (!sw_search_broken(search, &faults, NULL) || !sw_search_below(search, &f.below)) {
        return sw_fail_memory(error);
    }
    const struct sw_metrics *m = &f.metrics;
    f.ended = sw_search_complete(search) && !sw_search_failed(search, NULL) &&
              sw_search_at(search) == sw_search_known(search);
    f.broken = faults > 0 || f.below == SW_BELOW_WRONG;
    f.placed = m->complete && !f.claims.no_addresses;
    /* A peak that was bought with migration proves nothing by meeting the bound. */
    f.at_bound = f.ended && m->complete && m->fits && !f.broken && m->single_tier && !f.claims.has_migration &&
                 !f.claims.over_orders && m->peak == m->lower_bound;
    f.optimal = f.at_bound || (m->complete && m->fits && !f.broken && f.claims.optimal);
    *figures = f;
    return true;
}
