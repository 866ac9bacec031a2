/* Inputs, sinks and the table of formats: files that cannot be read, disks that are full, names.
 * The system calls of the sink are wrapped by the linker, so that every one of them can be made to
 * fail. */
#include "unit/formats.h"

#include "formats/sink_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- faults ---- */

enum fault {
    NO_FAULT,
    WRITE_SHORT,
    WRITE_EINTR,
    WRITE_ENOSPC,
    WRITE_EIO,
    WRITE_NOTHING,
    FSYNC_EIO,
    CLOSE_EIO,
    RENAME_EXDEV,
    FCHMOD_EPERM,
    FCHMOD_KILL, /* the process is killed when all is written and nothing is in its place yet */
    READ_EINTR,
    READ_EIO,
    READ_SHORT
};
static enum fault fault;
static unsigned fault_calls;

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size) {
    fault_calls++;
    switch (fault) {
    case WRITE_SHORT:
        return __real_write(fd, bytes, size > 7 ? 7 : size);
    case WRITE_EINTR:
        errno = EINTR;
        return fault_calls % 3 ? -1 : __real_write(fd, bytes, size > 100 ? 100 : size);
    case WRITE_ENOSPC: /* the disk is full after some bytes */
        errno = ENOSPC;
        return fault_calls > 3 ? -1 : __real_write(fd, bytes, size > 10 ? 10 : size);
    case WRITE_EIO:
        errno = EIO;
        return -1;
    case WRITE_NOTHING:
        return 0;
    default:
        return __real_write(fd, bytes, size);
    }
}

ssize_t __real_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size) {
    fault_calls++;
    if (fault == READ_EIO || (fault == READ_EINTR && fault_calls % 2)) {
        errno = fault == READ_EIO ? EIO : EINTR;
        return -1;
    }
    return __real_read(fd, bytes, fault == READ_SHORT && size > 3 ? 3 : size);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    errno = EIO;
    return fault == FSYNC_EIO ? -1 : __real_fsync(fd);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    int result = __real_close(fd);
    errno = EIO;
    return fault == CLOSE_EIO ? -1 : result;
}

/* A machine that has no files without names. */
static bool no_nameless;
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode) {
    if (no_nameless && strcmp(path, "/proc/self/fd") == 0) {
        errno = ENOENT;
        return -1;
    }
    return __real_access(path, mode);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
    errno = EXDEV;
    return fault == RENAME_EXDEV ? -1 : __real_rename(from, to);
}

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode) {
    if (fault == FCHMOD_KILL) {
        raise(SIGKILL);
    }
    errno = EPERM;
    return fault == FCHMOD_EPERM ? -1 : __real_fchmod(fd, mode);
}

static unsigned folders_read;
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path) {
    folders_read++;
    return __real_opendir(path);
}

/* ---- a folder for each test ---- */

struct folder {
    char path[64], file[128];
};

static int make_folder(void **state) {
    static struct folder folder;
    strcpy(folder.path, "/tmp/stowage-test-XXXXXX");
    assert_non_null(mkdtemp(folder.path));
    snprintf(folder.file, sizeof folder.file, "%s/out.csv", folder.path);
    fault = NO_FAULT;
    *state = &folder;
    return 0;
}

static size_t count_files(const char *path) {
    DIR *folder = opendir(path);
    size_t count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(folder);
    return count;
}

static int remove_folder(void **state) {
    struct folder *folder = *state;
    fault = NO_FAULT;
    chmod(folder->path, 0700);
    DIR *open = opendir(folder->path);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", folder->path, entry->d_name);
        if (entry->d_name[0] != '.' || entry->d_name[1] == 's') {
            unlink(name);
        }
    }
    closedir(open);
    return rmdir(folder->path);
}

static bool commit(const char *path, const char *text, struct sw_error *error) {
    struct sw_sink sink = {0};
    *error = (struct sw_error){0};
    sw_sink_add(&sink, text, strlen(text));
    bool good = sw_sink_commit(&sink, path, error);
    sw_sink_done(&sink);
    return good;
}

static void assert_content(const char *path, const char *text) {
    struct sw_input input;
    struct sw_error error;
    assert_true(sw_input_open(path, &input, &error));
    assert_int_equal(input.length, strlen(text));
    assert_memory_equal(input.bytes, text, input.length);
    sw_input_close(&input);
}

