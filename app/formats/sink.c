#include "formats/format.h"
#include "formats/unique.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- collecting ---- */

void sw_sink_add(struct sw_sink *sink, const void *bytes, size_t length) {
    size_t wanted;
    if (sink->failed || length == 0) {
        return;
    }
    if (__builtin_add_overflow(sink->text.count, length, &wanted) ||
        !SW_RESERVE(&sink->text, wanted)) {
        sink->failed = true;
        return;
    }
    memcpy(sink->text.items + sink->text.count, bytes, length);
    sink->text.count = wanted;
}

static void add_text(struct sw_sink *sink, const char *text) {
    sw_sink_add(sink, text, strlen(text));
}

void sw_sink_printf(struct sw_sink *sink, const char *format, ...) {
    char short_text[256];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(short_text, sizeof short_text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        sink->failed = true;
    } else if ((size_t)length < sizeof short_text) {
        sw_sink_add(sink, short_text, (size_t)length);
    } else if (!sink->failed) {
        /* vsnprintf ends its text with a NUL, for which there must be room too. */
        if (SW_RESERVE(&sink->text, sink->text.count + (size_t)length + 1)) {
            vsnprintf(sink->text.items + sink->text.count, (size_t)length + 1, format, again);
            sink->text.count += (size_t)length;
        } else {
            sink->failed = true;
        }
    }
    va_end(again);
}

void sw_sink_json(struct sw_sink *sink, const char *text) {
    sw_sink_add(sink, "\"", 1);
    const char *plain = text;
    for (;; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
            continue;
        }
        sw_sink_add(sink, plain, (size_t)(text - plain));
        plain = text + 1;
        if (c == '\0') {
            break;
        }
        static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
        const char *known = strchr(from, c);
        if (known) {
            sw_sink_printf(sink, "\\%c", to[known - from]);
        } else {
            sw_sink_printf(sink, "\\u%04x", c);
        }
    }
    sw_sink_add(sink, "\"", 1);
}

/* A control character other than white space, or a noncharacter: its bytes, or 0. */
static size_t unfit_for_xml(const char *text, size_t left) {
    unsigned char c = (unsigned char)*text;
    size_t noncharacter = sw_noncharacter(text, left);
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f ? 1 : noncharacter;
}

void sw_sink_xml(struct sw_sink *sink, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        size_t unfit = unfit_for_xml(text + i, length - i);
        if (unfit) {
            sw_sink_add(sink, "?", 1);
            i += unfit - 1;
            continue;
        }
        const char *entity = text[i] == '<'   ? "&lt;"
                             : text[i] == '>' ? "&gt;"
                             : text[i] == '&' ? "&amp;"
                             : text[i] == '"' ? "&quot;"
                                              : NULL;
        sw_sink_add(sink, entity ? entity : text + i, entity ? strlen(entity) : 1);
    }
}

void sw_sink_csv(struct sw_sink *sink, const char *text) {
    size_t length = strlen(text);
    bool spaced = length > 0 && (strchr(" \t", text[0]) || strchr(" \t", text[length - 1]));
    if (!spaced && !strpbrk(text, ",\"\r\n")) {
        sw_sink_add(sink, text, length);
        return;
    }
    sw_sink_add(sink, "\"", 1);
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        sw_sink_add(sink, text, (size_t)(quote - text));
        sw_sink_add(sink, "\"\"", 2);
    }
    add_text(sink, text);
    sw_sink_add(sink, "\"", 1);
}

void sw_sink_md(struct sw_sink *sink, const char *text) {
    for (; *text; text++) {
        if (strchr("|\\`*_<[", *text)) {
            sw_sink_add(sink, "\\", 1);
        }
        sw_sink_add(sink, (unsigned char)*text < 32 || *text == 127 ? "?" : text, 1);
    }
}

void sw_sink_text(struct sw_sink *sink, const char *text) {
    const char *plain = text;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool c1 = c == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0;
        if (c >= 0x20 && c != 0x7f && !c1) {
            continue;
        }
        sw_sink_add(sink, plain, (size_t)(text - plain));
        sw_sink_add(sink, "?", 1);
        text += c1;
        plain = text + 1;
    }
    sw_sink_add(sink, plain, (size_t)(text - plain));
}

