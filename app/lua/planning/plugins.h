/* The scripts that a run brings along: its cost model, further actions of tier-search, operators of genetic planners,
 * a policy. */
#ifndef SW_LUA_PLUGINS_H
#define SW_LUA_PLUGINS_H

#include "lua/sandbox/script.h"
#include "planners/params.h"

enum { SW_LUA_MOST_REASONS = 64 };
/* What all of them begin with. */
struct sw_lua_plugin_script {
    const struct sw_lua_plugin_kind *kind;
    struct sw_script *script;
    bool borrowed;                    /* it is that of an experiment that runs now */
    const struct sw_problem *problem; /* the one the state knows: held, so that no other can stand at its address */
    const char *reasons[SW_LUA_MOST_REASONS]; /* what it said of its choices; decisions point at them */
    size_t reason_count;
};
/* What they differ in. */
struct sw_lua_plugin_kind {
    const char *option;                              /* by which it is asked for */
    const char *folder;                              /* of scripts/, where those are that ship */
    size_t size;                                     /* of its struct, in bytes */
    lua_CFunction take;                              /* take(it, value): read what its file returns */
    void (*put)(const void *it, struct sw_params *); /* for searches; it must outlive them */
    void (*done)(void *it);                          /* give back what it holds besides; NULL: nothing */
};
/* Cost models: the file returns a table with one function: `access`, which prices one read or write, or `whole`, which
 * prices a layout; scripts/costs/README.md says what they get. They are pure: prices of accesses are asked for once and
 * remembered, and debug builds ask twice and compare. An experiment may have a function alone, which is `access`. */
extern const struct sw_lua_plugin_kind sw_lua_cost_kind;
/* Actions of tier-search: the file returns one action or a list of them: a function, or {name = ..., propose =
 * function}. A list may have `places` and `boundaries` beside them, or alone: rules (lua_tier_rules.h).
 * scripts/actions/README.md says what a function gets and may return. They are pure: debug builds ask twice and
 * compare. */
extern const struct sw_lua_plugin_kind sw_lua_actions_kind;
/* Operators of genetic planners: the file returns a table with some of `seed_population`, `crossover`, `mutate` and
 * `fitness`; scripts/breeding/README.md says what they get and return. They are pure but for the numbers that they draw
 * from the source they are given. */
extern const struct sw_lua_plugin_kind sw_lua_breeding_kind;

/* Policies: the file returns a table with `fit`, `grow` or both; scripts/policies/README.md says what they get and
 * return. They are pure: debug builds ask twice and compare. */
extern const struct sw_lua_plugin_kind sw_lua_policy_kind;

/* A new one of the value that the script's file returns, or borrowed with that on top of the stack, which is popped:
 * then the main thread of that script calls it, and it must be closed before the script is. Closes the script, unless
 * it is borrowed, when that fails; NULL with what is wrong, which has file and line, also where the script is NULL. */
struct sw_lua_plugin_script *sw_lua_plugin_new(const struct sw_lua_plugin_kind *, struct sw_script *, bool borrowed,
                                               struct sw_error *);
void sw_lua_plugin_close(struct sw_lua_plugin_script *); /* NULL is allowed */
/* From now on it is asked of this problem. False: that is the one of before. */
bool sw_lua_plugin_turn(struct sw_lua_plugin_script *, const struct sw_problem *);

/* A text at an index that outlives the script's: kept once. NULL where there is none, or there are too many. */
const char *sw_lua_plugin_reason(lua_State *, struct sw_lua_plugin_script *, int index);

enum sw_lua_plugin { SW_LUA_COSTS, SW_LUA_ACTIONS, SW_LUA_BREEDING, SW_LUA_POLICY, SW_LUA_PLUGIN_KINDS };
extern const struct sw_lua_plugin_kind *const sw_lua_plugin_kinds[SW_LUA_PLUGIN_KINDS];
struct sw_lua_plugins {
    struct sw_lua_plugin_script *of[SW_LUA_PLUGIN_KINDS]; /* NULL: none */
};
/* The path of a script that was named: "energy" is one that ships; what has a slash or a dot in it is a path already.
 */
bool sw_lua_plugin_path(enum sw_lua_plugin, const char *name, char *path, size_t size, struct sw_error *);

/* Each path, one of each kind, may be NULL. Put into `params` what was opened; it must outlive every search that is
 * made with them. On error nothing is open, and `params` is as before. */
bool sw_lua_plugins_open(struct sw_lua_plugins *, const char *const paths[SW_LUA_PLUGIN_KINDS],
                         const struct sw_script_options *, struct sw_params *, struct sw_error *);
void sw_lua_plugins_close(struct sw_lua_plugins *);
/* Of the bytes of all files read for that one; 0: there is none. */
uint64_t sw_lua_plugins_digest(const struct sw_lua_plugins *, enum sw_lua_plugin);

#endif
