/* The map while it is built: shared by map.c (blocks), block_colors.c (their colors), block_names.c (their names),
 * hidden_blocks.c and merged_areas.c (what is too small) and map_overlays.c (what lies over the blocks). small_blocks.h
 * counts what is too small. */
#ifndef SW_VIEW_MAP_H
#define SW_VIEW_MAP_H

#include "view/view_internal.h"
#include "view/map/color_classes.h"
#include "view/map/matching.h"
#include "view/map/small_blocks.h"

/* A part of a name. */
struct sw_name_part {
    const char *text;
    size_t length;
};

struct sw_map {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    const struct sw_layout *layout;
    struct sw_space space;
    const struct sw_small_blocks *sheet; /* all blocks but those that are not simply one block */
    struct sw_small_blocks own;          /* that sheet, when none is kept */
    struct sw_hidden grid;               /* what is hidden in this frame */
    uint32_t current;                    /* the buffer the last decision was about, or SW_NONE */
    uint32_t highest;                    /* on paper: a buffer that ends where the arena does; or SW_NONE */
    uint64_t drawn, hidden;
    uint64_t arrows;                              /* moves between tiers that are not drawn */
    uint32_t segments;                            /* into which time is cut, where their boundaries are drawn */
    double least_label_width, least_label_height; /* in marks */
    bool kinds[SW_PATTERN_COUNT], pinned;         /* what occurs, for the legend */
    bool changes[SW_CHANGE_COUNT];
    const struct sw_color_classes *classes;
    struct sw_color_classes own_classes; /* those, when none are kept */
    struct sw_block_classes counted;     /* what is hidden is counted by these */
    uint8_t looks[SW_BASES];             /* what occurs, for the legend: a bit for each pattern */
    struct sw_buffer_list colored;       /* what has a hue, rising; none: all buffers have one */
    uint8_t *hues;                       /* of each of them */
    size_t hue_count;
    struct {
        struct sw_map_name_slot *slots; /* NULL: not asked for yet */
        size_t room;
        struct sw_name_part before, after;  /* what nearly all begin and end with; on paper */
        bool without_before, without_after; /* some are shown without it */
    } names;
    bool scattered; /* pieces of a block are hidden, maybe of one that is drawn */
    bool zoomed;    /* part of time or memory is out of view */
};

bool sw_map_open(struct sw_map *); /* classes, the sheet and the grid; false: no memory */
void sw_map_close(struct sw_map *);
/* Turn what was hidden into marks. */
void sw_map_draw_hidden(struct sw_map *);
/* The hue of a merged area (struct sw_mark) whose main class this is, and what that is called; NULL: it has no name. */
uint8_t sw_map_class_hue(const struct sw_map *, unsigned class);
const char *sw_map_class_words(const struct sw_map *, unsigned class);
/* What lies in each of the panel's merged areas from that mark on, in its `merged`; `owners`: of each mark of the grid
 * the area there, counted from 1; 0: none. */
void sw_map_tell_areas(struct sw_map *, size_t first, const uint32_t *owners);
/* Is the piece of the placement in view? Then it is the mark's rectangle, in data. */
bool sw_map_piece(const struct sw_map *, const struct sw_placement *, const struct sw_piece *, struct sw_mark *);

/* What the colors say. False: no memory. */
bool sw_map_classify(struct sw_map *);
/* Colors for all blocks, by what they are to say: those that touch differ. False: no memory. */
bool sw_map_choose_hues(struct sw_map *);
uint8_t sw_map_hue(const struct sw_map *, uint32_t buffer);
/* The look that each buffer has on the maps of a run of at most 20,000, each tier by itself; and what they say.
 * `other`: as of struct sw_view_run. False: no memory. */
bool sw_map_looks(const struct sw_search *, const struct sw_problem *other, enum sw_coloring, uint8_t *looks,
                  struct sw_color_classes *);
/* For other views: the same look of each buffer of the run, and what they say; both live as long as the scene. False:
 * no memory, and the scene has failed. */
struct sw_map_hues {
    const uint8_t *of; /* per buffer */
    const char *words[SW_BASES];
};
bool sw_map_hues(const struct sw_view_input *, struct sw_scene *, struct sw_map_hues *);
/* Entries of the legend for the looks that have a mark, on media that have a legend. */
void sw_map_hues_legend(const struct sw_view_input *, struct sw_scene *, const struct sw_map_hues *);

/* A block's name, with a mark before it or not, and shorter and shorter forms that still tell it from
 * others. On paper without what nearly all names begin or end with, which the caption then tells. */
const char *const *sw_map_labels(struct sw_map *, const char *text, const char *name);
void sw_map_tell_names(struct sw_map *);
void sw_map_names_done(struct sw_map *);

/* Is any of the buffer's life in view? */
bool sw_map_in_time(const struct sw_map *, const struct sw_buffer *);
void sw_map_draw_reserved(struct sw_map *);
void sw_map_draw_holes(struct sw_map *); /* on paper */
/* Places where the last decision did not put its block: under that block. */
void sw_map_draw_ghosts(struct sw_map *);
/* The highlighted place, what the decision did, transfers, lines, selection, cursor. */
void sw_map_draw_over(struct sw_map *);

#endif
