/* Mixing and drawing: the one hash and the one random generator of stowage. Both never
 * change, because results must not depend on the machine: splitmix64 (Steele, Lea and Flood 2014). */
#ifndef SW_BASE_HASH_H
#define SW_BASE_HASH_H

#include "base/c_linkage.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

SW_C_BEGIN

static inline uint64_t sw_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Fold one more word into a running digest; order matters. */
static inline uint64_t sw_fold(uint64_t digest, uint64_t word) {
    return sw_mix(digest * UINT64_C(0x9e3779b97f4a7c15) + word + 1);
}

static inline uint64_t sw_fold_double(uint64_t digest, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return sw_fold(digest, bits);
}

/* Fold bytes into a running digest, eight at a time: a word's first byte is its highest. What is left over at the end,
 * and the length of all, are words of their own. Pieces of whole words, and then the end, give what all of it gives at
 * once. */
static inline uint64_t sw_fold_words(uint64_t digest, const void *bytes, size_t length) {
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t i = 0; i + 8 <= length; i += 8) {
        digest = sw_fold(digest, (uint64_t)at[i] << 56 | (uint64_t)at[i + 1] << 48 | (uint64_t)at[i + 2] << 40 |
                                     (uint64_t)at[i + 3] << 32 | (uint64_t)at[i + 4] << 24 | (uint64_t)at[i + 5] << 16 |
                                     (uint64_t)at[i + 6] << 8 | (uint64_t)at[i + 7]);
    }
    return digest;
}
static inline uint64_t sw_fold_end(uint64_t digest, const void *bytes, size_t length, uint64_t whole) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t word = 0;
    digest = sw_fold_words(digest, bytes, length);
    for (size_t i = length / 8 * 8; i < length; i++) {
        word = word << 8 | at[i];
    }
    return sw_fold(sw_fold(digest, word), whole);
}
static inline uint64_t sw_fold_bytes(uint64_t digest, const void *bytes, size_t length) {
    return sw_fold_end(digest, bytes, length, length);
}

/* splitmix64: the next draw; the state is any number. */
static inline uint64_t sw_random(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return sw_mix(*state);
}

/* A draw from 0 .. bound-1 (bound > 0), without bias worth naming below 2^32. */
static inline uint64_t sw_random_below(uint64_t *state, uint64_t bound) {
    return sw_random(state) % bound;
}

SW_C_END

#endif
