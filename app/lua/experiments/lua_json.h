/* Lua values as JSON. */
#ifndef SW_LUA_JSON_H
#define SW_LUA_JSON_H

#include "lua/sandbox/script.h"

/* Append the value at `index` as JSON text; items of lists directly inside of a table stand on a line each.
 * Raises for what JSON has no words for: call it under sw_script_protect or from a function that a
 * script called. */
void sw_lua_json(lua_State *, int index, struct sw_sink *);

#endif
