/* Shapes and schedules of XLA's HLO, by the parser in formats/compilers/hlo.h. */
#include "formats/compilers/hlo.h"
#include "lua/readers/reader_reading.h"

#include <inttypes.h>

/* shape_size([text]): all bytes of the shape at the cursor, which moves behind it, or that the text begins with; nil:
 * it is none. */
static int take_shape_size(lua_State *lua) {
    struct sw_scan *scan = &sw_reading_of(lua)->scan;
    struct sw_error why = {0};
    uint64_t bytes = 0;
    size_t length = 0;
    const char *text = luaL_optlstring(lua, 2, NULL, &length), *from = text ? text : scan->at, *at = from;
    bool good = hlo_shape_size(&at, text ? text + length : scan->end, &bytes, &why);
    scan->at = text ? scan->at : at;
    sw_script_charge(lua, 20 + (uint64_t)(at - from));
    if (!good) {
        return why.code == SW_ERROR_MEMORY ? sw_script_no_memory(lua) : 0;
    }
    lua_pushinteger(lua, (lua_Integer)bytes);
    return 1;
}

static bool keep_range(void *context, const char *name, size_t length, int64_t first, int64_t last) {
    struct sw_sink *text = context;
    sw_sink_add(text, name, length);
    sw_sink_printf(text, ":%" PRId64 "-%" PRId64 "\n", first, last);
    return !text->failed;
}

/* live_ranges(): when the values of a scheduled module live, as XLA prints it: "name{index}:first-last", a line each;
 * nil: the input is no module with a schedule. */
static int live_ranges(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    const struct sw_input *input = reading->input;
    const char *end = sw_text_end(input);
    if (!hlo_detect(input) || sw_scan_find(sw_text_begin(input), end, "is_scheduled=true") == end) {
        return 0;
    }
    sw_script_charge(lua, input->length);
    reading->text.text.count = 0;
    if (!hlo_ranges(input, keep_range, &reading->text, &reading->error)) {
        return sw_reading_raise(lua, reading);
    }
    lua_pushlstring(lua, reading->text.text.count ? reading->text.text.items : "", reading->text.text.count);
    return 1;
}

const struct luaL_Reg sw_reading_hlo[] = {{"shape_size", take_shape_size}, {"live_ranges", live_ranges}, {NULL, NULL}};
