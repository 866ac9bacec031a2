/* What the files of stowage fit share: what is printed, drawn and written, and --resolver. */
#ifndef SW_CLI_FIT_PARTS_H
#define SW_CLI_FIT_PARTS_H

#include "cli/report/cli_report.h"
#include "fit/find_fit.h"

/* What is printed: the front of arenas against multiply-adds, or whether it fits. */
void fit_print(const struct sw_cli *, const struct sw_fit_result *, struct sw_cli_report *);

/* Is --view a view that fit draws? And draw it to -o. False: the error says why. */
bool fit_picture_check(const struct sw_cli *, struct sw_error *);
bool fit_picture(const struct sw_cli *, const struct sw_fit_result *, struct sw_error *);

/* ---- -o: a model of the kind that was read, or a TensorFlow Lite model as C++ source ---- */

enum fit_form { FIT_PRINTED, FIT_TFLITE, FIT_SOURCE, FIT_HEADER, FIT_ONNX };
/* What the name behind -o asks for. Fails where nothing of that kind is written, or not of such a model. */
bool fit_form_of(const struct sw_cli *, enum fit_form *, struct sw_error *);

/* Can it be written of this model, whatever is chosen? A plan, for one, is for the operators that the model has. */
bool fit_may_write(const struct sw_cli *, enum fit_form, const struct sw_problem *, struct sw_error *);

/* The file of the chosen model, in the sink. It is read back before: what was planned must be what it needs, and where
 * it has an arena with a tail, that takes the place of the one that was summed up from what operators cost each. */
bool fit_write(const struct sw_cli *, enum fit_form, struct sw_fit_result *, struct sw_sink *, struct sw_error *);

/* Commit the file, with the data that it names, print what was found, and say what a runtime does with the file. The
 * exit status. */
int fit_commit(const struct sw_cli *, enum fit_form, struct sw_sink *file, struct sw_cli_report *printed);

/* ---- --resolver: the operators that an application has, and those that a changed model needs ---- */

/* Which operators (SW_FIT_NEEDS) are neither in the list nor in the model. False: a name of the list is no operator's.
 */
bool fit_resolver_lacking(const char *list, const struct sw_problem *, unsigned *lacking, struct sw_error *);
/* "SLICE, CONCATENATION": these operators, without those that the model has itself. As snprintf. */
int fit_resolver_names(const struct sw_problem *, unsigned needs, char *text, size_t room);

#endif
