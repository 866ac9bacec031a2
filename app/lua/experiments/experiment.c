/* The global table `stowage`: graphs to load, build and change, and runs of planners on them.
 *
 * Everything of C that is made here hangs on a userdata from the moment it exists, because any call
 * of Lua may raise. */
#include "data.h"
#include "base/base.h"
#include "lua/experiments/api.h"
#include "lua/experiments/demands.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/experiments/fit_api.h"
#include "lua/moment_values.h"
#include "lua/experiments/lua_json.h"
#include "lua/experiments/order_api.h"
#include "lua/experiments/result_api.h"
#include "lua/experiments/suggest_api.h"
#include "lua/planning/lua_planner.h"
#include "lua/planning/plugins.h"
#include "lua/values.h"
#include "planners/planner.h"

#include <unistd.h>

enum { MOST_GRAPHS = 1000, COLLECT_EVERY = 8 };

static char host_key, keep_key;

/* What a graph can be made from again: its text, and what was asked for. */
struct lua_graph {
    struct sw_problem *problem;
    bool has_capacity, inplace, pins;
    uint64_t capacity;
};
enum { USER_TEXT = 1, USER_NAME, USER_TIERS, USER_ORDER, USER_MOVE_LIST, USER_VALUES = 5 };

/* Whatever one call needs besides. */
struct run_job {
    struct sw_search *search;
    struct sw_params params;
    struct sw_details details;
    struct sw_curve curve;
    struct sw_sink sink;
    struct sw_lua_plugins plugins; /* the cost model and the actions */
    struct sw_demands demands;
    struct sw_search *again; /* the run once more, for its journal */
    struct sw_explanation explanation;
    struct sw_suggest *suggest;
};

static const struct sw_lua_host *experiment_host(lua_State *lua) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &host_key);
    const struct sw_lua_host *host = lua_touserdata(lua, -1);
    lua_pop(lua, 1);
    return host;
}

/* Raise the error, with its place, unless it is good. */
static void check_done(lua_State *lua, bool good, const struct sw_error *error) {
    if (good) {
        return;
    }
    sw_script_check_memory(lua, error->code != SW_ERROR_MEMORY);
    if (*error->file && error->line) {
        luaL_error(lua, "%s:%d: %s", error->file, (int)error->line, error->message);
    }
    luaL_error(lua, "%s%s%s", error->file, *error->file ? ": " : "", error->message);
}

/* ---- jobs ---- */

static int close_job(lua_State *lua) {
    struct run_job *job = lua_touserdata(lua, 1);
    sw_suggest_free(job->suggest);
    sw_search_free(job->search);
    sw_search_free(job->again);
    sw_lua_plugins_close(&job->plugins);
    sw_params_done(&job->params);
    sw_details_done(&job->details);
    sw_curve_done(&job->curve);
    sw_sink_done(&job->sink);
    sw_demands_done(&job->demands);
    sw_explanation_done(&job->explanation);
    *job = (struct run_job){0};
    return 0;
}

/* On top of the stack; freed by sw_lua_close, or when it is collected after an error. */
static struct run_job *push_job(lua_State *lua) {
    struct run_job *job = sw_lua_new(lua, sizeof *job, 0, "stowage.job", close_job);
    job->params = SW_PARAMS_DEFAULT;
    return job;
}

/* ---- options as tables ---- */

static int compare_settings(const void *a, const void *b) {
    return strcmp(((const struct sw_setting *)a)->key, ((const struct sw_setting *)b)->key);
}

