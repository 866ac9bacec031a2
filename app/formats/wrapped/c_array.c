/* Arrays of bytes in C and C++ source. It is no compiler: an array is a name, brackets, perhaps attributes, '=' and a
 * list of numbers in braces; what stands between is looked at as tokens and left alone. */
#include "formats/wrapped/c_array.h"
#include "base/base.h"

enum array_token { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_QUOTED, TOKEN_DIRECTIVE, TOKEN_SIGN };
enum { SOURCE_LOOK = 1 << 16 }; /* bytes in which a type must be named */

struct source_scan {
    const char *at, *end;
    const char *from; /* of the token */
    uint32_t line;
    bool fresh; /* nothing stood on this line yet */
};

static bool is_c_name(char c) {
    return sw_is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool source_begins(const struct source_scan *scan, const char *with) {
    size_t length = strlen(with);
    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, with, length) == 0;
}

static void pass_byte(struct source_scan *scan) {
    if (*scan->at == '\n') {
        scan->line++;
        scan->fresh = true;
    }
    scan->at++;
}

static void skip_line(struct source_scan *scan) {
    while (scan->at < scan->end && *scan->at != '\n') {
        bool joined = *scan->at == '\\' && scan->end - scan->at > 1;
        pass_byte(scan);
        if (joined) {
            pass_byte(scan);
        }
    }
}

static void skip_comment(struct source_scan *scan) {
    scan->at += 2;
    while (scan->at < scan->end && !source_begins(scan, "*/")) {
        pass_byte(scan);
    }
    scan->at = scan->end - scan->at < 2 ? scan->end : scan->at + 2;
}

static void skip_c_blanks(struct source_scan *scan) {
    while (scan->at < scan->end) {
        if (source_begins(scan, "//")) {
            skip_line(scan);
        } else if (source_begins(scan, "/*")) {
            skip_comment(scan);
        } else if (strchr(" \t\r\n\f\v\\", *scan->at) && *scan->at) {
            pass_byte(scan);
        } else {
            return;
        }
    }
}

static void skip_quoted(struct source_scan *scan) {
    char quote = *scan->at++;
    while (scan->at < scan->end && *scan->at != quote && *scan->at != '\n') {
        scan->at += *scan->at == '\\' && scan->end - scan->at > 1 && scan->at[1] != '\n' ? 2 : 1;
    }
    scan->at += scan->at < scan->end && *scan->at == quote;
}

static enum array_token next(struct source_scan *scan) {
    skip_c_blanks(scan);
    scan->from = scan->at;
    if (scan->at == scan->end) {
        return TOKEN_END;
    }
    char c = *scan->at;
    bool fresh = scan->fresh;
    scan->fresh = false;
    if (c == '#' && fresh) {
        skip_line(scan);
        return TOKEN_DIRECTIVE;
    }
    if (is_c_name(c) || sw_is_digit(c)) {
        while (scan->at < scan->end &&
               (is_c_name(*scan->at) || sw_is_digit(*scan->at) || (*scan->at == '\'' && sw_is_digit(c)) ||
                (*scan->at == '.' && sw_is_digit(c)))) {
            scan->at++;
        }
        return sw_is_digit(c) ? TOKEN_NUMBER : TOKEN_NAME;
    }
    if (c == '"' || c == '\'') {
        skip_quoted(scan);
        return TOKEN_QUOTED;
    }
    scan->at++;
    return TOKEN_SIGN;
}

static bool is_sign(const struct source_scan *scan, enum array_token token, char c) {
    return token == TOKEN_SIGN && *scan->from == c;
}

/* ---- numbers ---- */

/* A whole number of at most 255; -1: it is none. */
static int byte_of(const char *at, const char *end) {
    int base = 10, value = 0;
    if (end - at > 1 && at[0] == '0') {
        bool hexadecimal = at[1] == 'x' || at[1] == 'X', binary = at[1] == 'b' || at[1] == 'B';
        base = hexadecimal ? 16 : binary ? 2 : 8;
        at += hexadecimal || binary ? 2 : 1;
        if (at == end) {
            return -1;
        }
    }
    const char *first = at;
    for (; at < end && ((int)sw_digit(*at) < base || *at == '\''); at++) {
        value = *at == '\'' ? value : value * base + (int)sw_digit(*at);
        if (value > UINT8_MAX) {
            return -1;
        }
    }
    bool any = at > first || base == 8;
    while (at < end && strchr("uUlL", *at)) {
        at++;
    }
    return any && at == end ? value : -1;
}

