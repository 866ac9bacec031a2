/* What values of options look like that are more than a word or a whole number. Each refuses what is none, and sets nothing that matters
 * then. */
#ifndef SW_CLI_OPTION_TEXTS_H
#define SW_CLI_OPTION_TEXTS_H

#include "cli/cli.h"

bool sw_parse_positive(const char *text, double *number); /* above 0, finite; nothing may follow */
/* "A:B", "A:B:BY", or up to SW_STEPS_LISTED steps, rising, with commas between; the last may be "end". */
bool sw_parse_steps(const char *text, struct sw_steps *);
/* "WxH", each from 1 to `most`. */
bool sw_parse_pair(const char *text, uint64_t most, uint64_t *width, uint64_t *height);
/* "a4", "16:9": sizes of pages that have names, in points. */
bool sw_parse_page(const char *name, uint64_t *width, uint64_t *height);
/* "strips,order": kinds of moves of fit, as a set (SW_FIT_MAY). */
bool sw_parse_moves(const char *text, unsigned *moves);

#endif
