#include "base/text.h"
#include "formats/text/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* Where the plain letters end that need no second look, in any of the languages below. */
static const char *skip_plain(const char *text) {
    while ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_' ||
           (*text >= '0' && *text <= '9')) {
        text++;
    }
    return text;
}

/* \u0085, or two of them for a character above U+FFFF. */
static void add_escape(struct sw_sink *sink, uint32_t code) {
    if (code > 0xffff) {
        sw_sink_printf(sink, "\\u%04x", 0xd7c0 + (unsigned)(code >> 10));
        code = 0xdc00 | (code & 0x3ff);
    }
    sw_sink_printf(sink, "\\u%04x", (unsigned)code);
}

/* What must not be shown is escaped, so that nothing is lost; what is no UTF-8 is U+FFFD. */
void sw_sink_json(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    sw_sink_add(sink, "\"", 1);
    for (size_t skip; *text; text += skip) {
        static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
        const char *known = strchr(from, *text), *end = skip_plain(text);
        uint32_t code = 0xfffd;
        skip = (size_t)(end - text);
        if (known) {
            sw_sink_printf(sink, "\\%c", to[known - from]);
            before = 0;
            skip = 1;
        } else if (skip > 0) {
            sw_sink_add(sink, text, skip);
            before = (unsigned char)end[-1];
        } else if (sw_utf8_shown(text, SIZE_MAX, true, &before, &skip)) {
            sw_sink_add(sink, text, skip);
        } else {
            sw_utf8_decode(text, SIZE_MAX, &code);
            add_escape(sink, code);
        }
    }
    sw_sink_add(sink, "\"", 1);
}

void sw_sink_xml(struct sw_sink *sink, const char *text, size_t length) {
    uint32_t before = 0;
    for (size_t i = 0, skip; i < length; i += skip) {
        bool space = text[i] == '\t' || text[i] == '\n' || text[i] == '\r';
        bool shown =
            sw_utf8_shown(text + i, length - i, true, &before, &skip) || space ||
            before == 0x200e; /* which drawing puts behind names that are read from the right */
        const char *entity = text[i] == '<'   ? "&lt;"
                             : text[i] == '>' ? "&gt;"
                             : text[i] == '&' ? "&amp;"
                             : text[i] == '"' ? "&quot;"
                                              : NULL;
        if (entity) {
            add_text(sink, entity);
        } else {
            sw_sink_add(sink, shown ? text + i : "?", shown ? skip : 1);
        }
    }
}

/* ---- CSV: three things must be told apart when it is read again ---- */

bool sw_csv_is_formula(const char *text, size_t length) {
    static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};
    size_t i = 0;
    while (i < length && strchr(" \t\r\n'", text[i]) && text[i]) {
        i++;
    }
    if (i == length) {
        return false;
    }
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) {
        if (length - i >= 3 && memcmp(text + i, wide[k], 3) == 0) {
            return true;
        }
    }
    return text[i] && strchr("=+-@", text[i]);
}

/* \u and four digits, small ones: their number; false: none. */
static bool read_escape(const char *text, size_t length, uint32_t *code) {
    uint32_t sum = 0;
    if (length < 6 || text[0] != '\\' || text[1] != 'u') {
        return false;
    }
    for (size_t i = 2; i < 6; i++) {
        char c = text[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
            return false;
        }
        sum = sum << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *code = sum;
    return true;
}

size_t sw_csv_escape(const char *text, size_t length, uint32_t *code) {
    uint32_t high, low;
    size_t used = 6;
    if (!read_escape(text, length, &high)) {
        return 0;
    }
    *code = high;
    if (high >= 0xd800 && high < 0xdc00) {
        if (!read_escape(text + 6, length - 6, &low) || low < 0xdc00 || low > 0xdfff) {
            return 0;
        }
        *code = 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));
        used = 12;
    }
    return *code && (*code == '\\' || sw_utf8_unsafe(*code)) ? used : 0;
}

/* The text inside of a cell: quotes doubled, and in the place of what must not be shown its escape.
 * A backslash is escaped only where an escape seems to begin. */
