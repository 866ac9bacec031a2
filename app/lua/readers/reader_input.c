/* The input of a reader: its lines, a cursor that moves over the words between the numbers, rows of tables, bytes.
 *
 * Places are whole numbers: bytes of the input, from 1, as in Lua's texts. */
#include "lua/readers/reader_reading.h"

#include <string.h>

/* Before the first look at text. */
static void check_text(lua_State *lua, struct sw_lua_reading *reading) {
    if (!reading->checked) {
        sw_reading_check(lua, reading->any_bytes || sw_text_check(reading->input, &reading->error));
        sw_script_charge(lua, reading->input->length / 16);
        reading->checked = true;
    }
}

static lua_Integer place_in_input(const struct sw_lua_reading *reading, const char *at) {
    return at - reading->input->bytes + 1;
}

/* ---- lines ---- */

/* The next line without its break, or its length; where it begins; has it no break? */
static int input_line(lua_State *lua) {
    struct sw_lua_reading *reading = lua_touserdata(lua, lua_upvalueindex(1));
    struct sw_scan *scan = &reading->scan;
    if (!sw_scan_line(scan)) {
        return 0;
    }
    size_t length = (size_t)(scan->end - scan->begin);
    sw_script_charge(lua, length / 64 + 1);
    if (lua_toboolean(lua, lua_upvalueindex(2))) {
        lua_pushinteger(lua, (lua_Integer)length);
    } else {
        lua_pushlstring(lua, scan->begin, length);
    }
    lua_pushinteger(lua, place_in_input(reading, scan->begin));
    lua_pushboolean(lua, scan->next == scan->stop && scan->stop[-1] != '\n');
    return 3;
}

static void begin_lines(lua_State *lua, struct sw_lua_reading *reading) {
    check_text(lua, reading);
    sw_scan_open(&reading->scan, reading->input);
}

/* lines([lengths]): with true, the lengths of lines in place of their texts. */
static int lines(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    begin_lines(lua, reading);
    lua_settop(lua, 2);
    lua_pushlightuserdata(lua, reading);
    lua_insert(lua, 2);
    lua_pushcclosure(lua, input_line, 2);
    return 1;
}

/* The next line that a pattern of Lua matches: where it begins, and the captures. */
static int input_match(lua_State *lua) {
    lua_settop(lua, 0);
    while (input_line(lua) > 0) {
        lua_pushvalue(lua, lua_upvalueindex(3));
        lua_pushvalue(lua, 1);
        lua_pushvalue(lua, lua_upvalueindex(4));
        lua_call(lua, 2, LUA_MULTRET);
        if (!lua_isnil(lua, 4)) {
            lua_remove(lua, 3);
            return lua_gettop(lua) - 1; /* without the line */
        }
        lua_settop(lua, 0);
    }
    return 0;
}

static int match(lua_State *lua) {
    luaL_checkstring(lua, 2);
    begin_lines(lua, sw_reading_of(lua));
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_pushboolean(lua, false); /* the texts of lines */
    lua_pushliteral(lua, "");
    lua_getfield(lua, -1, "match"); /* as scripts have it */
    lua_remove(lua, -2);
    lua_pushvalue(lua, 2);
    lua_pushcclosure(lua, input_match, 4);
    return 1;
}

/* ---- the cursor, in the present line ---- */

/* at([place]): where it is; or put it there. */
static int at(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_scan *scan = &reading->scan;
    if (!lua_isnoneornil(lua, 2)) {
        lua_Integer to = luaL_checkinteger(lua, 2);
        scan->at = to < place_in_input(reading, scan->begin) ? scan->begin
                   : to > place_in_input(reading, scan->end) ? scan->end
                                                             : reading->input->bytes + (to - 1);
    }
    lua_pushinteger(lua, place_in_input(reading, scan->at));
    return 1;
}

static int line_number(lua_State *lua) {
    lua_pushinteger(lua, sw_reading_of(lua)->scan.line);
    return 1;
}

/* word(text): past it, if it is here. past(text): behind its first place in the rest of the line, if it has one. */
static int word(lua_State *lua) {
    lua_pushboolean(lua, sw_scan_word(&sw_reading_of(lua)->scan, luaL_checkstring(lua, 2)));
    return 1;
}

