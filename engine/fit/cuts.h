/* Every way to cut a region of a model, and which of them together need the least.
 *
 * A cut saves live bytes at its own steps. It costs operators, for each of which a runtime keeps structures in the arena's tail, and rows
 * that are computed twice. Disjoint regions do not touch each other. So the live bytes of a set of cuts are the largest of theirs and of
 * the steps that stay, and what the cuts cost adds up. For a given number of live bytes the best set is a shortest path along the operators;
 * with two costs, tail and multiply-adds, it is several, of which none is better than another in both. */
#ifndef SW_FIT_CUTS_H
#define SW_FIT_CUTS_H

#include "fit/strips/strip_program.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SW_FIT_MOST_OPERATORS = 24 }; /* of a region */
struct sw_fit_cut {
    struct sw_fit_region region;
    uint64_t live; /* the most bytes that are alive at one of its calls */
    uint64_t live_over; /* the same where results are written over arguments that die, as far as the graph lets them; at most `live` */
    uint64_t tail; /* bytes of the interpreter's structures, more than without */
    uint64_t shared; /* of these: constants that other cuts may have, too */
    uint64_t macs; /* multiply-adds, more than without */
    uint64_t flash; /* bytes of the file, more than without: an estimate */
    uint32_t calls; /* operators, more than without */
    size_t number; /* how many were found before it */
};

/* What may be done, what is to be small, and whether to go on. */
struct sw_fit_limits {
    double macs;     /* at most so many times the model's own; 0: no limit */
    uint32_t calls;  /* operators in all; 0: no limit */
    uint64_t flash;  /* bytes of the file, more than the model has; 0: no limit */
    unsigned lacking; /* SW_FIT_NEEDS of each operator that there is not */
    bool of_head;    /* the head alone is to be small; else the arena with its tail */
    bool (*go_on)(void *context, uint64_t done, uint64_t count); /* asked between regions, and between plans; false: stop. NULL */
    void *context;
};

struct sw_fit_cuts {
    const struct sw_problem *problem; /* borrowed */
    SW_ARRAY(struct sw_fit_cut) items; /* by first operator, then last, then number */
    SW_ARRAY(struct sw_fit_refusal) refused; /* operators that no region can have, each once */
    SW_ARRAY(struct sw_fit_region) refined; /* whose neighbours were looked at */
    uint64_t macs;                     /* of the model, before anything of it was changed */
    /* What the problem has more than that model: operators that run again. */
    struct sw_fit_more {
        uint64_t macs, flash;
        uint32_t calls;
    } more;
    bool in_place;                     /* results are written over arguments, as the problem has it */
    unsigned missed;                   /* SW_FIT_NEEDS of the operators that there are not, of cuts that were not taken for that */
    bool stopped;                      /* not all were looked at: it was asked to stop, or that takes too long */
    uint32_t next;                     /* regions that begin with an operator before this one have been looked at */
    uint64_t work;                     /* operators and calls that were looked at for it */
};
/* Zero it first, but for `more`; it is the caller's. Regions of up to 24 operators, 2 to 24 strips or a loop, both ways, with rows kept or not.
 * False: no memory. O(regions x strips x operators x strips), but no more than some seconds of work. */
bool sw_fit_cuts_find(const struct sw_problem *, const struct sw_fit_limits *, struct sw_fit_cuts *);
/* The same, the regions that begin with one operator after those of the other: until `next` is the number of operators. */
void sw_fit_cuts_begin(const struct sw_problem *, struct sw_fit_cuts *);
bool sw_fit_cuts_next(struct sw_fit_cuts *, const struct sw_fit_limits *);
/* No cuts at all: nothing is left to be looked at. */
void sw_fit_cuts_none(const struct sw_problem *, struct sw_fit_cuts *);
void sw_fit_cuts_done(struct sw_fit_cuts *);
/* The same cuts of the problem in which results are written over arguments (sw_problem_inplace_safe), or as it is on its own. False: no memory. */
bool sw_fit_cuts_copy(const struct sw_fit_cuts *, const struct sw_problem *, struct sw_fit_cuts *);
/* Do the limits allow so much more than the problem has? */
bool sw_fit_allows(const struct sw_fit_cuts *, const struct sw_fit_limits *, const struct sw_fit_more *);
/* What is alive at most in a cut. */
uint64_t sw_fit_live(const struct sw_fit_cuts *, const struct sw_fit_cut *);

/* Cuts that go together. */
struct sw_fit_choice {
    uint64_t live, tail, macs, flash; /* of the whole program: live bytes at most; the others more than without */
    uint32_t calls;            /* more than without */
    uint64_t bytes;            /* what is to be small: no plan of the choice has less, with its tail as estimated */
    size_t first, count;       /* in `chosen` */
};
struct sw_fit_front {
    SW_ARRAY(struct sw_fit_choice) items; /* fewest bytes first; none is as good as another in all that counts */
    SW_ARRAY(struct sw_fit_region) chosen;
    uint64_t live, arena; /* no set of these cuts has fewer bytes alive, and none, with its tail as estimated, a smaller arena; whatever the limits say */
    uint64_t bound;       /* the same of the arena, if constants that cuts may share take nothing: none has less */
    /* Why not fewer: whatever cut computes `forced`, or none, so many bytes are alive. Where no operator alone says so: it and those from
     * `from` on, of which no cuts go together with less. */
    uint32_t from, forced;
};
/* What the limits want small, of a choice with these live bytes and this tail. */
uint64_t sw_fit_bytes(const struct sw_problem *, const struct sw_fit_limits *, const struct sw_fit_choice *);
/* Choices of which none is better than another in both bytes and multiply-adds, nor, where the head alone is to be small, in the tail. The
 * model as it is is one of them, where no cut beats it. Zero it first; it is the caller's. False: no memory. O(numbers of live bytes x cuts x choices) */
bool sw_fit_front_find(const struct sw_fit_cuts *, const struct sw_fit_limits *, struct sw_fit_front *);
void sw_fit_front_done(struct sw_fit_front *);

/* Add cuts that are near those of the front, each once, and better than what is there in something: strips of unequal length, rows of other
 * operators kept. `work` falls, and at 0 it ends. False: no memory. O(cuts of the front x operators x strips x operators) */
bool sw_fit_cuts_refine(struct sw_fit_cuts *, const struct sw_fit_limits *, const struct sw_fit_front *, uint64_t *work);
/* The other way: from the last rows to the first, with strips as they were, or from the first to the last. A loop stays as it is. */
void sw_fit_turn(const struct sw_problem *, struct sw_fit_region *);

#ifdef __cplusplus
}
#endif

#endif
