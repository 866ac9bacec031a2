/* require: text files in the script's own folder and in scripts/lib, each run once. */
#include "data.h"
#include "base/base.h"
#include "lua/sandbox/lua_internal.h"

#include <ctype.h>
#include <unistd.h>

static char modules_key;

/* "cnn.blocks" as "cnn/blocks.lua"; names cannot lead out of the folder. */
static bool relative_path(const char *name, char *path, size_t size) {
    size_t length = 0;
    bool begins = true;
    for (; *name && length + 5 < size; name++) {
        bool dot = *name == '.';
        if ((dot && begins) || (!dot && *name != '_' && !isalnum((unsigned char)*name))) {
            return false;
        }
        path[length++] = dot ? '/' : *name;
        begins = dot;
    }
    if (*name || begins) {
        return false;
    }
    memcpy(path + length, ".lua", 5);
    return true;
}

/* The first that there is: beside the script, then among what ships. */
static bool find_module(const struct sw_script *script, const char *relative, char *path, size_t size) {
    const char *slash = strrchr(script->path, '/');
    int folder = slash ? (int)(slash - script->path) + 1 : 0;
    char shipped[160];
    if (strcmp(script->path, "-") != 0) {
        int length = snprintf(path, size, "%.*s%s", folder, script->path, relative);
        if (length > 0 && (size_t)length < size && access(path, R_OK) == 0) {
            return true;
        }
    }
    snprintf(shipped, sizeof shipped, "scripts/lib/%s", relative);
    return sw_data_path(shipped, path, size, NULL);
}

/* Compile the file: the function on top of the stack. */
static void load_file(lua_State *lua, struct sw_script *script, const char *path) {
    struct sw_error error = {0};
    struct sw_input input;
    char chunk[1100];
    if (!sw_input_open(path, &input, &error)) {
        luaL_error(lua, "%s: %s", path, error.message);
    }
    snprintf(chunk, sizeof chunk, "@%s", path);
    bool kept = sw_script_add_file(script, &input) != NULL;
    int status = luaL_loadbufferx(lua, input.bytes, input.length, chunk, "t");
    sw_input_close(&input);
    if (status != LUA_OK) {
        sw_script_not_compiled(lua, path);
    }
    if (!kept) {
        sw_script_no_memory(lua);
    }
    sw_script_push_environment(lua);
    lua_setupvalue(lua, -2, 1);
}

static void push_modules(lua_State *lua) {
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &modules_key) != LUA_TTABLE) {
        lua_pop(lua, 1);
        lua_createtable(lua, 0, 4);
        lua_pushvalue(lua, -1);
        lua_rawsetp(lua, LUA_REGISTRYINDEX, &modules_key);
    }
}

/* It has no upvalues: the state knows which module calls. */
int sw_sandbox_require(lua_State *lua) {
    struct sw_script *script = sw_script_of(lua);
    const char *name = luaL_checkstring(lua, 1);
    char relative[100], path[1024];
    lua_settop(lua, 1);
    if (!relative_path(name, relative, sizeof relative)) {
        return luaL_error(lua,
                          "require \"%s\": a module's name is made of letters, digits, _ and "
                          "dots between them",
                          name);
    }
    push_modules(lua);
    lua_pushvalue(lua, 1);
    if (lua_rawget(lua, 2) == LUA_TBOOLEAN && !lua_toboolean(lua, -1)) {
        return luaL_error(lua, "require \"%s\": it requires itself, or failed before", name);
    }
    if (!lua_isnil(lua, -1)) {
        return 1;
    }
    lua_pop(lua, 1);
    if (script->loaded) {
        return luaL_error(lua, "require \"%s\": modules are loaded while the script is, not later", name);
    }
    if (!find_module(script, relative, path, sizeof path)) {
        return luaL_error(lua, "require \"%s\": there is no %s beside the script or in scripts/lib", name, relative);
    }
    load_file(lua, script, path);
    lua_pushvalue(lua, 1);
    lua_pushboolean(lua, 0); /* until it has run */
    lua_rawset(lua, 2);
    lua_call(lua, 0, 1);
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
        lua_pushboolean(lua, 1);
    }
    lua_pushvalue(lua, 1);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, 2);
    return 1;
}