static int past(lua_State *lua) {
    struct sw_scan *scan = &sw_reading_of(lua)->scan;
    sw_script_charge(lua, (uint64_t)(scan->end - scan->at) / 64);
    lua_pushboolean(lua, sw_scan_past(scan, luaL_checkstring(lua, 2)));
    return 1;
}

/* upto([text]): what stands before it in the line, and the cursor at it; all the rest of the line where it does not
 * stand. */
static int upto(lua_State *lua) {
    struct sw_scan *scan = &sw_reading_of(lua)->scan;
    const char *text = luaL_optstring(lua, 2, NULL), *from = scan->at;
    scan->at = text ? sw_scan_find(scan->at, scan->end, text) : scan->end;
    sw_script_charge(lua, (uint64_t)(scan->at - from) / 64);
    lua_pushlstring(lua, from, (size_t)(scan->at - from));
    return 1;
}

/* find(text): does the rest of the line have it? Where? */
static int find_in_line(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_scan *scan = &reading->scan;
    const char *found = sw_scan_find(scan->at, scan->end, luaL_checkstring(lua, 2));
    sw_script_charge(lua, (uint64_t)(found - scan->at) / 64);
    if (found == scan->end) {
        return 0;
    }
    lua_pushinteger(lua, place_in_input(reading, found));
    return 1;
}

/* What stands before a blank, a tab, or one more byte. */
static void push_token(lua_State *lua, struct sw_scan *scan, char other) {
    const char *from = scan->at;
    while (scan->at < scan->end && *scan->at != ' ' && *scan->at != '\t' && *scan->at != other) {
        scan->at++;
    }
    lua_pushlstring(lua, from, (size_t)(scan->at - from));
}

/* read(pattern): %n is a number, %x one in hexadecimal after 0x, %s any number of blanks and tabs, %w what
 * stands before a blank, a tab, or the next byte of the pattern ("%w%s:": the byte behind %s), %e the end of the line;
 * all else stands for itself. The numbers and words, and the cursor behind them; or nil, and the cursor where it went
 * no further. */
static int read_pattern(lua_State *lua) {
    struct sw_scan *scan = &sw_reading_of(lua)->scan;
    int64_t number = 0;
    int results = 0;
    for (const char *pattern = luaL_checkstring(lua, 2); *pattern;) {
        bool good = true;
        size_t length = 2;
        char kind = *pattern == '%' ? pattern[1] : '\0';
        if (kind == 's') {
            sw_scan_space(scan);
        } else if (kind == 'e') {
            good = scan->at == scan->end;
        } else if (kind == 'n' || kind == 'x') {
            good = kind == 'n' ? sw_scan_number(scan, &number) : sw_scan_hex(scan, &number);
            lua_pushinteger(lua, number);
            luaL_checkstack(lua, 1, NULL);
            results++;
        } else if (kind == 'w') {
            bool blanks = pattern[2] == '%' && pattern[3] == 's';
            char next = pattern[blanks ? 4 : 2];
            push_token(lua, scan, next == '%' || next == '\0' ? ' ' : next);
            luaL_checkstack(lua, 1, NULL);
            results++;
        } else {
            length = 1 + strcspn(pattern + 1, "%");
            good = (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, pattern, length) == 0;
            scan->at += good ? length : 0;
        }
        if (!good) {
            return 0;
        }
        pattern += length;
    }
    if (results == 0) {
        lua_pushboolean(lua, 1);
        results = 1;
    }
    return results;
}

/* take(pattern): a pattern of Lua at the cursor: its captures, or all that it matches, and the cursor behind that; nil
 * where it does not match here. */
static int take_pattern(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_scan *scan = &reading->scan;
    size_t length;
    const char *pattern = luaL_checklstring(lua, 2, &length);
    lua_settop(lua, 2);
    const char *behind = sw_sandbox_take(lua, reading->input->bytes, scan->at, scan->end, pattern, length, true);
    if (!behind) {
        return 0;
    }
    scan->at = behind;
    return lua_gettop(lua) - 2;
}

