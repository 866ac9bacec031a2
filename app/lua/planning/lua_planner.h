/* Planners written in Lua.
 *
 * The file returns {name = ..., summary = ..., needs = {...}, parameters = {...}, plan = function(problem, layout,
 * parameters)}. `plan` runs as a coroutine: each coroutine.yield{kind = ..., buffer = ..., tier = ..., offset = ...,
 * reason = ..., candidates = {...}} is one decision. A placement is judged by the engine; yield returns true and where
 * the block lies now (a user may have chosen another candidate, or pinned it), or false and why it was refused. */
#ifndef SW_LUA_PLANNER_H
#define SW_LUA_PLANNER_H

#include "lua/sandbox/script.h"
#include "planners/params.h"

/* What --planner says: a file ending in .lua, a planner by name or prefix, or a script that ships in
 * scripts/planners. Opens and registers what is not known yet. NULL with what is wrong. */
const struct sw_planner *sw_lua_planner_find(const char *name, struct sw_error *);
/* Register all that ship; those that are broken are left out. */
bool sw_lua_planner_load_all(struct sw_error *) __attribute__((warn_unused_result));
/* The file a planner came from; NULL for others. */
const char *sw_lua_planner_path(const struct sw_planner *);
/* All files that it was made of, one after another: its own, then the modules it requires. `before` is the one before,
 * NULL for the first; NULL when there are no more, and for other planners. */
const char *sw_lua_planner_file(const struct sw_planner *, const char *before);

#endif
