/* The parts that the view `blame` is made of. */
#ifndef SW_VIEW_BLAME_H
#define SW_VIEW_BLAME_H

#include "view/blame/advice.h"
#include "view/scene/lines.h"

/* What is free in a tier below `top` during all of a buffer's life, as the layout is: all of it, the largest
 * hole, and the lowest place where the buffer fits. Pins, reserved and forbidden ranges, alignment and
 * permits count as they do for planners. */
struct sw_room {
    uint64_t all, largest;
    bool fits;
    uint64_t place;
};
/* `gaps` is scratch memory, which the caller keeps from one call to the next. O(k log k), k = neighbors.
 * False: no memory. */
bool sw_blame_room(struct sw_gaps *, const struct sw_layout *, const struct sw_rules *, uint32_t buffer, uint32_t tier,
                   uint64_t top, struct sw_room *);

/* Which single blocks, lying elsewhere, would make room for a buffer below `top`: the smallest first. */
struct sw_makers {
    uint32_t buffers[SW_ADVICE_TRIED];
    uint64_t places[SW_ADVICE_TRIED]; /* where it would fit then */
    size_t count, tried, left_out;
    bool emptied; /* it would fit if all but pins and reserved ranges were away */
};
/* False: no memory. */
bool sw_blame_makers(const struct sw_search *, uint32_t buffer, uint32_t tier, uint64_t top, struct sw_makers *);

/* What passes a capacity, and what would make room for it; nothing when all fits. */
void sw_blame_fit(struct sw_lines *);
/* Of an online allocator: what made it reserve so much. False: the planner is none. */
bool sw_blame_reserved(struct sw_lines *);
/* What lowers the peak: moves that were tried. */
void sw_blame_try(struct sw_lines *);
/* For documents, the two halves of the view: why the peak and why the bound; and what would help, with the moves that
 * were made (in->run.suggest; NULL: none was). */
void sw_blame_why(const struct sw_view_input *, struct sw_scene *, struct sw_box);
void sw_blame_help(const struct sw_view_input *, struct sw_scene *, struct sw_box);
/* Of the moves that were made so many are told. */
enum { SW_BLAME_TOLD = 5 };
void sw_blame_made(struct sw_lines *);
/* Those that a frame has time for. NULL: the error says why. */
struct sw_suggest *sw_blame_suggestions(const struct sw_search *, struct sw_error *);
/* What would lower the bound. */
void sw_blame_advice(struct sw_lines *);

#endif
