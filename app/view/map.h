/* The map while it is built: shared by map.c (blocks), grid.c (what is too small) and over.c (what lies
 * over the blocks). */
#ifndef SW_VIEW_MAP_H
#define SW_VIEW_MAP_H

#include "view/internal.h"
#include "view/matching.h"

/* Marks of the resolution, for what is smaller than one. */
struct sw_grid {
    uint32_t columns, rows;
    bool used;
    uint32_t *count;        /* blocks whose home is this mark */
    int64_t *across, *down; /* differences of coverage along a row, along a column */
};

struct sw_map {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    const struct sw_layout *layout;
    struct sw_space space;
    struct sw_grid grid;
    uint32_t current; /* the buffer the last decision was about, or SW_NONE */
    uint64_t drawn, hidden;
    double least_label_width, least_label_height; /* in marks */
    bool kinds[SW_PATTERN_COUNT], pinned;         /* what occurs, for the legend */
    bool changes[SW_CHANGE_COUNT];
    bool zoomed;                                  /* part of time or memory is out of view */
};

bool sw_map_open(struct sw_map *); /* the grid; false: no memory */
void sw_map_close(struct sw_map *);
/* A rectangle in marks, clipped to the body, of which one side is below 1. `counts`: it stands for a
 * block that is hidden entirely. */
void sw_map_hide(struct sw_map *, double x0, double x1, double y0, double y1, bool counts);
/* Turn what was hidden into marks. */
void sw_map_draw_hidden(struct sw_map *);

/* Is any of the buffer's life in view? */
bool sw_map_in_time(const struct sw_map *, const struct sw_buffer *);
void sw_map_draw_reserved(struct sw_map *);
void sw_map_draw_holes(struct sw_map *); /* on paper */
/* Ghosts, what the decision did, transfers, lines, selection, cursor. */
void sw_map_draw_over(struct sw_map *);

#endif
