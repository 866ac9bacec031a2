/* Suggestions where a greedy planner misses the optimum: on each network that ships, and on each file below reference/,
 * how much of the excess the best suggestion of at most two pins recovers. The optimum is the lower bound where a
 * planner meets it, else what branch-and-bound proves. */
#include "suggests.h"

#include "measure.h"
#include "search/result/figures.h"
#include "suggest/suggest.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_FILES = 512 };
static char *files[MOST_FILES];
static size_t file_count;

static const char *const greedy[] = {"greedy-by-size", "best-fit", "tflm-greedy", "first-fit"};

static void list_folder(const char *root, const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && file_count < MOST_FILES;) {
        const char *name = entry->d_name, *dot = strrchr(name, '.');
        if (dot && (!strcmp(dot, ".json") || !strcmp(dot, ".lua") || !strcmp(dot, ".csv"))) {
            char *file = malloc(strlen(path) + strlen(name) + 2);
            if (file) {
                sprintf(file, "%s/%s", path, name);
                files[file_count++] = file;
            }
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct asked {
    const char *path, *planner;
};
struct told {
    bool applies, proved;
    uint32_t buffers;
    uint64_t peak, bound, best, one, two, any;
    uint64_t tried, work;
    double seconds;
    char first[120];
};

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The least memory, or 0: it is not proved in time. */
static uint64_t find_least(const struct sw_problem *problem) {
    static const char *const planners[] = {"auto", "branch-and-bound"};
    for (size_t i = 0; i < 2; i++) {
        struct sw_search *search = bench_start(problem, planners[i]);
        struct sw_figures figures;
        struct sw_error error = {0};
        enum sw_step step = sw_search_run(search, UINT64_C(3000000000), NULL, NULL, &error);
        bool good = step == SW_STEP_DONE && sw_figures_of(search, &figures, &error) && figures.optimal;
        uint64_t peak = good ? figures.metrics.peak : 0;
        sw_search_free(search);
        if (good) {
            return peak;
        }
    }
    return 0;
}

static void measure_suggestions(const struct sw_search *search, struct told *told) {
    struct sw_error error = {0};
    struct sw_suggest_request request = {0};
    double begin = cpu_now();
    struct sw_suggest *suggest = sw_suggest_new(search, &request, &error);
    if (!suggest || sw_suggest_step(suggest, 0, &error) != SW_STEP_DONE) {
        bench_fail(&error);
    }
    told->seconds = cpu_now() - begin;
    told->one = told->two = told->any = told->peak;
    for (size_t i = 0; i < sw_suggest_count(suggest); i++) {
        const struct sw_suggestion *of = sw_suggest_get(suggest, i);
        told->one = of->kind == SW_SUGGEST_PIN && of->peak < told->one ? of->peak : told->one;
        told->two = of->kind == SW_SUGGEST_PINS && of->peak < told->two ? of->peak : told->two;
        told->any = of->peak < told->any ? of->peak : told->any;
    }
    struct sw_suggest_state state;
    sw_suggest_state_of(suggest, &state);
    for (int k = 0; k < SW_SUGGEST_KINDS; k++) {
        told->tried += state.tried[k];
    }
    told->work = state.work;
    if (sw_suggest_count(suggest) > 0) {
        snprintf(told->first, sizeof told->first, "%s", sw_suggest_kind_name(sw_suggest_get(suggest, 0)->kind));
    }
    sw_suggest_free(suggest);
}

static void ask(const void *what, void *result) {
    const struct asked *asked = what;
    struct told *told = result;
    struct sw_problem *problem = bench_load(asked->path);
    struct sw_error error = {0};
    const struct sw_planner *planner = sw_planner_find(asked->planner, &error);
    *told = (struct told){.applies = planner && sw_problem_tier_count(problem) == 1 &&
                                     sw_planner_applies(planner, problem, &error)};
    if (told->applies) {
        struct sw_search *search = bench_start(problem, asked->planner);
        struct sw_figures figures;
        if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE || !sw_figures_of(search, &figures, &error)) {
            bench_fail(&error);
        }
        told->buffers = sw_problem_buffer_count(problem);
        told->peak = figures.metrics.peak;
        told->bound = figures.metrics.lower_bound;
        told->best = told->peak == told->bound ? told->bound : find_least(problem);
        if (told->best > 0 && told->peak > told->best) {
            measure_suggestions(search, told);
        }
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

void bench_suggests(void) {
    size_t missed = 0, recovered = 0, open = 0;
    double slowest = 0;
    list_folder(SW_TEST_SOURCE, "scripts/models");
    list_folder(SW_TEST_DATA, "reference");
    qsort(files, file_count, sizeof *files, by_name);
    printf("suggestions of at most two pins, where a planner misses the least memory\n"
           "  %-30s %-15s %7s %11s %11s %11s %11s %10s %7s %7s\n",
           "model", "planner", "buffers", "peak", "least", "one pin", "two pins", "recovered", "tried", "CPU s");
    for (size_t i = 0; i < file_count; i++) {
        for (size_t k = 0; k < sizeof greedy / sizeof *greedy; k++) {
            struct asked asked = {files[i], greedy[k]};
            struct told told;
            long kilobytes;
            const char *name = strrchr(files[i], '/') + 1;
            if (!bench_apart(ask, &asked, &told, sizeof told, &kilobytes)) {
                break; /* not a model that can be planned; said by its own line */
            }
            if (told.applies && told.best == 0) {
                open++;
                printf("  %-30.30s %-15s %7" PRIu32 " %11" PRIu64 "  the least is not proved\n", name, greedy[k],
                       told.buffers, told.peak);
            }
            if (!told.applies || told.best == 0 || told.peak == told.best) {
                continue;
            }
            uint64_t pins = told.one < told.two ? told.one : told.two;
            double part = (double)(told.peak - pins) / (double)(told.peak - told.best);
            missed++;
            recovered += part >= 0.5;
            slowest = told.seconds > slowest ? told.seconds : slowest;
            printf("  %-30.30s %-15s %7" PRIu32 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64
                   " %9.0f%% %7" PRIu64 " %7.2f  %s %11" PRIu64 "\n",
                   name, greedy[k], told.buffers, told.peak, told.best, told.one, told.two, 100 * part, told.tried,
                   told.seconds, told.first, told.any);
            fflush(stdout);
        }
        free(files[i]);
    }
    printf("  at least half of the excess in %zu of %zu cases; the slowest took %.2f s of CPU; %zu are open\n\n",
           recovered, missed, slowest, open);
    file_count = 0;
}
