/* What a session file keeps of an attached session: the command, word by word, its folder, and everything that was
 * recorded, as traces beside it. Texts stand as JSON strings, so that each is one line whatever is in it; what is no
 * UTF-8, as the bytes of an argument may be, stands as hexadecimal digits. */
#include "command/attached/attached.h"
#include "base/base.h"
#include "command/doors/named_programs.h"

#include "formats/open_file.h"
#include "formats/sink_file.h"
#include "formats/text/json.h"

#include <unistd.h>

const char *sw_attached_path(const struct sw_session *session, const struct sw_attached_rerun *rerun) {
    const struct sw_attached *attached = sw_attached_of(session);
    struct sw_live_command *live = rerun ? rerun->live : attached->live;
    return live ? sw_live_path(live) : rerun ? rerun->kept.path : attached->kept.path;
}

bool sw_session_write_recording(const struct sw_session *session, const char *path, struct sw_error *error) {
    if (!session->attached->argv) {
        return sw_fail(error, SW_ERROR_IO,
                       "%s: what the command recorded is gone: another session was taken up in its place", path);
    }
    return sw_sink_file_copy(sw_attached_path(session, NULL), path, error);
}

/* ---- traces that stay readable ---- */

static bool kept_open(struct sw_kept *kept, const char *path, struct sw_error *error) {
    struct sw_error why = {0};
    int file = sw_open_regular(path, NULL, &why);
    if (file < 0) {
        return sw_fail(error, SW_ERROR_IO, "%s: %s", path, why.message);
    }
    kept->file = file;
    snprintf(kept->path, sizeof kept->path, "/proc/self/fd/%d", file);
    return true;
}

void sw_kept_close(struct sw_kept *kept) {
    if (kept->path[0]) {
        close(kept->file);
    }
    kept->path[0] = '\0';
}

/* ---- beside the session file ---- */

static void name_trace(const char *session_path, size_t which, char *out, size_t size) {
    snprintf(out, size, which ? "%s.%zu.trace" : "%s.trace", session_path, which + 1);
}

static uint64_t length_now(const struct sw_attached *attached) {
    return attached->live ? sw_live_length(attached->live) : 0;
}

/* Run `which`, counted from 0: the first run, then those that were made again. */
static bool keep_run(const struct sw_session *session, const char *session_path, size_t which, struct sw_error *error) {
    struct sw_attached *attached = session->attached;
    struct sw_attached_rerun *rerun = which ? &attached->reruns.items[which - 1] : NULL;
    char name[PATH_MAX];
    name_trace(session_path, which, name, sizeof name);
    return sw_sink_file_copy(sw_attached_path(session, rerun), name, error) &&
           sw_strangers_digest(name, rerun ? &rerun->digest : &attached->beside.digest, error);
}

/* A line of a session file is no longer than this. */
static bool fits_session_lines(const struct sw_session *session, struct sw_error *error) {
    enum { LONGEST_LINE = (1 << 16) - 1 };
    struct sw_sink lines = {0};
    size_t longest = 0;
    sw_attached_save(session, &lines);
    for (size_t i = 0, begin = 0; i < lines.text.count; i++) {
        if (lines.text.items[i] == '\n') {
            longest = i - begin > longest ? i - begin : longest;
            begin = i + 1;
        }
    }
    bool failed = lines.failed;
    sw_sink_done(&lines);
    return failed ? sw_fail_memory(error)
                  : longest < LONGEST_LINE ||
                        sw_fail(error, SW_ERROR_UNSUPPORTED,
                                "an argument of the command is too long for a session file, which keeps 64 KiB");
}

bool sw_attached_keep(const struct sw_session *session, const char *session_path, bool grown, struct sw_error *error) {
    struct sw_attached *attached = session->attached;
    struct sw_attached_beside *beside = &attached->beside;
    if (!attached->argv) {
        return true;
    }
    if (!fits_session_lines(session, error)) {
        return false;
    }
    if (!grown || !beside->session || strcmp(beside->session, session_path) != 0) {
        char *path = sw_state_copy(session_path);
        sw_state_drop(beside->session);
        *beside = (struct sw_attached_beside){.session = path, .length = UINT64_MAX};
        if (!path) {
            return sw_fail_memory(error);
        }
    }
    if (beside->length != length_now(attached) && !keep_run(session, session_path, 0, error)) {
        return false;
    }
    beside->length = length_now(attached);
    for (; beside->reruns < attached->reruns.count; beside->reruns++) {
        if (!keep_run(session, session_path, beside->reruns + 1, error)) {
            return false;
        }
    }
    return true;
}

void sw_attached_remove(const char *session_path) {
    char name[PATH_MAX];
    size_t which = 0;
    do {
        name_trace(session_path, which++, name, sizeof name);
    } while (unlink(name) == 0);
}

bool sw_attached_input(const struct sw_session *session, const char *session_path, char *name, size_t size,
                       uint64_t *digest) {
    if (session->attached->argv) {
        name_trace(session_path, 0, name, size);
        *digest = session->attached->beside.digest;
    }
    return session->attached->argv != NULL;
}

