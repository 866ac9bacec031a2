/* What the files of segment-genetic share, and what its tests look at.
 *
 * The words. A **movable** buffer may be in device memory (tier 0) and in host memory; the others
 * keep one place for life and take no part in the method. An **object** is one movable buffer,
 * or several small ones that move as one. An **access run** is a stretch of the access order in
 * which an object is accessed and no other in between. A **segment** is a range of the device in
 * which objects take turns; it has the size of its **owner**, which lies there at first. A
 * **sequence** says for each object in which segment it lives: an array of segment numbers, one per
 * object.
 *
 * Movables, objects and partitions are made once, never changed, and shared by count. */
#ifndef SW_PLANNERS_SEGMENTS_H
#define SW_PLANNERS_SEGMENTS_H

#include "planners/planner_internal.h"

/* ---- accesses and objects (segment_objects.c) ---- */

/* Small objects: between their accesses no other object is accessed. */
struct sw_small_group {
    size_t from, to;      /* entries of the access order */
    uint32_t first, last; /* steps */
    uint32_t count;       /* objects */
    uint64_t size;
};

struct sw_movables {
    size_t owners;
    uint32_t count;
    uint32_t *buffers;                      /* listed order */
    struct sw_accesses order;               /* `buffer` is an index into buffers */
    uint64_t joined;                        /* accesses that continue the run of the one before */
    SW_ARRAY(struct sw_small_group) groups; /* in access order */
    struct sw_arena room;
};

/* May it be moved at all? */
bool sw_segments_movable(const struct sw_problem *, const struct sw_rules *, uint32_t buffer);
/* `below`: what is smaller may be merged; 0 finds no groups. NULL: no memory. */
struct sw_movables *sw_movables_new(const struct sw_problem *, const struct sw_rules *, uint64_t below);
void sw_movables_drop(struct sw_movables *);

struct sw_object {
    uint64_t size;            /* bytes that move */
    uint64_t room;            /* bytes it may need with its members aligned; == size without alignment */
    uint64_t alignment;       /* of its first member */
    uint32_t member, members; /* slice of sw_objects.members */
    uint32_t first;           /* step of its first access */
    uint32_t rank;            /* of its first member among the movables: the last tie-break */
};
struct sw_access_run {
    uint64_t in, out; /* what counts when it has to be moved in before, and out after: bytes, or cost */
    uint32_t first, last, object;
    uint32_t moves; /* 1: moving in counts, 2: moving out */
};
struct sw_object_pair {
    uint32_t a, b;
};
struct sw_object_forbid {
    uint32_t object;
    uint64_t lo, hi; /* of tier 0 */
};
struct sw_objects {
    size_t owners;
    uint32_t count; /* objects: by size descending, then first access */
    struct sw_object *items;
    uint32_t *members; /* buffers */
    size_t run_count;
    struct sw_access_run *runs;                /* by first step, then object */
    size_t words;                              /* of a mask */
    uint64_t *masks;                           /* per object the bits of its runs; NULL when that would be large */
    SW_ARRAY(struct sw_object_pair) apart;     /* objects that may never share bytes */
    SW_ARRAY(struct sw_object_forbid) forbids; /* what a user forbids to a member */
    size_t *clash_begin;                       /* per object: its slice of clashes; one more at the end */
    uint32_t *clashes;                         /* objects accessed at a step of its own, or to be kept apart; ascending.
                                                * Empty when there are more than four million of them */
    bool careful;                              /* draws avoid clashes */
    bool plain;                                /* no alignment and no buffer's own forbidden range */
    struct sw_arena room;
};
/* `split`, one per group, says which groups stay apart; NULL: none. `runs`: join access runs.
 * `literal`: count every change. NULL: no memory, or figures past 2^63 (then `error` says so). */
struct sw_objects *sw_objects_new(const struct sw_problem *, const struct sw_rules *, const struct sw_movables *,
                                  const bool *split, bool runs, bool literal, struct sw_error *);
/* Count cost instead of bytes: of each move one read at its source and one write at its target, in
 * parts of SW_SEGMENT_COST. */
enum { SW_SEGMENT_COST = 1024 };
bool sw_objects_price(struct sw_objects *, const struct sw_run *);
void sw_objects_drop(struct sw_objects *);

/* ---- segments (segment_partition.c) ---- */

