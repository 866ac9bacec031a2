/* Random ONNX networks as files, NUMBER.onnx in a folder: for tests of the program, and for a real runtime. */
#include "fit/onnx_networks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: fit_onnx_networks FOLDER FIRST COUNT\n");
        return 2;
    }
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++) {
        char path[4096];
        size_t length;
        snprintf(path, sizeof path, "%s/%" PRIu64 ".onnx", argv[1], seed);
        unsigned char *bytes = onnx_network(seed, &length);
        FILE *file = fopen(path, "wb");
        bool written = file && fwrite(bytes, 1, length, file) == length;
        free(bytes);
        if (!file || fclose(file) != 0 || !written) {
            fprintf(stderr, "%s cannot be written\n", path);
            return 1;
        }
    }
    return 0;
}
