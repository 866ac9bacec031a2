/* What is too small to draw, counted; and what is not, listed: all that the map of a million blocks needs of
 * most of them. Shared by small_blocks.c, which counts, frame_cache.c, which keeps, and the files of the map. */
#ifndef SW_VIEW_SHEET_H
#define SW_VIEW_SHEET_H

#include "view/view_internal.h"

/* Marks of the resolution, for what is smaller than one. */
struct sw_hidden {
    uint32_t columns, rows;
    uint32_t *count;        /* blocks that are drawn as this mark */
    int64_t *across, *down; /* differences of coverage along a row, along a column */
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
void sw_hidden_add(struct sw_hidden *, double x0, double x1, double y0, double y1, bool counts);

/* The sheet of the window, of the input's layout as it is now. False: no memory. */
bool sw_small_blocks_open(struct sw_small_blocks *, const struct sw_view_input *, struct sw_space);
void sw_small_blocks_done(struct sw_small_blocks *);
/* Is it of that window? Then it can follow. */
bool sw_small_blocks_suits(const struct sw_small_blocks *, const struct sw_view_input *, const struct sw_space *);
/* From the layout that it is of to the input's: only what differs is counted. False: no memory, and it is of no use any
 * more. */
bool sw_small_blocks_follow(struct sw_small_blocks *, const struct sw_view_input *);
/* Take a block out of `hidden`, a copy of the sheet's; false: it is not counted there. */
bool sw_small_blocks_unhide(const struct sw_small_blocks *, struct sw_hidden *, uint32_t buffer,
                            const struct sw_layout *);

/* ---- frame_cache.c ---- */

/* The sheet of the window as it is now, out of what is kept; NULL: nothing can be kept, make one. */
const struct sw_small_blocks *sw_frame_cache_sheet(struct sw_frame_cache *, const struct sw_view_input *,
                                                   struct sw_space);

#endif
