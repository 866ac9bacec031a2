/* What would lower the peak of the run: looked for aside, in slices; one of what was found is made by the commands that
 * it stands for, which the log has. */
#include "base/base.h"
#include "command/doors/doors.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "view/suggest/suggest_words.h"

struct sw_suggesting {
    struct sw_suggest *found; /* NULL: nothing was asked */
    bool on;
    uint32_t branch; /* that it is about */
    size_t row;      /* that is looked at */
    char line[40];   /* that a key stands for */
};

SW_SESSION_PART(suggesting, sw_suggest_free(suggesting->found));

bool sw_suggesting_busy(struct sw_session *session) {
    return session->suggesting->on;
}

static void say_found(struct sw_session *session, const char *how) {
    const struct sw_suggest *found = session->suggesting->found;
    struct sw_suggest_state state;
    size_t count = sw_suggest_count(found);
    sw_suggest_state_of(found, &state);
    if (count == 0) {
        sw_session_say(session, false, "%s%s", how,
                       state.over && !state.spent && !sw_suggest_any_tried(&state)
                           ? "no moves are known for this planner"
                       : state.at_bound ? "the peak is the lower bound, and nothing that was tried lowers that"
                                        : "nothing that was tried lowers the peak");
        return;
    }
    const struct sw_suggestion *best = sw_suggest_get(found, 0);
    sw_session_say(session, false, "%s%s suggestion%s; the best leads to a peak of %s: %s makes it, %s and %s go along",
                   how, SW_COUNT(count), count == 1 ? "" : "s", SW_BYTES(best->peak), SW_KEY(session, "goto-block"),
                   SW_KEY(session, "next-candidate"), SW_KEY(session, "previous-candidate"));
}

bool sw_suggesting_slice(struct sw_session *session, uint64_t work, struct sw_error *error) {
    struct sw_suggesting *suggesting = session->suggesting;
    if (!suggesting->on) {
        return false;
    }
    struct sw_error own = {0};
    enum sw_step step = sw_suggest_step(suggesting->found, work, &own);
    if (step == SW_STEP_MORE) {
        return true;
    }
    suggesting->on = false;
    if (step == SW_STEP_FAILED) {
        sw_session_say(session, true, "%s", own.message);
        return sw_state_good(&own, error);
    }
    say_found(session, "");
    return false;
}

bool sw_suggesting_stop(struct sw_session *session) {
    struct sw_suggest_state state;
    char line[48];
    if (!session->suggesting->on) {
        return false;
    }
    session->suggesting->on = false;
    sw_suggest_state_of(session->suggesting->found, &state);
    snprintf(line, sizeof line, "suggested %" PRIu64, state.work);
    sw_state_log(session, line, NULL); /* without memory, a replay finds more */
    say_found(session, "stopped: ");
    return true;
}

/* How a log says it. */
bool sw_do_suggested(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_suggesting *suggesting = session->suggesting;
    if (!suggesting->found) {
        return sw_fail(error, SW_ERROR_USAGE, "suggest has not been asked");
    }
    sw_suggest_halt(suggesting->found, given->value[0].number);
    return true;
}

void sw_suggesting_view(struct sw_session *session, struct sw_view_input *in) {
    const struct sw_suggesting *suggesting = session->suggesting;
    in->run.suggest = suggesting->found;
    in->run.suggest_branch = suggesting->branch == session->current ? 0 : suggesting->branch + 1;
    in->look.suggestion = (uint32_t)suggesting->row;
}

bool sw_do_suggest(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_suggesting *suggesting = session->suggesting;
    const uint64_t *capacity = sw_given_number(given, 0);
    struct sw_suggest_request request = {.has_capacity = capacity, .capacity = capacity ? *capacity : 0};
    struct sw_suggest *found = sw_suggest_new(sw_state_search(session), &request, error);
    if (!found) {
        return false;
    }
    sw_sight_pane(session, SW_KEYS_SUGGEST);
    session->sight.scroll = 0;
    sw_suggest_free(suggesting->found);
    *suggesting = (struct sw_suggesting){.found = found, .on = true, .branch = session->current};
    sw_session_say(session, false, "trying moves; %s stops it", SW_KEY(session, "stop"));
    return true;
}

