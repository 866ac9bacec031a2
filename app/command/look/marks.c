/* Going to places: decisions about one buffer, the first overflow, and places that the user marked.
 */
#include "command/command_line.h"
#include "base/base.h"
#include "command/doors/doors.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/screen/screen.h"
#include "command/state.h"

SW_SESSION_PART(marks, SW_TEXTS_DONE(&marks->list, .note));

/* A place where the user has been. */
struct sw_spot {
    uint32_t branch;
    uint64_t step;
};
/* Places that commands led away from, and those that went-back left. */
struct sw_trail {
    struct spots {
        SW_ARRAY(struct sw_spot) list;
    } back, forward;
    bool walking; /* what goes on now is not to be remembered */
};

static void forget_trail(struct sw_trail *trail) {
    SW_ARRAY_DONE(&trail->back.list, &trail->forward.list);
}

SW_SESSION_PART(trail, forget_trail(trail));

static bool go_to(struct sw_session *session, uint64_t step, struct sw_error *error) {
    return sw_job_start(session, (struct sw_job){.kind = SW_JOB_GOTO, .target = step}, error);
}

/* ---- about the same buffer ---- */

/* The selected buffer, or the one that the decision is about. */
static bool subject_buffer(const struct sw_session *session, uint32_t *buffer, struct sw_error *error) {
    const struct sw_decision *decision = sw_search_decision(sw_state_search(session));
    *buffer = session->sight.selected;
    if (*buffer == SW_NONE && decision) {
        *buffer = decision->buffer;
    }
    return *buffer != SW_NONE ||
           sw_fail(error, SW_ERROR_USAGE, "no buffer is selected, and the decision is about none; %s selects one",
                   SW_KEY(session, "select-next"));
}

static bool about(struct sw_session *session, bool forward, struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    uint64_t at = sw_search_at(search), known = sw_search_known(search);
    uint32_t buffer;
    if (!subject_buffer(session, &buffer, error)) {
        return false;
    }
    const char *name = sw_problem_buffer(sw_state_problem(session), buffer)->name;
    for (uint64_t i = at; forward ? i < known : i > 1;) {
        i = forward ? i + 1 : i - 1;
        const struct sw_decision *decision = sw_search_journal(search, i);
        if (decision && decision->buffer == buffer) {
            session->sight.selected = buffer;
            return go_to(session, i, error);
        }
    }
    bool more = forward && !sw_search_complete(search);
    sw_session_say(session, false, "no %s decision about %s%s%s%s", forward ? "later" : "earlier", name,
                   more ? " so far; " : "", more ? SW_KEY(session, "last") : "", more ? " runs to the end" : "");
    return true;
}

SW_PLAIN_COMMAND(next_about, about(session, true, error));
SW_PLAIN_COMMAND(previous_about, about(session, false, error));

/* ---- the first overflow ---- */

bool sw_do_goto_overflow(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    bool bounded = false;
    (void)given;
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_state_problem(session)); t++) {
        bounded |= sw_problem_tier(sw_state_problem(session), t)->capacity != SW_UNBOUNDED;
    }
    if (!bounded) {
        return sw_fail(error, SW_ERROR_USAGE, "no tier has a capacity that could overflow; --capacity gives one");
    }
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        if (decision && decision->tier != SW_NONE &&
            decision->peak > sw_problem_tier(sw_state_problem(session), decision->tier)->capacity) {
            return go_to(session, i, error);
        }
    }
    bool failed = sw_search_failed(search, NULL);
    if (failed || sw_search_complete(search)) {
        sw_session_say(session, false,
                       failed ? "no block overflows: the run ends where one finds no room" : "nothing overflows");
    } else {
        sw_session_say(session, false, "nothing overflows so far; %s runs to the end", SW_KEY(session, "last"));
    }
    return !failed || go_to(session, sw_search_known(search), error);
}

/* ---- marks ---- */

static struct sw_mark_place *find_mark(struct sw_session *session, const char *name) {
    for (size_t i = 0; i < session->marks->list.count; i++) {
        if (strcmp(session->marks->list.items[i].name, name) == 0) {
            return &session->marks->list.items[i];
        }
    }
    return NULL;
}

bool sw_do_mark(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_mark_place place = {.branch = session->current, .step = sw_search_at(sw_state_search(session))};
    char note[400];
    if (strlen(given->words[0]) >= sizeof place.name) {
        return sw_fail(error, SW_ERROR_USAGE, "a mark's name has at most %zu letters", sizeof place.name - 1);
    }
    sw_given_join(given, 1, note, sizeof note);
    snprintf(place.name, sizeof place.name, "%s", given->words[0]);
    place.note = sw_state_copy(note);
    struct sw_mark_place *old = find_mark(session, place.name);
    if (old && place.note) {
        sw_state_drop(old->note);
        *old = place;
    } else if (!place.note || !SW_PUSH(&session->marks->list, place)) {
        sw_state_drop(place.note);
        return sw_fail_memory(error);
    }
    sw_session_say(session, false, "mark %s: decision %" PRIu64 " of branch %u", place.name, place.step,
                   place.branch + 1);
    return true;
}

