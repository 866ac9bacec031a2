/* Python's pickles, as far as they hold plain values: protocols 2 to 5, with dictionaries, lists,
 * tuples, texts, numbers. What would name, import, build or call anything is refused; nothing is
 * ever run.
 *
 * A value is a number, uint32_t. Texts stay in the input,
 * items of containers are numbers of values, so memory stays within a few dozen times the input,
 * whatever it says. Values may be shared, and may contain themselves: code that walks through them
 * must not go into depth without a limit, and must count what it visits. */
#ifndef SW_FORMATS_PICKLE_H
#define SW_FORMATS_PICKLE_H

#include "formats/format.h"

enum sw_pickle_type {
    SW_PICKLE_NONE,
    SW_PICKLE_BOOL,
    SW_PICKLE_INTEGER, /* within 64 bits, signed */
    SW_PICKLE_BIG,     /* an integer beyond that; its value is not kept */
    SW_PICKLE_REAL,
    SW_PICKLE_TEXT,
    SW_PICKLE_BYTES,
    SW_PICKLE_LIST, /* and tuples */
    SW_PICKLE_DICT
};

struct sw_pickle_node {
    uint64_t at; /* of the opcode, or of a text's first byte */
    uint16_t type;
    bool claimed;
    uint32_t count; /* items, of a dictionary keys and values; bytes of a text */
    union {
        struct {
            uint32_t first, last; /* chunks in `items`: {next, count, item ...}; 0 = none */
        };
        int64_t integer;
        double real;
    };
};
struct sw_pickle {
    const struct sw_input *input;
    SW_ARRAY(struct sw_pickle_node) nodes;
    SW_ARRAY(uint32_t) items;
    uint32_t root;
};
/* Errors say "at offset N". Close it in any case. */
bool sw_pickle_open(struct sw_pickle *, const struct sw_input *, struct sw_error *);
void sw_pickle_close(struct sw_pickle *);
/* Does it begin like one? */
bool sw_pickle_detect(const struct sw_input *);

enum sw_pickle_type sw_pickle_type(const struct sw_pickle *, uint32_t value);
bool sw_pickle_true(const struct sw_pickle *, uint32_t value); /* the very value True */
bool sw_pickle_integer(const struct sw_pickle *, uint32_t value, int64_t *integer);
bool sw_pickle_real(const struct sw_pickle *, uint32_t value, double *real); /* integers too */
/* Not NUL-ended, in the input, maybe not UTF-8. NULL when it is no text. */
const char *sw_pickle_text(const struct sw_pickle *, uint32_t value, size_t *length);
bool sw_pickle_is(const struct sw_pickle *, uint32_t value, const char *text);
/* Items of a list, keys and values of a dictionary. 0 for all else. */
uint32_t sw_pickle_count(const struct sw_pickle *, uint32_t value);
/* Mark a container; false when it was marked already, so that it is not read twice. */
bool sw_pickle_claim(struct sw_pickle *, uint32_t value);
/* Where in the input it comes from; numbers do not know: `fallback`. */
size_t sw_pickle_at(const struct sw_pickle *, uint32_t value, size_t fallback);

/* Go through the items of a list, or the keys and values of a dictionary in turn. */
struct sw_pickle_walk {
    const struct sw_pickle *pickle;
    uint32_t chunk, i;
};
struct sw_pickle_walk sw_pickle_walk(const struct sw_pickle *, uint32_t value);
bool sw_pickle_next(struct sw_pickle_walk *, uint32_t *item);

#endif
