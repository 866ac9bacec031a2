/* What a script sees: a whitelist, with every function that could run long, tell an address or
 * change what others rely on put behind one that cannot. */
#include "lua/sandbox/lua_internal.h"
#include "base/base.h"

#include <lualib.h>

/* ---- text of values ---- */

const char *sw_sandbox_text(lua_State *lua, int index) {
    int type = lua_type(lua, index);
    if (type <= LUA_TSTRING && type != LUA_TLIGHTUSERDATA) {
        return luaL_tolstring(lua, index, NULL);
    }
    if (luaL_getmetafield(lua, index, "__tostring") != LUA_TNIL) {
        lua_pop(lua, 1);
        return luaL_tolstring(lua, index, NULL);
    }
    return lua_pushstring(lua, type == LUA_TTHREAD ? "coroutine" : lua_typename(lua, type));
}

static int value_text(lua_State *lua) {
    luaL_checkany(lua, 1);
    sw_sandbox_text(lua, 1);
    return 1;
}

static int print_values(lua_State *lua) {
    struct sw_script *script = sw_script_of(lua);
    int count = lua_gettop(lua);
    luaL_Buffer buffer;
    luaL_checkstack(lua, count + 4, NULL);
    luaL_buffinit(lua, &buffer);
    for (int i = 1; i <= count; i++) {
        if (i > 1) {
            luaL_addchar(&buffer, '\t');
        }
        sw_sandbox_text(lua, i);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    if (script->options.print) {
        script->options.print(script->options.context, lua_tostring(lua, -1));
    }
    sw_script_charge(lua, 100 + lua_rawlen(lua, -1));
    return 0;
}

/* ---- tables in a fixed order ---- */

enum key_rank { RANK_NUMBER, RANK_STRING, RANK_BOOLEAN };
struct table_key {
    enum key_rank rank;
    bool whole;
    lua_Integer integer; /* also of booleans */
    lua_Number number;
    const char *text; /* alive as long as the table has the key */
    size_t length;
};

static void read_key(lua_State *lua, int index, struct table_key *key) {
    *key = (struct table_key){0};
    switch (lua_type(lua, index)) {
    case LUA_TNUMBER:
        key->rank = RANK_NUMBER;
        key->whole = lua_isinteger(lua, index);
        key->integer = key->whole ? lua_tointeger(lua, index) : 0;
        key->number = lua_tonumber(lua, index);
        return;
    case LUA_TSTRING:
        key->rank = RANK_STRING;
        key->text = lua_tolstring(lua, index, &key->length);
        return;
    case LUA_TBOOLEAN:
        key->rank = RANK_BOOLEAN;
        key->integer = lua_toboolean(lua, index);
        return;
    default:
        luaL_error(lua, "a table with a key that is a %s has no order to go through: use a list",
                   luaL_typename(lua, index));
    }
}

static int compare_text(const struct table_key *a, const struct table_key *b) {
    size_t least = SW_MIN(a->length, b->length);
    int order = least ? memcmp(a->text, b->text, least) : 0;
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Numbers, strings by their bytes, false, true. */
static int by_key(const void *left, const void *right) {
    const struct table_key *a = left, *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->rank == RANK_STRING) {
        return compare_text(a, b);
    }
    if (a->rank == RANK_BOOLEAN || (a->whole && b->whole)) {
        return (a->integer > b->integer) - (a->integer < b->integer);
    }
    return (a->number > b->number) - (a->number < b->number);
}

static void push_key(lua_State *lua, const struct table_key *key) {
    if (key->rank == RANK_STRING) {
        lua_pushlstring(lua, key->text, key->length);
    } else if (key->rank == RANK_BOOLEAN) {
        lua_pushboolean(lua, key->integer != 0);
    } else if (key->whole) {
        lua_pushinteger(lua, key->integer);
    } else {
        lua_pushnumber(lua, key->number);
    }
}

static size_t count_keys(lua_State *lua, bool *list) {
    size_t count = 0, length = lua_rawlen(lua, 1);
    *list = true;
    for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
        *list = *list && lua_isinteger(lua, -2) && lua_tointeger(lua, -2) >= 1 &&
                (lua_Unsigned)lua_tointeger(lua, -2) <= length;
        count++;
    }
    *list = *list && count == length;
    return count;
}

