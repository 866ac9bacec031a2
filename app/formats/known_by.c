#include "formats/known_by.h"
#include "base/text.h"

#include "formats/text/json.h"

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
    while (word[length] && !(word[length] == ' ' && strncmp(word + length, gap, GAP_LENGTH) == 0) &&
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
        if (*word == ' ' && strncmp(word, gap, GAP_LENGTH) == 0) {
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

/* Where a line has it; NULL: none has. */
static const char *line_has(const char *word, const char *at, const char *end) {
    size_t length = plain_length(word);
    while (at && at < end && (at = memmem(at, (size_t)(end - at), word, length)) != NULL) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        bool cut = false;
        stop = stop ? stop : end;
        if (pattern_goes_on(word + length, at + length, stop, &cut)) {
            return at;
        }
        at = cut ? stop : at + 1;
    }
    return NULL;
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

/* ---- what is nearest ---- */

struct near_words {
    size_t count;         /* of words that there are */
    const char *marks[2]; /* the first ones */
    size_t lengths[2];
    const char *at; /* where the first one stands */
};

static void add_near_word(struct near_words *near, const char *mark, size_t length, const char *at) {
    near->at = near->at ? near->at : at;
    if (near->count < 2) {
        near->marks[near->count] = mark;
        near->lengths[near->count] = length;
    }
    near->count++;
}

/* Does no word before this one of `has` begin like it? */
static bool begins_anew(const struct sw_known_by *words, const char *const *word, size_t length) {
    for (const char *const *other = words->near; *other; other++) {
        size_t its = plain_length(*other);
        if (strncmp(*other, *word, its < length ? its : length) == 0) {
            return false;
        }
    }
    for (const char *const *other = words->has; other < word; other++) {
        if (strncmp(*other, *word, length) == 0) {
            return false;
        }
    }
    return true;
}

/* What a word of `has` begins with is near as well, where it is long enough to tell. */
static struct near_words look_near(const struct sw_known_by *words, const char *begin, const char *end) {
    enum { TELLING = 12 };
    struct near_words near = {0};
    for (const char *const *word = words->near; word && *word; word++) {
        const char *at = line_has(*word, begin, end);
        if (at) {
            add_near_word(&near, *word, strlen(*word), at);
        }
    }
    for (const char *const *word = words->near ? words->has : NULL; word && *word; word++) {
        size_t length = plain_length(*word);
        bool tells = length >= TELLING && begins_anew(words, word, length);
        const char *at = tells ? memmem(begin, (size_t)(end - begin), *word, length) : NULL;
        if (at) {
            add_near_word(&near, *word, length, at);
        }
    }
    return near;
}

/* A word between quotes, as a reader of the message would look for it: a number is N, one letter or digit "...". */
static void add_word(struct sw_sink *text, const char *word, size_t length) {
    const char *end = word + length;
    while (word < end && *word == ' ') {
        word++;
    }
    while (end > word && (end[-1] == ' ' || end[-1] == '\n')) {
        end--;
    }
    sw_sink_add(text, "\"", 1);
    for (; word < end; word++) {
        const char *instead = *word == '\t' || *word == '\n' ? " " : NULL;
        if (*word == '%' && word + 1 < end && plain_length(word) == 0) {
            word++;
            instead = *word == 'd' || *word == 'n' ? "N" : *word == 's' ? " " : "...";
        }
        sw_sink_add(text, instead ? instead : word, instead ? strlen(instead) : 1);
    }
    sw_sink_add(text, "\"", 1);
}

static void add_missing(struct sw_sink *text, const struct sw_known_by *words) {
    enum { NAMED = 3 };
    const char *const *list = words->has ? words->has : words->begins;
    size_t count = 0;
    while (list[count]) {
        count++;
    }
    sw_sink_printf(text, words->has ? ", but no line has " : ", but it does not begin with ");
    for (size_t i = 0; i < count && i < NAMED; i++) {
        bool last = i + 1 == count || i + 1 == NAMED;
        sw_sink_printf(text, "%s", i == 0 ? "" : last && count <= NAMED ? " or " : ", ");
        add_word(text, list[i], strlen(list[i]));
    }
    if (count > NAMED) {
        sw_sink_printf(text, " or %zu other%s", count - NAMED, count - NAMED == 1 ? "" : "s");
    }
}

static bool fail_near(const struct sw_known_by *words, const struct near_words *near, const struct sw_input *input,
                      bool known, struct sw_error *error) {
    struct sw_sink text = {0};
    for (size_t i = 0; i < near->count && i < 2; i++) {
        sw_sink_printf(&text, i ? ", " : " (");
        add_word(&text, near->marks[i], near->lengths[i]);
    }
    sw_sink_printf(&text, near->count ? ")" : "");
    if (known) {
        sw_sink_printf(&text, ", but nothing of what its lines announce is told");
    } else {
        add_missing(&text, words);
    }
    if (words->paste) {
        sw_sink_printf(&text, "; paste %s", words->paste);
    }
    const char *told = sw_sink_ended(&text);
    const char *at = near->at ? near->at : sw_text_begin(input);
    bool good =
        told ? sw_text_fail(input, at, error, "this looks like %s%s", words->looks, told) : sw_fail_memory(error);
    sw_sink_done(&text);
    return good;
}

bool sw_nearest_words(const struct sw_input *input, struct sw_error *error) {
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    struct near_words best = {0};
    const struct sw_known_by *words = NULL;
    if (!sw_text_check(input, NULL)) {
        return true;
    }
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_known_by *its = sw_format_get(i)->words;
        bool asked = its && its->near && (its->has || its->begins);
        if (asked && sw_words_found(its, input)) {
            return true; /* it is in a format, but none that was asked for */
        }
        struct near_words near = asked ? look_near(its, begin, end) : (struct near_words){0};
        if (near.count > best.count) {
            best = near;
            words = its;
        }
    }
    return !words || fail_near(words, &best, input, false, error);
}

bool sw_only_words(const struct sw_known_by *words, const struct sw_input *input, struct sw_error *error) {
    struct near_words near = {0};
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    if (!words->looks) {
        return sw_fail(error, SW_ERROR_INPUT, "nothing of what its lines announce is told");
    }
    for (const char *const *word = words->has; word && *word && near.count == 0; word++) {
        const char *at = line_has(*word, begin, end);
        if (at) {
            add_near_word(&near, *word, strlen(*word), at);
        }
    }
    return fail_near(words, &near, input, true, error);
}
