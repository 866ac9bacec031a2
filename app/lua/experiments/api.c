/* Rows of experiments between Lua and JSON, one line each. */
#include "lua/experiments/api.h"

#include "formats/text/json.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/experiments/lua_json.h"

#include <jansson.h>

void sw_lua_write_line(lua_State *lua, int index, struct sw_sink *sink) {
    size_t start = sink->text.count, kept = start;
    sw_lua_json(lua, index, sink);
    for (size_t i = start; i < sink->text.count; i++) { /* inside of texts they are escaped */
        if (sink->text.items[i] != '\n') {
            sink->text.items[kept++] = sink->text.items[i];
        }
    }
    sink->text.count = kept;
}

/* ---- from JSON ---- */

static int close_document(lua_State *lua) {
    sw_arena_done(lua_touserdata(lua, 1));
    return 0;
}

/* No deeper than jansson lets texts be: the recursion ends. */
static void push_json_value(lua_State *lua, const json_t *value) {
    json_t *all = (json_t *)(uintptr_t)value, *member;
    const char *key;
    luaL_checkstack(lua, 4, "values inside of values");
    if (sw_lua_push_scalar(lua, value)) {
        return;
    }
    lua_createtable(lua, (int)json_array_size(value), (int)json_object_size(value));
    json_object_foreach(all, key, member) {
        push_json_value(lua, member);
        lua_setfield(lua, -2, key);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        push_json_value(lua, json_array_get(value, i));
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
}

void sw_lua_push_json(lua_State *lua, const char *text, size_t length) {
    struct sw_arena *memory = sw_lua_new(lua, sizeof *memory, 0, "stowage.document", close_document);
    json_error_t error;
    bool out_of_memory;
    json_t *root = sw_json_parse(memory, text, length, JSON_DECODE_ANY, &error, &out_of_memory);
    sw_script_check_memory(lua, !out_of_memory);
    if (!root) {
        luaL_error(lua, "a row cannot be read back: %s", error.text);
    }
    push_json_value(lua, root);
    sw_arena_done(memory);
    lua_remove(lua, -2);
    sw_script_charge(lua, length / 16);
}
