/* Actions of tier-search written in Lua. See plugins.h. */
#include "base/base.h"

#include "lua/planning/lua_tier_rules.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"

static char functions_key; /* its address is a key of the registry */

enum { MOST_ACTIONS = 16 };

struct action_entry {
    struct sw_lua_actions *of;
    lua_Integer at; /* in the list of functions */
    char name[48];
};
struct sw_lua_actions {
    struct sw_lua_plugin_script plugin;
    size_t count;
    struct sw_action actions[MOST_ACTIONS];
    struct action_entry entries[MOST_ACTIONS];
    struct sw_lua_tier_rules rules;
    bool rules_given;
};

/* ---- asking the script ---- */

struct action_question {
    const struct action_entry *entry;
    const struct sw_problem *problem;
    const struct sw_layout *state, *room;
    uint32_t buffer, step;
    struct sw_moves *answer;
};

static void push_action_subject(lua_State *lua, const struct action_question *q) {
    lua_createtable(lua, 0, 6);
    sw_lua_push_problem(lua, q->problem);
    lua_setfield(lua, -2, "problem");
    sw_lua_push_buffer(lua, q->problem, q->buffer);
    lua_setfield(lua, -2, "buffer");
    sw_lua_set_count(lua, "step", q->step);
    sw_lua_push_layout(lua, q->state);
    lua_getfield(lua, -1, "at");
    lua_pushvalue(lua, -2);
    lua_pushinteger(lua, (lua_Integer)q->buffer + 1);
    lua_call(lua, 2, 1);
    lua_setfield(lua, -3, "place");
    lua_setfield(lua, -2, "state");
    sw_lua_push_layout(lua, q->room);
    lua_setfield(lua, -2, "room");
}

static uint32_t span_end(lua_State *lua, const char *name, const struct sw_problem *problem, uint32_t fallback) {
    lua_getfield(lua, -1, name);
    int exact = 1;
    lua_Integer step = lua_isnil(lua, -1) ? fallback : lua_tointegerx(lua, -1, &exact);
    if (!exact || step < 0 || step >= (lua_Integer)sw_problem_steps(problem)) {
        luaL_error(lua, "'%s' of a place is a step, from 0 to %d", name, (int)sw_problem_steps(problem) - 1);
    }
    lua_pop(lua, 1);
    return (uint32_t)step;
}

/* The table on top of the stack: {tier = ..., offset = ..., buffer = ..., first = ..., last = ...}.
 */
static void take_place(lua_State *lua, const struct action_question *q) {
    struct sw_moves *proposal = q->answer;
    struct sw_placement place = {.buffer = q->buffer, .span = SW_WHOLE_LIFE};
    struct sw_placement at = {0};
    if (proposal->count == SW_MOVES_PLACES) {
        luaL_error(lua, "an action may propose up to %d places", (int)SW_MOVES_PLACES);
    }
    if (lua_getfield(lua, -1, "buffer") != LUA_TNIL) {
        place.buffer = sw_lua_check_buffer(lua, lua_gettop(lua), q->problem);
    }
    lua_pop(lua, 1);
    sw_layout_placement(q->state, place.buffer, 0, &at);
    place.tier = at.tier;
    if (lua_getfield(lua, -1, "tier") != LUA_TNIL) {
        place.tier = sw_lua_check_tier(lua, lua_gettop(lua), q->problem);
    }
    lua_pop(lua, 1);
    place.offset = sw_lua_field_bytes(lua, lua_gettop(lua), "offset");
    const struct sw_buffer *b = sw_problem_buffer(q->problem, place.buffer);
    struct sw_span span = {span_end(lua, "first", q->problem, b->first), span_end(lua, "last", q->problem, b->last)};
    if (span.from > b->first || span.to < b->last) {
        place.span = span;
    }
    proposal->places[proposal->count++] = place;
}

/* What the function returned: a table, or nil and perhaps a reason. */
static int take_answer(lua_State *lua) {
    const struct action_question *q = lua_touserdata(lua, 1);
    if (lua_isnil(lua, 2)) {
        const char *reason = lua_tostring(lua, 3);
        snprintf(q->answer->reason, sizeof q->answer->reason, "%s", reason ? reason : "");
        return 0;
    }
    if (!lua_istable(lua, 2)) {
        return luaL_error(lua, "an action returns a place, a list of places, or nil, not %s", luaL_typename(lua, 2));
    }
    lua_settop(lua, 2);
    lua_Integer count = luaL_len(lua, 2);
    if (count == 0) {
        take_place(lua, q);
    }
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_geti(lua, 2, i) != LUA_TTABLE) {
            return luaL_error(lua, "a place is a table, not %s", luaL_typename(lua, -1));
        }
        take_place(lua, q);
        lua_pop(lua, 1);
    }
    return 0;
}

static void ask_action_once(lua_State *lua, const struct action_question *q) {
    int top = lua_gettop(lua);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &functions_key);
    lua_rawgeti(lua, -1, q->entry->at);
    lua_replace(lua, -2);
    lua_pushcfunction(lua, take_answer);
    lua_pushlightuserdata(lua, (void *)(uintptr_t)q);
    lua_pushvalue(lua, top + 1);
    push_action_subject(lua, q);
    lua_call(lua, 1, 2);
    memset(q->answer, 0, sizeof *q->answer); /* with its padding: answers are compared */
    if (lua_pcall(lua, 3, 0, 0) != LUA_OK) { /* what is wrong with the answer is said of its giver */
        const char *message = lua_tostring(lua, -1);
        lua_pushvalue(lua, top + 1);
        sw_script_complain(lua, message ? message : "the answer cannot be read");
    }
    lua_settop(lua, top);
}

