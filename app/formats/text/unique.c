#include "formats/text/unique.h"
#include "base/base.h"

void sw_unique_done(struct sw_unique *names) {
    sw_names_done(&names->taken);
}

const char *sw_unique_name(struct sw_unique *names, struct sw_arena *arena, const char *name) {
    size_t length = name ? strlen(name) : 0;
    char *numbered = NULL;
    for (const char *made = name; made; made = numbered) {
        uint32_t *known = sw_names_at(&names->taken, made, strlen(made));
        if (!known) {
            return NULL;
        }
        if (*made && *known == SW_NONE) {
            *known = 0;
            return made;
        }
        numbered = numbered ? numbered : sw_arena_new(arena, length + 16, 1);
        if (numbered) {
            snprintf(numbered, length + 16, "%s#%" PRIu32, name, ++names->next + 1);
        }
    }
    return NULL;
}

/* The bytes of a noncharacter of Unicode (U+FDD0..U+FDEF, and the last two of every plane), which files of
 * many kinds must not hold; 0: the text does not begin with one. */
static size_t noncharacter(const char *text, size_t left) {
    const unsigned char *c = (const unsigned char *)text;
    bool last = left >= 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe;
    bool inner = left >= 3 && c[0] == 0xef && c[1] == 0xb7 && c[2] >= 0x90 && c[2] <= 0xaf;
    bool above = left >= 4 && c[0] >= 0xf0 && c[0] <= 0xf4 && (c[1] & 0x0f) == 0x0f && c[2] == 0xbf && c[3] >= 0xbe;
    return last || inner ? 3 : above ? 4 : 0;
}

/* Every byte that no character of UTF-8 begins with becomes U+FFFD, three bytes. NULL: no memory. */
static char *made_valid(struct sw_arena *arena, const char *text, size_t length) {
    char *made = length > SIZE_MAX / 3 - 1 ? NULL : sw_arena_new(arena, 3 * length + 1, 1), *to = made;
    while (made && length > 0) {
        size_t good = sw_utf8_valid(text, length), wrong = good < length;
        memcpy(to, text, good);
        memcpy(to + good, "\xef\xbf\xbd", 3 * wrong);
        to += good + 3 * wrong;
        text += good + wrong;
        length -= good + wrong;
    }
    return made;
}

const char *sw_unique_text(struct sw_arena *arena, const char *bytes, size_t length) {
    char *copy = sw_arena_string(arena, bytes, length);
    for (size_t i = 0; copy && i < length; i++) {
        copy[i] = (unsigned char)copy[i] < 32 || copy[i] == 127 ? '?' : copy[i];
    }
    if (copy && sw_utf8_valid(copy, length) < length) {
        copy = made_valid(arena, copy, length);
    }
    size_t kept = 0, count = copy ? strlen(copy) : 0;
    for (size_t i = 0, skip; i < count; i += skip) {
        size_t non = noncharacter(copy + i, count - i);
        skip = non ? non : 1;
        copy[kept++] = non ? '?' : copy[i];
    }
    if (copy) {
        copy[kept] = '\0';
    }
    return copy;
}

char *sw_unique_printf(struct sw_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    va_end(arguments);
    char *text = sw_arena_new(arena, room, 1);
    va_start(arguments, format);
    if (text) {
        vsnprintf(text, room, format, arguments);
    }
    va_end(arguments);
    return text;
}
