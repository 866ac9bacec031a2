/* What a planner that puts the operators in order has found, in words. */
#ifndef SW_CLI_ORDER_REPORT_H
#define SW_CLI_ORDER_REPORT_H

#include "cli/report/cli_report.h"

/* Is the run about another order than it began with? */
bool sw_cli_reordered(const struct sw_search *);

/* "no order needs less", or, of a run with wishes, "no order with what was asked for needs less". The planner puts
 * operators in order. */
const char *sw_cli_order_least(const struct sw_search *);

/* "1,179,648 B in the order of the file, -25.0%; no order needs less" into `text`; `order`: what --order gave, or NULL.
 * False: the run says nothing of orders. `bytes`: alive at most in the order that was found. */
bool sw_cli_order_words(const struct sw_search *, const char *order, uint64_t *bytes, char *text, size_t size);

/* `stowage diff`: which operators of the same model stand elsewhere in the new file. For people a sentence, with a
 * blank line before it, where both have the same operators in another order; else nothing. As JSON
 * "moved":[{"operator":"op4","old":4,"new":2}], and in each what is alive at most when it alone is undone; null where
 * the two do not have the same operators. */
void sw_cli_order_diff(const struct sw_problem *old, const struct sw_problem *fresh, struct sw_cli_report *);

#endif
