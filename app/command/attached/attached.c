/* The child of a session: started, read as far as the run goes, and ended with it. */
#include "command/attached/attached.h"
#include "base/base.h"

#include "command/doors/doors.h"
#include "command/look/look.h"
#include "command/screen/screen.h"
#include "formats/trace/read/trace_grow.h"

#include "planners/planner.h"

#include <unistd.h>

enum { PAGE = 4096, REREAD_BYTES = 64 << 10 };

static void forget_attached(struct sw_attached *attached) {
    sw_live_free(attached->live);
    for (size_t i = 0; i < attached->reruns.count; i++) {
        sw_live_free(attached->reruns.items[i].live);
        sw_kept_close(&attached->reruns.items[i].kept);
        sw_state_drop(attached->reruns.items[i].demands);
    }
    SW_ARRAY_DONE(&attached->reruns);
    for (size_t i = 0; i < attached->argc; i++) {
        sw_state_drop(attached->argv[i]);
    }
    SW_FREE(attached->argv, attached->argv ? attached->argc + 1 : 0);
    sw_state_drop(attached->directory);
    sw_kept_close(&attached->kept);
    sw_state_drop(attached->beside.session);
}

SW_SESSION_PART(attached, forget_attached(attached));

/* ---- beginning ---- */

static bool keep_command(struct sw_attached *attached, const char *const *argv, struct sw_error *error) {
    char folder[4096];
    while (argv[attached->argc]) {
        attached->argc++;
    }
    attached->argv = SW_NEW_ZERO(char *, attached->argc + 1);
    for (size_t i = 0; attached->argv && i < attached->argc; i++) {
        attached->argv[i] = sw_state_copy(argv[i]);
        if (!attached->argv[i]) {
            return sw_fail_memory(error);
        }
    }
    attached->directory = getcwd(folder, sizeof folder) ? sw_state_copy(folder) : NULL;
    return (attached->argv && attached->directory) || sw_fail_memory(error);
}

static bool fail_empty(struct sw_live_command *live, struct sw_error *error) {
    struct sw_sink last = {0};
    const struct sw_child_facts *facts = sw_child_facts(sw_live_child(live));
    sw_child_last_lines(sw_live_child(live), SW_CHILD_ERR, 1, &last);
    const char *line = sw_sink_ended(&last);
    sw_fail(error, SW_ERROR_INPUT,
            "the command %s and recorded nothing: its planner must write to the file that STOWAGE_RECORD names%s%s",
            *facts->how ? facts->how : "closed the recording", line && *line ? "; it said last: " : "",
            line ? line : "");
    sw_sink_done(&last);
    return false;
}

/* Until the first decision of run `run` is there, and with it what was declared before. */
static bool wait_for_first(struct sw_live_command *live, uint64_t run, struct sw_error *error) {
    size_t got;
    uint64_t decisions = 0;
    while ((sw_live_runs(live, &decisions) < run || decisions == 0) && !sw_live_over(live)) {
        if (!sw_live_read(live, PAGE, &got, error)) {
            return false;
        }
        if (got == 0) {
            sw_live_wait(live, false, 200);
        }
    }
    sw_live_wait(live, true, 0);
    return sw_live_length(live) > 0 || fail_empty(live, error);
}

struct sw_session *sw_session_attach(const char *const *argv, const struct sw_session_options *from,
                                     struct sw_error *error) {
    const struct sw_child_command command = {.argv = argv};
    struct sw_live_command *live = sw_live_start(&command, error);
    struct sw_session_options options = *from;
    struct sw_session *session = NULL;
    struct sw_error own = {0};
    options.load.grows = true;
    options.load.run = from->load.run ? from->load.run : "1"; /* not the last: it is not known which one that is */
    uint64_t run = strtoull(options.load.run, NULL, 10);
    if (live) {
        sw_live_pace(live, from->paced);
    }
    if (live && wait_for_first(live, run, error)) {
        options.path = sw_live_path(live);
        options.shown = sw_path_name(argv[0]);
        session = sw_session_new(&options, &own);
        if (!session && error) {
            *error = own;
            sw_error_at(error, options.shown, own.line, own.column);
        }
    }
    if (session && keep_command(session->attached, argv, error)) {
        session->attached->live = live;
        session->attached->allowed = true;
        session->attached->run = run;
        session->attached->rebuilt = sw_live_length(live);
        sw_session_say(session, false, "held before its first decision: %s steps, %s lets it go on",
                       SW_KEY(session, "step"), SW_KEY(session, "continue"));
        return session;
    }
    sw_session_free(session);
    sw_live_free(live);
    return NULL;
}

