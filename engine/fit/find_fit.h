/* Making a model fit: of all choices of cuts those that need least, each planned for real.
 *
 * The front (fit/cuts/cuts.h) counts live bytes. Addresses may lose some, so choices are planned, the most promising
 * first, until no other one can be better than what was found. That is done for the model as it is and for each of its
 * bases (fit/moves.h): in another order, with operators that run again, and with results written over arguments.
 * Deterministic for a seed. */
#ifndef SW_FIT_FIND_FIT_H
#define SW_FIT_FIND_FIT_H

#include "fit/moves.h"

enum sw_fit_limit {
    SW_FIT_LIMIT_MACS,
    SW_FIT_LIMIT_CALLS,
    SW_FIT_LIMIT_FLASH,
    SW_FIT_LIMIT_ACTS,
    SW_FIT_LIMIT_ALL /* all of them at once */,
    SW_FIT_LIMIT_COUNT
};

#define SW_FIT_WORK UINT64_C(400000000)
struct sw_fit_request {
    bool has_capacity;
    uint64_t capacity; /* of what the limits want small */
    uint64_t seed;
    uint64_t work;  /* that plans may spend, in buffers that are looked at; 0: SW_FIT_WORK */
    unsigned moves; /* SW_FIT_MAY of each kind that may be made; 0: strips */
    struct sw_fit_limits limits;
    const struct sw_problem *memories; /* with a capacity and SW_FIT_SPILL: a problem with the tiers there are; the
                                          model itself has one. NULL */
};

/* The model, or a base of it, and how its regions may be cut. */
struct sw_fit_variant {
    struct sw_fit_base base;
    struct sw_fit_cuts cuts;
    struct sw_fit_front front;
};

/* A changed model, planned. Without moves it is the model as it is. */
struct sw_fit_model {
    uint32_t variant;              /* of the result: what was cut */
    struct sw_fit_region *regions; /* region_count of them, of the variant's problem */
    size_t region_count;
    struct sw_fit_moves moves; /* all that is done, in this order: order, recompute, strips, in place, spill. Effects:
                                  sw_fit_find_effects */
    struct sw_problem *problem;
    struct sw_layout *layout;
    uint64_t head, bound; /* bytes of the plan, and no plan of this model has fewer */
    uint64_t
        arena; /* with the tail, or what the interpreter needs to start, where that is more: counted as `flash` is */
    uint64_t bytes; /* that of the two which is to be small */
    uint64_t macs;
    uint64_t flash; /* bytes of the file, more than the model has: counted where the problem has a counter
                       (problem/counter.h), else an estimate */
    uint64_t moved; /* bytes moved to and from another tier */
    double cost;    /* of moving them (sw_fit_spill_cost) */
    uint32_t calls; /* operators */
};

enum { SW_FIT_MOST_VARIANTS = 8 };
struct sw_fit_result {
    const struct sw_problem *problem;                     /* borrowed */
    struct sw_fit_variant variants[SW_FIT_MOST_VARIANTS]; /* the first is the model itself */
    size_t variant_count;
    SW_ARRAY(struct sw_fit_model)
    models; /* the first is the model as it is; the others by bytes, without those that another one beats in bytes and
               multiply-adds */
    size_t chosen; /* of `models`: with a capacity the one with the fewest multiply-adds that fits, else the smallest */
    bool fits;     /* there is one; always true without a capacity */
    uint64_t least;    /* no choice of these cuts of these variants has a smaller arena (or head, when that is to be
                          small), however it is planned, unless something is spilled */
    uint32_t least_of; /* the variant that has it: its front tells why it is not less */
    /* Where nothing fits and a limit is why: without it this would be the least. 0: it is not why, or there is none. */
    uint64_t without[SW_FIT_LIMIT_COUNT];
    unsigned missed; /* SW_FIT_NEEDS of the operators that the limits lack: cuts that need them were left out */
    bool stopped;    /* it was asked to stop, or the work was spent: what was not looked at may be better */
    bool over; /* the search came to its end: `models` are in their order, and `chosen`, `fits`, `stopped` are known */
};
/* Zero the result first; it is the caller's, and to be freed whatever comes out. The problem must outlive it. False:
 * the error says why. */
