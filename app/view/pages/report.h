/* The pages of the view `report` that are tables of its own. */
#ifndef SW_VIEW_REPORT_H
#define SW_VIEW_REPORT_H

#include "view/scene/lines.h"

/* Key figures, memories, warnings, and the verdict in sentences; with the planners where there is room for all: the
 * page's heading. Is there? */
const char *sw_report_summary(const struct sw_view_input *, struct sw_scene *, struct sw_box);
bool sw_report_with_planners(const struct sw_view_input *);
/* The verdict, which on small pages has one of its own: is this one small? */
void sw_report_why(const struct sw_view_input *, struct sw_scene *, struct sw_box);
bool sw_report_why_apart(const struct sw_view_input *);
/* The planners that were tried, the least peak first, or in several memories the least cost; and what would help: the
 * page's heading. Is there anything of that? */
const char *sw_report_planners(const struct sw_view_input *, struct sw_scene *, struct sw_box);
bool sw_report_has_planners(const struct sw_view_input *);
/* Everything that it takes to make the plan again. */
void sw_report_provenance(const struct sw_view_input *, struct sw_scene *, struct sw_box);

#endif
