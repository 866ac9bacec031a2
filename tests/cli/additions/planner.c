/* What a planner is at the least: an order, and a rule for placing. Its last decision is of a kind of its own. */
#include "planners/planner_internal.h"

static enum sw_step step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct sw_cursor *cursor = state;
    uint32_t buffer = sw_cursor_next(cursor, run->problem);
    if (buffer == SW_NONE) {
        if (cursor->at > sw_problem_planned_count(run->problem)) {
            return SW_STEP_DONE;
        }
        cursor->at++;
        sw_decision_clear(decision);
        sw_decision_become(decision, SW_DECISION_APPLAUD);
        decision->applaud.hands =
            sw_layout_placed_count(run->layout) * (uint64_t)sw_params_integer(run->params, run->planner, "cheer");
        decision->reason = "the template works";
        return SW_STEP_MORE;
    }
    enum sw_step result = sw_place_next(run, SW_PLACE_LOWEST, buffer, decision);
    cursor->at += result == SW_STEP_MORE;
    return result;
}

static const struct sw_parameter parameters[] = {
    {"cheer", SW_PARAMETER_INTEGER, "1", 1, 9, NULL, "how often the tests applaud"},
    {NULL, SW_PARAMETER_BOOL, NULL, 0, 0, NULL, NULL},
};

const struct sw_planner sw_template_fit = {
    .name = "template-fit",
    .summary = "First fit, from the template of the tests",
    .one_layout = true,
    .parameters = parameters,
    .step = step,
    .described = &sw_cursor_described,
};
