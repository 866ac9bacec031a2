/* What the files of stowage compare share. */
#ifndef SW_CLI_COMPARE_H
#define SW_CLI_COMPARE_H

#include "cli/cli.h"

/* The parameters for one of several planners: of the settings given those it has. */
bool sw_compare_settings(struct sw_params *to, const struct sw_params *from,
                         const struct sw_planner *, struct sw_error *);
/* order-genetic beside random-order over cli->seeds seeds; prints, and returns the exit status. */
int sw_compare_seeds(struct sw_cli *, const struct sw_problem *, enum sw_output);

bool sw_compare_has_parameter(const struct sw_planner *, const char *key);

/* One of the planners that are compared. */
struct sw_compared {
    const struct sw_planner *planner;
    const struct sw_search *search; /* NULL: it did not run */
    const char *why;                /* not, or without a layout; "" */
};
/* What they found over their evaluations, in one picture. */
bool sw_compare_curves(const struct sw_cli *, const struct sw_problem *, uint64_t digest,
                       const struct sw_compared *, size_t count, struct sw_error *);
/* The same over cli->seeds seeds, run here. Prints why not, and returns the exit status. */
int sw_compare_seed_curves(struct sw_cli *, const struct sw_problem *, uint64_t digest,
                           const struct sw_compared *, size_t count);

#endif
