#include "command/command_line.h"
#include "base/base.h"
#include "command/doors/doors.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"

#include "formats/settings/load_options.h"
#include "formats/open_file.h"
#include "lua/planning/lua_planner.h"
#include "planners/planner.h"

/* ---- opening and closing ---- */

/* The texts of a session's options, which it owns; `which` goes up to OPTION_TEXTS. */
enum { OPTION_TEXTS = 7 };
static const char **option_text(struct sw_session_options *options, size_t which) {
    const char **const texts[OPTION_TEXTS] = {&options->path,    &options->shown,    &options->planner, &options->cost,
                                              &options->actions, &options->breeding, &options->policy};
    return texts[which];
}

static bool options_copy(struct sw_session *session, const struct sw_session_options *from, struct sw_error *error) {
    struct sw_session_options *to = &session->options, given = *from;
    bool good = true;
    given.planner = from->planner ? from->planner : "";
    to->base = from->base;
    to->even_if_larger = from->even_if_larger;
    to->write_anywhere = from->write_anywhere;
    to->params.seed = from->params.seed;
    for (size_t i = 0; i < OPTION_TEXTS; i++) {
        const char *text = *option_text(&given, i);
        *option_text(to, i) = text ? sw_state_copy(text) : NULL;
        good = good && (!text || *option_text(to, i));
    }
    if (!good || !sw_load_options_copy(&to->load, &from->load) || !sw_params_copy(&to->params, &from->params)) {
        return sw_fail_memory(error);
    }
    to->params.cost = NULL;
    to->params.actions = NULL;
    to->params.breeding = NULL;
    to->params.policy = NULL;
    to->params.tier_rules = NULL;
    to->params.action_count = 0;
    return true;
}

static void use_file(struct sw_session *session, const char *path) {
    if (path) {
        sw_session_uses(session, path);
    }
}

/* No planner is named: a recorded run is played, requests are served by their allocator, a finished plan is shown as it
 * was built. */
static bool choose_planner(struct sw_session_options *options, const struct sw_problem *problem,
                           struct sw_error *error) {
    if (*options->planner) {
        return true;
    }
    bool built = sw_problem_has_plan(problem) && sw_problem_offsets_are_plan(problem) &&
                 !sw_problem_recording(problem) && !sw_problem_told_requests(problem);
    char *name = sw_state_copy(built ? "as-built" : sw_planner_usual(problem));
    if (!name) {
        return sw_fail_memory(error);
    }
    sw_state_drop((char *)(uintptr_t)options->planner);
    options->planner = name;
    return true;
}

/* The input and the scripts as they are now, and a run of the planner on it. */
static bool open_input(struct sw_session *session, uint64_t *digest, struct sw_branch *branch, struct sw_error *error) {
    struct sw_session_options *options = &session->options;
    options->load.print = sw_session_print;
    options->load.uses = sw_session_uses;
    options->load.print_context = options->load.uses_context = session;
    const struct sw_script_options how = {
        .seed = 1, .trusted = options->load.trust, .print = sw_session_print, .context = session};
    *branch = (struct sw_branch){.parent = SW_NONE};
    const char *const scripts[] = {options->cost, options->actions, options->breeding, options->policy};
    if (!sw_lua_plugins_open(&session->plugins, scripts, &how, &options->params, error)) {
        return false;
    }
    for (size_t i = 0; i < SW_LUA_PLUGIN_KINDS; i++) {
        use_file(session, scripts[i]);
    }
    const struct sw_problem *problem = sw_load(options->path, &options->load, digest, error);
    branch->problem = problem;
    if (problem && !choose_planner(options, problem, error)) {
        return false;
    }
    const struct sw_planner *planner = problem ? sw_lua_planner_find(options->planner, error) : NULL;
    if (planner) {
        use_file(session, sw_lua_planner_path(planner));
    }
    if (!planner || !sw_planner_applies(planner, problem, error)) {
        return false;
    }
    branch->what = sw_state_copy(planner->name);
    branch->search = sw_search_new(problem, planner, &options->params, error);
    /* A moment stands still: all its blocks are where they are. */
    return branch->search && (branch->what || sw_fail_memory(error)) &&
           (!sw_view_moment_of(branch->search) ||
            sw_search_run(branch->search, 0, NULL, NULL, error) != SW_STEP_FAILED);
}

