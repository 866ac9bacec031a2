/* By which words an input is known, for readers that say so in a table. */
#ifndef SW_FORMATS_KNOWN_BY_H
#define SW_FORMATS_KNOWN_BY_H

#include "formats/format.h"

/* Each list ends in NULL; NULL: no list. An input is known when one of the words of `begins` or of `has` is found, or
 * all of `members`.
 *
 * `begins`: the text begins so. A blank at the front of a word stands for any number of blanks and line breaks, "\n" at
 * its end for the end of the line. `has`: a line has it, wherever it is. In a word, %d stands for digits, %n for a
 * number of any kind, %w for one letter or digit, %s for blanks or none, and " ... " for whatever else of the line.
 * `members`: the text is a JSON object with this key. "a.b": the first element of the list under "a" is an object with
 * the key "b"; ".b": the text is such a list. */
struct sw_known_by {
    const char *const *begins, *const *has, *const *members;
};
bool sw_words_found(const struct sw_known_by *, const struct sw_input *);

#endif