/* The pairs of the table field `name` of the table at `index`, as words of a command line (api.h). */
void sw_lua_read_settings(lua_State *lua, int index, const char *name, struct sw_params *to) {
    struct sw_error error = {0};
    if (index == 0) {
        return;
    }
    if (lua_getfield(lua, index, name) == LUA_TNIL) {
        lua_pop(lua, 1);
        return;
    }
    luaL_argcheck(lua, lua_istable(lua, -1), index, "args, set and settings are tables of key = value");
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        if (lua_type(lua, -2) != LUA_TSTRING) {
            luaL_error(lua, "%s: keys are names, not %s", name, luaL_typename(lua, -2));
        }
        if (lua_type(lua, -1) != LUA_TSTRING && lua_type(lua, -1) != LUA_TNUMBER && lua_type(lua, -1) != LUA_TBOOLEAN) {
            luaL_error(lua, "%s.%s is a text, a number, true or false", name, lua_tostring(lua, -2));
        }
        const char *value = luaL_tolstring(lua, -1, NULL);
        check_done(lua, sw_params_set(to, lua_tostring(lua, -3), value, &error), &error);
        lua_pop(lua, 2);
    }
    lua_pop(lua, 1);
    if (to->settings.count > 1) {
        qsort(to->settings.items, to->settings.count, sizeof *to->settings.items, compare_settings);
    }
}

/* ---- graphs ---- */

static int close_graph(lua_State *lua) {
    struct lua_graph *graph = lua_touserdata(lua, 1);
    sw_problem_unref(graph->problem);
    graph->problem = NULL;
    return 0;
}

static struct lua_graph *graph_at(lua_State *lua, int index) {
    struct lua_graph *graph = luaL_checkudata(lua, index, "stowage.graph");
    if (!graph->problem) {
        luaL_error(lua, "this graph could not be built");
    }
    return graph;
}

/* Problems are large, and the collector does not know: help it, and stop a script that hoards. */
static void count_graph(lua_State *lua) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &keep_key);
    lua_getfield(lua, -1, "made");
    lua_Integer made = lua_tointeger(lua, -1) + 1;
    lua_pop(lua, 1);
    sw_lua_set_count(lua, "made", (uint64_t)made);
    lua_pop(lua, 1);
    if (made > MOST_GRAPHS) {
        luaL_error(lua, "more than %d graphs in one case", MOST_GRAPHS);
    }
    if (made % COLLECT_EVERY == 0) {
        lua_gc(lua, LUA_GCCOLLECT, 0);
    }
}

/* An empty graph on top of the stack. */
static struct lua_graph *push_graph(lua_State *lua) {
    count_graph(lua);
    return sw_lua_new(lua, sizeof(struct lua_graph), USER_VALUES, "stowage.graph", close_graph);
}

/* The value at `index` as JSON, which the graph at `at` keeps. */
static void keep_json(lua_State *lua, int index, int at, int user) {
    struct run_job *job = push_job(lua);
    sw_lua_json(lua, index, &job->sink);
    lua_pushlstring(lua, job->sink.text.items, job->sink.text.count);
    lua_setiuservalue(lua, at, user);
    sw_lua_close(lua, -1);
    lua_pop(lua, 1);
}

/* The field `tiers` of the options: a list, or a table with one; nothing: as it was. */
static void take_tiers(lua_State *lua, int options, int at) {
    if (!sw_lua_option(lua, options, "graph", "tiers", LUA_TTABLE, "a list of tables {name, capacity, ...}")) {
        return;
    }
    int list = lua_gettop(lua);
    lua_createtable(lua, 0, 1);
    lua_getfield(lua, list, "tiers");
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
        lua_pushvalue(lua, list);
    }
    lua_setfield(lua, -2, "tiers");
    keep_json(lua, list + 1, at, USER_TIERS);
    lua_settop(lua, list - 1);
}

static const char *const graph_options[] = {"capacity", "tiers", "inplace", "order", "moves", NULL};

