/* Planners that are tried on one model, beside each other. */
#ifndef SW_CLI_RIVALS_H
#define SW_CLI_RIVALS_H

#include "cli/cli.h"
#include "view/view.h"

/* Is it one that is compared without being named? It applies; it is no part of another one and changes no model; and of
 * a file that tells requests it is an online allocator, of another one it is none. */
bool sw_rival_wanted(const struct sw_planner *, const struct sw_problem *);
/* Run it to its end with those of the parameters that it knows. What keeps it from a plan is told in `rival`. False: no
 * memory. */
bool sw_rival_run(const struct sw_cli *, const struct sw_problem *, const struct sw_planner *, const struct sw_params *,
                  struct sw_rival *, struct sw_error *);
/* What came of a run, which is at its end. False: the error says why. */
bool sw_rival_of(struct sw_search *, const struct sw_result *, const struct sw_problem *, struct sw_rival *,
                 struct sw_error *);

#endif
