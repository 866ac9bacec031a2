/* Sorting by number, for lists too long to compare. Internal. */
#ifndef SW_BASE_SORT_H
#define SW_BASE_SORT_H

#include "base/mem.h"

#include <stdint.h>

struct sw_keyed {
    uint64_t key;
    uint32_t index; /* the caller's: usually what the key is of */
};

/* Ascending by key; equal keys stay as they stood. Digit by digit from the last (a radix sort): O(count x
 * digits in which keys differ), a digit being 11 bits, with as much memory again meanwhile. False: there is
 * not that much, and the items are as they were. */
bool sw_sort_keyed(struct sw_keyed *items, size_t count);

#endif