/* ---- going on ---- */

static void say_ended(struct sw_session *session) {
    struct sw_attached *attached = session->attached;
    struct sw_child *child = sw_live_child(attached->live);
    struct sw_sink last = {0};
    char text[600];
    sw_child_last_lines(child, SW_CHILD_ERR, 5, &last);
    char *rest = sw_sink_ended(&last);
    snprintf(text, sizeof text, "the command %s", sw_child_facts(child)->how);
    sw_session_tell(session, sw_child_facts(child)->exit_status != 0, text);
    for (char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
        snprintf(text, sizeof text, "it said: %.500s", line);
        sw_session_tell(session, false, text);
    }
    sw_sink_done(&last);
    attached->told = true;
}

bool sw_session_attached_turn(struct sw_session *session) {
    struct sw_attached *attached = session->attached;
    if (!attached->live || attached->told) {
        return false;
    }
    sw_live_wait(attached->live, true, 0);
    if (!sw_child_facts(sw_live_child(attached->live))->ended) {
        return false;
    }
    say_ended(session);
    if (!session->job.kind && !session->status.text[0]) {
        sw_session_say(session, false, "the command %s (:log has its last lines)",
                       sw_child_facts(sw_live_child(attached->live))->how);
    }
    return true;
}

void sw_session_attached_unpace(struct sw_session *session) {
    if (session->attached->live) {
        sw_live_pace(session->attached->live, false);
    }
}

bool sw_session_attached(const struct sw_session *session) {
    return session->attached->live && !session->attached->told;
}

enum more {
    MORE_NEVER, /* nothing will come */
    MORE_CAME,  /* the run goes on */
    MORE_LATER, /* nothing has come within these milliseconds */
    MORE_ANEW   /* a buffer has come: the session was made anew, and stands where it stood */
};

/* It cannot be read on; what came before is played to its end. */
static enum more broken(struct sw_session *session, const struct sw_error *error) {
    struct sw_attached *attached = session->attached;
    char line[32] = "";
    if (error->line) {
        snprintf(line, sizeof line, "line %" PRIu32 ": ", error->line);
    }
    snprintf(attached->fault, sizeof attached->fault, "what the planner records cannot be read on: %s%.300s", line,
             error->message);
    sw_session_tell(session, true, attached->fault);
    attached->over = true;
    sw_recorded_more(session);
    return sw_search_known(sw_state_search(session)) < sw_problem_recording(session->problem)->decisions.count
               ? MORE_CAME
               : MORE_NEVER;
}

/* Nothing has come for a while: say that it is waited for. */
static enum more waits(struct sw_session *session, int milliseconds) {
    enum { MOST_WAITS = 20 };
    struct sw_attached *attached = session->attached;
    sw_live_wait(attached->live, false, milliseconds);
    if (++attached->waits == MOST_WAITS && !sw_live_paced(attached->live)) {
        sw_session_say(session, false, "waiting for the planner ...; %s holds", SW_KEY(session, "stop"));
    }
    return MORE_LATER;
}

/* Something has come. */
static void end_waits(struct sw_session *session) {
    if (session->attached->waits > 0) {
        session->attached->waits = 0;
        if (strncmp(session->status.text, "waiting for the planner", 23) == 0) {
            session->status.text[0] = '\0';
        }
    }
}

void sw_session_attached_end(struct sw_session *session) {
    struct sw_attached *attached = session->attached;
    if (attached->live) {
        sw_child_end(sw_live_child(attached->live));
    }
    for (size_t i = 0; i < attached->reruns.count; i++) {
        if (attached->reruns.items[i].live) {
            sw_child_end(sw_live_child(attached->reruns.items[i].live));
        }
    }
    sw_child_kill_all(); /* their folders */
}

