#include "formats/text/input_words.h"

#include <string.h>

bool sw_text_is(struct sw_input_text text, const char *word) {
    return strlen(word) == text.length && memcmp(text.at, word, text.length) == 0;
}

bool sw_text_in(struct sw_input_text text, const char *words) {
    for (size_t length; *words; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        if (length == text.length && memcmp(words, text.at, length) == 0) {
            return true;
        }
    }
    return false;
}