/* A number from the second to the third element of the part at the top of the stack, which is popped. */
static int64_t expect_number(lua_State *lua, struct sw_lua_reading *reading) {
    struct sw_scan *scan = &reading->scan;
    const char *from = scan->at;
    int64_t number = 0;
    lua_rawgeti(lua, -1, 1);
    const char *what = luaL_checkstring(lua, -1);
    if (!sw_scan_number(scan, &number)) {
        sw_reading_fail(lua, reading, sw_reading_position(reading, from),
                        lua_pushfstring(lua, "%s is not a number", what));
    }
    lua_rawgeti(lua, -2, 2);
    lua_rawgeti(lua, -3, 3);
    lua_Integer lowest = luaL_checkinteger(lua, -2), highest = luaL_checkinteger(lua, -1);
    if (number < lowest || number > highest) {
        sw_reading_fail(lua, reading, sw_reading_position(reading, from),
                        lua_pushfstring(lua, "%s must be from %I to %I", what, lowest, highest));
    }
    lua_pop(lua, 4);
    return number;
}

/* expect(parts): what must stand here, part after part: the captures and the numbers of all. A part is {pattern,
 * message} or {what, lowest, highest}, a number; where it is missing, or is not in that range, the input is refused. */
static int expect_parts(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_scan *scan = &reading->scan;
    luaL_checktype(lua, 2, LUA_TTABLE);
    lua_settop(lua, 2);
    for (lua_Integer i = 1; lua_rawgeti(lua, 2, i) == LUA_TTABLE; i++) {
        luaL_checkstack(lua, 8, "parts");
        if (lua_rawgeti(lua, -1, 2) == LUA_TNUMBER) {
            lua_pop(lua, 1);
            lua_pushinteger(lua, expect_number(lua, reading));
            continue;
        }
        size_t length;
        const char *message = luaL_optstring(lua, -1, "this is missing here");
        lua_rawgeti(lua, -2, 1);
        const char *pattern = luaL_checklstring(lua, -1, &length);
        lua_pop(lua, 3); /* the list keeps them */
        const char *behind = sw_sandbox_take(lua, reading->input->bytes, scan->at, scan->end, pattern, length, false);
        if (!behind) {
            return sw_reading_fail(lua, reading, sw_reading_position(reading, scan->at), message);
        }
        scan->at = behind;
    }
    lua_pop(lua, 1);
    return lua_gettop(lua) - 2;
}

/* ---- rows ---- */

/* The next row: a table of its fields by the names of the columns, a table of their places. */
static int next_row(lua_State *lua) {
    struct sw_lua_reading *reading = lua_touserdata(lua, lua_upvalueindex(1));
    struct sw_csv *csv = &reading->csv;
    bool got = false;
    sw_reading_check(lua, sw_csv_next(csv, &got, &reading->error));
    if (!got) {
        return 0;
    }
    lua_Integer columns = luaL_len(lua, lua_upvalueindex(2));
    if ((lua_Integer)csv->fields.count != columns) {
        struct sw_position place = {csv->line, 1};
        const char *message =
            lua_pushfstring(lua, "%d fields, but the header has %d", (int)csv->fields.count, (int)columns);
        return sw_reading_fail(lua, reading, place, message);
    }
    sw_script_charge(lua, csv->fields.count * 4);
    lua_createtable(lua, 0, (int)columns);
    lua_createtable(lua, 0, (int)columns);
    for (size_t i = 0; i < csv->fields.count; i++) {
        const char *text = sw_csv_text(csv, &csv->fields.items[i]);
        sw_script_check_memory(lua, text);
        lua_geti(lua, lua_upvalueindex(2), (lua_Integer)i + 1);
        lua_pushvalue(lua, -1);
        lua_pushstring(lua, text);
        lua_settable(lua, -5);
        lua_pushinteger(lua, place_in_input(reading, sw_csv_begin(&csv->fields.items[i])));
        lua_settable(lua, -3);
    }
    reading->scan.begin = reading->scan.at = csv->row;
    return 2;
}

