/* What the explorer in a terminal keeps in its folder from one start to the next:
 *
 *   NAME.stowage   the session's log, so that it survives whatever ends the program; removed at a
 *                  clean end
 *   NAME.stowage.trace, NAME.stowage.2.trace ...
 *                  what a command recorded, of a session that is attached to one
 *   NAME.lock      locked as long as its process lives: what is locked belongs to a living process
 *   history        lines of the prompt, the latest last
 *   panes          the panes as they were, as commands
 *
 * Only the user may read them. When they cannot be written that is said once, and all goes on. */
#include "command/attached/attached.h"
#include "base/base.h"
#include "command/doors/autosave.h"
#include "command/doors/doors.h"
#include "command/look/look.h"
#include "command/screen/prompt.h"
#include "command/state.h"
#include "data.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void sw_autosave_done(struct sw_autosave *keep) {
    if (keep->name[0]) {
        close(keep->lock);
    }
    keep->name[0] = '\0';
}

static void forget_autosave(struct sw_autosave *keep) {
    sw_autosave_done(keep);
    sw_session_free(keep->next);
}

SW_SESSION_PART(autosave, forget_autosave(autosave));

enum { EVERY = 3000 }; /* milliseconds between two writes of the log */

/* ---- the folder ---- */

const char *sw_autosave_path(const struct sw_autosave *keep, const char *name, const char *suffix,
                             char path[SW_KEPT_PATH]) {
    snprintf(path, SW_KEPT_PATH, "%s/%s%s", keep->folder, name, suffix);
    return path;
}

static bool fail_folder(const struct sw_autosave *keep, int code, struct sw_error *error) {
    return sw_fail(error, SW_ERROR_IO, "%s: %s", keep->folder, strerror(code));
}

static bool make_state_folder(const struct sw_autosave *keep, struct sw_error *error) {
    char path[sizeof keep->folder];
    struct stat about;
    if (!keep->folder[0]) {
        return sw_fail(error, SW_ERROR_IO, "STOWAGE_STATE, XDG_STATE_HOME and HOME are not set");
    }
    snprintf(path, sizeof path, "%s", keep->folder);
    for (char *at = path + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0700); /* when it matters that this failed, the last one fails, too */
            *at = '/';
        }
    }
    if ((mkdir(path, 0700) != 0 && errno != EEXIST) || stat(path, &about) != 0) {
        return fail_folder(keep, errno, error);
    }
    if (!S_ISDIR(about.st_mode)) {
        return fail_folder(keep, ENOTDIR, error);
    }
    return about.st_uid == geteuid() || sw_fail(error, SW_ERROR_IO, "%s belongs to another user", keep->folder);
}

/* For the user only, whatever the mask is. */
static bool write_kept(const struct sw_autosave *keep, const char *name, const char *suffix, struct sw_sink *sink,
                       struct sw_error *error) {
    mode_t mask = umask(077);
    bool done = sw_sink_commit(sink, SW_KEPT_FILE(keep, name, suffix), error);
    umask(mask);
    return done;
}

/* The bytes of a file, when it is the user's own and of a sensible length. */
static bool read_kept(const struct sw_autosave *keep, const char *name, struct sw_input *input) {
    struct stat about;
    const char *path = SW_KEPT_FILE(keep, name, "");
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() && about.st_size <= 1 << 20 &&
           sw_input_open(path, input, NULL);
}

/* The next line that could be a command; false at the end. */
static bool next_kept_line(const struct sw_input *input, size_t *at, char line[1024]) {
    while (*at < input->length) {
        const char *from = input->bytes + *at, *end = memchr(from, '\n', input->length - *at);
        size_t length = end ? (size_t)(end - from) : input->length - *at;
        bool good = length > 0 && length < 1024;
        for (size_t i = 0; good && i < length; i++) {
            good = (unsigned char)from[i] >= 32 && from[i] != 127;
        }
        *at += length + 1;
        if (good) {
            memcpy(line, from, length);
            line[length] = '\0';
            return true;
        }
    }
    return false;
}

/* ---- its own session ---- */

uint64_t sw_autosave_mark(const struct sw_session *session) {
    return sw_log_mark(session->command_log, sw_fold(session->digest, session->job.kind != SW_JOB_NONE));
}

int sw_autosave_lock(const struct sw_autosave *keep, const char *name) {
    const char *path = SW_KEPT_FILE(keep, name, ".lock");
    for (int attempt = 0; attempt < 10; attempt++) {
        struct stat ours, there;
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) {
            return -1;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            close(fd);
            return -1;
        }
        /* The process that had it may have removed it meanwhile. */
        if (fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
            ours.st_dev == there.st_dev) {
            return fd;
        }
        close(fd);
    }
    return -1;
}

