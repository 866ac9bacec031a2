/* Colours: from the theme's red, green and blue to what the terminal has. */
#include "tui/tui_internal.h"

/* The sixteen that terminals agree on, more or less (xterm's). */
static const struct {
    uint8_t red, green, blue;
} basic[16] = {{0, 0, 0},       {205, 0, 0},   {0, 205, 0},   {205, 205, 0},
               {0, 0, 238},     {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
               {127, 127, 127}, {255, 0, 0},   {0, 255, 0},   {255, 255, 0},
               {92, 92, 255},   {255, 0, 255}, {0, 255, 255}, {255, 255, 255}};

static int distance(struct sw_colour a, int red, int green, int blue) {
    /* Green weighs most, as in the eye. */
    int dr = a.red - red, dg = a.green - green, db = a.blue - blue;
    return 3 * dr * dr + 5 * dg * dg + 2 * db * db;
}

static int brightness(int red, int green, int blue) {
    return (3 * red + 5 * green + 2 * blue) / 10;
}

/* With eight or sixteen the shade is lost and the hue must carry the difference: a pale blue is
 * blue, not white, so that neighbours still differ. */
static int basic_colour(struct sw_colour colour, int count) {
    int most = colour.red > colour.green ? colour.red : colour.green;
    int least = colour.red < colour.green ? colour.red : colour.green;
    most = colour.blue > most ? colour.blue : most;
    least = colour.blue < least ? colour.blue : least;
    int light = brightness(colour.red, colour.green, colour.blue);
    if ((most - least) * 4 < most || most < 60) {
        return light < 60                   ? 0
               : light < 150 && count == 16 ? 8
               : light > 235 && count == 16 ? 15
                                            : 7;
    }
    int half = (most + least) / 2;
    int hue = (colour.red > half) | (colour.green > half) << 1 | (colour.blue > half) << 2;
    return hue + (count == 16 && light > 140 ? 8 : 0);
}

static int cube_level(int value) {
    return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

static int nearest_256(struct sw_colour colour) {
    static const int levels[6] = {0, 95, 135, 175, 215, 255};
    int r = cube_level(colour.red), g = cube_level(colour.green), b = cube_level(colour.blue);
    int grey = ((int)colour.red + colour.green + colour.blue) / 3;
    int step = grey < 8 ? 0 : grey > 238 ? 23 : (grey - 3) / 10;
    int level = 8 + 10 * step;
    bool greyer =
        distance(colour, level, level, level) < distance(colour, levels[r], levels[g], levels[b]);
    return greyer ? 232 + step : 16 + 36 * r + 6 * g + b;
}

static int index_of(struct sw_colour colour, int colours) {
    if (!colour.set || colours < 8) {
        return -1;
    }
    if (colours >= 1 << 24) {
        int index = colour.red << 16 | colour.green << 8 | colour.blue;
        return index < 8 ? 8 : index; /* 0 to 7 are the palette's even here */
    }
    if (colours >= 256) {
        return nearest_256(colour);
    }
    return basic_colour(colour, colours >= 16 ? 16 : 8);
}

void sw_colour_pair(struct sw_colour front, struct sw_colour back, int colours, int *foreground,
                    int *background) {
    int f = index_of(front, colours), b = index_of(back, colours);
    if (f >= 0 && b >= 0 && colours <= 16) {
        int ink = brightness(basic[f].red, basic[f].green, basic[f].blue);
        int paper = brightness(basic[b].red, basic[b].green, basic[b].blue);
        if (ink - paper < 70 && paper - ink < 70) {
            f = paper > 110 ? 0 : 7; /* two shades came too near: keep the writing readable */
        }
    } else if (f == b && f >= 0) {
        f = brightness(back.red, back.green, back.blue) > 127 ? (colours == 256 ? 16 : 8)
                                                              : (colours == 256 ? 231 : 0xffffff);
    }
    *foreground = f;
    *background = b;
}
