/* What a reader makes a problem of: rows of a finished plan, buffers, operators, tiers. */
#include "lua/readers/reader_reading.h"

#include <string.h>

static void put_next_place(struct sw_lua_reading *reading, struct sw_position at) {
    sw_builder_at(reading->builder, at.line, at.column);
}

static const char *field_text(lua_State *lua, const char *name) {
    return sw_reading_text(lua, 2, name, NULL);
}

/* A size or an offset; what is below nothing is more than every limit. */
static uint64_t bytes_field(lua_State *lua, const char *name, bool *there) {
    return (uint64_t)sw_reading_integer(lua, 2, name, 0, there);
}

static int64_t check_time(lua_State *lua, int64_t time) {
    if (time < -SW_MAX_TIME || time > SW_LAST_TIME) {
        luaL_error(lua, "a time lies outside of 2^62 to either side of 0");
    }
    return time;
}

static int64_t time_field(lua_State *lua, const char *name, bool *there) {
    return check_time(lua, sw_reading_integer(lua, 2, name, 0, there));
}

static void check_lifetime(lua_State *lua, int64_t first, int64_t last) {
    if (last < first) {
        luaL_error(lua, "a lifetime ends before it begins");
    }
}

static enum sw_kind buffer_kind_field(lua_State *lua) {
    enum sw_kind kind = SW_KIND_INTERMEDIATE;
    const char *word = field_text(lua, "kind");
    if (word && !sw_kind_parse(word, &kind)) {
        luaL_error(lua, "there is no kind '%s' of buffers (" SW_KIND_WORDS ")", word);
    }
    return kind;
}

static enum sw_dtype dtype_field(lua_State *lua) {
    enum sw_dtype dtype = SW_DTYPE_NONE;
    const char *word = field_text(lua, "dtype");
    if (word && *word && !sw_dtype_parse(word, &dtype)) {
        luaL_error(lua, "there is no element type '%s' (" SW_DTYPE_WORDS ")", word);
    }
    return dtype;
}

static double real_field(lua_State *lua, const char *name) {
    lua_getfield(lua, 2, name);
    double number = luaL_optnumber(lua, -1, 0);
    lua_pop(lua, 1);
    return number;
}

/* A list of names is appended to reading->names, and stays on the stack; how many it has. */
static size_t names_field(lua_State *lua, struct sw_lua_reading *reading, const char *name) {
    if (lua_getfield(lua, 2, name) == LUA_TNIL) {
        return 0;
    }
    luaL_checktype(lua, -1, LUA_TTABLE);
    lua_Integer count = luaL_len(lua, -1);
    sw_script_charge(lua, (uint64_t)count);
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_geti(lua, -1, i) != LUA_TSTRING) {
            luaL_error(lua, "'%s' must be a list of names", name);
        }
        sw_script_check_memory(lua, SW_PUSH(&reading->names, sw_reading_check_text(lua, -1, name, NULL)));
        lua_pop(lua, 1); /* the list keeps it */
    }
    return (size_t)count;
}

/* ---- of plans ---- */

/* row{name, tier, kind, dtype, first, last, offset, size, alignment, at}: first and last are both inside. */
static int add_plan_row(lua_State *lua) {
    static const char *const known[] = {"name",   "tier", "kind",      "dtype", "first", "last",
                                        "offset", "size", "alignment", "at",    NULL};
    struct sw_lua_reading *reading = sw_reading_of(lua);
    sw_reading_fields(lua, known, "row");
    size_t length = 0;
    const char *name = sw_reading_text(lua, 2, "name", &length), *tier = field_text(lua, "tier");
    struct sw_position at = sw_reading_place_field(lua, 2, reading);
    struct sw_placed_row placed = {.name = name ? name : "",
                                   .kind = buffer_kind_field(lua),
                                   .dtype = dtype_field(lua),
                                   .first = time_field(lua, "first", NULL),
                                   .last = time_field(lua, "last", NULL),
                                   .offset = bytes_field(lua, "offset", NULL),
                                   .size = bytes_field(lua, "size", NULL),
                                   .alignment = bytes_field(lua, "alignment", NULL),
                                   .line = at.line,
                                   .column = at.column};
    check_lifetime(lua, placed.first, placed.last);
    if (tier) { /* the texts of Lua go with its state, and each row would have a copy of its own */
        const struct sw_placed_row *before =
            reading->placed.rows.count > 0 ? &reading->placed.rows.items[reading->placed.rows.count - 1] : NULL;
        bool same = before && before->tier && strcmp(before->tier, tier) == 0;
        placed.tier = same ? before->tier : sw_arena_string(&reading->placed.arena, tier, strlen(tier));
        sw_script_check_memory(lua, placed.tier);
    }
    if (!sw_placed_add(&reading->placed, &placed, length, &reading->error)) {
        sw_error_at(&reading->error, reading->input->name, at.line, at.column);
        return sw_reading_raise(lua, reading);
    }
    return 0;
}

