/* What a run brings along in Lua. See plugins.h. */
#include "lua/planning/plugins.h"
#include "base/base.h"

#include "lua/planning/action.h"
#include "lua/planning/lua_breeding.h"
#include "lua/planning/lua_cost.h"

#include "data.h"
#include "lua/values.h"

void *sw_lua_plugin_new(size_t size, struct sw_script *script, bool borrowed, lua_CFunction take,
                        struct sw_error *error) {
    struct sw_lua_plugin_script *plugin = script ? sw_mem_new_zero(size, 1) : NULL;
    if (!plugin) {
        if (script && borrowed) {
            lua_pop(sw_script_lua(script), 1);
        } else {
            sw_script_close(script);
        }
        (void)(script && sw_fail_memory(error));
        return NULL;
    }
    *plugin = (struct sw_lua_plugin_script){.script = script, .borrowed = borrowed};
    if (!(borrowed ? sw_script_hand : sw_script_take)(script, take, plugin, error)) {
        sw_lua_plugin_free(plugin, size);
        return NULL;
    }
    if (!borrowed) {
        sw_script_limit(script, &sw_script_often);
    }
    return plugin;
}

void sw_lua_plugin_free(struct sw_lua_plugin_script *plugin, size_t size) {
    if (!plugin->borrowed) {
        sw_script_close(plugin->script);
    }
    sw_problem_unref(plugin->problem);
    sw_mem_free(plugin, size, 1);
}

bool sw_lua_plugin_turn(struct sw_lua_plugin_script *plugin, const struct sw_problem *problem) {
    if (plugin->problem == problem) {
        return false;
    }
    sw_problem_unref(plugin->problem);
    plugin->problem = sw_problem_ref(problem);
    sw_lua_forget_problem(sw_script_lua(plugin->script));
    return true;
}

bool sw_lua_plugin_path(enum sw_lua_plugin kind, const char *name, char *path, size_t size, struct sw_error *error) {
    static const char *const folders[] = {"costs", "actions", "breeding"};
    char relative[300];
    if (strpbrk(name, "/.")) {
        return (size_t)snprintf(path, size, "%s", name) < size ||
               sw_fail(error, SW_ERROR_USAGE, "the path is too long");
    }
    struct sw_error missing = {0};
    return ((size_t)snprintf(relative, sizeof relative, "scripts/%s/%s.lua", folders[kind], name) < sizeof relative &&
            sw_data_path(relative, path, size, &missing)) ||
           sw_fail(error, SW_ERROR_USAGE,
                   "no file of %s that ships is called '%s' (see: stowage list scripts); a path has a slash or a dot",
                   folders[kind], name);
}

bool sw_lua_plugins_open(struct sw_lua_plugins *plugins, const char *cost, const char *actions, const char *breeding,
                         const struct sw_script_options *options, struct sw_params *params, struct sw_error *error) {
    *plugins = (struct sw_lua_plugins){0};
    if (cost) {
        plugins->cost = sw_lua_cost_open(cost, options, error);
        if (!plugins->cost) {
            return false;
        }
        params->cost = sw_lua_cost_model(plugins->cost);
    }
    if (actions) {
        plugins->actions = sw_lua_actions_open(actions, options, error);
        if (!plugins->actions) {
            sw_lua_plugins_close(plugins);
            params->cost = NULL;
            return false;
        }
        params->actions = sw_lua_actions_get(plugins->actions, &params->action_count);
    }
    if (breeding) {
        plugins->breeding = sw_lua_breeding_open(breeding, options, error);
        if (!plugins->breeding) {
            sw_lua_plugins_close(plugins);
            params->cost = NULL;
            params->actions = NULL;
            params->action_count = 0;
            return false;
        }
        params->breeding = sw_lua_breeding_get(plugins->breeding);
    }
    return true;
}

void sw_lua_plugins_close(struct sw_lua_plugins *plugins) {
    sw_lua_cost_close(plugins->cost);
    sw_lua_actions_close(plugins->actions);
    sw_lua_breeding_close(plugins->breeding);
    *plugins = (struct sw_lua_plugins){0};
}

uint64_t sw_lua_plugins_cost_digest(const struct sw_lua_plugins *plugins) {
    return plugins->cost ? sw_script_digest(sw_lua_cost_script(plugins->cost)) : 0;
}

uint64_t sw_lua_plugins_actions_digest(const struct sw_lua_plugins *plugins) {
    return plugins->actions ? sw_script_digest(sw_lua_actions_script(plugins->actions)) : 0;
}

uint64_t sw_lua_plugins_breeding_digest(const struct sw_lua_plugins *plugins) {
    return plugins->breeding ? sw_script_digest(sw_lua_breeding_script(plugins->breeding)) : 0;
}
