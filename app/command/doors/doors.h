/* What the files of this folder have for others: replays, reloads, what is kept, what scripts say and may. */
#ifndef SW_COMMAND_DOORS_H
#define SW_COMMAND_DOORS_H

#include "command/state.h"

/* allowance.c */
bool sw_allowance_begin(struct sw_session *); /* true: this is the outermost script or replay */
void sw_allowance_end(struct sw_session *, bool began);
bool sw_allowance_left(struct sw_session *, struct sw_error *);
/* Between two slices of work: the replay was not stopped, and some of its allowance is left. */
bool sw_replay_goes_on(struct sw_session *, struct sw_error *);
bool sw_replay_on(const struct sw_session *);      /* is a session file being replayed? */
bool sw_replay_was_cut(const struct sw_session *); /* it was stopped, or took too long */

/* script_writes.c: where a script may write */
bool sw_path_is_below(const char *path, const char *folder); /* both are names of the files themselves */
/* `real` becomes the name of the file itself; "": this is no script's doing, and nothing is to be remembered. */
bool sw_writing_begin(const struct sw_session *, const char *path, char *real, struct sw_error *);
void sw_writing_done(struct sw_session *, const char *real); /* the file was written */

/* messages.c */
struct sw_messages {
    struct sw_text_lines lines; /* what scripts and, in SW_STYLE_DIM, commands said */
    unsigned scripts;           /* running, one inside the other */
    char note[330];             /* behind all that is said of the present command: how it was read; "" */
};
/* NULL: no note from here on. */
void sw_messages_add_note(struct sw_session *, const char *text);
void sw_session_tell(struct sw_session *, bool is_error, const char *line);
void sw_session_print(void *session, const char *line); /* the same, as scripts call it */
void sw_session_tell_error(struct sw_session *, const struct sw_error *);
/* inputs.c */
void sw_session_uses(void *session, const char *path);
/* A file that the graph was made from; NULL: past the last. */
const char *sw_inputs_path(const struct sw_session *, size_t i);
bool sw_inputs_touched(struct sw_session *);       /* since the last look, or never; looks at most once a second */
bool sw_inputs_changed(const struct sw_session *); /* has any of them? */
/* reload.c */
/* What its planner records has changed the problem: the session is made anew on all that is there now, and what runs
 * goes on. False: it stays as it was. */
bool sw_reload_grown(struct sw_session *, struct sw_error *);
/* A reload on its way: what a part has of the old session goes over to the new one. */
struct sw_carrier {
    struct sw_session *from, *to;
    uint64_t work;          /* that may still be spent on going to places */
    SW_ARRAY(uint32_t) map; /* of each branch: where it is now, or that from which it was made */
    size_t kept, lost;
    char first[400]; /* of what was lost */
};
/* Give the new session a command, and let it come to its end. `why`: NULL, or why it did not. */
bool sw_carry(struct sw_carrier *, struct sw_error *why, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Go to a decision of a branch, numbered as in the old session. */
bool sw_carry_to(struct sw_carrier *, uint32_t branch, uint64_t step);
/* Something could not be carried over: `why` is empty when its decision is too far. */
void sw_carry_lost(struct sw_carrier *, const char *what, const char *why);

/* exchange.c */
void sw_reload_exchange(struct sw_session *front, struct sw_session *other); /* they change places */
void sw_reload_remember(struct sw_session *, struct sw_session *older);      /* undo goes back there */
bool sw_reload_turn(struct sw_session *, bool undo); /* undo or redo of a reload; false when there is none */
void sw_reload_forget(struct sw_session *);          /* what was undone */

double sw_state_clock(void); /* state.c: in seconds */
/* The error becomes `error`, which may be NULL. True: it is none. */
bool sw_state_good(const struct sw_error *, struct sw_error *error); /* state.c */

/* settings.c */
bool sw_state_theme(struct sw_session *, const char *name, struct sw_error *); /* a theme that can be read is used */
/* Run a command, and let the status line be. */
bool sw_state_quietly(struct sw_session *, const char *line, struct sw_error *);

/* session_file.c: the file as it would be at `path`; a run under way as far as it has come. */
void sw_state_session_text(const struct sw_session *, const char *path, bool reached, struct sw_sink *);
/* What the parts keep beside a session file; before it is written. */
bool sw_state_keep_beside(const struct sw_session *, const char *path, bool grown, struct sw_error *);

/* autosave.c */
uint64_t sw_autosave_mark(const struct sw_session *);
void sw_autosave_saved(struct sw_session *); /* the log is in a file: cut off here, nothing would be lost */

/* recover.c: sessions that were cut off, the latest first */
struct sw_left {
    char name[48];
    time_t when;
    char input[1024]; /* "": the file cannot be read */
    char last[120];   /* its last command */
    size_t commands;
};
struct sw_left_list {
    SW_ARRAY(struct sw_left) list;
};
void sw_recover_list(const struct sw_autosave *, struct sw_left_list *); /* empty when nothing is kept */
void sw_recover_offer(struct sw_session *);

#endif
