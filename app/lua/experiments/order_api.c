#include "lua/experiments/order_api.h"

#include "lua/experiments/api.h"
#include "lua/sandbox/lua_internal.h"
#include "order/orders.h"

/* What is looked at when a script asks: some seconds at most. */
enum { SETS = 200000, ARCS = 50000000, MOST_UNDONE_MOVES = 200 };

/* ---- an order that a script gives ---- */

static const char *ordered_name(const struct sw_problem *problem, uint32_t op) {
    return sw_problem_operator(problem, op)->name;
}

static void read_order_names(lua_State *lua, int index, const struct sw_problem *problem, uint32_t *order) {
    uint32_t count = sw_problem_operator_count(problem);
    if (lua_rawlen(lua, index) != count) {
        luaL_error(lua, "order: %I of %I operators are listed: an order has all of them",
                   (LUAI_UACINT)lua_rawlen(lua, index), (LUAI_UACINT)count);
    }
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(lua, index, (lua_Integer)i + 1);
        const char *name = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : NULL;
        order[i] = name ? sw_problem_find_operator(problem, name) : SW_NONE;
        if (order[i] == SW_NONE) {
            luaL_error(lua, "order: number %I is no name of an operator: %s", (LUAI_UACINT)i + 1,
                       name ? name : luaL_typename(lua, -1));
        }
        lua_pop(lua, 1);
    }
}

struct sw_problem *sw_lua_order_of(lua_State *lua, int index, const struct sw_problem *problem,
                                   struct sw_error *error) {
    index = lua_absindex(lua, index);
    uint32_t count = sw_problem_operator_count(problem);
    uint32_t *order = lua_newuserdatauv(lua, (count + (size_t)1) * sizeof *order, 0);
    if (!lua_istable(lua, index)) {
        luaL_error(lua, "order is a list of the names of all operators, not %s", luaL_typename(lua, index));
    }
    struct sw_problem *ordered = NULL;
    if (sw_problem_has_orders(problem, error)) {
        read_order_names(lua, index, problem, order);
        sw_script_charge(lua, count);
        ordered = sw_problem_in_order(problem, order, error);
    }
    lua_pop(lua, 1);
    return ordered;
}

struct sw_problem *sw_lua_in_order(lua_State *lua, int index, const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_problem *ordered = sw_lua_order_of(lua, index, problem, &error);
    sw_script_check(lua, ordered, "order: ", &error);
    return ordered;
}

/* ---- an order that is found ---- */

struct found_order {
    struct sw_orders orders;
    struct sw_order_moves moves;
};

static int close_found(lua_State *lua) {
    struct found_order *found = lua_touserdata(lua, 1);
    sw_orders_done(&found->orders);
    sw_order_moves_done(&found->moves);
    return 0;
}

static void push_held(lua_State *lua, const struct sw_problem *problem, const struct sw_orders *orders) {
    lua_createtable(lua, (int)orders->held.count, 0);
    for (size_t i = 0; i < orders->held.count; i++) {
        lua_createtable(lua, 0, 2);
        sw_lua_set_text(lua, "buffer", sw_problem_buffer(problem, orders->held.items[i].buffer)->name);
        sw_lua_set_truth(lua, "forced", orders->held.items[i].forced);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "held");
}

static void push_moves(lua_State *lua, const struct sw_problem *problem, const struct sw_order_moves *moves) {
    lua_createtable(lua, (int)moves->items.count, 0);
    for (size_t i = 0; i < moves->items.count; i++) {
        const struct sw_order_move *move = &moves->items.items[i];
        lua_createtable(lua, 0, 4);
        sw_lua_set_text(lua, "operator", ordered_name(problem, move->op));
        sw_lua_set_count(lua, "from", move->op);
        sw_lua_set_count(lua, "to", move->to);
        if (move->tried) {
            sw_lua_set_count(lua, "undone_peak", move->peak);
        }
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "moves");
}

int sw_lua_push_order(lua_State *lua, int options, const struct sw_problem *problem) {
    struct sw_error error = {0};
    const struct sw_orders_budget budget = {
        (uint64_t)sw_lua_option_whole(lua, options, "graph:order", "sets", 1, SETS),
        (uint64_t)sw_lua_option_whole(lua, options, "graph:order", "arcs", 1, ARCS)};
    struct found_order *found = sw_lua_new(lua, sizeof *found, 0, "stowage.found", close_found);
    uint64_t paused = sw_script_pause(lua);
    bool good = sw_problem_has_orders(problem, &error) && sw_orders_of(problem, budget, &found->orders, &error) &&
                sw_order_moves_of(problem, found->orders.order, MOST_UNDONE_MOVES, &found->moves, &error);
    sw_script_resume(lua, paused);
    sw_script_check(lua, good, "order: ", &error);
    const struct sw_orders *orders = &found->orders;
    lua_createtable(lua, (int)orders->count, 8);
    for (uint32_t i = 0; i < orders->count; i++) {
        lua_pushstring(lua, ordered_name(problem, orders->order[i]));
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    sw_lua_set_count(lua, "live_peak", orders->peak);
    sw_lua_set_count(lua, "live_peak_before", orders->file_peak);
    sw_lua_set_count(lua, "bound", orders->bound);
    sw_lua_set_truth(lua, "proved", orders->peak <= orders->bound);
    sw_lua_set_text(lua, "operator", ordered_name(problem, orders->witness));
    sw_lua_set_count(lua, "held_bytes", orders->witness_bytes);
    push_held(lua, problem, orders);
    push_moves(lua, problem, &found->moves);
    sw_script_charge(lua, orders->count);
    return 1;
}
