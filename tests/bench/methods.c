/* The published methods with good choices, with plain ones, and a rival: medians of the seeds 1 to 5, and processor
 * time of one run. A row is a case; a table is the rows of one method. To add one: a line in `rows`. */
#include "methods.h"
#include "measure.h"
#include "tiers.h"

#include "base/hash.h"
#include "formats/format.h"
#include "problem/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    uint32_t buffers; /* of a chain; 0: the model is a script */
    const char *aim;
} rows[] = {
    {"order-genetic", "greedy-by-size", "mobilenet_v2", "cores", "16", 0, OVER_BOUND, 0, "1.1"},
    {"order-genetic", "greedy-by-size", "resnet50", "cores", "16", 0, OVER_BOUND, 0, "0.6"},
    {"order-genetic", "greedy-by-size", "googlenet", "cores", "16", 0, OVER_BOUND, 0, "6.3"},
    {"order-genetic", "greedy-by-size", "mobilenet_v1", "cores", "16", 0, OVER_BOUND, 0, "1.8"},
    {"segment-genetic", "farthest-next-use", "train_cnn", NULL, NULL, 16 << 20, MOVED, 0, "45"},
    {"segment-genetic", "farthest-next-use", "train_cnn", NULL, NULL, 30 << 20, MOVED, 0, "15"},
    {"segment-genetic", "farthest-next-use", "chain", NULL, NULL, 64 << 10, MOVED, 1000, "feasible"},
    {"segment-genetic", "farthest-next-use", "chain", NULL, NULL, 64 << 10, MOVED, 10000, "feasible"},
    {"segment-genetic", "farthest-next-use", "chain", NULL, NULL, 64 << 10, MOVED, 100000, "feasible"},
    {"segment-genetic", "farthest-next-use", "shortcuts", NULL, NULL, 64 << 10, MOVED, 1000, "feasible"},
    {"segment-genetic", "farthest-next-use", "shortcuts", NULL, NULL, 64 << 10, MOVED, 100000, "feasible"},
    {"segment-genetic", "farthest-next-use", "branches", NULL, NULL, 64 << 10, MOVED, 1000, "feasible"},
    {"segment-genetic", "farthest-next-use", "branches", NULL, NULL, 64 << 10, MOVED, 100000, "feasible"},
    {"segment-genetic", "farthest-next-use", "chain", NULL, NULL, 256 << 10, MOVED, 100000, "in 5 s"},
};

/* Each operator reads what the one before wrote; in `shortcuts` one of eight also the buffer before that; in `branches`
 * one of ten an earlier one instead. Two buffers at once, or three, fill 64 KiB nearly up. */
static struct sw_problem *chain_of(const struct method_row *row, struct sw_error *error) {
    struct sw_builder *builder = sw_builder_new(error);
    struct sw_tier tier = {.name = "device", .capacity = row->capacity};
    bool shortcuts = strcmp(row->model, "shortcuts") == 0, branches = strcmp(row->model, "branches") == 0;
    bool ok = builder && sw_builder_tier(builder, &tier, error);
    uint64_t random = 1;
    for (uint32_t i = 0; ok && i < row->buffers; i++) {
        char name[16], before[16], earlier[16];
        bool second = shortcuts && i > 1 && sw_random_below(&random, 8) == 0;
        bool instead = branches && i > 4 && sw_random_below(&random, 10) == 0;
        uint64_t size = 64 * (1 + sw_random_below(&random, shortcuts ? 340 : 500));
        const char *inputs[] = {before, earlier}, *output = name;
        struct sw_buffer_spec buffer = {.name = name, .kind = SW_KIND_INTERMEDIATE, .has_size = true, .size = size};
        struct sw_operator_spec operator_ = {
            .name = name, .inputs = inputs, .input_count = second ? 2 : i > 0, .outputs = &output, .output_count = 1};
        snprintf(name, sizeof name, "b%" PRIu32, i);
        snprintf(before, sizeof before, "b%" PRIu32, i - 1 - (instead ? 1 + (uint32_t)sw_random_below(&random, 3) : 0));
        snprintf(earlier, sizeof earlier, "b%" PRIu32, i - 2);
        ok = sw_builder_buffer(builder, &buffer, error) && sw_builder_operator(builder, &operator_, error);
    }
    struct sw_problem *problem = ok ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    return problem;
}

