#include "formats/text/scan.h"
#include "base/text.h"

void sw_scan_open(struct sw_scan *scan, const struct sw_input *input) {
    const char *begin = sw_text_begin(input);
    *scan = (struct sw_scan){
        .input = input, .begin = begin, .at = begin, .end = begin, .next = begin, .stop = sw_text_end(input)};
}

bool sw_scan_line(struct sw_scan *scan) {
    if (scan->next >= scan->stop) {
        scan->begin = scan->at = scan->end = scan->stop;
        return false;
    }
    const char *found = memchr(scan->next, '\n', (size_t)(scan->stop - scan->next));
    scan->begin = scan->at = scan->next;
    scan->end = found ? found : scan->stop;
    scan->next = found ? found + 1 : scan->stop;
    while (scan->end > scan->begin && scan->end[-1] == '\r') {
        scan->end--;
    }
    scan->line += scan->line < UINT32_MAX;
    return true;
}

void sw_scan_space(struct sw_scan *scan) {
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t')) {
        scan->at++;
    }
}

bool sw_scan_word(struct sw_scan *scan, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) {
        return false;
    }
    scan->at += length;
    return true;
}

const char *sw_scan_find(const char *at, const char *end, const char *word) {
    const char *found = at < end ? memmem(at, (size_t)(end - at), word, strlen(word)) : NULL;
    return found ? found : end;
}

bool sw_scan_past(struct sw_scan *scan, const char *word) {
    const char *found = sw_scan_find(scan->at, scan->end, word);
    if (found == scan->end) {
        return false;
    }
    scan->at = found + strlen(word);
    return true;
}

static bool take_digits(struct sw_scan *scan, const char *at, int64_t base, bool negative, int64_t *value) {
    const char *from = at;
    int64_t sum = 0;
    for (int64_t digit; at < scan->end && (digit = sw_digit(*at)) < base; at++) {
        if (__builtin_mul_overflow(sum, base, &sum) || __builtin_add_overflow(sum, digit, &sum)) {
            sum = INT64_MAX;
        }
    }
    if (at == from) {
        return false;
    }
    scan->at = at;
    *value = negative ? -sum : sum;
    return true;
}

bool sw_scan_number(struct sw_scan *scan, int64_t *value) {
    bool negative = scan->at < scan->end && *scan->at == '-';
    return take_digits(scan, scan->at + negative, 10, negative, value);
}

bool sw_scan_hex(struct sw_scan *scan, int64_t *value) {
    const char *at = scan->at;
    bool marked = scan->end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    return marked && take_digits(scan, at + 2, 16, false, value);
}

bool sw_scan_fail(const struct sw_scan *scan, struct sw_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_text_vfail(scan->input, scan->at, error, format, arguments);
    va_end(arguments);
    return false;
}
