/* Regular expressions over names, as `find`, `filter` and `only` take them: those of PCRE2, in UTF-8. Their memory is
 * ours (base/mem.h), so that a lack of it is an error and not the end of the program. */
#ifndef SW_COMMAND_REGEX_H
#define SW_COMMAND_REGEX_H

#include "stowage_runs.h"

enum { SW_MOST_REGEX = 128 };

/* Owned by the caller; zero it to start with. A closed one matches nothing. */
struct sw_regex {
    struct pcre2_real_general_context_8 *memory;
    struct pcre2_real_code_8 *code;
    struct pcre2_real_match_data_8 *data;
    struct pcre2_real_match_context_8 *limits;
    char plain[SW_MOST_REGEX]; /* the pattern in lower case, when it means its letters and the case is of no
                                    account; otherwise "" */
};

/* Capitals and small letters are the same; every letter means itself. */
enum { SW_REGEX_FOLD = 1, SW_REGEX_LETTERS = 2 };

/* False: `text` is no pattern (SW_ERROR_USAGE), or no memory. */
bool sw_regex_open(struct sw_regex *, const char *text, unsigned flags, struct sw_error *);
void sw_regex_close(struct sw_regex *);

/* Does the pattern match anywhere in the name? False: it takes too long on this name (more than a hundred
 * thousand tries, some milliseconds), or no memory. O(length) for what is plain. */
bool sw_regex_matches(const struct sw_regex *, const char *name, bool *found, struct sw_error *);

#endif
