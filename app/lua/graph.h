/* Graphs written in Lua: a format whose files are programs. */
#ifndef SW_LUA_GRAPH_H
#define SW_LUA_GRAPH_H

#include "lua/script.h"

/* Push a command line's value as what it looks like: true, false, a number, else text. Raises for lack
 * of memory. */
void sw_lua_push_argument(lua_State *, const char *text);

#endif
