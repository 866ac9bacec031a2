/* Orders of operators as data of Lua: lists of names. */
#ifndef SW_LUA_ORDER_API_H
#define SW_LUA_ORDER_API_H

#include "stowage_runs.h"

#include <lua.h>

/* The problem in the order that the list at `index` names: a new reference. NULL: it cannot run so, and the error says
 * why. Raises where it is no list of all operators. */
struct sw_problem *sw_lua_order_of(lua_State *, int index, const struct sw_problem *, struct sw_error *);
/* The same; raises why it cannot run so, too. */
struct sw_problem *sw_lua_in_order(lua_State *, int index, const struct sw_problem *);
/* Push the best order that is found of the problem's operators: their names, and the fields live_peak,
 * live_peak_before, bound, proved, operator, held_bytes, held, moves. Options (0: none): `sets` and `arcs`, what may be
 * looked at. Returns 1; raises where orders mean nothing. */
int sw_lua_push_order(lua_State *, int options, const struct sw_problem *);

#endif
