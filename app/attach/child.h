/* Another program's planner as a child process: started, read, held, watched and ended.
 *
 * COMMAND runs in a session and a process group of its own, without a terminal: standard input is /dev/null, standard
 * output and error are pipes that are read here, of which the last part is kept. Beside these three it inherits no
 * descriptor. It writes its decisions to the path in STOWAGE_RECORD, which is a named pipe (a FIFO) in a folder that
 * only this user may enter. A name, not an inherited descriptor, because a planner is often started by a build tool or
 * by a script that closes what it inherited (Python's subprocess does), and because each of several processes may open
 * it. The pipe is as small as the system allows, one page, so that COMMAND cannot run far ahead of the reader.
 *
 * When is the recording over? This side has the pipe open for writing, too, while COMMAND runs: so a run that ends
 * before the next one is opened is no end. When COMMAND has ended, it is over as soon as no process has the pipe open
 * for writing. If nothing at all was recorded by then and processes that COMMAND started still run, it is not over
 * yet: one of them may be the planner. A process that opens the pipe after that finds no file. Runs that are recorded
 * by two processes at the same time get mixed, line by line at best. A process that COMMAND left behind with the pipe
 * open keeps the recording from being over, for it may write: a caller that must not wait for that looks at
 * facts->ended and the `end` of the run. The same is true of a process that is forked off this one and not executed,
 * until it ends.
 *
 * The process that calls this becomes a subreaper: whatever COMMAND leaves behind becomes a child of this process, also
 * what made a session of its own, and can be found and ended. COMMAND gets SIGKILL when the thread that started it
 * ends, however that ends: start it from the first thread.
 *
 * All of it belongs to one thread. Other children of this process are never waited for nor signalled: they are in its
 * own session, or were there before. */
#ifndef SW_ATTACH_CHILD_H
#define SW_ATTACH_CHILD_H

#include "formats/format.h"

#include <poll.h>
#include <sys/types.h>

/* ---- what it is asked to do ---- */

/* The lines of a file of demands, as STOWAGE_DEMANDS names one: the recorder hands out each once step - 1 decisions are
 * recorded. */
void sw_child_demands(struct sw_sink *, const struct sw_demand *, size_t count);
/* The same into a file, atomically (sw_sink_commit). */
bool sw_demands_write(const char *path, const struct sw_demand *, size_t count, struct sw_error *);

/* The command line for people: every argument quoted for a shell, so that it can be typed; what must not be shown
 * (controls, marks of direction, what is no UTF-8) is escaped by number and never shown. */
void sw_child_command_line(struct sw_sink *, const char *const *argv);

/* ---- its life ---- */

struct sw_child;
struct sw_child_command {
    const char *const *argv;         /* ends with NULL; the first is looked up in PATH unless it has a slash */
    const char *directory;           /* where it runs; NULL: here */
    const struct sw_demand *demands; /* NULL: STOWAGE_DEMANDS is not set */
    size_t demand_count;
};
/* Start it. NULL: it cannot be started (there is no such file, it may not be run, no memory...), and the error says so
 * in one line; no process, file or descriptor is left. Everything given is copied or used before this returns.
 * Up to SW_CHILD_MOST may run at the same time. */
enum { SW_CHILD_MOST = 16 };
struct sw_child *sw_child_start(const struct sw_child_command *, struct sw_error *);

/* What is known of it; valid as long as the child, renewed by sw_child_poll and the functions below. */
struct sw_child_facts {
    pid_t process;
    bool ended;          /* COMMAND itself has, and was waited for */
    int exit_status;     /* when a signal ended it: -1 */
    int signal;          /* that ended it; 0: none */
    char how[80];        /* "ended with exit status 3", "was ended by SIGSEGV (Segmentation fault)"; "" while it runs */
    uint64_t recorded;   /* bytes read from STOWAGE_RECORD */
    bool over;           /* the recording is: sw_child_read gave SW_CHILD_END, or the child was ended */
    uint64_t printed[2]; /* bytes on standard output and error, by enum sw_child_stream */
    int opened_demands;  /* was the file of demands opened? 1: yes, 0: not yet, -1: not known, or there is none */
    size_t left;         /* after sw_child_ended: processes that cannot be ended, of other users; else 0 */
};
const struct sw_child_facts *sw_child_facts(const struct sw_child *);

