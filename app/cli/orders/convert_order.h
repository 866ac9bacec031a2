/* Writing a model with its operators in another order. */
#ifndef SW_CLI_CONVERT_ORDER_H
#define SW_CLI_CONVERT_ORDER_H

#include "cli/cli.h"

/* The problem of the file, in the order of --order, and in that of the planner of -p if one is given. `note`: what that
 * saves, to be told once the file is written. NULL after printing why. */
struct sw_problem *sw_cli_load_ordered(struct sw_cli *, struct sw_error *note);
void sw_cli_tell_order(const struct sw_error *note);
/* Is another order asked for? */
bool sw_cli_wants_order(const struct sw_cli *);
/* Is the output, by its name, C++ source with a TensorFlow Lite model in it as an array? */
bool sw_cli_wants_array(const struct sw_cli *);
/* The file of cli->files[0], which is of this format, in that order, or as such an array. An exit status. */
int sw_cli_convert_order(struct sw_cli *, const struct sw_format *);
/* What is alive at most in a model that was written, read as these options say, but for the order. False: it is not
 * known; *memory becomes false where memory lacked. */
bool sw_cli_order_bound(const struct sw_load_options *, const struct sw_sink *model, const char *order, uint64_t *bytes,
                        bool *memory);

#endif