/* What the options table at `options` (0: none) says of the graph at `at`. */
static void take_options(lua_State *lua, int options, int at) {
    struct lua_graph *graph = lua_touserdata(lua, at);
    if (!options) {
        return;
    }
    if (lua_getfield(lua, options, "capacity") != LUA_TNIL) {
        graph->capacity = sw_lua_check_bytes(lua, -1);
        graph->has_capacity = true;
    }
    lua_pop(lua, 1);
    int type = lua_getfield(lua, options, "inplace");
    if (type == LUA_TSTRING && strcmp(lua_tostring(lua, -1), "safe") == 0) {
        graph->inplace = true;
    } else if (type == LUA_TSTRING && strcmp(lua_tostring(lua, -1), "off") == 0) {
        graph->inplace = false;
    } else if (type == LUA_TBOOLEAN) {
        graph->inplace = lua_toboolean(lua, -1);
    } else if (type != LUA_TNIL) {
        luaL_error(lua, "graph: inplace is \"safe\", \"off\", true or false, not %s",
                   type == LUA_TSTRING || type == LUA_TNUMBER ? lua_tostring(lua, -1) : luaL_typename(lua, -1));
    }
    lua_pop(lua, 1);
    take_tiers(lua, options, at);
    if (sw_lua_option(lua, options, "graph", "order", LUA_TTABLE, "a list of the names of all operators")) {
        lua_setiuservalue(lua, at, USER_ORDER);
    }
    if (lua_getfield(lua, options, "moves") != LUA_TNIL) {
        lua_setiuservalue(lua, at, USER_MOVE_LIST);
    } else {
        lua_pop(lua, 1);
    }
}

static struct sw_input input_kept_at(lua_State *lua, int at, int user, const char *name) {
    struct sw_input input = {.name = name};
    lua_getiuservalue(lua, at, user);
    input.bytes = lua_tolstring(lua, -1, &input.length);
    lua_pop(lua, 1); /* the graph keeps it */
    return input;
}

/* Takes the reference over. */
static void change_problem(struct lua_graph *graph, struct sw_problem *changed) {
    sw_problem_unref(graph->problem);
    graph->problem = changed;
}

/* Read the text of the graph at `at`; raises when it is wrong. */
static void build_listed_graph(lua_State *lua, int at, const struct sw_format *by) {
    struct lua_graph *graph = lua_touserdata(lua, at);
    struct sw_error error = {0};
    lua_getiuservalue(lua, at, USER_NAME);
    const char *name = lua_tostring(lua, -1);
    struct sw_input input = input_kept_at(lua, at, USER_TEXT, name);
    struct sw_input tiers = input_kept_at(lua, at, USER_TIERS, "tiers");
    const struct sw_load_options options = {.has_capacity = graph->has_capacity,
                                            .capacity = graph->capacity,
                                            .inplace_safe = graph->inplace,
                                            .tiers_text = tiers.bytes ? &tiers : NULL};
    uint64_t paused = sw_script_pause(lua);
    graph->problem = sw_load_input(&input, &options, &error);
    sw_script_resume(lua, paused);
    sw_script_charge(lua, input.length / 16);
    if (!graph->problem && by && error.code == SW_ERROR_INPUT) {
        struct sw_sink text = {.text = {(char *)(uintptr_t)input.bytes, input.length, 0}};
        by->locate(&text, &error);
    }
    check_done(lua, graph->problem, &error);
    lua_pop(lua, 1);
    if (lua_getiuservalue(lua, at, USER_ORDER) == LUA_TTABLE) {
        change_problem(graph, sw_lua_in_order(lua, -1, graph->problem));
    }
    lua_pop(lua, 1);
    if (lua_getiuservalue(lua, at, USER_MOVE_LIST) != LUA_TNIL) {
        change_problem(graph, sw_lua_with_moves(lua, -1, graph->problem));
    }
    lua_pop(lua, 1);
}

/* ---- stowage.load ---- */

static bool leads_out(const char *path) {
    return *path == '/' || strcmp(path, "..") == 0 || strncmp(path, "../", 3) == 0 || strstr(path, "/../") != NULL;
}

