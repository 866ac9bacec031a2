/* The parts that the view `blame` is made of. */
#ifndef SW_VIEW_BLAME_H
#define SW_VIEW_BLAME_H

#include "view/lines.h"

/* What is free below `top` of a tier during all of a buffer's life, as if `without` (SW_NONE: nobody)
 * were not there: all of it, and the largest hole. O(k log k), k = neighbours. False: no memory. */
bool sw_blame_room(const struct sw_search *, uint32_t buffer, uint32_t without, uint32_t tier,
                   uint64_t top, uint64_t *all, uint64_t *largest);

/* What passes a capacity, and what would make room for it; nothing when all fits. */
void sw_blame_fit(struct sw_lines *);
/* Moves of operators that lower what is alive at the step where the bound is met. */
void sw_blame_moves(struct sw_lines *, uint32_t step);

#endif
