/* The inside of branch-and-bound: what its files share. branch_and_bound.c has the method and what
 * goes on around a search, _state.c the state of a run, _model.c the problem as the search sees it;
 * _stack.c searches plain parts by offset, _pivot.c and _candidates.c about a pivot, _order.c all
 * others.
 *
 * An *item* is a buffer that is neither pinned nor empty; everything about items is in flat arrays,
 * numbered so that the items of one part follow each other. A *part* is a set of items that no conflict
 * joins to the rest of its tier, so it can be solved alone. A *section* is a step at which the items
 * alive are a largest set; steps between sections have nothing to add. */
#ifndef SW_PLANNERS_BRANCH_AND_BOUND_H
#define SW_PLANNERS_BRANCH_AND_BOUND_H

#include "base/lists/cow.h"
#include "planners/planner_internal.h"
#include "planners/portfolio/fallback.h"

#define BB_NOWHERE UINT64_MAX     /* an offset or a height that is not known */
#define BB_TOP (SW_MAX_BYTES * 2) /* no layout needs more */

/* What a branch can be refused for. Named in `pruned` and in reasons. */
enum bb_rule {
    BB_FLOOR,
    BB_DOMINANCE,
    BB_CAPACITY,
    BB_SYMMETRY,
    BB_DECOMPOSITION,
    BB_BOUND,
    BB_ORDER,
    BB_CYCLE,
    BB_NOGOOD,
    BB_RULES
};

struct bb_item {
    uint32_t buffer, part;
    uint32_t twin; /* the item before this one with which it can be exchanged; SW_NONE */
    uint32_t step; /* of its birth */
    uint64_t size, alignment;
    uint64_t ground; /* its lowest place in an empty tier */
    uint64_t crowd;  /* the largest sum of sizes at one of its sections */
    uint32_t life;   /* its sections */
};
/* Offsets x with lo <= x < hi are closed to an item, whatever the others do. */
struct bb_closed {
    uint64_t lo, hi;
};
struct bb_range {
    uint32_t from, to; /* [from, to) */
};
/* Values of offset(a) - offset(b) that keep two items apart, both ends included. */
struct bb_apart {
    int64_t lo, hi;
};
struct bb_pair {
    uint32_t a, b;         /* items, a < b */
    uint32_t first, count; /* in `apart` */
};
struct bb_part {
    uint32_t first, count;      /* items */
    uint32_t section, sections; /* in `steps` */
    uint32_t pair, pairs;       /* in `pairs`; none in a plain part */
    uint32_t words;             /* of a row of `rows`; 0: it has none */
    size_t row;                 /* of its first item */
    uint32_t tier;
    uint64_t bound; /* no layout of this part is lower */
    bool plain;     /* all its conflicts are whole: canonical layouts are enough */
    bool pieces;    /* some of its items are not alive with all their bytes at once */
    bool large;     /* too large to search */
};
/* The problem as the search sees it. Made once, and again when the demands change; shared by all clones
 * of a state; never changed. */
struct bb_model {
    size_t owners;
    uint32_t item_count, part_count, section_count, settled_count, most_items, most_sections;
    uint32_t *settled; /* buffers that are pinned or empty */
    struct bb_item *items;
    struct bb_part *parts;
    uint32_t *adjacent_start, *adjacent; /* the conflicts of an item: items, ascending */
    uint64_t *rows;                      /* the same in bits, counted from the first of the part */
    uint32_t *closed_start, *ranges_start;
    SW_ARRAY(struct bb_closed) closed;
    SW_ARRAY(struct bb_range) ranges; /* sections of an item, counted from its part's first */
    SW_ARRAY(uint32_t) steps;         /* of the sections */
    uint32_t *members_start;          /* items alive at a section, of plain parts, counted */
    uint32_t *members;                /* from the first of their part */
    SW_ARRAY(struct bb_pair) pairs;
    SW_ARRAY(struct bb_apart) apart;
    uint32_t *births_start;    /* plain parts: items born while an item is alive, */
    SW_ARRAY(uint32_t) births; /* counted from the first of their part */
    size_t adjacent_count;
    uint64_t bound[SW_MAX_TIERS]; /* no layout needs less of the tier */
    uint64_t pinned_top[SW_MAX_TIERS];
    struct sw_arena room; /* of the arrays without a count */
};
struct bb_model *bb_model_new(const struct sw_run *);
void bb_model_drop(struct bb_model *); /* NULL is allowed */
/* How many words of 64 bits hold a bit for each of so many items. */
static inline uint32_t bb_words(uint32_t items) {
    return items / 64 + (items % 64 > 0);
}
/* The lowest place of an item at or above x, or BB_NOWHERE when that is above BB_TOP. */
uint64_t bb_place_from(const struct bb_model *, uint32_t item, uint64_t x);

