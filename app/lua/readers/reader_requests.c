/* What a reader makes a list of requests of: each event is one call. See formats/requests/request_list.h. */
#include "lua/readers/reader_reading.h"
#include "base/base.h"

static struct sw_lua_reading *with_list(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    if (!reading->has_list) {
        luaL_error(lua, "after requests:done() there are no more requests");
    }
    return reading;
}

/* The texts of origins are kept by the list. */
static const char *request_origin(lua_State *lua, struct sw_lua_reading *reading, int index) {
    size_t length = 0;
    const char *text = luaL_optlstring(lua, index, NULL, &length);
    const char *origin = text ? sw_request_list_origin(&reading->list, text, length) : NULL;
    sw_script_check_memory(lua, !text || origin);
    return origin;
}

static uint64_t size_at(lua_State *lua, int index) {
    lua_Integer size = luaL_checkinteger(lua, index);
    luaL_argcheck(lua, size >= 0 && (uint64_t)size <= SW_MAX_BYTES, index, "a size is a number from 0 to 2^61");
    return (uint64_t)size;
}

/* alloc{id, size, address, stream, origin, at}: something was asked for; which living buffers of that id there are does
 * not matter. Returns its number. */
static int alloc(lua_State *lua) {
    static const char *const known[] = {"id", "size", "address", "stream", "origin", "at", NULL};
    struct sw_lua_reading *reading = with_list(lua);
    sw_reading_fields(lua, known, "alloc");
    bool addressed;
    struct sw_position at = sw_reading_place_field(lua, 2, reading);
    struct sw_listed_alloc alloc = {.line = at.line, .column = at.column};
    alloc.id = sw_reading_text(lua, 2, "id", &alloc.length);
    alloc.address = (uint64_t)sw_reading_integer(lua, 2, "address", 0, &addressed);
    alloc.address = addressed ? alloc.address : SW_NO_ADDRESS;
    alloc.stream = sw_reading_integer(lua, 2, "stream", 0, NULL);
    lua_getfield(lua, 2, "size");
    alloc.size = size_at(lua, -1);
    lua_getfield(lua, 2, "origin");
    alloc.origin = request_origin(lua, reading, -1);
    if (!alloc.id) {
        return luaL_error(lua, "an allocation needs an 'id'");
    }
    sw_reading_check(lua, sw_request_list_alloc(&reading->list, &alloc, &reading->error));
    lua_pushinteger(lua, (lua_Integer)reading->list.buffers.count);
    return 1;
}

/* The living buffer of a number, or the youngest living one of an id; SW_NONE: there is none. */
static uint32_t living_at(lua_State *lua, const struct sw_request_list *list, int index) {
    if (lua_isinteger(lua, index)) {
        lua_Integer number = lua_tointeger(lua, index);
        bool living =
            number >= 1 && (uint64_t)number <= list->buffers.count && list->buffers.items[number - 1].last == SW_NONE;
        return living ? (uint32_t)number - 1 : SW_NONE;
    }
    size_t length;
    const char *id = luaL_checklstring(lua, index, &length);
    return sw_request_list_find(list, id, length);
}

/* find(id or number): its number, and whether an older one of the same id is alive, too; nil where none is alive. */
static int find_request(lua_State *lua) {
    struct sw_lua_reading *reading = with_list(lua);
    uint32_t buffer = living_at(lua, &reading->list, 2);
    if (buffer == SW_NONE) {
        return 0;
    }
    lua_pushinteger(lua, (lua_Integer)buffer + 1);
    lua_pushboolean(lua, reading->list.buffers.items[buffer].older != SW_NONE);
    return 2;
}

static uint32_t check_living(lua_State *lua, const struct sw_request_list *list) {
    uint32_t buffer = living_at(lua, list, 2);
    luaL_argcheck(lua, buffer != SW_NONE, 2, "that buffer is not alive");
    return buffer;
}

/* drop(id or number): it was given back, though no line says so. */
static int drop_request(lua_State *lua) {
    struct sw_lua_reading *reading = with_list(lua);
    uint32_t buffer = check_living(lua, &reading->list);
    return sw_reading_check(lua, sw_request_list_free_silently(&reading->list, buffer, &reading->error));
}

/* origin(id or number, text): where it was asked for. */
static int set_origin(lua_State *lua) {
    struct sw_lua_reading *reading = with_list(lua);
    uint32_t buffer = check_living(lua, &reading->list);
    luaL_checkstring(lua, 3);
    reading->list.buffers.items[buffer].origin = request_origin(lua, reading, 3);
    return 0;
}

/* free(id or number, [stream]): the youngest living buffer of that id, or that buffer, was given back. Of what is not
 * there it is an event that does nothing: false. */
static int free_one(lua_State *lua) {
    struct sw_lua_reading *reading = with_list(lua);
    struct sw_request_list *list = &reading->list;
    uint32_t buffer = living_at(lua, list, 2);
    int64_t stream = luaL_optinteger(lua, 3, 0);
    bool good = buffer == SW_NONE
                    ? sw_request_list_pass(list, &reading->error)
                    : sw_request_list_free(list, buffer, lua_isnoneornil(lua, 3) ? NULL : &stream, &reading->error);
    sw_reading_check(lua, good);
    lua_pushboolean(lua, buffer != SW_NONE);
    return 1;
}

