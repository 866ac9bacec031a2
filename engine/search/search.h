/* A search: one run of one planner that can be walked in both directions, branched and changed.
 *
 * History is recomputed, not stored: a journal keeps one small entry per decision, and checkpoints
 * (clones of planner and layout) stand a bounded amount of work apart. Going back means restoring the
 * nearest checkpoint and stepping forward. Over the byte budget every second checkpoint is dropped, the
 * far ones first. A planner that cannot be cloned replays from the start.
 *
 * A search is a recipe: problem, planner, parameters and the ordered list of (step, override). The same
 * recipe gives the same decisions, the same layout and the same digests.
 *
 * A search belongs to its caller, keeps a reference to the problem, and is single-threaded. Steps count
 * decisions: at step 0 nothing has been decided. */
#ifndef SW_SEARCH_SEARCH_H
#define SW_SEARCH_SEARCH_H

#include "planners/messages.h"
#include "planners/params.h"
#include "planners/planner_table.h"
#include "planners/tables/state_tables.h"
#include "search/decision.h"

SW_C_BEGIN

struct sw_search;

/* params may be NULL for the defaults; they are copied. A planner may derive a problem of its own, which
 * sw_search_problem then gives; one derived by another planner counts as what it was made from. Fails when the
 * planner lacks what it needs, a parameter is wrong, or memory is short. */
struct sw_search *sw_search_new(const struct sw_problem *, const struct sw_planner *, const struct sw_params *,
                                struct sw_error *);
void sw_search_free(struct sw_search *); /* NULL is allowed */

/* One decision on. MORE: one was made. DONE: the run was complete. FAILED: infeasible (remembered, and
 * said again at every further call) or no memory; the layout so far stays. */
enum sw_step sw_search_step(struct sw_search *, struct sw_error *);
/* The same, with every candidate (the explanation is cleared first). */
enum sw_step sw_search_step_explained(struct sw_search *, struct sw_explanation *, struct sw_error *);

/* To any step, either way; stops at the end of the run when it comes first. Bounded memory. May take
 * long for steps not reached before: see sw_search_run for slices. False: no memory (position then
 * unchanged or between). */
bool sw_search_seek(struct sw_search *, uint64_t step, struct sw_error *);

/* Run on until the end, until `stop` says true for a decision, or until `work` more units of work are
 * spent (0 = no limit). Returns MORE when it stopped before the end. stop may be NULL. */
typedef bool sw_stop_fn(void *context, const struct sw_search *, const struct sw_decision *);
enum sw_step sw_search_run(struct sw_search *, uint64_t work, sw_stop_fn *stop, void *context, struct sw_error *);

/* A limit ends the run here: the layout becomes the best one that the planner knows at this step, which for
 * most planners is the layout so far. It belongs to the step: a run that replays the recipe up to the
 * same `stopped_at` and settles gets the same bytes. The next move goes on as if nothing had been settled. False:
 * no memory. */
bool sw_search_settle(struct sw_search *, struct sw_error *);

/* The planner has more to say than when the run came to its end: a recording that has grown. A run that had ended goes
 * on. One that failed does not. */
void sw_search_more(struct sw_search *);

/* From here on keep no journal, for a run of which only the end is wanted: memory then does not grow with the
 * number of decisions. The run, its figures and its layout stay the same. Only the present decision is known:
 * sw_search_journal gives NULL for the others, boundaries of units are not found, and trees, trends and curves
 * are empty. Going back works, by checkpoints, within their budget. For a planner of one layout no more
 * checkpoints are taken, either: replaying it takes no longer than the run did. The layout still knows which decision
 * placed what (layout/made.h). */
void sw_search_forget(struct sw_search *);
bool sw_search_forgets(const struct sw_search *);
/* The same where the planner allows it. A journal is for going back. A run of one layout can be made again instead, and
 * a planner that knows the best layout it has seen (settle) is never gone back to; its checkpoints may take a little
 * memory, no more. Others are asked for what they measured on the way. */
void sw_search_only_end(struct sw_search *);
/* The nearest step before (forward = false) or after `from` with a journal entry that opens a new unit
 * of the level; only steps known so far. Step 0 and the last known step are units' edges too. */
uint64_t sw_search_boundary(const struct sw_search *, uint64_t from, enum sw_level, bool forward);

/* An independent copy at the same step with the same past: a what-if branch. */
struct sw_search *sw_search_fork(const struct sw_search *, struct sw_error *);

/* Demand something from here on. What was known of the future is forgotten. Refused with a reason, and
 * without effect, when it contradicts the layout so far, the problem, or the planner. */
bool sw_search_force(struct sw_search *, const struct sw_override *, struct sw_error *);

/* ---- looking ---- */

/* What the run is about at the present step. A planner that chooses the order of the operators goes on with the same
 * model in that order: buffers keep their numbers, operators and times are those of the new order. Good for as long as
 * that step is known. */
const struct sw_problem *sw_search_problem(const struct sw_search *);
/* What it was about at its beginning. */
const struct sw_problem *sw_search_given(const struct sw_search *);
const struct sw_planner *sw_search_planner(const struct sw_search *);
const struct sw_params *sw_search_params(const struct sw_search *);
/* What people call the planner of this run: its name, and of a recorded run that of the planner that made it: "recorded
 * (greedy 1.2)", "recorded (greedy 1.2), then best-fit". */
enum { SW_PLANNER_LABEL = 160 };
const char *sw_search_label(const struct sw_search *, char text[SW_PLANNER_LABEL]);
#ifndef __cplusplus
#define SW_SEARCH_LABEL(search) \
    sw_search_label((search), (char[SW_PLANNER_LABEL]){0}) /* as long as the block around it */
