/* A plot of curves: lines with points over round axes, or stems where x has names; a legend. For reports of
 * experiments. */
#ifndef SW_VIEW_XYPLOT_H
#define SW_VIEW_XYPLOT_H

#include "view/scene/scene.h"

struct sw_xypoint {
    double x, y; /* finite */
};
struct sw_xyseries {
    const char *name;
    const struct sw_xypoint *points;
    size_t count;
    const char *const *told; /* what is told of each point; NULL: made from the axes */
};
struct sw_xyplot {
    const char *title, *subtitle; /* may be NULL */
    const char *x, *y;            /* of the axes; may be NULL */
    const char *const *names;     /* of x = 1, 2, 3 ... instead of numbers; NULL */
    size_t name_count;
    bool log_x, log_y;     /* every x, or y, is above 0 then */
    bool bytes_x, bytes_y; /* ticks in KiB, MiB ... */
    const struct sw_xyseries *series;
    size_t count;
    double width, height; /* points */
};
/* Fill the scene with a page that holds the plot. */
void sw_view_xyplot(const struct sw_xyplot *, struct sw_scene *);

/* The curves of the plot into a panel that has its place and its ranges. Were some equal, so that they lie on each
 * other? */
enum sw_xy_parts { SW_XY_LINES = 1, SW_XY_POINTS = 2 };
bool sw_xy_curves(const struct sw_xyplot *, struct sw_scene *, struct sw_panel *, unsigned parts);

/* The look of one of several curves: those first that stay apart best. After eight the colors come again, with other
 * dashes and shapes. */
unsigned sw_series_hue(size_t series);
enum sw_dash sw_series_dash(size_t series);
enum sw_shape sw_series_shape(size_t series);

#endif
