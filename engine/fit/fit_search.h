/* The inside of the search for models that need less. For find_fit.c, neighbours.c and variants.c. */
#ifndef SW_FIT_FIT_SEARCH_H
#define SW_FIT_FIT_SEARCH_H

#include "fit/fit_model.h"

enum fit_search_phase {
    BEGINS,
    LOOKS,
    AS_IS,
    AT_ONCE,
    SOON,
    FIT_ORDERS,
    AGAIN,
    OVER_ARGUMENTS,
    SUMS_UP,
    FITTING,
    LEAST,
    SPREAD,
    NEAREST,
    IMPROVES,
    REFINES,
    FIT_OVER
};

/* A choice of a front. */
struct pick {
    uint32_t variant;
    size_t number;
    uint64_t bytes, macs, tail;
};

/* What may take the place of a cut of a model, and how often something like it was tried. */
struct sw_fit_place {
    size_t which;
    uint32_t first, last, tries;
};

struct sw_fit_search {
    const struct sw_problem *problem;
    struct sw_fit_request request;
    struct sw_fit_result *result;
    struct sw_error *error;            /* of the present step */
    bool *tried[SW_FIT_MOST_VARIANTS]; /* of each front's choices */
    bool canceled;
    struct sw_fit_limits limits; /* the request's; that of flash without the bytes that a plan alone takes */
    struct sw_fit_planning planning;
    enum fit_search_phase phase;
    uint32_t variant; /* the one that the phase is at */
    uint32_t plain,
        of; /* AGAIN: how many there were; the one that operators run again in. OVER_ARGUMENTS: how many there were */
    int again;         /* AGAIN: how many operators of it run again */
    uint64_t work;     /* AGAIN: what finding cuts may still spend */
    size_t next, left; /* LEAST, SPREAD: a choice of the front; how many more may be planned */
    bool promising;    /* LEAST: the variant may be better than what was found */
    /* SOON, IMPROVES: */
    size_t best, before; /* models: the best one, and the one that has these cuts and places */
    SW_ARRAY(struct sw_fit_place) places;
    struct {
        const struct sw_fit_cut **items;
        size_t count, capacity;
    } cuts;
};

bool sw_fit_is_stopped(struct sw_fit_search *);
bool sw_fit_may(const struct sw_fit_search *, enum sw_fit_move_kind);

/* ---- find_fit.c ---- */

const struct sw_fit_variant *sw_fit_variant_of(const struct sw_fit_search *, const struct sw_fit_model *);
bool sw_fit_fits(const struct sw_fit_search *, const struct sw_fit_model *); /* always, without a capacity */
/* Regions as they are, planned well as far as they may need less than `below` (0: however much); then, where addresses
 * have lost what would make it the least, in turns: what one makes at one end of the arena the next one reads there,
 * and makes its own result at the other end. */
bool sw_fit_try_regions(struct sw_fit_search *, uint32_t variant, const struct sw_fit_region *, size_t count,
                        uint64_t below);

/* ---- neighbours.c ---- */

/* From the best model on; `most` are tried. The phase is entered. */
void sw_fit_begin_to_improve(struct sw_fit_search *, enum fit_search_phase, size_t most);
/* From the best model on one region after the other is exchanged, as long as that may help. `tried`: one was; else
 * there is nothing more to exchange. */
bool sw_fit_improve(struct sw_fit_search *, bool *tried);

/* ---- variants.c ---- */

/* What the choice of the variant's cuts that promises most needs; and the bound: no choice of them needs less. */
uint64_t sw_fit_least_of(const struct sw_fit_search *, const struct sw_fit_variant *);
uint64_t sw_fit_bound_of(const struct sw_fit_search *, const struct sw_fit_variant *);
/* Find the variant's front. Then add cuts near those of the front, and find it anew, as long as that changes it. */
bool sw_fit_refine_front(struct sw_fit_search *, struct sw_fit_variant *);
void sw_fit_drop_variant(struct sw_fit_variant *);
/* Add one more variant, if it may be better: the model in another order; variant `of` with an operator that runs again,
 * for the step at which it needs most (`better`: there is one); a variant with results over arguments. */
bool sw_fit_add_in_order(struct sw_fit_search *);
bool sw_fit_add_again(struct sw_fit_search *, uint32_t of, uint64_t *work, bool *better);
bool sw_fit_add_in_place(struct sw_fit_search *, uint32_t of);

#endif
