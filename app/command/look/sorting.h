/* Sorting many buffers without blocking the keyboard. */
#ifndef SW_COMMAND_SORTING_H
#define SW_COMMAND_SORTING_H

#include "base/sort.h"

/* Sort by name as strcmp tells them apart: name(context, index) of each item; equal ones stay in their order. The keys
 * need not be set. False: no memory, and the items are in whatever order. */
bool sw_sort_by_name(struct sw_keyed *items, size_t count, bool falling,
                     const char *(*name)(const void *context, uint32_t index), const void *context);

#endif
