/* Suggestions: what lowers the peak of a run, found by doing it.
 *
 * Each suggestion was made on a copy of the run, or in a new run, which went on to its end: the peak that it tells is
 * the one that came out. Pins are looked for from the block that sets the peak back through those that keep it up, at
 * places that would free something; then other kinds of moves; then pairs of pins. Where the planner minimizes E or
 * bytes moved, a move that raises those is no suggestion.
 *
 * The object is asked for work in slices. What it finds follows from the run, the request and the work alone, never
 * from how that was cut into slices. It keeps a fork of the run; the run itself does not change. */
#ifndef SW_SUGGEST_SUGGEST_H
#define SW_SUGGEST_SUGGEST_H

#include "problem/change/change.h"
#include "search/search.h"

SW_C_BEGIN

enum sw_suggest_kind {
    SW_SUGGEST_PIN,       /* one block at another place */
    SW_SUGGEST_PINS,      /* two */
    SW_SUGGEST_FORBID,    /* a range that a block may not use */
    SW_SUGGEST_CHOOSE,    /* another candidate at an earlier decision */
    SW_SUGGEST_MOVE,      /* one operator at another step */
    SW_SUGGEST_REORDER,   /* all operators in a better order */
    SW_SUGGEST_INPLACE,   /* a result over an argument */
    SW_SUGGEST_SPILL,     /* a buffer that waits goes elsewhere meanwhile */
    SW_SUGGEST_RECOMPUTE, /* a buffer that waits is made again */
    SW_SUGGEST_SETTING,   /* a parameter of the planner */
    SW_SUGGEST_CONTINUE,  /* of a recorded run: one of our planners goes on before a decision */
    SW_SUGGEST_PLANNER,   /* another planner */
    SW_SUGGEST_KINDS
};
/* "pin", "pins", "forbid" ... */
const char *sw_suggest_kind_name(enum sw_suggest_kind);

/* Why a move lowers the peak: what the two finished plans show. Blocks are numbers of the run's problem; addresses are
 * of the tier of its peak, and steps those of the plan that is meant. */
struct sw_why_place {
    bool placed;     /* at that step */
    uint32_t tier;   /* where it lies */
    uint64_t offset; /* from here on */
    uint32_t
        below;     /* the block that it lies on: that one ends here, but for alignment, and the two conflict; SW_NONE */
    uint32_t meet; /* the first step at which both are alive; SW_NONE: on several cores it is not known */
    uint32_t step; /* of its life the first at which most bytes are alive; SW_NONE: on several cores */
    uint64_t live; /* bytes alive then, in all tiers */
    uint64_t unused; /* bytes below it that no block uses then */
};
enum { SW_WHY_MOVED = 3 };
struct sw_suggest_why {
    uint32_t block;                /* that ends highest in the run, the first by birth; SW_NONE: the tier is filled
                                      from its far end, so that its peak is no address */
    bool ends;                     /* it ends at the peak; else that is rounded up, or reserved */
    uint32_t with;                 /* how many others end where it does */
    struct sw_why_place was, now;  /* it, in the run and with the move */
    uint32_t mover;                /* a block that the move is about, that nearest below it; SW_NONE: none is */
    uint32_t links;                /* it is so many blocks below, each of which lies on the next; 0: it is not */
    bool mover_placed;             /* with the move it lies in the tier for all its life, at: */
    uint64_t mover_now;            /* an offset */
    uint32_t parted;               /* the largest that was in conflict with the block, and is no longer; SW_NONE */
    uint32_t top;                  /* that ends highest with the move; SW_NONE: as above */
    bool top_ends;                 /* at the peak that came out */
    uint32_t top_with;             /* how many others do */
    uint64_t top_offset;           /* where it lies */
    uint64_t stretch, stretch_now; /* of a tier that is filled from its far end: the bytes that no block ever uses */
    bool over;                     /* INPLACE: the result lies over the argument */
    uint32_t others;               /* blocks that lie elsewhere than in the run, those of the moves among them */
    uint32_t moved[SW_WHY_MOVED];  /* the largest of them, as far as there are so many */
};

enum { SW_SUGGEST_MOVES = 2 };
struct sw_suggestion {
    enum sw_suggest_kind kind;
    /* The decision before which the moves must be made; before the first it is 1. A move that makes a new run (from
     * MOVE on, but for CONTINUE) has none: 0. */
    uint64_t before;
    size_t count;                                   /* of overrides */
    struct sw_override overrides[SW_SUGGEST_MOVES]; /* up to CHOOSE */
    struct sw_edit edit;              /* MOVE, INPLACE, SPILL, RECOMPUTE: of the problem that the run began with */
    const struct sw_planner *planner; /* CONTINUE, PLANNER */
    const char *key;                  /* SETTING: its name, or "seed"; static */
    char value[64];

