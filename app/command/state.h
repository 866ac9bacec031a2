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

/* The table of buffers as it was last listed. */
struct sw_listed {
    SW_ARRAY(uint32_t) list;
    uint64_t key; /* of all that it depends on */
    bool valid;
    char words[160];
};

/* What panes read out of a run, good as long as its branch is: pane_indexes.c. */
struct sw_indexes {
    const struct sw_search *search; /* what they are of */
    struct sw_tree tree;
    struct sw_trend trend;
    struct sw_costs costs;
    uint64_t layout; /* the digest of what was priced */
    bool priced;
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
    uint32_t break_hit;   /* RUN: which breakpoint */
    bool logged;          /* the log's last entry is of it: where it is stopped is said there */
    struct sw_way way;
};

/* Branches that are wanted run to their ends, aside, one after the other; then what became of the peak of the
 * last what-if is said. */
struct sw_compare {
    bool on, said;
    uint32_t branch;          /* compared with its parent */
    uint32_t running;         /* which one `search` is of */
    struct sw_search *search; /* a fork, or NULL */
};

/* Runs side by side: beside.c. */
enum sw_sync { SW_SYNC_DECISION, SW_SYNC_OPERATOR, SW_SYNC_BLOCK, SW_SYNC_BEST, SW_SYNC_COUNT };
struct sw_beside {
    uint32_t count; /* 0: off */
    uint32_t branches[SW_BESIDE_RUNS];
    enum sw_sync sync;
    bool diff;
    /* Where each run belongs, as it was last worked out. */
    struct {
        bool placed;       /* it stands there */
        uint64_t key;      /* of all that it depends on */
        struct sw_parting parting; /* from the first */
        uint64_t counted;  /* key of `differences` */
        struct sw_differences differences;
    } runs[SW_BESIDE_RUNS];
};

/* What decision_filter.c remembers from frame to frame. */
struct sw_decision_filter_cache {
    const struct sw_problem *problem;
    char pattern[64];
    SW_ARRAY(uint8_t) named; /* per buffer */
    char words[200];
};

/* A block in the hand: drag.c. */
struct sw_drag {
    bool on;
    uint32_t buffer, tier;
    uint32_t branch; /* where it was taken up */
    uint64_t step;
    SW_ARRAY(uint64_t) places; /* where it may be put, ascending */
    size_t at;
};

/* The pane as it was last drawn, if it scrolls. */
struct sw_drawn_pane {
    bool valid;
    uint8_t side;
    int32_t scroll, over;   /* what it was asked for, and how much of that went past its ends */
    bool has_above, has_below;
};

struct sw_prompt {
    char text[1024];
    size_t length, at; /* in bytes */
    SW_ARRAY(char *) history;
    size_t recalled;   /* index into history; count = the line being typed */
    char typed[1024];  /* that line, while an older one is shown */
    size_t fresh;      /* lines of the history that are not in the file yet */
    /* A paste: where it began, and that it has no room. */
    bool pasting, overfull;
    size_t pasted_at;
    /* Tab goes through what the line can become, as long as it is as Tab left it. */
    bool tabbing;
    char tabbed[1024]; /* the line when Tab was first pressed, up to the caret */
    size_t tab_length, tab_at, tab_pick; /* as Tab left it; which possibility that is, from 1 */
};

/* A text that fills the screen: page.c. */
struct sw_page_line {
    char *text; /* owned */
    enum sw_style style;
};
struct sw_page {
    char title[120];
    SW_ARRAY(struct sw_page_line) lines;
};

/* What is looked for in it, or in the help: text_search.c. */
struct sw_seek {
    bool asking;            /* the prompt is open for it */
    char needle[80];        /* "": nothing */
    size_t at;              /* the row that was found; SIZE_MAX: none yet */
    int by;                 /* matches to go on, or back, when it is drawn next */
    SW_ARRAY(size_t) rows;  /* all that match, as last drawn */
};

/* A file that the graph was made from, as it was then. */
struct sw_used {
    char *path; /* owned */
    uint64_t digest; /* of its bytes; 0: it is no regular file */
    struct timespec changed;
    off_t size;
};
struct sw_used_list {
    SW_ARRAY(struct sw_used) list;
};

/* A decision that the user marked. */
struct sw_mark_place {
    char name[32];
    char *note; /* owned; "" */
    uint32_t branch;
    uint64_t step;
};
struct sw_marks {
    SW_ARRAY(struct sw_mark_place) list;
};

/* Where one has been: places that commands led away from, and those that went-back left. */
struct sw_spot {
    uint32_t branch;
    uint64_t step;
};
struct sw_trail {
    SW_ARRAY(struct sw_spot) back;
    SW_ARRAY(struct sw_spot) forward;
    bool walking; /* what goes on now is not to be remembered */
};

