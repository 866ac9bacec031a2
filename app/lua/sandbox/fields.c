/* Fields of the table on top of the stack, and blocks that Lua owns. See lua_internal.h. */
#include "lua/sandbox/lua_internal.h"

#include <string.h>

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