/* The keys of the table at 1, in order, as a list on top of the stack. */
static void push_sorted_keys(lua_State *lua, size_t count) {
    struct table_key *keys = lua_newuserdatauv(lua, (count ? count : 1) * sizeof *keys, 0);
    size_t at = 0;
    for (lua_pushnil(lua); lua_next(lua, 1) != 0 && at < count; lua_pop(lua, 1)) {
        read_key(lua, -2, &keys[at++]);
    }
    sw_script_charge(lua, 16 * count);
    qsort(keys, at, sizeof *keys, by_key);
    lua_createtable(lua, (int)at, 0);
    for (size_t i = 0; i < at; i++) {
        push_key(lua, &keys[i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_replace(lua, -2);
}

/* Upvalues: the table, its keys (nil for a list), how far. */
static int next_sorted_pair(lua_State *lua) {
    lua_Integer at = lua_tointeger(lua, lua_upvalueindex(3));
    for (;;) {
        at++;
        if (lua_isnil(lua, lua_upvalueindex(2))) {
            lua_pushinteger(lua, at);
        } else if (lua_rawgeti(lua, lua_upvalueindex(2), at) == LUA_TNIL) {
            return 1;
        }
        lua_pushvalue(lua, -1);
        if (lua_gettable(lua, lua_upvalueindex(1)) != LUA_TNIL) {
            break;
        }
        if (lua_isnil(lua, lua_upvalueindex(2))) {
            return 1;
        }
        lua_pop(lua, 2); /* it was taken out meanwhile */
    }
    lua_pushinteger(lua, at);
    lua_replace(lua, lua_upvalueindex(3));
    return 2;
}

static int pairs(lua_State *lua) {
    bool list;
    luaL_checkany(lua, 1);
    if (luaL_getmetafield(lua, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(lua, 1);
        lua_call(lua, 1, 3);
        return 3;
    }
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    size_t count = count_keys(lua, &list);
    sw_script_charge(lua, count);
    lua_pushvalue(lua, 1);
    if (list) {
        lua_pushnil(lua);
    } else {
        push_sorted_keys(lua, count);
    }
    lua_pushinteger(lua, 0);
    lua_pushcclosure(lua, next_sorted_pair, 3);
    return 1;
}

/* The first key after the given one, in the same order. */
static int next_key(lua_State *lua) {
    struct table_key after = {0}, best = {0}, key;
    bool found = false;
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    bool first = lua_isnil(lua, 2);
    if (!first) {
        read_key(lua, 2, &after);
    }
    uint64_t looked = 0;
    for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1), looked++) {
        read_key(lua, -2, &key);
        if ((first || by_key(&key, &after) > 0) && (!found || by_key(&key, &best) < 0)) {
            best = key;
            found = true;
        }
    }
    sw_script_charge(lua, looked);
    if (!found) {
        lua_pushnil(lua);
        return 1;
    }
    push_key(lua, &best);
    lua_pushvalue(lua, -1);
    lua_rawget(lua, 1);
    return 2;
}

/* ---- metatables ---- */

static int set_metatable(lua_State *lua) {
    static const char *const forbidden[] = {"__gc", "__mode"};
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_argexpected(lua, lua_isnil(lua, 2) || lua_istable(lua, 2), 2, "nil or table");
    for (size_t i = 0; lua_istable(lua, 2) && i < 2; i++) {
        lua_pushstring(lua, forbidden[i]);
        if (lua_rawget(lua, 2) != LUA_TNIL) {
            return luaL_error(lua, "a metatable with %s is not allowed in scripts", forbidden[i]);
        }
        lua_pop(lua, 1);
    }
    if (luaL_getmetafield(lua, 1, "__metatable") != LUA_TNIL) {
        return luaL_error(lua, "cannot change a protected metatable");
    }
    lua_settop(lua, 2);
    lua_setmetatable(lua, 1);
    return 1;
}

static int raw_set(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_checkany(lua, 2);
    luaL_checkany(lua, 3);
    lua_settop(lua, 3);
    if (luaL_getmetafield(lua, 1, "__metatable") != LUA_TNIL) {
        return luaL_error(lua, "cannot set a field of a protected table");
    }
    lua_rawset(lua, 1);
    return 1;
}

/* ---- functions that C runs through long data ---- */

/* What takes a part of a text costs as much as the part. */
static int by_part(lua_State *lua) {
    int count = lua_gettop(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, count, LUA_MULTRET);
    bool text = lua_type(lua, 1) == LUA_TSTRING; /* else numbers */
    sw_script_charge(lua, text ? (uint64_t)lua_rawlen(lua, 1) / 16 : (uint64_t)lua_gettop(lua));
    return lua_gettop(lua);
}

/* The original is the first upvalue; the cost is that of its first argument's length. */
static int by_length(lua_State *lua) {
    int count = lua_gettop(lua);
    if (lua_type(lua, 1) == LUA_TSTRING) {
        sw_script_charge(lua, lua_rawlen(lua, 1) / 16);
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, count, LUA_MULTRET);
    return lua_gettop(lua);
}

static int repeat(lua_State *lua) {
    size_t length, between;
    const char *piece = luaL_checklstring(lua, 1, &length);
    lua_Integer count = luaL_checkinteger(lua, 2);
    const char *separator = luaL_optlstring(lua, 3, "", &between);
    size_t limit = sw_script_of(lua)->options.limits.memory, total;
    if (count <= 0 || length + between == 0) {
        lua_pushliteral(lua, "");
        return 1;
    }
    if (__builtin_mul_overflow((size_t)count, length + between, &total) || total > limit) {
        return luaL_error(lua, "the string would be too long");
    }
    sw_script_charge(lua, total / 16 + (uint64_t)count);
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    for (lua_Integer i = 0; i < count; i++) {
        luaL_addlstring(&buffer, piece, length);
        if (between && i + 1 < count) {
            luaL_addlstring(&buffer, separator, between);
        }
    }
    luaL_pushresult(&buffer);
    return 1;
}

/* string.format without addresses. */
static int format(lua_State *lua) {
    const char *at = luaL_checkstring(lua, 1);
    int count = lua_gettop(lua);
    luaL_checkstack(lua, count + 4, NULL);
    for (bool inside = false; *at; at++) { /* one look at each character, however long the text is */
        if (inside && *at == 'p') {
            return luaL_error(lua, "string.format: %%p is not allowed in scripts");
        }
        inside = inside ? *at != '%' && memchr("-+ #0123456789.", *at, 15) != NULL : *at == '%';
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    for (int i = 2; i <= count + 1; i++) {
        int type = lua_type(lua, i);
        if (type > LUA_TSTRING) {
            sw_sandbox_text(lua, i);
            lua_replace(lua, i);
        } else if (type == LUA_TSTRING) {
            sw_script_charge(lua, lua_rawlen(lua, i) / 16);
        }
    }
    lua_call(lua, count, 1);
    return 1;
}

/* How many elements a function of `table` touches: a second upvalue says which one it is. */
enum table_work { WORK_CONCAT, WORK_SHIFT, WORK_MOVE, WORK_SORT, WORK_UNPACK };

static uint64_t span(lua_Integer from, lua_Integer to) {
    return to < from ? 0 : (uint64_t)to - (uint64_t)from + 1;
}

static uint64_t table_cost(lua_State *lua, enum table_work work) {
    lua_Integer length = lua_istable(lua, 1) ? luaL_len(lua, 1) : 0;
    switch (work) {
    case WORK_CONCAT:
        return span(luaL_optinteger(lua, 3, 1), luaL_optinteger(lua, 4, length));
    case WORK_MOVE:
        return span(luaL_checkinteger(lua, 2), luaL_checkinteger(lua, 3));
    case WORK_UNPACK:
        return span(luaL_optinteger(lua, 2, 1), luaL_optinteger(lua, 3, length));
    case WORK_SHIFT: /* insert and remove in the middle */
        return lua_isinteger(lua, 2) ? span(lua_tointeger(lua, 2), length) : 1;
    case WORK_SORT:
        break;
    }
    return span(1, length) * 16;
}

static int by_elements(lua_State *lua) {
    int count = lua_gettop(lua);
    sw_script_charge(lua, table_cost(lua, (enum table_work)lua_tointeger(lua, lua_upvalueindex(2))));
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, count, LUA_MULTRET);
    return lua_gettop(lua);
}

/* ---- calls that Lua's hook does not see ---- */

/* The handler of the library's xpcall runs inside of what failed; when that is the hook which ends
 * a budget, without a hook. Here it runs after the failed call is gone. */
static int finish_xpcall(lua_State *lua, int status, lua_KContext context) {
    if (status == LUA_OK || status == LUA_YIELD) {
        return lua_gettop(lua) - (int)context;
    }
    sw_script_charge(lua, 10); /* raises at once when the budget is gone */
    lua_pushvalue(lua, 2);
    lua_insert(lua, -2);
    lua_call(lua, 1, 1);
    lua_pushboolean(lua, 0);
    lua_insert(lua, -2);
    return 2;
}

/* Catching costs far more than an instruction. */
enum { CATCHING = 1000 };

static int handled_call(lua_State *lua) {
    int count = lua_gettop(lua);
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    sw_script_charge(lua, CATCHING);
    lua_pushboolean(lua, 1);
    lua_pushvalue(lua, 1);
    lua_rotate(lua, 3, 2); /* function, handler, true, function, arguments */
    int status = lua_pcallk(lua, count - 2, LUA_MULTRET, 0, 2, finish_xpcall);
    return finish_xpcall(lua, status, 2);
}

static int finish_pcall(lua_State *lua, int status, lua_KContext context) {
    (void)context;
    if (status == LUA_OK || status == LUA_YIELD) {
        return lua_gettop(lua);
    }
    lua_pushboolean(lua, 0);
    lua_insert(lua, -2);
    return 2;
}

static int protected_call(lua_State *lua) {
    luaL_checkany(lua, 1);
    sw_script_charge(lua, CATCHING);
    lua_pushboolean(lua, 1);
    lua_insert(lua, 1);
    int status = lua_pcallk(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0, 0, finish_pcall);
    return finish_pcall(lua, status, 0);
}

/* A new coroutine counts its instructions from nothing: it pays for a thousand at once. */
static int new_coroutine(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TFUNCTION);
    sw_script_charge(lua, 1500);
    lua_State *fresh = lua_newthread(lua);
    lua_pushvalue(lua, 1);
    lua_xmove(lua, fresh, 1);
    return 1;
}

/* One step of a wrapped coroutine, the upvalue. The library's version closes what failed, and
 * variables to be closed would then run without a hook: here they stay as they are. */
static int resume_wrapped(lua_State *lua) {
    lua_State *other = lua_tothread(lua, lua_upvalueindex(1));
    int count = lua_gettop(lua), results;
    if (!lua_checkstack(other, count)) {
        return luaL_error(lua, "too many arguments to a coroutine");
    }
    lua_xmove(lua, other, count);
    int status = lua_resume(other, lua, count, &results);
    if (status == LUA_OK || status == LUA_YIELD) {
        if (!lua_checkstack(lua, results + 1)) {
            lua_pop(other, results);
            return luaL_error(lua, "too many results of a coroutine");
        }
        lua_xmove(other, lua, results);
        return results;
    }
    lua_xmove(other, lua, 1);
    return lua_error(lua);
}

static int wrap_coroutine(lua_State *lua) {
    new_coroutine(lua);
    lua_pushcclosure(lua, resume_wrapped, 1);
    return 1;
}

/* Closing runs variables to be closed: not once the budget is gone. */
static int close_coroutine(lua_State *lua) {
    sw_script_charge(lua, 100);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
    return lua_gettop(lua);
}

/* ---- putting it together ---- */

/* Replace field `name` of the table on top by a function that has the old one as its upvalue. */
static void wrap(lua_State *lua, const char *name, lua_CFunction function) {
    lua_getfield(lua, -1, name);
    lua_pushcclosure(lua, function, 1);
    lua_setfield(lua, -2, name);
}

static void wrap_table(lua_State *lua, const char *name, enum table_work work) {
    lua_getfield(lua, -1, name);
    lua_pushinteger(lua, work);
    lua_pushcclosure(lua, by_elements, 2);
    lua_setfield(lua, -2, name);
}

static void set(lua_State *lua, const char *name, lua_CFunction function) {
    sw_lua_set_function(lua, name, function);
}

static void remove_field(lua_State *lua, const char *name) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
}

