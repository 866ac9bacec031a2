/* Every way to cut a region of a model, and which of them together need the least.
 *
 * A cut saves live bytes at its own steps. It costs operators, for each of which a runtime keeps structures in the
 * arena's tail, and rows that are computed twice. Disjoint regions do not touch each other. So the live bytes of a set
 * of cuts are the largest of theirs and of the steps that stay, and what the cuts cost adds up. For a given number of
 * live bytes the best set is a shortest path along the operators; with two costs, tail and multiply-adds, it is
 * several, of which none is better than another in both. */
#ifndef SW_FIT_CUTS_H
#define SW_FIT_CUTS_H

#include "fit/strips/strip_program.h"

enum { SW_FIT_MOST_OPERATORS = 24 }; /* of a region */
struct sw_fit_cut {
    struct sw_fit_region region;
    uint64_t live;      /* the most bytes that are alive at one of its calls */
    uint64_t live_over; /* the same if results are written over arguments that die, where the graph allows it; at most
                           `live` */
    /* By how much the model is larger with the cut: */
    uint64_t tail;   /* bytes of the interpreter's structures */
    uint64_t shared; /* of these: constants that other cuts may have, too */
    uint64_t macs;   /* multiply-adds */
    uint64_t flash;  /* bytes of the file: an estimate */
    uint32_t calls;  /* operators */
    size_t number;   /* how many cuts were found before this one */
};

/* Limits of what cuts may cost, what they are to make small, and when to stop looking. */
struct sw_fit_limits {
    double macs;      /* at most so many times the model's own; 0: no limit */
    uint32_t calls;   /* operators in all; 0: no limit */
    uint64_t flash;   /* bytes of the file, more than the model has; 0: no limit */
    unsigned lacking; /* SW_FIT_NEEDS of the operators that the runtime does not have */
    bool of_head;     /* make the head small; else the whole arena, with its tail */
    bool (*go_on)(void *context, uint64_t done,
                  uint64_t count); /* asked between regions, and between plans; false: stop. NULL */
    void *context;
};

struct sw_fit_cuts {
    const struct sw_problem *problem;        /* borrowed */
    SW_ARRAY(struct sw_fit_cut) items;       /* by first operator, then last, then number */
    SW_ARRAY(struct sw_fit_refusal) refused; /* operators that no region can have, each once */
    SW_ARRAY(struct sw_fit_region) refined;  /* regions near which more cuts were looked for */
    uint64_t macs;                           /* of the model, before anything of it was changed */
    /* How much more the problem has than that model, by operators that run again. */
    struct sw_fit_more {
        uint64_t macs, flash;
        uint32_t calls;
    } more;
    bool in_place; /* results are written over arguments, as the problem has it */
    unsigned
        missed;    /* SW_FIT_NEEDS of the operators that the runtime does not have: cuts that need them were left out */
    bool stopped;  /* not all regions were looked at: go_on said so, or it would take too long */
    uint32_t next; /* regions that begin with an operator before this one have been looked at */
    uint64_t work; /* operators and calls that were looked at so far */
};
/* Find all cuts: regions of up to 24 operators, 2 to 24 strips or a loop, discarding or padding, with rows kept or not.
 * Zero it first, but for `more`; it is the caller's. False: no memory. O(regions x strips x operators x strips), but no
 * more than some seconds of work. */
bool sw_fit_cuts_find(const struct sw_problem *, const struct sw_fit_limits *, struct sw_fit_cuts *);
/* The same step by step: one call looks at the regions that begin with operator `next`. All are done when `next` is the
 * number of operators. */
void sw_fit_cuts_begin(const struct sw_problem *, struct sw_fit_cuts *);
bool sw_fit_cuts_next(struct sw_fit_cuts *, const struct sw_fit_limits *);
/* No cuts at all: nothing is left to be looked at. */
void sw_fit_cuts_none(const struct sw_problem *, struct sw_fit_cuts *);
void sw_fit_cuts_done(struct sw_fit_cuts *);
/* The same cuts, of the problem in which results are written over arguments (sw_problem_inplace_safe) or of the one in
 * which they are not. False: no memory. */
bool sw_fit_cuts_copy(const struct sw_fit_cuts *, const struct sw_problem *, struct sw_fit_cuts *);
/* Do the limits allow so much more than the problem has? */
bool sw_fit_allows(const struct sw_fit_cuts *, const struct sw_fit_limits *, const struct sw_fit_more *);
/* The most bytes alive at a call of the cut: `live_over` where results are written over arguments. */
uint64_t sw_fit_live(const struct sw_fit_cuts *, const struct sw_fit_cut *);

/* Cuts that go together. */
struct sw_fit_choice {
    uint64_t live;              /* the most bytes alive in the whole program */
    uint64_t tail, macs, flash; /* by how much they are larger with these cuts */
    uint32_t calls;             /* operators, the same */
    uint64_t bytes; /* of the head or the arena, whichever is to be small: no plan of the choice has fewer, with its
                       tail as estimated */
    size_t first, count; /* in `chosen` */
};
struct sw_fit_front {
    SW_ARRAY(struct sw_fit_choice)
    items; /* fewest bytes first; of each two one has fewer bytes and the other costs less */
    SW_ARRAY(struct sw_fit_region) chosen;
    uint64_t live, arena; /* no set of these cuts has fewer bytes alive, nor a smaller arena with its tail as estimated;
                             limits do not count here */
    uint64_t bound;       /* no set has a smaller arena, even if the constants that cuts may share take nothing */
    /* Why not fewer bytes are alive: with each cut that computes operator `forced`, and without one, `live` bytes are.
     * If no operator alone is the reason, the operators from `from` to `forced` are: no cuts of them that go together
     * leave less alive. */
    uint32_t from, forced;
};
/* The bytes that the limits want small, head or arena, of a choice with these live bytes and this tail. */
uint64_t sw_fit_bytes(const struct sw_problem *, const struct sw_fit_limits *, const struct sw_fit_choice *);
/* Find the choices that no other one beats, with as many bytes and multiply-adds at most and, where the head is to be
 * small, as large a tail at most. The model as it is counts as a choice without cuts. Zero it first; it is the
 * caller's. False: no memory. O(numbers of live bytes x cuts x choices) */
bool sw_fit_front_find(const struct sw_fit_cuts *, const struct sw_fit_limits *, struct sw_fit_front *);
/* The same, but of the choices only the one that needs least, which comes much sooner. The limits may forbid it: then
 * it is one with the fewest bytes alive. */
bool sw_fit_front_least(const struct sw_fit_cuts *, const struct sw_fit_limits *, struct sw_fit_front *);
void sw_fit_front_done(struct sw_fit_front *);

/* Add cuts that are near those of the front and that no other cut beats: with strips of unequal length, or rows of
 * other operators kept. `work` falls, and at 0 it ends. False: no memory. O(cuts of the front x operators x strips x
 * operators) */
bool sw_fit_cuts_refine(struct sw_fit_cuts *, const struct sw_fit_limits *, const struct sw_fit_front *,
                        uint64_t *work);
/* Turn the region round: its strips are made in the opposite order. A loop stays as it is. */
void sw_fit_turn(const struct sw_problem *, struct sw_fit_region *);

#endif
