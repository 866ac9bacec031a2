/* What the summary of a run knows about a plan that does not fit. */
#ifndef SW_CLI_SUMMARY_H
#define SW_CLI_SUMMARY_H

#include "cli/cli.h"

/* A block that ends above the capacity of its tier. */
struct sw_misfit {
    uint32_t buffer, tier, time; /* time: the step at which it is born */
    uint64_t required;           /* its end: the capacity that this layout would need for it */
    uint64_t available, excess;
    uint64_t step;               /* the decision that put it there; 0 = unknown */
    bool has_hole;
    uint64_t hole;               /* the largest space it was refused */
};
/* The first in program order; false when every placed block fits. */
bool sw_summary_misfit(const struct sw_result *, struct sw_misfit *);
/* One sentence on why a run has no layout: for standard error, and for tables. */
void sw_summary_infeasible(const struct sw_result *, struct sw_error *);

#endif
