/* Figures of the recorder. A decision with five candidates, as a planner of a compiler would write it, beside a plain
 * write() of the same bytes to the same file: the ratio is what gathering and formatting cost. */
#define STOWAGE_RECORD_IMPLEMENTATION
#include <stowage/record.h>

#include "measure.h"
#include "recorder.h"

enum { DECISIONS = 200000, CANDIDATES = 5 };

static void decide(struct stowage_record *r, uint64_t i) {
    for (uint64_t k = 0; k < CANDIDATES; k++) {
        stowage_record_candidate(r, "sram", 4096 * k, 1024, "refused", "too small by %d", 512);
    }
    stowage_record_decision(r, "place", "conv2d_17/output", "sram", 64 * i, "lowest that fits");
}

/* Nanoseconds of each decision. */
static double recorded(struct stowage_record *r) {
    double before = bench_now();
    for (uint64_t i = 0; i < DECISIONS; i++) {
        decide(r, i);
    }
    return (bench_now() - before) * 1e9 / DECISIONS;
}

/* The same of plain writes of so many bytes. */
static double written(const char *path, size_t size) {
    static char bytes[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    double before = bench_now();
    for (uint64_t i = 0; i < DECISIONS; i++) {
        if (write(file, bytes, size) != (ssize_t)size) {
            break;
        }
    }
    double spent = bench_now() - before;
    close(file);
    return spent * 1e9 / DECISIONS;
}

static void row(const char *label, const char *path) {
    struct stowage_record *r = stowage_record_open(path, "bench", NULL);
    struct stat status;
    double each = recorded(r);
    int error = stowage_record_close(r);
    if (error) {
        printf("  %-22s %s\n", label, strerror(error));
        return;
    }
    size_t size = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size / DECISIONS : 550;
    double plain = written(path, size);
    printf("  %-22s %6.0f ns   a plain write of %zu bytes %6.0f ns   %.1f times\n", label, each, size, plain, each / plain);
    if (S_ISREG(status.st_mode)) {
        unlink(path);
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
