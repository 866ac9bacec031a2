#include "formats/trace/read/trace_line.h"
#include "base/base.h"

#include <errno.h>

enum { DEPTH = 64 }; /* of lists and objects in one another */

/* ---- keys ---- */

static const char *const key_words[] = {
#define TRACE_KEY(id, word) word,
#include "formats/trace/read/trace_keys.def"
#undef TRACE_KEY
};
static const unsigned char lengths[] = {
#define TRACE_KEY(id, word) sizeof word - 1,
#include "formats/trace/read/trace_keys.def"
#undef TRACE_KEY
};

const char *sw_trace_key_word(enum sw_trace_key key) {
    return key_words[key];
}

/* The keys by length, first and last letter: filled at the first call. Filled twice it is the same. */
enum { PLACES = 256 };
static unsigned char places[PLACES]; /* a key's number + 1; 0: none */
static bool places_filled;

static unsigned key_place(const char *text, size_t length) {
    unsigned first = (unsigned char)text[0], last = (unsigned char)text[length - 1];
    return ((unsigned)length + first * 7 + last * 23) % PLACES;
}

static void fill_places(void) {
    unsigned char fresh[PLACES] = {0};
    for (unsigned i = 0; i < SW_TRACE_KEY_COUNT; i++) {
        unsigned at = key_place(key_words[i], lengths[i]);
        while (fresh[at]) {
            at = (at + 1) % PLACES;
        }
        fresh[at] = (unsigned char)(i + 1);
    }
    for (unsigned i = 0; i < PLACES; i++) {
        __atomic_store_n(&places[i], fresh[i], __ATOMIC_RELAXED);
    }
    __atomic_store_n(&places_filled, true, __ATOMIC_RELEASE);
}

static enum sw_trace_key find_key(const char *text, size_t length) {
    if (!__atomic_load_n(&places_filled, __ATOMIC_ACQUIRE)) {
        fill_places();
    }
    for (unsigned at = key_place(text, length), found; (found = __atomic_load_n(&places[at], __ATOMIC_RELAXED));
         at = (at + 1) % PLACES) {
        if (lengths[found - 1] == length && memcmp(key_words[found - 1], text, length) == 0) {
            return (enum sw_trace_key)(found - 1);
        }
    }
    return SW_TRACE_KEY_COUNT;
}

/* ---- checking, value by value ---- */

struct line_scan {
    const char *at, *end;
    struct sw_trace_fault *fault; /* NULL: it was checked before */
};

__attribute__((format(printf, 3, 4))) static bool fail_in_line(struct line_scan *scan, const char *at,
                                                               const char *format, ...) {
    if (scan->fault) {
        scan->fault->at = at;
        SW_FORMAT_INTO(scan->fault->text, format);
    }
    return false;
}

static void skip_space(struct line_scan *scan) {
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r' || *scan->at == '\n')) {
        scan->at++;
    }
}

/* Four hexadecimal digits; -1: there are not. */
static int32_t code_unit(const char *at, const char *end) {
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        unsigned digit = at + i < end ? sw_digit(at[i]) : 16;
        if (digit > 15) {
            return -1;
        }
        code = code << 4 | (int32_t)digit;
    }
    return code;
}

