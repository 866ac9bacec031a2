/* Sessions that were cut off: which there are, taking one up, throwing them away. */
#include "base/base.h"
#include "command/doors/autosave.h"
#include "command/doors/doors.h"
#include "command/screen/screen.h"
#include "command/state.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which there are ---- */

/* The input, or the program that recorded it; the number of commands, and the last of them. */
static void look_into(const char *path, struct sw_left *left) {
    struct sw_input input = {0};
    bool commands = false, program = false;
    if (!sw_input_open(path, &input, NULL)) {
        return;
    }
    for (size_t at = 0; at < input.length;) {
        const char *from = input.bytes + at, *end = memchr(from, '\n', input.length - at);
        int length = (int)(end ? (size_t)(end - from) : input.length - at);
        if (!commands && length > 6 && memcmp(from, "input ", 6) == 0) {
            snprintf(left->input, sizeof left->input, "%.*s", length - 6, from + 6);
        } else if (!commands && !program && length > 11 && memcmp(from, "argument \"", 10) == 0) {
            snprintf(left->input, sizeof left->input, "%.*s", length - 11, from + 10);
            program = true;
        } else if (commands && length > 0) {
            left->commands++;
            snprintf(left->last, sizeof left->last, "%.*s", SW_MIN(length, 100), from);
        }
        commands = commands || (length == 8 && memcmp(from, "commands", 8) == 0);
        at += (size_t)length + 1;
    }
    sw_input_close(&input);
}

/* Does a process still have it? Locks of the dead without a session are swept up. */
static bool is_alive(const struct sw_autosave *keep, const char *name, bool session) {
    int lock = sw_autosave_lock(keep, name);
    if (lock < 0) {
        return true;
    }
    if (!session) {
        unlink(SW_KEPT_FILE(keep, name, ".lock"));
    }
    close(lock);
    return false;
}

static bool cut_suffix(const char *name, const char *suffix, char stem[48]) {
    size_t length = strlen(name), cut = strlen(suffix);
    if (length <= cut || length - cut >= 48 || strcmp(name + length - cut, suffix) != 0) {
        return false;
    }
    memcpy(stem, name, length - cut);
    stem[length - cut] = '\0';
    return true;
}

static int latest_first(const void *a, const void *b) {
    const struct sw_left *x = a, *y = b;
    int order = (x->when < y->when) - (x->when > y->when);
    return order ? order : strcmp(x->name, y->name);
}

/* What a writer left that was cut off in the middle; another one's may be a moment old. */
static void sweep(const struct sw_autosave *keep, const char *name) {
    struct stat about;
    const char *path = SW_KEPT_FILE(keep, name, "");
    size_t length = strlen(name);
    if (strncmp(name, ".stowage-", 9) == 0 && strcmp(name + length - 4, ".tmp") == 0 && lstat(path, &about) == 0 &&
        about.st_mtime + 3600 < time(NULL)) {
        unlink(path);
    }
}

/* Remove a recording, "NAME.stowage" or "NAME.stowage.2", if its session is gone. */
static void sweep_trace(const struct sw_autosave *keep, char stem[48], const char *path) {
    char *end = strstr(stem, ".stowage");
    if (end) {
        *end = '\0';
        if (access(SW_KEPT_FILE(keep, stem, ".stowage"), F_OK) != 0 && errno == ENOENT &&
            strcmp(stem, keep->name) != 0 && !is_alive(keep, stem, true)) {
            unlink(path);
        }
    }
}

static void look_at_kept(const struct sw_autosave *keep, const char *name, struct sw_left_list *list) {
    struct sw_left left = {.when = 0};
    struct stat about;
    if (name[0] == '.') {
        sweep(keep, name);
        return;
    }
    if (cut_suffix(name, ".lock", left.name)) {
        if (access(SW_KEPT_FILE(keep, left.name, ".stowage"), F_OK) != 0 && errno == ENOENT) {
            is_alive(keep, left.name, false);
        }
        return;
    }
    const char *path = SW_KEPT_FILE(keep, name, "");
    if (cut_suffix(name, ".trace", left.name)) {
        sweep_trace(keep, left.name, path);
        return;
    }
    if (!cut_suffix(name, ".stowage", left.name) || lstat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_uid != geteuid() || strcmp(left.name, keep->name) == 0 || is_alive(keep, left.name, true)) {
        return;
    }
    left.when = about.st_mtime;
    look_into(path, &left);
    (void)SW_PUSH(&list->list, left); /* without memory the next start finds it */
}

