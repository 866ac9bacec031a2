/* The log of a session: the commands that lead from the opened file to where the session stands.
 *
 * Purpose: what a session file holds, what a reload and a recovery start from. An entry is the command's line as it
 * was given, and where its run was stopped if it did not come to its end; what a replay needs for that is worked out
 * when the log is written, and only there.
 * Owner: the session. Errors: lack of memory, after which the log is as it was. */
#ifndef SW_COMMAND_COMMAND_LOG_H
#define SW_COMMAND_COMMAND_LOG_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sw_command_log;

/* Where the run of an entry was stopped. */
struct sw_log_stop {
    bool stopped;     /* false: it came to its end */
    bool made_branch; /* the command made the branch that ran */
    uint64_t at;      /* the decision */
};

size_t sw_log_count(const struct sw_command_log *);

/* A line at the end. `merge`: "step 3" after "step 2" becomes "step 5", which keeps the log of a held key short. */
bool sw_log_add(struct sw_command_log *, const char *line, bool merge, struct sw_error *);
/* The run of the last entry was stopped. */
void sw_log_stopped(struct sw_command_log *, struct sw_log_stop);
/* The line of the last entry; good until the log changes. */
const char *sw_log_last(const struct sw_command_log *);

/* Entry `i` as a replay needs it: "goto N" for a run that was stopped, "planner NAME N" and "set KEY=VALUE N" where
 * the command says how far to run; `until`: "until N" has to go before the line. `running`: how far the run of the
 * last entry has come by now, or NULL. Freed by sw_state_drop; NULL: no memory. */
char *sw_log_line(const struct sw_command_log *, size_t i, const struct sw_log_stop *running, bool *until,
                  uint64_t *until_at);
/* Of the number of entries and of the last one: another log has another mark. */
uint64_t sw_log_mark(const struct sw_command_log *, uint64_t seed);

#endif
