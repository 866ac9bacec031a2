/* What-ifs: the tree of branches, and undo. */
#include "command/attached/attached.h"
#include "base/base.h"
#include "command/command_line.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/screen/screen.h"
#include "command/state.h"
#include "formats/text/size.h"
#include "lua/planning/lua_planner.h"
#include "planners/planner.h"
#include "view/suggest/suggest_words.h"

/* ---- branches ---- */

const struct sw_problem *sw_branch_problem_for(const struct sw_session *session, const struct sw_planner *planner) {
    return planner->rewrites ? sw_branch_at(session, session->current)->problem : session->problem;
}

/* The branch joins the tree, as a change that can be undone; with `go` it is the current one then. */
static bool push_branch(struct sw_session *session, struct sw_branch *branch, bool go, struct sw_error *error) {
    struct sw_undo_point before = {0};
    uint32_t from = session->current, made = (uint32_t)sw_branch_count(session);
    sw_undo_point_take(session, &before);
    if (!sw_branch_push(session, branch, error)) {
        sw_undo_point_done(&before);
        return false;
    }
    if (go) {
        sw_state_use(session, made);
        sw_state_moved(session);
    }
    if (!sw_change_record(session, &before, made, error)) {
        sw_state_use(session, from);
        sw_state_forget_indexes(session);
        sw_explained_forget(session);
        sw_branch_pop(session);
        return false;
    }
    return true;
}

bool sw_branch_adopt(struct sw_session *session, struct sw_search *search, const struct sw_problem *problem,
                     const struct sw_origin *origin, uint64_t target, struct sw_error *error) {
    bool remarks = origin->remark && *origin->remark;
    struct sw_branch branch = {.search = search,
                               .problem = sw_problem_ref(problem),
                               .parent = session->current,
                               .forked_at = origin->forked_at,
                               .what = sw_state_copy(origin->what),
                               .line = sw_state_copy(origin->line),
                               .made_at = sw_search_at(sw_state_search(session)),
                               .pick = origin->pick,
                               .edits = origin->edits,
                               .remark = remarks ? sw_state_copy(origin->remark) : NULL};
    if (!push_branch(session, &branch, true, error)) {
        return false;
    }
    const struct sw_recording *parent = sw_problem_recording(sw_branch_at(session, branch.parent)->problem);
    if (!parent || parent->end != SW_RECORDING_OPEN) { /* else there is no end to compare with */
        sw_compare_start(session, session->current);
    }
    struct sw_job job = {.kind = SW_JOB_GOTO, .target = target, .made_branch = true};
    if (target > sw_search_at(search)) {
        return sw_job_start(session, job, error);
    }
    /* A small problem is compared at once. */
    sw_session_slice(session, UINT64_C(20000), NULL);
    sw_session_slice(session, UINT64_C(20000), NULL);
    sw_session_slice(session, UINT64_C(20000), NULL);
    return true;
}

/* A fork at `step` with one more demand. */
static bool branch_off(struct sw_session *session, const struct sw_override *demand, const struct sw_origin *origin,
                       uint64_t target, struct sw_error *error) {
    uint64_t step = origin->forked_at;
    if (demand->kind != SW_OVERRIDE_CHOOSE && sw_attached_demands(session)) {
        return sw_attached_branch(session, demand, origin, error);
    }
    struct sw_search *fork = sw_search_fork(sw_state_search(session), error);
    if (!fork) {
        return false;
    }
    bool ok = sw_search_at(fork) == step || sw_search_seek(fork, step, error);
    ok = ok && sw_search_force(fork, demand, error);
    if (ok && demand->kind == SW_OVERRIDE_CHOOSE) {
        ok = sw_search_step(fork, error) != SW_STEP_FAILED;
    }
    if (!ok) {
        sw_search_free(fork);
        return false;
    }
    return sw_branch_adopt(session, fork, sw_branch_at(session, session->current)->problem, origin, target, error);
}

