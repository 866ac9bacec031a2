/* A session: an opened input, the tree of runs made of it, where the user looks, and the log of
 * commands that led there.
 *
 * Keys, the ':' prompt, the mouse, session files, --script and Lua are doors to the one command table
 * (commands.h), which says what may come through each; nothing else changes a session. The session file is the log of
 * commands; replaying it gives the same bytes. A session belongs to its caller and is single-threaded. */
#ifndef SW_COMMAND_SESSION_H
#define SW_COMMAND_SESSION_H

#include "formats/format.h"
#include "view/view.h"

struct sw_session;

struct sw_session_options {
    const char *path;    /* the input */
    const char *shown;   /* what it is called on the screen; NULL: as its path says */
    const char *planner; /* "auto" when NULL */
    struct sw_load_options load;
    struct sw_params params; /* copied; without cost and actions, which the session opens itself */
    const char *cost, *actions, *breeding, *policy; /* scripts, or NULL */
    uint64_t base;
    bool even_if_larger; /* --even-if-larger */
    bool write_anywhere; /* scripts may write where the user may: script_writes.c */
    bool paced; /* attached: what is known of the run follows from the commands alone, not from the child's speed */
};
struct sw_session *sw_session_new(const struct sw_session_options *, struct sw_error *);
void sw_session_free(struct sw_session *);

/* Run one line of the command language: "step 3", "pin conv_1 4096", "zoom-in". Logged when the command
 * says so and it succeeded. Names with blanks stand in double quotes, \" and \\ inside them. */
bool sw_session_command(struct sw_session *, const char *line, struct sw_error *);
/* The ways in which a command comes. What the mouse does the program itself gives, through none. */
enum sw_door {
    SW_DOOR_KEYS = 1,
    SW_DOOR_PROMPT = 2,
    SW_DOOR_SCRIPT = 4,  /* a file of commands, --script */
    SW_DOOR_SESSION = 8, /* a session file that is opened */
    SW_DOOR_LUA = 16     /* stowage.command */
};
/* The same for a line that came through a door: a command that may not is refused. What the line runs in its turn
 * (keys, Lua, other commands) has come through this door too. sw_session_command itself adds no door. */
bool sw_session_command_by(struct sw_session *, enum sw_door, const char *line, struct sw_error *);
/* A name in double quotes, as the command language wants it. */
void sw_session_quote(const char *name, char *text, size_t size);
/* Run the command bound to a key ("s", "Home", "Ctrl-L"); in the help and at the prompt keys mean what
 * they mean there. False with code SW_OK when nothing is bound to it. */
bool sw_session_key(struct sw_session *, const char *key, struct sw_error *);

/* Run a command that records what its planner decides (stowage/record.h), and be a session on that: returns when the
 * first decision is there. argv ends with NULL. NULL: the command cannot be run, or records nothing that can be opened.
 * options->path is not used. */
struct sw_session *sw_session_attach(const char *const *argv, const struct sw_session_options *, struct sw_error *);
/* To be called now and then while the session has a command that runs (sw_session_attached): lets its output go on, and
 * sees whether it has ended. True: there is news. */
bool sw_session_attached_turn(struct sw_session *);
bool sw_session_attached(const struct sw_session *);
/* From now on what is recorded is read as it comes (options->paced). */
void sw_session_attached_unpace(struct sw_session *);
/* A large decision trace is shown before all of it is read. While that is so, and nothing else is to be done: read a
 * slice of the rest, about 10 ms. Runs that come to its end wait for it. */
bool sw_session_indexing(const struct sw_session *);
bool sw_session_index(struct sw_session *);
/* This process is about to end by a signal: all commands of the session end first, as they do when it is freed. */
void sw_session_attached_end(struct sw_session *);
/* What a command recorded, into a file. */
bool sw_session_write_recording(const struct sw_session *, const char *path, struct sw_error *);

/* Long work: a command such as `run` only starts it. Each slice does about `work` units; true while
 * there is more to do. sw_session_stop ends it at the decision it has reached, which the log records. */
bool sw_session_slice(struct sw_session *, uint64_t work, struct sw_error *);
bool sw_session_busy(struct sw_session *);
void sw_session_stop(struct sw_session *);
/* Ctrl-C: what runs is stopped; else what q does, and the second time it is the answer yes. */
void sw_session_interrupt(struct sw_session *);
/* Some work has no slices: building a large problem anew after an edit. `show` is called before it begins, with
 * what goes on in the status, so that the screen can say it. NULL: nothing is called. */
void sw_session_show_waits(struct sw_session *, void (*show)(void *context), void *context);
/* The same for work that waits for another program: called again and again; false ends it. */
void sw_session_watch_waits(struct sw_session *, bool (*wait)(void *context), void *context);
/* The same for a session that `recover` takes up: called at line `line` of `lines`; false stops the replay there. */
void sw_session_watch_replays(struct sw_session *, bool (*watch)(void *context, uint32_t line, uint32_t lines),
                              void *context);
/* All of it. */
bool sw_session_finish(struct sw_session *, struct sw_error *);

/* What there is to see now. The view input borrows from the session until its next change. */
bool sw_session_view(struct sw_session *, struct sw_view_input *, struct sw_error *);
const struct sw_search *sw_session_search(const struct sw_session *);
/* The whole screen as a scene of width x height cells: the explorer or the help, with status, footer
 * and prompt. `in` says how fine the back end draws (the fields marks_per_unit). */
bool sw_session_screen(struct sw_session *, struct sw_scene *, unsigned width, unsigned height, double marks_per_unit_x,
                       double marks_per_unit_y, struct sw_error *);

