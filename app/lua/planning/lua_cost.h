/* Cost models written in Lua.
 *
 * The file returns a table with one function: `access`, which prices one read or write, or `whole`, which
 * prices a layout; scripts/costs/README.md says what they get. They are pure: prices of accesses are asked
 * for once and remembered, and debug builds ask twice and compare. */
#ifndef SW_LUA_COST_H
#define SW_LUA_COST_H

#include "lua/sandbox/script.h"
#include "planners/params.h"

struct sw_lua_cost;

/* NULL with an error that has file and line. `options` may be NULL; its limits are those of a call. */
struct sw_lua_cost *sw_lua_cost_open(const char *path, const struct sw_script_options *, struct sw_error *);
/* The same for text that has no file. */
struct sw_lua_cost *sw_lua_cost_open_text(const char *name, const char *text, size_t length,
                                          const struct sw_script_options *, struct sw_error *);
/* The value on top of the stack of a script that runs, which is popped: a table as a file returns it, or a function,
 * which is `access`. It is called in that script, by its main thread, and must be closed before the script is. */
struct sw_lua_cost *sw_lua_cost_borrow(struct sw_script *, struct sw_error *);
void sw_lua_cost_close(struct sw_lua_cost *); /* NULL is allowed */
/* Lives as long as what it was opened as. */
const struct sw_cost_model *sw_lua_cost_model(const struct sw_lua_cost *);
struct sw_script *sw_lua_cost_script(const struct sw_lua_cost *);

#endif
