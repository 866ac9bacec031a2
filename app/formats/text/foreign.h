/* Files that no reader takes: what they look like, and what could be done instead. */
#ifndef SW_FORMATS_FOREIGN_H
#define SW_FORMATS_FOREIGN_H

#include "formats/format.h"

/* What a file that no reader claims by its content looks like, by its first bytes: one sentence that lives
 * as long as the program. NULL: nothing that is known. A name ends in `extension` (dot included, or ""). */
const char *sw_foreign_binary(const struct sw_input *, const char *extension, size_t length);

/* The same for text: fails at its first line that is no comment, or when there is none. Returns true, and leaves
 * the error alone, when the file is no text. */
bool sw_foreign_text(const struct sw_input *, struct sw_error *);

/* What people paste of other programs, wherever it stands in the text: fails at the first word that tells what it is,
 * or at what is nearest to a text that a reader takes.
 * Returns true, and leaves the error alone, when none of it is known. */
bool sw_foreign_words(const struct sw_input *, struct sw_error *);

/* A log in which its reader found nothing: fails, with what it is if that is known. Returns false. */
bool sw_foreign_log(const struct sw_input *, struct sw_error *);

#endif