static bool open_first_branch(struct sw_session *session, struct sw_error *error) {
    struct sw_branch branch;
    if (!open_input(session, &session->digest, &branch, error)) {
        sw_branch_drop(&branch);
        return false;
    }
    if (!sw_branch_push(session, &branch, error)) {
        return false;
    }
    sw_state_use(session, 0);
    return true;
}

struct sw_session *sw_session_new(const struct sw_session_options *options, struct sw_error *error) {
    return sw_state_new(options, NULL, error);
}

/* The pointer to a part, of whatever type. */
static void *session_part(const struct sw_session *session, const struct sw_part *part) {
    void *at;
    memcpy(&at, (const char *)session + part->at, sizeof at);
    return at;
}

static bool make_parts(struct sw_session *session, struct sw_error *error) {
    SW_PARTS_WITH(kind) {
        void *made = sw_mem_new_zero(1, part->kind->size);
        if (!made) {
            return sw_fail_memory(error);
        }
        memcpy((char *)session + part->at, &made, sizeof made);
    }
    return true;
}

static void free_parts(struct sw_session *session) {
    SW_PARTS_WITH(kind) {
        void *own = session_part(session, part);
        if (own && part->kind->done) {
            part->kind->done(own);
        }
        sw_mem_free(own, 1, part->kind->size);
    }
}

struct sw_session *sw_state_new(const struct sw_session_options *options, struct sw_session *owner,
                                struct sw_error *error) {
    enum { FIRST_BYTES = 4 << 20 }; /* of a large trace, before it is shown: the rest is read in slices */
    struct sw_session *session = SW_NEW_ZERO(struct sw_session, 1);
    uint64_t first;
    if (!session) {
        sw_fail_memory(error);
        return NULL;
    }
    session->owner = owner;
    first = owner ? 0 : FIRST_BYTES;
    if (!make_parts(session, error) || !options_copy(session, options, error) ||
        (session->options.load.first_bytes = first, !open_first_branch(session, error))) {
        sw_session_free(session);
        return NULL;
    }
    session->display.mouse = true;
    sw_sight_reset(session);
    size_t notes = 0;
    const char *const *note = sw_problem_notes(session->problem, &notes);
    if (notes > 0) {
        sw_session_say(session, false, "%s%s", note[0], notes > 1 ? " (all notes: :notes)" : "");
    }
    return session;
}

void sw_session_free(struct sw_session *session) {
    if (!session) {
        return;
    }
    free_parts(session);
    sw_breaks_done(&session->breaks);
    sw_keymap_done(&session->keymap);
    sw_state_drop(session->needle);
    sw_state_drop(session->saved.path);
    for (size_t i = 0; i < OPTION_TEXTS; i++) {
        sw_state_drop((char *)(uintptr_t)*option_text(&session->options, i));
    }
    sw_load_options_done(&session->options.load);
    sw_params_done(&session->options.params);
    sw_lua_plugins_close(&session->plugins);
    SW_FREE(session, 1);
}

/* ---- running commands ---- */

bool sw_state_log(struct sw_session *session, const char *line, struct sw_error *error) {
    bool merge = session->sight.fit; /* a window that is not the whole follows every single step */
    SW_PARTS_WITH(follows) {
        merge = merge && !part->follows(session);
    }
    session->saved.logged++;
    return sw_log_add(session->command_log, line, merge, error);
}

struct sw_log_stop sw_job_reached(const struct sw_session *session) {
    return (struct sw_log_stop){
        .stopped = true, .made_branch = session->job.made_branch, .at = sw_search_at(sw_state_search(session))};
}

/* What the rest of a run is called that a logged command, say a zoom, comes into the middle of. */
char *sw_job_rest(const struct sw_session *session) {
    const struct sw_job *job = &session->job;
    char line[48] = "last";
    if (job->kind == SW_JOB_BLOCK) { /* another block may be selected meanwhile */
        return sw_state_line("goto-block", &sw_problem_buffer(session->problem, job->unit)->name, 1, "");
    }
    if (job->kind == SW_JOB_GOTO && !job->then_peak && job->target != UINT64_MAX) {
        snprintf(line, sizeof line, "goto %llu", (unsigned long long)job->target);
    } else if (!job->made_branch) {
        return sw_state_copy(sw_log_last(session->command_log));
    }
    return sw_state_copy(line);
}

