/* A child as the files of this folder see it. Internal. */
#ifndef SW_ATTACH_CHILD_STATE_H
#define SW_ATTACH_CHILD_STATE_H

#include "attach/child.h"
#include "formats/format.h"

#include <signal.h>

/* ---- processes.c: which processes there are, from /proc. Nothing there allocates: all of it may be called in a signal
 * handler ---- */

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

/* ---- tail.c: the last part of what a process prints: all of it is read, and a fixed amount is kept ---- */

enum { SW_TAIL_SIZE = 64 * 1024, SW_TAIL_AT_ONCE = 1024 * 1024 };

struct sw_tail {
    int fd;         /* non-blocking; -1: it has ended */
    char *bytes;    /* SW_TAIL_SIZE, a ring: byte n of all stands at n modulo that */
    uint64_t total; /* bytes read */
};
bool sw_tail_init(struct sw_tail *); /* false: no memory */
void sw_tail_done(struct sw_tail *); /* closes, too */
/* Read what is there, at most SW_TAIL_AT_ONCE bytes. True: there was something. */
bool sw_tail_read(struct sw_tail *);
/* As sw_child_last_lines. */
void sw_tail_lines(const struct sw_tail *, unsigned lines, struct sw_sink *);

/* ---- a child ---- */

enum sw_child_ending { SW_ENDING_NOT, SW_ENDING_ASKED, SW_ENDING_FORCED };

struct sw_child {
    struct sw_child_facts facts;
    pid_t process;                  /* its number is its session's, too, and its process group's */
    pid_t keeper;                   /* 0 or less: there is none */
    volatile sig_atomic_t unreaped; /* its number cannot be another one's yet */
    uint64_t started;               /* as in sw_process */
    int process_fd;                 /* readable when COMMAND has ended; -1: the kernel has no such thing */
    int record, record_writer;      /* both ends of the named pipe; -1: closed */
    int demands_watch;              /* -1: none */
    struct sw_tail tails[2];
    enum sw_child_ending ending;
    bool gone;        /* nothing of it is left, or what is cannot be ended */
    bool waits;       /* COMMAND has ended, nothing is recorded, and its processes still run */
    int64_t asked_at; /* milliseconds of the steady clock */
    char folder[240]; /* "": none */
    char record_path[256], demands_path[256];
};

/* What is started: in launch.c. */
struct sw_launch {
    const char *const *argv;
    const char *directory;
    char **environment;
    int out, err; /* become standard output and error */
};
/* Forks and executes. 0: it runs, or could not be started and is waited for; then *error says why. */
pid_t sw_launch(const struct sw_launch *, struct sw_error *);

/* The children that live, and the child that a process descends from: guard.c. */
bool sw_children_add(struct sw_child *); /* false: there are too many */
void sw_children_remove(struct sw_child *);
struct sw_child *sw_children_get(size_t); /* below SW_CHILD_MOST; NULL: a free place */
/* Is it a child of this process that COMMAND left behind, and not COMMAND itself? */
bool sw_child_adopted(const struct sw_process *);
/* `number` to every descendant that is still there (0: to none), at least one of which the number counts; COMMAND's
 * whole group at once. What has ended and is a child of this process is waited for. How many there are. */
size_t sw_child_signal(struct sw_child *, int number);
/* The pipe, the file of demands and their folder. */
void sw_child_remove_folder(struct sw_child *);

/* The process that ends what is left of a child when this one is killed: keeper.c. Started before COMMAND; without one
 * (no more processes, an old kernel) all else works. */
void sw_keeper_start(struct sw_child *);
void sw_keeper_end(struct sw_child *);

#endif