/* The library's table on top of the stack. */
static void open_library(lua_State *lua, lua_CFunction open) {
    lua_pushcfunction(lua, open);
    lua_call(lua, 0, 1);
}

static void fill_string(lua_State *lua) {
    static const char *const linear[] = {"upper", "lower", "reverse", "unpack"};
    open_library(lua, luaopen_string);
    remove_field(lua, "dump");
    for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
        wrap(lua, linear[i], by_length);
    }
    wrap(lua, "sub", by_part);
    wrap(lua, "byte", by_part);
    wrap(lua, "format", format);
    set(lua, "rep", repeat);
    sw_sandbox_patterns(lua);
    /* The methods of strings are this table; a script may not put another in its place. */
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    sw_lua_set_truth(lua, "__metatable", false);
    lua_pop(lua, 2);
    lua_setfield(lua, -2, "string");
}

static void fill_others(lua_State *lua) {
    open_library(lua, luaopen_table);
    wrap_table(lua, "concat", WORK_CONCAT);
    wrap_table(lua, "insert", WORK_SHIFT);
    wrap_table(lua, "remove", WORK_SHIFT);
    wrap_table(lua, "move", WORK_MOVE);
    wrap_table(lua, "sort", WORK_SORT);
    wrap_table(lua, "unpack", WORK_UNPACK);
    lua_setfield(lua, -2, "table");
    open_library(lua, luaopen_math);
    lua_setfield(lua, -2, "math");
    open_library(lua, luaopen_utf8);
    wrap(lua, "len", by_length);
    wrap(lua, "codepoint", by_length);
    wrap(lua, "offset", by_length);
    lua_setfield(lua, -2, "utf8");
    open_library(lua, luaopen_coroutine);
    set(lua, "create", new_coroutine);
    set(lua, "wrap", wrap_coroutine);
    wrap(lua, "close", close_coroutine);
    lua_setfield(lua, -2, "coroutine");
}

void sw_sandbox_fill(lua_State *lua) {
    static const char *const base[] = {"assert", "error",    "ipairs", "select",   "type",        "tonumber",
                                       "rawget", "rawequal", "rawlen", "_VERSION", "getmetatable"};
    open_library(lua, luaopen_base); /* the state's own globals, which no script sees */
    for (size_t i = 0; i < sizeof base / sizeof *base; i++) {
        lua_getfield(lua, -1, base[i]);
        lua_setfield(lua, -3, base[i]);
    }
    lua_pop(lua, 1);
    set(lua, "pcall", protected_call);
    set(lua, "xpcall", handled_call);
    set(lua, "tostring", value_text);
    set(lua, "print", print_values);
    set(lua, "pairs", pairs);
    set(lua, "next", next_key);
    set(lua, "setmetatable", set_metatable);
    set(lua, "rawset", raw_set);
    set(lua, "require", sw_sandbox_require);
    fill_string(lua);
    fill_others(lua);
}
