/* A counter: what a changed version of a model's file comes to.
 *
 * A planner that changes a model (fit/) sums up what operators take outside of the plan. The reader of a model file may
 * know more: it can write the changed model and count. It hands a counter to the builder, and problems that edits make
 * of the first one have it, too.
 *
 * A counter is shared by reference count; so is the file that it reads, which it owns. */
#ifndef SW_PROBLEM_COUNTER_H
#define SW_PROBLEM_COUNTER_H

#include "base/c_linkage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SW_C_BEGIN

struct sw_counter;
struct sw_fit_program;
struct sw_layout;
struct sw_problem;

struct sw_counted {
    uint64_t flash;          /* bytes of the file, more than the model's has */
    uint64_t outside, least; /* as sw_problem_outside and sw_problem_least_arena, in bytes */
};
struct sw_counter {
    size_t references; /* 1 to start with */
    /* What a program of the file's model comes to, with its plan (a layout of sw_fit_program_problem's problem). False:
     * it cannot be written. */
    bool (*count)(const struct sw_counter *, const struct sw_fit_program *, const struct sw_layout *,
                  struct sw_counted *);
    void (*close)(struct sw_counter *); /* when nothing refers to it any more */
};
struct sw_counter *sw_counter_ref(struct sw_counter *); /* NULL is allowed */
void sw_counter_unref(struct sw_counter *);             /* NULL is allowed */

/* The problem's own; NULL: none. Borrowed. */
struct sw_counter *sw_problem_counter(const struct sw_problem *);
/* What is outside of the plan of a problem that was just made, as it was counted. */
void sw_problem_counted(struct sw_problem *, const struct sw_counted *);

SW_C_END

#endif
