/* branch-and-bound on hard instances, in one thread: any layout within the capacity; the least
 * memory, with its proof; how far one that is still open comes in a minute; and the networks.
 *
 * Besides the files of the optional data folder there are two that need no file: rectangles filled
 * to the last byte and cut to pieces, drawn from a seed. Their least memory is known, and greedy
 * planners miss it. */
#include "exact.h"

#include "measure.h"
#include "formats/format.h"
#include "planners/planner.h"
#include "search/search.h"
#include "base/hash.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sw_problem *load(const char *path, uint64_t capacity) {
    struct sw_error error = {0};
    struct sw_load_options options = {.has_capacity = capacity > 0, .capacity = capacity};
    struct sw_problem *problem = access(path, R_OK) == 0 ? sw_load(path, &options, NULL, &error) : NULL;
    if (!problem) {
        printf("skipped: %s is not there\n", path);
    }
    return problem;
}

/* ---- one run ---- */

struct outcome {
    double seconds, greedy_seconds;
    uint64_t peak, greedy, bound, decisions, nodes;
    bool optimal, fits;
    long kilobytes;   /* peak resident memory */
    double canonical; /* the seconds of the baseline; 0: it did not run */
    bool gave_up;     /* that are all it had */
};

static uint64_t detail(const struct sw_search *search, const char *key) {
    struct sw_details details = {0};
    uint64_t value = 0;
    for (size_t i = 0; sw_search_details(search, &details) && i < details.items.count; i++) {
        if (strcmp(details.items.items[i].key, key) == 0 && !details.items.items[i].name) {
            value = (uint64_t)details.items.items[i].integer;
            break;
        }
        details.items.count = i + 1 < details.items.count ? details.items.count : 0;
    }
    SW_ARRAY_DONE(&details.items);
    return value;
}

static struct sw_search *begin(const struct sw_problem *problem, const char *planner, const char *branching,
                               uint64_t seed) {
    struct sw_error error = {0};
    struct sw_params params = {.seed = seed};
    bool ok = !branching || sw_params_set(&params, "branching", branching, &error);
    struct sw_search *search = ok ? sw_search_new(problem, sw_planner_find(planner, &error), &params, &error) : NULL;
    sw_params_done(&params);
    if (!search) {
        bench_fail(&error);
    }
    return search;
}

struct task {
    const struct sw_problem *problem;
    const char *branching;
    uint64_t seed;
    double limit;
};

static void solve_here(const void *what, void *result) {
    const struct task *task = what;
    struct outcome *o = result;
    *o = (struct outcome){.bound = sw_problem_lower_bound(task->problem)};
    double before = bench_now();
    struct sw_search *search = begin(task->problem, "greedy-by-size", NULL, 1);
    sw_search_run(search, 0, NULL, NULL, NULL);
    o->greedy_seconds = bench_now() - before;
    o->greedy = sw_layout_peak(sw_search_layout(search));
    sw_search_free(search);
    before = bench_now();
    search = begin(task->problem, "branch-and-bound", task->branching, task->seed);
    sw_search_forget(search);
    while (sw_search_run(search, 1000000, NULL, NULL, NULL) == SW_STEP_MORE) {
        if (bench_now() - before > task->limit) {
            sw_search_settle(search, NULL);
            o->gave_up = true;
            break;
        }
    }
    o->seconds = bench_now() - before;
    struct sw_claims claims;
    struct sw_metrics metrics;
    sw_search_claims(search, &claims);
    sw_metrics_of(sw_search_layout(search), &metrics);
    o->peak = metrics.peak;
    o->fits = metrics.fits && metrics.complete;
    o->optimal = claims.optimal;
    o->decisions = sw_search_known(search);
    o->nodes = detail(search, "nodes");
    sw_search_free(search);
}

static struct outcome solve(const struct sw_problem *problem, const char *branching, uint64_t seed, double limit) {
    struct task task = {problem, branching, seed, limit};
    struct outcome o = {0};
    long kilobytes = 0;
    if (!bench_apart(solve_here, &task, &o, sizeof o, &kilobytes)) {
        o = (struct outcome){0}; /* a line on standard error has said why */
    }
    o.kilobytes = kilobytes;
    return o;
}

/* ---- tables ---- */

/* The baseline: one search through canonical layouts, offset by offset, and no other. */
#define BASELINE_SECONDS 5.0

static void head(const char *title) {
    printf("%s\n  %-28s %8s %10s %10s %12s %12s %8s %9s %8s %9s\n", title, "", "seconds", "nodes", "nodes/s", "peak",
           "bound", "over", "greedy", "peak MB", "canonical");
}

