/* What a run that chooses the order of the operators knows of orders at its present decision, for views.
 *
 * The order that is being made, or, between two of them, the best one so far; before there is any, the file's. */
#ifndef SW_PLANNERS_ORDERING_LOOK_H
#define SW_PLANNERS_ORDERING_LOOK_H

#include "search/search.h"

struct sw_order_look {
    const struct sw_problem *model; /* that the run began with: its operators have their numbers there. Borrowed */
    uint32_t count, done;           /* operators, and how many of them have their places */
    bool backward;                  /* the places are given from the end */
    bool made;                      /* it is being made; else it is whole: */
    bool best;                      /* the best one so far; else the file's, or what is nearest to it */
    uint32_t *at;                   /* by place: the operator; SW_NONE: none yet */
    uint64_t *during;               /* by place: bytes alive while it runs */
    uint64_t most;                  /* of these */
    uint32_t last;                  /* the place that was filled last; SW_NONE */
    uint64_t threshold;             /* of the search for an order within it; 0: none is under way */
};
/* Zero it to start with. False: the run chooses no order, or not any more, or there was no memory, which `missed`
 * tells. O(size of the graph). */
bool sw_order_look(const struct sw_search *, struct sw_order_look *, bool *missed);
void sw_order_look_done(struct sw_order_look *);

#endif