static mode_t mode_of(const char *path) {
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

/* ---- writing ---- */

static void a_new_file(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    mode_t mask = umask(027);
    assert_true(commit(folder->file, "one\n", &error));
    umask(mask);
    assert_content(folder->file, "one\n");
    assert_int_equal(mode_of(folder->file), 0640);
    assert_int_equal(count_files(folder->path), 1);
    assert_true(commit(folder->file, "", &error)); /* nothing is something */
    assert_content(folder->file, "");
}

static void a_file_that_was_there(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    assert_true(commit(folder->file, "one\n", &error));
    assert_int_equal(chmod(folder->file, 0751), 0);
    assert_true(commit(folder->file, "two, longer\n", &error));
    assert_content(folder->file, "two, longer\n");
    assert_int_equal(mode_of(folder->file), 0751);
    assert_int_equal(count_files(folder->path), 1);
}

static void a_symbolic_link_stays_one(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    struct stat about;
    char link[256];
    snprintf(link, sizeof link, "%s/link.csv", folder->path);
    assert_true(commit(folder->file, "one\n", &error));
    assert_int_equal(symlink("out.csv", link), 0);
    assert_true(commit(link, "two\n", &error));
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_content(folder->file, "two\n");
    assert_int_equal(count_files(folder->path), 2);
}

/* Whatever goes wrong, the old file is there, whole, and nothing else. */
static void faults_leave_the_old_file(void **state) {
    struct folder *folder = *state;
    const struct {
        enum fault fault;
        const char *message;
    } faults[] = {{WRITE_ENOSPC, "cannot write: No space left on device"},
                  {WRITE_EIO, "cannot write: Input/output error"},
                  {WRITE_NOTHING, "cannot write: Input/output error"},
                  {FSYNC_EIO, "cannot write: Input/output error"},
                  {CLOSE_EIO, "cannot write: Input/output error"},
                  {RENAME_EXDEV, "cannot write: Invalid cross-device link"},
                  {FCHMOD_EPERM, "cannot write: Operation not permitted"}};
    const char *text = "a text that is longer than what fits on the disk";
    struct sw_error error;
    for (size_t old = 0; old < 2; old++) {
        for (size_t i = 0; i < COUNT(faults); i++) {
            fault = faults[i].fault;
            fault_calls = 0;
            assert_false(commit(folder->file, text, &error));
            fault = NO_FAULT;
            assert_int_equal(error.code, SW_ERROR_IO);
            assert_string_equal(error.message, faults[i].message);
            assert_string_equal(error.file, folder->file);
            assert_int_equal(error.line, 0);
            assert_int_equal(count_files(folder->path), old);
        }
        if (old) {
            assert_content(folder->file, "old\n");
        }
        assert_true(commit(folder->file, "old\n", &error));
    }
}

/* ---- in parts ---- */

/* So many parts of a hundred lines. */
static bool write_parts(const char *path, bool gzip, unsigned parts, struct sw_error *error) {
    struct sw_sink sink = {0};
    *error = (struct sw_error){0};
    struct sw_sink_file *file = sw_sink_file_open(path, gzip, error);
    bool good = file != NULL;
    for (unsigned i = 0; good && i < parts; i++) {
        for (unsigned k = 0; k < 100; k++) {
            sw_sink_printf(&sink, "line %u of part %u\n", k * 2654435761u, i);
        }
        good = sw_sink_file_pour(file, &sink, error);
        assert_true(!good || sink.text.count == 0);
    }
    sw_sink_done(&sink);
    if (file && !good) {
        sw_sink_file_drop(file);
    }
    return good && sw_sink_file_close(file, error);
}

/* All of a file as a text; what is compressed is expanded. */
static char *content_of(const char *path) {
    struct sw_input input;
    struct sw_error error;
    assert_true(sw_input_open(path, &input, &error));
    char *copy = malloc(input.length + 1);
    assert_non_null(copy);
    memcpy(copy, input.bytes, input.length);
    copy[input.length] = '\0';
    sw_input_close(&input);
    return copy;
}

static void a_file_in_parts(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    mode_t mask = umask(027);
    assert_true(write_parts(folder->file, false, 300, &error));
    umask(mask);
    assert_int_equal(mode_of(folder->file), 0640);
    assert_int_equal(count_files(folder->path), 1);
    char *plain = content_of(folder->file);
    assert_non_null(strstr(plain, " of part 299\n"));
    assert_int_equal(chmod(folder->file, 0751), 0);
    assert_true(write_parts(folder->file, true, 300, &error));
    assert_int_equal(mode_of(folder->file), 0751);
    char *packed = content_of(folder->file);
    assert_string_equal(plain, packed);
    free(plain);
    free(packed);
    assert_true(write_parts(folder->file, true, 0, &error));
    assert_content(folder->file, "");
    assert_int_equal(count_files(folder->path), 1);
    struct sw_sink_file *file = sw_sink_file_open(folder->file, true, &error);
    assert_non_null(file);
    sw_sink_file_drop(file);
    sw_sink_file_drop(NULL);
    assert_content(folder->file, "");
    assert_int_equal(count_files(folder->path), 1);
}

/* With and without files that have no name. */
static void faults_in_parts_leave_the_old_file(void **state) {
    struct folder *folder = *state;
    const struct {
        enum fault fault;
        const char *message;
    } faults[] = {{WRITE_ENOSPC, "cannot write: No space left on device"},
                  {WRITE_EIO, "cannot write: Input/output error"},
                  {WRITE_NOTHING, "cannot write: Input/output error"},
                  {FSYNC_EIO, "cannot write: Input/output error"},
                  {CLOSE_EIO, "cannot write: Input/output error"},
                  {RENAME_EXDEV, "cannot write: Invalid cross-device link"},
                  {FCHMOD_EPERM, "cannot write: Operation not permitted"}};
    struct sw_error error;
    for (unsigned way = 0; way < 8; way++) {
        bool old = way & 1, gzip = way & 2;
        no_nameless = way & 4;
        for (size_t i = 0; i < COUNT(faults); i++) {
            fault = faults[i].fault;
            fault_calls = 0;
            assert_false(write_parts(folder->file, gzip, 50, &error));
            fault = NO_FAULT;
            assert_int_equal(error.code, SW_ERROR_IO);
            assert_string_equal(error.message, faults[i].message);
            assert_string_equal(error.file, folder->file);
            assert_int_equal(count_files(folder->path), old);
            if (old) {
                assert_content(folder->file, "old\n");
            }
        }
        assert_true(write_parts(folder->file, gzip, 3, &error));
        assert_int_equal(count_files(folder->path), 1);
        if (old) {
            unlink(folder->file);
        } else {
            assert_true(commit(folder->file, "old\n", &error));
        }
    }
    no_nameless = false;
}

static void short_and_interrupted_writes(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    const enum fault faults[] = {WRITE_SHORT, WRITE_EINTR};
    for (size_t i = 0; i < COUNT(faults); i++) {
        fault = faults[i];
        fault_calls = 0;
        assert_true(commit(folder->file, text, &error));
        fault = NO_FAULT;
        assert_content(folder->file, text);
    }
}

static void devices_are_written_directly(void **state) {
    (void)state;
    struct sw_error error;
    assert_true(commit("/dev/null", "x", &error));
    if (access("/dev/full", W_OK) == 0) {
        struct stat before, after;
        assert_int_equal(stat("/dev/full", &before), 0);
        assert_false(commit("/dev/full", "x", &error));
        assert_int_equal(error.code, SW_ERROR_IO);
        assert_string_equal(error.message, "cannot write: No space left on device");
        assert_int_equal(stat("/dev/full", &after), 0);
        assert_true(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino);
    }
}

static void a_pipe_is_written_directly(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    char got[8] = "";
    assert_int_equal(mkfifo(folder->file, 0600), 0);
    int fd = open(folder->file, O_RDWR | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_true(commit(folder->file, "x y", &error));
    assert_int_equal(read(fd, got, sizeof got), 3);
    assert_string_equal(got, "x y");
    close(fd);
}

static void places_that_cannot_be_written(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    char name[512];
    assert_false(commit(folder->path, "x", &error));
    assert_string_equal(error.message, "cannot write: Is a directory");
    snprintf(name, sizeof name, "%s/no/such/file", folder->path);
    assert_false(commit(name, "x", &error));
    assert_string_equal(error.message, "cannot write: No such file or directory");
    snprintf(name, sizeof name, "%s/", folder->file);
    assert_false(commit(name, "x", &error));
    if (geteuid() == 0) {
        printf("skipped: root may write anywhere\n");
        return;
    }
    assert_true(commit(folder->file, "old\n", &error));
    assert_int_equal(chmod(folder->file, 0400), 0);
    assert_false(commit(folder->file, "x", &error)); /* the folder would allow it; the file says no */
    assert_string_equal(error.message, "cannot write: Permission denied");
    chmod(folder->file, 0600);
    chmod(folder->path, 0500);
    assert_false(commit(folder->file, "x", &error));
    assert_string_equal(error.message, "cannot write: Permission denied");
    chmod(folder->path, 0700);
    assert_content(folder->file, "old\n");
}

static void an_old_temporary_is_in_the_way(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    char name[256];
    snprintf(name, sizeof name, "%s/.stowage-%ld-0.tmp", folder->path, (long)getpid());
    assert_true(commit(name, "not mine\n", &error));
    assert_true(commit(folder->file, "mine\n", &error));
    assert_content(folder->file, "mine\n");
    assert_content(name, "not mine\n");
}

/* Leaves the temporary of a process that was killed; its name. */
static void leave_one(const struct folder *folder, char name[256]) {
    struct sw_error error;
    int status = 0;
    pid_t writer = fork();
    if (writer == 0) {
        fault = FCHMOD_KILL;
        commit(folder->file, "half", &error);
        _exit(1);
    }
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    snprintf(name, 256, "%s/.stowage-%ld-0.tmp", folder->path, (long)writer);
    assert_int_equal(access(name, F_OK), 0);
}

/* The next write to the folder removes what a killed process left, and nothing else. */
static void temporaries_of_the_dead(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    char left[256], held[256], other[256], link[256];
    leave_one(folder, left);
    leave_one(folder, held); /* the first is gone with that */
    assert_int_equal(access(left, F_OK), -1);
    int fd = open(held, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0); /* as if its writer could not be seen from here */
    snprintf(other, sizeof other, "%s/.stowage-1x-0.tmp", folder->path);
    assert_true(commit(other, "not ours", &error));
    snprintf(link, sizeof link, "%.*s-1.tmp", (int)(strrchr(held, '-') - held), held);
    assert_int_equal(symlink(other, link), 0);
    assert_true(commit(folder->file, "whole", &error));
    assert_content(folder->file, "whole");
    assert_content(held, "half");
    assert_content(other, "not ours");
    assert_int_equal(count_files(folder->path), 4);
    close(fd);
    assert_true(commit(folder->file, "again", &error));
    assert_int_equal(access(held, F_OK), -1);
    assert_int_equal(count_files(folder->path), 3); /* the link is no file */
}

/* Many files into one folder: it is looked through once, and again when another process has changed it. */
static void a_folder_is_looked_through_once(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    char name[256], left[256];
    unsigned before = folders_read;
    struct timespec later[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 4000000000}};
    for (unsigned i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "%s/%u", folder->path, i);
        assert_true(commit(name, "x", &error));
    }
    assert_int_equal(folders_read, before + 1);
    fault = RENAME_EXDEV;
    assert_false(commit(folder->file, "x", &error));
    fault = NO_FAULT;
    assert_true(commit(folder->file, "x", &error));
    assert_int_equal(folders_read, before + 1);
    leave_one(folder, left);
    assert_int_equal(utimensat(AT_FDCWD, folder->path, later, 0), 0); /* in a later tick of the clock */
    assert_true(commit(folder->file, "y", &error));
    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(count_files(folder->path), 21);
}

