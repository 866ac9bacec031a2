/* Scripts are data from strangers: none may leave its state, hang, or run differently in another
 * process. One test per attack; each ends by itself or the whole suite does not. */
#include "unit.h"

#include "lua/sandbox/script.h"
#include "lua/values.h"

#include <string.h>

static const struct sw_script_limits small = {.memory = (size_t)32 << 20, .instructions = 2000000, .seconds = 20};

/* Run a text; the error's message, or "" when it ran to its end. */
static const char *outcome(const char *text) {
    static struct sw_error error;
    struct sw_script_options options = {.limits = small, .seed = 7};
    memset(&error, 0, sizeof error);
    struct sw_script *script = sw_script_open_text("test.lua", text, strlen(text), &options, &error);
    if (script) {
        sw_script_run(script, 0, 0, &error);
    }
    sw_script_close(script);
    return error.message;
}

static void expect(const char *text, const char *part) {
    const char *message = outcome(text);
    if (part ? !*message || !strstr(message, part) : *message != '\0') {
        fail_msg("%s\n    gave: '%s', not '%s'", text, message, part ? part : "nothing");
    }
}

/* Brackets, blocks and functions inside one another, more than the compiler takes. */
static void nested_too_deeply(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"{", "}"}, {"(", ")"}, {"do ", "end "}, {"function() return ", " end"}, {"{a=", "}"}};
    static char text[40000];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t used = (size_t)snprintf(text, sizeof text, "%s", *pairs[i][0] == 'd' ? "" : "return ");
        for (int k = 0; k < 1000; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", pairs[i][0]);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", *pairs[i][0] == 'd' ? "" : "1");
        for (int k = 0; k < 1000; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", pairs[i][1]);
        }
        expect(text, "is nested too deeply");
    }
}

/* ---- never ending ---- */

static const char ends[] = "does not come to an end";
static const char memory[] = "needs too much memory";

static void loops(void **state) {
    (void)state;
    expect("while true do end", ends);
    expect("local function f() return f() end f()", ends);
    expect("repeat until false", ends);
    expect("for i = 1, math.huge do end", ends);
    expect("goto a ::a:: goto a", ends);
}

static void loops_that_catch(void **state) {
    (void)state;
    expect("while true do pcall(function() while true do end end) end", ends);
    expect("while true do xpcall(function() while true do end end, function() while true do end "
           "end) end",
           ends);
    expect("local t = setmetatable({}, {__index = function(t, k) while true do end end}) "
           "while true do pcall(function() return t.x end) end",
           ends);
    expect("while true do pcall(error) end", ends);
    expect("local function f() pcall(f) f() end f()", "");
}

static void coroutines(void **state) {
    (void)state;
    expect("coroutine.wrap(function() while true do end end)()", ends);
    expect("while true do coroutine.resume(coroutine.create(function() while true do end end)) end", ends);
    /* Each has a fresh count of instructions. */
    expect("while true do local c = coroutine.create(function() for i = 1, 200 do end end) "
           "coroutine.resume(c) end",
           ends);
    expect("local function nest() return coroutine.wrap(nest)() end nest()", "");
    expect("local x <close> = setmetatable({}, {__close = function() while true do end end})", ends);
    expect("local c = coroutine.create(function() local x <close> = setmetatable({}, {__close = "
           "function() while true do end end}) coroutine.yield() end) coroutine.resume(c) "
           "while true do coroutine.close(c) end",
           ends);
}

static void finalizers(void **state) {
    (void)state;
    expect("setmetatable({}, {__gc = function() while true do end end})", "__gc is not allowed");
    expect("local m = {} local t = setmetatable({}, m) m.__gc = function() while true do end end "
           "t = nil for i = 1, 1e5 do local x = {} end",
           NULL); /* too late to count as one */
    expect("setmetatable({}, {__mode = 'k'})", "__mode is not allowed");
}

