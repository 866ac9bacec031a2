/* stowage [FILE]: the explorer; one frame as text; or, without a terminal, the summary of plan. */
#include "cli/cli.h"
#include "data.h"
#include "tui/tui.h"

#include <stdio.h>
#include <string.h>

/* A model or a session, with the options of the command line applied. */
static struct sw_session *open_session(struct sw_cli *cli, struct sw_error *error) {
    const char *path = cli->files[0];
    if (sw_session_detect(path)) {
        if (cli->planner) {
            sw_fail(error, SW_ERROR_USAGE,
                    "%s is a session, which says itself which planner to run", path);
            return NULL;
        }
        if (cli->cost || cli->actions) {
            sw_fail(error, SW_ERROR_USAGE,
                    "%s is a session, which says itself what its scripts are", path);
            return NULL;
        }
        return sw_session_open(path, error);
    }
    struct sw_session_options options = {.path = path,
                                         .planner = cli->planner,
                                         .load = cli->load,
                                         .params = cli->params,
                                         .cost = cli->cost,
                                         .actions = cli->actions,
                                         .base = cli->base};
    return sw_session_new(&options, error);
}

/* --ascii, --text, --theme and --no-mouse, then --step, then --script. */
static bool prepare(const struct sw_cli *cli, struct sw_session *session, struct sw_error *error) {
    struct sw_display *display = sw_session_display(session);
    char line[64];
    display->ascii = cli->ascii;
    display->text = cli->text;
    display->mouse = !cli->no_mouse;
    if (cli->theme) {
        struct sw_theme theme;
        if (!sw_theme_load(cli->theme, &theme, error)) {
            return false;
        }
        snprintf(display->theme, sizeof display->theme, "%s", cli->theme);
    }
    if (cli->has_step) {
        snprintf(line, sizeof line, "goto %llu", (unsigned long long)cli->step);
        if (!sw_session_command(session, line, error) || !sw_session_finish(session, error)) {
            return false;
        }
    }
    const char *dot = cli->script ? strrchr(cli->script, '.') : NULL;
    bool lua = dot && strcmp(dot, ".lua") == 0;
    return !cli->script || (lua ? sw_session_run_lua(session, cli->script, error)
                                : sw_session_script(session, cli->script, error));
}

static int print_frame(const struct sw_cli *cli, struct sw_session *session) {
    struct sw_error error = {0};
    struct sw_frame frame = {0};
    struct sw_sink sink = {0};
    bool done = sw_frame_draw(&frame, session, cli->screen_width, cli->screen_height, SW_FRAME_MONO,
                              &error);
    if (done) {
        sw_grid_text(&frame.grid, &sink);
        done = sw_sink_commit(&sink, "-", &error);
    }
    sw_sink_done(&sink);
    sw_frame_done(&frame);
    return done ? 0 : sw_cli_fail(&error);
}

/* The explorer cannot be shown: what `plan` prints. */
static int print_summary(struct sw_cli *cli) {
    struct sw_error error = {0};
    struct sw_result result;
    if (!sw_session_detect(cli->files[0])) {
        return sw_cli_plan(cli);
    }
    struct sw_session *session = open_session(cli, &error);
    if (!session) {
        return sw_cli_fail(&error);
    }
    struct sw_search *own = sw_search_fork(sw_session_search(session), &error);
    int status = 2;
    if (!own) {
        sw_cli_fail(&error);
    } else if (sw_cli_finish(cli, own, &result)) {
        status = sw_cli_write(cli, &result);
    }
    sw_search_free(own);
    sw_session_free(session);
    return status;
}

static int explore(struct sw_cli *cli, bool terminal) {
    struct sw_error error = {0};
    struct sw_session *session = open_session(cli, &error);
    int status = 0;
    if (!session || !prepare(cli, session, &error)) {
        status = sw_cli_fail(&error);
    } else if (cli->has_screen) {
        status = print_frame(cli, session);
    } else if (terminal && !sw_session_wants_quit(session) && !sw_tui_run(session, &error)) {
        status = sw_cli_fail(&error);
    }
    sw_session_free(session);
    return status;
}

int sw_cli_explore(struct sw_cli *cli) {
    struct sw_error error = {0};
    char path[4096];
    const char *files[1] = {path};
    if (cli->file_count == 0) {
        if (!sw_data_path(SW_CLI_MODEL, path, sizeof path, &error)) {
            return sw_cli_fail(&error);
        }
        cli->files = files;
        cli->file_count = 1;
    }
    bool terminal = sw_tui_possible(&error);
    if (!terminal && strstr(error.message, "not a terminal") == NULL && !cli->has_screen) {
        sw_cli_fail(&error); /* a terminal, but one that cannot show screens: say why */
    }
    return terminal || cli->has_screen || cli->script ? explore(cli, terminal) : print_summary(cli);
}
