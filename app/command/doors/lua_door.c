/* Lua in a session: the same table of commands by another door, and the log of what scripts say. */
#include "command/doors/doors.h"
#include "base/base.h"
#include "command/screen/screen.h"
#include "command/state.h"

#include "lua/values.h"

enum { MOST_NESTED_SCRIPTS = 8 };

/* ---- the log ---- */

bool sw_do_log(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given, (void)error;
    sw_page_begin(session, "Log: what scripts and commands said");
    for (size_t i = 0; i < session->messages->lines.list.count; i++) {
        sw_page_add(session, session->messages->lines.list.items[i].style, session->messages->lines.list.items[i].text);
    }
    if (session->messages->lines.list.count == 0) {
        sw_page_add(session, SW_STYLE_DIM, "Nothing has been said so far.");
    }
    sw_page_end(session);
    return true;
}

/* ---- what a script may ask of the session ---- */

static char door_key;

/* Of one script: its session, and the problems it has seen, which must outlive it. */
struct door {
    struct sw_session *session;
    SW_ARRAY(const struct sw_problem *) seen;
};

static struct door *door_of(lua_State *lua) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &door_key);
    struct door *door = lua_touserdata(lua, -1);
    lua_pop(lua, 1);
    return door;
}

static struct sw_session *session_of(lua_State *lua) {
    return door_of(lua)->session;
}

static const struct sw_problem *see_problem(lua_State *lua, const struct sw_problem *problem) {
    struct door *door = door_of(lua);
    for (size_t i = 0; i < door->seen.count; i++) {
        if (door->seen.items[i] == problem) {
            return problem;
        }
    }
    if (!SW_PUSH(&door->seen, problem)) {
        luaL_error(lua, "out of memory");
    }
    return sw_problem_ref(problem);
}

/* stowage.command(line): as if it were typed at the prompt, and carried out to its end. */
static int command(lua_State *lua) {
    struct sw_session *session = session_of(lua);
    const char *line = luaL_checkstring(lua, 1);
    struct sw_error error = {0};
    sw_lua_drop_layout(lua);
    sw_script_charge(lua, 1000);
    uint64_t paused = sw_script_pause(lua); /* planning is not the script's time */
    bool good = sw_session_command_by(session, SW_DOOR_LUA, line, &error) && sw_session_finish(session, &error);
    sw_script_resume(lua, paused);
    if (!good) {
        return luaL_error(lua, "%s: %s", line, error.message);
    }
    lua_pushstring(lua, session->status.text);
    return 1;
}

/* stowage.decision([step]): the present one, or another that is known; nil when there is none. */
static int decision(lua_State *lua) {
    const struct sw_search *search = sw_state_search(session_of(lua));
    const struct sw_decision *d = sw_search_decision(search);
    if (!lua_isnoneornil(lua, 1)) {
        lua_Integer step = luaL_checkinteger(lua, 1);
        d = step >= 1 ? sw_search_journal(search, (uint64_t)step) : NULL;
    }
    if (!d) {
        lua_pushnil(lua);
        return 1;
    }
    sw_lua_push_decision(lua, sw_search_problem(search), d);
    return 1;
}

static int problem(lua_State *lua) {
    sw_lua_push_problem(lua, see_problem(lua, sw_search_problem(sw_state_search(session_of(lua)))));
    return 1;
}

/* stowage.layout(): good until the next command. */
static int layout(lua_State *lua) {
    const struct sw_search *search = sw_state_search(session_of(lua));
    see_problem(lua, sw_search_problem(search));
    sw_lua_drop_layout(lua);
    sw_lua_push_layout(lua, sw_search_layout(search));
    return 1;
}

/* stowage.step(), stowage.known(): where the run stands, and how far it is known. */
static int door_step(lua_State *lua) {
    lua_pushinteger(lua, (lua_Integer)sw_search_at(sw_state_search(session_of(lua))));
    return 1;
}

