/* What a session is made of: for the files of this folder only. */
#ifndef SW_COMMAND_STATE_H
#define SW_COMMAND_STATE_H

#include "command/command_log.h"
#include "command/commands.h"
#include "lua/planning/condition.h"
#include "lua/planning/plugins.h"
#include "command/doors/named_programs.h"
#include "base/lists/shared.h"
#include "view/facts.h"

#include <sys/types.h>
#include <time.h>

/* The kind of an opaque part of a session, for the file that has its struct: all zero at first; the call `done` frees
 * what the part, which has its own name there, owns. */
struct sw_part_kind {
    size_t size;
    void (*done)(void *part); /* NULL: it owns nothing */
};
#define SW_SESSION_PART(name, done)       \
    static void name##_done(void *part) { \
        struct sw_##name *name = part;    \
        done;                             \
    }                                     \
    const struct sw_part_kind sw_##name##_part = {sizeof(struct sw_##name), name##_done}
#define SW_PLAIN_PART(name) const struct sw_part_kind sw_##name##_part = {sizeof(struct sw_##name), NULL}

/* Is a moment of an allocator opened, and the command about a run? */
bool sw_command_needs_run(const struct sw_session *, const struct sw_command *);
#define SW_NO_RUN_HERE "this is one moment of an allocator, without times; it has no run"

/* Where the user looks. */
struct sw_sight {
    uint32_t tier, selected, cursor, candidate;
    uint32_t piece; /* of a moment, while no buffer is selected: 1 + the number of a block that is none; 0: none is */
    bool paired;    /* there is a second buffer beside the selected one, the column of the matrix of conflicts: */
    uint32_t other;
    bool fit; /* the viewport shows everything */
    struct sw_viewport viewport;
    bool raw_time, ghosts;
    uint8_t coloring;        /* enum sw_coloring */
    uint8_t side;            /* which pane stands beside the map: panes.c */
    bool whole;              /* it has the screen to itself */
    int16_t scroll;          /* rows that the pane is scrolled down: enum sw_scrolls */
    uint8_t share;           /* of the screen that it has, in percent; 0: as fits */
    uint8_t order, filtered; /* of the table of buffers */
    bool falling;
    char filter[64];               /* a regular expression */
    uint32_t fit_model;            /* of the front: 1 + its number; 0: the chosen one */
    uint8_t only_which, only_kind; /* of the list of decisions: decision_filter.c */
    char only[64];                 /* a regular expression */
};

enum sw_break_kind { SW_BREAK_PEAK, SW_BREAK_PEAK_RATIO, SW_BREAK_KIND, SW_BREAK_BUFFER, SW_BREAK_STEP, SW_BREAK_LUA };
struct sw_break {
    enum sw_break_kind kind;
    uint64_t value; /* bytes, step, decision kind or buffer */
    double ratio;
    struct sw_condition *condition; /* SW_BREAK_LUA; owned, one of its owners */
    char text[200];                 /* as it was given */
};
struct sw_breaks {
    struct { /* shared by all that undo remembers: base/lists/shared.h */
        const struct sw_break *items;
        size_t count;
    } list;
    struct sw_shared *block;
};

/* Where a move began. The cursor goes to the last decision on the way that has a time, and the window to
 * the cursor: both follow from where the move began and where it ended, not from where it paused. */
struct sw_way {
    uint64_t step;               /* the cursor has followed up to here */
    uint32_t cursor, time;       /* where it was; of the last decision with a time so far, or SW_NONE */
    struct sw_viewport viewport; /* as it was */
};

/* Long work under way. */
enum sw_job_kind {
    SW_JOB_NONE,
    SW_JOB_GOTO,     /* to step `target` */
    SW_JOB_RUN,      /* to a breakpoint */
    SW_JOB_OPERATOR, /* to another step of time than `unit` */
    SW_JOB_GROUP,    /* to another group than `unit` */
    SW_JOB_BLOCK     /* to the decision that places buffer `unit` */
};
struct sw_job {
    enum sw_job_kind kind;
    uint64_t target;
    uint32_t unit;
    bool any;         /* OPERATOR, GROUP: the first decision there is */
    bool then_peak;   /* GOTO: then on to the peak */
    bool then_breaks; /* GOTO: then back to the first decision after `from` at which a breakpoint is true */
    uint64_t from;
    bool made_branch;       /* GOTO: of a command that made the branch, "planner NAME [N]" */
    bool starts;            /* its first slice is under way, as part of its command */
    bool hit;               /* the stop condition was met */
    uint32_t break_hit;     /* RUN: which breakpoint, */
    char fault[SW_MESSAGE]; /* and why its condition could not be asked; "" */
    bool logged;            /* the log's last entry is of it: where it is stopped is said there */
    struct sw_way way;
};

