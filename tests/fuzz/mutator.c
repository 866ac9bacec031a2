/* libFuzzer's inputs: half of them as it makes them itself, half spliced. The pool is the last folder that it is
 * started with and the folders beside that. */
#include "fuzz/splice.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static struct splice_pool pool;

static void leave(void) {
    splice_pool_done(&pool);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *last = *argc > 1 ? (*argv)[*argc - 1] : "-";
    if (*last != '-' && !splice_pool_read(&pool, last)) {
        fprintf(stderr, "%s: not a folder of samples, so that nothing is spliced\n", last);
        splice_pool_done(&pool);
    }
    atexit(leave);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    return seed % 2 || pool.count == 0 ? LLVMFuzzerMutate(data, size, most) : splice(&pool, data, size, most, seed);
}