static int ask_action(lua_State *lua) {
    const struct action_question *q = lua_touserdata(lua, 1);
    luaL_checkstack(lua, 12, NULL);
    ask_action_once(lua, q);
#ifndef NDEBUG
    struct sw_moves first;
    memcpy(&first, q->answer, sizeof first);
    ask_action_once(lua, q);
    if (memcmp(&first, q->answer, sizeof first) != 0) {
        lua_rawgetp(lua, LUA_REGISTRYINDEX, &functions_key);
        lua_rawgeti(lua, -1, q->entry->at);
        sw_script_complain(lua, "asked again, the action proposes something else: it must depend on its "
                                "arguments alone");
    }
#endif
    return 0;
}

static bool propose(void *context, const struct sw_layout *state, const struct sw_layout *room, uint32_t buffer,
                    uint32_t step, struct sw_moves *proposal, struct sw_error *error) {
    const struct action_entry *entry = context;
    struct sw_lua_actions *actions = entry->of;
    lua_State *lua = sw_script_lua(actions->plugin.script);
    struct action_question q = {entry, sw_layout_problem(state), state, room, buffer, step, proposal};
    sw_lua_plugin_turn(&actions->plugin, q.problem);
    bool good = sw_script_protect(actions->plugin.script, ask_action, &q, error);
    sw_lua_drop_layout(lua);
    return good;
}

/* ---- opening ---- */

static void name_entry(struct sw_lua_actions *actions, struct action_entry *entry) {
    const char *base = sw_path_name(sw_script_path(actions->plugin.script));
    size_t length = strcspn(base, ".");
    int cut = length < 32 ? (int)length : 32;
    if (actions->count == 0) {
        snprintf(entry->name, sizeof entry->name, "%.*s", cut, base);
    } else {
        snprintf(entry->name, sizeof entry->name, "%.*s %d", cut, base, (int)actions->count + 1);
    }
}

/* An action on top of the stack: a function, or {name = ..., propose = function}. */
static void take_action(lua_State *lua, struct sw_lua_actions *actions) {
    if (actions->count == MOST_ACTIONS) {
        luaL_error(lua, "a file may return up to %d actions", (int)MOST_ACTIONS);
    }
    struct action_entry *entry = &actions->entries[actions->count];
    *entry = (struct action_entry){.of = actions, .at = (lua_Integer)actions->count + 1};
    name_entry(actions, entry);
    int top = lua_gettop(lua);
    lua_pushvalue(lua, top);
    if (lua_istable(lua, top)) {
        if (lua_getfield(lua, top, "name") == LUA_TSTRING) {
            snprintf(entry->name, sizeof entry->name, "%s", lua_tostring(lua, -1));
        } else if (!lua_isnil(lua, -1)) {
            luaL_error(lua, "'name' of an action is text, not %s", luaL_typename(lua, -1));
        }
        lua_getfield(lua, top, "propose");
    }
    if (!lua_isfunction(lua, -1)) {
        luaL_error(lua, "an action is a function, or a table with a function 'propose', not %s",
                   luaL_typename(lua, -1));
    }
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &functions_key);
    lua_pushvalue(lua, -2);
    lua_rawseti(lua, -2, entry->at);
    lua_settop(lua, top);
    actions->actions[actions->count++] = (struct sw_action){.name = entry->name, .context = entry, .propose = propose};
}

/* Rules beside the actions, or alone: they have the name of the table, or that of the file. */
static bool take_rules(lua_State *lua, struct sw_lua_actions *actions) {
    struct action_entry entry;
    name_entry(actions, &entry);
    if (lua_getfield(lua, 2, "name") == LUA_TSTRING) {
        snprintf(entry.name, sizeof entry.name, "%s", lua_tostring(lua, -1));
    }
    lua_pop(lua, 1);
    return sw_lua_tier_rules_take(lua, 2, &actions->plugin, entry.name, &actions->rules);
}

/* The actions, and what the file returned. */
static int take_actions(lua_State *lua) {
    struct sw_lua_actions *actions = lua_touserdata(lua, 1);
    lua_newtable(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &functions_key);
    if (!lua_istable(lua, -1) && !lua_isfunction(lua, -1)) {
        return luaL_error(lua,
                          "the script returns %s instead of an action: end it with 'return' and a "
                          "function, or a list of actions",
                          lua_isnil(lua, -1) ? "nothing" : luaL_typename(lua, -1));
    }
    lua_Integer count = lua_istable(lua, -1) ? luaL_len(lua, -1) : 0;
    actions->rules_given = lua_istable(lua, 2) && take_rules(lua, actions);
    bool alone = actions->rules_given && lua_getfield(lua, 2, "propose") == LUA_TNIL;
    lua_settop(lua, 2);
    if (count == 0 && !alone) { /* one by itself */
        take_action(lua, actions);
    }
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(lua, 2, i);
        take_action(lua, actions);
        lua_settop(lua, 2);
    }
    return 0;
}

static void put_actions(const void *it, struct sw_params *params) {
    const struct sw_lua_actions *actions = it;
    params->actions = actions->actions;
    params->action_count = actions->count;
    params->tier_rules = actions->rules_given ? &actions->rules.rules : NULL;
}

const struct sw_lua_plugin_kind sw_lua_actions_kind = {.option = "actions",
                                                       .folder = "actions",
                                                       .size = sizeof(struct sw_lua_actions),
                                                       .take = take_actions,
                                                       .put = put_actions};
