/* What the suite record.sh asks of the recorder, a word each. C99 and C++11; second.c is its other file. */
#ifdef CASES_STARVE
#include <stddef.h>
#ifdef __cplusplus
extern "C"
#endif
    void *
    starved(void *bytes, size_t size);
#define STOWAGE_RECORD_REALLOC(bytes, size) starved(bytes, size)
#define STOWAGE_RECORD_FREE(bytes) free(bytes)
#endif
#define STOWAGE_RECORD_IMPLEMENTATION
#include <stowage/record.h>

#include "second.h"

#include <float.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/wait.h>

static long allowed = -1; /* allocations until they fail; negative: none does */
static bool starving;

#ifdef CASES_STARVE
void *starved(void *bytes, size_t size) {
    if (allowed == 0) {
        starving = true;
        errno = ENOMEM;
        return NULL;
    }
    allowed -= allowed > 0;
    return realloc(bytes, size);
}
#endif

static const char *named(int error) {
    return error == 0        ? "0"
           : error == ENOSPC ? "ENOSPC"
           : error == EFBIG  ? "EFBIG"
           : error == EPIPE  ? "EPIPE"
           : error == EBUSY  ? "EBUSY"
           : error == EINVAL ? "EINVAL"
           : error == ENOENT ? "ENOENT"
           : error == ENOMEM ? "ENOMEM"
                             : "another";
}

/* Everything once. */
static void all(struct stowage_record *r, const char *text) {
    static const char *const columns[] = {"offset", "\"size\""};
    static const double rows[] = {0, 2048, 4096.5, -1e300};
    const char *tier = NULL;
    uint64_t offset = 0;
    stowage_record_tier(r, text, 65536, 16);
    stowage_record_tier(r, text, 0, 0);
    stowage_record_operator(r, text, 3);
    stowage_record_operator(r, text, -1);
    stowage_record_operator_uses(r, text, text, "input");
    stowage_record_operator_uses(r, text, text, "output");
    stowage_record_operator_uses(r, text, text, "scratch");
    stowage_record_buffer(r, text, 100, 0, 7, 16);
    stowage_record_buffer(r, text, UINT64_MAX - 1, -1, INT64_MAX, 0);
    stowage_record_alloc(r, text, 512, 0);
    stowage_record_alloc(r, text, 512, -1);
    stowage_record_free(r, text);
    stowage_record_group(r, text);
    stowage_record_demand(r, text, &tier, &offset);
    stowage_record_forbidden(r, text, text, 0, 10);
    stowage_record_candidate(r, text, 4096, 1024, "refused", "too small by %d of %s", 512, text ? text : "");
    stowage_record_candidate(r, NULL, STOWAGE_RECORD_NONE, STOWAGE_RECORD_NONE, text, NULL);
    stowage_record_figure(r, text, 1.5);
    stowage_record_figure(r, "two", 2);
    stowage_record_decision(r, text, text, text, 4096, "100%% of %s", text ? text : "");
    stowage_record_decision(r, "place", NULL, NULL, STOWAGE_RECORD_NONE, NULL);
    stowage_record_state(r, text, columns, 2, rows, 2);
    stowage_record_state(r, text, NULL, 0, NULL, 0);
    stowage_record_state(r, text, columns, 2, NULL, 0);
    stowage_record_end(r, text);
    stowage_record_end(r, text);
}

static int nothing(const char *path) {
    (void)path;
    unsetenv("STOWAGE_RECORD");
    struct stowage_record *none = stowage_record_open(NULL, "p", "m");
    all(NULL, "x");
    all(NULL, NULL);
    setenv("STOWAGE_RECORD", "", 1);
    printf("%d %d %d\n", none == NULL, stowage_record_open(NULL, NULL, NULL) == NULL, stowage_record_close(NULL));
    return 0;
}

static int hostile(const char *path) {
    static const char text[] = "\"\\\b\f\n\r\t\x01\x1f\x7f}{%s%n/ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 "
                               "\xc0\x80 \xe0\x80\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xff\xfe \xe2\x82 \xf0\x9f\x98";
    char longer[5000];
    struct stowage_record *r = stowage_record_open(path, text, text);
    all(r, text);
    stowage_record_decision(r, "place", "cut", NULL, 0, "%s", "\xf0\x9f\x98");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    stowage_record_decision(r, "place", longer, NULL, 0, "%s%d", longer, 7);
    stowage_record_decision(r, "place", "empty", NULL, 0, "%s", "");
    int error = stowage_record_close(r);
    r = stowage_record_open(path, NULL, NULL);
    all(r, NULL);
    printf("%s %s\n", named(error), named(stowage_record_close(r)));
    return 0;
}

