/* What graph:moment() gives back: what an allocator held at one instant, as tables (problem/moment/moment.h). */
#include "base/base.h"
#include "heap/heap_moment.h"
#include "lua/experiments/api.h"
#include "lua/moment_values.h"
#include "lua/sandbox/lua_internal.h"
#include "planners/planner.h"
#include "view/moment/moment_words.h"

static void set_known(lua_State *lua, const char *key, uint64_t value) {
    if (value != SW_UNTOLD) {
        sw_lua_set_count(lua, key, value);
    }
}

static void set_words(lua_State *lua, const char *key, const char *words) {
    if (words) {
        sw_lua_set_text(lua, key, words);
    }
}

static void set_fields(lua_State *lua, const struct sw_moment_field *fields, const void *part) {
    for (; fields->name; fields++) {
        const void *from = sw_moment_field_of(part, fields);
        unsigned count;
        switch (fields->kind) {
        case SW_MOMENT_IS_TEXT:
            set_words(lua, fields->name, *(const char *const *)from);
            break;
        case SW_MOMENT_IS_FLAG:
            sw_lua_set_truth(lua, fields->name, *(const bool *)from);
            break;
        case SW_MOMENT_IS_STATE:
        case SW_MOMENT_IS_FIGURE:
            set_words(lua, fields->name, sw_moment_kind_words(fields->kind, &count)[*(const unsigned *)from]);
            break;
        default:
            set_known(lua, fields->name, *(const uint64_t *)from);
        }
    }
}

