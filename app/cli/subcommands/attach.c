/* stowage attach: another program's planner in the explorer, while it runs; one frame as text; or, without a terminal,
 * the summary of plan. */
#include "attach/live_run.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "command/session.h"
#include "tui/tui.h"

#include <stdio.h>

/* How the command ended, and what it said last, where that is no good end. */
static void tell_command_end(struct sw_child *child) {
    const struct sw_child_facts *facts = sw_child_facts(child);
    struct sw_sink last = {0};
    if (!facts->ended || facts->exit_status == 0) {
        return;
    }
    fprintf(stderr, "stowage: the command %s\n", facts->how);
    sw_child_last_lines(child, SW_CHILD_ERR, 5, &last);
    if (!last.failed && last.text.count > 0) {
        fprintf(stderr, "stowage: it said last:\n");
        fwrite(last.text.items, 1, last.text.count, stderr);
    }
    sw_sink_done(&last);
}

/* Run it to its end, as fast as it goes. False: what it records cannot be kept. */
static bool run_out(const struct sw_cli *cli, struct sw_live_command *live, struct sw_error *error) {
    enum { LIVE_PART = 1 << 20 };
    struct sw_tally tally = sw_tally_start(cli, "decisions recorded:");
    bool good = true;
    while (good && !sw_live_over(live)) {
        size_t got = 0;
        good = sw_live_read(live, LIVE_PART, &got, error);
        sw_live_wait(live, got > 0, got > 0 ? 0 : 100);
        if (!sw_tally_go_on(&tally, sw_live_decisions(live), 0)) {
            good = sw_fail(error, SW_ERROR_CANCELED, "interrupted: the command was ended");
        }
    }
    sw_tally_end(&tally);
    sw_live_wait(live, true, 0);
    return good;
}

static bool recorded_something(struct sw_live_command *live, struct sw_error *error) {
    const struct sw_child_facts *facts = sw_child_facts(sw_live_child(live));
    return sw_live_length(live) > 0 ||
           sw_fail(error, SW_ERROR_INPUT,
                   "the command %s and recorded nothing: its planner must write to the file that STOWAGE_RECORD names",
                   *facts->how ? facts->how : "closed the recording");
}

static int print_attached_summary(struct sw_cli *cli) {
    struct sw_error error = {0};
    const struct sw_child_command command = {.argv = (const char *const *)cli->files};
    struct sw_live_command *live = sw_live_start(&command, &error);
    int status = 2;
    if (!live || !run_out(cli, live, &error)) {
        sw_cli_fail(&error);
        sw_live_free(live);
        return 2;
    }
    tell_command_end(sw_live_child(live));
    if (!recorded_something(live, &error) || (cli->output && !sw_live_write(live, cli->output, &error))) {
        sw_cli_fail(&error);
    } else {
        const char *file[2] = {cli->output ? cli->output : sw_live_path(live), NULL};
        cli->files = file;
        cli->file_count = 1;
        cli->no_hints = !cli->output;
        cli->load.named = cli->shown = cli->output ? NULL : sw_path_name(command.argv[0]);
        cli->output = NULL;
        status = sw_cli_plan(cli);
    }
    sw_live_free(live);
    return status;
}

static int explore_attached(struct sw_cli *cli, bool terminal) {
    struct sw_error error = {0};
    struct sw_session_options options = sw_cli_session_options(cli);
    options.paced = cli->script || cli->screen_width;
    if (terminal && !cli->screen_width) {
        fprintf(stderr, "stowage: waiting for the first decision; Ctrl-C ends the command\n");
    }
    struct sw_session *session = sw_session_attach((const char *const *)cli->files, &options, &error);
    int status = session ? sw_cli_explore_session(cli, &session, terminal) : sw_cli_fail(&error);
    if (session && cli->output && !sw_session_write_recording(session, cli->output, &error)) {
        status = sw_cli_fail(&error);
    }
    sw_session_free(session);
    return status;
}

int sw_cli_attach(struct sw_cli *cli) {
    struct sw_error error = {0};
    bool terminal = sw_tui_possible(&error);
    sw_child_guard();
    return sw_cli_given(cli, "format") || !(terminal || cli->screen_width || cli->script)
               ? print_attached_summary(cli)
               : explore_attached(cli, terminal);
}
