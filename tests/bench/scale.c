/* A million buffers, beside what the C library needs to sort as many records: seconds depend on the
 * machine and on what else runs on it, their ratio much less. */
#include "scale.h"

#include "measure.h"
#include "synthetic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is measured here only ---- */

struct event {
    uint64_t first, size, id;
};

static int compare_events(const void *a, const void *b) {
    const struct event *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The baseline: the C library's qsort puts as many records of 24 bytes into the order of their
 * first steps. What a planner does cannot be had for much less. */
static void measure_baseline(const char *path, const void *what, struct figures *figures) {
    struct sw_problem *problem = bench_load(path);
    uint32_t count = sw_problem_planned_count(problem);
    struct event *events = calloc(count, sizeof *events);
    (void)what;
    for (uint32_t i = 0; events && i < count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        events[i] = (struct event){b->first, b->size, i};
    }
    double before = bench_now();
    qsort(events, events ? count : 0, sizeof *events, compare_events);
    figures->seconds = bench_now() - before;
    free(events);
}

/* As `stowage plan` does it: load, plan without a journal. */
static void measure_whole(const char *path, const void *what, struct figures *figures) {
    struct sw_error error = {0};
    double before = bench_now();
    struct sw_problem *problem = bench_load(path);
    struct sw_search *search = bench_start(problem, what);
    double loaded = bench_now();
    sw_search_forget(search);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        bench_fail(&error);
    }
    figures->seconds = bench_now() - loaded;
    figures->median = bench_now() - before;
    figures->peak = sw_layout_peak(sw_search_layout(search));
    figures->bound = sw_problem_lower_bound(problem);
}

#define SECONDS 5.0

struct clock {
    double end;
};

static bool is_over(void *context, const struct sw_search *search, const struct sw_decision *d) {
    const struct clock *clock = context;
    (void)search;
    (void)d;
    return bench_now() >= clock->end;
}

/* As `stowage plan --time-limit 5`. */
static void measure_limited(const char *path, const void *what, struct figures *figures) {
    struct sw_error error = {0};
    double before = bench_now();
    struct sw_problem *problem = bench_load(path);
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.work = SW_WORK_UNBOUNDED;
    struct sw_search *search = sw_search_new(problem, sw_planner_find(what, &error), &params, &error);
    double loaded = bench_now();
    struct clock clock = {loaded + SECONDS};
    if (!search) {
        bench_fail(&error);
    }
    sw_search_forget(search);
    enum sw_step result = sw_search_run(search, 0, is_over, &clock, &error);
    if (result == SW_STEP_FAILED || (result == SW_STEP_MORE && !sw_search_settle(search, &error))) {
        bench_fail(&error);
    }
    figures->seconds = bench_now() - loaded;
    figures->median = bench_now() - before;
    figures->peak = sw_layout_peak(sw_search_layout(search));
    figures->bound = sw_problem_lower_bound(problem);
}

/* The bound once more, over the steps: what a load spends on it. */
static void measure_bound(const char *path, const void *what, struct figures *figures) {
    struct sw_problem *problem = bench_load(path);
    uint32_t count = sw_problem_planned_count(problem), steps = sw_problem_steps(problem);
    double before = bench_now();
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
    figures->seconds = bench_now() - before;
    figures->bound = sw_problem_lower_bound(problem);
    free(live);
}

/* ---- tables ---- */

static bool row(const char *label, measure_fn *run, const char *path, const char *planner, double baseline,
                struct figures *f) {
    *f = (struct figures){0};
    bool ok = measure(run, path, planner, f);
    if (!ok) {
        printf("  %-20s failed\n", label);
        return false;
    }
    printf("  %-20s %9.3f %10.1f %10.1f", label, f->seconds, baseline > 0 ? f->seconds / baseline : 1.0,
           (double)f->kilobytes / 1024);
    if (f->peak > 0 && f->bound > 0) {
        printf(" %12.6f", (double)f->peak / (double)f->bound);
    }
    if ((run == measure_whole || run == measure_limited) && f->median > 0) {
        printf("   with load %.3f s", f->median);
    }
    return true;
}

static void plain_row(const char *label, measure_fn *run, const char *path, const char *planner, double baseline) {
    struct figures f;
    if (row(label, run, path, planner, baseline, &f)) {
        printf("%s\n", run == measure_check && f.count ? "   IT IS NOT VALID" : "");
    }
    fflush(stdout);
}

static double head(const char *path, uint64_t count, const char *shape) {
    struct figures f = {0};
    double baseline = measure(measure_baseline, path, NULL, &f) ? f.seconds : 0;
    printf("%" PRIu64 " buffers, %s; baseline: qsort of as many records, %.3f s\n", count, shape, baseline);
    printf("  %-20s %9s %10s %10s %12s\n", "", "seconds", "/ baseline", "peak MB", "peak / bound");
    return baseline;
}

static const char *const greedy[] = {"first-fit", "best-fit", "greedy-by-size", "lifetime-best-fit"};
enum { GREEDY = sizeof greedy / sizeof *greedy };

/* What a user waits for: opening, moving about, drawing. */
static void people_rows(const char *path, double baseline) {
    struct figures f;
    if (row("open, first frame", measure_frame, path, "best-fit", baseline, &f)) {
        printf("   frames after that: median %.1f ms, slowest of ten %.1f ms\n", 1000 * f.median, 1000 * f.slowest);
    }
    if (row("seek to ten places", measure_seek, path, "best-fit", baseline, &f)) {
        printf("   slowest %.1f ms, %" PRIu64 " checkpoints\n", 1000 * f.slowest, f.count);
    }
    if (row("SVG of the layout", measure_picture, path, "layout", baseline, &f)) {
        printf("   %.1f KB\n", (double)f.count / 1e3);
    }
}

void bench_scale(void) {
    for (uint64_t count = 100000; count <= 1000000; count *= 10) {
        for (int shape = SYNTHETIC_SPARSE; shape <= SYNTHETIC_DENSE; shape++) {
            char path[64];
            bench_instance_file(count, shape, path);
            double baseline = head(path, count, synthetic_names[shape]);
            plain_row("load", measure_load, path, NULL, baseline);
            for (int i = 0; i < GREEDY; i++) {
                plain_row(greedy[i], measure_whole, path, greedy[i], baseline);
            }
            plain_row("auto, 5 s", measure_limited, path, "auto", baseline);
            plain_row("bound", measure_bound, path, NULL, baseline);
            plain_row("check", measure_check, path, "best-fit", baseline);
            people_rows(path, baseline);
            printf("\n");
            unlink(path);
        }
    }
}

void bench_shapes(void) {
    for (int shape = 0; shape < SYNTHETIC_SHAPES; shape++) {
        char path[64];
        bench_instance_file(1000000, shape, path);
        double baseline = head(path, 1000000, synthetic_names[shape]);
        plain_row("load", measure_load, path, NULL, baseline);
        for (int i = 0; i < GREEDY; i++) {
            plain_row(greedy[i], measure_whole, path, greedy[i], baseline);
        }
        plain_row("auto, 5 s", measure_limited, path, "auto", baseline);
        printf("\n");
        unlink(path);
    }
}
