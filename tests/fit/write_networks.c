/* networks FOLDER FIRST COUNT [skipping]: random networks as files, N.tflite each, for running them in a real
 * interpreter. Prints what the interpreter of the tests makes of each with an input from its own seed: a digest of the
 * outputs. */
#include "fit/interpreter.h"
#include "fit/networks.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_file(const char *path, const struct bytes *bytes) {
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes->items, 1, bytes->count, file) == bytes->count;
    return (!file || fclose(file) == 0) && good;
}

int main(int argc, char **argv) {
    bool skipping = argc == 5 && strcmp(argv[4], "skipping") == 0;
    if (argc != 4 && !skipping) {
        fprintf(stderr, "usage: networks FOLDER FIRST COUNT [skipping]\n");
        return 2;
    }
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct bytes bytes;
        struct run run = {.seed = seed};
        char path[1024], why[WHY];
        (skipping ? skipping_file : network_file)(seed, &bytes);
        snprintf(path, sizeof path, "%s/%" PRIu64 ".tflite", argv[1], seed);
        if (!write_file(path, &bytes) || !run_file(bytes.items, bytes.count, &run, why)) {
            fprintf(stderr, "%s: cannot be written or run\n", path);
            return 1;
        }
        printf("%s %016" PRIx64 "\n", path, sw_fold_bytes(0, run.outputs, run.output_bytes));
        free(run.outputs);
        free(bytes.items);
    }
    return 0;
}
