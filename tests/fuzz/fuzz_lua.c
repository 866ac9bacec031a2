/* Graphs written in Lua: any program, under limits that end it soon. */
#include "fuzz/fuzz.h"

#include "lua/experiments/lua_json.h"

static char result_key;

/* A place for the result that later needs no memory. */
static int prepare(lua_State *lua) {
    lua_pushboolean(lua, 1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &result_key);
    return 0;
}

static int write_result(lua_State *lua) {
    struct sw_sink *sink = lua_touserdata(lua, 1);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &result_key);
    sw_lua_json(lua, -1, sink);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_error error = {0};
    struct sw_script_options options = {.limits = {.memory = (size_t)16 << 20, .instructions = 200000, .seconds = 5},
                                        .seed = 1};
    struct sw_script *script = sw_script_open_text("fuzz.lua", (const char *)data, size, &options, &error);
    struct sw_sink sink = {0};
    bool good = script && sw_script_protect(script, prepare, NULL, &error) && sw_script_run(script, 0, 1, &error);
    if (good) {
        lua_rawsetp(sw_script_lua(script), LUA_REGISTRYINDEX, &result_key);
        good = sw_script_protect(script, write_result, &sink, &error);
    }
    if (!good && (!error.message[0] || error.code == SW_OK)) {
        fuzz_fail("a script was refused without a word");
    }
    if (good) {
        struct sw_input text = {.name = "fuzz", .bytes = sink.text.items, .length = sink.text.count};
        struct sw_problem *problem = sw_load_input(&text, NULL, &error);
        sw_problem_unref(problem);
    }
    sw_sink_done(&sink);
    sw_script_close(script);
    return 0;
}