static int input_rows(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_csv *csv = &reading->csv;
    bool got = false;
    check_text(lua, reading);
    sw_csv_close(csv);
    sw_csv_open(csv, reading->input);
    sw_reading_check(lua, sw_csv_next(csv, &got, &reading->error));
    lua_pushlightuserdata(lua, reading);
    lua_createtable(lua, got ? (int)csv->fields.count : 0, 0);
    for (size_t i = 0; got && i < csv->fields.count; i++) {
        const char *text = sw_csv_text(csv, &csv->fields.items[i]);
        sw_script_check_memory(lua, text);
        lua_pushstring(lua, text);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_pushcclosure(lua, next_row, 2);
    return 1;
}

/* ---- bytes ---- */

/* A part that lies within the input. */
static const char *part_number(lua_State *lua, struct sw_lua_reading *reading, lua_Integer length) {
    lua_Integer from = luaL_checkinteger(lua, 2);
    size_t whole = reading->input->length;
    if (from < 1 || length < 0 || (uint64_t)from - 1 > whole || (uint64_t)length > whole - ((uint64_t)from - 1)) {
        lua_pushfstring(lua, "the file has no %I bytes from byte %I on", length, from);
        sw_reading_fail(lua, reading, (struct sw_position){0, 0}, lua_tostring(lua, -1));
    }
    return reading->input->bytes + (from - 1);
}

/* bytes([at, [length]]): so many bytes as a text; all of them. */
static int input_bytes(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    if (lua_isnoneornil(lua, 2)) {
        lua_settop(lua, 1);
        lua_pushinteger(lua, 1);
    }
    lua_Integer whole = (lua_Integer)reading->input->length, first = luaL_checkinteger(lua, 2);
    lua_Integer length = luaL_optinteger(lua, 3, first >= 1 && first <= whole ? whole - first + 1 : 0);
    const char *from = part_number(lua, reading, length);
    sw_script_charge(lua, (uint64_t)length / 16);
    lua_pushlstring(lua, from, (size_t)length);
    return 1;
}

static int input_integer(lua_State *lua, bool little) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    lua_Integer length = luaL_checkinteger(lua, 3);
    luaL_argcheck(lua, length >= 1 && length <= 8, 3, "an integer has 1 to 8 bytes");
    const unsigned char *from = (const unsigned char *)part_number(lua, reading, length);
    uint64_t value = 0;
    for (lua_Integer i = 0; i < length; i++) {
        value |= (uint64_t)from[little ? i : length - 1 - i] << (8 * i);
    }
    lua_pushinteger(lua, (lua_Integer)value);
    return 1;
}

/* little(at, length), big(at, length): an unsigned integer of 1 to 8 bytes (of 8: as Lua has it, of two's complement).
 */
static int little(lua_State *lua) {
    return input_integer(lua, true);
}

static int big(lua_State *lua) {
    return input_integer(lua, false);
}

/* json([no_nulls]): the value that the input is; true: null stands for nothing. */
static int json(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    sw_reading_check(lua, reading->json.root || sw_json_open(&reading->json, reading->input, &reading->error));
    reading->no_nulls = lua_toboolean(lua, 2);
    sw_script_charge(lua, reading->input->length / 4);
    return sw_reading_push_json(lua, reading);
}

/* fail(at, format, ...): the reading ends with a message at a place of this input. */
static int input_fail(lua_State *lua) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    struct sw_position place = sw_reading_place(lua, 2, reading);
    return sw_reading_fail(lua, reading, place, sw_reading_formatted(lua, 3));
}

void sw_reading_push_input(lua_State *lua, struct sw_lua_reading *reading) {
    static const struct luaL_Reg methods[] = {{"lines", lines},       {"match", match},         {"at", at},
                                              {"line", line_number},  {"word", word},           {"past", past},
                                              {"upto", upto},         {"find", find_in_line},   {"read", read_pattern},
                                              {"take", take_pattern}, {"expect", expect_parts}, {"rows", input_rows},
                                              {"bytes", input_bytes}, {"little", little},       {"big", big},
                                              {"json", json},         {"fail", input_fail},     {NULL, NULL}};
    lua_createtable(lua, 0, 32);
    sw_reading_methods(lua, reading, methods);
    sw_reading_methods(lua, reading, sw_reading_beside);
    sw_reading_methods(lua, reading, sw_reading_hlo);
    sw_lua_set_text(lua, "name", sw_path_name(reading->input->name));
    sw_lua_set_count(lua, "length", reading->input->length);
}
