/* Session files: what was opened, and the log of commands. Text, one thing a line:
 *
 *   stowage-session 1
 *   input PATH                 relative to the session file, or absolute
 *   digest 0123456789abcdef    of the input's bytes
 *   planner NAME
 *   seed N    work N    set KEY=VALUE    base N    capacity N
 *   tiers PATH    join PATH    intervals WORD    pins    inplace
 *   cost DIGEST PATH           the digest of all that the cost model reads
 *   actions DIGEST PATH
 *   breeding DIGEST PATH
 *   policy DIGEST PATH
 *   program DIGEST PATH        of the bytes of a file in Lua that the session runs
 *   reader PATH                one of them, which reads the input
 *   commands
 *   step 3
 *   ...
 */
#include "command/attached/attached.h"
#include "base/base.h"
#include "command/command_line.h"
#include "command/doors/doors.h"
#include "command/doors/replaying.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "formats/settings/load_options.h"
#include "formats/open_file.h"
#include "lua/planning/lua_planner.h"
#include "lua/readers/reader.h"

#include <unistd.h>

#define SESSION_MAGIC "stowage-session "
enum { SESSION_VERSION = 1 };

/* The scripts that a head names with their digests. */
enum { HEAD_COST = SW_LUA_COSTS, HEAD_ACTIONS, HEAD_BREEDING, HEAD_POLICY, HEAD_SCRIPTS };

/* ---- writing ---- */

/* The path as it is to be written: relative when it lies in the session's folder or below. */
static void relative(const char *path, const char *session_path, char *out, size_t size) {
    char full[PATH_MAX], folder[PATH_MAX], copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", session_path);
    char *slash = strrchr(copy, '/');
    if (slash) {
        *(slash == copy ? slash + 1 : slash) = 0;
    }
    if (!realpath(path, full) || !realpath(slash ? copy : ".", folder)) {
        snprintf(out, size, "%s", path);
        return;
    }
    size_t length = strlen(folder);
    snprintf(out, size, "%s", sw_path_is_below(full, folder) ? full + length + (length > 1) : full);
}

/* A file in Lua with its digest, each once: `known` has the names so far, a line each. */
static void write_program(const char *path, const char *session_path, struct sw_sink *known, struct sw_sink *sink) {
    char name[PATH_MAX + 1];
    uint64_t digest = 0;
    relative(path, session_path, name, sizeof name - 1);
    strcat(name, "\n");
    if (!sw_path_is_lua(path) || strchr(path, '\n') ||
        (known->text.count && memmem(known->text.items, known->text.count, name, strlen(name))) ||
        !sw_strangers_digest(path, &digest, NULL)) {
        return;
    }
    sw_sink_add(known, name, strlen(name));
    sw_sink_printf(sink, "program %016" PRIx64 " %s", digest, name);
}

/* What runs in this session: the files in use, and the planners that commands name with their modules. */
static void write_programs(const struct sw_session *session, const char *path, struct sw_sink *sink) {
    struct sw_sink known = {0};
    sw_sink_add(&known, "\n", 1);
    const char *used;
    for (size_t i = 0; (used = sw_inputs_path(session, i)) != NULL; i++) {
        write_program(used, path, &known, sink);
    }
    for (size_t i = 0; i < sw_branch_count(session); i++) {
        const struct sw_search *search = sw_branch_at(session, i)->search;
        const struct sw_planner *planner = search ? sw_search_planner(search) : NULL;
        const char *file = planner ? sw_lua_planner_file(planner, NULL) : NULL;
        for (; file; file = sw_lua_planner_file(planner, file)) {
            write_program(file, path, &known, sink);
        }
    }
    sw_sink_done(&known);
}

/* The readers in Lua that the session uses. */
static void write_readers(const struct sw_session *session, const char *path, struct sw_sink *sink) {
    char name[PATH_MAX];
    const char *reader, *used;
    for (size_t i = 0; (reader = sw_lua_reader_file(i)) != NULL; i++) {
        size_t k = 0;
        while ((used = sw_inputs_path(session, k)) != NULL && strcmp(used, reader) != 0) {
            k++;
        }
        if (used && !strchr(reader, '\n')) {
            relative(reader, path, name, sizeof name);
            sw_sink_printf(sink, "reader %s\n", name);
        }
    }
}

struct destination {
    const char *path;
    struct sw_sink *sink;
};

