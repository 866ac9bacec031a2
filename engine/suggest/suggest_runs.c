/* New runs: another planner, another value of a parameter, the operators in another order. */
#include "suggest/suggest_internal.h"

#include "planners/recorded/recording.h"

enum sw_step sw_suggest_next_order(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    (void)error;
    const struct sw_search *base = suggest->base;
    const struct sw_planner *order = sw_planner_find("order", NULL);
    if (suggest->at++ > 0 || !order || sw_search_planner(base)->reorders ||
        !sw_planner_applies(order, sw_search_given(base), NULL)) {
        return SW_STEP_DONE;
    }
    of->kind = SW_SUGGEST_REORDER;
    return SW_STEP_MORE;
}

/* Those that make a plan for the same order of the same model; the quick ones first. */
static bool may_plan_instead(const struct sw_suggest *suggest, const struct sw_planner *planner, bool quick) {
    return planner != sw_search_planner(suggest->base) && planner->one_layout == quick && !planner->reserves &&
           !planner->reorders && !planner->rewrites && !(planner->needs & SW_NEEDS_RECORDING) &&
           sw_planner_applies(planner, sw_search_given(suggest->base), NULL);
}

enum sw_step sw_suggest_next_planner(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    (void)error;
    size_t count = sw_planner_built_in_count();
    while (suggest->at < 2 * count) {
        const struct sw_planner *planner = sw_planner_get(suggest->at % count);
        bool quick = suggest->at++ < count;
        if (may_plan_instead(suggest, planner, quick)) {
            of->kind = SW_SUGGEST_PLANNER;
            of->planner = planner;
            return SW_STEP_MORE;
        }
    }
    return SW_STEP_DONE;
}

/* Where a follower could take over: before the decisions that placed the blocks of the chain, as far as these are
 * recorded ones. */
enum sw_step sw_suggest_next_follower(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    const struct sw_search *base = suggest->base;
    const struct sw_recording *recording = sw_problem_recording(sw_search_given(base));
    if (!recording || !(sw_search_planner(base)->needs & SW_NEEDS_RECORDING)) {
        return SW_STEP_DONE;
    }
    if (!suggest->opened && !sw_suggest_find_chain(suggest, error)) {
        return SW_STEP_FAILED;
    }
    suggest->opened = true;
    for (; suggest->at < suggest->chain.count; suggest->at++, suggest->of = 0) {
        uint64_t made = sw_layout_made(sw_search_layout(base), suggest->chain.items[suggest->at], 0);
        while (made > 0 && made <= recording->decisions.count && suggest->of < sw_planner_built_in_count()) {
            const struct sw_planner *planner = sw_planner_get(suggest->of++);
            if (may_plan_instead(suggest, planner, true) && sw_planner_follows(planner, sw_search_given(base), NULL)) {
                of->kind = SW_SUGGEST_CONTINUE;
                of->before = made;
                of->planner = planner;
                return SW_STEP_MORE;
            }
        }
    }
    return SW_STEP_DONE;
}

/* Value number `which` beside the present one; false: there are no more. */
static bool other_value(const struct sw_search *base, const struct sw_parameter *parameter, uint32_t which, char *value,
                        size_t size) {
    const char *now = sw_params_text(sw_search_params(base), sw_search_planner(base), parameter->name);
    uint64_t number;
    char *end;
    switch (parameter->type) {
    case SW_PARAMETER_BOOL:
        snprintf(value, size, "%s", strcmp(now, "true") == 0 ? "false" : "true");
        return which == 0;
    case SW_PARAMETER_CHOICE:
        for (uint32_t i = 0; parameter->choices[i]; i++) {
            if (strcmp(parameter->choices[i], now) != 0 && which-- == 0) {
                snprintf(value, size, "%s", parameter->choices[i]);
                return true;
            }
        }
        return false;
    case SW_PARAMETER_INTEGER:
        number = strtoull(now, &end, 10);
        if (*end || number == 0 || number > UINT32_MAX) {
            return false;
        }
        number = which == 0 ? 2 * number : number / 2;
        snprintf(value, size, "%" PRIu64, number);
        return which < 2 && (double)number >= parameter->lowest && (double)number <= parameter->highest;
    case SW_PARAMETER_NUMBER:
    case SW_PARAMETER_LIST:
    case SW_PARAMETER_PLANNER:
    case SW_PARAMETER_TEXT:
        break;
    }
    return false;
}

/* Three other seeds first, where the planner draws lots; then each parameter with each other value. */
enum sw_step sw_suggest_next_setting(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    (void)error;
    enum { SEEDS = 3 };
    const struct sw_planner *planner = sw_search_planner(suggest->base);
    of->kind = SW_SUGGEST_SETTING;
    if (suggest->at == 0) {
        if (planner->seeded && suggest->of < SEEDS) {
            of->key = "seed";
            snprintf(of->value, sizeof of->value, "%" PRIu64, sw_search_params(suggest->base)->seed + ++suggest->of);
            return SW_STEP_MORE;
        }
        suggest->at = 1;
        suggest->of = 0;
    }
    const struct sw_parameter *parameters = planner->parameters;
    while (parameters && parameters[suggest->at - 1].name) {
        const struct sw_parameter *parameter = &parameters[suggest->at - 1];
        bool changes = !planner->tells || strcmp(parameter->name, planner->tells) != 0;
        if (changes && other_value(suggest->base, parameter, suggest->of++, of->value, sizeof of->value)) {
            of->key = parameter->name;
            return SW_STEP_MORE;
        }
        suggest->at++;
        suggest->of = 0;
    }
    return SW_STEP_DONE;
}
