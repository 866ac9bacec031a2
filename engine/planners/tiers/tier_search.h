/* The inside of tier-search; only for the files tier_search*.c. The method is told in tier_search.c.
 *
 * tier_search_plan.c   what never changes in a run: the order of blocks, which may overwrite which
 * tier_search_rules.c  boundaries of segments and orders of places that lists and scripts say
 * tier_search_start.c  the tiers that the pre-configuration is given
 * tier_search_place.c  rules R1..R7: free spaces, sides, overwrite targets, and PRECONF of later steps
 * tier_search_sweep.c  what is alive at a step, by address, for PRECONF of later steps
 * tier_search_state.c  states: kept, compared, brought back; their permits and arenas
 * tier_search_figures.c the permits, arenas and E of the present state, kept from one to the next
 * tier_search_moves.c  several places at once, and lives split between tiers
 * tier_search_inside.c all combinations of actions inside a segment, or a beam of states
 * tier_search_events.c what becomes free and what it merges with, as decisions
 * tier_search_try.c    actions on a block: the places tried, the outcome, the explanation
 * tier_search.c        the walk, and the table of the planner */
#ifndef SW_PLANNERS_TIER_SEARCH_H
#define SW_PLANNERS_TIER_SEARCH_H

#include "base/hash.h"
#include "base/lists/cow.h"
#include "layout/cost.h"
#include "layout/made.h"
#include "planners/planner_internal.h"
#include "planners/tiers/tier_rules.h"

/* ---- what never changes (tier_search_plan.c) ---- */

/* Which block may be written over which: none, pairs of `inplace` operators from the same offset, or any that
 * rule R6 names. */
enum sw_tier_overwrite { SW_TIER_OVERWRITE_OFF, SW_TIER_OVERWRITE_PERMITTED, SW_TIER_OVERWRITE_ANY };

/* Lives that are split between tiers, each kept once. Only grows. */
struct sw_tier_lives {
    SW_ARRAY(struct sw_placement) places;
    SW_ARRAY(size_t) starts; /* of life k + 1: its first place */
};
/* Made when a run opens, shared by count with all clones of its state. */
struct sw_tier_plan {
    size_t owners;
    uint32_t steps, planned, buffers;
    bool network_last; /* outputs of the network are a class of their own, after those that operators read */
    /* The planned blocks by step of birth; in a step inputs, constants, scratch, outputs of operators,
     * each as listed. Those born at step t are turns[births[t] .. births[t + 1]); since only blocks of
     * one step change places, births also cuts the ranks of the problem's program order. */
    uint32_t *turns, *births;
    /* The blocks visited at step t: visits[visit_at[t] .. visit_at[t + 1]). */
    uint32_t *visits, *visit_at;
    /* Rule R6: block b, which its operator writes at its step of birth, may be written over
     * olds[old_at[b] .. old_at[b + 1]), which that operator uses last; `exact`: only from its start. */
    bool exact;
    uint32_t *olds, *old_at;
    /* By rank: the last step at which a block born there may conflict with this block; UINT32_MAX
     * where conflicts do not depend on steps. */
    uint32_t *reach;
    /* By step: which segment it is in when they end where few bytes are alive. */
    uint32_t *quiet;
    /* By rank: the tier that the block is given, where rule R1 begins; 0 unless tiers are given. */
    uint8_t *given;
    /* By step: its segment, where they do not have equal lengths; NULL. */
    uint32_t *segments;
    struct sw_tier_lives lives; /* the one thing that changes: what has been split in any clone */
    struct sw_arena room;       /* of the arrays */
};
struct sw_tier_plan *sw_tier_plan_new(const struct sw_problem *, bool touched, bool network_last,
                                      enum sw_tier_overwrite);
void sw_tier_plan_unref(struct sw_tier_plan *); /* NULL is allowed */
/* May `fresh` be written over `old` by R6? */
bool sw_tier_may_overwrite(const struct sw_tier_plan *, uint32_t fresh, uint32_t old);

/* ---- places (tier_search_place.c) ---- */

