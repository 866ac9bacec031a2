/* What graph:plan gives back: the figures of a finished run as a table. */
#ifndef SW_LUA_RESULT_API_H
#define SW_LUA_RESULT_API_H

#include "lua/sandbox/script.h"
#include "formats/format.h"
#include "search/result/curve.h"

/* Push the table. `why`: for what reason the run is not feasible; NULL: it is. Raises for lack of memory: what is given
 * hangs on a userdata of the caller's. */
void sw_result_push(lua_State *, const struct sw_result *, const struct sw_error *why, const struct sw_details *,
                    const struct sw_curve *);

#endif
