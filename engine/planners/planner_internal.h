/* What the planners' files share among themselves; not installed. */
#ifndef SW_PLANNERS_INTERNAL_H
#define SW_PLANNERS_INTERNAL_H

#include "base/described.h"
#include "layout/free/shelf.h"
#include "layout/made.h"
#include "planners/place.h"
#include "planners/planner.h"

#define PLANNER(name, file) extern const struct sw_planner name;
#include "planners/planners.def"
#undef PLANNER

/* `auto` that never runs branch-and-bound: for planners that stand in for that. It is in no list. */
extern const struct sw_planner sw_auto_without_search;

/* The choices of a parameter, in place. */
#define SW_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Each of the numbers becomes SW_NONE. */
static inline void sw_fill_none(uint32_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        numbers[i] = SW_NONE;
    }
}

/* ---- tables of figures (tables/state_tables.c) ---- */

struct sw_state_figure {
    const char *name;
    struct sw_state_cell value;
};
/* Names and values. Such a table is short, and shown whole. */
void sw_state_figures(struct sw_state_tables *, const char *name, const char *const *columns,
                      const struct sw_state_figure *, uint64_t count, uint64_t touched);

/* ---- placing (place.c) ---- */

/* Place a buffer at an address and record the permits that now hold: where it starts at the same
 * byte as a buffer it may write over, or that may write over it. False: no memory. */
bool sw_place_at(struct sw_run *, uint32_t buffer, uint32_t tier, uint64_t offset);
/* The placed block that `buffer` would share bytes with there by a permit, in place; or SW_NONE. */
uint32_t sw_place_partner(const struct sw_run *, uint32_t buffer, uint32_t tier, uint64_t offset);
/* The same, into the decision that places it there. */
void sw_place_tell_partner(const struct sw_run *, uint32_t buffer, uint32_t tier, uint64_t offset,
                           struct sw_decision *);
/* For planners that place without asking: the first placed block, as listed, that the buffer would lie over there
 * against the rules, of those that have one place for life; SW_NONE. O(neighbors). */
uint32_t sw_place_collision(struct sw_run *, uint32_t buffer, uint32_t tier, uint64_t offset);
/* And what is wrong with the place itself. Each planner has its own words for it. */
enum sw_place_fault {
    SW_PLACE_SOUND,
    SW_PLACE_ABOVE_CAPACITY,
    SW_PLACE_UNALIGNED,
    SW_PLACE_WRONG_TIER,
    SW_PLACE_RESERVED,
    SW_PLACE_FAULTS /* how many */
};
enum sw_place_fault sw_place_fault(const struct sw_problem *, uint32_t buffer, uint32_t tier, uint64_t offset);
/* A decision about `buffer` with everything filled that does not depend on where it goes. */
void sw_place_begin(const struct sw_run *, uint32_t buffer, struct sw_decision *);
/* Is the buffer pinned? Then place it at its pin, or fail with a sentence. `done` says whether it
 * was. Buffers of size 0 that are not pinned go to offset 0 and count as done, too. */
enum sw_step sw_place_settled(struct sw_run *, uint32_t buffer, bool *done, struct sw_decision *);
/* Does the problem ask for two buffers to be kept apart? O(pairs). */
bool sw_place_kept_separate(const struct sw_problem *, uint32_t a, uint32_t b);
/* The tiers a buffer may live in, as bits. */
uint64_t sw_place_tiers(const struct sw_problem *, uint32_t buffer);
/* Placed bytes alive at the first step of a buffer just placed. The gaps found last were this buffer's. */
uint64_t sw_place_live(struct sw_run *, uint32_t buffer);
/* Placed bytes alive at a step, in all tiers. */
uint64_t sw_place_live_at(struct sw_run *, uint32_t step);
/* Find gaps and count the work. */
bool sw_place_gaps(struct sw_run *, uint32_t buffer, uint32_t tier, uint64_t top);
/* "candidate 7 does not exist: there are 3". */
enum sw_step sw_place_no_candidate(const struct sw_run *, uint32_t count);
/* Did the user choose nothing? Otherwise the error says that there is nothing to choose. */
static inline bool sw_run_unchosen(const struct sw_run *run) {
    return run->choice < 0 || sw_place_no_candidate(run, 0) == SW_STEP_MORE;
}
/* Of a candidate that has no neighbors, or is no place at all. */
#define SW_EXPLAIN(explanation, verdict, tier, offset, size, ...) \
    sw_explain(explanation, verdict, tier, offset, size, SW_NONE, SW_NONE, __VA_ARGS__)

/* A step that fails: says why, as sw_fail does. */
#define SW_STEP_FAIL(run, ...) (sw_fail((run)->error, __VA_ARGS__), SW_STEP_FAILED)

