/* What a run brings along in Lua. See plugins.h. */
#include "lua/planning/plugins.h"
#include "base/base.h"

#include "data.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"

const struct sw_lua_plugin_kind *const sw_lua_plugin_kinds[SW_LUA_PLUGIN_KINDS] = {
    &sw_lua_cost_kind, &sw_lua_actions_kind, &sw_lua_breeding_kind, &sw_lua_policy_kind};

struct sw_lua_plugin_script *sw_lua_plugin_new(const struct sw_lua_plugin_kind *kind, struct sw_script *script,
                                               bool borrowed, struct sw_error *error) {
    struct sw_lua_plugin_script *plugin = script ? sw_mem_new_zero(kind->size, 1) : NULL;
    if (!plugin) {
        if (script && borrowed) {
            lua_pop(sw_script_lua(script), 1);
        } else {
            sw_script_close(script);
        }
        (void)(script && sw_fail_memory(error));
        return NULL;
    }
    *plugin = (struct sw_lua_plugin_script){.kind = kind, .script = script, .borrowed = borrowed};
    if (!(borrowed ? sw_script_hand : sw_script_take)(script, kind->take, plugin, error)) {
        sw_lua_plugin_close(plugin);
        return NULL;
    }
    if (!borrowed) {
        sw_script_limit(script, &sw_script_often);
    }
    return plugin;
}

void sw_lua_plugin_close(struct sw_lua_plugin_script *plugin) {
    if (!plugin) {
        return;
    }
    if (plugin->kind->done) {
        plugin->kind->done(plugin);
    }
    if (!plugin->borrowed) {
        sw_script_close(plugin->script);
    }
    sw_problem_unref(plugin->problem);
    sw_mem_free(plugin, plugin->kind->size, 1);
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

const char *sw_lua_plugin_reason(lua_State *lua, struct sw_lua_plugin_script *plugin, int index) {
    const char *text = lua_type(lua, index) == LUA_TSTRING ? lua_tostring(lua, index) : NULL;
    for (size_t i = 0; text && i < plugin->reason_count; i++) {
        if (strcmp(plugin->reasons[i], text) == 0) {
            return plugin->reasons[i];
        }
    }
    if (!text || !*text || plugin->reason_count == SW_LUA_MOST_REASONS) {
        return NULL;
    }
    const char *kept = sw_lua_kept(lua, text);
    return plugin->reasons[plugin->reason_count++] = kept;
}

bool sw_lua_plugin_path(enum sw_lua_plugin kind, const char *name, char *path, size_t size, struct sw_error *error) {
    const char *folder = sw_lua_plugin_kinds[kind]->folder;
    char relative[300];
    if (strpbrk(name, "/.")) {
        return (size_t)snprintf(path, size, "%s", name) < size ||
               sw_fail(error, SW_ERROR_USAGE, "the path is too long");
    }
    struct sw_error missing = {0};
    return ((size_t)snprintf(relative, sizeof relative, "scripts/%s/%s.lua", folder, name) < sizeof relative &&
            sw_data_path(relative, path, size, &missing)) ||
           sw_fail(error, SW_ERROR_USAGE,
                   "no file of %s that ships is called '%s' (see: stowage list scripts); a path has a slash or a dot",
                   folder, name);
}

bool sw_lua_plugins_open(struct sw_lua_plugins *plugins, const char *const paths[SW_LUA_PLUGIN_KINDS],
                         const struct sw_script_options *options, struct sw_params *params, struct sw_error *error) {
    *plugins = (struct sw_lua_plugins){0};
    for (int i = 0; i < SW_LUA_PLUGIN_KINDS; i++) {
        if (paths[i]) {
            plugins->of[i] =
                sw_lua_plugin_new(sw_lua_plugin_kinds[i], sw_script_open(paths[i], options, error), false, error);
        }
        if (paths[i] && !plugins->of[i]) {
            sw_lua_plugins_close(plugins);
            return false;
        }
    }
    for (int i = 0; i < SW_LUA_PLUGIN_KINDS; i++) {
        if (plugins->of[i]) {
            sw_lua_plugin_kinds[i]->put(plugins->of[i], params);
        }
    }
    return true;
}

void sw_lua_plugins_close(struct sw_lua_plugins *plugins) {
    for (int i = 0; i < SW_LUA_PLUGIN_KINDS; i++) {
        sw_lua_plugin_close(plugins->of[i]);
    }
    *plugins = (struct sw_lua_plugins){0};
}

uint64_t sw_lua_plugins_digest(const struct sw_lua_plugins *plugins, enum sw_lua_plugin kind) {
    return plugins->of[kind] ? sw_script_digest(plugins->of[kind]->script) : 0;
}
