#include "cli/orders/order_parts.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "formats/sink_file.h"
#include "formats/open_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

struct made {
    const char *path;
    bool folder;
};
struct data_beside {
    char from[PATH_ROOM], to[PATH_ROOM]; /* the folders, with their slash; "": this one */
    const char *target;                  /* the copy of the model */
    SW_ARRAY(struct made) made;
    SW_ARRAY(char *) names; /* files looked at */
    struct sw_arena arena;  /* of both */
    char first[PATH_ROOM];  /* the first one that was copied, or was there */
    size_t copied, there;
    uint64_t bytes;
};

static bool split_folder(const char *path, char folder[PATH_ROOM]) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= PATH_ROOM) {
        return false;
    }
    memcpy(folder, path, length);
    folder[length] = '\0';
    return true;
}

static bool same_folder(const struct data_beside *beside) {
    struct stat a, b;
    return stat(*beside->from ? beside->from : ".", &a) == 0 && stat(*beside->to ? beside->to : ".", &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A path that stays within the folder of the model, as ONNX has it: relative, and nowhere "..". */
static bool stays_inside(const char *name) {
    for (const char *at = name; *at;) {
        size_t length = strcspn(at, "/");
        if (length == 0 || (length == 2 && at[0] == '.' && at[1] == '.')) {
            return false;
        }
        at += length + (at[length] == '/');
    }
    return *name && name[strlen(name) - 1] != '/' && !strchr(name, '\\');
}

/* The name without parts that are ".": those would hide that two names are one. */
static void drop_dots(char *name) {
    char *to = name;
    for (const char *at = name; *at;) {
        size_t length = strcspn(at, "/"), whole = length + (at[length] == '/');
        if (!(length == 1 && *at == '.')) {
            memmove(to, at, whole);
            to += whole;
        }
        at += whole;
    }
    *to = '\0';
}

static bool add_made(struct data_beside *beside, const char *path, bool folder, struct sw_error *error) {
    struct made made = {sw_arena_string(&beside->arena, path, strlen(path)), folder};
    if (made.path && SW_PUSH(&beside->made, made)) {
        return true;
    }
    (void)(folder ? rmdir(path) : unlink(path));
    return sw_fail_memory(error);
}

/* The folders that the name has in it. No link is followed: it could lead out of the folder of the model, where a
 * file's text must not decide what is written, and where no runtime would look for data. */
static bool make_folders(struct data_beside *beside, const char *path, struct sw_error *error) {
    char part[2 * PATH_ROOM];
    struct stat about;
    for (const char *at = path + strlen(beside->to); (at = strchr(at, '/')); at++) {
        snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
        if (mkdir(part, 0777) == 0) {
            if (!add_made(beside, part, true, error)) {
                return false;
            }
        } else if (errno != EEXIST) {
            return sw_fail(error, SW_ERROR_IO, "cannot make the folder %s: %s", part, strerror(errno));
        } else if (lstat(part, &about) != 0 || !S_ISDIR(about.st_mode)) {
            return sw_fail(error, SW_ERROR_IO, "the model's data would go to %s, and %s is no folder but %s", path,
                           part, S_ISLNK(about.st_mode) ? "a symbolic link" : "something else");
        }
    }
    return true;
}

static FILE *open_data(const char *path) {
    int file = sw_open_regular(path, NULL, NULL);
    FILE *stream = file >= 0 ? fdopen(file, "rb") : NULL;
    if (file >= 0 && !stream) {
        close(file);
    }
    return stream;
}

static bool same_bytes(const char *a, const char *b) {
    FILE *x = open_data(a), *y = open_data(b);
    static char blocks[2][1 << 16];
    bool same = x && y, more = same;
    while (same && more) {
        size_t got = fread(blocks[0], 1, sizeof blocks[0], x), other = fread(blocks[1], 1, sizeof blocks[1], y);
        same = got == other && memcmp(blocks[0], blocks[1], got) == 0 && !ferror(x) && !ferror(y);
        more = got > 0;
    }
    if (x) {
        fclose(x);
    }
    if (y) {
        fclose(y);
    }
    return same;
}

/* What is there already stays, and must be the same. */
static bool accept_there(struct data_beside *beside, const char *from, const struct stat *about, const char *to,
                         struct sw_error *error) {
    struct stat there;
    bool regular = stat(to, &there) == 0 && S_ISREG(there.st_mode);
    bool one = regular && there.st_dev == about->st_dev && there.st_ino == about->st_ino;
    beside->there++;
    return one || (regular && there.st_size == about->st_size && same_bytes(from, to)) ||
           sw_fail(error, SW_ERROR_IO, "the model's data would go to %s, and something else is there", to);
}

static bool bring_data(struct data_beside *beside, const char *name, struct sw_error *error) {
    char from[2 * PATH_ROOM], to[2 * PATH_ROOM];
    struct stat about, there;
    if (!stays_inside(name)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "the model has data in '%s', and ONNX permits no path that leads out of its folder", name);
    }
    snprintf(from, sizeof from, "%s%s", beside->from, name);
    snprintf(to, sizeof to, "%s%s", beside->to, name);
    if (strcmp(to, beside->target) == 0) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "the model has data in '%s', which is where the model itself is to be written", name);
    }
    if (stat(from, &about) != 0) {
        return sw_fail(error, SW_ERROR_IO, "the model has data in %s, which cannot go with it: %s", from,
                       strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        return sw_fail(error, SW_ERROR_IO, "the model has data in %s, which is no regular file", from);
    }
    if (beside->copied + beside->there == 0) {
        snprintf(beside->first, sizeof beside->first, "%s", name);
    }
    if (lstat(to, &there) == 0) {
        return accept_there(beside, from, &about, to, error);
    }
    if (!make_folders(beside, to, error) || !sw_sink_file_copy(from, to, error)) {
        return false;
    }
    beside->copied++;
    beside->bytes += (uint64_t)about.st_size;
    return add_made(beside, to, false, error);
}

