#include "attach/live_run.h"
#include "base/base.h"

#include "formats/sink_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { ROOM = 4096 };

struct sw_live_command {
    struct sw_child *child;
    int file;
    char path[64];
    uint64_t length, decisions, runs, of_run;
    char line[24]; /* how the line under way begins */
    size_t begun;
    bool paced;
    SW_ARRAY(char) pending; /* read from the child, and not in the file yet */
};

/* A file without a name. */
static int open_file(struct sw_error *error) {
    const char *folder = getenv("TMPDIR");
    char name[4096];
    folder = folder && *folder ? folder : "/tmp";
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 && snprintf(name, sizeof name, "%s/stowage-XXXXXX", folder) < (int)sizeof name) {
        file = mkostemp(name, O_CLOEXEC);
        if (file >= 0) {
            unlink(name);
        }
    }
    if (file < 0) {
        sw_fail(error, SW_ERROR_IO, "no file for what is recorded can be made in %s: %s", folder, strerror(errno));
    }
    return file;
}

struct sw_live_command *sw_live_start(const struct sw_child_command *command, struct sw_error *error) {
    struct sw_live_command *live = SW_NEW_ZERO(struct sw_live_command, 1);
    if (!live) {
        sw_fail_memory(error);
        return NULL;
    }
    live->file = open_file(error);
    live->child = live->file < 0 ? NULL : sw_child_start(command, error);
    if (!live->child) {
        sw_live_free(live);
        return NULL;
    }
    snprintf(live->path, sizeof live->path, "/proc/self/fd/%d", live->file);
    return live;
}

void sw_live_free(struct sw_live_command *live) {
    if (live) {
        if (live->child) {
            sw_child_end(live->child);
            sw_child_free(live->child);
        }
        if (live->file >= 0) {
            close(live->file);
        }
        SW_ARRAY_DONE(&live->pending);
        SW_FREE(live, 1);
    }
}

struct sw_child *sw_live_child(struct sw_live_command *live) {
    return live->child;
}
SW_GETTER(const char *, sw_live_path, sw_live_command, path)
SW_GETTER(uint64_t, sw_live_length, sw_live_command, length)
SW_GETTER(uint64_t, sw_live_decisions, sw_live_command, decisions)
uint64_t sw_live_runs(const struct sw_live_command *live, uint64_t *decisions) {
    *decisions = live->of_run;
    return live->runs;
}
bool sw_live_over(const struct sw_live_command *live) {
    return sw_child_facts(live->child)->over && live->pending.count == 0;
}
void sw_live_pace(struct sw_live_command *live, bool paced) {
    live->paced = paced;
}
SW_GETTER(bool, sw_live_paced, sw_live_command, paced)

static bool begins(const struct sw_live_command *live, const char *with) {
    size_t length = strlen(with);
    return live->begun >= length && memcmp(live->line, with, length) == 0;
}

static void count_live_lines(struct sw_live_command *live, const char *bytes, size_t length) {
    while (length > 0) {
        const char *end = memchr(bytes, '\n', length);
        size_t part = end ? (size_t)(end - bytes) : length, room = sizeof live->line - live->begun;
        size_t kept = part < room ? part : room;
        memcpy(live->line + live->begun, bytes, kept);
        live->begun += kept;
        if (end) {
            bool header = begins(live, "{\"stowage-trace\""), decision = begins(live, "{\"decision\"");
            live->runs += header;
            live->decisions += decision;
            live->of_run = header ? 0 : live->of_run + decision;
            live->begun = 0;
        }
        length -= part + (end != NULL);
        bytes += part + (end != NULL);
    }
}

static bool keep_bytes(struct sw_live_command *live, const char *bytes, size_t length, struct sw_error *error) {
    while (length > 0) {
        ssize_t put = pwrite(live->file, bytes, length, (off_t)live->length);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return sw_fail(error, SW_ERROR_IO, "what is recorded cannot be kept: %s",
                           strerror(put < 0 ? errno : ENOSPC));
        }
        count_live_lines(live, bytes, (size_t)put);
        live->length += (uint64_t)put;
        bytes += put;
        length -= (size_t)put;
    }
    return true;
}

/* The first bytes of what is pending go into the file. */
static bool release_bytes(struct sw_live_command *live, size_t length, size_t *got, struct sw_error *error) {
    if (!keep_bytes(live, live->pending.items, length, error)) {
        return false;
    }
    live->pending.count -= length;
    memmove(live->pending.items, live->pending.items + length, live->pending.count);
    *got = length;
    return true;
}

/* One line, when it is there as a whole; the rest without one when nothing follows. */
static bool read_live_line(struct sw_live_command *live, size_t *got, struct sw_error *error) {
    size_t looked = 0;
    for (;;) {
        char *from = live->pending.items;
        const char *end =
            live->pending.count > looked ? memchr(from + looked, '\n', live->pending.count - looked) : NULL;
        if (end) {
            return release_bytes(live, (size_t)(end - from) + 1, got, error);
        }
        looked = live->pending.count;
        if (!SW_RESERVE(&live->pending, looked + ROOM)) {
            return sw_fail_memory(error);
        }
        size_t part = 0;
        enum sw_child_got what = sw_child_read(live->child, live->pending.items + looked, ROOM, &part);
        live->pending.count += part;
        if (what != SW_CHILD_BYTES) {
            return what != SW_CHILD_END || looked == 0 || release_bytes(live, looked, got, error);
        }
    }
}

bool sw_live_read(struct sw_live_command *live, size_t most, size_t *got, struct sw_error *error) {
    char bytes[ROOM];
    *got = 0;
    if (live->paced) {
        return read_live_line(live, got, error);
    }
    if (live->pending.count > 0) {
        return release_bytes(live, live->pending.count, got, error);
    }
    while (*got < most) {
        size_t part = 0;
        enum sw_child_got what = sw_child_read(live->child, bytes, most - *got < ROOM ? most - *got : ROOM, &part);
        if (what != SW_CHILD_BYTES) {
            return true;
        }
        if (!keep_bytes(live, bytes, part, error)) {
            return false;
        }
        *got += part;
    }
    return true;
}

bool sw_live_wait(struct sw_live_command *live, bool holding, int milliseconds) {
    struct pollfd polls[SW_CHILD_POLLS];
    int least = -1;
    size_t number = sw_child_polls(live->child, holding, polls, &least);
    int wait = least >= 0 && least < milliseconds ? least : milliseconds;
    poll(polls, (nfds_t)number, wait);
    return sw_child_poll(live->child);
}

bool sw_live_write(const struct sw_live_command *live, const char *path, struct sw_error *error) {
    return sw_sink_file_copy(live->path, path, error);
}
