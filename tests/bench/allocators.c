/* Online allocators on a million events, beside a plain loop over the same events that only adds up what is alive:
 * seconds depend on the machine and on what else runs on it, their ratio less. */
#include "allocators.h"

#include "base/hash.h"
#include "heap/heap.h"
#include "measure.h"
#include "planners/planner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVENTS = 1000000 };

/* Sizes of a training step: many small ones, some of a few MiB, few large ones. */
static uint64_t some_size(uint64_t *random) {
    uint64_t class = sw_random_below(random, 100);
    return class < 70   ? 1 + sw_random_below(random, 1 << 16)
           : class < 85 ? 1 + sw_random_below(random, 1 << 20)
           : class < 97 ? (1 << 20) + sw_random_below(random, 9 << 20)
                        : (10 << 20) + sw_random_below(random, 54 << 20);
}

/* Up to `most` blocks are alive; which of them is freed next is drawn. The same bytes everywhere. */
static bool write_requests(const char *path, uint32_t most) {
    uint64_t random = 1;
    uint32_t count = 0, made = 0;
    uint32_t *alive = calloc(most, sizeof *alive);
    FILE *file = fopen(path, "w");
    if (file && alive) {
        fputs("event,id,size\n", file);
        for (uint32_t i = 0; i < EVENTS; i++) {
            if (count == most || (count > 0 && sw_random_below(&random, 100) < 48)) {
                uint32_t at = (uint32_t)sw_random_below(&random, count);
                fprintf(file, "free,b%" PRIu32 ",\n", alive[at]);
                alive[at] = alive[--count];
            } else {
                fprintf(file, "alloc,b%" PRIu32 ",%" PRIu64 "\n", made, some_size(&random));
                alive[count++] = made++;
            }
        }
    }
    free(alive);
    bool good = file && !ferror(file);
    return file && fclose(file) == 0 && good;
}

/* The baseline: the most bytes that are alive at once. */
static void measure_plain(const char *path, const void *what, struct figures *figures) {
    struct sw_problem *problem = bench_load(path);
    struct sw_requests *requests = sw_problem_requests(problem);
    uint64_t *sizes = calloc(sw_problem_buffer_count(problem), sizeof *sizes), alive = 0;
    (void)what;
    double before = bench_now();
    for (size_t i = 0; sizes && i < requests->items.count; i++) {
        const struct sw_request *request = &requests->items.items[i];
        if (request->kind == SW_REQUEST_ALLOC) {
            alive += sizes[request->buffer] = request->size;
        } else {
            alive -= sizes[request->buffer];
        }
        figures->peak = figures->peak > alive ? figures->peak : alive;
    }
    figures->seconds = bench_now() - before;
    figures->count = requests->items.count;
    free(sizes);
}

/* The heap without a planner around it. */
static void measure_heap(const char *path, const void *name, struct figures *figures) {
    const struct sw_planner *planner = sw_planner_find(name, NULL);
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct sw_problem *problem = bench_load(path);
    struct sw_requests *requests = sw_problem_requests(problem);
    double before = bench_now();
    struct sw_heap *heap = sw_heap_new(planner->context, sw_problem_buffer_count(problem), &params, planner,
                                       SW_UNBOUNDED, SW_UNBOUNDED, &error);
    for (size_t i = 0; heap && i < requests->items.count; i++) {
        const struct sw_request *request = &requests->items.items[i];
        struct sw_turn turn = SW_TURN_NEW;
        turn.kind = (enum sw_request_kind)request->kind;
        turn.buffer = request->buffer;
        turn.size = request->size;
        turn.stream = request->stream;
        if (!sw_heap_serve(heap, &turn, NULL, NULL, &error)) {
            bench_fail(&error);
        }
        figures->peak = figures->peak > heap->reserved ? figures->peak : heap->reserved;
    }
    if (!heap) {
        bench_fail(&error);
    }
    figures->seconds = bench_now() - before;
    figures->count = requests->items.count;
}

static void row(const char *label, measure_fn *run, const char *path, const void *what, double plain) {
    struct figures f = {0};
    if (!measure(run, path, what, &f)) {
        printf("  %-32s failed\n", label);
        return;
    }
    printf("  %-32s %9.3f s   %8.1f times the plain loop   %7.1f MB", label, f.seconds,
           plain > 0 ? f.seconds / plain : 0.0, (double)f.kilobytes / 1024);
    if (f.slowest > 0) {
        printf("   slowest %.3f s", f.slowest);
    }
    printf("\n");
}

static void bench_alive(uint32_t most) {
    static const char *const names[] = {"cuda-caching", "bfc-arena", "ggml-dyn", "tlsf", "buddy", "free-list"};
    char path[80], label[64];
    struct figures plain = {0};
    snprintf(path, sizeof path, "%s/requests.csv", bench_folder_name);
    if (!write_requests(path, most)) {
        printf("%s cannot be written\n", path);
        unlink(path);
        return;
    }
    bool good = measure(measure_plain, path, NULL, &plain);
    double seconds = good ? plain.seconds : 0;
    printf("%" PRIu64 " requests, at most %" PRIu32 " blocks alive: a plain loop takes %.4f s\n", plain.count, most,
           seconds);
    row("open", measure_load, path, NULL, seconds);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(label, sizeof label, "the heap of %s alone", names[k]);
        row(label, measure_heap, path, names[k], seconds);
    }
    row("replay with cuda-caching", measure_plan, path, "cuda-caching", seconds);
    row("seek to ten places", measure_seek, path, "cuda-caching", seconds);
    row("first frame", measure_frame, path, "cuda-caching", seconds);
    unlink(path);
}

void bench_allocators(void) {
    bench_alive(1000);
    bench_alive(100000);
}
