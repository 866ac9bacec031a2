/* Figures, never assertions: how long things take, how much memory, how good the plans are.
 *
 * Every measurement runs in a process of its own, so that its peak memory is its own. */
#include "exact.h"
#include "counts.h"
#include "orders.h"
#include "segments.h"
#include "synthetic.h"
#include "command/session.h"
#include "export/export.h"
#include "tui/cells.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS 200
#define ROWS 60

static char folder[] = "/tmp/stowage-bench-XXXXXX";

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const struct sw_error *error) {
    fprintf(stderr, "bench: %s%s%s\n", error->file, *error->file ? ": " : "", error->message);
    _exit(2);
}

/* ---- one measurement, one process ---- */

struct figures {
    double seconds;
    double slowest, median; /* of the ten that some measurements take */
    uint64_t peak, bound, count;
    unsigned which; /* the view that took longest */
    long kilobytes; /* peak resident memory of the process */
};
typedef void measure_fn(const char *path, const void *what, struct figures *);

static bool measure(measure_fn *run, const char *path, const void *what, struct figures *figures) {
    int ends[2], status;
    struct rusage usage;
    fflush(stdout);
    if (pipe(ends) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        struct figures own = {0};
        run(path, what, &own);
        _exit(write(ends[1], &own, sizeof own) == (ssize_t)sizeof own ? 0 : 1);
    }
    close(ends[1]);
    bool ok = child > 0 && read(ends[0], figures, sizeof *figures) == (ssize_t)sizeof *figures;
    close(ends[0]);
    if (child > 0 && wait4(child, &status, 0, &usage) == child) {
        figures->kilobytes = usage.ru_maxrss;
    }
    return ok;
}

/* ---- what is measured ---- */

static struct sw_problem *load(const char *path) {
    struct sw_error error = {0};
    struct sw_load_options options = {0};
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    if (!problem) {
        fail(&error);
    }
    return problem;
}

static struct sw_search *start(const struct sw_problem *problem, const char *name) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find(name, &error), NULL, &error);
    if (!search) {
        fail(&error);
    }
    return search;
}

static struct sw_search *planned(const struct sw_problem *problem, const char *name) {
    struct sw_error error = {0};
    struct sw_search *search = start(problem, name);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail(&error);
    }
    return search;
}

static void measure_load(const char *path, const void *what, struct figures *figures) {
    (void)what;
    double before = now();
    struct sw_problem *problem = load(path);
    figures->seconds = now() - before;
    figures->count = sw_problem_planned_count(problem);
    figures->bound = sw_problem_lower_bound(problem);
}

static void measure_plan(const char *path, const void *what, struct figures *figures) {
    struct sw_problem *problem = load(path);
    double before = now();
    struct sw_search *search = planned(problem, what);
    figures->seconds = now() - before;
    figures->peak = sw_layout_peak(sw_search_layout(search));
    figures->bound = sw_problem_lower_bound(problem);
    figures->count = sw_search_known(search);
}

static void measure_check(const char *path, const void *what, struct figures *figures) {
    struct sw_search *search = planned(load(path), what);
    double before = now();
    figures->count = sw_layout_check(sw_search_layout(search), NULL, NULL);
    figures->seconds = now() - before;
}

/* Ten places, spread over the run, in an order that goes both ways.  */
static void measure_seek(const char *path, const void *what, struct figures *figures) {
    static const unsigned tenths[] = {9, 1, 8, 2, 7, 3, 6, 4, 5, 0};
    struct sw_error error = {0};
    struct sw_search *search = planned(load(path), what);
    uint64_t last = sw_search_known(search);
    double start_time = now();
    for (size_t i = 0; i < 10; i++) {
        double before = now();
        if (!sw_search_seek(search, last / 10 * tenths[i] + last / 20, &error)) {
            fail(&error);
        }
        double spent = now() - before;
        figures->slowest = spent > figures->slowest ? spent : figures->slowest;
    }
    figures->seconds = now() - start_time;
    figures->count = sw_search_checkpoints(search);
}

