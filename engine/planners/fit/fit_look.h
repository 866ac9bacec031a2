/* What a run of the planner `fit` knows at its present decision, for views and reports.
 *
 * A run of `fit` has three parts. First it looks for changes that make the model need less (fit/find_fit.h): decisions
 * about regions, then about whole choices of moves, each planned. Then the moves of the choice are taken one by one. At
 * last the run hands over: it goes on with the changed model, and places its buffers. */
#ifndef SW_PLANNERS_FIT_LOOK_H
#define SW_PLANNERS_FIT_LOOK_H

#include "fit/find_fit.h"
#include "search/search.h"

struct sw_fit_look {
    const struct sw_problem *model; /* as it was before */
    const struct sw_problem
        *base; /* the problem of which regions are cut: the model, in another order or with operators that run again */
    const struct sw_fit_result *result;   /* what has been found so far; its `models` may be fewer than at the end */
    const struct sw_fit_request *request; /* what was asked for */
    size_t chosen;                        /* of result->models; SIZE_MAX: none was chosen yet */
    uint32_t moves;                       /* how many moves of it the present decision has taken */
    bool handed;                          /* the run is about the changed model by now */
    const struct sw_fit_region
        *regions; /* region_count of them: the cuts that are taken, or are to be; the user may have changed them */
    size_t region_count;
    const struct sw_fit_model
        *now; /* the changed model, planned; NULL: none was chosen, or the chosen one is not planned yet */
};
/* False: it is the run of another planner, or knows nothing yet. Borrowed until the run's next change. */
bool sw_fit_look(const struct sw_search *, struct sw_fit_look *);

#endif
