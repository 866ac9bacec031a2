/* Pickles for tests, written from a text in Python's own words: {'a': [1, -2, None, True], 'b':
 * ()}. */
#ifndef SW_UNIT_PICKLED_H
#define SW_UNIT_PICKLED_H

#include "unit/formats.h"

#include <stdlib.h>

struct pickled {
    char bytes[1 << 16];
    size_t count;
    unsigned protocol;
};

static inline void pickled_add(struct pickled *pickled, const void *bytes, size_t length) {
    assert_true(pickled->count + length <= sizeof pickled->bytes);
    memcpy(pickled->bytes + pickled->count, bytes, length);
    pickled->count += length;
}

static inline void pickled_number(struct pickled *pickled, uint64_t number, size_t width) {
    for (size_t i = 0; i < width; i++) {
        pickled_add(pickled, &(char){(char)(number >> (8 * i))}, 1);
    }
}

static inline void pickled_integer(struct pickled *pickled, int64_t integer) {
    if (integer >= 0 && integer < 256) {
        pickled_add(pickled, "K", 1);
        pickled_number(pickled, (uint64_t)integer, 1);
    } else if (integer >= 0 && integer < 65536) {
        pickled_add(pickled, "M", 1);
        pickled_number(pickled, (uint64_t)integer, 2);
    } else if (integer >= INT32_MIN && integer <= INT32_MAX) {
        pickled_add(pickled, "J", 1);
        pickled_number(pickled, (uint64_t)integer, 4);
    } else {
        pickled_add(pickled, "\x8a\x08", 2);
        pickled_number(pickled, (uint64_t)integer, 8);
    }
}

static inline void pickled_text(struct pickled *pickled, const char *text, size_t length) {
    if (pickled->protocol >= 4 && length < 256) {
        pickled_add(pickled, "\x8c", 1);
        pickled_number(pickled, length, 1);
    } else {
        pickled_add(pickled, "X", 1);
        pickled_number(pickled, length, 4);
    }
    pickled_add(pickled, text, length);
}

/* Everything between brackets is put between a mark and an opcode. */
static inline void pickled_values(struct pickled *pickled, const char *text) {
    while (*text) {
        size_t word = strcspn(text, ",]})");
        switch (*text) {
        case '{':
            pickled_add(pickled, "}(", 2);
            break;
        case '}':
            pickled_add(pickled, "u", 1);
            break;
        case '[':
            pickled_add(pickled, "](", 2);
            break;
        case ']':
            pickled_add(pickled, "e", 1);
            break;
        case '(':
            pickled_add(pickled, "(", 1);
            break;
        case ')':
            pickled_add(pickled, "t", 1);
            break;
        case ' ':
        case ',':
        case ':':
            break;
        case '\'':
            word = strcspn(text + 1, "'");
            pickled_text(pickled, text + 1, word);
            text += word + 1;
            break;
        case 'N':
            pickled_add(pickled, "N", 1);
            text += word - 1;
            break;
        case 'T':
            pickled_add(pickled, "\x88", 1);
            text += word - 1;
            break;
        case 'F':
            pickled_add(pickled, "\x89", 1);
            text += word - 1;
            break;
        default:
            pickled_integer(pickled, strtoll(text, NULL, 0));
            text += strcspn(text, ",]})") - 1;
            break;
        }
        text++;
    }
}

static inline struct pickled *pickled_new(unsigned protocol, const char *text) {
    struct pickled *pickled = calloc(1, sizeof *pickled);
    assert_non_null(pickled);
    pickled->protocol = protocol;
    pickled_add(pickled, "\x80", 1);
    pickled_number(pickled, protocol, 1);
    pickled_values(pickled, text);
    pickled_add(pickled, ".", 1);
    return pickled;
}

#endif
