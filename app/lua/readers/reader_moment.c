/* What a reader makes a moment of: segments, blocks, sums that the input tells, the request that failed. See
 * problem/moment/moment.h. */
#include "lua/readers/reader_reading.h"
#include "base/base.h"

static const char *const figure_words[SW_MOMENT_FIGURES] = {
    "reserved", "in_use",      "requested", "free",    "waiting", "largest_free", "peak_used", "peak_reserved", "limit",
    "device",   "device_free", "others",    "process", "active",  "idle",         "split",     "private",       "left"};
static const char *const block_state_words[SW_HELD_STATES] = {"used", "free", "waiting", "untold"};

/* A text of the moment's own; NULL: there is no such field, or it is empty. */
static const char *kept_field(lua_State *lua, struct sw_moment *moment, const char *name) {
    size_t length;
    const char *text = sw_reading_text(lua, 2, name, &length);
    if (!text || length == 0) {
        return NULL;
    }
    const char *kept = sw_moment_text(moment, text, length);
    sw_script_check_memory(lua, kept != NULL);
    return kept;
}

static uint64_t told_bytes(lua_State *lua, const char *name) {
    bool there;
    int64_t bytes = sw_reading_integer(lua, 2, name, 0, &there);
    if (there && (bytes < 0 || (uint64_t)bytes > SW_MAX_BYTES)) {
        lua_pushfstring(lua, "'%s' is no number of bytes from 0 to 2^61", name);
        sw_reading_fail(lua, sw_reading_of(lua), (struct sw_position){0}, lua_tostring(lua, -1));
    }
    return there ? (uint64_t)bytes : SW_UNTOLD;
}

static uint64_t needed_bytes(lua_State *lua, const char *name) {
    uint64_t bytes = told_bytes(lua, name);
    if (bytes == SW_UNTOLD) {
        luaL_error(lua, "'%s' is missing", name);
    }
    return bytes;
}

static uint64_t address_field(lua_State *lua) {
    bool there;
    uint64_t address = (uint64_t)sw_reading_integer(lua, 2, "address", 0, &there);
    return there ? address : SW_UNTOLD;
}

static unsigned told_word_field(lua_State *lua, const char *name, const char *const *words, unsigned count) {
    const char *word = sw_reading_text(lua, 2, name, NULL);
    unsigned found = 0;
    while (found < count && (!word || strcmp(word, words[found]) != 0)) {
        found++;
    }
    if (found == count) {
        luaL_error(lua, "there is no '%s' %s", name, word ? word : "given");
    }
    return found;
}

/* segment{address, size, allocator, pool, stream}: its number. */
static int add_segment(lua_State *lua) {
    static const char *const known[] = {"address", "size", "allocator", "pool", "stream", NULL};
    struct sw_moment *moment = sw_reading_of(lua)->moment;
    sw_reading_fields(lua, known, "segment");
    struct sw_moment_segment segment = {.address = address_field(lua),
                                        .size = needed_bytes(lua, "size"),
                                        .allocator = kept_field(lua, moment, "allocator"),
                                        .pool = kept_field(lua, moment, "pool"),
                                        .stream = kept_field(lua, moment, "stream")};
    sw_script_check_memory(lua, sw_moment_add_segment(moment, &segment));
    lua_pushinteger(lua, (lua_Integer)moment->segments.count);
    return 1;
}

/* block{address, size, requested, count, state, name, origin, segment}: in use unless `state` says something else. */
static int add_block(lua_State *lua) {
    static const char *const known[] = {"address", "size",   "requested", "count", "state",
                                        "name",    "origin", "segment",   NULL};
    struct sw_moment *moment = sw_reading_of(lua)->moment;
    sw_reading_fields(lua, known, "block");
    int64_t count = sw_reading_integer(lua, 2, "count", 1, NULL);
    int64_t segment = sw_reading_integer(lua, 2, "segment", 0, NULL);
    bool stated = lua_getfield(lua, 2, "state") != LUA_TNIL;
    lua_pop(lua, 1);
    struct sw_moment_block block = {
        .address = address_field(lua),
        .size = needed_bytes(lua, "size"),
        .requested = told_bytes(lua, "requested"),
        .count = (uint64_t)count,
        .state = stated ? (enum sw_held_state)told_word_field(lua, "state", block_state_words, SW_HELD_STATES)
                        : SW_HELD_USED,
        .name = kept_field(lua, moment, "name"),
        .origin = kept_field(lua, moment, "origin"),
        .segment = segment > 0 && (uint64_t)segment <= moment->segments.count ? (uint32_t)segment - 1 : SW_NONE};
    if (count < 1 || (count > 1 && block.address != SW_UNTOLD)) {
        return luaL_error(lua, "'count' is a number from 1 on, and 1 where there is an address");
    }
    sw_script_check_memory(lua, sw_moment_add_block(moment, &block));
    return 0;
}

