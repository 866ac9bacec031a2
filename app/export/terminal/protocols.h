/* Pixels as the bytes that terminals take for pictures. */
#ifndef SW_EXPORT_PROTOCOLS_H
#define SW_EXPORT_PROTOCOLS_H

#include "export/terminal/painter.h"

/* A picture, 0x00rrggbb, row by row. */
struct sw_pixels {
    unsigned width, height;
    uint32_t *items;
};
/* A part of one, as so many cells. */
struct sw_pixel_part {
    unsigned left, top, width, height;
    unsigned columns, rows;
};

/* Draw the scene on all of the pixels. */
bool sw_export_pixels(const struct sw_scene *, const struct sw_theme *, struct sw_pixels *, struct sw_error *);
bool sw_export_png_part(const struct sw_pixels *, const struct sw_pixel_part *, struct sw_sink *, struct sw_error *);

/* The part where the cursor is. */
bool sw_send_kitty(const struct sw_pixels *, const struct sw_pixel_part *, uint32_t id, struct sw_sink *,
                   struct sw_error *);
bool sw_send_iterm2(const struct sw_pixels *, const struct sw_pixel_part *, struct sw_sink *, struct sw_error *);
bool sw_send_sixel(const struct sw_pixels *, const struct sw_pixel_part *, unsigned most_colors, struct sw_sink *,
                   struct sw_error *);
bool sw_cut_cells(const struct sw_cut *, struct sw_cut_cell *, struct sw_error *);

#endif