struct sw_tier_spot {
    uint64_t offset;
    uint32_t tier; /* SW_NONE: no place */
    uint32_t life; /* 0: for its whole life; else the split life that begins here */
    uint32_t made; /* the decision that put it there (layout/made.h); no part of what the state is */
};
/* A free space as a block sees it, or the rest of a reusable block that it may be written over. */
struct sw_tier_space {
    uint64_t lo, hi;              /* hi = SW_UNBOUNDED: an open end */
    uint64_t start;               /* the block's lowest offset there */
    uint32_t tier, old;           /* old: the reusable block; SW_NONE for a free space */
    uint32_t below, above;        /* neighbors, or SW_NONE */
    uint64_t first, second;       /* R5's offset and the other one; the same when there is only one */
    uint64_t low_dies, high_dies; /* R5: the last steps of what is beside it, UINT64_MAX: never; where it fits */
    bool fits;
};
static inline uint64_t sw_tier_extent(const struct sw_tier_space *space) {
    return space->hi == SW_UNBOUNDED ? SW_UNBOUNDED : space->hi - space->lo;
}
struct sw_tier_spaces {
    SW_ARRAY(struct sw_tier_space) items;
};
/* What a look for room works with. `layout` is that of the run, or one for trials; NULL with a sweep, which then shows
 * what is alive. */
struct sw_tier_sweep;
struct sw_tier_room {
    struct sw_run *run;
    const struct sw_tier_plan *plan;
    struct sw_layout *layout;
    struct sw_tier_sweep *sweep;       /* NULL: the layout is asked */
    const struct sw_gap_bound *bounds; /* of the tier last looked at: the obstacles, by address */
    size_t bound_count;
    bool told; /* a rule of a script failed and said why: no lack of memory */
};
/* For a look that failed. */
static inline enum sw_step sw_tier_room_failed(const struct sw_tier_room *room) {
    return room->told ? SW_STEP_FAILED : sw_step_memory(room->run);
}
/* Append the free spaces that a block sees in a tier, by offset. False: no memory. */
bool sw_tier_free_spaces(struct sw_tier_room *, uint32_t buffer, uint32_t tier, struct sw_tier_spaces *);
/* Append what the buffer may be written over in the tier. The free spaces listed last were those of that tier. */
bool sw_tier_targets(struct sw_tier_room *, uint32_t buffer, uint32_t tier, struct sw_tier_spaces *);
/* Is the place legal for the block, overwriting by R6 allowed? `blocker`: the block in the way, SW_NONE for
 * a reserved or forbidden range. False: no memory. */
bool sw_tier_is_free(struct sw_tier_room *, uint32_t buffer, const struct sw_tier_spot *, bool *free_,
                     uint32_t *blocker);
/* Can a block of this size, alignment and list of tiers be there at all? If not, why: a sentence's end,
 * static. NULL: it can. */
const char *sw_tier_unfit(const struct sw_problem *, uint32_t buffer, const struct sw_tier_spot *);

/* Plan the steps from `step` on anew, on a layout in which no block born there has a place. With `known`
 * (places by rank, of a state that PRECONF made) and `until` (the last step at which a block placed
 * otherwise than in that state may be in the way of another) it stops where nothing can differ any more. */
struct sw_tier_later {
    const struct sw_cow *known; /* NULL: go to the end */
    uint32_t until;
    struct sw_tier_spot *spots; /* by rank: where the blocks go; NULL: into the layout */
    const double *prices;       /* by rank and tier, with `known` and `spots`; NULL: none */
    double more, most; /* what the blocks cost more than where they are known to lie; more than `most` ends it */
    bool lifts;        /* later blocks have places still: take each out before it could be in the way */
    uint32_t lifted;   /* with `lifts`: ranks from this one on are where they were */
    /* results */
    bool fits;
    uint32_t end;             /* ranks below it have been placed */
    uint32_t stuck, stuck_at; /* fits is false: this block found no room at that step */
};
bool sw_tier_plan_later(struct sw_tier_room *, uint32_t step, struct sw_tier_later *);

/* ---- what is alive (tier_search_sweep.c) ---- */

