/* The files that a session was made from: have they changed? */
#include "command/doors/doors.h"
#include "command/state.h"

#include "formats/open_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

struct used {
    char *path;      /* owned */
    uint64_t digest; /* of its bytes then; 0: it is no regular file */
    struct timespec changed;
    off_t size;
};

struct sw_inputs {
    SW_ARRAY(struct used) files;
    time_t looked_at;
};

SW_SESSION_PART(inputs, SW_TEXTS_DONE(&inputs->files, .path));

static uint64_t input_digest_of(const char *path) {
    enum { DIGEST_PART = 1 << 16 };
    static const off_t soon = (off_t)1 << 28;
    struct stat about;
    int file = sw_open_regular(path, &about, NULL);
    char *part = file < 0 ? NULL : SW_NEW(char, DIGEST_PART);
    uint64_t digest = part ? sw_fold(1, (uint64_t)about.st_size) : 0;
    if (part && about.st_size > soon) { /* reading it all takes long: when it was written says enough */
        digest = sw_fold(sw_fold(digest, (uint64_t)about.st_mtim.tv_sec), (uint64_t)about.st_mtim.tv_nsec);
    } else if (part) {
        for (ssize_t got; (got = read(file, part, DIGEST_PART)) > 0 || (got < 0 && errno == EINTR);) {
            digest = got > 0 ? sw_fold_bytes(digest, part, (size_t)got) : digest;
        }
    }
    SW_FREE(part, DIGEST_PART);
    if (file >= 0) {
        close(file);
    }
    return digest;
}

/* Has the file another time or size than it is known to have? Then it is known to have these. */
static bool is_touched(struct used *used) {
    struct stat now;
    if (stat(used->path, &now) != 0 || (now.st_size == used->size && now.st_mtim.tv_sec == used->changed.tv_sec &&
                                        now.st_mtim.tv_nsec == used->changed.tv_nsec)) {
        return false;
    }
    used->changed = now.st_mtim;
    used->size = now.st_size;
    return true;
}

void sw_session_uses(void *context, const char *path) {
    struct sw_session *session = context;
    struct used used = {.path = sw_state_copy(path), .digest = input_digest_of(path)};
    if (used.path) {
        is_touched(&used);
    }
    if (!used.path || !SW_PUSH(&session->inputs->files, used)) {
        sw_state_drop(used.path);
    }
}

const char *sw_inputs_path(const struct sw_session *session, size_t i) {
    return i < session->inputs->files.count ? session->inputs->files.items[i].path : NULL;
}

bool sw_inputs_changed(const struct sw_session *session) {
    for (size_t i = 0; i < session->inputs->files.count; i++) {
        const struct used *used = &session->inputs->files.items[i];
        if (input_digest_of(used->path) != used->digest) {
            return true;
        }
    }
    return false;
}

bool sw_inputs_touched(struct sw_session *session) {
    time_t now = time(NULL);
    bool any = false;
    if (now == session->inputs->looked_at) {
        return false;
    }
    session->inputs->looked_at = now;
    for (size_t i = 0; i < session->inputs->files.count; i++) {
        struct used *used = &session->inputs->files.items[i];
        if (is_touched(used)) { /* once for each change, also when it is broken */
            any = any || input_digest_of(used->path) != used->digest;
        }
    }
    return any;
}
