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
 * the key "b"; ".b": the text is such a list.
 *
 * `near`: words of lines that such texts have, too, but which do not suffice; `looks`: what a text with one of them
 * looks like, "a dump of an allocator"; `paste`: what should be pasted instead, or NULL. */
struct sw_known_by {
    const char *const *begins, *const *has, *const *members, *const *near;
    const char *looks, *paste;
};
bool sw_words_found(const struct sw_known_by *, const struct sw_input *);

/* The text is in no format: fails at a word of the one that is nearest, by how many of its words there are, and says
 * what is missing. Returns true, and leaves the error alone, when nothing is near, or when it is no text. */
bool sw_nearest_words(const struct sw_input *, struct sw_error *);
/* A text that was known by these words, and of which nothing else could be read. Returns false. */
bool sw_only_words(const struct sw_known_by *, const struct sw_input *, struct sw_error *);

#endif
