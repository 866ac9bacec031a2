/* The inside of a problem; only for the files of this folder. */
#ifndef SW_PROBLEM_INTERNAL_H
#define SW_PROBLEM_INTERNAL_H

#include "base/hash.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/lists/spans.h"
#include "problem/builder.h"
#include "problem/moment/moment.h"
#include "problem/hot.h"

/* Copies that live as long as the arena; NULL for no items. `ok` becomes false when memory lacks. */
const void *sw_keep_items(struct sw_arena *, const void *items, size_t count, size_t size, bool *ok);

/* Rows of bits. */
static inline bool sw_bit_is_set(const uint64_t *row, uint32_t i) {
    return row[i / 64] >> (i % 64) & 1;
}

/* The arguments of an operator, one list behind the other: inputs, outputs, scratch. */
static inline uint32_t sw_ref_count(const struct sw_operator *op) {
    return op->input_count + op->output_count + op->scratch_count;
}
static inline const struct sw_ref *sw_ref_at(const struct sw_operator *op, uint32_t i) {
    return i < op->input_count                      ? &op->inputs[i]
           : i < op->input_count + op->output_count ? &op->outputs[i - op->input_count]
                                                    : &op->scratch[i - op->input_count - op->output_count];
}
/* Does a list of arguments name the buffer, as a whole or in part? */
bool sw_refs_name(const struct sw_ref *, uint32_t count, uint32_t buffer);
/* How often it names the buffer as a whole, and in part. */
struct sw_mentions {
    uint32_t whole, part;
};
struct sw_mentions sw_refs_mention(const struct sw_ref *, uint32_t count, uint32_t buffer);

/* Is it one piece of all its bytes? */
static inline bool sw_is_whole(const struct sw_buffer *buffer) {
    return buffer->piece_count == 1 && buffer->pieces[0].lo == 0 && buffer->pieces[0].hi == buffer->size;
}

struct sw_problem {
    size_t references;
    const struct sw_problem *origin; /* what it was derived from; NULL: nothing */
    struct sw_tape *tape;            /* NULL: none */
    struct sw_counter *counter;      /* NULL: none */
    struct sw_requests *requests;    /* that the file tells; NULL */
    struct sw_moment *moment;        /* NULL */
    struct sw_recording *recording;  /* the tape in this problem's numbers; NULL */
    struct sw_arena arena;
    const char *name;
    uint64_t alignment, outside, least_arena;
    bool more_outside;
    uint64_t digest;

    uint32_t tier_count, unit_count, function_count, core_count;
    uint32_t operator_count, buffer_count, planned_count, member_count;
    struct sw_tier *tiers;
    struct sw_unit *units;
    struct sw_function *functions;
    const char **cores;
    struct sw_operator *operators;
    struct sw_buffer *buffers;
    struct sw_member *members;
    uint32_t *producers; /* per buffer */
    struct sw_names buffer_names, member_names, operator_names, tier_names, unit_names, function_names;

    uint32_t steps;
    int64_t *times; /* steps + 1 values; NULL when raw time = step */

    struct sw_permit *offers; /* what the graph permits */
    size_t offer_count;
    struct sw_permit *permits; /* the same with --inplace safe; else none */
    size_t permit_count;
    struct sw_reserved *reserved;
    size_t reserved_count;
    uint32_t (*separate)[2]; /* as given */
    size_t separate_count;
    uint32_t (*partners)[2]; /* both directions, sorted */
    size_t partner_count;
    const char **notes;
    size_t note_count;
    bool has_plan, offsets_are_plan, inplace_safe;

    uint32_t *rank;            /* per buffer: its index in order */
    struct sw_hot *hot;        /* per rank */
    uint32_t *order;           /* planned buffers in program order */
    uint32_t *born;            /* steps + 1 indices into order */
    uint32_t *dead;            /* per step, how many planned buffers died before it */
    bool simple;               /* see hot.h */
    uint32_t youngest, oldest; /* of buffers with a size: the last birth, and the first death's last step */
    struct sw_spans hulls;     /* item i = order[i] */
    uint64_t *profile;
    uint64_t naive, bound;
    uint32_t bound_step;
    uint32_t *clique; /* the proof of a bound above every step's; NULL: the step is the proof */
    uint32_t clique_count;

    /* Several cores only: bit b of row a, a and b conflict; bit i of row j, operator i happens before j. */
    uint64_t *matrix, *before;
    size_t matrix_words, before_words; /* per row */
};

/* The first step at which a piece of each holds something, or SW_NONE. */
uint32_t sw_pieces_first_common(const struct sw_buffer *a, const struct sw_buffer *b);
/* May the operator at `step` write `fresh` over `old`, as far as lifetimes and kinds go? */
bool sw_may_overwrite(const struct sw_problem *, uint32_t fresh, uint32_t old, uint32_t step);
/* Appends the permits that an operator's marks give, on one core. False: no memory. */
SW_ARRAY_TYPE(sw_permit_list, struct sw_permit);
bool sw_permits_at(const struct sw_problem *, uint32_t step, struct sw_permit_list *);
/* How many bytes the permits of one step can save at most (sharing.c). O(permits x fresh buffers), and hardly ever more
 * than O(permits). False: no memory. */