/* A pin that is refused: what would make it work is said behind the reason. */
static void say_way(struct sw_session *session, const struct sw_override *pin, struct sw_error *error) {
    struct sw_suggest_way way;
    struct sw_sink text = {0};
    struct sw_error own = {0};
    if (!sw_suggest_way_of(sw_state_search(session), pin, &way, &own)) {
        *error = own;
        return;
    }
    if (way.before > 0) {
        sw_sink_printf(&text, ": go back before decision %" PRIu64 " (goto %" PRIu64 ")", way.before, way.before - 1);
    }
    if (way.has_first) {
        sw_sink_printf(&text, way.before > 0 ? ", or " : ": ");
        sw_suggest_put_demand(session->problem, session->options.base, &way.first, &text);
        sw_sink_printf(&text, " first");
    }
    const char *more = sw_sink_ended(&text);
    if (more) {
        struct sw_error refused = *error;
        sw_fail(error, refused.code, "%.2000s%.1000s", refused.message, more);
    }
    sw_sink_done(&text);
}

/* The same for a pin or a range: here, and as a line that says the bytes and the tier in full. */
static bool branch_here(struct sw_session *session, const struct sw_override *demand, const char *command,
                        const char *what, struct sw_error *error) {
    char more[80];
    uint64_t base = session->options.base;
    const char *name = demand->buffer == SW_NONE ? "*" : sw_problem_buffer(session->problem, demand->buffer)->name;
    if (demand->kind == SW_OVERRIDE_PIN) {
        snprintf(more, sizeof more, "%" PRIu64, demand->offset + base);
    } else {
        snprintf(more, sizeof more, "%" PRIu64 " %" PRIu64, demand->lo + base, demand->hi + base);
    }
    char *front = sw_state_line(command, &name, 1, more);
    char *line = front ? sw_state_line(front, &sw_problem_tier(session->problem, demand->tier)->name, 1, "") : NULL;
    bool good = line ? branch_off(session, demand,
                                  &(struct sw_origin){
                                      .what = what, .line = line, .forked_at = sw_search_at(sw_state_search(session))},
                                  0, error)
                     : sw_fail_memory(error);
    sw_state_drop(front);
    sw_state_drop(line);
    if (!good && demand->kind == SW_OVERRIDE_PIN && error->code == SW_ERROR_UNSUPPORTED) {
        say_way(session, demand, error);
    }
    return good;
}

bool sw_do_pin(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_given_value *value = given->value;
    struct sw_override demand = {.kind = SW_OVERRIDE_PIN, .buffer = value[0].index, .offset = value[1].number};
    char what[200];
    demand.tier = value[2].word ? value[2].index : sw_state_home(session, demand.buffer);
    snprintf(what, sizeof what, "pin %.120s %.40s", value[0].word, value[1].word);
    return branch_here(session, &demand, "pin", what, error);
}

bool sw_do_forbid(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_given_value *value = given->value;
    bool all = value[0].choice;
    struct sw_override demand = {.kind = SW_OVERRIDE_FORBID,
                                 .buffer = all ? SW_NONE : value[0].index,
                                 .lo = value[1].number,
                                 .hi = value[2].number};
    char what[200];
    if (demand.lo >= demand.hi) {
        return sw_fail(error, SW_ERROR_USAGE, "the range from %s to %s is empty", value[1].word, value[2].word);
    }
    demand.tier = value[3].word ? value[3].index : all ? session->sight.tier : sw_state_home(session, demand.buffer);
    snprintf(what, sizeof what, "forbid %.80s %.40s %.40s", value[0].word, value[1].word, value[2].word);
    return branch_here(session, &demand, "forbid", what, error);
}

bool sw_do_choose(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_explanation *explanation = sw_state_explanation(session);
    if (!explanation || explanation->candidates.count == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "this decision has no candidates to choose from");
    }
    if (given->count == 0 && session->sight.candidate == SW_NONE) {
        return sw_fail(error, SW_ERROR_USAGE, "no candidate is highlighted: %s highlights one, or say choose K",
                       SW_KEY(session, "next-candidate"));
    }
    uint64_t which = given->count ? given->value[0].number : session->sight.candidate + UINT64_C(1);
    return sw_branch_choose(session, which, error);
}

bool sw_branch_choose(struct sw_session *session, uint64_t which, struct sw_error *error) {
    char line[48];
    snprintf(line, sizeof line, "choose %" PRIu64, which);
    return sw_branch_choose_of(session, sw_state_explanation(session), which, line, 0, error);
}

