/* What the files of stowage compare share. */
#ifndef SW_CLI_COMPARE_H
#define SW_CLI_COMPARE_H

#include "cli/report/cli_report.h"

/* order-genetic beside random-order over cli->seeds seeds; prints, and returns the exit status. */
int sw_compare_seeds(struct sw_cli *, const struct sw_problem *, enum sw_output);

/* A file that tells requests: the online allocators on them, and an offline plan beside; prints, and returns the exit
 * status. */
int sw_compare_requests(struct sw_cli *, const struct sw_problem *, enum sw_output);

/* Why a planner has no figures, or what is to be said of them: an item of a list, or a line. Nothing where `why` is "".
 */
void sw_compare_remark(struct sw_cli_report *, const struct sw_planner *, const char *why);

/* One of the planners that are compared. */
struct sw_compared {
    const struct sw_planner *planner;
    const struct sw_search *search; /* NULL: it did not run */
    const char *why;                /* not, or without a layout; "" */
};
/* What they found over their evaluations, in one picture. */
bool sw_compare_curves(const struct sw_cli *, const struct sw_problem *, uint64_t digest, const struct sw_compared *,
                       size_t count, struct sw_error *);
/* The same over cli->seeds seeds, run here. Prints why not, and returns the exit status. */
int sw_compare_seed_curves(struct sw_cli *, const struct sw_problem *, uint64_t digest, const struct sw_compared *,
                           size_t count);

#endif
