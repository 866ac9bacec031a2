/* What is true of the run that panes tell of: of bytes by the placements and the lives alone, of all orders by trying
 * them. */
#ifndef SW_PROPERTY_VIEW_CLAIMS_ORACLE_H
#define SW_PROPERTY_VIEW_CLAIMS_ORACLE_H

#include "model.h"

/* What is looked at. */
struct pane_scene {
    const struct model *m;
    const char *planner;
    const struct sw_search *search;
    const struct sw_problem *problem;
    const struct sw_layout *layout;
    const struct sw_layout *before; /* the decision; NULL: not known */
    const struct sw_explanation *why;
    bool complete; /* the run stands at its end, with a layout */
    /* of all orders of the operators; 0: not tried */
    uint64_t orders, least;
    uint64_t with[MAX_OPERATORS];   /* an operator runs with so much alive, at least */
    uint32_t always[MAX_OPERATORS]; /* bits: buffers that are alive whenever it runs */
};

/* The end of the highest block of a tier. */
uint64_t scene_top(const struct pane_scene *, const struct sw_layout *, uint32_t tier);
/* The bytes of a tier that a user must reserve: to the end of its highest block, to which the planner may add, or,
 * where it is filled from its far end, less than that by a stretch that is never used. Of SW_NONE: of the first tier in
 * use. */
uint64_t scene_peak(const struct pane_scene *, const struct sw_layout *, uint32_t tier);
/* Alive at a step, as the model has it: no sharing. */
uint64_t scene_alive(const struct pane_scene *, uint32_t step);
/* May it lie there, beside all that is placed? */
bool scene_fits(const struct pane_scene *, const struct sw_layout *, uint32_t buffer, uint32_t tier, uint64_t at);
/* The bytes below `top` that are free of all that conflicts with the buffer; `plain`: every conflict is of whole
 * buffers. */
uint64_t scene_free_below(const struct pane_scene *, uint32_t buffer, uint32_t tier, uint64_t top, bool *plain);
/* Fills in what is true of all orders of the problem, where its operators are few. */
void scene_try_orders(struct pane_scene *, const struct sw_problem *);

#endif
