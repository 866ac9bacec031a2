/* stowage list: what there is. Every topic is a table of words, printed aligned or as JSON. */
#include "cli/options.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "cli/report/cli_report.h"
#include "command/commands.h"
#include "lua/planning/lua_planner.h"
#include "lua/theme_file.h"
#include "planners/planner.h"

#include <dirent.h>
#include <errno.h>

enum { LIST_COLUMNS = 5 };

struct listing_out {
    const struct sw_cli *cli;
    struct sw_cli_report report;
    struct sw_report_column columns[LIST_COLUMNS];
    struct sw_keymap map; /* the keys in force, for the topics about them */
};

/* A row: a cell for each column, in their order; NULL: nothing. */
static void add_listed(struct listing_out *list, const char *const cells[]) {
    for (size_t i = 0; i < list->report.count; i++) {
        sw_row_text(&list->report, cells[i] ? cells[i] : "");
    }
}
#define ADD(list, ...) add_listed(list, (const char *const[]){__VA_ARGS__})

/* ---- topics ---- */

static bool list_planners(struct listing_out *list, struct sw_error *error) {
    if (!sw_lua_planner_load_all(error)) {
        return false;
    }
    for (size_t i = 0; i < sw_planner_count(); i++) {
        char text[200];
        sw_planner_needs(sw_planner_get(i), text, sizeof text);
        ADD(list, sw_planner_get(i)->name, text, sw_planner_get(i)->summary);
    }
    return true;
}

static const char *choices_of(const struct sw_parameter *parameter, char text[200]) {
    static const char *const types[] = {"true|false", "integer", "number"};
    bool typed = parameter->type < SW_PARAMETER_CHOICE;
    snprintf(text, 200, "%s", typed ? types[parameter->type] : "");
    if (typed && parameter->type != SW_PARAMETER_BOOL) {
        sw_text_add(text, 200, parameter->type == SW_PARAMETER_INTEGER ? " %.0f..%.0f" : " %.15g..%.15g",
                    parameter->lowest, parameter->highest);
    }
    for (size_t i = 0; parameter->choices && parameter->choices[i]; i++) {
        const char *between = parameter->type == SW_PARAMETER_LIST ? "," : "|";
        sw_text_add(text, 200, "%s%s", i || typed ? between : "", parameter->choices[i]);
    }
    return text;
}

static bool list_params(struct listing_out *list, struct sw_error *error) {
    const struct sw_planner *only = NULL;
    if (list->cli->planner && !(only = sw_lua_planner_find(list->cli->planner, error))) {
        return false;
    }
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        const struct sw_parameter *parameter = planner->parameters;
        for (; (!only || only == planner) && parameter && parameter->name; parameter++) {
            ADD(list, planner->name, parameter->name, parameter->fallback, choices_of(parameter, (char[200]){0}),
                parameter->help);
        }
    }
    return true;
}

static bool list_views(struct listing_out *list, struct sw_error *error) {
    (void)error;
    for (size_t i = 0; i < sw_view_count(); i++) {
        ADD(list, sw_view_get(i)->name, sw_view_get(i)->summary);
    }
    return true;
}

static bool list_themes(struct listing_out *list, struct sw_error *error) {
    char path[4096];
    for (const char *const *name = sw_theme_names(); name && *name; name++) {
        if (!sw_theme_path(*name, path, sizeof path, error)) {
            return false;
        }
        ADD(list, *name, path);
    }
    return true;
}

static bool list_formats(struct listing_out *list, struct sw_error *error) {
    (void)error;
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_format *format = sw_format_get(i);
        char can[40];
        snprintf(can, sizeof can, "%s%s%s", sw_format_reads(format) || sw_format_rewrites(format) ? "read " : "",
                 format->write_problem ? "write " : "", format->write_plan ? "plan " : "");
        can[*can ? strlen(can) - 1 : 0] = '\0';
        ADD(list, format->name, format->extensions, can, format->summary);
    }
    return true;
}

