/* What goes between a run and its planner: overrides one way; steps, figures and claims the other. */
#ifndef SW_PLANNERS_MESSAGES_H
#define SW_PLANNERS_MESSAGES_H

#include "base/mem.h"

SW_C_BEGIN

/* ---- overrides: what a user demands at a step ---- */

enum sw_override_kind {
    SW_OVERRIDE_PIN,    /* buffer to tier + offset: moved there now, or placed there when its turn comes */
    SW_OVERRIDE_FORBID, /* buffer (SW_NONE: every buffer) may not use [lo, hi) of tier */
    SW_OVERRIDE_CHOOSE  /* the next decision takes candidate k of its explanation */
};
struct sw_override {
    enum sw_override_kind kind;
    uint32_t buffer, tier;
    uint64_t offset; /* PIN */
    uint64_t lo, hi; /* FORBID */
    uint32_t choice; /* CHOOSE, from 0 */
};

/* Which block found no room, and when; a planner that ends so fills it in. */
struct sw_no_room {
    uint32_t buffer, time; /* time: a step */
    uint32_t tier;         /* the tier of the largest hole; SW_NONE: there is no hole at all */
    uint64_t required;     /* the size of the block; 0: nothing was filled in */
    uint64_t available;    /* bytes free in all tiers in which it may lie */
    uint64_t hole;         /* the largest free space */
};

enum sw_step {
    SW_STEP_MORE,  /* a decision was made; there may be more */
    SW_STEP_DONE,  /* no decision was made: the run was complete already */
    SW_STEP_FAILED /* infeasible, or no memory: see the error; the layout so far stays */
};

/* Figures of a planner's own, for the summary: key -> number, or key -> {name -> number}. Belongs to the
 * caller; zero it to start with. */
struct sw_detail {
    const char *key;  /* static: "conflicts", "ids", "pruned" */
    const char *name; /* of a member of a map: a rule (static) ...; NULL */
    uint32_t buffer;  /* ... or a buffer; SW_NONE */
    bool list;        /* an element of a list under `key`, in order */
    bool whole;       /* an integer; otherwise `number` */
    bool none;        /* there is no such figure: null */
    bool truth;       /* a whole that is 0 or 1: false or true */
    bool word;        /* `name` is itself the figure, an element of a list: the name of an operator */
    int64_t integer;
    double number;
};
struct sw_details {
    SW_ARRAY(struct sw_detail) items;
};
/* Each returns false for lack of memory. */
bool sw_detail_integer(struct sw_details *, const char *key, int64_t value);
bool sw_detail_number(struct sw_details *, const char *key, double value);
bool sw_detail_none(struct sw_details *, const char *key); /* null */
bool sw_detail_truth(struct sw_details *, const char *key, bool value);
bool sw_detail_of(struct sw_details *, const char *key, uint32_t buffer, int64_t value);
bool sw_detail_named(struct sw_details *, const char *key, const char *name, int64_t value);
bool sw_detail_element(struct sw_details *, const char *key, int64_t value);
bool sw_detail_word(struct sw_details *, const char *key,
                    const char *word); /* an element; `word` as good as the search */
/* A whole figure of that name; false: there is none, or it is null. */
bool sw_details_figure(const struct sw_details *, const char *key, uint64_t *value);
void sw_details_done(struct sw_details *);

/* What a finished (or stopped) run can say of itself besides its layout. */
struct sw_claims {
    bool optimal;     /* proved: nothing smaller exists */
    bool over_orders; /* operators may run in any order: that a layout meets the bound of its order proves nothing */
    /* The order is still being chosen: the most bytes alive in the best one so far (0: there is none) and in the
     * file's, and what every order needs. */
    bool ordering, order_asked; /* order_asked: of the orders that have what the user asked for */
    uint64_t order_peak, order_before, order_bound;
    bool infeasible;   /* proved: nothing fits */
    bool no_addresses; /* a finished run places nothing: it is a reference for a figure */
    bool has_migration;
    uint64_t migration_bytes; /* segment-genetic, farthest-next-use */
    double cost;              /* E; NaN when the planner has none */
    bool priced;              /* it minimizes what its layout costs */
    const char *instead;      /* a static clause: what it did in place of its own method; NULL */
};

SW_C_END

#endif
