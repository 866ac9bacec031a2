/* Sorting many buffers while somebody waits. */
#ifndef SW_COMMAND_SORTING_H
#define SW_COMMAND_SORTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sort items by their keys, keys[i] of items[i]; equal ones stay in their order. The keys are sorted with them. False:
 * no memory, and nothing has changed. O(count). */
bool sw_sort_by_number(uint32_t *items, uint64_t *keys, size_t count, bool falling);
/* The same by names, as strcmp tells them apart: name(context, item) of each. */
bool sw_sort_by_name(uint32_t *items, size_t count, bool falling,
                     const char *(*name)(const void *context, uint32_t item), const void *context);

#endif