/* Every kind that does something to the layout, and one that does not; conversions of reasons. */
static int kinds(const char *path) {
    static const char *const after[] = {"backtrack", "lift", "release", "move"};
    struct stowage_record *r = stowage_record_open(path, "kinds", NULL);
    for (int i = 0; i < 4; i++) {
        stowage_record_buffer(r, after[i], 64, 0, 7, 0);
        stowage_record_candidate(r, NULL, 64, STOWAGE_RECORD_NONE, "chosen", "the end is open");
        stowage_record_decision(r, "append", after[i], NULL, SWR_CAST(uint64_t, 64 * i), NULL);
        stowage_record_decision(r, after[i], after[i], NULL, i == 0 ? 0 : i == 3 ? 512 : STOWAGE_RECORD_NONE, NULL);
    }
    stowage_record_decision(r, "lift", NULL, NULL, STOWAGE_RECORD_NONE, "%d %d %d %d", 0, -1, INT_MAX, INT_MIN);
    stowage_record_decision(r, "note", NULL, NULL, STOWAGE_RECORD_NONE, "%u %zu %lu %llu %s%s", UINT_MAX,
                            SWR_CAST(size_t, UINT_MAX), SWR_CAST(unsigned long, UINT_MAX), ULLONG_MAX, "", "\"");
    stowage_record_decision(r, "note", NULL, NULL, STOWAGE_RECORD_NONE, "%5d|%-5s|%.1f|%ld|%%|%c|%s", 7, "x", 0.25, -5L,
                            'c', "%d");
    for (int i = 0; i < 85; i++) { /* every byte that is no plain one, at every place of a long word */
        char word[] = "abcdefghijklmnopq";
        word[i / 5] = "\"\\\x1f\x7f\xc3"[i % 5];
        stowage_record_decision(r, "note", word, NULL, STOWAGE_RECORD_NONE, NULL);
    }
    printf("%s\n", named(stowage_record_close(r)));
    return 0;
}

static int figures(const char *path) {
    static const double values[] = {0,     1,      -1,    0.1,     1.0 / 3, 1e15, 1e15 + 0.5, -123456789012345,
                                    1e21,  5e-324, 1e300, DBL_MAX, DBL_MIN, 1e22, 123.456,    2.5e-7,
                                    100000};
    struct stowage_record *r = stowage_record_open(path, "figures", NULL);
    double zero = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char name[20];
        snprintf(name, sizeof name, "f%zu", i);
        stowage_record_figure(r, name, values[i]);
    }
    stowage_record_figure(r, "infinite", 1 / zero);
    stowage_record_figure(r, "none", zero / zero);
    errno = 77;
    stowage_record_decision(r, "place", "x", NULL, UINT64_MAX - 1, "as is");
    printf("%d %s\n", errno, named(stowage_record_close(r)));
    return 0;
}

/* ---- threads ---- */

enum { THREADS = 4, DECISIONS = 500, CANDIDATES = 5 };

struct work {
    struct stowage_record *record;
    int thread, decisions;
};

static void *decide(void *data) {
    struct work *work = SWR_CAST(struct work *, data);
    for (int i = 0; i < work->decisions; i++) {
        char name[40];
        snprintf(name, sizeof name, "t%d-%d", work->thread, i);
        second_buffer(work->record, name);
        for (int k = 0; k < CANDIDATES; k++) {
            stowage_record_candidate(work->record, NULL, 0, 0, "refused", "%s", name);
        }
        stowage_record_figure(work->record, name, i);
        stowage_record_demand(work->record, name, NULL, NULL);
        stowage_record_decision(work->record, "place", name, NULL, 0, NULL);
    }
    stowage_record_candidate(work->record, NULL, 0, 0, "refused", "no decision follows");
    return NULL;
}

