/* Cases, rows and report of an experiment: each comes from a fresh state of the same script. */
#include "cli/experiments/cases.h"
#include "base/base.h"
#include "cli/shared/output.h"

#include "cli/shared/summary.h"
#include "lua/graph.h"

#include <unistd.h>

/* ---- what the program lends to scripts ---- */

static bool finish_for_script(const struct sw_lua_host *host, struct sw_search *search, struct sw_result *result,
                              bool *feasible, struct sw_error *why) {
    const struct sw_cli quiet = {.progress = SW_PROGRESS_NEVER};
    (void)host;
    if (!sw_cli_interrupted() && !sw_cli_complete(&quiet, search, result, why)) {
        return false;
    }
    if (sw_cli_interrupted()) {
        return sw_fail(why, SW_ERROR_CANCELED, "interrupted");
    }
    *feasible = sw_cli_outcome(result) == SW_OUTCOME_FEASIBLE;
    if (!*feasible) {
        sw_summary_infeasible(result, why);
    }
    return true;
}

static bool script_goes_on(const struct sw_lua_host *host) {
    (void)host;
    return !sw_cli_interrupted();
}

/* ---- one visit to the script ---- */

struct visit {
    const struct sw_experiment *experiment;
    struct sw_experiment *listed; /* cases: where they go */
    size_t at;                    /* run: the case */
    struct sw_sink *row;          /* run: where its row goes */
    struct sw_report *report;
    struct sw_script *script;
};

static int push_case_arguments(lua_State *lua) {
    struct visit *visit = lua_touserdata(lua, 1);
    sw_lua_push_arguments(lua, &visit->experiment->args);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, visit);
    return 0;
}

/* Push the experiment's function of that name; its table lies in the registry. */
static void push_function(lua_State *lua, struct visit *visit, const char *name) {
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, visit) != LUA_TTABLE) {
        luaL_error(lua,
                   "the script returns %s instead of an experiment: end it with 'return' and a "
                   "table of cases, run and report",
                   lua_isnil(lua, -1) ? "nothing" : luaL_typename(lua, -1));
    }
    if (lua_getfield(lua, -1, name) != LUA_TFUNCTION) {
        luaL_error(lua, "the experiment has no function '%s'", name);
    }
}

static struct sw_sink *new_line(lua_State *lua, struct sw_experiment *experiment) {
    if (!SW_PUSH(&experiment->cases, (struct sw_sink){.failed = false})) {
        luaL_error(lua, "out of memory");
    }
    return &experiment->cases.items[experiment->cases.count - 1];
}

static int list_cases(lua_State *lua) {
    struct visit *visit = lua_touserdata(lua, 1);
    struct sw_experiment *experiment = visit->listed;
    push_function(lua, visit, "run");
    push_function(lua, visit, "report");
    push_function(lua, visit, "cases");
    if (lua_getfield(lua, -2, "name") == LUA_TSTRING) {
        snprintf(experiment->name, sizeof experiment->name, "%s", lua_tostring(lua, -1));
    }
    lua_pop(lua, 1);
    push_case_arguments(lua); /* a table of their own; the experiment's is on the stack */
    lua_rawgetp(lua, LUA_REGISTRYINDEX, visit);
    lua_call(lua, 1, 1);
    sw_lua_check_arguments(lua, &experiment->args, "argument ");
    if (!lua_istable(lua, -1)) {
        return luaL_error(lua, "'cases' returns %s instead of a list", luaL_typename(lua, -1));
    }
    lua_Integer count = luaL_len(lua, -1);
    if (count > 1000000) {
        return luaL_error(lua, "'cases' returns more than a million");
    }
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_geti(lua, -1, i) != LUA_TTABLE) {
            return luaL_error(lua, "case %d is no table", (int)i);
        }
        sw_lua_write_line(lua, -1, new_line(lua, experiment));
        lua_pop(lua, 1);
    }
    return 0;
}

static int run_case(lua_State *lua) {
    struct visit *visit = lua_touserdata(lua, 1);
    const struct sw_sink *line = &visit->experiment->cases.items[visit->at];
    push_function(lua, visit, "run");
    sw_lua_push_json(lua, line->text.items, line->text.count);
    lua_call(lua, 1, 1);
    if (!lua_istable(lua, -1)) {
        return luaL_error(lua, "'run' returns %s instead of a row", luaL_typename(lua, -1));
    }
    sw_lua_write_line(lua, -1, visit->row);
    return 0;
}