struct sw_segment {
    uint64_t lo, size;
    uint32_t owner; /* an object */
};
struct sw_partition {
    size_t owners;
    uint32_t count;
    struct sw_segment *segments;
    bool free_owners;  /* owners may be exchanged, too */
    uint32_t *fixed;   /* per object: the segment it owns, or SW_NONE */
    uint32_t *fitting; /* per object: only segments below this are large enough */
    uint32_t free_count;
    uint32_t *free; /* objects that may be exchanged, large to small */
    bool plain;     /* every segment below `fitting` fits */
    struct sw_arena room;
};
/* Segments for these objects, one after the other, each at the lowest address that is free; what does not fit gets
 * none, or is the end. Segments lie in the objects' order. `free_owners`: the objects they are made for may be
 * exchanged. `refused` receives the largest object that did not fit, or SW_NONE. Blocks in tier 0 of the layout,
 * reserved and forbidden ranges are left out. NULL: no memory. */
struct sw_segment_owners {
    const uint32_t *list;
    uint32_t count;
    bool until_refused;
};
struct sw_partition *sw_partition_new(const struct sw_run *, const struct sw_objects *,
                                      const struct sw_segment_owners *, bool free_owners, uint32_t *refused);
/* The first `count` segments of another one. */
struct sw_partition *sw_partition_first(const struct sw_partition *, const struct sw_objects *, uint32_t count);
void sw_partition_drop(struct sw_partition *);
/* Does the object fit into the segment? */
bool sw_partition_fits(const struct sw_partition *, const struct sw_objects *, uint32_t object, uint32_t segment);

/* ---- which objects get a segment of their size (segment_choice.c) ---- */

enum sw_segment_choice {                     /* in the order in which best tries them */
                         SW_CHOOSE_TOGETHER, /* what operators need at once, then the largest that still fit */
                         SW_CHOOSE_EVEN, /* the same, each that is needed in the size of the largest for which there is
                                            room */
                         SW_CHOOSE_SHARES,   /* what operators need at once, then each size by its share of all bytes */
                         SW_CHOOSE_FULLEST,  /* the same, of the bytes at the step that has most */
                         SW_CHOOSE_LASTING,  /* the same, of bytes by the steps that they last */
                         SW_CHOOSE_RANKS,    /* one after the other, until one does not fit any more */
                         SW_CHOOSE_DISTINCT, /* the same, of pairwise different sizes */
                         SW_CHOOSE_BEST /* of all but distinct, the one with the greedy sequences that move least */
};
/* Of all objects that are the n-th largest of an operator, the largest, for each n: segments of these sizes or larger
 * ones every sequence needs. Each is another object. Returns how many; SW_NONE: no memory. `needed` has room for all
 * objects. O(accesses). */
uint32_t sw_objects_needed(const struct sw_objects *, uint32_t *needed);
/* The partition of a choice; of the best one `choice` receives which. `looked` receives how many places were looked at
 * to find it. NULL: no memory. */
struct sw_partition *sw_partition_largest(const struct sw_run *, const struct sw_objects *, enum sw_segment_choice *,
                                          bool free_owners, uint32_t *refused, uint64_t *looked);

/* ---- counting and changing sequences (segment_count.c) ---- */

/* Scratch of a count: the object in a segment. One per segment. */
struct sw_resident {
    uint32_t object, end;
    uint64_t out;
};
/* Migration bytes and clashes (runs that begin while another object of the segment is still
 * accessed, and pairs that must lie apart) of each segment. O(runs). */
void sw_segments_count(const struct sw_objects *, uint32_t segments, const uint32_t *sequence, struct sw_resident *,
                       uint64_t *cost, uint32_t *clash);
/* The same for the segments with their bit set in `dirty`; `mask`: scratch of objects->words words.
 */
void sw_segments_recount(const struct sw_objects *, uint32_t segments, const uint32_t *sequence, const uint64_t *dirty,
                         struct sw_resident *, uint64_t *mask, uint64_t *cost, uint32_t *clash);
/* A random sequence. Careful draws leave out segments where the object would clash with one that is
 * there already, unless none remains. `taken`: scratch for all objects. False: an object fits
 * nowhere; `homeless` receives it. */
bool sw_segments_draw(const struct sw_objects *, const struct sw_partition *, uint64_t *random, uint32_t *sequence,
                      uint32_t *taken, uint32_t *homeless);
