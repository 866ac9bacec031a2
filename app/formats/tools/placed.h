/* Finished plans of other tools: rows that say what lies where and when, on their way into a
 * builder.
 *
 * A tool may let several tensors share bytes while all of them are alive: views, results written
 * over arguments, parts of a larger buffer. Such rows become one buffer that lives where any of
 * them does, with the rows as its named parts; what the tool may not share is left as it is, for
 * the checker to find. Names come out unique: the second `x` is called `x#2`. */
#ifndef SW_FORMATS_PLACED_H
#define SW_FORMATS_PLACED_H

#include "formats/text/utf8.h"

/* Which rows of one tier may share bytes while both are alive. */
enum sw_alias {
    SW_ALIAS_NONE,       /* none: an overlap is a fault */
    SW_ALIAS_SAME_LIFE,  /* those with the same address and the same lifetime */
    SW_ALIAS_SAME_START, /* those that begin at the same address */
    SW_ALIAS_ANY
};

struct sw_placed_row {
    const char *name; /* while building: the name it got in the end */
    const char *tier; /* borrowed; NULL: the problem has only one */
    enum sw_kind kind;
    enum sw_dtype dtype;
    int64_t first, last; /* closed */
    uint64_t offset, size;
    uint64_t alignment; /* 0: the graph's */
    uint32_t line, column;
    uint32_t lead; /* the first row it shares bytes with; itself when it stands alone */
};
struct sw_placed { /* zero it to start with */
    SW_ARRAY(struct sw_placed_row) rows;
    struct sw_arena arena;
};
/* Append a row, its name copied; bytes that are no UTF-8 become '?'. Offset and size together must
 * stay below 2^61: false, with an error without a place, when not. */
bool sw_placed_add(struct sw_placed *, const struct sw_placed_row *, size_t name_length, struct sw_error *);
/* Find what shares bytes, name everything, hand it to the builder with its offsets as a plan. */
bool sw_placed_build(struct sw_placed *, enum sw_alias, struct sw_builder *, struct sw_error *);
/* Where the rows of a tier end (NULL: of all). */
uint64_t sw_placed_peak(const struct sw_placed *, const char *tier);
void sw_placed_done(struct sw_placed *);

#endif