    uint64_t peak;  /* that came out, in the tier of the run's peak */
    uint64_t bound; /* the lower bound of what was planned then */
    uint64_t saved; /* bytes below the peak of the run; 0 where that has none */
    bool fits;      /* the peak is not above the capacity asked for, nor is anything above that of its tier */
    uint64_t moved; /* SPILL: bytes moved out and back in */
    uint32_t again; /* RECOMPUTE: the operator that runs twice; else SW_NONE */
    uint64_t held;  /* RECOMPUTE: bytes of what it reads that live longer for it */
    double goal;    /* what the planner of the run minimizes (state: `minimizes`), now; NaN: it is not known */
    struct sw_suggest_why why;
    const struct sw_problem *made; /* a change added blocks: why.top and why.now.below are of this problem, which lives
                                      as long as the object; NULL: of the run's, as all others are */
};

/* About 2 s on a usual machine. */
#define SW_SUGGEST_WORK UINT64_C(120000000)
struct sw_suggest_request {
    uint64_t work;     /* units of work, as of sw_search_work, that trials may take; 0: SW_SUGGEST_WORK */
    bool has_capacity; /* what the peak should fit into: */
    uint64_t capacity;
    unsigned kinds; /* 1 << kind of each that may be suggested; 0: all */
};

struct sw_suggest;
/* The run may stand anywhere, at its end or not, but keeps its journal (no sw_search_forget). The first slices run the
 * fork to its end. NULL: the error says why. */
struct sw_suggest *sw_suggest_new(const struct sw_search *, const struct sw_suggest_request *, struct sw_error *);
void sw_suggest_free(struct sw_suggest *); /* NULL is allowed */
/* So much more work (0: no limit), or a little more, as a decision cannot be cut. MORE: there is more to try. DONE:
 * that was all, or the work of the request is spent. FAILED: no memory; what was found stays, and a further call goes
 * on, without the move that was being made: it may miss that one. */
enum sw_step sw_suggest_step(struct sw_suggest *, uint64_t work, struct sw_error *);

/* No further than to where it once stopped: as soon as this much work is done, as sw_suggest_state_of told it, all is
 * over. Another object of the same run and request has the same list then. */
void sw_suggest_halt(struct sw_suggest *, uint64_t work);

/* So far, the best first: with a capacity those that fit, then by bytes saved, then by how little changes. Borrowed
 * until the next call. Of several of one kind that do the same to the same blocks one is kept, and of planners that do
 * as well the first. */
size_t sw_suggest_count(const struct sw_suggest *);
const struct sw_suggestion *sw_suggest_get(const struct sw_suggest *, size_t);

/* What is to be said beside the list. */
struct sw_suggest_state {
    bool ended;                       /* the run has come to its end, with a layout; before that the figures are 0 */
    uint64_t peak, bound;             /* of the run */
    uint32_t tier;                    /* of the peak */
    bool migrates;                    /* it moves blocks out: the peak may be below the bound */
    enum sw_objective_kind minimizes; /* what its planner does */
    double goal;                      /* of COST and MOVED: what the run comes to */
    bool at_bound;                    /* the peak is the lower bound: only what lowers the bound was looked for */
    bool over;                        /* all is tried that there is to try, or the work is spent */
    bool spent;                       /* it is spent: more may be found with more */
    uint64_t work;                    /* done so far */
    uint64_t work_limit;
    uint64_t tried[SW_SUGGEST_KINDS]; /* moves that were made, whether they helped or not */
};
/* The run that it is about, at its end once that is known. Borrowed. */
const struct sw_search *sw_suggest_run(const struct sw_suggest *);
void sw_suggest_state_of(const struct sw_suggest *, struct sw_suggest_state *);

/* What would make a pin work that a run refuses where it stands, because of what lies there; each was tried. */
struct sw_suggest_way {
    uint64_t before; /* it is accepted before this decision; 0: before none */
    bool has_first;  /* it is accepted here after this pin of the block in its way */
    struct sw_override first;
};
/* False: no memory. O(a fork and a replay) for each of a few tries. */
bool sw_suggest_way_of(const struct sw_search *, const struct sw_override *pin, struct sw_suggest_way *,
                       struct sw_error *);

SW_C_END

#endif
