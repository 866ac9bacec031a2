/* The looks of blocks that a theme's file does not give: the scale, and the tones of all. */
#include "view/scene/theme.h"
#include "base/base.h"

#include <stdbool.h>

static struct sw_color mix_colors(struct sw_color a, struct sw_color b, double share) {
    return (struct sw_color){.red = (uint8_t)(a.red + (b.red - a.red) * share + 0.5),
                             .green = (uint8_t)(a.green + (b.green - a.green) * share + 0.5),
                             .blue = (uint8_t)(a.blue + (b.blue - a.blue) * share + 0.5),
                             .set = true};
}

double sw_color_lightness(struct sw_color color) {
    return 0.3 * color.red + 0.59 * color.green + 0.11 * color.blue;
}

/* Shades of a color, each darker than the one before and less apart from it than other hues are. Of greys the second
 * is between the first two: it is needed less. */
static struct sw_color shade_of(struct sw_color color, unsigned tone) {
    static const struct sw_color black = {0, 0, 0, true};
    static const int greys[SW_TONES] = {0, 12, 6, 18};
    if (color.red == color.green && color.green == color.blue) {
        uint8_t value = (uint8_t)SW_MAX(color.red - greys[tone], 0);
        return (struct sw_color){value, value, value, true};
    }
    return mix_colors(color, black, (sw_color_lightness(color) < 128 ? 0.13 : 0.08) * tone);
}

/* How bright it is, from 0 to 1, near enough. */
static double luminance_of(struct sw_color color) {
    return (0.21 * color.red * color.red + 0.72 * color.green * color.green + 0.07 * color.blue * color.blue) / 65025;
}

/* Writing on a ground: as the theme has it there, where that can be read; or black or white. */
static struct sw_color ink_on(struct sw_color ground, struct sw_color ink) {
    double of_ground = luminance_of(ground) + 0.05, of_ink = luminance_of(ink) + 0.05;
    bool near = SW_MAX(of_ground, of_ink) < 5.4 * SW_MIN(of_ground, of_ink);
    uint8_t value = of_ground > 0.25 ? 0 : 255;
    return near ? (struct sw_color){value, value, value, true} : ink;
}

void sw_theme_shade(struct sw_theme *theme) {
    static const struct sw_color white = {255, 255, 255, true};
    const struct sw_look *strongest = &theme->blocks[0];
    for (unsigned i = 1; i < SW_HUES; i++) {
        const struct sw_look *look = &theme->blocks[i];
        strongest = sw_color_lightness(look->background) < sw_color_lightness(strongest->background) ? look : strongest;
    }
    struct sw_color pale = mix_colors(strongest->background, white, 0.82);
    for (unsigned k = 0; k < SW_RAMP; k++) {
        struct sw_look *look = &theme->blocks[SW_HUES + k];
        *look = *strongest;
        look->background = mix_colors(pale, strongest->background, (double)k / (SW_RAMP - 1));
        look->foreground = ink_on(look->background, look->foreground);
    }
    theme->blocks[SW_HUE_NEUTRAL] = theme->styles[SW_STYLE_BLOCK];
    for (unsigned i = 0; i < SW_BASES; i++) {
        for (unsigned tone = 1; tone < SW_TONES; tone++) {
            struct sw_look *look = &theme->blocks[i + tone * SW_BASES];
            *look = theme->blocks[i];
            look->background = shade_of(look->background, tone);
            look->foreground = ink_on(look->background, look->foreground);
        }
    }
}
