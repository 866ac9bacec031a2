/* What a session file keeps of an attached session: the command, word by word, its folder, and everything that was recorded,
 * as traces beside it. Texts stand as JSON strings, so that each is one line whatever is in it. */
#include "command/attached/attached.h"

#include "formats/sink_file.h"
#include "formats/text/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool sw_session_write_recording(const struct sw_session *session, const char *path, struct sw_error *error) {
    const struct sw_attached *attached = session->attached;
    return sw_sink_file_copy(attached->live ? sw_live_path(attached->live) : session->options.path, path, error);
}

static void name_trace(const char *session_path, size_t which, char *out, size_t size) {
    if (which == 0) {
        snprintf(out, size, "%s.trace", session_path);
    } else {
        snprintf(out, size, "%s.%zu.trace", session_path, which + 1);
    }
}

bool sw_attached_keep(const struct sw_session *session, const char *session_path, struct sw_error *error) {
    struct sw_attached *attached = session->attached;
    char name[PATH_MAX];
    if (!attached->argv) {
        return true;
    }
    const char *first = attached->live ? sw_live_path(attached->live) : session->options.path;
    name_trace(session_path, 0, name, sizeof name);
    if (!sw_sink_file_copy(first, name, error)) {
        return false;
    }
    struct sw_input input;
    if (!sw_input_open(name, &input, error)) {
        return false;
    }
    attached->kept_digest = sw_input_digest(&input);
    sw_input_close(&input);
    sw_state_drop(attached->kept);
    attached->kept = sw_state_copy(name);
    for (size_t i = 0; attached->kept && i < attached->reruns.count; i++) {
        const struct sw_attached_rerun *rerun = &attached->reruns.items[i];
        name_trace(session_path, i + 1, name, sizeof name);
        if (!sw_sink_file_copy(rerun->live ? sw_live_path(rerun->live) : rerun->path, name, error)) {
            return false;
        }
    }
    return attached->kept || sw_fail_memory(error);
}

static void write_text(struct sw_sink *sink, const char *word, const char *text) {
    sw_sink_printf(sink, "%s ", word);
    sw_sink_json(sink, text);
    sw_sink_printf(sink, "\n");
}

void sw_attached_write(const struct sw_session *session, struct sw_sink *sink) {
    const struct sw_attached *attached = session->attached;
    if (!attached->argv) {
        return;
    }
    write_text(sink, "attached", attached->directory ? attached->directory : ".");
    for (size_t i = 0; i < attached->argc; i++) {
        write_text(sink, "argument", attached->argv[i]);
    }
    for (size_t i = 0; i < attached->reruns.count; i++) {
        write_text(sink, "rerun", attached->reruns.items[i].demands);
    }
}

/* A JSON string as a text of the session's; NULL: it is none, or no memory. */
static char *read_text(const char *value, struct sw_error *error) {
    struct sw_arena arena = {0};
    json_error_t why;
    bool memory = false;
    json_t *root = sw_json_parse(&arena, value, strlen(value), JSON_DECODE_ANY, &why, &memory);
    const char *text = root && json_is_string(root) ? json_string_value(root) : NULL;
    char *copy = text ? sw_state_copy(text) : NULL;
    if (!text && !memory) {
        sw_fail(error, SW_ERROR_INPUT, "here should be a text between quotes");
    } else if (!copy) {
        sw_fail_memory(error);
    }
    sw_arena_done(&arena);
    return copy;
}

static bool add_argument(struct sw_attached *attached, char *text, struct sw_error *error) {
    char **more = sw_mem_resize(attached->argv, attached->argv ? attached->argc + 1 : 0, attached->argc + 2, sizeof *more);
    if (!more) {
        sw_state_drop(text);
        return sw_fail_memory(error);
    }
    attached->argv = more;
    attached->argv[attached->argc++] = text;
    attached->argv[attached->argc] = NULL;
    return true;
}

static bool add_rerun(struct sw_attached *attached, const char *session_path, char *demands, struct sw_error *error) {
    char name[PATH_MAX];
    name_trace(session_path, attached->reruns.count + 1, name, sizeof name);
    struct sw_attached_rerun rerun = {.demands = demands, .path = sw_state_copy(name)};
    if (!rerun.path || !SW_PUSH(&attached->reruns, rerun)) {
        sw_state_drop(demands);
        sw_state_drop(rerun.path);
        return sw_fail_memory(error);
    }
    return true;
}

bool sw_attached_take(struct sw_attached *attached, const char *session_path, const char *word, const char *value, bool *known,
                      struct sw_error *error) {
    bool folder = strcmp(word, "attached") == 0, argument = strcmp(word, "argument") == 0, rerun = strcmp(word, "rerun") == 0;
    *known = folder || argument || rerun;
    if (!*known) {
        return true;
    }
    char *text = read_text(value, error);
    if (!text) {
        return false;
    }
    if (folder) {
        sw_state_drop(attached->directory);
        attached->directory = text;
        return true;
    }
    return argument ? add_argument(attached, text, error) : add_rerun(attached, session_path, text, error);
}