static bool open_list_keymap(struct listing_out *list, struct sw_error *error) {
    struct sw_config *config = sw_cli_config(list->cli, true, error);
    bool done = config && sw_keymap_configure(&list->map, config, error);
    sw_cli_config_free(config);
    return done;
}

static bool list_commands(struct listing_out *list, struct sw_error *error) {
    char keys[SW_KEYS_BYTES];
    if (!open_list_keymap(list, error)) {
        return false;
    }
    for (size_t i = 0; i < sw_command_count(); i++) {
        char doors[SW_DOORS_BYTES], help[SW_HELP_BYTES];
        const struct sw_command *command = sw_command_get(i);
        ADD(list, command->name, command->arguments, sw_keymap_text(&list->map, command, keys),
            sw_command_doors(command, doors), sw_command_help(command, help));
    }
    return true;
}

static bool list_keys(struct listing_out *list, struct sw_error *error) {
    if (!open_list_keymap(list, error)) {
        return false;
    }
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        const struct sw_binding *bound;
        char key[16], text[SW_HELP_BYTES];
        const char *help = sw_command_help(command, text);
        for (size_t k = 0; sw_keymap_key(&list->map, command, k, key); k++) {
            ADD(list, key, command->name, help);
        }
        for (size_t k = 0; (bound = sw_keymap_bound(&list->map, command, k)); k++) {
            ADD(list, bound->key, bound->line, help);
        }
    }
    return true;
}

static int not_hidden(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0 &&
           !(dot && strcmp(dot, ".svg") == 0); /* what experiments have drawn */
}

/* The files below scripts/: one folder per kind. */
static bool list_scripts(struct listing_out *list, struct sw_error *error) {
    static const char *const kinds[] = {"models", "planners",    "actions", "breeding", "policies",
                                        "costs",  "experiments", "readers", "lib"};
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
        list->report.out.failed |= count < 0 && errno == ENOMEM;
        for (int i = 0; i < count; i++) {
            char file[4096 + 300];
            snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
            ADD(list, entries[i]->d_name, kinds[k], file);
            free(entries[i]); /* scandir's own, from malloc */
        }
        if (count >= 0) {
            free(entries);
        }
    }
    return true;
}

static bool list_subcommands(struct listing_out *list, struct sw_error *error) {
    (void)error;
    for (size_t i = 1; i < list->cli->command_count; i++) {
        ADD(list, list->cli->commands[i].name, list->cli->commands[i].arguments, list->cli->commands[i].summary);
    }
    return true;
}

/* All options, or those of a subcommand: `list options plan`; `list options explore`. Or those of a side of diff: `list
 * options sides`. */
static bool list_options(struct listing_out *list, struct sw_error *error) {
    unsigned mask = ~0u;
    const struct sw_subcommand *command = NULL;
    const char *of = list->cli->file_count > 1 ? list->cli->files[1] : "";
    bool sides = strcmp(of, "sides") == 0;
    if (*of && !sides) {
        size_t at = strcmp(of, "explore") == 0 ? 0 : 1;
        while (at && at < list->cli->command_count && strcmp(list->cli->commands[at].name, of) != 0) {
            at++;
        }
        if (at == list->cli->command_count) {
            return sw_fail(error, SW_ERROR_USAGE, "list options: no command is called %s", of);
        }
        mask = 1u << at;
        command = &list->cli->commands[at];
    }
    for (size_t i = sides ? SW_OPTIONS : 0; i < (sides ? SW_OPTION_NAMES : SW_OPTIONS); i++) {
        const struct sw_option *option = sw_option_get(i % SW_OPTIONS);
        if (sw_option_spelled(i) && option->commands & mask) {
            char text[40], help[60];
            const char letter[] = {'-', option->letter, '\0'};
            snprintf(text, sizeof text, "--%s", sw_option_spelled(i));
            ADD(list, text, option->letter && !sides ? letter : "", option->argument,
                sides ? option->help : sw_option_help(option, command, help));
        }
    }
    return true;
}