static void patterns(void **state) {
    (void)state;
    expect("('a'):rep(28):find(('a-'):rep(20) .. 'b')", ends);
    expect("('a'):rep(5000):find('a*a*a*a*a*b')", ends);
    expect("('a'):rep(5000):match('a-a-a-a-a-b')", ends);
    expect("('a'):rep(5000):gsub('a*a*a*a*b', '')", ends);
    expect("for _ in ('a'):rep(5000):gmatch('a*a*a*a*b') do end", ends);
    expect("while true do pcall(string.find, ('a'):rep(3000), 'a*a*a*a*b') end", ends);
    expect("local s = (' '):rep(50000) .. 'x' return s:match('^(.-)%s*$')", ends);
    expect("('('):rep(300):find(('('):rep(300))", "");
    expect("('x'):rep(1000):find(('x?'):rep(1000) .. ('x'):rep(1000))", "");
}

static void long_work_in_c(void **state) {
    (void)state;
    expect("assert((''):rep(1 << 60) == '')", NULL);
    expect("('x'):rep(1 << 30)", "would be too long");
    expect("('x'):rep(1 << 60, 'yy')", "would be too long");
    expect("while true do pcall(string.rep, 'x', 1 << 24) end", ends);
    expect("table.move({}, 1, 1 << 60, 2)", ends);
    expect("table.concat({}, 'x', 1, 1 << 60)", ends);
    expect("table.unpack({}, 1, 1e7)", "");
    expect("local t = {} for i = 1, 1e5 do t[i] = i % 7 end while true do table.sort(t) end", ends);
    expect("local t = {} for i = 1, 1e5 do t[i] = i end while true do table.insert(t, 1, 0) "
           "table.remove(t, 1) end",
           ends);
    expect("local s = ('x'):rep(1 << 24) while true do s:reverse() end", "");
    expect("local s = ('x'):rep(1 << 24) while true do local t = s .. 'y' end", "");
    expect("local s = ('x'):rep(1 << 24) while true do utf8.len(s) end", ends);
    expect("local s = ('x'):rep(1 << 24) while true do string.format('%s', s) end", "");
    expect("local t = {} for i = 1, 1e5 do t['k' .. i] = i end while true do for k in pairs(t) do "
           "break end end",
           ends);
    expect("local t = {} for i = 1, 1e5 do t['k' .. i] = i end local k while true do k = next(t, "
           "k) end",
           ends);
}

static void much_memory(void **state) {
    (void)state;
    expect("local s = 'x' while true do s = s .. s end", memory);
    expect("local t = {} while true do t[#t + 1] = {} end", "");
    expect("local t = {} while true do pcall(function() t[#t + 1] = ('x'):rep(1 << 20) end) end", "");
    expect("local function f() return 1 + f() end f()", "");
    expect("('x'):rep(1 << 20):gsub('.', ('y'):rep(1000))", "");
    expect("string.format(('%99s'):rep(1e6), 1)", "");
}

/* ---- leaving ---- */

static void nothing_of_the_machine(void **state) {
    (void)state;
    static const char *const names[] = {
        "io",       "os",         "package",        "debug",       "dofile",          "loadfile",
        "load",     "loadstring", "collectgarbage", "string.dump", "math.randomseed", "warn",
        "newproxy", "jit",        "coroutine.dump"};
    char text[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(text, sizeof text, "assert(%s == nil, 'there')", names[i]);
        expect(text, NULL);
    }
    expect("require('os')", "there is no os.lua");
    expect("require('../secret')", "made of letters");
    expect("require('/etc/passwd')", "made of letters");
    expect("require('.a')", "made of letters");
    expect("require('a..b')", "made of letters");
}

static void bytecode(void **state) {
    (void)state;
    struct sw_error error = {0};
    static const char code[] = "\x1bLua\x54\x00\x19\x93\r\n\x1a\n";
    struct sw_script *script = sw_script_open_text("binary.lua", code, sizeof code - 1, NULL, &error);
    assert_null(script);
    assert_non_null(strstr(error.message, "binary chunk"));
}

