/* Lua's patterns: a pattern, a zero byte, a text. */
#include "fuzz/fuzz.h"

#include "lua/sandbox/script.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char text[] = "local pattern, text = ...\n"
                               "local a, b = text:find(pattern)\n"
                               "assert(not a or (a >= 1 and b >= a - 1 and b <= #text))\n"
                               "text:match(pattern)\n"
                               "for _ in text:gmatch(pattern) do end\n"
                               "local again, count = text:gsub(pattern, '%0')\n"
                               "assert(again == text, 'what was replaced by itself has changed')\n"
                               "text:gsub(pattern, {}) text:gsub(pattern, function(x) return x end)\n";
    const uint8_t *zero = memchr(data, 0, size);
    struct sw_error error = {0};
    struct sw_script_options options = {.limits = {.memory = (size_t)16 << 20, .instructions = 2000000, .seconds = 5},
                                        .seed = 1};
    if (!zero) {
        return 0;
    }
    struct sw_script *script = sw_script_open_text("patterns.lua", text, sizeof text - 1, &options, &error);
    lua_State *lua = sw_script_lua(script);
    lua_pushlstring(lua, (const char *)data, (size_t)(zero - data));
    lua_pushlstring(lua, (const char *)zero + 1, (size_t)(data + size - zero - 1));
    bool good = sw_script_run(script, 2, 0, &error);
    if (!good && (strstr(error.message, "has changed") || strstr(error.message, "assertion"))) {
        fuzz_fail("%s", error.message);
    }
    sw_script_close(script);
    return 0;
}
