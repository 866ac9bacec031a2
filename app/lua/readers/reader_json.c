/* Values of a JSON input as handles: each knows where it stands, so that what is wrong with it, or with a member of it,
 * is said there.
 *
 * Messages are those of formats/text/json.h, which looks through a text from its beginning; here that is the value's
 * own, and the place is shifted afterwards. */
#include "lua/readers/reader_reading.h"

#include <string.h>

struct json_handle {
    const json_t *json;
    const char *text; /* where it begins */
};
static const char metatable_key; /* its address names in the registry what handles have */

static struct json_handle *json_handle_at(lua_State *lua, int index) {
    struct json_handle *value = lua_touserdata(lua, index);
    bool good = value && lua_getmetatable(lua, index);
    if (good) {
        lua_rawgetp(lua, LUA_REGISTRYINDEX, &metatable_key);
        good = lua_rawequal(lua, -1, -2);
        lua_pop(lua, 2);
    }
    return good ? value : NULL;
}

static struct json_handle *check_json(lua_State *lua) {
    struct json_handle *value = json_handle_at(lua, 1);
    if (!value) {
        luaL_error(lua, "a value of JSON is missing: call its functions with a colon, as in value:text(\"name\")");
    }
    return value;
}

/* ---- texts ---- */

/* What a method is asked about: a member of a value, or with no key the value itself. */
struct json_question {
    struct sw_lua_reading *reading;
    const struct json_handle *value;
    const char *key;    /* NULL */
    const json_t *json; /* NULL: there is none */
    struct sw_input input;
    struct sw_json document; /* the value alone */
};

static void ask_json(lua_State *lua, const char *key, struct json_question *asked) {
    struct sw_lua_reading *reading = sw_reading_of(lua);
    const struct json_handle *value = check_json(lua);
    *asked = (struct json_question){.reading = reading, .value = value, .key = key};
    asked->input = (struct sw_input){.name = reading->input->name,
                                     .bytes = value->text,
                                     .length = (size_t)(sw_text_end(reading->input) - value->text)};
    asked->document = (struct sw_json){
        .input = &asked->input, .error = &reading->error, .root = value->json, .no_nulls = reading->no_nulls};
    asked->json = sw_json_value(&asked->document, key);
}

/* The member that the argument names; without one, the value itself. */
static void ask_about(lua_State *lua, struct json_question *asked) {
    ask_json(lua, luaL_optstring(lua, 2, NULL), asked);
}

static int raise_json(lua_State *lua, const struct json_question *asked) {
    struct sw_error *error = &asked->reading->error;
    if (error->code == SW_ERROR_INPUT && error->line > 0) {
        struct sw_position from = sw_reading_position(asked->reading, asked->value->text);
        uint32_t column = error->line == 1 ? from.column + error->column - 1 : error->column;
        sw_error_at(error, NULL, from.line + error->line - 1, column);
    }
    return sw_reading_raise(lua, asked->reading);
}

static void check_json_answer(lua_State *lua, const struct json_question *asked, bool good) {
    if (!good) {
        raise_json(lua, asked);
    }
}

bool sw_reading_json_place(lua_State *lua, int index, struct sw_position *at) {
    struct json_handle *value = lua_isuserdata(lua, index) ? json_handle_at(lua, index) : NULL;
    if (value) {
        *at = sw_reading_position(sw_reading_of(lua), value->text);
    }
    return value != NULL;
}

/* The text of a member; NULL: it is not there. */
static const char *member_text(lua_State *lua, const struct json_question *asked) {
    struct sw_json_walk walk;
    sw_json_walk_begin(&walk, asked->value->text, sw_text_end(asked->reading->input));
    while (sw_json_walk_next(&walk)) {
        if (sw_json_walk_is(&walk, asked->key)) {
            sw_script_charge(lua, (uint64_t)(walk.value - asked->value->text) / 16);
            return walk.value;
        }
    }
    return NULL;
}

/* ---- handles ---- */

static void push_handle(lua_State *lua, const json_t *json, const char *text) {
    struct json_handle *value = lua_newuserdatauv(lua, sizeof *value, 0);
    *value = (struct json_handle){json, text};
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &metatable_key);
    lua_setmetatable(lua, -2);
}

