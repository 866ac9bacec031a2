/* What leaves the program: errors, results to a file or standard output, what scripts print. */
#include "cli/shared/output.h"
#include "base/base.h"

int sw_cli_fail(const struct sw_error *error) {
    struct sw_error shown = *error; /* scripts put their own texts in */
    const char *file = shown.file;
    sw_utf8_clean(shown.file, true);
    sw_utf8_clean(shown.message, true);
    size_t length = strlen(file);
    fprintf(stderr, "stowage: %s%s", file, length ? ":" : "");
    if (error->line) {
        fprintf(stderr, "%u:", error->line);
    }
    if (error->line && error->column) {
        fprintf(stderr, "%u:", error->column);
    }
    fprintf(stderr, "%s%s\n", length || error->line ? " " : "", shown.message);
    return error->code == SW_ERROR_INFEASIBLE ? 1 : 2;
}

int sw_cli_tell(enum sw_code code, const char *file, const char *format, ...) {
    struct sw_error error;
    char text[sizeof error.message];
    SW_FORMAT_INTO(text, format);
    sw_fail(&error, code, "%s", text);
    sw_error_at(&error, file, 0, 0);
    return sw_cli_fail(&error);
}

int sw_cli_fail_memory(void) {
    struct sw_error error;
    sw_fail_memory(&error);
    return sw_cli_fail(&error);
}

void sw_cli_aside(void *context, const char *line) {
    struct sw_sink text = {0};
    (void)context;
    for (size_t length; *line; line += length + (line[length] == '\t')) {
        char part[256];
        length = strcspn(line, "\t");
        length = length < sizeof part ? length : sizeof part - 1;
        snprintf(part, sizeof part, "%.*s", (int)length, line);
        sw_sink_text(&text, part);
        sw_sink_printf(&text, "%s", line[length] == '\t' ? "  " : "");
    }
    fprintf(stderr, "%.*s\n", (int)text.text.count, text.text.items ? text.text.items : "");
    sw_sink_done(&text);
}

bool sw_output_of(const char *path, enum sw_output *output) {
    static const struct {
        const char *extension;
        enum sw_output output;
    } known[] = {{".txt", SW_OUTPUT_TEXT}, {".csv", SW_OUTPUT_CSV}, {".json", SW_OUTPUT_JSON}, {".md", SW_OUTPUT_MD}};
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
    *output = cli->format;
    if (sw_output_of(cli->output, &named)) {
        if (sw_cli_given(cli, "format") && cli->format != named) {
            return sw_fail(error, SW_ERROR_USAGE, "--format contradicts the name %s", cli->output);
        }
        *output = named;
    }
    return true;
}

void sw_cli_clean(struct sw_sink *out) {
    struct sw_sink clean = {0};
    sw_sink_add(out, "", 1); /* ends the last line, too */
    for (size_t at = 0; !out->failed && at + 1 < out->text.count;) {
        size_t length = strcspn(out->text.items + at, "\n");
        bool ended = out->text.items[at + length] == '\n';
        out->text.items[at + length] = '\0';
        sw_sink_text(&clean, out->text.items + at);
        sw_sink_add(&clean, "\n", ended);
        at += length + ended;
    }
    clean.failed = clean.failed || out->failed;
    sw_sink_done(out);
    *out = clean;
}

int sw_cli_put(const struct sw_cli *cli, struct sw_sink *out, int status) {
    struct sw_error error = {0};
    if (!sw_sink_commit(out, cli->output ? cli->output : "-", &error)) {
        status = sw_cli_fail(&error);
    }
    sw_sink_done(out);
    return status;
}

/* A list of planners may have files in it: "first-fit,./mine.lua". */
static bool spares_planners(const struct sw_cli *cli, const char *path, struct sw_error *error) {
    char name[4096];
    const char *const source = name;
    for (const char *at = cli->planner ? cli->planner : ""; *at;) {
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, at);
        if (!sw_may_write(path, &source, 1, error)) {
            return false;
        }
        at += length + (at[length] == ',');
    }
    return true;
}

bool sw_cli_spares(const struct sw_cli *cli, const char *path, struct sw_error *error) {
    const char *const named[] = {cli->load.tiers, cli->load.join, cli->cost,  cli->actions, cli->breeding,
                                 cli->policy,     cli->annotate,  cli->theme, cli->config,  cli->script};
    return sw_may_write(path, cli->files, cli->file_count, error) &&
           sw_may_write(path, cli->readers.items, cli->readers.count, error) &&
           sw_may_write(path, named, sizeof named / sizeof *named, error) && spares_planners(cli, path, error);
}
