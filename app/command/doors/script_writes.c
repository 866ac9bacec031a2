/* Where a script may write: below the working directory, through no symbolic link, and over no file but those
 * that scripts made in this run. What comes from keys or the prompt is the user's own doing. */
#include "command/doors/doors.h"
#include "base/base.h"
#include "command/state.h"

#include <errno.h>
#include <sys/stat.h>

struct sw_writes {
    SW_ARRAY(char *) files; /* that scripts made in this run */
};

SW_SESSION_PART(writes, SW_TEXTS_DONE(&writes->files, ));

bool sw_path_is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || length == 1);
}

/* The file's name with every link in its folder followed, and none in its last part. */
static bool real_name(const char *path, char real[PATH_MAX], struct sw_error *error) {
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    char folder[PATH_MAX] = ".";
    if (strlen(path) >= PATH_MAX) {
        return sw_fail(error, SW_ERROR_IO, "%s: the path is too long", path);
    }
    if (slash) {
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    }
    if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0) {
        return sw_fail(error, SW_ERROR_IO, "%s: cannot write: %s", path, strerror(EISDIR));
    }
    if (!realpath(folder, real)) {
        return sw_fail(error, SW_ERROR_IO, "%s: cannot write: %s", path, strerror(errno));
    }
    size_t used = strlen(real);
    used -= used == 1; /* the root ends in its slash */
    if (used + 1 + strlen(last) >= PATH_MAX) {
        return sw_fail(error, SW_ERROR_IO, "%s: the path is too long", path);
    }
    snprintf(real + used, PATH_MAX - used, "/%s", last);
    return true;
}

static bool was_made(const struct sw_session *session, const char *real) {
    for (size_t i = 0; i < session->writes->files.count; i++) {
        if (strcmp(session->writes->files.items[i], real) == 0) {
            return true;
        }
    }
    return false;
}

static bool refuse_writing(struct sw_error *error, const char *path, const char *why) {
    return sw_fail(error, SW_ERROR_USAGE, "%s: %s; --write-anywhere allows it", path, why);
}

bool sw_writing_begin(const struct sw_session *session, const char *path, char *real, struct sw_error *error) {
    char here[PATH_MAX];
    struct stat about;
    real[0] = '\0';
    if (!(session->within.doors & (SW_DOOR_SCRIPT | SW_DOOR_LUA)) || session->options.write_anywhere) {
        return true;
    }
    if (!real_name(path, real, error)) {
        return false;
    }
    if (!realpath(".", here) || !sw_path_is_below(real, here)) {
        return refuse_writing(error, path, "a script writes only below the working directory");
    }
    if (lstat(real, &about) != 0) {
        return errno == ENOENT || sw_fail(error, SW_ERROR_IO, "%s: cannot write: %s", path, strerror(errno));
    }
    if (S_ISLNK(about.st_mode)) {
        return refuse_writing(error, path, "a script does not write through a symbolic link");
    }
    return (S_ISREG(about.st_mode) && was_made(session, real)) ||
           refuse_writing(error, path, "this was there before, and a script writes over no such file");
}

/* Without memory the file is not written over a second time. */
void sw_writing_done(struct sw_session *session, const char *real) {
    char *copy = *real && !was_made(session, real) ? sw_state_copy(real) : NULL;
    if (copy && !SW_PUSH(&session->writes->files, copy)) {
        sw_state_drop(copy);
    }
}