struct sw_tier_live {
    struct sw_gap_bound *items; /* by address */
    size_t count, capacity;
    uint32_t dies; /* the last step of the one that dies first */
};
struct sw_tier_sweep {
    struct sw_tier_live tiers[SW_MAX_TIERS];
};
/* Does a sweep see all that may be in the way of a block? */
bool sw_tier_sweep_serves(const struct sw_run *);
/* Where the spots say, except one block that is elsewhere (SW_NONE: none): what is born before the step and alive at
 * it. `serves`: false where one of them has a split life. False: no memory. O(n log n), n = alive. */
bool sw_tier_sweep_begin(struct sw_tier_sweep *, const struct sw_problem *, const struct sw_cow *spots, uint32_t step,
                         uint32_t moved, const struct sw_tier_spot *place, bool *serves);
/* What died before the step leaves. After each step that is planned. */
void sw_tier_sweep_reach(struct sw_tier_sweep *, const struct sw_problem *, uint32_t step);
/* A block is placed. False: no memory. */
bool sw_tier_sweep_add(struct sw_tier_sweep *, const struct sw_problem *, uint32_t buffer, const struct sw_tier_spot *);
void sw_tier_sweep_done(struct sw_tier_sweep *);

/* ---- what lists and scripts say (tier_search_rules.c) ---- */

struct sw_tier_search;
/* Is the list of boundaries one, and the only word about the length of segments? If not it is said. */
bool sw_tier_segments_legal(const struct sw_params *, const struct sw_planner *, struct sw_error *);
/* Where the segments begin, by the parameters or by a script. False with an error. */
bool sw_tier_cut_segments(struct sw_tier_search *, const struct sw_run *);
/* Free places of a block, in the order of the built-in rules, and in which order they are to be tried. */
struct sw_tier_ranking {
    SW_ARRAY(struct sw_tier_place) places;
    uint32_t *order; /* of places.count */
    const char *why; /* of a script's rule; NULL: the built-in order holds */
    uint8_t *seen;
    struct sw_arena arena;
};
/* Is there a script's rule? */
static inline bool sw_tier_ranks(const struct sw_run *run) {
    return run->params->tier_rules && run->params->tier_rules->places;
}
/* Add one end of a free space that the block fits into. False: no memory. */
bool sw_tier_rank_place(struct sw_tier_ranking *, const struct sw_tier_space *, uint64_t offset);
/* Ask the rule. False: no memory, or room->told. */
bool sw_tier_rank(struct sw_tier_room *, uint32_t buffer, uint32_t given, struct sw_tier_ranking *);
void sw_tier_ranking_done(struct sw_tier_ranking *);
/* In the walk under way: the segment of a step, and the last step of it, which O(steps of the segment) finds. */
uint32_t sw_tier_segment_at(const struct sw_tier_search *, uint32_t time);
uint32_t sw_tier_segment_end(const struct sw_tier_search *, uint32_t time);

/* ---- tiers that are given (tier_search_start.c) ---- */

/* Look for tiers with which the pre-configuration is cheap. False with an error. O(blocks^2) and more. */
bool sw_tier_give_tiers(struct sw_tier_search *, struct sw_run *);

/* ---- states (tier_search_state.c) ---- */

/* A complete state, kept aside. Never changed once made; shared by count. */
struct sw_tier_state {
    size_t owners;
    uint32_t count;
    double cost;
    bool planned;        /* its later steps are what PRECONF makes of its earlier ones */
    uint64_t places;     /* the digest of the spots */
    struct sw_cow spots; /* struct sw_tier_spot, by rank; in chunks that states share */
};
void sw_tier_state_unref(struct sw_tier_state *); /* NULL is allowed */
extern const struct sw_pointed sw_tier_state_pointed;
struct sw_tier_state *sw_tier_state_new(const struct sw_cow *spots, uint64_t places, double cost, bool planned);
/* What a spot adds to the digest. */
uint64_t sw_tier_spot_digest(const struct sw_tier_plan *, uint32_t rank, const struct sw_tier_spot *);
static inline const struct sw_tier_spot *sw_tier_spot_at(const struct sw_cow *spots, uint32_t rank) {
    return sw_cow_get(spots, rank);
}
/* The same place; whichever decision put the block there. */
static inline bool sw_tier_same_spot(const struct sw_tier_spot *a, const struct sw_tier_spot *b) {
    return a->tier == b->tier && a->offset == b->offset && a->life == b->life;
}
/* Where a block lies that is not split, or where it begins. */
struct sw_tier_spot sw_tier_spot_of(const struct sw_layout *, uint32_t buffer);
/* After blocks of a layout have moved: the permits, transfers and arenas that now hold. False: no memory.
 * O(n). */
