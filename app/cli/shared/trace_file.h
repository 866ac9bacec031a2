/* `trace -o NAME.trace`: a run as a decision trace. */
#ifndef SW_CLI_TRACE_FILE_H
#define SW_CLI_TRACE_FILE_H

#include "cli/cli.h"
#include "search/search.h"

/* Count the candidates of one more decision. False, with the error: they are more than --max-candidates. */
bool sw_cli_count_candidates(const struct sw_cli *, const struct sw_explanation *, uint64_t *count, struct sw_error *);

/* -o names a decision trace: refuse an option with which it would not have what it has, "the whole run". */
bool sw_cli_trace_without(const struct sw_cli *, const char *option, const char *has, struct sw_error *);

/* Run the planner and write the trace to cli->output, which sw_trace_named accepts. Options that would leave something
 * of the run out are refused. The exit status; unless the whole trace is there the file is as it was. */
int sw_cli_trace_file(struct sw_cli *);

#endif