void sw_sink_number(struct sw_sink *sink, double number) {
    char text[40];
    if (!isfinite(number)) {
        add_text(sink, "null");
        return;
    }
    bool whole = fabs(number) < 1e15 && number == floor(number);
    for (int digits = 1; digits <= 17; digits++) { /* 100 rather than 1e+02 */
        snprintf(text, sizeof text, whole ? "%.*f" : "%.*g", whole ? 0 : digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    add_text(sink, text);
}

void sw_sink_done(struct sw_sink *sink) {
    SW_ARRAY_DONE(&sink->text);
    sink->failed = false;
}

/* ---- writing ---- */

static bool fail_io(struct sw_error *error, const char *path, int code) {
    if (code == ENOMEM) {
        sw_fail_memory(error);
    } else {
        sw_fail(error, SW_ERROR_IO, "cannot write: %s", strerror(code));
    }
    sw_error_at(error, path, 0, 0);
    return false;
}

/* All of it, or the errno. */
static int write_all(int fd, const char *bytes, size_t length) {
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

/* Standard output, a device or a pipe: nothing to rename. */
static bool write_directly(const struct sw_sink *sink, const char *path, struct sw_error *error) {
    bool standard = strcmp(path, "-") == 0;
    int code = 0;
    if (standard && fflush(stdout) != 0) {
        return fail_io(error, "standard output", errno);
    }
    int fd = standard ? STDOUT_FILENO : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return fail_io(error, path, errno);
    }
    code = write_all(fd, sink->text.items, sink->text.count);
    if (!standard && close(fd) != 0 && code == 0) {
        code = errno;
    }
    return code == 0 || fail_io(error, standard ? "standard output" : path, code);
}

/* A new file beside the target, of a name that nobody has; -1 and errno when there is none. */
static int open_beside(const char *target, char *name, size_t size) {
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target) + 1 : 0;
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        int length = snprintf(name, size, "%.*s.stowage-%ld-%u.tmp", folder, target, (long)getpid(),
                              attempt);
        if (length < 0 || (size_t)length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

static int sync_folder(const char *target) {
    char folder[4096];
    const char *slash = strrchr(target, '/');
    size_t length = slash ? (size_t)(slash - target) + 1 : 1;
    if (length >= sizeof folder) {
        return ENAMETOOLONG;
    }
    memcpy(folder, slash ? target : ".", length);
    folder[length] = '\0';
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

/* `about` is the present file, or NULL. Returns 0 or the errno; on failure nothing is left. */
static int replace(const struct sw_sink *sink, const char *target, const struct stat *about) {
    char name[4096];
    int fd = open_beside(target, name, sizeof name);
    if (fd < 0) {
        return errno;
    }
    int code = write_all(fd, sink->text.items, sink->text.count);
    if (code == 0 && about && (about->st_uid != geteuid() || about->st_gid != getegid())) {
        /* Only root may give files away; for others the new file is theirs, as with any editor. */
        if (fchown(fd, about->st_uid, about->st_gid) != 0) {
            errno = 0;
        }
    }
    if (code == 0 && fchmod(fd, about ? about->st_mode & 07777 : usual_mode()) != 0) {
        code = errno;
    }
    code = code ? code : sync_file(fd);
    if (close(fd) != 0 && code == 0) {
        code = errno;
    }
    if (code == 0 && rename(name, target) != 0) {
        code = errno;
    }
    if (code != 0) {
        unlink(name);
        return code;
    }
    return sync_folder(target);
}

bool sw_sink_commit(struct sw_sink *sink, const char *path, struct sw_error *error) {
    if (sink->failed) {
        sw_fail_memory(error);
        sw_error_at(error, path, 0, 0);
        return false;
    }
    struct stat about;
    if (strcmp(path, "-") == 0) {
        return write_directly(sink, path, error);
    }
    if (stat(path, &about) != 0) {
        int code = errno == ENOENT ? replace(sink, path, NULL) : errno;
        return code == 0 || fail_io(error, path, code);
    }
    if (S_ISDIR(about.st_mode)) {
        return fail_io(error, path, EISDIR);
    }
    if (!S_ISREG(about.st_mode)) {
        return write_directly(sink, path, error);
    }
    if (access(path, W_OK) != 0) {
        return fail_io(error, path, errno);
    }
    /* Behind a symbolic link the file it points to is replaced, not the link. */
    char *target = realpath(path, NULL);
    int code = target ? replace(sink, target, &about) : errno;
    free(target);
    return code == 0 || fail_io(error, path, code);
}
