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

/* ---- several.c: the parameters of one of several planners that get the same --set; for tune as well ---- */

/* What a planner that looks for a proof may spend: about two seconds. */
#define SW_PROOF_WORK UINT64_C(200000000)

bool sw_compare_has_parameter(const struct sw_planner *, const char *key);
/* Of the settings given those that the planner has. One that goes on until it has a proof gets a limit of work; one
 * with a budget of its own has that, and costs what it costs alone. */
bool sw_compare_settings(struct sw_params *to, const struct sw_params *from, const struct sw_planner *,
                         struct sw_error *);

#endif
