/* What the summary of a run says of a plan that is none. */
#ifndef SW_CLI_SUMMARY_H
#define SW_CLI_SUMMARY_H

#include "cli/cli.h"

/* One sentence on why a run has no layout: for standard error, and for tables. */
void sw_summary_infeasible(const struct sw_result *, struct sw_error *);
/* Of a run that has ended by itself: the exit status, 0 or 1, and then the same sentence; 2: no memory. */
int sw_summary_verdict(const struct sw_search *, struct sw_error *);

/* What TensorFlow Lite Micro's own planner needs for the model as its file has it; 0: the file is no such model, or that is too
 * much work to find out. False: no memory. And what a plan needs there, where sizes are rounded up. */
bool sw_summary_interpreter(const struct sw_result *, uint64_t *peak);
uint64_t sw_summary_in_interpreter(const struct sw_metrics *);

/* What to do next with a run: commands that make the same run again, so that a shell can be given them as they stand. */
void sw_summary_next(const struct sw_cli *, const struct sw_result *, struct sw_sink *);

#endif
