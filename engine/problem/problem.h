/* The planning problem: operators, buffers, tiers, and what follows from them.
 *
 * A problem is immutable once built (problem/builder.h builds one) and is shared, by reference count,
 * by every run, branch and view. All pointers reached from it are borrowed and live as long as it.
 *
 * Time. Planning happens in **steps** 0 .. steps-1. With operators, step i is operator i. A list of
 * buffers without operators has its distinct event times as steps: step i covers the raw times
 * [sw_problem_time(i), sw_problem_time(i+1)). Lifetimes are closed intervals of steps; files speak raw
 * time.
 *
 * Bytes. Sizes and offsets are bytes. The builder refuses problems with sizes that add up past 2^61
 * or with pins above 2^61, so no sum of an offset and a size overflows an int64_t.
 *
 * Words (buffer, piece, conflict, permit, tier ...) are those of the field; the README of this folder
 * defines them. */
#ifndef SW_PROBLEM_PROBLEM_H
#define SW_PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

SW_C_BEGIN

#define SW_NONE UINT32_MAX      /* no buffer, operator, member, unit ... */
#define SW_UNBOUNDED UINT64_MAX /* the capacity of a tier without end; the top of an open gap */
#define SW_MAX_TIERS 64
#define SW_MAX_RESERVED 1024      /* ranges in all tiers */
#define SW_MAX_PERMITS (1 << 20)  /* pairs of buffers of which one may be written over the other */
#define SW_MAX_MEETINGS (1 << 18) /* pairs of pieces of two buffers that share a step; whole buffers do not count */
#define SW_MAX_BYTES (UINT64_C(1) << 61)
#define SW_MAX_ALIGNMENT (UINT64_C(1) << 30)

struct sw_problem;
struct sw_recording; /* planners/recorded/recording.h */

/* What a buffer is for. Names in files: "input" ... in this order. */
enum sw_kind {
    SW_KIND_INPUT,        /* written by the host before step 0 */
    SW_KIND_OUTPUT,       /* read by the host after the last step */
    SW_KIND_CONSTANT,     /* weights: planned only when a tier is given for them */
    SW_KIND_INTERMEDIATE, /* an activation */
    SW_KIND_SCRATCH       /* a workspace of one operator */
};
const char *sw_kind_name(enum sw_kind);
struct sw_buffer;
const char *sw_buffer_kind(const struct sw_buffer *); /* the name of its kind, or "before the recording" */
bool sw_kind_parse(const char *name, enum sw_kind *kind);
#define SW_KIND_WORDS "input, output, constant, intermediate or scratch"

/* Element types. Their sizes are in bits, because of int4. */
enum sw_dtype {
    SW_DTYPE_NONE,
    SW_DTYPE_BOOL,
    SW_DTYPE_INT4,
    SW_DTYPE_UINT4,
    SW_DTYPE_INT8,
    SW_DTYPE_UINT8,
    SW_DTYPE_INT16,
    SW_DTYPE_UINT16,
    SW_DTYPE_INT32,
    SW_DTYPE_UINT32,
    SW_DTYPE_INT64,
    SW_DTYPE_UINT64,
    SW_DTYPE_FLOAT8,
    SW_DTYPE_FLOAT16,
    SW_DTYPE_BFLOAT16,
    SW_DTYPE_FLOAT32,
    SW_DTYPE_FLOAT64,
    SW_DTYPE_COMPLEX64,
    SW_DTYPE_COMPLEX128
};
const char *sw_dtype_name(enum sw_dtype); /* "" for NONE */
bool sw_dtype_parse(const char *name, enum sw_dtype *dtype);
#define SW_DTYPE_WORDS                                                                      \
    "bool, int4, uint4, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float8, " \
    "float16, bfloat16, float32, float64, complex64 or complex128"
unsigned sw_dtype_bits(enum sw_dtype); /* 0 for NONE */

/* Bytes [lo, hi) of a buffer. Their contents are needed during the steps [first, last]. */
struct sw_piece {
    uint32_t first, last;
    uint64_t lo, hi;
};