bool sw_suggestions_any(const struct sw_session *session) {
    return session->suggesting->found && sw_suggest_count(session->suggesting->found) > 0;
}

void sw_suggestion_press(struct sw_session *session, bool after, bool before, const struct sw_command **command,
                         const char **line) {
    struct sw_suggesting *suggesting = session->suggesting;
    if (after || before) { /* the log has which one, whatever the list had then */
        snprintf(suggesting->line, sizeof suggesting->line, "suggestion %zu",
                 sw_row_beside(suggesting->row, sw_suggest_count(suggesting->found), after) + 1);
        *command = &sw_commands[SW_DO_suggestion];
        *line = suggesting->line;
    } else {
        *command = &sw_commands[SW_DO_take_suggestion];
        *line = (*command)->name;
    }
}

bool sw_do_suggestion(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_suggesting *suggesting = session->suggesting;
    size_t count = suggesting->found ? sw_suggest_count(suggesting->found) : 0;
    uint64_t which = given->value[0].number;
    if (which == 0 || which > UINT32_MAX) {
        return sw_fail(error, SW_ERROR_USAGE, "suggestions are counted from 1");
    }
    if (which > count && !suggesting->on && suggesting->found) { /* while it looks, more may come */
        return count == 0 ? sw_fail(error, SW_ERROR_USAGE, "there are no suggestions")
                          : sw_fail(error, SW_ERROR_USAGE, "there are suggestions 1 to %zu", count);
    }
    suggesting->row = (size_t)which - 1;
    if (which <= count) {
        struct sw_sink phrase = {0};
        const struct sw_suggestion *of = sw_suggest_get(suggesting->found, suggesting->row);
        sw_suggest_put_phrase(sw_suggest_run(suggesting->found), session->options.base, of, &phrase);
        const char *text = sw_sink_ended(&phrase);
        sw_session_say(session, false, "suggestion %zu of %zu: %s, peak %s; %s makes it", suggesting->row + 1, count,
                       text ? text : "", SW_BYTES(of->peak), SW_KEY(session, "goto-block"));
        sw_sink_done(&phrase);
    }
    return true;
}

/* A command, and what it has begun, to its end: what is looked for aside stays as it is. */
static bool command_to_end(struct sw_session *session, const char *line, struct sw_error *error) {
    bool on = session->suggesting->on, good = sw_session_command(session, line, error);
    session->suggesting->on = false;
    while (good && session->job.kind != SW_JOB_NONE) {
        sw_session_slice(session, UINT64_C(1000000), error);
        good = error->code == SW_OK;
    }
    session->suggesting->on = on;
    return good;
}

/* The lines, from the branch that they are about. */
static bool make_suggestion(struct sw_session *session, const struct sw_suggestion *of, struct sw_error *error) {
    struct sw_sink lines = {0};
    char branch[32];
    uint32_t about = session->suggesting->branch;
    if (!sw_branch_is_there(session, about)) {
        return sw_fail(error, SW_ERROR_USAGE, "the branch of these suggestions is gone");
    }
    sw_suggest_put_commands(sw_suggest_run(session->suggesting->found), session->options.base, of, "\n", &lines);
    char *rest = sw_sink_ended(&lines);
    bool good = rest || sw_fail_memory(error);
    if (good && session->current != about) {
        snprintf(branch, sizeof branch, "branch %" PRIu32, about + 1);
        good = command_to_end(session, branch, error);
    }
    for (char *line; good && (line = strsep(&rest, "\n")) != NULL;) {
        /* The run of the last one is an ordinary job, which keys can stop. */
        good = rest ? command_to_end(session, line, error) : sw_session_command(session, line, error);
    }
    sw_sink_done(&lines);
    return good;
}

bool sw_do_take_suggestion(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_suggesting *suggesting = session->suggesting;
    size_t count = suggesting->found ? sw_suggest_count(suggesting->found) : 0;
    size_t which = given->count > 0 ? (size_t)given->value[0].number - 1 : suggesting->row;
    if (count == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "there are no suggestions: suggest looks for some");
    }
    if (which >= count) {
        return sw_fail(error, SW_ERROR_USAGE, "there are suggestions 1 to %zu", count);
    }
    struct sw_suggestion of = *sw_suggest_get(suggesting->found, which); /* the list may change meanwhile */
    return make_suggestion(session, &of, error);
}
