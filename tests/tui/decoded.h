/* A terminal that shows pixels, for tests: it reads the bytes that a program sends, and keeps what sixels, kitty's
 * protocol and iTerm2's have drawn. Text and erasing take the pixels of their cells away, but kitty's lie above text;
 * of text nothing else is kept. */
#ifndef SW_TUI_DECODED_H
#define SW_TUI_DECODED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <zlib.h>

#define NO_PIXEL 0xff000000u

struct shown {
    unsigned columns, rows, wide, high; /* cells, and pixels of one */
    uint32_t *pixels;                   /* NO_PIXEL: nothing */
    unsigned column, row;
    unsigned pictures, deleted, colors; /* how many came; the most colors that one of sixels had */
    bool broken;                        /* something could not be understood */
    bool above;                         /* its pictures lie above text */
    uint32_t last;                      /* columns of the last character, which may be repeated */
    struct {
        uint32_t id;
        unsigned left, top, width, height;
    } placed[4096]; /* kitty's pictures */
    size_t count;
    uint32_t id; /* of the one that comes in parts: */
    unsigned width, height;
    unsigned char *data;
    size_t length;
};

static inline void shown_open(struct shown *s, unsigned columns, unsigned rows, unsigned wide, unsigned high) {
    memset(s, 0, sizeof *s);
    s->columns = columns;
    s->rows = rows;
    s->wide = wide;
    s->high = high;
    size_t count = (size_t)columns * wide * rows * high;
    s->pixels = malloc(count * sizeof *s->pixels);
    for (size_t i = 0; s->pixels && i < count; i++) {
        s->pixels[i] = NO_PIXEL;
    }
}

static inline void shown_done(struct shown *s) {
    free(s->pixels);
    free(s->data);
}

static inline uint32_t *shown_pixel(struct shown *s, unsigned x, unsigned y) {
    return x < s->columns * s->wide && y < s->rows * s->high ? &s->pixels[(size_t)y * s->columns * s->wide + x] : NULL;
}

static inline void put_pixel(struct shown *s, unsigned x, unsigned y, uint32_t color) {
    uint32_t *pixel = shown_pixel(s, x, y);
    if (pixel) {
        *pixel = color;
    } else {
        s->broken = true;
    }
}

/* RGB, row by row, where the cursor is. */
static inline void put_rgb(struct shown *s, const unsigned char *rgb, unsigned width, unsigned height) {
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++, rgb += 3) {
            put_pixel(s, s->column * s->wide + x, s->row * s->high + y,
                      (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2]);
        }
    }
    s->pictures++;
}

/* ---- base64 ---- */

static inline size_t decode_base64(const char *text, size_t length, unsigned char *to) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned word = 0, bits = 0;
    size_t used = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const char *digit = strchr(digits, text[i]);
        word = word << 6 | (unsigned)(digit ? digit - digits : 0);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            to[used++] = (unsigned char)(word >> bits);
        }
    }
    return used;
}

/* ---- kitty's ---- */

static inline unsigned kitty_number(const char *keys, const char *end, char key) {
    for (const char *at = keys; at < end; at++) {
        if (*at == key && at[1] == '=' && (at == keys || at[-1] == ',')) {
            return (unsigned)strtoul(at + 2, NULL, 10);
        }
    }
    return 0;
}

static inline void forget_picture(struct shown *s, size_t i) {
    for (unsigned y = 0; y < s->placed[i].height; y++) {
        for (unsigned x = 0; x < s->placed[i].width; x++) {
            put_pixel(s, s->placed[i].left + x, s->placed[i].top + y, NO_PIXEL);
        }
    }
    s->placed[i] = s->placed[--s->count];
    s->deleted++;
}

