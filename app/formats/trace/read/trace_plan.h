/* A trace as a finished plan, for `stowage check`: where its run leaves the blocks. */
#ifndef SW_FORMATS_TRACE_PLAN_H
#define SW_FORMATS_TRACE_PLAN_H

#include "formats/format.h"

/* Play its last run to the end and write the plan that it comes to as JSON, as plans are read. What the trace itself
 * tells of sizes and lifetimes stands in it. False: it cannot be opened, or no memory. */
bool sw_trace_plan(const struct sw_input *, struct sw_sink *, struct sw_error *);

#endif
