/* string.find, match, gmatch and gsub: Lua's patterns, matched by a matcher that counts its steps.
 *
 * A pattern with several repetitions can take a time that grows with a power of the text's length,
 * inside one instruction. Here every step is charged to the script's budget. What patterns mean is
 * in the Lua reference manual, 6.4.1. */
#include "lua/sandbox/lua_internal.h"
#include "base/base.h"

enum { MOST_CAPTURES = 32, MOST_MATCH_DEPTH = 200, STEPS_AT_ONCE = 4096 };
#define OPEN_CAPTURE SIZE_MAX   /* a capture that is not closed yet */
#define POSITION (SIZE_MAX - 1) /* a capture of a position */

struct match {
    lua_State *lua;
    const char *text, *text_end;
    const char *pattern_end;
    unsigned depth;
    uint32_t steps; /* not charged yet */
    unsigned count; /* of captures */
    struct {
        const char *at;
        size_t length;
    } captures[MOST_CAPTURES];
};

static void count_step(struct match *match) {
    if (++match->steps >= STEPS_AT_ONCE) {
        match->steps = 0;
        sw_script_charge(match->lua, STEPS_AT_ONCE);
    }
}

static void charge_steps(struct match *match) {
    sw_script_charge(match->lua, match->steps + 10);
    match->steps = 0;
}

/* ---- one character ---- */

/* Where the single-character item that begins at `p` ends. */
static const char *item_end(struct match *match, const char *p) {
    if (p == match->pattern_end) {
        luaL_error(match->lua, "malformed pattern (it ends unexpectedly)");
    }
    if (*p == '%') {
        if (p + 1 == match->pattern_end) {
            luaL_error(match->lua, "malformed pattern (it ends with '%%')");
        }
        return p + 2;
    }
    if (*p != '[') {
        return p + 1;
    }
    const char *at = p + 1;
    if (at < match->pattern_end && *at == '^') {
        at++;
    }
    for (bool first = true; first || at == match->pattern_end || *at != ']'; first = false) {
        if (at == match->pattern_end) {
            luaL_error(match->lua, "malformed pattern (missing ']')");
        }
        at += *at == '%' && at + 1 < match->pattern_end ? 2 : 1;
    }
    return at + 1;
}

/* The ranges of characters that each letter stands for, two by two. */
static const char *const class_ranges[UCHAR_MAX + 1] = {
    ['a'] = "azAZ",     ['c'] = "\1\37\177\177", ['d'] = "09", ['g'] = "!~",     ['l'] = "az",
    ['p'] = "!/:@[`{~", ['s'] = "  \t\r",        ['u'] = "AZ", ['w'] = "09azAZ", ['x'] = "09afAF"};

static bool in_class(unsigned char c, char letter) {
    bool large = letter >= 'A' && letter <= 'Z';
    const char *ranges = class_ranges[(unsigned char)(large ? letter | 32 : letter)];
    if (!ranges) {
        return c == (unsigned char)letter;
    }
    bool in = c == 0 && (letter | 32) == 'c';
    for (; *ranges && !in; ranges += 2) {
        in = c >= (unsigned char)ranges[0] && c <= (unsigned char)ranges[1];
    }
    return in != large;
}

/* The set between '[' at `p` and ']' at `last`. */
static bool in_set(unsigned char c, const char *p, const char *last) {
    bool wanted = true;
    p++;
    if (p < last && *p == '^') {
        wanted = false;
        p++;
    }
    while (p < last) {
        if (*p == '%' && p + 1 < last) {
            if (in_class(c, p[1])) {
                return wanted;
            }
            p += 2;
        } else if (p + 2 < last && p[1] == '-') {
            if ((unsigned char)p[0] <= c && c <= (unsigned char)p[2]) {
                return wanted;
            }
            p += 3;
        } else if ((unsigned char)*p++ == c) {
            return wanted;
        }
    }
    return !wanted;
}

static bool matches_one(struct match *match, const char *at, const char *p, const char *end) {
    count_step(match);
    if (at >= match->text_end) {
        return false;
    }
    unsigned char c = (unsigned char)*at;
    return *p == '.'   ? true
           : *p == '%' ? in_class(c, p[1])
           : *p == '[' ? in_set(c, p, end - 1)
                       : (unsigned char)*p == c;
}

