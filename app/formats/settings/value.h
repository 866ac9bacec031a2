/* The types of the values that a person gives: to an option of the command line, in the head of a session.
 *
 * A type reads the text into a field, and says of a text that is none of its values what would be one. */
#ifndef SW_FORMATS_VALUE_H
#define SW_FORMATS_VALUE_H

#include "base/error.h"

#include <stddef.h>

enum sw_value_kind {
    SW_VALUE_FLAG,     /* bool; there is no text */
    SW_VALUE_TEXT,     /* const char *, which borrows the text; `least` bytes or more */
    SW_VALUE_FILE,     /* the same: the name of a file, or of a folder */
    SW_VALUE_NUMERAL,  /* the same: a number from `least` to `most`, in no more digits than `most` has */
    SW_VALUE_BYTES,    /* uint64_t: a size with K, M, G or T, from `least` */
    SW_VALUE_COUNT,    /* uint32_t or uint64_t, from `least` to `most` */
    SW_VALUE_REAL,     /* double, from `low` to `high`, and above 0 */
    SW_VALUE_WORD,     /* bool, unsigned or an enum: which of `words`, the first is `least` */
    SW_VALUE_SETTING,  /* struct sw_params: KEY=VALUE, of which a size becomes its digits; no key comes twice */
    SW_VALUE_ARGUMENT, /* the same: KEY=VALUE as it is written, for a script */
    SW_VALUE_DIM,      /* the same: NAME=LENGTH; the last = counts, as names of tensors may hold others */
    SW_VALUE_INPUT     /* the same: NAME=NUMBER, or true or false */
};

struct sw_value_type {
    enum sw_value_kind kind;
    size_t size;              /* of the field */
    const char *wanted;       /* what messages say is right: "a number from 1 to 64"; a word needs none */
    const char *const *words; /* NULL-ended */
    uint64_t least, most;
    double low, high;
};

/* Read the text into the field; messages call the option `name`. False: it is no value, and the error is "NAME TEXT:
 * expected WANTED". */
bool sw_value_take(const struct sw_value_type *, const char *name, const char *text, void *field, struct sw_error *);
/* That error. Always false. */
bool sw_value_refuse(const char *name, const char *text, const char *wanted, struct sw_error *);
#endif
