/* Figures, never assertions: how long things take, how much memory, how good the plans are.
 *
 * Every measurement runs in a process of its own, so that its peak memory is its own. */
#include "allocators.h"
#include "counts.h"
#include "exact.h"
#include "fits.h"
#include "frames.h"
#include "least.h"
#include "measure.h"
#include "methods.h"
#include "orders.h"
#include "readers.h"
#include "recorder.h"
#include "scale.h"
#include "segments.h"
#include "suggests.h"
#include "synthetic.h"
#include "traces.h"
#include "view/view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- tables ---- */

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
        f.bound ? (double)f.peak / (double)f.bound : 0.0, fastest > 0 ? f.seconds / fastest : 0.0, f.count);
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
    row("pictures of all views", ok, &f, "slowest %s, %.3f s   largest SVG %.1f KB", sw_view_get(f.which)->name,
        f.slowest, (double)f.count / 1e3);
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
    row("seek to ten places", ok, &f, "slowest %.3f s   %" PRIu64 " checkpoints", f.slowest, f.count);
    f = (struct figures){0};
    ok = measure(measure_frame, path, "best-fit", &f);
    row("open, first frame", ok, &f, "200x60 frames after that: median %.1f ms, slowest of ten %.1f ms",
        1000 * f.median, 1000 * f.slowest);
    picture_rows(path);
    printf("\n");
    fflush(stdout);
}

static const char *const most[] = {"first-fit", "best-fit", "greedy-by-size", "greedy-by-breadth", "lifetime-best-fit",
                                   "auto",      NULL};
static const char *const fast[] = {"first-fit", "best-fit", "greedy-by-size", NULL};

static void bench_synthetic(uint64_t count, const char *const *planners) {
    for (int dense = 0; dense < 2; dense++) {
        char path[64], title[64];
        bench_instance_file(count, dense ? SYNTHETIC_DENSE : SYNTHETIC_SPARSE, path);
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

/* In a process of its own, for its memory. */
static void measure_frames(const char *path, const void *what, struct figures *figures) {
    (void)figures;
    if (!bench_frames(path, what)) {
        _exit(2);
    }
}

static void bench_explorer(void) {
    bench_pixels(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", "greedy-by-size");
    bench_pixels(SW_TEST_SOURCE "/scripts/models/densenet121.lua", "greedy-by-size");
    printf("\n");
    fflush(stdout);
    for (int dense = 0; dense < 2; dense++) {
        char path[64];
        struct figures f = {0};
        bench_instance_file(1000000, dense ? SYNTHETIC_DENSE : SYNTHETIC_SPARSE, path);
        printf("the explorer on 1,000,000 buffers, %s, at 200x60\n", dense ? "dense" : "sparse");
        bool ok = measure(measure_frames, path, "best-fit", &f);
        printf("  %s, %.1f MB\n\n", ok ? "peak memory" : "failed", (double)f.kilobytes / 1024);
        unlink(path);
    }
}

static const struct {
    const char *name, *what;
    void (*run)(void);
    bool usual;
} benches[] = {
    {"1k", "1,000 synthetic buffers, sparse and dense", bench_1k, true},
    {"10k", "10,000", bench_10k, true},
    {"100k", "100,000, the planners that are made for it", bench_100k, true},
    {"exact", "branch-and-bound: until it fits, until the least is proved; a minute on one that is open", bench_exact,
     true},
    {"scale",
     "100,000 and 1,000,000: load, planners, bound, check, explorer and picture, beside a plain "
     "sort",
     bench_scale, true},
    {"traces", "decision traces of 1,000,000 decisions: open, run, seek, first frame and memory, beside a plain read",
     bench_traces, false},
    {"allocators", "1,000,000 requests: open, heaps alone, replay with cuda-caching and seek, beside a plain loop",
     bench_allocators, false},
    {"readers", "the readers in Lua: processor time and memory in 5 MB, each on a file that is made here",
     bench_readers, false},
    {"shapes", "1,000,000 buffers of every shape: load and planners, beside a plain sort", bench_shapes, false},
    {"frames", "the map in pixels; the explorer on 1,000,000 buffers: every key and pane, and the frame after it",
     bench_explorer, false},
    {"orders", "order-genetic: evaluations per second, and its decoder beside a plain one", bench_orders, true},
    {"order", "the order of operators: the order found, the bound proved, states, seconds, memory", bench_least, true},
    {"fit", "models in strips of rows: least arena and head, multiply-adds, and time beside a plain sort", bench_fits,
     false},
    {"methods", "the published methods: good choices beside plain ones and a rival, medians of five seeds",
     bench_methods, false},
    {"segments", "segment-genetic: evaluations per second, and its count beside a plain one", bench_segments, true},
    {"suggest", "suggestions where greedy planners miss the least memory: what one pin and two recover", bench_suggests,
     false},
    {"record", "the recorder: a decision with five candidates, beside a plain write", bench_record, true},
    {"files", "real instances, where the optional data folder is there", bench_files, true}};
#define BENCHES (sizeof benches / sizeof *benches)

static bool is_help(const char *word) {
    return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int usage(int status) {
    printf("usage: bench [NAME...]\n       bench counts [update]\n       bench generate COUNT "
           "SHAPE [SEED] > FILE.csv\n"
           "       SHAPE: sparse, dense, random, nested, streaming, resnet\n\n");
    for (size_t i = 0; i < BENCHES; i++) {
        printf("  %-10s %s%s\n", benches[i].name, benches[i].what, benches[i].usual ? "" : " (on request)");
    }
    return status;
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
        bench_fail(&error);
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
    if (argc == 4 && strcmp(argv[1], "exact-only") == 0) {
        return bench_exact_only(argv[2], strcmp(argv[3], "on") == 0);
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
            return usage(is_help(argv[i]) ? 0 : 2);
        }
    }
    if (!mkdtemp(bench_folder_name)) {
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
    rmdir(bench_folder_name);
    return 0;
}
