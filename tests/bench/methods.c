/* The published methods with good choices, with plain ones, and a rival: medians of the seeds 1 to 5, and processor
 * time of one run. A row is a case; a table is the rows of one method. To add one: a line in `rows`. */
#include "methods.h"
#include "measure.h"

#include "formats/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SEEDS = 5 };

/* What is compared: the peak over the lower bound, or bytes that are moved. */
enum figure { OVER_BOUND, MOVED };
static const char *const heads[] = {[OVER_BOUND] = "% over the bound", [MOVED] = "MB moved"};

static const struct method_row {
    const char *method, *rival, *model;
    const char *argument, *value; /* of the model; NULL */
    uint64_t capacity;            /* 0: as the model has it */
    enum figure figure;
    double aim;
} rows[] = {
    {"order-genetic", "greedy-by-size", "mobilenet_v2", "cores", "16", 0, OVER_BOUND, 1.1},
    {"order-genetic", "greedy-by-size", "resnet50", "cores", "16", 0, OVER_BOUND, 0.6},
    {"order-genetic", "greedy-by-size", "googlenet", "cores", "16", 0, OVER_BOUND, 6.3},
    {"order-genetic", "greedy-by-size", "mobilenet_v1", "cores", "16", 0, OVER_BOUND, 1.8},
    {"segment-genetic", "farthest-next-use", "train_cnn", NULL, NULL, 16 << 20, MOVED, 45},
    {"segment-genetic", "farthest-next-use", "train_cnn", NULL, NULL, 30 << 20, MOVED, 15},
};

static struct sw_problem *load_row(const struct method_row *row) {
    char path[4096];
    struct sw_error error = {0};
    struct sw_params arguments = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.args = &arguments, .has_capacity = row->capacity > 0, .capacity = row->capacity};
    snprintf(path, sizeof path, "%s/scripts/models/%s.lua", SW_TEST_SOURCE, row->model);
    bool ok = !row->argument || sw_params_set(&arguments, row->argument, row->value, &error);
    struct sw_problem *problem = ok ? sw_load(path, &options, NULL, &error) : NULL;
    sw_params_done(&arguments);
    if (!problem) {
        bench_fail(&error);
    }
    return problem;
}

static double figure_of(const struct method_row *row, const struct sw_search *search) {
    struct sw_claims claims;
    const struct sw_problem *problem = sw_search_problem(search);
    if (row->figure == MOVED) {
        sw_search_claims(search, &claims);
        return (double)claims.migration_bytes / 1e6;
    }
    double bound = (double)sw_problem_lower_bound(problem);
    return 100 * ((double)sw_layout_peak(sw_search_layout(search)) / bound - 1);
}

/* One run to its end: the figure, and seconds of processor time. */
static double run_row(const struct method_row *row, const struct sw_problem *problem, const char *planner,
                      const char *choices, uint64_t seed, double *seconds) {
    struct sw_error error = {0};
    struct sw_params params = {.seed = seed};
    const struct sw_planner *found = sw_planner_find(planner, &error);
    clock_t before = clock();
    bool ok = found && (!choices || sw_params_set(&params, "choices", choices, &error));
    struct sw_search *search = ok ? sw_search_new(problem, found, &params, &error) : NULL;
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        bench_fail(&error);
    }
    *seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    double figure = figure_of(row, search);
    sw_search_free(search);
    sw_params_done(&params);
    return figure;
}

static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_seeds(const struct method_row *row, const struct sw_problem *problem, const char *choices,
                              double *seconds) {
    double figures[SEEDS], times[SEEDS];
    for (int i = 0; i < SEEDS; i++) {
        figures[i] = run_row(row, problem, row->method, choices, (uint64_t)i + 1, &times[i]);
    }
    qsort(figures, SEEDS, sizeof *figures, by_number);
    qsort(times, SEEDS, sizeof *times, by_number);
    *seconds = times[SEEDS / 2];
    return figures[SEEDS / 2];
}

void bench_methods(void) {
    const char *method = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct method_row *row = &rows[i];
        double good_time, plain_time, rival_time;
        char model[64];
        struct sw_problem *problem = load_row(row);
        if (row->method != method) {
            printf("%s, %s; medians of seeds 1 to %d\n  %-34s %10s %8s %10s %8s %16s %8s\n", row->method,
                   heads[row->figure], SEEDS, "", "good", "s", "plain", "s", row->rival, "aim");
        }
        method = row->method;
        double good = median_of_seeds(row, problem, "good", &good_time);
        double plain = median_of_seeds(row, problem, "plain", &plain_time);
        double rival = run_row(row, problem, row->rival, NULL, 1, &rival_time);
        snprintf(model, sizeof model, "%s %s%s%s", row->model, row->argument ? row->argument : "",
                 row->argument ? "=" : "", row->argument ? row->value : "");
        if (row->capacity) {
            snprintf(model, sizeof model, "%s, %" PRIu64 " MiB", row->model, row->capacity >> 20);
        }
        printf("  %-34s %10.2f %8.2f %10.2f %8.2f %16.2f %8.1f\n", model, good, good_time, plain, plain_time, rival,
               row->aim);
        fflush(stdout);
        sw_problem_unref(problem);
    }
}
