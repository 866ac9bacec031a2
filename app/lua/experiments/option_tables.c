/* Options as tables: which keys there are, and whole numbers. */
#include "lua/experiments/api.h"
#include "base/base.h"
#include "lua/sandbox/lua_internal.h"

void sw_lua_refuse_key(lua_State *lua, const char *key, const char *const *known, const char *what) {
    luaL_Buffer names;
    const char *like = NULL;
    luaL_buffinit(lua, &names);
    for (size_t i = 0; known[i]; i++) {
        like = sw_word_nearer(key, like, known[i]);
        luaL_addstring(&names, i ? ", " : "");
        luaL_addstring(&names, known[i]);
    }
    luaL_pushresult(&names);
    luaL_error(lua, "%s: unknown option %s%s%s; there are %s", what, key, like ? ", did you mean " : "",
               like ? like : "", lua_tostring(lua, -1));
}

void sw_lua_check_keys(lua_State *lua, int index, const char *const *known, const char *what) {
    lua_pushnil(lua);
    while (lua_next(lua, index)) {
        const char *key = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : NULL;
        size_t i = 0;
        while (known[i] && (!key || strcmp(known[i], key) != 0)) {
            i++;
        }
        if (!known[i]) {
            sw_lua_refuse_key(lua, key ? key : sw_sandbox_text(lua, -2), known, what);
        }
        lua_pop(lua, 1);
    }
}

int sw_lua_options_at(lua_State *lua, int index, const char *const *known, const char *what) {
    if (lua_isnoneornil(lua, index)) {
        return 0;
    }
    luaL_checktype(lua, index, LUA_TTABLE);
    sw_lua_check_keys(lua, index, known, what);
    return index;
}

bool sw_lua_option(lua_State *lua, int options, const char *what, const char *name, int type, const char *words) {
    int found = options ? lua_getfield(lua, options, name) : LUA_TNIL;
    if (found == LUA_TNIL) {
        lua_pop(lua, options != 0);
        return false;
    }
    if (found != type) {
        luaL_error(lua, "%s: %s is %s, not %s", what, name, words, luaL_typename(lua, -1));
    }
    return true;
}

lua_Integer sw_lua_option_whole(lua_State *lua, int options, const char *what, const char *name, lua_Integer least,
                                lua_Integer fallback) {
    int whole = 0;
    int type = options ? lua_getfield(lua, options, name) : LUA_TNIL;
    if (type == LUA_TNIL) {
        lua_pop(lua, options != 0);
        return fallback;
    }
    lua_Integer value = type == LUA_TNUMBER ? lua_tointegerx(lua, -1, &whole) : 0;
    if (!whole || value < least) {
        luaL_error(lua, "%s: %s is a whole number%s, not %s", what, name, least > 0 ? " from 1 on" : "",
                   type == LUA_TNUMBER ? lua_tostring(lua, -1) : luaL_typename(lua, -1));
    }
    lua_pop(lua, 1);
    return value;
}
