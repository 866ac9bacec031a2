/* graph:plan: what is demanded of a run (pins, forbid, choose), and lists of what came of it (give). */
#ifndef SW_LUA_DEMANDS_H
#define SW_LUA_DEMANDS_H

#include "lua/sandbox/script.h"
#include "search/search.h"

struct sw_lua_demand {
    struct sw_override what;
    uint64_t step;   /* the decision it is for; 0: from the start */
    uint64_t number; /* of those of the script */
};
struct sw_demands {
    SW_ARRAY(struct sw_lua_demand) list; /* pins and ranges by buffer, then choices by decision */
};
void sw_demands_done(struct sw_demands *);

/* Read pins, forbid and choose of the options table at `options`. Raises. The demands belong to a userdata, so that
 * nothing is lost. */
void sw_demands_read(lua_State *, int options, const struct sw_problem *, struct sw_demands *);
/* Make them, running the search as far as choices need. Raises where one contradicts the run. */
void sw_demands_make(lua_State *, const struct sw_demands *, struct sw_search *);

/* Which lists are wanted: the words of the option `give`. Raises, and names the known words. */
enum { SW_GIVE_PLACEMENTS = 1, SW_GIVE_OVERWRITES = 2, SW_GIVE_TRANSFERS = 4, SW_GIVE_JOURNAL = 8, SW_GIVE_BLAME = 16 };
unsigned sw_give_read(lua_State *, int options);
/* Set them in the table on top of the stack. `search` stands at its end, and `scratch` is the caller's to free. */
void sw_give_set(lua_State *, unsigned give, const struct sw_search *, struct sw_search **scratch,
                 struct sw_explanation *);
/* Push why the peak is where it is, and why the bound is (blame_api.c). Raises for lack of memory. */
void sw_give_blame(lua_State *, const struct sw_search *);

#endif
