/* What a session is made of: for the files of this folder only. */
#ifndef SW_COMMAND_STATE_H
#define SW_COMMAND_STATE_H

#include "command/commands.h"
#include "command/log.h"
#include "lua/planning/condition.h"
#include "lua/planning/plugins.h"
#include "command/doors/named_programs.h"
#include "base/shared.h"
#include "view/facts.h"

#include <sys/types.h>
#include <time.h>

/* How each opaque part of a session is made and freed. NULL: no memory. */
#define X(part, whose)                                                                             \
    struct sw_##part *sw_##part##_new(void);                                                       \
    void sw_##part##_free(struct sw_##part *);
#include "command/parts.def"
#undef X

/* The two ends of an opaque part of a session, for the file that has its struct: all zero at first, and `done` frees
 * what it owns. */
#define SW_PART(name, done)                                                                        \
    struct sw_##name *sw_##name##_new(void) {                                                      \
        return SW_NEW_ZERO(struct sw_##name, 1);                                                   \
    }                                                                                              \
    void sw_##name##_free(struct sw_##name *part) {                                                \
        if (part) {                                                                                \
            done(part);                                                                            \
            SW_FREE(part, 1);                                                                      \
        }                                                                                          \
    }

#define SW_PLAIN_PART(name) /* it owns nothing */                                                 \
    struct sw_##name *sw_##name##_new(void) {                                                      \
        return SW_NEW_ZERO(struct sw_##name, 1);                                                   \
    }                                                                                              \
    void sw_##name##_free(struct sw_##name *part) {                                                \
        SW_FREE(part, 1);                                                                          \
    }

/* What a `choose` took, to be found again on a graph that has changed. */
struct sw_pick {
    uint16_t kind; /* of the decision */
    uint32_t buffer, tier;
    uint64_t offset;
};

/* One run in the tree of what-ifs. */
struct sw_branch {
    struct sw_search *search; /* NULL once it was undone and forgotten */
    const struct sw_problem *problem; /* what it plans: an edit makes another one; a reference */
    uint32_t parent;          /* SW_NONE for the first */
    uint64_t forked_at;
    char *what;               /* "pin t3 4096", "greedy-by-size" */
    char *line;               /* the command that makes it, given where its parent stood; NULL for the first */
    uint64_t made_at;         /* where that was */
    struct sw_pick pick;      /* of a `choose` */
    char *name;               /* the user's; NULL */
    bool hidden;              /* undone */
    bool wanted;              /* its end is to be found out aside */
    bool ended, feasible;     /* its run was once run to the end, with this result */
    uint64_t peak;
    char *why;                /* not feasible */
    char *remark;             /* what became of earlier demands; NULL: they hold */
    bool figured;             /* these are known, too: */
    bool fits;                /* no arena is above its tier's capacity */
    double cost;              /* E; NaN: none */
    bool has_migration;
    uint64_t migration;
};

/* Where the user looks. */
struct sw_sight {
    uint32_t tier, selected, cursor, candidate;
    bool fit; /* the viewport shows everything */
    struct sw_viewport viewport;
    bool raw_time, ghosts;
    uint8_t side; /* which pane stands beside the map: panes.c */
    bool whole;   /* it has the screen to itself */
    int16_t scroll; /* rows that the pane is scrolled down: enum sw_scrolls */
    uint8_t share; /* of the screen that it has, in percent; 0: as fits */
    uint8_t order, filtered; /* of the table of buffers */
    bool falling;
    char filter[64]; /* a regular expression */
    uint8_t only_which, only_kind; /* of the list of decisions: decision_filter.c */
    char only[64]; /* a regular expression */
};

enum sw_break_kind { SW_BREAK_PEAK, SW_BREAK_PEAK_RATIO, SW_BREAK_KIND, SW_BREAK_BUFFER,
                     SW_BREAK_STEP, SW_BREAK_LUA };
struct sw_break {
    enum sw_break_kind kind;
    uint64_t value; /* bytes, step, decision kind or buffer */
    double ratio;
    struct sw_condition *condition; /* SW_BREAK_LUA; owned, one of its owners */
    char text[200];                 /* as it was given */
};
struct sw_breaks {
    struct { /* shared by all that undo remembers: base/shared.h */
        const struct sw_break *items;
        size_t count;
    } list;
    struct sw_shared *block;
};

