/* stowage run: an experiment written in Lua, in one process, in several, or over several machines.
 */
#include "cli/experiments/cases.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "export/export.h"
#include "lua/theme_file.h"

#include <ctype.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- operands ---- */

/* KEY=VALUE, where KEY is a name. */
static bool is_argument(const char *word) {
    const char *at = word;
    while (*at == '_' || isalnum((unsigned char)*at)) {
        at++;
    }
    return at > word && *at == '=' && !isdigit((unsigned char)*word);
}

struct operands {
    SW_ARRAY(const char *) files, values;
};

static bool read_script_operands(const struct sw_cli *cli, struct sw_experiment *experiment, struct operands *operands,
                                 struct sw_error *error) {
    experiment->path = cli->files[0];
    for (size_t i = 1; i < cli->file_count; i++) {
        const char *word = cli->files[i];
        char key[sizeof((struct sw_setting *)0)->key];
        size_t length = strcspn(word, "=");
        if (!is_argument(word)) {
            if (!cli->merge) {
                return sw_fail(error, SW_ERROR_USAGE, "run %s: an argument of the script is KEY=VALUE", word);
            }
            if (!SW_PUSH(&operands->files, word)) {
                return sw_fail_memory(error);
            }
            continue;
        }
        if (length >= sizeof key) {
            return sw_fail(error, SW_ERROR_USAGE, "run %s: nothing has so long a name", word);
        }
        memcpy(key, word, length);
        key[length] = '\0';
        if (!sw_params_set(&experiment->args, key, word + length + 1, error) ||
            (!SW_PUSH(&operands->values, word + length + 1) && !sw_fail_memory(error))) {
            return false;
        }
    }
    return !cli->merge || operands->files.count > 0 ||
           sw_fail(error, SW_ERROR_USAGE, "--merge needs the files that --shard wrote");
}

static bool check_merge(const struct sw_cli *cli, struct sw_error *error) {
    return !cli->merge || !(cli->shards || cli->jobs) ||
           sw_fail(error, SW_ERROR_USAGE, "--merge runs nothing: it goes without --%s", cli->shards ? "shard" : "jobs");
}

/* How pictures look is for pictures; and a theme is read before a long run, not after it. */
static bool check_looks(const struct sw_cli *cli, struct sw_error *error) {
    struct sw_theme theme;
    const char *option = cli->theme       ? "theme"
                         : cli->width > 0 ? "size"
                         : cli->scale > 0 ? "scale"
                         : cli->dpi > 0   ? "dpi"
                                          : NULL;
    if (option && (!cli->output || cli->shards)) {
        return sw_fail(error, SW_ERROR_USAGE, "--%s is about pictures: a folder for them is named with -o", option);
    }
    return !cli->theme || sw_theme_load(cli->theme, &theme, error);
}

/* ---- the folder ---- */

/* Before a long run, not after: can files be written there? */
static bool check_folder(const char *path, bool *made, struct sw_error *error) {
    struct stat about;
    *made = mkdir(path, 0777) == 0;
    if (!*made && errno != EEXIST) {
        sw_fail(error, SW_ERROR_IO, "cannot make this folder: %s", strerror(errno));
    } else if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        sw_fail(error, SW_ERROR_IO, "this is no folder");
    } else if (access(path, W_OK | X_OK) != 0) {
        sw_fail(error, SW_ERROR_IO, "cannot write into this folder: %s", strerror(errno));
    } else {
        return true;
    }
    sw_error_at(error, path, 0, 0);
    return false;
}

static bool draw_report_plot(const void *drawer, const char *name, const struct sw_xyplot *given, struct sw_sink *sink,
                             struct sw_error *error) {
    const struct sw_cli *cli = drawer;
    struct sw_xyplot plot = *given;
    double zoom = cli->scale > 0 ? cli->scale : 1;
    struct sw_scene scene = {0};
    struct sw_theme theme;
    enum sw_picture kind;
    bool good = sw_picture_of(name, &kind, error) && sw_theme_load(cli->theme ? cli->theme : "light", &theme, error);
    if (good) {
        plot.width = (cli->width > 0 ? cli->width : plot.width) / zoom;
        plot.height = (cli->height > 0 ? cli->height : plot.height) / zoom;
        sw_view_xyplot(&plot, &scene);
        scene.zoom = cli->scale;
        scene.dpi = cli->dpi;
        good = sw_export_scene_apart(&scene, &theme, kind, sink, error);
    }
    sw_scene_done(&scene);
    return good;
}