/* What the terminal has to know. */
enum sw_mode { SW_MODE_NORMAL, SW_MODE_HELP, SW_MODE_PROMPT };
enum sw_mode sw_session_mode(const struct sw_session *);
bool sw_session_wants_quit(const struct sw_session *);
const char *sw_session_status(const struct sw_session *, bool *is_error); /* last message */
/* Where the caret of the prompt stands, in columns of a screen that wide. */
unsigned sw_session_caret(const struct sw_session *, unsigned width);
/* Settings of the program, not of the session: not logged. */
/* How the explorer draws the map and the curve. */
enum sw_map_look { SW_MAP_AUTO, SW_MAP_PIXELS, SW_MAP_SYMBOLS, SW_MAP_CELLS, SW_MAP_LOOKS };
struct sw_display {
    char theme[256]; /* name or path; "" = the back end's choice */
    bool ascii, text, mouse;
    enum sw_map_look map;
    unsigned long map_asked;        /* grows when the user says how */
    double cell_width, cell_height; /* in points, where the terminal draws plots in pixels; else 0 */
    bool scratch;                   /* every frame from scratch, which shows the same: for tests */
    unsigned long drawn;            /* grows when everything is to be drawn again */
};
struct sw_display *sw_session_display(struct sw_session *);
void sw_session_say(struct sw_session *, bool is_error, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Text from a paste or a key that is one character, into the prompt. */
void sw_session_type(struct sw_session *, const char *text);
/* A piece of a paste, and its end. At the prompt it goes in as one line, newlines as blanks; when it has no room
 * there, nothing of it goes in. Anywhere else it does nothing, and that is said. */
void sw_session_paste(struct sw_session *, const char *text);
void sw_session_paste_end(struct sw_session *);

/* The user's config. `fresh`: a new session; the config may choose its panes, too. Errors name the config's line. */
struct sw_config;
bool sw_session_configure(struct sw_session *, const struct sw_config *, bool fresh, struct sw_error *);

/* The explorer in a terminal keeps things in a folder from one start to the next: the log, in case the
 * program is cut off; the lines of the prompt; the panes. Nothing is read or written before
 * sw_session_autosave. When the folder cannot be written that is said once, in the status line. */
void sw_session_autosave(struct sw_session *, bool fresh); /* fresh: with the panes of the last time */
/* The log as it is now need not be kept. Says so when another session was cut off. */
void sw_session_offer(struct sw_session *);
/* Write what has changed, when it is time: at once after a what-if, else every few seconds. `wait`
 * becomes the milliseconds until it is time, -1 for never. True when the status line has news. */
bool sw_session_autosave_now(struct sw_session *, int *wait);
/* The end. Cut off: the log is kept for the next start. */
void sw_session_autosave_end(struct sw_session *, bool cut_off);
/* The session that `recover` has taken up, once, in place of this one; NULL. The caller frees both. */
struct sw_session *sw_session_next(struct sw_session *);

/* The log so far as a session file, and replaying one. The paths of the input, and its digest, are in
 * it: an input that has changed is an error. */
bool sw_session_save(const struct sw_session *, const char *path, struct sw_error *);
/* How a session file is opened. All of it may be zero. */
struct sw_replay {
    bool trust;          /* no limits of time and memory */
    bool write_anywhere; /* for the scripts of later */
    bool own;            /* the program wrote it itself: its programs may lie anywhere */
    bool run_command;    /* the command that recorded its input may be run again (--run-command) */
    bool live;           /* the user goes on with it: what was stopped, or took too long, stands where it has come
                            to, and what runs aside goes on in slices */
    /* Is a program that lies elsewhere, or has changed, to be run? "FILE is a program outside of ..."; NULL: no. */
    bool (*ask)(void *context, const char *what);
    /* Called now and then, at line `line` of `lines`; false stops the replay. NULL: the replay is not watched. */
    bool (*watch)(void *context, uint32_t line, uint32_t lines);
    void *context;
};
/* Commands come through SW_DOOR_SESSION. replay may be NULL. */
struct sw_session *sw_session_replay(const char *path, const struct sw_replay *replay, struct sw_error *);
struct sw_session *sw_session_open(const char *path, struct sw_error *); /* the same, with NULL */
/* What was changed on the way to the current branch: "pin t 4096, resize u 70"; nothing when it is the first. */
void sw_session_what_ifs(const struct sw_session *, struct sw_sink *);
/* Does the file start as a session file does? False also when it cannot be read. */
bool sw_session_detect(const char *path);
/* Commands of a file, one a line, '#' comments; errors carry its name and line. */
bool sw_session_script(struct sw_session *, const char *path, struct sw_error *);
/* The same; `after` is told of every line, comments too, once it is done. False from it ends the script. */
typedef bool sw_script_watch(void *context, const char *line, struct sw_error *);
bool sw_session_script_watched(struct sw_session *, const char *path, sw_script_watch *after, void *context,
                               struct sw_error *);
/* The same for a script in Lua: stowage.command(line) is the door. What it prints goes into the log. */
bool sw_session_run_lua(struct sw_session *, const char *path, struct sw_error *);
/* Has a file changed that the graph was made from? Then read it again, as `reload` does. Looks at most once a
 * second. */
bool sw_session_watch(struct sw_session *);         /* true: something has happened */
bool sw_session_watches(const struct sw_session *); /* there are such files */
/* Of everything a replay must reproduce: the runs' digests and the view. */
uint64_t sw_session_digest(const struct sw_session *);

#endif
