/* Inputs put together from pieces of the corpus: what cutting and flipping bytes does not reach.
 *
 * A sample gets a piece of another one, of the same format or of any, a number at the edge of its type, a field twice,
 * or a line elsewhere. The same seed makes the same input. The driver uses it in every run of the tests, libFuzzer for
 * half of what it tries. */
#ifndef SW_FUZZ_SPLICE_H
#define SW_FUZZ_SPLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct splice_sample {
    char *name;
    uint8_t *bytes;
    size_t size;
};

/* Samples of at most 64 KiB, those of a folder behind one another. The first `own` are the target's. */
struct splice_pool {
    struct splice_sample *samples;
    size_t count, own;
    bool any; /* the target takes every format, so that each input keeps to a folder of its own */
};

/* The files of a target's folder, and of all folders beside it. False: one cannot be read. */
bool splice_pool_read(struct splice_pool *, const char *folder);
void splice_pool_done(struct splice_pool *);

/* Change `data`, which has room for `most` bytes, by one to four such changes. The pool must not be empty. Returns the
 * new size. */
size_t splice(const struct splice_pool *, uint8_t *data, size_t size, size_t most, uint64_t seed);

/* The same with a sample of the pool, mostly one of the target's own. */
size_t splice_new(const struct splice_pool *, uint8_t *data, size_t most, uint64_t seed);

#endif
