#include "export/terminal/painter.h"
#include "base/base.h"
#include "export/apart.h"
#include "export/terminal/parcel.h"
#include "export/terminal/protocols.h"

/* ---- what both sides know ---- */

double sw_canvas_column(const struct sw_canvas *canvas) {
    return SW_CANVAS_ROW * canvas->cell_width / canvas->cell_height;
}

bool sw_painter_has_chafa(void) {
#ifdef SW_HAS_CHAFA
    return true;
#else
    return false;
#endif
}

const char *sw_painter_clear(enum sw_protocol protocol) {
    return protocol == SW_PROTOCOL_KITTY ? "\033_Ga=d,d=A,q=2\033\\" : "";
}

bool sw_canvas_scene(const struct sw_canvas *canvas, const struct sw_scene *scene, struct sw_canvas_scene *picture) {
    double right = 0, bottom = 0, column = sw_canvas_column(canvas);
    *picture = (struct sw_canvas_scene){.cells = {.left = INFINITY, .top = INFINITY}};
    struct sw_box *cells = &picture->cells;
    for (size_t i = 0; i < scene->panels.count; i++) {
        const struct sw_panel *panel = &scene->panels.items[i];
        if (panel->on_cells.width > 0) {
            cells->left = fmin(cells->left, panel->on_cells.left);
            cells->top = fmin(cells->top, panel->on_cells.top);
            right = fmax(right, panel->on_cells.left + panel->on_cells.width);
            bottom = fmax(bottom, panel->on_cells.top + panel->on_cells.height);
        }
    }
    cells->width = fmax(fmin(right, canvas->columns) - cells->left, 0);
    cells->height = fmax(fmin(bottom, canvas->rows) - cells->top, 0);
    picture->scene.units = scene->units;
    picture->scene.width = cells->width * column;
    picture->scene.height = cells->height * SW_CANVAS_ROW;
    for (size_t i = 0; i < scene->panels.count && cells->width > 0 && cells->height > 0; i++) {
        struct sw_panel panel = scene->panels.items[i];
        panel.left -= cells->left * column;
        panel.body_left -= cells->left * column;
        panel.top -= cells->top * SW_CANVAS_ROW;
        panel.body_top -= cells->top * SW_CANVAS_ROW;
        if (panel.on_cells.width > 0 && !SW_PUSH(&picture->scene.panels, panel)) {
            return false;
        }
    }
    return true;
}

void sw_canvas_scene_done(struct sw_canvas_scene *picture) {
    SW_ARRAY_DONE(&picture->scene.panels);
}

/* What is asked; behind it come the states of the cells and the scene, or the parts of cells. */
struct paint_request {
    bool cuts;
    struct sw_canvas canvas; /* its cells point nowhere */
    struct sw_cut cut;       /* nor do its parts */
    struct sw_theme theme;
    unsigned left, top, width, height; /* of the picture, in cells */
};

/* ---- the process that paints ---- */

/* What the terminal shows. */
struct painted {
    struct sw_pixels pixels;
    struct paint_request request; /* of it */
    uint8_t *runs;                /* kitty: of each cell of the screen, how long a picture is that begins there */
    size_t cells;
};

enum { LONGEST_RUN = 16 }; /* cells of one picture of kitty's */
#define FIRST_ID 0x73770001u

struct painting {
    struct painted *old;
    const struct paint_request *request;
    const uint8_t *states;
    struct sw_pixels pixels;
    uint8_t *differs; /* cells of the picture to be sent */
    struct sw_sink *sink;
    struct sw_error *error;
};

static uint8_t cell_state(const struct painting *painting, unsigned x, unsigned y) {
    const struct paint_request *request = painting->request;
    return painting->states[(size_t)(request->top + y) * request->canvas.columns + request->left + x];
}

