/* The theme loader: what ships loads, and whatever else a file holds is one error with its line. */
#include <stdlib.h>

#include "unit/view.h"

#include "view/scene/theme.h"
#include "lua/theme_file.h"

#include <lauxlib.h>
#include <lua.h>

#include <string.h>
#include <unistd.h>

static char path[64];

static void write_theme(const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* The shipped light theme with one piece of its text replaced. */
static void write_edited(const char *from, const char *to) {
    struct sw_input input;
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    assert_true(sw_input_open(SW_TEST_SOURCE "/themes/light.lua", &input, &error));
    const char *at = memmem(input.bytes, input.length, from, strlen(from));
    assert_non_null(at);
    size_t before = (size_t)(at - input.bytes);
    sw_sink_add(&sink, input.bytes, before);
    sw_sink_add(&sink, to, strlen(to));
    sw_sink_add(&sink, at + strlen(from), input.length - before - strlen(from));
    write_theme(sink.text.items, sink.text.count);
    sw_sink_done(&sink);
    sw_input_close(&input);
}

static void refused(const char *message, uint32_t line) {
    struct sw_error error = {0};
    struct sw_theme theme = {.name = "as before"};
    assert_false(sw_theme_load(path, &theme, &error));
    assert_string_equal(error.message, message);
    assert_string_equal(error.file, path);
    assert_int_equal(error.line, line);
    assert_string_equal(theme.name, "as before");
}

static void refused_text(const char *text, const char *message, uint32_t line) {
    write_theme(text, strlen(text));
    refused(message, line);
}

static void shipped_themes_load(void **state) {
    (void)state;
    const char *const *names = sw_theme_names();
    for (size_t i = 0; names[i]; i++) {
        struct sw_theme theme;
        struct sw_error error = {0};
        if (!sw_theme_load(names[i], &theme, &error)) {
            fail_msg("%s:%u: %s", error.file, error.line, error.message);
        }
        assert_string_equal(theme.name, names[i]);
        assert_true(theme.background.set && theme.foreground.set);
        assert_int_equal(theme.colors, strcmp(names[i], "mono") != 0);
        for (int h = 0; h < SW_HUES; h++) {
            assert_true(theme.blocks[h].background.set && theme.blocks[h].foreground.set);
        }
    }
    struct sw_theme light;
    assert_true(sw_theme_load(SW_TEST_SOURCE "/themes/light.lua", &light, NULL));
    assert_int_equal(light.background.red, 0xff);
    assert_int_equal(light.styles[SW_STYLE_HEADER].background.blue, 0x5b);
    assert_int_equal(light.styles[SW_STYLE_PEAK].attributes, SW_ATTRIBUTE_BOLD);
}

static void unknown_themes_are_named(void **state) {
    (void)state;
    struct sw_theme theme;
    struct sw_error error = {0};
    assert_false(sw_theme_load("pink", &theme, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    assert_string_equal(error.message, "there is no theme 'pink'; there are: dark, light, contrast, "
                                       "colorblind, grey, mono, or a path that ends in .lua");
    assert_false(sw_theme_load("/nowhere/x.lua", &theme, &error));
    assert_int_equal(error.code, SW_ERROR_IO);
}

static void wrong_values_have_lines(void **state) {
    (void)state;
    write_edited("bold = true", "bold = 1");
    refused("styles.strong.bold: must be true or false", 25);
    write_edited("bold = true", "\n['bold']\n= 1");
    refused("styles.strong.bold: must be true or false", 26);
    write_edited("bold = true", "--[==[\nbold = ]]\n]==] bold = 1");
    refused("styles.strong.bold: must be true or false", 27);
    write_edited("fg = \"#b23a2e\"", "fg = \"#b23a2\"");
    refused("styles.ghost.fg: a color is written \"#rrggbb\"", 35);
    write_edited("fg = \"#b23a2e\"", "fg = \"red\"");
    refused("styles.ghost.fg: a color is written \"#rrggbb\"", 35);
    write_edited("    ghost ", "    ghoul ");
    refused("styles.ghoul: there is no style of that name", 35);
    write_edited("    ghost    = { fg = \"#b23a2e\" },\n", "");
    refused("styles: the style 'ghost' is missing", 22);
    refused_text("return {name = 'mine', styles = {text = {}, dim = {}, strong = {}, header = {}, "
                 "footer = {}, key = {}, border = {}, axis = {}, block = {}, merged = {}, "
                 "current = {}, selected = {}, ghost = {}, fits = {}, chosen = {}, gap = {}, "
                 "live = {}, bound = {}, capacity = {}, cursor = {}, pinned = {}, transfer = {}, "
                 "warning = {}}}",
                 "styles: the styles 'refused', 'peak', 'error' are missing", 1);
    write_edited("{ fg = edge, bg = \"#7de8d1\" }", "{ fg = edge, bgr = \"#7fc8a9\" }");
    refused("blocks[3].bgr: unknown; there are: fg, bg, bold, reverse, underline, dim", 15);
    write_edited("{ fg = edge, bg = \"#7de8d1\" }", "{ fg = edge }");
    refused("blocks[3]: needs fg and bg", 15);
    write_edited("{ fg = edge, bg = \"#7de8d1\" }", "7");
    refused("blocks[3]: must be a table", 16); /* the third that is one: near enough */
    write_edited("{ fg = edge, bg = \"#7de8d1\" }, -- mint\n", "");
    refused("blocks: must be a list of 8 block colors", 12);
    write_edited("{ fg = edge, bg = \"#7de8d1\" }", "{ fg = edge, bg = paper }, x = 1");
    refused("blocks: must be a list of 8 block colors", 12);
    write_edited("colours = true", "colors = true");
    refused("colors: unknown; there are: name, background, foreground, colours, blocks, styles", 11);
    write_edited("  colours = true,\n", "");
    refused("'colours' is missing", 1);
    write_edited("name = \"light\"", "name = \"\"");
    refused("name: must be a name of 1 to 31 bytes", 8);
    write_edited("name = \"light\"", "name = \"a name that is longer than 31 bytes\"");
    refused("name: must be a name of 1 to 31 bytes", 8);
    write_edited("styles = {", "styles = { \"x\",");
    refused("styles: has an entry without a name", 22);
    write_edited("background = paper", "background = nobody");
    refused("'background' is missing", 1);
}

static void other_files_are_refused(void **state) {
    (void)state;
    refused_text("return 7", "a theme returns one table", 1);
    refused_text("", "a theme returns one table", 1);
    refused_text("return {\n  name = = 1\n}", "unexpected symbol near '='", 2);
    refused_text("\n\nlocal x = nobody.name", "attempt to index a nil value (global 'nobody')", 3);
    refused_text("\nlocal function f() return nobody.name end\nf()", "attempt to index a nil value (global 'nobody')",
                 2);
    /* Nothing of Lua's libraries is there. */
    refused_text("print('x')", "attempt to call a nil value (global 'print')", 1);
    refused_text("\nreturn ('x'):rep(9)", "attempt to index a string value (constant 'x')", 2);
}

static void endless_files_end(void **state) {
    (void)state;
    refused_text("while true do end", "the theme does not come to an end", 1);
    refused_text("local function f() return f() end\nreturn f()", "the theme does not come to an end", 1);
    refused_text("local s = 'x'\nwhile true do s = s .. s end", "the theme needs too much memory", 1);
    refused_text("local t = {}\nfor i = 1, 1e9 do t[i] = i end", "the theme needs too much memory", 1);
    struct sw_theme theme;
    struct sw_error error = {0};
    const char *deep = "local function f() return 1 + f() end return f()";
    write_theme(deep, strlen(deep));
    assert_false(sw_theme_load(path, &theme, &error));
    assert_int_equal(error.code, SW_ERROR_INPUT);
    char nested[2001] = "return ";
    memset(nested + 7, '{', sizeof nested - 8);
    write_theme(nested, sizeof nested - 1);
    assert_false(sw_theme_load(path, &theme, &error));
    assert_non_null(strstr(error.message, "is nested too deeply: there are too many brackets, "));
    assert_string_equal(error.file, path);
    size_t length = 70000;
    char *large = malloc(length);
    memset(large, ' ', length);
    write_theme(large, length);
    free(large);
    assert_false(sw_theme_load(path, &theme, &error));
    assert_string_equal(error.message, "a theme has at most 65536 bytes");
}

static int collect(lua_State *lua, const void *bytes, size_t length, void *sink) {
    (void)lua;
    sw_sink_add(sink, bytes, length);
    return 0;
}

static void bytecode_is_refused(void **state) {
    (void)state;
    lua_State *lua = luaL_newstate();
    struct sw_sink sink = {0};
    assert_int_equal(luaL_loadstring(lua, "return {}"), LUA_OK);
    assert_int_equal(lua_dump(lua, collect, &sink, 0), 0);
    lua_close(lua);
    write_theme(sink.text.items, sink.text.count);
    sw_sink_done(&sink);
    refused("attempt to load a binary chunk (mode is 't')", 1);
}

static void memory_can_end(void **state) {
    (void)state;
    struct starve starve;
    struct sw_error error;
    struct sw_theme theme;
    bool done = false;
    sw_mem_hook(starved, &starve);
    for (long limit = 0; !done; limit++) {
        starve.left = limit;
        error = (struct sw_error){0};
        done = sw_theme_load(SW_TEST_SOURCE "/themes/light.lua", &theme, &error);
        assert_true(done || error.code == SW_ERROR_MEMORY);
        assert_true(limit < 10000);
    }
    sw_mem_hook(NULL, NULL);
}

static int make_path(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/stowage-theme-%ld.lua", (long)getpid());
    return 0;
}

static int remove_path(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

int main(void) {
    /* The themes of this tree, not of an installation. */
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_themes_load),     cmocka_unit_test(unknown_themes_are_named),
        cmocka_unit_test(wrong_values_have_lines), cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(endless_files_end),       cmocka_unit_test(bytecode_is_refused),
        cmocka_unit_test(memory_can_end),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
