#include "cli/shared/rivals.h"
#include "cli/shared/run.h"
#include "cli/subcommands/compare.h"
#include "planners/planner.h"
#include "problem/requests.h"

#include <string.h>

bool sw_rival_wanted(const struct sw_planner *planner, const struct sw_problem *problem) {
    bool requests = sw_problem_told_requests(problem) != NULL;
    bool part = (planner->reorders && strcmp(planner->name, "order") != 0) || planner->rewrites;
    return planner->reserves == requests && !part && sw_planner_applies(planner, problem, NULL);
}

bool sw_rival_of(struct sw_search *search, const struct sw_result *result, const struct sw_problem *problem,
                 struct sw_rival *rival, struct sw_error *error) {
    struct sw_figures figures;
    enum sw_outcome outcome = sw_cli_outcome(result);
    if (!sw_figures_of(search, &figures, error)) {
        return false;
    }
    rival->known = outcome == SW_OUTCOME_FEASIBLE && figures.metrics.comparable && figures.metrics.single_tier &&
                   !figures.claims.no_addresses && !figures.broken;
    rival->peak = figures.metrics.peak;
    rival->unfit = outcome == SW_OUTCOME_INFEASIBLE && figures.metrics.complete && figures.metrics.single_tier;
    rival->several = outcome == SW_OUTCOME_FEASIBLE && !figures.metrics.single_tier && !figures.broken;
    rival->cost = figures.cost;
    memcpy(rival->tier_peak, figures.metrics.tier_peak, sizeof rival->tier_peak);
    rival->optimal = rival->known && result->optimal;
    rival->stopped = result->stopped_at > 0;
    rival->bound = sw_problem_lower_bound(sw_search_problem(search));
    rival->beside = (!rival->planner->reorders && rival->bound != sw_problem_lower_bound(problem)) ||
                    figures.below == SW_BELOW_ASSUMED || figures.below == SW_BELOW_WRONG;
    snprintf(rival->why, sizeof rival->why, "%s",
             rival->known                       ? ""
             : outcome == SW_OUTCOME_INFEASIBLE ? "infeasible"
             : outcome != SW_OUTCOME_FEASIBLE   ? "undecided"
             : figures.broken                   ? "its plan breaks a rule"
                                                : "no single peak");
    return true;
}

bool sw_rival_run(const struct sw_cli *cli, const struct sw_problem *problem, const struct sw_planner *planner,
                  const struct sw_params *from, struct sw_rival *rival, struct sw_error *error) {
    struct sw_params params = {0};
    struct sw_result result;
    struct sw_error why = {0};
    struct sw_search *search = NULL;
    *rival = (struct sw_rival){.planner = planner};
    if (sw_compare_settings(&params, from, planner, &why)) {
        search = sw_search_new(problem, planner, &params, &why);
    }
    if (search) {
        sw_search_only_end(search);
    }
    if (!search || !sw_cli_complete(cli, search, &result, &why) ||
        !sw_rival_of(search, &result, problem, rival, &why)) {
        snprintf(rival->why, sizeof rival->why, "%s", why.message);
    }
    sw_search_free(search);
    sw_params_done(&params);
    return why.code != SW_ERROR_MEMORY || sw_fail_memory(error);
}
