/* stowage diff of two files that tell requests: what grew, by the stack that asked for it. */
#ifndef SW_CLI_DIFF_REQUESTS_H
#define SW_CLI_DIFF_REQUESTS_H

#include "cli/cli.h"

/* The exit status: 1 when the new one reserves more. */
int sw_diff_requests(struct sw_cli *, const struct sw_problem *old, const struct sw_problem *fresh, enum sw_output);

#endif
