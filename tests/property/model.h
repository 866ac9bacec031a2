/* Random problems, and what is true of their layouts, stated without the engine.
 *
 * A `struct model` is a problem as a person would write it down: lists of operators, buffers, tiers, in
 * raw time. It is drawn at random from a seed; `model_build` hands it to the engine. The oracle
 * (oracle.c) judges layouts by the model alone and by comparing everything with everything; it knows
 * neither the engine's conflicts nor its layouts' checks. */
#ifndef SW_PROPERTY_MODEL_H
#define SW_PROPERTY_MODEL_H

#include "stowage.h"

enum { MAX_BUFFERS = 24, MAX_OPERATORS = 16, MAX_PIECES = 4, MAX_TIERS = 3, MAX_ARGUMENTS = 4 };

struct model_piece {
    int64_t first, last; /* closed, raw time */
    uint64_t lo, hi;
};
struct model_buffer {
    char name[16];
    enum sw_kind kind;
    bool planned;
    uint64_t size, alignment;
    unsigned tiers; /* bits */
    int tier;       /* fixed, or -1 */
    bool pinned;
    uint64_t offset;
    int pieces; /* given ones; 0: as the operators imply */
    struct model_piece piece[MAX_PIECES];
    int64_t first, last; /* the hull, given or implied */
    bool touched[MAX_OPERATORS];
    int writer; /* -1 */
};
struct model_operator {
    char name[16];
    int inputs[MAX_ARGUMENTS], outputs[MAX_ARGUMENTS], scratch[MAX_ARGUMENTS];
    int input_count, output_count, scratch_count;
    int core;
    bool inplace;
    int after; /* an earlier operator, or -1 */
};
struct model {
    uint64_t seed;
    int buffer_count, operator_count, tier_count, cores;
    struct model_buffer buffers[MAX_BUFFERS];
    struct model_operator operators[MAX_OPERATORS];
    uint64_t capacity[MAX_TIERS];
    bool inplace_safe;
    bool overwrites; /* the oracle allows what rule R6 allows */
    bool adds;       /* operators marked to work in place are additions, which ggml writes over an argument */
    bool accesses;   /* lists say when buffers are accessed: at first and last */
    int reserved_count, separate_count;
    struct {
        int tier;
        uint64_t lo, hi;
    } reserved[2];
    int separate[2][2];
    bool before[MAX_OPERATORS][MAX_OPERATORS]; /* several cores: a happens before b */
};

/* A problem with everything in it, drawn from the seed. */
void model_draw(struct model *, uint64_t seed);
/* Only sizes and lifetimes: one tier without end, whole buffers, no alignment. At most `most` buffers. */
void model_draw_plain(struct model *, uint64_t seed, int most);
/* Pins for some buffers, taken from a layout, so that they can all be kept. */
void model_pin_some(struct model *, const struct sw_layout *);
/* With `plan`, a placement for every planned buffer: a finished plan. */
/* Does the planner apply to it, and, of an allocator, do its addresses suit the alignments? */
bool model_applies(const struct sw_planner *, const struct sw_problem *);
/* The same with its operators in the order of this problem, which was made from it. */
void model_in_order(struct model *, const struct sw_problem *ordered);
struct sw_problem *model_build(const struct model *, const uint64_t *plan);

/* ---- the oracle ---- */

/* Placements: SW_NONE in `tier` is not placed. */
struct model_layout {
    uint32_t tier[MAX_BUFFERS];
    uint64_t offset[MAX_BUFFERS];
};
void model_layout_of(struct model_layout *, const struct sw_layout *);
/* Is everything placed and legal? What is wrong goes to `text`. A tier's capacity is not looked at when
 * `overflow`. */
bool oracle_check(const struct model *, const struct model_layout *, bool overflow, char *text, size_t size);
/* The same for one buffer alone, and for two of them. */
bool oracle_alone(const struct model *, const struct model_layout *, int buffer, bool overflow);
bool oracle_pair(const struct model *, const struct model_layout *, int a, int b);
/* The largest number of bytes alive at one time, ignoring permits (one core). */
uint64_t oracle_live(const struct model *);

/* Planners, written from their rules alone, for plain models. Offsets by buffer; they return the arena. */
uint64_t oracle_first_fit(const struct model *, const int *order, uint64_t *offsets);
uint64_t oracle_program_first_fit(const struct model *, uint64_t *offsets);
uint64_t oracle_best_fit(const struct model *, uint64_t *offsets);
uint64_t oracle_greedy_by_size(const struct model *, uint64_t *offsets);
uint64_t oracle_greedy_by_breadth(const struct model *, uint64_t *offsets);
uint64_t oracle_lifetime_best_fit(const struct model *, uint64_t *offsets);
/* The least arena of first fit over all orders. */
uint64_t oracle_optimum(const struct model *);

/* ---- for the test programs ---- */

/* The next permutation, in lexicographic order; false: it was the last. */
bool next_order(uint32_t *order, uint32_t count);

/* Settings that keep the run of a planner short that would otherwise go on for long. */
struct sw_params short_run(const struct sw_planner *);

/* Does it move buffers in mid-life? Such planners are judged in test_segments. */
bool moves_buffers(const struct sw_planner *);

uint64_t base_seed(void); /* 1, or what SW_PROPERTY_SEED says */
/* Print and exit when `truth` is false. */
void check_that(bool truth, const struct model *, const char *planner, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