/* Something inside of a step failed: is that an answer, namely that nothing fits? Any other failure is the run's. */
static inline bool sw_run_answered(const struct sw_run *run, const struct sw_error *why) {
    if (why->code != SW_ERROR_INFEASIBLE && run->error) {
        *run->error = *why;
    }
    return why->code == SW_ERROR_INFEASIBLE;
}

/* A decision of this kind, with nothing more in it. */
static inline void sw_decision_begin(struct sw_decision *decision, enum sw_decision_kind kind, uint32_t group,
                                     const char *reason) {
    sw_decision_clear(decision);
    sw_decision_become(decision, kind);
    decision->group = group;
    decision->reason = reason;
}

/* The decision that is being made, from 1; 0: none, a demand or a limit is obeyed. */
static inline uint64_t sw_run_decision(const struct sw_run *run) {
    return run->layout ? sw_layout_stamped(run->layout) : 0;
}
/* An empty layout, on which what is placed is the work of the present decision (sw_layout_stamp). */
struct sw_layout *sw_run_layout(const struct sw_run *);

/* After a copy of the run was lent to another planner: what it counted, and its scratch, which only one of the
 * two may own, come back. */
static inline void sw_run_take_back(struct sw_run *run, const struct sw_run *lent) {
    run->gaps = lent->gaps;
    run->work = lent->work;
}

/* ---- an order in which buffers are taken (order.c) ---- */

struct sw_queue_turn {
    uint32_t buffer;
    uint32_t time;  /* the step the turn belongs to */
    uint32_t group; /* from 0, never falling */
    uint32_t rank;  /* of the buffer: its place in program order */
    uint64_t live;  /* by breadth: placed bytes alive at `time` after it */
};
/* Made once when a run opens and shared, by count, by all clones of its state. */
struct sw_order {
    size_t owners, count;
    struct sw_queue_turn *turns;
};
struct sw_order *sw_order_by_size(const struct sw_problem *);
/* By sizes rounded up to SW_PLACE_GRAIN, ties by the last as listed. */
struct sw_order *sw_order_by_rounded_size(const struct sw_problem *);
struct sw_order *sw_order_by_breadth(const struct sw_problem *);

/* Bytes alive at each step, by which greedy-by-breadth goes; what may share by a permit counts twice. */
void sw_breadth_of(const struct sw_problem *, uint64_t *live);

/* greedy/turns.c: why a block has its turn before another (sw_planner.turn). */
sw_turn_fn sw_turn_by_program, sw_turn_by_size, sw_turn_by_rounded_size, sw_turn_by_breadth;

/* The state of a planner that walks an order: one turn, one decision. */
struct sw_walk {
    struct sw_order *order;
    size_t at;
};
bool sw_walk_open(struct sw_walk *, struct sw_order *, struct sw_error *); /* takes the order; NULL: no memory */
/* The next turn; NULL at the end. */
const struct sw_queue_turn *sw_walk_next(const struct sw_walk *);
/* Carry out the next turn by a rule: the step of such planners. `at` counts up when that was done, and only then: a
 * step that fails or finds nothing to do must leave the state, and so its digest, as it was. */
enum sw_step sw_walk_place(struct sw_walk *, struct sw_run *, enum sw_place_rule, struct sw_decision *);
bool sw_walk_redo(void *state, struct sw_run *, const struct sw_decision *);
extern const struct sw_described sw_walk_described;
void sw_walk_state(const void *state, const struct sw_run *, const struct sw_decision *last, struct sw_state_tables *);

/* Are the individuals that a script chose some of `count`, each once? And, behind an elite of so many in `kept`, those
 * of the list that are not part of it, up to `most` in all; returns how many. */
bool sw_check_chosen(const struct sw_breeding *, const struct sw_chosen *, uint32_t count, struct sw_error *);
uint32_t sw_keep_chosen(const struct sw_chosen *, uint32_t *kept, uint32_t elite, uint32_t most);

/* The state of a planner that walks the program order. */
struct sw_cursor {
    uint32_t at;
};
/* The next buffer; SW_NONE at the end. `at` as above. */
uint32_t sw_cursor_next(const struct sw_cursor *, const struct sw_problem *);
enum sw_step sw_cursor_place(struct sw_cursor *, struct sw_run *, enum sw_place_rule, struct sw_decision *);
bool sw_cursor_redo(void *state, struct sw_run *, const struct sw_decision *);
extern const struct sw_described sw_cursor_described;
void sw_cursor_state(const void *state, const struct sw_run *, const struct sw_decision *last,
                     struct sw_state_tables *);

#endif
