/* The graph around a buffer or an operator as columns with arrows, in a pane that is wide and high enough. */
#ifndef SW_VIEW_GRAPH_COLUMNS_H
#define SW_VIEW_GRAPH_COLUMNS_H

#include "view/view_internal.h"

/* Around the buffer; SW_NONE: around the operator. False: there is no room, or it is for paper. */
bool sw_view_build_graph(const struct sw_view_input *, struct sw_scene *, struct sw_box, uint32_t buffer,
                         uint32_t operator_, const char *title);

#endif
