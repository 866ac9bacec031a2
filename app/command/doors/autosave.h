/* What is kept in the folder of state, from one start to the next: for autosave.c and recover.c. */
#ifndef SW_COMMAND_AUTOSAVE_H
#define SW_COMMAND_AUTOSAVE_H

#include "command/state.h"

struct sw_autosave {
    bool on, complained;
    char folder[3800];
    char name[48]; /* of the session's own file and its lock; "" while there is none */
    int lock;      /* while there is a name */
    bool has_base;
    uint64_t base, written;  /* the log as it was opened, and the one in the file: their marks */
    size_t edits;            /* when it was last written */
    double at;               /* then, in milliseconds */
    char panes[160];         /* what is in the file of the panes */
    char offered[48];        /* the cut-off session that the next key may take up, or "" */
    struct sw_session *next; /* what `recover` has taken up, until the terminal goes over to it; owned */
};

/* Lock NAME.lock; -1 when another process has it. */
int sw_autosave_lock(const struct sw_autosave *, const char *name);
enum { SW_KEPT_PATH = 4096 };
const char *sw_autosave_path(const struct sw_autosave *, const char *name, const char *suffix, char path[SW_KEPT_PATH]);
/* Of a file that is kept; good to the end of the block. */
#define SW_KEPT_FILE(keep, name, suffix) sw_autosave_path((keep), (name), (suffix), (char[SW_KEPT_PATH]){""})
bool sw_autosave_write(struct sw_session *, struct sw_error *);        /* the log, into its own file */
bool sw_autosave_remove(const struct sw_autosave *, const char *name); /* the files of a session; false: it has none */
void sw_autosave_drop(struct sw_session *);                            /* that file */
void sw_autosave_done(struct sw_autosave *);                           /* let go of it */

#endif