/* A name that no session has, living or cut off. */
static bool choose_session_name(struct sw_autosave *keep, struct sw_error *error) {
    int code = 0;
    for (unsigned attempt = 0; attempt < 100 && !keep->name[0]; attempt++) {
        char name[sizeof keep->name];
        snprintf(name, sizeof name, attempt ? "%ld-%u" : "%ld", (long)getpid(), attempt);
        errno = 0;
        int lock = access(SW_KEPT_FILE(keep, name, ".stowage"), F_OK) == 0 ? -1 : sw_autosave_lock(keep, name);
        code = errno;
        if (lock >= 0) {
            keep->lock = lock;
            snprintf(keep->name, sizeof keep->name, "%s", name);
        }
    }
    return keep->name[0] || fail_folder(keep, code ? code : EEXIST, error);
}

bool sw_autosave_write(struct sw_session *session, struct sw_error *error) {
    struct sw_autosave *keep = session->autosave;
    struct sw_sink sink = {0};
    bool done = make_state_folder(keep, error) && (keep->name[0] || choose_session_name(keep, error));
    const char *path = SW_KEPT_FILE(keep, keep->name, ".stowage");
    mode_t mask = umask(077);
    done = done && sw_state_keep_beside(session, path, true, error);
    umask(mask);
    if (done) {
        sw_state_session_text(session, path, true, &sink);
        done = write_kept(keep, keep->name, ".stowage", &sink, error);
    }
    sw_sink_done(&sink);
    return done;
}

bool sw_autosave_remove(const struct sw_autosave *keep, const char *name) {
    const char *path = SW_KEPT_FILE(keep, name, ".stowage");
    bool there = unlink(path) == 0;
    sw_attached_remove(path);
    unlink(SW_KEPT_FILE(keep, name, ".lock"));
    return there;
}

void sw_autosave_drop(struct sw_session *session) {
    struct sw_autosave *keep = session->autosave;
    if (keep->name[0]) {
        sw_autosave_remove(keep, keep->name);
        sw_state_drop(session->attached->beside.session); /* it must be written anew */
        session->attached->beside.session = NULL;
    }
    sw_autosave_done(keep);
}

void sw_autosave_saved(struct sw_session *session) {
    session->autosave->base = sw_autosave_mark(session);
    session->autosave->has_base = true;
}

/* ---- history and panes ---- */

static void read_history(struct sw_session *session) {
    struct sw_input input = {0};
    char line[1024];
    size_t at = 0;
    if (read_kept(session->autosave, "history", &input)) {
        while (next_kept_line(&input, &at, line)) {
            sw_prompt_remember(session->prompt, line);
        }
        sw_input_close(&input);
    }
    session->prompt->fresh = 0;
}

/* What is there now, which others may have added to, then the lines of this session. */
static bool write_history(struct sw_session *session, struct sw_error *error) {
    struct sw_prompt *prompt = session->prompt;
    struct sw_input input = {0};
    struct sw_sink sink = {0};
    char line[1024];
    size_t at = 0, there = 0, count = prompt->history.count;
    size_t fresh = SW_MIN(prompt->fresh, count);
    bool open = read_kept(session->autosave, "history", &input);
    while (open && next_kept_line(&input, &at, line)) {
        there++;
    }
    size_t skip = there + fresh > SW_HISTORY ? there + fresh - SW_HISTORY : 0;
    at = 0;
    while (open && next_kept_line(&input, &at, line)) {
        if (skip > 0) {
            skip--;
        } else {
            sw_sink_printf(&sink, "%s\n", line);
        }
    }
    for (size_t i = count - fresh; i < count; i++) {
        sw_sink_printf(&sink, "%s\n", prompt->history.items[i]);
    }
    bool done =
        make_state_folder(session->autosave, error) && write_kept(session->autosave, "history", "", &sink, error);
    sw_input_close(&input);
    sw_sink_done(&sink);
    prompt->fresh = done ? 0 : prompt->fresh;
    return done;
}

/* The panes now, as the file has them; "" without memory. */
static void panes_text(const struct sw_session *session, char *text, size_t size) {
    struct sw_sink sink = {0};
    struct sw_sight sight = session->sight;
    const struct sw_view *side = sw_view_pane(sight.side);
    sight.side =
        side->of_runs || side->of == SW_VIEW_OF_MOMENTS ? 0 : sight.side; /* they show nothing of another file */
    sw_panes_write(&sight, &sink);
    snprintf(text, size, "%.*s", sink.failed ? 0 : (int)sink.text.count, sink.failed ? "" : sink.text.items);
    sw_sink_done(&sink);
}

/* Only lines of the kind that is written, and of those the ones that change something: a broken
 * file does nothing. They go into the log, as if they were given by hand. */
static void use_panes_line(struct sw_session *session, const char *line) {
    char panes[sizeof session->autosave->panes];
    size_t word = strcspn(line, " ");
    bool known = false, there = false;
    panes_text(session, panes, sizeof panes);
    for (const char *at = panes; *at;) {
        size_t length = strcspn(at, "\n");
        known = known || (strncmp(at, line, word) == 0 && at[word] == ' ');
        there = there || (strlen(line) == length && strncmp(at, line, length) == 0);
        at += length + (at[length] == '\n');
    }
    if (known && !there) {
        sw_state_quietly(session, line, NULL);
    }
}