bool sw_branch_choose_of(struct sw_session *session, const struct sw_explanation *explanation, uint64_t which,
                         const char *line, uint64_t target, struct sw_error *error) {
    uint64_t at = explanation->decision.step;
    if (which == 0 || which > explanation->candidates.count) {
        return sw_fail(error, SW_ERROR_USAGE, "there are candidates 1 to %zu", explanation->candidates.count);
    }
    const struct sw_candidate *about = &explanation->candidates.items[which - 1];
    if (about->verdict == SW_VERDICT_REFUSED) {
        return sw_fail(error, SW_ERROR_USAGE, "candidate %" PRIu64 " cannot be had: %s", which,
                       sw_candidate_words(about));
    }
    struct sw_override demand = {.kind = SW_OVERRIDE_CHOOSE, .buffer = SW_NONE, .choice = (uint32_t)which - 1};
    char what[80];
    snprintf(what, sizeof what, "choose %" PRIu64 " at %" PRIu64, which, at);
    const struct sw_origin origin = {.what = what,
                                     .line = line,
                                     .forked_at = at - 1,
                                     .pick = {.kind = explanation->decision.kind,
                                              .buffer = explanation->decision.buffer,
                                              .tier = about->tier,
                                              .runs = about->runs,
                                              .op = about->runs ? about->op : SW_NONE,
                                              .offset = about->offset}};
    return branch_off(session, &demand, &origin, target, error);
}

/* ---- candidates ---- */

static size_t candidate_count(struct sw_session *session) {
    const struct sw_explanation *explanation = sw_state_explanation(session);
    return explanation ? explanation->candidates.count : 0;
}

static bool highlight(struct sw_session *session, uint32_t candidate, struct sw_error *error) {
    const struct sw_explanation *explanation = sw_state_explanation(session);
    if (!explanation || candidate >= explanation->candidates.count) {
        return sw_fail(error, SW_ERROR_USAGE, "this decision has %zu candidates", candidate_count(session));
    }
    session->sight.candidate = candidate;
    const struct sw_candidate *about = &explanation->candidates.items[candidate];
    const char *verdict = sw_verdict_word(about->verdict), *words = sw_candidate_words(about);
    bool said = strncmp(words, verdict, strlen(verdict)) == 0;
    sw_session_say(session, false, "candidate %u: %s%s%s", candidate + 1, said ? "" : verdict, said ? "" : ", ", words);
    return true;
}

/* The next one, or the one before; behind the last comes the first. */
static bool candidate_beside(struct sw_session *session, bool forward, struct sw_error *error) {
    uint32_t all = (uint32_t)candidate_count(session), now = session->sight.candidate;
    uint32_t last = all ? all - 1 : 0, next = forward ? now + 1 : now - 1; /* SW_NONE + 1 = 0 */
    bool wraps = forward ? next >= all : now == SW_NONE || now == 0;
    return highlight(session, !wraps ? next : forward ? 0 : last, error);
}

SW_PLAIN_COMMAND(next_candidate, candidate_beside(session, true, error));
SW_PLAIN_COMMAND(previous_candidate, candidate_beside(session, false, error));

bool sw_do_candidate(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint64_t which = given->value[0].number;
    if (given->count == 0) {
        session->sight.candidate = SW_NONE;
        return true;
    }
    if (which == 0 || which > UINT32_MAX) {
        return sw_fail(error, SW_ERROR_USAGE, "candidates are counted from 1");
    }
    return highlight(session, (uint32_t)which - 1, error);
}

/* ---- other runs ---- */

bool sw_branch_run(struct sw_session *session, const struct sw_planner *planner, const struct sw_params *params,
                   const char *what, const char *line, const uint64_t *to, struct sw_error *error) {
    const struct sw_problem *problem = sw_branch_problem_for(session, planner);
    uint64_t target = to ? *to : 0;
    if (!sw_planner_applies(planner, problem, error) || !sw_params_check(params, planner, error)) {
        return false;
    }
    if (!to && sw_run_at_end(sw_state_search(session))) {
        target = UINT64_MAX; /* from one end to the other */
    }
    target = to ? target : sw_until_take(session, target);
    struct sw_search *search = sw_search_new(problem, planner, params, error);
    return search &&
           sw_branch_adopt(session, search, problem, &(struct sw_origin){.what = what, .line = line}, target, error);
}

