/* A session on the run of somebody else's planner: the command that makes the run, the child while it runs, and the runs that
 * were made again with demands.
 *
 * The child writes what it decides (app/attach). What is read of it is added to a file, and the problem's recording grows by it.
 * It is read only when a run wants to go on beyond what is known: so the planner is held where the user stands, as far as its
 * pipe has room. What cannot be demanded of a recording, a pin or a forbidden range, is demanded of the planner: the command
 * runs again, the decisions before must be the same, and what it makes of it is a branch.
 *
 * A session file keeps the command, its folder and all that was recorded, and no environment. Opened again it plays what was
 * recorded. The command runs only when the user has said so in that session (`run-command yes`, or --run-command): a session
 * file may come from a stranger. */
#ifndef SW_COMMAND_ATTACHED_H
#define SW_COMMAND_ATTACHED_H

#include "attach/live.h"
#include "command/runs/branches.h"
#include "command/state.h"

/* A run that was made again. */
struct sw_attached_rerun {
    char *demands;        /* as in the file of demands: what identifies it */
    struct sw_live *live; /* made in this program; or */
    char *path;           /* kept by a session file; owned */
};
struct sw_attached {
    char **argv; /* NULL: this session has no command; ended by NULL */
    size_t argc;
    char *directory;
    bool allowed;         /* the command may run */
    struct sw_live *live; /* the first run, in this program; NULL */
    bool told;            /* that the child has ended */
    bool over;            /* all that it recorded has been taken up */
    uint64_t rebuilt;     /* length of the file when the problem was last read anew */
    SW_ARRAY(struct sw_attached_rerun) reruns;
    char *kept;           /* where the session file that is being written has its trace; NULL */
    uint64_t kept_digest;
};

/* The attached part that counts for a session, also for one that is being made by a reload. */
struct sw_attached *sw_attached_of(const struct sw_session *);

/* Does the present run end because its planner has not recorded more yet? */
bool sw_attached_open(const struct sw_session *);
enum sw_attached_more {
    SW_ATTACHED_OVER,  /* nothing will come */
    SW_ATTACHED_CAME,  /* the run goes on */
    SW_ATTACHED_WAITS, /* nothing has come within these milliseconds */
    SW_ATTACHED_ANEW   /* a buffer has come: the session was made anew, and stands where it stood */
};
enum sw_attached_more sw_attached_more(struct sw_session *, int milliseconds);

/* What the header says of it. */
void sw_attached_view(const struct sw_session *, struct sw_view_input *);

/* Does the run play a recording, and nothing else? */
bool sw_recorded_plays(const struct sw_search *);
/* The recording of the first run has grown: the runs that play it go on. */
void sw_recorded_more(struct sw_session *);

/* indexing.c: does the present run end only because its trace has not been read further? */
bool sw_indexing_open(const struct sw_session *);
void sw_indexing_view(const struct sw_session *, struct sw_view_input *, char text[40]);

/* reruns.c: a pin or a forbidden range at the present decision, by running the command again. */
bool sw_attached_demands(const struct sw_session *); /* is that how this run is changed? */
bool sw_attached_branch(struct sw_session *, const struct sw_override *, const struct sw_origin *, struct sw_error *);

/* attached_file.c: what a session file keeps of it. */
bool sw_attached_keep(const struct sw_session *, const char *session_path, struct sw_error *); /* writes the traces beside it */
void sw_attached_write(const struct sw_session *, struct sw_sink *);                   /* lines of the head */
/* A line of the head; *known: it is one of these. */
bool sw_attached_take(struct sw_attached *, const char *session_path, const char *word, const char *value, bool *known,
                      struct sw_error *);

#endif
