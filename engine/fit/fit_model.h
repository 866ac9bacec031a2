/* One changed model: made and planned. For the files of this folder. */
#ifndef SW_FIT_FIT_MODEL_H
#define SW_FIT_FIT_MODEL_H

#include "fit/find_fit.h"

struct sw_fit_planning {
    uint64_t seed, work; /* work: that placing may still spend */
    uint64_t below;      /* a plan that cannot need less than this is not improved; 0: all plans are */
    bool of_head, over;  /* over: results may be written over arguments */
    bool counts_all;     /* the file of the model without moves is counted, too: what a plan takes there by itself */
    struct sw_error *error;
    SW_ARRAY(uint32_t) begins; /* of the parts of the program at hand */
};
/* Make the model that is the base with some regions cut, plan it and count its file. Its moves have no effects yet.
 * Zero the model first; it is the caller's, also after a failure. */
bool sw_fit_model_make(struct sw_fit_planning *, const struct sw_fit_variant *, uint32_t number,
                       const struct sw_fit_region *, size_t count, struct sw_fit_model *);
/* Plan the model's problem, and fill in its figures. */
bool sw_fit_model_plan(struct sw_fit_planning *, struct sw_fit_model *);
/* Move tensors that wait to another memory, the largest first at the step with most alive, until the model fits or no
 * tensor waits at that step. Each is one more move of the model. */
bool sw_fit_model_spill(struct sw_fit_planning *, const struct sw_problem *memories, uint64_t capacity,
                        struct sw_fit_model *);

#endif
