/* What-ifs about the model itself: sizes, lifetimes, capacities, the order of the operators. Each
 * makes another problem, and a branch with the same planner on it. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"

/* What was demanded of the old run is demanded of the new one, at the same decisions. What it
 * refuses is counted, and the last reason kept. */
static bool demand_again(const struct sw_search *from, struct sw_search *to, bool all, size_t *refused,
                         struct sw_error *why, struct sw_error *error) {
    size_t count = 0;
    const struct sw_recipe_entry *recipe = sw_search_recipe(from, &count);
    *refused = 0;
    for (size_t i = 0; i < count && (all || recipe[i].step <= sw_search_at(from)); i++) {
        struct sw_error own = {0};
        if (!sw_search_seek(to, recipe[i].step, &own) || !sw_search_force(to, &recipe[i].override, &own)) {
            if (own.code == SW_ERROR_MEMORY) {
                return sw_fail_memory(error);
            }
            *why = own;
            ++*refused;
        }
    }
    return true;
}

bool sw_branch_again(struct sw_session *session, uint32_t which, struct sw_error *error) {
    struct sw_branch *branch = sw_branch_at(session, which);
    const struct sw_search *old = branch->search;
    struct sw_error why = {0};
    size_t refused = 0;
    struct sw_search *fresh = sw_search_new(branch->problem, sw_search_planner(old), sw_search_params(old), error);
    if (!fresh || !demand_again(old, fresh, true, &refused, &why, error) || !sw_search_seek(fresh, 0, error)) {
        sw_search_free(fresh);
        return false;
    }
    sw_state_forget_indexes(session);
    sw_explained_forget(session);
    sw_search_free(branch->search);
    branch->search = fresh;
    return true;
}

/* Where a planner has put the operators in order, an edit of that order goes on with the planner that gave the
 * addresses, or the first one would put them in order again. Where it has changed the model, an edit of that model is
 * planned as any other. NULL: there is none. */
static const struct sw_planner *planner_after(const struct sw_search *now, const struct sw_problem *problem,
                                              struct sw_error *error) {
    const struct sw_planner *planner = sw_search_planner(now);
    if (planner->rewrites) {
        planner = sw_planner_find("auto", error);
        return planner && sw_planner_applies(planner, problem, error) ? planner : NULL;
    }
    bool reordered = sw_search_problem(now) != sw_search_given(now);
    planner = reordered ? sw_planner_find(sw_params_text(sw_search_params(now), planner, "then"), error) : planner;
    return planner && sw_planner_applies(planner, problem, error) ? planner : NULL;
}

/* A branch with the problem, which is taken over; where the old run is. */
static bool branch_to(struct sw_session *session, struct sw_problem *problem, const char *what, const char *line,
                      bool reorders, struct sw_error *error) {
    const struct sw_search *now = sw_state_search(session);
    bool changed =
        sw_search_planner(now)->rewrites && session->problem != sw_branch_at(session, session->current)->problem;
    const struct sw_planner *planner = reorders || changed ? planner_after(now, problem, error)
                                       : sw_planner_applies(sw_search_planner(now), problem, error)
                                           ? sw_search_planner(now)
                                           : NULL;
    bool same = planner == sw_search_planner(now);
    uint64_t at = sw_search_at(now);
    size_t refused = 0;
    struct sw_error why = {0};
    struct sw_params params = sw_branch_params(session);
    struct sw_search *search =
        planner ? sw_search_new(problem, planner, same ? sw_search_params(now) : &params, error) : NULL;
    bool good = search && (!same || demand_again(now, search, false, &refused, &why, error));
    if (!good) {
        sw_search_free(search);
    } else {
        char remark[300] = "";
        if (refused > 0) {
            snprintf(remark, sizeof remark, "%zu earlier what-if%s no longer hold%s: %.200s", refused,
                     refused == 1 ? "" : "s", refused == 1 ? "s" : "", why.message);
        }
        good = sw_branch_adopt(session, search, problem,
                               &(struct sw_origin){.what = what, .remark = remark, .line = line, .edits = true},
                               sw_until_take(session, sw_run_at_end(now) ? UINT64_MAX : at), error);
    }
    sw_problem_unref(problem);
    return good;
}

/* Build what was edited, if it was. Takes the builder and the line over. The format says what the branch is called. */
__attribute__((format(printf, 7, 8))) static bool build_edited(struct sw_session *session, struct sw_builder *builder,
                                                               bool edited, char *line, bool reorders,
                                                               struct sw_error *error, const char *format, ...) {
    char what[200];
    SW_FORMAT_INTO(what, format);
    if (edited && !line) {
        edited = sw_fail_memory(error);
    }
    struct sw_problem *problem = edited ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    bool good = problem && branch_to(session, problem, what, line, reorders, error);
    sw_state_drop(line);
    return good;
}

void sw_session_show_waits(struct sw_session *session, void (*show)(void *context), void *context) {
    session->calls.show_wait = show;
    session->calls.wait_context = context;
}

/* The problem, to be edited. Building a large one takes a second or two, which is said before. */
static struct sw_builder *open_edit(struct sw_session *session, const struct sw_problem *problem,
                                    struct sw_error *error) {
    enum { LARGE_EDIT = 100000 };
    uint32_t count = sw_problem_buffer_count(problem);
    char text[32];
    if (count >= LARGE_EDIT && session->calls.show_wait) {
        sw_session_say(session, false, "building the problem of %s buffers anew ...", sw_show_count(count, text));
        session->calls.show_wait(session->calls.wait_context);
    }
    return sw_builder_from(problem, error);
}

