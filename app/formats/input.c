/* Inputs are read into memory, not mapped: a mapped file that is cut short while it is open
 * kills the program, and the text formats look at every byte anyway. */
#include "formats/gzip.h"
#include "formats/text/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a pipe or a device may deliver; a regular file may be as large as memory holds. */
#define STREAM_LIMIT ((size_t)1 << 30)

struct owner {
    struct sw_bytes bytes;
};

static bool fail_io(struct sw_error *error, const char *path, const char *what) {
    int code = errno;
    sw_fail(error, SW_ERROR_IO, "cannot %s: %s", what, strerror(code));
    sw_error_at(error, path, 0, 0);
    return false;
}

static bool read_all(int fd, const char *path, size_t expected, size_t limit,
                     struct sw_bytes *bytes, struct sw_error *error) {
    /* One byte more than expected, so that the end shows without growing. */
    size_t wanted = expected < 65536 ? 65536 : expected + 1;
    for (;;) {
        if (bytes->count == bytes->capacity) {
            if (!SW_RESERVE(bytes, bytes->capacity ? bytes->capacity + 1 : wanted)) {
                sw_fail_memory(error);
                sw_error_at(error, path, 0, 0);
                return false;
            }
        }
        ssize_t got = read(fd, bytes->items + bytes->count, bytes->capacity - bytes->count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail_io(error, path, "read");
        }
        if (got == 0) {
            return true;
        }
        bytes->count += (size_t)got;
        if (bytes->count > limit) {
            sw_fail(error, SW_ERROR_IO, "more than %zu MiB from something that is not a file",
                    limit >> 20);
            sw_error_at(error, path, 0, 0);
            return false;
        }
    }
}

static bool fill(int fd, const char *path, struct sw_bytes *bytes, struct sw_error *error) {
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
    return read_all(fd, path, expected, regular ? SIZE_MAX : STREAM_LIMIT, bytes, error);
}

/* ---- what was compressed ---- */

/* A few bytes can expand to gigabytes. What no reader takes is refused as soon as that shows:
 * something that is neither a known binary format nor text, a model longer than its format can say,
 * and anything that is smaller than a hundredth of itself, which models, traces and tables never
 * are. */
#define MOST_TIMES UINT64_C(100)
#define SMALL_ENOUGH (UINT64_C(64) << 20) /* up to here any ratio will do */

struct look {
    const char *path;
    size_t compressed; /* the length of the input as it is */
    bool begun, binary;
    uint64_t most;  /* bytes that the format can have */
    size_t checked; /* so many bytes are text */
};

/* What came out since the last look is text; the character at the end may be cut. */
static bool is_text(struct look *look, const struct sw_bytes *so_far, struct sw_error *error) {
    size_t end = so_far->count;
    while (end > look->checked && ((unsigned char)so_far->items[end - 1] & 0xc0) == 0x80 &&
           so_far->count - end < 3) {
        end--;
    }
    end -= end > look->checked && ((unsigned char)so_far->items[end - 1] & 0xc0) == 0xc0;
    struct sw_input part = {
        .name = look->path, .bytes = so_far->items + look->checked, .length = end - look->checked};
    if (sw_text_check(&part, NULL)) {
        look->checked = end;
        return true;
    }
    struct sw_input all = {.name = look->path, .bytes = so_far->items, .length = end};
    return sw_text_check(&all, error);
}

static bool may_go_on(void *context, const struct sw_bytes *so_far, struct sw_error *error) {
    struct look *look = context;
    if (!look->begun) {
        struct sw_input input = {
            .name = look->path, .bytes = so_far->items, .length = so_far->count};
        const struct sw_format *format = sw_format_detect(&input, NULL);
        look->begun = true;
        look->binary = format && format->most_binary > 0;
        look->most = look->binary ? format->most_binary : UINT64_MAX;
    }
    if (!look->binary && !is_text(look, so_far, error)) {
        return false;
    }
    if (so_far->count > look->most) {
        return sw_fail(error, SW_ERROR_INPUT,
                       "this expands to more than %llu bytes, which no file of its format has",
                       (unsigned long long)look->most);
    }
    if (so_far->count > SMALL_ENOUGH && so_far->count / MOST_TIMES > look->compressed) {
        return sw_fail(
            error, SW_ERROR_INPUT,
            "this expands to more than %llu times its length, as no model or table does; "
            "expand it with gzip if it is meant",
            (unsigned long long)MOST_TIMES);
    }
    return true;
}

/* What gzip made smaller is made large again; everything else sees only that. */
static bool expand(const char *path, struct sw_bytes *bytes, struct sw_error *error) {
    struct sw_bytes expanded = {0};
    struct look look = {.path = path, .compressed = bytes->count};
    struct sw_gzip_bounds bounds = {.limit = SW_GZIP_LIMIT, .look = may_go_on, .context = &look};
    if (!sw_gzip_detect(bytes->items, bytes->count)) {
        return true;
    }
    bool good = sw_gzip_expand(bytes->items, bytes->count, &bounds, &expanded, error);
    struct sw_bytes *done = good ? bytes : &expanded;
    SW_FREE(done->items, done->capacity);
    if (!good) {
        sw_error_at(error, path, error ? error->line : 0, error ? error->column : 0);
        return false;
    }
    *bytes = expanded;
    return true;
}

bool sw_input_open(const char *path, struct sw_input *input, struct sw_error *error) {
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return fail_io(error, path, "open");
    }
    struct owner *owner = SW_NEW_ZERO(struct owner, 1);
    struct sw_bytes *bytes = owner ? &owner->bytes : NULL;
    bool good = owner ? fill(fd, path, bytes, error) : sw_fail_memory(error);
    if (!standard) {
        close(fd);
    }
    if (!good || !expand(path, bytes, error)) {
        if (owner) {
            SW_FREE(bytes->items, bytes->capacity);
            SW_FREE(owner, 1);
        }
        return false;
    }
    *input = (struct sw_input){
        .name = path, .bytes = bytes->items, .length = bytes->count, .owner = owner};
    return true;
}

void sw_input_close(struct sw_input *input) {
    struct owner *owner = input->owner;
    if (owner) {
        SW_FREE(owner->bytes.items, owner->bytes.capacity);
        SW_FREE(owner, 1);
    }
    *input = (struct sw_input){0};
}

uint64_t sw_input_digest(const struct sw_input *input) {
    return sw_fold_bytes(0, input->bytes, input->length);
}