#endif
/* Does the planner, with its parameters, assume that operators can write over what they read? */
bool sw_search_assumes(const struct sw_search *);
/* Is the layout valid? Calls sw_layout_check, or sw_layout_check_assuming for a planner that assumes overwrites.
 * False: no memory, and `faults` is as it was. */
bool sw_search_check(const struct sw_search *, size_t *faults, void (*tell)(void *, const struct sw_permit *),
                     void (*report)(void *, const struct sw_fault *), void *context)
    __attribute__((warn_unused_result));
/* Why a peak is below the lower bound. The bound allows no overlaps but those of --inplace safe, and assumes that
 * all live bytes stay in memory. */
enum sw_below {
    SW_BELOW_NOT,       /* it is not below, or no layout yet has a peak to compare */
    SW_BELOW_MOVED,     /* blocks are moved out of the way: the bound is not one of such layouts */
    SW_BELOW_PERMITTED, /* by overlaps that the graph permits */
    SW_BELOW_ASSUMED,   /* only if operators can write over what they read, as the planner was told to assume */
    SW_BELOW_WRONG      /* by nothing: the layout breaks the rules, and no arena of that size will do */
};
/* False: no memory. O(1) unless the peak is below the bound, then that of a check. */
bool sw_search_below(const struct sw_search *, enum sw_below *);
const struct sw_layout *sw_search_layout(const struct sw_search *); /* borrowed until the next change */
const struct sw_rules *sw_search_rules(const struct sw_search *);
uint64_t sw_search_at(const struct sw_search *);                    /* the present step */
uint64_t sw_search_known(const struct sw_search *);                 /* the last step ever reached in this branch */
bool sw_search_complete(const struct sw_search *);                  /* `known` is the end of the run */
bool sw_search_failed(const struct sw_search *, struct sw_error *); /* it ended without a layout */
/* If so, which block found no room; false when the planner does not say. */
bool sw_search_no_room(const struct sw_search *, struct sw_no_room *);
uint64_t sw_search_work(const struct sw_search *);
/* The decision that led to the present step, or to any known step from 1 on; NULL at step 0. Borrowed
 * until the next change. */
const struct sw_decision *sw_search_decision(const struct sw_search *);
const struct sw_decision *sw_search_journal(const struct sw_search *, uint64_t step);
/* Every candidate of the decision at a known step: replays that one step on a private copy. The
 * search itself does not move. */
bool sw_search_explain(const struct sw_search *, uint64_t step, struct sw_explanation *, struct sw_error *);
/* What the planner says of the present state besides its layout; details: false for lack of memory. */
bool sw_search_details(const struct sw_search *, struct sw_details *);
/* The layout that a member of the population of the planner stands for at the present step; the caller's. NULL: it has
 * none yet, or there is no population. False: no memory. */
bool sw_search_member(const struct sw_search *, uint32_t member, struct sw_layout **layout);
/* The planner's own state at the present step, for a function of that planner that looks into it
 * (planners/online/online_look.h). Borrowed until the next change. */
const void *sw_search_planner_state(const struct sw_search *);
/* The planner's state as tables: what it keeps in mind at the present step (planners/tables/state_tables.h). None where
 * it tells none. `tables->failed`: no memory. */
void sw_search_state(const struct sw_search *, struct sw_state_tables *);
/* What led to the decision at the present step, in the terms of its planner's method; "": there is no more to say than
 * its reason (the hook `because`). */
void sw_search_because(const struct sw_search *, char *text, size_t size);
void sw_search_claims(const struct sw_search *, struct sw_claims *);
/* E of the present layout, of any planner: what it costs by the cost model that was given, or else by the built-in rule
 * (layout/cost.h). Of a planner that places nothing, what it claims. NaN: the layout is not finished, or nothing says
 * what accesses cost. */
bool sw_search_cost(const struct sw_search *, double *cost, struct sw_error *);
/* What the planner of a run minimizes, at the present step: E (sw_search_cost), bytes moved, or the peak. */
enum sw_objective_kind { SW_OBJECTIVE_PEAK, SW_OBJECTIVE_COST, SW_OBJECTIVE_MOVED };
struct sw_objective {
    enum sw_objective_kind kind;
    double cost;                 /* of SW_OBJECTIVE_COST */
    uint64_t moved;              /* of SW_OBJECTIVE_MOVED */
    uint64_t peak[SW_MAX_TIERS]; /* of each tier, of any kind */
};
bool sw_search_objective(const struct sw_search *, struct sw_objective *, struct sw_error *);
/* Is a less than b, of two runs of one planner? Peaks are compared from the lowest tier up, as `auto` does; of equal
 * cost or moves they decide as well. */
bool sw_objective_is_less(const struct sw_objective *a, const struct sw_objective *b);
/* Of layout, planner and step: equal digests mean equal states. */
uint64_t sw_search_digest(const struct sw_search *);

/* The recipe's overrides, in order. Forks share them. */
struct sw_recipe_entry {
    uint64_t step; /* in force from here: decided at steps > step */
    struct sw_override override;
};
const struct sw_recipe_entry *sw_search_recipe(const struct sw_search *, size_t *count);

/* History's budget in bytes (default 256 MiB) and the work between checkpoints (default worth about
 * 10 to 50 ms; 0: as it is); the second mainly for tests. */
void sw_search_budget(struct sw_search *, size_t bytes, uint64_t spacing);
size_t sw_search_checkpoints(const struct sw_search *);

SW_C_END

#endif
