/* Pictures: a scene drawn with cairo, as SVG, PNG or PDF.
 *
 * Nothing here knows planners or problems: the scene says everything. Bytes go to a sink, so that a
 * picture exists entirely or not at all. The same scene and theme give the same PNG. */
#ifndef SW_EXPORT_EXPORT_H
#define SW_EXPORT_EXPORT_H

#include "formats/format.h"
#include "view/view.h"

enum sw_picture { SW_PICTURE_SVG, SW_PICTURE_PNG, SW_PICTURE_PDF, SW_PICTURE_HTML };
/* By the extension of the path. */
bool sw_picture_of(const char *path, enum sw_picture *, struct sw_error *);

#define SW_PICTURE_WIDTH 1120.0 /* points, the default */
#define SW_PICTURE_HEIGHT 630.0
#define SW_PICTURE_DPI 144.0 /* of a PNG: two pixels a point */

#define SW_PAPER_WIDTH 842.0 /* A4, on its long side: the default of views with several pages */
#define SW_PAPER_HEIGHT 595.0

/* Draw the scene, which must be a page (sw_view_page). */
bool sw_export_scene(const struct sw_scene *, const struct sw_theme *, enum sw_picture, struct sw_sink *,
                     struct sw_error *);

/* The same in a process of its own (apart.h), which a library may end when memory runs out. */
bool sw_export_scene_apart(const struct sw_scene *, const struct sw_theme *, enum sw_picture, struct sw_sink *,
                           struct sw_error *);

/* Several pages as one PDF, each of its own size, with a list of contents. `build` makes page number i,
 * from 0, into a scene that comes cleared; what the first says is the file's title and description. */
struct sw_pages {
    uint32_t count;
    bool (*build)(void *context, uint32_t page, struct sw_scene *, struct sw_error *);
    void *context;
};
bool sw_export_pages(const struct sw_pages *, const struct sw_theme *, struct sw_sink *, struct sw_error *);

struct sw_export {
    const char *view;     /* NULL: "layout" */
    const char *theme;    /* NULL: "light" */
    const char *title;    /* NULL: made from the input's name and the planner */
    double width, height; /* points; 0 = the default */
    double scale;         /* everything so many times as large, on a page of the same size; 0 = 1 */
    double dpi;           /* of a PNG: pixels per 72 points; 0 = the default */
    /* Before each page of several; false ends it with an error. NULL: nothing is called. */
    bool (*told)(void *context, uint32_t done, uint32_t count);
    void *context;
};
/* A view and its input, ready for sw_export_page. */
struct sw_ready {
    const struct sw_view *view;
    struct sw_view_input in;
    struct sw_theme theme;
    double scale, dpi;
};
bool sw_export_prepare(const struct sw_view_input *, const struct sw_export *, struct sw_ready *, struct sw_error *);
/* The page of an input, which is ready->in or differs from it in its step or page. */
void sw_export_page(const struct sw_ready *, const struct sw_view_input *, struct sw_scene *);
/* One view of a run to a file, drawn in a process of its own. Of the input everything but sizes, marks and `paper` is
 * used as it is. */
bool sw_export_file(const struct sw_view_input *, const struct sw_export *, const char *path, struct sw_error *);

/* web_page.c: 'sha256-...' of a style or a script in a page, which has to be named so to be obeyed. */
void sw_web_hash(struct sw_sink *, const char *text, size_t length);

/* ---- animation.c: pages of the same size, one after the other, as one SVG that a browser plays without a script ----
 *
 * What stays from one page to the next is written once, with the time for which it is seen, so that a
 * long animation of few changes is a small file. It is played with CSS, and not at all where the viewer
 * asked for little motion; where nothing moves (in print, in most programs that are not browsers) the
 * last page is seen. */
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
