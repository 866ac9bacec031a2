/* Models in strips of rows: as built, and the least arena and the least head that the search finds. The models that
 * ship, and those of the optional data folder; beside the least arena that was reached by hand, where one is known,
 * measured in the interpreter itself. Each runs in a process of its own. Time is that of the processor: seconds, and
 * times a plain sort. */
#include "fits.h"

#include "base/hash.h"
#include "fit/find_fit.h"
#include "formats/format.h"
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct entry {
    const char *name, *path; /* below the data folder, or of scripts/models */
    bool ships;
    const char *size, *alpha; /* arguments of one that ships; NULL: as it is */
    uint64_t known;           /* the least arena by hand; 0: none */
};
static const struct entry entries[] = {
    {"resnet8", "resnet8.lua", true, NULL, NULL, 37632},
    {"mobilenet_v2_035", "mobilenet_v2_035.lua", true, NULL, NULL, 156784},
    {"mobilenet_v2_035, 224", "mobilenet_v2_035.lua", true, "224", NULL, 259616},
    {"mobilenet_v2 1.0, 224", "mobilenet_v2_035.lua", true, "224", "1.0", 474640},
    {"mcunet_like", "mcunet_like.lua", true, NULL, NULL, 221408},
    {"person_detect", "tflite/person_detect.tflite", false, NULL, NULL, 58080},
    {"vww_96_int8", "tflite/vww_96_int8.tflite", false, NULL, NULL, 66656},
    {"kws_ref_model", "tflite/kws_ref_model.tflite", false, NULL, NULL, 0},
    {"mbv2_035_144", "fit/mbv2_035_144.tflite", false, NULL, NULL, 156784},
    {"mcunet_like_176", "fit/mcunet_like_176.tflite", false, NULL, NULL, 221408},
};

/* ---- one model ---- */

struct found {
    uint64_t head, arena, macs, least;
    uint32_t calls;
    double seconds;
};
struct outcome {
    struct found as_is, by_arena, by_head;
    double baseline, first;
};

static double spent(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static int compare(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The C library sorts a million random numbers. */
static double baseline(void) {
    enum { NUMBERS = 1000000 };
    uint64_t *numbers = malloc(NUMBERS * sizeof *numbers), random = 1;
    if (!numbers) {
        return 0;
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        numbers[i] = sw_random_below(&random, UINT64_MAX);
    }
    double before = spent();
    qsort(numbers, NUMBERS, sizeof *numbers, compare);
    double seconds = spent() - before;
    free(numbers);
    return seconds;
}

static struct found figures_of(const struct sw_fit_model *model) {
    return (struct found){.head = model->head, .arena = model->arena, .macs = model->macs, .calls = model->calls};
}

static struct found search(const struct sw_problem *problem, bool of_head, struct found *as_is) {
    struct sw_fit_request request = {.seed = 1, .limits.of_head = of_head};
    struct sw_fit_result result = {0};
    struct sw_error error = {0};
    double before = spent();
    if (!sw_fit_run(problem, &request, &result, &error)) {
        bench_fail(&error);
    }
    struct found found = figures_of(&result.models.items[result.chosen]);
    found.seconds = spent() - before;
    found.least = result.least;
    *as_is = figures_of(&result.models.items[0]);
    sw_fit_result_done(&result);
    return found;
}

/* Seconds until one fits, where 2 % more are to be had than the least found. */
static double first(const struct sw_problem *problem, uint64_t least) {
    struct sw_fit_request request = {.has_capacity = true, .capacity = least + least / 50, .seed = 1};
    struct sw_fit_result result = {0};
    struct sw_fit_event event = {.kind = SW_FIT_NOTHING};
    struct sw_error error = {0};
    double before = spent(), seconds;
    struct sw_fit_search *search = sw_fit_search_new(problem, &request, &result, &error);
    bool fits = false;
    while (search && !fits && event.kind != SW_FIT_OVER) {
        if (!sw_fit_search_step(search, &event, &error)) {
            bench_fail(&error);
        }
        fits = event.kind == SW_FIT_PLANNED && event.model.bytes <= request.capacity;
    }
    seconds = spent() - before;
    sw_fit_search_free(search);
    sw_fit_result_done(&result);
    return seconds;
}

static const char *path_of(const struct entry *entry, char *path, size_t size) {
    snprintf(path, size, "%s/%s", entry->ships ? SW_TEST_SOURCE "/scripts/models" : SW_TEST_DATA, entry->path);
    return path;
}

static void run(const void *what, void *result) {
    const struct entry *entry = what;
    struct outcome *outcome = result;
    struct sw_params args = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.args = &args};
    struct sw_error error = {0};
    char path[4096];
    if ((entry->size && !sw_params_set(&args, "size", entry->size, &error)) ||
        (entry->alpha && !sw_params_set(&args, "alpha", entry->alpha, &error))) {
        bench_fail(&error);
    }
    struct sw_problem *problem = sw_load(path_of(entry, path, sizeof path), &options, NULL, &error);
    if (!problem) {
        bench_fail(&error);
    }
    outcome->baseline = baseline();
    outcome->by_arena = search(problem, false, &outcome->as_is);
    outcome->by_head = search(problem, true, &outcome->as_is);
    outcome->first = first(problem, outcome->by_arena.arena);
    sw_problem_unref(problem);
    sw_params_done(&args);
}

/* ---- the table ---- */

static void print_found(const struct outcome *o, const struct found *found) {
    printf(" %9" PRIu64 " %9" PRIu64 " %6.3f %4" PRIu32 " %7.3f %7.1f ", found->head, found->arena,
           o->as_is.macs > 0 ? (double)found->macs / (double)o->as_is.macs : 1, found->calls, found->seconds,
           o->baseline > 0 ? found->seconds / o->baseline : 0);
}

static void row(const struct entry *entry) {
    struct outcome o = {0};
    long kilobytes;
    char path[4096];
    if (access(path_of(entry, path, sizeof path), R_OK) != 0) {
        printf("  skipped: %s is not there\n", entry->path);
        return;
    }
    if (!bench_apart(run, entry, &o, sizeof o, &kilobytes)) {
        printf("  %-22s failed\n", entry->name);
        return;
    }
    printf("  %-22s %9" PRIu64 " %9" PRIu64 " |", entry->name, o.as_is.head, o.as_is.arena);
    print_found(&o, &o.by_arena);
    printf("%9" PRIu64 " %7.3f |", o.by_arena.least, o.first);
    print_found(&o, &o.by_head);
    printf("%9" PRIu64, o.by_head.least);
    if (entry->known > 0) {
        printf(" | %9" PRIu64 "%s", entry->known, o.by_arena.arena <= entry->known ? "" : ", NOT REACHED");
    }
    printf("\n");
    fflush(stdout);
}

void bench_fits(void) {
    static const char columns[] = "      head     arena   work  ops seconds  / sort     least";
    printf("models in strips of rows: the least arena, and the least head; work: multiply-adds over the model's own; "
           "sort: of a\n"
           "million numbers; least: no choice of strips has less; first: seconds until one fits into 2 %% more than "
           "the search found;\n"
           "by hand: the least arena that is known\n"
           "  %-22s %19s |%s   first |%s | by hand\n",
           "model", "as built:    arena", columns, columns);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        row(&entries[i]);
    }
}
