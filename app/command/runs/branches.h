/* What the files of this folder have for others: the tree of runs, jobs, undo, runs side by side. */
#ifndef SW_COMMAND_BRANCHES_H
#define SW_COMMAND_BRANCHES_H

#include "command/state.h"

/* steps.c */
bool sw_run_at_end(const struct sw_search *); /* it stands at the end of a run that is complete */
bool sw_job_start(struct sw_session *, struct sw_job, struct sw_error *);

/* breaks.c */
/* A condition that fails counts as true: the run stops there, and the job's `fault` says why. */
/* Is any of them about the peak? */
bool sw_breaks_on_peak(const struct sw_session *);
bool sw_break_true(struct sw_session *, const struct sw_break *, const struct sw_decision *);
struct sw_breaks sw_breaks_copy(const struct sw_breaks *); /* O(1) */
void sw_breaks_done(struct sw_breaks *);
/* One more, taken over when it succeeds; all of `from` but number `left_out`, as a list of their own. */
bool sw_breaks_add(struct sw_breaks *, const struct sw_break *);
bool sw_breaks_others(struct sw_breaks *, const struct sw_breaks *from, size_t left_out);

/* explained.c */
/* The explanation of the present decision, or NULL. */
const struct sw_explanation *sw_state_explanation(struct sw_session *);
void sw_explained_forget(struct sw_session *);
/* One decision on, with its explanation, which the next frame wants anyway. */
enum sw_step sw_explained_step(struct sw_session *, struct sw_error *);

/* branch_list.c */
/* What a `choose` took, to be found again on a graph that has changed. */
struct sw_pick {
    uint16_t kind; /* of the decision */
    uint32_t buffer, tier;
    bool runs;   /* an operator was chosen: */
    uint32_t op; /* its number in the branch's problem */
    uint64_t offset;
};

/* One run in the tree of what-ifs. */
struct sw_branch {
    struct sw_search *search;         /* NULL once it was undone and forgotten */
    const struct sw_problem *problem; /* what it plans: an edit makes another one; a reference */
    uint32_t parent;                  /* SW_NONE for the first */
    uint64_t forked_at;
    char *what;                       /* "pin t3 4096", "greedy-by-size" */
    char *line;                       /* the command that makes it, given where its parent stood; NULL for the first */
    uint64_t made_at;                 /* where that was */
    struct sw_pick pick;              /* of a `choose` */
    bool edits;                       /* it has another model than its parent */
    char *name;                       /* the user's; NULL */
    bool hidden;                      /* undone */
    bool wanted;                      /* its end is to be found out aside */
    bool ended, feasible;             /* its run was once run to the end, with this result */
    uint64_t peak;                    /* of the highest tier in use */
    uint64_t tier_peak[SW_MAX_TIERS]; /* where it is feasible */
    char *why;                        /* not feasible */
    char *remark;                     /* what became of earlier demands; NULL: they hold */
    bool figured;                     /* these are known, too: */
    bool fits;                        /* no arena is above its tier's capacity */
    bool broken;                      /* it came with the file, and breaks a rule */
    uint64_t bound;                   /* of the problem that its run ends with: planners may change it */
    double cost;                      /* E; NaN: none */
    bool has_migration;
    uint64_t migration;
};
struct sw_branches {
    SW_ARRAY(struct sw_branch) list;
    SW_ARRAY(struct sw_branch_line) lines; /* of the pane, as last drawn */
};
/* Neither undone nor dropped nor forgotten. */
static inline bool sw_branch_lives(const struct sw_branch *branch) {
    return branch->search && !branch->hidden;
}
void sw_branch_drop(struct sw_branch *); /* all that it owns */
struct sw_branch *sw_branch_at(const struct sw_session *, size_t i);
size_t sw_branch_count(const struct sw_session *);
bool sw_branch_is_there(const struct sw_session *, size_t i); /* neither undone nor dropped */
uint64_t sw_branch_step(const struct sw_session *, size_t i); /* where it stands */
/* At the end. Takes over all that it owns, also when it fails. */
bool sw_branch_push(struct sw_session *, struct sw_branch *, struct sw_error *);
void sw_branch_pop(struct sw_session *); /* the last one */

bool sw_branch_uses_several(const struct sw_branch *); /* of its tiers */
/* "90 B", or of a branch with several tiers in use "sram 90 B, dram 600 B"; `exact`: with every byte. */
const char *sw_branch_peaks(const struct sw_branch *, bool exact, char *text, size_t size);
/* Has the branch been run to its end? Looks at its run, too. */
bool sw_branch_ended(struct sw_branch *);
/* The peaks of its layout become those of the branch. */
void sw_branch_peaks_of(struct sw_branch *, const struct sw_layout *);

/* whatif.c */
/* What a new run of the planner is about: a planner that changes the model begins with the model of the current branch,
 * as it was before a run changed it; another one goes on with what is on the screen. */
const struct sw_problem *sw_branch_problem_for(const struct sw_session *, const struct sw_planner *);

/* edits.c */
/* Where the new run goes: to where the log says that it was stopped, which holds once, else to `otherwise`. */
uint64_t sw_until_take(struct sw_session *, uint64_t otherwise);
/* The branch's run once more from its start, as if nothing were known of it, with what was demanded. */
bool sw_branch_again(struct sw_session *, uint32_t branch, struct sw_error *);