/* Lines of text: messages.c. */
struct sw_text_lines {
    SW_ARRAY(struct sw_log_line) list;
};
void sw_lines_add(struct sw_session *, struct sw_text_lines *, enum sw_style, const char *text); /* or `missed` */
void sw_lines_clear(struct sw_text_lines *);

/* What the last command said. */
struct sw_status {
    char text[SW_MESSAGE];
    bool is_error;
    bool is_passing; /* it only names what is on view */
    uint32_t picked; /* it is about this area of blocks that are too small to draw, counted from 1; 0: about none */
};

/* Through what the present command has come. */
struct sw_within {
    unsigned doors; /* SW_DOOR_; 0: the program's own */
    int keys;       /* of sw_session_key inside of `key` */
};

/* What the back end wants to hear of; NULL: nothing. */
struct sw_calls {
    void (*show_wait)(void *context);
    void *wait_context;
    bool (*watch_replay)(void *context, uint32_t line, uint32_t lines);
    void *watch_context;
    bool (*wait)(void *context); /* for another program; false: it is to end */
    void *program_context;
};

/* What of the session is in a file. */
struct sw_saved {
    uint64_t logged;           /* commands that joined the log so far */
    size_t edits, saved_edits; /* what-ifs so far, and when last saved */
    char *path;                /* of the last save; owned */
};

/* Where the next edit of the model runs to: a replay of one that was stopped. */
struct sw_until {
    bool set;
    uint64_t at;
};

enum sw_leaving { SW_STAYING, SW_ASKING /* the next key answers */, SW_LEAVING };

struct sw_session {
    /* What was opened. */
    struct sw_session_options options; /* strings owned */
    struct sw_lua_plugins plugins;     /* what options.params borrows from */
    uint64_t digest;                   /* of the input */
    /* Where it stands. */
    uint32_t current;                 /* branch */
    const struct sw_problem *problem; /* its, borrowed */
    struct sw_sight sight;
    struct sw_breaks breaks;
    struct sw_job job;
    struct sw_until until;
    char *needle; /* of `find` */
    /* What belongs to the program. */
    enum sw_mode mode;
    enum sw_leaving leaving;
    struct sw_status status;
    struct sw_display display;
    struct sw_keymap keymap;
    struct sw_calls calls;
    struct sw_within within;
    struct sw_saved saved;
    struct sw_session *owner; /* what this one says and prints goes there: it is being made by a reload; or NULL */
    bool exchanged;           /* by the command that runs now: the log is another one, or it has written there itself */
    bool missed; /* for lack of memory a part of what is shown is not there, and no frame has said so yet */
    /* The rest: parts.def. */
#define X(part, group) struct sw_##part *part;
#define H(part, hook)
#include "command/parts.def"
#undef H
#undef X
};

/* ---- what a part hooks into: parts.def ---- */

/* A command that is being run. */
struct sw_call {
    const struct sw_command *command;
    const struct sw_given *given; /* its words; they are parsed just before it is run */
    uint32_t branch;              /* where it was given */
    uint64_t step;
    bool done; /* it has succeeded */
};
enum sw_taken {
    SW_PASSED,  /* not for this part: the next one is asked */
    SW_TAKEN,   /* that was it */
    SW_REFUSED, /* it was for this part, and failed */
};
/* A key comes, before the keymap is asked. */
typedef enum sw_taken sw_key_hook(struct sw_session *, const char *key, struct sw_error *);
/* A key with this command, and the line that it stands for: the part may run it its own way, or give another. */
typedef enum sw_taken sw_press_hook(struct sw_session *, const struct sw_command **, const char **line);
/* A command is about to stop the run under way. */
typedef void sw_interrupt_hook(struct sw_session *);
/* A command is about to be run: false, with the error, when it may not be. */
typedef bool sw_before_hook(struct sw_session *, const struct sw_call *, struct sw_error *);
/* It was run. */
typedef void sw_after_hook(struct sw_session *, const struct sw_call *);
/* Work aside of the session's own run. Is there some? Some of it: true when there is more. Stop it: false when there is
 * none. */
