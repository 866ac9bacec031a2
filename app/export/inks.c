/* What color things are drawn in. */
#include "export/drawing.h"

struct sw_color sw_drawing_ink(const struct sw_drawing *drawing, enum sw_style style) {
    /* Bars have text of their own ground; on paper they are ordinary text. */
    if (style == SW_STYLE_HEADER || style == SW_STYLE_FOOTER || style == SW_STYLE_KEY) {
        style = SW_STYLE_TEXT;
    }
    if (style == SW_STYLE_CURRENT) {
        style = SW_STYLE_STRONG; /* dark on yellow there, but no yellow behind plain text */
    }
    const struct sw_look *look = &drawing->theme->styles[style];
    return look->foreground.set ? look->foreground : drawing->theme->foreground;
}

struct sw_color sw_drawing_ground(const struct sw_drawing *drawing, enum sw_style style) {
    const struct sw_look *look = &drawing->theme->styles[style];
    return look->background.set ? look->background : drawing->theme->background;
}

/* The line of a curve: its series' color, dark enough for a thin line on paper. */
struct sw_color sw_drawing_curve_ink(const struct sw_drawing *drawing, unsigned hue) {
    struct sw_color fill = drawing->theme->blocks[hue % SW_LOOKS].background;
    struct sw_color ink = drawing->theme->foreground;
    return (struct sw_color){.red = (uint8_t)((2 * fill.red + ink.red) / 3),
                             .green = (uint8_t)((2 * fill.green + ink.green) / 3),
                             .blue = (uint8_t)((2 * fill.blue + ink.blue) / 3),
                             .set = true};
}

/* How much of its color lies on the page, by how full an area is; [0]: of several that are all the same. Hues are pale
 * already. */
static const double merged_alphas[2][1 + SW_MERGED_LEVELS] = {{0.36, 0.16, 0.26, 0.36, 0.46},
                                                              {0.8, 0.35, 0.55, 0.78, 1}};

/* A scale from pale to strong says something else: there what is less full is not paler but grayer. */
double sw_drawing_merged(const struct sw_drawing *drawing, unsigned hue, unsigned level, struct sw_color *color) {
    struct sw_color gray = sw_drawing_ink(drawing, SW_STYLE_MERGED);
    hue = drawing->theme->colors ? hue : 0;
    *color = hue ? drawing->theme->blocks[(hue - 1) % SW_LOOKS].background : gray;
    if (hue > SW_HUES && level > 0 && level < SW_MERGED_LEVELS) {
        color->red = (uint8_t)((color->red * level + gray.red * (SW_MERGED_LEVELS - level)) / SW_MERGED_LEVELS);
        color->green = (uint8_t)((color->green * level + gray.green * (SW_MERGED_LEVELS - level)) / SW_MERGED_LEVELS);
        color->blue = (uint8_t)((color->blue * level + gray.blue * (SW_MERGED_LEVELS - level)) / SW_MERGED_LEVELS);
    }
    return merged_alphas[hue > 0][level <= SW_MERGED_LEVELS ? level : 0];
}