static void write_load_option(void *context, enum sw_load_option option, const char *value) {
    const struct destination *to = context;
    char name[PATH_MAX];
    bool file = sw_load_option_is_file(option, value);
    if (file) {
        relative(value, to->path, name, sizeof name);
        value = name;
    }
    value = sw_load_option_on(option) ? "" : value;
    bool word = file && !sw_load_option_is_file(option, value); /* a file with the name of a word */
    sw_sink_printf(to->sink, "%s%s%s%s\n", sw_load_option_name(option), *value ? " " : "", word ? "./" : "", value);
}

static void write_options(const struct sw_session *session, const char *path, struct sw_sink *sink) {
    const struct sw_session_options *options = &session->options;
    char name[PATH_MAX];
    char beside[PATH_MAX];
    uint64_t digest = session->digest;
    bool attached = sw_attached_input(session, path, beside, sizeof beside, &digest);
    relative(attached ? beside : options->path, path, name, sizeof name);
    sw_sink_printf(sink, SESSION_MAGIC "%d\ninput %s\ndigest %016" PRIx64 "\n", SESSION_VERSION, name, digest);
    SW_PARTS_WITH(save) {
        part->save(session, sink);
    }
    if (sw_path_is_lua(options->planner)) {
        relative(options->planner, path, name, sizeof name);
    } else {
        snprintf(name, sizeof name, "%s", options->planner);
    }
    sw_sink_printf(sink, "planner %s\nseed %" PRIu64 "\n", name, options->params.seed);
    if (options->params.work) {
        sw_sink_printf(sink, "work %" PRIu64 "\n", options->params.work);
    }
    for (size_t i = 0; i < options->params.settings.count; i++) {
        const struct sw_setting *setting = &options->params.settings.items[i];
        sw_sink_printf(sink, "set %s=%s\n", setting->key, setting->value);
    }
    if (options->base) {
        sw_sink_printf(sink, "base %" PRIu64 "\n", options->base);
    }
    sw_load_options_tell(&options->load, write_load_option, &(struct destination){path, sink});
    const char *const paths[HEAD_SCRIPTS] = {options->cost, options->actions, options->breeding, options->policy};
    for (size_t i = 0; i < HEAD_SCRIPTS; i++) {
        if (paths[i]) {
            relative(paths[i], path, name, sizeof name);
            sw_sink_printf(sink, "%s %016" PRIx64 " %s\n", sw_lua_plugin_kinds[i]->option,
                           sw_lua_plugins_digest(&session->plugins, (enum sw_lua_plugin)i), name);
        }
    }
    write_programs(session, path, sink);
    write_readers(session, path, sink);
    sw_sink_printf(sink, "commands\n");
}

/* Commands with PROGRAMS may name files in Lua. `fresh` becomes the line with these paths as `rewrite`
 * wants them, freed by sw_state_drop; NULL when it names none. */
typedef void path_rewrite(const char *path, const char *session_path, char *out, size_t size);
static bool rewrite_programs(const char *line, const char *session_path, path_rewrite *rewrite, char **fresh,
                             struct sw_error *error) {
    char *copy = sw_state_copy(line), *words[SW_MOST_WORDS], path[PATH_MAX];
    const struct sw_command *command = NULL;
    size_t count = 0, room = strlen(line) + 1;
    uint64_t ours = 0; /* bit i: word i is a path of our own */
    bool names =
        copy && sw_words_read(copy, words, &count, &command, NULL) && command && (command->flags & SW_COMMAND_PROGRAMS);
    bool good = copy != NULL;
    *fresh = NULL;
    for (size_t i = 1; good && names && i < count; i++) {
        if (sw_path_is_lua(words[i])) {
            rewrite(words[i], session_path, path, sizeof path);
            words[i] = sw_state_copy(path);
            good = words[i] != NULL;
            ours |= UINT64_C(1) << i;
        }
    }
    if (good && ours) {
        *fresh = sw_state_line(command->name, (const char *const *)words + 1, count - 1, "");
        good = *fresh != NULL;
    }
    for (size_t i = 1; ours && i < count; i++) {
        if (ours >> i & 1) {
            sw_state_drop(words[i]);
        }
    }
    if (copy) {
        SW_FREE(copy, room);
    }
    return good || sw_fail_memory(error);
}

