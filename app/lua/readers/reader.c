#include "lua/readers/reader.h"
#include "base/base.h"
#include "lua/experiments/api.h"

#include "data.h"
#include "formats/known_by.h"
#include "lua/readers/reader_reading.h"
#include "planners/planner.h"

/* A reader that the user named. */
struct own_reader {
    struct sw_format format;
    struct sw_known_by words;
    SW_ARRAY(const char *) lists[4]; /* of `words`, each with its NULL */
};
static SW_ARRAY(struct own_reader *) all_own;

static const char table_key; /* its address names in the registry what stowage.reader was given */

/* ---- what a file says of itself ---- */

static int keep_table(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &table_key) != LUA_TNIL) {
        return luaL_error(lua, "stowage.reader is called twice: a file is one reader");
    }
    if (lua_getfield(lua, 1, "read") != LUA_TFUNCTION) {
        return luaL_error(lua, "a reader needs a function 'read'");
    }
    lua_settop(lua, 1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &table_key);
    return 0;
}

/* fail(at, format, ...) ends the reading with a message at a place; note(format, ...) is a note on what was read. */
static int reader_fail(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_position at = sw_reading_place(lua, 1, reading);
    return sw_reading_fail(lua, reading, at, sw_reading_formatted(lua, 2));
}

static int note(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    const char *text = sw_reading_formatted(lua, 1);
    if (reading->log.out) {
        sw_log_note(&reading->log, text);
        return 0;
    }
    return sw_builder_note(reading->builder, text, &reading->error) ? 0 : sw_reading_raise(lua, reading);
}

/* count(n): a number of bytes with commas between thousands, as notes have it. */
static int reader_count(lua_State *lua) {
    lua_pushstring(lua, SW_COUNT((uint64_t)luaL_checkinteger(lua, 1)));
    return 1;
}

/* quote(name): a name of the input as messages show it: cut where it is long. */
static int quote(lua_State *lua) {
    const char *name = luaL_checkstring(lua, 1);
    lua_pushstring(lua, sw_quote(name, strlen(name)).text);
    return 1;
}

/* cut(text, most): its beginning of at most so many bytes, with no character cut in two. */
static int cut(lua_State *lua) {
    size_t length;
    const char *text = luaL_checklstring(lua, 1, &length);
    lua_Integer most = luaL_checkinteger(lua, 2);
    luaL_argcheck(lua, most >= 0, 2, "a number of bytes");
    lua_pushlstring(lua, text, sw_utf8_cut(text, length, (size_t)most));
    return 1;
}

/* instead(name): once this reader has returned, another one reads the input, and nothing of this one counts. */
static int read_instead(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    const char *name = luaL_checkstring(lua, 1);
    for (size_t i = 0; i < sw_format_count() && !reading->instead; i++) {
        const struct sw_format *format = sw_format_get(i);
        reading->instead = sw_format_reads(format) && strcmp(format->name, name) == 0 ? format : NULL;
    }
    return reading->instead && reading->instead != reading->format && !reading->log.out
               ? 0
               : luaL_error(lua, "there is no other reader '%s'", name);
}

/* The function that `unique` gives: a name, or with a number behind it where it was given before. */
static int unique_name(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_unique *unique = &reading->unique.items[lua_tointeger(lua, lua_upvalueindex(2))];
    size_t length;
    const char *name = luaL_checklstring(lua, 1, &length), *made = name;
    lua_settop(lua, 1);
    sw_script_charge(lua, 10 + length / 8);
    while (length == 0 || sw_names_find(&unique->taken, made, length) != SW_NONE) {
        lua_settop(lua, 1);
        made = lua_pushfstring(lua, "%s#%I", name, (lua_Integer)++unique->next + 1);
        length = strlen(made);
        sw_script_charge(lua, 10);
    }
    const char *kept = sw_arena_string(&reading->texts, made, length);
    return kept && sw_names_set(&unique->taken, kept, length, 0) ? 1 : sw_script_no_memory(lua);
}

/* unique(): names that must be unique although a file repeats them: the second "x" is "x#2". */
static int unique_names(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    if (!SW_PUSH(&reading->unique, (struct sw_unique){0})) {
        return sw_script_no_memory(lua);
    }
    lua_pushlightuserdata(lua, reading);
    lua_pushinteger(lua, (lua_Integer)reading->unique.count - 1);
    lua_pushcclosure(lua, unique_name, 2);
    return 1;
}