static void draw(struct sw_session *session, struct sw_scene *scene, struct sw_grid *grid,
                 const struct sw_theme *theme) {
    struct sw_error error = {0};
    if (!sw_session_screen(session, scene, COLUMNS, ROWS, sw_grid_fineness_x(false),
                           sw_grid_fineness_y(false), &error)) {
        fail(&error);
    }
    if (!sw_grid_reset(grid, COLUMNS, ROWS, theme) || !sw_grid_scene(grid, scene, theme)) {
        sw_fail_memory(&error);
        fail(&error);
    }
}

static int compare_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Open the explorer on a file until its first frame stands; then ten more frames of the finished
 * run, each after a step of the cursor. */
static void measure_frame(const char *path, const void *what, struct figures *figures) {
    struct sw_error error = {0};
    struct sw_scene scene = {0};
    struct sw_grid grid = {0};
    struct sw_theme theme = {0};
    double spent[10], before = now();
    struct sw_session_options options = {
        .path = path, .planner = what, .params = SW_PARAMS_DEFAULT};
    struct sw_session *session = sw_session_new(&options, &error);
    if (!session || !sw_theme_load(sw_theme_names()[0], &theme, &error)) {
        fail(&error);
    }
    draw(session, &scene, &grid, &theme);
    figures->seconds = now() - before;
    if (!sw_session_command(session, "run", &error) || !sw_session_finish(session, &error)) {
        fail(&error);
    }
    draw(session, &scene, &grid, &theme); /* whatever is built once, is built here */
    for (int i = 0; i < 10; i++) {
        if (!sw_session_command(session, "cursor-right", &error)) {
            error.code = SW_OK; /* at the edge: the frame is what counts */
        }
        before = now();
        draw(session, &scene, &grid, &theme);
        spent[i] = now() - before;
    }
    qsort(spent, 10, sizeof *spent, compare_seconds);
    figures->median = spent[5];
    figures->slowest = spent[9];
}

/* One view as SVG, or, when `what` is NULL, all of them; without the planning. */
static void measure_picture(const char *path, const void *what, struct figures *figures) {
    struct sw_error error = {0};
    struct sw_search *search = planned(load(path), "best-fit");
    struct sw_view_input in = {.search = search,
                               .input_name = path,
                               .selected = SW_NONE,
                               .cursor = SW_NONE,
                               .candidate = SW_NONE,
                               .viewport = sw_viewport_all(search, 0)};
    char picture[64];
    snprintf(picture, sizeof picture, "%s/picture.svg", folder);
    for (unsigned v = 0; v < sw_view_count(); v++) {
        struct sw_export options = {.view = sw_view_get(v)->name};
        struct stat status;
        if (what && strcmp(what, options.view) != 0) {
            continue;
        }
        double before = now();
        if (!sw_export_file(&in, &options, picture, &error)) {
            fail(&error);
        }
        double spent = now() - before;
        figures->seconds += spent;
        figures->which = spent > figures->slowest ? v : figures->which;
        figures->slowest = spent > figures->slowest ? spent : figures->slowest;
        if (stat(picture, &status) == 0 && (uint64_t)status.st_size > figures->count) {
            figures->count = (uint64_t)status.st_size;
        }
    }
    unlink(picture);
}

/* ---- tables ---- */

static const char *instance(uint64_t count, bool dense, char path[64]) {
    struct sw_sink out = {0};
    struct sw_error error = {0};
    snprintf(path, 64, "%s/%s-%" PRIu64 ".csv", folder, dense ? "dense" : "sparse", count);
    synthetic_csv(count, dense ? SYNTHETIC_DENSE : SYNTHETIC_SPARSE, 1, &out);
    if (!sw_sink_commit(&out, path, &error)) {
        fail(&error);
    }
    sw_sink_done(&out);
    return path;
}

