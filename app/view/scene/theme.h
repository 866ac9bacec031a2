/* Themes: from semantic names to colors. A theme is a Lua table (themes/ shows the names); terminal and
 * pictures use the same one. */
#ifndef SW_VIEW_THEME_H
#define SW_VIEW_THEME_H

#include "base/error.h"

#include <stddef.h>

/* Everything that can be colored: identifier, its name in theme files, what it is for. */
#define SW_STYLES(X)                                               \
    X(TEXT, "text", "ordinary text")                               \
    X(DIM, "dim", "text of less weight: units, hints, axes")       \
    X(STRONG, "strong", "text of more weight: titles, the peak")   \
    X(HEADER, "header", "the bar at the top")                      \
    X(FOOTER, "footer", "the bar at the bottom")                   \
    X(KEY, "key", "a key in the footer or the help")               \
    X(BORDER, "border", "lines between panes")                     \
    X(AXIS, "axis", "axes and ticks")                              \
    X(BLOCK, "block", "a placed block; the theme lists several")   \
    X(MERGED, "merged", "several blocks too small to draw")        \
    X(CURRENT, "current", "the block the last decision was about") \
    X(SELECTED, "selected", "the block under the cursor")          \
    X(GHOST, "ghost", "a place that was refused")                  \
    X(FITS, "fits", "a place that would have fitted")              \
    X(CHOSEN, "chosen", "the place that was taken")                \
    X(REFUSED, "refused", "why not")                               \
    X(GAP, "gap", "free memory")                                   \
    X(LIVE, "live", "the curve of live bytes")                     \
    X(PEAK, "peak", "the peak")                                    \
    X(BOUND, "bound", "the lower bound")                           \
    X(CAPACITY, "capacity", "the capacity of a tier")              \
    X(CURSOR, "cursor", "the cursor over time")                    \
    X(PINNED, "pinned", "a block that is pinned")                  \
    X(TRANSFER, "transfer", "a move between tiers")                \
    X(WARNING, "warning", "something to mind")                     \
    X(ERROR, "error", "something went wrong")

enum sw_style {
#define X(id, name, meaning) SW_STYLE_##id,
    SW_STYLES(X)
#undef X
        SW_STYLE_COUNT
};
const char *sw_style_name(enum sw_style);

#define SW_HUES 8 /* block colors in a theme */
/* What the back ends draw blocks in: those colors, a scale from pale to strong, and one for blocks that none of them
 * stands for; each of these bases in several tones, which say nothing but tell neighbors apart. The look of a mark is
 * the base's number + SW_BASES for each tone further. */
enum {
    SW_RAMP = 4,
    SW_HUE_NEUTRAL = SW_HUES + SW_RAMP,
    SW_BASES = SW_HUE_NEUTRAL + 1,
    SW_TONES = 4,
    SW_LOOKS = SW_BASES * SW_TONES
};

struct sw_color {
    uint8_t red, green, blue;
    bool set;
};
enum { SW_ATTRIBUTE_BOLD = 1, SW_ATTRIBUTE_REVERSE = 2, SW_ATTRIBUTE_UNDERLINE = 4, SW_ATTRIBUTE_DIM = 8 };
struct sw_look {
    struct sw_color foreground, background;
    unsigned attributes;
};
struct sw_theme {
    char name[32];
    struct sw_color background, foreground; /* of the page */
    struct sw_look styles[SW_STYLE_COUNT];
    struct sw_look blocks[SW_LOOKS]; /* a theme's file gives the first SW_HUES, sw_theme_shade the others */
    bool colors;                     /* false: monochrome, attributes and patterns only */
};
/* How light a color is, from 0 to 255. */
double sw_color_lightness(struct sw_color);
/* Make the looks that no file gives, of those that it gives. */
void sw_theme_shade(struct sw_theme *);

#endif
