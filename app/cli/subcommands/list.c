/* stowage list: what there is. Every topic is a table of words, printed aligned or as JSON. */
#include "cli/options.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "command/commands.h"
#include "lua/planning/lua_planner.h"
#include "lua/theme_file.h"
#include "planners/planner.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define COLUMNS 5

struct list {
    const char *keys[COLUMNS]; /* names of the columns, for JSON; NULL-ended when fewer */
    size_t columns;
    SW_ARRAY(const char *) cells; /* row by row */
    struct sw_arena arena;
    bool failed;
};

static void add(struct list *list, const char *cell) {
    list->failed |= !SW_PUSH(&list->cells, cell ? cell : "");
}

static void add_copy(struct list *list, const char *text) {
    char *copy = sw_arena_string(&list->arena, text, strlen(text));
    list->failed |= !copy;
    add(list, copy);
}

static void columns(struct list *list, size_t count, const char *const *keys) {
    memcpy(list->keys, keys, count * sizeof *keys);
    list->columns = count;
}
#define COLUMNS_OF(list, count, ...) columns(list, count, (const char *const[]){__VA_ARGS__})

/* ---- topics ---- */

static bool list_planners(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    (void)cli;
    COLUMNS_OF(list, 3, "name", "needs", "summary");
    if (!sw_lua_planner_load_all(error)) {
        return false;
    }
    for (size_t i = 0; i < sw_planner_count(); i++) {
        char text[200];
        sw_planner_needs(sw_planner_get(i), text, sizeof text);
        add(list, sw_planner_get(i)->name);
        add_copy(list, text);
        add(list, sw_planner_get(i)->summary);
    }
    return true;
}

static void add_choices(struct list *list, const struct sw_parameter *parameter) {
    static const char *const types[] = {"true|false", "integer", "number"};
    char text[200] = "";
    size_t used = 0;
    if (parameter->type < SW_PARAMETER_CHOICE) {
        snprintf(text, sizeof text, "%s", types[parameter->type]);
        if (parameter->type != SW_PARAMETER_BOOL) {
            used = strlen(text);
            const char *format =
                parameter->type == SW_PARAMETER_INTEGER ? " %.0f..%.0f" : " %.15g..%.15g";
            snprintf(text + used, sizeof text - used, format, parameter->lowest,
                     parameter->highest);
        }
        for (size_t i = 0; parameter->choices && parameter->choices[i]; i++) {
            used = strlen(text);
            snprintf(text + used, sizeof text - used, "|%s", parameter->choices[i]);
        }
        add_copy(list, text);
        return;
    }
    for (size_t i = 0; parameter->choices && parameter->choices[i] && used < sizeof text - 1; i++) {
        snprintf(text + used, sizeof text - used, "%s%s",
                 !i                                        ? ""
                 : parameter->type == SW_PARAMETER_LIST ? ","
                                                           : "|",
                 parameter->choices[i]);
        used = strlen(text);
    }
    add_copy(list, text);
}

static bool list_params(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    const struct sw_planner *only = NULL;
    if (cli->planner && !(only = sw_lua_planner_find(cli->planner, error))) {
        return false;
    }
    COLUMNS_OF(list, 5, "planner", "name", "default", "values", "help");
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        const struct sw_parameter *parameter = planner->parameters;
        for (; (!only || only == planner) && parameter && parameter->name; parameter++) {
            add(list, planner->name);
            add(list, parameter->name);
            add(list, parameter->fallback);
            add_choices(list, parameter);
            add(list, parameter->help);
        }
    }
    return true;
}

static bool list_views(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    (void)cli, (void)error;
    COLUMNS_OF(list, 2, "name", "summary");
    for (size_t i = 0; i < sw_view_count(); i++) {
        add(list, sw_view_get(i)->name);
        add(list, sw_view_get(i)->summary);
    }
    return true;
}

static bool list_themes(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    (void)cli;
    char path[4096];
    COLUMNS_OF(list, 2, "name", "file");
    for (const char *const *name = sw_theme_names(); name && *name; name++) {
        if (!sw_theme_path(*name, path, sizeof path, error)) {
            return false;
        }
        add(list, *name);
        add_copy(list, path);
    }
    return true;
}

