/* What became of each block between two layouts, matched by name, else by place (problem/compare/pairing.h): of two
 * plans, or of two models that were planned. */
#ifndef SW_VIEW_MATCHING_H
#define SW_VIEW_MATCHING_H

#include "search/parting.h"
#include "stowage_runs.h"
#include "view/scene/scene.h"

/* A block that changed in several ways counts for the first of them in this order, after SAME. */
enum sw_change {
    SW_CHANGE_SAME,
    SW_CHANGE_REMOVED,
    SW_CHANGE_ADDED,
    SW_CHANGE_GREW,
    SW_CHANGE_SHRANK,
    SW_CHANGE_LIFETIME,
    SW_CHANGE_MOVED,
    SW_CHANGE_SHIFTED, /* the same operators begin and end its life, at other times, as others came or went before */
    SW_CHANGE_COUNT
};
struct sw_change_look {
    const char *name;    /* "grew" */
    enum sw_style style; /* of a frame around the block, which keeps its color */
    uint8_t pattern;
};
struct sw_change_look sw_change_look(enum sw_change);

/* One side: a layout, and what is to be taken off its offsets. */
struct sw_matched {
    const struct sw_layout *layout;
    uint64_t base;
    uint8_t *changes;         /* per buffer, enum sw_change */
    const uint32_t *partners; /* per buffer: its number on the other side, or SW_NONE; of the pairing */
};
struct sw_name_matching {
    struct sw_matched old, fresh;
    struct sw_pairing pairing;
    uint64_t counts[SW_CHANGE_COUNT]; /* planned buffers of both sides, each pair once */
};
/* Fill in changes, partners and counts; layouts and bases are the caller's. O(buffers). False: no
 * memory. */
bool sw_matching_make(struct sw_name_matching *);
void sw_matching_done(struct sw_name_matching *);

/* Do two buffers live at the same times of their problems, with the same bytes? */
bool sw_same_life(const struct sw_problem *, const struct sw_buffer *, const struct sw_problem *,
                  const struct sw_buffer *);

/* Does old buffer a lie elsewhere than new buffer b, at any time? */
bool sw_matching_moved(const struct sw_name_matching *, uint32_t a, uint32_t b);

/* A buffer that is not the same on both sides; one number may be SW_NONE. */
struct sw_matched_change {
    uint32_t old, fresh;
    uint64_t weight; /* bytes that came, went, grew, shrank, or are needed by other operators */
    uint64_t size;   /* of the buffer, the larger */
    size_t number;
};
SW_ARRAY_TYPE(sw_matched_changes, struct sw_matched_change);
/* What weighs most first, and of what is only moved the largest; equal ones in the old side's order, then what came, in
 * the new side's. The caller's, with SW_ARRAY_DONE. O(n log n). False: no memory. */
bool sw_matching_list(const struct sw_name_matching *, struct sw_matched_changes *);

/* The first buffer in time (of the old side; there the lower one) that lies elsewhere in the new; or
 * SW_NONE. */
uint32_t sw_matching_first_elsewhere(const struct sw_name_matching *);

/* The first decision in which two runs part, with buffers matched, and tiers by name. */
struct sw_parting sw_matching_parting(const struct sw_name_matching *, const struct sw_search *old,
                                      const struct sw_search *fresh);

#endif
