/* A file that gives the operators of a model another order, as --order takes it: their names, one a line.
 *
 * Spaces at both ends of a line are none of the name. Empty lines count for nothing, nor do lines that begin with # and
 * name no operator. Every operator is listed once. */
#ifndef SW_FORMATS_ORDER_FILE_H
#define SW_FORMATS_ORDER_FILE_H

#include "formats/format.h"

/* The problem in that order; the caller's. Errors have the place in the file. O(arguments + length). NULL on error. */
struct sw_problem *sw_order_file_apply(const struct sw_input *, const struct sw_problem *, struct sw_error *);

/* The order that --order stands for: that in the file of this name. Two words stand for the orders that a runtime
 * takes by itself; a file of such a name is
 * ./onnxruntime. */
enum sw_order_of { SW_ORDER_OF_FILE, SW_ORDER_OF_ONNXRUNTIME, SW_ORDER_OF_ONNXRUNTIME_PRIORITY };
enum sw_order_of sw_order_of(const char *order);
/* "the order of ONNX Runtime"; "the order of --order" of a file, and of NULL "the order of the file". */
const char *sw_order_words(const char *order);

/* For writers of models: several operators, one after the other, may be one node of the file (owner[op]), which stays
 * whole. From the order of the operators to that of the nodes, at most `count` of them. False: the operators of `torn`
 * do not stand one after the other in their order. O(count). */
bool sw_order_of_nodes(const uint32_t *order, uint32_t count, const uint32_t *owner, uint32_t *nodes,
                       uint32_t *node_count, uint32_t *torn);

#endif
