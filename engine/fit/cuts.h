/* Every way to cut a region of a model, and which of them together need the least.
 *
 * A cut costs: operators, whose structures a runtime keeps in the arena's tail, and rows that are computed twice. What it saves is live
 * bytes at its own steps. Disjoint regions do not touch each other, so of a set of cuts the live bytes are the largest of theirs
 * and of the steps that stay, and all that they cost adds up: the best sets come out of one walk along the operators for each
 * number of live bytes (a shortest path; bicriteria for bytes against multiply-adds). */
#ifndef SW_FIT_CUTS_H
#define SW_FIT_CUTS_H

#include "fit/strip_program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sw_fit_cut {
    struct sw_fit_region region;
    uint64_t live; /* the most bytes that are alive at one of its calls */
    uint64_t tail; /* bytes of the interpreter's structures, more than without */
    uint64_t macs; /* multiply-adds, more than without */
    uint32_t calls; /* operators, more than without */
};

/* What may be done, and what is asked whether to go on. */
struct sw_fit_limits {
    double macs;     /* at most so many times the model's own; 0: no limit */
    uint32_t calls;  /* operators in all; 0: no limit */
    bool (*go_on)(void *context, uint64_t done, uint64_t count); /* asked between regions, and between plans; NULL */
    void *context;
};

struct sw_fit_cuts {
    const struct sw_problem *problem; /* borrowed */
    SW_ARRAY(struct sw_fit_cut) items; /* by first operator */
    SW_ARRAY(struct sw_fit_refusal) refused; /* operators that no region can have, each once */
    uint64_t macs;                     /* of the model */
    bool stopped;                      /* not all were looked at */
};
/* Zero it first; it is the caller's. Regions of up to 24 operators, 2 to 24 strips, both ways. False: no memory.
 * O(regions x strips x operators x strips) */
bool sw_fit_cuts_find(const struct sw_problem *, const struct sw_fit_limits *, struct sw_fit_cuts *);
void sw_fit_cuts_done(struct sw_fit_cuts *);

/* Cuts that go together. */
struct sw_fit_choice {
    uint64_t live, tail, macs; /* of the whole program: live bytes at most, tail and multiply-adds more than without */
    uint32_t calls;            /* more than without */
    size_t first, count;       /* in `chosen` */
};
struct sw_fit_front {
    SW_ARRAY(struct sw_fit_choice) items; /* fewest live bytes and tail together first; multiply-adds fall along the list */
    SW_ARRAY(struct sw_fit_region) chosen;
    uint64_t live, arena; /* no set of these cuts has fewer bytes alive, and none, with its tail, a smaller arena; whatever the limits say */
};
/* The choices of which none is better in both bytes (live + tail) and multiply-adds; the model as it is is one of them, where no cut
 * beats it. Zero it first; it is the caller's. False: no memory. O(numbers of live bytes x cuts x choices) */
bool sw_fit_front_find(const struct sw_fit_cuts *, const struct sw_fit_limits *, struct sw_fit_front *);
void sw_fit_front_done(struct sw_fit_front *);

#ifdef __cplusplus
}
#endif

#endif
