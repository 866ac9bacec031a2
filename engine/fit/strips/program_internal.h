/* Shared by the files that make a program. */
#ifndef SW_FIT_PROGRAM_INTERNAL_H
#define SW_FIT_PROGRAM_INTERNAL_H

#include "fit/strips/strip_program.h"

bool sw_fit_refuse(struct sw_fit_refusal *, uint32_t op, const char *format, ...) __attribute__((format(printf, 3, 4)));
uint64_t sw_fit_rows(const struct sw_problem *, uint32_t buffer, uint32_t axis);
/* Do a tensor's rows lie one behind the other? Not those of several images, or of several channels that stand one
 * behind the other. */
bool sw_fit_rows_are_apart(const struct sw_problem *, uint32_t buffer, uint32_t axis);
/* Is one of these operators told how much it pads (struct sw_op_window)? All of them have windows. */
bool sw_fit_is_told(const struct sw_problem *, uint32_t first, uint32_t last);
/* An operator that only puts rows and columns around its argument. */
bool sw_fit_only_pads(const struct sw_op_window *);

/* How many tensors a runtime has for a loop beside the values: its counters, and copies of its variables. */
uint64_t sw_fit_loop_tensors(const struct sw_fit_call *);

/* What padding by an operator of its own consists of: zero where products are summed up, the least number where the
 * largest is taken. Not for a mean, which counts only the elements that are there. */
enum sw_fit_padding { SW_FIT_NO_PADDING, SW_FIT_ZERO, SW_FIT_LEAST };
enum sw_fit_padding sw_fit_padding_of(const struct sw_operator *);

/* The value with bytes of its own in which a value lies, and where in it. O(nesting) */
uint32_t sw_fit_root(const struct sw_fit_program *, uint32_t value, uint64_t *at);

/* A slice, a join or an update that copies bytes onto themselves. O(inputs) */
bool sw_fit_in_place(const struct sw_fit_program *, const struct sw_fit_call *);

/* Does the graph let the call, an operator on a strip, write its result over this argument? Whether that dies there is
 * another question. */
bool sw_fit_may_overwrite(const struct sw_fit_program *, const struct sw_fit_call *, uint32_t input);

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
/* Zero the list first; it is the caller's (SW_ARRAY_DONE). False: no memory. O(u log u + u x slices of a value), for u
 * arguments */
bool sw_fit_lives(const struct sw_fit_program *, struct sw_fit_lives *);
/* The bytes alive at each call: as many numbers as there are calls and one more, which are the caller's. `lives`: room,
 * and what sw_fit_lives finds. False: no memory. */
bool sw_fit_count_live(const struct sw_fit_program *, struct sw_fit_lives *, uint64_t **live);

/* ---- measuring cuts ---- */

struct sw_fit_cut;
struct sw_fit_cuts;
struct sw_fit_limits;
struct sw_fit_measuring { /* memory that is used again */
    struct sw_fit_lives lives;
};
/* Make the program with this one cut, and count. `live`: of each strip, when it is not NULL. False: no memory;
 * `possible` says whether there is such a cut. */
bool sw_fit_measure(struct sw_fit_cuts *, const struct sw_fit_limits *, struct sw_fit_measuring *, struct sw_fit_cut *,
                    bool *possible, uint64_t *live);
void sw_fit_measuring_done(struct sw_fit_measuring *);

/* Of how many rows strips are whole multiples, where there are enough; 1 where there are not. */
uint64_t sw_fit_strip_unit(const struct sw_problem *, const struct sw_fit_region *);
/* Write down where its equal shares end. At most SW_FIT_ENDS + 1 strips and UINT16_MAX rows. */
void sw_fit_set_ends(const struct sw_problem *, struct sw_fit_region *);

#endif
