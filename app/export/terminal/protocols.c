/* Kitty's protocol, iTerm2's and sixels. Chafa makes sixels and finds the symbols for cells in parts. The other two it
 * would send without compression and without numbers by which a part could be replaced; they are a few lines here. */
#include "export/terminal/protocols.h"
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

/* ---- Chafa ---- */

#ifdef SW_HAS_CHAFA
/* What Chafa takes: red, green, blue, alpha. */
static void put_rgba(unsigned char *at, uint32_t color, bool seen) {
    at[0] = (unsigned char)(color >> 16);
    at[1] = (unsigned char)(color >> 8);
    at[2] = (unsigned char)color;
    at[3] = seen ? 255 : 0;
}

/* Colors as they are: no dithering, no preparing of photographs. */
static ChafaCanvasConfig *plain_config(ChafaPixelMode mode, int columns, int rows, int width, int height) {
    ChafaCanvasConfig *config = sw_chafa.chafa_canvas_config_new();
    sw_chafa.chafa_canvas_config_set_pixel_mode(config, mode);
    sw_chafa.chafa_canvas_config_set_canvas_mode(config, CHAFA_CANVAS_MODE_TRUECOLOR);
    sw_chafa.chafa_canvas_config_set_dither_mode(config, CHAFA_DITHER_MODE_NONE);
    sw_chafa.chafa_canvas_config_set_preprocessing_enabled(config, FALSE);
    sw_chafa.chafa_canvas_config_set_geometry(config, columns, rows);
    sw_chafa.chafa_canvas_config_set_cell_geometry(config, width, height);
    return config;
}

bool sw_send_sixel(const struct sw_pixels *pixels, const struct sw_pixel_part *part, struct sw_sink *sink,
                   struct sw_error *error) {
    /* A row of sixels is six pixels high; Chafa makes whole ones, so that what is below the part is left as it is. */
    unsigned height = (part->height + 5) / 6 * 6;
    size_t bytes = (size_t)part->width * height * 4;
    unsigned char *rgba = sw_late_load_chafa(error) ? SW_NEW_ZERO(unsigned char, bytes) : NULL;
    if (!rgba) {
        return error && error->code ? false : sw_fail_memory(error);
    }
    for (unsigned y = 0; y < part->height; y++) {
        const uint32_t *row = pixel_row(pixels, part, y);
        for (unsigned x = 0; x < part->width; x++) {
            put_rgba(rgba + ((size_t)y * part->width + x) * 4, row[x], true);
        }
    }
    ChafaCanvasConfig *config = plain_config(CHAFA_PIXEL_MODE_SIXELS, 1, 1, (int)part->width, (int)height);
    ChafaCanvas *canvas = sw_chafa.chafa_canvas_new(config);
    sw_chafa.chafa_canvas_draw_all_pixels(canvas, CHAFA_PIXEL_RGBA8_UNASSOCIATED, rgba, (int)part->width, (int)height,
                                          (int)part->width * 4);
    ChafaTermInfo *terminal = sw_chafa.chafa_term_db_get_fallback_info(sw_chafa.chafa_term_db_get_default());
    GString *text = sw_chafa.chafa_canvas_print(canvas, terminal);
    /* Without the new line at the end, which scrolls the screen when the part ends near its last row. */
    size_t length = text->len, end = sizeof "\033\\" - 1;
    length -= length > end && text->str[length - end - 1] == '-' ? end + 1 : end;
    sw_sink_add(sink, text->str, length);
    sw_sink_add(sink, "\033\\", end);
    g_string_free(text, TRUE);
    sw_chafa.chafa_term_info_unref(terminal);
    sw_chafa.chafa_canvas_unref(canvas);
    sw_chafa.chafa_canvas_config_unref(config);
    SW_FREE(rgba, bytes);
    return !sink->failed || sw_fail_memory(error);
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
    ChafaCanvasConfig *config = plain_config(CHAFA_PIXEL_MODE_SYMBOLS, (int)cut->count, 1, SYMBOL, SYMBOL);
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
        put_rgba(rgba + 4 * i, cut->parts[x / SYMBOL * cut->across * cut->down + part], true);
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
bool sw_send_sixel(const struct sw_pixels *pixels, const struct sw_pixel_part *part, struct sw_sink *sink,
                   struct sw_error *error) {
    (void)pixels, (void)part, (void)sink;
    return sw_late_load_chafa(error);
}

bool sw_cut_cells(const struct sw_cut *cut, struct sw_cut_cell *cells, struct sw_error *error) {
    (void)cut, (void)cells;
    return sw_late_load_chafa(error);
}
#endif
