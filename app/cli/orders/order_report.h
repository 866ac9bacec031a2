/* What a planner that puts the operators in order has found, in words. */
#ifndef SW_CLI_ORDER_REPORT_H
#define SW_CLI_ORDER_REPORT_H

#include "formats/format.h"

#include <stdbool.h>

/* Is the run about another order than it began with? */
bool sw_cli_reordered(const struct sw_search *);

/* "no order needs less", or, of a run with wishes, "no order with what was asked for needs less". The planner puts
 * operators in order. */
const char *sw_cli_order_least(const struct sw_search *);

/* "1,179,648 B in the order of the file, -25.0%; no order needs less" into `text`; `order`: what --order gave, or NULL.
 * False: the run says nothing of orders. `bytes`: alive at most in the order that was found. */
bool sw_cli_order_words(const struct sw_search *, const char *order, uint64_t *bytes, char *text, size_t size);

#endif