/* get([key]): the member as a value of Lua, or a handle of it; without a key, the value itself. */
static int get(lua_State *lua) {
    struct json_question asked;
    ask_about(lua, &asked);
    if (!sw_lua_push_scalar(lua, asked.json)) {
        push_handle(lua, asked.json, asked.key ? member_text(lua, &asked) : asked.value->text);
    }
    return 1;
}

/* member(key): a handle of it, whatever it is; nil where there is none. */
static int json_member(lua_State *lua) {
    struct json_question asked;
    ask_json(lua, luaL_checkstring(lua, 2), &asked);
    if (!asked.json) {
        return 0;
    }
    push_handle(lua, asked.json, member_text(lua, &asked));
    return 1;
}

/* type([key]): "object", "list", "text", "integer", "number", "boolean", "null"; nil: there is none. */
static int type(lua_State *lua) {
    static const char *const names[] = {"object", "list", "text", "integer", "number", "boolean", "boolean", "null"};
    struct json_question asked;
    ask_about(lua, &asked);
    lua_pushstring(lua, asked.json ? names[json_typeof(asked.json)] : NULL);
    return 1;
}

/* only{key, ...}: it is an object, and has no other members but those that begin with "x-" or "_". object(): it is one.
 */
static int collect_named(lua_State *lua, bool open) {
    enum { MOST_NAMES_ASKED = 32 };
    struct json_question asked;
    const char *keys[MOST_NAMES_ASKED];
    size_t count = 0;
    ask_json(lua, NULL, &asked);
    if (!open) {
        luaL_checktype(lua, 2, LUA_TTABLE);
        luaL_checkstack(lua, MOST_NAMES_ASKED + 1, NULL);
        while (count < MOST_NAMES_ASKED && lua_geti(lua, 2, (lua_Integer)count + 1) == LUA_TSTRING) {
            keys[count++] = lua_tostring(lua, -1); /* which the table keeps */
        }
        luaL_argcheck(lua, count > 0 && count < MOST_NAMES_ASKED, 2, "1 to 31 keys");
    }
    check_json_answer(lua, &asked, sw_json_object(&asked.document, keys, count, open));
    lua_settop(lua, 1);
    return 1;
}

static int only(lua_State *lua) {
    return collect_named(lua, false);
}

static int object(lua_State *lua) {
    return collect_named(lua, true);
}

/* need(key, ...): these members are there. */
static int need(lua_State *lua) {
    struct json_question asked;
    for (int i = 2; i <= lua_gettop(lua); i++) {
        ask_json(lua, luaL_checkstring(lua, i), &asked);
        if (!sw_json_need(&asked.document, asked.key)) {
            return raise_json(lua, &asked);
        }
    }
    lua_settop(lua, 1);
    return 1;
}

/* ---- typed ---- */

/* integer([key, [lowest, [highest]]]), number([key]), text([key]), flag([key]): of that type, or nil where there is
 * none. */
static int json_integer_member(lua_State *lua) {
    struct json_question asked;
    int64_t number = 0, lowest = luaL_optinteger(lua, 3, INT64_MIN), highest = luaL_optinteger(lua, 4, INT64_MAX);
    ask_about(lua, &asked);
    check_json_answer(lua, &asked, sw_json_integer(&asked.document, asked.key, lowest, highest, &number));
    lua_pushinteger(lua, number);
    return asked.json != NULL;
}

/* bytes([key]): a size or an offset. */
static int json_bytes(lua_State *lua) {
    lua_settop(lua, 2);
    lua_pushinteger(lua, 0);
    lua_pushinteger(lua, (lua_Integer)SW_MAX_BYTES);
    return json_integer_member(lua);
}

static int json_number_member(lua_State *lua) {
    struct json_question asked;
    double real = 0;
    ask_about(lua, &asked);
    check_json_answer(lua, &asked, sw_json_real(&asked.document, asked.key, &real));
    lua_pushnumber(lua, real);
    return asked.json != NULL;
}

