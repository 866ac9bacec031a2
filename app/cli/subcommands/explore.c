/* stowage [FILE]: the explorer; one frame as text; or, without a terminal, the summary of plan. */
#include "base/base.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "data.h"
#include "lua/config.h"
#include "tui/tui.h"
#include "lua/theme_file.h"

#include <unistd.h>

/* A session that is being opened. */
struct opening {
    struct sw_tally tally;
    bool live; /* the explorer goes on with what is stopped */
};

/* A yes or no at the terminal; anything else than yes is no. */
static bool ask_at_terminal(void *context, const char *what) {
    char line[16] = "";
    (void)context;
    sw_escape_end();
    fprintf(stderr, "stowage: %s\nstowage: go on with it? [y/N] ", what);
    fflush(stderr);
    return fgets(line, sizeof line, stdin) && (line[0] == 'y' || line[0] == 'Y');
}

static bool watch_loading(void *context, uint32_t line, uint32_t lines) {
    struct opening *opening = context;
    if (opening->live) {
        sw_escape_begin();
    }
    return !sw_escape_pressed() && sw_tally_go_on(&opening->tally, line ? line - 1 : 0, lines);
}

/* In a terminal the user is asked, and the explorer goes on with what was stopped. */
static struct sw_session *replay_session(const struct sw_cli *cli, struct sw_error *error) {
    bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    bool live = !cli->screen_width && sw_tui_possible(NULL);
    struct opening opening = {.tally = sw_tally_start(cli, "replaying line"), .live = live};
    opening.tally.stops = live ? "Esc or Ctrl-C stops there" : "Ctrl-C stops";
    const struct sw_replay replay = {.trust = cli->load.trust,
                                     .write_anywhere = cli->write_anywhere,
                                     .run_command = cli->run_command,
                                     .live = live,
                                     .ask = terminal ? ask_at_terminal : NULL,
                                     .watch = watch_loading,
                                     .context = &opening};
    struct sw_session *session = sw_session_replay(cli->files[0], &replay, error);
    sw_escape_end();
    sw_tally_end(&opening.tally);
    return session;
}

struct sw_session_options sw_cli_session_options(const struct sw_cli *cli) {
    return (struct sw_session_options){.planner = cli->planner,
                                       .load = cli->load,
                                       .params = cli->params,
                                       .cost = cli->cost,
                                       .actions = cli->actions,
                                       .breeding = cli->breeding,
                                       .policy = cli->policy,
                                       .base = cli->base,
                                       .even_if_larger = cli->even_if_larger,
                                       .write_anywhere = cli->write_anywhere};
}

/* A model or a session, with the options of the command line applied. */
static struct sw_session *open_session(struct sw_cli *cli, struct sw_error *error) {
    const char *path = cli->files[0];
    bool session = sw_session_detect(path);
    const char *wrong = session && cli->planner ? "a session, which says itself which planner to run"
                        : session && (cli->cost || cli->actions || cli->breeding || cli->policy)
                            ? "a session, which says itself what its scripts are"
                        : !session && cli->run_command ? "no session: --run-command is for one that stowage attach made"
                                                       : NULL;
    if (wrong) {
        sw_fail(error, SW_ERROR_USAGE, "%s is %s", path, wrong);
        return NULL;
    }
    if (session) {
        return replay_session(cli, error);
    }
    struct sw_session_options options = sw_cli_session_options(cli);
    options.path = path;
    struct sw_session *made = sw_session_new(&options, error);
    if (made && !sw_cli_heeds_moment(cli, sw_search_problem(sw_session_search(made)), error)) {
        sw_error_at(error, path, 0, 0);
        sw_session_free(made);
        made = NULL;
    }
    return made;
}

/* The user's own config is for the terminal: what is printed is the same for every user, unless it
 * is asked for. */
static bool use_config(const struct sw_cli *cli, struct sw_session *session, bool terminal, struct sw_error *error) {
    bool fresh = cli->command->run == sw_cli_attach || !sw_session_detect(cli->files[0]);
    if (terminal) {
        sw_session_autosave(session, fresh && !cli->script);
    }
    struct sw_config *config = sw_cli_config(cli, terminal, error);
    bool done = config && sw_session_configure(session, config, fresh, error);
    sw_cli_config_free(config);
    return done;
}

/* The config; over it --ascii, --text, --theme and --no-mouse; then --step, then --script. */
static bool prepare_session(const struct sw_cli *cli, struct sw_session *session, bool terminal,
                            struct sw_error *error) {
    struct sw_display *display = sw_session_display(session);
    char line[64];
    if (!use_config(cli, session, terminal && !cli->screen_width, error)) {
        return false;
    }
    display->ascii |= cli->ascii;
    display->text |= cli->text;
    display->mouse &= !cli->no_mouse;
    if (cli->theme) {
        struct sw_theme theme;
        if (!sw_theme_load(cli->theme, &theme, error)) {
            return false;
        }
        snprintf(display->theme, sizeof display->theme, "%s", cli->theme);
    }
    if (cli->coloring) {
        snprintf(line, sizeof line, "color-by %s", sw_coloring_words[cli->coloring]);
        if (!sw_session_command(session, line, error)) {
            return false;
        }
    }
    if (sw_cli_given(cli, "step")) {
        snprintf(line, sizeof line, "goto %llu", (unsigned long long)cli->step);
        if (!sw_session_command(session, line, error) || !sw_session_finish(session, error)) {
            return false;
        }
    }
    const char *dot = cli->script ? strrchr(cli->script, '.') : NULL;
    bool lua = dot && strcmp(dot, ".lua") == 0;
    return !cli->script || cli->record ||
           (lua ? sw_session_run_lua(session, cli->script, error) : sw_session_script(session, cli->script, error));
}

