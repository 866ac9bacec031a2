#include "formats/text/utf8.h"
#include "base/base.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";

struct sw_position sw_line_position(struct sw_line_count *lines, const char *at) {
    const char *found;
    lines->counted = lines->counted ? lines->counted : lines->begin;
    while (lines->counted < at && (found = memchr(lines->counted, '\n', (size_t)(at - lines->counted)))) {
        lines->counted = lines->begin = found + 1;
        lines->breaks += lines->breaks < UINT32_MAX - 1;
    }
    lines->counted = SW_MAX(lines->counted, at);
    size_t column = (size_t)(at - lines->begin) + 1;
    return (struct sw_position){lines->breaks + 1, (uint32_t)SW_MIN(column, (size_t)UINT32_MAX)};
}

const char *sw_text_begin(const struct sw_input *input) {
    bool marked = input->length >= 3 && memcmp(input->bytes, byte_order_mark, 3) == 0;
    return marked ? input->bytes + 3 : input->bytes;
}

struct sw_position sw_text_position(const struct sw_input *input, const char *at) {
    const char *line = sw_text_begin(input);
    uint32_t count = 1;
    if (at < line) {
        at = line;
    }
    for (const char *found; line < at && (found = memchr(line, '\n', (size_t)(at - line)));) {
        line = found + 1;
        count += count < UINT32_MAX;
    }
    size_t column = (size_t)(at - line) + 1;
    return (struct sw_position){count, column > UINT32_MAX ? UINT32_MAX : (uint32_t)column};
}

bool sw_text_vfail(const struct sw_input *input, const char *at, struct sw_error *error, const char *format,
                   va_list arguments) {
    if (!error) {
        return false;
    }
    char text[sizeof error->message];
    vsnprintf(text, sizeof text, format, arguments);
    sw_fail(error, SW_ERROR_INPUT, "%s", text);
    struct sw_position position = sw_text_position(input, at);
    sw_error_at(error, input->name, position.line, position.column);
    return false;
}

bool sw_text_fail(const struct sw_input *input, const char *at, struct sw_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_text_vfail(input, at, error, format, arguments);
    va_end(arguments);
    return false;
}

bool sw_text_check(const struct sw_input *input, struct sw_error *error) {
    const char *wrong = input->bytes + sw_utf8_valid(input->bytes, input->length);
    if (wrong == input->bytes + input->length) {
        return true;
    }
    if (*wrong == '\0') {
        return sw_text_fail(input, wrong, error, "a NUL byte: this is not a text file");
    }
    return sw_text_fail(input, wrong, error, "byte 0x%02x is not valid UTF-8", (unsigned)(unsigned char)*wrong);
}

enum sw_number sw_number_parse(const char *text, size_t length, int64_t *value) {
    while (length > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) {
        length--;
    }
    if (length == 0) {
        return SW_NUMBER_NONE;
    }
    bool negative = *text == '-';
    size_t i = negative;
    if (i == length) {
        return SW_NUMBER_BAD;
    }
    int64_t sum = 0;
    bool big = false;
    for (; i < length; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9) {
            return SW_NUMBER_BAD;
        }
        /* Reckoned downwards, for the lowest number has no positive counterpart. */
        big = big || __builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, (int64_t)digit, &sum);
    }
    if (big || (!negative && sum == INT64_MIN)) {
        return SW_NUMBER_BIG;
    }
    *value = negative ? sum : -sum;
    return SW_NUMBER_OK;
}

struct sw_quote sw_quote(const char *text, size_t length) {
    struct sw_quote quote;
    bool cut = length > sizeof quote.text - 4;
    length = sw_utf8_cut(text, length, sizeof quote.text - 4);
    memcpy(quote.text, text, length);
    memcpy(quote.text + length, cut ? "..." : "", cut ? 4 : 1);
    return quote;
}

bool sw_plain_life(const struct sw_buffer *buffer) {
    return buffer->piece_count == 0 ||
           (buffer->piece_count == 1 && buffer->pieces->lo == 0 && buffer->pieces->hi == buffer->size);
}
