/* Colors: from the theme's red, green and blue to what the terminal has. */
#include "tui/tui_internal.h"
#include "base/minmax.h"

/* The sixteen that terminals agree on, more or less (xterm's). */
static const struct {
    uint8_t red, green, blue;
} basic[16] = {{0, 0, 0},     {205, 0, 0},     {0, 205, 0},     {205, 205, 0},  {0, 0, 238}, {205, 0, 205},
               {0, 205, 205}, {229, 229, 229}, {127, 127, 127}, {255, 0, 0},    {0, 255, 0}, {255, 255, 0},
               {92, 92, 255}, {255, 0, 255},   {0, 255, 255},   {255, 255, 255}};

static int color_distance(struct sw_color a, int red, int green, int blue) {
    /* Green weighs most, as in the eye. */
    int dr = a.red - red, dg = a.green - green, db = a.blue - blue;
    return 3 * dr * dr + 5 * dg * dg + 2 * db * db;
}

static int brightness(int red, int green, int blue) {
    return (3 * red + 5 * green + 2 * blue) / 10;
}

/* With eight or sixteen the shade is lost and the hue must carry the difference: a pale blue is
 * blue, not white, so that neighbors still differ. */
static int basic_color(struct sw_color color, int count) {
    int most = SW_MAX(color.red, color.green);
    int least = SW_MIN(color.red, color.green);
    most = SW_MAX(color.blue, most);
    least = SW_MIN(color.blue, least);
    int light = brightness(color.red, color.green, color.blue);
    if ((most - least) * 4 < most || most < 60) {
        return light < 60 ? 0 : light < 150 && count == 16 ? 8 : light > 235 && count == 16 ? 15 : 7;
    }
    int half = (most + least) / 2;
    int hue = (color.red > half) | (color.green > half) << 1 | (color.blue > half) << 2;
    return hue + (count == 16 && light > 140 ? 8 : 0);
}

static int cube_level(int value) {
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

static const uint8_t cube_levels[6] = {0, 95, 135, 175, 215, 255};

static int nearest_256(struct sw_color color) {
    const uint8_t *levels = cube_levels;
    int r = cube_level(color.red), g = cube_level(color.green), b = cube_level(color.blue);
    int grey = ((int)color.red + color.green + color.blue) / 3;
    int step = grey < 8 ? 0 : grey > 238 ? 23 : (grey - 3) / 10;
    int level = 8 + 10 * step;
    bool greyer = color_distance(color, level, level, level) < color_distance(color, levels[r], levels[g], levels[b]);
    return greyer ? 232 + step : 16 + 36 * r + 6 * g + b;
}

static int nearest_color(struct sw_color color, int colors) {
    if (!color.set || colors < 8) {
        return -1;
    }
    if (colors >= 1 << 24) {
        int index = color.red << 16 | color.green << 8 | color.blue;
        return index < 8 ? 8 : index; /* 0 to 7 are the palette's even here */
    }
    if (colors >= 256) {
        return nearest_256(color);
    }
    return basic_color(color, colors >= 16 ? 16 : 8);
}

struct sw_color sw_color_shown(struct sw_color color, int colors) {
    if (!color.set || colors != 256) {
        return color;
    }
    int index = nearest_256(color), cube = index - 16;
    uint8_t level = (uint8_t)(8 + 10 * (index - 232));
    return index >= 232
               ? (struct sw_color){level, level, level, true}
               : (struct sw_color){cube_levels[cube / 36], cube_levels[cube / 6 % 6], cube_levels[cube % 6], true};
}

void sw_color_pair(struct sw_color front, struct sw_color back, int colors, int *foreground, int *background) {
    int f = nearest_color(front, colors), b = nearest_color(back, colors);
    if (f >= 0 && b >= 0 && colors <= 16) {
        int ink = brightness(basic[f].red, basic[f].green, basic[f].blue);
        int paper = brightness(basic[b].red, basic[b].green, basic[b].blue);
        if (ink - paper < 70 && paper - ink < 70) {
            f = paper > 110 ? 0 : 7; /* two shades came too near: keep the writing readable */
        }
    } else if (f == b && f >= 0) {
        f = brightness(back.red, back.green, back.blue) > 127 ? (colors == 256 ? 16 : 8)
                                                              : (colors == 256 ? 231 : 0xffffff);
    }
    *foreground = f;
    *background = b;
}
