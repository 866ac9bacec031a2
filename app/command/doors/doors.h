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
/* `real` becomes the name of the file itself; "": this is no script's doing, and nothing is to be remembered. */
bool sw_writing_begin(const struct sw_session *, const char *path, char *real, struct sw_error *);
void sw_writing_done(struct sw_session *, const char *real); /* the file was written */

/* lua_door.c */
void sw_session_tell(struct sw_session *, bool is_error, const char *line);
void sw_session_tell_error(struct sw_session *, const struct sw_error *);
/* What a command said joins the log. */
void sw_session_tell_status(struct sw_session *);
void sw_messages_view(const struct sw_session *, struct sw_view_input *);
/* reload.c */
void sw_session_uses(void *session, const char *path);
/* A file that the graph was made from; NULL: past the last. */
const char *sw_inputs_path(const struct sw_session *, size_t i);
/* Undo and redo of a reload; false when there is none. */
/* What its planner records has changed the problem: the session is made anew on all that is there now, and what runs
 * goes on. False: it stays as it was. */
bool sw_reload_grown(struct sw_session *, struct sw_error *);
bool sw_reload_undo(struct sw_session *);
bool sw_reload_redo(struct sw_session *);
void sw_reload_forget(struct sw_session *); /* what was undone */

/* settings.c: run a command, and let the status line be. */
bool sw_state_quietly(struct sw_session *, const char *line, struct sw_error *);

/* session_file.c: the file as it would be at `path`; a run under way as far as it has come. */
void sw_state_session_text(const struct sw_session *, const char *path, bool reached, struct sw_sink *);

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
void sw_recover_decline(struct sw_session *);
bool sw_recover_key(struct sw_session *, const char *key); /* true: it was taken up, or that failed */

#endif