/* What `undo` returns to. */
struct sw_moment {
    uint32_t branch;
    uint64_t step;
    struct sw_sight sight;
    struct sw_breaks breaks;
};
struct sw_change {
    struct sw_moment before, after;
    uint32_t made; /* the branch it made, or SW_NONE */
    SW_ARRAY(uint32_t) dropped; /* the branches it hid */
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
    bool any;             /* OPERATOR, GROUP: the first decision there is */
    bool then_peak;       /* GOTO: then on to the peak */
    bool made_branch;     /* GOTO: of a command that made the branch, "planner NAME [N]" */
    bool hit;             /* the stop condition was met */
    uint32_t break_hit;   /* RUN: which breakpoint, */
    char fault[320];      /* and why its condition could not be asked; "" */
    bool logged;          /* the log's last entry is of it: where it is stopped is said there */
    struct sw_way way;
};

/* A decision that the user marked. */
struct sw_mark_place {
    char name[32];
    char *note; /* owned; "" */
    uint32_t branch;
    uint64_t step;
};

/* A place where the user has been. */
struct sw_spot {
    uint32_t branch;
    uint64_t step;
};

/* What the last command said. */
struct sw_status {
    char text[480];
    bool is_error;
    bool is_passing; /* it only names what is on view */
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
    struct sw_params args;             /* options.load.args */
    struct sw_params dims;             /* options.load.dims */
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
#define X(part, whose) struct sw_##part *part;
#include "command/parts.def"
#undef X
};

/* session.c */
/* What it prints goes to the owner; NULL: there is no owner. */
struct sw_session *sw_state_new(const struct sw_session_options *, struct sw_session *owner,
                                struct sw_error *);
struct sw_search *sw_state_search(const struct sw_session *);
char *sw_state_copy(const char *text); /* freed by sw_state_drop */
void sw_state_drop(char *text);
bool sw_state_number(const char *text, uint64_t *number, struct sw_error *);
bool sw_state_bytes(const char *text, uint64_t *bytes, struct sw_error *); /* K, M, G */
bool sw_state_onoff(char **arguments, size_t count, bool *value, struct sw_error *);
bool sw_state_buffer(const struct sw_session *, const char *name, uint32_t *buffer,
                     struct sw_error *);
bool sw_state_log(struct sw_session *, const char *line, struct sw_error *);
/* Where the job stands, as the log has it when the job is stopped here. */
struct sw_log_stop sw_job_reached(const struct sw_session *);
/* Another branch, or another run: the cursor goes to its decision. */
void sw_state_moved(struct sw_session *);
/* A move along the run begins; the run has come further along it, or stands at its end. */
struct sw_way sw_way_begin(const struct sw_session *);
void sw_way_follow(struct sw_session *, struct sw_way *);

/* steps.c */
bool sw_job_start(struct sw_session *, struct sw_job, struct sw_error *);
/* What runs comes to its end; how branches end is not found out for that: a replay does so at its own end, less
 * what was given up then. */
bool sw_state_settle(struct sw_session *, struct sw_error *);
/* A condition that fails counts as true: the run stops there, and `break_fault` says why. */
bool sw_break_true(struct sw_session *, const struct sw_break *, const struct sw_decision *);
struct sw_breaks sw_breaks_copy(const struct sw_breaks *); /* O(1) */

/* explained.c */
/* The explanation of the present decision, or NULL. */
const struct sw_explanation *sw_state_explanation(struct sw_session *);
void sw_explained_forget(struct sw_session *);
/* One decision on, with its explanation, which the next frame wants anyway. */
enum sw_step sw_explained_step(struct sw_session *, struct sw_error *);

/* branch_tree.c */
struct sw_branch *sw_branch_at(const struct sw_session *, size_t i);
size_t sw_branch_count(const struct sw_session *);
/* At the end. Takes over all that it owns, also when it fails. */
bool sw_branch_push(struct sw_session *, struct sw_branch *, struct sw_error *);
void sw_branch_pop(struct sw_session *); /* the last one */

/* edits.c */
/* The branch's run once more from its start, as if nothing were known of it, with what was demanded. */
bool sw_branch_again(struct sw_session *, uint32_t branch, struct sw_error *);

/* branch_outcome.c */
/* Has the branch been run to its end? Looks at its run, too. */
bool sw_branch_ended(struct sw_branch *);
/* Start comparing a branch with its parent; the slices do it. True: there is more to do. */
void sw_compare_start(struct sw_session *, uint32_t branch);
bool sw_compare_slice(struct sw_session *, uint64_t work, struct sw_error *);
/* Branches that have not been run to their end yet are given up, which the log records. */
void sw_compare_give_up(struct sw_session *);
/* Forget what was under way. */
void sw_compare_stop(struct sw_session *);
bool sw_compare_on(const struct sw_session *); /* is there anything under way? */
/* The run that goes on now, of branch `branch`; NULL: none. */
const struct sw_search *sw_compare_search(const struct sw_session *, uint32_t *branch);