static int door_known(lua_State *lua) {
    lua_pushinteger(lua, (lua_Integer)sw_search_known(sw_state_search(session_of(lua))));
    return 1;
}

static int door_digest(lua_State *lua) {
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)sw_session_digest(session_of(lua)));
    lua_pushstring(lua, text);
    return 1;
}

static int give_door(lua_State *lua) {
    static const luaL_Reg functions[] = {
        {"command", command}, {"decision", decision}, {"problem", problem},    {"layout", layout},
        {"step", door_step},  {"known", door_known},  {"digest", door_digest}, {NULL, NULL}};
    lua_pushlightuserdata(lua, lua_touserdata(lua, 1));
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &door_key);
    lua_newtable(lua);
    luaL_setfuncs(lua, functions, 0);
    lua_pushliteral(lua, STOWAGE_VERSION);
    lua_setfield(lua, -2, "version");
    sw_lua_freeze(lua);
    sw_script_global(sw_script_of(lua), "stowage");
    return 0;
}

/* ---- running one ---- */

/* Closes the script. */
static bool run_script(struct sw_session *session, struct sw_script *script, bool show, struct sw_error *error) {
    struct door door = {.session = session};
    if (session->messages->scripts == MOST_NESTED_SCRIPTS) {
        sw_script_close(script);
        return sw_fail(error, SW_ERROR_USAGE, "scripts that run scripts that run scripts ...");
    }
    session->messages->scripts++;
    bool began = sw_allowance_begin(session);
    bool good = sw_script_protect(script, give_door, &door, error) && sw_script_run(script, 0, show ? 1 : 0, error);
    session->messages->scripts--;
    sw_allowance_end(session, began);
    if (good && show) {
        lua_State *lua = sw_script_lua(script);
        const char *text = lua_tostring(lua, -1); /* a number or a text; others are not shown */
        if (text) {
            sw_session_tell(session, false, text);
        }
        lua_pop(lua, 1);
    }
    sw_script_close(script);
    for (size_t i = 0; i < door.seen.count; i++) {
        sw_problem_unref(door.seen.items[i]);
    }
    SW_ARRAY_DONE(&door.seen);
    return good;
}

static struct sw_script_options script_options_of(struct sw_session *session) {
    return (struct sw_script_options){.seed = session->options.params.seed,
                                      .trusted = session->options.load.trust,
                                      .print = sw_session_print,
                                      .context = session};
}

/* What is said last of the log stands in the status line. */
static void say_last(struct sw_session *session, size_t before) {
    size_t count = session->messages->lines.list.count;
    if (count > before) {
        sw_session_say(session, session->messages->lines.list.items[count - 1].style == SW_STYLE_ERROR, "%s",
                       session->messages->lines.list.items[count - 1].text);
    }
}

bool sw_do_lua(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_script_options options = script_options_of(session);
    size_t before = session->messages->lines.list.count, length = strlen(given->words[0]);
    struct sw_sink text = {0};
    struct sw_error own = {0};
    /* An expression is shown; anything else is run. */
    sw_sink_printf(&text, "return %s", given->words[0]);
    struct sw_script *script =
        text.failed ? NULL : sw_script_open_text("lua", text.text.items, text.text.count, &options, NULL);
    bool expression = script != NULL;
    sw_sink_done(&text);
    if (!script) {
        script = sw_script_open_text("lua", given->words[0], length, &options, &own);
    }
    bool good = script && run_script(session, script, expression, &own);
    if (!good) {
        sw_session_tell_error(session, &own);
        return sw_fail(error, SW_ERROR_USAGE, "%s", own.message);
    }
    say_last(session, before);
    return true;
}

bool sw_session_run_lua(struct sw_session *session, const char *path, struct sw_error *error) {
    const struct sw_script_options options = script_options_of(session);
    struct sw_script *script = sw_script_open(path, &options, error);
    bool good = script && run_script(session, script, false, error);
    if (!good) {
        sw_session_tell_error(session, error);
    }
    return good;
}
