#include "lua/config.h"
#include "base/base.h"
#include "data.h"
#include "lua/sandbox/script.h"

#include <ctype.h>
#include <unistd.h>

enum { MOST_BYTES = 256 * 1024, MOST_KEYS = 1000 };

void sw_config_done(struct sw_config *config) {
    SW_ARRAY_DONE(&config->keys);
}

bool sw_config_path(char *path, size_t size) {
    return sw_home_path(NULL, "XDG_CONFIG_HOME", ".config", "stowage/config.lua", path, size) &&
           access(path, F_OK) == 0;
}

/* ---- where in the source an entry stands ---- */

/* Lua keeps neither the lines of a table nor that a name stood in it twice, so the text is looked
 * at: entries `name =` and `["name"] =`. A table that is computed is only found in part. */
struct scan {
    const char *at, *end;
    uint32_t line;
    unsigned depth; /* of braces */
};
struct entry {
    char name[64];
    uint32_t line;
    unsigned depth;
};

/* [[ ... ]] with any number of equal signs; false when there is none here. */
static bool skip_long(struct scan *scan) {
    const char *at = scan->at + 1;
    size_t level = 0, matched = 0;
    if (scan->at >= scan->end || *scan->at != '[') {
        return false;
    }
    while (at < scan->end && *at == '=') {
        at++;
        level++;
    }
    if (at >= scan->end || *at != '[') {
        return false;
    }
    bool closing = false;
    for (at++; at < scan->end; at++) {
        scan->line += *at == '\n';
        if (*at == ']' && closing && matched == level) {
            at++;
            break;
        }
        closing = *at == ']' || (closing && *at == '=');
        matched = *at == ']' ? 0 : matched + 1;
    }
    scan->at = at;
    return true;
}

/* A string in quotes, into `text` when it fits and has no escapes but \\ and \". */
static bool take_string(struct scan *scan, char text[64]) {
    char quote = *scan->at++;
    size_t used = 0;
    bool plain = true;
    for (; scan->at < scan->end && *scan->at != quote; scan->at++) {
        if (*scan->at == '\\' && scan->at + 1 < scan->end) {
            scan->at++;
            plain = plain && (*scan->at == '\\' || *scan->at == '"' || *scan->at == '\'');
        }
        scan->line += *scan->at == '\n';
        plain = plain && used + 1 < 64;
        if (plain) {
            text[used++] = *scan->at;
        }
    }
    scan->at += scan->at < scan->end;
    text[plain ? used : 0] = '\0';
    return plain;
}

static void skip_blank(struct scan *scan) {
    while (scan->at < scan->end && isspace((unsigned char)*scan->at)) {
        scan->line += *scan->at++ == '\n';
    }
}

static bool take(struct scan *scan, char c) {
    skip_blank(scan);
    if (scan->at < scan->end && *scan->at == c) {
        scan->at++;
        return true;
    }
    return false;
}

/* `=` but not `==`. */
static bool take_equals(struct scan *scan) {
    return take(scan, '=') && !(scan->at < scan->end && *scan->at == '=');
}

static bool take_word(struct scan *scan, char text[64]) {
    size_t used = 0;
    while (scan->at < scan->end && (isalnum((unsigned char)*scan->at) || *scan->at == '_')) {
        if (used + 1 < 64) {
            text[used++] = *scan->at;
        }
        scan->at++;
    }
    text[used] = '\0';
    return used > 0;
}

static void skip_comment(struct scan *scan) {
    scan->at += 2;
    if (!skip_long(scan)) {
        while (scan->at < scan->end && *scan->at != '\n') {
            scan->at++;
        }
    }
}

static bool next_entry(struct scan *scan, struct entry *entry) {
    char skipped[64];
    while (skip_blank(scan), scan->at < scan->end) {
        char c = *scan->at;
        entry->line = scan->line;
        entry->depth = scan->depth;
        if (c == '-' && scan->end - scan->at > 1 && scan->at[1] == '-') {
            skip_comment(scan);
        } else if (c == '"' || c == '\'') {
            take_string(scan, skipped);
        } else if (c == '[' && skip_long(scan)) {
        } else if (c == '[') {
            scan->at++;
            skip_blank(scan);
            if (scan->at < scan->end && (*scan->at == '"' || *scan->at == '\'') && take_string(scan, entry->name) &&
                take(scan, ']') && take_equals(scan)) {
                return true;
            }
        } else if (take_word(scan, entry->name)) {
            if (take_equals(scan)) {
                return true;
            }
        } else {
            scan->depth += c == '{';
            scan->depth -= c == '}' && scan->depth > 0;
            scan->at++;
        }
    }
    return false;
}

