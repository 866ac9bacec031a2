/* Flatbuffers, read where they lie: bounds-checked, nothing copied but numbers, so that weights are
 * never touched. Fields go by their place in their table's schema. */
#ifndef SW_FORMATS_FLAT_H
#define SW_FORMATS_FLAT_H

#include "formats/format.h"

/* A table of the flatbuffer; `at` 0: there is none. */
struct sw_flat {
    const struct sw_input *input;
    struct sw_error *error; /* the first thing that is wrong */
    size_t at, vtable, fields;
};
struct sw_flat_list {
    struct sw_flat flat; /* of the input; its place does not matter */
    size_t at, count, width;
};
/* Is the file marked with these four letters? */
bool sw_flat_marked(const struct sw_input *, const char *identifier);
bool sw_flat_root(const struct sw_input *, const char *identifier, struct sw_flat *, struct sw_error *);
/* Each yields false for a damaged file; a field that is not there has its default. */
bool sw_flat_number(const struct sw_flat *, unsigned field, size_t width, uint64_t *value);
bool sw_flat_table(const struct sw_flat *, unsigned field, struct sw_flat *);
bool sw_flat_list(const struct sw_flat *, unsigned field, size_t width, struct sw_flat_list *);
/* A text, or a list of bytes: "" when it is not there. */
struct sw_flat_text {
    const char *text; /* in the input, not NUL-ended */
    size_t length;
};
bool sw_flat_text(const struct sw_flat *, unsigned field, struct sw_flat_text *);
bool sw_flat_text_is(struct sw_flat_text, const char *);
uint64_t sw_flat_item(const struct sw_flat_list *, size_t);
bool sw_flat_item_table(const struct sw_flat_list *, size_t, struct sw_flat *);
/* A table that is known to begin at `at`. */
bool sw_flat_at(const struct sw_flat *from, size_t at, struct sw_flat *);
/* Where a field stands in the file, and where the reference in it leads; 0 when it is not there. */
size_t sw_flat_place(const struct sw_flat *, unsigned field);
bool sw_flat_target(const struct sw_flat *, unsigned field, size_t *to);
/* Fail: "MESSAGE at offset N". Returns false. */
bool sw_flat_fail(const struct sw_flat *, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
