/* Which decision placed what.
 *
 * A layout knows of each placement which decision of the run made it, and its copies know it too: so a planner that
 * tries many layouts and returns one can say where each block of that one comes from. It is no part of the digest. */
#ifndef SW_LAYOUT_MADE_H
#define SW_LAYOUT_MADE_H

#include "layout/layout.h"

SW_C_BEGIN

/* What is placed from now on is the work of this decision (its step); 0: of none, as when a user moves a block. */
void sw_layout_stamp(struct sw_layout *, uint64_t decision);
/* The same, of the layout that stands when the decision begins. */
void sw_layout_begin(struct sw_layout *, uint64_t decision);
/* Is it that one, or a copy of it? False: the decision put another layout in its place. */
bool sw_layout_goes_on(const struct sw_layout *, uint64_t decision);
/* The decision makes another one of it. */
void sw_layout_replaced(struct sw_layout *);
/* What was said last. */
uint64_t sw_layout_stamped(const struct sw_layout *);
/* The decision takes all that lies here already anew, as if it had placed it: it is another layout. O(1). */
void sw_layout_anew(struct sw_layout *);
/* What lies here as it does in another layout of the problem was placed by whichever decision placed it there. O(n).
 * False: no memory. */
bool sw_layout_inherit(struct sw_layout *, const struct sw_layout *from);
/* The decision that made placement k of a buffer; 0: none did, or it is not placed. */
uint64_t sw_layout_made(const struct sw_layout *, uint32_t buffer, uint32_t k);
/* Does it lie at the far end of the free stretch of a tier that is filled from its far end? The peak is made by such a
 * block as well as by one that ends where the stretch begins (sw_layout_makes_peak). */
bool sw_layout_ends_stretch(const struct sw_layout *, uint32_t buffer, const struct sw_placement *);
/* The decision that made the arena of a tier what it is; 0: none did. */
uint64_t sw_layout_arena_made(const struct sw_layout *, uint32_t tier);

SW_C_END

#endif
