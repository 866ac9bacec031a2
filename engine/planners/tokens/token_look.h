/* The counts of tokens in a run of token-sharing, for views: they are known before anything is allocated. */
#ifndef SW_PLANNERS_TOKEN_LOOK_H
#define SW_PLANNERS_TOKEN_LOOK_H

#include "search/search.h"

/* One reader of a tensor has run. */
struct sw_token_drop {
    uint32_t buffer, step;
};
struct sw_token_look {
    uint32_t buffers;
    uint32_t *count;                      /* per buffer: that its token begins with; 0: it has no token of its own */
    uint64_t *declared;                   /* per buffer: bytes before it adopted others; else SW_UNBOUNDED */
    SW_ARRAY(struct sw_token_drop) drops; /* by buffer, those of one in the order of their steps */
    uint32_t *first;                      /* per buffer: the first of its drops; one more at the end */
};
/* Zero it to start with. False: it is a run of another planner, or there was no memory, which `missed` tells.
 * O(size of the graph). */
bool sw_token_look(const struct sw_search *, struct sw_token_look *, bool *missed);
void sw_token_look_done(struct sw_token_look *);

#endif
