/* A layout: where every buffer lies, from when to when, and what moves or overlaps by permission.
 *
 * A layout belongs to one run at a time. Its arrays are chunked and copied on write, so that
 * sw_layout_clone costs the number of chunks, not of buffers, and two clones share what they have in
 * common. Single-threaded.
 *
 * The usual case is one placement for a whole life. A buffer that changes tier in mid-life has several,
 * each for a span of steps, and a transfer at each change. */
#ifndef SW_LAYOUT_LAYOUT_H
#define SW_LAYOUT_LAYOUT_H

#include "problem/problem.h"

SW_C_BEGIN

struct sw_layout;

struct sw_placement {
    uint32_t buffer;
    uint32_t tier;
    uint64_t offset;
    struct sw_span span; /* SW_WHOLE_LIFE, or the steps for which it holds */
};
struct sw_transfer {
    uint32_t buffer;
    uint32_t step;     /* the move happens before this step */
    uint32_t from, to; /* tiers; SW_NONE: host memory, see sw_layout_has_host */
};

/* Empty, for the problem, which it keeps a reference to. */
struct sw_layout *sw_layout_new(const struct sw_problem *, struct sw_error *);
struct sw_layout *sw_layout_clone(const struct sw_layout *, struct sw_error *);
void sw_layout_free(struct sw_layout *);          /* NULL is allowed */
extern const struct sw_pointed sw_layout_pointed; /* for base/described.h */
const struct sw_problem *sw_layout_problem(const struct sw_layout *);

/* Place for the whole life, replacing what was there. O(1) and, when the chunk is shared, its copy.
 * False: no memory. */
bool sw_layout_place(struct sw_layout *, uint32_t buffer, uint32_t tier, uint64_t offset);
/* Add a placement for a span of steps. Spans of one buffer must be added in order, not meet, and not
 * mix with a whole-life placement. */
bool sw_layout_place_span(struct sw_layout *, const struct sw_placement *);
/* Take a buffer out again, with its spans (transfers and permits stay). Peaks are not lowered. */
bool sw_layout_lift(struct sw_layout *, uint32_t buffer);
bool sw_layout_transfer(struct sw_layout *, const struct sw_transfer *);
/* A problem with a single tier, which is bounded, and with known accesses has host memory without end beside
 * it. A buffer that is neither pinned nor fixed to the tier may be away from the device at steps that do not
 * access it. It has no placement there then, and a transfer to or from SW_NONE says when it leaves and comes.
 * A buffer that has not come in yet since its birth was born in host memory. Problems with several tiers
 * name their host among them. O(n) for a list of buffers. */
bool sw_layout_has_host(const struct sw_problem *);
#define SW_HOST_NAME "host memory" /* what files call it */
/* Record that an overlap is intended: for views and exports. The checker does not use it. */
bool sw_layout_permit(struct sw_layout *, const struct sw_permit *);
/* Forget all permits, for a planner that moves blocks and then says again which overlaps are legal.
 * False: no memory, and nothing has changed. */
bool sw_layout_forget_permits(struct sw_layout *);
/* Forget those after the first `count`. */
bool sw_layout_cut_permits(struct sw_layout *, size_t count);
/* The same for all transfers. */
bool sw_layout_forget_transfers(struct sw_layout *);

bool sw_layout_placed(const struct sw_layout *, uint32_t buffer);
uint32_t sw_layout_placed_count(const struct sw_layout *);
/* Placement k of a buffer, k from 0; false past the last. */
bool sw_layout_placement(const struct sw_layout *, uint32_t buffer, uint32_t k, struct sw_placement *);
/* The placement that holds at a step; false when none does. */
bool sw_layout_at(const struct sw_layout *, uint32_t buffer, uint32_t step, struct sw_placement *);
/* Placed buffers in program order, some at a time, for callers that look at all of them. They come from packed rows,
 * which are adjacent in memory: with a million blocks that decides the speed. `whole`: the buffer lies there for its
 * whole life, one piece over all its bytes. Otherwise only `buffer` is valid; ask the other functions. Writes at most
 * `room` blocks, from place `*rank` on (0 to start with), moves `*rank` past them, and returns how many; 0: the
 * end. */
