/* What is too small to draw, counted; and what is not, listed: all that the map of a million blocks needs of
 * most of them. Shared by small_blocks.c, which counts, frame_cache.c, which keeps, and the files of the map. */
#ifndef SW_VIEW_SHEET_H
#define SW_VIEW_SHEET_H

#include "view/view_internal.h"

/* Classes of blocks that are counted apart: those that their colors tell apart. */
struct sw_block_classes {
    const uint8_t *of;                /* per buffer, a base of the theme; NULL: all blocks are one class */
    const struct sw_problem *problem; /* what decides them, with `by` */
    enum sw_coloring by;
};
/* Bases of hues, or those of the scale, are told apart; never both are in use. */
static inline uint8_t sw_block_class(const struct sw_block_classes *classes, uint32_t buffer) {
    return classes->of ? classes->of[buffer] % SW_HUES : 0;
}

/* Marks of the resolution, for what is smaller than one. */
enum { SW_HIDDEN_WHOLE = 65536 }; /* a mark that is covered entirely */
struct sw_hidden {
    uint32_t columns, rows, classes;
    uint32_t used;           /* a bit for each class that was ever counted */
    uint32_t *count;         /* blocks whose middle lies in this mark */
    uint32_t *across, *down; /* of each class: differences of coverage along a row, along a column */
};

struct sw_buffer_list {
    uint32_t *items;
    size_t count, capacity;
};

/* Of a layout, as one tier of it lies in a window. */
struct sw_small_blocks {
    const struct sw_search *search; /* the run it was made for; only a hint which of several to go on with */
    const struct sw_problem *problem;
    uint32_t tier;
    bool raw_time;
    struct sw_viewport viewport;
    struct sw_space space;
    struct sw_block_classes classes;
    struct sw_hidden hidden;
    uint64_t hidden_count;
    struct sw_buffer_list single; /* buffers large enough to be drawn, or that are not simply one block; rising */
    struct sw_layout *layout;     /* what is counted, when it is kept; or NULL */
    uint64_t used;                /* when, to tell the oldest */
};

int sw_buffers_compare(const void *, const void *);                      /* numbers of buffers, rising */
bool sw_hidden_copy(struct sw_hidden *to, const struct sw_hidden *from); /* the same */
void sw_hidden_done(struct sw_hidden *);
/* A rectangle in marks, clipped to the body, of which one side is below 1. `counts`: it stands for a block that is
 * hidden entirely. */
void sw_hidden_add(struct sw_hidden *, double x0, double x1, double y0, double y1, unsigned class, bool counts);

/* The sheet of the window, of the input's layout as it is now. False: no memory. */
bool sw_small_blocks_open(struct sw_small_blocks *, const struct sw_view_input *, struct sw_space,
                          struct sw_block_classes);
void sw_small_blocks_done(struct sw_small_blocks *);
/* Is it of that window, with those classes? Then it can follow. */
bool sw_small_blocks_suits(const struct sw_small_blocks *, const struct sw_view_input *, const struct sw_space *,
                           const struct sw_block_classes *);
/* From the layout that it is of to the input's: only what differs is counted. False: no memory, and it is of no use any
 * more. */
bool sw_small_blocks_follow(struct sw_small_blocks *, const struct sw_view_input *, struct sw_block_classes);
/* Take a block out of `hidden`, a copy of the sheet's; false: it is not counted there. */
bool sw_small_blocks_unhide(const struct sw_small_blocks *, struct sw_hidden *, uint32_t buffer,
                            const struct sw_layout *);

/* ---- frame_cache.c ---- */

/* The sheet of the window as it is now, out of what is kept; NULL: nothing can be kept, make one. */
const struct sw_small_blocks *sw_frame_cache_sheet(struct sw_frame_cache *, const struct sw_view_input *,
                                                   struct sw_space, struct sw_block_classes);

#endif
