/* Figures of the recorder. A decision with five candidates, as a planner of a compiler would write it, beside a plain
 * write() of the same bytes to the same file: the ratio is what gathering and formatting cost. */
#define STOWAGE_RECORD_IMPLEMENTATION
#include <stowage/record.h>

#include "measure.h"
#include "recorder.h"

enum { DECISIONS = 10000, CANDIDATES = 5, ROUNDS = 20 };

/* Nanoseconds of each decision. */
static double recorded(struct stowage_record *r) {
    double before = bench_now();
    for (uint64_t i = 0; i < DECISIONS; i++) {
        for (uint64_t k = 0; k < CANDIDATES; k++) {
            stowage_record_candidate(r, "sram", 4096 * k, 1024, "refused", "too small by %d", 512);
        }
        stowage_record_decision(r, "place", "conv2d_17/output", "sram", 64 * i, "lowest that fits");
    }
    return (bench_now() - before) * 1e9 / DECISIONS;
}

/* The same of plain writes of so many bytes; negative: one failed. */
static double written(int file, size_t size) {
    static const char bytes[4096];
    double before = bench_now();
    for (uint64_t i = 0; i < DECISIONS; i++) {
        if (write(file, bytes, size) != (ssize_t)size) {
            return -1;
        }
    }
    return (bench_now() - before) * 1e9 / DECISIONS;
}

/* The fastest of the rounds: what else the machine does comes on top. Both take turns, so that it meets both. */
static void row(const char *label, const char *path) {
    char beside[90];
    struct stat before, after;
    double each = -1, plain = -1;
    size_t size = 0;
    snprintf(beside, sizeof beside, strcmp(path, "/dev/null") == 0 ? "%s" : "%s.plain", path);
    struct stowage_record *r = stowage_record_open(path, "bench", NULL);
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    for (int i = 0; i < ROUNDS; i++) {
        bool regular = stat(path, &before) == 0 && S_ISREG(before.st_mode);
        double mine = recorded(r);
        size = regular && stat(path, &after) == 0 ? (size_t)(after.st_size - before.st_size) / DECISIONS : 560;
        double other = written(file, size);
        each = i == 0 || mine < each ? mine : each;
        plain = i == 0 || other < plain ? other : plain;
    }
    close(file);
    int error = stowage_record_close(r);
    if (error || plain <= 0) {
        printf("  %-22s %s\n", label, error ? strerror(error) : "the plain write failed");
    } else {
        printf("  %-22s %6.0f ns   a plain write of %zu bytes %6.0f ns   %.1f times\n", label, each, size, plain,
               each / plain);
    }
    if (strcmp(path, beside) != 0) {
        unlink(path);
        unlink(beside);
    }
}

void bench_record(void) {
    char path[80];
    printf("recording one decision with five candidates\n");
    printf("  %-22s %6.0f ns\n", "nothing is recorded", recorded(NULL));
    row("/dev/null", "/dev/null");
    snprintf(path, sizeof path, "%s/bench.trace", bench_folder_name);
    row("a file", path);
    snprintf(path, sizeof path, "/dev/shm/stowage-bench-%ld.trace", (long)getpid());
    if (access("/dev/shm", W_OK) == 0) {
        row("a file in memory", path);
    }
    printf("\n");
}
