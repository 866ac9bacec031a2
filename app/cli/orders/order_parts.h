/* What the files of this folder tell others: a model with its operators in another order. */
#ifndef SW_CLI_ORDER_PARTS_H
#define SW_CLI_ORDER_PARTS_H

#include "cli/report/cli_report.h"

/* ---- convert_order.c: the model written in that order ---- */

/* The problem of the file, in the order of --order, and in that of the planner of -p if one is given. `note`: what that
 * saves, to be told once the file is written. NULL after printing why. */
struct sw_problem *sw_cli_load_ordered(struct sw_cli *, struct sw_error *note);
void sw_cli_tell_order(const struct sw_error *note); /* NULL: nothing */
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

/* ---- order_report.c and order_diff.c: what was found, and what differs ---- */

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

/* ---- data_beside.c: files that a model names and that lie beside it: when a copy of the model goes elsewhere, they go
 * with it ---- */

/* Writes a model to cli->output, with the data that it names: what the input, read from cli->files[0], names and what
 * is not beside the output yet is copied. Existing files stay as they are: one that has other bytes, or anything else
 * of that name, is an error, and so is a name that leads out of the folder, by ".." or by a symbolic link. Reads and
 * writes all bytes of the data, in parts. Then what is printed goes to standard output, and the notes are told: each
 * may be NULL. The exit status; where it is not 0 nothing of the data is left. */
int sw_cli_put_model(const struct sw_cli *, const struct sw_format *, const struct sw_input *, struct sw_sink *model,
                     struct sw_cli_report *printed, const struct sw_error *note, const struct sw_error *runtime);

#endif
