/* What sets two runs apart: the decision in which they part, and which difference costs the one with the higher peak
 * what it needs more.
 *
 * Found out aside, on forks, in slices: both runs go on until they part, then to their ends. Then each block that lies
 * elsewhere in the two plans is tried, in the order in which the run with the higher peak placed them: a fork of that
 * run, with the block pinned where the other run has it, is run to its end. The first one that ends with a lower peak
 * is the answer. With several memories there is a question for each that differs (struct sw_apart_cost). The same runs
 * give the same answer, whatever the size of the slices: limits are in units of work. */
#ifndef SW_SEARCH_APART_H
#define SW_SEARCH_APART_H

#include "planners/planner.h"
#include "search/search.h"

SW_C_BEGIN

enum sw_apart_kind {
    SW_APART_NOT,    /* they make the same decisions */
    SW_APART_TURN,   /* another block has its turn */
    SW_APART_PLACE,  /* the same block goes to another place */
    SW_APART_FIGURE, /* the same is done with the same block, with another figure */
    SW_APART_DEED,   /* something else is done */
    SW_APART_END     /* one of them is over */
};
/* Where two runs part. What frees space and places nothing is skipped on both sides, so that a planner which tells it
 * and one which does not are compared by the blocks that they place. */
struct sw_apart_parting {
    bool known;
    enum sw_apart_kind kind;
    uint64_t step[2];                    /* the decision of each; END: 0 of the run that is over, with the other's */
    uint64_t agreed;                     /* decisions before it that are the same, */
    uint64_t placings;                   /* of which so many place a block */
    bool given_up;                       /* NOT: they were compared up to here only */
    struct sw_explanation why[2];        /* of the two decisions */
    const struct sw_problem *problem[2]; /* what each was about then: its operators may get another order later */
    const struct sw_planner *acting[2];  /* the planner inside that decided; NULL: the run's own */
    uint32_t next[2];                    /* the block that it puts somewhere next; SW_NONE: that is not known */
    char because[2][SW_BECAUSE];         /* what led to each, by its planner; "" */
};

enum sw_apart_cost_kind {
    SW_APART_COST_UNKNOWN,  /* not found out yet */
    SW_APART_COST_NO_END,   /* a run did not come to its end within the limit */
    SW_APART_COST_NO_PLAN,  /* a run ended without a layout */
    SW_APART_COST_OTHERS,   /* the plans are of different models, or one gives no addresses */
    SW_APART_COST_SAME,     /* the peaks are the same */
    SW_APART_COST_ONE,      /* one block's place alone lowers it */
    SW_APART_COST_NONE_DOES /* none does */
};
/* One question: what costs one of the plans more than the other. With one memory in use that is the peak. With several
 * it is the peak of each that differs; but E where none does or each plan has a lower one, and accesses have a price.
 */
struct sw_apart_cost {
    enum sw_apart_cost_kind kind;
    unsigned which;     /* the run concerned: with the higher peak or E, or without an end or a plan */
    bool priced;        /* it is about E */
    uint32_t memory;    /* it is about the peak there; SW_NONE: the only one, or E */
    uint64_t peak[2];   /* of both plans, there */
    double price[2];    /* E of both plans */
    uint64_t elsewhere; /* blocks with other places */
    uint64_t tried;     /* of them run to the end */
    uint64_t refused;   /* could not be pinned there, or the run then ended without a layout */
    uint64_t open;      /* not tried, or not to the end: the limit was reached */
    uint64_t from;      /* they were pinned when so many decisions were made */
    /* ONE: */
    uint32_t buffer, tier;
    uint64_t offset; /* its place in the other run */
    uint64_t then;   /* the peak that came out, */
    double price_then;
    uint64_t peaks[2][SW_MAX_TIERS]; /* of all memories, before and then */
};

struct sw_apart;
/* The runs are forked, where they stand and whatever is known of them: they stay as they are. NULL: no memory. */
struct sw_apart *sw_apart_new(const struct sw_search *, const struct sw_search *, struct sw_error *);
void sw_apart_free(struct sw_apart *); /* NULL is allowed */
/* Some work. True: there is more to do. False: all is known, or memory is short, which the error says. */
bool sw_apart_work(struct sw_apart *, uint64_t work, struct sw_error *);
/* Is there more to do? */
bool sw_apart_busy(const struct sw_apart *);
const struct sw_apart_parting *sw_apart_parting(const struct sw_apart *);
/* The questions: one, or of several memories more. Those that are not answered yet are UNKNOWN. */
const struct sw_apart_cost *sw_apart_costs(const struct sw_apart *, uint32_t *count);
/* Why they part, in sentences that call the runs by these names; addresses count from `base`. It is known. What is
 * said of sizes and orders is looked up in the problem; where that does not bear out a planner's rule, the rule is
 * not named. Returns snprintf's length. O(blocks). */
int sw_apart_sentence(const struct sw_apart *, const char *const names[2], uint64_t base, char *text, size_t size);
enum { SW_APART_SENTENCE = 4000 }; /* has room for any */

SW_C_END

#endif
