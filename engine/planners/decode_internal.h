/* The inside of a decoder; only for decode.c and decode_general.c. */
#ifndef SW_PLANNERS_DECODE_INTERNAL_H
#define SW_PLANNERS_DECODE_INTERNAL_H

#include "planners/decode.h"

struct sw_item {
    uint64_t size; /* pre-allocated: rounded up to the alignment */
    uint64_t real;
    uint64_t alignment;
    uint32_t buffer; /* SW_NONE: a reserved or forbidden range */
    bool fixed;      /* pinned, or a range */
};
struct sw_block {
    uint64_t lo, hi;
    uint32_t item;
};
struct sw_key {
    uint64_t start;
    uint32_t place;
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
    uint32_t count;      /* places */
    uint32_t item_count; /* places, and ranges after them */
    uint32_t tiers;
    bool fast, crowded;
    uint64_t work, conflicts;
    size_t item_capacity, words;
    struct sw_item *items;
    uint64_t *rows;      /* bit k of row i: in conflict; NULL when there are too many */
    uint32_t *from, *to; /* the words of a row in use */
    uint64_t *standing;  /* items that are placed from the beginning */
    /* scratch, and the last result by item */
    uint64_t *placed, *offset, *end;
    uint8_t *tier;
    uint64_t arena[SW_MAX_TIERS];
    struct sw_block *blocks;
    struct sw_key *keys;
    struct sw_obstacles obstacles;
    SW_ARRAY(struct sw_bar) bars;
};

/* explain may be NULL. */
bool sw_decode_general(struct sw_decoder *, const uint32_t *order, struct sw_explanation *explain);

#endif
