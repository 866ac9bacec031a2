#include "formats/known_by.h"
#include "base/text.h"

#include "formats/text/json.h"

#include <string.h>

static const char gap[] = " ... ";
enum { GAP_LENGTH = sizeof gap - 1 };

/* ---- the beginning ---- */

static bool begins_with(const char *word, const char *at, const char *end) {
    if (*word == ' ') {
        word++;
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\r')) {
            at++;
        }
    }
    for (; *word && at < end; word++, at++) {
        if (*word != *at && !(*word == '\n' && *at == '\r')) {
            return false;
        }
    }
    return !*word || (at == end && strcmp(word, "\n") == 0); /* the end of the text is one of a line */
}

/* ---- a line ---- */

/* How many bytes of a word stand for themselves. */
static size_t plain_length(const char *word) {
    size_t length = 0;
    while (word[length] && strncmp(word + length, gap, GAP_LENGTH) != 0 &&
           !(word[length] == '%' && word[length + 1] && strchr("dnsw", word[length + 1]))) {
        length++;
    }
    return length;
}

/* Behind a number: digits, or digits in hexadecimal after 0x, or (nil). NULL: there is none. */
static const char *behind_number(const char *at, const char *end) {
    const char *from = at;
    if (end - at >= 5 && memcmp(at, "(nil)", 5) == 0) {
        return at + 5;
    }
    if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
        for (from = at += 2; at < end && sw_digit(*at) < 16;) {
            at++;
        }
        return at > from ? at : NULL;
    }
    while (at < end && sw_is_digit(*at)) {
        at++;
    }
    return at > from ? at : NULL;
}

/* Behind what %d, %n, %s or %w stands for. NULL: it is not here. */
static const char *behind(char kind, const char *at, const char *end) {
    const char *from = at;
    if (kind == 'n') {
        return behind_number(at, end);
    }
    if (kind == 'w') {
        return at < end && (sw_is_digit(*at) || sw_is_letter(*at)) ? at + 1 : NULL;
    }
    while (at < end && (kind == 'd' ? sw_is_digit(*at) : *at == ' ' || *at == '\t')) {
        at++;
    }
    return at > from || kind == 's' ? at : NULL;
}

/* The rest of a word, from `at` in a line on. `cut`: what follows a gap is not in the line, so that it is not from any
 * later place. */
static bool pattern_goes_on(const char *word, const char *at, const char *end, bool *cut) {
    while (*word) {
        if (strncmp(word, gap, GAP_LENGTH) == 0) {
            word += GAP_LENGTH;
            size_t length = plain_length(word);
            const char *found = memmem(at, (size_t)(end - at), word, length);
            if (!found) {
                *cut = true;
                return false;
            }
            word += length;
            at = found + length;
        } else if (plain_length(word) == 0) {
            at = behind(word[1], at, end);
            if (!at) {
                return false;
            }
            word += 2;
        } else if (at == end || *word++ != *at++) {
            return false;
        }
    }
    return true;
}

static bool line_has(const char *word, const char *at, const char *end) {
    size_t length = plain_length(word);
    while (at < end && (at = memmem(at, (size_t)(end - at), word, length)) != NULL) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        bool cut = false;
        stop = stop ? stop : end;
        if (pattern_goes_on(word + length, at + length, stop, &cut)) {
            return true;
        }
        at = cut ? stop : at + 1;
    }
    return false;
}

/* ---- JSON ---- */

/* Is the first element of the list at `at` an object with this key? */
static bool first_has(const char *at, const char *end, const char *key) {
    struct sw_json_walk items, members;
    sw_json_walk_begin(&items, at, end);
    if (at >= end || *at != '[' || !sw_json_walk_next(&items)) {
        return false;
    }
    sw_json_walk_begin(&members, items.value, end);
    while (*items.value == '{' && sw_json_walk_next(&members)) {
        if (sw_json_walk_is(&members, key)) {
            return true;
        }
    }
    return false;
}

static bool has_member(const struct sw_json_walk *walk, const char *member) {
    const char *dot = strchr(member, '.');
    char key[64];
    if (!dot) {
        return sw_json_walk_is(walk, member);
    }
    size_t length = (size_t)(dot - member) < sizeof key ? (size_t)(dot - member) : sizeof key - 1;
    memcpy(key, member, length);
    key[length] = '\0';
    return sw_json_walk_is(walk, key) && first_has(walk->value, walk->end, dot + 1);
}

static bool has_members(const char *const *members, const char *at, const char *end) {
    enum { MOST_KNOWN_MEMBERS = 32 };
    uint32_t found = 0, all = 0;
    struct sw_json_walk walk;
    at = sw_json_skip_space(at, end);
    for (int i = 0; i < MOST_KNOWN_MEMBERS && members[i]; i++) {
        all |= UINT32_C(1) << i;
    }
    if (at < end && *at == '[') {
        for (int i = 0; i < MOST_KNOWN_MEMBERS && members[i]; i++) {
            found |= *members[i] == '.' && first_has(at, end, members[i] + 1) ? UINT32_C(1) << i : 0;
        }
        return found == all;
    }
    if (at == end || *at != '{') {
        return false;
    }
    sw_json_walk_begin(&walk, at, end);
    while (found != all && sw_json_walk_next(&walk)) {
        for (int i = 0; i < MOST_KNOWN_MEMBERS && members[i]; i++) {
            found |= has_member(&walk, members[i]) ? UINT32_C(1) << i : 0;
        }
    }
    return found == all;
}

bool sw_words_found(const struct sw_known_by *words, const struct sw_input *input) {
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    for (const char *const *word = words->begins; word && *word; word++) {
        if (begins_with(*word, begin, end)) {
            return true;
        }
    }
    for (const char *const *word = words->has; word && *word; word++) {
        if (line_has(*word, begin, end)) {
            return true;
        }
    }
    return words->members && has_members(words->members, begin, end);
}