static void row(const char *label, bool ok, const struct figures *f, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void row(const char *label, bool ok, const struct figures *f, const char *format, ...) {
    va_list arguments;
    printf("  %-22s ", label);
    if (!ok) {
        printf("failed\n");
        return;
    }
    printf("%9.3f s %9.1f MB   ", f->seconds, (double)f->kilobytes / 1024);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

static void plan_row(const char *path, const char *planner, double fastest) {
    struct figures f = {0};
    char label[40];
    bool ok = measure(measure_plan, path, planner, &f);
    snprintf(label, sizeof label, "plan %s", planner);
    row(label, ok, &f, "peak / bound %.4f   time / load %.2f   %" PRIu64 " decisions",
        f.bound ? (double)f.peak / (double)f.bound : 0.0, fastest > 0 ? f.seconds / fastest : 0.0,
        f.count);
}

static void picture_rows(const char *path) {
    static const char *const views[] = {"layout", "live", "conflicts"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct figures f = {0};
        char label[40];
        bool ok = measure(measure_picture, path, views[i], &f);
        snprintf(label, sizeof label, "picture of %s", views[i]);
        row(label, ok, &f, "SVG of %.1f KB", (double)f.count / 1e3);
    }
    struct figures f = {0};
    bool ok = measure(measure_picture, path, NULL, &f);
    row("pictures of all views", ok, &f, "slowest %s, %.3f s   largest SVG %.1f KB",
        sw_view_get(f.which)->name, f.slowest, (double)f.count / 1e3);
}

/* Everything on one instance. */
static void bench_instance(const char *title, const char *path, const char *const *planners) {
    struct figures f = {0};
    bool ok = measure(measure_load, path, NULL, &f);
    double loading = f.seconds;
    printf("%s\n", title);
    row("load", ok, &f, "%" PRIu64 " buffers, bound %" PRIu64, f.count, f.bound);
    for (; *planners; planners++) {
        plan_row(path, *planners, loading);
    }
    f = (struct figures){0};
    ok = measure(measure_check, path, "best-fit", &f);
    row("check", ok, &f, "time / load %.2f   %" PRIu64 " faults", f.seconds / loading, f.count);
    f = (struct figures){0};
    ok = measure(measure_seek, path, "best-fit", &f);
    row("seek to ten places", ok, &f, "slowest %.3f s   %" PRIu64 " checkpoints", f.slowest,
        f.count);
    f = (struct figures){0};
    ok = measure(measure_frame, path, "best-fit", &f);
    row("open, first frame", ok, &f,
        "200x60 frames after that: median %.1f ms, slowest of ten %.1f ms", 1000 * f.median,
        1000 * f.slowest);
    picture_rows(path);
    printf("\n");
    fflush(stdout);
}

static const char *const most[] = {
    "first-fit", "best-fit", "greedy-by-size", "greedy-by-breadth", "lifetime-best-fit",
    "auto",      NULL};
static const char *const fast[] = {"first-fit", "best-fit", "greedy-by-size", NULL};
static const char *const one[] = {"best-fit", NULL};

static void bench_synthetic(uint64_t count, const char *const *planners) {
    for (int dense = 0; dense < 2; dense++) {
        char path[64], title[64];
        instance(count, dense, path);
        snprintf(title, sizeof title, "%" PRIu64 " buffers, %s", count, dense ? "dense" : "sparse");
        bench_instance(title, path, planners);
        unlink(path);
    }
}

static void bench_files(void) {
    static const char *const files[] = {"minimalloc/A.1048576.csv",    "minimalloc/C.1048576.csv",
                                        "minimalloc/D.1048576.csv",    "minimalloc/F.1048576.csv",
                                        "minimalloc/H.1048576.csv",    "minimalloc/K.1048576.csv",
                                        "idealloc/somas_resnet50.csv", "pytorch/train_step.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", SW_TEST_DATA, files[i]);
        if (access(path, R_OK) == 0) {
            bench_instance(files[i], path, most);
        } else {
            printf("skipped: %s is not there\n", files[i]);
        }
    }
}

static void bench_1k(void) {
    bench_synthetic(1000, most);
}
static void bench_10k(void) {
    bench_synthetic(10000, most);
}
static void bench_100k(void) {
    bench_synthetic(100000, fast);
}
static void bench_1m(void) {
    bench_synthetic(1000000, one);
}

static void bench_scale(void);

static const struct {
    const char *name, *what;
    void (*run)(void);
    bool usual;
} benches[] = {
    {"1k", "1,000 synthetic buffers, sparse and dense", bench_1k, true},
    {"10k", "10,000", bench_10k, true},
    {"100k", "100,000, the planners that are made for it", bench_100k, true},
    {"1m", "1,000,000, best-fit only: load, plan, check, seek, one frame, pictures", bench_1m,
     false},
    {"exact",
     "branch-and-bound: until it fits, until the least is proved; a minute on one that is open",
     bench_exact, true},
    {"scale",
     "load, planners, bound, check and memory for 100,000 and 1,000,000, beside a plain sort",
     bench_scale, false},
    {"orders", "order-genetic: evaluations per second, and its decoder beside a plain one",
     bench_orders, true},
    {"segments", "segment-genetic: evaluations per second, and its count beside a plain one",
     bench_segments, true},
    {"files", "real instances, where the optional data folder is there", bench_files, true}};
#define BENCHES (sizeof benches / sizeof *benches)

static int usage(int status) {
    printf("usage: bench [NAME...]\n       bench counts [update]\n       bench generate COUNT "
           "SHAPE [SEED] > FILE.csv\n"
           "       SHAPE: sparse, dense, random, nested, streaming, resnet\n\n");
    for (size_t i = 0; i < BENCHES; i++) {
        printf("  %-8s %s%s\n", benches[i].name, benches[i].what,
               benches[i].usual ? "" : " (on request)");
    }
    return status;
}

/* ---- scale ---- */

struct event {
    uint64_t first, size, id;
};

static int compare_events(const void *a, const void *b) {
    const struct event *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The baseline: the C library's qsort puts as many records of 24 bytes into the order of their
 * first steps. What a planner does cannot be had for much less, and it is as slow today as this
 * machine is. */
static void measure_baseline(const char *path, const void *what, struct figures *figures) {
    struct sw_problem *problem = load(path);
    uint32_t count = sw_problem_planned_count(problem);
    struct event *events = calloc(count, sizeof *events);
    (void)what;
    for (uint32_t i = 0; events && i < count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        events[i] = (struct event){b->first, b->size, i};
    }
    double before = now();
    qsort(events, events ? count : 0, sizeof *events, compare_events);
    figures->seconds = now() - before;
    free(events);
}

/* As `stowage plan` does it: load, plan without a journal. */
static void measure_whole(const char *path, const void *what, struct figures *figures) {
    struct sw_error error = {0};
    double before = now();
    struct sw_problem *problem = load(path);
    struct sw_search *search = start(problem, what);
    double loaded = now();
    sw_search_forget(search);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail(&error);
    }
    figures->seconds = now() - loaded;
    figures->median = now() - before;
    figures->peak = sw_layout_peak(sw_search_layout(search));
    figures->bound = sw_problem_lower_bound(problem);
}

/* The bound once more, over the steps: what a load spends on it. */
static void measure_bound(const char *path, const void *what, struct figures *figures) {
    struct sw_problem *problem = load(path);
    uint32_t count = sw_problem_planned_count(problem), steps = sw_problem_steps(problem);
    double before = now();
    uint64_t *live = calloc((size_t)steps + 1, sizeof *live), sum = 0;
    (void)what;
    for (uint32_t i = 0; live && i < count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        live[b->first] += b->size;
        live[b->last + 1] -= b->size;
    }
    for (uint32_t i = 0; live && i < steps; i++) {
        sum += live[i];
        figures->peak = sum > figures->peak ? sum : figures->peak;
    }
    figures->seconds = now() - before;
    figures->bound = sw_problem_lower_bound(problem);
    free(live);
}

static void scale_row(const char *label, measure_fn *run, const char *path, const char *planner,
                      double baseline) {
    struct figures f = {0};
    if (!measure(run, path, planner, &f)) {
        printf("  %-20s failed\n", label);
        return;
    }
    printf("  %-20s %9.3f %10.1f %10.1f", label, f.seconds,
           baseline > 0 ? f.seconds / baseline : 1.0, (double)f.kilobytes / 1024);
    if (f.peak > 0 && f.bound > 0) {
        printf(" %12.4f", (double)f.peak / (double)f.bound);
    }
    if (f.median > 0) {
        printf("   with load %.3f s", f.median);
    }
    printf("%s\n", run == measure_check && f.count ? "   IT IS NOT VALID" : "");
    fflush(stdout);
}

static void bench_scale(void) {
    static const char *const planners[] = {"first-fit", "best-fit", "greedy-by-size",
                                           "lifetime-best-fit"};
    for (uint64_t count = 100000; count <= 1000000; count *= 10) {
        for (int dense = 0; dense < 2; dense++) {
            char path[64];
            struct figures f = {0};
            instance(count, dense, path);
            double baseline = measure(measure_baseline, path, NULL, &f) ? f.seconds : 0;
            printf("%" PRIu64 " buffers, %s; baseline: qsort of as many records, %.3f s\n", count,
                   dense ? "dense" : "sparse", baseline);
            printf("  %-20s %9s %10s %10s %12s\n", "", "seconds", "/ baseline", "peak MB",
                   "peak / bound");
            scale_row("load", measure_load, path, NULL, baseline);
            for (size_t i = 0; i < sizeof planners / sizeof *planners; i++) {
                scale_row(planners[i], measure_whole, path, planners[i], baseline);
            }
            scale_row("bound", measure_bound, path, NULL, baseline);
            scale_row("check", measure_check, path, "best-fit", baseline);
            printf("\n");
            unlink(path);
        }
    }
}

static bool number(const char *text, unsigned long long *value) {
    char *end;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end;
}

static int generate(int argc, char **argv) {
    unsigned long long count = 0, seed = 1;
    enum synthetic_shape shape;
    struct sw_sink out = {0};
    struct sw_error error = {0};
    if (argc < 4 || argc > 5 || !number(argv[2], &count) || count < 10 || count > 100000000 ||
        !synthetic_find(argv[3], &shape) || (argc == 5 && !number(argv[4], &seed))) {
        return usage(2);
    }
    synthetic_csv(count, shape, seed, &out);
    if (!sw_sink_commit(&out, "-", &error)) {
        fail(&error);
    }
    sw_sink_done(&out);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "counted") == 0) {
        return bench_counted(argv[2], argv[3]);
    }
    if (argc > 1 && strcmp(argv[1], "counts") == 0) {
        bool update = argc == 3 && strcmp(argv[2], "update") == 0;
        return argc == 2 || update ? bench_counts(update) : usage(2);
    }
    if (argc > 1 && strcmp(argv[1], "generate") == 0) {
        return generate(argc, argv);
    }
    if (argc == 5 && strcmp(argv[1], "decode-only") == 0) {
        return bench_decode_only(argv[2], argv[3], strtol(argv[4], NULL, 10));
    }
    if (argc == 4 && strcmp(argv[1], "count-only") == 0) {
        return bench_count_only(argv[2], strtol(argv[3], NULL, 10));
    }
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < BENCHES && strcmp(benches[k].name, argv[i]) != 0) {
            k++;
        }
        if (k == BENCHES) {
            return usage(strcmp(argv[i], "help") == 0 ? 0 : 2);
        }
    }
    if (!mkdtemp(folder)) {
        perror("bench");
        return 2;
    }
    for (size_t k = 0; k < BENCHES; k++) {
        bool wanted = argc == 1 && benches[k].usual;
        for (int i = 1; i < argc; i++) {
            wanted = wanted || strcmp(benches[k].name, argv[i]) == 0;
        }
        if (wanted) {
            benches[k].run();
        }
    }
    rmdir(folder);
    return 0;
}
