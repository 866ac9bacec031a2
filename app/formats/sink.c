#include "formats/text/csv.h"
#include "base/base.h"
#include "formats/format.h"

#include <strings.h>

/* ---- collecting ---- */

void sw_sink_add(struct sw_sink *sink, const void *bytes, size_t length) {
    size_t wanted;
    if (sink->failed || length == 0) {
        return;
    }
    if (__builtin_add_overflow(sink->text.count, length, &wanted) || !SW_RESERVE(&sink->text, wanted)) {
        sink->failed = true;
        return;
    }
    memcpy(sink->text.items + sink->text.count, bytes, length);
    sink->text.count = wanted;
}

static void add_literal(struct sw_sink *sink, const char *text) {
    sw_sink_add(sink, text, strlen(text));
}

void sw_sink_vprintf(struct sw_sink *sink, const char *format, va_list arguments) {
    char short_text[256];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(short_text, sizeof short_text, format, arguments);
    if (length < 0) {
        sink->failed = true;
    } else if ((size_t)length < sizeof short_text) {
        sw_sink_add(sink, short_text, (size_t)length);
    } else if (!sink->failed) {
        /* vsnprintf ends its text with a NUL, for which there must be room too. */
        if (SW_RESERVE(&sink->text, sink->text.count + (size_t)length + 1)) {
            vsnprintf(sink->text.items + sink->text.count, (size_t)length + 1, format, again);
            sink->text.count += (size_t)length;
        } else {
            sink->failed = true;
        }
    }
    va_end(again);
}

void sw_sink_printf(struct sw_sink *sink, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_sink_vprintf(sink, format, arguments);
    va_end(arguments);
}

/* Where the plain letters end that need no second look, in any of the languages below. */
static const char *skip_plain(const char *text) {
    while (sw_is_letter(*text) || *text == '_' || sw_is_digit(*text)) {
        text++;
    }
    return text;
}

/* \u0085, or two of them for a character above U+FFFF. */
static void add_escape(struct sw_sink *sink, uint32_t code) {
    if (code > 0xffff) {
        sw_sink_printf(sink, "\\u%04x", 0xd7c0 + (unsigned)(code >> 10));
        code = 0xdc00 | (code & 0x3ff);
    }
    sw_sink_printf(sink, "\\u%04x", (unsigned)code);
}

static size_t plain_json(const char *text) {
    size_t length = 0;
    while (text[length] >= ' ' && text[length] <= '~' && text[length] != '"' && text[length] != '\\') {
        length++;
    }
    return length;
}

/* What must not be shown is escaped, so that nothing is lost; what is no UTF-8 is U+FFFD. */
void sw_sink_json(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    size_t length = plain_json(text);
    if (!text[length] && !sink->failed && SW_RESERVE(&sink->text, sink->text.count + length + 2)) { /* most are plain */
        char *to = sink->text.items + sink->text.count;
        *to = to[length + 1] = '"';
        memcpy(to + 1, text, length);
        sink->text.count += length + 2;
        return;
    }
    sw_sink_add(sink, "\"", 1);
    for (size_t skip; *text; text += skip) {
        static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
        skip = plain_json(text);
        const char *known = skip > 0 ? NULL : strchr(from, *text);
        uint32_t code;
        if (known) {
            sw_sink_printf(sink, "\\%c", to[known - from]);
            before = 0;
            skip = 1;
        } else if (skip > 0) {
            sw_sink_add(sink, text, skip);
            before = (unsigned char)text[skip - 1];
        } else if (sw_utf8_shown(text, SIZE_MAX, true, &before, &skip)) {
            sw_sink_add(sink, text, skip);
        } else {
            add_escape(sink, sw_utf8_decode(text, SIZE_MAX, &code) ? code : 0xfffd);
        }
    }
    sw_sink_add(sink, "\"", 1);
}