/* A named part of a compound buffer: bytes [lo, hi) of it. Views and parts of concatenations. */
struct sw_member {
    const char *name;
    uint32_t buffer;
    uint64_t lo, hi;
};

/* One level of the memory hierarchy; tier 0 is the highest (nearest the core). */
struct sw_tier {
    const char *name;
    uint64_t capacity; /* bytes; SW_UNBOUNDED */
    double bandwidth;  /* bytes per cycle; 0 = not given */
    double latency;    /* cycles per access */
    double conflict;   /* access conflict factor, 0 = none */
};

/* A compute unit, and a function that runs on one. */
struct sw_unit {
    const char *name;
    bool dedicated; /* demands its own dtype and alignment */
    enum sw_dtype dtype;
    uint64_t alignment;        /* bytes; 1 = none */
    uint64_t channel_multiple; /* the channel dimension is padded to this; 1 = none */
    int32_t channel_axis;      /* which dimension that is, from the front; -1 = the last */
    uint64_t tiers;            /* bit t: it reaches tier t */
};
struct sw_function {
    const char *name;
    uint32_t unit; /* SW_NONE: none given */
};

/* An operator's argument: a buffer, or a member of a compound buffer. */
struct sw_ref {
    uint32_t buffer;
    uint32_t member; /* SW_NONE: the whole buffer */
};

/* From which rows of its arguments an operator computes the rows of its results, and from which columns: [0] is for
 * rows, [1] for columns. Row r of a result is computed from the rows r * stride - before + k * dilation, k from 0 to
 * kernel - 1, of every argument that has the result's number of dimensions; those that are not in the argument are
 * padding. With kernel 1 and stride 1 that is row r itself: an activation, a sum, channels put side by side, or, with
 * padding, an operator that pads. Rows are the dimension `axis` of shapes, columns the one behind it. What has no
 * window cannot be computed in strips. */
struct sw_op_window {
    uint32_t axis;                              /* 1: batch, rows, columns, channels */
    uint32_t kernel[2], stride[2], dilation[2]; /* 1 to SW_MAX_WINDOW each */
    uint32_t before[2], after[2]; /* padding: above and on the left, below and on the right; up to SW_MAX_WINDOW */
    bool told; /* as ONNX has it: it is told how many rows and columns it pads at each side, and slices and joins are
                  copies; else SAME says it, from lengths */
};
#define SW_MAX_WINDOW (1 << 20)

enum sw_inplace { SW_INPLACE_NO, SW_INPLACE_ANY, SW_INPLACE_PAIRS };

struct sw_operator {
    const char *name;
    const char *kind;  /* free text; "" when not given */
    uint32_t function; /* SW_NONE */
    uint32_t core;     /* index into the names of cores */
    enum sw_dtype dtype;
    enum sw_inplace inplace;
    uint32_t input_count, output_count, scratch_count, after_count, pair_count;
    const struct sw_ref *inputs, *outputs, *scratch;
    const uint32_t *after;             /* operators it waits for, all earlier in the list */
    const struct sw_ref (*pairs)[2];   /* SW_INPLACE_PAIRS: {input, output} */
    const struct sw_op_window *window; /* NULL: not given */
    uint64_t macs;                     /* multiply-adds of a run; 0: none, or not given */
    bool joined; /* it runs right behind the one listed before it, whatever the order: both are parts of one,
                    control flow say. Never on several cores */
};

