/* What an online allocator reserved, as the summary tells it in words. */
#ifndef SW_CLI_RESERVED_REPORT_H
#define SW_CLI_RESERVED_REPORT_H

#include "formats/format.h"

/* False: the planner of the run is no online allocator, and nothing is said. */
bool sw_cli_reserved_text(const struct sw_result *, struct sw_sink *);

#endif
