/* What the planners that choose the order of the operators have in common. For the files of this folder.
 *
 * Such a run has three parts. First *stages* make orders: rules, a beam, or the exact search of engine/order; the best
 * order with its peak, and a bound that is proved, are known at every moment. Then, where only a better plan is
 * accepted, *trials* plan a few of the orders unseen. At last the run hands over: it goes on with the problem in the
 * order that was chosen, and decision by decision another planner gives it addresses.
 *
 * The state of a run is `struct ordering`. Operators have their numbers in the problem that the run began with, until
 * it hands over. */
#ifndef SW_PLANNERS_ORDERING_H
#define SW_PLANNERS_ORDERING_H

#include "order/order_rules.h"
#include "order/order_search.h"
#include "order/order_wishes.h"
#include "planners/nested.h"

/* An order with its peak. */
struct ordering_order {
    uint32_t *list; /* NULL: there is none */
    uint64_t peak;
};

/* What never changes in a run; shared by the clones of its state, by count. */
struct ordering_ground {
    size_t owners;
    const struct sw_problem *problem; /* a reference */
    struct sw_order_graph *graph, *reversed;
    uint64_t file_peak; /* of the order that the file has */
    /* What a better order is compared with: the file's, or, where that has not what was asked for (`before`,
     * `together`), the one that is as near to it as taking the first of the file that may run comes. */
    struct ordering_order base;
    uint64_t least; /* no order needs less: what the hungriest operator names */
};

enum ordering_stage_kind { ORDERING_WALK, ORDERING_BEAM, ORDERING_SEARCH };
struct ordering_stage {
    enum ordering_stage_kind kind;
    enum sw_order_rule rule; /* of a walk */
    bool backward;           /* of a walk and a beam */
    uint32_t width;          /* of a beam */
    bool coarse;             /* of a search: many of its decisions are one of the run */
};
enum { ORDERING_STAGES = 6, ORDERING_TRIALS = 3 };
struct ordering_stages {
    struct ordering_stage items[ORDERING_STAGES];
    uint32_t count;
};

enum ordering_phase { ORDERING_BEGINS, ORDERING_STAGE, ORDERING_TRIAL, ORDERING_READY, ORDERING_PLANS };

struct ordering {
    struct ordering_ground *ground;
    const struct sw_planner *then;
    bool better_only; /* a new order is taken only where it plans better */
    struct ordering_stages stages;
    uint32_t stage;
    enum ordering_phase phase;
    uint64_t begin; /* run->work at the beginning */

    struct ordering_order best;
    uint64_t bound;
    bool proof_told; /* that bound and peak have met */

    /* The stage that runs. */
    bool running;
    struct sw_order_state walk;
    uint64_t walk_peak;
    uint32_t chosen; /* by the last decision, to run with the next; SW_NONE */
    bool chosen_by_user;
    struct sw_order_beam *beam;
    struct sw_order_search *search;
    bool search_over;

    /* Trials: orders planned unseen, the best order first. */
    struct ordering_order trials[ORDERING_TRIALS];
    uint32_t trial_count, trial, winner;
    uint64_t planned[ORDERING_TRIALS]; /* the peak of the layout; UINT64_MAX: none */
    struct sw_nested unseen;
    struct sw_layout *layout;

    bool handed;
    struct sw_nested planner;
};

static inline uint32_t ordering_operators(const struct ordering *o) {
    return o->ground->graph->operator_count;
}

/* The one that runs. */
static inline const struct ordering_stage *ordering_stage_of(const struct ordering *o) {
    return &o->stages.items[o->stage];
}
/* What it orders: the operators, or the same from their end. */
static inline const struct sw_order_graph *ordering_graph_of(const struct ordering *o) {
    return ordering_stage_of(o)->backward ? o->ground->reversed : o->ground->graph;
}

/* ---- ordering_stage.c: the decisions that make orders ---- */

/* One decision of the stages. DONE: they are over, and no decision was made. */
enum sw_step ordering_stage_step(struct ordering *, struct sw_run *, struct sw_decision *);
void ordering_stage_close(struct ordering *); /* the stage that runs */
void ordering_next_stage(struct ordering *);
/* The stage has its order. DONE: it is no better than one that is known, and nothing is said. */
enum sw_step ordering_end_stage(struct ordering *, const struct sw_run *, const uint32_t *order, uint64_t peak,
                                const char *reason, struct sw_decision *);
/* A copy of a whole order is offered (ordering_offer). The decision becomes `incumbent` where it is better, which
 * `better` tells. False: no memory. */
bool ordering_incumbent(struct ordering *, const uint32_t *order, bool backward, uint64_t peak, struct sw_decision *,
                        bool *better);
/* May the budget of work pay for more? */
bool ordering_may_go_on(const struct ordering *, const struct sw_run *);

/* ---- ordering_beam.c, ordering_search.c: those of a beam, and of the exact search ---- */

enum sw_step ordering_beam_step(struct ordering *, struct sw_run *, struct sw_decision *);
enum sw_step ordering_search_step(struct ordering *, struct sw_run *, struct sw_decision *);

/* ---- ordering_trial.c: which of the orders plans best ---- */

/* One decision. DONE: `winner` is chosen. */
enum sw_step ordering_trial_step(struct ordering *, struct sw_run *, struct sw_decision *);
/* The run is stopped: put a layout of the best order, made without much work, into run->layout. */
bool ordering_plan_now(const struct ordering *, struct sw_run *);
void ordering_trial_close(struct ordering *);

/* ---- ordering_wishes.c ---- */

/* The settings `before` and `together`. False: names that are none, or no memory; `wishes` is then empty. */
bool ordering_read_wishes(const struct sw_run *, struct sw_order_wishes *);

/* ---- ordering_tables.c ---- */

void ordering_state(const void *state, const struct sw_run *, const struct sw_decision *last, struct sw_state_tables *);
sw_because_fn ordering_because;
const struct sw_planner *ordering_acting(const void *state);

/* ---- ordering.c ---- */

/* The problem with its operators in that order: a new reference; the file's own where none moved. NULL: no memory. */
struct sw_problem *ordering_problem(const struct ordering *, const uint32_t *order, struct sw_error *);
/* What the planner of offsets runs with. Where the user gives no budget, it ends when it no longer gains: it is run on
 * several orders, and mostly meets their bounds at once. */
struct sw_params ordering_then_params(const struct sw_run *);
/* "no order needs less": of those that have what was asked for. */
const char *ordering_least(const struct ordering *);
/* The order becomes the best one where its peak is lower; takes the list over. `before`: the peak until now. */
bool ordering_offer(struct ordering *, uint32_t *list, uint64_t peak, uint64_t *before);
bool ordering_copy(struct ordering_order *to, const struct ordering_order *from, uint32_t count);
const char *ordering_name(const struct ordering *, uint32_t op);
/* The names of parameters and the like are in ordering.c; what a planner adds is which stages it has. */
#define ORDERING_PLANNER(name_, summary_, parameters_, more...)                                                      \
    {                                                                                                                \
        .name = (name_), .summary = (summary_), .needs = SW_NEEDS_OPERATORS, .reorders = true,                       \
        .parameters = (parameters_), .open = ordering_open, .step = ordering_step, .described = &ordering_described, \
        .constrain = ordering_constrain, .details = ordering_details, .state = ordering_state,                       \
        .claims = ordering_claims, .settle = ordering_settle, .legal = ordering_legal, .because = ordering_because,  \
        .acting = ordering_acting, more                                                                              \
    }

#endif