static void add_cell(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    for (size_t skip; *text; text += skip) {
        const char *end = skip_plain(text);
        uint32_t code = 0;
        skip = (size_t)(end - text);
        if (skip > 0) {
            sw_sink_add(sink, text, skip);
            before = (unsigned char)end[-1];
        } else if (*text == '"') {
            sw_sink_add(sink, "\"\"", 2);
            skip = 1;
        } else if (*text == '\\' && sw_csv_escape(text, strnlen(text, 12), &code)) {
            add_escape(sink, '\\');
            skip = 1;
        } else if (sw_utf8_shown(text, SIZE_MAX, true, &before, &skip)) {
            sw_sink_add(sink, text, skip);
        } else if (sw_utf8_decode(text, SIZE_MAX, &code)) {
            add_escape(sink, code);
        } else {
            sw_sink_add(sink, "?", 1); /* no UTF-8: names are, paths need not be */
        }
    }
}

void sw_sink_csv(struct sw_sink *sink, const char *text) {
    size_t length = strlen(text);
    bool spaced = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');
    bool quoted = spaced || strpbrk(text, ",;\"");
    sw_sink_add(sink, "\"", quoted);
    sw_sink_add(sink, "'", sw_csv_is_formula(text, length));
    add_cell(sink, text);
    sw_sink_add(sink, "\"", quoted);
}

/* ---- for people ---- */

/* In Markdown: ends a cell, begins a mark, names a person or an issue, or makes a link. */
static bool is_mark(const char *text, const char *at) {
    return strchr("|\\`*_<>[]&@#~$", *at) || strncmp(at, "://", 3) == 0 ||
           (*at == '.' && at - text >= 3 && strncasecmp(at - 3, "www", 3) == 0);
}

void sw_sink_md(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    size_t skip;
    for (const char *at = text; *at; at += skip) {
        bool shown = sw_utf8_shown(at, SIZE_MAX, true, &before, &skip);
        sw_sink_add(sink, "\\", shown && is_mark(text, at));
        sw_sink_add(sink, shown ? at : "?", shown ? skip : 1);
    }
}

void sw_sink_text(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    for (size_t skip; *text; text += skip) {
        const char *end = skip_plain(text);
        skip = (size_t)(end - text);
        if (skip > 0) {
            before = (unsigned char)end[-1];
            sw_sink_add(sink, text, skip);
        } else if (sw_utf8_shown(text, SIZE_MAX, true, &before, &skip)) {
            sw_sink_add(sink, text, skip);
        } else {
            sw_sink_add(sink, "?", 1);
        }
    }
}

/* The bytes of a word between $' and ': all that must not be shown by their numbers. */
static void add_shell_escapes(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    for (size_t skip; *text; text += skip) {
        bool shown = sw_utf8_shown(text, SIZE_MAX, true, &before, &skip);
        sw_sink_add(sink, "\\", shown && (*text == '\'' || *text == '\\'));
        if (shown) {
            sw_sink_add(sink, text, skip);
            continue;
        }
        for (size_t i = 0; i < skip; i++) {
            sw_sink_printf(sink, "\\x%02x", (unsigned char)text[i]);
        }
    }
}

void sw_sink_shell(struct sw_sink *sink, const char *text) {
    sw_sink_add(sink, "./", *text == '-' ? 2 : 0); /* it is no option */
    sw_sink_argument(sink, text);
}

void sw_sink_argument(struct sw_sink *sink, const char *text) {
    bool plain = *text != '\0', shown = true;
    uint32_t before = 0;
    size_t skip;
    for (const char *at = text; *at; at += skip) {
        shown = sw_utf8_shown(at, SIZE_MAX, true, &before, &skip) && shown;
        plain = plain && (skip_plain(at) > at || strchr("./+,:@%=-", *at) || skip > 1);
    }
    if (plain && shown) {
        add_text(sink, text);
        return;
    }
    bool escapes = !shown || strchr(text, '\'');
    add_text(sink, escapes ? "$'" : "'");
    if (escapes) {
        add_shell_escapes(sink, text);
    } else {
        add_text(sink, text);
    }
    add_text(sink, "'");
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

/* A new file beside the target, of a name that is not taken; -1 and errno when there is none. */
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

bool sw_may_write(const char *path, const char *const *sources, size_t count,
                  struct sw_error *error) {
    struct stat target, source;
    if (strcmp(path, "-") == 0 || stat(path, &target) != 0 || !S_ISREG(target.st_mode)) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        bool known = sources[i] && (strcmp(sources[i], "-") == 0 ? fstat(STDIN_FILENO, &source)
                                                                 : stat(sources[i], &source)) == 0;
        if (known && target.st_dev == source.st_dev && target.st_ino == source.st_ino) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "%.200s is what is open here; it is not written over", path);
        }
    }
    return true;
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
