/* Where the bytes of sinks go: at once, or in parts. A file is written beside its target, synced and renamed, so that
 * the target is what it was or all that is new. */
#include "formats/open_file.h"
#include "base/base.h"
#include "formats/sink_file.h"
#include "formats/wrapped/gzip.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { NAME_ROOM = 4096, GZIP_BLOCK = 1 << 16 };

struct sw_sink_file {
    const char *shown;      /* in errors: borrowed from the caller, or static */
    char target[NAME_ROOM]; /* what is replaced in the end: a path without links */
    char name[NAME_ROOM];   /* the temporary; "": it has no name until all is written */
    int fd;
    bool direct;   /* standard output, a device or a pipe: nothing is replaced */
    bool standard; /* standard output */
    bool there;    /* a file is there, as `about` says */
    struct stat about;
    bool gzip;
    z_stream stream;
    unsigned char *block; /* what compression gives; GZIP_BLOCK bytes */
};

static bool fail_write(struct sw_error *error, const char *path, int code) {
    if (code == ENOMEM) {
        sw_fail_memory(error);
    } else {
        sw_fail(error, SW_ERROR_IO, "cannot write: %s", strerror(code));
    }
    sw_error_at(error, path, 0, 0);
    return false;
}

/* All of it, or the errno. */
static int write_all_bytes(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t put = write(fd, bytes, length);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return put < 0 ? errno : EIO;
        }
        bytes += put;
        length -= (size_t)put;
    }
    return 0;
}

/* Some file systems and devices cannot sync and say so; that is no loss of data. */
static int sync_file(int fd) {
    if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) {
        return 0;
    }
    return errno;
}

/* ---- beside the target ---- */

/* The folder of a path: with its slash, or ".". False: it is too long. */
static bool target_folder(const char *target, char folder[NAME_ROOM]) {
    const char *slash = strrchr(target, '/');
    size_t length = slash ? (size_t)(slash - target) + 1 : 1;
    if (length >= NAME_ROOM) {
        return false;
    }
    memcpy(folder, slash ? target : ".", length);
    folder[length] = '\0';
    return true;
}

/* The name of a temporary beside the target. False and errno: it is too long. */
static bool name_beside(const char *target, unsigned attempt, char name[NAME_ROOM]) {
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target) + 1 : 0;
    int length = snprintf(name, NAME_ROOM, "%.*s.stowage-%ld-%u.tmp", folder, target, (long)getpid(), attempt);
    errno = ENAMETOOLONG;
    return length >= 0 && length < NAME_ROOM;
}

/* ---- what others left behind ---- */

/* A process that is killed in the middle of a write leaves its temporary. While the process is at work it holds a lock
 * on the file. The lock ends with the process, also on another machine, or in a container with processes that cannot be
 * seen from here. So a temporary is removed when it is of this user, no process has its number, and no process holds
 * the lock: the next write to the folder does it. Where the file system has no locks nothing is removed. */

/* ".stowage-PID-N.tmp": of which process? 0: it is another file. */
static pid_t writer_of(const char *name) {
    static const char before[] = ".stowage-";
    char *end;
    if (strncmp(name, before, sizeof before - 1) != 0 || !isdigit((unsigned char)name[sizeof before - 1])) {
        return 0;
    }
    long pid = strtol(name + sizeof before - 1, &end, 10);
    if (*end != '-' || !isdigit((unsigned char)end[1])) {
        return 0;
    }
    strtoul(end + 1, &end, 10);
    return strcmp(end, ".tmp") == 0 && pid > 0 && pid == (pid_t)pid ? (pid_t)pid : 0;
}

/* False: it is still there. */
static bool remove_left(int folder, const char *name) {
    struct stat about, now;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    bool left = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
                flock(fd, LOCK_EX | LOCK_NB) == 0;
    bool gone = left && fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == about.st_dev &&
                now.st_ino == about.st_ino && unlinkat(folder, name, 0) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return gone;
}

/* Folders that were looked through, in which nothing was left, and that only this process has changed since: there is
 * no need to look again, which would take time quadratic in the files that are written to one. A folder says when it
 * was changed. What another process does within the same tick of the clock as this one is seen when the folder changes
 * again. */
enum { FOLDERS = 8 };
static struct clean {
    dev_t device;
    ino_t number;
    struct timespec changed;
} clean[FOLDERS];
static unsigned next_clean;

