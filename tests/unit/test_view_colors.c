/* The color-blind safe theme as simulated eyes see it: what stands side by side stays apart.
 *
 * Protanopia and deuteranopia as Vienot, Brettel and Mollon (1999) reduce them to one matrix each,
 * tritanopia as the two half planes of Brettel, Vienot and Mollon (1997); all in linear sRGB.
 * Distances are CIE 1976, in L*a*b*. */
#include <stdlib.h>

#include "unit/unit.h"

#include "export/drawing.h"
#include "view/scene/theme.h"
#include "lua/theme_file.h"

#include <math.h>

enum eye { USUAL, PROTAN, DEUTAN, TRITAN, EYES };
static const char *const eye_names[EYES] = {"usual", "protan", "deutan", "tritan"};
struct triple {
    double v[3];
};
struct matrix {
    double v[3][3];
};

static const struct matrix protan = {{{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}}};
static const struct matrix deutan = {{{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}}};
static const struct matrix tritan[2] = {
    {{{1.01277, 0.13548, -0.14826}, {-0.01243, 0.86812, 0.14431}, {0.07589, 0.80500, 0.11911}}},
    {{{0.93678, 0.18979, -0.12657}, {0.06154, 0.81526, 0.12320}, {-0.37562, 1.12767, 0.24796}}}};
static const struct triple tritan_plane = {{0.03901, -0.02788, -0.01113}}; /* its normal */

static struct triple times(const struct matrix *matrix, struct triple from) {
    struct triple to = {{0}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            to.v[i] += matrix->v[i][k] * from.v[k];
        }
        to.v[i] = fmin(fmax(to.v[i], 0), 1);
    }
    return to;
}

static struct triple seen(struct triple linear, enum eye eye) {
    double side = 0;
    for (int i = 0; i < 3; i++) {
        side += tritan_plane.v[i] * linear.v[i];
    }
    return eye == PROTAN   ? times(&protan, linear)
           : eye == DEUTAN ? times(&deutan, linear)
           : eye == TRITAN ? times(&tritan[side < 0], linear)
                           : linear;
}

