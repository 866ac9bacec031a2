/* The arguments of a program. They are handed over one by one as the program asks for them, so that an argument that
 * nothing asks for, which could have no effect, is found. */
#include "lua/graph.h"
#include "base/base.h"
#include "lua/sandbox/lua_internal.h"

static const char asked_key = 0; /* in the registry: the names asked for, as keys and in their order */

/* "8", "0.5", "true" as what they look like; anything else is text. */
static void push_lua_argument(lua_State *lua, const char *text) {
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        lua_pushboolean(lua, *text == 't');
    } else if (*text == '\0' || strspn(text, "+-.0123456789eExXabcdefABCDEF") != strlen(text) ||
               lua_stringtonumber(lua, text) == 0) {
        lua_pushstring(lua, text);
    }
}

/* Note that the name at `index` was asked for. */
static void note_asked(lua_State *lua, int index) {
    index = lua_absindex(lua, index);
    if (lua_type(lua, index) != LUA_TSTRING) {
        return;
    }
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &asked_key);
    lua_pushvalue(lua, index);
    if (lua_rawget(lua, -2) == LUA_TNIL) {
        lua_pushvalue(lua, index);
        lua_rawseti(lua, -3, (lua_Integer)lua_rawlen(lua, -3) + 1);
        lua_pushvalue(lua, index);
        lua_pushboolean(lua, true);
        lua_rawset(lua, -4);
    }
    lua_pop(lua, 2);
}

/* args.name: upvalue 1 has the values. What was given is then in the table itself. */
static int read_argument(lua_State *lua) {
    note_asked(lua, 2);
    lua_pushvalue(lua, 2);
    lua_rawget(lua, lua_upvalueindex(1));
    if (!lua_isnil(lua, -1)) {
        lua_pushvalue(lua, 2);
        lua_pushvalue(lua, -2);
        lua_rawset(lua, 1);
    }
    return 1;
}

static int next_argument(lua_State *lua) {
    lua_settop(lua, 2);
    if (lua_next(lua, 1)) {
        return 2;
    }
    lua_pushnil(lua);
    return 1;
}

/* pairs(args): a script that goes through all of them has asked for all of them. */
static int all_arguments(lua_State *lua) {
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        lua_pop(lua, 1);
        note_asked(lua, -1);
        lua_pushvalue(lua, -1);
        lua_pushvalue(lua, -1);
        lua_rawget(lua, lua_upvalueindex(1));
        lua_rawset(lua, 1);
    }
    lua_pushcfunction(lua, next_argument);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

void sw_lua_push_arguments(lua_State *lua, const struct sw_params *args) {
    luaL_checkstack(lua, 10, NULL);
    lua_newtable(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &asked_key);
    lua_newtable(lua); /* what the program sees */
    lua_newtable(lua); /* its values */
    for (size_t i = 0; args && i < args->settings.count; i++) {
        push_lua_argument(lua, args->settings.items[i].value);
        lua_setfield(lua, -2, args->settings.items[i].key);
    }
    lua_newtable(lua);
    lua_pushvalue(lua, -2);
    lua_pushcclosure(lua, read_argument, 1);
    lua_setfield(lua, -2, "__index");
    lua_pushvalue(lua, -2);
    lua_pushcclosure(lua, all_arguments, 1);
    lua_setfield(lua, -2, "__pairs");
    sw_lua_set_truth(lua, "__metatable", false);
    lua_setmetatable(lua, -3);
    lua_pop(lua, 1);
}

/* The names that were asked for, in their order, and the one that `key` may stand for; NULL: none. */
static const char *list_asked(lua_State *lua, const char *key, char *names, size_t size) {
    const char *like = NULL;
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &asked_key);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, -1);
    *names = '\0';
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(lua, -1, i);
        const char *name = lua_tostring(lua, -1); /* the table keeps it */
        lua_pop(lua, 1);
        sw_text_add(names, size, "%s%s", i > 1 ? ", " : "", name);
        like = sw_word_nearer(key, like, name);
    }
    lua_pop(lua, 1);
    return like;
}

static bool was_asked(lua_State *lua, const char *key) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &asked_key);
    bool asked = lua_getfield(lua, -1, key) != LUA_TNIL;
    lua_pop(lua, 2);
    return asked;
}

uint64_t sw_lua_arguments_read(lua_State *lua, const struct sw_params *args) {
    uint64_t read = 0;
    for (size_t i = 0; args && i < args->settings.count && i < 64; i++) {
        read |= (uint64_t)was_asked(lua, args->settings.items[i].key) << i;
    }
    return read;
}

void sw_lua_check_arguments(lua_State *lua, const struct sw_params *args, const char *option) {
    char names[2048];
    for (size_t i = 0; args && i < args->settings.count; i++) {
        const char *key = args->settings.items[i].key;
        if (was_asked(lua, key)) {
            continue;
        }
        const char *like = list_asked(lua, key, names, sizeof names);
        if (!*names) {
            luaL_error(lua, "%s%s: this program reads no arguments", option, key);
        }
        luaL_error(lua, "%s%s: nothing reads it; %s%s%s: %s", option, key,
                   like ? "the nearest that is read is " : "what is read", like ? like : "", like ? ", of" : "", names);
    }
}
