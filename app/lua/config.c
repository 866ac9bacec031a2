#include "lua/config.h"
#include "base/base.h"
#include "data.h"
#include "lua/sandbox/script.h"
#include "lua/table_lines.h"

#include <unistd.h>

enum { MOST_CONFIG_BYTES = 256 * 1024, MOST_BINDINGS = 1000 };

void sw_config_done(struct sw_config *config) {
    SW_ARRAY_DONE(&config->keys);
}

bool sw_config_path(char *path, size_t size) {
    return sw_home_path(NULL, "XDG_CONFIG_HOME", ".config", "stowage/config.lua", path, size) &&
           access(path, F_OK) == 0;
}

/* ---- reading the table ---- */

struct config_reader {
    struct sw_config *config;
    const char *text;
    size_t length;
    struct sw_error *error;
    bool good;
};

/* The line where a name is given a value: in the table `among` when that is not NULL. */
static uint32_t setting_line(const struct config_reader *reader, const char *among, const char *name) {
    const struct sw_table_place place = {.names = {among ? among : name, name}, .count = among ? 2 : 1};
    return sw_table_line(reader->text, reader->length, &place);
}

static bool fail_setting(struct config_reader *reader, const char *among, const char *name, const char *what) {
    sw_fail(reader->error, SW_ERROR_INPUT, "%s%s%s%s%s", among ? among : "", among ? "[\"" : "", name,
            among   ? "\"]: "
            : *name ? ": "
                    : "",
            what);
    sw_error_at(reader->error, reader->config->path, setting_line(reader, among, name), 0);
    return reader->good = false;
}

/* The string at the top; NULL when it is none that fits. */
static const char *string_at(lua_State *lua, int index, size_t size) {
    size_t length = 0;
    const char *text = lua_type(lua, index) == LUA_TSTRING ? lua_tolstring(lua, index, &length) : NULL;
    bool good = text && length > 0 && length < size && strlen(text) == length;
    for (size_t i = 0; good && i < length; i++) {
        good = (unsigned char)text[i] >= 32 && text[i] != 127;
    }
    return good ? text : NULL;
}

/* A path is looked for beside the config. False: it is too long. */
static bool put_path(const struct sw_config *config, const char *text, bool is_path, char *to, size_t room) {
    const char *slash = strrchr(config->path, '/');
    int folder = is_path && *text != '/' && slash ? (int)(slash - config->path) + 1 : 0;
    return (size_t)snprintf(to, room, "%.*s%s", folder, config->path, text) < room;
}

static bool read_theme_setting(struct config_reader *reader, lua_State *lua) {
    struct sw_config *config = reader->config;
    const char *text = string_at(lua, -1, sizeof config->theme);
    if (!text) {
        return fail_setting(reader, NULL, "theme", "must be a name, or a file ending in .lua");
    }
    if (!put_path(config, text, strchr(text, '/') || sw_path_is_lua(text), config->theme, sizeof config->theme)) {
        return fail_setting(reader, NULL, "theme", "the path is too long");
    }
    config->theme_line = setting_line(reader, NULL, "theme");
    return true;
}

/* readers = {"tracer.lua", "/opt/ours/plan.lua"} */
static bool read_readers(struct config_reader *reader, lua_State *lua) {
    struct sw_config *config = reader->config;
    size_t used = 0, room = sizeof config->readers;
    lua_Integer count = lua_istable(lua, -1) ? (lua_Integer)lua_rawlen(lua, -1) : 0;
    config->readers_line = setting_line(reader, NULL, "readers");
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(lua, -1, i);
        const char *text = string_at(lua, -1, room);
        if (!text || !sw_path_is_lua(text)) {
            return fail_setting(reader, NULL, "readers", "must be a list of files ending in .lua");
        }
        if (!put_path(config, text, true, config->readers + used, room - 1 - used)) {
            return fail_setting(reader, NULL, "readers", "the paths are too long");
        }
        used += strlen(config->readers + used) + 1;
        lua_pop(lua, 1);
    }
    return lua_istable(lua, -1) || fail_setting(reader, NULL, "readers", "must be a list of files ending in .lua");
}

static bool read_pane(struct config_reader *reader, lua_State *lua) {
    struct sw_config *config = reader->config;
    const char *text = string_at(lua, -1, sizeof config->pane);
    if (!text) {
        return fail_setting(reader, NULL, "pane", "must be the name of a pane");
    }
    snprintf(config->pane, sizeof config->pane, "%s", text);
    config->pane_line = setting_line(reader, NULL, "pane");
    return true;
}

static bool read_map_mode(struct config_reader *reader, lua_State *lua) {
    struct sw_config *config = reader->config;
    const char *text = string_at(lua, -1, sizeof config->map);
    if (!text) {
        return fail_setting(reader, NULL, "map", "must be pixels, symbols, cells or auto, as a text");
    }
    snprintf(config->map, sizeof config->map, "%s", text);
    config->map_line = setting_line(reader, NULL, "map");
    return true;
}