bool sw_attached_begin(struct sw_session *session, bool allowed, struct sw_error *error) {
    struct sw_attached *attached = session->attached;
    attached->allowed = allowed;
    if (!attached->argv) {
        return !allowed || sw_fail(error, SW_ERROR_USAGE, "the session has no command that --run-command could allow");
    }
    if (!attached->directory) {
        return sw_fail(error, SW_ERROR_INPUT, "the session has a command and does not say in which folder it runs");
    }
    if (!sw_problem_recording(session->problem)) {
        return sw_fail(error, SW_ERROR_INPUT, "the session has a command, and its input is no recorded run");
    }
    session->options.shown = sw_state_copy(sw_path_name(attached->argv[0]));
    return session->options.shown ? kept_open(&attached->kept, session->options.path, error) : sw_fail_memory(error);
}

/* ---- lines of the head ---- */

static void write_head_text(struct sw_sink *sink, const char *word, const char *text) {
    sw_sink_printf(sink, "%s ", word);
    if (!text[sw_utf8_valid(text, strlen(text))]) {
        sw_sink_json(sink, text);
    } else {
        for (; *text; text++) {
            sw_sink_printf(sink, "%02x", (unsigned char)*text);
        }
    }
    sw_sink_printf(sink, "\n");
}

void sw_attached_save(const struct sw_session *session, struct sw_sink *sink) {
    const struct sw_attached *attached = session->attached;
    if (!attached->argv) {
        return;
    }
    write_head_text(sink, "attached", attached->directory ? attached->directory : ".");
    for (size_t i = 0; i < attached->argc; i++) {
        write_head_text(sink, "argument", attached->argv[i]);
    }
    for (size_t i = 0; i < attached->reruns.count; i++) {
        char word[32];
        snprintf(word, sizeof word, "rerun %016" PRIx64, attached->reruns.items[i].digest);
        write_head_text(sink, word, attached->reruns.items[i].demands);
    }
}

static char *read_hex(const char *value, struct sw_error *error) {
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(value);
    if (length == 0 || length % 2 || strspn(value, digits) != length) {
        sw_fail(error, SW_ERROR_INPUT, "here should be a text between quotes, or its bytes as hexadecimal digits");
        return NULL;
    }
    char *bytes = SW_NEW_ZERO(char, length / 2 + 1);
    for (size_t i = 0; bytes && i < length; i += 2) {
        bytes[i / 2] = (char)((strchr(digits, value[i]) - digits) << 4 | (strchr(digits, value[i + 1]) - digits));
    }
    bool zero = bytes && strlen(bytes) < length / 2;
    char *text = bytes && !zero ? sw_state_copy(bytes) : NULL;
    if (zero) {
        sw_fail(error, SW_ERROR_INPUT, "a text has a zero byte in it");
    } else if (!text) {
        sw_fail_memory(error);
    }
    SW_FREE(bytes, bytes ? length / 2 + 1 : 0);
    return text;
}

/* A text of the session's: a JSON string, or bytes. NULL: it is neither, or no memory. */
static char *read_head_text(const char *value, struct sw_error *error) {
    if (*value != '"') {
        return read_hex(value, error);
    }
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

static bool add_command_word(struct sw_attached *attached, char *text, struct sw_error *error) {
    char **more =
        sw_mem_resize(attached->argv, attached->argv ? attached->argc + 1 : 0, attached->argc + 2, sizeof *more);
    if (!more) {
        sw_state_drop(text);
        return sw_fail_memory(error);
    }
    attached->argv = more;
    attached->argv[attached->argc++] = text;
    attached->argv[attached->argc] = NULL;
    return true;
}

/* "DIGEST TEXT": its trace must be the one that was written. */
static bool add_rerun(struct sw_attached *attached, const char *session_path, const char *value,
                      struct sw_error *error) {
    struct sw_attached_rerun rerun = {0};
    char name[PATH_MAX], *end;
    uint64_t wanted = strtoull(value, &end, 16);
    name_trace(session_path, attached->reruns.count + 1, name, sizeof name);
    if (end != value + 16 || *end != ' ') {
        return sw_fail(error, SW_ERROR_INPUT,
                       "here should be the digest of a trace, and the demands that it was made with");
    }
    if (!kept_open(&rerun.kept, name, error) || !sw_strangers_digest(rerun.kept.path, &rerun.digest, error)) {
        sw_kept_close(&rerun.kept);
        return false;
    }
    if (rerun.digest != wanted) {
        sw_kept_close(&rerun.kept);
        return sw_fail(error, SW_ERROR_INPUT, "%s is not what it was when the session was saved", name);
    }
    rerun.demands = read_head_text(end + 1, error);
    if (rerun.demands && SW_PUSH(&attached->reruns, rerun)) {
        return true;
    }
    bool memory = rerun.demands != NULL;
    sw_state_drop(rerun.demands);
    sw_kept_close(&rerun.kept);
    return memory && sw_fail_memory(error);
}

bool sw_attached_knows(const char *word) {
    return strcmp(word, "attached") == 0 || strcmp(word, "argument") == 0 || strcmp(word, "rerun") == 0;
}

bool sw_attached_take(struct sw_attached *attached, const char *session_path, const char *word, const char *value,
                      struct sw_error *error) {
    if (strcmp(word, "rerun") == 0) {
        return add_rerun(attached, session_path, value, error);
    }
    char *text = read_head_text(value, error);
    if (text && strcmp(word, "attached") == 0) {
        sw_state_drop(attached->directory);
        attached->directory = text;
        return true;
    }
    return text && add_command_word(attached, text, error);
}
