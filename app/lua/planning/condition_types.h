/* What kind of value a condition gives, found out before it is asked of any decision. */
#ifndef SW_LUA_CONDITION_TYPES_H
#define SW_LUA_CONDITION_TYPES_H

#include "base/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

enum { SW_IS_NUMBER = 1, SW_IS_TEXT = 2, SW_IS_TRUTH = 4, SW_IS_NIL = 8, SW_IS_UNKNOWN = 16 };

/* The types that a name may have, as bits of the above; 0: it is no value of a decision. */
typedef unsigned sw_type_of_name(const char *name, size_t length);

/* May it stand in a name of Lua? */
static inline bool sw_condition_letter(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Is this expression in Lua true or false of every decision? Refuses, with a sentence that names the part that is
 * wrong: a number or a text where a truth is wanted, two kinds of values that are compared, arithmetic with texts, an
 * operator with nothing behind it, two values side by side. What Lua's functions return is unknown, and passes. */
bool sw_condition_types(const char *expression, sw_type_of_name *, struct sw_error *);

#endif
