/* Kitty's protocol, iTerm2's and sixels, and the symbols for cells in parts, which Chafa finds. It has these protocols,
 * too, but sends kitty's and iTerm2's without compression and without numbers by which a part could be replaced, and
 * sixels with colors that are near those of the picture and more than the terminal may have. */
#include "export/terminal/protocols.h"
#include "base/sort.h"
#include "base/base.h"
#include "export/late.h"

#include <zlib.h>

static void add_base64(struct sw_sink *sink, const unsigned char *bytes, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t used = 0;
    for (size_t i = 0; i < length; i += 3) {
        size_t have = SW_MIN(length - i, 3);
        unsigned word =
            (unsigned)bytes[i] << 16 | (have > 1 ? (unsigned)bytes[i + 1] << 8 : 0) | (have > 2 ? bytes[i + 2] : 0);
        for (unsigned k = 0; k < 4; k++) {
            text[used++] = k <= have ? digits[word >> (18 - 6 * k) & 63] : '=';
        }
        if (used == sizeof text) {
            sw_sink_add(sink, text, used);
            used = 0;
        }
    }
    sw_sink_add(sink, text, used);
}

static const uint32_t *pixel_row(const struct sw_pixels *pixels, const struct sw_pixel_part *part, unsigned y) {
    return pixels->items + (size_t)(part->top + y) * pixels->width + part->left;
}

/* ---- kitty's ---- */

/* Red, green, blue, compressed: pictures of plots are mostly long runs. */
static unsigned char *deflated_part(const struct sw_pixels *pixels, const struct sw_pixel_part *part, size_t *room,
                                    uLongf *length) {
    size_t raw = (size_t)part->width * part->height * 3;
    unsigned char *plain = SW_NEW(unsigned char, raw);
    *room = compressBound(raw);
    unsigned char *packed = plain ? SW_NEW(unsigned char, *room) : NULL;
    unsigned char *at = plain;
    for (unsigned y = 0; packed && y < part->height; y++) {
        const uint32_t *row = pixel_row(pixels, part, y);
        for (unsigned x = 0; x < part->width; x++) {
            *at++ = (unsigned char)(row[x] >> 16);
            *at++ = (unsigned char)(row[x] >> 8);
            *at++ = (unsigned char)row[x];
        }
    }
    *length = *room;
    if (packed && compress2(packed, length, plain, raw, 1) != Z_OK) {
        SW_FREE(packed, *room);
        packed = NULL;
    }
    SW_FREE(plain, raw);
    return packed;
}

bool sw_send_kitty(const struct sw_pixels *pixels, const struct sw_pixel_part *part, uint32_t id, struct sw_sink *sink,
                   struct sw_error *error) {
    enum { CHUNK = 3072 }; /* 4096 bytes of base64, the most that a chunk may have */
    size_t room;
    uLongf length;
    unsigned char *packed = deflated_part(pixels, part, &room, &length);
    if (!packed) {
        return sw_fail_memory(error);
    }
    for (size_t from = 0; from < length; from += CHUNK) {
        size_t count = SW_MIN(length - from, CHUNK);
        if (from == 0) {
            sw_sink_printf(sink, "\033_Ga=T,q=2,f=24,o=z,s=%u,v=%u,i=%u,p=1,c=%u,r=%u,C=1,m=%d;", part->width,
                           part->height, id, part->columns, part->rows, length > count);
        } else {
            sw_sink_printf(sink, "\033_Gq=2,m=%d;", from + count < length);
        }
        add_base64(sink, packed + from, count);
        sw_sink_add(sink, "\033\\", 2);
    }
    SW_FREE(packed, room);
    return !sink->failed || sw_fail_memory(error);
}

/* ---- iTerm2's ---- */

