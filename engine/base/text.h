/* Text that came from outside: what of it may be shown, and which known word it is nearest to. */
#ifndef SW_BASE_TEXT_H
#define SW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In a function that ends with `format, ...`: what it is given, written into an array of characters. */
#define SW_FORMAT_INTO(text, format)                       \
    do {                                                   \
        va_list given_;                                    \
        va_start(given_, format);                          \
        vsnprintf((text), sizeof(text), (format), given_); \
        va_end(given_);                                    \
    } while (0)

/* Adds to a text that ends in NUL within its `size` bytes; what has no room is left out. */
__attribute__((format(printf, 3, 4))) void sw_text_add(char *text, size_t size, const char *format, ...);
#define SW_TEXT_ADD(text, ...) sw_text_add((text), sizeof(text), __VA_ARGS__) /* to an array of characters */

/* The length in bytes of the UTF-8 sequence at `text`, of which `left` bytes may be read (SIZE_MAX: it ends in
 * NUL), and its character; 0 when it is broken. */
size_t sw_utf8_decode(const char *text, size_t left, uint32_t *code);
/* The reverse: a character in UTF-8, and how many bytes that are. */
size_t sw_utf8_encode(uint32_t code, char to[4]);
/* How many bytes from the beginning on are whole characters, none of them NUL: `length` when all are. */
size_t sw_utf8_valid(const char *text, size_t length);
/* A character that no terminal and no file for people gets raw: controls (C0, DEL, C1), separators of lines,
 * whatever turns the direction of text or cannot be seen, and what Unicode calls noncharacters. */
bool sw_utf8_unsafe(uint32_t code);
/* How many bytes of the character at `text` may be shown; 0: a '?' belongs there. `skip` receives the bytes that it
 * takes in any case, at least 1. `before` is the character before it (0 at the start) and becomes this one: between
 * letters of scripts that join them, and in emoji, the two joiners are shown when `joins`. */
size_t sw_utf8_shown(const char *text, size_t left, bool joins, uint32_t *before, size_t *skip);
/* A NUL-ended text in place: what must not be shown becomes '?'. It never becomes longer. */
void sw_utf8_clean(char *text, bool joins);

/* The text for people: itself when all of it may be shown, else a copy in `room` (cut to `size` bytes) with '?'. It is
 * valid as long as both. */
const char *sw_utf8_show(const char *text, char *room, size_t size);
#define SW_SHOWN(text) sw_utf8_show(text, (char[256]){0}, 256)

/* How many bytes of a text of `length` bytes are shown where at most `most` have room: no character is cut. */
size_t sw_utf8_cut(const char *text, size_t length, size_t most);

/* How many letters must be put in, taken out, changed or exchanged with the next one to make one word of the other.
 * Words of more than 40 bytes are as far apart as can be. */
unsigned sw_word_distance(const char *, const char *);
/* Is a word like the one that was meant: at most one letter in three wrong, and one more? */
bool sw_word_like(const char *meant, const char *word);
/* For "did you mean": which of two words was rather meant by `word`; `best` may be NULL. NULL: it is like neither. What
 * is nearly the beginning of a name is like it, too: gredy is like greedy-by-size. */
const char *sw_word_nearer(const char *word, const char *best, const char *one);
/* A name that there is not: "there is no KIND 'NAME'; did you mean LIKE?"; where `like` is NULL `rest` stands behind
 * the name, "" or "; there are: a, b". Always false. */
struct sw_error;
bool sw_fail_unknown(struct sw_error *, const char *kind, const char *name, const char *like, const char *rest);

/* Of ASCII, whatever the locale. */
static inline bool sw_is_digit(char c) {
    return c >= '0' && c <= '9';
}
static inline bool sw_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/* The value of a digit of up to 16; 16: it is none. */
static inline unsigned sw_digit(char c) {
    return sw_is_digit(c)         ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

/* "55,296". */
const char *sw_show_count(uint64_t, char text[32]);
#define SW_COUNT(count) sw_show_count((count), (char[32]){0}) /* as long as the block around it */
/* "3 requests", "1 request". */
const char *sw_show_counted(uint64_t, const char *what, char text[64]);
#define SW_COUNTED(count, what) sw_show_counted((count), (what), (char[64]){0})
/* "55,296 B": bytes in sentences, where the exact figure decides. */
const char *sw_show_exact(uint64_t bytes, char text[36]);
#define SW_BYTES(bytes) sw_show_exact((bytes), (char[36]){0})

#endif
