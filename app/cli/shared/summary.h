/* What the summary of a run says of a plan that is none. */
#ifndef SW_CLI_SUMMARY_H
#define SW_CLI_SUMMARY_H

#include "cli/cli.h"

/* One sentence on why a run has no layout: for standard error, and for tables. */
void sw_summary_infeasible(const struct sw_result *, struct sw_error *);

#endif