bool sw_send_iterm2(const struct sw_pixels *pixels, const struct sw_pixel_part *part, struct sw_sink *sink,
                    struct sw_error *error) {
    struct sw_sink png = {0};
    bool good = sw_export_png_part(pixels, part, &png, error);
    if (good) {
        sw_sink_printf(sink,
                       "\033]1337;File=inline=1;size=%zu;width=%u;height=%u;preserveAspectRatio=0:", png.text.count,
                       part->columns, part->rows);
        add_base64(sink, (const unsigned char *)png.text.items, png.text.count);
        sw_sink_add(sink, "\a", 1);
        good = !sink->failed || sw_fail_memory(error);
    }
    sw_sink_done(&png);
    return good;
}

/* ---- sixels ---- */

/* Colors there are told in hundredths. */
static unsigned hundredths(uint32_t color) {
    unsigned key = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        key = key << 7 | ((color >> shift & 255) * 100 + 127) / 255;
    }
    return key;
}

struct sixel_color {
    unsigned key;   /* hundredths of red, green and blue, 7 bits each */
    uint32_t count; /* pixels */
};
struct sixels {
    SW_ARRAY(struct sixel_color) colors; /* from the one at 0 on, as terminals number them */
    uint8_t *bits;                       /* of a row of sixels: of each color, a byte for each column */
    bool *seen;                          /* which colors that row has */
    unsigned most, chosen;               /* that there may be; that have a number of their own */
    const struct sw_pixels *pixels;
    const struct sw_pixel_part *part;
    struct sw_sink *sink;
};

/* The number of each color, by its hundredths, and 1; 0: it has none. Between pictures all are 0. */
static uint16_t sixel_numbers[1 << 21];

static bool count_colors_of(struct sixels *s) {
    enum { MOST_COLORS = 60000 };
    for (unsigned y = 0; y < s->part->height; y++) {
        const uint32_t *row = pixel_row(s->pixels, s->part, y);
        for (unsigned x = 0, run; x < s->part->width; x += run) {
            for (run = 1; x + run < s->part->width && row[x + run] == row[x];) {
                run++;
            }
            uint16_t *number = &sixel_numbers[hundredths(row[x])];
            if (!*number && s->colors.count < MOST_COLORS) {
                if (!SW_PUSH(&s->colors, (struct sixel_color){hundredths(row[x]), 0})) {
                    return false;
                }
                *number = (uint16_t)s->colors.count;
            }
            if (*number) {
                s->colors.items[*number - 1].count += run;
            }
        }
    }
    return true;
}

SW_BY_FIELDS(compare_sixel_colors, struct sixel_color, SW_DOWN(count), SW_UP(key))

static int keys_apart(unsigned a, unsigned b) {
    int red = (int)(a >> 14) - (int)(b >> 14), green = (int)(a >> 7 & 127) - (int)(b >> 7 & 127);
    int blue = (int)(a & 127) - (int)(b & 127);
    return 3 * red * red + 5 * green * green + 2 * blue * blue;
}

/* Half of the numbers are for the most frequent; the others for those, in turn, to which none of these is near. What
 * has no number of its own is shown by the nearest that has. */
static void number_colors(struct sixels *s) {
    enum { NEARLY_SAME = 60 };
    unsigned chosen = 0;
    qsort(s->colors.items, s->colors.count, sizeof *s->colors.items, compare_sixel_colors);
    for (size_t i = 0; i < s->colors.count; i++) {
        struct sixel_color color = s->colors.items[i];
        unsigned number = 0;
        int least = INT_MAX;
        for (unsigned k = 0; k < chosen && s->colors.count > s->most; k++) {
            int apart = keys_apart(color.key, s->colors.items[k].key);
            number = apart < least ? k : number;
            least = SW_MIN(apart, least);
        }
        if (chosen < s->most && (chosen < s->most / 2 || least > NEARLY_SAME)) {
            number = chosen++;
            s->colors.items[i] = s->colors.items[number];
            s->colors.items[number] = color;
        }
        sixel_numbers[color.key] = (uint16_t)(number + 1);
    }
    s->chosen = chosen;
}

/* A run of one sixel. */
static void put_sixels(struct sw_sink *sink, unsigned bits, unsigned run) {
    char letter = (char)('?' + bits);
    if (run > 3) {
        sw_sink_printf(sink, "!%u%c", run, letter);
    } else {
        sw_sink_add(sink, (char[]){letter, letter, letter}, run);
    }
}