struct sw_layout_block {
    uint32_t buffer, tier, first, last;
    uint64_t lo, hi;
    bool whole;
};
size_t sw_layout_blocks(const struct sw_layout *, uint32_t *rank, struct sw_layout_block *, size_t room);
/* The same for some of them: those that live at a step of [first, last], and that lie elsewhere, or nowhere, in
 * `other`, a layout of the same problem or NULL. The comparison of two layouts costs only the chunks that they do not
 * share. A buffer in several places counts as equal when it lies in several places in both. */
size_t sw_layout_blocks_of(const struct sw_layout *, const struct sw_layout *other, uint32_t first, uint32_t last,
                           uint32_t *rank, struct sw_layout_block *, size_t room);
/* One of them; false: the buffer is not placed. */
bool sw_layout_block(const struct sw_layout *, uint32_t buffer, struct sw_layout_block *);
size_t sw_layout_transfer_count(const struct sw_layout *);
struct sw_transfer sw_layout_transfer_get(const struct sw_layout *, size_t);
size_t sw_layout_permit_count(const struct sw_layout *);
struct sw_permit sw_layout_permit_get(const struct sw_layout *, size_t);

/* The arena of a tier: the bytes a user must reserve. Never below the highest end placed there since
 * the last set; a planner that reserves more (or less, having moved blocks down) sets it. */
uint64_t sw_layout_arena(const struct sw_layout *, uint32_t tier);
void sw_layout_set_arena(struct sw_layout *, uint32_t tier, uint64_t bytes);
/* The arenas hold more than the planned buffers, of which nothing is known (a log that leaves requests out): the bound
 * does not speak of that, figures are not compared with it, and what no buffer holds is not called free. */
void sw_layout_set_shared(struct sw_layout *);
bool sw_layout_shared(const struct sw_layout *);
/* The peak of a tier: the bytes that a user must reserve for this plan. That is its arena, unless the tier is filled
 * from its far end, as rule R5 of tier-search does where a tier is empty above and a block touches the capacity. Such a
 * plan leaves a stretch of addresses that no block ever uses, and what lies above the stretch can move down by it as
 * one: the peak is then the arena without the longest such stretch. Blocks keep their alignment, so that a stretch
 * counts as the largest multiple of the alignments above it; above no counted stretch is a pinned block or a reserved
 * range. It is never less than what is in use at once. Only problems with several tiers, or with one that has a
 * bandwidth, have a far end: elsewhere addresses are counted from 0. O(1). For a tier that is used up to its capacity
 * the stretch is looked for in O(n log n) the first time, after a block was moved or taken out, and when the blocks
 * placed since have made another stretch the longest; without memory for that it is the arena. */
uint64_t sw_layout_tier_peak(const struct sw_layout *, uint32_t tier);
/* Look for these stretches now, so that no peak lacks memory until the layout changes. False: no memory. */
bool sw_layout_find_peaks(const struct sw_layout *);
/* The peak of the only tier in use. Where several are in use each has a peak of its own, and this is that of the
 * highest of them: never a figure for all. */
uint64_t sw_layout_peak(const struct sw_layout *);
uint32_t sw_layout_peak_tier(const struct sw_layout *); /* the tier that it is of; the last one where none is in use */
/* Of the buffers with a placement that makes the peak of the tier what it is the first by birth, then by number; or
 * SW_NONE. It ends where the arena does; in a tier that is filled from its far end, where the free stretch begins, or,
 * if that is at 0, it lies where the stretch ends. O(buffers). */
uint32_t sw_layout_highest(const struct sw_layout *, uint32_t tier);
/* Does this placement of the buffer make the peak of its tier what it is, in the same sense? */
bool sw_layout_makes_peak(const struct sw_layout *, uint32_t buffer, const struct sw_placement *);

/* Of placements, transfers, permits and arenas; independent of the order in which they were made. O(tiers). */
uint64_t sw_layout_digest(const struct sw_layout *);
/* Bytes that only this clone holds since it was cloned (for a budget of history). */
size_t sw_layout_own_bytes(const struct sw_layout *);

/* ---- validity ---- */