enum sw_child_got {
    SW_CHILD_BYTES,   /* some: *got of them */
    SW_CHILD_NOTHING, /* none at present */
    SW_CHILD_END      /* none any more; also every later call says so */
};
/* Never waits. To hold COMMAND is not to call this: it runs on until its pipe is full. A reader that stopped the run
 * goes on where it was. */
enum sw_child_got sw_child_read(struct sw_child *, void *buffer, size_t room, size_t *got);

/* For poll(): fills in descriptors and gives how many, and how many milliseconds may pass before sw_child_poll and
 * sw_child_read must be called in any case (-1: any time). While `holding`, what is recorded is not among them. */
enum { SW_CHILD_POLLS = 5 };
size_t sw_child_polls(const struct sw_child *, bool holding, struct pollfd polls[SW_CHILD_POLLS], int *timeout);
/* Take what has happened: waits (without waiting) for COMMAND and for what it left behind, and reads standard output
 * and error, at most a mebibyte of each. To be called whenever one of the descriptors is ready or the time is over.
 * True: facts or last lines have changed. What COMMAND printed before it ended is there when `ended` is first seen. */
bool sw_child_poll(struct sw_child *);

enum sw_child_stream { SW_CHILD_OUT, SW_CHILD_ERR };
/* The last lines, at most `lines`, of the last 64 KiB, each with a line break: blanks for a tab, of a line that was
 * written over by carriage returns what stood there last, and everything else that must not be shown by its number. A
 * line of which the beginning was not kept begins with "...". */
void sw_child_last_lines(const struct sw_child *, enum sw_child_stream, unsigned lines, struct sw_sink *);

/* ---- its end ---- */

/* SIGTERM to COMMAND and all its descendants, also those in sessions of their own; the pipes of what is recorded
 * close. Does not wait. */
void sw_child_end_begin(struct sw_child *);
/* Is nothing of it left? To be called again, as sw_child_poll says; 2 seconds after the beginning whatever is left gets
 * SIGKILL. It becomes true in any case a few seconds later: a process of another user (sudo) cannot be ended, and
 * facts->left counts those. Reads standard output and error meanwhile. */
bool sw_child_ended(struct sw_child *);
/* The two together: waits, at most for those seconds. Right when the program ends. */
void sw_child_end(struct sw_child *);
/* Whatever still runs gets SIGKILL at once and is waited for. The folder with the pipe goes. NULL is allowed. */
void sw_child_free(struct sw_child *);

/* SIGKILL to all that every child left, and their folders go. It does not wait, allocates nothing, and may be called in
 * a signal handler. exit() calls it. In a process forked off this one it does nothing. */
void sw_child_kill_all(void);
/* From now on signals that would end this process do that first: those that still have their default action, of SIGHUP,
 * SIGINT, SIGQUIT, SIGTERM and the like. Handlers that are installed later and give way to the ones before them stay
 * right. SIGKILL cannot be caught: COMMAND itself then ends, too; what it started loses its pipe, and the folder stays.
 */
void sw_child_guard(void);

/* ---- the same decisions again? ---- */

/* The text of one run: JSON Lines as recorded, uncompressed, from its header on or behind it. */
struct sw_run_text {
    const char *text;
    size_t length;
    bool whole; /* nothing will follow: a last line without an end counts */
};
enum sw_same {
    SW_SAME_SO_FAR, /* as far as the second goes, which is not whole */
    SW_SAME,        /* all that was asked for, or both have ended before */
    SW_NOT_SAME     /* a line differs, or one of them has ended */
};
struct sw_rerun {         /* zeroed to start with */
    uint64_t decision;    /* SW_NOT_SAME: the decision that differs, or before which another line does, from 1 */
    bool declared;        /* what differs is no decision: a buffer, an operator... */
    const char *was, *is; /* the two lines, without line breaks, in the texts; NULL: it has ended */
    size_t was_length, is_length;
    size_t at[2];  /* internal: how far the texts are compared */
    uint64_t same; /* decisions that were compared */
};
/* Are the first `decisions` decisions of both the same, byte for byte, and what was declared before them (graph, tiers,
 * operators, buffers, allocations)? Candidates, states, groups and headers are not compared. A second text that grows
 * is given again with the same `struct sw_rerun`, and the comparison goes on where it was. O(what was not yet
 * compared). */
enum sw_same sw_runs_compare(const struct sw_run_text *before, const struct sw_run_text *now, uint64_t decisions,
                             struct sw_rerun *);

#endif