bool sw_session_busy(struct sw_session *session) {
    bool busy = session->job.kind != SW_JOB_NONE;
    SW_PARTS_WITH(busy) {
        busy = busy || part->busy(session);
    }
    return busy;
}

void sw_session_stop(struct sw_session *session) {
    struct sw_job *job = &session->job;
    SW_PARTS_WITH(stop) {
        if (!job->kind && part->stop(session)) {
            return;
        }
    }
    if (job->kind) {
        if (job->logged) {
            sw_log_stopped(session->command_log, sw_job_reached(session));
        }
        sw_session_say(session, false, "stopped at decision %" PRIu64, sw_search_at(sw_state_search(session)));
        job->kind = SW_JOB_NONE;
        job->logged = false; /* the cursor has followed already */
    }
}

bool sw_command_needs_run(const struct sw_session *session, const struct sw_command *command) {
    return command->flags & SW_COMMAND_TIMED && sw_view_moment_of(sw_state_search(session));
}

/* A command is about to be run: what goes on is stopped, unless it may go on, and no part has anything against it. */
static bool make_way_for(struct sw_session *session, const struct sw_call *call, struct sw_error *error) {
    /* A session file may have such lines that change nothing. */
    bool asked = session->within.doors & (SW_DOOR_KEYS | SW_DOOR_PROMPT | SW_DOOR_SCRIPT | SW_DOOR_LUA);
    if (asked && sw_command_needs_run(session, call->command)) {
        return sw_fail(error, SW_ERROR_USAGE, "%s: " SW_NO_RUN_HERE, call->command->name);
    }
    bool stops = !(call->command->flags & SW_COMMAND_BUSY) && session->job.kind;
    if (stops) {
        SW_PARTS_WITH(interrupt) {
            part->interrupt(session);
        }
        sw_session_stop(session);
    }
    SW_PARTS_WITH(before) {
        if (!part->before(session, call, error)) {
            return false;
        }
    }
    return true;
}

/* How sizes were read that had been rounded. */
static bool note_sizes_read(struct sw_session *session, const struct sw_given *given) {
    bool any = false;
    for (size_t i = 0; i < given->count; i++) {
        if (*given->value[i].read) {
            sw_messages_add_note(session, given->value[i].read);
            any = true;
        }
    }
    return any;
}

static bool run_words(struct sw_session *session, const struct sw_command *command, char **words, size_t count,
                      const char *line, struct sw_error *error) {
    struct sw_given given = {.words = words, .count = count};
    struct sw_call call = {.command = command, .given = &given};
    if (!sw_words_fit(command, words, count, error) || !make_way_for(session, &call, error)) {
        return false;
    }
    bool logged = command->flags & SW_COMMAND_LOGGED;
    session->status.text[0] = 0;
    session->status.is_error = false;
    bool picks = command == &sw_commands[SW_DO_merged] || command == &sw_commands[SW_DO_key];
    session->status.picked = picks ? session->status.picked : 0;
    sw_messages_add_note(session, NULL);
    bool running = session->job.kind != SW_JOB_NONE;
    char *rest = NULL;
    if (logged && running && session->job.logged) {
        rest = sw_job_rest(session);
        if (!rest) {
            return sw_fail_memory(error);
        }
        sw_log_stopped(session->command_log, sw_job_reached(session));
        session->job.made_branch = false;
    }
    call.branch = session->current;
    call.step = sw_search_at(sw_state_search(session));
    struct sw_sight sight = session->sight;
    uint64_t before = session->saved.logged;
    session->exchanged = false;
    bool done = sw_given_parse(session, command, &given, error), read = done && note_sizes_read(session, &given);
    done = call.done = done && command->run(session, &given, error);
    if (done && read && !session->status.text[0]) {
        sw_session_say(session, false, "%s", "");
    }
    if (!done && session->saved.logged == before) { /* a command that fails changes nothing */
        session->sight = sight;
    }
    SW_PARTS_WITH(after) {
        part->after(session, &call);
    }
    if (done && logged && !session->exchanged) {
        char *full = read ? sw_given_line(command->name, &given) : NULL;
        done = read && !full ? sw_fail_memory(error) : sw_state_log(session, read ? full : line, error);
        sw_state_drop(full);
    }
    if (rest) {
        session->job.way = sw_way_begin(session); /* what is left begins here */
        session->job.logged = sw_log_add(session->command_log, rest, false, error);
        sw_state_drop(rest);
        return done && session->job.logged;
    }
    if (done && logged && !running && session->job.kind) {
        session->job.logged = true;
    }
    return done;
}

