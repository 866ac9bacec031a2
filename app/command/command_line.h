/* Lines of the command language, and what their words mean in a session. */
#ifndef SW_COMMAND_COMMAND_LINE_H
#define SW_COMMAND_COMMAND_LINE_H

#include "command/state.h"

/* Lines. */
/* Most words of one line. */
enum { SW_MOST_WORDS = 64 };
/* What a command says of its arguments, one after the other: `at` is its description to start with. */
struct sw_argument {
    const char *at;
    int depth;
    char word[96];       /* "BYTES|none", without brackets and dots */
    bool optional, many; /* it may be left out; it may come again, or have several words */
};
bool sw_argument_next(struct sw_argument *); /* false: there is no more */
/* A line in its words, in place, as its command wants them. False: it cannot be split, or there is no such command. */
bool sw_words_read(char *line, char **words, size_t *count, const struct sw_command **, struct sw_error *);
/* Are so many arguments what the command takes, and those that are words some that it knows? */
bool sw_words_fit(const struct sw_command *, char **words, size_t count, struct sw_error *);
/* "COMMAND WORD WORD MORE", each word in quotes; freed by sw_state_drop. NULL: no memory. */
char *sw_state_line(const char *command, char **words, size_t count, const char *more);

/* What the words of a line mean. False: they do not, and the error says why. */
/* An error of a file that a command names, as the error of the command: "FILE:LINE: what is wrong". Always false. */
bool sw_state_fail_in(const struct sw_error *, const char *file, struct sw_error *error);
bool sw_state_number(const char *text, uint64_t *number, struct sw_error *);
bool sw_state_bytes(const char *text, uint64_t *bytes, struct sw_error *); /* K, M, G */
void sw_state_onoff(char **arguments, size_t count, bool *value);
bool sw_state_buffer(const struct sw_session *, const char *name, uint32_t *buffer, struct sw_error *);
bool sw_state_operator(const struct sw_problem *, const char *name, uint32_t *op, struct sw_error *);
/* A tier by name or number. */
bool sw_state_tier(const struct sw_session *, const char *name, uint32_t *tier, struct sw_error *);
/* An address as the user sees it, with --base in it. */
bool sw_state_offset(const struct sw_session *, const char *text, uint64_t *offset, struct sw_error *);
/* The tier that a pin of a buffer means when it names none. */
uint32_t sw_state_home(const struct sw_session *, uint32_t buffer);
/* Is `text` a regular expression of less than `room` bytes, which no name of a buffer makes take too long? */
bool sw_state_regex(const struct sw_session *, const char *text, size_t room, struct sw_error *);

#endif
