#include "formats/text/size.h"
#include "base/base.h"
#include "formats/text/utf8.h"

/* ---- whole numbers ---- */

/* Where the digits end; `big`: they are more than 64 bits. Without a digit: `text` itself. */
static const char *parse_digits(const char *text, uint64_t *value, bool *big) {
    unsigned radix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    const char *at = radix == 16 ? text + 2 : text, *start = at;
    uint64_t sum = 0;
    for (unsigned digit; (digit = sw_digit(*at)) < radix; at++) {
        *big |= __builtin_mul_overflow(sum, radix, &sum) || __builtin_add_overflow(sum, digit, &sum);
    }
    *value = sum;
    return at == start ? text : at;
}

bool sw_parse_integer(const char *text, uint64_t *value) {
    uint64_t sum;
    bool big = false;
    const char *end = parse_digits(text, &sum, &big);
    if (end == text || *end || big) {
        return false;
    }
    *value = sum;
    return true;
}

/* ---- sizes ---- */

static const char size_units[] = "KMGT";

size_t sw_size_unit(const char *text, unsigned *shift) {
    const char *letter = *text ? strchr(size_units, *text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text) : NULL;
    size_t length = letter != NULL;
    *shift = letter ? 10 * (unsigned)(letter - size_units + 1) : 0;
    if (!letter) {
        return *text == 'B' || *text == 'b';
    }
    if ((text[1] == 'i' || text[1] == 'I') && (text[2] == 'B' || text[2] == 'b')) {
        length = 3;
    }
    return length;
}

/* A decimal number: its digits with the separators and the point taken out. */
struct figure {
    unsigned __int128 digits;
    unsigned places; /* digits behind the point */
    unsigned zeros;  /* more of them, at the end */
    bool big;
};

static void add_digit(struct figure *figure, char digit) {
    figure->big = figure->big || figure->digits > UINT64_MAX;
    figure->digits = figure->big ? 0 : figure->digits * 10 + (unsigned)(digit - '0');
}

/* "64512" or "64,512"; where it ends, or NULL where the separators do not stand by threes. */
static const char *parse_whole(const char *at, struct figure *figure) {
    size_t first = strspn(at, "0123456789");
    for (size_t i = 0; i < first; i++) {
        add_digit(figure, at[i]);
    }
    for (at += first; *at == ','; at += 4) {
        if (first > 3 || strspn(at + 1, "0123456789") != 3) {
            return NULL;
        }
        for (size_t i = 1; i <= 3; i++) {
            add_digit(figure, at[i]);
        }
    }
    return at;
}

/* ".25"; zeros at its end say nothing. NULL: there is a point and no digit. */
static const char *parse_places(const char *at, struct figure *figure) {
    if (*at != '.') {
        return at;
    }
    size_t count = strspn(++at, "0123456789"), kept = count;
    while (kept > 0 && at[kept - 1] == '0') {
        kept--;
    }
    for (size_t i = 0; i < kept; i++) {
        add_digit(figure, at[i]);
        figure->places++;
    }
    figure->zeros = (unsigned)(count - kept);
    return count ? at + count : NULL;
}

enum size_outcome { FINE, MALFORMED, BIG, BROKEN };

/* digits / 10^places * 2^shift. A factor of ten is a two, which the shift may have, and a five. */
static enum size_outcome scale_figure(const struct figure *figure, unsigned shift, uint64_t *bytes) {
    unsigned __int128 value = figure->digits;
    if (figure->big) {
        return figure->places ? BROKEN : BIG;
    }
    for (unsigned i = 0; i < figure->places; i++) {
        bool halves = shift == 0;
        if (value % 5 || (halves && value % 2)) {
            return BROKEN;
        }
        value /= halves ? 10 : 5;
        shift -= !halves;
    }
    if (value > UINT64_MAX >> shift) {
        return BIG;
    }
    *bytes = (uint64_t)value << shift;
    return FINE;
}

/* The number alone: its end, or NULL. */
static const char *parse_figure(const char *text, struct figure *figure) {
    *figure = (struct figure){0};
    if (!sw_is_digit(*text)) {
        return NULL;
    }
    if (text[1] == 'x' || text[1] == 'X') {
        uint64_t value = 0;
        const char *end = parse_digits(text, &value, &figure->big);
        figure->digits = value;
        return end == text ? NULL : end;
    }
    const char *end = parse_whole(text, figure);
    return end ? parse_places(end, figure) : NULL;
}