static void what_others_rely_on(void **state) {
    (void)state;
    expect("getmetatable('').__index = {}", "attempt to index a boolean value");
    expect("setmetatable('', {})", "table expected");
    expect("getmetatable(_G).__newindex = nil", "attempt to index a boolean value");
    expect("setmetatable(_G, {})", "protected metatable");
    expect("rawset(_G, 'x', 1)", "protected table");
    expect("x = 1 assert(_G.x == 1 and x == 1)", NULL); /* while it is loading */
    expect("_ENV = {} print(1)", "attempt to call a nil value");
}

/* ---- globals after loading ---- */

static void globals_are_frozen(void **state) {
    (void)state;
    static const char text[] = "count = 0 function f() count = count + 1 end "
                               "function g() return count end function h() string.x = 1 end";
    struct sw_error error = {0};
    struct sw_script *script = sw_script_open_text("frozen.lua", text, strlen(text), NULL, &error);
    lua_State *lua = sw_script_lua(script);
    assert_true(sw_script_run(script, 0, 0, &error));
    for (int i = 0; i < 2; i++) {
        sw_script_global_get(script, "f");
        assert_false(sw_script_call(script, 0, 0, &error));
        assert_non_null(strstr(error.message, "'count' cannot be set here"));
        assert_string_equal(error.file, "frozen.lua");
        assert_int_equal(error.line, 1);
        assert_int_equal(lua_gettop(lua), 0);
    }
    sw_script_global_get(script, "g");
    assert_true(sw_script_call(script, 0, 1, &error));
    assert_int_equal(lua_tointeger(lua, -1), 0);
    sw_script_close(script);
}

/* A state stays dead when its budget is gone. */
static void dead_states(void **state) {
    (void)state;
    static const char text[] = "function f() while true do end end function g() return 1 end";
    struct sw_error error = {0};
    struct sw_script_options options = {.limits = sw_script_often};
    struct sw_script *script = sw_script_open_text("dead.lua", text, strlen(text), &options, &error);
    assert_true(sw_script_run(script, 0, 0, &error));
    sw_script_global_get(script, "f");
    assert_false(sw_script_call(script, 0, 0, &error));
    sw_script_global_get(script, "g");
    assert_false(sw_script_call(script, 0, 1, &error));
    assert_non_null(strstr(error.message, ends));
    assert_int_equal(lua_gettop(sw_script_lua(script)), 0);
    sw_script_close(script);
}

/* The budget is that of one call from outside, not of a life. */
static void budgets_are_per_call(void **state) {
    (void)state;
    static const char text[] = "function f() for i = 1, 1000000 do end end";
    struct sw_error error = {0};
    struct sw_script_options options = {.limits = sw_script_often};
    struct sw_script *script = sw_script_open_text("often.lua", text, strlen(text), &options, &error);
    assert_true(sw_script_run(script, 0, 0, &error));
    for (int i = 0; i < 20; i++) {
        sw_script_global_get(script, "f");
        assert_true(sw_script_call(script, 0, 0, &error));
    }
    sw_script_close(script);
}

static void trust(void **state) {
    (void)state;
    static const char text[] = "for i = 1, 5e7 do end assert(io == nil)";
    struct sw_error error = {0};
    struct sw_script_options options = {.limits = sw_script_often, .trusted = true};
    struct sw_script *script = sw_script_open_text("trusted.lua", text, strlen(text), &options, &error);
    assert_true(sw_script_run(script, 0, 0, &error));
    sw_script_close(script);
}

/* ---- the same everywhere ---- */

static void keep_line(void *context, const char *line) {
    char *printed = context;
    strncat(printed, line, 2000 - strlen(printed) - 1);
    strncat(printed, "\n", 2000 - strlen(printed) - 1);
}