/* The problem has changed: read it anew, when enough has come that this is worth it, or nothing more is there. */
static enum more make_anew(struct sw_session *session) {
    struct sw_attached *attached = session->attached;
    struct sw_error error = {0};
    size_t got = 1;
    uint64_t enough = sw_live_paced(attached->live) ? 0 : attached->rebuilt + REREAD_BYTES + attached->rebuilt / 4;
    while (got > 0 && sw_live_length(attached->live) < enough &&
           sw_live_read(attached->live, REREAD_BYTES, &got, &error)) {
    }
    attached->rebuilt = sw_live_length(attached->live);
    if (error.code != SW_OK || !sw_reload_grown(session, &error)) {
        return broken(session, &error);
    }
    return MORE_ANEW;
}

/* Paced: the number of the decision up to which the job reads in any case, so that the problem is not read anew for
 * every buffer on the way. */
static uint64_t wanted_decision(const struct sw_session *session) {
    const struct sw_job *job = &session->job;
    bool to_end = job->kind == SW_JOB_RUN && session->breaks.list.count == 0;
    return job->kind == SW_JOB_GOTO ? job->target : to_end ? UINT64_MAX : 0;
}

/* Paced, and the problem has changed: all up to the decision that is wanted, and then the problem anew. */
static enum more gather_recorded(struct sw_session *session, int milliseconds) {
    struct sw_attached *attached = session->attached;
    struct sw_live_command *live = attached->live;
    struct sw_error error = {0};
    uint64_t decisions, runs;
    attached->gathers = true;
    while ((runs = sw_live_runs(live, &decisions)) < attached->run ||
           (runs == attached->run && decisions < wanted_decision(session))) {
        size_t got;
        if (!sw_live_read(live, 0, &got, &error)) {
            attached->gathers = false;
            return broken(session, &error);
        }
        if (got == 0 && sw_live_over(live)) {
            break;
        }
        if (got == 0) {
            return waits(session, milliseconds);
        }
    }
    attached->gathers = false;
    return make_anew(session);
}

static enum more end_of_recording(struct sw_session *session) {
    struct sw_attached *attached = session->attached;
    const struct sw_recording *recording = sw_problem_recording(session->problem);
    end_waits(session);
    attached->over = true;
    if (recording->end == SW_RECORDING_OPEN) {
        sw_live_wait(attached->live, true, 200);
        const char *how = sw_child_facts(sw_live_child(attached->live))->how;
        sw_recorded_fault(attached->fault, sizeof attached->fault, recording, *how ? how : "closed it");
        sw_session_tell(session, true, attached->fault);
    }
    return MORE_NEVER;
}

static enum more read_recording(struct sw_session *session, int milliseconds) {
    struct sw_attached *attached = session->attached;
    struct sw_error error = {0};
    if (attached->gathers) {
        return gather_recorded(session, milliseconds);
    }
    for (bool first = true;; first = false) {
        size_t got = 0;
        bool over = sw_live_over(attached->live);
        if (!first && !sw_live_read(attached->live, PAGE, &got, &error)) {
            break;
        }
        enum sw_trace_growth growth = sw_trace_grow(session->problem, &error);
        if (growth != SW_TRACE_SAME) {
            end_waits(session);
        }
        switch (growth) {
        case SW_TRACE_GREW:
            sw_recorded_more(session);
            return MORE_CAME;
        case SW_TRACE_OTHERWISE:
            sw_recorded_more(session);
            if (sw_search_known(sw_state_search(session)) < sw_problem_recording(session->problem)->decisions.count) {
                return MORE_CAME; /* decisions before what changes the problem */
            }
            return sw_live_paced(attached->live) ? gather_recorded(session, milliseconds) : make_anew(session);
        case SW_TRACE_BROKEN:
            return broken(session, &error);
        case SW_TRACE_NEXT:
            attached->over = true;
            sw_session_tell(session, false, "the command records another run: attach --run N shows a later one");
            return MORE_NEVER;
        case SW_TRACE_SAME:
            break;
        }
        if (sw_problem_recording(session->problem)->end != SW_RECORDING_OPEN) {
            end_waits(session);
            attached->over = true;
            return MORE_NEVER;
        }
        if (!first && got == 0) {
            return over ? end_of_recording(session) : waits(session, milliseconds);
        }
    }
    return broken(session, &error);
}

