/* ExecuTorch programs (.pte, flatbuffers with the identifier ET12): bounds-checked access, and what
 * of a method memory planning is about. Nothing is copied but numbers; weights are never touched.
 */
#ifndef SW_FORMATS_PTE_FILE_H
#define SW_FORMATS_PTE_FILE_H

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
bool sw_flat_root(const struct sw_input *, const char *identifier, struct sw_flat *,
                  struct sw_error *);
/* Each yields false for a damaged file; a field that is not there has its default. */
bool sw_flat_number(const struct sw_flat *, unsigned field, size_t width, uint64_t *value);
bool sw_flat_table(const struct sw_flat *, unsigned field, struct sw_flat *);
bool sw_flat_list(const struct sw_flat *, unsigned field, size_t width, struct sw_flat_list *);
uint64_t sw_flat_item(const struct sw_flat_list *, size_t);
bool sw_flat_item_table(const struct sw_flat_list *, size_t, struct sw_flat *);
/* Fail: "MESSAGE at offset N". Returns false. */
bool sw_flat_fail(const struct sw_flat *, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
