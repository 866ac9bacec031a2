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
/* Was it interrupted, or is its time over? Asked between two decisions, for what takes 20 ms now may take seconds
 * when a planner begins something else. Any thread may ask. */
bool sw_watch_is_late(const struct sw_watch *);
/* Is it time to stop? Shows progress now and then. */
bool sw_watch_stop(struct sw_watch *, const struct sw_search *);
/* The seconds since the start. */
double sw_watch_end(struct sw_watch *);

/* How far something else than a run is, "page 3 of 7", shown as progress is; from start to end Ctrl-C asks
 * it to stop. */
struct sw_tally {
    const char *what;
    const char *stops; /* what can be pressed meanwhile: shown in a terminal, with the percentage; NULL */
    double next;
    bool on, terminal, shown, caught;
    struct sigaction old;
};
struct sw_tally sw_tally_start(const struct sw_cli *, const char *what);
bool sw_tally_go_on(struct sw_tally *, uint64_t done, uint64_t count); /* false: it is to stop */
void sw_tally_end(struct sw_tally *);
/* The work after which the caller stops a run: --work, unless the planner spends that itself; 0: no limit. */
uint64_t sw_cli_work_limit(const struct sw_search *);

/* Between runs, too: from here on Ctrl-C is only remembered (sw_cli_interrupted), once. */
void sw_cli_catch_interrupt(void);
/* sw_cli_finish that prints no error. */
bool sw_cli_complete(const struct sw_cli *, struct sw_search *, struct sw_result *, struct sw_error *);

/* Its cost, whether it is proved, and whether it breaks a rule, of a run that stands at its end: as everywhere, from
 * sw_figures_of. False: the error says why. */
bool sw_cli_figures(struct sw_result *, struct sw_error *);
/* What came of a run that has ended with `step`, or was stopped: result->seconds and stopped_at are filled in.
 * False: the error says why. */
bool sw_cli_conclude(const struct sw_cli *, struct sw_search *, enum sw_step, struct sw_result *, struct sw_error *);
/* --threads: as many runs as that, each with a seed of its own; the best of them, or NULL after printing
 * why. It is the caller's. */
struct sw_search *sw_cli_race(struct sw_cli *, const struct sw_problem *, struct sw_result *);

/* --actions and --cost: does any of the planners heed them? Names those that would. `priced`: what is shown has a
 * figure of cost, which the cost model makes. */
bool sw_cli_heeded(const struct sw_cli *, const struct sw_planner *const *, size_t count, bool priced,
                   struct sw_error *);

/* ---- trace_file.c: `trace -o NAME.trace`, a run as a decision trace ---- */

/* Count the candidates of one more decision. False, with the error: they are more than --max-candidates. */
bool sw_cli_count_candidates(const struct sw_cli *, const struct sw_explanation *, uint64_t *count, struct sw_error *);

/* -o names a decision trace: refuse an option with which it would not have what it has, "the whole run". */
bool sw_cli_trace_without(const struct sw_cli *, const char *option, const char *has, struct sw_error *);

/* Run the planner and write the trace to cli->output, which sw_trace_named accepts. Options that would leave something
 * of the run out are refused. The exit status; unless the whole trace is there the file is as it was. */
int sw_cli_trace_file(struct sw_cli *);

/* ---- escape.c: Esc while the terminal waits for something that is under way, before the explorer has it. Keys come
 * one by one then and are not shown; the terminal is as before whenever the program ends, stops or asks something ----
 */

/* Nothing happens when it has begun, or when standard input is no terminal of ours. */
void sw_escape_begin(void);
/* Was Esc pressed? What else was typed is dropped, keys that send more than that byte with it. */
bool sw_escape_pressed(void);
void sw_escape_end(void);

#endif