struct source {
    const char *text;
    size_t length;
};

/* The line where a name is given a value: below `keys` when `among` is it. 1 when it is not found.
 */
static uint32_t line_of(const struct source *source, const char *among, const char *name) {
    struct scan scan = {.at = source->text, .end = source->text + source->length, .line = 1};
    struct entry entry;
    bool inside = among == NULL;
    uint32_t line = 1;
    while (next_entry(&scan, &entry)) {
        if (inside && strcmp(entry.name, name) == 0) {
            return entry.line;
        }
        if (among && strcmp(entry.name, among) == 0) {
            inside = true;
            line = entry.line;
        }
    }
    return line;
}

/* The first name that stands twice between the braces of `keys`. */
static bool find_twice(const struct source *source, struct entry *twice, struct sw_error *error) {
    struct scan scan = {.at = source->text, .end = source->text + source->length, .line = 1};
    SW_ARRAY(struct entry) seen = {0};
    struct entry entry;
    unsigned depth = 0;
    bool found = false, good = true;
    while (good && !found && next_entry(&scan, &entry)) {
        if (depth && entry.depth < depth) {
            break;
        }
        if (!depth && strcmp(entry.name, "keys") == 0) {
            depth = entry.depth + 1;
        } else if (depth && entry.depth == depth) {
            for (size_t i = 0; i < seen.count && !found; i++) {
                found = strcmp(seen.items[i].name, entry.name) == 0;
            }
            good = seen.count < MOST_KEYS && SW_PUSH(&seen, entry);
            *twice = entry;
        }
    }
    if (!good && seen.count < MOST_KEYS) {
        sw_fail_memory(error);
        *twice = (struct entry){.line = 0};
        found = true;
    }
    SW_ARRAY_DONE(&seen);
    return found;
}

/* ---- reading the table ---- */

struct reader {
    struct sw_config *config;
    const struct source *source;
    struct sw_error *error;
    bool good;
};

static bool fail_at(struct reader *reader, const char *among, const char *name, const char *what) {
    sw_fail(reader->error, SW_ERROR_INPUT, "%s%s%s%s%s", among ? among : "", among ? "[\"" : "", name,
            among   ? "\"]: "
            : *name ? ": "
                    : "",
            what);
    sw_error_at(reader->error, reader->config->path, line_of(reader->source, among, name), 0);
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

static bool is_lua(const char *text) {
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".lua") == 0;
}

/* A path is looked for beside the config. False: it is too long. */
static bool put_path(const struct sw_config *config, const char *text, bool is_path, char *to, size_t room) {
    const char *slash = strrchr(config->path, '/');
    int folder = is_path && *text != '/' && slash ? (int)(slash - config->path) + 1 : 0;
    return (size_t)snprintf(to, room, "%.*s%s", folder, config->path, text) < room;
}

static bool read_theme(struct reader *reader, lua_State *lua) {
    struct sw_config *config = reader->config;
    const char *text = string_at(lua, -1, sizeof config->theme);
    if (!text) {
        return fail_at(reader, NULL, "theme", "must be a name, or a file ending in .lua");
    }
    if (!put_path(config, text, strchr(text, '/') || is_lua(text), config->theme, sizeof config->theme)) {
        return fail_at(reader, NULL, "theme", "the path is too long");
    }
    config->theme_line = line_of(reader->source, NULL, "theme");
    return true;
}

/* readers = {"tracer.lua", "/opt/ours/plan.lua"} */
static bool read_readers(struct reader *reader, lua_State *lua) {
    struct sw_config *config = reader->config;
    size_t used = 0, room = sizeof config->readers;
    lua_Integer count = lua_istable(lua, -1) ? (lua_Integer)lua_rawlen(lua, -1) : 0;
    config->readers_line = line_of(reader->source, NULL, "readers");
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(lua, -1, i);
        const char *text = string_at(lua, -1, room);
        if (!text || !is_lua(text)) {
            return fail_at(reader, NULL, "readers", "must be a list of files ending in .lua");
        }
        if (!put_path(config, text, true, config->readers + used, room - 1 - used)) {
            return fail_at(reader, NULL, "readers", "the paths are too long");
        }
        used += strlen(config->readers + used) + 1;
        lua_pop(lua, 1);
    }
    return lua_istable(lua, -1) || fail_at(reader, NULL, "readers", "must be a list of files ending in .lua");
}