struct sw_buffer {
    const char *name;
    enum sw_kind kind;
    enum sw_dtype dtype;
    uint64_t size;
    uint64_t alignment; /* >= 1, not necessarily a power of two; of the offset only */
    uint32_t shape_count;
    const uint64_t *shape;         /* dimensions, outermost first; empty when the file gave a size */
    uint32_t first, last;          /* hull of the pieces, in steps */
    uint32_t piece_count;          /* 0 for a buffer that is not planned */
    const struct sw_piece *pieces; /* by first, then lo; no two share a step and a byte */
    uint32_t access_count;
    const uint32_t *accesses; /* steps, ascending; one entry per read or write */
    uint64_t tiers;           /* bit t: may live in tier t; never 0 for a planned buffer */
    uint32_t tier;            /* the tier it is fixed to, or SW_NONE */
    bool planned;             /* false: a constant without a tier, which no plan or figure includes */
    bool lifetime_given;      /* the file overrode what the operators imply */
    bool accesses_given;      /* the file listed the accesses itself */
    uint64_t asked;  /* what the program asked for of its size, which its allocator rounded up; else the size */
    bool before;     /* it was there before the recording of its allocations began */
    bool output;     /* the host reads it after the last step, whatever its kind: it is never written over */
    bool has_offset; /* the file gives an offset: a pin, or part of a finished plan */
    bool pinned;     /* that offset is a pin: every planner must keep it */
    bool has_hint;
    uint64_t offset, hint;
    const char *origin; /* where it was allocated: lines, the most specific first; NULL: unknown */
};

/* A legal overlap that the graph offers: `fresh` may be written over `old`, from the same offset, at
 * `step`, where an `inplace` operator uses old last and fresh is born. Planners make use of it when the
 * builder was told `--inplace safe`. Sorted by (fresh, old). */
struct sw_permit {
    uint32_t fresh, old;
    uint32_t step;
};

/* A range of a tier that no buffer may use. */
struct sw_reserved {
    uint32_t tier;
    uint64_t lo, hi;
};

/* ---- reading ---- */

struct sw_problem *sw_problem_ref(const struct sw_problem *); /* one more owner; never fails */
void sw_problem_unref(const struct sw_problem *);             /* NULL is allowed */
extern const struct sw_pointed sw_problem_pointed;            /* for base/described.h: a copy is one more owner */

/* What a derived problem was made from (problem/builder.h); any other problem itself. Borrowed. */
const struct sw_problem *sw_problem_origin(const struct sw_problem *);

const char *sw_problem_name(const struct sw_problem *);
uint64_t sw_problem_digest(const struct sw_problem *);    /* of everything that can change a plan */
uint64_t sw_problem_alignment(const struct sw_problem *); /* the graph's default */
/* Bytes of the memory of tier 0 that no plan places, beside those that it does: a runtime's own structures; 0: none are
 * known. And the least that the memory can have in all, because the runtime needs so much while it plans. */
uint64_t sw_problem_outside(const struct sw_problem *);
uint64_t sw_problem_least_arena(const struct sw_problem *);
bool sw_problem_more_outside(const struct sw_problem *); /* some of it is not known: it is at least so much */
/* The whole memory of tier 0 for a plan of that peak, a multiple of the graph's alignment. */
uint64_t sw_problem_arena(const struct sw_problem *, uint64_t peak);

uint32_t sw_problem_steps(const struct sw_problem *);
int64_t sw_problem_time(const struct sw_problem *, uint32_t step); /* step may be steps: the end */
bool sw_problem_time_is_step(const struct sw_problem *);           /* raw time = step number */

uint32_t sw_problem_buffer_count(const struct sw_problem *);   /* all, in listed order */
uint32_t sw_problem_planned_count(const struct sw_problem *);  /* those that are planned */
uint32_t sw_problem_operator_count(const struct sw_problem *); /* 0 for a list of buffers */
uint32_t sw_problem_tier_count(const struct sw_problem *);     /* at least 1 */
uint32_t sw_problem_unit_count(const struct sw_problem *);
uint32_t sw_problem_function_count(const struct sw_problem *);
uint32_t sw_problem_member_count(const struct sw_problem *);
uint32_t sw_problem_core_count(const struct sw_problem *); /* at least 1 */
const struct sw_buffer *sw_problem_buffer(const struct sw_problem *, uint32_t);
const struct sw_operator *sw_problem_operator(const struct sw_problem *, uint32_t);
const struct sw_tier *sw_problem_tier(const struct sw_problem *, uint32_t);
const struct sw_unit *sw_problem_unit(const struct sw_problem *, uint32_t);
const struct sw_function *sw_problem_function(const struct sw_problem *, uint32_t);
const struct sw_member *sw_problem_member(const struct sw_problem *, uint32_t);
const char *sw_problem_core(const struct sw_problem *, uint32_t); /* "" for the only one */