bool sw_tier_settle(struct sw_layout *, const struct sw_tier_plan *);
/* Its second half: transfers and arenas, on a layout without transfers. */
bool sw_tier_follow_places(struct sw_layout *);
/* Is the block now written over the other one? */
bool sw_tier_pair_holds(const struct sw_layout *, uint32_t fresh, uint32_t old);
enum { SW_TIER_SETTLE_WORK = 10 }; /* per block: to settle, to price and perhaps to keep a state */
/* Add the permits of a block that was just placed and of which none stands there yet. */
bool sw_tier_permit(struct sw_layout *, const struct sw_tier_plan *, uint32_t buffer);

/* ---- several places at once, and split lives (tier_search_moves.c) ---- */

/* The places of a split life. */
const struct sw_placement *sw_tier_life(const struct sw_tier_lives *, uint32_t life, uint32_t *count);
uint64_t sw_tier_life_digest(const struct sw_tier_lives *, uint32_t life);
/* Put a block where a spot says, instead of where it is. Transfers are left to sw_tier_settle. */
bool sw_tier_put(struct sw_layout *, const struct sw_tier_plan *, uint32_t buffer, const struct sw_tier_spot *);
bool sw_tier_is_split(const struct sw_layout *, uint32_t buffer);

/* Why a proposal is refused: a sentence, static, and what was wrong with it. */
struct sw_tier_refusal {
    const char *why;
    char said[160];
};
/* Are all places of the proposal legal, and free, in a room without the subject? Leaves the room as it was.
 * False: no memory. */
bool sw_tier_moves_check(struct sw_tier_search *, struct sw_tier_room *, uint32_t subject, const struct sw_moves *,
                         bool *legal, struct sw_tier_refusal *);
/* Of a legal proposal: put all blocks there; put them back, and the subject nowhere; make it the present
 * state. Each: false for lack of memory. */
bool sw_tier_moves_place(struct sw_tier_search *, struct sw_tier_room *, uint32_t subject, const struct sw_moves *);
bool sw_tier_moves_undo(struct sw_tier_search *, struct sw_tier_room *, uint32_t subject, const struct sw_moves *);
bool sw_tier_moves_adopt(struct sw_tier_search *, struct sw_run *, const struct sw_moves *);
/* Does everything lie there already? */
bool sw_tier_moves_same(struct sw_tier_search *, const struct sw_run *, const struct sw_moves *);
/* The last step at which one of its blocks may be in the way of another. */
uint32_t sw_tier_moves_until(const struct sw_tier_plan *, const struct sw_run *, const struct sw_moves *);
/* "its life is split into 3, 2 blocks move at once, ", or nothing; `text` is "" before. */
void sw_tier_moves_words(const struct sw_moves *, uint32_t subject, char *text, size_t size);

/* ---- the planner's state ---- */

