#include "lua/action.h"
struct sw_lua_actions *sw_lua_actions_open(const char *path, const struct sw_script_options *o, struct sw_error *e) { (void)path;(void)o; sw_fail(e, SW_ERROR_USAGE, "no"); return NULL; }
void sw_lua_actions_close(struct sw_lua_actions *a) { (void)a; }
const struct sw_action *sw_lua_actions_get(const struct sw_lua_actions *a, size_t *c) { (void)a; *c = 0; return NULL; }
struct sw_script *sw_lua_actions_script(const struct sw_lua_actions *a) { (void)a; return NULL; }
