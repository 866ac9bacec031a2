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

#define SW_FIT_WORK UINT64_C(400000000)
struct sw_fit_request {
    bool has_capacity;
    uint64_t capacity; /* of what the limits want small */
    uint64_t seed;
    uint64_t work; /* that plans may spend, in buffers that are looked at; 0: SW_FIT_WORK */
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

struct sw_fit_result {
    const struct sw_problem *problem; /* borrowed */
    struct sw_fit_cuts cuts;
    struct sw_fit_front front;
    SW_ARRAY(struct sw_fit_model) models; /* the first is the model as it is; the others by bytes, without those that another one beats in bytes and multiply-adds */
    size_t chosen;      /* of `models`: with a capacity the one with the fewest multiply-adds that fits, else the smallest */
    bool fits;          /* there is one; always true without a capacity */
    uint64_t least;     /* no choice of these cuts has a smaller arena (or head, when that is to be small), however it is planned */
    bool stopped;       /* it was asked to stop, or the work was spent: what was not looked at may be better */
};
/* Zero the result first; it is the caller's, and to be freed whatever comes out. The problem must outlive it. False: the error says why. */
bool sw_fit_run(const struct sw_problem *, const struct sw_fit_request *, struct sw_fit_result *, struct sw_error *);
void sw_fit_result_done(struct sw_fit_result *);


/* One choice of regions, ascending and apart, made and planned as those of a result are: what a caller has chosen for itself. Of the request the
 * seed counts, and what is to be small. `work` is what the plan may spend, and falls. Zero the model first; it is the caller's. False: the
 * error says why. */
bool sw_fit_model_make(const struct sw_problem *, const struct sw_fit_request *, const struct sw_fit_region *, size_t count, uint64_t *work,
                       struct sw_fit_model *, struct sw_error *);
void sw_fit_model_done(struct sw_fit_model *);
/* For qsort: models by bytes, then multiply-adds, then operators. */
int sw_fit_by_bytes(const void *, const void *);

#ifdef __cplusplus
}
#endif

#endif
