/* Moments in experiments: what an allocator held at one instant, and requests from there on. */
#ifndef SW_LUA_MOMENT_VALUES_H
#define SW_LUA_MOMENT_VALUES_H

#include "lua/sandbox/script.h"
#include "problem/moment/moment.h"

/* graph:moment(): push it as a table; nil: it is none. */
void sw_moment_push(lua_State *, const struct sw_moment *);
/* graph:go_on{requests, planner, limit}: push what became of each, and the figures then. NULL: it raises. */
int sw_moment_go_on_push(lua_State *, int options, const struct sw_moment *);

#endif
