/* The inside of lifetime-best-fit; only for the files lifetime_*.c. The method is told in
 * lifetime_best_fit.c.
 *
 * lifetime_best_fit.c  the state, opening, the walk, and the table of the planner
 * lifetime_lives.c     rule 1, step by step: how lifetimes come into being
 * lifetime_release.c   rule a: what is given back, and what it touches
 * lifetime_place.c     rules b, c, d: the tier and the place, the explanation, the moves */
#ifndef SW_PLANNERS_LIFETIME_INTERNAL_H
#define SW_PLANNERS_LIFETIME_INTERNAL_H

#include "base/lists/shared.h"
#include "planners/planner_internal.h"

/* Planned buffers by the step after which they are free; shared by all clones. */
struct sw_lifetime_deaths {
    size_t owners;
    uint32_t count;
    uint32_t *buffers;
};

/* A grow, for what came of offsets later: all of the first `ranks` buffers in program order that lay at `from` or above
 * in the tier moved up by `delta`. */
struct sw_lifetime_shift {
    uint64_t from, delta;
    uint32_t tier, ranks;
};

/* The state of a run. */
struct sw_lifetime_fit {
    struct sw_lifetime_deaths *deaths;
    struct {
        struct sw_shared *block; /* of struct sw_lifetime_shift, shared with clones */
        size_t count;
    } shifts;
    uint32_t *ends;                   /* per buffer, with events=true: where its lifetime ends so far; else NULL */
    const struct sw_problem *problem; /* as planned; not the run's when read literally */
    struct sw_layout *layout;         /* of that problem; NULL: the run's own */
    /* Some buffer needs a part of its bytes only: blocks above one another can collide. */
    bool windows;
    bool permits;     /* some may start where another does */
    bool pins;        /* of the problem */
    bool lives;       /* events=true: lifetimes are still coming into being: */
    bool begun;       /* they began */
    uint32_t life_at; /* the operator that widens them, and which of its arguments; then which buffer */
    uint32_t life_use;
    uint64_t multiple; /* the least common one of all alignments, or SW_MAX_BYTES when it is above */
    uint32_t at;       /* next birth, in program order */
    uint32_t dead;     /* next death */
    uint32_t time;
    SW_ARRAY(uint32_t) pending; /* releases of `time`, by offset */
    size_t next;                /* the first not told yet */
    uint32_t coalesce;          /* a released block that touches free space, or SW_NONE */
    uint64_t told;              /* releases so far */
};

/* The state as tables (lifetime_tables.c). */
void sw_lifetime_state(const void *state, const struct sw_run *, const struct sw_decision *last,
                       struct sw_state_tables *);

/* Keep in mind that a grow moved blocks. False: no memory. */
bool sw_lifetime_shifted(struct sw_lifetime_fit *, uint32_t tier, uint64_t from, uint64_t delta);

/* ---- how lifetimes come into being (lifetime_lives.c) ---- */

/* Ready for it, where the run tells events. False: no memory. */
bool sw_lifetime_begin_lives(struct sw_lifetime_fit *, const struct sw_run *);
/* Tell the next step of it. False: there are no more, and `lives` is false. `shown` has the problem of the user. */
bool sw_lifetime_widen(struct sw_lifetime_fit *, struct sw_run *, const struct sw_run *shown, struct sw_decision *);

/* ---- release and coalesce (lifetime_release.c) ---- */

/* All that died just before `time`, in order of offset, becomes pending. Size 0 has nothing to
 * free. False: no memory. */
bool sw_lifetime_gather(struct sw_lifetime_fit *, const struct sw_run *);
/* Tell the next pending release; `coalesce` is set when the block touches free space. */
void sw_lifetime_release(struct sw_lifetime_fit *, struct sw_run *, struct sw_decision *);
/* Tell that the block in `coalesce` became one with what it touches. */
void sw_lifetime_coalesce(struct sw_lifetime_fit *, struct sw_run *, struct sw_decision *);

/* Bring the run's shelf (layout/free/shelf.h) to the present moment: what is alive, and what is pending from item
 * `from` on. False: there is none, look at the layout. */
bool sw_lifetime_shelf(const struct sw_lifetime_fit *, struct sw_run *, size_t from);

/* ---- place, grow, append (lifetime_place.c) ---- */

/* The decision about a buffer that is born. `shown` is the run that the user sees; the same as the
 * other one, except when the problem is read literally. */
enum sw_step sw_lifetime_place(struct sw_lifetime_fit *, struct sw_run *, struct sw_run *shown, uint32_t buffer,
                               struct sw_decision *);

#endif
