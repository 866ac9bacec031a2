/* Making a model fit: of all choices of cuts those that need least, each planned for real.
 *
 * The front (fit/cuts.h) counts live bytes. Addresses may lose some, so choices are planned, the most promising first, until no other one
 * can be better than what was found. Deterministic for a seed. */
#ifndef SW_FIT_FIND_FIT_H
#define SW_FIT_FIND_FIT_H

#include "fit/cuts.h"
#include "layout/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sw_fit_request {
    bool has_capacity;
    uint64_t capacity; /* of what the limits want small */
    uint64_t seed;
    uint64_t work; /* that plans may spend, in buffers that are looked at; 0: 400 million */
    struct sw_fit_limits limits;
};

/* A changed model, planned. Without regions it is the model as it is. */
struct sw_fit_model {
    struct sw_fit_region *regions; /* region_count of them */
    size_t region_count;
    struct sw_problem *problem;
    struct sw_layout *layout;
    uint64_t head, bound;          /* bytes of the plan, and no plan of this model has fewer */
    uint64_t arena;                /* with the tail, or what the interpreter needs to start, where that is more */
    uint64_t bytes;                /* that of the two which is to be small */
    uint64_t macs;
    uint32_t calls;                /* operators */
};

void sw_fit_model_done(struct sw_fit_model *);

struct sw_fit_result {
    const struct sw_problem *problem; /* borrowed */
    struct sw_fit_cuts cuts;
    struct sw_fit_front front;
    SW_ARRAY(struct sw_fit_model) models; /* the first is the model as it is; the others by bytes, without those that another one beats in bytes and multiply-adds */
    size_t chosen;      /* of `models`: with a capacity the one with the fewest multiply-adds that fits, else the smallest */
    bool fits;          /* there is one; always true without a capacity */
    uint64_t least;     /* no choice of these cuts has a smaller arena (or head, when that is to be small), however it is planned */
    bool stopped;       /* it was asked to stop, or the work was spent: what was not looked at may be better */
    bool over;          /* the search came to its end: `models` are in their order, and `chosen`, `fits`, `stopped` are known */
};
/* Zero the result first; it is the caller's, and to be freed whatever comes out. The problem must outlive it. False: the error says why. */
bool sw_fit_run(const struct sw_problem *, const struct sw_fit_request *, struct sw_fit_result *, struct sw_error *);
void sw_fit_result_done(struct sw_fit_result *);

/* One model with these regions cut, planned as the search plans each. The model is zeroed, and the caller's. False: the error says why. */
bool sw_fit_plan(const struct sw_problem *, const struct sw_fit_request *, const struct sw_fit_region *, size_t count, struct sw_fit_model *,
                 struct sw_error *);

/* The same, step by step. */
enum sw_fit_event_kind {
    SW_FIT_NOTHING,
    SW_FIT_LOOKED,  /* at the regions that begin with operator `op` */
    SW_FIT_FRONT,   /* at what cuts come to together */
    SW_FIT_PLANNED, /* one model */
    SW_FIT_OVER     /* the search has ended */
};
struct sw_fit_event {
    enum sw_fit_event_kind kind;
    uint32_t op;          /* LOOKED */
    size_t first, count;  /* LOOKED: of the result's cuts; FRONT: how many choices of cuts are to be planned */
    size_t refusal;       /* LOOKED: of cuts.refused; SIZE_MAX: none */
    struct sw_fit_model model; /* PLANNED: its figures, without regions, problem and layout */
    uint64_t best;        /* PLANNED: bytes of the smallest before; UINT64_MAX: there was none. FRONT: as result.least */
};
struct sw_fit_search;
/* Problem and result must outlive it; the result is zeroed. NULL: the error says why. */
struct sw_fit_search *sw_fit_search_new(const struct sw_problem *, const struct sw_fit_request *, struct sw_fit_result *, struct sw_error *);
/* False: the error says why. After OVER it is OVER again. */
bool sw_fit_search_step(struct sw_fit_search *, struct sw_fit_event *, struct sw_error *);
void sw_fit_search_free(struct sw_fit_search *); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
