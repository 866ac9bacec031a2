/* The inside of order-genetic; only for its files. */
#ifndef SW_PLANNERS_ORDER_GENETIC_H
#define SW_PLANNERS_ORDER_GENETIC_H

#include "planners/orders/genome.h"
#include "planners/portfolio/fallback.h"

/* What comes next. BEGIN is no decision: a new generation, or rather its first child. */
enum genetic_phase { DRAW, DECODE, SORT, BEGIN, CROSS, SWAP, SELECT, GENERATION, GENETIC_FINISH, GENETIC_OVER };
enum genetic_stop { AT_BOUND, NO_GAIN, ALL_GENERATIONS, WORK_SPENT, NOTHING_TO_MOVE, AT_GOAL };
enum { SW_ORDER_SEEDS = 3 }; /* finished layouts with orders that may join the first population */

struct genetic {
    struct sw_fallback *instead;      /* too many buffers: this does everything; NULL */
    uint32_t largest;                 /* more buffers than this are too many */
    struct sw_decoder *decoder;       /* NULL until the first decision */
    enum genetic_phase phase, resume; /* GENETIC_FINISH and GENETIC_OVER: what came next if a demand makes it go on */
    enum genetic_stop stop;
    bool by_continuity, by_cost;
    bool shaken;    /* orders are drawn by weight, not evenly */
    bool by_high;   /* an exchange takes a block at the peak, not any */
    bool again;     /* what would change nothing is drawn again */
    uint32_t count; /* buffers */
    uint32_t size;  /* of the population */
    uint32_t patience, generations;
    uint32_t goal;                   /* a continuity that ends the search; 0: none */
    uint32_t seed, seeds;            /* of the orders of finished layouts the next one, and how many are wanted */
    double crosses, swaps_again;     /* probabilities of a crossover, and of one more swap */
    uint32_t window_min, window_max; /* lengths of a crossover's window */
    struct sw_genome **all;          /* the population, then the children; 2 * size */
    uint32_t members, children;
    struct sw_genome *now;    /* in the making; written only while it has no other holder */
    struct sw_genome *shown;  /* run->layout is its layout */
    struct sw_genome *best;   /* the fittest so far */
    struct sw_genome *before; /* the fittest when the generation before ended */
    uint32_t parents[2];      /* of `now`; SW_NONE */
    uint32_t swaps;           /* of `now` */
    uint32_t generation;      /* 0: the first population */
    uint32_t stale;           /* generations without gain */
    uint64_t evaluations, random, begin;
    bool *taken; /* scratch, one per place */
};

/* ---- order_genetic_demands.c ---- */

/* All orders decoded under the rules in force, with the fittest found anew; then the layout that is shown. False: the
 * error says why. */
bool sw_genetic_decode_all_again(struct genetic *, struct sw_run *);
bool sw_genetic_show_again(struct genetic *, struct sw_run *);

/* order_genetic_seeds.c: the order of the next finished layout that no member has yet. `reason`: where it comes from;
 * NULL: there is no more. False: no memory, or a planner failed. */
bool sw_genetic_seed(struct genetic *, struct sw_run *, struct sw_rank *order, const char **reason);
/* Was this order drawn before? */
bool sw_genetic_has_order(const struct genetic *, const struct sw_rank *order);

/* ---- choices (order_genetic_choices.c) ---- */

/* By size times the bytes in conflict with it, each shaken a little; not `drawn`: none that is new was found. False: no
 * memory. */
bool sw_genetic_draw_shaken(struct genetic *, struct sw_rank *order, bool *drawn);
/* Two different parents, evenly drawn. */
void sw_genetic_draw_parents(struct genetic *);
/* Parents, and the window that the first one keeps. */
struct sw_window sw_genetic_draw_window(struct genetic *);
/* Two places of g->now that change. */
void sw_genetic_draw_exchange(struct genetic *, struct sw_exchange *);

/* ---- operators from outside (order_genetic_breeding.c): the answers are checked ---- */

/* An order into g->now; `given` false: there is none to ask, or it leaves it to the planner. */
bool sw_genetic_breed_seed(struct genetic *, const struct sw_run *, bool *given, const char **why);
/* The child of g->parents into g->now. */
bool sw_genetic_breed_cross(struct genetic *, const struct sw_run *, struct sw_crossing *);
/* Two places of g->now. */
bool sw_genetic_breed_mutate(struct genetic *, const struct sw_run *, struct sw_exchange *);
/* The numbers of those that stay; `most`: how many may. */
bool sw_genetic_breed_select(struct genetic *, const struct sw_run *, struct sw_chosen *);
/* The figures of a decoded genome; nothing where there is none to ask. */
bool sw_genetic_breed_fitness(struct genetic *, const struct sw_run *, struct sw_genome *);

/* ---- what the decisions say of themselves (order_genetic_explain.c) ---- */

bool sw_genetic_explain_draw(const struct genetic *, const struct sw_run *);
bool sw_genetic_explain_sort(const struct genetic *, const struct sw_run *);
bool sw_genetic_explain_cross(const struct genetic *, const struct sw_run *, const struct sw_window *);
bool sw_genetic_explain_swap(const struct sw_run *, uint32_t a, uint32_t b, uint32_t at, uint32_t to);
bool sw_genetic_explain_best(const struct genetic *, const struct sw_run *);
/* Why each of the population and the children stays or goes: SW_NONE stays; its own number: not fit
 * enough, or `told` by a script; another's: the same sequence as that one. */
bool sw_genetic_explain_select(const struct genetic *, const struct sw_run *, const uint32_t *fate, bool told);

#endif