/* Taking what there is, or waiting for it for the length of a slice, may make the session anew: so it is not done in
 * the slice that is part of a command, which is not in the log yet. */
bool sw_attached_more(struct sw_session *session) {
    enum { WAIT = 10 };
    if (sw_indexing_open(session)) {
        sw_way_follow(session, &session->job.way);
        return sw_session_index(session);
    }
    if (!sw_attached_open(session)) {
        return false;
    }
    if (session->job.starts) {
        session->attached->waits = 0;
        return true;
    }
    sw_way_follow(session, &session->job.way);
    return read_recording(session, WAIT) != MORE_NEVER;
}

/* The few decisions that the job still wants are taken when they are there. So no step is lost when a key comes before
 * the last one's decision was read. */
void sw_attached_interrupt(struct sw_session *session) {
    enum { CATCH_UP_STEPS = 64, CATCH_UP_WORK = 10000 };
    const struct sw_job *job = &session->job;
    for (int i = 0; i < 2 * CATCH_UP_STEPS && job->kind == SW_JOB_GOTO &&
                    job->target - sw_search_at(sw_state_search(session)) <= CATCH_UP_STEPS;
         i++) {
        if (!sw_attached_open(session) || session->attached->waits > 1 ||
            !sw_session_slice(session, CATCH_UP_WORK, NULL)) {
            break;
        }
    }
}

/* ---- what is said of it ---- */

void sw_attached_view(struct sw_session *session, struct sw_view_input *in) {
    struct sw_attached *attached = session->attached;
    double part;
    if (sw_trace_unread(sw_branch_at(session, 0)->problem, &part)) {
        snprintf(attached->shown, sizeof attached->shown, "indexed %.0f%%", 100 * part);
        in->run.live = attached->shown;
        return;
    }
    in->run.live = NULL;
    if (!attached->live || attached->over || session->problem != sw_branch_at(session, 0)->problem ||
        !sw_recorded_plays(sw_state_search(session))) {
        return;
    }
    uint64_t ahead = sw_problem_recording(session->problem)->decisions.count - sw_search_at(sw_state_search(session));
    const struct sw_child_facts *facts = sw_child_facts(sw_live_child(attached->live));
    bool ended = facts->ended && !sw_live_paced(attached->live);
    const char *state = ended ? "ended" : session->job.kind ? "running" : "held";
    snprintf(attached->shown, sizeof attached->shown, "%s, %" PRIu64 " ahead", state, ahead);
    in->run.live = attached->shown;
}

/* A line of the page; the sink is empty then. */
static void add_ended(struct sw_session *session, enum sw_style style, struct sw_sink *line) {
    const char *text = sw_sink_ended(line);
    sw_page_add(session, style, text ? text : "?");
    line->text.count = 0;
}

bool sw_do_run_command(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_attached *attached = session->attached;
    struct sw_sink line = {0};
    if (!attached->argv) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "this session has no command: stowage attach -- COMMAND makes one that has");
    }
    if (given->count > 0) {
        attached->allowed = true;
        sw_session_say(session, false, "pins and forbidden ranges run the command again from now on");
        return true;
    }
    sw_page_begin(session, "The command that recorded this run");
    sw_page_add(session, SW_STYLE_TEXT,
                attached->allowed ? "It may be run again, for a pin or a forbidden range:"
                                  : "It is not run, unless you say  :run-command yes");
    sw_page_add(session, SW_STYLE_TEXT, "");
    for (size_t i = 0; i < attached->argc; i++) {
        sw_child_command_line(&line, (const char *const[]){attached->argv[i], NULL});
        add_ended(session, SW_STYLE_STRONG, &line);
    }
    sw_page_add(session, SW_STYLE_TEXT, "");
    sw_sink_printf(&line, "in the folder ");
    sw_sink_argument(&line, attached->directory ? attached->directory : ".");
    add_ended(session, SW_STYLE_TEXT, &line);
    sw_sink_done(&line);
    return true;
}