bool sw_fit_run(const struct sw_problem *, const struct sw_fit_request *, struct sw_fit_result *, struct sw_error *);
void sw_fit_result_done(struct sw_fit_result *);
void sw_fit_model_done(struct sw_fit_model *);

/* One model: that variant of the result with these regions cut, planned as the search plans each. The model is zeroed,
 * and the caller's. False: the error says why. */
bool sw_fit_plan(const struct sw_fit_result *, const struct sw_fit_request *, uint32_t variant,
                 const struct sw_fit_region *, size_t count, struct sw_fit_model *, struct sw_error *);

/* The model itself with regions that a caller has chosen, ascending and apart. Of the request the seed counts, and what
 * is to be small. `work` is what the plan may spend, and falls. Zero the model first; it is the caller's. False: the
 * error says why. */
bool sw_fit_plan_regions(const struct sw_problem *, const struct sw_fit_request *, const struct sw_fit_region *,
                         size_t count, uint64_t *work, struct sw_fit_model *, struct sw_error *);
/* In place of a search: the model as it is, and the one with these regions, ascending and apart, which is chosen. As
 * sw_fit_run; `least` is what no plan of the chosen one has less than. */
bool sw_fit_take(const struct sw_problem *, const struct sw_fit_request *, const struct sw_fit_region *, size_t count,
                 struct sw_fit_result *, struct sw_error *);
/* For qsort: models by bytes, then multiply-adds, then operators, then variants. */
int sw_fit_by_bytes(const void *, const void *);

/* The same, step by step. */
enum sw_fit_event_kind {
    SW_FIT_NOTHING,
    SW_FIT_LOOKED,  /* at the regions of the model itself that begin with operator `op` */
    SW_FIT_BASE,    /* at another variant: number `op` */
    SW_FIT_FRONT,   /* at what cuts come to together */
    SW_FIT_PLANNED, /* one model */
    SW_FIT_OVER     /* the search has ended */
};
struct sw_fit_event {
    enum sw_fit_event_kind kind;
    uint32_t op;         /* LOOKED, BASE */
    size_t first, count; /* LOOKED: numbers of cuts of variant 0; BASE: its choices of cuts; FRONT: how many choices are
                            to be planned */
    size_t refusal;      /* LOOKED: of cuts.refused; SIZE_MAX: none */
    struct sw_fit_model model; /* PLANNED: its figures, without regions, moves, problem and layout */
    size_t moves;              /* PLANNED: how many it has */
    uint64_t best; /* PLANNED: bytes of the smallest before; UINT64_MAX: there was none. BASE: no choice of it has less.
                      FRONT: as result.least */
};
struct sw_fit_search;
/* Problem and result must outlive it; the result is zeroed. NULL: the error says why. */
struct sw_fit_search *sw_fit_search_new(const struct sw_problem *, const struct sw_fit_request *,
                                        struct sw_fit_result *, struct sw_error *);
/* False: the error says why, and the search can only be freed. After OVER it is OVER again. */
bool sw_fit_search_step(struct sw_fit_search *, struct sw_fit_event *, struct sw_error *);
void sw_fit_search_free(struct sw_fit_search *); /* NULL is allowed */

/* The program of a model of the result, as sw_fit_program_make; both must outlive it. */
bool sw_fit_model_program(const struct sw_fit_result *, const struct sw_fit_model *, struct sw_fit_program *,
                          struct sw_fit_refusal *);
/* What it costs to move so many bytes to another tier and back, by the tiers' bandwidths and latencies (layout/cost.h);
 * below 0: they have no room. */
double sw_fit_spill_cost(const struct sw_problem *memories, uint64_t bytes);
/* What each move of the chosen model changes beside those before it: all beginnings of the list are made and planned.
 * The effects add up to the difference between the model and the model as it is. */
bool sw_fit_find_effects(struct sw_fit_result *, const struct sw_fit_request *, struct sw_error *);

#endif