uint64_t sw_until_take(struct sw_session *session, uint64_t otherwise) {
    bool set = session->until.set;
    session->until.set = false;
    return set ? session->until.at : otherwise;
}

bool sw_do_until(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)error;
    session->until = (struct sw_until){.set = true, .at = given->value[0].number};
    return true;
}

bool sw_do_resize(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const char *name = sw_problem_buffer(session->problem, given->value[0].index)->name;
    struct sw_builder *builder = open_edit(session, session->problem, error);
    return build_edited(session, builder, builder && sw_builder_edit_size(builder, name, given->value[1].number, error),
                        sw_given_line("resize", given), false, error, "resize %.120s %.40s", name, given->words[1]);
}

bool sw_do_lifetime(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    int64_t first = given->value[1].time, last = given->value[2].time;
    const char *name = sw_problem_buffer(session->problem, given->value[0].index)->name;
    struct sw_builder *builder = open_edit(session, session->problem, error);
    return build_edited(session, builder, builder && sw_builder_edit_lifetime(builder, name, first, last, error),
                        sw_given_line("lifetime", given), false, error, "lifetime %.120s %.30s %.30s", name,
                        given->words[1], given->words[2]);
}

bool sw_do_capacity(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_given_value *value = given->value;
    uint64_t bytes = value[0].choice ? SW_UNBOUNDED : value[0].number;
    uint32_t tier = value[1].word ? value[1].index : session->sight.tier;
    const char *name = sw_problem_tier(session->problem, tier)->name;
    struct sw_builder *builder = open_edit(session, session->problem, error);
    return build_edited(session, builder, builder && sw_builder_edit_capacity(builder, name, bytes, error),
                        sw_state_line("capacity", (const char *const[]){value[0].word, name}, 2, ""), false, error,
                        "capacity %.40s %.80s", value[0].word, name);
}

/* `auto` is a planner that reorders, or an operator of that name. */
bool sw_do_reorder(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_problem *problem = sw_state_problem(session);
    uint64_t end = 0;
    bool automatic = given->value[0].choice;
    uint32_t step = automatic ? sw_problem_find_operator(problem, "auto") : given->value[0].index;
    uint32_t to = given->value[1].index;
    const char *second = given->value[1].word;
    if (step == SW_NONE) {
        return (!second || sw_state_number(second, &end, error)) &&
               sw_branch_reorder(session, second ? &end : NULL, error);
    }
    if (!second) {
        return sw_fail(error, SW_ERROR_USAGE,
                       automatic ? "an operator of this model is called auto; say planner order instead"
                                 : "where to? say reorder OPERATOR STEP, or reorder auto");
    }
    if (to == SW_NONE) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no step %s; they go from 0 to %u", second,
                       sw_problem_operator_count(problem) - 1);
    }
    if (step == to) {
        return sw_fail(error, SW_ERROR_USAGE, "%s stands at step %u already", sw_problem_operator(problem, step)->name,
                       to);
    }
    struct sw_builder *builder = open_edit(session, problem, error);
    return build_edited(session, builder, builder && sw_builder_edit_order(builder, problem, step, to, error),
                        sw_given_line("reorder", given), true, error, "reorder %.100s %.80s", given->words[0], second);
}

/* A change of problem/change/change.h, as a branch; `line` is taken over. */
static bool branch_changed(struct sw_session *session, const struct sw_edit *edit, char *line, const char *what,
                           struct sw_error *error) {
    struct sw_problem *problem =
        line ? sw_problem_changed(sw_state_problem(session), edit, 1, error) : (sw_fail_memory(error), NULL);
    bool good = problem && branch_to(session, problem, what, line, true, error);
    sw_state_drop(line);
    return good;
}

static bool change_waiting(struct sw_session *session, const struct sw_given *given, enum sw_edit_kind kind,
                           const char *command, struct sw_error *error) {
    const struct sw_given_value *value = given->value;
    char what[200];
    snprintf(what, sizeof what, "%s %.120s %.40s", command, value[0].word, value[1].word);
    uint32_t step = value[1].number < SW_NONE ? (uint32_t)value[1].number : SW_NONE;
    struct sw_edit edit = {kind, step, value[0].index, SW_NONE, 0};
    return branch_changed(session, &edit, sw_given_line(command, given), what, error);
}

SW_PLAIN_COMMAND(spill, change_waiting(session, given, SW_EDIT_SPILL, "spill", error));
SW_PLAIN_COMMAND(recompute, change_waiting(session, given, SW_EDIT_RECOMPUTE, "recompute", error));

bool sw_do_overwrite(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_problem *problem = sw_state_problem(session);
    uint32_t old = given->value[0].index, fresh = given->value[1].index, op = sw_problem_producer(problem, fresh);
    char what[200];
    if (op == SW_NONE) {
        return sw_fail(error, SW_ERROR_USAGE, "no operator writes %s", sw_problem_buffer(problem, fresh)->name);
    }
    snprintf(what, sizeof what, "overwrite %.80s %.80s", given->words[0], given->words[1]);
    struct sw_edit edit = {SW_EDIT_INPLACE, op, fresh, old, 0};
    return branch_changed(session, &edit, sw_given_line("overwrite", given), what, error);
}
