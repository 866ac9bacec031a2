/* The lower bounds of a run's problem with what proves them: the view "bounds" as text, and as the value
 * `bounds` of the summary's details. A sink remembers lack of memory. */
#ifndef SW_CLI_BOUNDS_H
#define SW_CLI_BOUNDS_H

#include "cli/report/cli_report.h"

void sw_cli_bounds_text(const struct sw_result *, struct sw_sink *);
/* "bounds":{"peak":{...},"cost":E or null,"migration":{...} or null} */
void sw_cli_bounds_json(const struct sw_result *, struct sw_json_out *);

#endif
