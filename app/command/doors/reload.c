/* Files that change while they are in use.
 *
 * When the bytes of a file have changed, a second session is made of what the files hold now, and the commands
 * are given to it that lead to where this one stands: breakpoints, branches with their what-ifs, marks, runs
 * side by side, the view. What it refuses is named. Then the two change places: the one that is shown goes on
 * with its new log, which is what a replay on the changed file needs and nothing else; the old one waits for
 * `undo`, its log with it. A session saved after that refers to the file as it was then. */
#include "command/attached/attached.h"
#include "base/base.h"
#include "command/command_line.h"
#include "command/doors/doors.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- what becomes of what was done ---- */

/* A run to a far decision would stop everything for as long as it once took. What is not reached within this
 * work, about a second, is left where it came to. */
enum { MOST_CARRY_WORK = 40000000, CARRY_SLICE = 100000 };

/* Let what was started come to its end; false: it was stopped on its way. */
static bool settle_carried(struct sw_carrier *carrier) {
    struct sw_session *to = carrier->to;
    while (to->job.kind || sw_beside_busy(to)) {
        if (carrier->work < CARRY_SLICE) {
            sw_session_stop(to);
            return false;
        }
        carrier->work -= CARRY_SLICE;
        sw_session_slice(to, CARRY_SLICE, NULL);
    }
    return true;
}

bool sw_carry(struct sw_carrier *carrier, struct sw_error *why, const char *format, ...) {
    struct sw_error own;
    struct sw_sink line = {0};
    va_list list;
    why = why ? why : &own;
    *why = (struct sw_error){0};
    va_start(list, format);
    sw_sink_vprintf(&line, format, list);
    va_end(list);
    const char *whole = sw_sink_ended(&line);
    bool good =
        (whole || sw_fail_memory(why)) && sw_session_command(carrier->to, whole, why) && settle_carried(carrier);
    sw_sink_done(&line);
    return good;
}

void sw_carry_lost(struct sw_carrier *carrier, const char *what, const char *why) {
    char text[700];
    why = *why ? why : "its decision is too far to run to";
    snprintf(text, sizeof text, "not carried over: %.200s: %.300s", what, why);
    sw_session_tell(carrier->from, true, text);
    if (carrier->lost++ == 0) {
        snprintf(carrier->first, sizeof carrier->first, "%.150s: %.200s", what, why);
    }
}

bool sw_carry_to(struct sw_carrier *carrier, uint32_t branch, uint64_t step) {
    uint32_t now = carrier->map.items[branch];
    bool there = carrier->to->current == now || sw_carry(carrier, NULL, "branch %" PRIu32, now + 1);
    return there && sw_carry(carrier, NULL, "goto %" PRIu64, step);
}

static void carry_breaks(struct sw_carrier *carrier) {
    const struct sw_breaks *breaks = &carrier->from->breaks;
    for (size_t i = 0; i < breaks->list.count; i++) {
        char line[sizeof breaks->list.items[i].text + 8];
        struct sw_error why;
        snprintf(line, sizeof line, "break %s", breaks->list.items[i].text);
        if (!sw_carry(carrier, &why, "%s", line)) {
            sw_carry_lost(carrier, line, why.message);
        }
    }
}

/* ---- branches ---- */

static bool same_name(const struct sw_problem *a, uint32_t x, const struct sw_problem *b, uint32_t y) {
    return x == SW_NONE || y == SW_NONE ? x == y
                                        : strcmp(sw_problem_buffer(a, x)->name, sw_problem_buffer(b, y)->name) == 0;
}

static bool same_tier_called(const struct sw_problem *a, uint32_t x, const struct sw_problem *b, uint32_t y) {
    return x == SW_NONE || y == SW_NONE ? x == y
                                        : strcmp(sw_problem_tier(a, x)->name, sw_problem_tier(b, y)->name) == 0;
}

