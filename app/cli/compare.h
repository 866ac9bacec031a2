/* What the two files of stowage compare share. */
#ifndef SW_CLI_COMPARE_H
#define SW_CLI_COMPARE_H

#include "cli/cli.h"

/* The parameters for one of several planners: of the settings given those it has. */
bool sw_compare_settings(struct sw_params *to, const struct sw_params *from,
                         const struct sw_planner *, struct sw_error *);
/* order-genetic beside random-order over cli->seeds seeds; prints, and returns the exit status. */
int sw_compare_seeds(struct sw_cli *, const struct sw_problem *, enum sw_output);

#endif
