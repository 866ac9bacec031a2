/* What the two files of the view of convergence share. For them only. */
#ifndef SW_VIEW_CONVERGENCE_H
#define SW_VIEW_CONVERGENCE_H

#include "view/scene/lines.h"

/* "52K", or "161.125" where it is a cost. */
const char *sw_convergence_figure(const struct sw_view_input *, struct sw_scene *, enum sw_measure, double value);
/* Rows for what the last generation made, the best first. */
void sw_convergence_population(struct sw_lines *, const struct sw_trend *, const struct sw_trend_round *);
/* Rows for the results that were better than all before, the last first. */
void sw_convergence_gains(struct sw_lines *, const struct sw_trend *);

#endif
