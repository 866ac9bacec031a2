#include "base/text.h"
#include "base/error.h"
#include "base/minmax.h"

#include <stdarg.h>
#include <stdio.h> /* snprintf */
#include <string.h>

void sw_text_add(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list given;
    va_start(given, format);
    vsnprintf(text + used, size - used, format, given);
    va_end(given);
}

size_t sw_utf8_decode(const char *at, size_t left, uint32_t *code) {
    const unsigned char *text = (const unsigned char *)at;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = left == 0        ? 0
                    : text[0] < 0x80 ? 1
                    : text[0] < 0xc2 ? 0
                    : text[0] < 0xe0 ? 2
                    : text[0] < 0xf0 ? 3
                    : text[0] < 0xf5 ? 4
                                     : 0;
    if (length == 0 || length > left) {
        return 0;
    }
    *code = length == 1 ? text[0] : text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

/* Most text is ASCII, which is passed over eight bytes at a time: a byte of zero is found by what it borrows. */
size_t sw_utf8_valid(const char *text, size_t length) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    size_t at = 0, taken = 1;
    while (taken > 0 && at < length) {
        uint64_t word = 0;
        uint32_t code;
        if (length - at >= sizeof word) {
            memcpy(&word, text + at, sizeof word);
        }
        taken = ((word | (word - ones)) & tops) == 0 ? sizeof word
                : text[at]                           ? sw_utf8_decode(text + at, length - at, &code)
                                                     : 0;
        at += taken;
    }
    return at;
}

size_t sw_utf8_encode(uint32_t code, char to[4]) {
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6) {
        to[i] = (char)(0x80 | (code & 0x3f));
    }
    to[0] = (char)(first[length] | code);
    return length;
}

bool sw_utf8_unsafe(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0xfeff ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe || (code >= 0xe0000 && code <= 0xe007f);
}

/* The two that say whether letters are joined, between letters of scripts that are, and in emoji.
 */
static bool is_joiner(const char *text, size_t left, uint32_t code, uint32_t before) {
    uint32_t behind = 0;
    return (code == 0x200c || code == 0x200d) && before >= 0x600 && sw_utf8_decode(text + 3, left - 3, &behind) &&
           behind >= 0x600 && !sw_utf8_unsafe(behind);
}

size_t sw_utf8_shown(const char *text, size_t left, bool joins, uint32_t *before, size_t *skip) {
    uint32_t code = 0;
    size_t length = sw_utf8_decode(text, left, &code);
    bool good = length && (!sw_utf8_unsafe(code) || (joins && is_joiner(text, left, code, *before)));
    *skip = length ? length : 1;
    *before = length ? code : 0;
    return good ? length : 0;
}

void sw_utf8_clean(char *text, bool joins) {
    char *to = text;
    uint32_t before = 0;
    size_t skip;
    for (; *text; text += skip) {
        size_t length = sw_utf8_shown(text, SIZE_MAX, joins, &before, &skip);
        if (length) {
            memmove(to, text, length);
            to += length;
        } else {
            *to++ = '?';
        }
    }
    *to = '\0';
}

const char *sw_utf8_show(const char *text, char *room, size_t size) {
    uint32_t before = 0;
    size_t skip = 0, length = 0;
    const char *at = text;
    while (*at && sw_utf8_shown(at, SIZE_MAX, true, &before, &skip)) {
        at += skip;
    }
    if (!*at) {
        return text;
    }
    before = 0;
    for (at = text; *at; at += skip) {
        size_t shown = sw_utf8_shown(at, SIZE_MAX, true, &before, &skip);
        if (length + (shown ? shown : 1) >= size) {
            break;
        }
        memcpy(room + length, shown ? at : "?", shown ? shown : 1);
        length += shown ? shown : 1;
    }
    room[length] = '\0';
    return room;
}

size_t sw_utf8_cut(const char *text, size_t length, size_t most) {
    if (length <= most) {
        return length;
    }
    while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80) {
        most--;
    }
    return most;
}

/* `begun`: to the beginning of `a` that is nearest, and not to all of it. */
static unsigned letters_apart(const char *a, const char *b, bool begun) {
    enum { LONGEST_WORD = 40 };
    unsigned rows[3][LONGEST_WORD + 1], least = UINT32_MAX;
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_WORD || m > LONGEST_WORD) {
        return UINT32_MAX;
    }
    for (size_t i = 0; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *over = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = i == 0 ? (unsigned)j
                            : SW_MIN(above[j - 1] + (a[i - 1] != b[j - 1]), (SW_MIN(above[j], row[j - 1])) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = SW_MIN(row[j], over[j - 2] + 1);
            }
        }
        least = begun || i == n ? SW_MIN(least, row[m]) : least;
    }
    return least;
}

unsigned sw_word_distance(const char *a, const char *b) {
    return letters_apart(a, b, false);
}

bool sw_word_like(const char *meant, const char *word) {
    return sw_word_distance(meant, word) <= strlen(word) / 3 + 1;
}

/* Half letters between a word and the name that it may have been meant for. */
static unsigned strangeness(const char *meant, const char *word) {
    unsigned begun = letters_apart(meant, word, true), whole = sw_word_distance(meant, word);
    if (!*word) {
        return UINT32_MAX;
    }
    whole = whole <= (strlen(word) + 1) / 3 ? 2 * whole : UINT32_MAX; /* most of it is right */
    return begun <= strlen(word) / 4 ? SW_MIN(whole, 2 * begun + 1) : whole;
}

const char *sw_word_nearer(const char *word, const char *best, const char *one) {
    unsigned is = strangeness(one, word), was = best ? strangeness(best, word) : UINT32_MAX;
    if (is != was || !best) {
        return is < was ? one : best;
    }
    bool begins = one[0] == word[0], began = best[0] == word[0]; /* the first letter is seldom wrong */
    size_t length = strlen(word), l = strlen(one), m = strlen(best);
    size_t off = l > length ? l - length : length - l, was_off = m > length ? m - length : length - m;
    return begins != began ? (begins ? one : best) : off != was_off ? (off < was_off ? one : best) : l < m ? one : best;
}

bool sw_fail_unknown(struct sw_error *error, const char *kind, const char *name, const char *like, const char *rest) {
    return like ? sw_fail(error, SW_ERROR_USAGE, "there is no %s '%s'; did you mean %s?", kind, name, like)
                : sw_fail(error, SW_ERROR_USAGE, "there is no %s '%s'%s", kind, name, rest);
}

const char *sw_show_count(uint64_t count, char text[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *sw_show_counted(uint64_t count, const char *what, char text[64]) {
    snprintf(text, 64, "%s %s%s", SW_COUNT(count), what, count == 1 ? "" : "s");
    return text;
}

const char *sw_show_exact(uint64_t bytes, char text[36]) {
    sw_show_count(bytes, text);
    strcat(text, " B");
    return text;
}
