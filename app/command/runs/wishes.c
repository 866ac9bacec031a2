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

bool sw_do_next(struct sw_session *session, char **arguments, size_t count, struct sw_error *error) {
    (void)count;
    const struct sw_explanation *explanation = sw_state_explanation(session);
    uint32_t op;
    size_t choices = 0;
    if (!chooses_order(session, "next", error)) {
        return false;
    }
    if (!explanation && session->missed) {
        return sw_fail_memory(error);
    }
    if (!sw_state_operator(session->problem, arguments[0], &op, error)) {
        return false;
    }
    for (size_t i = 0; explanation && i < explanation->candidates.count; i++) {
        const struct sw_candidate *candidate = &explanation->candidates.items[i];
        choices += candidate->runs;
        if (candidate->runs && candidate->op == op) {
            return sw_branch_choose(session, i + 1, error);
        }
    }
    return choices ? sw_fail(error, SW_ERROR_USAGE, "%s may not run here: what it waits for has not run, or it has run",
                             arguments[0])
                   : sw_fail(error, SW_ERROR_USAGE,
                             "this decision chooses no operator: go to one that does, of kind "
                             "ready or branch");
}

/* ---- settings ---- */

struct wish_text {
    char text[600];
    size_t length;
};

static void put_letters(struct wish_text *to, const char *text, size_t length) {
    for (size_t i = 0; i < length && to->length + 1 < sizeof to->text; i++) {
        to->text[to->length++] = text[i];
    }
    to->text[to->length] = '\0';
}

/* In quotes where it would be read as something else. */
static void put_operator_name(struct wish_text *to, const char *name) {
    size_t length = strlen(name);
    bool plain = length > 0 && !strpbrk(name, "<,;\"\\") && name[0] != ' ' && name[length - 1] != ' ';
    if (plain) {
        put_letters(to, name, length);
        return;
    }
    put_letters(to, "\"", 1);
    for (; *name; name++) {
        put_letters(to, "\\", *name == '"' || *name == '\\');
        put_letters(to, name, 1);
    }
    put_letters(to, "\"", 1);
}

/* The run again with these operators, added to what was asked for already. */
static bool ask_for_order(struct sw_session *session, const char *key, const char *separator, char **operators,
                          size_t count, const char *to, struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    struct wish_text setting = {.length = 0};
    if (!chooses_order(session, key, error)) {
        return false;
    }
    const char *now = sw_params_text(sw_search_params(search), sw_search_planner(search), key);
    put_letters(&setting, key, strlen(key));
    put_letters(&setting, "=", 1);
    put_letters(&setting, now, strlen(now));
    put_letters(&setting, ";", *now != '\0');
    for (size_t i = 0; i < count; i++) {
        put_letters(&setting, separator, i > 0);
        put_operator_name(&setting, operators[i]);
    }
    if (setting.length + 1 == sizeof setting.text) {
        return sw_fail(error, SW_ERROR_USAGE, "%s: so many names find no room in a setting", key);
    }
    return sw_branch_set(session, setting.text, to, error);
}

bool sw_do_before(struct sw_session *session, char **arguments, size_t count, struct sw_error *error) {
    return ask_for_order(session, "before", "<", arguments, 2, count > 2 ? arguments[2] : NULL, error);
}

bool sw_do_together(struct sw_session *session, char **arguments, size_t count, struct sw_error *error) {
    return ask_for_order(session, "together", ",", arguments, count, NULL, error);
}

/* ---- from another planner ---- */

bool sw_branch_reorder(struct sw_session *session, const char *to, struct sw_error *error) {
    const struct sw_planner *now = sw_search_planner(sw_state_search(session));
    const struct sw_planner *planner = sw_planner_find("order", error);
    struct sw_params params = sw_branch_params(session);
    bool then = sw_planner_find(now->name, NULL) == now && sw_planner_follows(now, session->problem, NULL);
    bool ok = planner && (!then || sw_params_set(&params, "then", now->name, error)) &&
              sw_branch_run(session, planner, &params, "reorder auto", "reorder auto 0", to, error);
    sw_params_done(&params);
    return ok;
}