static bool list_formats(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    (void)cli, (void)error;
    COLUMNS_OF(list, 4, "name", "extensions", "can", "summary");
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_format *format = sw_format_get(i);
        char can[40];
        snprintf(can, sizeof can, "%s%s%s",
                 sw_format_reads(format) || sw_format_rewrites(format) ? "read " : "",
                 format->write_problem ? "write " : "", format->write_plan ? "plan " : "");
        can[*can ? strlen(can) - 1 : 0] = '\0';
        add(list, format->name);
        add(list, format->extensions);
        add_copy(list, can);
        add(list, format->summary);
    }
    return true;
}

/* The keys in force. */
static bool open_keymap(const struct sw_cli *cli, struct sw_keymap *map, struct sw_error *error) {
    struct sw_config *config = SW_NEW_ZERO(struct sw_config, 1);
    bool done =
        config ? sw_cli_config(cli, true, config, error) && sw_keymap_configure(map, config, error)
               : sw_fail_memory(error);
    if (config) {
        sw_config_done(config);
        SW_FREE(config, 1);
    }
    if (!done) {
        sw_keymap_done(map);
    }
    return done;
}

static bool list_commands(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    struct sw_keymap map = {0};
    char keys[SW_KEYS_BYTES];
    if (!open_keymap(cli, &map, error)) {
        return false;
    }
    COLUMNS_OF(list, 5, "name", "arguments", "keys", "doors", "help");
    for (size_t i = 0; i < sw_command_count(); i++) {
        char doors[SW_DOORS_BYTES];
        const struct sw_command *command = sw_command_get(i);
        add(list, command->name);
        add(list, command->arguments);
        add_copy(list, sw_keymap_text(&map, command, keys));
        add_copy(list, sw_command_doors(command, doors));
        add(list, command->help);
    }
    sw_keymap_done(&map);
    return true;
}

static void add_key(struct list *list, const char *key, const char *line, const char *help) {
    add_copy(list, key);
    add_copy(list, line);
    add(list, help);
}

static bool list_keys(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    struct sw_keymap map = {0};
    if (!open_keymap(cli, &map, error)) {
        return false;
    }
    COLUMNS_OF(list, 3, "key", "command", "help");
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        const struct sw_binding *bound;
        char key[16];
        for (size_t k = 0; sw_keymap_key(&map, command, k, key); k++) {
            add_key(list, key, command->name, command->help);
        }
        for (size_t k = 0; (bound = sw_keymap_bound(&map, command, k)); k++) {
            add_key(list, bound->key, bound->line, command->help);
        }
    }
    sw_keymap_done(&map);
    return true;
}

static int not_hidden(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0 &&
           !(dot && strcmp(dot, ".svg") == 0); /* what experiments have drawn */
}

/* The files below scripts/: one folder per kind. */
static bool list_scripts(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    static const char *const kinds[] = {"models", "planners",    "actions", "breeding",
                                        "costs",  "experiments", "readers", "lib"};
    (void)cli;
    COLUMNS_OF(list, 3, "name", "kind", "path");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char relative[64], path[4096];
        struct dirent **entries;
        snprintf(relative, sizeof relative, "scripts/%s", kinds[k]);
        if (!sw_data_path(relative, path, sizeof path, NULL)) {
            if (k == 0) {
                return sw_data_path(relative, path, sizeof path, error);
            }
            continue;
        }
        int count = scandir(path, &entries, not_hidden, alphasort);
        list->failed |= count < 0 && errno == ENOMEM;
        for (int i = 0; i < count; i++) {
            char file[4096 + 300];
            snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
            add_copy(list, entries[i]->d_name);
            add(list, kinds[k]);
            add_copy(list, file);
            free(entries[i]); /* scandir's own, from malloc */
        }
        if (count >= 0) {
            free(entries);
        }
    }
    return true;
}

static bool list_subcommands(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    (void)error;
    COLUMNS_OF(list, 3, "name", "arguments", "summary");
    for (size_t i = 1; i < cli->command_count; i++) {
        add(list, cli->commands[i].name);
        add(list, cli->commands[i].arguments);
        add(list, cli->commands[i].summary);
    }
    return true;
}