/* One placement on the way from the root to a node (plain parts), or one ordered pair (others). */
struct bb_frame {
    uint32_t item;     /* placed here; or the pair put in order */
    uint32_t option;   /* which way the pair was put in order */
    uint32_t wanted;   /* what the user wants first: an item, or an option; SW_NONE */
    bool begun;        /* the regular order of candidates has begun */
    uint32_t key_item; /* the last candidate of the regular order: the next one follows it */
    uint64_t key;
    uint64_t offset;
    uint64_t arena;     /* of the tier before it */
    size_t trail, arcs; /* how long these lists were before it */
    /* Rounds about a pivot: the candidates stand in `options`, and this one is `option` of them. */
    uint32_t options, option_count;
    uint32_t sleepers; /* when the node was opened */
    uint64_t hash;     /* of the node, before the placement */
};
struct bb_undo {
    uint32_t index; /* an item of the part, or items + a section */
    uint64_t old;
};
/* offset(to) >= offset(from) + least */
struct bb_arc {
    uint32_t from, to, next;
    int64_t least;
};

/* `ready` of a section without anything to come: never the pivot. */
#define BB_NOT_READY UINT32_MAX

/* What rounds about a pivot keep beside `low`, `placed` and `rest`; see branch_and_bound_pivot.c. */
struct bb_key {
    int64_t key;
    uint32_t item;
};
struct bb_pivot {
    uint32_t round; /* from 1; 0: the first, canonical round, which is not about a pivot */
    uint64_t random;
    uint64_t limit;             /* the highest end that this round looks for */
    uint64_t nodes, node_limit; /* of this round */
    bool over;                  /* something was found: the next round begins */
    enum bb_rule cut;           /* why the present node is cut off, or BB_RULES */
    uint32_t cut_at;            /* which section, or for BB_CAPACITY which item */
    uint32_t section;           /* the pivot of the node opened last */
    uint64_t hash;              /* of the items still to come, and how low each could lie */
    uint64_t memory;            /* digest of what was remembered */
    uint32_t sleepers;
    uint32_t *ready; /* per section: how many of those to come could lie lowest there */
    uint32_t *blame; /* per section: how often it cut a node off, fading; in sixteenths */
    uint32_t *rank;  /* per item: its place in the order of this round */
    bool *asleep;    /* per item */
    SW_ARRAY(uint32_t) options;
    struct sw_cow nogoods;
    /* Scratch. */
    struct bb_key *keys;
    uint32_t *set, set_count; /* candidates, and the highest place each could have, descending */
    uint64_t *tops;
    uint32_t waiting; /* of `keys` */
    bool *chosen;
    uint64_t *open;       /* in bits: items still to come */
    uint64_t *lower;      /* in bits: items that may lie below a candidate, not looked at yet */
    uint32_t lower_count; /* of those bits */
};

enum bb_phase { BB_BUILD, BB_SETTLE, BB_BASELINE, BB_CHOOSE, BB_SEARCH, BB_PROVE, BB_OVER };
enum bb_mode { BB_ENTER, BB_PUT, BB_CUT, BB_BACK };

struct bb {
    struct sw_fallback *instead; /* too many blocks: this does everything; NULL */
    uint32_t largest;            /* more blocks than this in one part are too many */
    struct bb_model *model;      /* NULL while there is none */
    enum bb_phase phase;
    enum bb_mode mode;
    uint32_t at;   /* SETTLE: which buffer; BASELINE: which planner */
    uint32_t part; /* the one that is searched, or SW_NONE */
    uint32_t depth;
    uint32_t group, groups;
    bool fit;           /* where there is a capacity, the first layout within it is enough */
    bool contradiction; /* pins that cannot be kept together */
    bool stopped;       /* the limit of nodes was reached */
    enum bb_rule cut;   /* why the node below is cut off, in BB_CUT */
    uint64_t nodes, node_limit, searched;
    uint64_t pruned[BB_RULES];
    uint64_t target[SW_MAX_TIERS]; /* proved: no layout needs less of the tier */
    uint64_t *best;                /* per item: where it lies in the best layout known */
    uint64_t *made;                /* per item: the decision that placed it there */
    uint64_t *height;              /* per part, of that layout */
    bool *done;                    /* per part: nothing is left to do */
    /* The part that is searched; items are counted from the first of the part. */
    uint64_t *low; /* plain: where it could go now; others: where it lies */
    bool *placed;
    uint64_t *live;         /* plain, without pieces: the bytes placed that are alive at its birth ... */
    uint64_t *live_outside; /* ... and those of them that are not of this part */
    uint64_t *live_all;     /* the same per section, with all of this part placed */
    uint64_t *floor, *rest; /* per section: the highest end placed; the bytes still to come */
    uint32_t *head, *queue; /* others: the arcs from an item; what is to be looked at */
    bool *queued;
    SW_ARRAY(struct bb_frame) frames;
    SW_ARRAY(struct bb_undo) trail;
    SW_ARRAY(struct bb_arc) arcs;
    uint64_t part_nodes;  /* `nodes` when the part was begun */
    uint64_t first_round; /* nodes of the canonical round */
    struct bb_pivot pivot;
};

