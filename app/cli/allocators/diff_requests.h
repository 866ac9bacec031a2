/* stowage diff of two files that tell requests: what grew, by the stack that asked for it. */
#ifndef SW_CLI_DIFF_REQUESTS_H
#define SW_CLI_DIFF_REQUESTS_H

#include "cli/allocators/served.h"

/* As words, or as a picture in the file of -o. The exit status: 1 when the new one reserves more. */
int sw_diff_requests(struct sw_cli *, const struct sw_problem *old, const struct sw_problem *fresh, bool picture,
                     enum sw_output);
/* The picture (diff_curves.c); both have a history. */
bool sw_diff_curves(struct sw_cli *, const struct sw_problem *, const struct sw_served *old,
                    const struct sw_served *fresh, struct sw_error *);

#endif