/* The character behind \u, and how many bytes of text it takes from there on; 0: it is none. */
static size_t escaped_code(const char *at, const char *end, uint32_t *code) {
    int32_t high = code_unit(at, end);
    if (high < 0 || high == 0 || (high >= 0xdc00 && high < 0xe000)) {
        return 0;
    }
    *code = (uint32_t)high;
    if (high < 0xd800 || high >= 0xdc00) {
        return 4;
    }
    int32_t low = at + 6 <= end && at[4] == '\\' && at[5] == 'u' ? code_unit(at + 6, end) : -1;
    if (low < 0xdc00 || low >= 0xe000) {
        return 0;
    }
    *code = 0x10000 + (((uint32_t)high - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
    return 10;
}

/* At a backslash. */
static bool skip_escape(struct line_scan *scan) {
    const char *at = scan->at;
    char c = at + 1 < scan->end ? at[1] : '\0';
    uint32_t code;
    if (c == 'u') {
        size_t taken = escaped_code(at + 2, scan->end, &code);
        scan->at += 2 + taken;
        return taken > 0 || fail_in_line(scan, at, "this escape is no character");
    }
    scan->at += 2;
    return (c && strchr("\"\\/bfnrt", c)) || fail_in_line(scan, at, "there is no such escape in a text");
}

/* The first byte from `at` on that a text may not have as it is: a quote, a backslash, a control character, or one that
 * is not ASCII. Eight bytes at a time: a byte b is below c where b - c borrows into its top bit and b has no top bit
 * (Mycroft); false finds stand only above true ones, and the lowest is taken. */
static const char *plain_end(const char *at, const char *end) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        word = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
        uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
        uint64_t found =
            (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | ((word - ones * 0x20) & ~word) | word) &
            tops;
        if (found) {
            return at + __builtin_ctzll(found) / 8;
        }
        at += 8;
    }
    while (at < end && *at != '"' && *at != '\\' && (signed char)*at >= 0x20) {
        at++;
    }
    return at;
}

/* At the opening quote; the value is what stands between the quotes. */
static bool skip_text(struct line_scan *scan, struct sw_trace_value *value) {
    const char *open = scan->at++;
    bool escaped = false;
    for (;;) {
        const char *at = scan->at = plain_end(scan->at, scan->end);
        if (at == scan->end) {
            return fail_in_line(scan, open, "this text does not end on its line");
        }
        if (*at == '"') {
            break;
        }
        uint32_t code;
        size_t taken = (unsigned char)*at >= 0x80 ? sw_utf8_decode(at, (size_t)(scan->end - at), &code) : 0;
        if (*at == '\\') {
            escaped = true;
            if (!skip_escape(scan)) {
                return false;
            }
        } else if (taken == 0) {
            return (unsigned char)*at >= 0x80 ? fail_in_line(scan, at, "the text is not UTF-8 here")
                                              : fail_in_line(scan, at, "a control character inside a text");
        } else {
            scan->at += taken;
        }
    }
    if (scan->at - open - 1 > UINT32_MAX) {
        return fail_in_line(scan, open, "this text is longer than 4 GiB");
    }
    *value =
        (struct sw_trace_value){open + 1, (uint32_t)(scan->at - open - 1), escaped ? SW_TRACE_ESCAPED : SW_TRACE_TEXT};
    scan->at++;
    return true;
}

static bool at_digit(const struct line_scan *scan) {
    return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
}

static bool skip_digits(struct line_scan *scan) {
    bool any = at_digit(scan);
    while (at_digit(scan)) {
        scan->at++;
    }
    return any;
}

static bool skip_number(struct line_scan *scan, struct sw_trace_value *value) {
    const char *begin = scan->at;
    value->type = SW_TRACE_WHOLE;
    scan->at += *scan->at == '-';
    const char *digits = scan->at;
    bool good = skip_digits(scan) && (scan->at - digits == 1 || *digits != '0');
    if (good && scan->at < scan->end && *scan->at == '.') {
        value->type = SW_TRACE_REAL;
        scan->at++;
        good = skip_digits(scan);
    }
    if (good && scan->at < scan->end && (*scan->at == 'e' || *scan->at == 'E')) {
        value->type = SW_TRACE_REAL;
        scan->at++;
        scan->at += scan->at < scan->end && (*scan->at == '+' || *scan->at == '-');
        good = skip_digits(scan);
    }
    value->text = begin;
    value->length = (uint32_t)(scan->at - begin);
    return (good && scan->at - begin < 400) || fail_in_line(scan, begin, "this is no number");
}

