/* Inputs are read into memory, not mapped: a mapped file that somebody cuts short while it is open
 * kills the program, and the text formats look at every byte anyway. */
#include "formats/format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a pipe or a device may deliver; a regular file may be as large as memory holds. */
#define STREAM_LIMIT ((size_t)1 << 30)

struct owner {
    char *bytes;
    size_t count, capacity;
};

static bool fail_io(struct sw_error *error, const char *path, const char *what) {
    int code = errno;
    sw_fail(error, SW_ERROR_IO, "cannot %s: %s", what, strerror(code));
    sw_error_at(error, path, 0, 0);
    return false;
}

static bool read_all(int fd, const char *path, size_t expected, size_t limit, struct owner *owner,
                     struct sw_error *error) {
    /* One byte more than expected, so that the end shows without growing. */
    size_t wanted = expected < 65536 ? 65536 : expected + 1;
    for (;;) {
        if (owner->count == owner->capacity) {
            if (!sw_array_reserve(&owner->bytes, &owner->capacity,
                                  owner->capacity ? owner->capacity + 1 : wanted, 1)) {
                sw_fail_memory(error);
                sw_error_at(error, path, 0, 0);
                return false;
            }
        }
        ssize_t got = read(fd, owner->bytes + owner->count, owner->capacity - owner->count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail_io(error, path, "read");
        }
        if (got == 0) {
            return true;
        }
        owner->count += (size_t)got;
        if (owner->count > limit) {
            sw_fail(error, SW_ERROR_IO, "more than %zu MiB from something that is not a file",
                    limit >> 20);
            sw_error_at(error, path, 0, 0);
            return false;
        }
    }
}

static bool fill(int fd, const char *path, struct owner *owner, struct sw_error *error) {
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return fail_io(error, path, "read");
    }
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return fail_io(error, path, "read");
    }
    bool regular = S_ISREG(about.st_mode) && about.st_size >= 0;
    size_t expected = regular ? (size_t)about.st_size : 0;
    return read_all(fd, path, expected, regular ? SIZE_MAX : STREAM_LIMIT, owner, error);
}

bool sw_input_open(const char *path, struct sw_input *input, struct sw_error *error) {
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return fail_io(error, path, "open");
    }
    struct owner *owner = SW_NEW_ZERO(struct owner, 1);
    bool good = owner ? fill(fd, path, owner, error) : sw_fail_memory(error);
    if (!standard) {
        close(fd);
    }
    if (!good) {
        if (owner) {
            SW_FREE(owner->bytes, owner->capacity);
            SW_FREE(owner, 1);
        }
        return false;
    }
    *input = (struct sw_input){
        .name = path, .bytes = owner->bytes, .length = owner->count, .owner = owner};
    return true;
}

void sw_input_close(struct sw_input *input) {
    struct owner *owner = input->owner;
    if (owner) {
        SW_FREE(owner->bytes, owner->capacity);
        SW_FREE(owner, 1);
    }
    *input = (struct sw_input){0};
}

uint64_t sw_input_digest(const struct sw_input *input) {
    return sw_fold_bytes(0, input->bytes, input->length);
}