/* By name, buffers and members: SW_NONE when there is none. O(1). */
uint32_t sw_problem_find_buffer(const struct sw_problem *, const char *name);
uint32_t sw_problem_find_member(const struct sw_problem *, const char *name);
uint32_t sw_problem_find_operator(const struct sw_problem *, const char *name);
uint32_t sw_problem_find_tier(const struct sw_problem *, const char *name);

/* Lists; `count` receives the length. */
const struct sw_permit *sw_problem_permits(const struct sw_problem *, size_t *count);
/* What the graph itself permits, whatever --inplace says: pairs of operators marked `inplace`. Same order. */
const struct sw_permit *sw_problem_offers(const struct sw_problem *, size_t *count);
const struct sw_reserved *sw_problem_reserved(const struct sw_problem *, size_t *count);
const uint32_t (*sw_problem_separate(const struct sw_problem *, size_t *count))[2];
const char *const *sw_problem_notes(const struct sw_problem *, size_t *count); /* what a reader left out */
bool sw_problem_has_plan(const struct sw_problem *);                           /* every planned buffer has an offset */
bool sw_problem_offsets_are_plan(const struct sw_problem *);                   /* offsets are a plan, not pins */
bool sw_problem_inplace_safe(const struct sw_problem *);                       /* built with --inplace safe */
/* Is the operator at `step` marked to write `fresh` over `old`, in an order in which old dies there and fresh is born?
 */
bool sw_problem_could_overwrite(const struct sw_problem *, uint32_t step, uint32_t fresh, uint32_t old);
/* What a planner decided on it, where the file tells that; NULL. Borrowed. */
const struct sw_recording *sw_problem_recording(const struct sw_problem *);

/* Program order of the planned buffers: by first, ties in listed order. */
const uint32_t *sw_problem_order(const struct sw_problem *);
/* A place in that order. It is no buffer's number, and a struct, so that the compiler refuses the one where the other
 * is due. */
struct sw_rank {
    uint32_t at;
};
/* Where a buffer stands; at SW_NONE when it is not planned. And what stands at a place. O(1). */
struct sw_rank sw_problem_rank(const struct sw_problem *, uint32_t buffer);
uint32_t sw_problem_at_rank(const struct sw_problem *, struct sw_rank);
/* Planned buffers born at a step: a slice of sw_problem_order. O(1). */
const uint32_t *sw_problem_born(const struct sw_problem *, uint32_t step, uint32_t *count);

/* Operators that write, and that read, a buffer: steps, ascending. O(accesses). */
bool sw_problem_writes(const struct sw_problem *, uint32_t operator_, uint32_t buffer);
bool sw_problem_reads(const struct sw_problem *, uint32_t operator_, uint32_t buffer);
/* Does a list of arguments name the buffer, as a whole or in part? */
bool sw_refs_name(const struct sw_ref *, uint32_t count, uint32_t buffer);
/* The operator that first writes it, or SW_NONE. O(1). */
uint32_t sw_problem_producer(const struct sw_problem *, uint32_t buffer);

/* ---- figures ---- */

/* Sum of all planned sizes: what is needed without any reuse. */
uint64_t sw_problem_naive(const struct sw_problem *);
/* Where the highest buffer of the file's finished plan ends; false when there is no plan, or several
 * tiers. O(buffers). */
bool sw_problem_plan_peak(const struct sw_problem *, uint64_t *bytes);
/* No layout has a smaller peak: the largest sum of live bytes at one step, where of buffers that may
 * share by a permit the largest counts. On several cores the heaviest clique of the conflict graph: exact
 * when what does not conflict is ordered by happens-before alone, else still a bound (clique.c). */
