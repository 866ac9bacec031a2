/* Orders that breed: the individuals of order-genetic and random-order, and the operators on them.
 *
 * A genome is written once and then shared, by count, between populations, clones and checkpoints.
 * All draws come from a state of sw_random that the caller owns. */
#ifndef SW_PLANNERS_GENOME_H
#define SW_PLANNERS_GENOME_H

#include "planners/breeding.h"
#include "planners/orders/decode.h"

struct sw_genome {
    size_t owners, bytes;
    uint32_t count, tiers;
    bool decoded;        /* what follows is known */
    uint64_t made;       /* the decision that decoded it; 0: a demand had it decoded again */
    uint32_t generation; /* that it was born in */
    uint64_t hash;       /* of the sequence */
    uint64_t above, peak;
    uint32_t continuity;
    double cost;           /* of its layout, when that counts; 0 */
    uint32_t figure_count; /* above 0: these are compared instead, one after the other, less is better */
    double figures[SW_BREEDING_FIGURES];
    uint64_t *arena;          /* per tier */
    struct sw_rank *order;    /* as it was, or will be, decoded */
    struct sw_rank *sequence; /* its blocks by start address */
    bool *reuse;              /* per place in the sequence: may it reuse the one before it? */
    bool *high;               /* per place in the sequence: does it reach the peak? (Of the lowest tier in use.) */
};

struct sw_genome *sw_genome_new(const struct sw_decoder *);
struct sw_genome *sw_genome_ref(struct sw_genome *);
void sw_genome_unref(struct sw_genome *); /* NULL is allowed */
/* What `where` holds from now on is `with`, which gets one more owner. Both may be NULL. */
void sw_genome_replace(struct sw_genome **where, struct sw_genome *with);
extern const struct sw_pointed sw_genome_pointed;
/* Decode its order, and fill in everything else. The result stays in the decoder. False: no memory.
 */
bool sw_genome_decode(struct sw_genome *, struct sw_decoder *);
/* The same order under the rules of the decoder, which may have changed; decoded, and priced where `by_cost`, as the
 * run's layout, if it was. NULL: the error says why. */
struct sw_genome *sw_genome_again(const struct sw_genome *, struct sw_decoder *, struct sw_run *, bool by_cost);
/* Show its layout as the best one. */
bool sw_genome_show(const struct sw_genome *, struct sw_decoder *, struct sw_run *);
/* With one tier: does it need no more than every layout must? NULL: no. */
bool sw_genome_meets_bound(const struct sw_genome *, const struct sw_problem *);
/* fitness=cost: does anything say what a layout costs? If not, say so. */
bool sw_genome_may_price(const struct sw_run *);
/* The cost of a genome; run->layout is its layout. */
bool sw_genome_price(struct sw_genome *, const struct sw_run *);
/* Below 0 when a needs less: fewer bytes above capacities, then less cost where that counts, then
 * less of the lowest tier, and so on up; with a single tier simply the smaller peak. */
int sw_genome_compare_need(const struct sw_genome *a, const struct sw_genome *b);
/* Below 0 when a is fitter: by need, ties by higher continuity; or, with `continuity`, the reverse.
 */
int sw_genome_compare(const struct sw_genome *a, const struct sw_genome *b, bool continuity);

/* ---- operators ---- */

void sw_genome_shuffle(struct sw_rank *order, uint32_t count, uint64_t *random);
/* n!, or UINT64_MAX when it is larger. */
uint64_t sw_genome_orders(uint32_t count);
/* The next order in the sequence of dictionaries; false past the last one. */
bool sw_genome_next_order(struct sw_rank *order, uint32_t count);

/* The window of a crossover. */
struct sw_window {
    uint32_t at, length;
    uint32_t continuity; /* neighbors inside it that reuse */
    uint32_t equals;     /* windows of this length with as many */
};
/* Of the windows of `length` in a genome's sequence the one with the largest continuity, drawn
 * among equals. */
struct sw_window sw_genome_window(const struct sw_genome *, uint32_t length, uint64_t *random);
/* The continuity inside one window. */
uint32_t sw_genome_window_continuity(const struct sw_genome *, uint32_t at, uint32_t length);
/* a's window at its positions, the rest in b's order. `taken`: scratch, one per place. */
void sw_genome_cross(const struct sw_rank *a, const struct sw_rank *b, uint32_t count, const struct sw_window *,
                     bool *taken, struct sw_rank *child);

#endif