/* branch_tree.c */
/* The nearest branch above that was not thrown away, or SW_NONE: the first always stays. */
uint32_t sw_branch_parent(const struct sw_session *, uint32_t branch);
/* A branch by its number, from 1; left out: the current one */
bool sw_branch_number(const struct sw_session *, const struct sw_given_value *, uint32_t *branch, struct sw_error *);

/* branch_outcome.c */
/* Start comparing a branch with its parent; the slices do it. */
void sw_compare_start(struct sw_session *, uint32_t branch);
/* The run that goes on now, of branch `branch`; NULL: none. */
const struct sw_search *sw_compare_search(const struct sw_session *, uint32_t *branch);

/* side_by_side.c */
uint32_t sw_beside_count(const struct sw_session *);              /* of runs; 0: off */
uint32_t sw_beside_branch(const struct sw_session *, uint32_t i); /* the branch of run i of these */
void sw_beside_close(struct sw_session *);                        /* by a command, for the log */

/* parted.c */
void sw_parted_forget(struct sw_session *); /* other runs are compared, or the same ones anew */

/* drag.c */
/* The free places of a buffer, ascending; lets go of what is in the hand. NULL: none, or no memory. */
const uint64_t *sw_drag_places(struct sw_session *, uint32_t buffer, size_t *count);
bool sw_drag_valid(const struct sw_session *); /* a block is in the hand, and may still be put down */
void sw_drag_drop(struct sw_session *);

/* whatif.c */
/* Where a new branch comes from. */
struct sw_origin {
    const char *what, *remark; /* remark: NULL, or what is to be said of earlier demands */
    const char *line;          /* the command that makes it */
    uint64_t forked_at;
    struct sw_pick pick;
    bool edits; /* it has another model */
};
/* Adopt `search`, of `problem`, as a new branch, switch to it, and have its peak compared with its
 * parent's. Takes the search over, also when it fails; borrows the problem. `target`: run it to there. */
bool sw_branch_adopt(struct sw_session *, struct sw_search *, const struct sw_problem *, const struct sw_origin *,
                     uint64_t target, struct sw_error *);
/* A run of a planner from its start, as a branch, to decision `to` (NULL: to its end when the present run stands
 * there, else nowhere). `line`: the command that makes it. */
bool sw_branch_run(struct sw_session *, const struct sw_planner *, const struct sw_params *, const char *what,
                   const char *line, const uint64_t *to, struct sw_error *);
/* The same planner with a parameter changed; `setting` is KEY=VALUE, and is cut apart. */
bool sw_branch_set(struct sw_session *, char *setting, const uint64_t *to, struct sw_error *);
/* Seed, budget and scripts of the present run, for another planner. Borrowed. */
struct sw_params sw_branch_params(const struct sw_session *);
/* The decision that was explained, taking candidate `which`, from 1; then on to decision `target`. */
bool sw_branch_choose_of(struct sw_session *, const struct sw_explanation *, uint64_t which, const char *line,
                         uint64_t target, struct sw_error *);
/* fitting.c: the model of the front before or after the one that is looked at; is there a front? */
void sw_front_row(struct sw_session *, bool forward);
bool sw_front_known(struct sw_session *);
/* suggesting.c: a key in the pane of suggestions stands for this command and line: to look at the one after or before,
 * or to make the one that is looked at; where there is any. */
bool sw_suggestions_any(const struct sw_session *);
void sw_suggestion_press(struct sw_session *, bool after, bool before, const struct sw_command **, const char **line);
/* Branch off with the present decision taking candidate `which`, from 1. It has candidates. */
bool sw_branch_choose(struct sw_session *, uint64_t which, struct sw_error *);
/* A run of another planner on the problem as it is now, as a branch, without going there; seed, budget and
 * scripts are those of the present run. */
bool sw_branch_add(struct sw_session *, const struct sw_planner *, uint32_t *branch, struct sw_error *);

/* wishes.c */
/* The planner `order` from its start, with the present planner to give the addresses where that can do so. `to` as in
 * sw_branch_run. */
bool sw_branch_reorder(struct sw_session *, const uint64_t *to, struct sw_error *);

/* undo.c: what `undo` returns to */
struct sw_undo_point {
    uint32_t branch;
    uint64_t step;
    struct sw_sight sight;
    struct sw_breaks breaks;
};
struct sw_branch_change {
    struct sw_undo_point before, after;
    uint32_t made;              /* the branch it made, or SW_NONE */
    SW_ARRAY(uint32_t) dropped; /* the branches it hid */
};

bool sw_undo_can(const struct sw_session *);
void sw_undo_point_take(const struct sw_session *, struct sw_undo_point *);
void sw_undo_point_done(struct sw_undo_point *);
bool sw_change_record(struct sw_session *, struct sw_undo_point *before, uint32_t made, struct sw_error *);
struct sw_branch_change *sw_change_last(struct sw_session *); /* there is one */
void sw_change_forget_undone(struct sw_session *);
void sw_change_forget_all(struct sw_session *);

#endif