typedef bool sw_busy_hook(struct sw_session *);
typedef bool sw_slice_hook(struct sw_session *, uint64_t work, struct sw_error *);
typedef bool sw_stop_hook(struct sw_session *);
/* The session's own run has come to the end of what is known: true when it can go on, now or later. */
typedef bool sw_more_hook(struct sw_session *);
/* Do other runs follow every single step of this one? */
typedef bool sw_follows_hook(const struct sw_session *);
/* What the part has to show. */
typedef void sw_view_hook(struct sw_session *, struct sw_view_input *);
/* What a replay must reproduce, into the digest. */
typedef uint64_t sw_fold_hook(const struct sw_session *, uint64_t digest);
/* A session file is written: first what lies beside it at that path, of which `grown` leaves what is there already;
 * then lines of its head. */
typedef bool sw_keep_hook(const struct sw_session *, const char *session_path, bool grown, struct sw_error *);
typedef void sw_save_hook(const struct sw_session *, struct sw_sink *);
/* A reload: what the part has of the old session goes over to the new one, by commands. */
struct sw_carrier;
typedef void sw_carry_hook(struct sw_carrier *);

struct sw_part {
    size_t at; /* of the field in the session */
    const struct sw_part_kind *kind;
    bool of_the_program;
    sw_key_hook *key; /* this and all others may be NULL */
    sw_press_hook *press;
    sw_interrupt_hook *interrupt;
    sw_before_hook *before;
    sw_after_hook *after;
    sw_busy_hook *busy;
    sw_slice_hook *slice;
    sw_stop_hook *stop;
    sw_more_hook *more;
    sw_follows_hook *follows;
    sw_view_hook *view;
    sw_fold_hook *fold;
    sw_keep_hook *keep;
    sw_save_hook *save;
    sw_carry_hook *carry;
};
enum {
#define X(part, group) SW_PART_##part,
#define H(part, hook)
#include "command/parts.def"
#undef H
#undef X
    SW_PARTS
};
extern const struct sw_part sw_session_parts[SW_PARTS]; /* tables.c */
/* For each part that hooks in there, in the order of the table. */
#define SW_PARTS_WITH(hook)                                                                         \
    for (const struct sw_part *part = sw_session_parts; part < sw_session_parts + SW_PARTS; part++) \
        if (part->hook)
#define X(part, group) extern const struct sw_part_kind sw_##part##_part;
#define H(part, hook) sw_##hook##_hook sw_##part##_##hook;
#include "command/parts.def"
#undef H
#undef X

/* session.c */
/* What it prints goes to the owner; NULL: there is no owner. */
struct sw_session *sw_state_new(const struct sw_session_options *, struct sw_session *owner, struct sw_error *);
bool sw_state_log(struct sw_session *, const char *line, struct sw_error *);
/* What the rest of the run is called that is under way, as a command; freed by sw_state_drop. NULL: no memory. */
char *sw_job_rest(const struct sw_session *);
/* Where the job stands, as the log has it when the job is stopped here. */
struct sw_log_stop sw_job_reached(const struct sw_session *);

/* state.c: what all files of this folder need */
struct sw_search *sw_state_search(const struct sw_session *);
/* What the run that is shown is about at its present decision: the branch's problem, or the one in another order that
 * its planner handed over to. Buffers have the same numbers in both, operators and steps have not. */
const struct sw_problem *sw_state_problem(const struct sw_session *);
char *sw_state_copy(const char *text); /* freed by sw_state_drop */
void sw_state_drop(char *text);
/* Free an array of such texts, or of structs of which `.field` is one, and the texts. */
#define SW_TEXTS_DONE(array, field)                   \
    do {                                              \
        for (size_t i = 0; i < (array)->count; i++) { \
            sw_state_drop((array)->items[i] field);   \
        }                                             \
        SW_ARRAY_DONE(array);                         \
    } while (0)

/* every command */
#define X(id, name, arguments, keys, label, flags, doors, section, help) sw_command_fn sw_do_##id;
#include "command/commands.def"
#undef X

/* A command that is one call. */
#define SW_PLAIN_COMMAND(id, call)                                                                      \
    bool sw_do_##id(struct sw_session *session, const struct sw_given *given, struct sw_error *error) { \
        (void)given, (void)error;                                                                       \
        return call;                                                                                    \
    }                                                                                                   \
    sw_command_fn sw_do_##id

#endif
