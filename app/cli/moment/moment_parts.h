/* What is told of moments (problem/moment/moment.h): of one, and of two. */
#ifndef SW_CLI_MOMENT_PARTS_H
#define SW_CLI_MOMENT_PARTS_H

#include "cli/report/cli_report.h"
#include "problem/moment/moment.h"

/* The figures that count, as members of an object; null: not told. */
void sw_moment_json_figures(const struct sw_moment_sums *, struct sw_json_out *);

/* stowage diff, where at least one is a moment. The exit status: 1 when the new one holds more in use. */
int sw_diff_moments(struct sw_cli *, const struct sw_problem *old, const struct sw_problem *fresh, bool picture,
                    enum sw_output);
/* stowage plan --then (moment_next.c): what became of the requests that go on from a moment. */
void sw_moment_next(const struct sw_search *, struct sw_cli_report *);

#endif