/* ---- reading ---- */

static void inputs_that_cannot_be_read(void **state) {
    struct folder *folder = *state;
    struct sw_input input;
    struct sw_error error = {0};
    assert_false(sw_input_open(folder->file, &input, &error));
    assert_int_equal(error.code, SW_ERROR_IO);
    assert_string_equal(error.message, "cannot open: No such file or directory");
    assert_string_equal(error.file, folder->file);
    assert_false(sw_input_open(folder->path, &input, &error));
    assert_string_equal(error.message, "cannot read: Is a directory");
    assert_null(sw_load(folder->path, NULL, NULL, &error));
    assert_string_equal(error.file, folder->path);
    assert_true(commit(folder->file, "x\n", &error));
    fault = READ_EIO;
    assert_false(sw_input_open(folder->file, &input, &error));
    assert_string_equal(error.message, "cannot read: Input/output error");
    fault = NO_FAULT;
    if (geteuid() != 0) {
        chmod(folder->file, 0);
        assert_false(sw_input_open(folder->file, &input, &error));
        assert_string_equal(error.message, "cannot open: Permission denied");
    }
}

static void inputs_in_small_pieces(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    struct sw_input input, again;
    char text[5000];
    memset(text, 'z', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_true(commit(folder->file, text, &error));
    assert_true(sw_input_open(folder->file, &input, &error));
    const enum fault faults[] = {READ_SHORT, READ_EINTR};
    for (size_t i = 0; i < COUNT(faults); i++) {
        fault = faults[i];
        assert_true(sw_input_open(folder->file, &again, &error));
        fault = NO_FAULT;
        assert_int_equal(again.length, sizeof text - 1);
        assert_true(sw_input_digest(&again) == sw_input_digest(&input));
        sw_input_close(&again);
    }
    sw_input_close(&input);
}

static void standard_input(void **state) {
    (void)state;
    int ends[2], saved = dup(STDIN_FILENO);
    struct sw_error error = {0};
    const char *text = "id,lower,upper,size\na,0,1,5\n";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    uint64_t digest = 0;
    struct sw_problem *problem = sw_load("-", NULL, &digest, &error);
    assert_non_null(problem);
    assert_int_equal(sw_problem_naive(problem), 5);
    struct sw_input input = text_input(text, strlen(text));
    assert_true(digest == sw_input_digest(&input));
    sw_problem_unref(problem);
    assert_null(sw_load("-", NULL, NULL, &error)); /* at its end */
    assert_string_equal(error.file, "-");
    assert_string_equal(error.message, "the file is empty");
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(ends[0]);
}

/* ---- the table ---- */

static void detection(void **state) {
    (void)state;
    const struct {
        const char *text, *name, *format;
    } cases[] = {
        {"{\"placements\":[]}", "x", "plan-json"},
        {"{\"a\":{\"placements\":1}}", "x", "graph-json"},
        {" \n\t{", "x", "graph-json"},
        {"{\"a\":\"\\\"placements\\\"\"", "x", "graph-json"},
        {"id,lower,upper,size\n", "x", "buffers-csv"},
        {"\xef\xbb\xbf# c\n\n\"size\",x\n", "x", "buffers-csv"},
        {"what,ever\n", "a.b/x.csv", "buffers-csv"},
        {"what,ever\n", "x.TXT", "buffers-csv"},
        {"[1]", "x.json", "plan-json"},
        {"what,ever\n", "x.csv/y", NULL},
        {"\x1c\x02", "x", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sw_error error = {0};
        struct sw_input input = text_input(cases[i].text, strlen(cases[i].text));
        input.name = cases[i].name;
        const struct sw_format *format = sw_format_detect(&input, &error);
        if (cases[i].format) {
            assert_non_null(format);
            assert_string_equal(format->name, cases[i].format);
        } else {
            assert_null(format);
            assert_int_equal(error.code, SW_ERROR_INPUT);
            assert_string_equal(error.file, cases[i].name);
        }
    }
}

static void outputs(void **state) {
    (void)state;
    struct sw_error error = {0};
    assert_string_equal(sw_format_for_output("a/b.csv", false, &error)->name, "buffers-csv");
    assert_string_equal(sw_format_for_output("b.JSON", false, &error)->name, "graph-json");
    assert_string_equal(sw_format_for_output("b.csv", true, &error)->name, "plan-csv");
    assert_string_equal(sw_format_for_output("b.json", true, &error)->name, "plan-json");
    const char *const names[] = {"b", "a.csv/b", ".csv", "b.svg", "b.csvx", "b.", "-"};
    for (size_t i = 0; i < COUNT(names); i++) {
        error = (struct sw_error){0};
        assert_null(sw_format_for_output(names[i], false, &error));
        assert_int_equal(error.code, SW_ERROR_USAGE);
        assert_non_null(strstr(error.message, ".json or .csv"));
    }
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_format *format = sw_format_get(i);
        assert_true(format->name && format->summary && format->extensions[0] == '.');
        assert_true((format->detect || format->words) == (sw_format_reads(format) || sw_format_rewrites(format)));
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(format->name, sw_format_get(k)->name);
        }
    }
}

