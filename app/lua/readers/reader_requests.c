/* What a reader makes a list of requests of: each event is one call. See formats/requests/request_list.h. */
#include "lua/readers/reader_reading.h"

#include <string.h>

static int check(lua_State *lua, struct sw_reading *reading, bool good) {
    return good ? 0 : sw_reading_raise(lua, reading);
}

static struct sw_reading *with_list(lua_State *lua) {
    struct sw_reading *reading = sw_reading_of(lua);
    if (!reading->has_list) {
        luaL_error(lua, "after requests:done() there are no more requests");
    }
    return reading;
}

/* The texts of origins are kept by the list. */
static const char *origin_of(lua_State *lua, struct sw_reading *reading, int index) {
    size_t length = 0;
    const char *text = luaL_optlstring(lua, index, NULL, &length);
    const char *origin = text ? sw_request_list_origin(&reading->list, text, length) : NULL;
    if (text && !origin) {
        sw_script_no_memory(lua);
    }
    return origin;
}

static uint64_t size_at(lua_State *lua, int index) {
    lua_Integer size = luaL_checkinteger(lua, index);
    luaL_argcheck(lua, size >= 0 && (uint64_t)size <= SW_MAX_BYTES, index, "a size is a number from 0 to 2^61");
    return (uint64_t)size;
}

/* alloc{id, size, address, stream, origin, at}: something was asked for; which living buffers of that id there are does not matter. Returns
 * its number. */
static int alloc(lua_State *lua) {
    struct sw_reading *reading = with_list(lua);
    luaL_checktype(lua, 2, LUA_TTABLE);
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
    alloc.origin = origin_of(lua, reading, -1);
    if (!alloc.id) {
        return luaL_error(lua, "an allocation needs an 'id'");
    }
    if (!sw_request_list_alloc(&reading->list, &alloc, &reading->error)) {
        return check(lua, reading, false);
    }
    lua_pushinteger(lua, (lua_Integer)reading->list.buffers.count);
    return 1;
}

/* free(id or number, [stream]): the youngest living buffer of that id, or that buffer, was given back. Of what is not there it is an event
 * that does nothing: false. */
static int free_one(lua_State *lua) {
    struct sw_reading *reading = with_list(lua);
    struct sw_request_list *list = &reading->list;
    uint32_t buffer = SW_NONE;
    if (lua_isinteger(lua, 2)) {
        lua_Integer number = lua_tointeger(lua, 2);
        bool living = number >= 1 && (uint64_t)number <= list->buffers.count && list->buffers.items[number - 1].last == SW_NONE;
        buffer = living ? (uint32_t)number - 1 : SW_NONE;
    } else {
        size_t length;
        const char *id = luaL_checklstring(lua, 2, &length);
        buffer = sw_request_list_find(list, id, length);
    }
    int64_t stream = luaL_optinteger(lua, 3, 0);
    bool good = buffer == SW_NONE ? sw_request_list_pass(list, &reading->error)
                                  : sw_request_list_free(list, buffer, lua_isnoneornil(lua, 3) ? NULL : &stream, &reading->error);
    check(lua, reading, good);
    lua_pushboolean(lua, buffer != SW_NONE);
    return 1;
}

/* give(address, size, [origin]), take(address): of a log that tells addresses. */
static int give(lua_State *lua) {
    struct sw_reading *reading = with_list(lua);
    uint64_t address = (uint64_t)luaL_checkinteger(lua, 2), size = size_at(lua, 3);
    const char *origin = origin_of(lua, reading, 4);
    return check(lua, reading, sw_request_list_give(&reading->list, address, size, origin, reading->scan.line, &reading->error));
}

static int take(lua_State *lua) {
    struct sw_reading *reading = with_list(lua);
    return check(lua, reading, sw_request_list_take(&reading->list, (uint64_t)luaL_checkinteger(lua, 2), &reading->error));
}

/* refuse(size): the allocator said no. empty(): its cache was emptied. */
static int refuse(lua_State *lua) {
    struct sw_reading *reading = with_list(lua);
    uint64_t size = size_at(lua, 2);
    return check(lua, reading, sw_request_list_other(&reading->list, SW_REQUEST_REFUSED, SW_NO_ADDRESS, size, &reading->error));
}

static int empty(lua_State *lua) {
    struct sw_reading *reading = with_list(lua);
    return check(lua, reading, sw_request_list_other(&reading->list, SW_REQUEST_EMPTY, SW_NO_ADDRESS, 0, &reading->error));
}

/* note(format, ...) after all others: what the list itself says comes first. */
static int build(lua_State *lua) {
    struct sw_reading *reading = with_list(lua);
    bool good = sw_request_list_build(&reading->list, reading->builder, &reading->error);
    check(lua, reading, good);
    sw_request_list_done(&reading->list);
    reading->has_list = false;
    return 0;
}

void sw_reading_push_requests(lua_State *lua, struct sw_reading *reading) {
    static const struct luaL_Reg methods[] = {{"alloc", alloc},   {"free", free_one}, {"give", give}, {"take", take},
                                              {"refuse", refuse}, {"empty", empty},   {"done", build}, {NULL, NULL}};
    lua_createtable(lua, 0, 8);
    sw_reading_methods(lua, reading, methods);
}
