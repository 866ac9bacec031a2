/* Text that other programs print for people: line by line, by the words that surround the numbers.
 */
#ifndef SW_FORMATS_SCAN_H
#define SW_FORMATS_SCAN_H

#include "formats/text/utf8.h"

struct sw_scan {
    const struct sw_input *input;
    const char *begin, *at, *end; /* the present line, without its break; `at` moves through it */
    const char *next, *stop;      /* where the next line begins, where the text ends */
    uint32_t line;
};
void sw_scan_open(struct sw_scan *, const struct sw_input *);
/* On to the next line; false at the end of the text. */
bool sw_scan_line(struct sw_scan *);

/* Each of these moves past what it finds, or stays and says false. */
void sw_scan_space(struct sw_scan *);
bool sw_scan_word(struct sw_scan *, const char *word); /* exactly here */
bool sw_scan_past(struct sw_scan *, const char *word); /* its first place in the rest of the line */
/* Digits, with or without a minus; what does not fit becomes the largest number there is. */
bool sw_scan_number(struct sw_scan *, int64_t *value);
bool sw_scan_hex(struct sw_scan *, int64_t *value); /* 0x... */

/* Where a word stands first in a line: the end of the line when it does not. */
const char *sw_scan_find(const char *at, const char *end, const char *word);
/* Fail at the present place. Returns false. */
bool sw_scan_fail(const struct sw_scan *, struct sw_error *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