static bool skip_word(struct line_scan *scan, struct sw_trace_value *value) {
    static const struct {
        const char *word;
        enum sw_trace_type type;
    } known[] = {{"true", SW_TRACE_TRUE}, {"false", SW_TRACE_FALSE}, {"null", SW_TRACE_NULL}};
    size_t left = (size_t)(scan->end - scan->at);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].word);
        if (left >= length && memcmp(scan->at, known[i].word, length) == 0) {
            *value = (struct sw_trace_value){scan->at, (uint32_t)length, (uint8_t)known[i].type};
            scan->at += length;
            return true;
        }
    }
    return fail_in_line(scan, scan->at, "here should be a value");
}

/* "key": at the opening quote. */
static bool skip_key(struct line_scan *scan, struct sw_trace_value *key) {
    if (scan->at == scan->end || *scan->at != '"') {
        return fail_in_line(scan, scan->at, "here should be a key between quotes");
    }
    if (!skip_text(scan, key)) {
        return false;
    }
    skip_space(scan);
    if (scan->at == scan->end || *scan->at != ':') {
        return fail_in_line(scan, scan->at, "here should be a colon behind the key");
    }
    scan->at++;
    skip_space(scan);
    return true;
}

/* A list or an object, to its closing bracket. A stack of one bit a level says which it is. */
static bool skip_nested(struct line_scan *scan, struct sw_trace_value *value) {
    const char *begin = scan->at;
    uint64_t objects = 0;
    unsigned depth = 0;
    bool opened = false; /* just now: it may be empty */
    struct sw_trace_value inner;
    do {
        bool object = depth > 0 && (objects >> (depth - 1) & 1);
        skip_space(scan);
        char c = scan->at < scan->end ? *scan->at : '\0';
        if (depth > 0 && c == (object ? '}' : ']') && opened) {
            scan->at++;
            depth--;
        } else {
            if (depth > 0 && object && !skip_key(scan, &inner)) {
                return false;
            }
            c = scan->at < scan->end ? *scan->at : '\0';
            if (c == '{' || c == '[') {
                if (depth == DEPTH) {
                    return fail_in_line(scan, scan->at, "this is nested deeper than %d levels", DEPTH);
                }
                objects = (objects & ~(UINT64_C(1) << depth)) | (uint64_t)(c == '{') << depth;
                depth++;
                scan->at++;
                opened = true;
                continue;
            }
            if (!(c == '"'                             ? skip_text(scan, &inner)
                  : c == '-' || (c >= '0' && c <= '9') ? skip_number(scan, &inner)
                                                       : skip_word(scan, &inner))) {
                return false;
            }
        }
        opened = false;
        /* behind a value: a comma, or any number of closing brackets */
        while (depth > 0) {
            skip_space(scan);
            object = objects >> (depth - 1) & 1;
            c = scan->at < scan->end ? *scan->at : '\0';
            if (c == ',') {
                scan->at++;
                break;
            }
            if (c != (object ? '}' : ']')) {
                return scan->at == scan->end
                           ? fail_in_line(scan, begin, "this %s does not end on its line",
                                          *begin == '{' ? "object" : "list")
                           : fail_in_line(scan, scan->at, "here should be a comma or a closing bracket");
            }
            scan->at++;
            depth--;
        }
    } while (depth > 0);
    if (scan->at - begin > UINT32_MAX) {
        return fail_in_line(scan, begin, "this value is longer than 4 GiB");
    }
    *value =
        (struct sw_trace_value){begin, (uint32_t)(scan->at - begin), *begin == '{' ? SW_TRACE_OBJECT : SW_TRACE_LIST};
    return true;
}

static bool skip_trace_value(struct line_scan *scan, struct sw_trace_value *value) {
    char c = scan->at < scan->end ? *scan->at : '\0';
    return c == '"'                             ? skip_text(scan, value)
           : c == '{' || c == '['               ? skip_nested(scan, value)
           : c == '-' || (c >= '0' && c <= '9') ? skip_number(scan, value)
                                                : skip_word(scan, value);
}

