#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

size_t sw_sort_unique(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    unsigned char *at = items;
    size_t kept = count > 0;
    if (count > 1) {
        qsort(items, count, size, compare);
    }
    for (size_t i = 1; i < count; i++) {
        if (compare(at + i * size, at + (kept - 1) * size) != 0) {
            memmove(at + kept++ * size, at + i * size, size);
        }
    }
    return kept;
}

enum { BITS = 11, DIGITS = 1 << BITS };

/* One pass: by the digit at `shift`, stable. */
static void sort_pass(const struct sw_keyed *from, struct sw_keyed *to, size_t count, unsigned shift) {
    size_t next[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) {
        next[from[i].key >> shift & (DIGITS - 1)]++;
    }
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t these = next[digit];
        next[digit] = sum; /* where the first with this digit goes */
        sum += these;
    }
    for (size_t i = 0; i < count; i++) {
        to[next[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
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
    for (unsigned shift = 0; shift < 64 && differ >> shift != 0; shift += BITS) {
        if (differ >> shift & (DIGITS - 1)) {
            sort_pass(from, to, count, shift);
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