/* ---- the pattern ---- */

static const char *match_here(struct match *match, const char *at, const char *p);

/* Where the item at `p` ends, when it is one that takes a single character, and must; else NULL. */
static const char *single_end(struct match *match, const char *p) {
    if (p == match->pattern_end || strchr("($)", *p) ||
        (*p == '%' && p + 1 < match->pattern_end && strchr("bf0123456789", p[1]))) {
        return NULL;
    }
    const char *end = item_end(match, p);
    return end < match->pattern_end && strchr("*?-", *end) ? NULL : end;
}

/* item*, item+: as many as there are, then fewer and fewer. */
static const char *greedy(struct match *match, const char *at, const char *p, const char *end, size_t least) {
    size_t count = 0;
    while (matches_one(match, at + count, p, end)) {
        count++;
    }
    for (; count + 1 > least; count--) {
        const char *result = match_here(match, at + count, end + 1);
        if (result || count == 0) {
            return result;
        }
    }
    return NULL;
}

/* item-: as few as will do. */
static const char *lazy(struct match *match, const char *at, const char *p, const char *end) {
    const char *next_end = single_end(match, end + 1);
    for (;;) {
        bool begins = !next_end || matches_one(match, at, end + 1, next_end);
        const char *result = begins ? match_here(match, at, end + 1) : NULL;
        if (result) {
            return result;
        }
        if (!matches_one(match, at, p, end)) {
            return NULL;
        }
        at++;
    }
}

static const char *open_capture(struct match *match, const char *at, const char *p, size_t length) {
    if (match->count == MOST_CAPTURES) {
        luaL_error(match->lua, "the pattern has too many captures");
    }
    match->captures[match->count].at = at;
    match->captures[match->count++].length = length;
    const char *result = match_here(match, at, p);
    match->count -= result == NULL;
    return result;
}

static const char *close_capture(struct match *match, const char *at, const char *p) {
    unsigned k = match->count;
    while (k > 0 && match->captures[k - 1].length != OPEN_CAPTURE) {
        k--;
    }
    if (k == 0) {
        luaL_error(match->lua, "invalid pattern capture: ')' without '('");
    }
    match->captures[k - 1].length = (size_t)(at - match->captures[k - 1].at);
    const char *result = match_here(match, at, p);
    if (!result) {
        match->captures[k - 1].length = OPEN_CAPTURE;
    }
    return result;
}

/* %b(): from one to the other, balanced. */
static const char *balanced(struct match *match, const char *at, const char *p) {
    if (match->pattern_end - p < 2) {
        luaL_error(match->lua, "malformed pattern (%%b wants two characters)");
    }
    if (at >= match->text_end || *at != p[0]) {
        return NULL;
    }
    size_t depth = 1;
    for (const char *here = at + 1; here < match->text_end; here++) {
        count_step(match);
        if (*here == p[1]) {
            if (--depth == 0) {
                return here + 1;
            }
        } else if (*here == p[0]) {
            depth++;
        }
    }
    return NULL;
}

/* %1: what a capture holds, again. */
static const char *captured_again(struct match *match, const char *at, char digit) {
    unsigned k = (unsigned)(digit - '1');
    if (k >= match->count || match->captures[k].length == OPEN_CAPTURE) {
        luaL_error(match->lua, "invalid capture index %%%d in the pattern", (int)k + 1);
    }
    size_t length = match->captures[k].length == POSITION ? 0 : match->captures[k].length;
    match->steps += (uint32_t)(SW_MIN(length, STEPS_AT_ONCE));
    if ((size_t)(match->text_end - at) >= length && memcmp(match->captures[k].at, at, length) == 0) {
        return at + length;
    }
    return NULL;
}

/* %f[set]: between a character outside of the set and one inside. */
static bool at_frontier(struct match *match, const char *at, const char *p, const char *end) {
    unsigned char before = at == match->text ? 0 : (unsigned char)at[-1];
    unsigned char here = at == match->text_end ? 0 : (unsigned char)*at;
    return !in_set(before, p, end - 1) && in_set(here, p, end - 1);
}