static int run_threads(struct stowage_record *r, int decisions) {
    pthread_t threads[THREADS];
    struct work work[THREADS];
    for (int i = 0; i < THREADS; i++) {
        work[i].record = r;
        work[i].thread = i;
        work[i].decisions = decisions;
        pthread_create(&threads[i], NULL, decide, &work[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    return stowage_record_close(r);
}

static int threads(const char *path) {
    int first = run_threads(stowage_record_open(path, "threads", NULL), DECISIONS);
    printf("%s %s\n", named(first), named(run_threads(stowage_record_open(path, "threads again", NULL), DECISIONS)));
    return 0;
}

static int forever(const char *path) {
    run_threads(stowage_record_open(path, "forever", NULL), 20000); /* enough, however late the kill comes */
    return pause();
}

/* ---- what goes wrong ---- */

static volatile sig_atomic_t caught;
static void catch_it(int number) {
    caught = number;
}

static int many(struct stowage_record *r) {
    for (int i = 0; i < 20000; i++) {
        stowage_record_candidate(r, NULL, 0, 0, "fits", NULL);
        stowage_record_decision(r, "place", "x", NULL, 0, "again");
    }
    return stowage_record_close(r);
}

static int full(const char *path) {
    printf("%s\n", named(many(stowage_record_open(path, "full", NULL))));
    return 0;
}

/* The signals as the program has set them: default actions, or caught; blocked by it, or not. */
static int limited(const char *path) {
    struct rlimit limit = {100000, 100000};
    signal(SIGXFSZ, getenv("CATCH") ? catch_it : SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &limit);
    int error = many(stowage_record_open(path, "limited", NULL));
    printf("%s %d\n", named(error), caught);
    return 0;
}

static int broken(const char *path) {
    int ends[2], fault = pipe(ends);
    char name[40];
    sigset_t set, after, waiting;
    (void)path;
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    signal(SIGPIPE, getenv("CATCH") ? catch_it : SIG_DFL);
    sigemptyset(&set);
    if (getenv("BLOCK")) {
        sigaddset(&set, SIGPIPE);
    }
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    if (getenv("WAITING")) {
        raise(SIGPIPE); /* the program's own */
    }
    struct stowage_record *r = stowage_record_open(name, "broken", NULL);
    close(ends[0]);
    int error = getenv("CASES_THREADS") ? run_threads(r, DECISIONS) : many(r);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    sigpending(&waiting);
    printf("%s caught %d blocked %d waiting %d\n", fault ? "no pipe" : named(error), caught,
           sigismember(&after, SIGPIPE), sigismember(&waiting, SIGPIPE));
    return 0;
}

/* A pipe that does not block, and a slow reader: standard output is the pipe. */
static int slow(const char *path) {
    fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
    struct stowage_record *r = stowage_record_open(path, "slow", NULL);
    fcntl(r->descriptor, F_SETFL, fcntl(r->descriptor, F_GETFL) | O_NONBLOCK);
    int error = many(r);
    fprintf(stderr, "%s\n", named(error));
    return 0;
}

static int starve(const char *path) {
    int wrong = 0, failures = 0;
    for (long n = 0; n < 1000; n++) {
        errno = 0;
        allowed = n;
        starving = false;
        struct stowage_record *r = stowage_record_open(path, "starve", "model");
        bool opened = r != NULL, told = errno == ENOMEM;
        for (int i = 0; i < 3; i++) {
            all(r, i == 1 ? "a longer name that makes the recorder ask for more, and more, and more, and more" : "x");
            stowage_record_decision(r, "place", "x", NULL, 0, "%0600d", 7);
        }
        int error = stowage_record_close(r);
        bool failed = starving;
        allowed = -1;
        failures += failed;
        wrong += opened ? error != (failed ? ENOMEM : 0) : !failed || !told;
        if (!failed) {
            break;
        }
    }
    printf("wrong %d, failures %s\n", wrong, failures > 7 ? "many" : "few");
    return 0;
}

/* ---- files ---- */

static int again(const char *path) {
    struct stowage_record *a = stowage_record_open(path, "one", NULL), *b = stowage_record_open(path, "side", NULL);
    stowage_record_decision(b, "place", "b", NULL, 0, NULL);
    stowage_record_decision(a, "place", "a", NULL, 0, NULL);
    const char *busy = named(stowage_record_close(b));
    const char *first = named(stowage_record_close(a));
    struct stowage_record *c = stowage_record_open(path, "two", NULL);
    stowage_record_end(c, "failed on purpose");
    printf("%s %s %s\n", busy, first, named(stowage_record_close(c)));
    return 0;
}

static int numbered(const char *path) {
    char pattern[300];
    for (int i = 0; i < 3; i++) {
        snprintf(pattern, sizeof pattern, "%s-%%n-%%p-%%%%-%%x", path);
        second_run(pattern);
    }
    printf("%ld %s\n", SWR_CAST(long, getpid()),
           named(stowage_record_close(stowage_record_open("/nowhere/x", "p", NULL))));
    return 0;
}

static int forked(const char *path) {
    struct stowage_record *r = stowage_record_open(path, "forked", NULL);
    stowage_record_buffer(r, "before", 1, 0, 1, 0);
    for (int k = 0; k < 3; k++) {
        if (fork() == 0) {
            for (int i = 0; i < 500; i++) {
                stowage_record_candidate(r, NULL, 0, 0, "fits", NULL);
                stowage_record_decision(r, "place", "child", NULL, 0, NULL);
            }
            _exit(stowage_record_close(r));
        }
    }
    pthread_t other;
    struct work work = {r, 9, 500};
    pthread_create(&other, NULL, decide, &work); /* forks come while it holds locks */
    int bad = 0, status = 0;
    for (int k = 0; k < 50; k++) {
        pid_t child = fork();
        if (child == 0) {
            stowage_record_decision(r, "place", "late child", NULL, 0, NULL);
            _exit(stowage_record_close(r));
        }
        waitpid(child, &status, 0);
        bad += status != 0;
    }
    pthread_join(other, NULL);
    while (wait(&status) > 0) {
        bad += status != 0;
    }
    printf("%d %s\n", bad, named(stowage_record_close(r)));
    return 0;
}

/* ---- demands ---- */

static int demands(const char *path) {
    static const char *const names[] = {"y", "z", "caf\xc3\xa9 \xf0\x9f\x98\x80\"\n"};
    struct stowage_record *r = stowage_record_open(path, "demands", NULL);
    for (int step = 1; step <= 4; step++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const char *tier = "untouched";
            uint64_t offset = 99;
            bool there = stowage_record_demand(r, names[i], &tier, &offset);
            printf("%d %zu: %d %s %llu, %d %d %d %d\n", step, i, there, tier ? tier : "-",
                   SWR_CAST(unsigned long long, offset), stowage_record_forbidden(r, names[i], "sram", 0, 10),
                   stowage_record_forbidden(r, names[i], "sram", 4095, 4096),
                   stowage_record_forbidden(r, names[i], "sram", 4096, 9999),
                   stowage_record_forbidden(r, names[i], "dram", 0, 10));
        }
        if (step == 2) {
            stowage_record_demand(r, NULL, NULL, NULL);
            stowage_record_demand(r, "y", NULL, NULL);
        }
        stowage_record_decision(r, "place", "y", NULL, 0, NULL);
    }
    printf("%s\n", named(stowage_record_close(r)));
    return 0;
}

/* The files path/1, path/2 and so on: what close says to each, and whether it gave a demand. */
static int refused(const char *path) {
    char name[300];
    for (int i = 1; snprintf(name, sizeof name, "%s/%d", path, i), access(name, F_OK) == 0; i++) {
        setenv("STOWAGE_DEMANDS", name, 1);
        struct stowage_record *r = stowage_record_open("/dev/null", "refused", NULL);
        stowage_record_decision(r, "place", "x", NULL, 0, NULL);
        bool given = stowage_record_demand(r, "y", NULL, NULL) || stowage_record_forbidden(r, "y", NULL, 0, 1);
        printf("%s %d\n", named(stowage_record_close(r)), given);
    }
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(const char *path);
    } cases[] = {{"nothing", nothing},   {"hostile", hostile}, {"figures", figures}, {"threads", threads},
                 {"forever", forever},   {"full", full},       {"limited", limited}, {"broken", broken},
                 {"slow", slow},         {"starve", starve},   {"again", again},     {"forked", forked},
                 {"numbered", numbered}, {"demands", demands}, {"refused", refused}, {"kinds", kinds}};
    for (size_t i = 0; argc == 3 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) == 0) {
            return cases[i].run(argv[2]);
        }
    }
    return 2;
}
