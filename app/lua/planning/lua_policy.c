/* Policies written in Lua: which free block is taken, and which is enlarged. See plugins.h. */
#include "base/base.h"

#include "lua/planning/plugins.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"
#include "planners/greedy/policy.h"

enum policy_question_kind { POLICY_FIT, POLICY_GROW, POLICY_QUESTIONS };
static const char *const policy_names[] = {"fit", "grow"};
static char policy_keys[POLICY_QUESTIONS]; /* their addresses are keys of the registry */

struct sw_lua_policy {
    struct sw_lua_plugin_script plugin;
    struct sw_policy policy;
    char name[64];
};

struct policy_question {
    struct sw_lua_policy *of;
    enum policy_question_kind which;
    const struct sw_free_choice *choice;
    uint32_t *chosen;
    const char **why;
};

/* ---- asking the script ---- */

static void set_neighbor(lua_State *lua, const struct sw_problem *problem, const char *name, uint32_t buffer) {
    if (buffer != SW_NONE) {
        sw_lua_push_buffer(lua, problem, buffer);
        lua_setfield(lua, -2, name);
    }
}

static void push_free_blocks(lua_State *lua, const struct sw_free_choice *choice) {
    lua_createtable(lua, (int)choice->count, 0);
    for (uint32_t i = 0; i < choice->count; i++) {
        const struct sw_free_block *block = &choice->blocks[i];
        lua_createtable(lua, 0, 6);
        sw_lua_set_count(lua, "offset", block->offset);
        sw_lua_set_count(lua, "size", block->size);
        sw_lua_set_count(lua, "start", block->start);
        sw_lua_set_count(lua, "delta", block->delta);
        set_neighbor(lua, choice->problem, "below", block->below);
        set_neighbor(lua, choice->problem, "above", block->above);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    sw_script_charge(lua, choice->count + 10);
}

static void push_policy_info(lua_State *lua, const struct sw_free_choice *choice) {
    lua_createtable(lua, 0, 4);
    sw_lua_push_problem(lua, choice->problem);
    lua_setfield(lua, -2, "problem");
    sw_lua_set_count(lua, "step", sw_problem_buffer(choice->problem, choice->buffer)->first);
    sw_lua_set_count(lua, "tier", (uint64_t)choice->tier + 1);
    sw_lua_set_count(lua, "arena", choice->arena);
}

/* Raise as if the function had: "FILE:LINE: fit of NAME: ...". */
static void fail_policy(lua_State *lua, const struct policy_question *q, int index) {
    lua_Debug debug;
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &policy_keys[q->which]);
    lua_getinfo(lua, ">S", &debug);
    luaL_error(lua, "%s:%d: %s of %s: it returns a whole number from 1 to %d, or nil, not %s",
               sw_script_path(q->of->plugin.script), debug.linedefined, policy_names[q->which], q->of->name,
               (int)q->choice->count,
               lua_type(lua, index) == LUA_TNUMBER ? lua_tostring(lua, index) : luaL_typename(lua, index));
}

static int ask_policy(lua_State *lua) {
    const struct policy_question *q = lua_touserdata(lua, 1);
    int whole;
    sw_lua_plugin_turn(&q->of->plugin, q->choice->problem);
    lua_settop(lua, 1);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &policy_keys[q->which]);
    sw_lua_push_buffer(lua, q->choice->problem, q->choice->buffer);
    push_free_blocks(lua, q->choice);
    push_policy_info(lua, q->choice);
    lua_call(lua, 3, 2);
    *q->chosen = SW_NONE;
    *q->why = NULL;
    if (lua_isnil(lua, 2)) {
        return 0;
    }
    lua_Integer number = lua_tointegerx(lua, 2, &whole);
    if (!whole || lua_type(lua, 2) != LUA_TNUMBER || number < 1 || number > (lua_Integer)q->choice->count) {
        fail_policy(lua, q, 2);
    }
    *q->chosen = (uint32_t)number - 1;
    *q->why = sw_lua_plugin_reason(lua, &q->of->plugin, 3);
    return 0;
}

