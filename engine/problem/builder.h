/* Building a problem: readers, scripts and what-if edits all come through here.
 *
 * A builder belongs to the caller. Items are added in listed order by name; references by name are
 * resolved in sw_builder_finish, so an operator may name a buffer that is added later. All names and
 * arrays passed in are copied. Names must be valid UTF-8 (the reader checks that).
 *
 * Errors carry the position last set with sw_builder_at: for errors found while adding that of the
 * item, for errors found in finish that of the item at fault. */
#ifndef SW_PROBLEM_BUILDER_H
#define SW_PROBLEM_BUILDER_H

#include "problem/problem.h"
#include "problem/requests.h"
#include "problem/counter.h"
#include "problem/tape.h"

SW_C_BEGIN

struct sw_builder;

struct sw_builder *sw_builder_new(struct sw_error *);
void sw_builder_free(struct sw_builder *); /* NULL is allowed */

/* A builder that holds everything a problem was built from, to edit and build again. */
struct sw_builder *sw_builder_from(const struct sw_problem *, struct sw_error *);

/* The position in the source of what is added next. */
void sw_builder_at(struct sw_builder *, uint32_t line, uint32_t column);

bool sw_builder_name(struct sw_builder *, const char *name, struct sw_error *);
bool sw_builder_alignment(struct sw_builder *, uint64_t alignment, struct sw_error *);
/* A sentence for the user on what the reader left out or assumed. */
bool sw_builder_note(struct sw_builder *, const char *text, struct sw_error *);

bool sw_builder_tier(struct sw_builder *, const struct sw_tier *, struct sw_error *);
/* Forget all tiers added so far (for --tiers). */
void sw_builder_clear_tiers(struct sw_builder *);
/* The capacity of tier 0, whether given in the file or the default tier (for --capacity). */
void sw_builder_capacity(struct sw_builder *, uint64_t bytes);
/* The memory of tier 0 holds `bytes` besides what a plan places, a runtime's own structures for example, and cannot
 * have less than `least` in all, however small the plan is. Up to 2^61 each. `more`: some of it is not known, so that
 * it is at least so much. */
void sw_builder_outside(struct sw_builder *, uint64_t bytes, uint64_t least, bool more);
uint64_t sw_builder_outside_bytes(const struct sw_builder *);
uint64_t sw_builder_least_arena(const struct sw_builder *);

/* tiers: names of the tiers it reaches; tier_count 0 = all. */
struct sw_unit_spec {
    const char *name;
    bool dedicated;
    enum sw_dtype dtype;
    uint64_t alignment, channel_multiple; /* 0 = 1 */
    bool has_channel_axis;                /* false: 1 */
    int32_t channel_axis;                 /* from the front; -1 = the last */
    const char *const *tiers;
    size_t tier_count;
};
bool sw_builder_unit(struct sw_builder *, const struct sw_unit_spec *, struct sw_error *);
/* unit may be NULL. */
bool sw_builder_function(struct sw_builder *, const char *name, const char *unit, struct sw_error *);

struct sw_operator_spec {
    const char *name;
    const char *kind, *function, *core; /* NULL = not given */
    enum sw_dtype dtype;
    enum sw_inplace inplace;
    const char *const *inputs, *const *outputs, *const *scratch, *const *after;
    size_t input_count, output_count, scratch_count, after_count;
    const char *const (*pairs)[2]; /* SW_INPLACE_PAIRS: {input, output} */
    size_t pair_count;
    const struct sw_op_window *window; /* NULL: not given. Copied */
    uint64_t macs;                     /* up to SW_MAX_BYTES */
    bool joined; /* part of the same operator as the one listed before it (control flow): it runs right behind that one,
                    in any order */
};
bool sw_builder_operator(struct sw_builder *, const struct sw_operator_spec *, struct sw_error *);

/* Raw times, closed: first and last are both inside. */
struct sw_piece_spec {
    int64_t first, last;
    uint64_t lo, hi;
};
struct sw_buffer_spec {
    const char *name;
    enum sw_kind kind;
    enum sw_dtype dtype;
    const uint64_t *shape; /* shape_count > 0 and no size: size = product x dtype, rounded up */
    size_t shape_count;
    bool has_size;
    uint64_t size;
    uint64_t alignment;       /* 0 = the graph's */
    const char *tier;         /* fixed; NULL */
    const char *const *tiers; /* allowed; count 0 = all */
    size_t tier_count;
    bool has_first, has_last; /* raw times */
    int64_t first, last;
    const struct sw_piece_spec *pieces;
    size_t piece_count;
    const int64_t *accesses; /* raw times; has_accesses: override even if empty */
    size_t access_count;
    bool has_accesses;
    bool has_offset, has_hint;
    uint64_t offset, hint;
    bool output;        /* a result of the network, though its kind is another; SW_KIND_OUTPUT implies it */
    uint64_t asked;     /* what the program asked for of it, where its allocator rounds sizes up; 0: all of it */
    bool before;        /* it was there before the recording of its allocations began */
    const char *origin; /* where it was asked for, one line a frame; NULL; equal ones are kept once */
};
bool sw_builder_buffer(struct sw_builder *, const struct sw_buffer_spec *, struct sw_error *);