void sw_recover_list(const struct sw_autosave *keep, struct sw_left_list *list) {
    DIR *folder = keep->on && keep->folder[0] ? opendir(keep->folder) : NULL;
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        look_at_kept(keep, entry->d_name, list);
    }
    if (folder) {
        closedir(folder);
    }
    if (list->list.count > 1) {
        qsort(list->list.items, list->list.count, sizeof *list->list.items, latest_first);
    }
}

static const char *show_when(time_t when, char text[32]) {
    struct tm parts;
    if (!localtime_r(&when, &parts) || !strftime(text, 32, "%d %b %H:%M", &parts)) {
        snprintf(text, 32, "?");
    }
    return text;
}

/* ---- offering ---- */

/* The latest of the same input, or the latest at all. */
void sw_recover_offer(struct sw_session *session) {
    struct sw_left_list left = {0};
    char full[PATH_MAX], when[32], more[64] = "";
    sw_recover_list(session->autosave, &left);
    if (left.list.count > 0) {
        size_t which = 0;
        const char *input = realpath(session->options.path, full) ? full : "";
        while (which < left.list.count && strcmp(left.list.items[which].input, input) != 0) {
            which++;
        }
        const struct sw_left *one = &left.list.items[which < left.list.count ? which : 0];
        snprintf(session->autosave->offered, sizeof session->autosave->offered, "%s", one->name);
        if (left.list.count > 1) {
            snprintf(more, sizeof more, " (1 of %zu; :recover lists them)", left.list.count);
        }
        sw_session_say(session, false, "R takes up %s, cut off %s; any other key leaves it%s",
                       *one->input ? sw_path_name(one->input) : one->name, show_when(one->when, when), more);
    }
    SW_ARRAY_DONE(&left.list);
}

/* ---- taking up ---- */

/* What the program, not the session, has. */
static void hand_program_over(struct sw_session *from, struct sw_session *to) {
    to->display = from->display;
    to->display.drawn++;
    to->keymap = from->keymap;
    from->keymap = (struct sw_keymap){0};
    struct sw_prompt *fresh = to->prompt; /* with the lines of the one before */
    to->prompt = from->prompt;
    from->prompt = fresh;
    sw_prompt_clear(to->prompt);
}

/* The taken-up session goes on in the file it came from. */
static void adopt(struct sw_session *session, const struct sw_autosave *from, const char *name, int lock) {
    struct sw_autosave *keep = session->autosave;
    *keep = *from;
    snprintf(keep->name, sizeof keep->name, "%s", name);
    keep->lock = lock;
    keep->has_base = false;
    keep->written = sw_autosave_mark(session);
    keep->edits = session->saved.edits;
    session->saved.saved_edits = session->saved.edits ? SIZE_MAX : 0; /* quitting asks */
}

/* What is done here so far stays, as a session that was cut off. */
static bool leave_session(struct sw_session *session, struct sw_error *error) {
    struct sw_autosave *keep = session->autosave;
    if (keep->has_base && sw_autosave_mark(session) == keep->base) {
        sw_autosave_drop(session);
        return true;
    }
    return sw_autosave_write(session, error);
}

static bool take_left_up(struct sw_session *session, const char *name, struct sw_error *error) {
    char stem[48], when[32];
    struct stat about;
    if (session->autosave->next) {
        return sw_fail(error, SW_ERROR_USAGE, "another session is being taken up");
    }
    snprintf(stem, sizeof stem, "%s", name);
    const char *path = SW_KEPT_FILE(session->autosave, stem, ".stowage");
    if (strchr(name, '/') || strlen(name) >= sizeof stem || stat(path, &about) != 0 || about.st_uid != geteuid()) {
        return sw_fail(error, SW_ERROR_USAGE, "no session '%s' was cut off; recover lists what there is", name);
    }
    int lock = strcmp(stem, session->autosave->name) == 0 ? -1 : sw_autosave_lock(session->autosave, stem);
    if (lock < 0) {
        return sw_fail(error, SW_ERROR_USAGE, "the session '%s' is open in a running stowage", stem);
    }
    const struct sw_replay replay = {.own = true,
                                     .live = true,
                                     .trust = session->options.load.trust,
                                     .write_anywhere = session->options.write_anywhere,
                                     .watch = session->calls.watch_replay,
                                     .context = session->calls.watch_context};
    struct sw_session *next = sw_session_replay(path, &replay, error);
    if (!next || !leave_session(session, error)) {
        sw_session_free(next);
        close(lock);
        return false;
    }
    adopt(next, session->autosave, stem, lock);
    hand_program_over(session, next);
    sw_autosave_done(session->autosave);
    session->autosave->on = false;
    session->autosave->next = next;
    if (sw_replay_was_cut(next)) {
        return true; /* its status says how far it has come */
    }
    sw_session_say(next, false, "took up %s as it was %s: %zu command%s",
                   next->options.shown ? next->options.shown : sw_path_name(next->options.path),
                   show_when(about.st_mtime, when), sw_log_count(next->command_log),
                   sw_log_count(next->command_log) == 1 ? "" : "s");
    return true;
}

