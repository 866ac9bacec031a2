/* Files that lie beside the input. */
#include "lua/readers/reader_reading.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

void sw_reading_close_beside(struct sw_lua_reading *reading) {
    struct sw_input input = *reading->input;
    SW_FREE((struct sw_input *)(uintptr_t)reading->input, 1);
    sw_json_close(&reading->json);
    sw_csv_close(&reading->csv);
    sw_sink_done(&reading->text);
    sw_input_close(&input);
    SW_FREE(reading, 1);
}

/* Is there no file of that path? A name may be too long for one. */
static bool is_absent(const char *path) {
    struct stat about;
    return stat(path, &about) != 0 && (errno == ENOENT || errno == ENAMETOOLONG);
}

/* Open it, and keep it with the run. NULL: there is none, or an error is set. */
static struct sw_lua_reading *open_reading_beside(struct sw_lua_reading *whole, const char *path) {
    struct sw_lua_reading *reading = SW_NEW_ZERO(struct sw_lua_reading, 1);
    struct sw_input *input = SW_NEW_ZERO(struct sw_input, 1), opened;
    struct sw_error why = {0};
    if (!reading || !input || !SW_RESERVE(&whole->beside, whole->beside.count + 1)) {
        sw_fail_memory(&whole->error);
    } else if (!sw_input_open(path, &opened, &why)) {
        if (why.code != SW_ERROR_IO || !is_absent(path)) {
            whole->error = why;
        }
    } else {
        bool good = sw_input_keep(&opened, input, &whole->error); /* with a name of its own */
        sw_input_close(&opened);
        if (good) {
            reading->input = input;
            reading->whole = whole;
            sw_scan_open(&reading->scan, input);
            whole->beside.items[whole->beside.count++] = reading;
            return reading;
        }
    }
    SW_FREE(input, 1);
    SW_FREE(reading, 1);
    return NULL;
}

/* What was opened before under that path; NULL: nothing. */
static struct sw_lua_reading *find_beside(struct sw_lua_reading *whole, const char *path) {
    for (size_t i = 0; i < whole->beside.count; i++) {
        if (strcmp(whole->beside.items[i]->input->name, path) == 0) {
            return whole->beside.items[i];
        }
    }
    return NULL;
}

/* beside(name): the file of that name in the folder of the input, as an input, of which there is one however often it
 * is asked for; nil: there is none. */
static int read_beside(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua), *whole = reading->whole ? reading->whole : reading;
    const char *name = luaL_checkstring(lua, 2), *path = whole->input->name;
    bool good = *name && !strchr(name, '/') && strcmp(name, "-") != 0; /* that would be standard input */
    luaL_argcheck(lua, good, 2, "a file beside the input has a name without a slash");
    lua_pushlstring(lua, path, (size_t)(sw_path_name(path) - path));
    lua_pushvalue(lua, 2);
    lua_concat(lua, 2);
    path = lua_tostring(lua, -1);
    sw_script_charge(lua, 2000 + whole->beside.count); /* its table of methods is made anew */
    struct sw_lua_reading *other = find_beside(whole, path);
    if (!other) {
        other = open_reading_beside(whole, path);
        if (!other) {
            return whole->error.code ? sw_reading_raise(lua, whole) : 0;
        }
        if (whole->load && whole->load->uses) {
            whole->load->uses(whole->load->uses_context, path);
        }
        struct sw_script_limits more = sw_reading_limits(other->input);
        sw_script_extend(lua, &more);
    }
    sw_reading_push_input(lua, other);
    return 1;
}

const struct luaL_Reg sw_reading_beside[] = {{"beside", read_beside}, {NULL, NULL}};