/* "planner NAME 0": one that a file says, by its path, so that every session finds it. */
static char *planner_line(const struct sw_planner *planner) {
    const char *path = sw_lua_planner_path(planner);
    return sw_state_line("planner", path ? &path : &planner->name, 1, "0");
}

/* Settings belong to a planner; seed and budget stay. */
struct sw_params sw_branch_params(const struct sw_session *session) {
    const struct sw_params *now = sw_search_params(sw_state_search(session));
    return (struct sw_params){.seed = now->seed,
                              .work = now->work,
                              .cost = now->cost,
                              .actions = now->actions,
                              .action_count = now->action_count,
                              .breeding = now->breeding,
                              .policy = now->policy,
                              .tier_rules = now->tier_rules};
}

bool sw_branch_add(struct sw_session *session, const struct sw_planner *planner, uint32_t *branch,
                   struct sw_error *error) {
    struct sw_params params = sw_branch_params(session);
    struct sw_branch fresh = {.parent = session->current,
                              .made_at = sw_search_at(sw_state_search(session)),
                              .line = planner_line(planner),
                              .what = sw_state_copy(planner->name)};
    fresh.search = sw_planner_applies(planner, session->problem, error)
                       ? sw_search_new(session->problem, planner, &params, error)
                       : NULL;
    if (!fresh.search) {
        sw_state_drop(fresh.what);
        sw_state_drop(fresh.line);
        return false;
    }
    fresh.problem = sw_problem_ref(session->problem);
    if (!push_branch(session, &fresh, false, error)) {
        return false;
    }
    *branch = (uint32_t)sw_branch_count(session) - 1;
    session->saved.edits--; /* to look at another planner is no edit */
    return true;
}

bool sw_do_planner(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_planner *planner = given->value[0].planner;
    struct sw_params params = sw_branch_params(session);
    char *line = planner_line(planner);
    bool good = line ? sw_branch_run(session, planner, &params, planner->name, line, sw_given_number(given, 1), error)
                     : sw_fail_memory(error);
    sw_state_drop(line);
    return good;
}

SW_PLAIN_COMMAND(set, sw_branch_set(session, given->words[0], sw_given_number(given, 1), error));

bool sw_branch_set(struct sw_session *session, char *setting, const uint64_t *to, struct sw_error *error) {
    struct sw_params params = {0};
    char digits[24];
    const struct sw_search *search = sw_state_search(session);
    if (!sw_params_copy(&params, sw_search_params(search))) {
        return sw_fail_memory(error);
    }
    char what[120], *line = sw_state_line("set", &(const char *){setting}, 1, "0");
    if (!line) {
        sw_params_done(&params);
        return sw_fail_memory(error);
    }
    snprintf(what, sizeof what, "set %.100s", setting);
    const char *key = strtok_r(setting, "=", &setting), *value = setting;
    bool ok = strcmp(key, "seed") == 0   ? sw_state_number(value, &params.seed, error)
              : strcmp(key, "work") == 0 ? sw_state_number(value, &params.work, error)
                                         : sw_params_set(&params, key, sw_size_digits(value, digits), error);
    ok = ok && sw_branch_run(session, sw_search_planner(search), &params, what, line, to, error);
    sw_state_drop(line);
    sw_params_done(&params);
    return ok;
}

/* Where one of our planners goes on: here, or where it is told. */
static bool follow_from(const struct sw_session *session, const uint64_t *told, uint64_t *from,
                        struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    const struct sw_recording *recording = sw_problem_recording(sw_search_problem(search));
    if (!recording || !(sw_search_planner(search)->needs & SW_NEEDS_RECORDING)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "this is not a recorded run: its own planner can be asked (pin, forbid, choose)");
    }
    *from = told ? *told : sw_search_at(search);
    const struct sw_params *params = sw_search_params(search);
    uint64_t end = recording->decisions.count;
    if (strcmp(sw_params_text(params, sw_search_planner(search), "continue"), "none") != 0 &&
        strcmp(sw_params_text(params, sw_search_planner(search), "from"), "end") != 0) {
        uint64_t taken = (uint64_t)sw_params_integer(params, sw_search_planner(search), "from");
        end = SW_MIN(end, taken);
    }
    return *from <= end ||
           sw_fail(error, SW_ERROR_USAGE,
                   "the recorded decisions of this run end with number %" PRIu64 "; go back there to go on another way",
                   end);
}

