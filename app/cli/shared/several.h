/* The parameters of one of several planners that get the same --set. */
#ifndef SW_CLI_SEVERAL_H
#define SW_CLI_SEVERAL_H

#include "cli/cli.h"

/* What a planner that looks for a proof may spend: about two seconds. */
#define SW_PROOF_WORK UINT64_C(200000000)

bool sw_compare_has_parameter(const struct sw_planner *, const char *key);
/* Of the settings given those that the planner has. One that goes on until it has a proof gets a limit of work; one
 * with a budget of its own has that, and costs what it costs alone. */
bool sw_compare_settings(struct sw_params *to, const struct sw_params *from, const struct sw_planner *,
                         struct sw_error *);

#endif