/* The globals of a reader. */
static int prepare(lua_State *lua) {
    struct sw_lua_reading *reading = lua_touserdata(lua, 1);
    struct sw_script *script = sw_script_of(lua);
    static const struct luaL_Reg globals[] = {{"fail", reader_fail},    {"note", note}, {"count", reader_count},
                                              {"quote", quote},         {"cut", cut},   {"unique", unique_names},
                                              {"instead", read_instead}};
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        lua_pushlightuserdata(lua, reading);
        lua_pushcclosure(lua, globals[i].func, 1);
        sw_script_global(script, globals[i].name);
    }
    lua_createtable(lua, 0, 3);
    sw_lua_set_function(lua, "reader", keep_table);
    sw_lua_set_count(lua, "most_tiers", SW_MAX_TIERS);
    sw_lua_set_count(lua, "most_bytes", SW_MAX_BYTES);
    sw_script_global(script, "stowage");
    return 0;
}

/* ---- running ---- */

/* What stowage.reader was given: its place on the stack. */
static int push_reader_table(lua_State *lua) {
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &table_key) == LUA_TNIL) {
        luaL_error(lua, "the file calls no stowage.reader");
    }
    return lua_gettop(lua);
}

static int call_reader(lua_State *lua) {
    struct sw_lua_reading *reading = lua_touserdata(lua, 1);
    int table = push_reader_table(lua);
    const char *gives = sw_reading_text(lua, table, "gives", NULL);
    reading->any_bytes = sw_lua_truth(lua, table, "any_bytes");
    lua_getfield(lua, table, "read");
    sw_reading_push_input(lua, reading);
    if (reading->log.out) {
        sw_reading_push_trace(lua, reading);
    } else if (gives && strcmp(gives, "requests") == 0) {
        const char *allocator = sw_reading_text(lua, table, "allocator", NULL);
        const struct sw_planner *planner = sw_planner_find(allocator ? allocator : "free-list", &reading->error);
        if (!planner) {
            return luaL_error(lua, "'allocator': %s", reading->error.message);
        }
        reading->has_list = sw_request_list_begin(&reading->list, planner->name, &reading->error);
        sw_script_check_memory(lua, reading->has_list);
        sw_reading_push_requests(lua, reading);
    } else if (gives && strcmp(gives, "moment") == 0) {
        sw_reading_push_moment(lua, reading);
    } else {
        sw_reading_push_problem(lua, reading);
    }
    lua_call(lua, 2, 0);
    return 0;
}

/* What is left to do when the script has told all. */
static bool finish_reading(struct sw_lua_reading *reading) {
    if (reading->has_list) {
        return sw_request_list_build(&reading->list, reading->builder, &reading->error);
    }
    if (reading->moment) {
        return sw_reading_build_moment(reading);
    }
    if (reading->log.out) {
        sw_reading_end_trace(reading);
        return true;
    }
    return reading->placed.rows.count == 0 ||
           sw_placed_build(&reading->placed, reading->alias, reading->builder, &reading->error);
}

static void close_reading(struct sw_lua_reading *reading) {
    for (size_t i = 0; i < reading->beside.count; i++) {
        sw_reading_close_beside(reading->beside.items[i]);
    }
    SW_ARRAY_DONE(&reading->beside);
    for (size_t i = 0; i < reading->unique.count; i++) {
        sw_unique_done(&reading->unique.items[i]);
    }
    SW_ARRAY_DONE(&reading->unique);
    sw_arena_done(&reading->texts);
    sw_json_close(&reading->json);
    sw_csv_close(&reading->csv);
    sw_sink_done(&reading->text);
    sw_placed_done(&reading->placed);
    if (reading->has_list) {
        sw_request_list_done(&reading->list);
    }
    sw_moment_unref(reading->moment);
    SW_ARRAY_DONE(&reading->names, &reading->pieces, &reading->accesses);
}

