/* What stowage offers to scripts that run experiments: the global table `stowage`, rows as JSON, and the
 * report. The program lends what this room may not reach: how a run is brought to its end, and drawing. */
#ifndef SW_LUA_API_H
#define SW_LUA_API_H

#include "lua/sandbox/script.h"
#include "view/pages/xyplot.h"

struct sw_lua_host {
    /* Bring the search to its end, as `stowage plan` does. `why`, when it is not feasible: a sentence.
     * False: an error; SW_ERROR_CANCELED when the user wants to stop. */
    bool (*finish)(const struct sw_lua_host *, struct sw_search *, struct sw_result *, bool *feasible,
                   struct sw_error *why);
    /* Asked between parts of what takes long; false: the user wants to stop. */
    bool (*go_on)(const struct sw_lua_host *);
    bool trust;              /* no limits of time and memory */
    const char *const *open; /* paths that the user named: may be opened, too */
    size_t open_count;
    void (*print)(void *context, const char *line);
};
/* Before the main file runs: fill the table. The host must outlive the script. */
bool sw_lua_api(struct sw_script *, const struct sw_lua_host *, struct sw_error *);

/* Options as tables (option_tables.c). All raise, and name `what` was called: "graph:plan". Known keys end with NULL.
 */
void sw_lua_check_keys(lua_State *, int index, const char *const *known, const char *what);
void sw_lua_refuse_key(lua_State *, const char *key, const char *const *known, const char *what);
/* The options table at `index`: 0 when there is none. */
int sw_lua_options_at(lua_State *, int index, const char *const *known, const char *what);
/* Push the field of the table at `options` (0: none), which is of that type of Lua's, in words: "a list of names".
 * False, with nothing pushed: it is not there. */
bool sw_lua_option(lua_State *, int options, const char *what, const char *name, int type, const char *words);
/* A whole number from `least` on, of the table at `options` (0: none); `fallback` when it is not there. */
lua_Integer sw_lua_option_whole(lua_State *, int options, const char *what, const char *name, lua_Integer least,
                                lua_Integer fallback);

/* The pairs of the table field `name` of the table at `index` (0: none), as words of a command line. May raise; `to` is
 * the caller's. */
void sw_lua_read_settings(lua_State *, int index, const char *name, struct sw_params *to);

/* One value as one line of JSON, and back. Both may raise; the sink is the caller's. */
void sw_lua_write_line(lua_State *, int index, struct sw_sink *);
void sw_lua_push_json(lua_State *, const char *text, size_t length);

/* What a report makes: text, and files that belong beside it. */
struct sw_report_file {
    char name[64];
    struct sw_sink bytes;
};
struct sw_report {
    struct sw_sink text;
    SW_ARRAY(struct sw_report_file) files;
    /* Draw into the file, by its name; NULL: pictures are not wanted. */
    bool (*draw)(const void *drawer, const char *name, const struct sw_xyplot *, struct sw_sink *, struct sw_error *);
    const void *drawer;
};
void sw_report_done(struct sw_report *);
/* Push `out`. Its methods write into the report, which must outlive the script. May raise. */
void sw_lua_push_report(lua_State *, struct sw_report *);

#endif
