/* What the files of app/lua share; no other folder includes it. */
#ifndef SW_LUA_INTERNAL_H
#define SW_LUA_INTERNAL_H

#include "layout/free/gaps.h"
#include "lua/sandbox/script.h"

struct sw_script {
    lua_State *lua;
    struct sw_script_options options;
    size_t used;       /* bytes of the state */
    uint64_t spent;    /* instructions, in the present call from outside */
    uint64_t stops_at; /* of the clock, in nanoseconds; 0 = never */
    uint64_t look_at;  /* when so many are spent, the clock is looked at again */
    unsigned depth;    /* calls from outside, one in the other */
    bool loaded;       /* the main file has run: globals are read-only */
    bool reporting;    /* an error is being put into words: a little more memory */
    size_t missed;    /* bytes of a block that could not be had, though the limits allow it (SIZE_MAX: one of C); 0: all
                       could */
    const char *dead; /* why no instruction may run any more, as in "takes too long"; NULL while one may */
    uint64_t digest;
    uint64_t layouts;       /* calls that lent layouts and are over: older handles are no good */
    SW_ARRAY(char *) files; /* read so far; each with its length + 1 bytes */
    struct sw_gaps gaps;    /* scratch of layout:free, here so that a raised error loses nothing */
    char path[1024];
};

/* fields.c: set a field of the table on top of the stack; a text that is NULL is nil. */
void sw_lua_set_text(lua_State *, const char *name, const char *);
void sw_lua_set_count(lua_State *, const char *name, uint64_t);
void sw_lua_set_number(lua_State *, const char *name, double);
void sw_lua_set_truth(lua_State *, const char *name, bool);
void sw_lua_set_function(lua_State *, const char *name, lua_CFunction);
/* A list of numbers, of each so much more. */
void sw_lua_set_list(lua_State *, const char *name, const uint32_t *, size_t count, uint32_t more);
/* Is the field of the table at an index true? */
bool sw_lua_truth(lua_State *, int table, const char *name);
/* The userdata on top of the stack is of a type with these methods, which nothing can change. */
void sw_lua_set_class(lua_State *, const char *type, const luaL_Reg *methods);
/* The script's own pairs on the value at `index`: three values are pushed. */
void sw_lua_push_pairs(lua_State *, int index);
/* Push a block of zeros that Lua owns, with so many user values: `close` gives back what it holds when it is collected,
 * also after an error. All of a type have one `close`. */
void *sw_lua_new(lua_State *, size_t size, int values, const char *type, lua_CFunction close);
/* Give back now what the block at an index holds. */
void sw_lua_close(lua_State *, int index);

/* Push a text, a number, true or false of JSON as such; nil for null and for nothing. False: it is an object or a list.
 */
struct json_t;
bool sw_lua_push_scalar(lua_State *, const struct json_t *);

/* sandbox.c: fill the table of globals on top of the stack. */
void sw_sandbox_fill(lua_State *);
/* Text of any value without addresses; pushes it, as luaL_tolstring does. */
const char *sw_sandbox_text(lua_State *, int index);
/* patterns.c: put find, match, gmatch and gsub into the table on top of the stack. */
void sw_sandbox_patterns(lua_State *);
/* The pattern at the place `at` of a text that ends at `end`: where what it matches ends, and its captures are pushed;
 * without any, what it matches when `whole`. Places are counted from `text`. NULL: it does not match there. */
const char *sw_sandbox_take(lua_State *, const char *text, const char *at, const char *end, const char *pattern,
                            size_t length, bool whole);
/* intern.c: a copy that lives to the end of the program; the same texts are the same copy. O(length). NULL: no
 * memory. Any thread may call it. */
const char *sw_lua_intern(const char *text);
/* The same; raises where there is no memory. */
const char *sw_lua_kept(lua_State *, const char *text);
/* modules.c: the function `require`. */
int sw_sandbox_require(lua_State *);

/* script.c: remember that a file was read, and its bytes. NULL: no memory. */
const char *sw_script_add_file(struct sw_script *, const struct sw_input *);
/* Before C resumes a coroutine of the script: it has the hook of the call that is under way. */
void sw_script_hook(lua_State *, lua_State *thread);
/* Raise that C ran out of memory on the script's behalf; the script cannot catch it. Never returns. */
int sw_script_no_memory(lua_State *);
/* The same unless there was memory. */
void sw_script_check_memory(lua_State *, bool had);
/* Raise an error of the engine unless `good`, with `before` in front of its message. */
void sw_script_check(lua_State *, bool good, const char *before, const struct sw_error *);
/* Raise a message as if the script's function, which is on top of the stack, had. Never returns. */
int sw_script_complain(lua_State *, const char *message);
/* Raise why the text of a file could not be compiled, which is on top of the stack. Never returns. */
int sw_script_not_compiled(lua_State *, const char *path);
/* Raise again what a coroutine failed with, which is on top of the stack, with where in it that was. */
int sw_script_rethrow(lua_State *, lua_State *thread);
/* The environment of all chunks of a script: pushes it. */
void sw_script_push_environment(lua_State *);

#endif