/* The path of a script that ships, or of a user's own, which has a slash or was found where it is. */
static bool script_path(const struct sw_format *format, char *path, size_t size, struct sw_error *error) {
    char relative[256];
    if (sw_path_is_lua(format->script)) {
        return (size_t)snprintf(path, size, "%s", format->script) < size ||
               sw_fail(error, SW_ERROR_USAGE, "the path is too long");
    }
    snprintf(relative, sizeof relative, "scripts/readers/%s.lua", format->script);
    return sw_data_path(relative, path, size, error);
}

static struct sw_script_options options_for(const struct sw_input *input, const struct sw_load_options *load) {
    struct sw_script_limits more = sw_reading_limits(input);
    struct sw_script_options options = {.limits = sw_script_once,
                                        .seed = 1,
                                        .trusted = load && load->trust,
                                        .print = load ? load->print : NULL,
                                        .context = load ? load->print_context : NULL};
    options.limits.memory += more.memory;
    options.limits.instructions += more.instructions;
    options.limits.seconds += more.seconds;
    return options;
}

/* What a user's own reader is of changes what is read. */
static void tell_files(const struct sw_format *format, const struct sw_script *script,
                       const struct sw_load_options *load) {
    bool own = script && strchr(format->script, '.');
    for (size_t i = 0; own && load && load->uses && i < sw_script_file_count(script); i++) {
        load->uses(load->uses_context, sw_script_file(script, i));
    }
    if (own && load && load->others) {
        *load->others = sw_fold(*load->others, sw_script_digest(script));
    }
}

bool sw_lua_reader_run(const struct sw_format *format, const struct sw_input *input, const struct sw_load_options *load,
                       struct sw_builder *builder, struct sw_sink *sink, struct sw_error *error) {
    char path[4096];
    struct sw_error own = {0};
    struct sw_script_options options = options_for(input, load);
    struct sw_lua_reading reading = {.format = format,
                                     .input = input,
                                     .load = load,
                                     .builder = builder,
                                     .log = {.out = sink, .planner = format->name}};
    sw_scan_open(&reading.scan, input);
    struct sw_script *script =
        script_path(format, path, sizeof path, &own) ? sw_script_open(path, &options, &own) : NULL;
    bool good = script && sw_script_protect(script, prepare, &reading, &own) && sw_script_run(script, 0, 0, &own) &&
                sw_script_protect(script, call_reader, &reading, &own) && !reading.failed;
    good = good && (reading.instead || finish_reading(&reading));
    if (!good && reading.has_list && reading.error.line == 0) {
        reading.error.line = reading.scan.line; /* of the last event */
    }
    good = !sink || sw_log_done(&reading.log, good, &own) ? good : false;
    tell_files(format, script, load);
    sw_script_close(script);
    close_reading(&reading);
    if (good && reading.instead) {
        return sw_format_read(reading.instead, input, load, builder, error);
    }
    if (!good && error) {
        *error = own.code == SW_ERROR_MEMORY || (own.code != SW_OK && !reading.failed) ? own : reading.error;
    }
    return good;
}

/* ---- a user's own ---- */

/* A list of words, or one. */
static const char *const *read_words(lua_State *lua, int table, const char *name, struct own_reader *own, int at) {
    int type = lua_getfield(lua, table, name);
    lua_Integer count = type == LUA_TTABLE ? luaL_len(lua, -1) : type != LUA_TNIL;
    for (lua_Integer i = 1; i <= count; i++) {
        if (type == LUA_TTABLE) {
            lua_geti(lua, -1, i);
        }
        if (lua_type(lua, -1) != LUA_TSTRING || lua_rawlen(lua, -1) == 0) {
            luaL_error(lua, "a reader's '%s' must be a text, or a list of texts, none of them empty", name);
        }
        sw_script_check_memory(lua, SW_PUSH(&own->lists[at], sw_lua_kept(lua, lua_tostring(lua, -1))));
        if (type == LUA_TTABLE) {
            lua_pop(lua, 1);
        }
    }
    lua_pop(lua, 1);
    sw_script_check_memory(lua, count == 0 || SW_PUSH(&own->lists[at], NULL));
    return count > 0 ? own->lists[at].items : NULL;
}