/* ---- objects and lists ---- */

static bool read_members(struct line_scan *scan, struct sw_trace_object *object) {
    struct sw_trace_value key, value;
    skip_space(scan);
    if (scan->at < scan->end && *scan->at == '}') {
        scan->at++;
        return true;
    }
    for (;;) {
        skip_space(scan);
        if (!skip_key(scan, &key) || !skip_trace_value(scan, &value)) {
            return false;
        }
        enum sw_trace_key which =
            key.type == SW_TRACE_TEXT && key.length > 0 ? find_key(key.text, key.length) : SW_TRACE_KEY_COUNT;
        if (which == SW_TRACE_KEY_COUNT) {
            object->unknown++;
        } else {
            object->values[which] = value;
            object->set[which / 64] |= UINT64_C(1) << which % 64;
        }
        skip_space(scan);
        char c = scan->at < scan->end ? *scan->at : '\0';
        scan->at++;
        if (c == '}') {
            return true;
        }
        if (c != ',') {
            scan->at--;
            return scan->at >= scan->end ? fail_in_line(scan, scan->end, "the line ends inside its object")
                                         : fail_in_line(scan, scan->at, "here should be a comma or a closing brace");
        }
    }
}

bool sw_trace_object_read(struct sw_trace_object *object, const char *at, const char *end,
                          struct sw_trace_fault *fault) {
    memset(object, 0, sizeof *object);
    return sw_trace_object_next(object, at, end, fault);
}

static void clear_object(struct sw_trace_object *object) {
    for (unsigned i = 0; i < sizeof object->set / sizeof *object->set; i++) {
        for (uint64_t set = object->set[i]; set; set &= set - 1) {
            object->values[64 * i + (unsigned)__builtin_ctzll(set)] = (struct sw_trace_value){0};
        }
        object->set[i] = 0;
    }
    object->unknown = 0;
}

bool sw_trace_object_next(struct sw_trace_object *object, const char *at, const char *end,
                          struct sw_trace_fault *fault) {
    struct line_scan scan = {at, end, fault};
    clear_object(object);
    skip_space(&scan);
    if (scan.at == end || *scan.at != '{') {
        return fail_in_line(&scan, scan.at, "a line of a trace is a JSON object, which begins with a brace");
    }
    scan.at++;
    if (!read_members(&scan, object)) {
        return false;
    }
    skip_space(&scan);
    return scan.at == end || fail_in_line(&scan, scan.at, "something stands behind the object of this line");
}

void sw_trace_object_inside(struct sw_trace_object *object, struct sw_trace_value value) {
    memset(object, 0, sizeof *object);
    if (value.type == SW_TRACE_OBJECT) {
        sw_trace_object_read(object, value.text, value.text + value.length, NULL);
    }
}

static struct sw_trace_items open_items(struct sw_trace_value value, enum sw_trace_type type) {
    bool right = value.type == type && value.length >= 2;
    return right ? (struct sw_trace_items){value.text + 1, value.text + value.length - 1}
                 : (struct sw_trace_items){NULL, NULL};
}

static bool next_trace_item(struct sw_trace_items *items, struct sw_trace_value *key, struct sw_trace_value *value) {
    struct line_scan scan = {items->at, items->end, NULL};
    skip_space(&scan);
    if (scan.at < scan.end && *scan.at == ',') {
        scan.at++;
        skip_space(&scan);
    }
    bool there = scan.at < scan.end && (!key || skip_key(&scan, key)) && skip_trace_value(&scan, value);
    items->at = scan.at;
    return there;
}

struct sw_trace_items sw_trace_items(struct sw_trace_value list) {
    return open_items(list, SW_TRACE_LIST);
}

bool sw_trace_items_next(struct sw_trace_items *items, struct sw_trace_value *value) {
    return next_trace_item(items, NULL, value);
}

struct sw_trace_items sw_trace_members(struct sw_trace_value object) {
    return open_items(object, SW_TRACE_OBJECT);
}

