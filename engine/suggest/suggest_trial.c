/* Making the moves of a suggestion: a search that stands where they were made. */
#include "suggest/suggest_internal.h"

static struct sw_search *make_demands(const struct sw_search *base, const struct sw_suggestion *of,
                                      struct sw_error *error) {
    struct sw_search *fork = sw_search_fork(base, error);
    bool good = fork && sw_search_seek(fork, of->before - 1, error);
    for (size_t i = 0; good && i < of->count; i++) {
        good = sw_search_force(fork, &of->overrides[i], error);
    }
    if (!good) {
        sw_search_free(fork);
        return NULL;
    }
    return fork;
}

/* What was demanded of the run is demanded of the changed one. */
static bool demand_the_same(const struct sw_search *base, struct sw_search *fresh, struct sw_error *error) {
    size_t count;
    const struct sw_recipe_entry *recipe = sw_search_recipe(base, &count);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = sw_search_seek(fresh, recipe[i].step, error) && sw_search_force(fresh, &recipe[i].override, error);
    }
    return good && sw_search_seek(fresh, 0, error);
}

static struct sw_search *make_changed(const struct sw_search *base, const struct sw_edit *edit,
                                      struct sw_error *error) {
    struct sw_problem *problem = sw_problem_changed(sw_search_given(base), edit, 1, error);
    const struct sw_planner *planner = sw_search_planner(base);
    struct sw_search *fresh = problem ? sw_search_new(problem, planner, sw_search_params(base), error) : NULL;
    sw_problem_unref(problem);
    if (fresh && !demand_the_same(base, fresh, error)) {
        sw_search_free(fresh);
        fresh = NULL;
    }
    return fresh;
}

/* Settings belong to a planner; seed, budget and scripts stay. */
static struct sw_params without_settings(const struct sw_params *params) {
    struct sw_params plain = *params;
    plain.settings.items = NULL;
    plain.settings.count = plain.settings.capacity = 0;
    return plain;
}

/* As `reorder auto` does: the planner `order`, and then the run's own, where that can give the addresses. */
static struct sw_search *make_order(const struct sw_search *base, struct sw_error *error) {
    const struct sw_planner *now = sw_search_planner(base), *planner = sw_planner_find("order", error);
    struct sw_params params = without_settings(sw_search_params(base));
    bool then = sw_planner_find(now->name, NULL) == now && sw_planner_follows(now, sw_search_given(base), NULL);
    bool good = planner && (!then || sw_params_set(&params, "then", now->name, error));
    struct sw_search *fresh = good ? sw_search_new(sw_search_given(base), planner, &params, error) : NULL;
    sw_params_done(&params);
    return fresh;
}

static struct sw_search *make_setting(const struct sw_search *base, const struct sw_suggestion *of,
                                      struct sw_error *error) {
    struct sw_params params = {0};
    if (!sw_params_copy(&params, sw_search_params(base))) {
        sw_fail_memory(error);
        return NULL;
    }
    bool good = true;
    if (strcmp(of->key, "seed") == 0) {
        params.seed = strtoull(of->value, NULL, 10);
    } else {
        good = sw_params_set(&params, of->key, of->value, error);
    }
    struct sw_search *fresh =
        good ? sw_search_new(sw_search_given(base), sw_search_planner(base), &params, error) : NULL;
    sw_params_done(&params);
    return fresh;
}

/* As `continue-with` does: what is recorded before the decision stays, and the planner goes on. */
static struct sw_search *make_follower(const struct sw_search *base, const struct sw_suggestion *of,
                                       struct sw_error *error) {
    struct sw_params params = {0};
    char from[24];
    snprintf(from, sizeof from, "%" PRIu64, of->before - 1);
    bool good = sw_params_copy(&params, sw_search_params(base)) || sw_fail_memory(error);
    good = good && sw_params_set(&params, "continue", of->planner->name, error) &&
           sw_params_set(&params, "from", from, error);
    struct sw_search *fresh =
        good ? sw_search_new(sw_search_given(base), sw_search_planner(base), &params, error) : NULL;
    sw_params_done(&params);
    return fresh;
}

struct sw_search *sw_suggest_make(const struct sw_suggest *suggest, const struct sw_suggestion *of,
                                  struct sw_error *error) {
    const struct sw_search *base = suggest->base;
    struct sw_params plain = without_settings(sw_search_params(base));
    switch (of->kind) {
    case SW_SUGGEST_PIN:
    case SW_SUGGEST_PINS:
    case SW_SUGGEST_FORBID:
    case SW_SUGGEST_CHOOSE:
        return make_demands(base, of, error);
    case SW_SUGGEST_MOVE:
    case SW_SUGGEST_INPLACE:
    case SW_SUGGEST_SPILL:
    case SW_SUGGEST_RECOMPUTE:
        return make_changed(base, &of->edit, error);
    case SW_SUGGEST_REORDER:
        return make_order(base, error);
    case SW_SUGGEST_SETTING:
        return make_setting(base, of, error);
    case SW_SUGGEST_CONTINUE:
        return make_follower(base, of, error);
    case SW_SUGGEST_PLANNER:
    case SW_SUGGEST_KINDS:
        break;
    }
    return sw_search_new(sw_search_given(base), of->planner, &plain, error);
}
