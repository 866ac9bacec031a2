/* Words of an input, where they stand in it. */
#ifndef SW_FORMATS_TEXT_INPUT_WORDS_H
#define SW_FORMATS_TEXT_INPUT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the input, borrowed; not NUL-ended. */
struct sw_input_text {
    const char *at;
    size_t length;
};

bool sw_text_is(struct sw_input_text, const char *word);
bool sw_text_in(struct sw_input_text, const char *words); /* which stand in one text, a space between two; O(words) */

#endif
