/* The skyline: which bytes placed blocks cover at which steps, kept for planners that place buffers by size.
 *
 * A planner that places large buffers first asks which bytes are free during a whole life [a, b], anywhere in time.
 * Most blocks alive then are alive at `a` already, and lie side by side: two hundred blocks cover a few dozen ranges.
 * So time is cut into cells, and every cell keeps the ranges that are covered all through it. An answer reads
 *   - what is covered in the cell of `a`: a list that is sorted and merged already;
 *   - the blocks that are born or die inside that cell: few, one by one, in order of birth and of death;
 *   - the blocks born later, until `b`: one by one, in order of birth, and where these are many, crowds: for
 *     stretches of time in which some hundreds are born, the ranges that these cover together.
 * All are exact, so the answer equals that of looking at each block by itself.
 *
 * A block is entered in all cells that it outlives. For long lives these would be many: 64 cells make a cell of the
 * next scale, and so on; a life is entered once for the largest cells inside of it, and the cell of `a` is one cell per
 * scale. Cells of the first scale are made so wide that a life is entered eight times on the average, at most.
 * With k ranges in a cell, entering costs O(log n) lists of O(log k) and moving up what lies behind; asking costs O(k)
 * and the few that are looked at one by one.
 *
 * Only for simple problems (sw_problem_simple) of one tier without reserved ranges. Bytes are counted in units that all
 * sizes are multiples of, and there must be fewer than 2^32 of these. It follows a layout (follow.h). Scratch: it
 * belongs to a struct sw_gaps; zero it to start with. Internal to the engine. */
#ifndef SW_LAYOUT_SKYLINE_H
#define SW_LAYOUT_SKYLINE_H

#include "layout/free/follow.h"
#include "layout/free/ranges.h"

enum { SW_SKYLINE_SCALES = 6, SW_SKYLINE_RATIO = 6, SW_CROWD_RATIO = 3 };

/* One placed buffer; not placed: hi is 0. */
struct sw_skyline_row {
    uint32_t first, last; /* steps, both inside */
    uint32_t lo, hi;      /* units */
};

/* Stretches of time of one length after the other: of scale s they are 1 << (width + ratio * s) steps long. */
struct sw_stretches {
    unsigned width, ratio;
    unsigned scales;                   /* how many are kept; 0: none */
    uint32_t begin[SW_SKYLINE_SCALES]; /* of a scale, in `all` */
    SW_ARRAY(struct sw_ranges) all;
};

struct sw_skyline {
    struct sw_follow follow;
    uint64_t hopeless;          /* the digest of a problem with offsets that units could not tell; 0: none */
    unsigned shift;             /* a unit is 1 << shift bytes */
    struct sw_stretches cells;  /* what is covered all through them */
    struct sw_stretches crowds; /* what is covered by those born in them */
    SW_ARRAY(struct sw_skyline_row) born, dead; /* in program order; in the order of last steps, ties by rank */
    SW_ARRAY(uint32_t) graves;                  /* by rank: the place in `dead` */
    /* The answer: what is covered, ascending, with a sentinel behind; there may be overlaps. */
    SW_ARRAY(uint64_t) covered;
    SW_ARRAY(uint64_t) loose, spare; /* scratch: what is not sorted yet; to sort and to merge into */
    uint32_t blocks;                 /* how many blocks are in the way */
    uint64_t live;                   /* their bytes at the first step asked about */
};

/* Does it show the layout? See sw_follow_ready. */
bool sw_skyline_ready(struct sw_skyline *, const struct sw_layout *, uint32_t buffer);
/* Fill the answer for a life. False: no memory. */
bool sw_skyline_look(struct sw_skyline *, const struct sw_problem *, uint32_t first, uint32_t last);
void sw_skyline_done(struct sw_skyline *);

/* Prefetch for the buffer at this place in program order, which is asked about soon: first the lists that the answer
 * is read from, and, once these have arrived, what they hold. Changes nothing. */
void sw_skyline_fetch_lists(const struct sw_skyline *, const struct sw_layout *, uint32_t rank);
void sw_skyline_fetch_ranges(const struct sw_skyline *, const struct sw_layout *, uint32_t rank);

/* ---- stretches (stretches.c) ---- */

/* Make empty ones for that many steps, as many scales as fit into `longest` steps. False: no memory, and there are
 * none. */
bool sw_stretches_make(struct sw_stretches *, unsigned width, unsigned ratio, uint32_t steps, uint32_t longest);
void sw_stretches_clear(struct sw_stretches *);
void sw_stretches_done(struct sw_stretches *);
/* That of a scale which holds a step. */
static inline struct sw_ranges *sw_stretch_at(const struct sw_stretches *s, unsigned scale, uint32_t step) {
    return &s->all.items[s->begin[scale] + (step >> (s->width + s->ratio * scale))];
}
/* The largest whole stretches that make up [*from, to), one by one: the longest that begins at *from, which is moved
 * to its end. To start with, sw_stretches_whole gives the part of the steps [first, last] that whole ones make up. */
struct sw_ranges *sw_stretches_next(const struct sw_stretches *, uint64_t *from, uint64_t to);
void sw_stretches_whole(const struct sw_stretches *, uint32_t first, uint32_t last, uint64_t *from, uint64_t *to);

#endif