/* Forget all operators and buffers added so far: another program takes their place. */
void sw_builder_clear_program(struct sw_builder *);
/* A buffer of a problem, as it is but for what is given, and without an offset that is no pin; and an operator, as it
 * is. */
struct sw_buffer_copy {
    const char *name; /* NULL: its own name, kind and shape; else an intermediate of its element type */
    uint64_t size;
    const struct sw_piece_spec *pieces;
    size_t piece_count; /* 0: its own lifetime */
};
bool sw_builder_copy_buffer(struct sw_builder *, const struct sw_problem *, uint32_t buffer,
                            const struct sw_buffer_copy *, struct sw_error *);
bool sw_builder_copy_operator(struct sw_builder *, const struct sw_problem *, uint32_t operator_, struct sw_error *);
/* Room for a text, which lives as long as the builder. NULL: no memory. */
char *sw_builder_text(struct sw_builder *, size_t size);

/* A named part [lo, hi) of a buffer or of an earlier part. */
bool sw_builder_overlay(struct sw_builder *, const char *of, const char *name, uint64_t lo, uint64_t hi,
                        struct sw_error *);
bool sw_builder_separate(struct sw_builder *, const char *a, const char *b, struct sw_error *);
bool sw_builder_reserve(struct sw_builder *, const char *tier, uint64_t lo, uint64_t hi, struct sw_error *);

/* What offsets mean. PLAN_IF_ALL: on all planned buffers they are a finished plan, on some they are
 * pins (the default). PINS: always pins. PLAN: never pins. */
enum sw_offsets { SW_OFFSETS_PLAN_IF_ALL, SW_OFFSETS_PINS, SW_OFFSETS_PLAN };
void sw_builder_offsets(struct sw_builder *, enum sw_offsets);

/* --inplace safe: make permits of operators that may write over a dying input. Default off. */
void sw_builder_inplace(struct sw_builder *, bool safe);

/* What a planner decided on it. The builder takes its own reference; NULL takes the tape out again. */
void sw_builder_tape(struct sw_builder *, struct sw_tape *);
/* What counts changed versions of its file. As with the tape. */
void sw_builder_counter(struct sw_builder *, struct sw_counter *);

/* What the program asked an allocator for, in order; buffers in the order in which they are added. The builder takes
 * its own reference; the list must not change from now on. NULL takes it out again. */
void sw_builder_requests(struct sw_builder *, const struct sw_requests *);
/* The moment that the file tells of, instead of lifetimes. As with the requests. */
void sw_builder_moment(struct sw_builder *, const struct sw_moment *);

/* ---- edits, for a builder made by sw_builder_from; raw times, closed ---- */
bool sw_builder_edit_size(struct sw_builder *, const char *buffer, uint64_t size, struct sw_error *);
bool sw_builder_edit_lifetime(struct sw_builder *, const char *buffer, int64_t first, int64_t last, struct sw_error *);
bool sw_builder_edit_capacity(struct sw_builder *, const char *tier, uint64_t bytes, struct sw_error *);

/* Plan nothing of what was there before the recording began. */
void sw_builder_forget_before(struct sw_builder *);

/* Another element type, size and alignment for buffer number `buffer` of a builder made by
 * sw_builder_from; its shape stays as a fact about the model. */
bool sw_builder_edit_tensor(struct sw_builder *, uint32_t buffer, enum sw_dtype, uint64_t size, uint64_t alignment,
                            struct sw_error *);

/* Resolve, derive lifetimes (design of the defaults in the README of this folder), check, index.
 * O((buffers + arguments) log n). The builder stays usable and owned by the caller. NULL on error. */
struct sw_problem *sw_builder_finish(struct sw_builder *, struct sw_error *);

/* The same for a problem that stands in for `origin`, of which it keeps a reference (sw_problem_origin).
 * `group`, per buffer the number of a buffer that leads it, SW_NONE for none, may be NULL: buffers of
 * one group may share bytes, and the bound counts, at every step, only the largest of each group. */
struct sw_problem *sw_builder_finish_derived(struct sw_builder *, const struct sw_problem *origin,
                                             const uint32_t *group, struct sw_error *);

SW_C_END

#endif
