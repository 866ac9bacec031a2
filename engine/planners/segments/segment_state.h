/* The state of segment-genetic, shared by the files that carry out its rules: segment_setup.c
 * (rules 1 to 6) and segment_genetic.c (rule 7). */
#ifndef SW_PLANNERS_SEGMENT_STATE_H
#define SW_PLANNERS_SEGMENT_STATE_H

#include "planners/segments/segment_genetic.h"

enum sw_segment_phase {
    SEGMENT_START,
    SEGMENT_JOIN,
    SEGMENT_GROUP,
    SEGMENT_SORT,
    SEGMENT_CHOOSE,
    SEGMENT_CUT,
    SEGMENT_DRAW,
    SEGMENT_FIRST,
    SEGMENT_CROSS,
    SEGMENT_MUTATE,
    SEGMENT_EVALUATE,
    SEGMENT_SELECT,
    SEGMENT_IMMIGRATE,
    SEGMENT_GENERATION,
    SEGMENT_FINISH,
    SEGMENT_OVER
};
enum { SEGMENT_MILLION = 1000000 };
enum sw_segment_number { SEGMENT_K_LARGEST, SEGMENT_K_ALL, SEGMENT_K_GIVEN };

struct sw_segment_settings {
    bool join, group, literal, careful, by_cost, free_owners;
    bool seeded, saving, again; /* greedy sequences first, exchanges by what they save, no crossover without a change */
    bool twins;                 /* equal sequences may survive */
    enum sw_segment_choice choose;
    bool by_whole;  /* by_cost, and the cost model prices whole layouts, or a script weighs */
    bool by_script; /* by_whole, and the figure is that of a script, which is told the cost where `priced` */
    bool priced;
    uint64_t below; /* merge_below */
    enum sw_segment_number mode;
    uint32_t k;
    uint32_t population, survivors, rounds, patience;
    uint64_t epsilon;
    uint32_t exchange, parents;                        /* the most objects of a mutation, and parents of a crossover */
    uint32_t crossover, mutation_first, mutation_last; /* in millionths */
};

extern const char *const sw_segment_choices[]; /* words of enum sw_segment_choice */

/* The best sequence and the segments it is about. */
struct sw_segment_champion {
    struct sw_segment_fitness fitness;
    uint64_t moved;                 /* bytes */
    struct sw_partition *partition; /* NULL: none yet */
    uint32_t *sequence;             /* room for it; NULL before there are objects */
    uint32_t objects;
};

struct sw_segment_state {
    enum sw_segment_phase phase;
    struct sw_segment_settings set;
    struct sw_movables *movables;
    struct sw_objects *objects;
    struct sw_partition *largest, *partition;
    uint32_t refused; /* the object for which there was no further segment */
    bool *split;      /* per small group: the user keeps it apart */
    uint32_t at;      /* how far the phase has come */
    uint32_t k, round, group;
    uint32_t seed; /* greedy sequences made or left out: enum sw_greedy_order */
    uint64_t draws, random, evaluations, generations;
    struct sw_sequences population;
    uint32_t crossed;  /* how many members take part in crossovers this round */
    uint32_t *shuffle; /* set.population numbers: in which order */
    struct sw_segment_champion best;
    struct sw_segment_fitness here;           /* the best with the present K */
    SW_ARRAY(struct sw_segment_fitness) past; /* `here` after each round */
    bool unseen;                              /* the best is not what the layout shows */
    bool exhausted;                           /* patience ended the present loop, not the rounds */
};

/* What a phase did: made a decision, passed on to the next phase, or could not. */
enum sw_segment_outcome { SEGMENT_DECIDED, SEGMENT_PASSED, SEGMENT_FAILED };

struct sw_segment_move {
    struct sw_segment_state *g;
    struct sw_run *run;
    struct sw_decision *d;
};

typedef unsigned long long ull;

/* ---- the state (segment_state.c) ---- */