static int read_reader_table(lua_State *lua) {
    static const char *const gives[] = {"plan", "graph", "requests", "moment", "trace"};
    static const char *const fields[] = {"name", "summary",   "extensions", "gives", "begins", "has",   "members",
                                         "read", "any_bytes", "allocator",  "looks", "near",   "paste", NULL};
    struct own_reader *own = lua_touserdata(lua, 1);
    int table = push_reader_table(lua);
    sw_lua_check_keys(lua, table, fields, "stowage.reader");
    const char *name = sw_reading_text(lua, table, "name", NULL),
               *summary = sw_reading_text(lua, table, "summary", NULL);
    const char *extensions = sw_reading_text(lua, table, "extensions", NULL),
               *kind = sw_reading_text(lua, table, "gives", NULL);
    if (!name || !*name) {
        return luaL_error(lua, "a reader needs a 'name'");
    }
    unsigned found = 0;
    while (found < 5 && (!kind || strcmp(kind, gives[found]) != 0)) {
        found++;
    }
    if (found == 5) {
        return luaL_error(lua, "a reader's 'gives' must be \"plan\", \"graph\", \"requests\", \"moment\" or \"trace\"");
    }
    own->format.name = sw_lua_kept(lua, name);
    own->format.summary = sw_lua_kept(lua, summary ? summary : "");
    own->format.extensions = sw_lua_kept(lua, extensions ? extensions : "");
    own->format.rewrites = found == 4;
    own->format.locate = found == 4 ? sw_log_locate : NULL;
    own->words.begins = read_words(lua, table, "begins", own, 0);
    own->words.has = read_words(lua, table, "has", own, 1);
    own->words.members = read_words(lua, table, "members", own, 2);
    own->words.near = read_words(lua, table, "near", own, 3);
    const char *looks = sw_reading_text(lua, table, "looks", NULL), *paste = sw_reading_text(lua, table, "paste", NULL);
    own->words.looks = looks ? sw_lua_kept(lua, looks) : NULL;
    own->words.paste = paste ? sw_lua_kept(lua, paste) : NULL;
    if (own->words.near && !own->words.looks) {
        return luaL_error(lua, "a reader with 'near' needs 'looks': what a text with these words looks like");
    }
    if (!own->words.begins && !own->words.has && !own->words.members) {
        return luaL_error(lua, "a reader needs 'begins', 'has' or 'members': the words that its input is known by");
    }
    return 0;
}

static void free_own(struct own_reader *own) {
    for (int i = 0; own && i < 4; i++) {
        SW_ARRAY_DONE(&own->lists[i]);
    }
    SW_FREE(own, 1);
}

void sw_lua_readers_done(void) {
    sw_format_add(NULL);
    for (size_t i = 0; i < all_own.count; i++) {
        free_own(all_own.items[i]);
    }
    SW_ARRAY_DONE(&all_own);
}

bool sw_lua_reader_add(const char *path, struct sw_error *error) {
    if (!sw_path_is_lua(path)) {
        return sw_fail(error, SW_ERROR_USAGE, "a reader is a file of Lua with a name that ends in .lua: %s", path);
    }
    struct own_reader *own = SW_NEW_ZERO(struct own_reader, 1);
    struct sw_lua_reading reading = {.format = NULL};
    struct sw_script_options options = options_for(NULL, NULL);
    struct sw_script *script = own ? sw_script_open(path, &options, error) : NULL;
    bool good = script ? sw_script_protect(script, prepare, &reading, error) && sw_script_run(script, 0, 0, error) &&
                             sw_script_protect(script, read_reader_table, own, error)
                       : own != NULL || sw_fail_memory(error);
    good = good && script;
    sw_script_close(script);
    if (good) {
        own->format.script = sw_lua_intern(path);
        own->format.run = sw_lua_reader_run;
        own->format.words = &own->words;
        good = (own->format.script && SW_RESERVE(&all_own, all_own.count + 1) && sw_format_add(&own->format)) ||
               sw_fail_memory(error);
    }
    if (good) {
        all_own.items[all_own.count++] = own;
    } else {
        free_own(own);
    }
    return good;
}

const char *sw_lua_reader_file(size_t i) {
    return i < all_own.count ? all_own.items[i]->format.script : NULL;
}

bool sw_lua_reader_require(const char *path, struct sw_error *error) {
    bool known = false;
    for (size_t i = 0; i < all_own.count; i++) {
        known = known || strcmp(all_own.items[i]->format.script, path) == 0;
    }
    return known || sw_lua_reader_add(path, error);
}
