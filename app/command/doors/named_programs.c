/* The programs that a session file names: cost models, actions, Lua models and planners. They run without a
 * question when they lie in the session's folder, or ship with stowage, and are as they were when the session was
 * saved. */
#include "command/doors/named_programs.h"
#include "base/base.h"
#include "command/doors/doors.h"

#include "data.h"

#include <sys/stat.h>

static bool is_below(const char *real, const char *folder) {
    char whole[PATH_MAX];
    return realpath(folder, whole) && sw_path_is_below(real, whole);
}

static bool is_near(const struct sw_strangers *strangers, const char *real) {
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(strangers->session, '/');
    if (slash) {
        snprintf(folder, sizeof folder, "%.*s", slash == strangers->session ? 1 : (int)(slash - strangers->session),
                 strangers->session);
    }
    return is_below(real, folder) || (sw_data_path("scripts", folder, sizeof folder, NULL) && is_below(real, folder));
}

bool sw_strangers_are_near(const struct sw_strangers *strangers, const char *path) {
    char real[PATH_MAX];
    return realpath(path, real) && is_near(strangers, real);
}

bool sw_strangers_regular(const char *path, struct sw_error *error) {
    struct stat about;
    if (strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode))) {
        return true;
    }
    return sw_fail(error, SW_ERROR_INPUT, "a session names regular files only, and %s is none", path);
}

bool sw_strangers_digest(const char *path, uint64_t *digest, struct sw_error *error) {
    struct sw_input input = {0};
    if (!sw_input_open(path, &input, error)) {
        return false;
    }
    *digest = sw_input_digest(&input);
    sw_input_close(&input);
    return true;
}

/* "PATH WHAT"; false, with the error, when the answer is no, or when the session has no way to ask. */
static bool ask_for_stranger(const struct sw_replay *replay, const char *path, const char *what,
                             struct sw_error *error) {
    char question[PATH_MAX + 200];
    snprintf(question, sizeof question, "%s %s", path, what);
    if (replay->ask && replay->ask(replay->context, question)) {
        return true;
    }
    return sw_fail(error, SW_ERROR_USAGE, "%s %s%s", path, what,
                   replay->ask ? "" : "; without a terminal to ask at it is not used");
}

/* The entry of a file, by what it really is. */
static struct sw_stranger *find_stranger(const struct sw_strangers *strangers, const char *real) {
    char other[PATH_MAX];
    for (size_t i = 0; i < strangers->list.count; i++) {
        if (realpath(strangers->list.items[i].path, other) && strcmp(other, real) == 0) {
            return &strangers->list.items[i];
        }
    }
    return NULL;
}

bool sw_strangers_admit(struct sw_strangers *strangers, const struct sw_replay *replay, const char *path, bool vouched,
                        struct sw_error *error) {
    char real[PATH_MAX];
    uint64_t digest = 0;
    if (!realpath(path, real)) {
        return true; /* it cannot be opened, which is said then */
    }
    struct sw_stranger *known = find_stranger(strangers, real);
    bool near = is_near(strangers, real);
    if (!sw_strangers_regular(path, error) || !sw_strangers_digest(path, &digest, error)) {
        return false;
    }
    if ((known && known->admitted) || (replay->own && known && known->digest == digest)) {
        return true;
    }
    if (!near && !replay->own &&
        !ask_for_stranger(replay, path, "is a program outside of the session's folder", error)) {
        return false;
    }
    if (known && known->digest != digest &&
        !ask_for_stranger(replay, path, "is a program that has changed since the session was saved", error)) {
        return false;
    }
    if (!known && !vouched &&
        !ask_for_stranger(replay, path, "is a program of which the session has no digest", error)) {
        return false;
    }
    struct sw_stranger fresh = {.digest = digest, .admitted = true};
    snprintf(fresh.path, sizeof fresh.path, "%s", real);
    if (known) {
        known->admitted = true;
        return true;
    }
    return SW_PUSH(&strangers->list, fresh) || sw_fail_memory(error);
}
