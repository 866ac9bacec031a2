/* What the summary of a run says of a plan that is none. */
#ifndef SW_CLI_SUMMARY_H
#define SW_CLI_SUMMARY_H

#include "cli/report/cli_report.h"

/* One sentence on why a run has no layout: for standard error, and for tables. */
void sw_summary_infeasible(const struct sw_result *, struct sw_error *);
/* Of a run that has ended by itself: the exit status, 0 or 1, and then the same sentence; 2: no memory. */
int sw_summary_verdict(const struct sw_search *, struct sw_error *);

/* What a plan needs in TensorFlow Lite Micro's interpreter, where sizes are rounded up. */
uint64_t sw_summary_in_interpreter(const struct sw_metrics *);

/* What to do next with a run: commands that make the same run again, so that a shell can be given them as they stand.
 * `interpreter`: what the interpreter's own planner needs for the model; 0: there is none. */
void sw_summary_next(const struct sw_cli *, const struct sw_result *, uint64_t interpreter, struct sw_sink *);

/* What plan says of a moment, which has no times (problem/moment/moment.h). The exit status. */
int sw_cli_moment(struct sw_cli *, const struct sw_problem *);

/* ---- parts of the summary, from other folders ---- */

/* What an online allocator reserved. False: the planner of the run is no online allocator, and nothing is said. */
bool sw_cli_reserved_text(const struct sw_result *, struct sw_sink *);

/* The lower bounds of the problem with what proves them: the view "bounds" as text; and
 * "bounds":{"peak":{...},"cost":E or null,"migration":{...} or null} of the details. A sink remembers lack of memory.
 */
void sw_cli_bounds_text(const struct sw_result *, struct sw_sink *);
void sw_cli_bounds_json(const struct sw_result *, struct sw_json_out *);

#endif
