/* Numbers by name, where names are bytes of the input: open addressing, of which at most every second slot is full. */
#ifndef SW_FORMATS_TEXT_INDEX_H
#define SW_FORMATS_TEXT_INDEX_H

#include "base/mem.h"
#include "problem/problem.h" /* SW_NONE */

#include <stdint.h>

/* Bytes of the input, borrowed; not NUL-ended. */
struct sw_text {
    const char *at;
    size_t length;
};

bool sw_text_is(struct sw_text, const char *word);
bool sw_text_in(struct sw_text, const char *words); /* which stand in one text, a space between two; O(words) */

/* Belongs to the caller; zero it to start with. A later entry of the same name hides the earlier one. */
struct sw_index {
    SW_ARRAY(struct sw_index_slot) slots;
    size_t used;
};
struct sw_index_slot {
    struct sw_text name;
    uint32_t number;
    bool full;
};
bool sw_index_put(struct sw_index *, struct sw_text name, uint32_t number); /* O(length); false: no memory */
uint32_t sw_index_get(const struct sw_index *, struct sw_text name);        /* O(length); SW_NONE: there is none */
void sw_index_clear(struct sw_index *);
void sw_index_done(struct sw_index *);

#endif