/* The items that are no single character; true when `p` was one, with the answer in `result`, or,
 * where the pattern goes on behind it, with `*at` and `*next` moved and `result` left alone. */
static bool match_special(struct match *match, const char **at, const char **p, const char **result) {
    const char *here = *p;
    bool more = here + 1 < match->pattern_end;
    if (*here == '(') {
        bool position = more && here[1] == ')';
        *result = open_capture(match, *at, here + 1 + position, position ? POSITION : OPEN_CAPTURE);
        return true;
    }
    if (*here == ')') {
        *result = close_capture(match, *at, here + 1);
        return true;
    }
    if (*here == '$' && !more) {
        *result = *at == match->text_end ? *at : NULL;
        return true;
    }
    if (*here != '%' || !more) {
        return false;
    }
    const char *after = NULL, *next = here + 2;
    if (here[1] == 'b') {
        after = balanced(match, *at, here + 2);
        next = here + 4;
    } else if (here[1] == 'f') {
        if (next == match->pattern_end || *next != '[') {
            luaL_error(match->lua, "malformed pattern (missing '[' after %%f)");
        }
        next = item_end(match, here + 2);
        after = at_frontier(match, *at, here + 2, next) ? *at : NULL;
    } else if (here[1] >= '0' && here[1] <= '9') {
        after = captured_again(match, *at, here[1]);
    } else {
        return false;
    }
    if (!after) {
        *result = NULL;
        return true;
    }
    *at = after;
    *p = next;
    return true;
}

/* The end of the match of `p` at `at`, or NULL. Recursion only where there is something to come
 * back to, and never deeper than MOST_MATCH_DEPTH. */
static const char *match_here(struct match *match, const char *at, const char *p) {
    if (match->depth >= MOST_MATCH_DEPTH) {
        luaL_error(match->lua, "the pattern is too complex");
    }
    match->depth++;
    const char *result = NULL;
    for (;;) {
        count_step(match);
        if (p == match->pattern_end) {
            result = at;
            break;
        }
        const char *before = p;
        if (match_special(match, &at, &p, &result)) {
            if (p == before) {
                break;
            }
            continue;
        }
        const char *end = item_end(match, p);
        char quantifier = end < match->pattern_end ? *end : '\0';
        if (quantifier == '*' || quantifier == '+') {
            result = greedy(match, at, p, end, quantifier == '+');
            break;
        }
        if (quantifier == '-') {
            result = lazy(match, at, p, end);
            break;
        }
        bool one = matches_one(match, at, p, end);
        if (quantifier == '?') {
            result = one ? match_here(match, at + 1, end + 1) : NULL;
            if (result) {
                break;
            }
            p = end + 1;
            continue;
        }
        if (!one) {
            break;
        }
        at++;
        p = end;
    }
    match->depth--;
    return result;
}

/* ---- captures ---- */

/* Capture k; without any the whole match is the first. */
static void push_capture(struct match *match, unsigned k, const char *from, const char *to) {
    if (k >= match->count) {
        if (k != 0) {
            luaL_error(match->lua, "invalid capture index %%%d", (int)k + 1);
        }
        lua_pushlstring(match->lua, from, (size_t)(to - from));
        return;
    }
    size_t length = match->captures[k].length;
    if (length == OPEN_CAPTURE) {
        luaL_error(match->lua, "unfinished capture");
    }
    if (length == POSITION) {
        lua_pushinteger(match->lua, match->captures[k].at - match->text + 1);
    } else {
        lua_pushlstring(match->lua, match->captures[k].at, length);
    }
}

static int push_captures(struct match *match, const char *from, const char *to) {
    unsigned count = match->count == 0 && from ? 1 : match->count;
    luaL_checkstack(match->lua, (int)count, "too many captures");
    for (unsigned k = 0; k < count; k++) {
        push_capture(match, k, from, to);
    }
    return (int)count;
}

static void begin_match(struct match *match, lua_State *lua, const char *text, size_t length, const char *pattern_end) {
    memset(match, 0, offsetof(struct match, captures));
    match->lua = lua;
    match->text = text;
    match->text_end = text + length;
    match->pattern_end = pattern_end;
}

