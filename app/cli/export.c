/* stowage export: draw one view of a run as a picture. */
#include "cli/cli.h"
#include "export/export.h"

#include <inttypes.h>
#include <stdio.h>

static bool go_to_step(const struct sw_cli *cli, struct sw_search *search, struct sw_error *error) {
    uint64_t last = sw_search_known(search);
    if (cli->step > last) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--step %" PRIu64 ": the run has %" PRIu64 " decisions", cli->step, last);
    }
    return sw_search_seek(search, cli->step, error);
}

static bool draw(const struct sw_cli *cli, struct sw_search *search, uint64_t digest,
                 struct sw_error *error) {
    struct sw_explanation explanation = {0};
    struct sw_view_input in = {.search = search,
                               .input_name = cli->files[0],
                               .input_digest = digest,
                               .selected = SW_NONE,
                               .cursor = SW_NONE,
                               .candidate = SW_NONE,
                               .ghosts = cli->has_step,
                               .base = cli->base};
    struct sw_export options = {.view = cli->view,
                                .theme = cli->theme,
                                .title = cli->title,
                                .width = cli->width,
                                .height = cli->height};
    uint64_t at = sw_search_at(search);
    bool good = at == 0 || sw_search_explain(search, at, &explanation, error);
    if (good) {
        bool several = sw_problem_tier_count(sw_search_problem(search)) > 1;
        in.explanation = at ? &explanation : NULL;
        in.tier = several ? SW_NONE : 0;
        in.viewport = sw_viewport_all(search, 0);
        good = sw_export_file(&in, &options, cli->output, error);
    }
    sw_explanation_done(&explanation);
    return good;
}

/* What can be wrong without a run, before it costs one. */
static bool check_options(const struct sw_cli *cli, struct sw_error *error) {
    enum sw_picture kind;
    struct sw_theme theme;
    if (!cli->output) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "-o is missing: name the picture, OUT.svg, .png or .pdf");
    }
    return sw_picture_of(cli->output, &kind, error) &&
           (!cli->view || sw_view_find(cli->view, error)) &&
           (!cli->theme || sw_theme_load(cli->theme, &theme, error));
}

int sw_cli_export(struct sw_cli *cli) {
    struct sw_error error = {0};
    struct sw_result result;
    uint64_t digest;
    int status = 2;
    if (!check_options(cli, &error)) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, &digest);
    struct sw_search *search = problem ? sw_cli_search(cli, problem) : NULL;
    if (search && sw_cli_finish(cli, search, &result)) {
        status = cli->has_step ? 0 : sw_cli_status(&result);
        if ((cli->has_step && !go_to_step(cli, search, &error)) ||
            !draw(cli, search, digest, &error)) {
            status = sw_cli_fail(&error);
        }
    }
    sw_search_free(search);
    sw_problem_unref(problem);
    return status;
}