static struct sw_problem *load_row(const struct method_row *row) {
    char path[4096];
    struct sw_error error = {0};
    struct sw_params arguments = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.args = &arguments, .has_capacity = row->capacity > 0, .capacity = row->capacity};
    snprintf(path, sizeof path, "%s/scripts/models/%s.lua", SW_TEST_SOURCE, row->model);
    bool ok = !row->argument || sw_params_set(&arguments, row->argument, row->value, &error);
    struct sw_problem *problem = !ok            ? NULL
                                 : row->buffers ? chain_of(row, &error)
                                                : sw_load(path, &options, NULL, &error);
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

/* One run to its end: the figure, NaN where there is no plan, and seconds of processor time. */
static double run_row(const struct method_row *row, const struct sw_problem *problem, const char *planner,
                      const char *choices, uint64_t seed, double *seconds) {
    struct sw_error error = {0};
    struct sw_params params = {.seed = seed};
    const struct sw_planner *found = sw_planner_find(planner, &error);
    clock_t before = clock();
    bool ok = found && (!choices || sw_params_set(&params, "choices", choices, &error));
    struct sw_search *search = ok ? sw_search_new(problem, found, &params, &error) : NULL;
    bool done = search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE;
    if (!done && error.code != SW_ERROR_INFEASIBLE) {
        bench_fail(&error);
    }
    *seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    double figure = done ? figure_of(row, search) : (double)NAN;
    sw_search_free(search);
    sw_params_done(&params);
    return figure;
}

/* NaN comes last. */
static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
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

static void print_figure(double figure, int width, double seconds) {
    if (isnan(figure)) {
        printf(" %*s", width, "infeasible");
    } else {
        printf(" %*.2f", width, figure);
    }
    if (seconds >= 0) {
        printf(" %8.2f", seconds);
    }
}

static void print_label(const struct method_row *row) {
    char capacity[32] = "", label[64];
    if (row->capacity) {
        bool whole = row->capacity >> 20 > 0;
        snprintf(capacity, sizeof capacity, ", %" PRIu64 " %s", row->capacity >> (whole ? 20 : 10),
                 whole ? "MiB" : "KiB");
    }
    if (row->buffers) {
        snprintf(label, sizeof label, "%s of %" PRIu32 "%s", row->model, row->buffers, capacity);
    } else {
        snprintf(label, sizeof label, "%s%s%s%s%s%s", row->model, row->argument ? " " : "",
                 row->argument ? row->argument : "", row->argument ? "=" : "", row->argument ? row->value : "",
                 capacity);
    }
    printf("  %-34s", label);
}

void bench_methods(void) {
    const char *method = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct method_row *row = &rows[i];
        double good_time, plain_time, rival_time;
        struct sw_problem *problem = load_row(row);
        if (row->method != method) {
            printf("%s, %s; medians of seeds 1 to %d\n  %-34s %10s %8s %10s %8s %16s %8s\n", row->method,
                   heads[row->figure], SEEDS, "", "good", "s", "plain", "s", row->rival, "aim");
        }
        method = row->method;
        double good = median_of_seeds(row, problem, "good", &good_time);
        double plain = median_of_seeds(row, problem, "plain", &plain_time);
        double rival = run_row(row, problem, row->rival, NULL, 1, &rival_time);
        print_label(row);
        print_figure(good, 10, good_time);
        print_figure(plain, 10, plain_time);
        print_figure(rival, 16, -1);
        printf(" %8s\n", row->aim);
        fflush(stdout);
        sw_problem_unref(problem);
    }
    bench_tiers();
}
