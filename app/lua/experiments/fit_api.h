/* Making a model fit, as data of Lua: lists of moves, what they make of a graph, and the search for the best of them.
 */
#ifndef SW_LUA_FIT_API_H
#define SW_LUA_FIT_API_H

#include "fit/find_fit.h"
#include "lua/experiments/api.h"

/* ---- moves (moves_api.c) ----
 *
 * A move is a table: its `kind`, and what it is about. Kinds: {kind = "strips", first = an operator's name, last =
 * another (first), strips = a number, way = "discard" or "pad", mode = "halo"}; {kind = "order", operators = the names
 * of all, as they are to run}, which is made before the others. */
struct sw_lua_moves {
    const struct sw_problem *problem; /* in its order: what the regions are of. Borrowed, or `ordered` */
    struct sw_problem *ordered;       /* NULL: the order stays */
    struct sw_fit_region *regions;    /* by first operator */
    size_t count;
    struct sw_error why; /* the operators cannot run in that order; no code: they can */
};
void sw_lua_moves_done(struct sw_lua_moves *);

/* Raises, and names the kinds that the engine searches, when that is none; `what` was called. */
void sw_lua_check_kind(lua_State *, const char *kind, const char *what);
/* Read the list at `index`, and push a userdata that holds the moves. Raises where it is no list of moves, or names
 * what is not there; whether the moves can be made is not known then. */
struct sw_lua_moves *sw_lua_read_moves(lua_State *, int index, const struct sw_problem *);
/* Push the list. */
void sw_lua_push_moves(lua_State *, const struct sw_lua_moves *);
/* Make them. False: why they cannot be made was pushed as a sentence, and there is no program. Raises for lack of
 * memory. */
bool sw_lua_make_moves(lua_State *, const struct sw_lua_moves *, struct sw_fit_program *);
/* The problem that the list at `index` makes of another: a new reference. Raises, also where a move cannot be made. */
struct sw_problem *sw_lua_with_moves(lua_State *, int index, const struct sw_problem *);

/* ---- the search (fit_api.c) ---- */

/* graph:fit: search as the options table at `options` (0: none) says, and push the table of what was found. Raises. */
int sw_lua_push_fit(lua_State *, int options, const struct sw_problem *, const struct sw_lua_host *);

#endif