/* share(word): which rows may have bytes in common while both live: "none", "same life", "same start", "any". */
static int share_rows(lua_State *lua) {
    static const char *const words[] = {"none", "same life", "same start", "any", NULL};
    sw_reading_of(lua)->alias = (enum sw_alias)luaL_checkoption(lua, 2, NULL, words);
    return 0;
}

/* peak([tier]): where the rows end. */
static int peak(lua_State *lua) {
    lua_pushinteger(lua, (lua_Integer)sw_placed_peak(&sw_reading_of(lua)->placed, luaL_optstring(lua, 2, NULL)));
    return 1;
}

/* ---- of all problems ---- */

/* tier{name, capacity, bandwidth, latency, at} */
static int add_problem_tier(lua_State *lua) {
    static const char *const known[] = {"name", "capacity", "bandwidth", "latency", "at", NULL};
    struct sw_lua_reading *reading = sw_reading_of(lua);
    sw_reading_fields(lua, known, "tier");
    bool bounded;
    struct sw_tier tier = {.name = field_text(lua, "name"),
                           .bandwidth = real_field(lua, "bandwidth"),
                           .latency = real_field(lua, "latency")};
    tier.capacity = bytes_field(lua, "capacity", &bounded);
    if ((int64_t)tier.capacity < 0) {
        return luaL_error(lua, "'capacity' must not be negative");
    }
    tier.capacity = bounded ? tier.capacity : SW_UNBOUNDED;
    if (!tier.name) {
        return luaL_error(lua, "a tier needs a 'name'");
    }
    put_next_place(reading, sw_reading_place_field(lua, 2, reading));
    return sw_reading_check(lua, sw_builder_tier(reading->builder, &tier, &reading->error));
}

/* pieces = {{first, last, lo, hi}, ...} */
static void read_piece_list(lua_State *lua, struct sw_lua_reading *reading, struct sw_buffer_spec *spec) {
    reading->pieces.count = 0;
    if (lua_getfield(lua, 2, "pieces") != LUA_TNIL) {
        luaL_checktype(lua, -1, LUA_TTABLE);
        lua_Integer count = luaL_len(lua, -1);
        sw_script_charge(lua, 4 * (uint64_t)count);
        for (lua_Integer i = 1; i <= count; i++) {
            int64_t numbers[4];
            lua_geti(lua, -1, i);
            luaL_checktype(lua, -1, LUA_TTABLE);
            for (int k = 0; k < 4; k++) {
                lua_geti(lua, -1, k + 1);
                numbers[k] = luaL_checkinteger(lua, -1);
                lua_pop(lua, 1);
            }
            lua_pop(lua, 1);
            check_lifetime(lua, check_time(lua, numbers[0]), check_time(lua, numbers[1]));
            struct sw_piece_spec piece = {numbers[0], numbers[1], (uint64_t)numbers[2], (uint64_t)numbers[3]};
            sw_script_check_memory(lua, SW_PUSH(&reading->pieces, piece));
        }
    }
    lua_pop(lua, 1);
    spec->pieces = reading->pieces.items;
    spec->piece_count = reading->pieces.count;
}

/* buffer{name, kind, dtype, size, alignment, tier, tiers, first, last, pieces, offset, output, origin, at} */
int sw_reading_add_buffer(lua_State *lua) {
    static const char *const known[] = {"name", "kind",   "dtype",  "size",   "alignment", "tier", "tiers", "first",
                                        "last", "pieces", "offset", "output", "origin",    "at",   NULL};
    struct sw_lua_reading *reading = sw_reading_of(lua);
    sw_reading_fields(lua, known, "buffer");
    struct sw_buffer_spec spec = {.name = field_text(lua, "name"),
                                  .kind = buffer_kind_field(lua),
                                  .dtype = dtype_field(lua),
                                  .tier = field_text(lua, "tier"),
                                  .origin = field_text(lua, "origin"),
                                  .output = sw_lua_truth(lua, 2, "output")};
    spec.size = bytes_field(lua, "size", &spec.has_size);
    spec.alignment = bytes_field(lua, "alignment", NULL);
    spec.offset = bytes_field(lua, "offset", &spec.has_offset);
    spec.first = time_field(lua, "first", &spec.has_first);
    spec.last = time_field(lua, "last", &spec.has_last);
    if (spec.has_first && spec.has_last) {
        check_lifetime(lua, spec.first, spec.last);
    }
    if (!spec.name) {
        return luaL_error(lua, "a buffer needs a 'name'");
    }
    read_piece_list(lua, reading, &spec);
    reading->names.count = 0;
    spec.tier_count = names_field(lua, reading, "tiers");
    spec.tiers = reading->names.items;
    put_next_place(reading, sw_reading_place_field(lua, 2, reading));
    return sw_reading_check(lua, sw_builder_buffer(reading->builder, &spec, &reading->error));
}