/* give(address, size, [origin]), take(address): of a log that tells addresses. give returns the buffer's number. */
static int give(lua_State *lua) {
    struct sw_lua_reading *reading = with_list(lua);
    uint64_t address = (uint64_t)luaL_checkinteger(lua, 2), size = size_at(lua, 3);
    const char *origin = request_origin(lua, reading, 4);
    sw_reading_check(lua,
                     sw_request_list_give(&reading->list, address, size, origin, reading->scan.line, &reading->error));
    lua_pushinteger(lua, (lua_Integer)reading->list.buffers.count);
    return 1;
}

static int take_address(lua_State *lua) {
    struct sw_lua_reading *reading = with_list(lua);
    return sw_reading_check(lua,
                            sw_request_list_take(&reading->list, (uint64_t)luaL_checkinteger(lua, 2), &reading->error));
}

/* refuse(size): the allocator said no. empty(): its cache was emptied. grow(size, [address]), shrink(size, [address]):
 * it got memory, or gave it back; without an address: so many bytes that the input shows nothing else of. */
static int add_other(lua_State *lua, enum sw_request_kind kind) {
    struct sw_lua_reading *reading = with_list(lua);
    uint64_t size = kind == SW_REQUEST_EMPTY ? 0 : size_at(lua, 2);
    bool addressed = kind == SW_REQUEST_SEGMENT_MADE || kind == SW_REQUEST_SEGMENT_GONE;
    uint64_t address = addressed ? (uint64_t)luaL_optinteger(lua, 3, -1) : SW_NO_ADDRESS;
    return sw_reading_check(lua, sw_request_list_other(&reading->list, kind, address, size, &reading->error));
}

static int refuse_request(lua_State *lua) {
    return add_other(lua, SW_REQUEST_REFUSED);
}

static int empty(lua_State *lua) {
    return add_other(lua, SW_REQUEST_EMPTY);
}

static int grow(lua_State *lua) {
    return add_other(lua, SW_REQUEST_SEGMENT_MADE);
}

static int shrink(lua_State *lua) {
    return add_other(lua, SW_REQUEST_SEGMENT_GONE);
}

/* The numbers of the i-th element of the list on top of the stack, {a, b}; false: there is none. */
static bool address_pair_at(lua_State *lua, lua_Integer i, uint64_t pair[2]) {
    bool there = lua_geti(lua, -1, i) == LUA_TTABLE;
    for (int k = 0; there && k < 2; k++) {
        lua_geti(lua, -1, k + 1);
        pair[k] = (uint64_t)luaL_checkinteger(lua, -1);
        luaL_argcheck(lua, pair[k] <= SW_MAX_BYTES && pair[k] >= pair[0], 2,
                      "an address lies from 0 to 2^61, and an end behind it");
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return there;
}

/* recorded{settings, partial, known = {{from, to}, ...}, windows = {{from, to}, ...}}: what the recorded allocator was;
 * where addresses lie, one behind the other. */
static int recorded(lua_State *lua) {
    static const char *const known[] = {"settings", "partial", "known", "windows", NULL};
    struct sw_lua_reading *reading = with_list(lua);
    struct sw_requests *requests = reading->list.requests;
    uint64_t pair[2], base = 0;
    sw_reading_fields(lua, known, "recorded");
    const char *settings = sw_reading_text(lua, 2, "settings", NULL);
    snprintf(requests->settings, sizeof requests->settings, "%s", settings ? settings : "");
    requests->partial = sw_lua_truth(lua, 2, "partial");
    bool good = true;
    if (lua_getfield(lua, 2, "known") == LUA_TTABLE) {
        for (lua_Integer i = 1; good && address_pair_at(lua, i, pair); i++) {
            good = sw_request_list_known(&reading->list, pair[0], pair[1] - pair[0]);
        }
    }
    if (lua_getfield(lua, 2, "windows") == LUA_TTABLE) {
        for (lua_Integer i = 1; good && address_pair_at(lua, i, pair); i++) {
            good = SW_PUSH(&requests->windows, (struct sw_request_window){pair[0], pair[1], base});
            base += pair[1] - pair[0];
        }
    }
    requests->recorded = requests->windows.count > 0;
    return good ? 0 : sw_script_no_memory(lua);
}

/* note(format, ...) after all others: what the list itself says comes first. */
static int build_requests(lua_State *lua) {
    struct sw_lua_reading *reading = with_list(lua);
    sw_reading_check(lua, sw_request_list_build(&reading->list, reading->builder, &reading->error));
    sw_request_list_done(&reading->list);
    reading->has_list = false;
    return 0;
}

void sw_reading_push_requests(lua_State *lua, struct sw_lua_reading *reading) {
    static const struct luaL_Reg methods[] = {{"alloc", alloc},
                                              {"free", free_one},
                                              {"give", give},
                                              {"take", take_address},
                                              {"find", find_request},
                                              {"drop", drop_request},
                                              {"origin", set_origin},
                                              {"refuse", refuse_request},
                                              {"empty", empty},
                                              {"grow", grow},
                                              {"shrink", shrink},
                                              {"recorded", recorded},
                                              {"done", build_requests},
                                              {"buffer", sw_reading_add_buffer},
                                              {NULL, NULL}};
    lua_createtable(lua, 0, 16);
    sw_reading_methods(lua, reading, methods);
}
