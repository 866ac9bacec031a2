/* Operators of genetic planners written in Lua.
 *
 * The file returns a table with some of `seed_population`, `crossover`, `mutate` and `fitness`;
 * scripts/breeding/README.md says what they get and return. They are pure but for the numbers that they draw from the
 * source they are given. */
#ifndef SW_LUA_BREEDING_H
#define SW_LUA_BREEDING_H

#include "lua/sandbox/script.h"
#include "planners/params.h"

struct sw_lua_breeding;

/* NULL with an error that has file and line. `options` may be NULL. */
struct sw_lua_breeding *sw_lua_breeding_open(const char *path, const struct sw_script_options *, struct sw_error *);
/* The table on top of the stack of a script that runs, which is popped. It is called in that script, by its main
 * thread, and must be closed before the script is. */
struct sw_lua_breeding *sw_lua_breeding_borrow(struct sw_script *, struct sw_error *);
void sw_lua_breeding_close(struct sw_lua_breeding *); /* NULL is allowed */
/* Lives as long as what it was opened as. */
const struct sw_breeding *sw_lua_breeding_get(const struct sw_lua_breeding *);
struct sw_script *sw_lua_breeding_script(const struct sw_lua_breeding *);

#endif
