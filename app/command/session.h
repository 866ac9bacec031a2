/* A session: an opened input, the tree of runs made of it, where the user looks, and the log of
 * commands that led there.
 *
 * Keys, the ':' prompt, the mouse, session files, --script and (later) Lua are doors to the one command
 * table (commands.h); nothing else changes a session. The session file is the log of commands;
 * replaying it gives the same bytes. A session belongs to its caller and is single-threaded. */
#ifndef SW_COMMAND_SESSION_H
#define SW_COMMAND_SESSION_H

#include "formats/format.h"
#include "view/view.h"

struct sw_session;

struct sw_session_options {
    const char *path;               /* the input */
    const char *planner;            /* "auto" when NULL */
    struct sw_load_options load;
    struct sw_params params;        /* copied */
    uint64_t base;
};
struct sw_session *sw_session_new(const struct sw_session_options *, struct sw_error *);
void sw_session_free(struct sw_session *);

/* Run one line of the command language: "step 3", "pin conv_1 4096", "zoom in". Logged when the command
 * says so and it succeeded. */
bool sw_session_command(struct sw_session *, const char *line, struct sw_error *);
/* Run the command bound to a key ("s", "Home", "Ctrl-L"); false with code SW_OK when none is. */
bool sw_session_key(struct sw_session *, const char *key, struct sw_error *);

/* Long work: a command such as `run` only starts it. Each slice does about `work` units; true while
 * there is more to do. sw_session_stop ends it at the decision it has reached. */
bool sw_session_slice(struct sw_session *, uint64_t work, struct sw_error *);
bool sw_session_busy(const struct sw_session *);
void sw_session_stop(struct sw_session *);

/* What there is to see now. The view input borrows from the session until its next change. */
bool sw_session_view(struct sw_session *, struct sw_view_input *, struct sw_error *);
const struct sw_search *sw_session_search(const struct sw_session *);

/* What the terminal has to know. */
enum sw_mode { SW_MODE_NORMAL, SW_MODE_HELP, SW_MODE_PROMPT };
bool sw_session_wants_quit(const struct sw_session *);
const char *sw_session_status(const struct sw_session *, bool *is_error); /* last message */

/* The log so far as a session file, and replaying one. */
bool sw_session_save(const struct sw_session *, const char *path, struct sw_error *);
struct sw_session *sw_session_open(const char *path, struct sw_error *);
/* Commands of a file, one a line, '#' comments; errors carry its name and line. */
bool sw_session_script(struct sw_session *, const char *path, struct sw_error *);
/* Of everything a replay must reproduce: the runs' digests and the view. */
uint64_t sw_session_digest(const struct sw_session *);

#endif
