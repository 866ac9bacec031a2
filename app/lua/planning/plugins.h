/* The scripts that a run brings along: its cost model, further actions of tier-search, operators of genetic planners.
 */
#ifndef SW_LUA_PLUGINS_H
#define SW_LUA_PLUGINS_H

#include "lua/sandbox/script.h"
#include "planners/params.h"

struct sw_lua_cost;
struct sw_lua_actions;
struct sw_lua_breeding;

/* What all of them begin with. */
struct sw_lua_plugin_script {
    struct sw_script *script;
    bool borrowed;                    /* it is that of an experiment that runs now */
    const struct sw_problem *problem; /* the one the state knows: held, so that no other can stand at its address */
};
/* A new one of `size` bytes, of the value that the script's file returns, or borrowed with that on top of the stack,
 * which is popped: take(it, value). Closes the script, unless it is borrowed, when that fails; NULL with what is
 * wrong, also where the script is NULL. */
void *sw_lua_plugin_new(size_t size, struct sw_script *, bool borrowed, lua_CFunction take, struct sw_error *);
void sw_lua_plugin_free(struct sw_lua_plugin_script *, size_t size);
/* From now on it is asked of this problem. False: that is the one of before. */
bool sw_lua_plugin_turn(struct sw_lua_plugin_script *, const struct sw_problem *);

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
