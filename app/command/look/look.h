/* What the files of this folder have for others: where the user looks, and what panes need for that. */
#ifndef SW_COMMAND_LOOK_H
#define SW_COMMAND_LOOK_H

#include "command/state.h"

/* decision_filter.c */
void sw_decision_filter_view(struct sw_session *, struct sw_view_input *);

/* look.c */
void sw_sight_reset(struct sw_session *);
void sw_sight_show(struct sw_session *, double time, double bytes); /* bring into the window */

/* marks.c */
/* A decision that the user marked. */
struct sw_mark_place {
    char name[32];
    char *note; /* owned; "" */
    uint32_t branch;
    uint64_t step;
};
/* A place where the user has been. */
struct sw_spot {
    uint32_t branch;
    uint64_t step;
};
const struct sw_mark_place *sw_mark_at(const struct sw_session *, size_t i); /* NULL: past the last */
/* The way back of another session, its branches numbered as `map` says. */
void sw_trail_carry(const struct sw_session *from, struct sw_session *to, const uint32_t *map);
struct sw_spot sw_trail_here(const struct sw_session *);
/* A command led away from there. Lack of memory only forgets it. */
void sw_trail_left(struct sw_session *, struct sw_spot);

/* panes.c */
/* The pane was drawn so: keys that scroll go on from what is to be seen. */
void sw_pane_drawn(struct sw_session *, const struct sw_scene *);
const char *sw_pane_name(unsigned i);                         /* NULL: past the last */
const struct sw_view *sw_sight_side(const struct sw_sight *); /* NULL: the decision */
struct sw_listing sw_state_listing(struct sw_session *);      /* good until the next change */
const struct sw_facts *sw_state_facts(struct sw_session *);   /* the same; NULL: no memory */

/* panes.c */
/* In the pane front the keys of candidates go along the front, and the one of a block's decision takes the model: the
 * command is exchanged then. */
bool sw_front_key(const struct sw_session *, const struct sw_command **);

/* pair_cursor.c */
/* The row of the matrix of conflicts before or after the present one becomes the selected buffer. */
void sw_pair_row(struct sw_session *, bool forward);
void sw_sight_pane(struct sw_session *, enum sw_pane_keys); /* panes.c: show the first pane that has these keys */

/* pane_indexes.c: what the pane needs, kept from frame to frame; to be forgotten when a search is freed */
void sw_state_indexes(struct sw_session *, unsigned reads, struct sw_view_input *);
void sw_state_forget_indexes(struct sw_session *);
struct sw_frame_cache *sw_state_kept(struct sw_session *); /* what frames leave to later ones; or NULL */

/* The panes as commands that lead there, one a line. */
void sw_panes_write(const struct sw_sight *, struct sw_sink *);
/* The same for what the panes show, sorted and filtered. */
void sw_tables_write(const struct sw_sight *, struct sw_sink *);
void sw_decision_filter_write(const struct sw_sight *, struct sw_sink *); /* decision_filter.c */

#endif