static bool is_allowed(const struct sw_lua_host *host, const char *path) {
    bool allowed = false;
    for (size_t i = 0; i < host->open_count && !allowed; i++) {
        allowed = strcmp(host->open[i], path) == 0;
    }
    return allowed;
}

/* What ships in a folder, with or without the folder's name and the file's ending. */
static bool find_shipped(const char *given, const char *folder, const char *const *endings, char *path, size_t size) {
    char shipped[300];
    if (strpbrk(given, "/.")) {
        bool whole = strncmp(given, "scripts/", 8) == 0;
        return (size_t)snprintf(shipped, sizeof shipped, "%s%s", whole ? "" : folder, given) < sizeof shipped &&
               sw_data_path(shipped, path, size, NULL);
    }
    for (; *endings; endings++) {
        if ((size_t)snprintf(shipped, sizeof shipped, "%s%s%s", folder, given, *endings) < sizeof shipped &&
            sw_data_path(shipped, path, size, NULL)) {
            return true;
        }
    }
    return false;
}

/* As the user wrote it; beside the script; what ships. */
static bool find_experiment_file(lua_State *lua, const char *given, const char *folder, const char *const *endings,
                                 char *path, size_t size) {
    const char *script = sw_script_path(sw_script_of(lua)), *slash = strrchr(script, '/');
    int length = slash ? (int)(slash - script) + 1 : 0;
    if (strpbrk(given, "./") && is_allowed(experiment_host(lua), given) && access(given, R_OK) == 0) {
        return (size_t)snprintf(path, size, "%s", given) < size;
    }
    if (leads_out(given) || !*given) {
        return false;
    }
    if ((size_t)snprintf(path, size, "%.*s%s", length, script, given) < size && strchr(given, '.') &&
        access(path, R_OK) == 0) {
        return true;
    }
    return find_shipped(given, folder, endings, path, size);
}

/* stowage.load(path[, {args, capacity, tiers, inplace, order, moves}]) -> graph */
static int load_graph(lua_State *lua) {
    static const char *const known[] = {"args", "capacity", "tiers", "inplace", "order", "moves", NULL};
    static const char *const endings[] = {".json", ".lua", NULL};
    const char *given = luaL_checkstring(lua, 1);
    int options = sw_lua_options_at(lua, 2, known, "stowage.load");
    const struct sw_lua_host *host = experiment_host(lua);
    const struct sw_format *by = NULL;
    struct sw_error error = {0};
    char path[1024];
    lua_settop(lua, 2);
    if (!find_experiment_file(lua, given, "scripts/models/", endings, path, sizeof path)) {
        return luaL_error(lua,
                          "there is no graph %s beside the script or among the models that ship "
                          "(other paths must be given on the command line)",
                          given);
    }
    push_graph(lua); /* at 3 */
    struct run_job *job = push_job(lua);
    sw_lua_read_settings(lua, options, "args", &job->params);
    const struct sw_load_options how = {.args = &job->params, .trust = host->trust, .print = host->print};
    uint64_t paused = sw_script_pause(lua);
    bool good = sw_load_text(path, &how, &job->sink, &by, &error);
    sw_script_resume(lua, paused);
    check_done(lua, good, &error);
    lua_pushlstring(lua, job->sink.text.items ? job->sink.text.items : "", job->sink.text.count);
    lua_setiuservalue(lua, 3, USER_TEXT);
    bool program = by && by->is_program && strlen(path) > 4; /* it is none any more: its name goes without ".lua" */
    lua_pushlstring(lua, path, strlen(path) - (program ? 4 : 0));
    lua_setiuservalue(lua, 3, USER_NAME);
    sw_lua_close(lua, 4);
    take_options(lua, options, 3);
    build_listed_graph(lua, 3, by);
    lua_settop(lua, 3);
    return 1;
}