static inline void show_kitty(struct shown *s) {
    uLongf room = (uLongf)s->width * s->height * 3;
    unsigned char *rgb = malloc(room + 1);
    if (!rgb || uncompress(rgb, &room, s->data, s->length) != Z_OK || room != (uLongf)s->width * s->height * 3) {
        s->broken = true;
        free(rgb);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->placed[i].id == s->id) { /* it is replaced */
            forget_picture(s, i);
            s->deleted--;
        }
    }
    s->above = true;
    put_rgb(s, rgb, s->width, s->height);
    free(rgb);
    s->broken |= s->count == 4096;
    if (!s->broken) {
        s->placed[s->count].id = s->id;
        s->placed[s->count].left = s->column * s->wide;
        s->placed[s->count].top = s->row * s->high;
        s->placed[s->count].width = s->width;
        s->placed[s->count++].height = s->height;
    }
}

static inline void read_kitty(struct shown *s, const char *from, const char *end) {
    const char *data = memchr(from, ';', (size_t)(end - from)), *keys = data ? data : end;
    const char *action = strstr(from, "a=");
    if (action && action < keys && action[2] == 'q') {
        return; /* a question */
    }
    if (action && action < keys && action[2] == 'd') {
        bool all = memmem(from, (size_t)(keys - from), "d=A", 3) != NULL;
        uint32_t id = kitty_number(from, keys, 'i');
        for (size_t i = s->count; i-- > 0;) {
            if (all || s->placed[i].id == id) {
                forget_picture(s, i);
            }
        }
        return;
    }
    if (action && action < keys) {
        s->id = kitty_number(from, keys, 'i');
        s->width = kitty_number(from, keys, 's');
        s->height = kitty_number(from, keys, 'v');
        s->length = 0;
        s->broken |= !memmem(from, (size_t)(keys - from), "C=1", 3) || !memmem(from, (size_t)(keys - from), "q=2", 3) ||
                     kitty_number(from, keys, 'c') * s->wide != s->width ||
                     kitty_number(from, keys, 'r') * s->high != s->height;
    }
    if (!data || end - data > 4097) {
        s->broken = true;
        return;
    }
    s->data = realloc(s->data, s->length + (size_t)(end - data));
    s->length += decode_base64(data + 1, (size_t)(end - data - 1), s->data + s->length);
    if (kitty_number(from, keys, 'm') == 0) {
        show_kitty(s);
    }
}

/* ---- iTerm2's: a PNG ---- */

