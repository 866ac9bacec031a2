/* Fields of the table on top of the stack, types, and blocks that Lua owns. See lua_internal.h. */
#include "lua/sandbox/lua_internal.h"

#include <jansson.h>

void sw_lua_set_text(lua_State *lua, const char *name, const char *text) {
    lua_pushstring(lua, text);
    lua_setfield(lua, -2, name);
}

void sw_lua_set_count(lua_State *lua, const char *name, uint64_t count) {
    lua_pushinteger(lua, (lua_Integer)count);
    lua_setfield(lua, -2, name);
}

void sw_lua_set_number(lua_State *lua, const char *name, double number) {
    lua_pushnumber(lua, number);
    lua_setfield(lua, -2, name);
}

void sw_lua_set_truth(lua_State *lua, const char *name, bool truth) {
    lua_pushboolean(lua, truth);
    lua_setfield(lua, -2, name);
}

void sw_lua_set_function(lua_State *lua, const char *name, lua_CFunction function) {
    lua_pushcfunction(lua, function);
    lua_setfield(lua, -2, name);
}

void sw_lua_set_list(lua_State *lua, const char *name, const uint32_t *numbers, size_t count, uint32_t more) {
    lua_createtable(lua, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushinteger(lua, (lua_Integer)numbers[i] + more);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, name);
}

bool sw_lua_truth(lua_State *lua, int table, const char *name) {
    lua_getfield(lua, table, name);
    bool truth = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return truth;
}

void sw_lua_set_class(lua_State *lua, const char *type, const luaL_Reg *methods) {
    if (luaL_newmetatable(lua, type)) {
        lua_newtable(lua);
        luaL_setfuncs(lua, methods, 0);
        lua_setfield(lua, -2, "__index");
        sw_lua_set_truth(lua, "__metatable", false);
    }
    lua_setmetatable(lua, -2);
}

void sw_lua_push_pairs(lua_State *lua, int index) {
    index = lua_absindex(lua, index);
    sw_script_push_environment(lua);
    lua_getfield(lua, -1, "pairs");
    lua_replace(lua, -2);
    lua_pushvalue(lua, index);
    lua_call(lua, 1, 3);
}

bool sw_lua_push_scalar(lua_State *lua, const json_t *json) {
    if (json_is_string(json)) {
        lua_pushlstring(lua, json_string_value(json), json_string_length(json));
    } else if (json_is_integer(json)) {
        lua_pushinteger(lua, json_integer_value(json));
    } else if (json_is_real(json)) {
        lua_pushnumber(lua, json_real_value(json));
    } else if (json_is_boolean(json)) {
        lua_pushboolean(lua, json_is_true(json));
    } else if (!json || json_is_null(json)) {
        lua_pushnil(lua);
    } else {
        return false;
    }
    return true;
}

void *sw_lua_new(lua_State *lua, size_t size, int values, const char *type, lua_CFunction close) {
    void *block = lua_newuserdatauv(lua, size, values);
    memset(block, 0, size);
    if (luaL_newmetatable(lua, type)) {
        sw_lua_set_function(lua, "__gc", close);
        sw_lua_set_truth(lua, "__metatable", false);
    }
    lua_setmetatable(lua, -2);
    return block;
}

void sw_lua_close(lua_State *lua, int index) {
    luaL_callmeta(lua, index, "__gc");
    lua_pop(lua, 1);
}