/* `first_end`: what single_end says of `p`. */
static const char *try_at(struct match *match, const char *at, const char *p, const char *first_end) {
    match->count = 0;
    match->depth = 0;
    return !first_end || matches_one(match, at, p, first_end) ? match_here(match, at, p) : NULL;
}

/* ---- find and match ---- */

static bool is_plain_lua_pattern(const char *pattern, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (pattern[i] == '\0' || strchr("^$*+?.([%-", pattern[i])) {
            return false;
        }
    }
    return true;
}

/* From 1; negative ones count from the end. Past the end is one more than its length. */
static size_t start_of(lua_Integer from, size_t length) {
    if (from > 0) {
        return (size_t)from - 1;
    }
    if (from == 0 || from < -(lua_Integer)length) {
        return 0;
    }
    return length - (size_t)-from;
}

static int find_plain(lua_State *lua, const char *text, size_t length, size_t from, const char *pattern,
                      size_t pattern_length) {
    const char *found = pattern_length == 0 ? text + from : memmem(text + from, length - from, pattern, pattern_length);
    sw_script_charge(lua,
                     1 + (found ? (uint64_t)(found - text) - from : length - from) / 8); /* what was looked through */
    if (!found) {
        lua_pushnil(lua);
        return 1;
    }
    lua_pushinteger(lua, found - text + 1);
    lua_pushinteger(lua, found - text + (lua_Integer)pattern_length);
    return 2;
}

static int find_or_match(lua_State *lua, bool find) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(lua, 1, &length);
    const char *pattern = luaL_checklstring(lua, 2, &pattern_length);
    size_t from = start_of(luaL_optinteger(lua, 3, 1), length);
    struct match match;
    if (from > length) {
        lua_pushnil(lua);
        return 1;
    }
    if (find && (lua_toboolean(lua, 4) || is_plain_lua_pattern(pattern, pattern_length))) {
        return find_plain(lua, text, length, from, pattern, pattern_length);
    }
    bool anchored = pattern_length > 0 && *pattern == '^';
    begin_match(&match, lua, text, length, pattern + pattern_length);
    const char *first_end = single_end(&match, pattern + anchored);
    for (const char *at = text + from; at <= match.text_end; at++) {
        const char *end = try_at(&match, at, pattern + anchored, first_end);
        if (end) {
            charge_steps(&match);
            if (!find) {
                return push_captures(&match, at, end);
            }
            lua_pushinteger(lua, at - text + 1);
            lua_pushinteger(lua, end - text);
            return push_captures(&match, NULL, NULL) + 2;
        }
        if (anchored) {
            break;
        }
    }
    charge_steps(&match);
    lua_pushnil(lua);
    return 1;
}

static int find_pattern(lua_State *lua) {
    return find_or_match(lua, true);
}

static int match_(lua_State *lua) {
    return find_or_match(lua, false);
}

const char *sw_sandbox_take(lua_State *lua, const char *text, const char *at, const char *end, const char *pattern,
                            size_t length, bool whole) {
    struct match match;
    begin_match(&match, lua, text, (size_t)(end - text), pattern + length);
    const char *behind = NULL;
    if (!is_plain_lua_pattern(pattern, length) || memchr(pattern, ')', length)) { /* one alone is refused */
        behind = try_at(&match, at, pattern, NULL);
    } else if ((size_t)(end - at) >= length && memcmp(at, pattern, length) == 0) {
        behind = at + length;
    }
    charge_steps(&match);
    if (behind) {
        push_captures(&match, whole ? at : NULL, behind);
    }
    return behind;
}

/* ---- gmatch ---- */

/* Upvalues: the text, the pattern, where to go on, where the last match ended. */
static int next_of_matches(lua_State *lua) {
    size_t length, pattern_length;
    struct match match;
    const char *text = lua_tolstring(lua, lua_upvalueindex(1), &length);
    const char *pattern = lua_tolstring(lua, lua_upvalueindex(2), &pattern_length);
    size_t from = (size_t)lua_tointeger(lua, lua_upvalueindex(3));
    lua_Integer last = lua_tointeger(lua, lua_upvalueindex(4));
    begin_match(&match, lua, text, length, pattern + pattern_length);
    const char *first_end = from <= length ? single_end(&match, pattern) : NULL;
    for (; from <= length; from++) {
        const char *end = try_at(&match, text + from, pattern, first_end);
        if (end && end - text != last) {
            charge_steps(&match);
            lua_pushinteger(lua, end - text);
            lua_pushvalue(lua, -1);
            lua_replace(lua, lua_upvalueindex(3));
            lua_replace(lua, lua_upvalueindex(4));
            return push_captures(&match, text + from, end);
        }
    }
    charge_steps(&match);
    return 0;
}

