/* What the files of this folder share. */
#ifndef SW_SUGGEST_INTERNAL_H
#define SW_SUGGEST_INTERNAL_H

#include "base/base.h"
#include "base/sort.h"
#include "planners/planner.h"
#include "search/result/figures.h"
#include "search/result/run_plan.h"
#include "suggest/suggest.h"

enum {
    SW_SUGGEST_DECISION = 16, /* work that a decision counts, beside what it looks at */
    SW_SUGGEST_COPY = 256,    /* and a trial */
    SUGGEST_KEPT = 256,       /* suggestions */
    SUGGEST_SEEDS = 48,       /* runs with one pin that are looked at for a second one */
    SUGGEST_EDITS = 256,      /* changes of the model */
    SUGGEST_CHAIN = 64,       /* blocks of which decisions are tried another way */
    SUGGEST_PLACES = 8192,    /* pins of one run */
    SUGGEST_LOOKS = 1 << 17   /* neighbors that are looked at for them: fewer than a slice of work */
};

/* A place for a block, and what was promising about it: the less the better. */
struct suggest_place {
    uint32_t buffer, rank;
    uint64_t offset;
};
/* What one finished layout suggests. `first`: it was made with this pin, before decision `before`. */
struct suggest_seed {
    const struct sw_layout *layout; /* NULL: the run's own, which is borrowed */
    bool pinned;
    struct sw_override first;
    uint64_t before, peak;
    SW_ARRAY(struct suggest_place) places;
    size_t next;
    bool listed;
};

/* A move that is being made. */
struct suggest_trial {
    bool on;
    struct sw_suggestion of;
    struct sw_search *search;
    uint64_t limit;    /* a peak that is no use; 0: any */
    uint64_t begin;    /* work of the object when it began, with what the copy cost */
    uint64_t from, at; /* work and decision of the search then */
};

struct sw_suggest {
    struct sw_suggest_request request;
    struct sw_search *base; /* a fork, run to its end */
    bool based;             /* it stands there, and was looked at */
    struct sw_peak peak;
    uint64_t tier_peak[SW_MAX_TIERS], bound;
    bool migrates;
    enum sw_objective_kind minimizes;
    double goal;   /* of the run; NaN: the peak is what it minimizes */
    size_t broken; /* rules that its layout breaks */
    bool ended, at_bound, over, spent;
    uint64_t work, slice_end, halt; /* slice_end: 0: no limit */

    size_t phase;     /* of the table of kinds */
    uint64_t started; /* work when it began */
    bool opened;      /* its state below is its own */
    uint32_t at, of;  /* where its list stands */
    SW_ARRAY(uint32_t) chain;
    SW_ARRAY(struct sw_edit) edits;
    struct sw_explanation explained;
    struct suggest_trial trial;

    struct suggest_seed own;
    SW_ARRAY(struct suggest_seed) seeds; /* the lowest peak first */
    SW_ARRAY(struct sw_suggestion) found;
    SW_ARRAY(const struct sw_problem *) made; /* of some of them, with references */
    uint64_t tried[SW_SUGGEST_KINDS];
    struct sw_gaps gaps;
};

/* A kind, or some that are looked for together. `next` gives the next move to make, or says that there is none (DONE);
 * FAILED: no memory, it can be asked again. The share is how much of the work may have been done when it ends, in
 * percent. */
struct suggest_phase {
    unsigned kinds; /* 1 << kind */
    unsigned share;
    bool at_bound; /* of use where the peak is the lower bound */
    enum sw_step (*next)(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
};

enum sw_step sw_suggest_next_pin(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
enum sw_step sw_suggest_next_pair(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
enum sw_step sw_suggest_next_forbid(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
enum sw_step sw_suggest_next_choice(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
enum sw_step sw_suggest_next_edit(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
enum sw_step sw_suggest_next_order(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
enum sw_step sw_suggest_next_setting(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
enum sw_step sw_suggest_next_follower(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);
enum sw_step sw_suggest_next_planner(struct sw_suggest *, struct sw_suggestion *, struct sw_error *);

/* suggest_pins.c: the blocks that keep the peak up, from the one that sets it: by distance over conflicts, then the
 * larger ones. False: no memory. */
bool sw_suggest_find_chain(struct sw_suggest *, struct sw_error *);
/* A run with one pin came to its end: it is looked at for a second pin, if it is among the most promising. */
bool sw_suggest_offer_seed(struct sw_suggest *, const struct suggest_trial *, struct sw_error *);
void sw_suggest_seed_done(struct suggest_seed *);

/* suggest_why.c: in the tier; `movers`: blocks that the move is about. False: no memory. */
bool sw_suggest_why_of(const struct sw_layout *was, const struct sw_layout *now, uint32_t tier, const uint32_t *movers,
                       size_t count, struct sw_suggest_why *);
/* The block lies there for its whole life. */
bool sw_suggest_lies_in(const struct sw_layout *, uint32_t buffer, uint32_t tier, struct sw_placement *);
/* Of those that do the one that ends highest, the first by birth; how many more end there, and where that is. SW_NONE
 * where the tier is filled from its far end: there the peak is no address. */
uint32_t sw_suggest_highest(const struct sw_layout *, uint32_t tier, uint32_t *with, uint64_t *end);

/* suggest_trial.c: a search with the moves made, at its beginning. NULL without memory; NULL with another error where
 * that cannot be done. */
struct sw_search *sw_suggest_make(const struct sw_suggest *, const struct sw_suggestion *, struct sw_error *);

#endif
