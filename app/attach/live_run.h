/* What a child records, as a file that grows.
 *
 * The file has no name, so that nothing is left of it however this program ends; it is opened again by its path below
 * /proc. It holds exactly the bytes that were read from the child, which is read only when the session wants more: so
 * the child is held. */
#ifndef SW_ATTACH_LIVE_H
#define SW_ATTACH_LIVE_H

#include "attach/child.h"

struct sw_live_command;
/* Start the command. NULL: it cannot be started, or there is no room for the file. */
struct sw_live_command *sw_live_start(const struct sw_child_command *, struct sw_error *);
/* Ends the child, and waits for that (sw_child_end). NULL is allowed. */
void sw_live_free(struct sw_live_command *);

struct sw_child *sw_live_child(struct sw_live_command *);
const char *sw_live_path(const struct sw_live_command *); /* good as long as this process and the run live */
uint64_t sw_live_length(const struct sw_live_command *);
/* Whole lines that say a decision, so far. A line counts that has a key "decision" at its beginning, as recorders write
 * it: for what only must know whether anything was decided. */
uint64_t sw_live_decisions(const struct sw_live_command *);
/* Runs that have begun, told in the same way, and decisions of the last one. */
uint64_t sw_live_runs(const struct sw_live_command *, uint64_t *decisions);
bool sw_live_over(const struct sw_live_command *); /* nothing will be added any more */

/* Paced, a read takes one line, or nothing while no whole line is there: so what the file holds depends on how often it
 * was read, and not on how fast the child writes. */
void sw_live_pace(struct sw_live_command *, bool paced);
bool sw_live_paced(const struct sw_live_command *);
/* Take what there is, at most `most` bytes, without waiting. `got`: how many bytes were added. False: the file cannot
 * be written (no space). */
bool sw_live_read(struct sw_live_command *, size_t most, size_t *got, struct sw_error *);
/* What was recorded so far, into a file, written whole or not at all. */
bool sw_live_write(const struct sw_live_command *, const char *path, struct sw_error *);
/* Let the child's output go on and see whether it has ended; waits at most so many milliseconds for something to
 * happen. `holding`: what is recorded is not waited for. True: facts or last lines have changed. */
bool sw_live_wait(struct sw_live_command *, bool holding, int milliseconds);

#endif