static void row(const char *name, const struct outcome *o, const char *said) {
    char times[32] = "";
    if (o->canonical > 0 && o->seconds > 0) {
        snprintf(times, sizeof times, "%s%.1f x", o->gave_up ? "> " : "", o->canonical / o->seconds);
    }
    printf("  %-28s %8.3f %10" PRIu64 " %10.0f %12" PRIu64 " %12" PRIu64 " %7.2f%% %8.2f%% %8.1f %9s  %s\n", name,
           o->seconds, o->nodes, o->seconds > 0 ? (double)o->nodes / o->seconds : 0.0, o->peak, o->bound,
           o->bound ? 100 * ((double)o->peak / (double)o->bound - 1) : 0.0,
           o->bound ? 100 * ((double)o->greedy / (double)o->bound - 1) : 0.0, (double)o->kilobytes / 1024, times, said);
    fflush(stdout);
}

static const char hard[] = "ACDFHK";
#define CAPACITY UINT64_C(1048576)

static char *path_of(char path[4096], const char *file) {
    snprintf(path, 4096, "%s/%s", SW_TEST_DATA, file);
    return path;
}

/* The slowest of three seeds speaks for all. */
static void bench_hard(bool fit) {
    char path[4096], file[64];
    for (const char *c = hard; *c; c++) {
        snprintf(file, sizeof file, "minimalloc/%c.1048576.csv", *c);
        if (!fit && *c == 'D') {
            continue; /* it has a line of its own */
        }
        struct sw_problem *problem = load(path_of(path, file), fit ? CAPACITY : 0);
        struct outcome worst = {0};
        for (uint64_t seed = 1; problem && seed <= 3; seed++) {
            struct outcome o = solve(problem, "auto", seed, 60);
            worst = o.seconds > worst.seconds ? o : worst;
        }
        if (problem) {
            struct outcome plain = solve(problem, "canonical", 1, BASELINE_SECONDS);
            worst.canonical = plain.seconds;
            worst.gave_up = plain.gave_up;
            row(file, &worst, fit ? worst.fits ? "fits" : "DOES NOT FIT" : worst.optimal ? "proved" : "NOT PROVED");
        }
        sw_problem_unref(problem);
    }
}

static void bench_open(void) {
    char path[4096];
    struct sw_problem *problem = load(path_of(path, "minimalloc/D.1048576.csv"), 0);
    if (problem) {
        struct outcome o = solve(problem, "auto", 1, 60);
        row("minimalloc/D, a minute", &o, o.optimal ? "proved" : "open");
    }
    sw_problem_unref(problem);
}

static int is_table(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".csv") == 0 && !strstr(entry->d_name, ".plan.");
}

/* All files of a folder: only their number, the slowest, and whatever is not proved. */
static void bench_folder(const char *folder, const char *extension) {
    char path[4096], slowest[300] = "";
    struct dirent **names = NULL;
    struct outcome worst = {0};
    int proved = 0, count = scandir(folder, &names, extension ? is_table : NULL, alphasort), files = 0;
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(names[i]->d_name, '.');
        bool model = dot && (!strcmp(dot, ".csv") || !strcmp(dot, ".json") || !strcmp(dot, ".lua"));
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        struct sw_problem *problem = model ? load(path, 0) : NULL;
        if (problem && sw_planner_applies(sw_planner_find("branch-and-bound", NULL), problem, NULL)) {
            struct outcome o = solve(problem, "auto", 1, 10);
            files++;
            proved += o.optimal;
            if (!o.optimal) {
                row(names[i]->d_name, &o, "NOT PROVED");
            }
            if (o.seconds >= worst.seconds) {
                worst = o;
                snprintf(slowest, sizeof slowest, "%.40s", names[i]->d_name);
            }
        }
        sw_problem_unref(problem);
        free(names[i]);
    }
    free(names);
    printf("  %d of %d proved; the slowest:\n", proved, files);
    row(slowest, &worst, worst.optimal ? "proved" : "NOT PROVED");
}

/* ---- rectangles cut to pieces ---- */

struct piece {
    uint64_t left, right, low, high;
};