bool sw_do_jump(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_mark_place *place = &session->marks->list.items[given->value[0].index];
    char branch[48];
    if (sw_branch_at(session, place->branch)->hidden) {
        return sw_fail(error, SW_ERROR_USAGE, "mark %s is in a branch that was undone", place->name);
    }
    snprintf(branch, sizeof branch, "branch %u", place->branch + 1);
    if (place->branch != session->current && !sw_session_command(session, branch, error)) {
        return false;
    }
    if (place->note[0]) {
        sw_session_say(session, false, "%s: %s", place->name, place->note);
    }
    return go_to(session, place->step, error);
}

bool sw_do_marks(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    char line[600];
    (void)given, (void)error;
    sw_page_begin(session, "Marks");
    for (size_t i = 0; i < session->marks->list.count; i++) {
        const struct sw_mark_place *place = &session->marks->list.items[i];
        snprintf(line, sizeof line, "%s  decision %" PRIu64 " of branch %u%s%s", place->name, place->step,
                 place->branch + 1, place->note[0] ? ": " : "", place->note);
        sw_page_add(session, SW_STYLE_TEXT, line);
    }
    if (session->marks->list.count == 0) {
        sw_page_add(session, SW_STYLE_DIM, "none so far; :mark NAME NOTE marks this decision");
    }
    return true;
}

void sw_marks_carry(struct sw_carrier *carrier) {
    const struct sw_session *from = carrier->from;
    for (size_t i = 0; i < from->marks->list.count; i++) {
        struct sw_mark_place *mark = &from->marks->list.items[i];
        if (sw_branch_is_there(from, mark->branch)) {
            const char *const words[] = {mark->name, mark->note};
            char *line = sw_state_line("mark", words, mark->note[0] ? 2 : 1, "");
            sw_carry_to(carrier, mark->branch, mark->step);
            if (!line || !sw_carry(carrier, NULL, "%s", line)) {
                sw_carry_lost(carrier, mark->name, "the mark cannot be set");
            }
            sw_state_drop(line);
        }
    }
}

/* ---- where one has been ---- */

enum { MOST_SPOTS = 1000 };

static struct sw_spot here_now(const struct sw_session *session) {
    return (struct sw_spot){session->current, sw_search_at(sw_state_search(session))};
}

static bool same_visit(struct sw_spot a, struct sw_spot b) {
    return a.branch == b.branch && a.step == b.step;
}

/* A command led away from where it was given. Lack of memory only forgets it. */
void sw_trail_after(struct sw_session *session, const struct sw_call *call) {
    struct sw_trail *trail = session->trail;
    struct sw_spot spot = {call->branch, call->step};
    size_t count = trail->back.list.count;
    if (!call->done || !(call->command->flags & SW_COMMAND_JUMPS) || trail->walking ||
        (!session->job.kind && same_visit(spot, here_now(session))) ||
        (count > 0 && same_visit(trail->back.list.items[count - 1], spot))) {
        return;
    }
    if (count == MOST_SPOTS) {
        memmove(trail->back.list.items, trail->back.list.items + 1, (count - 1) * sizeof *trail->back.list.items);
        trail->back.list.count--;
    }
    trail->forward.list.count = 0;
    (void)SW_PUSH(&trail->back.list, spot);
}

/* What the reload itself has left there goes. */
void sw_trail_carry(struct sw_carrier *carrier) {
    const struct sw_trail *old = carrier->from->trail;
    struct sw_trail *trail = carrier->to->trail;
    trail->back.list.count = trail->forward.list.count = 0;
    for (size_t i = 0; i < old->back.list.count; i++) {
        struct sw_spot spot = {carrier->map.items[old->back.list.items[i].branch], old->back.list.items[i].step};
        if (sw_branch_is_there(carrier->from, old->back.list.items[i].branch) && !SW_PUSH(&trail->back.list, spot)) {
            return;
        }
    }
}

/* By commands that a replay understands. */
static bool walk(struct sw_session *session, struct sw_spot to, struct sw_error *error) {
    char line[48];
    bool good = true;
    session->trail->walking = true;
    if (to.branch != session->current) {
        snprintf(line, sizeof line, "branch %u", to.branch + 1);
        good = sw_session_command(session, line, error);
    }
    snprintf(line, sizeof line, "goto %" PRIu64, to.step);
    good = good && sw_session_command(session, line, error);
    session->trail->walking = false;
    return good;
}

/* To the last place on one list that is another one than here, which goes onto the other list. */
static bool walk_trail(struct sw_session *session, struct spots *from, struct spots *to, const char *way,
                       struct sw_error *error) {
    struct sw_spot here = here_now(session);
    while (from->list.count > 0) {
        struct sw_spot there = from->list.items[--from->list.count];
        if (!sw_branch_at(session, there.branch)->hidden && !same_visit(there, here)) {
            return SW_PUSH(&to->list, here) ? walk(session, there, error) : sw_fail_memory(error);
        }
    }
    sw_session_say(session, false, "this is as far %s as it goes", way);
    return true;
}

SW_PLAIN_COMMAND(went_back, walk_trail(session, &session->trail->back, &session->trail->forward, "back", error));
SW_PLAIN_COMMAND(went_forward, walk_trail(session, &session->trail->forward, &session->trail->back, "forward", error));
