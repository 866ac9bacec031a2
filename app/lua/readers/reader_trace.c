/* What a reader makes a decision trace of, line by line. Which lines and keys there are, formats.md says. */
#include "lua/readers/reader_reading.h"
#include "base/base.h"
#include "lua/experiments/api.h"
#include "lua/sandbox/lua_internal.h"

enum { MOST_LIST_DEPTH = 8 };

static void add_plain_text(struct sw_sink *to, const char *text) {
    sw_sink_add(to, text, strlen(text));
}

static void add_lua_number(lua_State *lua, struct sw_sink *to, int index) {
    if (lua_isinteger(lua, index)) {
        sw_sink_integer(to, lua_tointeger(lua, index));
    } else {
        sw_sink_number(to, lua_tonumber(lua, index));
    }
}

/* A text, a number, a truth, trace.null, or a list of such; `pairs`: a list of {key, value} as an object. */
static void add_lua_value(lua_State *lua, struct sw_sink *to, int index, bool pairs, unsigned depth) {
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
    if (depth >= MOST_LIST_DEPTH) {
        luaL_error(lua, "lists inside of lists without end");
    }
    luaL_checkstack(lua, 6, "lists inside of lists");
    index = lua_absindex(lua, index);
    add_plain_text(to, pairs ? "{" : "[");
    for (lua_Integer i = 1; lua_geti(lua, index, i) != LUA_TNIL; i++) {
        sw_script_charge(lua, 2);
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

static void add_key(struct sw_sink *to, char between, const char *key) {
    char text[32] = {between, '"'};
    size_t length = strlen(key); /* one of those below */
    memcpy(text + 2, key, length);
    memcpy(text + 2 + length, "\":", 2);
    sw_sink_add(to, text, length + 4);
}

/* changes = {{buffer = "x", tier = "t", offset = 0}, ...} */
static void add_change_list(lua_State *lua, struct sw_sink *to) {
    static const char *const parts[] = {"buffer", "tier", "offset"};
    luaL_checktype(lua, -1, LUA_TTABLE);
    add_plain_text(to, "[");
    for (lua_Integer i = 1; lua_geti(lua, -1, i) == LUA_TTABLE; i++) {
        char between = '{';
        for (int k = 0; k < 3; k++) {
            if (lua_getfield(lua, -1, parts[k]) != LUA_TNIL) {
                add_plain_text(to, i > 1 && between == '{' ? "," : "");
                add_key(to, between, parts[k]);
                add_lua_value(lua, to, -1, false, 0);
                between = ',';
            }
            lua_pop(lua, 1);
        }
        add_plain_text(to, between == ',' ? "}" : "");
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    add_plain_text(to, "]");
}

/* What a line may have, in the order in which it is written; behind that where it comes from. */
static const char *const line_keys[] = {"buffer",  "kind",   "size",    "first",   "last",    "time",       "tier",
                                        "offset",  "stream", "inputs",  "outputs", "scratch", "inplace_of", "verdict",
                                        "blocker", "lo",     "hi",      "number",  "cost",    "live",       "peak",
                                        "forced",  "reason", "changes", "figures", "columns", "kinds",      "rows",
                                        "touched", "source", "step",    "at",      "line",    NULL};
enum {
    LINE_CHANGES = 23,
    LINE_FIGURES,
    LINE_SOURCE = 29,
    LINE_STEP,
    LINE_AT,
    LINE_NUMBER,
    LINE_KEYS
}; /* their places in the list */
/* Upvalues of add_trace_line: its word, the numbers of the keys from 1. */
enum { UP_WORD = 2, UP_NUMBERS };

/* The number of the key below the top of the stack, from 1; 0: it is none. Short texts that are equal are one text in
 * Lua, and the list of numbers keeps those of keys, so a key that was met is known by its address. */
static unsigned line_key(lua_State *lua, struct sw_lua_reading *reading) {
    const char *text = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : NULL;
    struct sw_lua_line_key *met = &reading->line_keys[((uintptr_t)text >> 3) % SW_LINE_KEYS_MET];
    if (!text || met->text != text) {
        lua_pushvalue(lua, -2);
        lua_rawget(lua, lua_upvalueindex(UP_NUMBERS));
        *met = (struct sw_lua_line_key){text, (unsigned)lua_tointeger(lua, -1)};
        lua_pop(lua, 1);
    }
    return met->number;
}

/* `source` and `line`: a line of another file. */
static void add_line_source(struct sw_sink *to, const char *source, int64_t line) {
    sw_sink_json(to, source);
    to->text.count -= !to->failed; /* the quote */
    add_plain_text(to, " line ");
    sw_sink_integer(to, line);
    add_plain_text(to, "\"");
}

/* alloc{ID, size, ...}, free{ID}, decision{KIND, buffer, ...} and so on: a line. Its first word is the first element
 * of the table. `at` false: it comes from no line of the input; `source` is where it comes from then, and with `line`
 * it is that line of another file. `step` of an operator: when it runs. */
static int add_trace_line(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_sink *to = &reading->log.body;
    const char *word = lua_tostring(lua, lua_upvalueindex(UP_WORD));
    uint64_t has = 0;      /* bits of keys */
    int values[LINE_KEYS]; /* where on the stack theirs are */
    luaL_checktype(lua, 2, LUA_TTABLE);
    if (lua_geti(lua, 2, 1) != LUA_TSTRING) {
        return luaL_error(lua, "the first element of a line of a trace is a text: trace:%s{\"...\"}", word);
    }
    add_key(to, '{', word);
    sw_sink_json(to, lua_tostring(lua, -1));
    sw_script_charge(lua, 40);
    luaL_checkstack(lua, 2 * LINE_KEYS + 10, "keys");
    for (lua_pushnil(lua); lua_next(lua, 2);) {
        unsigned number = line_key(lua, reading);
        if (number > 0) {
            values[number - 1] = lua_gettop(lua);
            has |= UINT64_C(1) << (number - 1);
            lua_pushvalue(lua, -2); /* the value stays */
        } else if (lua_isinteger(lua, -2)) {
            lua_pop(lua, 1);
        } else {
            sw_lua_refuse_key(lua, sw_sandbox_text(lua, -2), line_keys, word);
        }
    }
    bool elsewhere = has >> LINE_NUMBER & 1;
    if (elsewhere && !(has >> LINE_SOURCE & 1)) {
        return luaL_error(lua, "'line' is one of another file, which 'source' names");
    }
    for (uint64_t left = has & ((UINT64_C(1) << LINE_AT) - 1); left != 0; left &= left - 1) {
        int k = __builtin_ctzll(left);
        add_key(to, ',', k == LINE_STEP ? "at" : line_keys[k]);
        if (k == LINE_CHANGES) {
            lua_pushvalue(lua, values[k]);
            add_change_list(lua, to);
            lua_pop(lua, 1);
        } else if (k == LINE_SOURCE && elsewhere) {
            add_line_source(to, luaL_checkstring(lua, values[k]), luaL_checkinteger(lua, values[LINE_NUMBER]));
        } else {
            add_lua_value(lua, to, values[k], k == LINE_FIGURES, 0);
        }
    }
    bool placed = !elsewhere && (!(has >> LINE_AT & 1) || !lua_isboolean(lua, values[LINE_AT]));
    sw_log_end(&reading->log, placed ? sw_reading_place_field(lua, 2, reading).line : 0);
    return to->failed ? sw_script_no_memory(lua) : 0;
}

static int add_trace_tier(lua_State *lua) {
    static const char *const known[] = {"name", "capacity", NULL};
    struct sw_lua_reading *reading = sw_reading_of(lua);
    sw_reading_fields(lua, known, "tier");
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
    static const char *const known[] = {"planner", "model", "cut", "no_addresses", NULL};
    struct sw_lua_reading *reading = sw_reading_of(lua);
    sw_reading_fields(lua, known, "done");
    const char *planner = sw_reading_text(lua, 2, "planner", NULL);
    reading->log.planner = planner ? planner : reading->format->name;
    sw_log_run(&reading->log, sw_reading_text(lua, 2, "model", NULL),
               sw_lua_truth(lua, 2, "cut")            ? NULL
               : sw_lua_truth(lua, 2, "no_addresses") ? ",\"no_addresses\":true"
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
