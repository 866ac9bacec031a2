/* Inputs are read into memory, not mapped: a mapped file that is cut short while it is open
 * kills the program, and the text formats look at every byte anyway. Of large traces only the
 * beginning is in memory (wrapped/spool.h). */
#include "formats/open_file.h"
#include "base/base.h"
#include "formats/wrapped/c_array.h"
#include "formats/wrapped/spool.h"
#include "formats/text/utf8.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is looked at before the rest is read. */
#define BEGINNING ((size_t)1 << 16)

struct owner {
    size_t references;
    int file;       /* of a large trace; -1 */
    uint64_t whole; /* its length; else 0 */
    bool cut;       /* the gzip data of a trace ended early */
    char *name;
    struct sw_bytes bytes;
    char array[1024]; /* what the bytes are called in source that they stood in; "" else */
};

/* Until the end, or until `enough` bytes are there. */
static bool read_until(int fd, size_t expected, size_t enough, struct sw_bytes *bytes, struct sw_error *error) {
    /* One byte more than expected, so that the end shows without growing. */
    size_t wanted = expected < 65536 ? 65536 : expected + 1;
    wanted = wanted < enough ? wanted : enough;
    while (bytes->count < enough) {
        size_t next = bytes->capacity < wanted ? wanted : bytes->capacity + (bytes->count == bytes->capacity);
        if (!SW_RESERVE(bytes, next)) {
            return sw_fail_memory(error);
        }
        size_t room = (bytes->capacity < enough ? bytes->capacity : enough) - bytes->count;
        ssize_t got = read(fd, bytes->items + bytes->count, room);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 || sw_fail(error, SW_ERROR_IO, "cannot read: %s", strerror(errno));
        }
        bytes->count += (size_t)got;
        if (bytes->count > sw_most_input()) {
            return sw_fail_most_input(expected > sw_most_input() ? expected : 0, error);
        }
    }
    return true;
}

/* All of it, or of a large trace the beginning. `trace`: it is expanded already. */
static bool fill_input(int fd, const struct stat *about, struct owner *owner, bool *trace, struct sw_error *error) {
    bool regular = S_ISREG(about->st_mode) && about->st_size >= 0;
    bool from_start = regular && lseek(fd, 0, SEEK_CUR) == 0;
    size_t expected = regular ? (size_t)about->st_size : 0;
    if (!read_until(fd, expected, BEGINNING, &owner->bytes, error)) {
        return false;
    }
    *trace = sw_spool_wants(owner->name, owner->bytes.items, owner->bytes.count);
    if (!*trace) {
        if (expected > sw_most_input()) { /* before it is read */
            return sw_fail_most_input(expected, error);
        }
        return read_until(fd, expected, SIZE_MAX, &owner->bytes, error);
    }
    struct sw_spool spool = {.file = -1};
    bool good = sw_spool_take(&spool, fd, from_start, expected, &owner->bytes, error);
    SW_FREE(owner->bytes.items, owner->bytes.capacity);
    owner->bytes = spool.bytes;
    owner->file = spool.file;
    owner->whole = spool.file >= 0 ? spool.length : 0;
    owner->cut = spool.cut;
    return good;
}

/* ---- what was compressed ---- */

/* A few bytes can expand to gigabytes. What no reader takes is refused as soon as that shows:
 * something that is neither a known binary format nor text, a model longer than its format can say,
 * and anything that is smaller than a hundredth of itself, which models and tables never are.
 * Traces may be, and are expanded as they are read (wrapped/spool.h). */
#define MOST_TIMES UINT64_C(100)
#define SMALL_ENOUGH (UINT64_C(64) << 20) /* up to here any ratio will do */

struct gzip_look {
    const char *path;
    size_t compressed; /* the length of the input as it is */
    bool begun, binary;
    uint64_t most;  /* bytes that the format can have */
    size_t checked; /* so many bytes are text */
};

/* What came out since the last look is text; the character at the end may be cut. */
static bool is_text_so_far(struct gzip_look *look, const struct sw_bytes *so_far, struct sw_error *error) {
    size_t end = so_far->count;
    while (end > look->checked && ((unsigned char)so_far->items[end - 1] & 0xc0) == 0x80 && so_far->count - end < 3) {
        end--;
    }
    end -= end > look->checked && ((unsigned char)so_far->items[end - 1] & 0xc0) == 0xc0;
    struct sw_input part = {.name = look->path, .bytes = so_far->items + look->checked, .length = end - look->checked};
    if (sw_text_check(&part, NULL)) {
        look->checked = end;
        return true;
    }
    struct sw_input all = {.name = look->path, .bytes = so_far->items, .length = end};
    return sw_text_check(&all, error);
}

