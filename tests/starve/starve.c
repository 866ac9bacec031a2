/* The whole program with failing allocations: every command of cases.c is run in a child process, with the k-th
 * allocation failing alone, and with all from the k-th on failing. Either the answer is whole, byte for byte, or
 * the exit status is 2, one line on standard error says that memory ran out, and nothing is left behind: no file, no
 * part of standard output, no temporary file, no block of our own, no process.
 *
 *     test_starve_own [CASE [K [once|on]]]    only cases with these words in the command or its script; only the K-th
 *
 * STOWAGE_STARVE_TRACE=1 prints where the failing allocation of each fault was asked for. */
#include "starve/starve.h"
#include "share.h"
#include "starve/cases.h"

#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct starve *starve;

bool starve_now(void) {
    uint64_t at = __atomic_add_fetch(&starve->count, 1, __ATOMIC_RELAXED);
    if (!starve->fail_at || at < starve->fail_at || (at > starve->fail_at && !starve->persistent)) {
        return false;
    }
    if (__atomic_fetch_add(&starve->injected, 1, __ATOMIC_RELAXED) == 0 && starve->trace) {
        starve->frames = backtrace(starve->stack, STARVE_FRAMES);
    }
    return true;
}

/* Time stands still: what is printed of it is the same in every run. */
int clock_gettime(clockid_t clock, struct timespec *t) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) { /* of a process */
        return (int)syscall(SYS_clock_gettime, clock, t);
    }
    *t = (struct timespec){.tv_sec = 1000};
    return 0;
}

time_t time(time_t *t) {
    if (t) {
        *t = 1000000000;
    }
    return 1000000000;
}

/* ---- what a run came to ---- */

enum { MOST_FILES = 8, MOST_WORDS = 24 };

struct bytes {
    char *items;
    size_t count;
};

struct outcome {
    int status; /* as of waitpid */
    struct bytes out, err;
    char names[MOST_FILES][64];
    struct bytes files[MOST_FILES];
    size_t file_count;
    bool left_over; /* a process that still lives */
};

static void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static struct bytes read_fd(int fd) {
    struct bytes bytes = {0};
    struct stat about;
    if (fstat(fd, &about) != 0) {
        die("fstat");
    }
    bytes.count = (size_t)about.st_size;
    bytes.items = malloc(bytes.count + 1);
    if (!bytes.items || pread(fd, bytes.items, bytes.count, 0) != (ssize_t)bytes.count) {
        die("read");
    }
    bytes.items[bytes.count] = '\0';
    return bytes;
}

static bool same(struct bytes a, struct bytes b) {
    return a.count == b.count && (a.count == 0 || memcmp(a.items, b.items, a.count) == 0);
}

static void done(struct outcome *outcome) {
    free(outcome->out.items);
    free(outcome->err.items);
    for (size_t i = 0; i < outcome->file_count; i++) {
        free(outcome->files[i].items);
    }
    *outcome = (struct outcome){0};
}

/* All files below the folder, taken away; folders below `folder` go, too. */
static void collect(struct outcome *outcome, const char *folder, const char *prefix) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[400], name[64];
        struct stat about;
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            snprintf(name, sizeof name, "%s%.40s", prefix, entries[i]->d_name);
            if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
                if (outcome->file_count < MOST_FILES) { /* a folder counts, too */
                    memcpy(outcome->names[outcome->file_count++], name, sizeof name);
                }
                collect(outcome, path, "d/");
                rmdir(path);
            } else {
                int fd = open(path, O_RDONLY | O_CLOEXEC);
                if (fd >= 0 && outcome->file_count < MOST_FILES) {
                    memcpy(outcome->names[outcome->file_count], name, sizeof name);
                    outcome->files[outcome->file_count++] = read_fd(fd);
                    close(fd);
                }
                unlink(path);
            }
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

/* ---- one run ---- */

static char folder[200], work[220];
static int out_fd, err_fd;
static uint64_t runs;

