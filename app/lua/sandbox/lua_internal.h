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
/* Push a block of zeros that Lua owns, with so many user values: `close` gives back what it holds when it is collected,
 * also after an error. All of a type have one `close`. */
void *sw_lua_new(lua_State *, size_t size, int values, const char *type, lua_CFunction close);

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
/* modules.c: the function `require`. */
int sw_sandbox_require(lua_State *);

/* script.c: remember that a file was read, and its bytes. NULL: no memory. */
const char *sw_script_add_file(struct sw_script *, const struct sw_input *);
/* Before C resumes a coroutine of the script: it has the hook of the call that is under way. */
void sw_script_hook(lua_State *, lua_State *thread);
/* Raise that C ran out of memory on the script's behalf; the script cannot catch it. Never returns. */
int sw_script_no_memory(lua_State *);
/* Raise an error of the engine, with `before` in front of its message. Never returns. */
int sw_script_raise(lua_State *, const char *before, const struct sw_error *);
/* Raise why the text of a file could not be compiled, which is on top of the stack. Never returns. */
int sw_script_not_compiled(lua_State *, const char *path);
/* Raise again what a coroutine failed with, which is on top of the stack, with where in it that was. */
int sw_script_rethrow(lua_State *, lua_State *thread);
/* The environment of all chunks of a script: pushes it. */
void sw_script_push_environment(lua_State *);

#endif
