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
void sw_autosave_path(const struct sw_autosave *, const char *name, const char *suffix, char *path, size_t size);
bool sw_autosave_write(struct sw_session *, struct sw_error *); /* the log, into its own file */
void sw_autosave_drop(struct sw_session *);                     /* that file */
void sw_autosave_done(struct sw_session *);                     /* let go of it */

#endif