bool sw_segment_open(void *state, struct sw_run *);
/* Where the random numbers of every K begin. */
uint64_t sw_segment_seed(const struct sw_run *);
extern const struct sw_described sw_segment_described;
sw_because_fn sw_segment_because;
void sw_segment_tables(const void *state, const struct sw_run *, const struct sw_decision *last,
                       struct sw_state_tables *); /* segment_tables.c */

/* ---- what all decisions have in common (segment_state.c) ---- */

void sw_segment_begin(const struct sw_segment_move *, enum sw_decision_kind, const char *reason);
enum sw_segment_outcome sw_segment_no_memory(const struct sw_segment_move *);
/* sw_segment_begin of most decisions: they follow from the rules and the random numbers, and have no candidates to
 * choose from. False, with a reason, when the user chose one all the same. */
bool sw_segment_begin_unchosen(const struct sw_segment_move *, enum sw_decision_kind, const char *reason);
/* The candidate the user wants, or the planner's own; false when it does not exist. */
bool sw_segment_pick(const struct sw_segment_move *, uint32_t count, uint32_t own, uint32_t *picked);
/* What an object is called, cut to fit into a decision's sentence; and whole, for errors. */
const char *sw_segment_object_name(const struct sw_segment_move *, uint32_t object, char text[SW_SHORT_NAME]);
const char *sw_segment_whole_name(const struct sw_segment_move *, uint32_t object);
/* The migration of a sequence as decisions carry it, bytes or cost: SW_UNBOUNDED when it is infinite. */
void sw_segment_figure(const struct sw_segment_move *, struct sw_segment_fitness);
/* Bytes, or cost, of what was counted. */
double sw_segment_value(const struct sw_segment_state *, uint64_t counted);
/* What a script says of a sequence, where one does. `before` may be NULL. */
void sw_segment_figured(const struct sw_segment_move *, const struct sw_segment_fitness *before,
                        struct sw_segment_fitness after, struct sw_before_after *);
/* "moves 140 B", "costs 12.5 to move". */
const char *sw_segment_words(const struct sw_segment_state *, uint64_t counted, char text[64]);
/* ---- operators from outside, and prices of whole layouts (segment_breeding.c) ---- */

/* The hooks of this run, with the move as their context; NULL where nothing is asked elsewhere. */
const struct sw_sequence_hooks *sw_segment_hooks(const struct sw_segment_move *, struct sw_sequence_hooks *);
/* The objects that the parents exchange, which they then have done; and those that change places. False: an error. */
bool sw_segment_breed_cross(const struct sw_segment_move *, uint32_t segment, const struct sw_parents *, uint32_t *list,
                            uint32_t *count, const char **why);
bool sw_segment_breed_mutate(const struct sw_segment_move *, uint32_t *sequence, uint64_t *dirty, uint32_t *ring,
                             uint32_t *count, const char **why);
/* The members that stay beside the elite. */
bool sw_segment_breed_select(const struct sw_segment_move *, struct sw_chosen *);

/* The probability of a mutation in a round, in millionths. */
uint32_t sw_segment_probability(const struct sw_segment_state *, uint32_t round);
/* Is member i the best so far? */
void sw_segment_consider(struct sw_segment_state *, uint32_t i);
/* Show the best, when it is new and can be shown. */
bool sw_segment_show(const struct sw_segment_move *);
void sw_segment_count_work(const struct sw_segment_move *);
bool sw_segment_explain_member(const struct sw_segment_move *, uint32_t i);
/* Best, mean and worst of the members without clashes, of what they move where a script weighs them; NaN when there are
 * none. */
void sw_segment_spread(const struct sw_segment_state *, double figures[3]);
/* A new member; SEGMENT_PASSED when the draws reach `most` before one is found. A failure leaves no
 * trace. */
enum sw_segment_outcome sw_segment_draw(const struct sw_segment_move *, uint64_t most);

/* ---- rules 1 to 6 (segment_setup.c) ---- */

/* The phases before the loop. */
enum sw_segment_outcome sw_segment_prepare(const struct sw_segment_move *);
/* Into the next round, beginning with its pairs. Or to the end. */
void sw_segment_begin_round(struct sw_segment_state *);

#endif