/* ---- one array ---- */

static void set_wrong(struct sw_c_array *array, const struct source_scan *scan, const char *what) {
    int length = (int)(scan->at - scan->from < 24 ? scan->at - scan->from : 24);
    char shown[25];
    for (int i = 0; i < length; i++) {
        char c = scan->from[i];
        shown[i] = (char)(c < ' ' || c > '~' ? '?' : c);
    }
    shown[length] = '\0';
    array->wrong_line = scan->line;
    snprintf(array->wrong, sizeof array->wrong, "%s%s%s", what, length ? ": " : "", shown);
}

/* The list behind '{', up to its '}'. False: no memory. */
static bool read_initializer(struct source_scan *scan, struct sw_c_array *array) {
    bool negative = false;
    int depth = 1;
    while (depth > 0) {
        enum array_token token = next(scan);
        int value = token == TOKEN_NUMBER ? byte_of(scan->from, scan->at) : -1;
        bool fits = value >= 0 && (!negative || value <= -INT8_MIN);
        if (token == TOKEN_END) {
            set_wrong(array, scan, "it is cut off");
            return true;
        }
        depth += is_sign(scan, token, '{') - is_sign(scan, token, '}');
        if (*array->wrong || depth == 0 || is_sign(scan, token, ',')) {
            negative = false;
        } else if (is_sign(scan, token, '-') && !negative) {
            negative = true;
        } else if (fits) {
            char byte = (char)(unsigned char)(negative ? 256 - value : value);
            negative = false;
            if (!SW_PUSH(&array->bytes, byte)) {
                return false;
            }
        } else {
            set_wrong(array, scan, token == TOKEN_DIRECTIVE ? "a directive stands in it" : "this is no byte");
        }
    }
    return true;
}

/* Behind the name and '[': is this an array with a list? The scan stands behind its '{' then. */
static bool has_list(struct source_scan *scan) {
    enum array_token token;
    int depth = 1;
    while (depth > 0) { /* to the ']' */
        token = next(scan);
        if (token == TOKEN_END || is_sign(scan, token, ';') || is_sign(scan, token, '{')) {
            return false;
        }
        depth += is_sign(scan, token, '[') - is_sign(scan, token, ']');
    }
    for (depth = 0;;) { /* attributes may stand before the '=' */
        token = next(scan);
        depth += is_sign(scan, token, '(') - is_sign(scan, token, ')');
        if (token == TOKEN_END || depth < 0 || is_sign(scan, token, ';') || is_sign(scan, token, '{')) {
            return false;
        }
        if (depth == 0 && is_sign(scan, token, '=')) {
            struct source_scan before = *scan;
            token = next(scan);
            bool list = is_sign(scan, token, '{');
            *scan = list ? *scan : before;
            return list;
        }
    }
}

bool sw_c_array_detect(const char *text, size_t length) {
    static const char *const types[] = {"char", "int8_t", "byte"};
    size_t seen = length < SOURCE_LOOK ? length : SOURCE_LOOK;
    const char *at = text;
    while (at < text + seen && strchr(" \t\r\n", *at) && *at) {
        at++;
    }
    if (at == text + seen || !(is_c_name(*at) || *at == '/' || *at == '#')) {
        return false;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *type = memmem(text, seen, types[i], strlen(types[i]));
        if (type && memchr(type, '{', length - (size_t)(type - text))) {
            return true;
        }
    }
    return false;
}

bool sw_c_arrays(const char *text, size_t length, sw_c_array_visit *visit, void *context, struct sw_error *error) {
    struct source_scan scan = {.at = text, .end = text + length, .line = 1, .fresh = true};
    struct sw_c_array array = {0};
    for (enum array_token token = next(&scan); token != TOKEN_END; token = next(&scan)) {
        if (token == TOKEN_NAME) {
            array =
                (struct sw_c_array){.name = scan.from, .name_length = (size_t)(scan.at - scan.from), .line = scan.line};
            continue;
        }
        struct source_scan before = scan;
        if (!array.name || !is_sign(&scan, token, '[') || !has_list(&scan)) {
            scan = before;
            array.name = NULL;
            continue;
        }
        bool good = read_initializer(&scan, &array) ? visit(context, &array, error) : sw_fail_memory(error);
        SW_FREE(array.bytes.items, array.bytes.capacity);
        array = (struct sw_c_array){0};
        if (!good) {
            return false;
        }
    }
    return true;
}