static double linear_of(uint8_t value) {
    double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static struct triple light(struct sw_color color) {
    return (struct triple){{linear_of(color.red), linear_of(color.green), linear_of(color.blue)}};
}

static double luminance(struct triple linear) {
    return 0.2126 * linear.v[0] + 0.7152 * linear.v[1] + 0.0722 * linear.v[2];
}

static double curve(double t) {
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static struct triple lab(struct sw_color color, enum eye eye) {
    struct triple s = seen(light(color), eye);
    double x = (0.4124 * s.v[0] + 0.3576 * s.v[1] + 0.1805 * s.v[2]) / 0.95047;
    double z = (0.0193 * s.v[0] + 0.1192 * s.v[1] + 0.9505 * s.v[2]) / 1.08883;
    double y = luminance(s);
    return (struct triple){{116 * curve(y) - 16, 500 * (curve(x) - curve(y)), 200 * (curve(y) - curve(z))}};
}

static double apart(struct sw_color a, struct sw_color b, enum eye eye) {
    struct triple x = lab(a, eye), y = lab(b, eye);
    return sqrt(pow(x.v[0] - y.v[0], 2) + pow(x.v[1] - y.v[1], 2) + pow(x.v[2] - y.v[2], 2));
}

static double lighter(struct sw_color a, struct sw_color b, enum eye eye) {
    return fabs(lab(a, eye).v[0] - lab(b, eye).v[0]);
}

static double contrast(struct sw_color a, struct sw_color b) {
    double x = luminance(light(a)), y = luminance(light(b));
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static struct sw_theme load(const char *name) {
    struct sw_theme theme;
    struct sw_error error = {0};
    if (!sw_theme_load(name, &theme, &error)) {
        fail_msg("%s", error.message);
    }
    return theme;
}

/* The simulations themselves: white stays white, each eye loses what it is known to lose, and the
 * two half planes of the third meet. */
static void eyes(void **state) {
    (void)state;
    static const struct sw_color white = {255, 255, 255, true}, red = {200, 0, 0, true};
    static const struct sw_color olive = {94, 94, 0, true}, green = {0, 120, 0, true};
    static const struct sw_color blue = {0, 90, 160, true}, teal = {0, 105, 105, true};
    for (enum eye eye = USUAL; eye < EYES; eye++) {
        assert_true(fabs(lab(white, eye).v[0] - 100) < 0.1);
        assert_true(apart(white, (struct sw_color){255, 255, 255, true}, eye) < 0.001);
    }
    assert_true(apart(red, green, DEUTAN) < apart(red, green, USUAL) / 3);
    assert_true(apart(olive, green, PROTAN) < apart(olive, green, USUAL) / 2);
    assert_true(apart(blue, teal, TRITAN) < apart(blue, teal, USUAL) / 2);
    const struct triple edges[] = {{{0.2788, 0.3901, 0}}, {{0.1113, 0, 0.3901}}};
    for (int i = 0; i < 2; i++) {
        struct triple a = times(&tritan[0], edges[i]), b = times(&tritan[1], edges[i]);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(a.v[k] - b.v[k]) < 0.001);
        }
    }
}

enum { MOST_TOGETHER = 6, APART = 20, BLOCKS_APART = 18 };
/* What the eye has to tell apart at one glance. */
static const enum sw_style together[][MOST_TOGETHER] = {
    /* places on the map */
    {SW_STYLE_GHOST, SW_STYLE_FITS, SW_STYLE_CHOSEN, SW_STYLE_SELECTED, SW_STYLE_TRANSFER},
    {SW_STYLE_PINNED, SW_STYLE_SELECTED, SW_STYLE_GHOST, SW_STYLE_FITS},
    /* lines over it */
    {SW_STYLE_PEAK, SW_STYLE_BOUND, SW_STYLE_CAPACITY, SW_STYLE_CURSOR},
    /* the table of candidates */
    {SW_STYLE_CHOSEN, SW_STYLE_FITS, SW_STYLE_REFUSED, SW_STYLE_SELECTED},
    /* sentences and lists */
    {SW_STYLE_TEXT, SW_STYLE_DIM, SW_STYLE_PEAK, SW_STYLE_SELECTED},
    {SW_STYLE_TEXT, SW_STYLE_WARNING, SW_STYLE_ERROR},
};

static void styles_stay_apart(void **state) {
    (void)state;
    struct sw_theme theme = load("colorblind");
    for (size_t g = 0; g < sizeof together / sizeof *together; g++) {
        /* TEXT is 0: it ends a row, or begins it. */
        for (int i = 1; i < MOST_TOGETHER && together[g][i]; i++) {
            for (int k = 0; k < i; k++) {
                enum sw_style a = together[g][i], b = together[g][k];
                for (enum eye eye = USUAL; eye < EYES; eye++) {
                    double d = apart(theme.styles[a].foreground, theme.styles[b].foreground, eye);
                    if (d < APART) {
                        fail_msg("%s and %s are %.1f apart for %s eyes", sw_style_name(a), sw_style_name(b), d,
                                 eye_names[eye]);
                    }
                }
            }
        }
    }
}

/* Any two blocks may touch; those with hues three apart do so most (hue_of in map.c). */
static void blocks_stay_apart(void **state) {
    (void)state;
    struct sw_theme theme = load("colorblind");
    for (enum eye eye = USUAL; eye < EYES; eye++) {
        for (int i = 0; i < SW_HUES; i++) {
            struct sw_color a = theme.blocks[i].background;
            struct sw_color next = theme.blocks[(i + 3) % SW_HUES].background;
            for (int k = 0; k < i; k++) {
                struct sw_color b = theme.blocks[k].background;
                if (apart(a, b, eye) < BLOCKS_APART || lighter(a, b, eye) < 4) {
                    fail_msg("blocks %d and %d are %.1f apart, %.1f in lightness, for %s eyes", k + 1, i + 1,
                             apart(a, b, eye), lighter(a, b, eye), eye_names[eye]);
                }
            }
            if (lighter(a, next, eye) < 14) {
                fail_msg("blocks %d and %d are %.1f apart in lightness for %s eyes", i + 1, (i + 3) % SW_HUES + 1,
                         lighter(a, next, eye), eye_names[eye]);
            }
            assert_true(apart(a, theme.background, eye) >= BLOCKS_APART);
            assert_true(apart(a, theme.styles[SW_STYLE_CURRENT].background, eye) >= 15);
        }
    }
}

static void can_be_read(void **state) {
    (void)state;
    struct sw_theme theme = load("colorblind");
    for (int i = 0; i < SW_HUES; i++) {
        assert_true(contrast(theme.blocks[i].foreground, theme.blocks[i].background) >= 4.5);
    }
    for (int i = 0; i < SW_STYLE_COUNT; i++) {
        const struct sw_look *look = &theme.styles[i];
        struct sw_color ground = look->background.set ? look->background : theme.background;
        bool line = i == SW_STYLE_BORDER || i == SW_STYLE_GAP; /* no text is written in them */
        double least = line ? 2 : i == SW_STYLE_LIVE ? 3 : 4.5;
        if (contrast(look->foreground, ground) < least) {
            fail_msg("%s has a contrast of %.1f", sw_style_name((enum sw_style)i), contrast(look->foreground, ground));
        }
    }
}

/* The theme that is printed in black and white: nothing but greys, of which those that lie beside
 * each other differ in lightness. */
static bool is_grey(struct sw_color color) {
    return color.red == color.green && color.green == color.blue;
}

static void greys_are_grey(void **state) {
    (void)state;
    struct sw_theme grey = load("grey");
    assert_true(is_grey(grey.background) && is_grey(grey.foreground));
    for (int i = 0; i < SW_STYLE_COUNT; i++) {
        assert_true(is_grey(grey.styles[i].foreground) && is_grey(grey.styles[i].background));
        const struct sw_look *look = &grey.styles[i];
        struct sw_color ground = look->background.set ? look->background : grey.background;
        bool line = i == SW_STYLE_BORDER || i == SW_STYLE_GAP;
        if (contrast(look->foreground, ground) < (line ? 2 : 4.5)) {
            fail_msg("%s has a contrast of %.1f", sw_style_name((enum sw_style)i), contrast(look->foreground, ground));
        }
    }
    for (int i = 0; i < SW_HUES; i++) {
        struct sw_color own = grey.blocks[i].background;
        assert_true(is_grey(own) && is_grey(grey.blocks[i].foreground));
        assert_true(contrast(grey.blocks[i].foreground, own) >= 4.5);
        assert_true(lighter(own, grey.background, USUAL) >= 6);
        assert_true(lighter(own, grey.styles[SW_STYLE_CURRENT].background, USUAL) >= 4);
        assert_true(lighter(own, grey.blocks[(i + 3) % SW_HUES].background, USUAL) >= 10);
        for (int k = 0; k < i; k++) {
            if (lighter(own, grey.blocks[k].background, USUAL) < 4) {
                fail_msg("blocks %d and %d are %.1f apart", k + 1, i + 1,
                         lighter(own, grey.blocks[k].background, USUAL));
            }
        }
    }
    /* Lines over the map, and the curve below it. */
    assert_true(lighter(grey.styles[SW_STYLE_PEAK].foreground, grey.styles[SW_STYLE_CAPACITY].foreground, USUAL) >= 20);
    assert_true(lighter(grey.styles[SW_STYLE_PEAK].foreground, grey.styles[SW_STYLE_BOUND].foreground, USUAL) >= 15);
    assert_true(lighter(grey.styles[SW_STYLE_LIVE].background, grey.background, USUAL) >= 10);
    assert_false(is_grey(load("light").blocks[0].background));
}

/* The measure must be able to say no: the usual theme was not made for these eyes. */
static void the_usual_theme_would_fail(void **state) {
    (void)state;
    struct sw_theme theme = load("dark");
    double least = INFINITY;
    for (enum eye eye = PROTAN; eye < EYES; eye++) {
        for (int i = 0; i < SW_HUES; i++) {
            for (int k = 0; k < i; k++) {
                least = fmin(least, apart(theme.blocks[i].background, theme.blocks[k].background, eye));
            }
        }
    }
    assert_true(least < BLOCKS_APART);
}

/* ---- every look that a block can have, in every theme ---- */

static const struct {
    const char *name;
    double tones, looks, usual; /* what is measured, rounded down: two tones of a hue; any two looks of hues, for any
                                 * eye and for the usual one */
} built_in[] = {{"light", 4.7, 5.6, 8},       {"dark", 4.7, 5.9, 20}, {"contrast", 5, 5.2, 20},
                {"colorblind", 3.9, 4.2, 11}, {"grey", 2, 2, 2},      {"mono", 2, 2, 2}};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

/* The least distance between a look of [from, to) and another one, in all its tones: of the same base or of another. */
static double least_apart(const struct sw_theme *theme, unsigned from, unsigned to, bool same, enum eye eye) {
    double least = INFINITY;
    for (unsigned a = 0; a < SW_LOOKS; a++) {
        for (unsigned b = 0; b < a; b++) {
            unsigned one = a % SW_BASES, other = b % SW_BASES;
            if (one >= from && one < to && other >= from && other < to && (one == other) == same) {
                least = fmin(least, apart(theme->blocks[a].background, theme->blocks[b].background, eye));
            }
        }
    }
    return least;
}

/* Whatever two blocks touch, they have not the same look (blocks_that_touch_differ of test_export.c), and no two looks
 * are alike to any eye: not the tones of one hue, nor any tone of one and any of another. */
static void looks_stay_apart(void **state) {
    (void)state;
    for (size_t t = 0; t < BUILT_IN; t++) {
        struct sw_theme theme = load(built_in[t].name);
        for (enum eye eye = USUAL; eye < EYES; eye++) {
            double tones = least_apart(&theme, 0, SW_HUES, true, eye),
                   looks = least_apart(&theme, 0, SW_HUES, false, eye);
            double steps = least_apart(&theme, SW_HUES, SW_HUES + SW_RAMP, false, eye);
            double wanted = eye == USUAL ? built_in[t].usual : built_in[t].looks;
            if (tones < built_in[t].tones || looks < wanted || steps < 2) {
                fail_msg("%s, %s eyes: tones are %.2f apart, looks %.2f, those of the scale %.2f", built_in[t].name,
                         eye_names[eye], tones, looks, steps);
            }
        }
        assert_true(least_apart(&theme, SW_HUES, SW_HUES + SW_RAMP, true, USUAL) >= 2);
    }
    assert_null(sw_theme_names()[BUILT_IN]);
    /* On paper none is near to the bar of the peak, a tint of that color. */
    struct sw_theme paper = load("light");
    struct sw_color peak = paper.styles[SW_STYLE_PEAK].foreground;
    const struct sw_color tint = {.set = true,
                                  .red = (uint8_t)lround(peak.red * 0.4 + 255 * 0.6),
                                  .green = (uint8_t)lround(peak.green * 0.4 + 255 * 0.6),
                                  .blue = (uint8_t)lround(peak.blue * 0.4 + 255 * 0.6)};
    for (unsigned i = 0; i < SW_HUES; i++) {
        assert_true(apart(tint, paper.blocks[i].background, USUAL) >= 14);
        assert_true(apart(peak, paper.blocks[i].background, USUAL) >= 20);
    }
}

/* Names are read on each of them. */
static void looks_can_be_read(void **state) {
    (void)state;
    for (size_t t = 0; t < BUILT_IN; t++) {
        struct sw_theme theme = load(built_in[t].name);
        for (unsigned look = 0; look < SW_LOOKS; look++) {
            double c = contrast(theme.blocks[look].foreground, theme.blocks[look].background);
            if (look % SW_BASES != SW_HUE_NEUTRAL && c < 4.5) {
                fail_msg("%s: names on look %u have a contrast of %.2f", built_in[t].name, look, c);
            }
        }
    }
}

static struct sw_color merged_color(const struct sw_theme *theme, unsigned hue, unsigned level) {
    const struct sw_drawing drawing = {.theme = theme};
    struct sw_color ink, page = theme->background;
    double much = sw_drawing_merged(&drawing, hue, level, &ink);
    return (struct sw_color){.set = true,
                             .red = (uint8_t)lround(ink.red * much + page.red * (1 - much)),
                             .green = (uint8_t)lround(ink.green * much + page.green * (1 - much)),
                             .blue = (uint8_t)lround(ink.blue * much + page.blue * (1 - much))};
}

/* How full an area is can be seen in each color: its steps are apart from each other, and from the page. */
static void merged_steps_stay_apart(void **state) {
    (void)state;
    static const char *const themes[] = {"light", "dark", "contrast", "colorblind", "grey", "mono"};
    for (size_t t = 0; t < sizeof themes / sizeof *themes; t++) {
        const struct sw_theme theme = load(themes[t]);
        for (unsigned hue = 0; hue <= SW_HUES; hue++) {
            struct sw_color below = theme.background;
            for (unsigned level = 1; level <= SW_MERGED_LEVELS; level++) {
                const struct sw_color seen = merged_color(&theme, hue, level);
                if (apart(seen, below, USUAL) < 1.2) {
                    fail_msg("%s: hue %u, %u quarters full looks like one less (%.1f)", themes[t], hue, level,
                             apart(seen, below, USUAL));
                }
                below = seen;
            }
        }
    }
}

/* What stands for several blocks has the color of none: on paper its ink lies thinly on the page. Where all is grey,
 * blocks have edges, too, and a smaller difference does. */
static void merged_blocks_stay_apart(void **state) {
    (void)state;
    static const char *const themes[] = {"light", "dark", "contrast", "colorblind", "grey", "mono"};
    for (size_t t = 0; t < sizeof themes / sizeof *themes; t++) {
        const struct sw_theme theme = load(themes[t]);
        double least = t < 4 ? APART - 4 : 1.7;
        for (unsigned level = 0; level <= SW_MERGED_LEVELS; level++) {
            const struct sw_color seen = merged_color(&theme, 0, level);
            for (size_t i = 0; i < SW_HUES; i++) {
                if (apart(seen, theme.blocks[i].background, USUAL) < least) {
                    fail_msg("%s: merged blocks of level %u look like hue %zu (%.1f)", themes[t], level, i,
                             apart(seen, theme.blocks[i].background, USUAL));
                }
            }
        }
    }
}

int main(void) {
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eyes),
        cmocka_unit_test(styles_stay_apart),
        cmocka_unit_test(blocks_stay_apart),
        cmocka_unit_test(looks_stay_apart),
        cmocka_unit_test(looks_can_be_read),
        cmocka_unit_test(merged_blocks_stay_apart),
        cmocka_unit_test(merged_steps_stay_apart),
        cmocka_unit_test(can_be_read),
        cmocka_unit_test(greys_are_grey),
        cmocka_unit_test(the_usual_theme_would_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