/* A file that was there before, or a link to one, is not this run's to write over. */
static bool is_free_path(const struct sw_cli *cli, const char *path, struct sw_error *error) {
    struct stat about;
    if (cli->write_anywhere || lstat(path, &about) != 0) {
        return true;
    }
    sw_fail(error, SW_ERROR_IO,
            "this was there before, and a script writes over no such file; --write-anywhere allows it");
    sw_error_at(error, path, 0, 0);
    return false;
}

/* All are looked at before the first is written. */
static bool write_files(const struct sw_cli *cli, struct sw_report *report, struct sw_error *error) {
    for (size_t i = 0; i < 2 * report->files.count; i++) {
        char path[4096];
        bool write = i >= report->files.count;
        struct sw_report_file *file = &report->files.items[i % report->files.count];
        size_t length = (size_t)snprintf(path, sizeof path, "%s/%s", cli->output, file->name);
        if (length >= sizeof path) {
            return sw_fail(error, SW_ERROR_IO, "%s: the path is too long", file->name);
        }
        if (write ? !sw_sink_commit(&file->bytes, path, error)
                  : !sw_cli_spares(cli, path, error) || !is_free_path(cli, path, error)) {
            return false;
        }
    }
    return true;
}

static int print_report(const struct sw_cli *cli, const struct sw_experiment *experiment) {
    struct sw_report report = {.draw = cli->output ? draw_report_plot : NULL, .drawer = cli};
    struct sw_error error = {0};
    int status = 2;
    bool good = sw_experiment_report(experiment, &report, &error);
    if (good) { /* the text is whole before a file is written */
        sw_cli_clean(&report.text);
        good = !report.text.failed || sw_fail_memory(&error);
    }
    if (!good || (cli->output && !write_files(cli, &report, &error))) {
        sw_cli_fail(&error);
    } else {
        const struct sw_cli text = {.output = NULL};
        status = sw_cli_put(&text, &report.text, 0);
    }
    sw_report_done(&report);
    return status;
}

/* ---- running ---- */

/* Every case, or the share of one machine: I, I + N, I + 2 N ... */
static bool choose_cases(const struct sw_cli *cli, struct sw_experiment *experiment, struct sw_error *error) {
    for (size_t i = 0; i < experiment->cases.count; i++) {
        if ((!cli->shards || i % cli->shards == cli->shard - 1) && !SW_PUSH(&experiment->wanted, (uint32_t)i)) {
            return sw_fail_memory(error);
        }
    }
    return true;
}

static bool run_cases(const struct sw_cli *cli, struct sw_experiment *experiment, const struct operands *operands,
                      struct sw_error *error) {
    if (cli->merge) {
        return sw_experiment_merge(experiment, operands->files.items, operands->files.count, error);
    }
    if (!choose_cases(cli, experiment, error)) {
        return false;
    }
    return cli->jobs > 1 ? sw_experiment_run_jobs(experiment, cli->jobs, error) : sw_experiment_run(experiment, error);
}

static int run_experiment(const struct sw_cli *cli, struct sw_experiment *experiment, const struct operands *operands) {
    struct sw_error error = {0};
    experiment->host = (struct sw_lua_host){.trust = cli->load.trust,
                                            .open = operands->values.items,
                                            .open_count = operands->values.count,
                                            .print = sw_cli_aside};
    sw_cli_catch_interrupt();
    if (!sw_experiment_list(experiment, &error) || !run_cases(cli, experiment, operands, &error)) {
        return sw_cli_fail(&error);
    }
    if (!cli->shards) {
        return print_report(cli, experiment);
    }
    struct sw_sink out = {0};
    sw_experiment_write(experiment, &out);
    return sw_cli_put(cli, &out, 0);
}

int sw_cli_run(struct sw_cli *cli) {
    struct sw_experiment experiment = {.cli = cli};
    struct operands operands = {0};
    struct sw_error error = {0};
    int status;
    bool made = false;
    if (!check_merge(cli, &error) || !check_looks(cli, &error) ||
        !read_script_operands(cli, &experiment, &operands, &error) ||
        (cli->output && !cli->shards && !check_folder(cli->output, &made, &error))) {
        status = sw_cli_fail(&error);
    } else {
        status = run_experiment(cli, &experiment, &operands);
    }
    if (made && status == 2) {
        rmdir(cli->output); /* which stays when a file is in it */
    }
    SW_ARRAY_DONE(&operands.files, &operands.values);
    sw_experiment_done(&experiment);
    return status;
}
