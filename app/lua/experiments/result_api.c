/* What graph:plan gives back: the figures of a finished run as a table. */
#include "lua/experiments/result_api.h"
#include "base/base.h"

#include "lua/sandbox/lua_internal.h"
#include "planners/planner.h"

static void push_detail(lua_State *lua, const struct sw_detail *detail) {
    if (detail->word) {
        lua_pushstring(lua, detail->name);
    } else if (detail->none) {
        lua_pushnil(lua);
    } else if (detail->truth) {
        lua_pushboolean(lua, detail->integer != 0);
    } else if (detail->whole) {
        lua_pushinteger(lua, detail->integer);
    } else {
        lua_pushnumber(lua, detail->number);
    }
}

/* {key = number, key = {name = number}, key = {numbers}} */
static void set_details(lua_State *lua, const struct sw_problem *problem, const struct sw_details *details) {
    lua_createtable(lua, 0, (int)details->items.count);
    for (size_t i = 0; i < details->items.count; i++) {
        const struct sw_detail *detail = &details->items.items[i];
        const char *name = detail->buffer != SW_NONE ? sw_problem_buffer(problem, detail->buffer)->name : detail->name;
        if (!name && !detail->list) {
            push_detail(lua, detail);
            lua_setfield(lua, -2, detail->key);
            continue;
        }
        if (lua_getfield(lua, -1, detail->key) != LUA_TTABLE) {
            lua_pop(lua, 1);
            lua_newtable(lua);
            lua_pushvalue(lua, -1);
            lua_setfield(lua, -3, detail->key);
        }
        push_detail(lua, detail);
        if (detail->list) {
            lua_rawseti(lua, -2, (lua_Integer)lua_rawlen(lua, -2) + 1);
        } else {
            lua_setfield(lua, -2, name);
        }
        lua_pop(lua, 1);
    }
    lua_setfield(lua, -2, "details");
}

static void set_curve(lua_State *lua, const struct sw_curve *curve) {
    if (curve->gains.count == 0) {
        return;
    }
    sw_lua_set_count(lua, "evaluations", curve->evaluations);
    lua_createtable(lua, (int)curve->gains.count, 0);
    for (size_t i = 0; i < curve->gains.count; i++) {
        lua_createtable(lua, 2, 0);
        lua_pushinteger(lua, (lua_Integer)curve->gains.items[i].evaluation);
        lua_rawseti(lua, -2, 1);
        lua_pushinteger(lua, (lua_Integer)curve->gains.items[i].amount);
        lua_rawseti(lua, -2, 2);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "curve");
    sw_script_charge(lua, 4 * curve->gains.count);
}

/* Where memory is bounded: the least that any plan moves. */
static void set_migration_bound(lua_State *lua, const struct sw_problem *problem) {
    struct sw_migration bound = {0};
    bool known = sw_problem_may_migrate(problem) && sw_problem_migration_bound(problem, &bound) && bound.feasible;
    uint64_t bytes = bound.bytes;
    sw_migration_done(&bound);
    if (known) {
        sw_lua_set_count(lua, "migration_bound", bytes);
    }
}

/* A price that makes bytes of cost: its sums are traffic. */
static bool price_in_bytes(void *context, const struct sw_problem *problem, uint32_t buffer, uint32_t step,
                           uint32_t tier, uint64_t bytes, double *cost, struct sw_error *error) {
    (void)context, (void)problem, (void)buffer, (void)step, (void)tier, (void)error;
    *cost = (double)bytes;
    return true;
}

static void set_by_tier(lua_State *lua, const char *name, const struct sw_problem *problem, const double *by_tier,
                        bool whole) {
    lua_createtable(lua, 0, (int)sw_problem_tier_count(problem));
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (whole) {
            lua_pushinteger(lua, (lua_Integer)by_tier[t]);
        } else {
            lua_pushnumber(lua, by_tier[t]);
        }
        lua_setfield(lua, -2, sw_problem_tier(problem, t)->name);
    }
    lua_setfield(lua, -2, name);
}

/* Bytes read and written in each tier, moves between tiers included, and what they cost there; the latter not for
 * models that price layouts as a whole. */
static void set_traffic(lua_State *lua, const struct sw_result *result) {
    static const struct sw_cost_model bytes = {.name = "bytes", .access = price_in_bytes};
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    const struct sw_cost_model *model = sw_search_params(result->search)->cost;
    double by_tier[SW_MAX_TIERS];
    if (!sw_problem_accesses_known(problem)) {
        return;
    }
    if (sw_cost_by_step(result->layout, &bytes, NULL, by_tier, NULL)) {
        set_by_tier(lua, "traffic", problem, by_tier, true);
    }
    if (sw_cost_known(problem, model) && !(model && model->whole) &&
        sw_cost_by_step(result->layout, model, NULL, by_tier, NULL)) {
        set_by_tier(lua, "tier_costs", problem, by_tier, false);
    }
}

void sw_result_push(lua_State *lua, const struct sw_result *result, const struct sw_error *why,
                    const struct sw_details *details, const struct sw_curve *curve) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    struct sw_metrics metrics;
    struct sw_claims claims;
    sw_metrics_of(result->layout, &metrics);
    sw_search_claims(result->search, &claims);
    lua_createtable(lua, 0, 16);
    sw_lua_set_text(lua, "planner", sw_search_planner(result->search)->name);
    sw_lua_set_truth(lua, "feasible", !why);
    sw_lua_set_truth(lua, "optimal", result->optimal);
    if (why) {
        sw_lua_set_text(lua, "reason", why->message);
    }
    sw_lua_set_count(lua, "lower_bound", metrics.lower_bound);
    sw_lua_set_count(lua, "naive", metrics.naive);
    sw_lua_set_count(lua, "decisions", sw_search_known(result->search));
    sw_lua_set_count(lua, "work", sw_search_work(result->search));
    if (metrics.complete && !claims.no_addresses) {
        if (metrics.single_tier) {
            sw_lua_set_count(lua, "peak", metrics.peak);
        }
        lua_createtable(lua, 0, 2);
        for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
            sw_lua_set_count(lua, sw_problem_tier(problem, t)->name, metrics.tier_peak[t]);
        }
        lua_setfield(lua, -2, "tier_peaks");
        sw_lua_set_truth(lua, "fits", metrics.fits);
        if (metrics.comparable) {
            sw_lua_set_number(lua, "fragmentation", metrics.fragmentation);
            sw_lua_set_number(lua, "over_bound", metrics.over_bound);
            sw_lua_set_number(lua, "reuse", metrics.reuse);
        }
    }
    if (claims.has_migration) {
        sw_lua_set_count(lua, "migration_bytes", claims.migration_bytes);
        set_migration_bound(lua, problem);
    }
    if (!isnan(result->cost)) {
        sw_lua_set_number(lua, "cost", strtod(SW_NUMBER(result->cost), NULL)); /* as it is told everywhere */
    }
    if (metrics.complete && !claims.no_addresses) {
        set_traffic(lua, result);
    }
    set_details(lua, problem, details);
    set_curve(lua, curve);
}