/* Two or more sequences, and what changed in each. */
enum { SW_MOST_PARENTS = 4 };
struct sw_parents {
    uint32_t count;
    uint32_t *sequences[SW_MOST_PARENTS];
    uint64_t *dirty[SW_MOST_PARENTS];
};
/* Bring some numbers of a list to its beginning, by lot. */
void sw_segments_lot(uint64_t *random, uint32_t *list, uint32_t count, uint32_t some);
/* Exchange part of the objects of segment s between sequences; marks what changed. Of more than two
 * each takes the assignments of the next. `list` is scratch for all objects and receives those that lie
 * elsewhere afterwards in any of the sequences; returns their number. */
uint32_t sw_segments_cross(const struct sw_partition *, uint64_t *random, uint32_t s, const struct sw_parents *,
                           uint32_t *list);
/* Each of the parents takes over where the next one has the objects, the last where the first has them. The objects
 * that all of them have in the same segment are left out of the list; returns how many remain. */
uint32_t sw_segments_pass_round(const struct sw_parents *, uint32_t *objects, uint32_t count);
/* Each object of the ring goes where the next one is, the last where the first was. */
void sw_segments_rotate(uint32_t *sequence, uint64_t *dirty, const uint32_t *ring, uint32_t count);
/* Exchange two or more objects of different segments, at most `most`: each goes where the next one
 * of `ring` was, the last where the first was. `ring` has room for `most`. Returns how many; 0: no two
 * can change places. */
uint32_t sw_segments_mutate(const struct sw_objects *, const struct sw_partition *, uint64_t *random,
                            uint32_t *sequence, uint64_t *dirty, uint32_t most, uint32_t *ring);

/* The first two objects that clash, and the step (SW_NONE: they must lie apart at all times). */
bool sw_segments_clash(const struct sw_objects *, uint32_t segments, const uint32_t *sequence, struct sw_resident *,
                       uint32_t *a, uint32_t *b, uint32_t *step);

/* ---- sequences made and changed object by object (segment_board.c) ---- */

/* NULL: no memory, or, with `too_large`, one of more than 64 MiB. The objects and the partition stay as they are while
 * it lives. O(objects + runs). */
struct sw_board *sw_board_new(const struct sw_objects *, const struct sw_partition *, bool *too_large);
void sw_board_free(struct sw_board *);
/* Look at this sequence, which stays borrowed and is what is changed. O(runs). */
void sw_board_load(struct sw_board *, uint32_t *sequence);
/* What an object that is in no segment would add to a segment. O(its runs and clashes), and the words between runs. */
struct sw_segment_change {
    int64_t clashes, bytes;
};
struct sw_segment_change sw_board_adding(struct sw_board *, uint32_t object, uint32_t segment);
/* A sequence of its own making, in this order, improved by moving single objects. `homeless` receives an object that
 * fits nowhere, or SW_NONE. False: no memory. */
enum sw_greedy_order {
    SW_GREEDY_ACCESS,
    SW_GREEDY_SIZE,
    SW_GREEDY_NEXT_USE,
    SW_GREEDY_TIGHT,
    SW_GREEDY_BEAM,
    SW_GREEDY_ORDERS
};
bool sw_board_greedy(struct sw_board *, enum sw_greedy_order, uint32_t *sequence, uint32_t *homeless);
/* A random object changes places with the one of up to 64 others that saves most, or costs least; that one goes on to
 * another, at most `most` in all: a ring as sw_segments_mutate makes it. Returns how many; 0: the object can change
 * places with none. */
uint32_t sw_board_mutate(struct sw_board *, uint64_t *random, uint64_t *dirty, uint32_t most, uint32_t *ring);
/* How many places were looked at: what it has worked. */
uint64_t sw_board_looked(const struct sw_board *);

/* ---- a sequence made in the order of time (segment_beam.c) ---- */

/* `looked` counts up by places that were looked at; `homeless`, SW_NONE before, receives an object that fits nowhere.
 * False: no memory. */
bool sw_segments_beam(const struct sw_objects *, const struct sw_partition *, uint32_t *sequence, uint64_t *looked,
                      uint32_t *homeless);

/* ---- populations (segment_population.c) ---- */

/* How good a sequence is: no clashes before few bytes. Any clash is infinite migration. `bytes` is what is compared:
 * bytes that are moved, or parts of a cost or of a script's figure; `moved` is bytes where the runs count bytes. */
