#include "formats/size.h"

#include <string.h>

/* Where the digits end; NULL: there are none, or too many. */
static const char *parse_digits(const char *text, uint64_t *value) {
    unsigned radix = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        radix = 16;
        text += 2;
    }
    const char *start = text;
    uint64_t sum = 0;
    for (;; text++) {
        unsigned digit;
        if (*text >= '0' && *text <= '9') {
            digit = (unsigned)(*text - '0');
        } else if (radix == 16 &&
                   ((*text >= 'a' && *text <= 'f') || (*text >= 'A' && *text <= 'F'))) {
            digit = (unsigned)((*text | 0x20) - 'a') + 10;
        } else {
            break;
        }
        if (__builtin_mul_overflow(sum, radix, &sum) || __builtin_add_overflow(sum, digit, &sum)) {
            return NULL;
        }
    }
    *value = sum;
    return text == start ? NULL : text;
}

bool sw_parse_integer(const char *text, uint64_t *value) {
    uint64_t sum;
    const char *end = parse_digits(text, &sum);
    if (!end || *end) {
        return false;
    }
    *value = sum;
    return true;
}

bool sw_parse_size(const char *text, uint64_t *bytes) {
    uint64_t sum;
    const char *end = parse_digits(text, &sum);
    if (!end) {
        return false;
    }
    if (*end) {
        static const char suffixes[] = "KMGT";
        const char *at = strchr(suffixes, *end >= 'a' && *end <= 'z' ? *end - 'a' + 'A' : *end);
        if (!at || end[1] ||
            __builtin_mul_overflow(sum, UINT64_C(1) << 10 * (at - suffixes + 1), &sum)) {
            return false;
        }
    }
    *bytes = sum;
    return true;
}
