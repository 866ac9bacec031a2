/* What the files of the planner `fit` share. */
#ifndef SW_PLANNERS_FIT_H
#define SW_PLANNERS_FIT_H

#include "fit/find_fit.h"
#include "planners/planner_internal.h"

/* Regions that the user put together, planned. */
struct fit_made {
    uint32_t variant;
    struct sw_fit_region *regions;
    size_t count;
    struct sw_fit_model model;
};

/* What the search has found. It does not depend on the user's demands, so all clones of a run share it: a run that goes
 * back and forward again sees the same events. */
struct fit_ground {
    size_t owners;
    const struct sw_problem *problem; /* a reference */
    struct sw_fit_request request;
    struct sw_fit_result result;
    struct sw_fit_search *search;
    SW_ARRAY(struct sw_fit_event) events;
    SW_ARRAY(struct fit_made) made;
    bool failed; /* the last step of the search lacked memory: the search cannot go on from there */
};

enum fit_phase { FIT_SEARCHES, FIT_CHOOSES, FIT_TAKES, FIT_HANDS_OVER, FIT_PLACES };

struct fit {
    struct fit_ground *ground;
    enum fit_phase phase;
    size_t seen;   /* events that became decisions */
    size_t chosen; /* of the result's models; SIZE_MAX: none yet */
    struct {       /* the regions to cut, by first operator: those of the chosen model, but for what the user changed */
        struct sw_fit_region *items;
        size_t count, capacity;
    } regions;
    uint32_t variant;     /* of the result: they are regions of its problem */
    size_t taken;         /* how many of them had their decision */
    size_t named;         /* how many moves of the chosen model that are no regions had theirs */
    uint32_t taken_moves; /* decisions that took one, or left one out */
    bool changed;
    uint32_t placed; /* buffers of the changed model, in program order */
};

/* The model that the run hands over to; NULL: it could not be planned, and the error says why. */
const struct sw_fit_model *fit_model(struct fit *, struct sw_error *);
/* The same, of a run that has handed over. */
const struct sw_fit_model *fit_handed(const struct fit *);

/* The variant that the regions are of. */
static inline const struct sw_fit_variant *fit_variant(const struct fit *fit) {
    return &fit->ground->result.variants[fit->variant];
}

/* fit_take.c: one decision that chooses a model, and one that takes one of its moves. */
enum sw_step fit_choose(struct fit *, struct sw_run *, struct sw_decision *);
enum sw_step fit_take(struct fit *, struct sw_run *, struct sw_decision *);
/* One way to cut a region of the problem, as a candidate. False: no memory. */
bool fit_explain_cut(const struct sw_problem *, const struct sw_fit_cut *, enum sw_verdict, struct sw_explanation *);

/* fit_tables.c */
sw_because_fn fit_because;
void fit_state(const void *state, const struct sw_run *, const struct sw_decision *last, struct sw_state_tables *);

#endif