enum sw_tier_phase {
    SW_TIER_PRECONF,  /* place the next block; after the last one measure E */
    SW_TIER_VISIT,    /* try the next action */
    SW_TIER_EVALUATE, /* record the state that an action made at an update step */
    SW_TIER_KEEP,     /* accept or revert that action */
    SW_TIER_BRANCH,   /* exhaustive: an action succeeded, so there are two ways on */
    SW_TIER_WITH,     /* exhaustive: the first, with it */
    SW_TIER_LEAF,     /* exhaustive: the segment is over, record its state */
    SW_TIER_UP,       /* exhaustive: back to the node above */
    SW_TIER_WITHOUT,  /* exhaustive: the second way, without the action */
    SW_TIER_RECORD,   /* beam: record the state that an action made */
    SW_TIER_SELECT,   /* beam: keep those of least cost */
    SW_TIER_TAKE,     /* take the best recorded state, or go back */
    SW_TIER_UPDATE,   /* the segment is over */
    SW_TIER_PHASES
};
/* A place that an action looked at. */
struct sw_tier_look {
    enum sw_tier_looked {
        SW_TIER_SMALL,
        SW_TIER_SAME,
        SW_TIER_LARGER,
        SW_TIER_UNTRIED,
        SW_TIER_STUCK,
        SW_TIER_TAKEN
    } is;
    struct sw_tier_spot spot;
    struct sw_tier_space space;
    uint32_t stuck, stuck_at;
};
/* Which states of a segment are looked at. */
enum sw_tier_inside { SW_TIER_GREEDY, SW_TIER_EXHAUSTIVE, SW_TIER_BEAM };
/* A node of the exhaustive search: an action that succeeded. */
struct sw_tier_node {
    struct sw_tier_state *without; /* the state before it; NULL: there is no second way any more */
    uint32_t time, visit, action;
    bool second; /* the way without it is being walked */
};
/* States kept side by side, each an owner's share. */
struct sw_tier_states {
    SW_ARRAY(struct sw_tier_state *) items;
};
enum { SW_TIER_ACTIONS = 3 };                       /* built in */
extern const char *const sw_tier_action_words[];    /* for the parameter `actions`, NULL at the end */
extern const char *const sw_tier_action_marks[][2]; /* as struct sw_planner has them */
struct sw_tier_search {
    struct sw_tier_plan *plan;
    uint32_t longest; /* steps of the segments of the last walk */
    bool events;      /* what becomes free, and what it merges with, is told */
    uint32_t told;    /* events before the next decision that were */
    bool carry;
    double least;                     /* an E at which the walk ends; of a model of whole layouts NaN: it does not */
    uint8_t actions[SW_TIER_ACTIONS]; /* the built-in ones to try, in order */
    uint32_t action_count;
    bool quiet;               /* the segments of this walk end where few bytes are alive; else every `segment` steps */
    uint32_t segment, passed; /* steps of those of this walk; how many the walks before had */
    enum sw_tier_phase phase;
    uint32_t turn;                /* PRECONF: the next of plan->turns */
    uint32_t time, visit, action; /* the walk: step, index into its blocks, action */
    double initial, current, before, reference;
    bool planned;                          /* of the present state, as in struct sw_tier_state */
    bool improved;                         /* the update under way took a recorded state */
    struct sw_tier_state *previous, *best; /* after the last update; of those recorded since */

    enum sw_tier_inside inside;
    uint32_t width;                      /* of the beam */
    SW_ARRAY(struct sw_tier_node) nodes; /* exhaustive: open ones, the root first */
    struct sw_tier_states beam, fresh;   /* beam: before the action at hand, and what it made so far */
    uint32_t member;                     /* beam: the state of it that the action is tried on */

    struct sw_cow spots; /* the walk: the present state by rank, plan->planned of them */
    uint64_t places;     /* their digest */

    /* Scratch: means nothing between two decisions and is not copied. `trial` holds the present state
     * up to rank `good`, and something else from there to rank `filled`. */
    struct sw_layout *trial;
    struct sw_tier_figures *figures; /* of the present state; NULL: not known */
    struct sw_tier_sweep *sweep;     /* NULL: none yet */
    uint32_t good, filled;
    struct sw_tier_spaces spaces;
    SW_ARRAY(struct sw_tier_look) looks;
};
/* ---- the walk (tier_search.c) ---- */

