/* Themes from Lua files.
 *
 * A theme is data that happens to be written in Lua. In the table it returns, every name that is unknown or missing and
 * every value that is not what it should be is one error with file and line. */
#include "data.h"
#include "base/base.h"
#include "formats/format.h"
#include "lua/theme_file.h"
#include "lua/sandbox/script.h"
#include "lua/table_lines.h"

enum { MOST_THEME_BYTES = 64 * 1024 };

struct loader {
    lua_State *lua;
    struct sw_input input;
    struct sw_theme theme;
    struct sw_error *error;
    bool good;
};

/* ---- reading the table ---- */

static const char *theme_place_path(const struct sw_table_place *where, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = 0; i < where->count; i++) {
        if (where->names[i]) {
            sw_text_add(text, size, "%s%s", i ? "." : "", where->names[i]);
        } else {
            sw_text_add(text, size, "[%u]", where->index);
        }
    }
    return text;
}

static bool fail_theme(struct loader *loader, const struct sw_table_place *where, const char *what) {
    char path[128];
    theme_place_path(where, path, sizeof path);
    sw_fail(loader->error, SW_ERROR_INPUT, "%s%s%s", path, *path ? ": " : "", what);
    sw_error_at(loader->error, loader->input.name, sw_table_line(loader->input.bytes, loader->input.length, where), 0);
    return false;
}

static struct sw_table_place inside_of_place(const struct sw_table_place *where, const char *name) {
    struct sw_table_place deeper = *where;
    if (deeper.count < 3) {
        deeper.names[deeper.count++] = name;
    }
    return deeper;
}

/* "#rrggbb" at the top of the stack. */
static bool read_color(struct loader *loader, const struct sw_table_place *where, struct sw_color *color) {
    size_t length = 0;
    const char *text = lua_type(loader->lua, -1) == LUA_TSTRING ? lua_tolstring(loader->lua, -1, &length) : NULL;
    if (length != 7 || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6) {
        return fail_theme(loader, where, "a color is written \"#rrggbb\"");
    }
    unsigned long number = strtoul(text + 1, NULL, 16);
    *color = (struct sw_color){
        .red = (uint8_t)(number >> 16), .green = (uint8_t)(number >> 8), .blue = (uint8_t)number, .set = true};
    return true;
}

static bool read_flag(struct loader *loader, const struct sw_table_place *where, unsigned bit, unsigned *bits) {
    if (!lua_isboolean(loader->lua, -1)) {
        return fail_theme(loader, where, "must be true or false");
    }
    *bits = lua_toboolean(loader->lua, -1) ? *bits | bit : *bits & ~bit;
    return true;
}

/* Calls `read` for every key of the table at the top, which must be names. */
typedef bool read_fn(struct loader *, const struct sw_table_place *, const char *key, void *to);
static bool each_key(struct loader *loader, const struct sw_table_place *where, read_fn *read, void *to) {
    lua_State *lua = loader->lua;
    if (!lua_istable(lua, -1)) {
        return fail_theme(loader, where, "must be a table");
    }
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        if (lua_type(lua, -2) != LUA_TSTRING) {
            return fail_theme(loader, where, "has an entry without a name");
        }
        const char *key = lua_tostring(lua, -2);
        struct sw_table_place deeper = inside_of_place(where, key);
        if (!read(loader, &deeper, key, to)) {
            return false;
        }
        lua_pop(lua, 1);
    }
    return true;
}

static bool read_look_key(struct loader *loader, const struct sw_table_place *where, const char *key, void *to) {
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
    return fail_theme(loader, where, "unknown; there are: fg, bg, bold, reverse, underline, dim");
}

static bool read_style(struct loader *loader, const struct sw_table_place *where, const char *key, void *to) {
    bool *seen = to;
    for (unsigned i = 0; i < SW_STYLE_COUNT; i++) {
        if (!strcmp(key, sw_style_name((enum sw_style)i))) {
            seen[i] = true;
            return each_key(loader, where, read_look_key, &loader->theme.styles[i]);
        }
    }
    return fail_theme(loader, where, "there is no style of that name");
}

/* All that are missing in one message, so that they need not be found one by one. */
static bool all_there(struct loader *loader, const struct sw_table_place *where, const bool seen[SW_STYLE_COUNT]) {
    char text[400] = "";
    unsigned missing = 0;
    for (unsigned i = 0; i < SW_STYLE_COUNT; i++) {
        if (!seen[i]) {
            SW_TEXT_ADD(text, "%s'%s'", missing++ ? ", " : "", sw_style_name((enum sw_style)i));
        }
    }
    char what[480];
    snprintf(what, sizeof what, "the style%s %s %s missing", missing == 1 ? "" : "s", text,
             missing == 1 ? "is" : "are");
    return missing == 0 || fail_theme(loader, where, what);
}

static bool read_styles(struct loader *loader, const struct sw_table_place *where) {
    bool seen[SW_STYLE_COUNT] = {false};
    return each_key(loader, where, read_style, seen) && all_there(loader, where, seen);
}