/* A number alone goes to that decision; how the map is drawn is no parameter of a planner. */
static const char *spelled_out(const char *line, char text[40]) {
    static const char set_map[] = "set map=";
    const char *mode = line + strspn(line, " \t") + sizeof set_map - 1;
    if (strncmp(line + strspn(line, " \t"), set_map, sizeof set_map - 1) == 0 && strlen(mode) < 32) {
        snprintf(text, 40, "map %s", mode);
        return text;
    }
    size_t before = strspn(line, " \t"), digits = strspn(line + before, "0123456789");
    if (digits == 0 || digits > 20 || line[before + digits + strspn(line + before + digits, " \t")]) {
        return line;
    }
    snprintf(text, 40, "goto %.*s", (int)digits, line + before);
    return text;
}

bool sw_session_command(struct sw_session *session, const char *line, struct sw_error *error) {
    char number[40];
    line = spelled_out(line, number);
    struct sw_error own = {0};
    struct sw_error *to = error ? error : &own;
    to->code = SW_OK;
    char *copy = sw_state_copy(line), *words[SW_MOST_WORDS];
    size_t count = 0, room = strlen(line) + 1;
    if (!copy) {
        return sw_fail_memory(to);
    }
    bool done = sw_utf8_valid(line, room - 1) == room - 1 ||
                sw_fail(to, SW_ERROR_USAGE, "a command is text in UTF-8, which this is not");
    for (const char *at = line; *at && done; at++) {
        done = (unsigned char)*at >= 32 || *at == '\t' ||
               sw_fail(to, SW_ERROR_USAGE, "a command has no control characters in it");
    }
    const struct sw_command *command = NULL;
    done = done && sw_words_read(copy, words, &count, &command, to) &&
           (!command || sw_command_admit(command, session->within.doors, to));
    if (done && command) {
        struct sw_sink full = {0}; /* the log has the full name */
        const char *rest = line + strspn(line, " \t");
        rest += strcspn(rest, " \t");
        sw_sink_printf(&full, "%s%s", command->name, rest);
        const char *whole = sw_sink_ended(&full);
        bool streams = sw_open_streams(false); /* what a command names is a file: nothing waits for input here */
        done = whole ? run_words(session, command, words + 1, count - 1, whole, to) : sw_fail_memory(to);
        sw_open_streams(streams);
        sw_sink_done(&full);
    }
    SW_FREE(copy, room);
    if (!done) {
        sw_session_say(session, true, "%s", to->message);
    }
    return done;
}

bool sw_session_command_by(struct sw_session *session, enum sw_door door, const char *line, struct sw_error *error) {
    unsigned through = session->within.doors;
    session->within.doors |= door;
    bool free = !(door & (SW_DOOR_SCRIPT | SW_DOOR_SESSION | SW_DOOR_LUA));
    bool done = (free || sw_allowance_left(session, error)) && sw_session_command(session, line, error);
    session->within.doors = through;
    return done;
}

bool sw_session_key(struct sw_session *session, const char *key, struct sw_error *error) {
    if (error) {
        error->code = SW_OK;
    }
    if (session->leaving == SW_ASKING) {
        bool yes = strcmp(key, "y") == 0 || strcmp(key, "q") == 0 || strcmp(key, "Y") == 0;
        session->leaving = yes ? SW_LEAVING : SW_STAYING;
        if (!yes) {
            sw_session_say(session, false, "not quitting");
        }
        return true;
    }
    SW_PARTS_WITH(key) {
        enum sw_taken taken = part->key(session, key, error);
        if (taken) {
            return taken == SW_TAKEN;
        }
    }
    const char *line = NULL;
    const struct sw_command *command = sw_keymap_find(&session->keymap, key, &line);
    if (!command) {
        sw_session_say(session, false, "no command has the key %s; %s shows all keys", key, SW_KEY(session, "help"));
        return false;
    }
    SW_PARTS_WITH(press) {
        if (part->press(session, &command, &line)) {
            return true;
        }
    }
    return sw_session_command_by(session, SW_DOOR_KEYS, line, error);
}