static bool same_place(const struct painted *old, const struct paint_request *now) {
    const struct paint_request *then = &old->request;
    return old->pixels.items && then->left == now->left && then->top == now->top && then->width == now->width &&
           then->height == now->height && then->canvas.columns == now->canvas.columns &&
           then->canvas.rows == now->canvas.rows && then->canvas.cell_width == now->canvas.cell_width &&
           then->canvas.cell_height == now->canvas.cell_height && then->canvas.protocol == now->canvas.protocol;
}

static bool cell_changed(const struct painting *painting, unsigned x, unsigned y) {
    unsigned wide = painting->request->canvas.cell_width, high = painting->request->canvas.cell_height;
    for (unsigned row = y * high; row < (y + 1) * high; row++) {
        size_t at = (size_t)row * painting->pixels.width + (size_t)x * wide;
        if (memcmp(painting->pixels.items + at, painting->old->pixels.items + at, wide * sizeof(uint32_t)) != 0) {
            return true;
        }
    }
    return false;
}

static void find_differences(struct painting *painting) {
    const struct paint_request *request = painting->request;
    bool same = same_place(painting->old, request);
    for (unsigned y = 0; y < request->height; y++) {
        for (unsigned x = 0; x < request->width; x++) {
            uint8_t state = cell_state(painting, x, y);
            painting->differs[(size_t)y * request->width + x] =
                state == SW_CANVAS_LOST || (state == SW_CANVAS_KEPT && (!same || cell_changed(painting, x, y)));
        }
    }
}

static struct sw_pixel_part pixels_of(const struct painting *painting, unsigned x, unsigned y, unsigned columns,
                                      unsigned rows) {
    unsigned wide = painting->request->canvas.cell_width, high = painting->request->canvas.cell_height;
    return (struct sw_pixel_part){x * wide, y * high, columns * wide, rows * high, columns, rows};
}

static void put_cursor(struct painting *painting, unsigned x, unsigned y) {
    sw_sink_printf(painting->sink, "\033[%u;%uH", painting->request->top + y + 1, painting->request->left + x + 1);
}

/* ---- pictures that have numbers: one of each run of cells in a row ---- */

static bool send_run(struct painting *painting, unsigned x, unsigned y, unsigned length) {
    const struct paint_request *request = painting->request;
    size_t at = (size_t)(request->top + y) * request->canvas.columns + request->left + x;
    const uint8_t *differs = painting->differs + (size_t)y * request->width + x;
    bool sends = painting->old->runs[at] != length || memchr(differs, 1, length);
    painting->old->runs[at] = (uint8_t)length;
    if (!sends) {
        return true;
    }
    struct sw_pixel_part part = pixels_of(painting, x, y, length, 1);
    put_cursor(painting, x, y);
    return sw_send_kitty(&painting->pixels, &part, FIRST_ID + (uint32_t)at, painting->sink, painting->error);
}

/* What begins where no run begins now is taken away. */
static void drop_runs(struct painting *painting, const uint8_t *begun) {
    for (size_t i = 0; i < painting->old->cells; i++) {
        if (painting->old->runs[i] && !begun[i]) {
            sw_sink_printf(painting->sink, "\033_Ga=d,d=I,i=%u,q=2\033\\", FIRST_ID + (uint32_t)i);
            painting->old->runs[i] = 0;
        }
    }
}

static bool send_runs(struct painting *painting) {
    const struct paint_request *request = painting->request;
    struct painted *old = painting->old;
    size_t cells = (size_t)request->canvas.columns * request->canvas.rows;
    if (old->cells != cells) { /* the screen has another size, and was cleared */
        SW_FREE(old->runs, old->cells);
        old->runs = SW_NEW_ZERO(uint8_t, cells);
        old->cells = old->runs ? cells : 0;
    }
    uint8_t *begun = SW_NEW_ZERO(uint8_t, cells);
    bool good = (begun && old->cells == cells) || sw_fail_memory(painting->error);
    for (unsigned y = 0; y < request->height && good; y++) {
        for (unsigned x = 0, length; x < request->width && good; x += SW_MAX(length, 1)) {
            for (length = 0; length < LONGEST_RUN && x + length < request->width &&
                             cell_state(painting, x + length, y) != SW_CANVAS_NOT;) {
                length++;
            }
            if (length > 0) {
                begun[(size_t)(request->top + y) * request->canvas.columns + request->left + x] = 1;
                good = send_run(painting, x, y, length);
            }
        }
    }
    if (good) {
        drop_runs(painting, begun);
    }
    SW_FREE(begun, cells);
    return good;
}