static void same_everywhere(void **state) {
    (void)state;
    static const char text[] = "local t = {zeta = 1, alpha = 2, [3] = 3, [1] = 1, [2.5] = 2, [true] = 4, beta = 5}\n"
                               "local keys = {} for k, v in pairs(t) do keys[#keys + 1] = tostring(k) end\n"
                               "print(table.concat(keys, ' '))\n"
                               "local seen = {} for k in next, t do seen[#seen + 1] = tostring(k) end\n"
                               "print(table.concat(seen, ' '))\n"
                               "print({}, print, coroutine.create(print), ('%s'):format({}))\n"
                               "print(math.random(1000), math.random(1000), math.random(1000))\n"
                               "for k in pairs({10, 20, 30}) do print(k) end\n";
    char first[2000] = "", second[2000] = "";
    for (int i = 0; i < 2; i++) {
        struct sw_error error = {0};
        struct sw_script_options options = {.seed = 7, .print = keep_line, .context = i ? second : first};
        struct sw_script *script = sw_script_open_text("same.lua", text, strlen(text), &options, &error);
        assert_true(sw_script_run(script, 0, 0, &error));
        sw_script_close(script);
    }
    assert_string_equal(first, second);
    assert_string_equal(first, "1 2.5 3 alpha beta zeta true\n1 2.5 3 alpha beta zeta true\n"
                               "table\tfunction\tcoroutine\ttable\n832\t216\t411\n1\n2\n3\n");
    expect("for k in pairs({[{}] = 1}) do end", "has no order");
    expect("string.format('%p', {})", "%p is not allowed");
    expect("string.format('%-5p', {})", "%p is not allowed");
    expect("local t = setmetatable({}, {__tostring = function() return 'mine' end}) "
           "assert(tostring(t) == 'mine' and ('%s'):format(t) == 'mine')",
           NULL);
    expect("local t = {1, 2, 3} for k, v in pairs(t) do t[k] = nil end assert(#t == 0)", NULL);
    expect("local t = {a = 1, b = 2, c = 3} local n = 0 for k in pairs(t) do t.b = nil n = n + 1 end "
           "assert(n == 2)",
           NULL);
}

/* ---- our matcher against what the manual says ---- */

static void patterns_mean_what_they_should(void **state) {
    (void)state;
    static const char *const truths[] = {"('hello world'):find('wor') == 7",
                                         "('hello'):find('l') == 3",
                                         "select('#', ('hello'):find('xyz')) == 1",
                                         "('hello'):find('') == 1",
                                         "('hello'):find('', 10) == nil",
                                         "('hello'):find('', 6) == 6",
                                         "('a.b'):find('.', 1, true) == 2",
                                         "('a+b'):find('+', 1, true) == 2",
                                         "('hello'):find('l', -2) == 4",
                                         "('key = value'):match('^(%w+)%s*=%s*(%w+)$') == 'key'",
                                         "select(2, ('key = value'):match('^(%w+)%s*=%s*(%w+)$')) == 'value'",
                                         "('2024-10-11'):match('(%d+)-(%d+)-(%d+)') == '2024'",
                                         "('abc'):match('()b()') == 2",
                                         "select(2, ('abc'):match('()b()')) == 3",
                                         "('THE (quick) fox'):find('%((%a+)%)') == 5",
                                         "('hello'):gsub('l', 'L') == 'heLLo'",
                                         "select(2, ('hello'):gsub('l', 'L')) == 2",
                                         "('hello'):gsub('l', 'L', 1) == 'heLlo'",
                                         "('hello'):gsub('', '-') == '-h-e-l-l-o-'",
                                         "('abc'):gsub('%w', '%0%0') == 'aabbcc'",
                                         "('hello world'):gsub('(%w+) (%w+)', '%2 %1') == 'world hello'",
                                         "('abc'):gsub('b', {b = 'x'}) == 'axc'",
                                         "('abc'):gsub('b', {}) == 'abc'",
                                         "('abc'):gsub('.', function(c) if c == 'b' then return 'X' end end) == 'aXc'",
                                         "('f(a(b)c)d'):match('%b()') == '(a(b)c)'",
                                         "('THE (quick) fox'):gsub('%f[%a]%a+', 'w') == 'w (w) w'",
                                         "('  trim  '):match('^%s*(.-)%s*$') == 'trim'",
                                         "('[[x]]'):match('%[%[(.*)%]%]') == 'x'",
                                         "('x^2'):match('[%^]') == '^'",
                                         "('a-z'):match('[a%-z]+') == 'a-z'",
                                         "('abc123'):match('[^%d]+') == 'abc'",
                                         "(']'):match('[]]') == ']'",
                                         "('a\\0b'):find('\\0') == 2",
                                         "('aaa'):match('a-$') == 'aaa'",
                                         "('aaab'):match('a*b') == 'aaab'",
                                         "('ab'):match('a?b?c?') == 'ab'",
                                         "('abab'):match('(ab)%1') == 'ab'",
                                         "('abcdefghii'):find('(.)(.)(.)(.)(.)(.)(.)(.)(.)%9') == 1",
                                         "('x'):rep(3, ',') == 'x,x,x'",
                                         "('x'):rep(0) == ''",
                                         "('x'):rep(-1) == ''",
                                         "('abc'):gsub('$', 'x') == 'abcx'",
                                         "('a,b,,c'):gsub(',', ';') == 'a;b;;c'",
                                         "('hello'):match('.-(l+)') == 'll'",
                                         "('\\255'):match('%W') == '\\255'"};
    char text[300];
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        snprintf(text, sizeof text, "assert((%s), 'false')", truths[i]);
        expect(text, NULL);
    }
    expect("local t = {} for w in ('one two  three'):gmatch('%a+') do t[#t + 1] = w end "
           "assert(table.concat(t, ',') == 'one,two,three')",
           NULL);
    expect("local t = {} for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do t[#t + 1] = k .. v end "
           "assert(table.concat(t, ',') == 'a1,b2')",
           NULL);
    expect("local n = 0 for _ in ('abc'):gmatch('') do n = n + 1 end assert(n == 4)", NULL);
    expect("('x'):find('[a')", "missing ']'");
    expect("('x'):find('%')", "ends with '%'");
    expect("('x'):find('(x')", "unfinished capture");
    expect("('xy'):find('x.)')", "without '('");
    expect("('x'):gsub('x', '%2')", "invalid capture index");
    expect("('x'):gsub('x', '%')", "invalid use of '%'");
    expect("('x'):find('%f')", "missing '['");
    expect("('x'):find('%b')", "%b wants two");
    expect("('x'):find('%1')", "invalid capture index");
}

