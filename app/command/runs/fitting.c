/* Making the model fit: a run of the planner fit, and the models of its front, of which one is taken as a branch. */
#include "base/base.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "view/fit/fit_front.h"

bool sw_do_fit(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_planner *planner = sw_planner_find("fit", error);
    struct sw_params params = {0}, now = sw_branch_params(session);
    char line[64] = "fit", digits[24];
    if (!planner) {
        return false;
    }
    const struct sw_problem *problem = sw_branch_problem_for(session, planner);
    snprintf(digits, sizeof digits, "%" PRIu64, given->value[0].number);
    if (!sw_params_copy(&params, &now)) {
        return sw_fail_memory(error);
    }
    if (given->count > 0) {
        snprintf(line, sizeof line, "fit %s", digits);
    }
    bool good = (given->count == 0 || sw_params_set(&params, "capacity", digits, error)) &&
                sw_planner_applies(planner, problem, error) && sw_params_check(&params, planner, error);
    struct sw_search *search = good ? sw_search_new(problem, planner, &params, error) : NULL;
    if (search) {
        sw_sight_pane(session, SW_KEYS_FRONT);
        session->sight.fit_model = 0;
    }
    good = search && sw_branch_adopt(session, search, problem, &(struct sw_origin){.what = line, .line = line},
                                     sw_until_take(session, UINT64_MAX), error);
    sw_params_done(&params);
    return good;
}

/* ---- the front ---- */

/* False: there is none yet, which is said. */
static bool find_fit_front(struct sw_session *session, struct sw_fit_order *order, struct sw_fit_sight *sight) {
    if (!sw_fit_sight_of(sw_state_search(session), sight)) {
        sw_session_say(session, false, "there is no front: fit looks for models that need less");
        return false;
    }
    if (!sight->result->over) {
        sw_session_say(session, false, "the front is known when the search for changes has ended");
        return false;
    }
    return sw_fit_order_find(sight->result, order);
}

bool sw_front_known(struct sw_session *session) {
    struct sw_fit_sight sight;
    return sw_fit_sight_of(sw_state_search(session), &sight) && sight.result->over;
}

/* Where the model that is looked at stands in the table. */
static size_t place_in_front(const struct sw_session *session, const struct sw_fit_order *order,
                             const struct sw_fit_sight *sight) {
    size_t number = session->sight.fit_model;
    for (size_t i = 0; i < order->count; i++) {
        bool chosen = number == 0 && &sight->result->models.items[order->items[i]] == sight->chosen;
        if (chosen || order->items[i] + 1 == number) {
            return i;
        }
    }
    return SIZE_MAX;
}

void sw_front_row(struct sw_session *session, bool forward) {
    struct sw_fit_order order = {0};
    struct sw_fit_sight sight;
    if (find_fit_front(session, &order, &sight)) {
        size_t at = place_in_front(session, &order, &sight);
        at = at == SIZE_MAX ? 0 : sw_row_beside(at, order.count, forward);
        const struct sw_fit_model *model = &sight.result->models.items[order.items[at]];
        double own = (double)sight.result->models.items[0].macs;
        session->sight.fit_model = (uint32_t)order.items[at] + 1;
        session->sight.scroll = 0;
        sw_session_say(session, false, "model %zu of %zu: %s in the %s, %.3f of the multiply-adds; %s takes it", at + 1,
                       order.count, SW_BYTES(model->bytes), sight.of_head ? "head" : "arena",
                       own > 0 ? (double)model->macs / own : 1.0, SW_KEY(session, "goto-block"));
    }
    SW_ARRAY_DONE(&order);
}

/* The decision of the run that chose a model; 0: it has not come to it. */
static uint64_t find_choice(const struct sw_search *search) {
    for (uint64_t step = sw_search_known(search); step > 0; step--) {
        if (sw_search_journal(search, step)->kind == SW_DECISION_CHOOSE_MODEL) {
            return step;
        }
    }
    return 0;
}

static bool take_at_place(struct sw_session *session, const struct sw_fit_order *order, size_t place,
                          struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    struct sw_explanation explanation = {0};
    uint64_t step = find_choice(search);
    char line[48];
    snprintf(line, sizeof line, "take-model %zu", place + 1);
    bool good = (step > 0 || sw_fail(error, SW_ERROR_USAGE, "the run has not chosen a model yet")) &&
                sw_search_explain(search, step, &explanation, error) &&
                sw_branch_choose_of(session, &explanation, order->items[place] + UINT64_C(1), line,
                                    sw_until_take(session, UINT64_MAX), error);
    sw_explanation_done(&explanation);
    if (good) {
        session->sight.fit_model = 0; /* the branch's own choice */
    }
    return good;
}

bool sw_do_take_model(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_fit_order order = {0};
    struct sw_fit_sight sight;
    bool good = find_fit_front(session, &order, &sight);
    if (good) {
        size_t place = given->count > 0 ? (size_t)given->value[0].number - 1 : place_in_front(session, &order, &sight);
        good = place < order.count ? take_at_place(session, &order, place, error)
                                   : sw_fail(error, SW_ERROR_USAGE, "there are models 1 to %zu", order.count);
    } else if (error->code == SW_OK) {
        good = sw_fail(error, SW_ERROR_USAGE, "%s", session->status.text);
    }
    SW_ARRAY_DONE(&order);
    return good;
}