/* What completion offers behind an option, `list values units`: its words, @FILE where it names a file, @TOPIC where
 * `list TOPIC` has the words. Nothing: numbers, and names of which there is no list. */
static bool list_values(struct listing_out *list, struct sw_error *error) {
    const char *name = list->cli->file_count > 1 ? list->cli->files[1] : "";
    const struct sw_option *option = sw_option_get(sw_option_find(name));
    if (!option || !*option->argument) {
        return *name ? sw_fail(error, SW_ERROR_USAGE, "list values: no option that takes a value is called %s", name)
                     : sw_fail(error, SW_ERROR_USAGE, "list values takes the name of an option");
    }
    for (const char *const *word = sw_option_words(option); word && *word; word++) {
        ADD(list, *word);
    }
    if (sw_option_takes_file(option)) {
        ADD(list, "@FILE");
    }
    if (option->topic) {
        char topic[40];
        snprintf(topic, sizeof topic, "@%s", option->topic);
        ADD(list, topic);
    }
    return true;
}

static bool list_topics(struct listing_out *, struct sw_error *);

static const struct {
    const char *name;
    bool (*make)(struct listing_out *, struct sw_error *);
    const char *columns[LIST_COLUMNS];
} topics[] = {{"planners", list_planners, {"name", "needs", "summary"}},
              {"params", list_params, {"planner", "name", "default", "values", "help"}},
              {"views", list_views, {"name", "summary"}},
              {"themes", list_themes, {"name", "file"}},
              {"scripts", list_scripts, {"name", "kind", "path"}},
              {"formats", list_formats, {"name", "extensions", "can", "summary"}},
              {"commands", list_commands, {"name", "arguments", "keys", "doors", "help"}},
              {"keys", list_keys, {"key", "command", "help"}},
              {"subcommands", list_subcommands, {"name", "arguments", "summary"}},
              {"options", list_options, {"name", "letter", "argument", "help"}},
              {"values", list_values, {"value"}},
              {"topics", list_topics, {"name"}}};

/* Those for people, which stand before those for completion. */
static bool list_topics(struct listing_out *list, struct sw_error *error) {
    (void)error;
    for (size_t i = 0; topics[i].make != list_subcommands; i++) {
        ADD(list, topics[i].name);
    }
    return true;
}

static bool make_list(struct listing_out *list, struct sw_error *error) {
    const struct sw_cli *cli = list->cli;
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].name, cli->files[0]) == 0) {
            if (cli->file_count > 1 && topics[i].make != list_options && topics[i].make != list_values) {
                return sw_fail(error, SW_ERROR_USAGE, "list %s takes nothing more", topics[i].name);
            }
            size_t count = 0;
            for (; count < LIST_COLUMNS && topics[i].columns[count]; count++) {
                list->columns[count] =
                    (struct sw_report_column){.json = topics[i].columns[count], .head = "", .left = true};
            }
            sw_rows_begin(&list->report, NULL, list->columns, count);
            return topics[i].make(list, error);
        }
    }
    return sw_fail(error, SW_ERROR_USAGE,
                   "list: no topic %s: planners, params, views, themes, scripts, formats, commands or "
                   "keys",
                   cli->files[0]);
}

int sw_cli_list(struct sw_cli *cli) {
    struct listing_out list = {.cli = cli};
    struct sw_error error = {0};
    enum sw_output output;
    if (!sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    sw_cli_report_start(&list.report, output == SW_OUTPUT_JSON ? output : SW_OUTPUT_TEXT);
    bool made = make_list(&list, &error);
    sw_keymap_done(&list.map);
    if (!made) {
        sw_cli_report_drop(&list.report);
        return sw_cli_fail(&error);
    }
    sw_rows_end(&list.report);
    return sw_cli_report_finish(cli, &list.report, 0);
}