void sw_state_session_text(const struct sw_session *session, const char *path, bool reached, struct sw_sink *sink) {
    write_options(session, path, sink);
    const struct sw_log_stop now = sw_job_reached(session);
    bool runs = reached && session->job.kind && session->job.logged;
    for (size_t i = 0; i < sw_log_count(session->command_log); i++) {
        bool until = false;
        uint64_t at = 0;
        char *line = sw_log_line(session->command_log, i, runs ? &now : NULL, &until, &at), *fresh = NULL;
        sink->failed |= !line || !rewrite_programs(line, path, relative, &fresh, NULL);
        if (until) {
            sw_sink_printf(sink, "until %" PRIu64 "\n", at);
        }
        if (line) {
            sw_sink_printf(sink, "%s\n", fresh ? fresh : line);
        }
        sw_state_drop(fresh);
        sw_state_drop(line);
    }
}

bool sw_state_keep_beside(const struct sw_session *session, const char *path, bool grown, struct sw_error *error) {
    bool kept = true;
    SW_PARTS_WITH(keep) {
        kept = kept && part->keep(session, path, grown, error);
    }
    return kept;
}

bool sw_session_save(const struct sw_session *session, const char *path, struct sw_error *error) {
    struct sw_sink sink = {0};
    if (strcmp(session->options.path, "-") == 0) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "what came from standard input cannot be opened again: save it as a file "
                       "first");
    }
    if (!sw_state_keep_beside(session, path, false, error)) {
        return false;
    }
    sw_state_session_text(session, path, true, &sink);
    bool done = sw_sink_commit(&sink, path, error);
    sw_sink_done(&sink);
    return done;
}

/* ---- reading ---- */

/* One line at a time from a whole input; false at the end. */
struct lines {
    const struct sw_input *input;
    size_t at;
    uint32_t number;
    char line[1 << 16];
};

static bool next_session_line(struct lines *lines, struct sw_error *error, bool *failed) {
    const struct sw_input *input = lines->input;
    if (lines->at >= input->length) {
        return false;
    }
    const char *from = input->bytes + lines->at;
    const char *end = memchr(from, '\n', input->length - lines->at);
    size_t length = end ? (size_t)(end - from) : input->length - lines->at;
    lines->at += length + 1;
    lines->number++;
    if (length > 0 && from[length - 1] == '\r') {
        length--;
    }
    if (length >= sizeof lines->line || memchr(from, 0, length)) {
        *failed = true;
        sw_fail(error, SW_ERROR_INPUT,
                length >= sizeof lines->line ? "the line is too long" : "the line has a zero byte in it");
        sw_error_at(error, input->name, lines->number, 1);
        return false;
    }
    memcpy(lines->line, from, length);
    lines->line[length] = 0;
    return true;
}

static bool is_session(const struct sw_input *input) {
    size_t length = strlen(SESSION_MAGIC);
    return input->length > length && memcmp(input->bytes, SESSION_MAGIC, length) == 0;
}

bool sw_session_detect(const char *path) {
    /* A look at the first bytes, which takes none from a pipe and no memory. */
    char head[sizeof SESSION_MAGIC] = "";
    int fd = sw_open_regular(path, NULL, NULL);
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof SESSION_MAGIC - 1);
    if (fd >= 0) {
        close(fd);
    }
    return got == sizeof SESSION_MAGIC - 1 && memcmp(head, SESSION_MAGIC, sizeof SESSION_MAGIC - 1) == 0;
}

struct session_head {
    char input[PATH_MAX], scripts[HEAD_SCRIPTS][PATH_MAX], planner[PATH_MAX];
    uint64_t digest, script_digests[HEAD_SCRIPTS];
    struct sw_strangers programs;
    SW_ARRAY(char *) readers; /* paths */
    bool has_digest;
    struct sw_session_options options; /* `load` owns what it has */
    struct sw_attached *attached;      /* the command that recorded the input, if one did */
};

static void resolve(const char *name, const char *session_path, char *out, size_t size) {
    const char *slash = strrchr(session_path, '/');
    if (name[0] == '/' || !slash) {
        snprintf(out, size, "%s", name);
    } else {
        snprintf(out, size, "%.*s%s", (int)(slash - session_path + 1), session_path, name);
    }
}

static bool read_head_setting(struct sw_params *params, char *value, struct sw_error *error) {
    char *equals = strchr(value, '=');
    if (!equals) {
        return sw_fail(error, SW_ERROR_INPUT, "a setting is KEY=VALUE");
    }
    *equals = 0;
    return sw_params_set(params, value, equals + 1, error);
}