bool sw_do_continue_with(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_params params = {0};
    uint64_t from;
    const struct sw_planner *follower = given->value[0].planner;
    if (!follow_from(session, sw_given_number(given, 1), &from, error)) {
        return false;
    }
    const struct sw_search *search = sw_state_search(session);
    char number[24], what[120];
    snprintf(number, sizeof number, "%" PRIu64, from);
    char *line = sw_state_line("continue-with", (const char *const[]){follower->name, number}, 2, "0");
    snprintf(what, sizeof what, "continue-with %.40s from decision %" PRIu64, follower->name, from);
    bool ok = (line && sw_params_copy(&params, sw_search_params(search))) || sw_fail_memory(error);
    const uint64_t *to = given->count > 2 ? &given->value[2].number : &from;
    bool ended = given->count < 3 && sw_run_at_end(search);
    ok = ok && sw_params_set(&params, "continue", follower->name, error) &&
         sw_params_set(&params, "from", number, error) &&
         sw_branch_run(session, sw_search_planner(search), &params, what, line, ended ? NULL : to, error);
    sw_params_done(&params);
    sw_state_drop(line);
    return ok;
}

static bool switch_to(struct sw_session *session, uint32_t index, struct sw_error *error) {
    struct sw_undo_point before = {0};
    uint32_t from = session->current;
    sw_undo_point_take(session, &before);
    sw_state_use(session, index);
    sw_state_moved(session);
    if (!sw_change_record(session, &before, SW_NONE, error)) {
        sw_state_use(session, from);
        return false;
    }
    const struct sw_branch *branch = sw_branch_at(session, index);
    sw_session_say(session, false, "branch %u: %s, at decision %" PRIu64, index + 1, branch->what,
                   sw_search_at(branch->search));
    return true;
}

bool sw_do_branch(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint32_t which;
    return sw_branch_number(session, &given->value[0], &which, error) && switch_to(session, which, error);
}

bool sw_do_next_branch(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given;
    uint32_t next = session->current;
    do {
        next = next + 1 < sw_branch_count(session) ? next + 1 : 0;
    } while (sw_branch_at(session, next)->hidden);
    if (next == session->current) {
        sw_session_say(session, false, "there is only one branch; %s, %s and %s make more", SW_KEY(session, "pin"),
                       SW_KEY(session, "forbid"), SW_KEY(session, "choose"));
        return true;
    }
    return switch_to(session, next, error);
}

bool sw_do_branches(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given, (void)error;
    char line[600], peak[300];
    struct sw_sink text = {0};
    sw_page_begin(session, "Branches: branch N goes to one");
    for (size_t i = 0; i < sw_branch_count(session); i++) {
        struct sw_branch *branch = sw_branch_at(session, i);
        if (branch->hidden) {
            continue;
        }
        bool ended = sw_branch_ended(branch), here = i == session->current;
        const char *result = !ended             ? "not run to its end"
                             : branch->feasible ? sw_branch_peaks(branch, true, peak, sizeof peak)
                                                : "no layout";
        snprintf(line, sizeof line, "%s%3zu  %-18s  %s", here ? ">" : " ", i + 1, result, branch->what);
        sw_page_add(session, here ? SW_STYLE_CURRENT : SW_STYLE_TEXT, line);
        sw_sink_printf(&text, "%s%s%zu %s: %s", text.text.count ? "   " : "", here ? ">" : "", i + 1, branch->what,
                       result);
    }
    const char *said = sw_sink_ended(&text);
    session->missed |= !said;
    sw_session_say(session, false, "%s", said ? said : "");
    sw_sink_done(&text);
    return true;
}