/* The candidate that is what was chosen then, from 1; 0: this decision has none. */
static size_t find_pick(struct sw_carrier *carrier, const struct sw_branch *branch) {
    struct sw_session *to = carrier->to;
    const struct sw_explanation *now = sw_state_explanation(to);
    const struct sw_pick *pick = &branch->pick;
    const struct sw_problem *old = branch->problem;
    if (!now || now->decision.kind != pick->kind || !same_name(old, pick->buffer, to->problem, now->decision.buffer)) {
        return 0;
    }
    for (size_t i = 0; i < now->candidates.count; i++) {
        const struct sw_candidate *one = &now->candidates.items[i];
        bool same = pick->runs && one->runs ? strcmp(sw_problem_operator(old, pick->op)->name,
                                                     sw_problem_operator(to->problem, one->op)->name) == 0
                                            : !pick->runs && !one->runs && one->offset == pick->offset &&
                                                  same_tier_called(old, pick->tier, to->problem, one->tier);
        if (same && one->verdict != SW_VERDICT_REFUSED) {
            return i + 1;
        }
    }
    return 0;
}

/* Before the decision that placed what the branch is about, which may come earlier now. */
static bool go_before(struct sw_carrier *carrier, const struct sw_branch *branch) {
    const struct sw_search *old = branch->search, *now = sw_state_search(carrier->to);
    size_t count = 0;
    const struct sw_recipe_entry *recipe = sw_search_recipe(old, &count);
    const struct sw_override *demand = count ? &recipe[count - 1].override : NULL;
    uint64_t at = sw_search_at(now);
    if (!demand || demand->kind == SW_OVERRIDE_CHOOSE || demand->buffer == SW_NONE) {
        return false;
    }
    for (uint64_t i = 1; i <= at; i++) {
        if (same_name(branch->problem, demand->buffer, carrier->to->problem, sw_search_journal(now, i)->buffer)) {
            return sw_carry(carrier, NULL, "goto %" PRIu64, i - 1);
        }
    }
    return false;
}

/* The command that made the branch, where its parent stands. */
static bool make_branch(struct sw_carrier *carrier, const struct sw_branch *branch, struct sw_error *why) {
    *why = (struct sw_error){0};
    if (sw_command_of(branch->line) == &sw_commands[SW_DO_choose]) {
        size_t which = find_pick(carrier, branch);
        return which ? sw_carry(carrier, why, "choose %zu", which)
                     : sw_fail(why, SW_ERROR_USAGE, "decision %" PRIu64 " does not have this place to choose any more",
                               branch->made_at);
    }
    if (branch->edits) {
        sw_carry(carrier, NULL, "until 0");
    }
    struct sw_error again;
    return sw_carry(carrier, why, "%s", branch->line) ||
           (go_before(carrier, branch) && sw_carry(carrier, &again, "%s", branch->line));
}

static void name_branch(struct sw_carrier *carrier, const struct sw_branch *branch) {
    char *line = branch->name ? sw_state_line("name", &(const char *){branch->name}, 1, "") : NULL;
    if (line) {
        sw_carry(carrier, NULL, "%s", line);
    }
    sw_state_drop(line);
}

static void carry_branch(struct sw_carrier *carrier, uint32_t which) {
    const struct sw_branch *branch = sw_branch_at(carrier->from, which);
    struct sw_error why = {0};
    char place[160];
    size_t before = sw_branch_count(carrier->to);
    uint32_t parent = sw_branch_parent(carrier->from, which);
    parent = parent == SW_NONE ? 0 : parent;
    carrier->map.items[which] = carrier->map.items[parent];
    snprintf(place, sizeof place, "branch %" PRIu32 " (%.120s)", which + 1, branch->what);
    if (!sw_carry_to(carrier, parent, branch->made_at) || !make_branch(carrier, branch, &why) ||
        sw_branch_count(carrier->to) == before) {
        carrier->to->until.set = false;
        sw_carry_lost(carrier, place, why.message);
        return;
    }
    carrier->map.items[which] = (uint32_t)sw_branch_count(carrier->to) - 1;
    carrier->kept++;
    name_branch(carrier, branch);
    const char *remark = sw_branch_at(carrier->to, carrier->to->current)->remark;
    if (remark && !branch->remark) {
        sw_carry_lost(carrier, place, remark);
    }
}

