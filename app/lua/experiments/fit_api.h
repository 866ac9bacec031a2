/* Making a model fit, as data of Lua: lists of moves, what they make of a graph, and the search for the best of them. */
#ifndef SW_LUA_FIT_API_H
#define SW_LUA_FIT_API_H

#include "fit/find_fit.h"
#include "lua/experiments/api.h"

/* ---- moves (moves_api.c) ----
 *
 * A move is a table: its `kind`, and what it is about. Kinds: {kind = "strips", first = an operator's name, last = another (first),
 * strips = a number, way = "discard" or "pad", mode = "halo"}. */

/* Is there a kind of that name? Raises, and names those there are, when not; `what` was called. */
void sw_lua_check_kind(lua_State *, const char *kind, const char *what);
/* Read the list at `index`, and push a userdata that holds the regions, by first operator. Raises where it is no list of moves, or names what
 * is not there; whether the moves can be made is not known then. */
const struct sw_fit_region *sw_lua_read_moves(lua_State *, int index, const struct sw_problem *, size_t *count);
/* Push the list. */
void sw_lua_push_moves(lua_State *, const struct sw_problem *, const struct sw_fit_region *, size_t count);
/* Make them. False: why they cannot be made was pushed as a sentence; the program is to be freed either way. Raises for lack of memory. */
bool sw_lua_make_moves(lua_State *, const struct sw_problem *, const struct sw_fit_region *, size_t count, struct sw_fit_program *);
/* The problem that the list at `index` makes of another: a new reference. Raises, also where a move cannot be made. */
struct sw_problem *sw_lua_with_moves(lua_State *, int index, const struct sw_problem *);

/* ---- the search (fit_api.c) ---- */

/* graph:fit: search as the options table at `options` (0: none) says, and push the table of what was found. Raises. */
int sw_lua_push_fit(lua_State *, int options, const struct sw_problem *, const struct sw_lua_host *);

#endif