static bool read_pane(struct reader *reader, lua_State *lua) {
    struct sw_config *config = reader->config;
    const char *text = string_at(lua, -1, sizeof config->pane);
    if (!text) {
        return fail_at(reader, NULL, "pane", "must be the name of a pane");
    }
    snprintf(config->pane, sizeof config->pane, "%s", text);
    config->pane_line = line_of(reader->source, NULL, "pane");
    return true;
}

static bool read_key(struct reader *reader, lua_State *lua) {
    struct sw_config_key key = {.unbind = false};
    const char *name = string_at(lua, -2, sizeof key.key);
    if (!name) {
        return fail_at(reader, NULL, "keys", "an entry is not the name of a key");
    }
    snprintf(key.key, sizeof key.key, "%s", name);
    key.at = line_of(reader->source, "keys", name);
    const char *line = string_at(lua, -1, sizeof key.line);
    key.unbind = lua_isboolean(lua, -1) && !lua_toboolean(lua, -1);
    if (!line && !key.unbind) {
        return fail_at(reader, "keys", name, "must be a command of at most 255 bytes, or false for none");
    }
    snprintf(key.line, sizeof key.line, "%s", line ? line : "");
    if (reader->config->keys.count == MOST_KEYS) {
        return fail_at(reader, NULL, "keys", "there are too many");
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

static bool read_keys(struct reader *reader, lua_State *lua) {
    struct entry twice;
    if (!lua_istable(lua, -1)) {
        return fail_at(reader, NULL, "keys", "must be a table: { [\"Ctrl-N\"] = \"step 10\" }");
    }
    if (find_twice(reader->source, &twice, reader->error)) {
        if (twice.line) {
            fail_at(reader, "keys", twice.name, "the key is bound twice");
            sw_error_at(reader->error, NULL, twice.line, 0);
        }
        return reader->good = false;
    }
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        if (!read_key(reader, lua)) {
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

static bool read_setting(struct reader *reader, lua_State *lua, const char *name) {
    for (size_t i = 0; i < SWITCHES; i++) {
        if (strcmp(switches[i].name, name) == 0) {
            enum sw_said *said = (enum sw_said *)(void *)((char *)reader->config + switches[i].offset);
            *said = lua_toboolean(lua, -1) ? SW_YES : SW_NO;
            return lua_isboolean(lua, -1) || fail_at(reader, NULL, name, "must be true or false");
        }
    }
    return strcmp(name, "theme") == 0     ? read_theme(reader, lua)
           : strcmp(name, "pane") == 0    ? read_pane(reader, lua)
           : strcmp(name, "readers") == 0 ? read_readers(reader, lua)
           : strcmp(name, "keys") == 0
               ? read_keys(reader, lua)
               : fail_at(reader, NULL, name,
                         "unknown; there are: theme, ascii, mouse, pane, ghosts, raw_time, keys, readers");
}

static int read_table(lua_State *lua) {
    struct reader *reader = lua_touserdata(lua, 1);
    reader->good = true;
    if (!lua_istable(lua, -1)) {
        fail_at(reader, NULL, "", "a config returns one table");
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
            fail_at(reader, NULL, "", "an entry has no name");
        }
        if ((!*name || !read_setting(reader, lua, name)) && (!wrong || strcmp(name, wrong) < 0)) {
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
    const struct source source = {text, length};
    struct reader reader = {.config = config, .source = &source, .error = error ? error : &own, .good = false};
    const struct sw_script_options options = {
        .limits = {.memory = (size_t)8 << 20, .instructions = 2000000, .seconds = 5}, .seed = 1};
    if (strlen(path) >= sizeof config->path || length > MOST_BYTES) {
        return sw_fail(error, SW_ERROR_INPUT, "%s: the config is too long", path);
    }
    snprintf(config->path, sizeof config->path, "%s", path);
    struct sw_script *script = sw_script_open_text(path, text, length, &options, reader.error);
    bool done = script && sw_script_take(script, read_table, &reader, reader.error);
    sw_script_close(script);
    if (!done || !reader.good) {
        sw_config_done(config);
    }
    return done && reader.good;
}

bool sw_config_read(const char *path, struct sw_config *config, struct sw_error *error) {
    struct sw_input input = {0};
    if (!sw_input_open(path, &input, error)) {
        return false;
    }
    bool done = sw_config_read_text(path, input.bytes, input.length, config, error);
    sw_input_close(&input);
    return done;
}
