/* Files that lie beside the input, and shapes and schedules of XLA's HLO, which our own parser of it knows. */
#include "formats/compilers/hlo.h"
#include "lua/readers/reader_reading.h"

#include <inttypes.h>
#include <string.h>

/* ---- files ---- */

void sw_reading_close_beside(struct sw_reading *reading) {
    struct sw_input input = *reading->input;
    SW_FREE((struct sw_input *)(uintptr_t)reading->input, 1);
    sw_json_close(&reading->json);
    sw_csv_close(&reading->csv);
    sw_sink_done(&reading->text);
    sw_input_close(&input);
    SW_FREE(reading, 1);
}

/* Open it, and keep it with the run. NULL: there is none, or an error is set. */
static struct sw_reading *open_beside(struct sw_reading *whole, const char *path) {
    struct sw_reading *reading = SW_NEW_ZERO(struct sw_reading, 1);
    struct sw_input *input = SW_NEW_ZERO(struct sw_input, 1);
    struct sw_error why = {0};
    bool memory = reading && input && SW_RESERVE(&whole->beside, whole->beside.count + 1);
    bool good = memory && sw_input_open(path, input, &why);
    if (!memory || why.code == SW_ERROR_MEMORY) {
        sw_fail_memory(&whole->error);
    }
    if (!good) {
        SW_FREE(input, 1);
        SW_FREE(reading, 1);
        return NULL;
    }
    reading->input = input;
    reading->whole = whole;
    sw_scan_open(&reading->scan, input);
    whole->beside.items[whole->beside.count++] = reading;
    return reading;
}

/* beside(name): the file of that name in the folder of the input, as an input; nil: it cannot be opened. */
static int beside(lua_State *lua) {
    struct sw_reading *reading = sw_reading_of(lua), *whole = reading->whole ? reading->whole : reading;
    const char *name = luaL_checkstring(lua, 2), *path = whole->input->name;
    luaL_argcheck(lua, *name && !strchr(name, '/'), 2, "a file beside the input has a name without a slash");
    lua_pushlstring(lua, path, (size_t)(sw_path_name(path) - path));
    lua_pushvalue(lua, 2);
    lua_concat(lua, 2);
    struct sw_reading *other = open_beside(whole, lua_tostring(lua, -1));
    if (!other) {
        return whole->error.code == SW_ERROR_MEMORY ? sw_reading_raise(lua, whole) : 0;
    }
    if (whole->load && whole->load->uses) {
        whole->load->uses(whole->load->uses_context, lua_tostring(lua, -1));
    }
    struct sw_script_limits more = sw_reading_limits(other->input);
    sw_script_extend(lua, &more);
    sw_reading_push_input(lua, other);
    return 1;
}

/* ---- HLO ---- */

/* shape_size(): all bytes of the shape at the cursor, which moves behind it; nil: it is none. */
static int shape_size(lua_State *lua) {
    struct sw_scan *scan = &sw_reading_of(lua)->scan;
    struct sw_error why = {0};
    uint64_t bytes = 0;
    const char *from = scan->at;
    bool good = hlo_shape_size(&scan->at, scan->end, &bytes, &why);
    sw_script_charge(lua, 20 + (uint64_t)(scan->at - from));
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
    struct sw_reading *reading = sw_reading_of(lua);
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

const struct luaL_Reg sw_reading_beside[] = {
    {"beside", beside}, {"shape_size", shape_size}, {"live_ranges", live_ranges}, {NULL, NULL}};