static int words_of(char *text, char **words) {
    int count = 0;
    words[count++] = (char[]){"stowage"};
    for (char *word = strtok(text, " "); word && count < MOST_WORDS; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    words[count] = NULL;
    return count;
}

static void child(const struct starve_case *what) {
    char text[500];
    char name[] = "stowage";
    char *words[MOST_WORDS + 1];
    alarm(120);
    if (chdir(work) != 0 || dup2(out_fd, STDOUT_FILENO) < 0 || dup2(err_fd, STDERR_FILENO) < 0) {
        _exit(99);
    }
    snprintf(text, sizeof text, "%s", what->words);
    int count = words_of(text, words);
    words[0] = name;
    starve_arm();
    int status = sw_cli_main(count, words);
    fflush(NULL);
    starve_disarm();
    exit(status);
}

static void run(const struct starve_case *what, uint64_t fail_at, bool persistent, struct outcome *outcome) {
    *outcome = (struct outcome){0};
    starve->count = starve->injected = 0;
    starve->live = 0;
    starve->frames = 0;
    starve->fail_at = fail_at;
    starve->persistent = persistent;
    starve->garbage = runs % 2 ? 0xa5 : 0;
    if (ftruncate(out_fd, 0) != 0 || ftruncate(err_fd, 0) != 0) {
        die("ftruncate");
    }
    lseek(out_fd, 0, SEEK_SET);
    lseek(err_fd, 0, SEEK_SET);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        child(what);
    }
    if (pid < 0 || waitpid(pid, &outcome->status, 0) != pid) {
        die("fork");
    }
    pid_t other;
    while ((other = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    outcome->left_over = other == 0;
    while (other == 0 && waitpid(-1, NULL, 0) > 0) {
    }
    outcome->out = read_fd(out_fd);
    outcome->err = read_fd(err_fd);
    collect(outcome, work, "");
    runs++;
}

/* ---- the judgement ---- */

/* NULL: as it should be. */
static const char *judge(const struct starve_case *what, const struct outcome *whole, const struct outcome *got,
                         int64_t live) {
    static char text[100];
    if (got->left_over) {
        return "a process is left over";
    }
    if (!WIFEXITED(got->status)) {
        snprintf(text, sizeof text, "signal %d", WTERMSIG(got->status));
        return text;
    }
    if (starve->live > live && !strstr(what->words, "--jobs")) { /* workers that are ended free nothing */
        snprintf(text, sizeof text, "%lld blocks leaked", (long long)(starve->live - live));
        return text;
    }
    bool equal = got->status == whole->status && same(got->out, whole->out) && same(got->err, whole->err) &&
                 got->file_count == whole->file_count;
    for (size_t i = 0; equal && i < whole->file_count; i++) {
        equal = strcmp(got->names[i], whole->names[i]) == 0 && same(got->files[i], whole->files[i]);
    }
    if (equal) {
        return NULL;
    }
    if (starve->injected == 0) {
        return "it differs though nothing failed";
    }
    if (WEXITSTATUS(got->status) != 2) {
        snprintf(text, sizeof text, "exit status %d with another answer", WEXITSTATUS(got->status));
        return text;
    }
    char *line = got->err.items, *end = strchr(line, '\n');
    if (!end || end[1] || strncmp(line, "stowage: ", 9) != 0 || !strstr(line, "out of memory")) {
        return "standard error is not one line that tells of memory";
    }
    /* A command of a script that was over had written its file: that may stay, whole. */
    bool kept = what->script && got->file_count == 1 && whole->file_count == 1 &&
                strcmp(got->names[0], whole->names[0]) == 0 && same(got->files[0], whole->files[0]);
    if (got->file_count > 0 && !kept) {
        snprintf(text, sizeof text, "a file is left: %.64s", got->names[0]);
        return text;
    }
    return got->out.count > 0 ? "a part of standard output came" : NULL;
}

static unsigned long faults;

static void tell(const struct starve_case *what, const char *wrong, const struct outcome *got) {
    faults++;
    printf("fault: %s: allocation %llu%s: %s\n", what->words, (unsigned long long)starve->fail_at,
           starve->persistent ? " and all after it" : "", wrong);
    if (starve->trace) {
        printf("  stderr: %.300s\n  stdout: %.200s\n", got->err.items, got->out.items);
        char **lines = backtrace_symbols(starve->stack, starve->frames);
        for (int i = 0; lines && i < starve->frames; i++) {
            printf("  at %s\n", lines[i]);
        }
        free(lines);
    }
}

/* ---- which allocations ---- */

static uint64_t only_at;
static const char *only_how;

/* The next to fail after `at`, of `count`. A share: `starve_share` for each command, others for each. */
static uint64_t next_of(uint64_t at, uint64_t count, unsigned which) {
    bool in_full = getenv("STOWAGE_LONG") != NULL;
    if (only_at) {
        return at < only_at ? only_at : count + 1;
    }
    if (in_full) {
        uint64_t rest = count > starve_first ? count - starve_first : 0;
        uint64_t stride = starve_spread && rest > starve_spread ? rest / starve_spread : 1;
        return at < starve_first ? at + 1 : at + stride;
    }
    uint64_t stride = count / starve_share + 1;
    return at ? at + stride : 1 + (which * 7 + which_share()) % stride;
}

static void starve_case(const struct starve_case *what, unsigned which) {
    struct outcome whole, again, got;
    run(what, 0, false, &whole);
    uint64_t count = starve->count;
    int64_t live = starve->live;
    const char *wrong = NULL;
    if (!SW_SANITIZED) { /* the same again: the plain build has compared */
        run(what, 0, false, &again);
        wrong = judge(what, &whole, &again, live);
        if (wrong) {
            tell(what, wrong, &again);
        }
        done(&again);
    }
    unsigned long before = faults;
    for (int persistent = 0; persistent < 2; persistent++) {
        if (only_how && persistent != (strcmp(only_how, "on") == 0)) {
            continue;
        }
        for (uint64_t at = next_of(0, count, which); at <= count; at = next_of(at, count, which)) {
            run(what, at, persistent, &got);
            wrong = judge(what, &whole, &got, live);
            if (wrong) {
                tell(what, wrong, &got);
            }
            done(&got);
        }
    }
    if (getenv("STOWAGE_STARVE_VERBOSE")) {
        printf("%-70s status %d, %llu allocations, %lld kept, %lu faults\n", what->words, WEXITSTATUS(whole.status),
               (unsigned long long)count, (long long)live, faults - before);
        fflush(stdout);
    }
    if (WEXITSTATUS(whole.status) == 2 && strcmp(what->words, "nonsense") != 0) {
        printf("fault: %s: does not work at all: %s\n", what->words, whole.err.items);
        faults++;
    }
    done(&whole);
}

/* ---- inputs ---- */

static void write_file(const char *name, const char *text, size_t length) {
    char path[500];
    snprintf(path, sizeof path, "%s/in/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0) {
        die(path);
    }
}

static void copy_file(const char *name, const char *from) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", SW_TEST_SOURCE, from);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        die(path);
    }
    struct bytes bytes = read_fd(fd);
    close(fd);
    write_file(name, bytes.items, bytes.count);
    free(bytes.items);
}

