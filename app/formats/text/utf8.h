/* Text inputs: what every reader of text shares. Positions are found only when something is wrong,
 * by counting lines up to the byte at fault, so that readers keep nothing but pointers. */
#ifndef SW_FORMATS_TEXT_H
#define SW_FORMATS_TEXT_H

#include "formats/format.h"

#include <stdarg.h>

/* Times in files lie within +-SW_MAX_TIME, so that no reckoning with them overflows. A time that is inside
 * a lifetime is at most SW_LAST_TIME, so that the time after it can be written too. */
#define SW_MAX_TIME (INT64_C(1) << 62)
#define SW_LAST_TIME (SW_MAX_TIME - 1)

struct sw_position {
    uint32_t line, column; /* from 1; columns count bytes; a byte order mark counts as nothing */
};
struct sw_position sw_text_position(const struct sw_input *, const char *at);

/* Positions that are asked for in the order of the text: its lines are counted once. Zero it but for `begin`. */
struct sw_line_count {
    const char *begin;   /* of the text, and then of the last line that was asked for */
    const char *counted; /* up to here; NULL */
    uint32_t breaks;
};
struct sw_position sw_line_position(struct sw_line_count *, const char *at);

/* The text without its byte order mark. */
const char *sw_text_begin(const struct sw_input *);
static inline const char *sw_text_end(const struct sw_input *input) {
    return input->length > 0 ? input->bytes + input->length : input->bytes; /* which may be NULL */
}

/* Is it UTF-8 without NUL bytes? If not, say where. O(length). */
bool sw_text_check(const struct sw_input *, struct sw_error *);

/* Fail with SW_ERROR_INPUT at a byte of the input. Returns false. */
bool sw_text_fail(const struct sw_input *, const char *at, struct sw_error *, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool sw_text_vfail(const struct sw_input *, const char *at, struct sw_error *, const char *format, va_list)
    __attribute__((format(printf, 4, 0)));

/* Decimal integers with an optional '-', spaces around them allowed. */
enum sw_number { SW_NUMBER_OK, SW_NUMBER_NONE, SW_NUMBER_BAD, SW_NUMBER_BIG };
enum sw_number sw_number_parse(const char *text, size_t length, int64_t *value);

/* For writers: is the buffer's life one piece over all its bytes, as most are? */
bool sw_plain_life(const struct sw_buffer *);

/* A piece of text for a message, for names whole: cut, between characters, where it is longer than any name should be.
 */
struct sw_quote {
    char text[1024];
};
struct sw_quote sw_quote(const char *text, size_t length);

#endif
