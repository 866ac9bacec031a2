/* The engine's things as scripts see them: read-only tables, and handles that are good for one call.
 *
 * Steps are numbers from 0 as everywhere; lists go from 1 as in Lua; tiers and buffers have `name`, and `id`,
 * their place in the list. All functions may raise: use them under sw_script_protect, or from C functions
 * that a script called. */
#ifndef SW_LUA_VALUES_H
#define SW_LUA_VALUES_H

#include "lua/sandbox/script.h"

/* Put a read-only table in place of the table on top of the stack. Elements are not frozen with it. */
void sw_lua_freeze(lua_State *);

/* {name, steps, lower_bound, naive, buffers = {...}, operators = {...}, tiers = {...}}, made when asked for
 * and kept while the state lives: one problem per state at a time is cheap, and it must outlive the
 * state or be followed by sw_lua_forget_problem. */
void sw_lua_push_problem(lua_State *, const struct sw_problem *);
void sw_lua_forget_problem(lua_State *);
/* {id, name, kind, size, alignment, first, last, planned, accesses = {...}, tier (the one it is fixed to), tiers =
 * {names of those it may live in}, dtype, shape}; nil for SW_NONE. */
void sw_lua_push_buffer(lua_State *, const struct sw_problem *, uint32_t buffer);
/* {id, name, capacity (nil: no end), bandwidth, latency, conflict}; nil for SW_NONE. */
void sw_lua_push_tier(lua_State *, const struct sw_problem *, uint32_t tier);
/* {step, kind, buffer (a name), size, tier (a name), offset, time, group, peak, live, cost, candidates, reason,
 * forced}: what the trace says of a decision. */
void sw_lua_push_decision(lua_State *, const struct sw_problem *, const struct sw_decision *);

/* A handle on a layout: methods at, free, blocks, placements, accesses, peak, transfers, problem. After
 * sw_lua_drop_layout, which must be called before the layout changes or dies, each of them raises on every
 * handle made until then. */
void sw_lua_push_layout(lua_State *, const struct sw_layout *);
void sw_lua_drop_layout(lua_State *);
/* The last handle is good again, for this layout. */
void sw_lua_renew_layout(lua_State *, const struct sw_layout *);

/* Lists of plain tables: every placement {buffer, id, tier, offset, size, first, last}, by birth; every transfer
 * {buffer, step, from, to}, where nil is host memory. What layout:placements() and layout:transfers() give. */
void sw_lua_push_placements(lua_State *, const struct sw_layout *);
void sw_lua_push_transfers(lua_State *, const struct sw_layout *);

/* Is the access of a buffer at a step a write? */
bool sw_lua_writes(const struct sw_problem *, uint32_t buffer, uint32_t step);

/* Arguments of C functions: a buffer or tier given by name, id or its table. Raises with what there is. */
uint32_t sw_lua_check_buffer(lua_State *, int index, const struct sw_problem *);
uint32_t sw_lua_check_tier(lua_State *, int index, const struct sw_problem *);
/* A size or an offset: an integer from 0 to 2^61, not a fraction. */
uint64_t sw_lua_check_bytes(lua_State *, int index);
uint64_t sw_lua_field_bytes(lua_State *, int index, const char *name); /* of the table at index */

#endif
