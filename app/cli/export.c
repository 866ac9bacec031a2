/* stowage export: draw one view of a run as a picture. */
#include "cli/cli.h"
#include "export/export.h"
#include "formats/notes.h"

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

/* --time: the steps that a part of raw time meets. */
static bool show_time(const struct sw_cli *cli, const struct sw_problem *problem,
                      struct sw_viewport *port, struct sw_error *error) {
    uint32_t steps = sw_problem_steps(problem), lo = 0, hi = steps;
    if (steps == 0 || cli->time_hi < sw_problem_time(problem, 0) ||
        cli->time_lo >= sw_problem_time(problem, steps)) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--time %" PRId64 ":%" PRId64 " meets nothing: time runs from %" PRId64
                       " to %" PRId64,
                       cli->time_lo, cli->time_hi, steps ? sw_problem_time(problem, 0) : 0,
                       steps ? sw_problem_time(problem, steps) - 1 : 0);
    }
    while (lo + 1 < steps && sw_problem_time(problem, lo + 1) <= cli->time_lo) {
        lo++;
    }
    while (hi > lo + 1 && sw_problem_time(problem, hi - 1) > cli->time_hi) {
        hi--;
    }
    port->time_lo = lo;
    port->time_hi = hi;
    return true;
}

/* --highlight, --time and --address. */
static bool look(const struct sw_cli *cli, struct sw_view_input *in, struct sw_error *error) {
    const struct sw_problem *problem = sw_search_problem(in->search);
    if (cli->highlight) {
        in->selected = sw_problem_find_buffer(problem, cli->highlight);
        uint32_t member = sw_problem_find_member(problem, cli->highlight);
        if (in->selected == SW_NONE && member == SW_NONE) {
            return sw_fail(error, SW_ERROR_USAGE, "--highlight: there is no buffer '%.80s'",
                           cli->highlight);
        }
        in->selected =
            in->selected == SW_NONE ? sw_problem_member(problem, member)->buffer : in->selected;
    }
    if (cli->has_address) {
        if (in->tier == SW_NONE) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "--address speaks of one memory, and here are several");
        }
        if (cli->address_hi <= in->base) {
            return sw_fail(error, SW_ERROR_USAGE, "--address ends below the base address");
        }
        uint64_t lo = cli->address_lo > in->base ? cli->address_lo - in->base : 0;
        in->viewport.bytes_lo = (double)lo;
        in->viewport.bytes_hi = (double)(cli->address_hi - in->base);
    }
    return !cli->has_time || show_time(cli, problem, &in->viewport, error);
}

/* --annotate. */
static bool read_notes(const struct sw_cli *cli, const struct sw_problem *problem,
                       struct sw_notes *notes, struct sw_error *error) {
    struct sw_input input;
    if (!cli->annotate) {
        return true;
    }
    if (!sw_input_open(cli->annotate, &input, error)) {
        return false;
    }
    bool good = sw_notes_read(&input, problem, cli->base, notes, error);
    sw_error_at(good ? NULL : error, *error->file ? NULL : input.name, error->line, error->column);
    sw_input_close(&input);
    return good;
}

static bool draw(const struct sw_cli *cli, struct sw_search *search, uint64_t digest,
                 struct sw_error *error) {
    struct sw_explanation explanation = {0};
    struct sw_notes notes = {0};
    struct sw_view_input in = {.search = search,
                               .input_name = cli->files[0],
                               .input_digest = digest,
                               .selected = SW_NONE,
                               .cursor = SW_NONE,
                               .candidate = SW_NONE,
                               .ghosts = cli->has_step,
                               .base = cli->base,
                               .units = cli->units,
                               .notes = &notes};
    struct sw_export options = {.view = cli->view,
                                .theme = cli->theme,
                                .title = cli->title,
                                .width = cli->width,
                                .height = cli->height,
                                .scale = cli->scale,
                                .dpi = cli->dpi};
    uint64_t at = sw_search_at(search);
    bool good = read_notes(cli, sw_search_problem(search), &notes, error) &&
                (at == 0 || sw_search_explain(search, at, &explanation, error));
    if (good) {
        bool several = sw_problem_tier_count(sw_search_problem(search)) > 1;
        in.explanation = at ? &explanation : NULL;
        in.tier = several ? SW_NONE : 0;
        in.viewport = sw_viewport_all(search, 0);
        good = look(cli, &in, error) && sw_export_file(&in, &options, cli->output, error);
    }
    sw_explanation_done(&explanation);
    sw_notes_done(&notes);
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
    if (!sw_picture_of(cli->output, &kind, error)) {
        return false;
    }
    if (cli->dpi > 0 && kind != SW_PICTURE_PNG) {
        sw_fail(error, SW_ERROR_USAGE, "--dpi is for PNG: this picture has no pixels");
        sw_error_at(error, cli->output, 0, 0);
        return false;
    }
    return (!cli->view || sw_view_find(cli->view, error)) &&
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
