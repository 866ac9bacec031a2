/* stowage fit: which regions of a model in strips make it need less. */
#ifndef SW_CLI_FIT_H
#define SW_CLI_FIT_H

#include "cli/report/cli_report.h"
#include "fit/find_fit.h"

/* What is printed: the front of arenas against multiply-adds, or whether it fits. */
void fit_print(const struct sw_cli *, const struct sw_fit_result *, struct sw_cli_report *);

/* Is --view a view that fit draws? And draw it to -o. False: the error says why. */
bool fit_picture_check(const struct sw_cli *, struct sw_error *);
bool fit_picture(const struct sw_cli *, const struct sw_fit_result *, struct sw_error *);

#endif
