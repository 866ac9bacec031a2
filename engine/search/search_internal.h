/* The inside of a search; only for the files of this folder. */
#ifndef SW_SEARCH_INTERNAL_H
#define SW_SEARCH_INTERNAL_H

#include "base/lists/cow.h"
#include "base/described.h"
#include "base/hash.h"
#include "base/lists/shared.h"
#include "layout/made.h"
#include "layout/free/shelf.h"
#include "planners/planner.h"
#include "search/result/run_plan.h"

/* Work is counted in neighbors looked at; about 10 ns each. */
#define SW_WORK_PER_DECISION 16
#define SW_HISTORY_SPACING UINT64_C(1000000) /* 10 to 50 ms of replay */
#define SW_HISTORY_BUDGET ((size_t)256 << 20)

/* Everything needed to go on from a step. Shared by forks; never changed. */
struct sw_checkpoint {
    size_t references;
    uint64_t at, work;
    size_t applied;
    int64_t choice;
    struct sw_layout *layout;
    struct sw_rules rules;
    struct sw_decision present; /* for a search that forgets */
    void *state;
    const struct sw_planner *planner;
    size_t bytes;
};

/* From this decision on the run is about this problem: a planner gave the operators another order. */
struct sw_handed {
    uint64_t step;
    const struct sw_problem *problem; /* a reference */
};

struct sw_search {
    const struct sw_problem *given;    /* what the run began with; a reference */
    const struct sw_problem *problem;  /* what it is about at present: `given`, or one of `handed` */
    SW_ARRAY(struct sw_handed) handed; /* by step */
    const struct sw_planner *planner;
    struct sw_params params;
    struct sw_run run;
    void *state;
    uint64_t at, known;
    bool complete, failed, broken;
    struct sw_error failure;
    struct sw_no_room no_room;  /* of the failure */
    struct sw_cow journal;      /* of struct sw_decision; entry i is step i + 1 */
    bool forgets;               /* no journal: */
    struct sw_decision present; /* the decision that led to `at` */
    struct {                    /* shared with forks: base/lists/shared.h */
        struct sw_shared *block;
        size_t count;
    } recipe;
    size_t applied;                               /* recipe entries in force */
    SW_ARRAY(struct sw_checkpoint *) checkpoints; /* by step; none when the planner cannot clone */
    size_t budget, bytes;
    uint64_t spacing;
    size_t own_before;         /* layout's own bytes at the last checkpoint */
    struct sw_kept_plan *plan; /* of a run that has ended; NULL */
};

struct sw_raise {
    uint64_t step, peak;
};
SW_ARRAY_TYPE(sw_raises, struct sw_raise);
/* A decision that measured a layout. */
struct sw_measured {
    uint64_t step, peak; /* SW_UNBOUNDED: it measured something else */
};
/* The layout that a run ended with, shared by forks. */
struct sw_kept_plan {
    size_t references;
    struct sw_layout *layout;
    bool read, reserved; /* what raised its peak is known; no block ends there */
    struct sw_raises raises;
    bool counted;
    SW_ARRAY(struct sw_measured) measured; /* by step */
};
/* run_plan.c: the run has ended with the layout that it has. False: no memory. */
bool sw_plan_keep(struct sw_search *);
void sw_plan_drop(struct sw_search *);

extern const struct sw_shared_kind sw_recipe_kind;
struct sw_search *sw_search_blank(const struct sw_problem *, const struct sw_planner *, const struct sw_params *,
                                  struct sw_error *);
bool sw_search_reopen(struct sw_search *, struct sw_error *); /* back to step 0, from scratch */
/* The run stands at this step, and is about the problem that it was about there. */
void sw_search_stand(struct sw_search *, uint64_t at);

bool sw_history_begin(struct sw_search *, struct sw_error *);
void sw_history_done(struct sw_search *);
/* After a step: take a checkpoint when the last one is far. Without memory for it, going back
 * only takes longer. */
void sw_history_offer(struct sw_search *);
/* To the best known place at or before `target`: here, a checkpoint, or step 0. */
bool sw_history_restore(struct sw_search *, uint64_t target, struct sw_error *);
/* Drop journal and checkpoints after the present step. */
void sw_history_forget_future(struct sw_search *);
/* Decisions after a planner has changed the model are about buffers that the model before has not. Where the run stands
 * before that decision, what comes after it is dropped, and made again when the run gets there. */
void sw_history_forget_changed(struct sw_search *);

#endif
