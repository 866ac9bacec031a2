/* What would lower the bound of a problem: changes at the step where it is met, each with the exact bound
 * that the problem has once it is made (problem/change/change.h). Only the problem decides it. */
#ifndef SW_VIEW_ADVICE_H
#define SW_VIEW_ADVICE_H

#include "fit/cuts/cut_advice.h"
#include "stowage_runs.h"

enum { SW_ADVICE_TRIED = 64, SW_ADVICE_TOGETHER = 8 };

/* The SW_ADVICE_TRIED buffers with the largest figures, or with the smallest, in this order. Buffers with equal figures
 * stay as they came. */
struct sw_first_buffers {
    struct {
        uint32_t buffer;
        uint64_t bytes;
    } items[SW_ADVICE_TRIED];
    size_t count, total; /* total: with those that had no room */
};
void sw_first_buffers_offer(struct sw_first_buffers *, uint32_t buffer, uint64_t bytes, bool largest);

/* Changes of one kind, the best first: by their bound, then as they came, the most promising first. */
struct sw_tries {
    struct sw_tried {
        struct sw_edit edit;
        struct sw_changed_bound bound;
    } items[SW_ADVICE_TRIED];
    size_t count;    /* tried, and possible */
    size_t left_out; /* possible for all that is known, but not tried: it would take too long */
    size_t refused;  /* looked at, and not possible */
    char why[200];   /* the first of those; "" */
};

struct sw_advice {
    bool derived;     /* the planner made this problem from another: nothing was tried */
    bool too_large;   /* for moves of operators: none was tried */
    uint32_t met;     /* at how many steps the bound is met; 0: a clique proves it */
    uint32_t waiting; /* buffers that only wait at its first step */
    struct sw_tries spills, again, inplace, moves;
    /* --inplace safe, where it is off and the graph marks something that it would use. */
    bool has_marked, marked_left_out;
    struct sw_changed_bound marked;
    /* Changes at one step after the other where the bound is met; only where they do better than any single
     * one. */
    struct sw_edit together[SW_ADVICE_TOGETHER];
    size_t together_count;
    struct sw_changed_bound together_bound;
    struct sw_fit_advice strips; /* a region around the step in strips of rows */
};

/* At most about as many steps are added up as a screen may take. False: no memory. */
bool sw_advice_of(const struct sw_problem *, struct sw_advice *);

#endif
