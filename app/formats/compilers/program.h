/* What a compiler prints of a program, on its way into a builder: values that have bytes, and nodes that read and
 * write them, in the order in which they run.
 *
 * A value may be another one under a new name (a bitcast, an element of a tuple, a loop's variable): then both are one
 * buffer. Constants and what nothing touches are no buffers. Names and kinds are bytes of the input, copied at the end;
 * names come out unique, the second `x` is called `x#2`. */
#ifndef SW_FORMATS_PROGRAM_H
#define SW_FORMATS_PROGRAM_H

#include "base/names.h"
#include "formats/text/unique.h"
#include "formats/text/utf8.h"
#include "formats/text/input_words.h"

struct sw_value {
    struct sw_input_text name;
    const char *tier; /* borrowed; NULL: the problem has only one */
    uint64_t size;
    uint64_t alignment; /* 0: any */
    enum sw_dtype dtype;
    enum sw_kind kind; /* SW_KIND_CONSTANT: no buffer */
    bool output;       /* a result of the program */
    uint32_t same;     /* the value that has its bytes, an earlier or a later one; SW_NONE: it has its own */
    uint32_t line, column;
    bool touched;       /* while building */
    const char *buffer; /* the same: its name there */
};
enum sw_role { SW_ROLE_READ, SW_ROLE_WRITE, SW_ROLE_SCRATCH };
struct sw_program_argument {
    uint32_t value;
    enum sw_role role;
};
struct sw_program_node {
    struct sw_input_text name, kind;
    bool inplace; /* the first result may be written over any argument of its size */
    uint32_t line, column;
    size_t first, count; /* of the arguments */
};
struct sw_program { /* zero it to start with */
    const struct sw_input *input;
    struct sw_builder *builder;
    struct sw_error *error;
    SW_ARRAY(struct sw_value) values;
    SW_ARRAY(struct sw_program_node) nodes;
    SW_ARRAY(struct sw_program_argument) arguments;
    SW_ARRAY(const char *) names; /* while building */
    struct sw_arena arena;
    uint64_t constants, constant_bytes, idle; /* after building: what was left out */
};

/* Each adds one; a node's arguments are those that follow it. False: an error was set. */
bool sw_program_value(struct sw_program *, const struct sw_value *, uint32_t *number);
bool sw_program_node(struct sw_program *, const struct sw_program_node *);
bool sw_program_argument(struct sw_program *, uint32_t value, enum sw_role);
/* The value that in the end has the bytes of this one. */
uint32_t sw_program_root(struct sw_program *, uint32_t value);
/* Two values become one buffer, the first one's; nothing happens when they are one already. */
void sw_program_join(struct sw_program *, uint32_t, uint32_t);

/* Everything to the builder. */
bool sw_program_build(struct sw_program *);
/* The note that says what was left out; none when it is nothing. */
bool sw_program_note(struct sw_program *);
void sw_program_done(struct sw_program *);

/* Digits at `at`, which moves past them. False: there are none, or the number is too large. */
bool sw_take_number(const char **at, const char *end, uint64_t *number);

/* Bytes of so many elements of so many bits each, rounded up. False: more than 2^61. */
bool sw_bytes_of(uint64_t elements, uint64_t bits, uint64_t *bytes);

#endif