/* side_by_side.c */
uint32_t sw_beside_count(const struct sw_session *); /* of runs; 0: off */
uint32_t sw_beside_branch(const struct sw_session *, uint32_t i);
uint64_t sw_beside_fold(const struct sw_session *, uint64_t digest);
/* The settings as commands. */
void sw_beside_write(const struct sw_session *, char settings[2][24]);
/* Bring the other runs to where they belong; true: there is more to do. */
bool sw_beside_slice(struct sw_session *, uint64_t work, struct sw_error *);
bool sw_beside_behind(struct sw_session *); /* is any of them elsewhere? */
void sw_beside_stop(struct sw_session *);   /* no more side by side */
void sw_beside_close(struct sw_session *);  /* the same, by a command, for the log */
/* Before a command that moves runs: the others must stand where they belong, or a replay would come to
 * something else. False: there is more to do than can be done at once. */
bool sw_beside_catch_up(struct sw_session *, struct sw_error *);
void sw_beside_view(struct sw_session *, struct sw_view_input *);

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

/* drag.c */
/* The free places of a buffer, ascending; lets go of what is in the hand. NULL: none, or no memory. */
const uint64_t *sw_drag_places(struct sw_session *, uint32_t buffer, size_t *count);
bool sw_drag_valid(const struct sw_session *); /* a block is in the hand, and may still be put down */
bool sw_drag_key(struct sw_session *, const char *key, struct sw_error *); /* false: not for it */
void sw_drag_drop(struct sw_session *);
void sw_drag_view(const struct sw_session *, struct sw_view_input *);

/* decision_filter.c */
void sw_decision_filter_view(struct sw_session *, struct sw_view_input *);

/* tour.c */
void sw_tour_saw(struct sw_session *, const char *command); /* it was given, and done */
bool sw_tour_key(struct sw_session *, const char *key);
const char *sw_tour_text(const struct sw_session *, unsigned *at, unsigned *count); /* or NULL */

/* branches.c */
void sw_branches_view(struct sw_session *, struct sw_view_input *);

/* whatif.c */
/* A tier by name or number. */
bool sw_state_tier(const struct sw_session *, const char *name, uint32_t *tier, struct sw_error *);
/* Where a new branch comes from. */
struct sw_origin {
    const char *what, *remark; /* remark: NULL, or what is to be said of earlier demands */
    const char *line;          /* the command that makes it */
    uint64_t forked_at;
    struct sw_pick pick;
};
/* Most words of one line. */
enum { SW_WORDS = 64 };
/* Split in place; quotes and backslashes inside of quotes are resolved. Bit k of `quotes`: word k
 * had some. */
bool sw_words_split(char *line, char **words, size_t *count, uint64_t *quotes, struct sw_error *);
/* A line in its words, in place, as its command wants them. False: it cannot be split, or there is no such command. */
bool sw_words_read(char *line, char **words, size_t *count, const struct sw_command **,
                   struct sw_error *);
/* Are so many arguments what the command takes? */
bool sw_words_fit(const struct sw_command *, size_t count, struct sw_error *);
/* "COMMAND WORD WORD MORE", each word in quotes; freed by sw_state_drop. NULL: no memory. */
char *sw_state_line(const char *command, char **words, size_t count, const char *more);
/* An address as the user sees it, with --base in it. */
bool sw_state_offset(const struct sw_session *, const char *text, uint64_t *offset,
                     struct sw_error *);
/* The tier that a pin of a buffer means when it names none. */
uint32_t sw_state_home(const struct sw_session *, uint32_t buffer);
/* The current branch becomes another one. */
void sw_state_use(struct sw_session *, uint32_t branch);
/* Adopt `search`, of `problem`, as a new branch, switch to it, and have its peak compared with its
 * parent's. Takes the search over, also when it fails; borrows the problem. `target`: run it to there. */
bool sw_branch_adopt(struct sw_session *, struct sw_search *, const struct sw_problem *,
                     const struct sw_origin *, uint64_t target, struct sw_error *);
/* undo.c */
bool sw_undo_can(const struct sw_session *);
void sw_moment_take(const struct sw_session *, struct sw_moment *);
void sw_moment_done(struct sw_moment *);
bool sw_change_record(struct sw_session *, struct sw_moment *before, uint32_t made,
                      struct sw_error *);
struct sw_change *sw_change_last(struct sw_session *); /* there is one */
void sw_change_forget_undone(struct sw_session *);
void sw_change_forget_all(struct sw_session *);
/* A run of another planner on the problem as it is now, as a branch, without going there; seed, budget and
 * scripts are those of the present run. */
bool sw_branch_add(struct sw_session *, const struct sw_planner *, uint32_t *branch,
                   struct sw_error *);
void sw_breaks_done(struct sw_breaks *);