/* `blocks`: those that follow one another from number `first` on. */
static void set_blocks(lua_State *lua, const struct sw_moment *moment, size_t first, size_t count) {
    lua_createtable(lua, (int)SW_MIN(count, (size_t)INT32_MAX), 0);
    for (size_t i = 0; i < count; i++) {
        lua_createtable(lua, 0, 7);
        set_fields(lua, sw_moment_block_fields, &moment->blocks.items[first + i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    sw_script_charge(lua, count);
    lua_setfield(lua, -2, "blocks");
}

static void set_segments(lua_State *lua, const struct sw_moment *moment) {
    size_t inside = 0;
    lua_newtable(lua);
    for (size_t i = 0; i < moment->segments.count; i++) {
        const struct sw_moment_segment *segment = &moment->segments.items[i];
        lua_createtable(lua, 0, 7);
        set_fields(lua, sw_moment_segment_fields, segment);
        sw_lua_set_truth(lua, "implied", segment->implied);
        set_blocks(lua, moment, segment->first, segment->count);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
        inside += segment->count;
    }
    sw_script_charge(lua, moment->segments.count);
    lua_setfield(lua, -2, "segments");
    set_blocks(lua, moment, inside, moment->blocks.count - inside); /* in no segment that is told */
}

static int close_groups(lua_State *lua) {
    struct sw_moment_groups *groups = lua_touserdata(lua, 1);
    SW_ARRAY_DONE(&groups->items);
    return 0;
}

static void set_groups(lua_State *lua, const char *key, const struct sw_moment *moment, enum sw_moment_by by) {
    struct sw_moment_groups *groups = sw_lua_new(lua, sizeof *groups, 0, "stowage.groups", close_groups);
    sw_script_check_memory(lua, sw_moment_group_by(moment, by, groups));
    lua_newtable(lua);
    for (size_t i = 0; i < groups->items.count; i++) {
        const struct sw_moment_group *group = &groups->items.items[i];
        lua_createtable(lua, 0, 3);
        if (by == SW_MOMENT_BY_SIZE) {
            sw_lua_set_count(lua, "size", group->size);
        } else {
            set_words(lua, "origin", group->origin);
        }
        sw_lua_set_count(lua, "count", group->count);
        sw_lua_set_count(lua, "bytes", group->bytes);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    sw_script_charge(lua, moment->blocks.count);
    sw_lua_close(lua, -2);
    lua_remove(lua, -2);
    lua_setfield(lua, -2, key);
}

static void set_failure(lua_State *lua, const struct sw_moment *moment, const struct sw_moment_sums *sums) {
    const struct sw_moment_failure *failure = &moment->failure;
    struct sw_moment_window window;
    if (failure->size == SW_UNTOLD) {
        return;
    }
    lua_createtable(lua, 0, 10);
    set_fields(lua, sw_moment_failure_fields, failure);
    sw_lua_set_count(lua, "block", sums->needed);
    lua_setfield(lua, -2, "failed");
    sw_moment_release(moment, sums->most, &window);
    if (window.segment != SW_NONE) {
        lua_createtable(lua, 0, 5);
        sw_lua_set_count(lua, "segment", (uint64_t)window.segment + 1);
        sw_lua_set_count(lua, "bytes", window.bytes);
        sw_lua_set_count(lua, "used", window.used);
        sw_lua_set_count(lua, "used_bytes", window.used_bytes);
        set_blocks(lua, moment, window.first, window.count);
        lua_setfield(lua, -2, "release");
    }
}

void sw_moment_push(lua_State *lua, const struct sw_moment *moment) {
    struct sw_moment_sums sums;
    if (!moment) {
        lua_pushnil(lua);
        return;
    }
    sw_moment_sum(moment, &sums);
    lua_newtable(lua);
    for (enum sw_moment_figure figure = 0; figure < SW_MOMENT_FIGURES; figure++) {
        set_known(lua, sw_moment_figure_key(figure), sums.figure[figure]);
    }
    set_fields(lua, sw_moment_about_fields, moment);
    set_segments(lua, moment);
    set_groups(lua, "sizes", moment, SW_MOMENT_BY_SIZE);
    set_groups(lua, "origins", moment, SW_MOMENT_BY_ORIGIN);
    set_failure(lua, moment, &sums);
}

/* ---- requests from a moment on ---- */

struct lua_next {
    struct sw_moment_start start;
    struct sw_params params;
};

static int close_next(lua_State *lua) {
    struct lua_next *next = lua_touserdata(lua, 1);
    sw_moment_start_end(&next->start);
    sw_params_done(&next->params);
    return 0;
}

/* The number of a name; new ones are counted. `names` is the index of a table. */
static uint32_t buffer_number(lua_State *lua, int names, const char *name, uint32_t *count) {
    if (lua_getfield(lua, names, name) == LUA_TNIL) {
        lua_pushinteger(lua, (lua_Integer)*count);
        lua_setfield(lua, names, name);
        lua_pop(lua, 1);
        return (*count)++;
    }
    uint32_t number = (uint32_t)lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    return number;
}

/* A name that is none yet may be that of a block of the moment. */
static void name_held(lua_State *lua, const struct sw_moment *moment, int names, const char *name) {
    uint32_t held = 0, block = lua_getfield(lua, names, name) == LUA_TNIL ? sw_moment_named(moment, name) : SW_NONE;
    lua_pop(lua, 1);
    for (uint32_t i = 0; block != SW_NONE && i < block; i++) {
        held += sw_held_is_taken(&moment->blocks.items[i]);
    }
    if (block != SW_NONE) {
        lua_pushinteger(lua, (lua_Integer)held);
        lua_setfield(lua, names, name);
    }
}

/* The request at the top of the stack, which is popped: {alloc = NAME, size, stream}, {free = NAME}, "empty_cache". */
static void read_request(lua_State *lua, const struct sw_moment *moment, struct sw_moment_start *start, int names,
                         uint32_t *count, struct sw_turn *turn) {
    static const char *const known[] = {"alloc", "free", "size", "stream", NULL};
    *turn = SW_TURN_NEW;
    if (lua_type(lua, -1) == LUA_TSTRING && strcmp(lua_tostring(lua, -1), "empty_cache") == 0) {
        turn->kind = SW_REQUEST_EMPTY;
        lua_pop(lua, 1);
        return;
    }
    int at = lua_gettop(lua);
    luaL_checktype(lua, at, LUA_TTABLE);
    sw_lua_check_keys(lua, at, known, "graph:go_on: a request");
    bool alloc = lua_getfield(lua, at, "alloc") == LUA_TSTRING;
    if (!alloc && lua_getfield(lua, at, "free") != LUA_TSTRING) {
        luaL_error(lua, "graph:go_on: a request is {alloc = NAME, size = BYTES}, {free = NAME} or \"empty_cache\"");
    }
    turn->kind = alloc ? SW_REQUEST_ALLOC : SW_REQUEST_FREE;
    uint32_t before = *count;
    if (!alloc) {
        name_held(lua, moment, names, lua_tostring(lua, -1));
    }
    turn->buffer = buffer_number(lua, names, lua_tostring(lua, -1), count);
    bool there = sw_heap_block_of(start->heap, turn->buffer) != SW_NONE;
    if (alloc && there) {
        luaL_error(lua, "graph:go_on: '%s' is allocated already", lua_tostring(lua, -1));
    } else if (!alloc && before != *count) {
        luaL_error(lua, "graph:go_on: '%s' is freed, and was never allocated", lua_tostring(lua, -1));
    }
    turn->size = alloc ? (uint64_t)sw_lua_option_whole(lua, at, "graph:go_on", "size", 0, -1) : 0;
    if (turn->size > SW_MAX_BYTES) {
        luaL_error(lua, "graph:go_on: 'size' is a number of bytes from 0 to 2^61");
    }
    lua_Integer stream = sw_lua_option_whole(lua, at, "graph:go_on", "stream", 0, 0);
    turn->stream = sw_requests_stream(start->known, stream);
    sw_script_check_memory(lua, turn->stream != SW_NONE);
    lua_settop(lua, at - 1);
}

static void push_answer(lua_State *lua, const struct sw_turn *turn, const struct sw_moment_answer *answer) {
    lua_createtable(lua, 0, 7);
    if (turn->kind == SW_REQUEST_ALLOC) {
        sw_lua_set_truth(lua, "served", !answer->failed);
    }
    set_known(lua, "address", answer->address);
    set_known(lua, "block", answer->block ? answer->block : SW_UNTOLD);
    set_known(lua, "new_segment", answer->segment ? answer->segment : SW_UNTOLD);
    set_known(lua, "refused", answer->refused ? answer->refused : SW_UNTOLD);
    set_known(lua, "given_back", answer->given ? answer->given : SW_UNTOLD);
    sw_lua_set_text(lua, "reason", answer->why);
}

int sw_moment_go_on_push(lua_State *lua, int options, const struct sw_moment *moment) {
    struct sw_error error = {0};
    const char *name = moment ? moment->planner : NULL;
    if (!moment) {
        return luaL_error(lua, "graph:go_on: this is no moment of an allocator");
    }
    if (sw_lua_option(lua, options, "graph:go_on", "planner", LUA_TSTRING, "the name of a planner")) {
        name = lua_tostring(lua, -1); /* it stays in the table */
        lua_pop(lua, 1);
    }
    const struct sw_planner *planner = name ? sw_planner_find(name, &error) : NULL;
    if (!planner) {
        return luaL_error(lua, "graph:go_on: %s", name ? error.message : "no planner is told: give one");
    }
    uint64_t limit = (uint64_t)sw_lua_option_whole(lua, options, "graph:go_on", "limit", 0, -1);
    if (!sw_lua_option(lua, options, "graph:go_on", "requests", LUA_TTABLE, "a list of requests")) {
        return luaL_error(lua, "graph:go_on: 'requests' is missing");
    }
    int list = lua_gettop(lua);
    uint32_t room = (uint32_t)SW_MIN(lua_rawlen(lua, list), (lua_Unsigned)1 << 24);
    struct lua_next *next = sw_lua_new(lua, sizeof *next, 0, "stowage.moment_next", close_next);
    struct sw_moment_start *start = &next->start;
    next->params = (struct sw_params)SW_PARAMS_DEFAULT;
    sw_lua_read_settings(lua, options, "settings", &next->params);
    if (!sw_moment_start(moment, NULL, planner, &next->params, limit, room, start, &error)) {
        return luaL_error(lua, "graph:go_on: %s", error.message);
    }
    lua_newtable(lua); /* numbers of names */
    int names = lua_gettop(lua);
    uint32_t count = start->held;
    lua_newtable(lua);
    for (uint32_t i = 1; i <= room; i++) {
        struct sw_turn turn;
        struct sw_moment_answer answer;
        lua_rawgeti(lua, list, i);
        read_request(lua, moment, start, names, &count, &turn);
        sw_script_check_memory(lua, sw_moment_go_on(start->heap, &turn, &answer, &error));
        push_answer(lua, &turn, &answer);
        lua_rawseti(lua, -2, i);
        sw_script_charge(lua, 100);
    }
    sw_lua_set_count(lua, "reserved", start->heap->reserved);
    sw_lua_set_count(lua, "in_use", start->heap->allocated);
    sw_lua_set_count(lua, "free", start->heap->reserved - start->heap->active);
    sw_lua_set_count(lua, "largest_free", sw_heap_largest_free(start->heap));
    sw_lua_close(lua, names - 1);
    return 1;
}
