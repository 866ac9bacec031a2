/* Actions of tier-search written in Lua.
 *
 * The file returns one action or a list of them: a function, or {name = ..., propose = function}.
 * scripts/actions/README.md says what a function gets and may return. They are pure: debug builds ask twice
 * and compare. */
#ifndef SW_LUA_ACTION_H
#define SW_LUA_ACTION_H

#include "lua/sandbox/script.h"
#include "planners/params.h"

struct sw_lua_actions;

/* NULL with an error that has file and line. `options` may be NULL. */
struct sw_lua_actions *sw_lua_actions_open(const char *path, const struct sw_script_options *, struct sw_error *);
/* The same for text that has no file. */
struct sw_lua_actions *sw_lua_actions_open_text(const char *name, const char *text, size_t length,
                                                const struct sw_script_options *, struct sw_error *);
/* The value on top of the stack of a script that runs, which is popped: what a file would return. It is called in that
 * script, by its main thread, and must be closed before the script is. */
struct sw_lua_actions *sw_lua_actions_borrow(struct sw_script *, struct sw_error *);
void sw_lua_actions_close(struct sw_lua_actions *); /* NULL is allowed */
/* In the order of the file; they live as long as what they were opened as. */
const struct sw_action *sw_lua_actions_get(const struct sw_lua_actions *, size_t *count);
struct sw_script *sw_lua_actions_script(const struct sw_lua_actions *);

#endif