struct sw_segment_fitness {
    uint64_t clashes, bytes, moved;
};
static inline bool sw_segment_fitter(struct sw_segment_fitness a, struct sw_segment_fitness b) {
    return a.clashes != b.clashes ? a.clashes < b.clashes : a.bytes < b.bytes;
}
struct sw_sequence_member {
    struct sw_segment_fitness fitness, before; /* before: as it was before it was processed */
    uint32_t row;                              /* where its sequence is kept */
    bool processed;
};
struct sw_sequences {
    uint32_t objects, segments, capacity, count;
    size_t words, mask_words;
    struct sw_sequence_member *members;
    uint32_t *sequences; /* rows of `objects` */
    uint64_t *cost;      /* rows of `segments`, so are clash */
    uint32_t *clash;
    uint64_t *dirty;               /* rows of `words`: segments to be counted again */
    struct sw_resident *residents; /* scratch, so is mask */
    uint64_t *mask;
    uint32_t *list; /* scratch; after a crossover or a mutation, the objects that it exchanged */
};
bool sw_sequences_init(struct sw_sequences *, const struct sw_objects *, uint32_t segments, uint32_t capacity);
extern const struct sw_described sw_sequences_described;
/* Member i, or with i = count the one being made. */
uint32_t *sw_sequences_sequence(const struct sw_sequences *, uint32_t i);
uint64_t *sw_sequences_dirty(const struct sw_sequences *, uint32_t i);
/* Count the whole member, or what is dirty of it. */
void sw_sequences_measure(struct sw_sequences *, const struct sw_objects *, uint32_t i, bool whole);
/* What is asked elsewhere, each NULL where it is not: a sequence (`given` false: it is drawn as usual); and what one
 * without clashes counts, beyond the bytes that it moves. False, with the error that the context knows: there is no
 * answer. */
struct sw_sequence_hooks {
    bool (*draw)(void *context, uint32_t *sequence, bool *given);
    bool (*price)(void *context, const uint32_t *sequence, struct sw_segment_fitness *);
    void *context;
};
/* Draw member number `count`, measure it, price it, and keep it when it differs from all others.
 * FAILED: it has no price. */
enum sw_drawn { SW_DRAWN_NEW, SW_DRAWN_KNOWN, SW_DRAWN_NOWHERE, SW_DRAWN_FAILED, SW_DRAWN_NO_MEMORY };
enum sw_drawn sw_sequences_draw(struct sw_sequences *, const struct sw_objects *, const struct sw_partition *,
                                const struct sw_sequence_hooks *hooks, uint64_t *random, uint32_t *homeless);
/* Price a member that was measured; nothing is done without a price, and of one with clashes. `hooks` may be NULL. */
bool sw_sequences_price(struct sw_sequences *, const struct sw_sequence_hooks *, uint32_t i);
/* Draw member number `count` greedily, in this order, instead: KNOWN also where no board can be had. `looked` receives
 * how many places were looked at. */
enum sw_drawn sw_sequences_seed(struct sw_sequences *, const struct sw_objects *, const struct sw_partition *,
                                const struct sw_sequence_hooks *, enum sw_greedy_order, uint64_t *looked,
                                uint32_t *homeless);
/* The fittest first, ties in the order they had; then, without `twins`, those that equal an earlier one, which is the
 * end. Returns how many come before these. */
uint32_t sw_sequences_sort(struct sw_sequences *, bool twins);
/* Keep the members with these rows, in this order. */
void sw_sequences_keep(struct sw_sequences *, const uint32_t *rows, uint32_t count);

/* The bytes that a sequence moves, whatever is counted. */
uint64_t sw_segments_moved(const struct sw_objects *, uint32_t segments, const uint32_t *sequence,
                           struct sw_resident *);

/* ---- the layout of a sequence (segment_layout.c) ---- */

/* Where a movable buffer is when it is not in the device: the first unbounded lower tier it may live
 * in, or else the first lower one; SW_NONE: memory beside the only tier. */
uint32_t sw_segments_host(const struct sw_problem *, uint32_t buffer);
/* Add what a move of the buffer between the device and the host costs at a step. */
bool sw_segments_add_cost(const struct sw_run *, uint32_t buffer, uint32_t step, double *sum);

/* Place what cannot move, each for life. On failure the layout is as it was. */
bool sw_segments_settle(struct sw_run *);
/* Show a sequence without clashes: spans and transfers in place of those shown before. */
bool sw_segments_show(struct sw_run *, const struct sw_objects *, const struct sw_partition *,
                      const uint32_t *sequence);

#endif