static inline uint32_t png_word(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Undo the filter of a row of so many bytes; `above` is the row before, or zeros. */
static inline void unfilter(unsigned char *row, const unsigned char *above, size_t bytes, unsigned filter,
                            size_t each) {
    for (size_t i = 0; i < bytes; i++) {
        int left = i >= each ? row[i - each] : 0, up = above[i], corner = i >= each ? above[i - each] : 0;
        int guess = left + up - corner, l = abs(guess - left), u = abs(guess - up), c = abs(guess - corner);
        int paeth = l <= u && l <= c ? left : u <= c ? up : corner;
        int add = filter == 1 ? left : filter == 2 ? up : filter == 3 ? (left + up) / 2 : filter == 4 ? paeth : 0;
        row[i] = (unsigned char)(row[i] + add);
    }
}

static inline void show_png(struct shown *s, const unsigned char *png, size_t length) {
    unsigned width = 0, height = 0;
    unsigned char *packed = malloc(length), *plain = NULL, *rgb = NULL;
    size_t used = 0, each = 3;
    for (size_t at = 8; packed && at + 12 <= length; at += png_word(png + at) + 12) {
        if (memcmp(png + at + 4, "IHDR", 4) == 0) {
            width = png_word(png + at + 8);
            height = png_word(png + at + 12);
            each = png[at + 17] == 6 ? 4 : 3;
        } else if (memcmp(png + at + 4, "IDAT", 4) == 0) {
            memcpy(packed + used, png + at + 8, png_word(png + at));
            used += png_word(png + at);
        }
    }
    size_t bytes = width * each;
    uLongf room = (bytes + 1) * height;
    plain = calloc(1, room + bytes);
    rgb = malloc((size_t)width * height * 3 + 1);
    if (packed && plain && rgb && uncompress(plain + bytes, &room, packed, used) == Z_OK) {
        const unsigned char *above = plain; /* zeros */
        unsigned char *row = plain + bytes, *to = rgb;
        for (unsigned y = 0; y < height; y++, row += bytes + 1) {
            unfilter(row + 1, above, bytes, row[0], each);
            above = row + 1;
            for (unsigned x = 0; x < width; x++, to += 3) {
                memcpy(to, row + 1 + x * each, 3);
            }
        }
        put_rgb(s, rgb, width, height);
    } else {
        s->broken = true;
    }
    free(packed);
    free(plain);
    free(rgb);
}

static inline void read_iterm2(struct shown *s, const char *from, const char *end) {
    const char *data = memchr(from, ':', (size_t)(end - from));
    if (!data || strncmp(from, "1337;File=", 10) != 0) {
        return;
    }
    unsigned char *png = malloc((size_t)(end - data));
    size_t length = decode_base64(data + 1, (size_t)(end - data - 1), png);
    show_png(s, png, length);
    free(png);
}

/* ---- sixels ---- */

static inline unsigned sixel_number(const char **at) {
    return (unsigned)strtoul(*at, (char **)(uintptr_t)at, 10);
}

static inline void read_sixel(struct shown *s, const char *from, const char *end) {
    uint32_t palette[1024] = {0}, color = 0;
    unsigned left = s->column * s->wide, top = s->row * s->high, x = 0, y = 0, used = 0;
    const char *at = memchr(from, 'q', (size_t)(end - from));
    if (!at) {
        return;
    }
    for (at++; at < end;) {
        unsigned repeat = 1;
        if (*at == '"') {
            at += strspn(at, "\"0123456789;");
        } else if (*at == '#') {
            at++;
            unsigned number = sixel_number(&at) % 1024;
            if (*at == ';') {
                unsigned parts[4];
                for (int i = 0; i < 4; i++) {
                    at++;
                    parts[i] = sixel_number(&at);
                }
                palette[number] =
                    (parts[1] * 255 + 50) / 100 << 16 | (parts[2] * 255 + 50) / 100 << 8 | (parts[3] * 255 + 50) / 100;
                used = number + 1 > used ? number + 1 : used;
                s->broken |= parts[0] != 2;
            }
            color = palette[number];
        } else if (*at == '$') {
            x = 0;
            at++;
        } else if (*at == '-') {
            x = 0;
            y += 6;
            at++;
        } else {
            if (*at == '!') {
                at++;
                repeat = sixel_number(&at);
            }
            unsigned bits = (unsigned)(*at++ - '?');
            s->broken |= bits > 63;
            for (; repeat > 0; repeat--, x++) {
                for (unsigned i = 0; i < 6; i++) {
                    if (bits >> i & 1) {
                        put_pixel(s, left + x, top + y + i, color);
                    }
                }
            }
        }
    }
    s->broken |= end > from && end[-1] == '-'; /* it would scroll the screen */
    s->colors = used > s->colors ? used : s->colors;
    s->pictures++;
}

/* ---- text ---- */

/* So many cells lose their pixels. */
static inline void erase_cells(struct shown *s, unsigned row, unsigned column, unsigned count) {
    for (unsigned y = row * s->high; !s->above && y < (row + 1) * s->high; y++) {
        for (unsigned x = column * s->wide; x < (column + count) * s->wide && x < s->columns * s->wide; x++) {
            uint32_t *pixel = shown_pixel(s, x, y);
            if (pixel) {
                *pixel = NO_PIXEL;
            }
        }
    }
}

static inline void erase_rows(struct shown *s, unsigned from, unsigned end) {
    bool above = s->above;
    s->above = false; /* a screen that is cleared has no pictures */
    for (unsigned row = from; row < end; row++) {
        erase_cells(s, row, 0, s->columns);
    }
    s->above = above;
    s->count = from == 0 && end >= s->rows ? 0 : s->count;
}

/* A character; the length of its bytes. */
static inline size_t show_character(struct shown *s, const char *at, size_t length) {
    wchar_t code = 0;
    mbstate_t state = {0};
    size_t used = mbrtowc(&code, at, length, &state);
    if (used == 0 || used > length) {
        return 1;
    }
    if (code >= 32) {
        int width = wcwidth(code);
        s->last = width > 0 ? (uint32_t)width : 0;
        erase_cells(s, s->row, s->column, s->last);
        s->column += s->last;
    } else if (code == '\r') {
        s->column = 0;
    } else if (code == '\n') {
        s->row++;
    } else if (code == '\b' && s->column > 0) {
        s->column--;
    } else if (code == '\t') {
        s->column = s->column / 8 * 8 + 8;
    }
    return used;
}

/* What follows ESC [. */
static inline const char *read_control_of(struct shown *s, const char *at, const char *end) {
    unsigned numbers[2] = {0, 0}, count = 0;
    const char *last = at + strspn(at, "0123456789;?<=>$");
    if (last >= end) {
        return end;
    }
    if (*at < '<' || *at > '?') {
        for (const char *from = at; from < last && count < 2; count++) {
            char *stop;
            numbers[count] = (unsigned)strtoul(from, &stop, 10);
            from = stop + (*stop == ';');
        }
        unsigned one = numbers[0] ? numbers[0] : 1, other = numbers[1] ? numbers[1] : 1;
        switch (*last) {
        case 'H':
            s->row = one - 1, s->column = other - 1;
            break;
        case 'A':
            s->row -= one > s->row ? s->row : one;
            break;
        case 'B':
            s->row += one;
            break;
        case 'C':
            s->column += one;
            break;
        case 'D':
            s->column -= one > s->column ? s->column : one;
            break;
        case 'G':
            s->column = one - 1;
            break;
        case 'd':
            s->row = one - 1;
            break;
        case 'X':
            erase_cells(s, s->row, s->column, one);
            break;
        case 'b':
            erase_cells(s, s->row, s->column, one * s->last), s->column += one * s->last;
            break;
        case 'K':
            erase_cells(s, s->row, numbers[0] == 0 ? s->column : 0, numbers[0] == 1 ? s->column + 1 : s->columns);
            break;
        case 'J':
            if (numbers[0] == 0) {
                erase_cells(s, s->row, s->column, s->columns);
            }
            erase_rows(s, numbers[0] == 0 ? s->row + (s->column > 0) : 0, s->rows);
            break;
        case '@':
        case 'P':
        case 'L':
        case 'M':
        case 'S':
        case 'T':
            s->broken |= s->pictures > 0;
            break; /* pictures would not move with it */
        default:
            break;
        }
    }
    return last + 1;
}

/* ---- the stream ---- */

static inline const char *read_escape(struct shown *s, const char *at, const char *end) {
    const char *stop = memmem(at, (size_t)(end - at), "\033\\", 2);
    if (at[1] == '_' && at[2] == 'G' && stop) {
        read_kitty(s, at + 3, stop);
        return stop + 2;
    }
    if (at[1] == 'P' && stop) {
        read_sixel(s, at + 2, stop);
        return stop + 2;
    }
    const char *bell = memchr(at, '\a', (size_t)(end - at));
    if (at[1] == ']' && bell) {
        read_iterm2(s, at + 2, bell);
        return bell + 1;
    }
    if (at[1] == '[') {
        return read_control_of(s, at + 2, end);
    }
    if (at[1] == '(' || at[1] == ')') {
        return at + 3;
    }
    return at + 2;
}

/* All of the bytes, which end with a NUL. */
static inline void show_bytes(struct shown *s, const char *bytes, size_t length) {
    const char *end = bytes + length;
    for (const char *at = bytes; at < end;) {
        at = *at == '\033' && at + 1 < end ? read_escape(s, at, end) : at + show_character(s, at, (size_t)(end - at));
    }
}

#endif