/* ---- branch_and_bound_state.c: see planner.h ---- */

bool bb_open(void *state, struct sw_run *);
extern const struct sw_described bb_described;
/* As at the start of a run; what is known is forgotten. */
void bb_begin(struct bb *, const struct sw_run *);

/* branch_and_bound_tables.c */
void bb_state(const void *state, const struct sw_run *, const struct sw_decision *last, struct sw_state_tables *);
sw_because_fn bb_because;

/* ---- branch_and_bound.c ---- */

extern const char *const bb_rule_names[BB_RULES];
/* The part that is searched. */
static inline const struct bb_part *bb_part(const struct bb *s) {
    return &s->model->parts[s->part];
}
/* Item i of that part. */
static inline const struct bb_item *bb_item_at(const struct bb *s, uint32_t i) {
    return &s->model->items[bb_part(s)->first + i];
}
/* The item that will lie lowest at a section, of those still to come, has to start there or below, or
 * the others would end above the limit of the round. */
static inline uint64_t bb_highest(const struct bb *s, uint32_t section) {
    return s->rest[section] > s->pivot.limit ? 0 : s->pivot.limit - s->rest[section];
}
/* What was there before a block was placed, for the way up. False: no memory. */
static inline bool bb_push_undo(struct bb *s, uint32_t index, uint64_t old) {
    return SW_PUSH(&s->trail, (struct bb_undo){index, old});
}
/* The highest end that would be better than what is known. */
uint64_t bb_limit(const struct bb *, const struct sw_run *);
/* An item of the part that is searched was placed, or taken off: what is alive at births. */
void bb_count_live(struct bb *, uint32_t item, bool placed);
void bb_begin_live(struct bb *); /* nothing of the part is placed */
/* The bytes placed that are alive at a section of the part that is searched. */
uint64_t bb_live_at(const struct bb *, struct sw_run *, uint32_t section);
/* A decision about an item (SW_NONE: about none) of the part that is searched. */
void bb_tell(const struct bb *, struct sw_run *, enum sw_decision_kind, uint32_t item, uint64_t offset,
             const char *reason, struct sw_decision *);
/* A fresh layout: what is settled, the best of every other part, and of this part what `shown` says
 * (NULL: the best as well), at `offsets`. False: no memory. */
bool bb_show(const struct bb *, struct sw_run *, uint32_t part, const bool *shown, const uint64_t *offsets);
/* The part is placed at `offsets`, and better than before: keep it. */
enum sw_step bb_incumbent(struct bb *, struct sw_run *, const uint64_t *offsets, struct sw_decision *);
/* Is a layout of the part that is searched within its tier's capacity enough? */
bool bb_fit_is_enough(const struct bb *, const struct sw_run *);
/* "ends at 52, 4 B above the capacity 48"; or what the best layout so far has to do with it. */
const char *bb_above(const struct bb *, const struct sw_run *, uint64_t end, char text[96]);
/* The decision that cuts the node off. Its candidates are explained already. */
enum sw_step bb_prune(struct bb *, struct sw_run *, enum bb_rule, uint32_t item, uint64_t offset, uint32_t candidates,
                      struct sw_decision *);
/* Explain a candidate: why it is refused; that it goes first, or has its turn later; that it can lie no lower than
 * `low`, which is too high. False: no memory. */
bool bb_explain_refused(const struct bb *, struct sw_run *, uint32_t item, const char *why);
bool bb_explain_option(const struct bb *, struct sw_run *, uint32_t item, bool chosen);
bool bb_explain_too_high(const struct bb *, struct sw_run *, uint32_t item, uint64_t low);
/* So much more is still to come at the sections of an item of the model; modulo 2^64, so it may be less. */
void bb_add_rest(struct bb *, uint32_t item, uint64_t size);
/* The decision that places an item of a plain part: the top frame's. `stack_on` does what follows from it in the
 * search; false: no memory. */
enum sw_step bb_put(struct bb *, struct sw_run *, uint32_t item,
                    bool (*stack_on)(struct bb *, struct sw_run *, uint32_t item), struct sw_decision *);
/* ---- the three searches: one decision each; DONE: the part is exhausted ---- */

bool bb_stack_begin(struct bb *, struct sw_run *);
enum sw_step bb_stack_step(struct bb *, struct sw_run *, struct sw_decision *);
/* Take the frame's item out of the layout, too, and out of what is alive. */
bool bb_lift(struct bb *, struct sw_run *, const struct bb_frame *);
/* branch_and_bound_candidates.c: which section has the least choice; then which items may be next
 * there: `set` and `tops`. */
uint32_t bb_find_pivot(const struct bb *);
void bb_find_candidates(struct bb *, struct sw_run *);
bool bb_pivot_begin(struct bb *, struct sw_run *);
enum sw_step bb_pivot_step(struct bb *, struct sw_run *, struct sw_decision *);
bool bb_order_begin(struct bb *, struct sw_run *);
enum sw_step bb_order_step(struct bb *, struct sw_run *, struct sw_decision *);

#endif