/* ---- pictures that replace what is under them: rectangles of cells that differ ---- */

/* Does the row differ from `from` on, for so many cells and no more, so that a rectangle goes on there? */
static bool row_goes_on(const struct painting *painting, unsigned from, unsigned count, unsigned y) {
    unsigned width = painting->request->width;
    const uint8_t *row = painting->differs + (size_t)y * width;
    bool ends = (from == 0 || !row[from - 1]) && (from + count == width || !row[from + count]);
    return ends && !memchr(row + from, 0, count);
}

static bool send_rectangle(struct painting *painting, unsigned x, unsigned y, unsigned columns, unsigned rows) {
    struct sw_pixel_part part = pixels_of(painting, x, y, columns, rows);
    put_cursor(painting, x, y);
    unsigned colors = SW_MIN(painting->request->canvas.colors, 1024u);
    return painting->request->canvas.protocol == SW_PROTOCOL_SIXEL
               ? sw_send_sixel(&painting->pixels, &part, colors ? colors : 256, painting->sink, painting->error)
               : sw_send_iterm2(&painting->pixels, &part, painting->sink, painting->error);
}

static bool send_rectangles(struct painting *painting) {
    unsigned width = painting->request->width, height = painting->request->height;
    for (unsigned y = 0; y < height; y++) {
        uint8_t *row = painting->differs + (size_t)y * width;
        for (unsigned x = 0, count; x < width; x += SW_MAX(count, 1)) {
            unsigned rows = 1;
            for (count = 0; x + count < width && row[x + count];) {
                count++;
            }
            for (; count > 0 && y + rows < height && row_goes_on(painting, x, count, y + rows); rows++) {
                memset(row + (size_t)rows * width + x, 0, count);
            }
            if (count > 0 && !send_rectangle(painting, x, y, count, rows)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- few colors ---- */

enum { FEW_COLORS = 64 };

static unsigned far_apart(uint32_t a, uint32_t b) {
    unsigned sum = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        int apart = (int)(a >> shift & 255) - (int)(b >> shift & 255);
        sum += (unsigned)(apart * apart) * (shift == 8 ? 5 : shift ? 3 : 2); /* green weighs most, as in the eye */
    }
    return sum;
}

static void add_few(uint32_t *few, unsigned *count, unsigned most, struct sw_color color) {
    uint32_t value = (uint32_t)color.red << 16 | (uint32_t)color.green << 8 | color.blue;
    bool new = color.set &&*count < most;
    for (unsigned i = 0; i < *count && new; i++) {
        new = few[i] != value;
    }
    if (new) {
        few[(*count)++] = value;
    }
}

/* A terminal with few colors gets the theme's, the most needed first; they are the same in every frame. */
static void use_few_colors(const struct sw_theme *theme, unsigned most, struct sw_pixels *pixels) {
    static const enum sw_style backs[] = {SW_STYLE_CURRENT, SW_STYLE_LIVE};
    static const enum sw_style fronts[] = {SW_STYLE_BOUND, SW_STYLE_PEAK, SW_STYLE_SELECTED, SW_STYLE_MERGED,
                                           SW_STYLE_GAP};
    uint32_t few[FEW_COLORS], last = 0, nearest = 0;
    unsigned count = 0;
    add_few(few, &count, most, theme->background);
    add_few(few, &count, most, theme->foreground);
    for (unsigned i = 0; i < SW_HUES; i++) {
        add_few(few, &count, most, theme->blocks[i].background);
    }
    for (size_t i = 0; i < sizeof backs / sizeof *backs; i++) {
        add_few(few, &count, most, theme->styles[backs[i]].background);
    }
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        add_few(few, &count, most, theme->styles[fronts[i]].foreground);
    }
    for (size_t i = 0; i < (size_t)pixels->width * pixels->height && count > 0; i++) {
        uint32_t color = pixels->items[i] & 0xffffff;
        if (i == 0 || color != last) {
            nearest = few[0];
            for (unsigned k = 1; k < count; k++) {
                nearest = far_apart(color, few[k]) < far_apart(color, nearest) ? few[k] : nearest;
            }
            last = color;
        }
        pixels->items[i] = nearest;
    }
}

/* ---- one request ---- */

static void drop_pixels(struct sw_pixels *pixels) {
    SW_FREE(pixels->items, (size_t)pixels->width * pixels->height);
    *pixels = (struct sw_pixels){0};
}

static bool draw_pixels(struct painting *painting, const char *at) {
    const struct paint_request *request = painting->request;
    struct sw_pixels *pixels = &painting->pixels;
    pixels->width = request->width * request->canvas.cell_width;
    pixels->height = request->height * request->canvas.cell_height;
    size_t count = (size_t)pixels->width * pixels->height;
    struct sw_scene scene = {0};
    pixels->items = count ? SW_NEW(uint32_t, count) : NULL;
    bool good = count == 0 || ((pixels->items && sw_parcel_read(&at, &scene)) || sw_fail_memory(painting->error));
    good = good && (count == 0 || sw_export_pixels(&scene, &request->theme, pixels, painting->error));
    sw_scene_done(&scene);
    for (size_t i = 0; good && i < count; i++) {
        pixels->items[i] &= 0xffffff;
    }
    if (good && request->canvas.protocol == SW_PROTOCOL_SIXEL && request->canvas.colors &&
        request->canvas.colors < FEW_COLORS) {
        use_few_colors(&request->theme, request->canvas.colors, pixels);
    }
    return good;
}

static bool answer_paint(struct painted *old, const struct paint_request *request, const char *at, struct sw_sink *sink,
                         struct sw_error *error) {
    struct painting painting = {
        .old = old, .request = request, .states = (const uint8_t *)at, .sink = sink, .error = error};
    size_t cells = (size_t)request->width * request->height;
    painting.differs = SW_NEW_ZERO(uint8_t, cells + 1);
    bool good = (painting.differs || sw_fail_memory(error)) &&
                draw_pixels(&painting, at + (size_t)request->canvas.columns * request->canvas.rows);
    if (good) {
        find_differences(&painting);
        good = request->canvas.protocol == SW_PROTOCOL_KITTY ? send_runs(&painting) : send_rectangles(&painting);
    }
    SW_FREE(painting.differs, cells + 1);
    drop_pixels(&old->pixels);
    old->pixels = painting.pixels;
    old->request = *request;
    return good && (!sink->failed || sw_fail_memory(error));
}

static bool answer_cut(const struct paint_request *request, const char *at, struct sw_sink *sink,
                       struct sw_error *error) {
    struct sw_cut cut = request->cut;
    size_t parts = cut.count * cut.across * cut.down;
    struct sw_cut_cell *cells = SW_NEW_ZERO(struct sw_cut_cell, cut.count);
    uint32_t *colors = cells ? SW_NEW(uint32_t, parts) : NULL;
    bool good = colors || sw_fail_memory(error);
    if (good) {
        memcpy(colors, at, parts * sizeof *colors);
        cut.parts = colors;
        good = sw_cut_cells(&cut, cells, error);
        sw_sink_add(sink, cells, cut.count * sizeof *cells);
    }
    SW_FREE(colors, parts);
    SW_FREE(cells, cut.count);
    return good && (!sink->failed || sw_fail_memory(error));
}

static bool answer_request(void *context, const char *bytes, size_t length, struct sw_sink *sink,
                           struct sw_error *error) {
    struct paint_request request;
    if (length < sizeof request) { /* the end: nothing is kept any longer */
        struct painted *old = context;
        drop_pixels(&old->pixels);
        SW_FREE(old->runs, old->cells);
        *old = (struct painted){0};
        return true;
    }
    memcpy(&request, bytes, sizeof request);
    const char *rest = bytes + sizeof request;
    return request.cuts ? answer_cut(&request, rest, sink, error) : answer_paint(context, &request, rest, sink, error);
}

/* ---- this side ---- */

struct sw_painter {
    struct sw_apart_child child;
    struct painted painted; /* the child's; here it stays empty */
    struct sw_sink asked;   /* the last request for a picture, which was answered */
};

struct sw_painter *sw_painter_new(void) {
    return SW_NEW_ZERO(struct sw_painter, 1);
}

void sw_painter_free(struct sw_painter *painter) {
    if (painter) {
        struct sw_sink none = {0};
        if (painter->child.pid) {
            sw_apart_ask(&painter->child, "", 0, &none, NULL);
        }
        sw_apart_end(&painter->child);
        sw_sink_done(&none);
        sw_sink_done(&painter->asked);
        SW_FREE(painter, 1);
    }
}

static bool ask_painter(struct sw_painter *painter, const struct sw_sink *request, struct sw_sink *answer,
                        struct sw_error *error) {
    if (request->failed) {
        return sw_fail_memory(error);
    }
    return (painter->child.pid || sw_apart_begin(&painter->child, answer_request, &painter->painted, error)) &&
           sw_apart_ask(&painter->child, request->text.items, request->text.count, answer, error);
}

static bool same_request(const struct sw_sink *a, const struct sw_sink *b) {
    return a->text.count == b->text.count && memcmp(a->text.items, b->text.items, a->text.count) == 0;
}

bool sw_painter_paint(struct sw_painter *painter, const struct sw_canvas *canvas, const struct sw_scene *scene,
                      const struct sw_theme *theme, struct sw_sink *bytes, struct sw_error *error) {
    struct sw_canvas_scene picture;
    struct sw_sink request = {0};
    struct paint_request head;
    size_t cells = (size_t)canvas->columns * canvas->rows;
    bool good = sw_canvas_scene(canvas, scene, &picture) || sw_fail_memory(error);
    if (good) {
        memset(&head, 0, sizeof head); /* its gaps, too: equal requests are equal bytes */
        head.canvas = *canvas;
        head.canvas.cells = NULL;
        memcpy(&head.theme, theme, sizeof *theme);
        head.width = (unsigned)picture.cells.width;
        head.height = (unsigned)picture.cells.height;
        head.left = head.width ? (unsigned)picture.cells.left : 0;
        head.top = head.height ? (unsigned)picture.cells.top : 0;
        sw_sink_add(&request, &head, sizeof head);
        sw_sink_add(&request, canvas->cells, cells);
        sw_parcel_add(&request, &picture.scene);
    }
    bool lost = memchr(canvas->cells, SW_CANVAS_LOST, cells) != NULL;
    if (good && (request.failed || lost || !painter->child.pid || !same_request(&request, &painter->asked))) {
        good = ask_painter(painter, &request, bytes, error);
        sw_sink_done(&painter->asked);
        painter->asked = request;
    } else {
        sw_sink_done(&request);
    }
    sw_canvas_scene_done(&picture);
    return good;
}

bool sw_painter_cut(struct sw_painter *painter, const struct sw_cut *cut, struct sw_cut_cell *cells,
                    struct sw_error *error) {
    struct sw_sink request = {0}, answer = {0};
    struct paint_request head = {.cuts = true, .cut = *cut};
    if (cut->count == 0) {
        return true;
    }
    sw_sink_add(&request, &head, sizeof head);
    sw_sink_add(&request, cut->parts, cut->count * cut->across * cut->down * sizeof *cut->parts);
    bool good = ask_painter(painter, &request, &answer, error);
    if (good) {
        memcpy(cells, answer.text.items, cut->count * sizeof *cells);
    }
    sw_sink_done(&request);
    sw_sink_done(&answer);
    return good;
}
