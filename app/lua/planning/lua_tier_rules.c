/* Rules of tier-search written in Lua: in which order free places are tried, and where segments begin. See
 * lua_tier_rules.h. */
#include "lua/planning/lua_tier_rules.h"
#include "base/base.h"

#include "base/hash.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"

enum tier_rule { RULE_PLACES, RULE_BOUNDARIES, TIER_RULES };
static const char *const rule_names[] = {"places", "boundaries"};
static char rule_keys[TIER_RULES]; /* their addresses are keys of the registry */

/* What is asked: one of them, and where the answer goes. */
struct rule_question {
    struct sw_lua_tier_rules *of;
    enum tier_rule which;
    const struct sw_problem *problem;
    const struct sw_tier_question *asked; /* RULE_PLACES */
    uint32_t *numbers, *count;            /* from 0; SW_NONE as their count: nil was returned */
    const char **why;
};

/* ---- answers ---- */

/* Raise as if the function had: "FILE:LINE: places of NAME: ...". */
static void fail_rule(lua_State *lua, const struct rule_question *q, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fail_rule(lua_State *lua, const struct rule_question *q, const char *format, ...) {
    char what[200] = "", text[300];
    SW_FORMAT_INTO(what, format);
    snprintf(text, sizeof text, "%s of %s: %s", rule_names[q->which], q->of->name, what);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &rule_keys[q->which]);
    sw_script_complain(lua, text);
}

/* The element of the list at 2, a whole number of [least, most]. */
static uint32_t take_number(lua_State *lua, const struct rule_question *q, lua_Integer i, uint32_t least,
                            uint32_t most) {
    int whole;
    int type = lua_geti(lua, 2, i);
    lua_Integer number = lua_tointegerx(lua, -1, &whole);
    if (!whole || type != LUA_TNUMBER || number < (lua_Integer)least || number > (lua_Integer)most) {
        fail_rule(lua, q, "it returns numbers from %u to %u, and element %d is %.60s", least, most, (int)i,
                  type == LUA_TNUMBER ? lua_tostring(lua, -1) : lua_typename(lua, type));
    }
    lua_pop(lua, 1);
    return (uint32_t)number;
}

/* Each place once. */
static void take_ranking(lua_State *lua, const struct rule_question *q) {
    uint32_t count = q->asked->count;
    lua_Integer length = luaL_len(lua, 2);
    if (length != (lua_Integer)count) {
        fail_rule(lua, q, "it returns each of the %u places once, not %lld of them", count, (long long)length);
    }
    uint8_t *seen = lua_newuserdatauv(lua, count, 0);
    memset(seen, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = take_number(lua, q, (lua_Integer)i + 1, 1, count) - 1;
        if (seen[place]++) {
            fail_rule(lua, q, "it returns each of the %u places once, and %u twice", count, place + 1);
        }
        q->numbers[i] = place;
    }
    *q->why = sw_lua_plugin_reason(lua, q->of->plugin, 3);
    *q->why = *q->why ? *q->why : q->of->why;
}

static void take_boundaries(lua_State *lua, const struct rule_question *q) {
    uint32_t steps = sw_problem_steps(q->problem);
    lua_Integer length = luaL_len(lua, 2);
    for (lua_Integer i = 0; i < length; i++) {
        uint32_t step = take_number(lua, q, i + 1, 1, steps > 0 ? steps - 1 : 0);
        if (i > 0 && step <= q->numbers[i - 1]) {
            fail_rule(lua, q, "it returns steps that ascend, and %u does not come after %u", step, q->numbers[i - 1]);
        }
        q->numbers[i] = step; /* they ascend: there is room for all */
    }
    *q->count = (uint32_t)length;
}

/* ---- asking the script ---- */

static void set_beside(lua_State *lua, const struct sw_problem *problem, const char *name, uint32_t buffer) {
    sw_lua_push_buffer(lua, problem, buffer);
    lua_setfield(lua, -2, name);
}

static void push_places(lua_State *lua, const struct sw_tier_question *asked) {
    lua_createtable(lua, (int)asked->count, 0);
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct sw_tier_place *place = &asked->places[i];
        lua_createtable(lua, 0, 8);
        sw_lua_push_tier(lua, asked->problem, place->tier);
        lua_setfield(lua, -2, "tier");
        sw_lua_set_count(lua, "offset", place->offset);
        sw_lua_set_count(lua, "lo", place->lo);
        if (place->hi != SW_UNBOUNDED) {
            sw_lua_set_count(lua, "hi", place->hi);
        }
        lua_pushstring(lua, place->high ? "high" : "low");
        lua_setfield(lua, -2, "side");
        if (place->dies != UINT64_MAX) {
            sw_lua_set_count(lua, "dies", place->dies);
        }
        set_beside(lua, asked->problem, "below", place->below);
        set_beside(lua, asked->problem, "above", place->above);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    sw_script_charge(lua, asked->count + 10);
}

