/* The scripts that a run brings along: its cost model, further actions of tier-search, operators of genetic planners.
 */
#ifndef SW_LUA_PLUGINS_H
#define SW_LUA_PLUGINS_H

#include "lua/sandbox/script.h"
#include "planners/params.h"

struct sw_lua_cost;
struct sw_lua_actions;
struct sw_lua_breeding;

struct sw_lua_plugins {
    struct sw_lua_cost *cost;
    struct sw_lua_actions *actions;
    struct sw_lua_breeding *breeding;
};
enum sw_lua_plugin { SW_LUA_COSTS, SW_LUA_ACTIONS, SW_LUA_BREEDING };
/* The path of a script that was named: "energy" is one that ships; what has a slash or a dot in it is a path already.
 */
bool sw_lua_plugin_path(enum sw_lua_plugin, const char *name, char *path, size_t size, struct sw_error *);

/* Each path may be NULL. Put into `params` what was opened; it must outlive every search that is made with
 * them. On error nothing is
 * open. */
bool sw_lua_plugins_open(struct sw_lua_plugins *, const char *cost, const char *actions, const char *breeding,
                         const struct sw_script_options *, struct sw_params *, struct sw_error *);
void sw_lua_plugins_close(struct sw_lua_plugins *);
/* Of the bytes of all files read for each; 0 for none. */
uint64_t sw_lua_plugins_cost_digest(const struct sw_lua_plugins *);
uint64_t sw_lua_plugins_actions_digest(const struct sw_lua_plugins *);
uint64_t sw_lua_plugins_breeding_digest(const struct sw_lua_plugins *);

#endif