/* stowage.graph(table[, {capacity, tiers, inplace}]) -> graph */
static int make_lua_graph(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    int options = sw_lua_options_at(lua, 2, graph_options, "stowage.graph");
    lua_settop(lua, 2);
    push_graph(lua);
    keep_json(lua, 1, 3, USER_TEXT);
    lua_pushliteral(lua, "graph");
    lua_setiuservalue(lua, 3, USER_NAME);
    take_options(lua, options, 3);
    build_listed_graph(lua, 3, &sw_format_lua);
    lua_settop(lua, 3);
    return 1;
}

/* A copy of the graph at `from` with other options, on top of the stack; without options itself. */
static void push_changed(lua_State *lua, int from, int options) {
    const struct lua_graph *old = graph_at(lua, from);
    struct lua_graph *graph = push_graph(lua);
    int at = lua_gettop(lua);
    *graph = *old;
    graph->problem = NULL;
    for (int i = 1; i <= USER_VALUES; i++) {
        lua_getiuservalue(lua, from, i);
        lua_setiuservalue(lua, at, i);
    }
    take_options(lua, options, at);
    build_listed_graph(lua, at, NULL);
}

/* graph:with{capacity, tiers, inplace, order, moves} -> graph */
static int graph_with(lua_State *lua) {
    graph_at(lua, 1);
    luaL_checktype(lua, 2, LUA_TTABLE);
    push_changed(lua, 1, sw_lua_options_at(lua, 2, graph_options, "graph:with"));
    return 1;
}

/* The graph at 1 lives as long as the state: a script has its problem. */
static void keep_graph(lua_State *lua) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &keep_key);
    lua_pushvalue(lua, 1);
    lua_rawseti(lua, -2, (lua_Integer)lua_rawlen(lua, -2) + 1);
    lua_pop(lua, 1);
}

/* graph:problem(): its buffers, operators and tiers. */
static int graph_problem(lua_State *lua) {
    struct lua_graph *graph = graph_at(lua, 1);
    keep_graph(lua);
    sw_lua_push_problem(lua, graph->problem);
    return 1;
}

/* graph:moment(): what an allocator held at one instant; nil: the graph has times. */
static int graph_moment(lua_State *lua) {
    sw_moment_push(lua, sw_problem_moment(graph_at(lua, 1)->problem));
    return 1;
}

/* graph:go_on{requests, planner, limit, settings} -> what became of each request that follows a moment */
static int graph_go_on(lua_State *lua) {
    static const char *const known[] = {"requests", "planner", "limit", "settings", NULL};
    const struct lua_graph *graph = graph_at(lua, 1);
    int options = sw_lua_options_at(lua, 2, known, "graph:go_on");
    return sw_moment_go_on_push(lua, options, sw_problem_moment(graph->problem));
}

/* graph:order{sets, arcs} -> the best order that is found, with what proves it */
static int graph_order(lua_State *lua) {
    static const char *const known[] = {"sets", "arcs", NULL};
    const struct lua_graph *graph = graph_at(lua, 1);
    int options = sw_lua_options_at(lua, 2, known, "graph:order");
    return sw_lua_push_order(lua, options, graph->problem);
}

/* graph:fit{capacity, capacity_of, max_macs, max_operators, moves, cost, work, seed} -> the front, and which is chosen
 */
static int graph_fit(lua_State *lua) {
    static const char *const known[] = {"capacity", "capacity_of", "max_macs", "max_operators", "moves", "cost",
                                        "work",     "seed",        NULL};
    const struct lua_graph *graph = graph_at(lua, 1);
    int options = sw_lua_options_at(lua, 2, known, "graph:fit");
    lua_settop(lua, 2);
    keep_graph(lua);
    return sw_lua_push_fit(lua, options, graph->problem, experiment_host(lua));
}

/* ---- graph:plan ---- */

