/* Animations: pages of the same size, one after the other, as one SVG that a browser plays without a
 * script.
 *
 * What stays from one page to the next is written once, with the time for which it is seen, so that a
 * long animation of few changes is a small file. It is played with CSS, and not at all where the viewer
 * asked for little motion; where nothing moves (in print, in most programs that are not browsers) the
 * last page is seen. */
#ifndef SW_EXPORT_ANIMATION_H
#define SW_EXPORT_ANIMATION_H

#include "export/export.h"

enum { SW_ANIMATION_MOST = 4000 }; /* pages */

struct sw_animation;
/* NULL: no memory. The theme must outlive it. */
struct sw_animation *sw_animation_new(const struct sw_theme *, struct sw_error *);
void sw_animation_free(struct sw_animation *); /* NULL is allowed */
/* One page more; the scene is not needed afterwards. All must have the size of the first. */
bool sw_animation_add(struct sw_animation *, const struct sw_scene *, struct sw_error *);
/* Each page stands for 1 / fps seconds and the last one for `hold` more; then it begins again. */
bool sw_animation_write(const struct sw_animation *, double fps, double hold, struct sw_sink *, struct sw_error *);

#endif