void sw_sink_xml(struct sw_sink *sink, const char *text, size_t length) {
    uint32_t before = 0;
    for (size_t i = 0, skip; i < length; i += skip) {
        bool space = text[i] == '\t' || text[i] == '\n' || text[i] == '\r';
        bool shown = sw_utf8_shown(text + i, length - i, true, &before, &skip) || space ||
                     before == 0x200e; /* which drawing puts behind names that are read from the right */
        const char *entity = text[i] == '<'   ? "&lt;"
                             : text[i] == '>' ? "&gt;"
                             : text[i] == '&' ? "&amp;"
                             : text[i] == '"' ? "&quot;"
                                              : NULL;
        if (entity) {
            add_literal(sink, entity);
        } else {
            sw_sink_add(sink, shown ? text + i : "?", shown ? skip : 1);
        }
    }
}

/* ---- CSV: three things must be told apart when it is read again ---- */

bool sw_csv_is_formula(const char *text, size_t length) {
    static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};
    size_t i = 0;
    while (i < length && strchr(" \t\r\n'", text[i]) && text[i]) {
        i++;
    }
    if (i == length) {
        return false;
    }
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) {
        if (length - i >= 3 && memcmp(text + i, wide[k], 3) == 0) {
            return true;
        }
    }
    return text[i] && strchr("=+-@", text[i]);
}

/* \u and four digits, small ones: their number; false: none. */
static bool read_escape(const char *text, size_t length, uint32_t *code) {
    uint32_t sum = 0;
    if (length < 6 || text[0] != '\\' || text[1] != 'u') {
        return false;
    }
    for (size_t i = 2; i < 6; i++) {
        char c = text[i];
        if (!sw_is_digit(c) && !(c >= 'a' && c <= 'f')) {
            return false;
        }
        sum = sum << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *code = sum;
    return true;
}

size_t sw_csv_escape(const char *text, size_t length, uint32_t *code) {
    uint32_t high, low;
    size_t used = 6;
    if (!read_escape(text, length, &high)) {
        return 0;
    }
    *code = high;
    if (high >= 0xd800 && high < 0xdc00) {
        if (!read_escape(text + 6, length - 6, &low) || low < 0xdc00 || low > 0xdfff) {
            return 0;
        }
        *code = 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));
        used = 12;
    }
    return *code && (*code == '\\' || sw_utf8_unsafe(*code)) ? used : 0;
}

/* The text inside of a cell: quotes doubled, and in the place of what must not be shown its escape.
 * A backslash is escaped only where an escape seems to begin. */
static void add_csv_cell(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    for (size_t skip; *text; text += skip) {
        const char *end = skip_plain(text);
        uint32_t code = 0;
        skip = (size_t)(end - text);
        if (skip > 0) {
            sw_sink_add(sink, text, skip);
            before = (unsigned char)end[-1];
        } else if (*text == '"') {
            sw_sink_add(sink, "\"\"", 2);
            skip = 1;
        } else if (*text == '\\' && sw_csv_escape(text, strnlen(text, 12), &code)) {
            add_escape(sink, '\\');
            skip = 1;
        } else if (sw_utf8_shown(text, SIZE_MAX, true, &before, &skip)) {
            sw_sink_add(sink, text, skip);
        } else if (sw_utf8_decode(text, SIZE_MAX, &code)) {
            add_escape(sink, code);
        } else {
            sw_sink_add(sink, "?", 1); /* no UTF-8: names are, paths need not be */
        }
    }
}

void sw_sink_csv(struct sw_sink *sink, const char *text) {
    size_t length = strlen(text);
    bool spaced = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');
    bool quoted = spaced || strpbrk(text, ",;\"");
    sw_sink_add(sink, "\"", quoted);
    sw_sink_add(sink, "'", sw_csv_is_formula(text, length));
    add_csv_cell(sink, text);
    sw_sink_add(sink, "\"", quoted);
}

/* ---- for people ---- */

/* In Markdown: ends a cell, begins a mark, names a person or an issue, or makes a link. */
static bool is_mark(const char *text, const char *at) {
    return strchr("|\\`*_<>[]&@#~$", *at) || strncmp(at, "://", 3) == 0 ||
           (*at == '.' && at - text >= 3 && strncasecmp(at - 3, "www", 3) == 0);
}