static void carry_branches(struct sw_carrier *carrier) {
    const struct sw_session *from = carrier->from;
    name_branch(carrier, sw_branch_at(from, 0));
    for (uint32_t i = 1; i < sw_branch_count(from); i++) {
        if (sw_branch_is_there(from, i)) {
            carry_branch(carrier, i);
        }
    }
}

/* ---- the rest ---- */

void sw_branches_carry(struct sw_carrier *carrier) {
    const struct sw_session *from = carrier->from;
    for (uint32_t i = 0; i < sw_branch_count(from); i++) {
        bool own = true;
        for (uint32_t k = 0; k < i && own; k++) { /* those that are lost point to another one */
            own = carrier->map.items[k] != carrier->map.items[i];
        }
        if (own && sw_branch_is_there(from, i) && i != from->current) {
            sw_carry_to(carrier, i, sw_branch_step(from, i));
        }
    }
}

/* Every line of a text. */
static void give_lines(struct sw_carrier *carrier, struct sw_sink *text) {
    char *rest = sw_sink_ended(text);
    for (char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
        sw_carry(carrier, NULL, "%s", line);
    }
    sw_sink_done(text);
}

static void carry_sight(struct sw_carrier *carrier) {
    const struct sw_session *from = carrier->from;
    const struct sw_sight *sight = &from->sight;
    const struct sw_viewport *view = &sight->viewport;
    struct sw_sink text = {0};
    char *find = from->needle ? sw_state_line("find", &(const char *){from->needle}, 1, "") : NULL;
    if (find) { /* for the next match; what is selected follows */
        sw_sink_printf(&text, "%s\n", find);
        sw_state_drop(find);
    }
    sw_sink_printf(&text, "select\n");
    if (sight->selected != SW_NONE) {
        char *line = sw_state_line("select", &sw_problem_buffer(from->problem, sight->selected)->name, 1, "");
        sw_sink_printf(&text, "%s\n", line ? line : "select");
        sw_state_drop(line);
    }
    sw_moment_piece_write(from, &text);
    if (sight->tier > 0) {
        char *line = sw_state_line("tier", &sw_problem_tier(from->problem, sight->tier)->name, 1, "");
        sw_sink_printf(&text, "%s\n", line ? line : "tier 0");
        sw_state_drop(line);
    }
    sw_tables_write(sight, &text);
    sw_sink_printf(&text, "ghosts %s\n", sight->ghosts ? "on" : "off");
    if (sight->raw_time) {
        sw_sink_printf(&text, "raw-time on\n");
    }
    if (sight->coloring) {
        sw_sink_printf(&text, "color-by %s\n", sw_coloring_words[sight->coloring]);
    }
    if (!sight->fit) {
        sw_sink_printf(&text, "zoom %.0f %.0f %.0f %.0f\n", floor(view->time_lo), ceil(view->time_hi),
                       floor(view->bytes_lo), ceil(view->bytes_hi));
    }
    give_lines(carrier, &text);
}

/* The commands that lead the new session to where the old one stands. */
static bool carry(struct sw_carrier *carrier, struct sw_error *error) {
    struct sw_session *from = carrier->from, *to = carrier->to;
    char line[48];
    if (!SW_RESERVE(&carrier->map, sw_branch_count(from))) {
        return sw_fail_memory(error);
    }
    memset(carrier->map.items, 0, sw_branch_count(from) * sizeof *carrier->map.items);
    carry_breaks(carrier);
    carry_branches(carrier);
    SW_PARTS_WITH(carry) {
        part->carry(carrier);
    }
    uint32_t current = carrier->map.items[from->current];
    if (to->current != current) {
        sw_carry(carrier, NULL, "branch %" PRIu32, current + 1);
    }
    sw_carry(carrier, NULL, "carried %016" PRIx64, from->digest);
    carry_sight(carrier);
    /* The last way is gone as ever, slice by slice; the cursor goes along. */
    snprintf(line, sizeof line, "goto %" PRIu64, sw_branch_step(from, from->current));
    sw_session_command(to, line, NULL);
    if (sw_branch_step(from, from->current) == sw_search_at(sw_state_search(to))) {
        snprintf(line, sizeof line, "cursor %" PRIu32, from->sight.cursor);
        sw_session_command(to, line, NULL);
    }
    return true;
}

