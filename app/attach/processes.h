/* Which processes there are, from /proc. Nothing here allocates: all of it may be called in a signal handler. Internal.
 */
#ifndef SW_ATTACH_PROCESSES_H
#define SW_ATTACH_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sw_process {
    pid_t pid, parent, group, session;
    uint64_t started; /* ticks since the machine started: tells a process from a later one with its number */
};
/* False: there is none, or /proc cannot be read. */
bool sw_process_look(pid_t, struct sw_process *);
/* "/proc/NUMBER" and a short name behind it, into `path`. */
const char *sw_process_path(char path[64], pid_t, const char *name);
/* Is /proc there, and that of this process's own numbers? */
bool sw_processes_known(void);
/* Calls `visit` for every process that can be seen. Those that start meanwhile may be missed. O(processes). */
void sw_processes_each(void (*visit)(void *context, const struct sw_process *), void *context);
/* A signal to this very process, not to another one that has got its number since. False: there is no such process any
 * more, or it is another user's. */
bool sw_process_signal(const struct sw_process *, int number);

#endif
