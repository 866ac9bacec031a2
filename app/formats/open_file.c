#include "formats/open_file.h"
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool streams = true;
static uint64_t most_input; /* 0: as much as is usual */

bool sw_open_streams(bool may) {
    bool before = streams;
    streams = may;
    return before;
}

void sw_set_most_input(uint64_t bytes) {
    most_input = bytes;
}

uint64_t sw_most_input(void) {
    enum { SHARE = 4 };
    if (most_input == 0) {
        long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        most_input = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / SHARE : UINT64_C(1) << 30;
    }
    return most_input;
}

bool sw_fail_most_input(uint64_t bytes, struct sw_error *error) {
    static const char rule[] = "which is the most that is read (--max-input SIZE sets it)";
    return bytes == 0 ? sw_fail(error, SW_ERROR_IO, "cannot read: more than %s, %s", SW_BYTES(sw_most_input()), rule)
                      : sw_fail(error, SW_ERROR_IO, "cannot read: %s, more than %s, %s", SW_BYTES(bytes),
                                SW_BYTES(sw_most_input()), rule);
}

/* Does the path name a descriptor of our own, as the shell's <(command) does? */
static bool is_descriptor(const char *path) {
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

static bool refuse_file(const char *path, int code, const char *what, struct sw_error *error) {
    sw_fail(error, SW_ERROR_IO, "cannot %s: %s", what, strerror(code));
    sw_error_at(error, path, 0, 0);
    return false;
}

/* Is that a file? Says what it is instead. */
static bool is_regular_file(const char *path, const struct stat *about, struct sw_error *error) {
    if (S_ISREG(about->st_mode)) {
        return true;
    }
    if (S_ISDIR(about->st_mode)) {
        return refuse_file(path, EISDIR, "read", error);
    }
    const char *what = S_ISFIFO(about->st_mode) ? "a pipe" : S_ISSOCK(about->st_mode) ? "a socket" : "a device";
    sw_fail(error, SW_ERROR_IO, "cannot read: it is %s, and only regular files are read", what);
    sw_error_at(error, path, 0, 0);
    return false;
}

/* A descriptor, or -1 and errno, of a file that was just opened. */
static int look_at_opened(int fd, const char *path, struct stat *about, struct sw_error *error) {
    if (fd >= 0 && fstat(fd, about) == 0) {
        return fd;
    }
    int code = errno;
    if (fd >= 0) {
        close(fd);
    }
    refuse_file(path, code, "open", error);
    return -1;
}

/* The first look opens nothing: to open a device may already do something, and a writer that waits at a pipe would
 * notice. The second look is at what was opened, which may be another file by now. */
static int open_path(const char *path, bool stream, struct stat *about, struct sw_error *error) {
    struct stat own;
    about = about ? about : &own;
    if (stat(path, about) != 0) {
        refuse_file(path, errno, "open", error);
        return -1;
    }
    if (!stream && !is_regular_file(path, about, error)) {
        return -1;
    }
    int fd = look_at_opened(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), path, about, error);
    if (fd < 0) {
        return -1;
    }
    if ((!stream || S_ISDIR(about->st_mode)) && !is_regular_file(path, about, error)) {
        close(fd);
        return -1;
    }
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

int sw_open_regular(const char *path, struct stat *about, struct sw_error *error) {
    return open_path(path, false, about, error);
}

int sw_open_input(const char *path, struct stat *about, struct sw_error *error) {
    if (!is_descriptor(path)) {
        return open_path(path, false, about, error);
    }
    if (strcmp(path, "-") != 0) {
        return open_path(path, streams, about, error);
    }
    if (!streams) {
        sw_fail(error, SW_ERROR_USAGE,
                "standard input is read where the command line names it; here a file is wanted (./- is one called so)");
        return -1;
    }
    struct stat own;
    return look_at_opened(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), path, about ? about : &own, error);
}

bool sw_read_at(int file, uint64_t at, char *to, size_t length, struct sw_error *error) {
    for (size_t have = 0; have < length;) {
        ssize_t got = pread(file, to + have, length - have, (off_t)(at + have));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? sw_fail(error, SW_ERROR_IO, "cannot read: %s", strerror(errno))
                           : sw_fail(error, SW_ERROR_IO, "the file has become shorter while it was open");
        }
        have += (size_t)got;
    }
    return true;
}