static void names_of_graphs(void **state) {
    struct folder *folder = *state;
    struct sw_error error;
    const char *const names[][2] = {{"net.csv", "net"}, {"a.b.csv", "a.b"}, {"plain", "plain"}, {".hidden", ".hidden"}};
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder->path, names[i][0]);
        assert_true(commit(path, "id,lower,upper,size\n", &error));
        struct sw_problem *problem = sw_load(path, NULL, NULL, &error);
        assert_non_null(problem);
        assert_string_equal(sw_problem_name(problem), names[i][1]);
        sw_problem_unref(problem);
        unlink(path);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_new_file),
        IN_FOLDER(a_file_that_was_there),
        IN_FOLDER(a_symbolic_link_stays_one),
        IN_FOLDER(faults_leave_the_old_file),
        IN_FOLDER(a_file_in_parts),
        IN_FOLDER(faults_in_parts_leave_the_old_file),
        IN_FOLDER(short_and_interrupted_writes),
        cmocka_unit_test(devices_are_written_directly),
        IN_FOLDER(a_pipe_is_written_directly),
        IN_FOLDER(places_that_cannot_be_written),
        IN_FOLDER(an_old_temporary_is_in_the_way),
        IN_FOLDER(temporaries_of_the_dead),
        IN_FOLDER(a_folder_is_looked_through_once),
        IN_FOLDER(inputs_that_cannot_be_read),
        IN_FOLDER(inputs_in_small_pieces),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(detection),
        cmocka_unit_test(outputs),
        IN_FOLDER(names_of_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