/* "DIGEST PATH" of a script. */
static bool read_script(const char *session_path, const char *value, uint64_t *digest, char *path,
                        struct sw_error *error) {
    char *end = NULL;
    *digest = strtoull(value, &end, 16);
    if (end == value || *end != ' ' || !end[1]) {
        return sw_fail(error, SW_ERROR_INPUT, "a script is its digest and its path");
    }
    resolve(end + 1, session_path, path, PATH_MAX);
    return true;
}

static bool read_program(struct session_head *header, const char *session_path, const char *value,
                         struct sw_error *error) {
    struct sw_stranger one = {.admitted = false};
    return read_script(session_path, value, &one.digest, one.path, error) &&
           (SW_PUSH(&header->programs.list, one) || sw_fail_memory(error));
}

static bool read_reader(struct session_head *header, const char *session_path, const char *value,
                        struct sw_error *error) {
    char path[PATH_MAX];
    resolve(value, session_path, path, sizeof path);
    char *copy = SW_RESERVE(&header->readers, header->readers.count + 1) ? sw_state_copy(path) : NULL;
    if (copy) {
        header->readers.items[header->readers.count++] = copy;
    }
    return copy || sw_fail_memory(error);
}

static bool read_head_word(struct session_head *header, const char *path, const char *word, char *value,
                           struct sw_error *error) {
    struct sw_session_options *options = &header->options;
    if (strcmp(word, "input") == 0) {
        resolve(value, path, header->input, sizeof header->input);
        return true;
    }
    for (size_t i = 0; i < HEAD_SCRIPTS; i++) {
        if (strcmp(word, sw_lua_plugin_kinds[i]->option) == 0) {
            return read_script(path, value, &header->script_digests[i], header->scripts[i], error);
        }
    }
    if (strcmp(word, "program") == 0) {
        return read_program(header, path, value, error);
    }
    if (strcmp(word, "reader") == 0) {
        return read_reader(header, path, value, error);
    }
    if (strcmp(word, "digest") == 0) {
        char *end = NULL;
        header->digest = strtoull(value, &end, 16);
        header->has_digest = *value && !*end;
        return header->has_digest || sw_fail(error, SW_ERROR_INPUT, "'%s' is no digest", value);
    }
    if (strcmp(word, "planner") == 0) {
        if (sw_path_is_lua(value)) {
            resolve(value, path, header->planner, sizeof header->planner);
        } else {
            snprintf(header->planner, sizeof header->planner, "%s", value);
        }
        return true;
    }
    const struct {
        const char *word;
        uint64_t *number;
    } numbers[] = {{"seed", &options->params.seed}, {"work", &options->params.work}, {"base", &options->base}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(word, numbers[i].word) == 0) {
            return sw_state_number(value, numbers[i].number, error);
        }
    }
    if (strcmp(word, "set") == 0) {
        return read_head_setting(&options->params, value, error);
    }
    char name[PATH_MAX];
    if (sw_attached_knows(word)) {
        return sw_attached_take(header->attached, path, word, value, error);
    }
    enum sw_load_option option = sw_load_option_find(word);
    if (option == SW_LOAD_OPTIONS) {
        return sw_fail(error, SW_ERROR_INPUT, "'%s' means nothing in the head of a session", word);
    }
    if (sw_load_option_is_file(option, value)) {
        resolve(value, path, name, sizeof name);
        value = name;
    }
    const char *on = *value ? NULL : sw_load_option_on(option);
    return sw_load_options_take(&options->load, option, word, on ? on : value, error);
}

/* A line of the head; `ends`: it is the last. */
static bool read_head_line(struct lines *lines, struct session_head *header, bool *ends, struct sw_error *error) {
    char *value = lines->line + strcspn(lines->line, " ");
    if (lines->number == 1) {
        return (is_session(lines->input) && atoi(value) == SESSION_VERSION) ||
               sw_fail(error, SW_ERROR_INPUT, "this session was written by another version (%s; this is %d)", value,
                       SESSION_VERSION);
    }
    *ends = strcmp(lines->line, "commands") == 0;
    if (*ends) {
        return (header->input[0] && header->has_digest) ||
               sw_fail(error, SW_ERROR_INPUT, "the head names no input, or has no digest");
    }
    value += *value == ' ' ? (*value = 0, 1) : 0;
    return !lines->line[0] || read_head_word(header, lines->input->name, lines->line, value, error);
}

