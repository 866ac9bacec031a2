/* What a reader makes a decision trace of, line by line. Which lines and keys there are, formats.md says. */
#include "lua/experiments/api.h"
#include "lua/readers/reading.h"

#include <inttypes.h>
#include <string.h>

static void add(struct sw_reading *reading, const char *text) {
    sw_sink_add(reading->out, text, strlen(text));
}

/* The fields of the table at 2 that have these names, in this order, each as JSON. */
static void add_fields(lua_State *lua, struct sw_reading *reading, const char *const *names) {
    for (; *names; names++) {
        if (lua_getfield(lua, 2, *names) != LUA_TNIL) {
            sw_sink_printf(reading->out, ",\"%s\":", *names);
            sw_lua_write_line(lua, -1, reading->out);
        }
        lua_pop(lua, 1);
    }
}

/* The first line of a run. */
static void begin(lua_State *lua, struct sw_reading *reading, bool told) {
    static const char *const keys[] = {"model", "version", "alignment", "tiers", "notes", NULL};
    const char *planner = told ? sw_reading_text(lua, 2, "planner", NULL) : NULL;
    add(reading, "{\"stowage-trace\":1,\"planner\":");
    sw_sink_json(reading->out, planner ? planner : reading->format->name);
    if (told) {
        add_fields(lua, reading, keys);
    }
    add(reading, "}\n");
    reading->trace_begun = true;
}

/* run{planner, model, version, alignment, tiers, notes}: what follows is of this run. */
static int run(lua_State *lua) {
    luaL_checktype(lua, 2, LUA_TTABLE);
    begin(lua, sw_reading_of(lua), true);
    return 0;
}

/* alloc{ID, size, ...}, free{ID}, decision{KIND, buffer, ...} and so on: a line, whose first word is the first element of the table. */
static int add_line(lua_State *lua) {
    static const char *const keys[] = {"buffer", "kind",   "first",   "last",     "time",    "tier",  "size",   "offset",  "stream", "inplace_of",
                                       "inputs", "outputs", "scratch", "verdict",  "blocker", "lo",    "hi",     "number",  "cost",   "live",
                                       "peak",   "forced",  "reason",  "operands", "changes", "moved", "figures", "columns", "kinds",  "rows",
                                       "touched", "no_addresses", NULL};
    struct sw_reading *reading = sw_reading_of(lua);
    luaL_checktype(lua, 2, LUA_TTABLE);
    if (!reading->trace_begun) {
        begin(lua, reading, false);
    }
    if (lua_geti(lua, 2, 1) != LUA_TSTRING) {
        return luaL_error(lua, "the first element of a line of a trace is a text: trace:%s{\"...\"}", lua_tostring(lua, lua_upvalueindex(2)));
    }
    sw_sink_printf(reading->out, "{\"%s\":", lua_tostring(lua, lua_upvalueindex(2)));
    sw_sink_json(reading->out, lua_tostring(lua, -1));
    sw_script_charge(lua, 32);
    add_fields(lua, reading, keys);
    sw_sink_printf(reading->out, ",\"source\":\"line %" PRIu32 "\"}\n", sw_reading_place_field(lua, 2, reading).line);
    return reading->out->failed ? sw_script_no_memory(lua) : 0;
}

void sw_reading_push_trace(lua_State *lua, struct sw_reading *reading) {
    static const struct luaL_Reg methods[] = {{"run", run}, {NULL, NULL}};
    static const char *const lines[] = {"alloc", "free", "decision", "candidate", "state", "group", "operator", "end"};
    lua_createtable(lua, 0, 12);
    sw_reading_methods(lua, reading, methods);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lua_pushlightuserdata(lua, reading);
        lua_pushstring(lua, lines[i]);
        lua_pushcclosure(lua, add_line, 2);
        lua_setfield(lua, -2, lines[i]);
    }
}
