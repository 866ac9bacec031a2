/* The live curve of an online allocator: reserved bytes by what they hold. */
#ifndef SW_VIEW_WASTE_H
#define SW_VIEW_WASTE_H

#include "view/view_internal.h"

/* False: the planner is no online allocator, or has not begun; nothing is drawn. */
bool sw_view_build_waste(const struct sw_view_input *, struct sw_scene *, struct sw_box);

#endif
