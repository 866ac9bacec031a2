/* Cost models written in Lua. See plugins.h. */
#include "base/base.h"

#include "lua/planning/plugins.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"

static char access_key, whole_key; /* their addresses are keys of the registry */

/* What an access costs, as the script said once. */
struct price {
    uint32_t buffer, step, tier; /* buffer SW_NONE: free */
    double cost;
};

struct sw_lua_cost {
    struct sw_lua_plugin_script plugin;
    struct sw_cost_model model;
    char name[64];
    struct price *prices; /* of the plugin's problem: a hash table, its size a power of two */
    size_t size, used;
};

/* ---- prices that are known ---- */

static struct price *price_slot(const struct sw_lua_cost *cost, uint32_t buffer, uint32_t step, uint32_t tier) {
    uint64_t hash = sw_fold((uint64_t)buffer << 32 | step, tier);
    size_t at = (size_t)(hash ^ hash >> 32) & (cost->size - 1);
    for (;; at = (at + 1) & (cost->size - 1)) {
        struct price *price = &cost->prices[at];
        if (price->buffer == SW_NONE || (price->buffer == buffer && price->step == step && price->tier == tier)) {
            return price;
        }
    }
}

static bool grow_prices(struct sw_lua_cost *cost) {
    struct sw_lua_cost larger = *cost;
    larger.size = cost->size ? cost->size * 2 : 256;
    larger.prices = SW_NEW(struct price, larger.size);
    if (!larger.prices) {
        return false;
    }
    for (size_t i = 0; i < larger.size; i++) {
        larger.prices[i].buffer = SW_NONE;
    }
    for (size_t i = 0; i < cost->size; i++) {
        const struct price *price = &cost->prices[i];
        if (price->buffer != SW_NONE) {
            *price_slot(&larger, price->buffer, price->step, price->tier) = *price;
        }
    }
    SW_FREE(cost->prices, cost->size);
    cost->prices = larger.prices;
    cost->size = larger.size;
    return true;
}

/* Another problem: nothing is known of it. */
static void forget_prices(struct sw_lua_cost *cost, const struct sw_problem *problem) {
    if (!sw_lua_plugin_turn(&cost->plugin, problem)) {
        return;
    }
    for (size_t i = 0; i < cost->size; i++) {
        cost->prices[i].buffer = SW_NONE;
    }
    cost->used = 0;
}

/* ---- asking the script ---- */

struct cost_question {
    struct sw_lua_cost *cost;
    const struct sw_problem *problem;
    const struct sw_layout *layout; /* NULL: an access is to be priced */
    uint32_t buffer, step, tier;
    uint64_t bytes;
    double answer;
};

/* Raise as if the script's function, on top of the stack, had. */
static int complain_of_cost(lua_State *lua, const char *message) {
    lua_Debug debug;
    lua_getinfo(lua, ">S", &debug);
    return luaL_error(lua, "%s:%d: %s", sw_script_path(sw_script_of(lua)), debug.linedefined, message);
}

static void describe(const struct cost_question *q, char *text, size_t size) {
    if (q->layout) {
        snprintf(text, size, "of the layout");
        return;
    }
    snprintf(text, size, "of %.60s in %.30s at time %lld", sw_problem_buffer(q->problem, q->buffer)->name,
             sw_problem_tier(q->problem, q->tier)->name, (long long)sw_problem_time(q->problem, q->step));
}

static void push_cost_subject(lua_State *lua, const struct cost_question *q) {
    if (q->layout) {
        sw_lua_push_layout(lua, q->layout);
        return;
    }
    lua_createtable(lua, 0, 6);
    sw_lua_push_problem(lua, q->problem);
    lua_setfield(lua, -2, "problem");
    sw_lua_push_buffer(lua, q->problem, q->buffer);
    lua_setfield(lua, -2, "buffer");
    sw_lua_push_tier(lua, q->problem, q->tier);
    lua_setfield(lua, -2, "tier");
    sw_lua_set_count(lua, "step", q->step);
    sw_lua_set_count(lua, "bytes", q->bytes);
    sw_lua_set_truth(lua, "write", sw_lua_writes(q->problem, q->buffer, q->step));
}

static double ask_cost_once(lua_State *lua, const struct cost_question *q) {
    char what[160], message[240];
    lua_rawgetp(lua, LUA_REGISTRYINDEX, q->layout ? &whole_key : &access_key);
    lua_pushvalue(lua, -1);
    push_cost_subject(lua, q);
    lua_call(lua, 1, 1);
    double answer = lua_type(lua, -1) == LUA_TNUMBER ? lua_tonumber(lua, -1) : (double)NAN;
    if (!isfinite(answer)) {
        describe(q, what, sizeof what);
        snprintf(message, sizeof message, "the cost %s is %s, not a finite number", what,
                 lua_type(lua, -1) != LUA_TNUMBER ? luaL_typename(lua, -1)
                 : isnan(lua_tonumber(lua, -1))   ? "NaN"
                                                  : "infinite");
        lua_pop(lua, 1);
        complain_of_cost(lua, message);
    }
    lua_pop(lua, 2);
    return answer;
}