uint64_t sw_problem_lower_bound(const struct sw_problem *);
/* The step with the largest sum (the first such). It proves the bound unless a clique does. */
uint32_t sw_problem_bound_step(const struct sw_problem *);
/* On several cores, where buffers that all conflict with one another outweigh every step: those buffers, in
 * program order; their sizes add up to the bound. NULL and 0: the step is the proof. */
const uint32_t *sw_problem_bound_clique(const struct sw_problem *, uint32_t *count);
/* Live bytes at every step, `steps` values. */
const uint64_t *sw_problem_profile(const struct sw_problem *);

/* ---- accesses in one global order, and the least migration ---- */

/* One entry per step at which a buffer is touched. Within a step: what is used there for the last time,
 * then what lives on and workspaces, then what is born; ties as listed. A buffer that no operator touches
 * counts as touched at its birth. Only buffers with a size that may live in tier 0. */
struct sw_access {
    uint32_t step, buffer;
};
struct sw_accesses {
    struct sw_access *items;
    size_t count, capacity;
};
/* Zero the list to start with; it is the caller's. O(n log n). False: no memory. */
bool sw_problem_access_order(const struct sw_problem *, struct sw_accesses *);
void sw_accesses_done(struct sw_accesses *);
/* There are operators, or every buffer lists its accesses. */
bool sw_problem_accesses_known(const struct sw_problem *);

/* No plan that keeps to tier 0's capacity moves fewer bytes in and out of it, counting as need does: the
 * first load is free, moving out counts when the object is accessed again. Belady's rule on single
 * bytes; the proof is the list of what has to be fetched again, at which step: twice their sum. */
struct sw_refetch {
    uint32_t step, buffer;
    uint64_t bytes;
};
struct sw_migration {
    bool feasible;            /* false: one object alone is larger than tier 0 */
    uint64_t bytes;           /* the bound */
    struct sw_refetch *items; /* in access order */
    size_t count, capacity;
};
/* Is there anything to migrate: tier 0 is bounded, and it is known when buffers are accessed? */
bool sw_problem_may_migrate(const struct sw_problem *);
/* Bytes of tier 0 below its capacity that are not reserved. */
uint64_t sw_problem_usable_bytes(const struct sw_problem *);
/* Zero it to start with; it is the caller's. O(n log n). False: no memory. */
bool sw_problem_migration_bound(const struct sw_problem *, struct sw_migration *);
void sw_migration_done(struct sw_migration *);

/* ---- conflicts: the one answer for planners, bounds and checks ---- */

enum sw_conflict {
    SW_CONFLICT_NONE,    /* may overlap anywhere */
    SW_CONFLICT_WHOLE,   /* may not share any byte of their extents */
    SW_CONFLICT_WINDOWS, /* depends on where each lies: see sw_problem_obstacles */
    SW_CONFLICT_INPLACE  /* a permit: may share bytes only when they start at the same offset */
};

/* How two buffers conflict, over their whole lives. Size 0 and unplanned buffers conflict with
 * nothing. On several cores: unless every operator touching one happens before every operator
 * touching the other. O(pieces), or O(1) on several cores. */
enum sw_conflict sw_problem_conflict(const struct sw_problem *, uint32_t a, uint32_t b);

/* Does an operator happen before another one in whatever order the cores run: both on one core and listed
 * earlier, or over edges of `after`, or over several of these? On one core: listed earlier. O(1). */
bool sw_problem_ordered(const struct sw_problem *, uint32_t earlier, uint32_t later);

/* Why two buffers conflict, in one fact that the model alone is enough to check. */
enum sw_witness_kind {
    SW_WITNESS_NONE,      /* they do not conflict */
    SW_WITNESS_STEP,      /* both hold something at `step`, whatever runs when */
    SW_WITNESS_UNORDERED, /* operators on two cores, one that touches a and one that touches b, of which neither
                           * happens before the other: they may run at the same time, or in either order */
    SW_WITNESS_SEPARATE   /* nothing of the two: the input asks for them to be kept apart */
};
struct sw_witness {
    enum sw_witness_kind kind;
    uint32_t step; /* STEP: the first that they share (on several cores, that they share for certain); else SW_NONE */
    uint32_t of_a, of_b; /* UNORDERED: the two operators; else SW_NONE */
};
/* A step is told where there is one, for then no synchronisation would help: on several cores one operator that
 * touches both, or one that touches one of them between two that touch the other, as the host does before the first
 * step and after the last. A pair that a permit lets overlap has a witness as well. O(pieces), and on several cores
 * O(operators x (arguments + users)). */
