/* Rules of tier-search written in Lua: fields of the table that a file of actions returns (plugins.h). `places` ranks
 * the free places of a block, `boundaries` says where segments begin; scripts/actions/README.md says what they get and
 * return. They are pure: debug builds ask twice and compare. */
#ifndef SW_LUA_TIER_RULES_H
#define SW_LUA_TIER_RULES_H

#include "lua/planning/plugins.h"
#include "planners/tiers/tier_rules.h"

struct sw_lua_tier_rules {
    struct sw_lua_plugin_script *plugin;
    struct sw_tier_rules rules;
    char name[48], why[80]; /* why: what is said of a place that a rule ranks first without a word */
};
/* Read them from the table at an index. False: it has none. Raises. */
bool sw_lua_tier_rules_take(lua_State *, int index, struct sw_lua_plugin_script *, const char *name,
                            struct sw_lua_tier_rules *);

#endif
