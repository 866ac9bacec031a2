/* Lines of the command language, and what their words mean in a session. */
#ifndef SW_COMMAND_COMMAND_LINE_H
#define SW_COMMAND_COMMAND_LINE_H

#include "command/state.h"

/* Lines. */
/* What a command says of its arguments, one after the other: `at` is its description to start with. */
struct sw_usage {
    const char *at;
    int depth;
    char word[96];       /* "BYTES|none", without brackets and dots */
    bool optional, many; /* it may be left out; it may come again, or have several words */
};
bool sw_argument_next(struct sw_usage *); /* false: there is no more */
/* A line in its words, in place, as its command wants them. False: it cannot be split, or there is no such command. */
bool sw_words_read(char *line, char **words, size_t *count, const struct sw_command **, struct sw_error *);
/* Are so many arguments what the command takes, and those that are words some that it knows? */
bool sw_words_fit(const struct sw_command *, char **words, size_t count, struct sw_error *);
/* "COMMAND WORD WORD MORE", each word in quotes; freed by sw_state_drop. NULL: no memory. */
char *sw_state_line(const char *command, const char *const *words, size_t count, const char *more);
void sw_given_join(const struct sw_given *, size_t from, char *text, size_t size); /* with blanks between */
char *sw_given_line(const char *command, const struct sw_given *); /* with all words as they were given */

/* given.c */
bool sw_argument_is_size(const struct sw_usage *); /* does it stand for a number of bytes? */
/* Which of its alternatives in small letters a word is, by its place among all of them, from 1; 0: none. */
unsigned sw_argument_choice(const struct sw_usage *, const char *word);
/* What the words mean in this session, into the values. False: they do not, and the error says why. */
bool sw_given_parse(const struct sw_session *, const struct sw_command *, struct sw_given *, struct sw_error *);
/* An error of a file that a command names, as the error of the command: "FILE:LINE: what is wrong". Always false. */
bool sw_state_fail_in(const struct sw_error *, const char *file, struct sw_error *error);
/* shown_bytes.c: a size as it is shown and typed, with `base` added where it is an offset. */
bool sw_shown_bytes(const struct sw_session *, uint64_t base, uint64_t most, struct sw_given_value *,
                    struct sw_error *);
bool sw_state_number(const char *text, uint64_t *number, struct sw_error *);
bool sw_state_buffer(const struct sw_session *, const char *name, uint32_t *buffer, struct sw_error *);
/* Of a moment, the block without a buffer that has this address: sight.piece; 0: there is none. moment_cursor.c */
uint64_t sw_moment_piece_at(const struct sw_session *, const char *word);
/* The names of all that there are of a type: number i, from 0; NULL past the last. */
typedef const char *sw_nth_fn(const struct sw_session *, size_t i);
sw_nth_fn sw_nth_buffer, sw_nth_operator, sw_nth_tier, sw_nth_view, sw_nth_theme, sw_nth_pane, sw_nth_mark,
    sw_nth_command;
/* on, off, or without a word the other one. */
void sw_state_onoff(const struct sw_given *, bool *value);
/* The same, and what is so now is said. Always true. */
bool sw_state_switch(struct sw_session *, const struct sw_given *, bool *value, const char *on, const char *off);
/* The BUFFER that was given first, or the one that is selected. */
bool sw_state_subject(const struct sw_session *, const struct sw_given *, uint32_t *buffer, struct sw_error *);
/* The tier that a pin of a buffer means when it names none. */
uint32_t sw_state_home(const struct sw_session *, uint32_t buffer);

#endif
