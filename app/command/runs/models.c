/* Runs under another cost model, with other actions of tier-search, other operators of a genetic planner, or another
 * policy: `cost`, `actions`, `breeding` and `policy`. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/doors/doors.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"

/* Every one that was opened. Searches borrow from them, also those that were undone. */
struct sw_models {
    SW_ARRAY(struct sw_lua_plugins) opened;
};

static void forget_models(struct sw_models *models) {
    for (size_t i = 0; i < models->opened.count; i++) {
        sw_lua_plugins_close(&models->opened.items[i]);
    }
    SW_ARRAY_DONE(&models->opened);
}

SW_SESSION_PART(models, forget_models(models));

/* Open a script into `params`. */
static bool open_one(struct sw_session *session, const char *name, enum sw_lua_plugin kind, struct sw_params *params,
                     struct sw_error *error) {
    char path[4096];
    struct sw_lua_plugins plugins = {0};
    const struct sw_script_options how = {
        .seed = 1, .trusted = session->options.load.trust, .print = sw_session_print, .context = session};
    struct sw_error own = {0};
    if (!sw_lua_plugin_path(kind, name, path, sizeof path, error)) {
        return false;
    }
    const char *paths[SW_LUA_PLUGIN_KINDS] = {NULL};
    paths[kind] = path;
    if (!sw_lua_plugins_open(&plugins, paths, &how, params, &own)) {
        return sw_state_fail_in(&own, path, error);
    }
    if (!SW_PUSH(&session->models->opened, plugins)) {
        sw_lua_plugins_close(&plugins);
        return sw_fail_memory(error);
    }
    if (strpbrk(name, "/.")) { /* what ships does not change */
        sw_session_uses(session, path);
    }
    return true;
}

/* Does the planner look at it? If not, say which do. */
static bool heeds(const struct sw_planner *planner, unsigned reads, const char *what, struct sw_error *error) {
    char names[2048];
    if (planner->reads & reads) {
        return true;
    }
    sw_planners_that_read(reads, names, sizeof names);
    return sw_fail(error, SW_ERROR_USAGE, "%s would not heed %s; these do: %s", planner->name, what, names);
}

/* Operators are those of one planner. */
static bool are_for(const struct sw_breeding *breeding, const struct sw_planner *planner, struct sw_error *error) {
    return strcmp(breeding->planner, planner->name) == 0 ||
           sw_fail(error, SW_ERROR_USAGE, "%s has operators of %s, and none of %s", breeding->name, breeding->planner,
                   planner->name);
}

/* A run of the same planner under what the words say; "none" is what is built in. `reads`: what a planner must look at
 * for that. */
static bool run_under(struct sw_session *session, enum sw_command_id command, enum sw_lua_plugin kind, unsigned reads,
                      const struct sw_given *given, struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    const struct sw_planner *planner = sw_search_planner(search);
    const char *name = sw_commands[command].name;
    struct sw_params params = {0};
    char what[200];
    if (reads && !heeds(planner, reads, name, error)) {
        return false;
    }
    if (!sw_params_copy(&params, sw_search_params(search))) {
        return sw_fail_memory(error);
    }
    if (kind == SW_LUA_COSTS) {
        params.cost = NULL;
    } else if (kind == SW_LUA_BREEDING) {
        params.breeding = NULL;
    } else if (kind == SW_LUA_POLICY) {
        params.policy = NULL;
    } else {
        params.actions = NULL;
        params.action_count = 0;
        params.tier_rules = NULL;
    }
    bool good = given->value[0].choice || (open_one(session, given->words[0], kind, &params, error) &&
                                           (kind != SW_LUA_BREEDING || are_for(params.breeding, planner, error)));
    char *line = good ? sw_state_line(name, &given->value[0].word, 1, "0") : NULL;
    snprintf(what, sizeof what, "%s %.150s", name, given->words[0]);
    good = good && (line || sw_fail_memory(error)) &&
           sw_branch_run(session, planner, &params, what, line, sw_given_number(given, 1), error);
    sw_state_drop(line);
    sw_params_done(&params);
    return good;
}

SW_PLAIN_COMMAND(cost, run_under(session, SW_DO_cost, SW_LUA_COSTS, 0, given, error));
SW_PLAIN_COMMAND(actions, run_under(session, SW_DO_actions, SW_LUA_ACTIONS, SW_READS_ACTIONS, given, error));
SW_PLAIN_COMMAND(breeding, run_under(session, SW_DO_breeding, SW_LUA_BREEDING, SW_READS_BREEDING, given, error));
SW_PLAIN_COMMAND(policy, run_under(session, SW_DO_policy, SW_LUA_POLICY, SW_READS_POLICY, given, error));