static bool read_key_setting(struct config_reader *reader, lua_State *lua) {
    struct sw_config_key key = {.unbind = false};
    const char *name = string_at(lua, -2, sizeof key.key);
    if (!name) {
        return fail_setting(reader, NULL, "keys", "an entry is not the name of a key");
    }
    snprintf(key.key, sizeof key.key, "%s", name);
    key.at = setting_line(reader, "keys", name);
    const char *line = string_at(lua, -1, sizeof key.line);
    key.unbind = lua_isboolean(lua, -1) && !lua_toboolean(lua, -1);
    if (!line && !key.unbind) {
        return fail_setting(reader, "keys", name, "must be a command of at most 255 bytes, or false for none");
    }
    snprintf(key.line, sizeof key.line, "%s", line ? line : "");
    if (reader->config->keys.count == MOST_BINDINGS) {
        return fail_setting(reader, NULL, "keys", "there are too many");
    }
    if (!SW_PUSH(&reader->config->keys, key)) {
        return reader->good = sw_fail_memory(reader->error);
    }
    return true;
}

/* In the order of the file, so that what is wrong first is said first. */
static int by_line(const void *a, const void *b) {
    const struct sw_config_key *x = a, *y = b;
    int order = (x->at > y->at) - (x->at < y->at);
    return order ? order : strcmp(x->key, y->key);
}

static bool read_keys(struct config_reader *reader, lua_State *lua) {
    char twice[64];
    if (!lua_istable(lua, -1)) {
        return fail_setting(reader, NULL, "keys", "must be a table: { [\"Ctrl-N\"] = \"step 10\" }");
    }
    uint32_t line = sw_table_twice(reader->text, reader->length, "keys", twice);
    if (line) {
        fail_setting(reader, "keys", twice, "the key is bound twice");
        sw_error_at(reader->error, NULL, line, 0);
        return false;
    }
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        if (!read_key_setting(reader, lua)) {
            return false;
        }
        lua_pop(lua, 1);
    }
    struct sw_config *config = reader->config;
    if (config->keys.count > 1) {
        qsort(config->keys.items, config->keys.count, sizeof *config->keys.items, by_line);
    }
    return true;
}

static const struct {
    const char *name;
    size_t offset;
} switches[] = {{"ascii", offsetof(struct sw_config, ascii)},
                {"mouse", offsetof(struct sw_config, mouse)},
                {"ghosts", offsetof(struct sw_config, ghosts)},
                {"raw_time", offsetof(struct sw_config, raw_time)}};
enum { SWITCHES = sizeof switches / sizeof *switches };

static bool read_config_setting(struct config_reader *reader, lua_State *lua, const char *name) {
    for (size_t i = 0; i < SWITCHES; i++) {
        if (strcmp(switches[i].name, name) == 0) {
            enum sw_said *said = (enum sw_said *)(void *)((char *)reader->config + switches[i].offset);
            *said = lua_toboolean(lua, -1) ? SW_YES : SW_NO;
            return lua_isboolean(lua, -1) || fail_setting(reader, NULL, name, "must be true or false");
        }
    }
    return strcmp(name, "theme") == 0     ? read_theme_setting(reader, lua)
           : strcmp(name, "pane") == 0    ? read_pane(reader, lua)
           : strcmp(name, "map") == 0     ? read_map_mode(reader, lua)
           : strcmp(name, "readers") == 0 ? read_readers(reader, lua)
           : strcmp(name, "keys") == 0
               ? read_keys(reader, lua)
               : fail_setting(reader, NULL, name,
                              "unknown; there are: theme, ascii, mouse, map, pane, ghosts, raw_time, keys, readers");
}

static int read_config_table(lua_State *lua) {
    struct config_reader *reader = lua_touserdata(lua, 1);
    reader->good = true;
    if (!lua_istable(lua, -1)) {
        fail_setting(reader, NULL, "", "a config returns one table");
        return 0;
    }
    /* What is wrong in several places is said of the first name, whatever order Lua has them in. */
    const char *wrong = NULL;
    struct sw_error first = {0}, *error = reader->error;
    bool good = true;
    reader->error = &first;
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        int top = lua_gettop(lua);
        const char *name = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : "";
        if (!*name) {
            fail_setting(reader, NULL, "", "an entry has no name");
        }
        if ((!*name || !read_config_setting(reader, lua, name)) && (!wrong || strcmp(name, wrong) < 0)) {
            wrong = name; /* the table keeps it */
            *error = first;
        }
        good = good && !wrong;
        lua_settop(lua, top - 1);
    }
    reader->good = good;
    return 0;
}

/* ---- the file ---- */

bool sw_config_read_text(const char *path, const char *text, size_t length, struct sw_config *config,
                         struct sw_error *error) {
    struct sw_error own;
    struct config_reader reader = {.config = config, .text = text, .length = length, .error = error ? error : &own};
    const struct sw_script_options options = {
        .limits = {.memory = (size_t)8 << 20, .instructions = 2000000, .seconds = 5}, .seed = 1};
    if (strlen(path) >= sizeof config->path || length > MOST_CONFIG_BYTES) {
        return sw_fail(error, SW_ERROR_INPUT, "%s: the config is too long", path);
    }
    snprintf(config->path, sizeof config->path, "%s", path);
    struct sw_script *script = sw_script_open_text(path, text, length, &options, reader.error);
    bool done = script && sw_script_take(script, read_config_table, &reader, reader.error);
    sw_script_close(script);
    if (!done || !reader.good) {
        sw_config_done(config);
    }
    return done && reader.good;
}

bool sw_config_read(const char *path, struct sw_config *config, struct sw_error *error) {
    struct sw_input input = {0};
    bool done =
        sw_input_open(path, &input, error) && sw_config_read_text(path, input.bytes, input.length, config, error);
    sw_input_close(&input);
    return done;
}
