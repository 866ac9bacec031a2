/* What the color of a block says: its class, which only the problem decides, so that it is the same in every picture of
 * the problem, whatever the plan; or that and another one which is set beside it, so that both have the same classes.
 */
#ifndef SW_VIEW_COLOR_CLASSES_H
#define SW_VIEW_COLOR_CLASSES_H

#include "view/view.h"

struct sw_color_classes {
    const struct sw_problem *problem; /* a reference; NULL: nothing is known */
    enum sw_coloring asked, by;       /* by: never AUTO */
    bool few;                         /* by identity: each has a color that no other has */
    /* By operator, stack or kind, each hue that is used; by size and lifetime the largest of each step of the scale. */
    const char *names[SW_HUES]; /* "": several, which have no hue of their own; NULL: none */
    uint32_t others;            /* classes that share that hue */
    uint64_t most[SW_RAMP];
    uint8_t *bases; /* per buffer, what block color of a theme; by identity and by tier: NULL */
    size_t count;
};
/* Zero it to start with. `beside`: NULL, or the problem of the other side. False: no memory, and it is done. */
bool sw_color_classes_of(struct sw_color_classes *, const struct sw_problem *, const struct sw_problem *beside,
                         enum sw_coloring asked);
void sw_color_classes_done(struct sw_color_classes *);
/* The classes as an earlier frame left them; NULL: nothing is lent, or no memory. */
const struct sw_color_classes *sw_frame_cache_classes(struct sw_frame_cache *, const struct sw_problem *,
                                                      enum sw_coloring asked);
/* What a class is called in a legend; NULL: it has no entry. */
const char *sw_color_class_words(const struct sw_color_classes *, struct sw_scene *, unsigned base);

#endif
