/* The inside of the search for models that need less. For find_fit.c and variants.c. */
#ifndef SW_FIT_FIT_SEARCH_H
#define SW_FIT_FIT_SEARCH_H

#include "fit/fit_model.h"

enum phase { BEGINS, LOOKS, AS_IS, AT_ONCE, ORDERS, AGAIN, OVER_ARGUMENTS, SUMS_UP, FITTING, LEAST, SPREAD, NEAREST, IMPROVES, REFINES, OVER };

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
    struct sw_error *error; /* of the present step */
    bool *tried[SW_FIT_MOST_VARIANTS]; /* of each front's choices */
    bool canceled;
    struct sw_fit_limits limits; /* of what is more than a model that is only written with a plan */
    struct sw_fit_planning planning;
    enum phase phase;
    uint32_t variant;   /* the one that the phase is at */
    uint32_t plain, of; /* AGAIN: how many there were; the one that operators run again in. OVER_ARGUMENTS: how many there were */
    int again;          /* AGAIN: operators of it that run again */
    uint64_t work;      /* AGAIN: of finding cuts */
    size_t next, left;  /* LEAST, SPREAD: a choice of the front; how many more may be planned */
    bool promising;     /* LEAST: the variant may be better than what was found */
    /* IMPROVES: */
    size_t best, before; /* models: the best one, and the one whose cuts and places these are */
    SW_ARRAY(struct sw_fit_place) places;
    struct {
        const struct sw_fit_cut **items;
        size_t count, capacity;
    } cuts;
};

bool sw_fit_is_stopped(struct sw_fit_search *);
bool sw_fit_may(const struct sw_fit_search *, enum sw_fit_move_kind);

/* ---- variants.c ---- */

/* What the choice of its cuts needs that promises most; and what no choice of them has less than. */
uint64_t sw_fit_least_of(const struct sw_fit_search *, const struct sw_fit_variant *);
uint64_t sw_fit_bound_of(const struct sw_fit_search *, const struct sw_fit_variant *);
/* Its front, and then, as long as that leads to others, cuts that are near the ones of the front. */
bool sw_fit_refine_front(struct sw_fit_search *, struct sw_fit_variant *);
void sw_fit_drop_variant(struct sw_fit_variant *);
/* One more variant, where it may be better: in another order; with an operator that runs again for the step at which variant `of` needs most
 * (`better`: there is one); with results over arguments. */
bool sw_fit_add_in_order(struct sw_fit_search *);
bool sw_fit_add_again(struct sw_fit_search *, uint32_t of, uint64_t *work, bool *better);
bool sw_fit_add_in_place(struct sw_fit_search *, uint32_t of);

#endif
