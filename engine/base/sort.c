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

/* One pass: by the digit at `shift`, stable. */
static void sort_digit(const struct sw_keyed *from, struct sw_keyed *to, size_t count, unsigned shift) {
    size_t next[DIGIT_VALUES] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) {
        next[from[i].key >> shift & (DIGIT_VALUES - 1)]++;
    }
    for (size_t digit = 0; digit < DIGIT_VALUES; digit++) {
        size_t these = next[digit];
        next[digit] = sum; /* where the first with this digit goes */
        sum += these;
    }
    for (size_t i = 0; i < count; i++) {
        to[next[from[i].key >> shift & (DIGIT_VALUES - 1)]++] = from[i];
    }
}

bool sw_sort_keyed(struct sw_keyed *items, size_t count) {
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) {
        differ |= items[i].key ^ items[0].key;
    }
    struct sw_keyed *from = items, *to = differ ? SW_NEW(struct sw_keyed, count) : items;
    if (!to) {
        return false;
    }
    for (unsigned shift = 0; shift < 64 && differ >> shift != 0; shift += DIGIT_BITS) {
        if (differ >> shift & (DIGIT_VALUES - 1)) {
            sort_digit(from, to, count, shift);
            struct sw_keyed *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != items) { /* the result lies in what was allocated here */
        memcpy(items, from, count * sizeof *from);
        to = from;
    }
    if (differ) {
        SW_FREE(to, count);
    }
    return true;
}