static void read_plan_options(lua_State *lua, int options, struct run_job *job, const struct sw_planner **planner) {
    struct sw_error error = {0};
    const char *name = "auto";
    if (sw_lua_option(lua, options, "graph:plan", "planner", LUA_TSTRING, "a name")) {
        name = lua_tostring(lua, -1);
    }
    if (strpbrk(name, "./") && !is_allowed(experiment_host(lua), name)) {
        luaL_error(lua, "planner %s: a planner in a file must be named on the command line", name);
    }
    *planner = sw_lua_planner_find(name, &error);
    check_done(lua, *planner, &error);
    if (!options) {
        return;
    }
    job->params.seed =
        (uint64_t)sw_lua_option_whole(lua, options, "graph:plan", "seed", INT64_MIN, (lua_Integer)job->params.seed);
    job->params.work =
        (uint64_t)sw_lua_option_whole(lua, options, "graph:plan", "work", 1, (lua_Integer)job->params.work);
    sw_lua_read_settings(lua, options, "set", &job->params);
}

/* The path of the script that the options name; NULL: there is none, or it is written in the experiment itself: `own`.
 */
static const char *find_script(lua_State *lua, int options, const struct sw_lua_plugin_kind *kind, char *path,
                               size_t size, bool *own) {
    static const char *const endings[] = {".lua", NULL};
    char folder[40];
    int type = lua_getfield(lua, options, kind->option);
    *own = type == LUA_TTABLE || type == LUA_TFUNCTION;
    if (type == LUA_TNIL || *own) {
        return NULL;
    }
    if (type != LUA_TSTRING) {
        luaL_error(lua, "graph:plan: %s is the name of a file, a table or a function, not %s", kind->option,
                   luaL_typename(lua, -1));
    }
    snprintf(folder, sizeof folder, "scripts/%s/", kind->folder);
    if (!find_experiment_file(lua, lua_tostring(lua, -1), folder, endings, path, size)) {
        luaL_error(lua,
                   "graph:plan: there is no %s beside the script or among those that ship (other "
                   "paths must be given "
                   "on the command line)",
                   lua_tostring(lua, -1));
    }
    return path;
}

/* What a planner would not look at is no use to ask for. A cost model always has one: the figure of cost. */
static void check_option_heeded(lua_State *lua, const struct sw_planner *planner, const char *option, unsigned reads) {
    if (planner->reads & reads) {
        return;
    }
    char names[2048];
    sw_planners_that_read(reads, names, sizeof names);
    luaL_error(lua, "graph:plan: %s would not heed %s; these planners do: %s", planner->name, option, names);
}

/* A cost model, actions or operators that are written in the experiment: they are called in its own state. */
static void borrow_plugin(lua_State *lua, int options, struct run_job *job, enum sw_lua_plugin which) {
    const struct sw_lua_plugin_kind *kind = sw_lua_plugin_kinds[which];
    struct sw_error error = {0};
    bool main_thread = lua_pushthread(lua);
    lua_pop(lua, 1);
    if (!main_thread) {
        luaL_error(lua, "graph:plan: a cost model or an action written in the experiment cannot be "
                        "called from a coroutine");
    }
    lua_getfield(lua, options, kind->option);
    struct sw_lua_plugin_script *plugin = sw_lua_plugin_new(kind, sw_script_of(lua), true, &error);
    check_done(lua, plugin, &error);
    job->plugins.of[which] = plugin;
    kind->put(plugin, &job->params);
}

