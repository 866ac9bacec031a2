/* Lists of moves as data of Lua. */
#include "lua/experiments/fit_api.h"
#include "base/sort.h"
#include "base/base.h"

#include "lua/experiments/order_api.h"
#include "lua/sandbox/lua_internal.h"

enum move_kind { MOVE_STRIPS, MOVE_ORDER };
static const char *const move_kinds[] = {[MOVE_STRIPS] = "strips", [MOVE_ORDER] = "order", NULL};
static const char *const searched[] = {"strips", NULL};
enum strips_way { WAY_DISCARD, WAY_PAD };
static const char *const way_words[] = {[WAY_DISCARD] = "discard", [WAY_PAD] = "pad", NULL};
enum strips_mode { MODE_HALO, MODE_KEEP, MODE_LOOP };
static const char *const mode_words[] = {[MODE_HALO] = "halo", [MODE_KEEP] = "keep", [MODE_LOOP] = "loop", NULL};

static const char *moved_name(const struct sw_problem *problem, uint32_t op) {
    return sw_problem_operator(problem, op)->name;
}

/* The place of a word in a list that ends with NULL; raises with those there are. */
static int check_word(lua_State *lua, const char *word, const char *const *words, const char *what, const char *key) {
    luaL_Buffer all;
    for (int i = 0; words[i]; i++) {
        if (word && strcmp(words[i], word) == 0) {
            return i;
        }
    }
    luaL_buffinit(lua, &all);
    for (int i = 0; words[i]; i++) {
        luaL_addstring(&all, i == 0 ? "" : words[i + 1] ? ", " : " or ");
        luaL_addstring(&all, words[i]);
    }
    luaL_pushresult(&all);
    return word ? luaL_error(lua, "%s: %s is %s, not %s", what, key, lua_tostring(lua, -1), word)
                : luaL_error(lua, "%s: %s is missing: %s", what, key, lua_tostring(lua, -1));
}

void sw_lua_check_kind(lua_State *lua, const char *kind, const char *what) {
    check_word(lua, kind, searched, what, "kind");
}

/* ---- reading ---- */

/* The text in a field of the table on top of the stack, which keeps it; NULL: there is none. Raises for what is no
 * text. */
static const char *move_text(lua_State *lua, const char *key) {
    if (!sw_lua_option(lua, -1, "moves", key, LUA_TSTRING, "a text")) {
        return NULL;
    }
    const char *text = lua_tostring(lua, -1);
    lua_pop(lua, 1);
    return text;
}

static int word_field(lua_State *lua, const char *key, const char *const *words) {
    const char *text = move_text(lua, key);
    return text ? check_word(lua, text, words, "moves", key) : 0;
}

static uint32_t operator_field(lua_State *lua, const char *key, const struct sw_problem *problem, uint32_t fallback) {
    const char *name = move_text(lua, key);
    uint32_t op = name ? sw_problem_find_operator(problem, name) : fallback;
    if (op == SW_NONE) {
        luaL_error(lua, name ? "moves: %s: there is no operator %s" : "moves: %s is missing: the name of an operator",
                   key, name);
    }
    return op;
}

/* Operators of the region by name, from its first on before `end`: a bit for each. */
static uint64_t operators_field(lua_State *lua, const char *key, const struct sw_problem *problem,
                                const struct sw_fit_region *region, uint32_t end) {
    uint64_t bits = 0;
    if (!sw_lua_option(lua, -1, "moves", key, LUA_TTABLE, "a list")) {
        return 0;
    }
    size_t count = lua_rawlen(lua, -1);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i);
        const char *name = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : NULL;
        uint32_t op = name ? sw_problem_find_operator(problem, name) : SW_NONE;
        if (op == SW_NONE || op < region->first || op >= end || op - region->first >= 64) {
            luaL_error(lua, "moves: %s: %s is no operator from %s %s %s", key, name ? name : luaL_typename(lua, -1),
                       moved_name(problem, region->first), end > region->last ? "to" : "on before",
                       moved_name(problem, region->last));
        }
        bits |= UINT64_C(1) << (op - region->first);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return bits;
}