static void prepare(void) {
    const char *root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char path[300];
    snprintf(folder, sizeof folder, "%s/stowage-starve-XXXXXX", root);
    if (!mkdtemp(folder)) {
        die(folder);
    }
    snprintf(work, sizeof work, "%s/work", folder);
    snprintf(path, sizeof path, "%s/in", folder);
    if (mkdir(work, 0700) != 0 || mkdir(path, 0700) != 0) {
        die(path);
    }
    for (unsigned i = 0; i < starve_file_count; i++) {
        const struct starve_file *file = &starve_files[i];
        if (file->from) {
            copy_file(file->name, file->from);
        } else {
            write_file(file->name, file->text, strlen(file->text));
        }
    }
    setenv("HOME", folder, 1);
    setenv("XDG_STATE_HOME", path, 1);
    setenv("XDG_CONFIG_HOME", path, 1);
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "dumb", 1);
    unsetenv("STOWAGE_STATE");
}

static void clear(void) {
    struct outcome rest = {0};
    collect(&rest, folder, "");
    rmdir(folder);
    done(&rest);
}

int main(int argc, char **argv) {
    starve = mmap(NULL, sizeof *starve, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    out_fd = memfd_create("out", MFD_CLOEXEC);
    err_fd = memfd_create("err", MFD_CLOEXEC);
    if (starve == MAP_FAILED || out_fd < 0 || err_fd < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        die("start");
    }
    int in = open("/dev/null", O_RDONLY);
    dup2(in, STDIN_FILENO);
    starve->trace = getenv("STOWAGE_STARVE_TRACE") != NULL;
    if (starve->trace) { /* the first call allocates */
        starve->frames = backtrace(starve->stack, STARVE_FRAMES);
    }
    only_at = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    only_how = argc > 3 ? argv[3] : NULL;
    prepare();
    unsigned cases = 0;
    for (unsigned i = 0; i < starve_case_count; i++) {
        const char *script = starve_cases[i].script ? starve_cases[i].script : "";
        if (argc < 2 && !in_share(i, 8)) {
            continue;
        }
        if (argc < 2 || strstr(starve_cases[i].words, argv[1]) || strstr(script, argv[1])) {
            if (starve_cases[i].script) {
                write_file("script", starve_cases[i].script, strlen(starve_cases[i].script));
            }
            starve_case(&starve_cases[i], i);
            cases++;
        }
    }
    clear();
    printf("%u commands, %llu runs, %s allocations: %lu faults\n", cases, (unsigned long long)runs, starve_what,
           faults);
    if (getenv("STOWAGE_LONG")) {
        printf("in full: failing allocations (%s) %llu\n", starve_what, (unsigned long long)runs);
    }
    return faults ? 1 : 0;
}
