/* Instruction counts by callgrind, which does not care what else the machine has to do. Every path
 * runs in a process of its own, and only what happens inside of `collected` is counted
 * (--toggle-collect). The counts that are kept belong to one compiler and one C library; on another
 * machine the ratios are off by a few percent, all alike. */
#include "counts.h"
#include "faults.h"
#include "measure.h"

#include "synthetic.h"
#include "command/session.h"
#include "tui/cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT SW_TEST_SOURCE "/tests/bench/counts.txt"

enum { BUFFERS = 5000 };

static const char *const paths[] = {"load", "first-fit", "best-fit", "greedy-by-size", "lifetime-best-fit", "check"};
static const char *const instances[] = {"sparse", "dense"};
#define PATHS (sizeof paths / sizeof *paths)
#define INSTANCES (sizeof instances / sizeof *instances)

static int fail(const struct sw_error *error) {
    fprintf(stderr, "bench: %s\n", error->message);
    return 2;
}

/* ---- what is counted ---- */

struct work {
    const char *path, *file;
    const struct sw_problem *problem;
    struct sw_search *search;
};

/* The one function that is counted; it must stay one. */
bool collected(struct work *, struct sw_error *);
__attribute__((noinline)) bool collected(struct work *work, struct sw_error *error) {
    if (strcmp(work->path, "load") == 0) {
        struct sw_load_options options = {0};
        struct sw_problem *problem = sw_load(work->file, &options, NULL, error);
        sw_problem_unref(problem);
        return problem != NULL;
    }
    if (strcmp(work->path, "check") == 0) {
        return sw_fault_count(sw_search_layout(work->search), NULL, NULL) == 0;
    }
    return sw_search_run(work->search, 0, NULL, NULL, error) == SW_STEP_DONE;
}

static bool prepare(struct work *work, struct sw_error *error) {
    bool check = strcmp(work->path, "check") == 0;
    struct sw_load_options options = {0};
    work->problem = sw_load(work->file, &options, NULL, error);
    const struct sw_planner *planner = sw_planner_find(check ? "best-fit" : work->path, error);
    work->search = work->problem && planner ? sw_search_new(work->problem, planner, NULL, error) : NULL;
    return work->search && (!check || sw_search_run(work->search, 0, NULL, NULL, error) == SW_STEP_DONE);
}

int bench_counted(const char *path, const char *instance) {
    char file[] = "/tmp/stowage-counted-XXXXXX";
    struct sw_error error = {0};
    struct sw_sink out = {0};
    struct work work = {.path = path, .file = file};
    enum synthetic_shape shape;
    int fd = mkstemp(file);
    if (fd < 0 || !synthetic_find(instance, &shape)) {
        return 2;
    }
    close(fd);
    synthetic_csv(BUFFERS, shape, 1, &out);
    bool ok = sw_sink_commit(&out, file, &error) && (strcmp(path, "load") == 0 || prepare(&work, &error)) &&
              collected(&work, &error);
    unlink(file);
    sw_sink_done(&out);
    sw_search_free(work.search);
    sw_problem_unref(work.problem);
    return ok ? 0 : fail(&error);
}

/* ---- counting, keeping, comparing ---- */

static uint64_t count(const char *path, const char *instance) {
    return (uint64_t)bench_instructions("collected", "counted %s %s", path, instance);
}

/* The count kept for a path; 0: none. */
static uint64_t kept(const char *path, const char *instance) {
    FILE *file = fopen(KEPT, "r");
    char line[256], name[64], where[64];
    uint64_t number, found = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63s %63s %" SCNu64, name, where, &number) == 3 && strcmp(name, path) == 0 &&
            strcmp(where, instance) == 0) {
            found = number;
        }
    }
    if (file) {
        fclose(file);
    }
    return found;
}

int bench_counts(bool update) {
    struct sw_sink out = {0};
    struct sw_error error = {0};
    int status = 0;
    sw_sink_printf(&out, "# Instructions per path on %d synthetic buffers: ./dev bench counts update\n", BUFFERS);
    printf("instructions on %d buffers         kept          now   now / kept   per buffer\n", BUFFERS);
    for (size_t i = 0; i < INSTANCES; i++) {
        for (size_t p = 0; p < PATHS; p++) {
            uint64_t now = count(paths[p], instances[i]), then = kept(paths[p], instances[i]);
            if (now == 0) {
                printf("  nothing was counted: is valgrind there?\n");
                sw_sink_done(&out);
                return 2;
            }
            printf("  %-18s %-6s %12" PRIu64 " %12" PRIu64 " %12.3f %12.0f\n", paths[p], instances[i], then, now,
                   then ? (double)now / (double)then : 0.0, (double)now / BUFFERS);
            fflush(stdout);
            sw_sink_printf(&out, "%s %s %" PRIu64 "\n", paths[p], instances[i], now);
        }
    }
    if (update && !sw_sink_commit(&out, KEPT, &error)) {
        status = fail(&error);
    }
    sw_sink_done(&out);
    return status;
}