/* Is it the present state? */
bool sw_tier_is_present(const struct sw_tier_search *, const struct sw_tier_state *);
/* Keep the present state in `slot`; false: no memory. */
bool sw_tier_keep(const struct sw_tier_search *, struct sw_tier_state **slot);
/* Make a state that was kept the present one; false: no memory. */
bool sw_tier_restore(struct sw_tier_search *, struct sw_run *, const struct sw_tier_state *);
/* On to the next action, block or step; at the end of a segment to the phase that ends it. */
void sw_tier_advance(struct sw_tier_search *, const struct sw_run *);
void sw_tier_next_action(struct sw_tier_search *, const struct sw_run *);
/* What all decisions of the walk have in common; and besides, those about a block. */
void sw_tier_finish_decision(const struct sw_tier_search *, struct sw_run *, struct sw_decision *);
void sw_tier_describe_action(const struct sw_tier_search *, struct sw_run *, struct sw_decision *);

/* ---- what follows from the places of the present state (tier_search_figures.c) ---- */

extern const struct sw_pointed sw_tier_figures_pointed;
/* All of it has to be found anew. */
void sw_tier_figures_forget(struct sw_tier_search *);
/* A block of the present state has another place. False: no memory. */
bool sw_tier_set_spot(struct sw_tier_search *, uint32_t rank, const struct sw_tier_spot *);
/* Permits, transfers and arenas of the run's layout, in which the blocks lie where the present state says. False: no
 * memory. O(blocks that have another place since). */
bool sw_tier_settle_present(struct sw_tier_search *, struct sw_layout *);
/* E of it, after settling. */
bool sw_tier_price(struct sw_tier_search *, struct sw_run *, double *cost);

/* The state as tables, and what led to it (tier_search_tables.c). */
sw_because_fn sw_tier_because;
void sw_tier_state_tables(const void *state, const struct sw_run *, const struct sw_decision *last,
                          struct sw_state_tables *);

/* ---- inside a segment (tier_search_inside.c) ---- */

/* Read the parameters; false with an error: they do not go together. */
bool sw_tier_inside_open(struct sw_tier_search *, const struct sw_run *, const char *inside);
/* Make the state present that the next action is tried on. False: no memory. */
bool sw_tier_inside_stand(struct sw_tier_search *, struct sw_run *);
/* The decision of a phase of its own, or of SW_TIER_VISIT when `inside` is not greedy. */
enum sw_step sw_tier_inside_step(struct sw_tier_search *, struct sw_run *, struct sw_decision *);
/* The phase at the end of a segment. */
enum sw_tier_phase sw_tier_inside_end(const struct sw_tier_search *);
/* A segment is over. */
void sw_tier_inside_update(struct sw_tier_search *);
/* A demand: `revise` meets it in every state that is kept; one in which it cannot be met is dropped. */
typedef bool sw_tier_revise_fn(struct sw_tier_search *, struct sw_run *, const struct sw_override *,
                               struct sw_tier_state **);
bool sw_tier_inside_constrain(struct sw_tier_search *, struct sw_run *, const struct sw_override *,
                              sw_tier_revise_fn *revise);

/* One action on one block (tier_search_try.c). `worked`: the run's layout is now another state. Its cost
 * is in `current`. */
enum sw_step sw_tier_try(struct sw_tier_search *, struct sw_run *, bool *worked, struct sw_decision *);
/* Does the next action lift its block, to try it elsewhere? Then search->spaces are the free spaces that it sees in its
 * tier. Leaves the present state as it is. */
enum sw_step sw_tier_lifts(struct sw_tier_search *, struct sw_run *, bool *lifts);
/* How many actions there are, and their names (static, or a script's). */
uint32_t sw_tier_action_count(const struct sw_tier_search *, const struct sw_run *);
const char *sw_tier_action_name(const struct sw_tier_search *, const struct sw_run *, uint32_t action);
/* Read a list of words that was checked. */
void sw_tier_read_actions(struct sw_tier_search *, const char *words);
/* The block and the step of the next action. */
uint32_t sw_tier_subject(const struct sw_tier_search *);
/* With events=true, what comes before the next decision: something that becomes free, or merges (tier_search_events.c).
 * DONE: nothing more does. */
enum sw_step sw_tier_tell(struct sw_tier_search *, struct sw_run *, struct sw_decision *);
/* One block of PRECONF(0 .. n-1) (tier_search_place.c). */
enum sw_step sw_tier_preconf(struct sw_tier_search *, struct sw_run *, struct sw_decision *);

#endif