static void put_sixel_row(struct sixels *s, unsigned top) {
    unsigned width = s->part->width, height = SW_MIN(s->part->height - top, 6u);
    memset(s->seen, 0, s->most);
    for (unsigned y = 0; y < height; y++) {
        const uint32_t *row = pixel_row(s->pixels, s->part, top + y);
        for (unsigned x = 0, run; x < width; x += run) {
            for (run = 1; x + run < width && row[x + run] == row[x];) {
                run++;
            }
            unsigned color = sixel_numbers[hundredths(row[x])];
            color = color ? color - 1 : 0;
            uint8_t *bits = s->bits + (size_t)color * width;
            if (!s->seen[color]) {
                s->seen[color] = true;
                memset(bits, 0, width);
            }
            for (unsigned i = 0; i < run; i++) {
                bits[x + i] = (uint8_t)(bits[x + i] | 1u << y);
            }
        }
    }
    bool first = true;
    for (unsigned color = 0; color < s->chosen; color++) {
        const uint8_t *bits = s->bits + (size_t)color * width;
        if (!s->seen[color]) {
            continue;
        }
        sw_sink_printf(s->sink, "%s#%u", first ? "" : "$", color);
        first = false;
        for (unsigned x = 0, run; x < width; x += run) {
            for (run = 1; x + run < width && bits[x + run] == bits[x];) {
                run++;
            }
            if (bits[x] || x + run < width) {
                put_sixels(s->sink, bits[x], run);
            }
        }
    }
}

bool sw_send_sixel(const struct sw_pixels *pixels, const struct sw_pixel_part *part, unsigned most,
                   struct sw_sink *sink, struct sw_error *error) {
    struct sixels s = {.most = most, .pixels = pixels, .part = part, .sink = sink};
    bool good = count_colors_of(&s);
    s.most = SW_MIN(s.most, (unsigned)s.colors.count);
    s.bits = good ? SW_NEW(uint8_t, (size_t)s.most * part->width) : NULL;
    s.seen = s.bits ? SW_NEW(bool, s.most) : NULL;
    if (s.seen) {
        number_colors(&s);
        sw_sink_printf(sink, "\033P0;1;0q\"1;1;%u;%u", part->width, part->height);
        for (unsigned i = 0; i < s.chosen; i++) {
            unsigned key = s.colors.items[i].key;
            sw_sink_printf(sink, "#%u;2;%u;%u;%u", i, key >> 14, key >> 7 & 127, key & 127);
        }
        /* No new line after the last row: near the end of the screen it would scroll. */
        for (unsigned top = 0; top < part->height; top += 6) {
            sw_sink_add(sink, "-", top > 0);
            put_sixel_row(&s, top);
        }
        sw_sink_add(sink, "\033\\", 2);
    }
    good = s.seen && !sink->failed;
    for (size_t i = 0; i < s.colors.count; i++) {
        sixel_numbers[s.colors.items[i].key] = 0;
    }
    SW_FREE(s.bits, (size_t)s.most * part->width);
    SW_FREE(s.seen, s.most);
    SW_ARRAY_DONE(&s.colors);
    return good || sw_fail_memory(error);
}

/* ---- parts of cells ---- */

#ifdef SW_HAS_CHAFA
/* What Chafa takes: red, green, blue, alpha. */
static void put_rgba(unsigned char *at, uint32_t color) {
    at[0] = (unsigned char)(color >> 16);
    at[1] = (unsigned char)(color >> 8);
    at[2] = (unsigned char)color;
    at[3] = 255;
}

enum { SYMBOL = 8 }; /* pixels of a symbol on either side, in Chafa */

/* The part of a cell that a pixel belongs to: of three, the one in the middle is the smaller, as in Chafa. */
static unsigned part_of(unsigned pixel, unsigned parts) {
    return parts != 3 ? pixel * parts / SYMBOL : pixel < 3 ? 0 : pixel < 5 ? 1 : 2;
}