/* ---- errors ---- */

static void errors_have_positions(void **state) {
    (void)state;
    struct sw_error error = {0};
    static const char text[] = "local function inner(x)\n  return x.a.b\nend\n"
                               "local function outer(x)\n  return (inner(x))\nend\nouter({})\n";
    struct sw_script *script = sw_script_open_text("dir/e.lua", text, strlen(text), NULL, &error);
    assert_false(sw_script_run(script, 0, 0, &error));
    assert_string_equal(error.file, "dir/e.lua");
    assert_int_equal(error.line, 2);
    assert_string_equal(error.message, "attempt to index a nil value (field 'a') (in inner at e.lua:2, "
                                       "called from e.lua:5, called from e.lua:7)");
    sw_script_close(script);
    script = sw_script_open_text("s.lua", "x = = 1", 7, NULL, &error);
    assert_null(script);
    assert_string_equal(error.file, "s.lua");
    assert_int_equal(error.line, 1);
    expect("error({})", "table");
    expect("error(nil)", "nil");
    expect("error()", "nil");
    expect("error(setmetatable({}, {__tostring = function() error('again') end}))", "");
    expect("local a = 'x' error(a:rep(100000))", "xxx");
    expect("error('two\\nlines')", "two?lines");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_too_deeply),
        cmocka_unit_test(loops),
        cmocka_unit_test(loops_that_catch),
        cmocka_unit_test(coroutines),
        cmocka_unit_test(finalizers),
        cmocka_unit_test(patterns),
        cmocka_unit_test(long_work_in_c),
        cmocka_unit_test(much_memory),
        cmocka_unit_test(nothing_of_the_machine),
        cmocka_unit_test(bytecode),
        cmocka_unit_test(what_others_rely_on),
        cmocka_unit_test(globals_are_frozen),
        cmocka_unit_test(dead_states),
        cmocka_unit_test(budgets_are_per_call),
        cmocka_unit_test(trust),
        cmocka_unit_test(same_everywhere),
        cmocka_unit_test(patterns_mean_what_they_should),
        cmocka_unit_test(errors_have_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
