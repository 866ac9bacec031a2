/* Themes from Lua files.
 *
 * A theme is data that happens to be written in Lua, so it runs in a closed state: text chunks
 * only, an empty environment, no libraries, an allocator with a limit, and a limit on instructions:
 * once it is reached, its hook keeps raising. Then the table it returns is read; every name that
 * is unknown or missing and every value that is not what it should be is one error with file and
 * line. */
#include "data.h"
#include "base/base.h"
#include "formats/format.h"
#include "view/scene/theme.h"
#include "lua/theme_file.h"

#include <lauxlib.h>
#include <lua.h>

#include <ctype.h>

enum { MOST_BYTES = 64 * 1024, MOST_MEMORY = 4 * 1024 * 1024, MOST_INSTRUCTIONS = 1000000, HOOK_EVERY = 1000 };

struct loader {
    lua_State *lua;
    struct sw_input input;
    struct sw_theme theme;
    struct sw_error *error;
    size_t used; /* bytes of the state */
    long spent;  /* instructions */
    bool out_of_memory;
};

/* ---- the closed state ---- */

static void *limited_alloc(void *context, void *pointer, size_t old_size, size_t new_size) {
    struct loader *loader = context;
    size_t old = pointer ? old_size : 0; /* else it is the type of the object */
    if (new_size == 0) {
        sw_mem_free(pointer, old, 1);
        loader->used -= old;
        return NULL;
    }
    if (new_size > old && new_size - old > MOST_MEMORY - loader->used) {
        loader->out_of_memory = true;
        return NULL;
    }
    void *block = pointer ? sw_mem_resize(pointer, old, new_size, 1) : sw_mem_new(new_size, 1);
    if (block) {
        loader->used = loader->used - old + new_size;
    }
    if (!block && pointer && new_size <= old) {
        return pointer; /* Lua relies on it that a block can shrink */
    }
    return block;
}

/* Sticky: once over the limit it is called at every instruction and raises each time. */
static void count_hook(lua_State *lua, lua_Debug *debug) {
    (void)debug;
    void *context;
    lua_getallocf(lua, &context);
    struct loader *loader = context;
    loader->spent += HOOK_EVERY;
    if (loader->spent >= MOST_INSTRUCTIONS) {
        lua_sethook(lua, count_hook, LUA_MASKCOUNT, 1);
        luaL_error(lua, "the theme does not come to an end");
    }
}

/* ---- where in the source a name is set ---- */

/* The line on which the names are set one inside the other, as in `styles = { dim = { fg = `; with
 * the last ones not found, the line of the innermost that is. A theme that is computed gets the
 * nearest. */
struct scan {
    const char *at, *end;
    uint32_t line;
};

static void skip_string(struct scan *scan, char quote) {
    for (scan->at++; scan->at < scan->end && *scan->at != quote; scan->at++) {
        scan->line += *scan->at == '\n';
        if (*scan->at == '\\' && scan->at + 1 < scan->end) {
            scan->at++;
        }
    }
    scan->at += scan->at < scan->end;
}

/* [[ ... ]], also as --[[ ... ]]. */
static bool skip_long(struct scan *scan) {
    if (scan->end - scan->at < 2 || scan->at[0] != '[' || scan->at[1] != '[') {
        return false;
    }
    for (; scan->at < scan->end; scan->at++) {
        scan->line += *scan->at == '\n';
        if (scan->end - scan->at >= 2 && scan->at[0] == ']' && scan->at[1] == ']') {
            scan->at += 2;
            break;
        }
    }
    return true;
}