static int json_text_member(lua_State *lua) {
    struct json_question asked;
    const char *found = NULL;
    ask_about(lua, &asked);
    check_json_answer(lua, &asked, sw_json_string(&asked.document, asked.key, &found));
    lua_pushstring(lua, found);
    return 1;
}

static int flag(lua_State *lua) {
    struct json_question asked;
    bool found = false;
    ask_about(lua, &asked);
    check_json_answer(lua, &asked, sw_json_flag(&asked.document, asked.key, &found));
    lua_pushboolean(lua, found);
    return 1;
}

/* ---- lists and objects ---- */

struct item_walk {
    struct sw_json_walk text;
    const json_t *json;
    size_t at;
};

static int next_json_item(lua_State *lua) {
    struct item_walk *walk = lua_touserdata(lua, lua_upvalueindex(1));
    const char *from = walk->text.at;
    if (walk->at >= json_array_size(walk->json) || !sw_json_walk_next(&walk->text)) {
        return 0;
    }
    sw_script_charge(lua, 2 + (uint64_t)(walk->text.value - from) / 16);
    push_handle(lua, json_array_get(walk->json, walk->at++), walk->text.value);
    return 1;
}

/* items([key]): goes through the elements of a list, as handles; where there is none there are no elements. */
static int items(lua_State *lua) {
    struct json_question asked;
    ask_about(lua, &asked);
    check_json_answer(lua, &asked, sw_json_array(&asked.document, asked.key));
    struct item_walk *walk = lua_newuserdatauv(lua, sizeof *walk, 0);
    *walk = (struct item_walk){.json = asked.json};
    if (asked.json) {
        sw_json_walk_begin(&walk->text, asked.key ? member_text(lua, &asked) : asked.value->text,
                           sw_text_end(asked.reading->input));
    }
    lua_pushcclosure(lua, next_json_item, 1);
    return 1;
}

/* count([key]): how many elements the list has; 0 where there is none. */
static int json_count(lua_State *lua) {
    struct json_question asked;
    ask_about(lua, &asked);
    lua_pushinteger(lua, (lua_Integer)json_array_size(asked.json));
    return 1;
}

/* keys(): a list of the keys of an object, in the order of the file. */
static int json_keys(lua_State *lua) {
    struct json_handle *value = check_json(lua);
    const char *key;
    json_t *ignored;
    lua_Integer at = 0;
    lua_createtable(lua, (int)json_object_size(value->json), 0);
    json_object_foreach((json_t *)(uintptr_t)value->json, key, ignored) {
        lua_pushstring(lua, key);
        lua_rawseti(lua, -2, ++at);
    }
    sw_script_charge(lua, (uint64_t)at);
    return 1;
}

/* fail(key or nil, format, ...): ends the reading at the member, or at the value. */
static int json_fail(lua_State *lua) {
    struct json_question asked;
    ask_about(lua, &asked);
    sw_json_fail(&asked.document, asked.key, "%s", sw_reading_formatted(lua, 3));
    return raise_json(lua, &asked);
}

int sw_reading_push_json(lua_State *lua, struct sw_lua_reading *reading) {
    static const struct luaL_Reg methods[] = {{"get", get},
                                              {"member", json_member},
                                              {"type", type},
                                              {"only", only},
                                              {"object", object},
                                              {"need", need},
                                              {"integer", json_integer_member},
                                              {"bytes", json_bytes},
                                              {"number", json_number_member},
                                              {"text", json_text_member},
                                              {"flag", flag},
                                              {"items", items},
                                              {"count", json_count},
                                              {"keys", json_keys},
                                              {"fail", json_fail},
                                              {NULL, NULL}};
    lua_createtable(lua, 0, 2);
    lua_createtable(lua, 0, 16);
    sw_reading_methods(lua, reading, methods);
    lua_setfield(lua, -2, "__index");
    sw_lua_set_truth(lua, "__metatable", false);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &metatable_key);
    push_handle(lua, reading->json.root,
                sw_json_skip_space(sw_text_begin(reading->input), sw_text_end(reading->input)));
    return 1;
}
