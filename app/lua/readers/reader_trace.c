/* What a reader makes a decision trace of, line by line. Which lines and keys there are, formats.md says. */
#include "lua/readers/reader_reading.h"
#include "base/base.h"

enum { MOST_LIST_DEPTH = 8 };

static void add_plain_text(struct sw_sink *to, const char *text) {
    sw_sink_add(to, text, strlen(text));
}

static void add_lua_number(lua_State *lua, struct sw_sink *to, int index) {
    if (lua_isinteger(lua, index)) {
        sw_sink_printf(to, "%" PRId64, (int64_t)lua_tointeger(lua, index));
    } else {
        sw_sink_number(to, lua_tonumber(lua, index));
    }
}

/* A text, a number, a truth, trace.null, or a list of such; `pairs`: a list of {key, value} as an object. */
static void add_lua_value(lua_State *lua, struct sw_sink *to, int index, bool pairs, unsigned depth) {
    index = lua_absindex(lua, index);
    luaL_checkstack(lua, 6, "lists inside of lists");
    if (depth > MOST_LIST_DEPTH) {
        luaL_error(lua, "lists inside of lists without end");
    }
    sw_script_charge(lua, 2);
    switch (lua_type(lua, index)) {
    case LUA_TSTRING:
        sw_sink_json(to, lua_tostring(lua, index));
        return;
    case LUA_TNUMBER:
        add_lua_number(lua, to, index);
        return;
    case LUA_TBOOLEAN:
        add_plain_text(to, lua_toboolean(lua, index) ? "true" : "false");
        return;
    case LUA_TLIGHTUSERDATA:
        add_plain_text(to, "null");
        return;
    default:
        luaL_checktype(lua, index, LUA_TTABLE);
    }
    add_plain_text(to, pairs ? "{" : "[");
    for (lua_Integer i = 1; lua_geti(lua, index, i) != LUA_TNIL; i++) {
        add_plain_text(to, i > 1 ? "," : "");
        if (pairs) {
            luaL_checktype(lua, -1, LUA_TTABLE);
            lua_geti(lua, -1, 1);
            sw_sink_json(to, luaL_checkstring(lua, -1));
            add_plain_text(to, ":");
            lua_pop(lua, 1);
            lua_geti(lua, -1, 2);
            lua_replace(lua, -2);
        }
        add_lua_value(lua, to, -1, false, depth + 1);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    add_plain_text(to, pairs ? "}" : "]");
}

static void add_key(struct sw_sink *to, const char *between, const char *key) {
    add_plain_text(to, between);
    add_plain_text(to, "\"");
    add_plain_text(to, key);
    add_plain_text(to, "\":");
}

/* changes = {{buffer = "x", tier = "t", offset = 0}, ...} */
static void add_change_list(lua_State *lua, struct sw_sink *to) {
    static const char *const parts[] = {"buffer", "tier", "offset"};
    luaL_checktype(lua, -1, LUA_TTABLE);
    add_plain_text(to, "[");
    for (lua_Integer i = 1; lua_geti(lua, -1, i) == LUA_TTABLE; i++) {
        const char *between = i > 1 ? ",{" : "{";
        for (int k = 0; k < 3; k++) {
            if (lua_getfield(lua, -1, parts[k]) != LUA_TNIL) {
                add_key(to, between, parts[k]);
                add_lua_value(lua, to, -1, false, 0);
                between = ",";
            }
            lua_pop(lua, 1);
        }
        add_plain_text(to, *between == ',' && between[1] == '\0' ? "}" : "");
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    add_plain_text(to, "]");
}

/* What a line may have, in the order in which it is written. */
static const char *const line_keys[] = {
    "buffer",  "kind",       "size",    "first",   "last",  "time", "tier",    "offset", "stream", "inputs", "outputs",
    "scratch", "inplace_of", "verdict", "blocker", "lo",    "hi",   "number",  "cost",   "live",   "peak",   "forced",
    "reason",  "changes",    "figures", "columns", "kinds", "rows", "touched", "source", "step"};
enum {
    LINE_KEYS = sizeof line_keys / sizeof *line_keys,
    UP_WORD = 2,
    UP_NUMBERS = 3 /* upvalues of add_trace_line: its word, the numbers of the keys from 1 */
};

/* alloc{ID, size, ...}, free{ID}, decision{KIND, buffer, ...} and so on: a line. Its first word is the first element
 * of the table. `at` false: it comes from no line of the input; `source` is where it comes from then. `step` of an
 * operator: when it runs. */
static int add_trace_line(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_sink *to = &reading->log.body;
    const char *word = lua_tostring(lua, lua_upvalueindex(UP_WORD));
    uint64_t has = 0;
    luaL_checktype(lua, 2, LUA_TTABLE);
    if (lua_geti(lua, 2, 1) != LUA_TSTRING) {
        return luaL_error(lua, "the first element of a line of a trace is a text: trace:%s{\"...\"}", word);
    }
    add_key(to, "{", word);
    sw_sink_json(to, lua_tostring(lua, -1));
    sw_script_charge(lua, 32);
    for (lua_pushnil(lua); lua_next(lua, 2); lua_pop(lua, 1)) { /* those that are there, as bits of `has` */
        lua_pushvalue(lua, -2);
        lua_rawget(lua, lua_upvalueindex(UP_NUMBERS));
        has |= UINT64_C(1) << lua_tointeger(lua, -1); /* 0: no key */
        lua_pop(lua, 1);
    }
    for (int k = 0; k < LINE_KEYS; k++) {
        if (!(has >> (k + 1) & 1)) {
            continue;
        }
        lua_getfield(lua, 2, line_keys[k]);
        add_key(to, ",", strcmp(line_keys[k], "step") == 0 ? "at" : line_keys[k]);
        if (strcmp(line_keys[k], "changes") == 0) {
            add_change_list(lua, to);
        } else {
            add_lua_value(lua, to, -1, strcmp(line_keys[k], "figures") == 0, 0);
        }
        lua_pop(lua, 1);
    }
    lua_getfield(lua, 2, "at");
    bool placed = !lua_isboolean(lua, -1);
    sw_log_end(&reading->log, placed ? sw_reading_place_field(lua, 2, reading).line : 0);
    return to->failed ? sw_script_no_memory(lua) : 0;
}

static int add_trace_tier(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    luaL_checktype(lua, 2, LUA_TTABLE);
    const char *name = sw_reading_text(lua, 2, "name", NULL);
    int64_t capacity = sw_reading_integer(lua, 2, "capacity", 0, NULL);
    if (!name) {
        return luaL_error(lua, "a tier needs a 'name'");
    }
    sw_log_tier(&reading->log, name, (uint64_t)capacity);
    return 0;
}

/* done{planner, model, cut, no_addresses}: the lines, notes and tiers so far were a run; `cut`: its end is not in the
 * input. */
static int end_trace_run(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    luaL_checktype(lua, 2, LUA_TTABLE);
    const char *planner = sw_reading_text(lua, 2, "planner", NULL);
    reading->log.planner = planner ? planner : reading->format->name;
    sw_log_run(&reading->log, sw_reading_text(lua, 2, "model", NULL),
               sw_reading_flag(lua, 2, "cut")            ? NULL
               : sw_reading_flag(lua, 2, "no_addresses") ? ",\"no_addresses\":true"
                                                         : "");
    reading->log.planner = reading->format->name; /* the script's text may go */
    return 0;
}

void sw_reading_end_trace(struct sw_lua_reading *reading) {
    if (reading->log.body.text.count > 0 || reading->log.out->text.count == 0) {
        sw_log_run(&reading->log, NULL, "");
    }
}

void sw_reading_push_trace(lua_State *lua, struct sw_lua_reading *reading) {
    static const struct luaL_Reg methods[] = {{"tier", add_trace_tier}, {"done", end_trace_run}, {NULL, NULL}};
    static const char *const lines[] = {"alloc", "free",  "decision", "candidate",
                                        "state", "group", "operator", "buffer"};
    lua_createtable(lua, 0, 12);
    sw_reading_methods(lua, reading, methods);
    lua_createtable(lua, 0, LINE_KEYS);
    for (int k = 0; k < LINE_KEYS; k++) {
        sw_lua_set_count(lua, line_keys[k], (uint64_t)(k + 1));
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lua_pushlightuserdata(lua, reading);
        lua_pushstring(lua, lines[i]);
        lua_pushvalue(lua, -3);
        lua_pushcclosure(lua, add_trace_line, UP_NUMBERS);
        lua_setfield(lua, -3, lines[i]);
    }
    lua_pop(lua, 1);
    lua_pushlightuserdata(lua, NULL);
    lua_setfield(lua, -2, "null");
}
