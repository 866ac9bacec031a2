/* What segments.c (the map with bands, the figures) and lanes.c (moves between tiers) share. */
#ifndef SW_VIEW_SEGMENTS_H
#define SW_VIEW_SEGMENTS_H

#include "view/facts.h"
#include "view/scene/lines.h"

struct sw_segments_view {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    const struct sw_facts *facts;
    const struct sw_problem *problem;
    bool bands; /* the segments are known, and the layout is theirs */
};

const char *sw_segments_tier(const struct sw_segments_view *, uint32_t tier);
uint64_t sw_segments_size(const struct sw_segments_view *, const struct sw_transfer *);
/* Marks that a text takes along x. */
double sw_segments_text_marks(const struct sw_segments_view *, const char *text);
void sw_segments_label(const struct sw_segments_view *, struct sw_panel *, double x, double y, const char *text);
/* So many moves in view that arrows would hide the blocks of a plot this wide. */
bool sw_segments_crowded(const struct sw_segments_view *, double width);
/* How a plot draws moves: where in its y an arrow begins or ends, and above where its bytes stand. */
struct sw_arrows {
    double (*level)(const void *context, uint32_t tier, uint32_t step, bool arrives);
    double (*text)(const void *context, uint32_t from, uint32_t to);
    const void *context;
};
/* An arrow a move, or one for those near in time, which is then true; `seen`: moves in view. */
bool sw_segments_arrows(const struct sw_segments_view *, struct sw_panel *, const struct sw_arrows *, uint64_t *seen);
/* Sequences as rows of segments at the top of the box; returns the height that they take, 0 where there is no room or
 * the planner has none. Before that: the height that they want. */
double sw_segments_sequences_height(const struct sw_segments_view *);
double sw_segments_sequences(const struct sw_segments_view *, struct sw_box);
/* The tiers as lanes, with an arrow a move, or one for those near in time. */
void sw_segments_lanes(const struct sw_segments_view *, struct sw_box);

#endif