/* Each file once. */
static bool copy_named(void *context, const char *name, size_t length, struct sw_error *error) {
    struct data_beside *beside = context;
    if (length >= PATH_ROOM / 2 || memchr(name, '\0', length)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "the model has data in a file with a name that %s",
                       length >= PATH_ROOM / 2 ? "is too long" : "no file can have");
    }
    for (size_t i = 0; i < beside->names.count; i++) {
        if (strlen(beside->names.items[i]) == length && memcmp(beside->names.items[i], name, length) == 0) {
            return true;
        }
    }
    char *copy = sw_arena_string(&beside->arena, name, length);
    if (!copy || !SW_PUSH(&beside->names, copy)) {
        return sw_fail_memory(error);
    }
    drop_dots(copy);
    return bring_data(beside, copy, error);
}

static void free_beside(struct data_beside *beside) {
    SW_ARRAY_DONE(&beside->made, &beside->names);
    sw_arena_done(&beside->arena);
    SW_FREE(beside, 1);
}

/* Takes away again what was made. */
static void drop_beside(struct data_beside *beside) {
    for (size_t i = beside->made.count; i-- > 0;) {
        const struct made *made = &beside->made.items[i];
        (void)(made->folder ? rmdir(made->path) : unlink(made->path));
    }
    free_beside(beside);
}

/* `to` is borrowed until the end. NULL: nothing of it is left. Else it is ended, once, with drop_beside or keep_beside.
 */
static struct data_beside *bring_beside(const struct sw_format *format, const struct sw_input *input, const char *from,
                                        const char *to, struct sw_error *error) {
    struct data_beside *beside = SW_NEW_ZERO(struct data_beside, 1);
    if (!beside) {
        sw_fail_memory(error);
        return NULL;
    }
    beside->target = to;
    bool good = (split_folder(from, beside->from) && split_folder(to, beside->to)) ||
                sw_fail(error, SW_ERROR_IO, "the path is too long");
    if (good && format->beside && !same_folder(beside)) {
        good = format->beside(input, copy_named, beside, error);
    }
    if (!good) {
        drop_beside(beside);
        return NULL;
    }
    return beside;
}

/* What was copied stays. A line for the user when there is something to say of it. */
static void keep_beside(struct data_beside *beside, struct sw_error *note) {
    size_t files = beside->copied + beside->there;
    *note = (struct sw_error){0};
    if (files > 0) {
        char more[48] = "", copied[96] = "";
        if (files > 1) {
            snprintf(more, sizeof more, " and %zu more", files - 1);
        }
        if (beside->copied > 0 && beside->there > 0) {
            snprintf(copied, sizeof copied, "%zu of them copied, %s, the others there already", beside->copied,
                     SW_BYTES(beside->bytes));
        } else if (beside->copied > 0) {
            snprintf(copied, sizeof copied, "copied, %s", SW_BYTES(beside->bytes));
        } else {
            snprintf(copied, sizeof copied, "there already");
        }
        sw_fail(note, SW_ERROR_UNSUPPORTED, "note: the model's data lie beside it, %s%s: %s", beside->first, more,
                copied);
        sw_error_at(note, beside->target, 0, 0);
    }
    free_beside(beside);
}

int sw_cli_put_model(const struct sw_cli *cli, const struct sw_format *format, const struct sw_input *input,
                     struct sw_sink *model, struct sw_cli_report *printed, const struct sw_error *note,
                     const struct sw_error *runtime) {
    struct sw_error error = {0}, data = {0};
    struct data_beside *beside = bring_beside(format, input, cli->files[0], cli->output, &error);
    if (!beside) {
        sw_error_at(*error.file ? NULL : &error, cli->output, 0, 0);
        return sw_cli_fail(&error);
    }
    if (printed) { /* both, or nothing where memory lacks */
        sw_cli_clean(&printed->out);
        model->failed |= printed->out.failed;
    }
    int status = sw_cli_put(cli, model, 0);
    if (printed && status == 0) {
        struct sw_cli printing = *cli;
        printing.output = NULL;
        status = sw_cli_put(&printing, &printed->out, 0);
    }
    if (status != 0) {
        drop_beside(beside);
        return status;
    }
    keep_beside(beside, &data);
    sw_cli_tell_order(note);
    sw_cli_tell_order(&data);
    sw_cli_tell_order(runtime);
    return 0;
}
