/* What the parts of the program's making share. */
#ifndef SW_FIT_PROGRAM_INTERNAL_H
#define SW_FIT_PROGRAM_INTERNAL_H

#include "fit/strip_program.h"

bool sw_fit_refuse(struct sw_fit_refusal *, uint32_t op, const char *format, ...) __attribute__((format(printf, 3, 4)));
uint64_t sw_fit_rows(const struct sw_problem *, uint32_t buffer, uint32_t axis);
/* Do a tensor's rows lie one behind the other? Not those of several images, or of several channels that stand one behind the other. */
bool sw_fit_rows_are_apart(const struct sw_problem *, uint32_t buffer, uint32_t axis);
/* An operator that only puts rows and columns around its argument. */
bool sw_fit_only_pads(const struct sw_op_window *);

/* The value with bytes of its own in which a value lies, and where in it. O(nesting) */
uint32_t sw_fit_root(const struct sw_fit_program *, uint32_t value, uint64_t *at);

/* A slice or a join that copies bytes onto themselves. O(inputs) */
bool sw_fit_in_place(const struct sw_fit_program *, const struct sw_fit_call *);

/* The bytes [lo, hi) of a value with bytes of its own are needed from one call to another, both inclusive. */
struct sw_fit_life {
    uint32_t root;
    uint64_t lo, hi;
    uint32_t first, last;
};
struct sw_fit_lives {
    struct sw_fit_life *items; /* by root, then lo; neighbours that are alike are one */
    size_t count, capacity;
};
/* Zero the list first; it is the caller's (SW_ARRAY_DONE). False: no memory. O(u log u + u x slices of a value), for u arguments */
bool sw_fit_lives(const struct sw_fit_program *, struct sw_fit_lives *);

#endif