static bool read_session_head(struct lines *lines, struct session_head *header, struct sw_error *error) {
    bool failed = false, ends = false, good = true;
    while (good && !ends && next_session_line(lines, error, &failed)) {
        good = read_head_line(lines, header, &ends, error);
    }
    if (failed || (good && ends)) {
        return !failed;
    }
    if (good) {
        sw_fail(error, SW_ERROR_INPUT, "the line 'commands' is missing");
    }
    sw_error_at(error, lines->input->name, lines->number, 1);
    return false;
}

/* May the programs run that a line names? */
static bool admit_line(struct sw_session *session, const char *line, struct sw_error *error) {
    char *copy = sw_state_copy(line), *words[SW_MOST_WORDS];
    const struct sw_command *command = NULL;
    size_t count = 0, room = strlen(line) + 1;
    if (!copy) {
        return sw_fail_memory(error);
    }
    bool good = sw_words_read(copy, words, &count, &command, error);
    for (size_t i = 1; good && i < count; i++) {
        good = !sw_path_is_lua(words[i]) ||
               sw_strangers_admit(session->replaying->programs, session->replaying->how, words[i], false, error);
    }
    SW_FREE(copy, room);
    return good;
}

/* The run comes to its end, and where it is wanted those beside it; how branches end is not found out for that: a
 * replay does so at its own end, less what was given up then. */
static bool settle_runs(struct sw_session *session, bool beside, struct sw_error *error) {
    struct sw_error own = {0};
    while ((session->job.kind || (beside && sw_beside_busy(session))) && own.code == SW_OK) {
        if (sw_replay_goes_on(session, &own)) {
            sw_session_slice(session, UINT64_C(1) << 22, &own);
        } else {
            sw_session_stop(session);
        }
    }
    return sw_state_good(&own, error);
}

/* A line of a session: its run to the end, but what goes on beside it only as far as the next line needs. */
static bool replay_line(struct sw_session *session, const char *line, struct sw_error *error) {
    char *fresh = NULL;
    bool good = sw_command_check(line, error) &&
                rewrite_programs(line, session->replaying->programs->session, resolve, &fresh, error) &&
                (!fresh || admit_line(session, fresh, error)) &&
                sw_session_command_by(session, SW_DOOR_SESSION, fresh ? fresh : line, error);
    sw_state_drop(fresh);
    if (!good) {
        return false;
    }
    return settle_runs(session, false, error);
}

static bool script_line(struct sw_session *session, const char *line, struct sw_error *error) {
    return sw_session_command_by(session, SW_DOOR_SCRIPT, line, error) && sw_session_finish(session, error);
}

/* Run what is left of the lines. */
static bool run_lines(struct sw_session *session, struct lines *lines, sw_script_watch *after, void *context,
                      struct sw_error *error) {
    bool failed = false;
    while (session->leaving != SW_LEAVING && next_session_line(lines, error, &failed)) {
        const char *line = lines->line + strspn(lines->line, " \t");
        bool comment = *line == 0 || *line == '#';
        session->replaying->line = lines->number;
        bool good =
            comment || (session->replaying->how ? sw_replay_goes_on(session, error) && replay_line(session, line, error)
                                                : script_line(session, line, error));
        if (!good) {
            sw_error_at(error, lines->input->name, lines->number, (uint32_t)(line - lines->line) + 1);
            return false;
        }
        if (after && !after(context, line, error)) {
            return false;
        }
    }
    return !failed;
}

static bool is_unchanged(const struct sw_replay *replay, const char *path, uint64_t before, uint64_t now,
                         struct sw_error *error) {
    char what[PATH_MAX + 120];
    if (before == now) {
        return true;
    }
    snprintf(what, sizeof what,
             "%s has changed since the session was saved (its digest was %016" PRIx64 " and is %016" PRIx64 ")", path,
             before, now);
    return (replay->ask && replay->ask(replay->context, what)) || sw_fail(error, SW_ERROR_INPUT, "%s", what);
}

