/* What the planner of a run makes as small as it can, as words for the header. */
#ifndef SW_VIEW_GOAL_H
#define SW_VIEW_GOAL_H

#include "view/view.h"

/* "" where there is nothing to say; the brief ones may be NULL. */
struct sw_goal {
    const char *now, *now_brief;     /* "E 134.75", "peak now 55K", "moved 12K", "order now 40K" */
    const char *more;                /* "sram 38K": a figure beside it */
    const char *best;                /* "best 120.625", so far */
    const char *bound, *bound_brief; /* "bound 54K" */
    const char *change;              /* "-10.5% of the first", "best +16.7%": over the bound */
};
/* False: the run is about the peak of the layout that there is, which the header tells without this. */
bool sw_view_goal(const struct sw_view_input *, struct sw_scene *, struct sw_goal *);
/* What header and map read out of the run: SW_VIEW_READS_... */
unsigned sw_view_goal_reads(const struct sw_search *);
/* Is it about E, as far as is known without reading the journal? */
bool sw_view_goal_is_cost(const struct sw_view_input *);

#endif
