/* stowage plan: run a planner to its end; print a summary, or write the plan. */
#include "cli/run.h"
#include "cli/summary.h"

#include <string.h>

/* The output format a file name asks for; false when its extension says nothing. */
static bool format_of(const char *path, enum sw_output *output) {
    static const struct {
        const char *extension;
        enum sw_output output;
    } known[] = {{".txt", SW_OUTPUT_TEXT},
                 {".csv", SW_OUTPUT_CSV},
                 {".json", SW_OUTPUT_JSON},
                 {".md", SW_OUTPUT_MD}};
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++) {
        if (strcmp(dot, known[i].extension) == 0 && !strchr(dot, '/')) {
            *output = known[i].output;
            return true;
        }
    }
    return false;
}

bool sw_cli_output(const struct sw_cli *cli, enum sw_output *output, struct sw_error *error) {
    enum sw_output named;
    *output = cli->has_format ? cli->format : SW_OUTPUT_TEXT;
    if (format_of(cli->output, &named)) {
        if (cli->has_format && cli->format != named) {
            return sw_fail(error, SW_ERROR_USAGE, "--format contradicts the name %s", cli->output);
        }
        *output = named;
    }
    return true;
}

int sw_cli_put(const struct sw_cli *cli, struct sw_sink *out, int status) {
    struct sw_error error = {0};
    if (!sw_sink_commit(out, cli->output ? cli->output : "-", &error)) {
        status = sw_cli_fail(&error);
    }
    sw_sink_done(out);
    return status;
}

/* The writer for -o: by the name, or for "-" and names that say nothing by --format (CSV by
 * default). */
static const struct sw_format *plan_writer(const struct sw_cli *cli, struct sw_error *error) {
    enum sw_output named;
    const char *path = cli->output;
    if (strcmp(path, "-") == 0 || (cli->has_format && !strrchr(path, '.'))) {
        path = cli->has_format && cli->format == SW_OUTPUT_JSON ? "-.json" : "-.csv";
    } else if (cli->has_format && (!format_of(path, &named) || named != cli->format)) {
        sw_fail(error, SW_ERROR_USAGE, "--format contradicts the name %s", path);
        return NULL;
    }
    return sw_format_for_output(path, true, error);
}

int sw_cli_write(struct sw_cli *cli, const struct sw_result *result) {
    struct sw_error error = {0};
    struct sw_sink out = {0};
    int status = sw_cli_status(result);
    if (!cli->output) {
        sw_cli_summary(cli, result, cli->has_format ? cli->format : SW_OUTPUT_TEXT, &out);
        return sw_cli_put(cli, &out, status);
    }
    const struct sw_format *format = plan_writer(cli, &error);
    if (!format) {
        return sw_cli_fail(&error);
    }
    if (status) { /* half a plan, or one that overflows, must not look like a plan */
        return status;
    }
    if (!format->write_plan(result, &out, &error)) {
        sw_sink_done(&out);
        return sw_cli_fail(&error);
    }
    return sw_cli_put(cli, &out, status);
}

/* Usage errors must come before a long run. */
static bool check_output(const struct sw_cli *cli, struct sw_error *error) {
    return !cli->output || plan_writer(cli, error);
}

int sw_cli_plan(struct sw_cli *cli) {
    struct sw_error error = {0};
    struct sw_result result;
    int status = 2;
    if (!check_output(cli, &error)) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    struct sw_search *search = problem ? sw_cli_search(cli, problem) : NULL;
    if (search && sw_cli_finish(cli, search, &result)) {
        status = sw_cli_write(cli, &result);
        if (status == 1 && (cli->output || (cli->has_format && cli->format != SW_OUTPUT_TEXT))) {
            sw_summary_infeasible(&result, &error);
            sw_cli_fail(&error);
        }
    }
    sw_search_free(search);
    sw_problem_unref(problem);
    return status;
}
