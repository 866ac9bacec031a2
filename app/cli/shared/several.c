/* The parameters of one of several planners. */
#include "cli/subcommands/compare.h"
#include "planners/planner.h"

#include <string.h>

bool sw_compare_has_parameter(const struct sw_planner *planner, const char *key) {
    bool has = false;
    for (const struct sw_parameter *p = planner->parameters; p && p->name; p++) {
        has |= strcmp(p->name, key) == 0;
    }
    return has;
}

bool sw_compare_settings(struct sw_params *to, const struct sw_params *from, const struct sw_planner *planner,
                         struct sw_error *error) {
    *to = (struct sw_params){.seed = from->seed,
                             .work = from->work,
                             .cost = from->cost,
                             .actions = from->actions,
                             .action_count = from->action_count,
                             .breeding = from->breeding,
                             .policy = from->policy,
                             .tier_rules = from->tier_rules};
    if (planner->settle && !planner->budgets && to->work == 0) {
        to->work = SW_PROOF_WORK;
    }
    bool good = true;
    for (size_t i = 0; good && i < from->settings.count; i++) {
        const struct sw_setting *setting = &from->settings.items[i];
        good =
            !sw_compare_has_parameter(planner, setting->key) || sw_params_set(to, setting->key, setting->value, error);
    }
    return good && sw_params_check(to, planner, error);
}
