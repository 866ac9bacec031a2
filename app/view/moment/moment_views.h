/* What the views of a moment share, and those that show one call. */
#ifndef SW_VIEW_MOMENT_VIEWS_H
#define SW_VIEW_MOMENT_VIEWS_H

#include "view/map/color_classes.h"
#include "view/moment/moment_words.h"
#include "view/view_internal.h"

/* The moment on view. NULL: the file has lifetimes, which is said in the box. */
const struct sw_moment *sw_moment_on_view(const struct sw_view_input *, struct sw_scene *, struct sw_box);
/* The selected block; NULL: none is. O(blocks). */
const struct sw_moment_block *sw_moment_selected(const struct sw_view_input *);
/* What a mark or row of the block stands for. */
struct sw_item sw_held_item(const struct sw_moment *, const struct sw_moment_block *);

/* The look of each block of a moment, and what it says. False: no memory. */
bool sw_moment_looks(const struct sw_problem *, enum sw_coloring asked, uint8_t *looks, struct sw_color_classes *);

/* The lines of a text, which is freed. */
void sw_moment_add_lines(struct sw_lines *, struct sw_sink *);

/* moment_map.c; moment_tables.c: the blocks, and all of the selected one. */
void sw_view_build_moment_map(const struct sw_view_input *, struct sw_scene *, struct sw_box);
void sw_view_build_held(const struct sw_view_input *, struct sw_scene *, struct sw_box);
void sw_view_build_held_card(const struct sw_view_input *, struct sw_scene *, struct sw_box);

#endif
