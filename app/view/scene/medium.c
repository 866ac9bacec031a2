#include "view/scene/medium.h"
#include "view/pages/page.h"

/* What pages have in common with small pictures on them. */
#define ON_PAPER                                                                                                     \
    .row = SW_PAGE_ROW, .character = SW_PAGE_CHARACTER, .gap = SW_PAGE_GAP, .heading = SW_PAGE_HEADING,              \
    .ticks = SW_PAGE_TICKS, .name_width = 7, .name_height = 6, .name_row = 9, .arrow_room = 24, .arrow_apart = 4,    \
    .gutter_name = 11, .smaller = SW_SMALL_ON_PAGE, .still = true, .fine = true, .legend = true, .live_below = true, \
    .axis_titles = true, .long_units = true, .file_times = true, .whole_names = true, .hex_addresses = true,         \
    .square = true

const struct sw_medium sw_media[SW_MEDIA] = {
    [SW_ON_CELLS] = {.row = 1,
                     .character = 1,
                     .margin = 1,
                     .gap = 1,
                     .gutter = 7,
                     .gutter_from = 32,
                     .heading = 1,
                     .ticks = 1,
                     .tick_room = 10,
                     .level_room = 3,
                     .low_level_room = 2,
                     .name_width = 2,
                     .name_height = 1,
                     .name_row = 1,
                     .arrow_room = 4,
                     .arrow_apart = 1,
                     .gutter_name = 6,
                     .smaller = SW_ON_CELLS},
    [SW_ON_PAGE] = {ON_PAPER, .gutter = SW_PAGE_GUTTER, .right = SW_PAGE_RIGHT, .tick_room = 80, .level_room = 34,
                    .low_level_room = 34, .fit_addresses = true},
    [SW_SMALL_ON_PAGE] = {ON_PAPER, .gutter = SW_PAGE_SMALL_GUTTER, .right = SW_PAGE_SMALL_RIGHT, .tick_room = 50,
                          .level_room = 24, .low_level_room = 24, .brief = true},
    /* Points, with the explorer's habits. */
    [SW_IN_PIXELS] = {.row = SW_PAGE_ROW,
                      .character = SW_PAGE_CHARACTER,
                      .gap = SW_PAGE_GAP,
                      .gutter = SW_PAGE_SMALL_GUTTER,
                      .gutter_from = 200,
                      .right = 84,
                      .heading = SW_PAGE_ROW + 2,
                      .ticks = SW_PAGE_ROW + 4,
                      .tick_room = 60,
                      .level_room = 30,
                      .low_level_room = 20,
                      .name_width = 7,
                      .name_height = 6,
                      .name_row = 9,
                      .arrow_room = 24,
                      .arrow_apart = 4,
                      .gutter_name = 6,
                      .smaller = SW_IN_PIXELS,
                      .fine = true,
                      .square = true},
};