/* In a build for debugging it is asked twice. */
static bool put_policy_question(void *context, enum policy_question_kind which, const struct sw_free_choice *choice,
                                uint32_t *chosen, const char **why, struct sw_error *error) {
    struct sw_lua_policy *of = context;
    struct policy_question q = {of, which, choice, chosen, why};
    bool good = sw_script_protect(of->plugin.script, ask_policy, &q, error);
#ifndef NDEBUG
    uint32_t first = *chosen;
    good = good && sw_script_protect(of->plugin.script, ask_policy, &q, error) &&
           (first == *chosen || sw_fail(error, SW_ERROR_INPUT,
                                        "%s of %s is asked again and answers otherwise: it must depend on its "
                                        "arguments alone",
                                        policy_names[which], of->name));
#endif
    return good;
}

static bool policy_fit(void *context, const struct sw_free_choice *choice, uint32_t *chosen, const char **why,
                       struct sw_error *error) {
    return put_policy_question(context, POLICY_FIT, choice, chosen, why, error);
}

static bool policy_grow(void *context, const struct sw_free_choice *choice, uint32_t *chosen, const char **why,
                        struct sw_error *error) {
    return put_policy_question(context, POLICY_GROW, choice, chosen, why, error);
}

/* ---- opening ---- */

/* The policy, and what the file returned. */
static int take_policy(lua_State *lua) {
    struct sw_lua_policy *p = lua_touserdata(lua, 1);
    bool has[POLICY_QUESTIONS];
    snprintf(p->name, sizeof p->name, "%s",
             p->plugin.borrowed ? "the experiment" : sw_path_name(sw_script_path(p->plugin.script)));
    if (!lua_istable(lua, -1)) {
        return luaL_error(lua,
                          "the script returns %s instead of a policy: end it with 'return' and a table that has fit, "
                          "grow or both",
                          lua_isnil(lua, -1) ? "nothing" : luaL_typename(lua, -1));
    }
    for (lua_pushnil(lua); lua_next(lua, 2); lua_pop(lua, 1)) {
        const char *key = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : luaL_typename(lua, -2);
        if (strcmp(key, "name") != 0 && strcmp(key, "fit") != 0 && strcmp(key, "grow") != 0) {
            return luaL_error(lua, "a policy has no '%s'; it has name, fit, grow", key);
        }
    }
    for (int i = 0; i < POLICY_QUESTIONS; i++) {
        int type = lua_getfield(lua, 2, policy_names[i]);
        if (type != LUA_TNIL && type != LUA_TFUNCTION) {
            return luaL_error(lua, "'%s' of a policy is a function, not %s", policy_names[i], luaL_typename(lua, -1));
        }
        has[i] = type == LUA_TFUNCTION;
        lua_rawsetp(lua, LUA_REGISTRYINDEX, &policy_keys[i]);
    }
    if (!has[POLICY_FIT] && !has[POLICY_GROW]) {
        return luaL_error(lua, "a policy has fit, grow or both");
    }
    if (lua_getfield(lua, 2, "name") == LUA_TSTRING) {
        snprintf(p->name, sizeof p->name, "%s", lua_tostring(lua, -1));
    }
    p->policy = (struct sw_policy){.name = p->name,
                                   .context = p,
                                   .fit = has[POLICY_FIT] ? policy_fit : NULL,
                                   .grow = has[POLICY_GROW] ? policy_grow : NULL};
    return 0;
}

static void put_policy(const void *it, struct sw_params *params) {
    const struct sw_lua_policy *p = it;
    params->policy = &p->policy;
}

const struct sw_lua_plugin_kind sw_lua_policy_kind = {.option = "policy",
                                                      .folder = "policies",
                                                      .size = sizeof(struct sw_lua_policy),
                                                      .take = take_policy,
                                                      .put = put_policy};