static void push_rule_info(lua_State *lua, const struct sw_tier_question *asked) {
    lua_createtable(lua, 0, 3);
    sw_lua_push_problem(lua, asked->problem);
    lua_setfield(lua, -2, "problem");
    sw_lua_set_count(lua, "step", sw_problem_buffer(asked->problem, asked->buffer)->first);
    sw_lua_push_tier(lua, asked->problem, asked->given);
    lua_setfield(lua, -2, "given");
}

static void ask_rule_once(lua_State *lua, const struct rule_question *q) {
    int arguments = 1;
    for (uint32_t i = 0; q->asked && i < q->asked->count; i++) {
        q->numbers[i] = i;
    }
    if (q->asked) {
        *q->why = NULL;
    } else {
        *q->count = SW_NONE;
    }
    sw_lua_plugin_turn(q->of->plugin, q->problem);
    lua_settop(lua, 1);
    luaL_checkstack(lua, 12, NULL);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &rule_keys[q->which]);
    if (q->which == RULE_PLACES) {
        sw_lua_push_buffer(lua, q->problem, q->asked->buffer);
        push_places(lua, q->asked);
        push_rule_info(lua, q->asked);
        arguments = 3;
    } else {
        sw_lua_push_problem(lua, q->problem);
    }
    lua_call(lua, arguments, 2);
    if (lua_isnil(lua, 2)) {
        return;
    }
    if (!lua_istable(lua, 2)) {
        fail_rule(lua, q, "it returns a list of %s, or nil, not %s", q->which == RULE_PLACES ? "numbers" : "steps",
                  luaL_typename(lua, 2));
    }
    if (q->which == RULE_PLACES) {
        take_ranking(lua, q);
    } else {
        take_boundaries(lua, q);
    }
}

#ifndef NDEBUG
static uint64_t digest_of_answer(const struct rule_question *q) {
    uint32_t count = q->asked ? q->asked->count : *q->count == SW_NONE ? 0 : *q->count;
    uint64_t digest = q->asked ? (uintptr_t)*q->why : *q->count;
    for (uint32_t i = 0; i < count; i++) {
        digest = sw_fold(digest, q->numbers[i]);
    }
    return digest;
}
#endif

/* In a build for debugging it is asked twice. */
static int ask_rule(lua_State *lua) {
    const struct rule_question *q = lua_touserdata(lua, 1);
    ask_rule_once(lua, q);
#ifndef NDEBUG
    uint64_t digest = digest_of_answer(q);
    ask_rule_once(lua, q);
    if (digest != digest_of_answer(q)) {
        fail_rule(lua, q, "asked again, it answers otherwise: it must depend on its arguments alone");
    }
#endif
    return 0;
}

static bool ask_ranking(void *context, const struct sw_tier_question *asked, uint32_t *ranking, const char **why,
                        struct sw_error *error) {
    struct rule_question q = {
        .of = context, .which = RULE_PLACES, .problem = asked->problem, .asked = asked, .numbers = ranking, .why = why};
    return sw_script_protect(q.of->plugin->script, ask_rule, &q, error);
}

static bool ask_boundaries(void *context, const struct sw_problem *problem, uint32_t *starts, uint32_t *count,
                           struct sw_error *error) {
    struct rule_question q = {
        .of = context, .which = RULE_BOUNDARIES, .problem = problem, .numbers = starts, .count = count};
    return sw_script_protect(q.of->plugin->script, ask_rule, &q, error);
}

/* ---- opening ---- */

bool sw_lua_tier_rules_take(lua_State *lua, int index, struct sw_lua_plugin_script *plugin, const char *name,
                            struct sw_lua_tier_rules *of) {
    bool has[TIER_RULES];
    of->plugin = plugin;
    snprintf(of->name, sizeof of->name, "%s", name);
    snprintf(of->why, sizeof of->why, "the place that %s ranks first", of->name);
    for (int i = 0; i < TIER_RULES; i++) {
        int type = lua_getfield(lua, index, rule_names[i]);
        if (type != LUA_TNIL && type != LUA_TFUNCTION) {
            luaL_error(lua, "'%s' of a file of actions is a function, not %s", rule_names[i], luaL_typename(lua, -1));
        }
        has[i] = type == LUA_TFUNCTION;
        lua_rawsetp(lua, LUA_REGISTRYINDEX, &rule_keys[i]);
    }
    of->rules = (struct sw_tier_rules){.name = of->name,
                                       .context = of,
                                       .places = has[RULE_PLACES] ? ask_ranking : NULL,
                                       .boundaries = has[RULE_BOUNDARIES] ? ask_boundaries : NULL};
    return has[RULE_PLACES] || has[RULE_BOUNDARIES];
}
