/* Operators of planners that are told from outside, by scripts. Of genetic planners: how the first individuals are
 * made, crossed, mutated and compared. Of token-sharing: when a tensor may be written over an input. Each may be
 * missing: the planner has its own.
 *
 * An individual of segment-genetic is an assignment: of each object the segment that it goes to.
 *
 * An individual of order-genetic is an order of the planned buffers, which are told by their places in program order
 * (struct sw_rank). Operators are pure: what they answer follows from their arguments and from the numbers that they
 * draw from `random` (base/hash.h). The planner checks every answer; one that is none ends the run with an error. */
#ifndef SW_PLANNERS_BREEDING_H
#define SW_PLANNERS_BREEDING_H

#include "base/error.h"
#include "problem/problem.h"

SW_C_BEGIN

enum { SW_BREEDING_FIGURES = SW_MAX_TIERS + 4 };

/* An individual as operators see it. */
struct sw_individual {
    uint32_t count;                 /* of buffers */
    const struct sw_rank *order;    /* in which it is, or will be, decoded */
    bool decoded;                   /* what follows is known */
    const struct sw_rank *sequence; /* its blocks by start address */
    const bool *reuse;              /* per place of the sequence: may it reuse the space of the one before? */
    uint32_t continuity;            /* how many may */
    uint64_t peak, above;           /* bytes; above capacities */
    uint32_t tiers;
    const uint64_t *arena; /* per tier */
    double cost;           /* of its layout; NaN where the planner does not price it */
};
/* What they may look at besides, and the source of random numbers. */
struct sw_breeding_scene {
    const struct sw_problem *problem;
    uint32_t window_min, window_max; /* parameters of order-genetic */
    double swap;
    uint32_t number;  /* of the individual to be made */
    uint32_t swaps;   /* mutate: made of this child before */
    uint32_t most;    /* select: so many can stay */
    uint32_t members; /* select: the first ones are the population, the others are its children */
    uint64_t *random;
};
/* What a crossover says of itself: places of the first parent's sequence that it kept; `length` 0: it does not say. */
struct sw_crossing {
    uint32_t at, length;
    const char *why; /* good as long as the breeding; NULL */
};
struct sw_exchange {
    uint32_t a, b; /* places of the order: their buffers change places */
    bool again;    /* another mutation of the same child follows */
    const char *why;
};

/* segment-genetic: an assignment, and what is known of it. */
struct sw_assignment {
    const uint32_t *segments; /* per object */
    bool measured;
    uint64_t migration; /* bytes that are moved, as the planner counts them */
    double cost;        /* of its layout; NaN where the planner does not price it */
    /* select: */
    uint64_t clashes; /* of objects that share a segment and must not; without one it is possible */
    double fitness;   /* what is compared among those with as many clashes; less is better */
    bool processed;   /* crossed or mutated in this round */
};
struct sw_assignment_scene {
    const struct sw_problem *problem;
    uint32_t objects, segments;
    const struct sw_objects *of; /* planners/segments/segment_genetic.h */
    const struct sw_partition *partition;
    bool careful;     /* clashing objects are kept apart where that can be */
    uint32_t most;    /* mutate: objects that may change places at once; select: so many can stay */
    uint32_t segment; /* crossover: its objects are exchanged */
    uint32_t number;  /* of the individual to be made */
    uint64_t *random;
};
/* Objects, or individuals, that an operator chose. */
struct sw_chosen {
    uint32_t *objects; /* room for all */
    uint32_t count;
    const char *why;
};

/* token-sharing: an input that a tensor could be written over, and what is known of the two. */
struct sw_reuse_scene {
    const struct sw_problem *problem;
    uint32_t fresh, over; /* the tensor; the input */
    uint32_t op;          /* that writes the tensor */
    uint32_t id, tier;    /* of the input's token */
    uint64_t bytes;       /* that the tensor needs, with its alignment */
    uint64_t allocated;   /* of the token */
    bool function;        /* a function takes the token over, not one operator */
    bool reshape;         /* the tensor has the very bytes of the input */
    const char *refused;  /* why the graph forbids it; NULL: it may be done */
};

struct sw_breeding {
    const char *name;
    const char *planner; /* the one that these operators are for */
    void *context;
    bool peak_first; /* the fitness puts a low peak before all else: at the lower bound nothing is better */
    /* An order of the first population; `given` false: the planner makes it. One that is there already is asked for
     * again. */
    bool (*seed)(void *context, const struct sw_breeding_scene *, struct sw_rank *order, bool *given, const char **why,
                 struct sw_error *);
    bool (*cross)(void *context, const struct sw_breeding_scene *, const struct sw_individual *first,
                  const struct sw_individual *second, struct sw_rank *order, struct sw_crossing *, struct sw_error *);
    bool (*mutate)(void *context, const struct sw_breeding_scene *, const struct sw_individual *, struct sw_exchange *,
                   struct sw_error *);
    /* Figures that are compared one after the other, less is better; at least one. */
    bool (*fitness)(void *context, const struct sw_breeding_scene *, const struct sw_individual *,
                    double figures[SW_BREEDING_FIGURES], uint32_t *count, struct sw_error *);
    /* Which of parents and children stay, by number: some, each once. */
    bool (*select)(void *context, const struct sw_breeding_scene *, const struct sw_individual *all, uint32_t count,
                   struct sw_chosen *, struct sw_error *);
    uint32_t elite; /* so many of the fittest stay before those that `select` or `keep` chose */
    /* The same of segment-genetic. draw: an assignment; share: the objects that the parents exchange, each taking the
     * segment that the next one has; rotate: objects of which each goes where the next one is, the last where the first
     * was; weigh: a figure from 0 on, less is better; keep: which members stay, by number: some, each once. */
    bool (*draw)(void *context, const struct sw_assignment_scene *, uint32_t *segments, bool *given, const char **why,
                 struct sw_error *);
    bool (*share)(void *context, const struct sw_assignment_scene *, const struct sw_assignment *parents,
                  uint32_t count, struct sw_chosen *, struct sw_error *);
    bool (*rotate)(void *context, const struct sw_assignment_scene *, const struct sw_assignment *, struct sw_chosen *,
                   struct sw_error *);
    bool (*weigh)(void *context, const struct sw_assignment_scene *, const struct sw_assignment *, double *figure,
                  struct sw_error *);
    bool (*keep)(void *context, const struct sw_assignment_scene *, const struct sw_assignment *all, uint32_t count,
                 struct sw_chosen *, struct sw_error *);
    bool bytes; /* the figure is the migration itself, which is checked */
    /* The reuse condition of token-sharing: is the tensor written over the input? Never where that is forbidden. `why`,
     * which may stay NULL, is good as long as the breeding. */
    bool (*reuse)(void *context, const struct sw_reuse_scene *, bool *takes, const char **why, struct sw_error *);
};

SW_C_END

#endif
