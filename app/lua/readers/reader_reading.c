/* A run of a reader: its places, its errors, its arguments. See reader_reading.h. */
#include "lua/readers/reader_reading.h"
#include "base/base.h"
#include "lua/experiments/api.h"

struct sw_lua_reading *sw_reading_of(lua_State *lua) {
    struct sw_lua_reading *reading = lua_touserdata(lua, lua_upvalueindex(1));
    if (!reading->input) {
        luaL_error(lua, "this can be called while an input is read");
    }
    return reading;
}

int sw_reading_raise(lua_State *lua, struct sw_lua_reading *reading) {
    reading->failed = true;
    if (reading->whole) {
        reading->whole->error = reading->error;
        reading->whole->failed = true;
    }
    return luaL_error(lua, "%s", reading->error.message);
}

int sw_reading_check(lua_State *lua, bool good) {
    return good ? 0 : sw_reading_raise(lua, lua_touserdata(lua, lua_upvalueindex(1)));
}

int sw_reading_fail(lua_State *lua, struct sw_lua_reading *reading, struct sw_position at, const char *message) {
    sw_fail(&reading->error, SW_ERROR_INPUT, "%s", message);
    sw_error_at(&reading->error, reading->input->name, at.line, at.column);
    return sw_reading_raise(lua, reading);
}

/* The text on top of the stack, in which what is no UTF-8 becomes '?'. */
static const char *shown_argument(lua_State *lua) {
    size_t length;
    const char *text = lua_tolstring(lua, -1, &length);
    size_t good = sw_utf8_valid(text, length);
    if (good == length) {
        return text;
    }
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    for (; good < length; good = sw_utf8_valid(text, length)) {
        luaL_addlstring(&buffer, text, good);
        luaL_addchar(&buffer, '?');
        text += good + 1;
        length -= good + 1;
    }
    luaL_addlstring(&buffer, text, length);
    luaL_pushresult(&buffer);
    return lua_tostring(lua, -1);
}

const char *sw_reading_formatted(lua_State *lua, int from) {
    luaL_checkstring(lua, from);
    int arguments = lua_gettop(lua) - from + 1;
    lua_pushliteral(lua, "");
    lua_getfield(lua, -1, "format"); /* as scripts have it */
    lua_remove(lua, -2);
    lua_insert(lua, from);
    lua_call(lua, arguments, 1);
    return shown_argument(lua);
}

struct sw_script_limits sw_reading_limits(const struct sw_input *input) {
    uint64_t length = input ? input->length : 0;
    return (struct sw_script_limits){
        .memory = 100 * length, .instructions = 2000 * length, .seconds = (double)length / 250000};
}

void sw_reading_methods(lua_State *lua, struct sw_lua_reading *reading, const struct luaL_Reg *methods) {
    for (; methods->name; methods++) {
        lua_pushlightuserdata(lua, reading);
        lua_pushcclosure(lua, methods->func, 1);
        lua_setfield(lua, -2, methods->name);
    }
}

/* ---- places ---- */

struct sw_position sw_reading_position(struct sw_lua_reading *reading, const char *at) {
    const char *begin = sw_text_begin(reading->input), *end = sw_text_end(reading->input);
    at = at < begin ? begin : at > end ? end : at;
    if (!reading->counted || at < reading->counted) {
        reading->counted = reading->looked = begin;
        reading->at.line = 1;
    }
    while (reading->looked < at) {
        const char *found = memchr(reading->looked, '\n', (size_t)(at - reading->looked));
        reading->looked = found ? found + 1 : at;
        reading->counted = found ? found + 1 : reading->counted;
        reading->at.line += found && reading->at.line < UINT32_MAX;
    }
    size_t column = (size_t)(at - reading->counted) + 1;
    return (struct sw_position){reading->at.line, column > UINT32_MAX ? UINT32_MAX : (uint32_t)column};
}

struct sw_position sw_reading_place(lua_State *lua, int index, struct sw_lua_reading *reading) {
    struct sw_position at;
    if (lua_isnoneornil(lua, index)) {
        return sw_reading_position(reading, reading->scan.at);
    }
    if (lua_isboolean(lua, index)) {
        return (struct sw_position){0, 0};
    }
    if (sw_reading_json_place(lua, index, &at)) {
        return at;
    }
    lua_Integer at_byte = luaL_checkinteger(lua, index);
    size_t length = reading->input->length, offset = at_byte < 1 ? 0 : (size_t)at_byte - 1;
    return sw_reading_position(reading,
                               length == 0 ? NULL : reading->input->bytes + (offset > length ? length : offset));
}

struct sw_position sw_reading_place_field(lua_State *lua, int table, struct sw_lua_reading *reading) {
    struct sw_position at;
    if (lua_getfield(lua, table, "at") == LUA_TNIL && !reading->json.root) { /* the line */
        at = sw_reading_position(reading, reading->scan.begin);
    } else {
        at = sw_reading_place(lua, lua_gettop(lua), reading);
    }
    lua_pop(lua, 1);
    return at;
}

/* ---- fields ---- */

const char *sw_reading_check_text(lua_State *lua, int index, const char *name, size_t *length) {
    size_t whole;
    const char *text = luaL_checklstring(lua, index, &whole);
    if (sw_utf8_valid(text, whole) < whole) {
        luaL_error(lua, "'%s' is no UTF-8 without zero bytes", name);
    }
    if (length) {
        *length = whole;
    }
    return text;
}

void sw_reading_fields(lua_State *lua, const char *const *known, const char *what) {
    luaL_checktype(lua, 2, LUA_TTABLE);
    sw_lua_check_keys(lua, 2, known, what);
}

const char *sw_reading_text(lua_State *lua, int table, const char *name, size_t *length) {
    int type = lua_getfield(lua, table, name);
    if (type != LUA_TNIL && type != LUA_TSTRING) {
        luaL_error(lua, "'%s' must be a text, not %s", name, luaL_typename(lua, -1));
    }
    const char *text = type == LUA_TNIL ? NULL : sw_reading_check_text(lua, -1, name, length);
    lua_pop(lua, 1); /* the table keeps it */
    return text;
}

int64_t sw_reading_integer(lua_State *lua, int table, const char *name, int64_t fallback, bool *there) {
    int exact = 0, type = lua_getfield(lua, table, name);
    int64_t number = type == LUA_TNIL ? fallback : lua_tointegerx(lua, -1, &exact);
    if (type != LUA_TNIL && !exact) {
        luaL_error(lua, "'%s' must be a whole number", name);
    }
    lua_pop(lua, 1);
    if (there) {
        *there = type != LUA_TNIL;
    }
    return number;
}
