/* Decisions: what one step of a planner did, and, on demand, everything it looked at.
 *
 * A `struct sw_decision` is small and fixed, so that a journal of a million of them is cheap. The list
 * of candidates with reasons (`struct sw_explanation`) is made by running that one step again with
 * explanation switched on. */
#ifndef SW_SEARCH_DECISION_H
#define SW_SEARCH_DECISION_H

#include "base/mem.h"
#include "layout/layout.h"

/* Kinds of decision: the identifier, the word in traces, and what it says in a sentence. */
#define SW_DECISION_KINDS(X)                                                                       \
    X(PLACE, "place", "a block got its offset")                                                    \
    X(RELEASE, "release", "a block's last use is over; its space is free")                         \
    X(COALESCE, "coalesce", "free spaces that touch became one")                                   \
    X(GROW, "grow", "a free space was too small and was enlarged")                                 \
    X(APPEND, "append", "no space is free; the arena was extended at its end")                     \
    X(PRECONF, "preconf", "the pre-configuration placed a block")                                  \
    X(TRY, "try", "an action was tried on a block")                                                \
    X(ACCEPT, "accept", "a successful action, or the state of an update, was kept")                \
    X(REVERT, "revert", "a successful action was taken back")                                      \
    X(UPDATE, "update", "a local-optimum segment ended")                                           \
    X(MERGE, "merge", "accesses or small objects became one")                                      \
    X(SORT, "sort", "objects or blocks were put in order")                                         \
    X(CHOOSE, "choose", "the objects that define the segments were chosen")                        \
    X(PARTITION, "partition", "memory was cut into segments")                                      \
    X(INDIVIDUAL, "individual", "a member of the first population was drawn")                      \
    X(CROSSOVER, "crossover", "two parents were combined")                                         \
    X(MUTATE, "mutate", "objects of different segments were exchanged")                            \
    X(SWAP, "swap", "two positions of an order were exchanged")                                    \
    X(DECODE, "decode", "an order was turned into a layout by first fit")                          \
    X(SELECT, "select", "the survivors were chosen")                                               \
    X(IMMIGRATE, "immigrate", "new random members filled the population")                          \
    X(GENERATION, "generation", "a generation ended")                                              \
    X(ADOPT, "adopt", "a tensor took its element type or alignment from somewhere")                \
    X(TOKEN, "token", "a tensor got its token")                                                    \
    X(REUSE, "reuse", "an operator writes over its input, in place")                               \
    X(REQUEST, "request", "a block of the free pool was taken")                                    \
    X(ENLARGE, "enlarge", "a block of the free pool was enlarged and taken")                       \
    X(NEW, "new", "a new memory id was made")                                                      \
    X(SHARE, "share", "an operator's tensor took the token of its function's tensor")              \
    X(EVICT, "evict", "a resident object was moved out to make room")                              \
    X(FETCH, "fetch", "an object was moved in")                                                    \
    X(BRANCH, "branch", "a node of the search tree was opened")                                    \
    X(PRUNE, "prune", "a node was cut off")                                                        \
    X(BACKTRACK, "backtrack", "the last placement was taken back")                                 \
    X(INCUMBENT, "incumbent", "a better layout was found")                                         \
    X(PROVED, "proved", "nothing better exists")                                                   \
    X(EVALUATE, "evaluate", "a result was measured")                                               \
    X(FINISH, "finish", "the best result became the answer")                                       \
    X(RESTART, "restart", "a search began again in another order")                                 \
    X(REPAIR, "repair", "blocks that stand too high were put back lower, pushing others out")      \
    X(SEARCH, "search", "branch-and-bound went on for many steps")                                 \
    X(DEFER, "defer", "there are too many blocks for this method; another goes on")

enum sw_decision_kind {
#define X(id, word, meaning) SW_DECISION_##id,
    SW_DECISION_KINDS(X)
#undef X
        SW_DECISION_KIND_COUNT
};
const char *sw_decision_word(enum sw_decision_kind);
const char *sw_decision_meaning(enum sw_decision_kind);

/* What the amount of an evaluation or an answer is a measure of. */
enum sw_amount { SW_AMOUNT_MEMORY, SW_AMOUNT_MOVED, SW_AMOUNT_NOTHING };

struct sw_decision {
    uint64_t step;       /* from 1: the first decision is step 1; 0 = none yet */
    uint16_t kind;       /* enum sw_decision_kind */
    bool forced;         /* an override made it what it is */
    uint8_t measures;    /* enum sw_amount */
    uint32_t buffer;     /* the subject, or SW_NONE */
    uint32_t other;      /* a second buffer, or SW_NONE */
    uint32_t tier;       /* SW_NONE when no tier is concerned */
    uint32_t time;       /* the step of time it belongs to; SW_NONE */
    uint32_t group;      /* which group of the planner (size class, member ...), from 0 */
    uint32_t candidates; /* how many were looked at */
    uint64_t offset, size;
    uint64_t amount;     /* grow: delta; evaluate and finish: the figure measured; try: 1 when
                            it succeeded; coalesce: bytes before; request: bytes of the id;
                            place: 1 when it lies over `other` without a permit */
    uint64_t peak;       /* the arena of its tier after it; without a tier the largest of all */
    uint64_t peak_before; /* the same before it */
    uint64_t live;       /* placed bytes alive at `time` after it */
    double cost;         /* NaN when the planner has none */
    const char *reason;  /* a static phrase: "smallest free block that fits" */
    const char *action;  /* try, accept, revert: the action's name (static); NULL otherwise */
    uint64_t work;       /* of the run up to and with this decision, in units of work */
    uint32_t members[2]; /* genetic planners: parents or members of the population; SW_NONE */
    uint32_t part;       /* segment, memory id or generation; SW_NONE */
    double figures[3];   /* end of a generation: best, mean, worst; else the figure measured before
                            and after it: E, migration, the best peak, bytes of an id; NaN */
};
/* A decision with nothing in it: every number that may be absent says so. */
void sw_decision_clear(struct sw_decision *);

enum sw_verdict { SW_VERDICT_CHOSEN, SW_VERDICT_FITS, SW_VERDICT_REFUSED };
const char *sw_verdict_word(enum sw_verdict); /* "chosen", "fits", "refused" */

struct sw_candidate {
    enum sw_verdict verdict;
    uint32_t tier;
    uint64_t offset; /* where the block would start */
    uint64_t size;   /* of the space; SW_UNBOUNDED for an open end */
    uint32_t below, above; /* neighbors, or SW_NONE */
    bool occupied;         /* not a free space: another block lies there, or none may */
    char reason[200];
};
/* A block that the decision moved. */
struct sw_moved {
    uint32_t buffer, tier;
    uint64_t from, to;
};
/* Belongs to the caller; zero it to start with; may be used again. */
struct sw_explanation {
    struct sw_decision decision;
    SW_ARRAY(struct sw_candidate) candidates;
    SW_ARRAY(struct sw_moved) moved;
};
void sw_explanation_clear(struct sw_explanation *);
void sw_explanation_done(struct sw_explanation *);
/* Append a candidate; `format` makes its reason. With explanation NULL it does nothing and succeeds.
 * False: no memory. */
bool sw_explain(struct sw_explanation *, enum sw_verdict, uint32_t tier, uint64_t offset,
                uint64_t size, uint32_t below, uint32_t above, const char *format, ...)
    __attribute__((format(printf, 8, 9)));

/* One sentence for a person: "places conv3_out (2048 B) at sram+4096: smallest free block that fits".
 * Returns snprintf's length. */
int sw_decision_describe(const struct sw_problem *, const struct sw_decision *, char *text,
                         size_t size);

#endif
