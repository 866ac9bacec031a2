/* Large traces, beside a plain read of the same file: seconds depend on the machine and on what else runs on it, their
 * ratio less. */
#include "traces.h"

#include "base/hash.h"
#include "measure.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { DECISIONS = 1000000, AGAIN = 20000, SLOTS = 18, CANDIDATES = 5, LARGEST = 4096 };

static void write_candidates(FILE *file, uint64_t *random) {
    for (unsigned i = 0; i + 1 < CANDIDATES; i++) {
        fprintf(file,
                "{\"candidate\":%u,\"tier\":\"arena\",\"size\":%d,\"verdict\":\"refused\",\"reason\":\"too small by "
                "%u\"}\n",
                LARGEST * i, LARGEST, (unsigned)sw_random_below(random, LARGEST));
    }
    fprintf(file,
            "{\"candidate\":%u,\"tier\":\"arena\",\"size\":%d,\"verdict\":\"chosen\",\"reason\":\"smallest gap that "
            "fits\"}\n",
            LARGEST * (CANDIDATES - 1), LARGEST);
}

bool trace_write(FILE *file, enum trace_shape shape, uint64_t decisions) {
    uint64_t random = 1, buffers = shape == TRACE_AGAIN && decisions > AGAIN ? AGAIN : decisions;
    fputs("{\"stowage-trace\":1,\"planner\":\"foreign\",\"model\":\"large\",\"tiers\":[{\"name\":\"arena\"}]}\n", file);
    for (uint64_t i = 0; i < buffers; i++) { /* lives shorter than the time until its slot comes again */
        uint64_t size = 64 * (1 + sw_random_below(&random, LARGEST / 64)),
                 life = 1 + sw_random_below(&random, SLOTS - 2);
        fprintf(file, "{\"buffer\":\"b%" PRIu64 "\",\"size\":%" PRIu64 ",\"first\":%" PRIu64 ",\"last\":%" PRIu64 "}\n",
                i, size, i, i + life);
    }
    for (uint64_t i = 0; i < decisions; i++) {
        uint64_t buffer = i % buffers;
        if (shape == TRACE_CANDIDATES) {
            write_candidates(file, &random);
        }
        fprintf(file,
                "{\"decision\":\"place\",\"buffer\":\"b%" PRIu64 "\",\"tier\":\"arena\",\"offset\":%" PRIu64
                ",\"reason\":\"smallest gap that fits\"}\n",
                buffer, LARGEST * (buffer % SLOTS));
    }
    fputs("{\"end\":\"done\"}\n", file);
    return !ferror(file);
}

/* The baseline: all bytes are read, and the ends of lines counted. */
static void measure_read(const char *path, const void *what, struct figures *figures) {
    static char block[1 << 16];
    (void)what;
    double before = bench_now();
    FILE *file = fopen(path, "r");
    size_t got;
    while (file && (got = fread(block, 1, sizeof block, file)) > 0) {
        for (const char *at = block; (at = memchr(at, '\n', (size_t)(block + got - at))); at++) {
            figures->count++;
        }
    }
    if (file) {
        fclose(file);
    }
    figures->seconds = bench_now() - before;
}

static void row(const char *label, measure_fn *run, const char *path, const char *planner, double plain) {
    struct figures f = {0};
    if (!measure(run, path, planner, &f)) {
        printf("  %-20s failed\n", label);
        return;
    }
    printf("  %-20s %9.3f s   %7.1f reads   slowest %.3f s   %7.1f MB\n", label, f.seconds,
           plain > 0 ? f.seconds / plain : 0.0, f.slowest, (double)f.kilobytes / 1024);
}

static void bench_shape(const char *title, enum trace_shape shape) {
    char path[80];
    snprintf(path, sizeof path, "%s/large.trace", bench_folder_name);
    FILE *file = fopen(path, "w");
    bool written = file && trace_write(file, shape, DECISIONS);
    if (!file || fclose(file) != 0 || !written) {
        printf("%s\n  %s cannot be written\n", title, path);
        unlink(path);
        return;
    }
    struct figures plain = {0};
    bool read = measure(measure_read, path, NULL, &plain);
    printf("%s: %" PRIu64 " lines, read in %.3f s\n", title, plain.count, read ? plain.seconds : 0.0);
    row("open", measure_load, path, NULL, plain.seconds);
    row("run", measure_plan, path, "recorded", plain.seconds);
    row("seek to ten places", measure_seek, path, "recorded", plain.seconds);
    row("first frame", measure_frame, path, "recorded", plain.seconds);
    unlink(path);
}

void bench_traces(void) {
    bench_shape("1,000,000 decisions, 1,000,000 buffers", TRACE_ONCE);
    bench_shape("1,000,000 decisions, 20,000 buffers", TRACE_AGAIN);
    bench_shape("1,000,000 decisions with five candidates each", TRACE_CANDIDATES);
}