static void skip_comment(struct scan *scan) {
    scan->at += 2;
    if (!skip_long(scan)) {
        while (scan->at < scan->end && *scan->at != '\n') {
            scan->at++;
        }
    }
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The next word that is followed by '=', or '{' as the empty word; false at the end. */
static bool next_name(struct scan *scan, const char **name, size_t *length) {
    while (scan->at < scan->end) {
        char c = *scan->at;
        if (c == '\'' || c == '"') {
            skip_string(scan, c);
        } else if (c == '-' && scan->at + 1 < scan->end && scan->at[1] == '-') {
            skip_comment(scan);
        } else if (c == '{') {
            *name = scan->at++;
            *length = 0;
            return true;
        } else if (is_word(c)) {
            *name = scan->at;
            while (scan->at < scan->end && is_word(*scan->at)) {
                scan->at++;
            }
            *length = (size_t)(scan->at - *name);
            const char *after = scan->at;
            while (after < scan->end && (*after == ' ' || *after == '\t')) {
                after++;
            }
            if (after < scan->end && *after == '=' && !(after + 1 < scan->end && after[1] == '=')) {
                return true;
            }
        } else if (!skip_long(scan)) {
            scan->line += c == '\n';
            scan->at++;
        }
    }
    return false;
}

/* names[i] NULL: the braces number `index` (from 1) after what was found so far, for lists. */
static uint32_t line_of(const struct loader *loader, const char *const *names, size_t count, unsigned index) {
    struct scan scan = {.at = loader->input.bytes, .end = loader->input.bytes + loader->input.length, .line = 1};
    uint32_t line = 0;
    for (size_t i = 0; i < count; i++) {
        struct scan from = scan;
        const char *name;
        size_t length;
        unsigned braces = 0;
        bool found = false;
        while (!found && next_name(&scan, &name, &length)) {
            braces += length == 0;
            found = names[i] ? length == strlen(names[i]) && !memcmp(name, names[i], length)
                             : length == 0 && braces == index + 1;
        }
        if (!found) {
            scan = from;
            break;
        }
        line = scan.line;
    }
    return line ? line : 1;
}

/* ---- reading the table ---- */

/* Where we are: the names from the outside, for messages and lines. */
struct where {
    const char *names[3];
    size_t count;
    unsigned index; /* of a block, from 1 */
};

static const char *path_of(const struct where *where, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < where->count && used < size; i++) {
        int length = where->names[i] ? snprintf(text + used, size - used, "%s%s", i ? "." : "", where->names[i])
                                     : snprintf(text + used, size - used, "[%u]", where->index);
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}

static bool fail_at(struct loader *loader, const struct where *where, const char *what) {
    char path[128];
    path_of(where, path, sizeof path);
    sw_fail(loader->error, SW_ERROR_INPUT, "%s%s%s", path, *path ? ": " : "", what);
    sw_error_at(loader->error, loader->input.name, line_of(loader, where->names, where->count, where->index), 0);
    return false;
}

static struct where inside(const struct where *where, const char *name) {
    struct where deeper = *where;
    if (deeper.count < 3) {
        deeper.names[deeper.count++] = name;
    }
    return deeper;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* "#rrggbb" at the top of the stack. */
static bool read_color(struct loader *loader, const struct where *where, struct sw_color *color) {
    size_t length = 0;
    const char *text = lua_type(loader->lua, -1) == LUA_TSTRING ? lua_tolstring(loader->lua, -1, &length) : NULL;
    int digits[6];
    bool good = text && length == 7 && text[0] == '#';
    for (int i = 0; good && i < 6; i++) {
        digits[i] = hex_digit(text[i + 1]);
        good = digits[i] >= 0;
    }
    if (!good) {
        return fail_at(loader, where, "a color is written \"#rrggbb\"");
    }
    *color = (struct sw_color){.red = (uint8_t)(digits[0] * 16 + digits[1]),
                               .green = (uint8_t)(digits[2] * 16 + digits[3]),
                               .blue = (uint8_t)(digits[4] * 16 + digits[5]),
                               .set = true};
    return true;
}

static bool read_flag(struct loader *loader, const struct where *where, unsigned bit, unsigned *bits) {
    if (!lua_isboolean(loader->lua, -1)) {
        return fail_at(loader, where, "must be true or false");
    }
    *bits = lua_toboolean(loader->lua, -1) ? *bits | bit : *bits & ~bit;
    return true;
}

/* Calls `read` for every key of the table at the top, which must be names. */
typedef bool read_fn(struct loader *, const struct where *, const char *key, void *to);
static bool each_key(struct loader *loader, const struct where *where, read_fn *read, void *to) {
    lua_State *lua = loader->lua;
    if (!lua_istable(lua, -1)) {
        return fail_at(loader, where, "must be a table");
    }
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        if (lua_type(lua, -2) != LUA_TSTRING) {
            return fail_at(loader, where, "has an entry without a name");
        }
        const char *key = lua_tostring(lua, -2);
        struct where deeper = inside(where, key);
        if (!read(loader, &deeper, key, to)) {
            return false;
        }
        lua_pop(lua, 1);
    }
    return true;
}

static bool read_look_key(struct loader *loader, const struct where *where, const char *key, void *to) {
    struct sw_look *look = to;
    if (!strcmp(key, "fg")) {
        return read_color(loader, where, &look->foreground);
    }
    if (!strcmp(key, "bg")) {
        return read_color(loader, where, &look->background);
    }
    static const char *const words[] = {"bold", "reverse", "underline", "dim"};
    for (unsigned i = 0; i < 4; i++) {
        if (!strcmp(key, words[i])) {
            return read_flag(loader, where, 1u << i, &look->attributes);
        }
    }
    return fail_at(loader, where, "unknown; there are: fg, bg, bold, reverse, underline, dim");
}

static bool read_style(struct loader *loader, const struct where *where, const char *key, void *to) {
    bool *seen = to;
    for (unsigned i = 0; i < SW_STYLE_COUNT; i++) {
        if (!strcmp(key, sw_style_name((enum sw_style)i))) {
            seen[i] = true;
            return each_key(loader, where, read_look_key, &loader->theme.styles[i]);
        }
    }
    return fail_at(loader, where, "there is no style of that name");
}

/* All that are missing in one message, so that they need not be found one by one. */
static bool all_there(struct loader *loader, const struct where *where, const bool seen[SW_STYLE_COUNT]) {
    char text[400] = "";
    unsigned missing = 0;
    for (unsigned i = 0; i < SW_STYLE_COUNT; i++) {
        size_t used = strlen(text);
        if (!seen[i]) {
            snprintf(text + used, sizeof text - used, "%s'%s'", missing++ ? ", " : "", sw_style_name((enum sw_style)i));
        }
    }
    char what[480];
    snprintf(what, sizeof what, "the style%s %s %s missing", missing == 1 ? "" : "s", text,
             missing == 1 ? "is" : "are");
    return missing == 0 || fail_at(loader, where, what);
}

static bool read_styles(struct loader *loader, const struct where *where) {
    bool seen[SW_STYLE_COUNT] = {false};
    if (!each_key(loader, where, read_style, seen)) {
        return false;
    }
    return all_there(loader, where, seen);
}

static bool read_blocks(struct loader *loader, const struct where *where) {
    lua_State *lua = loader->lua;
    char text[80];
    snprintf(text, sizeof text, "must be a list of %d block colors", SW_HUES);
    if (!lua_istable(lua, -1) || lua_rawlen(lua, -1) != SW_HUES) {
        return fail_at(loader, where, text);
    }
    for (unsigned i = 0; i < SW_HUES; i++) {
        struct where deeper = inside(where, NULL);
        deeper.index = i + 1;
        struct sw_look *look = &loader->theme.blocks[i];
        lua_rawgeti(lua, -1, i + 1);
        if (!each_key(loader, &deeper, read_look_key, look)) {
            return false;
        }
        if (!look->background.set || !look->foreground.set) {
            return fail_at(loader, &deeper, "needs fg and bg");
        }
        lua_pop(lua, 1);
    }
    lua_pushnil(lua);
    for (size_t count = 0; lua_next(lua, -2); lua_pop(lua, 1)) {
        if (++count > SW_HUES) {
            return fail_at(loader, where, text);
        }
    }
    return true;
}

static bool read_name(struct loader *loader, const struct where *where) {
    size_t length = 0;
    const char *name = lua_type(loader->lua, -1) == LUA_TSTRING ? lua_tolstring(loader->lua, -1, &length) : NULL;
    if (!name || length == 0 || length >= sizeof loader->theme.name || strlen(name) != length) {
        return fail_at(loader, where, "must be a name of 1 to 31 bytes");
    }
    memcpy(loader->theme.name, name, length + 1);
    return true;
}

static const char *const top_keys[] = {"name", "background", "foreground", "colours", "blocks", "styles"};
enum { TOP_KEYS = sizeof top_keys / sizeof *top_keys };

static bool read_top(struct loader *loader, const struct where *where, const char *key, void *to) {
    bool *seen = to;
    unsigned on = 0;
    unsigned i = 0;
    while (i < TOP_KEYS && strcmp(key, top_keys[i]) != 0) {
        i++;
    }
    if (i < TOP_KEYS) {
        seen[i] = true;
    }
    switch (i) {
    case 0:
        return read_name(loader, where);
    case 1:
        return read_color(loader, where, &loader->theme.background);
    case 2:
        return read_color(loader, where, &loader->theme.foreground);
    case 3:
        if (!read_flag(loader, where, 1, &on)) {
            return false;
        }
        loader->theme.colors = on != 0;
        return true;
    case 4:
        return read_blocks(loader, where);
    case 5:
        return read_styles(loader, where);
    default:
        return fail_at(loader, where, "unknown; there are: name, background, foreground, colours, blocks, styles");
    }
}

static bool read_theme(struct loader *loader) {
    struct where where = {.count = 0};
    bool seen[TOP_KEYS] = {false};
    if (!lua_istable(loader->lua, -1)) {
        return fail_at(loader, &where, "a theme returns one table");
    }
    if (!each_key(loader, &where, read_top, seen)) {
        return false;
    }
    for (unsigned i = 0; i < TOP_KEYS; i++) {
        if (!seen[i]) {
            char text[80];
            snprintf(text, sizeof text, "'%s' is missing", top_keys[i]);
            return fail_at(loader, &where, text);
        }
    }
    return true;
}

/* ---- running the file ---- */

/* Lua's "theme:12: message" as message and line. */
static bool fail_lua(struct loader *loader, int status) {
    const char *message = loader->lua ? lua_tostring(loader->lua, -1) : NULL;
    unsigned line = 0;
    int skip = 0;
    if (status == LUA_ERRMEM || !message) {
        if (!loader->out_of_memory) {
            return sw_fail_memory(loader->error);
        }
        message = "the theme uses too much memory";
    } else if (sscanf(message, "theme:%u: %n", &line, &skip) == 1 && skip > 0) {
        message += skip;
    } else if (strcmp(message, "C stack overflow") == 0) { /* of the compiler, which knows no line then */
        message = "the theme is nested too deeply";
    }
    sw_fail(loader->error, SW_ERROR_INPUT, "%s", message);
    sw_error_at(loader->error, loader->input.name, line ? line : 1, 0);
    return false;
}

/* In protected mode, since reading the table can run out of memory too. */
static int run_protected(lua_State *lua) {
    struct loader *loader = lua_touserdata(lua, 1);
    lua_sethook(lua, count_hook, LUA_MASKCOUNT, HOOK_EVERY);
    int status = luaL_loadbufferx(lua, loader->input.bytes, loader->input.length, "=theme", "t");
    if (status != LUA_OK) {
        return lua_error(lua);
    }
    lua_newtable(lua); /* the whole world of a theme */
    lua_setupvalue(lua, -2, 1);
    lua_call(lua, 0, 1);
    lua_sethook(lua, NULL, 0, 0);
    lua_pushboolean(lua, read_theme(loader));
    return 1;
}

static bool run(struct loader *loader) {
    loader->lua = lua_newstate(limited_alloc, loader);
    if (!loader->lua) {
        return sw_fail_memory(loader->error);
    }
    lua_pushcfunction(loader->lua, run_protected);
    lua_pushlightuserdata(loader->lua, loader);
    int status = lua_pcall(loader->lua, 1, 1, 0);
    bool done = status == LUA_OK ? lua_toboolean(loader->lua, -1) : fail_lua(loader, status);
    lua_close(loader->lua);
    return done;
}

/* ---- finding the file ---- */

const char *const *sw_theme_names(void) {
    static const char *const names[] = {
#define THEME(name) #name,
#include "lua/themes.def"
#undef THEME
        NULL};
    return names;
}

static bool is_path(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 4 && !strcmp(name + length - 4, ".lua"));
}

