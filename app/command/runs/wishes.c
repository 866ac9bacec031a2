/* What-ifs about the order of the operators, for planners that choose it: which runs next, one before the other, some
 * together; and a run of such a planner, from any other one. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"

static bool chooses_order(const struct sw_session *session, const char *what, struct sw_error *error) {
    const struct sw_planner *planner = sw_search_planner(sw_state_search(session));
    return planner->reorders || sw_fail(error, SW_ERROR_USAGE,
                                        "%s: %s does not choose the order of the operators; reorder "
                                        "auto goes on with a planner that does",
                                        what, planner->name);
}

/* ---- the next one ---- */

bool sw_do_next(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_explanation *explanation = sw_state_explanation(session);
    const char *name = sw_nth_operator(session, given->value[0].index);
    uint32_t op = sw_problem_find_operator(session->problem, name);
    size_t choices = 0;
    if (!chooses_order(session, "next", error)) {
        return false;
    }
    if (!explanation && session->missed) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; explanation && i < explanation->candidates.count; i++) {
        const struct sw_candidate *candidate = &explanation->candidates.items[i];
        choices += candidate->runs;
        if (candidate->runs && candidate->op == op) {
            return sw_branch_choose(session, i + 1, error);
        }
    }
    return choices ? sw_fail(error, SW_ERROR_USAGE, "%s may not run here: what it waits for has not run, or it has run",
                             name)
                   : sw_fail(error, SW_ERROR_USAGE,
                             "this decision chooses no operator: go to one that does, of kind "
                             "ready or branch");
}

/* ---- settings ---- */

/* In quotes where it would be read as something else. */
static void put_operator_name(struct sw_sink *to, const char *name) {
    size_t length = strlen(name);
    bool plain = length > 0 && !strpbrk(name, "<,;\"\\") && name[0] != ' ' && name[length - 1] != ' ';
    if (plain) {
        sw_sink_add(to, name, length);
    } else {
        sw_sink_quoted(to, name);
    }
}

/* The run again with these operators, added to what was asked for already. */
static bool ask_for_order(struct sw_session *session, const char *key, const char *separator,
                          const struct sw_given *given, size_t count, struct sw_error *error) {
    enum { MOST_WISHES = 598 }; /* bytes */
    const struct sw_search *search = sw_state_search(session);
    struct sw_sink setting = {0};
    if (!chooses_order(session, key, error)) {
        return false;
    }
    const char *now = sw_params_text(sw_search_params(search), sw_search_planner(search), key);
    sw_sink_printf(&setting, "%s=%s%s", key, now, *now ? ";" : "");
    for (size_t i = 0; i < count; i++) {
        sw_sink_printf(&setting, "%s", i > 0 ? separator : "");
        put_operator_name(&setting, sw_nth_operator(session, given->value[i].index));
    }
    bool fits = setting.text.count <= MOST_WISHES;
    char *text = sw_sink_ended(&setting);
    bool good = !text  ? sw_fail_memory(error)
                : fits ? sw_branch_set(session, text, sw_given_number(given, count), error)
                       : sw_fail(error, SW_ERROR_USAGE, "%s: so many names find no room in a setting", key);
    sw_sink_done(&setting);
    return good;
}

SW_PLAIN_COMMAND(before, ask_for_order(session, "before", "<", given, 2, error));
SW_PLAIN_COMMAND(together, ask_for_order(session, "together", ",", given, given->count, error));

/* ---- from another planner ---- */

bool sw_branch_reorder(struct sw_session *session, const uint64_t *to, struct sw_error *error) {
    const struct sw_planner *now = sw_search_planner(sw_state_search(session));
    const struct sw_planner *planner = sw_planner_find("order", error);
    struct sw_params params = sw_branch_params(session);
    bool then = sw_planner_find(now->name, NULL) == now && sw_planner_follows(now, session->problem, NULL);
    bool ok = planner && (!then || sw_params_set(&params, "then", now->name, error)) &&
              sw_branch_run(session, planner, &params, "reorder auto", "reorder auto 0", to, error);
    sw_params_done(&params);
    return ok;
}