bool sw_trace_members_next(struct sw_trace_items *items, struct sw_trace_value *key, struct sw_trace_value *value) {
    return next_trace_item(items, key, value);
}

/* ---- what values mean ---- */

bool sw_trace_is(struct sw_trace_value value, const char *word) {
    return value.type == SW_TRACE_TEXT && value.length == strlen(word) && memcmp(value.text, word, value.length) == 0;
}

/* The character behind a backslash as UTF-8; returns the bytes of text that it takes. */
static size_t unescape(const char *at, const char *end, char to[4], size_t *length) {
    static const char from[] = "bfnrt", plain[] = "\b\f\n\r\t";
    const char *found = strchr(from, *at);
    uint32_t code;
    *length = 1;
    to[0] = found && *at ? plain[found - from] : *at;
    if (*at != 'u') {
        return 1;
    }
    size_t taken = escaped_code(at + 1, end, &code);
    *length = sw_utf8_encode(code, to);
    return 1 + taken;
}

size_t sw_trace_text(struct sw_trace_value value, char *to, size_t room) {
    const char *at = value.text, *end = at + value.length;
    size_t used = 0, kept = 0;
    if (value.type != SW_TRACE_ESCAPED) {
        kept = value.length < room ? value.length : sw_utf8_cut(at, value.length, room - 1);
        if (kept > 0) {
            memcpy(to, at, kept);
        }
        to[kept] = '\0';
        return value.length;
    }
    while (at < end) {
        char bytes[4];
        size_t length = 0;
        if (*at == '\\') {
            at += 1 + unescape(at + 1, end, bytes, &length);
        } else {
            uint32_t code;
            length = sw_utf8_decode(at, (size_t)(end - at), &code);
            length = length ? length : 1;
            memcpy(bytes, at, length);
            at += length;
        }
        if (used == kept && used + length < room) {
            memcpy(to + used, bytes, length);
            kept += length;
        }
        used += length;
    }
    to[kept] = '\0';
    return used;
}

const char *sw_trace_string(struct sw_arena *arena, struct sw_trace_value value) {
    if (value.type != SW_TRACE_ESCAPED) {
        return sw_arena_string(arena, value.text, value.length);
    }
    char *copy = sw_arena_new(arena, (size_t)value.length + 1, 1);
    if (copy) {
        sw_trace_text(value, copy, (size_t)value.length + 1);
    }
    return copy;
}

bool sw_trace_unsigned(struct sw_trace_value value, uint64_t *to) {
    uint64_t number = 0;
    if (value.type == SW_TRACE_REAL) {
        double real = sw_trace_number(value);
        *to = real >= 0 && real < 0x1p63 ? (uint64_t)real : 0;
        return real >= 0 && real < 0x1p63 && (double)*to == real;
    }
    if (value.type != SW_TRACE_WHOLE || *value.text == '-') {
        return false;
    }
    for (uint32_t i = 0; i < value.length; i++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(value.text[i] - '0'), &number)) {
            return false;
        }
    }
    *to = number;
    return true;
}

bool sw_trace_signed(struct sw_trace_value value, int64_t *to) {
    uint64_t number;
    bool minus = value.length > 0 && *value.text == '-';
    if (minus && (value.type == SW_TRACE_WHOLE || value.type == SW_TRACE_REAL)) {
        value.text++;
        value.length--;
    }
    if (!sw_trace_unsigned(value, &number) || number > INT64_MAX) {
        return false;
    }
    *to = minus ? -(int64_t)number : (int64_t)number;
    return true;
}

double sw_trace_number(struct sw_trace_value value) {
    char text[404];
    if ((value.type != SW_TRACE_WHOLE && value.type != SW_TRACE_REAL) || value.length >= sizeof text) {
        return (double)NAN;
    }
    memcpy(text, value.text, value.length);
    text[value.length] = '\0';
    return strtod(text, NULL); /* LC_NUMERIC stays "C" */
}
