/* Graphs written in Lua: a file of this format is a program. */
#ifndef SW_LUA_GRAPH_H
#define SW_LUA_GRAPH_H

#include "lua/sandbox/script.h"

/* Push a program's arguments as a table: each as what it looks like, true, false, a number, else text. Raises for
 * lack of memory. */
void sw_lua_push_arguments(lua_State *, const struct sw_params *);
/* Afterwards: raises when the program has not asked for one of them; the message names those it did ask for.
 * `option` comes before the name: "--arg ". */
void sw_lua_check_arguments(lua_State *, const struct sw_params *, const char *option);
/* Which of the arguments the program has read: bit i is the i-th. */
uint64_t sw_lua_arguments_read(lua_State *, const struct sw_params *);

#endif
