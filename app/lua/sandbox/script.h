/* A script: a closed Lua state that runs what a stranger wrote.
 *
 * It can neither leave nor hang. It sees a whitelist of functions and nothing of the machine; its memory
 * is limited through the allocator; instructions, and what C functions do on its behalf, are charged to one
 * budget per call from outside, which once used up makes every further instruction an error, so that no
 * pcall and no coroutine outlasts it; a wall clock stands behind that. After the main file has run, global
 * variables are read-only. Everything that differs between two processes (the order of pairs, random
 * numbers, addresses) is made the same.
 *
 * A script belongs to its caller. Single-threaded. After an error that ended the budget the state is dead:
 * every later call fails with the same message. */
#ifndef SW_LUA_SCRIPT_H
#define SW_LUA_SCRIPT_H

#include "formats/format.h"

#include <lauxlib.h>
#include <lua.h>

struct sw_script;

struct sw_script_limits {
    size_t memory;         /* bytes */
    uint64_t instructions; /* per call from outside; what C does for a script counts as if it were Lua */
    double seconds;        /* wall clock, per call from outside */
};
/* For files that are run once, and for functions that a planner calls often. */
extern const struct sw_script_limits sw_script_once, sw_script_often;

struct sw_script_options {
    struct sw_script_limits limits; /* zeros: sw_script_once */
    bool trusted;                   /* no limits; as deterministic as ever */
    uint64_t seed;                  /* of math.random */
    /* The file is data: it sees nothing at all, and messages call it so, as in "theme", and name no callers. No
     * globals can be given to it. NULL: a script. Outlives the script. */
    const char *data;
    /* Where print goes, line by line; NULL: nowhere. */
    void (*print)(void *context, const char *line);
    void *context;
};

/* Read the file and compile it, with the libraries in place, and run nothing yet. */
struct sw_script *sw_script_open(const char *path, const struct sw_script_options *, struct sw_error *);
/* The same for text that has no file: `name` stands in messages. */
struct sw_script *sw_script_open_text(const char *name, const char *text, size_t length,
                                      const struct sw_script_options *, struct sw_error *);
void sw_script_close(struct sw_script *); /* NULL is allowed */

/* The state, to push arguments on and to read results from. Do not call into Lua with it but by
 * sw_script_run, sw_script_call and functions that raise nothing. */
lua_State *sw_script_lua(struct sw_script *);
/* The script that a state, or any coroutine of it, belongs to. */
struct sw_script *sw_script_of(lua_State *);
/* The path it was opened by. */
const char *sw_script_path(const struct sw_script *);

/* Run the main file with the `arguments` values on top of the stack, and leave `results` values. Globals
 * are read-only from then on. On error nothing is left; the error has file and line, and in the message
 * which function called which. */
bool sw_script_run(struct sw_script *, int arguments, int results, struct sw_error *);
/* Call the function below its arguments. Same terms. Calls may be nested; the budget is the outermost
 * one's. */
bool sw_script_call(struct sw_script *, int arguments, int results, struct sw_error *);
/* Run C code that may raise (pushing tables, reading fields with metamethods) under the same
 * protection. */
bool sw_script_protect(struct sw_script *, lua_CFunction, void *argument, struct sw_error *);
/* The same with the value on top of the stack as second argument; it is popped. */
bool sw_script_hand(struct sw_script *, lua_CFunction, void *argument, struct sw_error *);
/* Run the main file, and hand over what it returns. */
bool sw_script_take(struct sw_script *, lua_CFunction, void *argument, struct sw_error *);
/* Other limits for the calls to come. */
void sw_script_limit(struct sw_script *, const struct sw_script_limits *);

/* For C functions that scripts call: what they did counts as so many instructions. Raises when that was
 * too much. */
void sw_script_charge(lua_State *, uint64_t instructions);
/* Around work that the program does for a script, such as planning: that time is not the script's. */
uint64_t sw_script_pause(lua_State *);
void sw_script_resume(lua_State *, uint64_t paused);
/* Before the main file runs: give scripts the value on top of the stack as a global; pops it. */
void sw_script_global(struct sw_script *, const char *name);
/* Push a global of the script, without metamethods of its own making; nil when there is none. */
void sw_script_global_get(struct sw_script *, const char *name);
/* For such functions, too: so much more of everything for the present call. */
void sw_script_extend(lua_State *, const struct sw_script_limits *more);
/* Files that were read for it, main file and modules: to see whether one has changed. */
size_t sw_script_file_count(const struct sw_script *);
const char *sw_script_file(const struct sw_script *, size_t);
/* Of all of their bytes as they were read. */
uint64_t sw_script_digest(const struct sw_script *);

#endif