static bool read_theme_blocks(struct loader *loader, const struct sw_table_place *where) {
    lua_State *lua = loader->lua;
    char text[80];
    snprintf(text, sizeof text, "must be a list of %d block colors", SW_HUES);
    if (!lua_istable(lua, -1) || lua_rawlen(lua, -1) != SW_HUES) {
        return fail_theme(loader, where, text);
    }
    for (unsigned i = 0; i < SW_HUES; i++) {
        struct sw_table_place deeper = inside_of_place(where, NULL);
        deeper.index = i + 1;
        struct sw_look *look = &loader->theme.blocks[i];
        lua_rawgeti(lua, -1, i + 1);
        if (!each_key(loader, &deeper, read_look_key, look)) {
            return false;
        }
        if (!look->background.set || !look->foreground.set) {
            return fail_theme(loader, &deeper, "needs fg and bg");
        }
        lua_pop(lua, 1);
    }
    lua_pushnil(lua);
    for (size_t count = 0; lua_next(lua, -2); lua_pop(lua, 1)) {
        if (++count > SW_HUES) {
            return fail_theme(loader, where, text);
        }
    }
    return true;
}

static bool read_theme_name(struct loader *loader, const struct sw_table_place *where) {
    size_t length = 0;
    const char *name = lua_type(loader->lua, -1) == LUA_TSTRING ? lua_tolstring(loader->lua, -1, &length) : NULL;
    if (!name || length == 0 || length >= sizeof loader->theme.name || strlen(name) != length) {
        return fail_theme(loader, where, "must be a name of 1 to 31 bytes");
    }
    memcpy(loader->theme.name, name, length + 1);
    return true;
}

static bool read_background(struct loader *loader, const struct sw_table_place *where) {
    return read_color(loader, where, &loader->theme.background);
}

static bool read_foreground(struct loader *loader, const struct sw_table_place *where) {
    return read_color(loader, where, &loader->theme.foreground);
}

static bool read_colors(struct loader *loader, const struct sw_table_place *where) {
    unsigned on = 0;
    bool good = read_flag(loader, where, 1, &on);
    loader->theme.colors = on != 0;
    return good;
}

static const struct {
    const char *name;
    bool (*read)(struct loader *, const struct sw_table_place *);
} theme_keys[] = {{"name", read_theme_name}, {"background", read_background}, {"foreground", read_foreground},
                  {"colours", read_colors},  {"blocks", read_theme_blocks},   {"styles", read_styles}};
enum { TOP_KEYS = sizeof theme_keys / sizeof *theme_keys };

static bool read_theme_key(struct loader *loader, const struct sw_table_place *where, const char *key, void *to) {
    bool *seen = to;
    for (unsigned i = 0; i < TOP_KEYS; i++) {
        if (strcmp(key, theme_keys[i].name) == 0) {
            seen[i] = true;
            return theme_keys[i].read(loader, where);
        }
    }
    return fail_theme(loader, where, "unknown; there are: name, background, foreground, colours, blocks, styles");
}

static bool read_theme_table(struct loader *loader) {
    struct sw_table_place where = {.count = 0};
    bool seen[TOP_KEYS] = {false};
    if (!lua_istable(loader->lua, -1)) {
        return fail_theme(loader, &where, "a theme returns one table");
    }
    if (!each_key(loader, &where, read_theme_key, seen)) {
        return false;
    }
    for (unsigned i = 0; i < TOP_KEYS; i++) {
        if (!seen[i]) {
            char text[80];
            snprintf(text, sizeof text, "'%s' is missing", theme_keys[i].name);
            return fail_theme(loader, &where, text);
        }
    }
    return true;
}

static int take_theme(lua_State *lua) {
    struct loader *loader = lua_touserdata(lua, 1);
    loader->lua = lua;
    loader->good = read_theme_table(loader);
    if (loader->good) {
        sw_theme_shade(&loader->theme);
    }
    return 0;
}

static bool run_theme(struct loader *loader) {
    const struct sw_script_options options = {
        .limits = {.memory = (size_t)4 << 20, .instructions = 1000000, .seconds = 5}, .data = "theme"};
    const struct sw_input *input = &loader->input;
    struct sw_script *script = sw_script_open_text(input->name, input->bytes, input->length, &options, loader->error);
    bool done = script && sw_script_take(script, take_theme, loader, loader->error);
    sw_script_close(script);
    if (!done && loader->error->code == SW_ERROR_INPUT && !loader->error->line) {
        sw_error_at(loader->error, NULL, 1, 0);
    }
    return done && loader->good;
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

bool sw_theme_path(const char *name, char *path, size_t size, struct sw_error *error) {
    if (strchr(name, '/') || sw_path_is_lua(name)) {
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
        SW_TEXT_ADD(list, "%s, ", names[i]);
    }
    SW_TEXT_ADD(list, "or a path that ends in .lua");
    return sw_fail_unknown(error, "theme", name, like, list);
}

bool sw_theme_load(const char *name_or_path, struct sw_theme *theme, struct sw_error *error) {
    char path[4096];
    struct sw_error own;
    struct loader loader = {.error = error ? error : &own};
    if (!sw_theme_path(name_or_path, path, sizeof path, loader.error) ||
        !sw_input_open(path, &loader.input, loader.error)) {
        return false;
    }
    bool done;
    if (loader.input.length > MOST_THEME_BYTES) {
        done = sw_fail(loader.error, SW_ERROR_INPUT, "a theme has at most %d bytes", MOST_THEME_BYTES);
        sw_error_at(loader.error, path, 0, 0);
    } else {
        done = run_theme(&loader);
    }
    sw_input_close(&loader.input);
    if (done) {
        *theme = loader.theme;
    }
    return done;
}