/* look.c */
void sw_sight_reset(struct sw_session *);
void sw_sight_show(struct sw_session *, double time, double bytes); /* bring into the window */
uint32_t sw_sight_viewed_tier(const struct sw_session *, uint32_t buffer);

/* marks.c */
const struct sw_mark_place *sw_mark_at(const struct sw_session *, size_t i); /* NULL: past the last */
/* The way back of another session, its branches numbered as `map` says. */
void sw_trail_carry(const struct sw_session *from, struct sw_session *to, const uint32_t *map);
struct sw_spot sw_trail_here(const struct sw_session *);
/* A command led away from there. Lack of memory only forgets it. */
void sw_trail_left(struct sw_session *, struct sw_spot);

/* panes.c */
/* The pane was drawn so: keys that scroll go on from what is to be seen. */
void sw_pane_drawn(struct sw_session *, const struct sw_scene *);
const struct sw_view *sw_sight_side(const struct sw_sight *); /* NULL: the decision */
struct sw_listing sw_state_listing(struct sw_session *);      /* good until the next change */
/* Is `text` a regular expression of less than `room` bytes, which no name of a buffer makes take too long? */
bool sw_state_regex(const struct sw_session *, const char *text, size_t room, struct sw_error *);
const struct sw_facts *sw_state_facts(struct sw_session *);   /* the same; NULL: no memory */

/* pane_indexes.c: what the pane needs, kept from frame to frame; to be forgotten when a search is freed */
void sw_state_indexes(struct sw_session *, unsigned reads, struct sw_view_input *);
void sw_state_forget_indexes(struct sw_session *);
struct sw_frame_cache *sw_state_kept(struct sw_session *); /* what frames leave to later ones; or NULL */

/* hints.c: the keys that matter now, most useful first; help and quit last. */
enum { SW_HINTS = 40 };
struct sw_hints {
    struct sw_hint list[SW_HINTS];
    char keys[SW_HINTS][16];
    size_t count;
};
void sw_hints_now(struct sw_session *, struct sw_hints *);
void sw_hints_panes(struct sw_session *, struct sw_view_input *); /* keys that panes speak of */

/* help.c */
bool sw_help_key(struct sw_session *, const char *key);

/* page.c */
void sw_page_begin(struct sw_session *, const char *title);
void sw_page_add(struct sw_session *, enum sw_style, const char *line);
/* A page of what a sink holds, which is freed. */
bool sw_page_text(struct sw_session *, const char *title, struct sw_sink *, struct sw_error *);
void sw_page_show(struct sw_session *);
void sw_page_end(struct sw_session *); /* to its last line */

/* script.c */
void sw_session_tell(struct sw_session *, bool is_error, const char *line);
void sw_session_tell_error(struct sw_session *, const struct sw_error *);
/* What a command said joins the log. */
void sw_session_tell_status(struct sw_session *);
void sw_messages_view(const struct sw_session *, struct sw_view_input *);
void sw_session_uses(void *session, const char *path);
/* A file that the graph was made from; NULL: past the last. */
const char *sw_inputs_path(const struct sw_session *, size_t i);

/* reload.c: undo and redo of a reload; false when there is none to undo or redo. */
bool sw_reload_undo(struct sw_session *);
bool sw_reload_redo(struct sw_session *);
void sw_reload_forget(struct sw_session *); /* what was undone */

const char *sw_pane_name(unsigned i); /* panes.c; NULL past the last */
/* panes.c: the panes as commands that lead there, one a line. */
void sw_panes_write(const struct sw_sight *, struct sw_sink *);
/* The same for what the panes show, sorted and filtered. */
void sw_tables_write(const struct sw_sight *, struct sw_sink *);
void sw_decision_filter_write(const struct sw_sight *, struct sw_sink *); /* decision_filter.c */
/* settings.c: run a command, and let the status line be. */
bool sw_state_quietly(struct sw_session *, const char *line, struct sw_error *);

/* session_file.c: the file as it would be at `path`; a run under way as far as it has come. */
void sw_state_session_text(const struct sw_session *, const char *path, bool reached,
                           struct sw_sink *);

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

/* complete.c */
void sw_prompt_list(struct sw_session *); /* say what may come next */

/* prompt.c */
void sw_prompt_open(struct sw_session *, const char *text);
void sw_prompt_clear(struct sw_prompt *); /* of its line; the history stays */
bool sw_prompt_key(struct sw_session *, const char *key, struct sw_error *);

/* every command */
#define X(id, name, arguments, keys, label, flags, doors, section, help)                           \
    bool sw_do_##id(struct sw_session *, char **, size_t, struct sw_error *);
#include "command/commands.def"
#undef X

#endif