/* tell{figure, bytes, about, allocator, pool}: a sum or a limit that the input tells, exact to `about` bytes. */
static int tell_figure(lua_State *lua) {
    static const char *const known[] = {"figure", "bytes", "about", "allocator", "pool", NULL};
    struct sw_moment *moment = sw_reading_of(lua)->moment;
    sw_reading_fields(lua, known, "tell");
    uint64_t about = told_bytes(lua, "about");
    struct sw_moment_told told = {
        .figure = (enum sw_moment_figure)told_word_field(lua, "figure", figure_words, SW_MOMENT_FIGURES),
        .bytes = needed_bytes(lua, "bytes"),
        .about = about == SW_UNTOLD ? 0 : about,
        .allocator = kept_field(lua, moment, "allocator"),
        .pool = kept_field(lua, moment, "pool")};
    sw_script_check_memory(lua, sw_moment_tell(moment, &told));
    return 0;
}

/* failed{size, about, rounded, segment, least, allocator, pool, stream, origin}: the request that failed. */
static int tell_failure(lua_State *lua) {
    static const char *const known[] = {"size",      "about", "rounded", "segment", "least",
                                        "allocator", "pool",  "stream",  "origin",  NULL};
    struct sw_moment *moment = sw_reading_of(lua)->moment;
    sw_reading_fields(lua, known, "failed");
    uint64_t about = told_bytes(lua, "about");
    moment->failure = (struct sw_moment_failure){.size = needed_bytes(lua, "size"),
                                                 .about = about == SW_UNTOLD ? 0 : about,
                                                 .rounded = told_bytes(lua, "rounded"),
                                                 .segment = told_bytes(lua, "segment"),
                                                 .least = told_bytes(lua, "least"),
                                                 .allocator = kept_field(lua, moment, "allocator"),
                                                 .pool = kept_field(lua, moment, "pool"),
                                                 .stream = kept_field(lua, moment, "stream"),
                                                 .origin = kept_field(lua, moment, "origin")};
    return 0;
}

/* about{what, planner, settings}: what the input is, as words behind "this is"; the planner that has the rules of the
 * allocator which printed it, and its settings as that planner's. */
static int tell_what(lua_State *lua) {
    static const char *const known[] = {"what", "planner", "settings", NULL};
    struct sw_moment *moment = sw_reading_of(lua)->moment;
    sw_reading_fields(lua, known, "about");
    const char *what = kept_field(lua, moment, "what"), *planner = kept_field(lua, moment, "planner");
    const char *settings = kept_field(lua, moment, "settings");
    moment->what = what ? what : moment->what;
    moment->planner = planner ? planner : moment->planner;
    moment->settings = settings ? settings : moment->settings;
    return 0;
}

void sw_reading_push_moment(lua_State *lua, struct sw_lua_reading *reading) {
    static const struct luaL_Reg methods[] = {{"segment", add_segment}, {"block", add_block}, {"tell", tell_figure},
                                              {"failed", tell_failure}, {"about", tell_what}, {NULL, NULL}};
    reading->moment = sw_moment_new();
    sw_script_check_memory(lua, reading->moment != NULL);
    reading->moment->what = reading->format->summary;
    lua_createtable(lua, 0, 5);
    sw_reading_methods(lua, reading, methods);
}

bool sw_reading_build_moment(struct sw_lua_reading *reading) {
    if (reading->moment->segments.count + reading->moment->blocks.count + reading->moment->told.count == 0 &&
        reading->moment->failure.size == SW_UNTOLD) {
        return sw_fail(&reading->error, SW_ERROR_INPUT, "nothing of what its lines announce is told");
    }
    return sw_moment_settle(reading->moment, &reading->error) &&
           sw_moment_build(reading->moment, reading->builder, &reading->error);
}
