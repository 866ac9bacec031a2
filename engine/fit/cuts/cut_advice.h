/* Which one region in strips would lower the bound of a model most. The best is made and planned before anything is
 * said of it. */
#ifndef SW_FIT_CUT_ADVICE_H
#define SW_FIT_CUT_ADVICE_H

#include "fit/find_fit.h"

struct sw_fit_advice {
    size_t tried;  /* ways to cut regions with the operator in them */
    bool left_out; /* there are more, which would take too long to try */
    bool helps;    /* the best of them lowers the bound: */
    struct sw_fit_region region;
    uint64_t bound, head; /* of the changed model: no plan needs less, and what its plan needs */
    uint64_t macs, model_macs;
};
/* `work`: operators and calls that may be looked at. A model without windows has no such regions. False: the error says
 * why. Deterministic. O(work) */
bool sw_fit_advise(const struct sw_problem *, uint32_t op, uint64_t work, struct sw_fit_advice *, struct sw_error *);

#endif