SW_PLAIN_COMMAND(carried, (sw_change_forget_undone(session), sw_change_forget_all(session), true));

/* ---- reading again ---- */

static void say_read(struct sw_session *session, const struct sw_carrier *carrier) {
    char kept[80] = "", lost[480] = "";
    if (carrier->kept) {
        snprintf(kept, sizeof kept, "; %zu branch%s carried over", carrier->kept, carrier->kept == 1 ? "" : "es");
    }
    if (carrier->lost) {
        snprintf(lost, sizeof lost, "; %zu not (:log): %s", carrier->lost, carrier->first);
    }
    sw_session_say(session, carrier->lost > 0, "read again, at decision %" PRIu64 "%s%s",
                   sw_search_at(sw_state_search(session)), kept, lost);
}

/* A second session of what the files hold now, with all that the commands could carry over. */
static bool carry_over(struct sw_session *session, struct sw_carrier *carrier, struct sw_error *error) {
    *carrier = (struct sw_carrier){.from = session, .work = MOST_CARRY_WORK};
    carrier->to = sw_state_new(&session->options, session, error);
    bool good = carrier->to && carry(carrier, error);
    SW_ARRAY_DONE(&carrier->map);
    if (!good) {
        sw_session_free(carrier->to);
    }
    return good;
}

static bool read_again(struct sw_session *session, struct sw_error *error) {
    struct sw_carrier carrier;
    if (session->calls.show_wait && sw_branch_count(session) > 1) {
        sw_session_say(session, false, "reading %s again ...", sw_path_name(session->options.path));
        session->calls.show_wait(session->calls.wait_context);
    }
    if (!carry_over(session, &carrier, error)) {
        return false;
    }
    sw_change_forget_undone(session);
    sw_drag_drop(session);
    sw_reload_exchange(session, carrier.to);
    sw_reload_remember(session, carrier.to);
    session->saved.edits += carrier.kept > 0;
    say_read(session, &carrier);
    return true;
}

bool sw_reload_grown(struct sw_session *session, struct sw_error *error) {
    struct sw_carrier carrier;
    char *rest = session->job.kind ? sw_job_rest(session) : NULL;
    bool good = carry_over(session, &carrier, error);
    if (good) {
        sw_drag_drop(session);
        sw_reload_exchange(session, carrier.to); /* the older one has less of the same: undo does not go back there */
        sw_session_free(carrier.to);
        session->job.kind = SW_JOB_NONE;
        if (rest) {
            struct sw_error why;
            sw_session_command(session, rest, &why);
        }
    }
    sw_state_drop(rest);
    return good;
}

bool sw_do_reload(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given;
    struct sw_error own = {0};
    if (strcmp(session->options.path, "-") == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "standard input cannot be read a second time");
    }
    if (session->attached->live) {
        return sw_fail(error, SW_ERROR_USAGE, "what the command records is read as it comes: %s, %s and %s go on",
                       SW_KEY(session, "step"), SW_KEY(session, "next-operator"), SW_KEY(session, "continue"));
    }
    if (!sw_inputs_changed(session)) {
        sw_session_say(session, false, "%s has not changed", sw_path_name(session->options.path));
        return true;
    }
    if (!read_again(session, &own)) {
        sw_session_tell_error(session, &own);
        return sw_fail(error, own.code, "the graph stays as it was: %s", own.message);
    }
    return true;
}

bool sw_session_watches(const struct sw_session *session) {
    return sw_inputs_path(session, 0) && !session->attached->live;
}

bool sw_session_watch(struct sw_session *session) {
    if (session->job.kind || session->attached->live || !sw_inputs_touched(session)) {
        return false;
    }
    sw_session_command(session, "reload", NULL);
    return true;
}
