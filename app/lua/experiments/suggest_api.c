#include "lua/experiments/suggest_api.h"
#include "base/base.h"
#include "lua/experiments/api.h"
#include "lua/sandbox/lua_internal.h"
#include "planners/planner.h"
#include "view/suggest/suggest_words.h"

static unsigned kind_bit(lua_State *lua, const char *word) {
    const char *names[SW_SUGGEST_KINDS + 1];
    for (int k = 0; k < SW_SUGGEST_KINDS; k++) {
        names[k] = sw_suggest_kind_name((enum sw_suggest_kind)k);
        if (word && strcmp(names[k], word) == 0) {
            return 1U << k;
        }
    }
    names[SW_SUGGEST_KINDS] = NULL;
    sw_lua_refuse_key(lua, word ? word : "?", names, "plan:suggest: kinds");
    return 0;
}

void sw_suggest_options_read(lua_State *lua, int options, struct sw_suggest_request *request) {
    static const char what[] = "plan:suggest";
    *request = (struct sw_suggest_request){
        .work = (uint64_t)sw_lua_option_whole(lua, options, what, "effort", 1, (lua_Integer)SW_SUGGEST_WORK)};
    lua_Integer capacity = sw_lua_option_whole(lua, options, what, "capacity", 0, -1);
    request->has_capacity = capacity >= 0;
    request->capacity = capacity >= 0 ? (uint64_t)capacity : 0;
    if (!sw_lua_option(lua, options, what, "kinds", LUA_TTABLE, "a list of names")) {
        return;
    }
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(lua, -1); i++) {
        bool text = lua_rawgeti(lua, -1, i) == LUA_TSTRING;
        request->kinds |= kind_bit(lua, text ? lua_tostring(lua, -1) : NULL);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

/* The text of a sink, which ends here. */
static void push_sink(lua_State *lua, struct sw_sink *sink) {
    luaL_Buffer text;
    bool good = !sink->failed;
    char *copy = good ? luaL_buffinitsize(lua, &text, sink->text.count) : NULL;
    if (copy) {
        if (sink->text.count > 0) {
            memcpy(copy, sink->text.items, sink->text.count);
        }
        luaL_pushresultsize(&text, sink->text.count);
    }
    sw_sink_done(sink);
    sw_script_check_memory(lua, good);
}

/* Its commands, as a list of lines. */
static void push_commands(lua_State *lua, const struct sw_search *run, const struct sw_suggestion *of) {
    struct sw_sink lines = {0};
    sw_suggest_put_commands(run, 0, of, "\n", &lines);
    push_sink(lua, &lines);
    const char *at = lua_tostring(lua, -1);
    lua_newtable(lua);
    for (lua_Integer i = 1; at; i++) {
        const char *end = strchr(at, '\n');
        lua_pushlstring(lua, at, end ? (size_t)(end - at) : strlen(at));
        lua_rawseti(lua, -2, i);
        at = end ? end + 1 : NULL;
    }
    lua_remove(lua, -2);
    lua_setfield(lua, -2, "commands");
}

/* What the planner minimizes, where that is not the peak. */
static void set_goal(lua_State *lua, double goal) {
    if (!isnan(goal)) {
        lua_pushnumber(lua, goal);
        lua_setfield(lua, -2, "goal");
    }
}

/* A sentence, and the largest blocks that lie elsewhere. */
static void set_why(lua_State *lua, const struct sw_suggest *found, const struct sw_suggestion *of) {
    struct sw_sink why = {0};
    sw_suggest_put_why(found, 0, of, &why);
    push_sink(lua, &why);
    lua_setfield(lua, -2, "why");
    lua_newtable(lua);
    for (uint32_t i = 0; i < of->why.others && i < SW_WHY_MOVED; i++) {
        lua_pushstring(lua, sw_problem_buffer(sw_search_problem(sw_suggest_run(found)), of->why.moved[i])->name);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "largest_elsewhere");
}

static void push_suggestion(lua_State *lua, const struct sw_search *run, const struct sw_suggest *found,
                            const struct sw_suggestion *of) {
    lua_createtable(lua, 0, 12);
    sw_lua_set_text(lua, "kind", sw_suggest_kind_name(of->kind));
    sw_lua_set_count(lua, "peak", of->peak);
    sw_lua_set_count(lua, "lower_bound", of->bound);
    sw_lua_set_count(lua, "saved", of->saved);
    sw_lua_set_truth(lua, "fits", of->fits);
    if (of->before > 0) {
        sw_lua_set_count(lua, "before", of->before);
    }
    set_goal(lua, of->goal);
    push_commands(lua, run, of);
    sw_lua_set_count(lua, "moved", of->moved);
    sw_lua_set_count(lua, "blocks_elsewhere", of->why.others);
    set_why(lua, found, of);
    if (of->again != SW_NONE) {
        sw_lua_set_text(lua, "runs_again", sw_problem_operator(sw_search_given(run), of->again)->name);
    }
}

static void push_found(lua_State *lua, const struct sw_search *run, const struct sw_suggest *found) {
    struct sw_suggest_state state;
    sw_suggest_state_of(found, &state);
    lua_createtable(lua, 0, 8);
    sw_lua_set_text(lua, "planner", sw_search_planner(run)->name);
    if (state.ended) {
        sw_lua_set_count(lua, "peak", state.peak);
    }
    sw_lua_set_count(lua, "lower_bound", state.bound);
    sw_lua_set_text(lua, "minimizes", sw_suggest_goal_name(&state));
    set_goal(lua, state.goal);
    lua_createtable(lua, (int)sw_suggest_count(found), 0);
    for (size_t i = 0; i < sw_suggest_count(found); i++) {
        push_suggestion(lua, run, found, sw_suggest_get(found, i));
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "suggestions");
    lua_createtable(lua, 0, SW_SUGGEST_KINDS);
    for (int k = 0; k < SW_SUGGEST_KINDS; k++) {
        sw_lua_set_count(lua, sw_suggest_kind_name((enum sw_suggest_kind)k), state.tried[k]);
    }
    lua_setfield(lua, -2, "tried");
    sw_lua_set_count(lua, "work", state.work);
    sw_lua_set_truth(lua, "spent", state.spent);
}

void sw_suggest_push(lua_State *lua, const struct sw_search *run, const struct sw_suggest_request *request,
                     struct sw_suggest **found) {
    struct sw_error error = {0};
    uint64_t paused = sw_script_pause(lua);
    *found = sw_suggest_new(run, request, &error);
    bool good = *found && sw_suggest_step(*found, 0, &error) != SW_STEP_FAILED;
    sw_script_resume(lua, paused);
    sw_script_check(lua, good, "", &error);
    push_found(lua, run, *found);
    sw_script_charge(lua, sw_suggest_count(*found));
}