void sw_session_watch_replays(struct sw_session *session, bool (*watch)(void *context, uint32_t line, uint32_t lines),
                              void *context) {
    session->calls.watch_replay = watch;
    session->calls.watch_context = context;
}

struct sw_session *sw_session_next(struct sw_session *session) {
    struct sw_session *next = session->autosave->next;
    session->autosave->next = NULL;
    return next;
}

/* Anything else than taking it up leaves it. */
bool sw_autosave_before(struct sw_session *session, const struct sw_call *call, struct sw_error *error) {
    (void)call, (void)error;
    session->autosave->offered[0] = '\0';
    return true;
}

enum sw_taken sw_autosave_key(struct sw_session *session, const char *key, struct sw_error *error) {
    (void)error;
    if (!session->autosave->offered[0]) {
        return SW_PASSED;
    }
    char name[sizeof session->autosave->offered];
    struct sw_error own = {0};
    memcpy(name, session->autosave->offered, sizeof name);
    session->autosave->offered[0] = '\0';
    session->status.text[0] = '\0';
    if (strcmp(key, "R") != 0) {
        return SW_PASSED;
    }
    if (!take_left_up(session, name, &own)) {
        sw_session_say(session, true, "%s", own.message);
    }
    return SW_TAKEN;
}

/* ---- the command ---- */

static bool drop_left(struct sw_session *session, const char *name, struct sw_error *error) {
    struct sw_left_list left = {0};
    size_t dropped = 0;
    sw_recover_list(session->autosave, &left);
    for (size_t i = 0; i < left.list.count; i++) {
        const char *one = left.list.items[i].name;
        int lock = !name || strcmp(name, one) == 0 ? sw_autosave_lock(session->autosave, one) : -1;
        if (lock >= 0) {
            dropped += sw_autosave_remove(session->autosave, one);
            close(lock);
        }
    }
    SW_ARRAY_DONE(&left.list);
    if (name && dropped == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "no session '%s' was cut off; recover lists what there is", name);
    }
    sw_session_say(session, false, "threw %zu session%s away", dropped, dropped == 1 ? "" : "s");
    return true;
}

static bool show_left(struct sw_session *session) {
    struct sw_left_list left = {0};
    char line[1400], when[32];
    sw_recover_list(session->autosave, &left);
    sw_page_begin(session, "Sessions that were cut off");
    snprintf(line, sizeof line, "%s%.1000s%s", left.list.count ? "" : "There are none in ", session->autosave->folder,
             left.list.count ? ": recover NAME takes one up, recover drop [NAME] throws away" : ".");
    sw_page_add(session, SW_STYLE_DIM, line);
    for (size_t i = 0; i < left.list.count; i++) {
        const struct sw_left *one = &left.list.items[i];
        snprintf(line, sizeof line, "%-10s  %s  %s, %zu command%s%s%s", one->name, show_when(one->when, when),
                 *one->input ? one->input : "not readable", one->commands, one->commands == 1 ? "" : "s",
                 one->last[0] ? ", last: " : "", one->last);
        sw_page_add(session, SW_STYLE_TEXT, line);
    }
    SW_ARRAY_DONE(&left.list);
    return true;
}

bool sw_do_recover(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    if (!session->autosave->on) {
        return sw_fail(error, SW_ERROR_USAGE, "sessions are kept, and found again, only in a terminal");
    }
    if (given->count == 0) {
        return show_left(session);
    }
    if (given->value[0].choice) {
        return drop_left(session, given->value[1].word, error);
    }
    return given->count == 1 ? take_left_up(session, given->words[0], error)
                             : sw_fail(error, SW_ERROR_USAGE, "say recover, recover NAME or recover drop [NAME]");
}