/* The cost model, the actions, the operators of breeding and the policy that the options name or hold. */
static void open_plugins(lua_State *lua, int options, struct run_job *job, const struct sw_planner *planner) {
    char texts[SW_LUA_PLUGIN_KINDS][1024];
    const char *paths[SW_LUA_PLUGIN_KINDS];
    bool own[SW_LUA_PLUGIN_KINDS];
    struct sw_error error = {0};
    if (!options) {
        return;
    }
    for (int i = 0; i < SW_LUA_PLUGIN_KINDS; i++) {
        paths[i] = find_script(lua, options, sw_lua_plugin_kinds[i], texts[i], sizeof texts[i], &own[i]);
    }
    if (paths[SW_LUA_BREEDING] || own[SW_LUA_BREEDING]) {
        check_option_heeded(lua, planner, "breeding", SW_READS_BREEDING);
    }
    if (paths[SW_LUA_ACTIONS] || own[SW_LUA_ACTIONS]) {
        check_option_heeded(lua, planner, "actions", SW_READS_ACTIONS);
    }
    if (paths[SW_LUA_POLICY] || own[SW_LUA_POLICY]) {
        check_option_heeded(lua, planner, "policy", SW_READS_POLICY);
    }
    const struct sw_lua_host *host = experiment_host(lua);
    const struct sw_script_options how = {.seed = 1, .trusted = host->trust, .print = host->print};
    uint64_t paused = sw_script_pause(lua);
    bool good = sw_lua_plugins_open(&job->plugins, paths, &how, &job->params, &error);
    sw_script_resume(lua, paused);
    check_done(lua, good, &error);
    for (int i = 0; i < SW_LUA_PLUGIN_KINDS; i++) {
        if (own[i]) {
            borrow_plugin(lua, options, job, (enum sw_lua_plugin)i);
        }
    }
    const struct sw_breeding *bred = job->params.breeding;
    if (bred && strcmp(bred->planner, planner->name) != 0) {
        luaL_error(lua, "graph:plan: %s has operators of %s, and none of %s", bred->name, bred->planner, planner->name);
    }
}

static bool changes_graph(lua_State *lua, int options) {
    static const char *const keys[] = {"capacity", "tiers", "inplace"};
    bool any = false;
    for (size_t i = 0; options && i < sizeof keys / sizeof *keys; i++) {
        any = lua_getfield(lua, options, keys[i]) != LUA_TNIL || any;
        lua_pop(lua, 1);
    }
    return any;
}

/* The search that options of graph:plan (at 2, or 0) ask for, of the graph at 1, at its beginning; what is demanded of
 * it is demanded. In a job at 3, with nothing above. */
static struct run_job *start_plan(lua_State *lua, int options) {
    struct sw_error error = {0};
    const struct sw_planner *planner;
    const struct sw_problem *problem = graph_at(lua, 1)->problem;
    struct run_job *job = push_job(lua);
    read_plan_options(lua, options, job, &planner);
    open_plugins(lua, options, job, planner);
    check_done(lua, sw_planner_applies(planner, problem, &error), &error);
    job->search = sw_search_new(problem, planner, &job->params, &error);
    check_done(lua, job->search, &error);
    sw_demands_read(lua, options, sw_search_problem(job->search), &job->demands);
    sw_demands_make(lua, &job->demands, job->search);
    lua_settop(lua, 3);
    return job;
}

/* plan:suggest{effort, capacity, kinds} -> what lowers its peak. The run is made once more, from the graph and the
 * options that graph:plan was given: the two upvalues. */
static int plan_suggest(lua_State *lua) {
    static const char *const known[] = {"effort", "capacity", "kinds", NULL};
    struct sw_suggest_request request;
    sw_suggest_options_read(lua, sw_lua_options_at(lua, 2, known, "plan:suggest"), &request);
    lua_settop(lua, 0);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_pushvalue(lua, lua_upvalueindex(2));
    struct run_job *job = start_plan(lua, lua_istable(lua, 2) ? 2 : 0);
    sw_suggest_push(lua, job->search, &request, &job->suggest);
    sw_lua_close(lua, 3);
    return 1;
}

/* The result on top of the stack gets the method `suggest`, which is none of its fields: rows are made of these. */
static void add_suggest(lua_State *lua) {
    lua_createtable(lua, 0, 1);
    lua_createtable(lua, 0, 1);
    lua_pushvalue(lua, 1);
    lua_pushvalue(lua, 2);
    lua_pushcclosure(lua, plan_suggest, 2);
    lua_setfield(lua, -2, "suggest");
    lua_setfield(lua, -2, "__index");
    sw_lua_set_truth(lua, "__metatable", false);
    lua_setmetatable(lua, -2);
}