/* Where strips end that are not of one length: a row for each but the last. */
static void read_strip_ends(lua_State *lua, struct sw_fit_region *region) {
    if (!sw_lua_option(lua, -1, "moves", "ends", LUA_TTABLE, "a list")) {
        return;
    }
    size_t count = lua_rawlen(lua, -1);
    if (count + 1 != region->strips || count > SW_FIT_ENDS) {
        luaL_error(lua, "moves: ends has a row for each strip but the last, and at most %d", SW_FIT_ENDS);
    }
    for (size_t i = 1; i <= count; i++) {
        int whole;
        lua_rawgeti(lua, -1, (lua_Integer)i);
        lua_Integer row = lua_tointegerx(lua, -1, &whole);
        if (!whole || row < 1 || row > UINT16_MAX) {
            luaL_error(lua, "moves: ends has rows from 1 to %d", UINT16_MAX);
        }
        region->ends[i - 1] = (uint16_t)row;
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

/* The table on top of the stack. */
static struct sw_fit_region read_strips_move(lua_State *lua, const struct sw_problem *problem) {
    static const char *const known[] = {"kind", "first", "last",      "strips", "way",  "padded", "mode",
                                        "kept", "ends",  "backwards", "lead",   "rows", NULL};
    struct sw_fit_region region = {0};
    int move = lua_gettop(lua);
    sw_lua_check_keys(lua, move, known, "moves");
    region.first = operator_field(lua, "first", problem, SW_NONE);
    region.last = operator_field(lua, "last", problem, region.first);
    if (region.last < region.first) {
        luaL_error(lua, "moves: last, %s, runs before first, %s", moved_name(problem, region.last),
                   moved_name(problem, region.first));
    }
    lua_Integer strips = sw_lua_option_whole(lua, move, "moves", "strips", 1, 0);
    if (strips < 2 || strips > INT32_MAX) {
        luaL_error(lua, "moves: strips is how many there are of %s to %s, from 2 on", moved_name(problem, region.first),
                   moved_name(problem, region.last));
    }
    region.strips = (uint32_t)strips;
    enum strips_way way = (enum strips_way)word_field(lua, "way", way_words);
    enum strips_mode mode = (enum strips_mode)word_field(lua, "mode", mode_words);
    region.padded = operators_field(lua, "padded", problem, &region, region.last + 1);
    region.padded = way == WAY_PAD && region.padded == 0 ? SW_FIT_PAD_ALL : region.padded;
    region.kept = operators_field(lua, "kept", problem, &region, region.last);
    read_strip_ends(lua, &region);
    region.kept = mode == MODE_KEEP && region.kept == 0 ? SW_FIT_KEEP_ALL : region.kept;
    if (sw_lua_option(lua, move, "moves", "backwards", LUA_TBOOLEAN, "true or false")) {
        region.backwards = lua_toboolean(lua, -1);
        lua_pop(lua, 1);
    }
    region.loop = mode == MODE_LOOP;
    if (region.loop) {
        region.lead = (uint32_t)SW_MIN(sw_lua_option_whole(lua, move, "moves", "lead", 1, 1), INT32_MAX);
        region.rows = (uint32_t)SW_MIN(sw_lua_option_whole(lua, move, "moves", "rows", 1, 1), INT32_MAX);
    }
    return region;
}

SW_BY_FIELDS(regions_by_first_operator, struct sw_fit_region, SW_UP(first))

void sw_lua_moves_done(struct sw_lua_moves *moves) {
    sw_problem_unref(moves->ordered);
    SW_FREE(moves->regions, moves->count);
    *moves = (struct sw_lua_moves){0};
}

static int close_moves(lua_State *lua) {
    sw_lua_moves_done(lua_touserdata(lua, 1));
    return 0;
}

/* The table on top of the stack: an order of all operators. */
static void read_order_move(lua_State *lua, struct sw_lua_moves *moves) {
    static const char *const known[] = {"kind", "operators", NULL};
    sw_lua_check_keys(lua, lua_gettop(lua), known, "moves");
    if (moves->ordered || moves->why.code != SW_OK) {
        luaL_error(lua, "moves: there are two orders, and the operators run in one");
    }
    lua_getfield(lua, -1, "operators");
    moves->ordered = sw_lua_order_of(lua, -1, moves->problem, &moves->why);
    sw_script_check_memory(lua, moves->ordered || moves->why.code != SW_ERROR_MEMORY);
    moves->problem = moves->ordered ? moves->ordered : moves->problem;
    lua_pop(lua, 1);
}

/* Push the move number i of the list at `index`; its kind. */
static enum move_kind push_move(lua_State *lua, int index, size_t i) {
    if (lua_rawgeti(lua, index, (lua_Integer)i) != LUA_TTABLE) {
        luaL_error(lua, "moves: number %I is %s, not a table {kind, first, last, strips, way, mode}", (LUAI_UACINT)i,
                   luaL_typename(lua, -1));
    }
    return (enum move_kind)check_word(lua, move_text(lua, "kind"), move_kinds, "moves", "kind");
}

struct sw_lua_moves *sw_lua_read_moves(lua_State *lua, int index, const struct sw_problem *problem) {
    index = lua_absindex(lua, index);
    luaL_checkstack(lua, 12, "moves");
    if (!lua_istable(lua, index)) {
        luaL_error(lua, "moves is a list of tables {kind, first, last, strips, way, mode}, not %s",
                   luaL_typename(lua, index));
    }
    size_t count = lua_rawlen(lua, index), next = 0;
    if (count == 0 && (lua_pushnil(lua), lua_next(lua, index))) {
        luaL_error(lua, "moves is a list of moves, not one of them: {{kind = \"strips\", ...}}");
    }
    struct sw_lua_moves *moves = sw_lua_new(lua, sizeof *moves, 0, "stowage.moves", close_moves);
    moves->problem = problem;
    for (size_t i = 1; i <= count; i++) {
        if (push_move(lua, index, i) == MOVE_ORDER) {
            read_order_move(lua, moves);
        } else {
            moves->count++;
        }
        lua_pop(lua, 1);
    }
    moves->regions = SW_NEW_ZERO(struct sw_fit_region, moves->count);
    sw_script_check_memory(lua, moves->count == 0 || moves->regions);
    for (size_t i = 1; i <= count; i++) {
        if (push_move(lua, index, i) == MOVE_STRIPS) {
            moves->regions[next++] = read_strips_move(lua, moves->problem);
        }
        lua_pop(lua, 1);
    }
    if (moves->count > 1) {
        qsort(moves->regions, moves->count, sizeof *moves->regions, regions_by_first_operator);
    }
    sw_script_charge(lua, 10 * count);
    return moves;
}

/* ---- writing ---- */

/* A list of the region's operators with their bit set, into a field of the table on top of the stack. */
static void push_operators(lua_State *lua, const struct sw_problem *problem, const struct sw_fit_region *region,
                           const char *key, uint64_t bits, uint32_t end) {
    lua_createtable(lua, 0, 0);
    for (uint32_t op = region->first, next = 0; op < end && op - region->first < 64; op++) {
        if (bits >> (op - region->first) & 1) {
            lua_pushstring(lua, moved_name(problem, op));
            lua_rawseti(lua, -2, (lua_Integer)++next);
        }
    }
    lua_setfield(lua, -2, key);
}

static void push_strips(lua_State *lua, const struct sw_problem *problem, const struct sw_fit_region *region) {
    lua_createtable(lua, 0, 6);
    sw_lua_set_text(lua, "kind", move_kinds[MOVE_STRIPS]);
    sw_lua_set_text(lua, "first", moved_name(problem, region->first));
    sw_lua_set_text(lua, "last", moved_name(problem, region->last));
    sw_lua_set_count(lua, "strips", region->strips);
    sw_lua_set_text(lua, "way", way_words[region->padded ? WAY_PAD : WAY_DISCARD]);
    sw_lua_set_text(lua, "mode", mode_words[region->loop ? MODE_LOOP : region->kept ? MODE_KEEP : MODE_HALO]);
    if (region->padded && region->padded != SW_FIT_PAD_ALL) {
        push_operators(lua, problem, region, "padded", region->padded, region->last + 1);
    }
    if (region->kept) {
        push_operators(lua, problem, region, "kept", region->kept, region->last);
    }
    if (region->ends[0] > 0) {
        lua_createtable(lua, 0, 0);
        for (uint32_t s = 0; s + 1 < region->strips; s++) {
            lua_pushinteger(lua, region->ends[s]);
            lua_rawseti(lua, -2, (lua_Integer)s + 1);
        }
        lua_setfield(lua, -2, "ends");
    }
    if (region->backwards) {
        sw_lua_set_truth(lua, "backwards", true);
    }
    if (region->loop) {
        sw_lua_set_count(lua, "lead", region->lead);
        sw_lua_set_count(lua, "rows", region->rows);
    }
}

static void push_order(lua_State *lua, const struct sw_problem *problem) {
    uint32_t count = sw_problem_operator_count(problem);
    lua_createtable(lua, 0, 2);
    sw_lua_set_text(lua, "kind", move_kinds[MOVE_ORDER]);
    lua_createtable(lua, (int)count, 0);
    for (uint32_t op = 0; op < count; op++) {
        lua_pushstring(lua, moved_name(problem, op));
        lua_rawseti(lua, -2, (lua_Integer)op + 1);
    }
    lua_setfield(lua, -2, "operators");
}

void sw_lua_push_moves(lua_State *lua, const struct sw_lua_moves *moves) {
    lua_Integer next = 0;
    lua_createtable(lua, (int)moves->count, 0);
    if (moves->ordered) {
        push_order(lua, moves->ordered);
        lua_rawseti(lua, -2, ++next);
    }
    for (size_t i = 0; i < moves->count; i++) {
        push_strips(lua, moves->problem, &moves->regions[i]);
        lua_rawseti(lua, -2, ++next);
    }
}

/* ---- making ---- */

bool sw_lua_make_moves(lua_State *lua, const struct sw_lua_moves *moves, struct sw_fit_program *program) {
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    const struct sw_problem *problem = moves->problem;
    size_t which = 0;
    if (moves->why.code != SW_OK) {
        lua_pushfstring(lua, "order: %s", moves->why.message);
        return false;
    }
    if (sw_fit_program_make(problem, moves->regions, moves->count, program, &refusal)) {
        return true;
    }
    sw_fit_program_done(program); /* before anything can raise */
    sw_script_check_memory(lua, refusal.op != SW_NONE);
    for (size_t i = 0; i < moves->count; i++) { /* of two that overlap, the second */
        which = moves->regions[i].first <= refusal.op && refusal.op <= moves->regions[i].last ? i : which;
    }
    const struct sw_fit_region *region = &moves->regions[which];
    lua_pushfstring(lua, "%s to %s in %d strips: %s: %s", moved_name(problem, region->first),
                    moved_name(problem, region->last), (int)region->strips, moved_name(problem, refusal.op),
                    refusal.reason);
    return false;
}

struct sw_problem *sw_lua_with_moves(lua_State *lua, int index, const struct sw_problem *problem) {
    struct sw_fit_program program = {0};
    struct sw_error error = {0};
    struct sw_lua_moves *moves = sw_lua_read_moves(lua, index, problem);
    if (!sw_lua_make_moves(lua, moves, &program)) {
        luaL_error(lua, "moves: %s", lua_tostring(lua, -1));
    }
    uint64_t paused = sw_script_pause(lua);
    struct sw_problem *changed = sw_fit_program_problem(&program, &error);
    sw_fit_program_done(&program);
    sw_script_resume(lua, paused);
    sw_script_check(lua, changed, "moves: ", &error);
    sw_lua_moves_done(moves); /* may be large, and the collector does not know */
    lua_pop(lua, 1);
    return changed;
}