/* What is kept in the folder of state, from one start to the next: autosave.c. */
struct sw_autosave {
    bool on, complained;
    char folder[3800];
    char name[48];        /* of the session's own file and its lock; "" while there is none */
    int lock;             /* -1 */
    bool has_base;
    uint64_t base, written; /* the log as it was opened, and the one in the file: their marks */
    size_t edits;           /* when it was last written */
    double at;              /* then, in milliseconds */
    char panes[160];        /* what is in the file of the panes */
};

/* What a script or a replay may use as a whole: allowance.c. */
struct sw_allowance {
    bool on, spent;
    double stops_at; /* of the clock, in seconds */
    size_t most;     /* bytes that the program may hold then */
};

struct sw_session {
    struct sw_session_options options; /* strings owned */
    struct sw_params args;             /* options.load.args */
    struct sw_params dims;             /* options.load.dims */
    struct sw_lua_plugins plugins;     /* what options.params borrows from */
    const struct sw_problem *problem; /* that of the current branch, borrowed from it */
    uint64_t digest; /* of the input */
    SW_ARRAY(struct sw_branch) branches;
    uint32_t current;
    struct sw_sight sight;
    struct sw_breaks breaks;
    char break_fault[320]; /* of the last stop; "" */
    SW_ARRAY(struct sw_change) changes; /* the first `done` of them are done, the others undone */
    size_t done;
    struct sw_log *log;
    uint64_t logged; /* commands that joined the log so far */
    size_t edits, saved_edits; /* what-ifs so far, and when last saved */
    struct sw_job job;
    bool has_until; /* the next edit of the model runs to there only: a replay of one that was stopped */
    uint64_t until;
    struct sw_compare compare;
    struct sw_beside beside;
    struct sw_drag drag;
    struct sw_decision_filter_cache only;
    unsigned tour; /* the station of the tour, from 1; 0: none */
    SW_ARRAY(struct sw_branch_line) lines; /* of the tree, as last drawn */
    char *needle;   /* find */
    char *saved_as; /* the file of the last save */
    enum sw_mode mode;
    bool help_opened;
    size_t help_top, help_page; /* rows above; rows of a page, as last drawn */
    char help_topic[32];
    bool paging; /* SW_MODE_HELP shows `page` instead of the help */
    struct sw_page page;
    struct sw_seek seek;
    bool missed; /* for lack of memory a part of what is shown is not there, and no frame has said so yet */
    SW_ARRAY(struct sw_log_line) told; /* the log: what scripts and, in SW_STYLE_DIM, commands said */
    struct sw_used_list used;
    time_t looked_at; /* at those files */
    unsigned scripts; /* running, one inside the other */
    struct sw_allowance allowance;
    const struct sw_replay *replay;  /* while a session file is replayed, */
    struct sw_strangers *strangers;  /* its programs, */
    uint32_t replay_line, replay_lines;
    bool replay_stopped;
    SW_ARRAY(char *) made; /* files that scripts wrote in this run: script_writes.c */
    unsigned through; /* the doors that the present command came through, SW_DOOR_; 0: the program's own */
    struct sw_prompt prompt;
    struct sw_display display;
    struct sw_drawn_pane drawn;
    bool quitting, asking; /* asking: the next key answers */
    char status[480];
    bool status_error;
    bool status_passing; /* it only names what is on view */
    struct sw_explanation explanation; /* of branch `explained`, step `explained_step` */
    uint32_t explained;
    uint64_t explained_step;
    bool explained_valid;
    struct sw_listed listed;
    struct sw_facts facts; /* of the state that `facts_key` names */
    uint64_t facts_key;
    bool facts_valid;
    struct sw_marks marks;
    struct sw_trail trail;
    struct sw_indexes indexes;
    void (*show_wait)(void *context); /* or NULL */
    void *show_wait_context;
    bool (*watch_replay)(void *context, uint32_t line, uint32_t lines); /* or NULL */
    void *watch_context;
    struct sw_frame_cache *frame_cache; /* for the map; made with the first frame; NULL: from scratch */
    int depth; /* of sw_session_key inside of `key` */
    struct sw_keymap keymap;
    char pane_keys[4][16]; /* that panes speak of, as last drawn */
    struct sw_autosave autosave;
    /* The session as it was before the input was read again, and, once that was undone, as it was then: undo and
     * redo exchange them with this one. Owned. What these say and print goes to their owner. */
    struct sw_session *older, *newer, *owner;
    bool exchanged; /* by the command that runs now: the log is another one, or it has written there itself */
    char offered[48];        /* the cut-off session that the next key may take up, or "" */
    struct sw_session *next; /* what `recover` has taken up, until the terminal goes over to it */
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
/* The explanation of the present decision, or NULL. */
const struct sw_explanation *sw_state_explanation(struct sw_session *);
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

/* beside.c */
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

/* script_writes.c: where a script may write */
/* `real` becomes the name of the file itself; "": this is no script's doing, and nothing is to be remembered. */
bool sw_writing_begin(const struct sw_session *, const char *path, char *real, struct sw_error *);
void sw_writing_done(struct sw_session *, const char *real); /* the file was written */

/* drag.c */
/* The free places of a buffer, into hold.places; lets go of what is in the hand. False: none, or no memory. */
bool sw_drag_places(struct sw_session *, uint32_t buffer);
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
void sw_moment_take(const struct sw_session *, struct sw_moment *);
void sw_moment_done(struct sw_moment *);
bool sw_change_record(struct sw_session *, struct sw_moment *before, uint32_t made,
                      struct sw_error *);
void sw_change_forget_undone(struct sw_session *);
void sw_change_forget_all(struct sw_session *);
/* A run of another planner on the problem as it is now, as a branch, without going there; seed, budget and
 * scripts are those of the present run. */
bool sw_branch_add(struct sw_session *, const struct sw_planner *, uint32_t *branch,
                   struct sw_error *);
void sw_change_done(struct sw_change *);
void sw_breaks_done(struct sw_breaks *);

/* look.c */
void sw_sight_reset(struct sw_session *);
void sw_sight_show(struct sw_session *, double time, double bytes); /* bring into the window */
uint32_t sw_sight_viewed_tier(const struct sw_session *, uint32_t buffer);

/* marks.c */
void sw_marks_done(struct sw_marks *);
void sw_trail_done(struct sw_trail *);
struct sw_spot sw_trail_here(const struct sw_session *);
/* A command led away from there. Lack of memory only forgets it. */
void sw_trail_left(struct sw_session *, struct sw_spot);

/* panes.c */
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
void sw_help_scene(struct sw_session *, struct sw_scene *, double width, double height);
bool sw_help_key(struct sw_session *, const char *key);

/* page.c */
void sw_page_begin(struct sw_session *, const char *title);
void sw_page_add(struct sw_session *, enum sw_style, const char *line);
/* A page of what a sink holds, which is freed. */
bool sw_page_text(struct sw_session *, const char *title, struct sw_sink *, struct sw_error *);
void sw_page_show(struct sw_session *);
void sw_page_scene(struct sw_session *, struct sw_scene *, double width, double height);
/* The line at the bottom of such a text. */
const char *sw_page_footer(const struct sw_session *, struct sw_scene *, double width, uint64_t above,
                           uint64_t below);
void sw_page_done(struct sw_page *);

/* text_search.c */
void sw_seek_open(struct sw_session *); /* ask for it at the prompt */
void sw_seek_answer(struct sw_session *, const char *text);
void sw_seek_close(struct sw_session *);
void sw_seek_forget(struct sw_session *);
bool sw_seek_key(struct sw_session *, const char *key); /* false: not for it */
/* While rows are drawn: before them; each text of row `row`, true where the row is the one that was found; after
 * them, true when the top of the text has moved and it is to be drawn again. */
void sw_seek_begin(struct sw_session *);
bool sw_seek_row(struct sw_session *, size_t row, const char *text);
bool sw_seek_settle(struct sw_session *, size_t room);
const char *sw_seek_text(const struct sw_session *, struct sw_scene *); /* for the footer */

/* script.c */
void sw_session_tell(struct sw_session *, bool is_error, const char *line);
void sw_session_tell_error(struct sw_session *, const struct sw_error *);
/* What a command said joins the log. */
void sw_session_tell_status(struct sw_session *);
void sw_session_told_done(struct sw_session *);
void sw_session_uses(void *session, const char *path);
void sw_session_used_done(struct sw_used_list *);

/* reload.c: undo and redo of a reload; false when there is none to undo or redo. */
bool sw_reload_undo(struct sw_session *);
bool sw_reload_redo(struct sw_session *);
void sw_reload_done(struct sw_session *);   /* forget both */
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
void sw_autosave_done(struct sw_session *);
uint64_t sw_autosave_mark(const struct sw_session *);
bool sw_autosave_write(struct sw_session *, struct sw_error *); /* the log, into its own file */
void sw_autosave_drop(struct sw_session *);                     /* that file */
void sw_autosave_path(const struct sw_autosave *, const char *name, const char *suffix, char *path,
                  size_t size);
/* Lock NAME.lock; -1 when another process has it. */
int sw_autosave_lock(const struct sw_autosave *, const char *name);

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
bool sw_recover_key(struct sw_session *, const char *key); /* true: it was taken up, or that failed */

/* complete.c */
void sw_prompt_complete(struct sw_session *, bool forward);
void sw_prompt_list(struct sw_session *); /* say what may come next */
void sw_prompt_insert(struct sw_prompt *, const char *text);
void sw_prompt_cut(struct sw_prompt *, size_t from, size_t to);

/* prompt.c */
enum { SW_HISTORY = 500 }; /* lines at most */
bool sw_prompt_remember(struct sw_prompt *, const char *line); /* in the history */
void sw_prompt_open(struct sw_session *, const char *text);
bool sw_prompt_key(struct sw_session *, const char *key, struct sw_error *);
void sw_prompt_done(struct sw_prompt *);

/* every command */
#define X(id, name, arguments, keys, label, flags, doors, section, help)                           \
    bool sw_do_##id(struct sw_session *, char **, size_t, struct sw_error *);
#include "command/commands.def"
#undef X

#endif
