/* The inside of a decoder; only for decode.c, decode_fast.c and decode_general.c. */
#ifndef SW_PLANNERS_DECODE_INTERNAL_H
#define SW_PLANNERS_DECODE_INTERNAL_H

#include "planners/orders/decode.h"

struct sw_decode_item {
    uint64_t size; /* pre-allocated: rounded up to the alignment */
    uint64_t real;
    uint64_t alignment;
    double crowd; /* bytes of all that it is in conflict with */
    uint32_t buffer;
    bool fixed; /* pinned */
};
struct sw_block {
    uint64_t lo, hi; /* the pre-allocated space */
};
struct sw_decode_key {
    uint64_t start;
    struct sw_rank place;
};
/* The general way: the buffer may not start at any x with lo < x < hi. */
struct sw_bar {
    int64_t lo, hi;
    int64_t width;  /* lo + width is where the obstacle begins */
    uint32_t owner; /* SW_NONE: a range */
};

struct sw_decoder {
    size_t owners;
    const struct sw_problem *problem;
    struct sw_rules rules;
    uint32_t count; /* places */
    uint32_t tiers;
    bool fast;
    bool even;   /* all alignments are the same */
    bool powers; /* ... are powers of two */
    bool pile;   /* too many for rows, and every block lies on those before it */
    uint64_t work, conflicts;
    size_t item_capacity, words;
    struct sw_decode_item *items;
    uint64_t *rows;           /* bit k of row i: in conflict; NULL when there are too many */
    struct sw_fast *fast_way; /* NULL without it */
    /* the last result, by place */
    struct sw_block *blocks;
    uint8_t *tier;
    uint64_t arena[SW_MAX_TIERS];
    struct sw_decode_key *keys;
    struct sw_obstacles obstacles;
    SW_ARRAY(struct sw_bar) bars;
    struct sw_arena room; /* of the arrays without a count */
};

/* The fast way's tables (decode_fast.c). False: no memory. */
bool sw_decoder_fast_new(struct sw_decoder *);
void sw_decode_fast(struct sw_decoder *, const struct sw_rank *order);

/* explain may be NULL. */
bool sw_decode_general(struct sw_decoder *, const struct sw_rank *order, struct sw_explanation *explain);

#endif
