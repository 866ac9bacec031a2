/* What scenes are drawn on, as data: how large things are there, and what is usual.
 *
 * A view asks for the number or the habit that it needs, never for the medium itself; a new medium is a row in the
 * table. Lengths are in units of the scene: cells in a terminal, points on a page. */
#ifndef SW_VIEW_MEDIUM_H
#define SW_VIEW_MEDIUM_H

#include <stdbool.h>

/* SW_SMALL_ON_PAGE: a map among others, with little room beside it; a list that is cut short. SW_IN_PIXELS: a plot of
 * the explorer that the terminal draws in pixels. */
enum sw_medium_kind { SW_ON_CELLS, SW_ON_PAGE, SW_SMALL_ON_PAGE, SW_IN_PIXELS, SW_MEDIA };

struct sw_medium {
    /* Text. */
    double row;       /* height of a row of a table */
    double character; /* a generous mean width */
    double margin;    /* left of tables: where the current row is marked */
    double gap;       /* between small plots */
    /* Round the body of a plot. */
    double gutter, gutter_from;   /* left of it, in plots at least that wide */
    double right, heading, ticks; /* right of it, above it, below it */
    /* Least room: of a tick of time; of a level, and of one in a low plot; of a name in a block, in a gutter's row;
     * of an arrow, and between two. */
    double tick_room, level_room, low_level_room;
    double name_width, name_height, name_row;
    double arrow_room, arrow_apart;
    unsigned gutter_name;        /* characters of a name in the gutter */
    enum sw_medium_kind smaller; /* for one of several small plots */
    /* Habits. */
    bool
        still; /* it stands still: no cursor, no keys; a run at its end is shown as a layout, without a last decision */
    bool fine; /* lines and texts may stand anywhere, also beside and between blocks */
    bool legend;        /* styles are told in a legend, figures in a caption */
    bool live_below;    /* the live bytes belong to the map */
    bool axis_titles;   /* what an axis is stands at it; else the panel's title says it */
    bool long_units;    /* "7.66 MiB", not "7.66M" */
    bool file_times;    /* ticks tell the file's own times wherever these are no steps */
    bool whole_names;   /* names are not cut */
    bool hex_addresses; /* with a base address ticks are hexadecimal ... */
    bool fit_addresses; /* ... and the gutter makes room for them */
    bool square;        /* a unit is as wide as it is high */
    bool brief;         /* what can be left out is */
};
extern const struct sw_medium sw_media[SW_MEDIA];

#endif
