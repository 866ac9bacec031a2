/* stowage diff: which operators of the same model stand elsewhere in the new file. */
#ifndef SW_CLI_ORDER_DIFF_H
#define SW_CLI_ORDER_DIFF_H

#include "cli/report/cli_report.h"

/* For people a sentence, with a blank line before it, where both have the same operators in another order; else
 * nothing. As JSON "moved":[{"operator":"op4","old":4,"new":2}], and in each what is alive at most when it alone is
 * undone; null where the two do not have the same operators. */
void sw_cli_order_diff(const struct sw_problem *old, const struct sw_problem *fresh, struct sw_cli_report *);

#endif