bool sw_permits_save(const struct sw_problem *, const struct sw_permit *, size_t count, uint64_t *saved);

/* Live bytes at every step, permits not counted: `steps` values into `profile`, which has room for one more. O(buffers
 * + steps). */
void sw_profile_measure(const struct sw_problem *, uint64_t *profile);
/* From the profile: its largest value, and the first step that has it. */
void sw_bound_by_step(struct sw_problem *);
/* Live bytes at every step after a legal move of an operator, permits not counted: `steps` values into
 * `profile`, which has room for one more. O(buffers + steps). */
void sw_profile_moved(const struct sw_problem *, uint32_t operator_, uint32_t to, uint64_t *profile);

/* What a recomputation comes to (change.c): `made` runs again just before the operator at step `to`; the
 * buffer, used before at `from`, is not there in between. */
struct sw_again {
    uint32_t buffer, made, from, to;
};
bool sw_again_of(const struct sw_problem *, uint32_t buffer, uint32_t step, struct sw_again *, struct sw_error *);

/* Is each of the changes legal, each listed once, and may they be made together? */
struct sw_edit;
bool sw_changes_check(const struct sw_problem *, const struct sw_edit *, size_t count, struct sw_error *);

/* Each access that the file gave of a buffer comes to lie at another step, which `to` tells. False: no memory. */
bool sw_builder_move_accesses(struct sw_builder *, struct sw_buffer_spec *,
                              uint32_t (*to)(const void *context, uint32_t step), const void *context);
/* What has a size of its own and is one piece becomes a plain lifetime. False: it lives in pieces. */
bool sw_spec_unpiece(struct sw_buffer_spec *);

/* What the builder keeps of an item: its spec, with copies in the builder's arena, and its position. */
struct sw_at {
    uint32_t line, column;
};
struct sw_raw_buffer {
    struct sw_buffer_spec spec;
    uint32_t origin; /* its number, or SW_NONE */
    struct sw_at at;
};
struct sw_raw_operator {
    struct sw_operator_spec spec;
    struct sw_at at;
};
struct sw_raw_overlay {
    const char *of, *name;
    uint64_t lo, hi;
    struct sw_at at;
};
struct sw_raw_pair {
    const char *a, *b;
    struct sw_at at;
};
struct sw_raw_reserved {
    const char *tier;
    uint64_t lo, hi;
    struct sw_at at;
};
struct sw_raw_unit {
    struct sw_unit_spec spec;
    struct sw_at at;
};
struct sw_raw_tier {
    struct sw_tier tier;
    struct sw_at at;
};
struct sw_builder {
    struct sw_arena arena;
    struct sw_at at;
    const char *name;
    uint64_t alignment, outside, least_arena;
    bool more_outside;
    bool has_capacity;
    uint64_t capacity;
    enum sw_offsets offsets;
    bool inplace_safe;
    struct sw_tape *tape;         /* NULL */
    struct sw_counter *counter;   /* NULL */
    struct sw_requests *requests; /* NULL */
    struct sw_moment *moment;     /* NULL */
    SW_ARRAY(struct sw_raw_tier) tiers;
    SW_ARRAY(struct sw_raw_unit) units;
    SW_ARRAY(struct sw_raw_pair) functions; /* name, unit */
    SW_ARRAY(struct sw_raw_operator) operators;
    SW_ARRAY(struct sw_raw_buffer) buffers;
    SW_ARRAY(struct sw_raw_overlay) overlays;
    SW_ARRAY(struct sw_raw_pair) separate;
    SW_ARRAY(struct sw_raw_reserved) reserved;
    SW_ARRAY(const char *) notes;
    SW_ARRAY(const char *) origins; /* different ones */
    struct sw_names origin_names;
};

/* Tiers, units, functions and reserved ranges of a problem, as they are. */
bool sw_builder_copy_memories(struct sw_builder *, const struct sw_problem *, struct sw_error *);

/* sw_fail with the position of an item. */
bool sw_builder_fail(const struct sw_at *, struct sw_error *, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The stages of sw_builder_finish, in order. Each fills its part of the problem. */
bool sw_resolve(const struct sw_builder *, struct sw_problem *, struct sw_error *);
bool sw_derive(const struct sw_builder *, struct sw_problem *, struct sw_error *);
bool sw_conflicts_build(struct sw_problem *, struct sw_error *);
bool sw_index(struct sw_problem *, struct sw_error *);
bool sw_clique_build(struct sw_problem *); /* part of sw_index; false: no memory */
void sw_problem_free(struct sw_problem *);

#endif