static ChafaCanvas *symbol_canvas(const struct sw_cut *cut) {
    unsigned tags = (unsigned)CHAFA_SYMBOL_TAG_SPACE | (unsigned)CHAFA_SYMBOL_TAG_SOLID;
    tags |= cut->down == 3     ? (unsigned)CHAFA_SYMBOL_TAG_SEXTANT | (unsigned)CHAFA_SYMBOL_TAG_HALF
            : cut->across == 2 ? (unsigned)CHAFA_SYMBOL_TAG_QUAD | (unsigned)CHAFA_SYMBOL_TAG_HALF
                               : (unsigned)CHAFA_SYMBOL_TAG_VHALF;
    ChafaCanvasConfig *config = sw_chafa.chafa_canvas_config_new();
    /* Colors as they are: no dithering, no preparing of photographs, no mean of several. */
    sw_chafa.chafa_canvas_config_set_color_extractor(config, CHAFA_COLOR_EXTRACTOR_MEDIAN);
    sw_chafa.chafa_canvas_config_set_canvas_mode(config, CHAFA_CANVAS_MODE_TRUECOLOR);
    sw_chafa.chafa_canvas_config_set_dither_mode(config, CHAFA_DITHER_MODE_NONE);
    sw_chafa.chafa_canvas_config_set_preprocessing_enabled(config, FALSE);
    sw_chafa.chafa_canvas_config_set_geometry(config, (int)cut->count, 1);
    sw_chafa.chafa_canvas_config_set_cell_geometry(config, SYMBOL, SYMBOL);
    ChafaSymbolMap *symbols = sw_chafa.chafa_symbol_map_new();
    sw_chafa.chafa_symbol_map_add_by_tags(symbols, (ChafaSymbolTags)tags);
    sw_chafa.chafa_canvas_config_set_symbol_map(config, symbols);
    ChafaCanvas *canvas = sw_chafa.chafa_canvas_new(config);
    sw_chafa.chafa_symbol_map_unref(symbols);
    sw_chafa.chafa_canvas_config_unref(config);
    return canvas;
}

bool sw_cut_cells(const struct sw_cut *cut, struct sw_cut_cell *cells, struct sw_error *error) {
    size_t width = cut->count * SYMBOL, bytes = width * SYMBOL * 4;
    unsigned char *rgba = sw_late_load_chafa(error) ? SW_NEW(unsigned char, bytes) : NULL;
    if (!rgba) {
        return error && error->code ? false : sw_fail_memory(error);
    }
    for (size_t i = 0; i < bytes / 4; i++) {
        unsigned x = (unsigned)(i % width), y = (unsigned)(i / width);
        unsigned part = part_of(y, cut->down) * cut->across + part_of(x % SYMBOL, cut->across);
        put_rgba(rgba + 4 * i, cut->parts[x / SYMBOL * cut->across * cut->down + part]);
    }
    ChafaCanvas *canvas = symbol_canvas(cut);
    sw_chafa.chafa_canvas_draw_all_pixels(canvas, CHAFA_PIXEL_RGBA8_UNASSOCIATED, rgba, (int)width, SYMBOL,
                                          (int)width * 4);
    for (size_t i = 0; i < cut->count; i++) {
        int front = 0, back = 0;
        cells[i].character = sw_chafa.chafa_canvas_get_char_at(canvas, (int)i, 0);
        sw_chafa.chafa_canvas_get_colors_at(canvas, (int)i, 0, &front, &back);
        cells[i].front = (uint32_t)front & 0xffffff;
        cells[i].back = (uint32_t)back & 0xffffff;
    }
    sw_chafa.chafa_canvas_unref(canvas);
    SW_FREE(rgba, bytes);
    return true;
}
#else
bool sw_cut_cells(const struct sw_cut *cut, struct sw_cut_cell *cells, struct sw_error *error) {
    (void)cut, (void)cells;
    return sw_late_load_chafa(error);
}
#endif