static bool find_theme(const char *name, char *path, size_t size, struct sw_error *error) {
    if (is_path(name)) {
        return (size_t)snprintf(path, size, "%s", name) < size ||
               sw_fail(error, SW_ERROR_USAGE, "the path of the theme is too long");
    }
    const char *const *names = sw_theme_names();
    for (size_t i = 0; names[i]; i++) {
        if (!strcmp(names[i], name)) {
            char relative[64];
            snprintf(relative, sizeof relative, "themes/%s.lua", name);
            return sw_data_path(relative, path, size, error);
        }
    }
    char list[160] = "; there are: ";
    const char *like = NULL;
    for (size_t i = 0; names[i]; i++) {
        like = sw_word_nearer(name, like, names[i]);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s, ", names[i]);
    }
    strcat(list, "or a path that ends in .lua");
    return sw_fail_unknown(error, "theme", name, like, list);
}

bool sw_theme_path(const char *name, char *path, size_t size, struct sw_error *error) {
    return find_theme(name, path, size, error);
}

bool sw_theme_load(const char *name_or_path, struct sw_theme *theme, struct sw_error *error) {
    char path[4096];
    struct sw_error own;
    struct loader loader = {.error = error ? error : &own};
    if (!find_theme(name_or_path, path, sizeof path, loader.error) ||
        !sw_input_open(path, &loader.input, loader.error)) {
        return false;
    }
    bool done;
    if (loader.input.length > MOST_BYTES) {
        done = sw_fail(loader.error, SW_ERROR_INPUT, "a theme has at most %d bytes", MOST_BYTES);
        sw_error_at(loader.error, path, 0, 0);
    } else {
        done = run(&loader);
    }
    sw_input_close(&loader.input);
    if (done) {
        *theme = loader.theme;
    }
    return done;
}
