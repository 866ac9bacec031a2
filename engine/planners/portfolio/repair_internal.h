/* Between repair.c and repair_shape.c only. */
#ifndef SW_PLANNERS_REPAIR_INTERNAL_H
#define SW_PLANNERS_REPAIR_INTERNAL_H

#include "planners/planner_internal.h"
#include "planners/portfolio/repair.h"

struct range {
    uint32_t buffer; /* SW_NONE: for all */
    uint64_t lo, hi;
};

/* Which blocks are alive at which steps, of one level and of all coarser ones. */
struct index {
    SW_ARRAY(uint32_t) blocks; /* in program order */
    uint32_t *born;            /* per step and one more: how many of them are born before it */
    uint32_t *cut;             /* per step: the last cut at or before it */
    uint32_t *cut_step;        /* per cut */
    uint32_t *cut_begin;       /* per cut and one more: its slice of `alive` */
    uint32_t cuts;
    SW_ARRAY(uint32_t) alive;
};

/* Levels: blocks of like size. The first holds what is larger than a 32nd of the least, each further one what is
 * larger than an eighth of the threshold before, the last the rest. */
enum { REPAIR_LEVELS = 6, FINEST = REPAIR_LEVELS - 1 };

/* What all clones share. */
struct repair_shape {
    size_t owners;
    uint32_t count, steps, tier;
    uint64_t least, grain;
    uint32_t *id, *first, *last; /* of each block */
    uint64_t *size, *alignment, *grudge;
    bool *fixed;
    struct index all;                  /* of all blocks */
    struct index *coarse;              /* of each level but the finest; NULL: not needed yet, as are the next two */
    uint8_t *level;                    /* of each block */
    uint32_t level_end[REPAIR_LEVELS]; /* level by level: the turns of each end there */
    SW_ARRAY(uint32_t) turns[SW_REPAIR_KINDS]; /* all blocks */
    SW_ARRAY(struct range) ranges;
    bool general;    /* several cores, or pairs kept apart: the problem says what conflicts */
    uint32_t *block; /* general: per buffer; SW_NONE */
    uint32_t buffers;
    bool permits;
    struct sw_arena room; /* of the arrays without a count */
};

/* For the blocks of the tier as run->layout has them, which is copied to *home; its peak to *peak. NULL: no memory. */
struct repair_shape *sw_repair_shape_new(const struct sw_run *, uint32_t tier, uint64_t **home, uint64_t *peak);
void sw_repair_shape_unref(struct repair_shape *); /* NULL is allowed */
/* Make what is needed to place all blocks afresh in this way, unless it is there. */
bool sw_repair_shape_turns(struct repair_shape *, const struct sw_run *, enum sw_repair_kind);

#endif