static bool may_go_on(void *context, const struct sw_bytes *so_far, struct sw_error *error) {
    struct gzip_look *look = context;
    if (!look->begun) {
        struct sw_input input = {.name = look->path, .bytes = so_far->items, .length = so_far->count};
        const struct sw_format *format = sw_format_detect(&input, NULL);
        look->begun = true;
        look->binary = format && format->most_binary > 0;
        look->most = look->binary ? format->most_binary : UINT64_MAX;
    }
    if (!look->binary && !is_text_so_far(look, so_far, error)) {
        return false;
    }
    if (so_far->count > look->most) {
        return sw_fail(error, SW_ERROR_INPUT, "this expands to more than %llu bytes, which no file of its format has",
                       (unsigned long long)look->most);
    }
    if (so_far->count > SMALL_ENOUGH && so_far->count / MOST_TIMES > look->compressed) {
        return sw_fail(error, SW_ERROR_INPUT,
                       "this expands to more than %llu times its length, as no model or table does; "
                       "expand it with gzip if it is meant",
                       (unsigned long long)MOST_TIMES);
    }
    return true;
}

/* What gzip made smaller is made large again; everything else sees only that. */
static bool expand_input(const char *path, struct sw_bytes *bytes, struct sw_error *error) {
    struct sw_bytes expanded = {0};
    struct gzip_look look = {.path = path, .compressed = bytes->count};
    struct sw_gzip_bounds bounds = {.limit = sw_most_input(), .look = may_go_on, .context = &look};
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

/* ---- models in source ---- */

struct arrays {
    const char *path;
    const char *wanted; /* --array NAME, or NULL */
    bool seen;          /* the wanted one */
    struct sw_bytes model;
    char name[sizeof((struct owner *)0)->array], first[sizeof((struct owner *)0)->array];
    uint32_t count, line; /* arrays; where the first is named */
    char wrong[1400];     /* of the first array that is wrong */
    uint32_t wrong_line;
};

static bool look_at_array(void *context, struct sw_c_array *array, struct sw_error *error) {
    struct arrays *arrays = context;
    struct sw_input input = {.name = arrays->path, .bytes = array->bytes.items, .length = array->bytes.count};
    char name[sizeof arrays->name];
    snprintf(name, sizeof name, "%.*s", (int)SW_MIN(array->name_length, sizeof name - 1), array->name);
    if (arrays->count++ == 0) {
        snprintf(arrays->first, sizeof arrays->first, "%s", name);
        arrays->line = array->line;
    }
    if (*array->wrong && !*arrays->wrong) {
        snprintf(arrays->wrong, sizeof arrays->wrong, "%s: %s", name, array->wrong);
        arrays->wrong_line = array->wrong_line;
    }
    if (arrays->wanted && (strlen(arrays->wanted) != array->name_length ||
                           memcmp(arrays->wanted, array->name, array->name_length) != 0)) {
        return true;
    }
    arrays->seen = true;
    const struct sw_format *format = *array->wrong ? NULL : sw_format_detect(&input, NULL);
    if (!format || format->most_binary == 0) {
        return true;
    }
    if (*arrays->name) {
        sw_fail(error, SW_ERROR_INPUT,
                "two arrays in this source are models, %s and %s: --array %s takes the first of them", arrays->name,
                name, arrays->name);
        sw_error_at(error, arrays->path, array->line, 1);
        return false;
    }
    snprintf(arrays->name, sizeof arrays->name, "%s", name);
    arrays->model = array->bytes;
    array->bytes = (struct sw_bytes){0};
    return true;
}

static bool is_source(const char *path) {
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".ino"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        if (strcmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A model that stands in C or C++ source as an array of bytes is what everything else sees. */
static bool unwrap(const char *path, const char *wanted, struct owner *owner, struct sw_error *error) {
    struct arrays arrays = {.path = path, .wanted = wanted};
    if (!sw_c_array_detect(owner->bytes.items, owner->bytes.count)) {
        return !wanted ||
               sw_fail(error, SW_ERROR_USAGE, "--array %s: %s is no C or C++ source with arrays", wanted, path);
    }
    bool good = sw_c_arrays(owner->bytes.items, owner->bytes.count, look_at_array, &arrays, error);
    if (good && wanted && !*arrays.name) {
        sw_fail(error, SW_ERROR_INPUT, arrays.seen ? "the array %s is no model%s%s" : "there is no array %s here%s%s",
                wanted, *arrays.wrong ? "; " : "", arrays.wrong);
        sw_error_at(error, path, *arrays.wrong ? arrays.wrong_line : arrays.line, 1);
        good = false;
    }
    if (good && !*arrays.name && arrays.count > 0 && is_source(path)) {
        bool wrong = *arrays.wrong;
        good = wrong ? sw_fail(error, SW_ERROR_INPUT, "no array in this source is a model; %s", arrays.wrong)
                     : sw_fail(error, SW_ERROR_INPUT, "no array in this source is a model (the first is %s)",
                               arrays.first);
        sw_error_at(error, path, wrong ? arrays.wrong_line : arrays.line, 1);
    }
    if (good && *arrays.name) {
        SW_FREE(owner->bytes.items, owner->bytes.capacity);
        owner->bytes = arrays.model;
        memcpy(owner->array, arrays.name, sizeof owner->array);
    } else {
        SW_FREE(arrays.model.items, arrays.model.capacity);
    }
    return good;
}

bool sw_input_open(const char *path, struct sw_input *input, struct sw_error *error) {
    return sw_input_open_array(path, NULL, input, error);
}

static struct owner *owner_new(const char *name) {
    struct owner *owner = SW_NEW_ZERO(struct owner, 1);
    if (owner) {
        owner->references = 1;
        owner->file = -1;
        owner->name = SW_NEW(char, strlen(name) + 1);
        if (!owner->name) {
            SW_FREE(owner, 1);
            return NULL;
        }
        memcpy(owner->name, name, strlen(name) + 1);
    }
    return owner;
}

static void owner_unref(struct owner *owner) {
    if (owner && --owner->references == 0) {
        if (owner->file >= 0) {
            close(owner->file);
        }
        SW_FREE(owner->name, strlen(owner->name) + 1);
        SW_FREE(owner->bytes.items, owner->bytes.capacity);
        SW_FREE(owner, 1);
    }
}

static struct sw_input input_of_owner(struct owner *owner) {
    return (struct sw_input){.name = owner->name,
                             .array = owner->array,
                             .bytes = owner->bytes.items,
                             .length = owner->bytes.count,
                             .whole = owner->whole,
                             .file = owner->file,
                             .cut = owner->cut,
                             .owner = owner};
}

bool sw_input_open_array(const char *path, const char *array, struct sw_input *input, struct sw_error *error) {
    struct stat about;
    int fd = sw_open_input(path, &about, error);
    if (fd < 0) {
        return false;
    }
    struct owner *owner = owner_new(path);
    bool trace = false;
    bool good = owner ? fill_input(fd, &about, owner, &trace, error) : sw_fail_memory(error);
    sw_error_at(good || !owner ? NULL : error, path, 0, 0);
    close(fd);
    if (!good || !(trace || expand_input(path, &owner->bytes, error)) || !unwrap(path, array, owner, error)) {
        owner_unref(owner);
        return false;
    }
    *input = input_of_owner(owner);
    input->name = path;
    return true;
}

void sw_input_close(struct sw_input *input) {
    owner_unref(input->owner);
    *input = (struct sw_input){0};
}

bool sw_input_keep(const struct sw_input *input, struct sw_input *kept, struct sw_error *error) {
    struct owner *owner = input->owner;
    if (owner) {
        owner->references++;
    } else {
        owner = owner_new(input->name);
        if (!owner || !SW_RESERVE(&owner->bytes, input->length + 1)) {
            owner_unref(owner);
            return sw_fail_memory(error);
        }
        memcpy(owner->bytes.items, input->bytes, input->length);
        owner->bytes.count = input->length;
    }
    *kept = input_of_owner(owner);
    kept->cut = input->cut;
    return true;
}

bool sw_input_read(const struct sw_input *input, uint64_t at, char *to, size_t length, struct sw_error *error) {
    if (input->whole == 0) {
        memcpy(to, input->bytes + at, length);
        return true;
    }
    bool good = sw_read_at(input->file, at, to, length, error);
    sw_error_at(good ? NULL : error, input->name, 0, 0);
    return good;
}

uint64_t sw_input_digest(const struct sw_input *input) {
    static const size_t block = (size_t)1 << 17; /* whole words */
    char *bytes = input->whole ? SW_NEW(char, block) : NULL;
    if (!bytes) {
        return sw_fold_bytes(0, input->bytes, input->length);
    }
    uint64_t digest = 0, at = 0;
    size_t length = block;
    while (at < input->whole && length == block) {
        length = input->whole - at < block ? (size_t)(input->whole - at) : block;
        if (!sw_input_read(input, at, bytes, length, NULL)) {
            break; /* the next reader of it says so */
        }
        at += length;
        digest = at < input->whole ? sw_fold_words(digest, bytes, length) : sw_fold_end(digest, bytes, length, at);
    }
    SW_FREE(bytes, block);
    return digest;
}