static void read_panes(struct sw_session *session, bool use) {
    struct sw_autosave *keep = session->autosave;
    struct sw_input input = {0};
    char line[1024];
    size_t at = 0;
    if (!read_kept(keep, "panes", &input)) {
        return;
    }
    size_t length = input.length < sizeof keep->panes ? input.length : 0;
    memcpy(keep->panes, input.bytes, length);
    keep->panes[length] = '\0';
    while (use && next_kept_line(&input, &at, line)) {
        use_panes_line(session, line);
    }
    sw_input_close(&input);
    if (use && !sw_pane_applies(session)) { /* it was left on another file */
        char first[64];
        snprintf(first, sizeof first, "pane %s", sw_view_first_pane(sw_state_search(session))->name);
        sw_state_quietly(session, first, NULL);
        sw_state_quietly(session, "whole off", NULL);
    }
    const struct sw_view *side = sw_sight_side(&session->sight);
    if (use && side && !session->status.text[0]) {
        sw_session_say(session, false, "%s beside the map, as it was left; %s shows another pane", side->name,
                       SW_KEY(session, "pane"));
    }
}

static bool write_panes(struct sw_session *session, struct sw_error *error) {
    struct sw_autosave *keep = session->autosave;
    struct sw_sink sink = {0};
    char panes[sizeof keep->panes];
    panes_text(session, panes, sizeof panes);
    if (strcmp(panes, keep->panes) == 0) {
        return true;
    }
    sw_sink_add(&sink, panes, strlen(panes));
    bool done = make_state_folder(keep, error) && write_kept(keep, "panes", "", &sink, error);
    sw_sink_done(&sink);
    if (done) {
        memcpy(keep->panes, panes, sizeof panes);
    }
    return done;
}

/* ---- when ---- */

void sw_session_autosave(struct sw_session *session, bool fresh) {
    struct sw_autosave *keep = session->autosave;
    keep->on = true;
    if (!sw_home_path("STOWAGE_STATE", "XDG_STATE_HOME", ".local/state", "stowage", keep->folder,
                      sizeof keep->folder)) {
        keep->folder[0] = '\0';
        return;
    }
    read_history(session);
    read_panes(session, fresh);
}

/* Once only. */
static bool complain(struct sw_session *session, const struct sw_error *error) {
    if (session->autosave->complained) {
        return false;
    }
    session->autosave->complained = true;
    sw_session_say(session, true, "not kept for the next start: %s%s%s", error->message, error->file[0] ? ": " : "",
                   error->file);
    return true;
}

static bool keep_session(struct sw_session *session, uint64_t mark, struct sw_error *error) {
    struct sw_autosave *keep = session->autosave;
    bool done = true;
    if (keep->has_base && mark == keep->base) {
        sw_autosave_drop(session);
    } else {
        done = sw_autosave_write(session, error);
    }
    keep->written = mark;
    keep->edits = session->saved.edits;
    return done;
}

bool sw_session_autosave_now(struct sw_session *session, int *wait) {
    struct sw_autosave *keep = session->autosave;
    struct sw_error error = {0};
    *wait = -1;
    if (!keep->on) {
        return false;
    }
    uint64_t mark = sw_autosave_mark(session);
    bool log = mark != keep->written, history = session->prompt->fresh > 0;
    log = log || (keep->has_base && mark == keep->base && keep->name[0]); /* it was saved */
    double left = keep->at + EVERY - 1e3 * sw_state_clock();
    if (!log && !history) {
        return false;
    }
    if (left > 0 && !(log && session->saved.edits != keep->edits)) {
        *wait = (int)left + 1;
        return false;
    }
    bool done = !log || keep_session(session, mark, &error);
    done = (!history || write_history(session, &error)) && done;
    keep->at = 1e3 * sw_state_clock();
    if (!done && session->prompt->fresh > 0) {
        *wait = EVERY;
    }
    return !done && complain(session, &error);
}

void sw_session_offer(struct sw_session *session) {
    struct sw_autosave *keep = session->autosave;
    keep->base = keep->written = sw_autosave_mark(session);
    keep->has_base = true;
    keep->edits = session->saved.edits;
    keep->at = 1e3 * sw_state_clock();
    sw_recover_offer(session);
}

void sw_session_autosave_end(struct sw_session *session, bool cut_off) {
    struct sw_autosave *keep = session->autosave;
    struct sw_error error = {0};
    if (!keep->on) {
        return;
    }
    if (session->prompt->fresh > 0) {
        write_history(session, &error);
    }
    write_panes(session, &error);
    uint64_t mark = sw_autosave_mark(session);
    if (!cut_off || (keep->has_base && mark == keep->base)) {
        sw_autosave_drop(session);
    } else if (mark != keep->written) {
        keep_session(session, mark, &error);
    }
    sw_autosave_done(keep);
    keep->on = false;
}
