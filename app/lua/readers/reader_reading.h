/* What the files of this folder share: one run of a reader.
 *
 * The functions that a script calls find it as their first upvalue. They raise through sw_reading_raise, which leaves
 * the error where nothing that the script does can lose it. */
#ifndef SW_LUA_READER_READING_H
#define SW_LUA_READER_READING_H

#include "formats/trace/decision_log.h"
#include "formats/requests/request_list.h"
#include "formats/text/csv.h"
#include "formats/text/json.h"
#include "formats/text/unique.h"
#include "formats/tools/placed.h"
#include "problem/moment/moment.h"
#include "lua/sandbox/lua_internal.h"

enum { SW_LINE_KEYS_MET = 64 };
struct sw_lua_line_key { /* a key of a line of a trace, by its address */
    const char *text;
    unsigned number;
};

struct sw_lua_reading {
    const struct sw_format *format;
    const struct sw_input *input; /* NULL: the file is only asked what it reads */
    const struct sw_load_options *load;
    struct sw_lua_reading *whole; /* of a file beside the input, of which only what is of an input is used; else NULL */
    SW_ARRAY(struct sw_lua_reading *) beside;
    struct sw_builder *builder;
    struct sw_recorded_log log; /* of a decision trace; `out` is NULL for anything else */
    struct sw_lua_line_key line_keys[SW_LINE_KEYS_MET];
    struct sw_error error;
    bool failed;
    const struct sw_format *instead; /* which reads the input in its place; NULL */
    bool any_bytes;                  /* the input need not be UTF-8 */
    bool checked;                    /* that it is */
    bool ended;                      /* `lines` has come to the end */
    struct sw_scan scan;             /* the cursor */
    struct sw_position at;           /* of `counted`, with column 1, from which other places are counted */
    const char *counted, *looked;    /* no line begins between `counted` and `looked` */
    struct sw_json json;
    bool no_nulls; /* a null in it stands for nothing */
    struct sw_csv csv;
    struct sw_sink text;     /* of live ranges */
    struct sw_placed placed; /* of a plan */
    enum sw_alias alias;
    struct sw_moment *moment;    /* NULL */
    struct sw_request_list list; /* of requests */
    bool has_list;
    SW_ARRAY(struct sw_unique) unique;
    struct sw_arena texts;        /* their names */
    SW_ARRAY(const char *) names; /* of tiers, inputs and the like, for one call */
    SW_ARRAY(struct sw_piece_spec) pieces;
    SW_ARRAY(int64_t) accesses;
};

/* reader_reading.c: the run that a function belongs to. Raises where there is none. */
struct sw_lua_reading *sw_reading_of(lua_State *);
/* Raise reading->error, which has been set. Never returns. */
int sw_reading_raise(lua_State *, struct sw_lua_reading *);
/* The same, of the run that a function belongs to, unless `good`; else 0. */
int sw_reading_check(lua_State *, bool good);
/* Raise a message at a place of the input. Never returns. */
int sw_reading_fail(lua_State *, struct sw_lua_reading *, struct sw_position, const char *message);
/* The place of a byte: O(1) on average where places come in order. */
struct sw_position sw_reading_position(struct sw_lua_reading *, const char *at);
/* What string.format makes of the arguments from an index on; no UTF-8 in it becomes '?'. */
const char *sw_reading_formatted(lua_State *, int from);
/* So much time and memory more a script has for an input. */
struct sw_script_limits sw_reading_limits(const struct sw_input *);
/* The methods of a table on top of the stack. */
void sw_reading_methods(lua_State *, struct sw_lua_reading *, const struct luaL_Reg *);
/* Where a position of Lua is: a whole number that counts bytes from 1, or a value of JSON. Nil: the cursor; false:
 * nowhere. */
struct sw_position sw_reading_place(lua_State *, int index, struct sw_lua_reading *);
/* The same of the field `at` of a table. */
struct sw_position sw_reading_place_field(lua_State *, int table, struct sw_lua_reading *);

/* reader_input.c, reader_json.c, reader_problem.c, reader_requests.c, reader_moment.c, reader_trace.c: push a new table
 * or handle of this kind. */
void sw_reading_push_input(lua_State *, struct sw_lua_reading *);
/* reader_beside.c, reader_hlo.c: methods of inputs; closing a file beside the input. */
extern const struct luaL_Reg sw_reading_beside[], sw_reading_hlo[];
void sw_reading_close_beside(struct sw_lua_reading *);
int sw_reading_push_json(lua_State *, struct sw_lua_reading *);
void sw_reading_push_problem(lua_State *, struct sw_lua_reading *);
void sw_reading_push_requests(lua_State *, struct sw_lua_reading *);
void sw_reading_push_moment(lua_State *, struct sw_lua_reading *);
void sw_reading_push_trace(lua_State *, struct sw_lua_reading *);
/* reader_moment.c: what is told in order, and as a problem. */
bool sw_reading_build_moment(struct sw_lua_reading *);
/* reader_problem.c: the method `buffer` of a graph, which requests have as well. */
int sw_reading_add_buffer(lua_State *);
/* reader_trace.c: the lines that no call of `done` has ended. */
void sw_reading_end_trace(struct sw_lua_reading *);
/* reader_json.c: the place of a value of JSON. False: there is none at the index. */
bool sw_reading_json_place(lua_State *, int index, struct sw_position *);

/* A text that may be a name: UTF-8 without zero bytes. Raises else; `name` is what the message calls it. */
const char *sw_reading_check_text(lua_State *, int index, const char *name, size_t *length);
/* The argument of a method must be a table with no other fields than those known. Raises else. */
void sw_reading_fields(lua_State *, const char *const *known, const char *what);
/* Fields of the table at an index: absent ones are NULL or `fallback`. They raise what is wrong. */
const char *sw_reading_text(lua_State *, int table, const char *name, size_t *length);
int64_t sw_reading_integer(lua_State *, int table, const char *name, int64_t fallback, bool *there);

#endif