static int ask_cost(lua_State *lua) {
    struct cost_question *q = lua_touserdata(lua, 1);
    q->answer = ask_cost_once(lua, q);
#ifndef NDEBUG
    double again = ask_cost_once(lua, q);
    if (again < q->answer || again > q->answer) {
        char what[160], message[360];
        describe(q, what, sizeof what);
        snprintf(message, sizeof message,
                 "the cost %s is %.17g and, asked again, %.17g: it must depend on its arguments "
                 "alone",
                 what, q->answer, again);
        lua_rawgetp(lua, LUA_REGISTRYINDEX, q->layout ? &whole_key : &access_key);
        complain_of_cost(lua, message);
    }
#endif
    return 0;
}

static bool price_access(void *context, const struct sw_problem *problem, uint32_t buffer, uint32_t step, uint32_t tier,
                         uint64_t bytes, double *price, struct sw_error *error) {
    struct sw_lua_cost *cost = context;
    struct cost_question q = {
        .cost = cost, .problem = problem, .buffer = buffer, .step = step, .tier = tier, .bytes = bytes};
    forget_prices(cost, problem);
    if (cost->used * 2 >= cost->size && !grow_prices(cost)) {
        return sw_fail_memory(error);
    }
    struct price *known = price_slot(cost, buffer, step, tier);
    if (known->buffer == SW_NONE) {
        if (!sw_script_protect(cost->plugin.script, ask_cost, &q, error)) {
            return false;
        }
        *known = (struct price){buffer, step, tier, q.answer};
        cost->used++;
    }
    *price = known->cost;
    return true;
}

static bool price_whole(void *context, const struct sw_layout *layout, double *price, struct sw_error *error) {
    struct sw_lua_cost *cost = context;
    struct cost_question q = {.cost = cost, .problem = sw_layout_problem(layout), .layout = layout};
    forget_prices(cost, q.problem);
    bool good = sw_script_protect(cost->plugin.script, ask_cost, &q, error);
    sw_lua_drop_layout(sw_script_lua(cost->plugin.script));
    *price = q.answer;
    return good;
}

/* ---- opening ---- */

static bool has_function(lua_State *lua, const char *name, const void *key) {
    lua_getfield(lua, -1, name);
    bool found = lua_isfunction(lua, -1);
    if (!found && !lua_isnil(lua, -1)) {
        luaL_error(lua, "'%s' of a cost model is a function, not %s", name, luaL_typename(lua, -1));
    }
    lua_rawsetp(lua, LUA_REGISTRYINDEX, key);
    return found;
}

/* The model, and what the file returned; of an experiment also a function, which is `access`. */
static int take_cost(lua_State *lua) {
    struct sw_lua_cost *cost = lua_touserdata(lua, 1);
    bool borrowed = cost->plugin.borrowed;
    snprintf(cost->name, sizeof cost->name, "%s",
             borrowed ? "of the experiment" : sw_path_name(sw_script_path(cost->plugin.script)));
    if (borrowed && lua_isfunction(lua, 2)) {
        lua_createtable(lua, 0, 1);
        lua_insert(lua, 2);
        lua_setfield(lua, 2, "access");
    }
    if (!lua_istable(lua, -1)) {
        return luaL_error(lua,
                          "the script returns %s instead of a cost model: end it with 'return' "
                          "and a table that has a function 'access' or 'whole'",
                          lua_isnil(lua, -1) ? "nothing" : luaL_typename(lua, -1));
    }
    bool access = has_function(lua, "access", &access_key);
    bool whole = has_function(lua, "whole", &whole_key);
    if (access == whole) {
        return luaL_error(lua, "a cost model has a function 'access' or a function 'whole', %s",
                          access ? "not both" : "and this one has neither");
    }
    lua_getfield(lua, -1, "name");
    if (lua_type(lua, -1) == LUA_TSTRING) {
        snprintf(cost->name, sizeof cost->name, "%s", lua_tostring(lua, -1));
    } else if (!lua_isnil(lua, -1)) {
        return luaL_error(lua, "'name' of a cost model is text, not %s", luaL_typename(lua, -1));
    }
    cost->model = (struct sw_cost_model){.name = cost->name,
                                         .context = cost,
                                         .access = access ? price_access : NULL,
                                         .whole = whole ? price_whole : NULL};
    return 0;
}

static void put_cost(const void *it, struct sw_params *params) {
    const struct sw_lua_cost *cost = it;
    params->cost = &cost->model;
}

static void free_prices(void *it) {
    struct sw_lua_cost *cost = it;
    SW_FREE(cost->prices, cost->size);
}

const struct sw_lua_plugin_kind sw_lua_cost_kind = {.option = "cost",
                                                    .folder = "costs",
                                                    .size = sizeof(struct sw_lua_cost),
                                                    .take = take_cost,
                                                    .put = put_cost,
                                                    .done = free_prices};