/* All options, or those of a subcommand: `list options plan`; `list options explore`. */
static bool list_options(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    unsigned mask = ~0u;
    if (cli->file_count > 1) {
        size_t at = strcmp(cli->files[1], "explore") == 0 ? 0 : 1;
        while (at && at < cli->command_count &&
               strcmp(cli->commands[at].name, cli->files[1]) != 0) {
            at++;
        }
        if (at == cli->command_count) {
            return sw_fail(error, SW_ERROR_USAGE, "list options: no command is called %s",
                           cli->files[1]);
        }
        mask = 1u << at;
    }
    COLUMNS_OF(list, 4, "name", "letter", "argument", "help");
    for (size_t i = 0; i < sw_option_count(); i++) {
        const struct sw_option *option = sw_option_get(i);
        if (option->commands & mask) {
            char text[40];
            snprintf(text, sizeof text, "--%s", option->name);
            add_copy(list, text);
            snprintf(text, sizeof text, "-%c", option->letter);
            add_copy(list, option->letter ? text : "");
            add(list, option->argument);
            add(list, option->help);
        }
    }
    return true;
}

static const struct {
    const char *name;
    bool (*make)(struct list *, const struct sw_cli *, struct sw_error *);
} topics[] = {
    {"planners", list_planners}, {"params", list_params},   {"views", list_views},
    {"themes", list_themes},     {"scripts", list_scripts}, {"formats", list_formats},
    {"commands", list_commands}, {"keys", list_keys},       {"subcommands", list_subcommands},
    {"options", list_options}};

/* ---- printing ---- */

/* Columns in a terminal. */
static size_t width(const char *text) {
    wchar_t wide[256];
    size_t count = mbstowcs(wide, text, 256);
    int cells = count == (size_t)-1 || count >= 256 ? -1 : wcswidth(wide, count);
    return cells < 0 ? strlen(text) : (size_t)cells;
}

static void print_text(const struct list *list, struct sw_sink *out) {
    size_t widths[COLUMNS] = {0};
    for (size_t i = 0; i < list->cells.count; i++) {
        size_t w = width(list->cells.items[i]);
        if (w > widths[i % list->columns]) {
            widths[i % list->columns] = w;
        }
    }
    for (size_t i = 0; i < list->cells.count; i++) {
        size_t column = i % list->columns;
        bool last = column + 1 == list->columns;
        const char *cell = list->cells.items[i];
        size_t pad = last || !widths[column] ? 0 : widths[column] - width(cell) + 2;
        sw_sink_printf(out, "%s%*s%s", cell, (int)pad, "", last ? "\n" : "");
    }
}

static void print_json(const struct list *list, struct sw_sink *out) {
    sw_sink_printf(out, "[");
    for (size_t i = 0; i < list->cells.count; i++) {
        size_t column = i % list->columns;
        sw_sink_printf(out, "%s\"%s\":", column ? "," : (i ? ",\n {" : "\n {"), list->keys[column]);
        sw_sink_json(out, list->cells.items[i]);
        sw_sink_printf(out, "%s", column + 1 == list->columns ? "}" : "");
    }
    sw_sink_printf(out, "]\n");
}

static bool make(struct list *list, const struct sw_cli *cli, struct sw_error *error) {
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].name, cli->files[0]) == 0) {
            if (cli->file_count > 1 && topics[i].make != list_options) {
                return sw_fail(error, SW_ERROR_USAGE, "list %s takes nothing more", topics[i].name);
            }
            return topics[i].make(list, cli, error) && (!list->failed || sw_fail_memory(error));
        }
    }
    return sw_fail(
        error, SW_ERROR_USAGE,
        "list: no topic %s: planners, params, views, themes, scripts, formats, commands or "
        "keys",
        cli->files[0]);
}

int sw_cli_list(struct sw_cli *cli) {
    struct list list = {0};
    struct sw_error error = {0};
    struct sw_sink out = {0};
    enum sw_output output;
    int status;
    if (sw_cli_output(cli, &output, &error) && make(&list, cli, &error)) {
        if (output == SW_OUTPUT_JSON) {
            print_json(&list, &out);
        } else {
            print_text(&list, &out);
            sw_cli_clean(&out);
        }
        status = sw_cli_put(cli, &out, 0);
    } else {
        status = sw_cli_fail(&error);
    }
    SW_ARRAY_DONE(&list.cells);
    sw_arena_done(&list.arena);
    return status;
}
