/* Colours: from the theme's red, green and blue to what the terminal has. */
#include "tui/internal.h"

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

static int nearest_basic(struct sw_colour colour, int count) {
    int best = 0, best_distance = INT32_MAX;
    for (int i = 0; i < count; i++) {
        int d = distance(colour, basic[i].red, basic[i].green, basic[i].blue);
        if (d < best_distance) {
            best = i;
            best_distance = d;
        }
    }
    return best;
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

int sw_colour_index(struct sw_colour colour, int colours) {
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
    return nearest_basic(colour, colours >= 16 ? 16 : 8);
}