/* ---- recordings ---- */

struct recorder {
    struct sw_screencast recording;
    struct sw_session *session;
};

/* A frame after each command; "# pause 3" lets the last one stand for three seconds more. */
static bool record_line(void *context, const char *line, struct sw_error *error) {
    struct recorder *recorder = context;
    size_t count = recorder->recording.seconds.count;
    double more = 0;
    if (*line && *line != '#') {
        return sw_record_frame(&recorder->recording, recorder->session, 1, error);
    }
    if (sscanf(line, "# pause %lf", &more) == 1 && more > 0 && more < 60) {
        recorder->recording.seconds.items[count - 1] += more;
    }
    return true;
}

static int record_session(const struct sw_cli *cli, struct sw_session *session) {
    struct sw_error error = {0};
    struct recorder recorder = {.session = session};
    struct sw_sink sink = {0};
    char title[300];
    recorder.recording.columns = cli->screen_width ? cli->screen_width : 100;
    recorder.recording.rows = cli->screen_width ? cli->screen_height : 30;
    bool done = sw_record_frame(&recorder.recording, session, 1, &error) &&
                sw_session_script_watched(session, cli->script, record_line, &recorder, &error);
    if (done) {
        snprintf(title, sizeof title, "stowage explores %.200s", cli->files[0]);
        sw_record_svg(&recorder.recording, title, &sink);
        done = sw_sink_commit(&sink, cli->record, &error);
    }
    sw_sink_done(&sink);
    sw_record_done(&recorder.recording);
    return done ? 0 : sw_cli_fail(&error);
}

static int print_frame(const struct sw_cli *cli, struct sw_session *session) {
    struct sw_error error = {0};
    struct sw_frame frame = {0};
    struct sw_sink sink = {0};
    bool done = sw_frame_draw(&frame, session, cli->screen_width, cli->screen_height, SW_FRAME_MONO, &error);
    if (done) {
        sw_grid_text(&frame.grid, &sink);
        done = sw_sink_commit(&sink, "-", &error);
    }
    sw_sink_done(&sink);
    sw_frame_done(&frame);
    return done ? 0 : sw_cli_fail(&error);
}

/* The explorer cannot be shown: what `plan` prints. */
static int print_file_summary(struct sw_cli *cli) {
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
    struct sw_sink what_ifs = {0};
    int status = 2;
    sw_session_what_ifs(session, &what_ifs);
    cli->what_ifs = sw_sink_ended(&what_ifs);
    if (!own || (!cli->what_ifs && !sw_fail_memory(&error))) {
        sw_cli_fail(&error);
    } else if (sw_cli_finish(cli, own, &result)) {
        status = sw_cli_write(cli, &result);
    }
    cli->what_ifs = NULL;
    sw_sink_done(&what_ifs);
    sw_search_free(own);
    sw_session_free(session);
    return status;
}

int sw_cli_explore_session(const struct sw_cli *cli, struct sw_session **owner, bool terminal) {
    struct sw_error error = {0};
    int status = 0;
    bool waits = terminal && !cli->screen_width && !cli->record;
    while (!waits && sw_session_indexing(*owner)) { /* a frame for a file shows all */
        sw_session_index(*owner);
    }
    if (!prepare_session(cli, *owner, terminal, &error)) {
        status = sw_cli_fail(&error);
    } else if (cli->record) {
        status = record_session(cli, *owner);
    } else if (cli->screen_width) {
        status = print_frame(cli, *owner);
    } else if (terminal && !sw_session_wants_quit(*owner)) {
        sw_session_attached_unpace(*owner);
        status = sw_tui_run(owner, &error) ? 0 : sw_cli_fail(&error);
    }
    return status;
}

static int explore_file(struct sw_cli *cli, bool terminal) {
    struct sw_error error = {0};
    struct sw_session *session = open_session(cli, &error);
    if (session && cli->own_model && terminal && !cli->screen_width) {
        sw_session_say(session, false, "New here? :tour shows the way in two minutes; :help lists all keys.");
    }
    int status = session ? sw_cli_explore_session(cli, &session, terminal) : sw_cli_fail(&error);
    sw_session_free(session);
    return status;
}

int sw_cli_explore(struct sw_cli *cli) {
    struct sw_error error = {0};
    if (cli->record && !cli->script) {
        return sw_cli_tell(SW_ERROR_USAGE, NULL, "--record needs a --script to record");
    }
    char path[4096];
    const char *files[2] = {path, NULL};
    if (cli->file_count == 0) {
        if (!sw_data_path(SW_CLI_MODEL, path, sizeof path, &error)) {
            return sw_cli_fail(&error);
        }
        cli->files = files;
        cli->file_count = 1;
        cli->own_model = true;
    }
    bool terminal = sw_tui_possible(&error);
    if (!terminal && strstr(error.message, "not a terminal") == NULL && !cli->screen_width) {
        sw_cli_fail(&error); /* a terminal, but one that cannot show screens: say why */
    }
    return terminal || cli->screen_width || cli->script ? explore_file(cli, terminal) : print_file_summary(cli);
}
