#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void sw_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    if (count > 1) {
        qsort(items, count, size, compare);
    }
}

int sw_compare_u32(const void *a, const void *b) {
    return SW_COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

int sw_compare_u64(const void *a, const void *b) {
    return SW_COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
}

int sw_compare_i64(const void *a, const void *b) {
    return SW_COMPARE(*(const int64_t *)a, *(const int64_t *)b);
}

size_t sw_sort_unique(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    unsigned char *at = items;
    size_t kept = count > 0;
    sw_sort(items, count, size, compare);
    for (size_t i = 1; i < count; i++) {
        if (compare(at + i * size, at + (kept - 1) * size) != 0) {
            memmove(at + kept++ * size, at + i * size, size);
        }
    }
    return kept;
}

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS };

static inline uint64_t key_at(const unsigned char *items, size_t i, size_t size) {
    uint64_t key;
    memcpy(&key, items + i * size, sizeof key);
    return key;
}

/* Both functions are compiled for each size of items, which begin with their keys. */
#define EACH_SIZE static inline __attribute__((always_inline))

/* One pass: by the digit at `shift`, stable. */
EACH_SIZE void sort_digit(const unsigned char *from, unsigned char *to, size_t count, size_t size, unsigned shift) {
    size_t next[DIGIT_VALUES] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) {
        next[key_at(from, i, size) >> shift & (DIGIT_VALUES - 1)]++;
    }
    for (size_t digit = 0; digit < DIGIT_VALUES; digit++) {
        size_t these = next[digit];
        next[digit] = sum; /* where the first with this digit goes */
        sum += these;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = next[key_at(from, i, size) >> shift & (DIGIT_VALUES - 1)]++;
        memcpy(to + at * size, from + i * size, size);
    }
}

EACH_SIZE bool sort_digits(unsigned char *items, size_t count, size_t size) {
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) {
        differ |= key_at(items, i, size) ^ key_at(items, 0, size);
    }
    unsigned char *from = items, *to = differ ? sw_mem_new(count, size) : items;
    if (differ && !to) {
        return false;
    }
    for (unsigned shift = 0; shift < 64 && differ >> shift != 0; shift += DIGIT_BITS) {
        if (differ >> shift & (DIGIT_VALUES - 1)) {
            sort_digit(from, to, count, size, shift);
            unsigned char *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != items) { /* the result lies in what was allocated here */
        memcpy(items, from, count * size);
        to = from;
    }
    if (differ) {
        sw_mem_free(to, count, size);
    }
    return true;
}

bool sw_sort_keyed(struct sw_keyed *items, size_t count) {
    return sort_digits((unsigned char *)items, count, sizeof *items);
}

bool sw_sort_numbers(uint64_t *numbers, size_t count) {
    return sort_digits((unsigned char *)numbers, count, sizeof *numbers);
}