static struct clean *find_clean(const char *target, struct stat *about) {
    char path[NAME_ROOM];
    if (!target_folder(target, path) || stat(path, about) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < FOLDERS; i++) {
        if (clean[i].number == about->st_ino && clean[i].device == about->st_dev) {
            return &clean[i];
        }
    }
    return NULL;
}

/* Has nothing changed the folder of the target since keep_clean? */
static bool is_clean_target(const char *target) {
    struct stat about;
    const struct clean *entry = find_clean(target, &about);
    return entry && entry->changed.tv_sec == about.st_mtim.tv_sec && entry->changed.tv_nsec == about.st_mtim.tv_nsec;
}

static void keep_clean(const char *target) {
    struct stat about = {0};
    struct clean *entry = find_clean(target, &about);
    if (!entry && about.st_ino) {
        entry = &clean[next_clean++ % FOLDERS];
    }
    if (entry) {
        *entry = (struct clean){about.st_dev, about.st_ino, about.st_mtim};
    }
}

/* Is there nothing in the folder any more that a process has left, or is at work on? */
static bool sweep_folder_of(const char *target) {
    char path[NAME_ROOM];
    DIR *folder = target_folder(target, path) ? opendir(path) : NULL;
    bool empty = folder != NULL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        pid_t pid = writer_of(entry->d_name);
        if (pid && pid != getpid()) {
            empty &= kill(pid, 0) != 0 && errno == ESRCH && remove_left(dirfd(folder), entry->d_name);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return empty;
}

/* Of a file that was just made: from here on no other process takes it for one that was left. False: one was quicker.
 */
static bool hold_lock(int fd) {
    struct stat about;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    return fstat(fd, &about) != 0 || about.st_nlink > 0;
}

enum { ATTEMPTS = 100 };

/* A new file of a name that is not taken; -1 and errno when there is none. */
static int open_beside_target(const char *target, char name[NAME_ROOM]) {
    for (unsigned attempt = 0; attempt < ATTEMPTS && name_beside(target, attempt, name); attempt++) {
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 ? hold_lock(fd) : errno != EEXIST) {
            return fd;
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    return -1;
}

/* A new file without a name: however the program ends, nothing is left of it. -1: there are none in this folder, or
 * none could be given a name later. */
static int open_nameless_beside(const char *target) {
#ifdef O_TMPFILE
    char folder[NAME_ROOM];
    if (target_folder(target, folder) && access("/proc/self/fd", X_OK) == 0) {
        return open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    }
#else
    (void)target;
#endif
    return -1;
}

/* It gets the name of a temporary. Returns 0 or the errno. */
static int name_it(struct sw_sink_file *file) {
    char self[40];
    flock(file->fd, LOCK_EX | LOCK_NB); /* before it has a name by which another process could find it */
    snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
    for (unsigned attempt = 0; attempt < ATTEMPTS && name_beside(file->target, attempt, file->name); attempt++) {
        if (linkat(AT_FDCWD, self, AT_FDCWD, file->name, AT_SYMLINK_FOLLOW) == 0) {
            return 0;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    int code = errno;
    file->name[0] = '\0';
    return code;
}

static int sync_folder(const char *target) {
    char folder[NAME_ROOM];
    if (!target_folder(target, folder)) {
        return ENAMETOOLONG;
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return errno == EACCES ? 0 : errno; /* a folder may be writable but not readable */
    }
    int code = sync_file(fd);
    close(fd);
    return code;
}

static mode_t usual_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return (mode_t)(0666 & ~mask);
}

/* ---- opening ---- */

/* Nothing to rename. Returns 0 or the errno. */
static int open_directly(struct sw_sink_file *file, const char *path) {
    file->direct = true;
    if (file->standard && fflush(stdout) != 0) {
        return errno;
    }
    file->fd = file->standard ? STDOUT_FILENO : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file->fd < 0 ? errno : 0;
}

/* Behind a symbolic link the file it points to is replaced, not the link. */
static int find_target(struct sw_sink_file *file, const char *path) {
    char *real = file->there ? realpath(path, NULL) : NULL;
    if (file->there && !real) {
        return errno;
    }
    int length = snprintf(file->target, NAME_ROOM, "%s", real ? real : path);
    free(real);
    return length < NAME_ROOM ? 0 : ENAMETOOLONG;
}

/* `lasting`: it may take long until it is whole. Returns 0 or the errno. */
static int open_at(struct sw_sink_file *file, const char *path, bool lasting) {
    file->fd = -1;
    file->standard = strcmp(path, "-") == 0;
    file->shown = file->standard ? "standard output" : path;
    if (file->standard) {
        return open_directly(file, path);
    }
    file->there = stat(path, &file->about) == 0;
    if (!file->there && errno != ENOENT) {
        return errno;
    }
    if (file->there && S_ISDIR(file->about.st_mode)) {
        return EISDIR;
    }
    if (file->there && !S_ISREG(file->about.st_mode)) {
        return open_directly(file, path);
    }
    if (file->there && access(path, W_OK) != 0) {
        return errno;
    }
    int code = find_target(file, path);
    if (code) {
        return code;
    }
    bool empty = is_clean_target(file->target) || sweep_folder_of(file->target);
    file->fd = lasting ? open_nameless_beside(file->target) : -1;
    file->fd = file->fd < 0 ? open_beside_target(file->target, file->name) : file->fd;
    if (file->fd < 0) {
        return errno;
    }
    if (empty) {
        keep_clean(file->target);
    }
    return 0;
}

/* ---- closing ---- */

/* Nothing of it is left. */
static void forsake(struct sw_sink_file *file) {
    if (file->fd >= 0 && !file->standard) {
        close(file->fd);
    }
    if (file->name[0]) {
        bool empty = is_clean_target(file->target);
        unlink(file->name);
        if (empty) {
            keep_clean(file->target);
        }
    }
    file->fd = -1;
}

/* All was written: it takes the place of the target. Returns 0 or the errno. */
static int take_place_of_target(struct sw_sink_file *file) {
    int code = 0;
    if (file->there && (file->about.st_uid != geteuid() || file->about.st_gid != getegid())) {
        /* Only root may give files away; for others the new file is theirs, as with any editor. */
        if (fchown(file->fd, file->about.st_uid, file->about.st_gid) != 0) {
            errno = 0;
        }
    }
    if (fchmod(file->fd, file->there ? file->about.st_mode & 07777 : usual_mode()) != 0) {
        code = errno;
    }
    code = code ? code : sync_file(file->fd);
    bool empty = is_clean_target(file->target);
    code = code || file->name[0] ? code : name_it(file);
    int lock = fcntl(file->fd, F_DUPFD_CLOEXEC, 0); /* closing one of them does not end it */
    if (close(file->fd) != 0 && code == 0) {
        code = errno;
    }
    file->fd = -1;
    if (code == 0 && rename(file->name, file->target) != 0) {
        code = errno;
    }
    if (lock >= 0) {
        close(lock);
    }
    if (code == 0) {
        file->name[0] = '\0';
        if (empty) {
            keep_clean(file->target);
        }
        code = sync_folder(file->target);
    }
    return code;
}

/* Returns 0 or the errno; then nothing is left. */
static int close_at(struct sw_sink_file *file) {
    int code = 0;
    if (!file->direct) {
        code = take_place_of_target(file);
    } else if (!file->standard) {
        code = close(file->fd) != 0 ? errno : 0;
        file->fd = -1;
    }
    if (code) {
        forsake(file);
    }
    return code;
}

/* ---- at once ---- */

bool sw_sink_commit(struct sw_sink *sink, const char *path, struct sw_error *error) {
    struct sw_sink_file file = {.fd = -1};
    if (sink->failed) {
        return fail_write(error, path, ENOMEM);
    }
    int code = open_at(&file, path, false);
    code = code ? code : write_all_bytes(file.fd, sink->text.items, sink->text.count);
    if (code == 0) {
        code = close_at(&file);
    } else {
        forsake(&file);
    }
    return code == 0 || fail_write(error, file.shown, code);
}

bool sw_may_write(const char *path, const char *const *sources, size_t count, struct sw_error *error) {
    struct stat target, source;
    if (strcmp(path, "-") == 0 || stat(path, &target) != 0 || !S_ISREG(target.st_mode)) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        bool known = sources[i] &&
                     (strcmp(sources[i], "-") == 0 ? fstat(STDIN_FILENO, &source) : stat(sources[i], &source)) == 0;
        if (known && target.st_dev == source.st_dev && target.st_ino == source.st_ino) {
            return sw_fail(error, SW_ERROR_USAGE, "%s is what is open here; it is not written over", path);
        }
    }
    return true;
}

/* ---- in parts ---- */

/* gzip's header has no time in it: the same bytes every time. */
static bool begin_gzip(struct sw_sink_file *file) {
    file->block = SW_NEW(unsigned char, GZIP_BLOCK);
    sw_gzip_memory(&file->stream);
    file->gzip = file->block &&
                 deflateInit2(&file->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    return file->gzip;
}

static void file_free(struct sw_sink_file *file) {
    if (file->gzip) {
        deflateEnd(&file->stream);
    }
    if (file->block) {
        SW_FREE(file->block, GZIP_BLOCK);
    }
    SW_FREE(file, 1);
}

struct sw_sink_file *sw_sink_file_open(const char *path, bool gzip, struct sw_error *error) {
    struct sw_sink_file *file = SW_NEW_ZERO(struct sw_sink_file, 1);
    if (!file || (gzip && !begin_gzip(file))) {
        if (file) {
            file_free(file);
        }
        fail_write(error, path, ENOMEM);
        return NULL;
    }
    int code = open_at(file, path, true);
    if (code) {
        fail_write(error, file->shown, code);
        forsake(file);
        file_free(file);
        return NULL;
    }
    return file;
}

/* What was handed over, and with Z_FINISH all that zlib still holds. Returns 0 or the errno. */
static int compress_some(struct sw_sink_file *file, int flush) {
    do {
        file->stream.next_out = file->block;
        file->stream.avail_out = GZIP_BLOCK;
        deflate(&file->stream, flush);
        int code = write_all_bytes(file->fd, (const char *)file->block, GZIP_BLOCK - file->stream.avail_out);
        if (code) {
            return code;
        }
    } while (file->stream.avail_out == 0);
    return 0;
}

/* zlib counts in 32 bits. */
static int compress_all(struct sw_sink_file *file, const char *bytes, size_t length) {
    const size_t most = (size_t)1 << 30;
    int code = 0;
    for (size_t at = 0, some; at < length && code == 0; at += some) {
        some = length - at < most ? length - at : most;
        file->stream.next_in = (z_const Bytef *)(uintptr_t)(bytes + at);
        file->stream.avail_in = (uInt)some;
        code = compress_some(file, Z_NO_FLUSH);
    }
    return code;
}

bool sw_sink_file_pour(struct sw_sink_file *file, struct sw_sink *sink, struct sw_error *error) {
    if (sink->failed) {
        return fail_write(error, file->shown, ENOMEM);
    }
    int code = file->gzip ? compress_all(file, sink->text.items, sink->text.count)
                          : write_all_bytes(file->fd, sink->text.items, sink->text.count);
    sink->text.count = 0;
    return code == 0 || fail_write(error, file->shown, code);
}

bool sw_sink_file_close(struct sw_sink_file *file, struct sw_error *error) {
    int code = file->gzip ? compress_some(file, Z_FINISH) : 0;
    if (code == 0) {
        code = close_at(file);
    } else {
        forsake(file);
    }
    bool good = code == 0 || fail_write(error, file->shown, code);
    file_free(file);
    return good;
}

void sw_sink_file_drop(struct sw_sink_file *file) {
    if (file) {
        forsake(file);
        file_free(file);
    }
}

bool sw_sink_file_copy(const char *from, const char *to, struct sw_error *error) {
    enum { COPY_PART = 1 << 16 };
    struct sw_error why = {0};
    int file = sw_open_regular(from, NULL, &why);
    if (file < 0) {
        return sw_fail(error, SW_ERROR_IO, "%s: %s", from, why.message);
    }
    struct sw_sink_file *out = sw_sink_file_open(to, false, error);
    struct sw_sink part = {0};
    bool good = out && (SW_RESERVE(&part.text, COPY_PART) || sw_fail_memory(error));
    ssize_t got = 1;
    for (off_t at = 0; good && got > 0; at += got) {
        do {
            got = pread(file, part.text.items, COPY_PART, at);
        } while (got < 0 && errno == EINTR);
        part.text.count = got > 0 ? (size_t)got : 0;
        good = got >= 0 ? got == 0 || sw_sink_file_pour(out, &part, error)
                        : sw_fail(error, SW_ERROR_IO, "cannot read %s: %s", from, strerror(errno));
        good = good && (SW_RESERVE(&part.text, COPY_PART) || sw_fail_memory(error));
    }
    close(file);
    sw_sink_done(&part);
    if (!good) {
        sw_sink_file_drop(out);
        return false;
    }
    return sw_sink_file_close(out, error);
}
