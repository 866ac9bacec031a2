/* One changed model: made and planned. For the files of this folder. */
#ifndef SW_FIT_FIT_MODEL_H
#define SW_FIT_FIT_MODEL_H

#include "fit/find_fit.h"

struct sw_fit_planning {
    uint64_t seed, work;       /* work: that placing may still spend */
    uint64_t below;            /* plans are made well only as far as they may need less; 0: however much that is */
    bool of_head, over;        /* over: results may be written over arguments */
    bool counts_all;           /* the file of the model without moves is counted, too: what a plan takes there by itself */
    struct sw_error *error;
    SW_ARRAY(uint32_t) begins; /* of the parts of the program at hand */
};
/* The base with some regions cut, planned, and its file counted; with its moves but for effects. Zero the model first; it is the caller's whatever comes out. */
bool sw_fit_model_make(struct sw_fit_planning *, const struct sw_fit_variant *, uint32_t number, const struct sw_fit_region *, size_t count,
                       struct sw_fit_model *);
/* A plan of the model's problem, and what it comes to. */
bool sw_fit_model_plan(struct sw_fit_planning *, struct sw_fit_model *);
/* Tensors that wait go to another memory, the largest first where most is alive, until the model fits or none waits there: moves more of it. */
bool sw_fit_model_spill(struct sw_fit_planning *, const struct sw_problem *memories, uint64_t capacity, struct sw_fit_model *);

#endif