static void push_lines(lua_State *lua, const struct sw_sink *lines, size_t count) {
    lua_createtable(lua, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        sw_lua_push_json(lua, lines[i].text.items, lines[i].text.count);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
}

static int make_report(lua_State *lua) {
    struct visit *visit = lua_touserdata(lua, 1);
    const struct sw_experiment *experiment = visit->experiment;
    push_function(lua, visit, "report");
    push_lines(lua, experiment->rows.items, experiment->rows.count);
    sw_lua_push_report(lua, visit->report);
    push_lines(lua, experiment->cases.items, experiment->cases.count);
    lua_call(lua, 3, 0);
    return 0;
}

static uint64_t cases_digest(const struct sw_experiment *experiment, uint64_t script) {
    uint64_t digest = sw_fold_bytes(script, SW_VERSION, sizeof SW_VERSION);
    for (size_t i = 0; i < experiment->args.settings.count; i++) {
        const struct sw_setting *setting = &experiment->args.settings.items[i];
        digest = sw_fold_bytes(digest, setting->key, strlen(setting->key));
        digest = sw_fold_bytes(digest, setting->value, strlen(setting->value));
    }
    for (size_t i = 0; i < experiment->cases.count; i++) {
        const struct sw_sink *line = &experiment->cases.items[i];
        digest = sw_fold_bytes(digest, line->text.items, line->text.count);
    }
    return digest;
}

/* Open the script, run its main part, then `function` with the experiment in the registry. */
static bool visit_script(struct visit *visit, lua_CFunction function, struct sw_error *error) {
    const struct sw_experiment *experiment = visit->experiment;
    const struct sw_script_options options = {.seed = 1, .trusted = experiment->host.trust, .print = sw_cli_aside};
    visit->script = sw_script_open(experiment->path, &options, error);
    bool good = visit->script && sw_lua_api(visit->script, &experiment->host, error) &&
                sw_script_protect(visit->script, push_case_arguments, visit, error);
    if (good) {
        lua_State *lua = sw_script_lua(visit->script);
        lua_rawgetp(lua, LUA_REGISTRYINDEX, visit);
        good = sw_script_run(visit->script, 1, 1, error);
        if (good) {
            lua_rawsetp(lua, LUA_REGISTRYINDEX, visit); /* over the arguments: needs no memory */
        }
    }
    good = good && sw_script_protect(visit->script, function, visit, error);
    if (good && sw_cli_interrupted()) { /* a script may have caught the error that said so */
        good = sw_fail(error, SW_ERROR_CANCELED, "interrupted");
    }
    if (good && visit->listed) {
        visit->listed->digest = cases_digest(experiment, sw_script_digest(visit->script));
    }
    sw_script_close(visit->script);
    return good;
}

/* ---- the experiment ---- */

bool sw_experiment_list(struct sw_experiment *experiment, struct sw_error *error) {
    struct visit visit = {.experiment = experiment, .listed = experiment};
    experiment->host.finish = finish_for_script;
    experiment->host.go_on = script_goes_on;
    snprintf(experiment->name, sizeof experiment->name, "%s", sw_path_name(experiment->path));
    bool good = visit_script(&visit, list_cases, error);
    for (size_t i = 0; good && i < experiment->cases.count; i++) {
        good = SW_PUSH(&experiment->rows, (struct sw_sink){.failed = false}) || sw_fail_memory(error);
    }
    return good;
}

/* The error with the case in front: its number and what it was. */
static void name_case(const struct sw_experiment *experiment, size_t at, struct sw_error *error) {
    char message[sizeof error->message];
    struct sw_error named = *error;
    const struct sw_sink *line = &experiment->cases.items[at];
    snprintf(message, sizeof message, "%s", error->message);
    sw_fail(&named, error->code, "case %zu of %zu, %.*s%s: %s", at + 1, experiment->cases.count,
            line->text.count > 90 ? 80 : (int)line->text.count, line->text.items, line->text.count > 90 ? "..." : "",
            message);
    sw_error_at(&named, error->file, error->line, error->column);
    *error = named;
}

bool sw_experiment_case(const struct sw_experiment *experiment, size_t at, struct sw_sink *row,
                        struct sw_error *error) {
    struct visit visit = {.experiment = experiment, .at = at, .row = row};
    bool good = visit_script(&visit, run_case, error);
    if (!good) {
        name_case(experiment, at, error);
    }
    return good;
}

void sw_experiment_progress(const struct sw_experiment *experiment, size_t done) {
    bool terminal = isatty(STDERR_FILENO), always = experiment->cli->progress == SW_PROGRESS_ALWAYS;
    if (!always && (experiment->cli->progress == SW_PROGRESS_NEVER || !terminal)) {
        return;
    }
    bool last = done == experiment->wanted.count;
    fprintf(stderr, "%s%s: %zu of %zu cases%s", terminal ? "\r\033[K" : "", SW_SHOWN(experiment->name), done,
            experiment->wanted.count, terminal && !last ? "" : "\n");
    fflush(stderr);
}

bool sw_experiment_run(struct sw_experiment *experiment, struct sw_error *error) {
    for (size_t i = 0; i < experiment->wanted.count; i++) {
        size_t at = experiment->wanted.items[i];
        sw_experiment_progress(experiment, i);
        if (!sw_experiment_case(experiment, at, &experiment->rows.items[at], error)) {
            return false;
        }
    }
    sw_experiment_progress(experiment, experiment->wanted.count);
    return true;
}

bool sw_experiment_report(const struct sw_experiment *experiment, struct sw_report *report, struct sw_error *error) {
    struct visit visit = {.experiment = experiment, .report = report};
    return visit_script(&visit, make_report, error);
}

void sw_experiment_done(struct sw_experiment *experiment) {
    for (size_t i = 0; i < experiment->cases.count; i++) {
        sw_sink_done(&experiment->cases.items[i]);
    }
    for (size_t i = 0; i < experiment->rows.count; i++) {
        sw_sink_done(&experiment->rows.items[i]);
    }
    SW_ARRAY_DONE(&experiment->cases, &experiment->rows, &experiment->wanted);
    sw_params_done(&experiment->args);
}
