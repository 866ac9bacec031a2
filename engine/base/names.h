/* Numbers by name: the one table of names. A name is a number of bytes, which need not end with a NUL. The table
 * borrows them: they must stay where they are as long as the table is used. */
#ifndef SW_BASE_NAMES_H
#define SW_BASE_NAMES_H

#include "base/c_linkage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SW_C_BEGIN

/* A hash table with open addressing. At most two thirds of its slots are full. The struct belongs to the caller and is
 * zeroed before the first call. Every call is O(length of the name) on average; sw_names_clear and sw_names_done are
 * O(slots) and O(1). */
struct sw_names {
    struct sw_name_slot *slots;
    size_t room, count;
};
/* UINT32_MAX (SW_NONE): there is no such name. */
uint32_t sw_names_find(const struct sw_names *, const void *name, size_t length);
/* The number of a name, which may be changed until the next call. A new name is put in, with UINT32_MAX. NULL: no
 * memory. */
uint32_t *sw_names_at(struct sw_names *, const void *name, size_t length);
/* Give a name a number, in place of the one that it has. False: no memory. */
bool sw_names_set(struct sw_names *, const void *name, size_t length, uint32_t number);
void sw_names_clear(struct sw_names *);
void sw_names_done(struct sw_names *);

SW_C_END

#endif
