/* The looks of blocks that a theme's file does not give: the scale, and the tones of all. */
#include "view/scene/theme.h"

#include <stdbool.h>

static struct sw_color mix_colors(struct sw_color a, struct sw_color b, double share) {
    return (struct sw_color){.red = (uint8_t)(a.red + (b.red - a.red) * share + 0.5),
                             .green = (uint8_t)(a.green + (b.green - a.green) * share + 0.5),
                             .blue = (uint8_t)(a.blue + (b.blue - a.blue) * share + 0.5),
                             .set = true};
}

static double lightness_of(struct sw_color color) {
    return 0.3 * color.red + 0.59 * color.green + 0.11 * color.blue;
}

/* Shades of a color, each less apart from it than other hues are; the last is needed rarely. Greys lie close together,
 * and theirs between them. */
static struct sw_color shade_of(struct sw_color color, unsigned tone) {
    static const struct sw_color white = {255, 255, 255, true}, black = {0, 0, 0, true};
    if (color.red == color.green && color.green == color.blue) {
        int step = color.red > 246 ? -4 * (int)tone : tone == 1 ? 4 : tone == 2 ? -4 : -8;
        uint8_t value = (uint8_t)(color.red + step < 0 ? 4 * (int)tone : color.red + step);
        return (struct sw_color){value, value, value, true};
    }
    return tone == 2 ? mix_colors(color, black, 0.08) : mix_colors(color, white, tone == 1 ? 0.24 : 0.48);
}

/* Writing on a ground: as the theme has it there, or black or white. */
static struct sw_color ink_on(struct sw_color ground, struct sw_color ink) {
    bool near = lightness_of(ground) - lightness_of(ink) < 90 && lightness_of(ink) - lightness_of(ground) < 90;
    uint8_t value = lightness_of(ground) > 120 ? 0 : 255;
    return near ? (struct sw_color){value, value, value, true} : ink;
}

void sw_theme_shade(struct sw_theme *theme) {
    static const struct sw_color white = {255, 255, 255, true};
    const struct sw_look *strongest = &theme->blocks[0];
    for (unsigned i = 1; i < SW_HUES; i++) {
        const struct sw_look *look = &theme->blocks[i];
        strongest = lightness_of(look->background) < lightness_of(strongest->background) ? look : strongest;
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
        }
    }
}
