/* A file that gives the operators of a model another order, as --order takes it: their names, one a line.
 *
 * Spaces at both ends of a line are none of the name. Empty lines count for nothing, nor do lines that begin with # and name no
 * operator. Every operator is listed once. */
#ifndef SW_FORMATS_ORDER_FILE_H
#define SW_FORMATS_ORDER_FILE_H

#include "formats/format.h"

/* The problem in that order; the caller's. Errors have the place in the file. O(arguments + length). NULL on error. */
struct sw_problem *sw_order_file_apply(const struct sw_input *, const struct sw_problem *, struct sw_error *);

#endif
