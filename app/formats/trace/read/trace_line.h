/* One line of a trace: a JSON object, taken apart without a tree.
 *
 * A trace may have millions of lines, and most of them are needed twice: once to see what kind they are, and once, much
 * later, when a view shows that decision. A tree for each (jansson) takes several times as long as the whole reading
 * may. So a line is checked from end to end, and the values of its known keys are left where they are, as pieces of
 * text; what is needed of them is read then.
 *
 * Nothing here allocates but sw_trace_string. Texts are checked to be UTF-8 without NUL. */
#ifndef SW_FORMATS_TRACE_LINE_H
#define SW_FORMATS_TRACE_LINE_H

#include "formats/text/utf8.h"

enum sw_trace_key {
#define TRACE_KEY(id, word) SW_TRACE_##id,
#include "formats/trace/read/trace_keys.def"
#undef TRACE_KEY
    SW_TRACE_KEY_COUNT
};
const char *sw_trace_key_word(enum sw_trace_key);

enum sw_trace_type {
    SW_TRACE_ABSENT, /* the object has no such key */
    SW_TRACE_NULL,
    SW_TRACE_FALSE,
    SW_TRACE_TRUE,
    SW_TRACE_WHOLE, /* a number without fraction and exponent */
    SW_TRACE_REAL,
    SW_TRACE_TEXT,    /* between its quotes */
    SW_TRACE_ESCAPED, /* the same, with backslashes in it */
    SW_TRACE_LIST,    /* with its brackets */
    SW_TRACE_OBJECT
};
struct sw_trace_value {
    const char *text;
    uint32_t length;
    uint8_t type;
};

/* What went wrong in a line: the byte, and a sentence. */
struct sw_trace_fault {
    const char *at;
    char text[160];
};

struct sw_trace_object {
    struct sw_trace_value values[SW_TRACE_KEY_COUNT];
    uint64_t set[(SW_TRACE_KEY_COUNT + 63) / 64]; /* a bit for each that is there */
    uint32_t unknown;                             /* keys that are not in the table */
};
/* Take an object apart; the text from `at` to `end` must hold it and nothing else but blanks. A key that stands twice
 * counts where it stands last. False: it is no object. */
bool sw_trace_object_read(struct sw_trace_object *, const char *at, const char *end, struct sw_trace_fault *);
/* The same into an object that held another one, or is zeroed: quicker, for it clears only what was set. */
bool sw_trace_object_next(struct sw_trace_object *, const char *at, const char *end, struct sw_trace_fault *);
/* The object in a value that was read before, and so is whole. */
void sw_trace_object_inside(struct sw_trace_object *, struct sw_trace_value);

/* The elements of a list that was read before, one after another. */
struct sw_trace_items {
    const char *at, *end;
};
struct sw_trace_items sw_trace_items(struct sw_trace_value list);
bool sw_trace_items_next(struct sw_trace_items *, struct sw_trace_value *);
/* The members of an object that was read before, with any keys: `key` is a text. */
struct sw_trace_items sw_trace_members(struct sw_trace_value object);
bool sw_trace_members_next(struct sw_trace_items *, struct sw_trace_value *key, struct sw_trace_value *);

static inline bool sw_trace_is_text(struct sw_trace_value value) {
    return value.type == SW_TRACE_TEXT || value.type == SW_TRACE_ESCAPED;
}
/* Is it exactly this text? */
bool sw_trace_is(struct sw_trace_value, const char *word);
/* A text, or any other value as it is written, into `to`, NUL-ended, cut to what has room at the edge of a character.
 * Returns its full length. */
size_t sw_trace_text(struct sw_trace_value, char *to, size_t room);
/* The same as a copy in the arena; NULL: no memory. */
const char *sw_trace_string(struct sw_arena *, struct sw_trace_value);
/* A whole number, also one that is written as 1e6 or 2.0. False: it is none, or does not fit. */
bool sw_trace_unsigned(struct sw_trace_value, uint64_t *);
bool sw_trace_signed(struct sw_trace_value, int64_t *);
/* Any number; NaN where it is null or no number. */
double sw_trace_number(struct sw_trace_value);

#endif
