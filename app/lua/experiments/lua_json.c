/* A Lua value as JSON text. Keys go in order; a table is a list when it has elements and no other
 * keys, or nothing at all. The items of the lists of a graph stand on lines of their own, so that
 * what is wrong with one can be told by its line. */
#include "lua/experiments/lua_json.h"
#include "base/base.h"

#include "lua/sandbox/lua_internal.h"

enum { MOST_JSON_DEPTH = 32 };

struct json_writer {
    lua_State *lua;
    struct sw_sink *sink;
    unsigned depth;
    char path[160]; /* "operators[3].inputs", for messages */
};

static void write_value(struct json_writer *writer);

static void fail_json(struct json_writer *writer, const char *what) {
    luaL_error(writer->lua, "%s%s%s", writer->path, *writer->path ? ": " : "", what);
}

static void write_json_text(struct json_writer *writer) {
    size_t length;
    const char *text = lua_tolstring(writer->lua, -1, &length);
    if (strlen(text) != length) {
        fail_json(writer, "a text with a zero byte");
    }
    sw_sink_json(writer->sink, text);
}

static void write_json_number(struct json_writer *writer) {
    lua_State *lua = writer->lua;
    if (lua_isinteger(lua, -1)) {
        sw_sink_printf(writer->sink, "%lld", (long long)lua_tointeger(lua, -1));
        return;
    }
    double number = lua_tonumber(lua, -1);
    if (!isfinite(number)) {
        fail_json(writer, "a number that is not finite");
    } else if (number == floor(number) && fabs(number) < 9e15) {
        sw_sink_printf(writer->sink, "%.0f", number); /* 64.0 is the size 64 */
    } else {
        sw_sink_number(writer->sink, number);
    }
}

/* Go down to an element; `undo` is the path's length before. */
static size_t enter_field(struct json_writer *writer, const char *key, lua_Integer index) {
    size_t used = strlen(writer->path);
    if (key) {
        snprintf(writer->path + used, sizeof writer->path - used, "%s%.60s", used ? "." : "", key);
    } else {
        snprintf(writer->path + used, sizeof writer->path - used, "[%lld]", (long long)index);
    }
    if (++writer->depth > MOST_JSON_DEPTH) {
        fail_json(writer, "tables inside tables without end");
    }
    return used;
}

static void leave_field(struct json_writer *writer, size_t undo) {
    writer->path[undo] = '\0';
    writer->depth--;
}

static void write_json_list(struct json_writer *writer, lua_Integer length) {
    bool lines = writer->depth == 1;
    sw_sink_printf(writer->sink, "[");
    for (lua_Integer i = 1; i <= length; i++) {
        sw_sink_printf(writer->sink, "%s%s", i > 1 ? "," : "", lines ? "\n" : "");
        lua_geti(writer->lua, -1, i);
        size_t undo = enter_field(writer, NULL, i);
        write_value(writer);
        leave_field(writer, undo);
        lua_pop(writer->lua, 1);
        if (i % 64 == 0) {
            sw_script_charge(writer->lua, 64);
        }
    }
    sw_sink_printf(writer->sink, "]");
}

static void write_member(struct json_writer *writer, const char *key, bool first) {
    bool lines = writer->depth == 0;
    sw_sink_printf(writer->sink, "%s%s", first ? "" : ",", lines && !first ? "\n" : "");
    sw_sink_json(writer->sink, key);
    sw_sink_printf(writer->sink, ":");
    size_t undo = enter_field(writer, key, 0);
    write_value(writer);
    leave_field(writer, undo);
}

/* The script's own `pairs` goes through the table: it has the order, and refuses other keys. */
static void write_object(struct json_writer *writer) {
    lua_State *lua = writer->lua;
    bool first = true;
    lua_pushvalue(lua, -1);
    lua_insert(lua, -2); /* table, table */
    sw_script_push_environment(lua);
    lua_getfield(lua, -1, "pairs");
    lua_replace(lua, -2);
    lua_insert(lua, -2); /* table, pairs, table */
    lua_call(lua, 1, 1); /* table, iterator */
    for (;;) {
        lua_pushvalue(lua, -1);
        lua_call(lua, 0, 2); /* table, iterator, key, value */
        if (lua_isnil(lua, -2)) {
            break;
        }
        if (lua_type(lua, -2) != LUA_TSTRING) {
            fail_json(writer, "a table that is both a list and something else");
        }
        write_member(writer, lua_tostring(lua, -2), first);
        first = false;
        lua_pop(lua, 2);
    }
    lua_pop(lua, 3);
    sw_sink_printf(writer->sink, "}");
}

static void write_json_table(struct json_writer *writer) {
    lua_State *lua = writer->lua;
    lua_Integer length = luaL_len(lua, -1);
    luaL_checkstack(lua, 12, "tables inside tables");
    lua_pushnil(lua);
    bool empty = lua_next(lua, -2) == 0;
    lua_pop(lua, empty ? 0 : 2);
    if (length > 0 || (empty && writer->depth > 0)) {
        write_json_list(writer, length);
    } else {
        sw_sink_printf(writer->sink, "{");
        write_object(writer);
    }
}

/* The value on top of the stack, which stays. */
static void write_value(struct json_writer *writer) {
    switch (lua_type(writer->lua, -1)) {
    case LUA_TSTRING:
        write_json_text(writer);
        return;
    case LUA_TNUMBER:
        write_json_number(writer);
        return;
    case LUA_TBOOLEAN:
        sw_sink_printf(writer->sink, "%s", lua_toboolean(writer->lua, -1) ? "true" : "false");
        return;
    case LUA_TTABLE:
        write_json_table(writer);
        return;
    default:
        fail_json(writer, lua_pushfstring(writer->lua, "a %s, which no file can hold", luaL_typename(writer->lua, -1)));
    }
}

void sw_lua_json(lua_State *lua, int index, struct sw_sink *sink) {
    struct json_writer writer = {.lua = lua, .sink = sink};
    lua_pushvalue(lua, index);
    write_value(&writer);
    lua_pop(lua, 1);
    if (sink->failed) {
        sw_script_no_memory(lua);
    }
}
