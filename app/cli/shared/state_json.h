/* The state of a planner in the objects of `trace --state`. */
#ifndef SW_CLI_STATE_JSON_H
#define SW_CLI_STATE_JSON_H

#include "formats/text/json_write.h"
#include "search/search.h"

/* "state":{"queue":{"columns":[...],"row_count":9,"first":0,"touched":3,"rows":[[...],...]},...}: the tables that the
 * planner tells at the present step, of long ones the thousand rows around the touched one. Offsets are addresses when
 * there is a base. */
void sw_trace_put_state(const struct sw_search *, uint64_t base, struct sw_json_out *);

#endif
