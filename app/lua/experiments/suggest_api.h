/* plan:suggest: what lowers the peak of a run, as data of Lua. */
#ifndef SW_LUA_SUGGEST_API_H
#define SW_LUA_SUGGEST_API_H

#include "lua/sandbox/script.h"
#include "suggest/suggest.h"

/* Read {effort, capacity, kinds} of the options table at `options` (0: none). Raises. */
void sw_suggest_options_read(lua_State *, int options, struct sw_suggest_request *);
/* Find suggestions for the run. The object is put into `found`, which belongs to a userdata, so that nothing is lost;
 * then the table is pushed. Raises. */
void sw_suggest_push(lua_State *, const struct sw_search *, const struct sw_suggest_request *,
                     struct sw_suggest **found);

#endif