enum sw_fault_kind {
    SW_FAULT_MISSING,   /* a planned buffer has no placement (or none for some step of its life) */
    SW_FAULT_TIER,      /* in a tier it may not live in */
    SW_FAULT_ALIGNMENT, /* offset not a multiple of its alignment */
    SW_FAULT_CAPACITY,  /* ends above the capacity */
    SW_FAULT_RESERVED,  /* touches a reserved range */
    SW_FAULT_OVERLAP,   /* shares bytes with a conflicting buffer, and the graph does not permit it */
    SW_FAULT_PIN,       /* not where it is pinned */
    SW_FAULT_TRANSFER,  /* a span changes tier without a transfer, or the reverse */
    SW_FAULT_AWAY       /* in host memory at a step that accesses it */
};
struct sw_fault {
    enum sw_fault_kind kind;
    uint32_t buffer, other; /* other: SW_NONE unless SW_FAULT_OVERLAP */
    uint32_t tier;
    uint32_t step;   /* the first step at which it shows */
    uint64_t lo, hi; /* the bytes concerned */
};
/* Calls `report` for each fault (NULL: none), one per pair for overlaps, ordered by buffer. `faults` receives
 * their number. False for lack of memory: then nothing is known, and nothing was reported. O((n + faults)
 * log n). It shares nothing with the planners, and asks the graph alone what may overlap: pairs of `inplace`
 * operators, whatever --inplace says, and what is the same bytes by its meaning (a reshape). What the layout
 * lists as permitted makes no overlap right. */
bool sw_layout_check(const struct sw_layout *, size_t *faults, void (*report)(void *, const struct sw_fault *),
                     void *context) __attribute__((warn_unused_result));
/* The same under the assumption that every operator can write over what it reads (rule R6, which real
 * kernels seldom keep): an overlap that is legal only under it is no fault, but is passed to `tell`, which may be
 * NULL, in order of (fresh, old), after the faults. */
bool sw_layout_check_assuming(const struct sw_layout *, size_t *faults, void (*tell)(void *, const struct sw_permit *),
                              void (*report)(void *, const struct sw_fault *), void *context)
    __attribute__((warn_unused_result));
/* One sentence: "t3 and t7 share bytes 4096..6144 of sram at time 5". Returns snprintf's length. */
int sw_fault_describe(const struct sw_problem *, const struct sw_fault *, char *text, size_t size);

/* ---- metrics: the one source of every figure shown ---- */

struct sw_metrics {
    uint32_t placed, planned;
    bool complete;    /* every planned buffer is placed */
    bool fits;        /* no tier's arena above its capacity */
    bool single_tier; /* only one tier is in use, or there is only one */
    uint64_t peak;    /* of that tier; with several, of the highest in use (sw_layout_peak): tier_peak speaks */
    uint64_t lower_bound, naive;
    /* The bound is of layouts that keep every live byte in memory. One that moves buffers out (or is not
     * finished yet) can lie below it: then `comparable` is false, and the two ratios are 0. */
    bool comparable;
    double fragmentation;             /* 1 - lower_bound / peak; 0 when peak is 0 */
    double over_bound;                /* peak / lower_bound - 1; 0 when the bound is 0 */
    double reuse;                     /* naive / peak; 0 when peak is 0, or several tiers are in use */
    uint64_t tier_peak[SW_MAX_TIERS]; /* sw_layout_tier_peak */
    uint64_t tier_top[SW_MAX_TIERS]; /* sw_layout_arena: more than the peak where the tier is filled from its far end */
};
void sw_metrics_of(const struct sw_layout *, struct sw_metrics *); /* O(tiers), but for sw_layout_tier_peak */

/* Bytes lost to alignment: for every block, what lies between the end of the block below it (or the
 * bottom) and its offset, where that is less than its alignment. O(n + conflicts); false: no memory. */
bool sw_layout_padding(const struct sw_layout *, uint64_t *bytes);

/* The buffers that stand at the peak of a tier, as sw_layout_highest has it. Returns the first in listed order, or
 * SW_NONE. */
uint32_t sw_layout_at_peak(const struct sw_layout *, uint32_t tier);

SW_C_END

#endif
