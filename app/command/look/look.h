/* What the files of this folder have for others: where the user looks, and what panes need for that. */
#ifndef SW_COMMAND_LOOK_H
#define SW_COMMAND_LOOK_H

#include "command/state.h"

/* sight.c */
const struct sw_view *sw_sight_side(const struct sw_sight *); /* NULL: the decision */
void sw_sight_reset(struct sw_session *);
void sw_sight_show(struct sw_session *, double time, double bytes); /* bring into the window */
void sw_sight_unfit(struct sw_session *); /* the window becomes what is shown, if it shows everything */
void sw_sight_clamp(struct sw_session *); /* the window stays on the map */
/* The current branch becomes another one. */
void sw_state_use(struct sw_session *, uint32_t branch);
/* Another branch, or another run: the cursor goes to its decision. */
void sw_state_moved(struct sw_session *);
/* A move along the run begins; the run has come further along it, or stands at its end. */
struct sw_way sw_way_begin(const struct sw_session *);
void sw_way_follow(struct sw_session *, struct sw_way *);

/* marks.c */
/* A decision that the user marked. */
struct sw_mark_place {
    char name[32];
    char *note; /* owned; "" */
    uint32_t branch;
    uint64_t step;
};
struct sw_marks {
    SW_ARRAY(struct sw_mark_place) list;
};

/* panes.c */
/* The pane was drawn so: keys that scroll go on from what is to be seen. */
void sw_pane_drawn(struct sw_session *, const struct sw_scene *);
bool sw_pane_show(struct sw_session *, const struct sw_view *); /* always true */
bool sw_pane_applies(struct sw_session *);                      /* has the pane on view anything to show of this run? */
bool sw_pane_scroll(struct sw_session *, const uint64_t *rows, bool down, struct sw_error *); /* NULL: some rows */

/* One on or back among `count` places, and no further than the ends; from none of them to the first or the last. */
size_t sw_row_beside(size_t at, size_t count, bool forward);

/* pair_cursor.c */
/* The row of the matrix of conflicts before or after the present one becomes the selected buffer. */
void sw_pair_row(struct sw_session *, bool forward);
void sw_sight_pane(struct sw_session *, enum sw_pane_keys); /* panes.c: show the first pane that has these keys */

/* moment_cursor.c: the selection where a moment of an allocator is on view, free blocks among what is selected.
 * The first two return false, and do nothing, where a run is. `piece`: sight.piece, of a free block. */
bool sw_moment_select(struct sw_session *, uint32_t buffer, uint64_t piece);
bool sw_moment_step(struct sw_session *, bool up, bool wrap);
/* Is there a block to select? NULL: there is none. O(1). */
bool sw_moment_has_places(const struct sw_moment *);
/* The selected block that is no buffer: where it lies on the map, and its bytes. False: there is none. */
bool sw_moment_piece_range(const struct sw_session *, uint64_t range[2]);
/* The command that selects it again; nothing where there is none. */
void sw_moment_piece_write(const struct sw_session *, struct sw_sink *);

/* walk.c: the command that a key is while the graph or a moment is on view; NULL: it is none. */
const char *sw_walk_line(const struct sw_session *, const char *key);

void sw_state_forget_indexes(struct sw_session *); /* pane_indexes.c: a search is freed that panes may have read */

/* The panes as commands that lead there, one a line. */
void sw_panes_write(const struct sw_sight *, struct sw_sink *);
/* The same for what the panes show, sorted and filtered. */
void sw_tables_write(const struct sw_sight *, struct sw_sink *);
void sw_decision_filter_write(const struct sw_sight *, struct sw_sink *); /* decision_filter.c */

#endif
