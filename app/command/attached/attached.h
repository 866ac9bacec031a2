/* A session on the run of another program's planner: the command that makes the run, the child while it runs, and the
 * runs that were made again with demands.
 *
 * The child writes what it decides (app/attach). What is read of it is added to a file, and the problem's recording
 * grows by it. It is read only when a run wants to go on beyond what is known: so the planner is held where the user
 * stands, as far as its pipe has room. What cannot be demanded of a recording, a pin or a forbidden range, is demanded
 * of the planner: the command runs again, the decisions before must be the same, and what it makes of it is a branch.
 *
 * A session file keeps the command, its folder and all that was recorded, and no environment. Opened again it plays
 * what was recorded. The command runs only when the user has said so in that session (`run-command yes`, or
 * --run-command): a session file may come from a stranger. */
#ifndef SW_COMMAND_ATTACHED_H
#define SW_COMMAND_ATTACHED_H

#include "attach/live_run.h"
#include "command/runs/branches.h"
#include "command/state.h"

/* A recording that a session file keeps: open, so that it can be read when its name is gone. */
struct sw_kept {
    int file;
    char path[32]; /* by which it can be opened again; "": there is none */
};
/* A run that was made again. */
struct sw_attached_rerun {
    char *demands;                /* as in the file of demands: what identifies it */
    struct sw_live_command *live; /* made in this program; NULL: kept by a session file */
    struct sw_kept kept;
    uint64_t digest; /* of what a session file keeps */
};
struct sw_attached {
    char **argv; /* NULL: this session has no command; ended by NULL */
    size_t argc;
    char *directory;
    bool allowed;                 /* the command may run */
    struct sw_live_command *live; /* the first run, in this program; NULL: `kept` */
    struct sw_kept kept;
    bool told;        /* that the child has ended */
    bool over;        /* all that it recorded has been taken up */
    unsigned waits;   /* so often in a row nothing came */
    char fault[400];  /* why the recording ends where it does, when that is no good end */
    uint64_t rebuilt; /* length of the file when the problem was last read anew */
    bool gathers;     /* paced: the problem is read anew when what the job wants is there */
    uint64_t run;     /* the number of the run that is shown */
    SW_ARRAY(struct sw_attached_rerun) reruns;
    struct sw_attached_beside {  /* the traces beside the session file that was last written: */
        char *session;           /* its path; NULL: none was */
        uint64_t length, digest; /* of the first run there */
        size_t reruns;           /* so many are there */
    } beside;
    char shown[120]; /* what the header says of it */
};

/* played.c */
/* The attached part that counts for a session, also for one that is being made by a reload. */
struct sw_attached *sw_attached_of(const struct sw_session *);
/* Does the run play a recording, and nothing else? */
bool sw_recorded_plays(const struct sw_search *);
/* The recording of the first run has grown: the runs that play it go on. */
void sw_recorded_more(struct sw_session *);
/* Does the present run end because its planner has not recorded more yet; because its trace has not been read further?
 */
bool sw_attached_open(const struct sw_session *);
bool sw_indexing_open(const struct sw_session *);
/* The run that was made with these demands; NULL. */
const struct sw_attached_rerun *sw_attached_find_rerun(const struct sw_attached *, const char *demands);
const struct sw_attached_rerun *sw_attached_present(
    const struct sw_session *); /* the run that is shown; NULL: the first */
/* Why the present run ends where it does, in a sentence, when its recording has no good end; NULL. */
const char *sw_attached_fault(const struct sw_session *, char *text, size_t size);
/* The sentence for one that has no end; `how`: what became of the command, or "". */
void sw_recorded_fault(char *text, size_t size, const struct sw_recording *, const char *how);

/* reruns.c: a pin or a forbidden range at the present decision, by running the command again. */
bool sw_attached_demands(const struct sw_session *); /* is that how this run is changed? */
bool sw_attached_branch(struct sw_session *, const struct sw_override *, const struct sw_origin *, struct sw_error *);

/* attached_file.c: what a session file keeps of it. Without a command these do nothing. */
const char *sw_attached_path(const struct sw_session *, const struct sw_attached_rerun *); /* NULL: the first run */
void sw_attached_remove(const char *session_path);                                         /* those traces */
/* The name of the first of them; false: the session has no command. */
bool sw_attached_input(const struct sw_session *, const char *session_path, char *name, size_t size, uint64_t *digest);
/* The head has been read: open what it says. `allowed`: its command may run. False: it has none, or is no recorded run.
 */
bool sw_attached_begin(struct sw_session *, bool allowed, struct sw_error *);
void sw_kept_close(struct sw_kept *);
bool sw_attached_knows(const char *word); /* does such a line begin with it? */
bool sw_attached_take(struct sw_attached *, const char *session_path, const char *word, const char *value,
                      struct sw_error *);

#endif
