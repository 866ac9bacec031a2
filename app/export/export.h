/* Pictures: a scene drawn with cairo, as SVG, PNG or PDF.
 *
 * Nothing here knows planners or problems: the scene says everything. Bytes go to a sink, so that a
 * picture exists entirely or not at all. The same scene and theme give the same PNG. */
#ifndef SW_EXPORT_EXPORT_H
#define SW_EXPORT_EXPORT_H

#include "formats/format.h"
#include "view/view.h"

enum sw_picture { SW_PICTURE_SVG, SW_PICTURE_PNG, SW_PICTURE_PDF };
/* By the extension of the path. */
bool sw_picture_of(const char *path, enum sw_picture *, struct sw_error *);

#define SW_PICTURE_WIDTH 1120.0 /* points, the default */
#define SW_PICTURE_HEIGHT 630.0
#define SW_PICTURE_DPI 144.0    /* of a PNG: two pixels a point */

/* Draw the scene, which must be a page (sw_view_page). */
bool sw_export_scene(const struct sw_scene *, const struct sw_theme *, enum sw_picture,
                     struct sw_sink *, struct sw_error *);

struct sw_export {
    const char *view;  /* NULL: "layout" */
    const char *theme; /* NULL: "light" */
    const char *title; /* NULL: made from the input's name and the planner */
    double width, height; /* points; 0 = the default */
    double scale;      /* everything so many times as large, on a page of the same size; 0 = 1 */
    double dpi;        /* of a PNG: pixels per 72 points; 0 = the default */
};
/* One view of a run to a file. Of the input everything but sizes, marks and `paper` is used as it is. */
bool sw_export_file(const struct sw_view_input *, const struct sw_export *, const char *path,
                    struct sw_error *);

#endif