struct sw_witness sw_problem_witness(const struct sw_problem *, uint32_t a, uint32_t b);
/* "both are needed at step 3 (conv_a)", "conv_a on A and pool_b on B are not ordered by any synchronisation", "the
 * input keeps them separate"; "they do not conflict" for NONE. No name takes more than `most` bytes of it. Returns
 * snprintf's length. */
#define SW_WITNESS_TEXT 200 /* has room for it with `most` up to 24 */
int sw_witness_describe(const struct sw_problem *, const struct sw_witness *, unsigned most, char *text, size_t size);

/* What follows "overlaps OTHER" or "would overlap OTHER": ", alive 3..7" where they share a step of one core, else
 * ": " and the witness of their conflict. Returns snprintf's length. */
int sw_conflict_phrase(const struct sw_problem *, uint32_t buffer, uint32_t other, char *text, size_t size);

/* What a placed buffer forbids to another one. With `other` at `offset`, the buffer `b` may not start
 * at any x with  lo - size(b) < x < hi  for any obstacle {lo, hi}. For whole buffers that is simply
 * the range other occupies; byte windows and permits give other ranges, some with lo > hi.
 * The time of both can be limited: `from`/`to` of b, `other_from`/`other_to` of other, in steps. */
struct sw_obstacle {
    int64_t lo, hi;
};
struct sw_obstacles {
    struct sw_obstacle *items;
    size_t count, capacity;
};
struct sw_span {
    uint32_t from, to; /* steps, closed */
};
#define SW_WHOLE_LIFE ((struct sw_span){0, UINT32_MAX})
/* Appends to `list` (a growable array the caller owns). False: no memory. */
bool sw_problem_obstacles(const struct sw_problem *, uint32_t b, struct sw_span b_span, uint32_t other,
                          struct sw_span other_span, uint64_t offset, struct sw_obstacles *list);

/* Do a at offset_a and b at offset_b overlap where they conflict? An overlap by permit does not count. */
bool sw_problem_collide(const struct sw_problem *, uint32_t a, uint64_t offset_a, uint32_t b, uint64_t offset_b);

/* Visit every planned buffer that could conflict with b: alive at a common step (on one core), in
 * conflict (on several), or kept separate. Order unspecified but fixed. Cost O(log n + visited). */
struct sw_neighbors {
    const struct sw_problem *problem;
    uint32_t rank; /* of the one just returned */
    uint32_t buffer, at, stage;
    uint32_t first; /* buffers that end before this step are not visited */
    size_t end;     /* ranks from here on are born too late */
    uint64_t word;
};
struct sw_neighbors sw_problem_neighbors(const struct sw_problem *, uint32_t buffer);
uint32_t sw_neighbors_next(struct sw_neighbors *); /* SW_NONE at the end */

/* Visit every planned buffer with a hull that meets the steps [first, last], in program order; same costs. */
struct sw_neighbors sw_problem_alive(const struct sw_problem *, uint32_t first, uint32_t last);

/* Does a piece of the buffer hold something at the step? And how many of its bytes? */
bool sw_buffer_alive(const struct sw_buffer *, uint32_t step);
uint64_t sw_buffer_live_bytes(const struct sw_buffer *, uint32_t step);

/* x rounded up to a multiple of alignment. */
static inline uint64_t sw_align_up(uint64_t x, uint64_t alignment) {
    uint64_t over = alignment > 1 ? x % alignment : 0;
    return over ? x + (alignment - over) : x;
}

SW_C_END

#endif