static struct sw_problem *cut_problem(uint64_t seed, uint32_t count) {
    struct piece *pieces = calloc(count, sizeof *pieces);
    struct sw_sink csv = {0};
    struct sw_error error = {0};
    char path[64];
    uint64_t r = seed;
    uint32_t made = 1;
    pieces[0] = (struct piece){0, 2 * (uint64_t)count, 0, 1 << 20};
    while (made < count) {
        struct piece *one = &pieces[sw_random_below(&r, made)];
        uint64_t width = one->right - one->left, height = (one->high - one->low) / 1024;
        bool across = sw_random_below(&r, width / 4 + height) < height;
        if (across ? height < 2 : width < 2) {
            continue;
        }
        struct piece rest = *one;
        if (across) {
            rest.low = one->high = one->low + 1024 * (1 + sw_random_below(&r, height - 1));
        } else {
            rest.left = one->right = one->left + 1 + sw_random_below(&r, width - 1);
        }
        pieces[made++] = rest;
    }
    sw_sink_printf(&csv, "id,lower,upper,size\n");
    for (uint32_t i = 0; i < count; i++) {
        sw_sink_printf(&csv, "b%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i, pieces[i].left, pieces[i].right,
                       pieces[i].high - pieces[i].low);
    }
    snprintf(path, sizeof path, "/tmp/stowage-cut-%ld.csv", (long)getpid());
    struct sw_problem *problem = sw_sink_commit(&csv, path, &error) ? load(path, 0) : NULL;
    unlink(path);
    sw_sink_done(&csv);
    free(pieces);
    return problem;
}

/* ---- what it costs to be able to say why ---- */

/* The one function that is counted; it must stay one. */
enum sw_step searched(struct sw_search *, struct sw_explanation *);
__attribute__((noinline)) enum sw_step searched(struct sw_search *search, struct sw_explanation *explanation) {
    enum sw_step result;
    do {
        result = explanation ? sw_search_step_explained(search, explanation, NULL) : sw_search_step(search, NULL);
    } while (result == SW_STEP_MORE);
    return result;
}

int bench_exact_only(const char *file, bool explained) {
    struct sw_problem *problem = load(file, CAPACITY);
    struct sw_explanation explanation = {0};
    if (!problem) {
        return 2;
    }
    struct sw_search *search = begin(problem, "branch-and-bound", NULL, 1);
    sw_search_forget(search);
    enum sw_step result = searched(search, explained ? &explanation : NULL);
    sw_explanation_done(&explanation);
    sw_search_free(search);
    sw_problem_unref(problem);
    return result == SW_STEP_DONE ? 0 : 2;
}

/* Instructions of such a run in one function and what it calls. */
static double count(const char *file, const char *how, const char *function) {
    return bench_instructions(function, "exact-only '%s' %s", file, how);
}

/* Functions that only fill decisions and reasons, and do not call each other; and those that keep
 * the layout that is seen at every step. */
static const char *const saying[] = {"bb_tell", "bb_count_live", "bb_live_at", "bb_explain_put"}, *const showing[] = {
                                                                                                      "sw_place_at",
                                                                                                      "bb_lift"};

static void bench_saying(void) {
    char path[4096];
    double said = 0, shown = 0;
    path_of(path, "minimalloc/A.1048576.csv");
    double all = access(path, R_OK) == 0 ? count(path, "off", "searched") : 0;
    if (all <= 0) {
        printf("instructions: valgrind, or %s, is not there\n", path);
        return;
    }
    for (size_t i = 0; i < sizeof saying / sizeof *saying; i++) {
        said += count(path, "off", saying[i]);
    }
    for (size_t i = 0; i < sizeof showing / sizeof *showing; i++) {
        shown += count(path, "off", showing[i]);
    }
    printf("instructions to fit minimalloc/A, explained nowhere: %.0f million\n"
           "  %.1f%% fill decisions, %.1f%% keep the layout of every step; explained at every step: "
           "%.1f times as many\n",
           all / 1e6, 100 * said / all, 100 * shown / all, count(path, "on", "searched") / all);
}

void bench_exact(void) {
    printf("exact: branch-and-bound, one thread; `over` and `greedy` (greedy-by-size) are over the "
           "bound;\n`canonical` is how many times as long one canonical search takes, which is given "
           "%.0f seconds\n",
           BASELINE_SECONDS);
    head("any layout within 1,048,576 bytes, the slowest of three seeds");
    bench_hard(true);
    head("the least memory and its proof, the slowest of three seeds");
    bench_hard(false);
    bench_open();
    head("rectangles cut to pieces: the least memory is the bound");
    for (uint32_t count = 50; count <= 200; count *= 2) {
        char name[40];
        struct sw_problem *problem = cut_problem(count, count);
        if (problem) {
            struct outcome o = solve(problem, "auto", 1, 10);
            snprintf(name, sizeof name, "%" PRIu32 " pieces", count);
            row(name, &o, o.optimal ? "proved" : "NOT PROVED");
        }
        sw_problem_unref(problem);
    }
    char path[4096];
    head("networks and reference files");
    bench_folder(path_of(path, "reference"), "csv");
    bench_folder(path_of(path, "idealloc"), "csv");
    snprintf(path, sizeof path, "%s/scripts/models", SW_TEST_SOURCE);
    bench_folder(path, NULL);
    bench_saying();
}