size_t sw_size_figure(const char *text) {
    struct figure figure;
    const char *end = parse_figure(text, &figure);
    return end ? (size_t)(end - text) : 0;
}

static enum size_outcome parse_size_text(const char *text, uint64_t *bytes) {
    struct figure figure;
    unsigned shift = 0;
    const char *end = parse_figure(text, &figure);
    if (!end) {
        return MALFORMED;
    }
    if (*end) {
        end += strspn(end, " ");
        size_t length = sw_size_unit(end, &shift);
        if (length == 0 || end[length]) {
            return MALFORMED;
        }
    }
    return scale_figure(&figure, shift, bytes);
}

/* 2^61 rather than its nineteen digits. */
static const char *show_most(uint64_t most, char text[24]) {
    bool power = most && !(most & (most - 1));
    if (most == UINT64_MAX) {
        return "2^64 - 1";
    }
    snprintf(text, 24, power ? "2^%.0f" : "%.0f", power ? (double)__builtin_ctzll(most) : (double)most);
    return text;
}

bool sw_parse_size(const char *text, uint64_t most, uint64_t *bytes, struct sw_error *error) {
    uint64_t value = 0;
    char limit[24];
    enum size_outcome outcome = parse_size_text(text, &value);
    struct sw_quote quote = sw_quote(text, strlen(text));
    if (outcome == FINE && value <= most) {
        *bytes = value;
        return true;
    }
    if (outcome == BROKEN) {
        return sw_fail(error, SW_ERROR_USAGE, "'%s' is not a whole number of bytes", quote.text);
    }
    if (outcome != MALFORMED) {
        return sw_fail(error, SW_ERROR_USAGE, "'%s' is too large: up to %s bytes", quote.text, show_most(most, limit));
    }
    if (*text == '-' && sw_is_digit(text[1])) {
        return sw_fail(error, SW_ERROR_USAGE, "'%s' is negative", quote.text);
    }
    return sw_fail(error, SW_ERROR_USAGE, "'%s' is not a number of bytes (64512, 64,512, 0xfc00, 63K, 63 KiB, 2.25K)",
                   quote.text);
}

size_t sw_size_unit_read(const char *text, unsigned *shift) {
    size_t length = sw_size_unit(text, shift);
    return length + (*shift && length == 1 && (text[1] == 'B' || text[1] == 'b'));
}

/* From half of the last digit below to half of it above. */
bool sw_parse_size_read(const char *text, uint64_t most, struct sw_size_read *read) {
    enum { MOST_PLACES = 6 };
    struct figure figure;
    unsigned shift = 0;
    const char *end = parse_figure(text, &figure);
    if (!end || figure.big || figure.places + figure.zeros > MOST_PLACES) {
        return false;
    }
    end += strspn(end, " ");
    size_t length = sw_size_unit_read(end, &shift);
    read->decimal = length == 2;
    if (end[length]) {
        return false;
    }
    unsigned __int128 parts = 1, digits = figure.digits;
    for (unsigned i = 0; i < figure.places + figure.zeros; i++) {
        parts *= 10;
        digits *= i < figure.zeros ? 10 : 1;
    }
    unsigned __int128 bytes = digits << shift,
                      half = parts > 1 ? UINT64_C(1) << shift : 0; /* half of a last digit, twice */
    read->rounded = parts > 1 && (figure.zeros > 0 || bytes % parts);
    if ((2 * bytes + half) / (2 * parts) > most) {
        return false;
    }
    read->least = (uint64_t)((2 * bytes - SW_MIN(2 * bytes, half) + 2 * parts - 1) / (2 * parts));
    read->nearest = (uint64_t)((2 * bytes + parts) / (2 * parts));
    read->most = (uint64_t)((2 * bytes + half) / (2 * parts));
    return true;
}

const char *sw_size_digits(const char *text, char digits[24]) {
    uint64_t bytes;
    if (!sw_parse_size(text, UINT64_MAX, &bytes, NULL)) {
        return text;
    }
    snprintf(digits, 24, "%" PRIu64, bytes);
    return digits;
}
