/* What stands where the map is, in a terminal: the memory, or what the planner works on while nothing has an address.
 */
#ifndef SW_VIEW_MAP_AREA_H
#define SW_VIEW_MAP_AREA_H

#include "view/view_internal.h"

/* Of one tier, or a strip for each that is in use, the decided one among them; with the way of a search above it. */
void sw_view_build_memory(const struct sw_view_input *, struct sw_scene *, struct sw_box);
/* order_strip.c: the order of the operators that is being made, with what is alive; false: none is. */
bool sw_view_build_order(const struct sw_view_input *, struct sw_scene *, struct sw_box);
/* residency.c: what is in the device and what is not, of a planner that gives no addresses; false: it does. */
bool sw_view_build_residency(const struct sw_view_input *, struct sw_scene *, struct sw_box);

#endif
