/* Watching a long run: Ctrl-C, limits, progress on standard error; and writing what came of it. */
#ifndef SW_CLI_RUN_H
#define SW_CLI_RUN_H

#include "cli/cli.h"

#include <signal.h>

/* From start to end Ctrl-C asks the run to stop between two decisions. */
struct sw_watch {
    double start, next, time_limit;
    uint64_t work_limit;
    bool on, terminal, shown;
    struct sigaction old;
};
/* prints: the command itself writes to standard output meanwhile. */
struct sw_watch sw_watch_start(const struct sw_cli *, const struct sw_search *, bool prints);
/* Is it time to stop? Shows progress now and then. */
bool sw_watch_stop(struct sw_watch *, const struct sw_search *);
/* The seconds since the start. */
double sw_watch_end(struct sw_watch *);

/* Between runs, too: from here on Ctrl-C is only remembered (sw_cli_interrupted), once. */
void sw_cli_catch_interrupt(void);
/* sw_cli_finish that prints no error. */
bool sw_cli_complete(const struct sw_cli *, struct sw_search *, struct sw_result *,
                     struct sw_error *);

/* The format of what a command prints: --format, else the extension of -o, else text. */
bool sw_cli_output(const struct sw_cli *, enum sw_output *, struct sw_error *);
/* Text for a terminal, in place: control characters that came in with names become '?'. */
void sw_cli_clean(struct sw_sink *);
/* Write to -o or standard output and free the sink; the status given, or 2 after saying why. */
int sw_cli_put(const struct sw_cli *, struct sw_sink *, int status);

#endif