/* All programs that opening the session runs. */
static bool admit_programs(struct session_head *header, const struct sw_replay *replay, struct sw_error *error) {
    const char *const named[] = {header->input,
                                 header->scripts[HEAD_COST],
                                 header->scripts[HEAD_ACTIONS],
                                 header->scripts[HEAD_BREEDING],
                                 header->scripts[HEAD_POLICY],
                                 header->planner};
    struct sw_strangers *programs = &header->programs;
    for (size_t i = 0; i < programs->list.count; i++) {
        char path[PATH_MAX];
        memcpy(path, programs->list.items[i].path, sizeof path);
        if (!sw_strangers_admit(programs, replay, path, false, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        /* Cost models, actions and operators are programs whatever their name. */
        bool program = named[i][0] && ((i >= 1 && i <= 3) || sw_path_is_lua(named[i]));
        if (program && !sw_strangers_admit(programs, replay, named[i], i < 4, error)) {
            return false;
        }
    }
    return true;
}

/* The input cannot be opened. If it is not what it was when the session was saved, that is the cause, and is said. */
static void blame_change(const struct session_head *header, struct sw_error *error) {
    uint64_t now = 0;
    if (!error || error->code != SW_ERROR_INPUT || !sw_strangers_digest(header->input, &now, NULL) ||
        now == header->digest) {
        return;
    }
    struct sw_error why = *error;
    *error = (struct sw_error){0};
    sw_fail(error, SW_ERROR_INPUT, "%s has changed since the session was saved; line %u, column %u: %s", header->input,
            why.line, why.column, why.message);
}

/* A session can name any file that its user may read, and what is shown of it may be passed on. An error about a file
 * that lies elsewhere says where, and nothing of what stands there. */
static void keep_secret(const struct session_head *header, const struct sw_replay *replay, struct sw_error *error) {
    const char *const read[] = {header->input, header->options.load.tiers, header->options.load.join,
                                header->options.load.order};
    bool secret = false;
    for (size_t i = 0; !replay->own && i < sizeof read / sizeof *read; i++) {
        secret = secret || (read[i] && *read[i] && !sw_strangers_are_near(&header->programs, read[i]));
    }
    if (error && error->code == SW_ERROR_INPUT && secret &&
        !(*error->file && sw_strangers_are_near(&header->programs, error->file))) {
        snprintf(error->message, sizeof error->message,
                 "what is wrong here is not shown, as the file lies outside of the session's folder");
    }
}

/* Those that the session names are asked before all others from now on. */
static bool add_readers(struct session_head *header, const struct sw_replay *replay, struct sw_error *error) {
    for (size_t i = 0; i < header->readers.count; i++) {
        const char *path = header->readers.items[i];
        if (!sw_strangers_regular(path, error) || !sw_strangers_admit(&header->programs, replay, path, false, error) ||
            !sw_lua_reader_require(path, error)) {
            return false;
        }
    }
    return true;
}

/* Its path, or NULL. */
static const char *script_of(const struct session_head *header, size_t which) {
    return header->scripts[which][0] ? header->scripts[which] : NULL;
}

static struct sw_session *open_header(struct session_head *header, const struct sw_replay *replay,
                                      struct sw_error *error) {
    header->options.path = header->input;
    header->options.planner = header->planner[0] ? header->planner : NULL;
    header->options.load.trust = replay->trust;
    header->options.write_anywhere = replay->write_anywhere;
    header->options.cost = script_of(header, HEAD_COST);
    header->options.actions = script_of(header, HEAD_ACTIONS);
    header->options.breeding = script_of(header, HEAD_BREEDING);
    header->options.policy = script_of(header, HEAD_POLICY);
    const char *const files[] = {header->input,
                                 header->options.load.tiers,
                                 header->options.load.join,
                                 header->options.load.order,
                                 header->scripts[HEAD_COST],
                                 header->scripts[HEAD_ACTIONS],
                                 header->scripts[HEAD_BREEDING],
                                 header->scripts[HEAD_POLICY]};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i] && files[i][0] && !sw_strangers_regular(files[i], error)) {
            return NULL;
        }
    }
    if (!admit_programs(header, replay, error) || !add_readers(header, replay, error)) {
        return NULL;
    }
    struct sw_session *session = sw_session_new(&header->options, error);
    if (!session) {
        keep_secret(header, replay, error);
        blame_change(header, error);
    }
    bool same = session && is_unchanged(replay, header->input, header->digest, session->digest, error);
    for (size_t i = 0; same && i < HEAD_SCRIPTS; i++) {
        same = is_unchanged(replay, header->scripts[i], header->script_digests[i],
                            sw_lua_plugins_digest(&session->plugins, (enum sw_lua_plugin)i), error);
    }
    if (session && !same) {
        sw_session_free(session);
        return NULL;
    }
    if (session) {
        struct sw_attached *own = session->attached;
        session->attached = header->attached;
        header->attached = own;
        if (!sw_attached_begin(session, replay->run_command, error)) {
            sw_session_free(session);
            return NULL;
        }
    }
    return session;
}