/* graph:plan{planner, seed, set, work, capacity, tiers, inplace, pins, forbid, choose, give, cost, actions, breeding,
 * policy} -> result */
static int graph_plan(lua_State *lua) {
    static const char *const known[] = {"planner", "seed",   "set",  "work", "capacity", "tiers",    "inplace", "pins",
                                        "forbid",  "choose", "give", "cost", "actions",  "breeding", "policy",  NULL};
    struct sw_error error = {0};
    struct sw_result result;
    bool feasible = false;
    graph_at(lua, 1);
    int options = sw_lua_options_at(lua, 2, known, "graph:plan");
    lua_settop(lua, 2);
    if (changes_graph(lua, options)) {
        push_changed(lua, 1, options);
        lua_replace(lua, 1);
    }
    unsigned give = sw_give_read(lua, options);
    lua_settop(lua, 2);
    struct run_job *job = start_plan(lua, options);
    const struct sw_lua_host *host = experiment_host(lua);
    uint64_t paused = sw_script_pause(lua);
    bool good = host->finish(host, job->search, &result, &feasible, &error);
    sw_script_resume(lua, paused);
    check_done(lua, good, &error);
    sw_script_check_memory(lua, sw_search_details(job->search, &job->details) && sw_curve_of(job->search, &job->curve));
    sw_result_push(lua, &result, feasible ? NULL : &error, &job->details, &job->curve);
    sw_give_set(lua, give, job->search, &job->again, &job->explanation);
    add_suggest(lua);
    sw_lua_close(lua, 3);
    sw_script_charge(lua, 1000);
    return 1;
}

/* ---- the table ---- */

static int graph_index(lua_State *lua) {
    static const luaL_Reg methods[] = {
        {"plan", graph_plan},       {"with", graph_with},     {"order", graph_order}, {"fit", graph_fit},
        {"problem", graph_problem}, {"moment", graph_moment}, {"go_on", graph_go_on}, {NULL, NULL}};
    const struct sw_problem *problem = graph_at(lua, 1)->problem;
    const char *key = luaL_checkstring(lua, 2);
    const luaL_Reg *method = methods;
    while (method->name && strcmp(method->name, key) != 0) {
        method++;
    }
    if (method->name) {
        lua_pushcfunction(lua, method->func);
    } else if (strcmp(key, "name") == 0) {
        lua_pushstring(lua, sw_problem_name(problem));
    } else if (strcmp(key, "lower_bound") == 0) {
        lua_pushinteger(lua, (lua_Integer)sw_problem_lower_bound(problem));
    } else if (strcmp(key, "naive") == 0) {
        lua_pushinteger(lua, (lua_Integer)sw_problem_naive(problem));
    } else {
        lua_pushnil(lua);
    }
    return 1;
}

static int fill_api(lua_State *lua) {
    struct sw_script *script = sw_script_of(lua);
    lua_pushvalue(lua, 1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &host_key);
    lua_newtable(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &keep_key);
    luaL_newmetatable(lua, "stowage.graph");
    sw_lua_set_function(lua, "__index", graph_index);
    sw_lua_set_function(lua, "__gc", close_graph);
    sw_lua_set_truth(lua, "__metatable", false);
    lua_createtable(lua, 0, 4);
    sw_lua_set_text(lua, "version", STOWAGE_VERSION);
    sw_lua_set_function(lua, "load", load_graph);
    sw_lua_set_function(lua, "graph", make_lua_graph);
    sw_lua_freeze(lua);
    sw_script_global(script, "stowage");
    return 0;
}

bool sw_lua_api(struct sw_script *script, const struct sw_lua_host *host, struct sw_error *error) {
    return sw_script_protect(script, fill_api, (void *)(uintptr_t)host, error);
}