static int gmatch(lua_State *lua) {
    size_t length;
    luaL_checklstring(lua, 1, &length);
    luaL_checkstring(lua, 2);
    size_t from = start_of(luaL_optinteger(lua, 3, 1), length);
    lua_settop(lua, 2);
    lua_pushinteger(lua, (lua_Integer)(from > length ? length + 1 : from));
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, next_of_matches, 4);
    return 1;
}

/* ---- gsub ---- */

/* The replacement text, in which %0 to %9 are captures. */
static void add_replaced(struct match *match, luaL_Buffer *buffer, const char *from, const char *to) {
    lua_State *lua = match->lua;
    size_t length;
    const char *text = lua_tolstring(lua, 3, &length);
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '%') {
            luaL_addchar(buffer, text[i]);
            continue;
        }
        char next = ++i < length ? text[i] : '\0';
        if (next == '%') {
            luaL_addchar(buffer, '%');
        } else if (next == '0') {
            luaL_addlstring(buffer, from, (size_t)(to - from));
        } else if (next >= '1' && next <= '9') {
            push_capture(match, (unsigned)(next - '1'), from, to);
            luaL_tolstring(lua, -1, NULL);
            lua_remove(lua, -2);
            luaL_addvalue(buffer);
        } else {
            luaL_error(lua, "invalid use of '%%' in the replacement");
        }
    }
}

/* True when the text was changed. */
static bool add_replacement(struct match *match, luaL_Buffer *buffer, const char *from, const char *to) {
    lua_State *lua = match->lua;
    int type = lua_type(lua, 3);
    if (type == LUA_TSTRING || type == LUA_TNUMBER) {
        add_replaced(match, buffer, from, to);
        return true;
    }
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(lua, 3);
        int count = push_captures(match, from, to);
        lua_call(lua, count, 1);
    } else {
        push_capture(match, 0, from, to);
        lua_gettable(lua, 3);
    }
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        luaL_addlstring(buffer, from, (size_t)(to - from));
        return false;
    }
    if (!lua_isstring(lua, -1)) {
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    }
    luaL_addvalue(buffer);
    return true;
}

static int gsub(lua_State *lua) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(lua, 1, &length);
    const char *pattern = luaL_checklstring(lua, 2, &pattern_length);
    int type = lua_type(lua, 3);
    lua_Integer most = luaL_optinteger(lua, 4, (lua_Integer)length + 1), count = 0;
    struct match match;
    luaL_Buffer buffer;
    luaL_argexpected(lua, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                     "string/function/table");
    lua_settop(lua, 3);
    bool anchored = pattern_length > 0 && *pattern == '^', changed = false;
    begin_match(&match, lua, text, length, pattern + pattern_length);
    luaL_buffinit(lua, &buffer);
    const char *at = text, *last = NULL, *first_end = most > 0 ? single_end(&match, pattern + anchored) : NULL;
    while (count < most) {
        const char *end = try_at(&match, at, pattern + anchored, first_end);
        if (end && end != last) {
            count++;
            changed = add_replacement(&match, &buffer, at, end) || changed;
            at = last = end;
        } else if (at < match.text_end) {
            luaL_addchar(&buffer, *at++);
        } else {
            break;
        }
        if (anchored) {
            break;
        }
    }
    charge_steps(&match);
    luaL_addlstring(&buffer, at, (size_t)(match.text_end - at));
    luaL_pushresult(&buffer);
    if (!changed) {
        lua_pushvalue(lua, 1);
    }
    lua_pushinteger(lua, count);
    return 2;
}

void sw_sandbox_patterns(lua_State *lua) {
    static const luaL_Reg functions[] = {
        {"find", find_pattern}, {"match", match_}, {"gmatch", gmatch}, {"gsub", gsub}, {NULL, NULL}};
    luaL_setfuncs(lua, functions, 0);
}