void sw_session_interrupt(struct sw_session *session) {
    if (session->leaving == SW_ASKING) {
        session->leaving = SW_LEAVING;
    } else if (sw_session_busy(session)) {
        sw_session_stop(session);
    } else {
        session->mode = SW_MODE_NORMAL;
        sw_session_command_by(session, SW_DOOR_KEYS, "quit", NULL);
    }
}

/* ---- looking ---- */

static const char *key_in_view(const void *session, const char *command, char text[SW_KEY_BYTES]) {
    return sw_key_of(session, command, text);
}

bool sw_session_view(struct sw_session *session, struct sw_view_input *in, struct sw_error *error) {
    (void)error;
    const struct sw_search *search = sw_state_search(session);
    const struct sw_sight *sight = &session->sight;
    in->run.search = search;
    in->run.input_name = session->options.shown ? session->options.shown : sw_path_name(session->options.path);
    in->run.input_digest = session->digest;
    in->look.tier = sight->tier;
    in->look.selected =
        sight->selected < sw_problem_buffer_count(sw_search_problem(search)) ? sight->selected : SW_NONE;
    in->look.piece = in->look.selected == SW_NONE ? sight->piece : 0;
    in->look.paired = sight->paired;
    in->look.other = sight->other;
    in->look.cursor = sight->cursor;
    in->look.candidate = sight->candidate;
    in->look.fit_model = sight->fit_model;
    in->look.viewport = sight->fit ? sw_viewport_all(search, sight->tier) : sight->viewport;
    in->look.raw_time = sight->raw_time;
    in->look.coloring = (enum sw_coloring)sight->coloring;
    in->look.ghosts = sight->ghosts;
    in->run.base = session->options.base;
    in->look.side = sw_sight_side(sight);
    in->look.whole = sight->whole;
    in->look.share = sight->share;
    in->look.scroll = sight->scroll;
    in->look.key = key_in_view;
    in->look.keys = session;
    SW_PARTS_WITH(view) {
        part->view(session, in);
    }
    return true;
}

/* ---- digest ---- */

uint64_t sw_session_digest(const struct sw_session *session) {
    const struct sw_sight *sight = &session->sight;
    uint64_t digest = sw_fold(session->digest, session->current);
    for (size_t i = 0; i < sw_branch_count(session); i++) {
        const struct sw_branch *branch = sw_branch_at(session, i);
        if (!branch->hidden) {
            digest = sw_fold(sw_fold(digest, i), branch->parent);
            digest = sw_fold(digest, branch->forked_at);
            digest = sw_fold_bytes(digest, branch->name ? branch->name : "", branch->name ? strlen(branch->name) : 0);
            digest = sw_fold(digest, sw_search_digest(branch->search));
        }
    }
    for (size_t i = 0; i < session->breaks.list.count; i++) {
        const char *text = session->breaks.list.items[i].text;
        digest = sw_fold_bytes(digest, text, strlen(text));
    }
    digest =
        sw_fold(sw_fold(sw_fold(digest, sight->tier), sight->selected), (uint64_t)sight->other << 1 | sight->paired);
    digest = sw_fold(sw_fold(digest, sight->cursor), sight->candidate);
    digest = sw_fold(digest, (uint64_t)(sight->fit | sight->raw_time << 1 | sight->ghosts << 2 | sight->coloring << 3));
    digest = sw_fold(digest, (uint64_t)(sight->side << 8 | sight->order << 4 | sight->filtered));
    digest = sw_fold(digest, (uint64_t)(sight->whole | sight->falling << 1));
    digest = sw_fold_bytes(digest, sight->filter, strlen(sight->filter));
    digest = sw_fold(sw_fold(digest, sight->share), (uint64_t)sight->scroll);
    digest = sw_fold(digest, sight->fit_model);
    digest = sw_fold(digest, (uint64_t)(sight->only_which << 8 | sight->only_kind));
    digest = sw_fold_bytes(digest, sight->only, strlen(sight->only));
    SW_PARTS_WITH(fold) {
        digest = part->fold(session, digest);
    }
    if (sight->piece > 0) {
        digest = sw_fold(digest, sight->piece);
    }
    if (!sight->fit) {
        digest = sw_fold_double(sw_fold_double(digest, sight->viewport.time_lo), sight->viewport.time_hi);
        digest = sw_fold_double(sw_fold_double(digest, sight->viewport.bytes_lo), sight->viewport.bytes_hi);
    }
    return digest;
}