/* How the branches end, as far as that takes a moment; the rest in slices, as ever. */
static void find_outcomes(struct sw_session *session) {
    enum { REPLAY_SLICES = 300 };
    for (int i = 0; i < REPLAY_SLICES && sw_session_slice(session, UINT64_C(100000), NULL); i++) {
    }
}

static uint32_t count_lines(const struct sw_input *input) {
    uint32_t count = 0;
    for (size_t i = 0; i < input->length; i++) {
        count += input->bytes[i] == '\n' || i + 1 == input->length;
    }
    return count;
}

/* Replay the commands of a session. What its head names is open. A session that was stopped, or has used up what
 * it may, is kept where it stands when the user goes on with it. */
static bool replay_commands(struct sw_session *session, struct lines *lines, struct sw_strangers *programs,
                            const struct sw_replay *replay, struct sw_error *error) {
    struct sw_error own = {0};
    session->replaying->how = replay;
    session->replaying->programs = programs;
    session->replaying->lines = count_lines(lines->input);
    bool began = sw_allowance_begin(session);
    bool done = run_lines(session, lines, NULL, NULL, &own) && (replay->live || settle_runs(session, true, &own));
    if (done) {
        find_outcomes(session);
    }
    sw_allowance_end(session, began);
    bool cut = sw_replay_was_cut(session);
    session->replaying->how = NULL;
    session->replaying->programs = NULL;
    session->saved.saved_edits = cut ? SIZE_MAX : session->saved.edits;
    if (!done && cut && replay->live) {
        sw_session_say(session, true, "replayed to line %u of %u: %s", session->replaying->line,
                       session->replaying->lines, own.message);
        done = true;
    }
    return done || sw_state_good(&own, error);
}

struct sw_session *sw_session_replay(const char *path, const struct sw_replay *replay, struct sw_error *error) {
    static const struct sw_replay plain = {.trust = false};
    struct sw_input input = {0};
    replay = replay ? replay : &plain;
    if (!sw_input_open(path, &input, error)) {
        return NULL;
    }
    struct lines lines = {.input = &input};
    struct session_head *header = SW_NEW_ZERO(struct session_head, 1);
    struct sw_session *session = NULL;
    if (header) {
        header->attached = SW_NEW_ZERO(struct sw_attached, 1);
    }
    if (!header || !header->attached) {
        sw_fail_memory(error);
    } else {
        header->options.params.seed = 1;
        header->programs.session = path;
        if (read_session_head(&lines, header, error)) {
            session = open_header(header, replay, error);
            if (!session && error && !error->file[0]) {
                sw_error_at(error, path, 0, 0);
            }
        }
        if (session && !replay_commands(session, &lines, &header->programs, replay, error)) {
            sw_session_free(session);
            session = NULL;
        }
        sw_params_done(&header->options.params);
        sw_load_options_done(&header->options.load);
        SW_ARRAY_DONE(&header->programs.list);
        SW_TEXTS_DONE(&header->readers, );
        sw_attached_part.done(header->attached);
        SW_FREE(header->attached, 1);
    }
    SW_FREE(header, 1);
    sw_input_close(&input);
    return session;
}

struct sw_session *sw_session_open(const char *path, struct sw_error *error) {
    return sw_session_replay(path, NULL, error);
}

bool sw_session_script(struct sw_session *session, const char *path, struct sw_error *error) {
    return sw_session_script_watched(session, path, NULL, NULL, error);
}

bool sw_session_script_watched(struct sw_session *session, const char *path, sw_script_watch *after, void *context,
                               struct sw_error *error) {
    struct sw_input input = {0};
    if (!sw_input_open(path, &input, error)) {
        return false;
    }
    struct lines lines = {.input = &input};
    bool began = sw_allowance_begin(session);
    bool done = run_lines(session, &lines, after, context, error);
    sw_allowance_end(session, began);
    sw_input_close(&input);
    return done;
}