void sw_sink_md(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    size_t skip;
    for (const char *at = text; *at; at += skip) {
        bool shown = sw_utf8_shown(at, SIZE_MAX, true, &before, &skip);
        sw_sink_add(sink, "\\", shown && is_mark(text, at));
        sw_sink_add(sink, shown ? at : "?", shown ? skip : 1);
    }
}

void sw_sink_text(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    for (size_t skip; *text; text += skip) {
        const char *end = skip_plain(text);
        skip = (size_t)(end - text);
        if (skip > 0) {
            before = (unsigned char)end[-1];
            sw_sink_add(sink, text, skip);
        } else if (sw_utf8_shown(text, SIZE_MAX, true, &before, &skip)) {
            sw_sink_add(sink, text, skip);
        } else {
            sw_sink_add(sink, "?", 1);
        }
    }
}

/* The format of a printf that gives the text: what must not be shown, and what has a meaning there, by its number. */
static void add_shell_format(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    const char *begin = text;
    for (size_t skip; *text; text += skip) {
        bool option = text == begin && *text == '-';
        if (sw_utf8_shown(text, SIZE_MAX, true, &before, &skip) && !strchr("'\\%", *text) && !option) {
            sw_sink_add(sink, text, skip);
            continue;
        }
        for (size_t i = 0; i < skip; i++) {
            sw_sink_printf(sink, "\\%03o", (unsigned char)text[i]);
        }
    }
}

/* Between quotes, each quote in it outside of them. */
static void add_shell_quoted(struct sw_sink *sink, const char *text) {
    add_literal(sink, "'");
    for (size_t part; *text; text += part) {
        part = strcspn(text, "'");
        sw_sink_add(sink, text, part);
        if (text[part] == '\'') {
            add_literal(sink, "'\\''");
            part++;
        }
    }
    add_literal(sink, "'");
}

void sw_sink_quoted(struct sw_sink *sink, const char *text) {
    add_literal(sink, "\"");
    for (; *text; text++) {
        sw_sink_add(sink, "\\", *text == '"' || *text == '\\');
        sw_sink_add(sink, text, 1);
    }
    add_literal(sink, "\"");
}

void sw_sink_shell(struct sw_sink *sink, const char *text) {
    sw_sink_add(sink, "./", *text == '-' ? 2 : 0); /* it is no option */
    sw_sink_argument(sink, text);
}

void sw_sink_argument(struct sw_sink *sink, const char *text) {
    bool plain = *text != '\0', shown = true;
    uint32_t before = 0;
    size_t skip;
    for (const char *at = text; *at; at += skip) {
        shown = sw_utf8_shown(at, SIZE_MAX, true, &before, &skip) && shown;
        plain = plain && (skip_plain(at) > at || strchr("./+,:@%=-", *at) || skip > 1);
    }
    if (plain && shown) {
        add_literal(sink, text);
        return;
    }
    if (shown) {
        add_shell_quoted(sink, text);
        return;
    }
    /* $(...) takes newlines off the end; the other form is newer, and not every shell knows it. */
    bool ends = text[strlen(text) - 1] == '\n';
    add_literal(sink, ends ? "$'" : "\"$(printf '");
    add_shell_format(sink, text);
    add_literal(sink, ends ? "'" : "')\"");
}

void sw_sink_integer(struct sw_sink *sink, int64_t number) {
    char text[24], *at = text + sizeof text;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    *--at = '-';
    at += number >= 0;
    sw_sink_add(sink, at, (size_t)(text + sizeof text - at));
}

void sw_sink_number(struct sw_sink *sink, double number) {
    char text[40];
    if (!isfinite(number)) {
        add_literal(sink, "null");
        return;
    }
    sw_show_number(number, text);
    for (int digits = 16; digits <= 17 && strtod(text, NULL) != number; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
    }
    add_literal(sink, text);
}

char *sw_sink_ended(struct sw_sink *sink) {
    sw_sink_add(sink, "", 1);
    return sink->failed ? NULL : sink->text.items;
}

void sw_sink_done(struct sw_sink *sink) {
    SW_ARRAY_DONE(&sink->text);
    sink->failed = false;
}