/* pairs = {{input, output}, ...}: over which arguments results may be written. */
static size_t pairs_field(lua_State *lua, struct sw_lua_reading *reading) {
    if (lua_getfield(lua, 2, "pairs") == LUA_TNIL) {
        return 0;
    }
    luaL_checktype(lua, -1, LUA_TTABLE);
    lua_Integer count = luaL_len(lua, -1);
    sw_script_charge(lua, 2 * (uint64_t)count);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(lua, -1, i);
        luaL_checktype(lua, -1, LUA_TTABLE);
        for (int k = 1; k <= 2; k++) {
            if (lua_geti(lua, -1, k) != LUA_TSTRING) {
                luaL_error(lua, "'pairs' must be a list of pairs of names");
            }
            sw_script_check_memory(lua, SW_PUSH(&reading->names, sw_reading_check_text(lua, -1, "pairs", NULL)));
            lua_pop(lua, 1); /* the pair keeps it */
        }
        lua_pop(lua, 1);
    }
    return (size_t)count;
}

/* operator{name, kind, inputs, outputs, scratch, after, pairs, inplace, macs, at}; inplace: results may be written over
 * any argument */
static int operator_(lua_State *lua) {
    static const char *const known[] = {"name",  "kind",    "inputs", "outputs", "scratch", "after",
                                        "pairs", "inplace", "macs",   "at",      NULL};
    struct sw_lua_reading *reading = sw_reading_of(lua);
    sw_reading_fields(lua, known, "operator");
    struct sw_operator_spec spec = {.name = field_text(lua, "name"),
                                    .kind = field_text(lua, "kind"),
                                    .inplace = sw_lua_truth(lua, 2, "inplace") ? SW_INPLACE_ANY : SW_INPLACE_NO,
                                    .macs = bytes_field(lua, "macs", NULL)};
    if (!spec.name) {
        return luaL_error(lua, "an operator needs a 'name'");
    }
    reading->names.count = 0;
    spec.input_count = names_field(lua, reading, "inputs");
    spec.output_count = names_field(lua, reading, "outputs");
    spec.scratch_count = names_field(lua, reading, "scratch");
    spec.after_count = names_field(lua, reading, "after");
    spec.pair_count = pairs_field(lua, reading);
    const char *const *names = reading->names.items;
    spec.inplace = spec.pair_count > 0 ? SW_INPLACE_PAIRS : spec.inplace;
    spec.inputs = names;
    spec.outputs = names ? names + spec.input_count : NULL;
    spec.scratch = names ? spec.outputs + spec.output_count : NULL;
    spec.after = names ? spec.scratch + spec.scratch_count : NULL;
    spec.pairs = names ? (const char *const(*)[2])(spec.after + spec.after_count) : NULL;
    put_next_place(reading, sw_reading_place_field(lua, 2, reading));
    return sw_reading_check(lua, sw_builder_operator(reading->builder, &spec, &reading->error));
}

/* title(text): what the graph is called, where the file says so. */
static int title(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    return sw_reading_check(
        lua, sw_builder_name(reading->builder, sw_reading_check_text(lua, 2, "title", NULL), &reading->error));
}

/* part(buffer, name, lo, hi), apart(buffer, buffer, [at]), reserve(tier, lo, hi, [at]) */
static int add_overlay_part(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    return sw_reading_check(lua, sw_builder_overlay(reading->builder, luaL_checkstring(lua, 2),
                                                    sw_reading_check_text(lua, 3, "name", NULL),
                                                    (uint64_t)luaL_checkinteger(lua, 4),
                                                    (uint64_t)luaL_checkinteger(lua, 5), &reading->error));
}

static int apart(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    put_next_place(reading, sw_reading_place(lua, 4, reading));
    return sw_reading_check(lua, sw_builder_separate(reading->builder, luaL_checkstring(lua, 2),
                                                     luaL_checkstring(lua, 3), &reading->error));
}

static int reserve(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    put_next_place(reading, sw_reading_place(lua, 5, reading));
    return sw_reading_check(lua, sw_builder_reserve(reading->builder, luaL_checkstring(lua, 2),
                                                    (uint64_t)luaL_checkinteger(lua, 3),
                                                    (uint64_t)luaL_checkinteger(lua, 4), &reading->error));
}

void sw_reading_push_problem(lua_State *lua, struct sw_lua_reading *reading) {
    static const struct luaL_Reg methods[] = {{"row", add_plan_row},
                                              {"share", share_rows},
                                              {"peak", peak},
                                              {"tier", add_problem_tier},
                                              {"buffer", sw_reading_add_buffer},
                                              {"operator", operator_},
                                              {"title", title},
                                              {"part", add_overlay_part},
                                              {"apart", apart},
                                              {"reserve", reserve},
                                              {NULL, NULL}};
    lua_createtable(lua, 0, 12);
    sw_reading_methods(lua, reading, methods);
}
