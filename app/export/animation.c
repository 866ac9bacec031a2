/* Pages as one animated SVG. Every page is drawn as ever, but its paths are caught before they
 * reach a surface and kept as text; equal texts in the same layer are one piece, which knows in
 * which pages it is seen. Pieces of the same look and the same times are then written together. */
#include "export/export.h"
#include "base/sort.h"
#include "base/base.h"
#include "export/drawing.h"

/* How a path is painted, or a text written: attributes of an element, in a layer. */
struct piece_look {
    unsigned layer;
    bool text; /* of pieces that are whole elements; else they are parts of a path */
    char *attributes;
};

/* From page `from` on, up to but without `to`. */
struct while_seen {
    uint32_t from, to;
};

struct piece {
    uint32_t look;
    char *body; /* "M10 20h30v5h-30z", or a whole element */
    SW_ARRAY(struct while_seen) times;
    uint32_t timing; /* which of the distinct lists of times; while writing */
};

struct sw_animation {
    const struct sw_theme *theme;
    struct sw_arena arena;
    SW_ARRAY(struct piece_look) looks;
    SW_ARRAY(struct piece) pieces;
    uint32_t *table; /* of pieces, by look and body: 1 + index, 0: free */
    size_t table_size;
    uint32_t pages;
    double width, height, zoom;
    double name_size; /* of most names on the page before */
    char *title, *description, *family;
    struct sw_sink body, attributes; /* scratch */
    bool failed;
};

struct sw_animation *sw_animation_new(const struct sw_theme *theme, struct sw_error *error) {
    struct sw_animation *animation = SW_NEW_ZERO(struct sw_animation, 1);
    if (!animation) {
        sw_fail_memory(error);
        return NULL;
    }
    animation->theme = theme;
    return animation;
}

void sw_animation_free(struct sw_animation *animation) {
    if (!animation) {
        return;
    }
    for (size_t i = 0; i < animation->pieces.count; i++) {
        SW_ARRAY_DONE(&animation->pieces.items[i].times);
    }
    SW_ARRAY_DONE(&animation->pieces, &animation->looks);
    SW_FREE(animation->table, animation->table_size);
    sw_sink_done(&animation->body);
    sw_sink_done(&animation->attributes);
    sw_arena_done(&animation->arena);
    SW_FREE(animation, 1);
}

/* ---- pieces ---- */

static char *keep_copy(struct sw_animation *animation, const char *text, size_t length) {
    char *copy = sw_arena_string(&animation->arena, text, length);
    animation->failed |= !copy;
    return copy;
}

static bool grow_table(struct sw_animation *animation) {
    size_t size = animation->table_size ? animation->table_size * 2 : 1024;
    uint32_t *table = SW_NEW_ZERO(uint32_t, size);
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < animation->pieces.count; i++) {
        const struct piece *piece = &animation->pieces.items[i];
        uint64_t at = sw_fold_bytes(piece->look, piece->body, strlen(piece->body));
        while (table[at % size]) {
            at++;
        }
        table[at % size] = (uint32_t)i + 1;
    }
    SW_FREE(animation->table, animation->table_size);
    animation->table = table;
    animation->table_size = size;
    return true;
}

static struct piece *find_piece(struct sw_animation *animation, uint32_t look, const char *body, size_t length) {
    if (animation->pieces.count * 2 >= animation->table_size && !grow_table(animation)) {
        animation->failed = true;
        return NULL;
    }
    uint64_t at = sw_fold_bytes(look, body, length);
    for (uint32_t entry; (entry = animation->table[at % animation->table_size]) != 0; at++) {
        struct piece *piece = &animation->pieces.items[entry - 1];
        if (piece->look == look && strlen(piece->body) == length && !memcmp(piece->body, body, length)) {
            return piece;
        }
    }
    struct piece piece = {.look = look, .body = keep_copy(animation, body, length)};
    if (!piece.body || !SW_PUSH(&animation->pieces, piece)) {
        animation->failed = true;
        return NULL;
    }
    animation->table[at % animation->table_size] = (uint32_t)animation->pieces.count;
    return &animation->pieces.items[animation->pieces.count - 1];
}

/* The piece is seen in the page that is being added. */
static void see_piece(struct sw_animation *animation, uint32_t look, const char *body, size_t length) {
    struct piece *piece = length ? find_piece(animation, look, body, length) : NULL;
    uint32_t page = animation->pages;
    if (!piece) {
        return;
    }
    struct while_seen *last = piece->times.count ? &piece->times.items[piece->times.count - 1] : NULL;
    if (last && last->to >= page) {
        last->to = page + 1;
        return;
    }
    struct while_seen seen = {page, page + 1};
    animation->failed |= !SW_PUSH(&piece->times, seen);
}

/* The look with the attributes in the scratch sink. */
static uint32_t find_look(struct sw_animation *animation, unsigned layer, bool text) {
    const char *attributes = sw_sink_ended(&animation->attributes);
    if (!attributes) {
        animation->failed = true;
        return 0;
    }
    for (size_t i = 0; i < animation->looks.count; i++) {
        const struct piece_look *look = &animation->looks.items[i];
        if (look->layer == layer && look->text == text && !strcmp(look->attributes, attributes)) {
            return (uint32_t)i;
        }
    }
    struct piece_look look = {layer, text, keep_copy(animation, attributes, strlen(attributes))};
    animation->failed |= !look.attributes || !SW_PUSH(&animation->looks, look);
    return animation->looks.count ? (uint32_t)animation->looks.count - 1 : 0;
}

/* ---- paths ---- */

static void put_color(struct sw_sink *sink, const char *name, struct sw_color color) {
    sw_sink_printf(sink, " %s=\"#%02x%02x%02x\"", name, color.red, color.green, color.blue);
}

static void describe_paint(struct sw_sink *sink, cairo_t *cairo, bool stroke) {
    struct sw_svg_paint paint = sw_svg_paint_of(cairo, stroke);
    put_color(sink, stroke ? "stroke" : "fill", paint.color);
    if (paint.alpha < 1) {
        sw_svg_attribute(sink, stroke ? "stroke-opacity" : "fill-opacity", paint.alpha);
    }
    if (!stroke) {
        return;
    }
    sw_sink_printf(sink, " fill=\"none\"");
    sw_svg_attribute(sink, "stroke-width", paint.width);
    for (int i = 0; i < paint.dash_count; i++) {
        sw_sink_printf(sink, "%s", i ? " " : " stroke-dasharray=\"");
        sw_svg_coordinate(sink, paint.dashes[i]);
    }
    sw_sink_printf(sink, "%s", paint.dash_count ? "\"" : "");
}

static void end_path(struct sw_animation *animation, uint32_t look, struct sw_svg_pen *pen) {
    if (pen->points > 1 && !animation->body.failed) {
        see_piece(animation, look, animation->body.text.items, animation->body.text.count);
    }
    animation->body.text.count = 0;
    pen->points = 0;
}

/* Of each path every part that stands alone is a piece: a block, a line of hatching. No path here
 * has curves. */
static void catch_path(void *tracer, struct sw_drawing *drawing, bool stroke) {
    struct sw_animation *animation = tracer;
    cairo_path_t *path = sw_late.cairo_copy_path(drawing->cairo);
    struct sw_svg_pen pen = {0};
    animation->attributes.text.count = animation->body.text.count = 0;
    if (path->status != CAIRO_STATUS_SUCCESS) {
        animation->failed = true;
    } else if (path->num_data > 0) {
        describe_paint(&animation->attributes, drawing->cairo, stroke);
        uint32_t look = find_look(animation, drawing->layer, false);
        for (int i = 0; i < path->num_data && !animation->failed; i += path->data[i].header.length) {
            const cairo_path_data_t *data = &path->data[i];
            if (data->header.type == CAIRO_PATH_MOVE_TO) {
                end_path(animation, look, &pen);
            }
            if (data->header.type == CAIRO_PATH_CLOSE_PATH) {
                sw_sink_printf(&animation->body, "z");
            } else {
                sw_svg_point(&animation->body, &pen, data);
            }
        }
        end_path(animation, look, &pen);
    }
    sw_late.cairo_path_destroy(path);
    animation->failed |= animation->body.failed || animation->attributes.failed;
}

/* ---- texts ---- */

static void write_placed_text(struct sw_animation *animation, struct sw_drawing *drawing,
                              const struct sw_placed_text *text) {
    struct sw_sink *sink = &animation->body;
    if (text->boxed || text->note) {
        sw_svg_box(sink, text);
        put_color(sink, "fill", text->ground);
        if (text->note) {
            sw_sink_printf(sink, " stroke-width=\".9\"");
            put_color(sink, "stroke", sw_drawing_ink(drawing, SW_STYLE_STRONG));
        }
        sw_sink_printf(sink, text->note ? "/>" : " fill-opacity=\".88\"/>");
    }
    sw_svg_text(sink, drawing, text, "");
}

static void catch_text(void *tracer, struct sw_drawing *drawing, const struct sw_placed_text *text) {
    struct sw_animation *animation = tracer;
    struct sw_sink *sink = &animation->attributes;
    animation->body.text.count = sink->text.count = 0;
    sw_svg_attribute(sink, "font-size", text->size);
    sw_sink_printf(sink, "%s", text->bold ? " font-weight=\"bold\"" : "");
    put_color(sink, "fill", text->color);
    uint32_t look = find_look(animation, drawing->layer, true);
    write_placed_text(animation, drawing, text);
    if (animation->body.failed) {
        animation->failed = true;
    } else {
        see_piece(animation, look, animation->body.text.items, animation->body.text.count);
    }
}

/* ---- pages ---- */

/* What the last page says is what the file says of itself. */
static void take_words(struct sw_animation *animation, const struct sw_scene *scene, const PangoFontDescription *font) {
    const char *title = sw_picture_title(scene);
    const char *family = sw_late.pango_font_description_get_family(font);
    struct sw_sink text = {0};
    const char *description = sw_picture_describe(scene, &text);
    animation->failed |= text.failed;
    animation->title = keep_copy(animation, title, strlen(title));
    animation->description = keep_copy(animation, description, strlen(description));
    animation->family = keep_copy(animation, family ? family : "sans-serif", strlen(family ? family : "sans-serif"));
    animation->width = scene->width;
    animation->height = scene->height;
    animation->zoom = scene->zoom > 0 ? scene->zoom : 1;
    sw_sink_done(&text);
}

bool sw_animation_add(struct sw_animation *animation, const struct sw_scene *scene, struct sw_error *error) {
    struct sw_drawing drawing;
    if (!sw_picture_check(scene, error) || !sw_late_load(error)) {
        return false;
    }
    if (animation->pages && (scene->width != animation->width || scene->height != animation->height)) {
        return sw_fail(error, SW_ERROR_USAGE, "the pages of an animation are of one size");
    }
    if (animation->pages >= SW_ANIMATION_MOST) {
        return sw_fail(error, SW_ERROR_USAGE, "an animation has at most %d pages", SW_ANIMATION_MOST);
    }
    cairo_surface_t *surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo_t *cairo = sw_late.cairo_create(surface);
    if (sw_drawing_open(&drawing, scene, animation->theme, cairo)) {
        drawing.trace = catch_path;
        drawing.trace_text = catch_text;
        drawing.tracer = animation;
        drawing.name_size = animation->name_size;
        sw_drawing_plan(&drawing);
        animation->name_size = drawing.name_size;
        sw_drawing_draw(&drawing);
        take_words(animation, scene, drawing.font);
        animation->failed |= drawing.failed;
    } else {
        animation->failed = true;
    }
    animation->failed |= sw_late.cairo_status(cairo) != CAIRO_STATUS_SUCCESS;
    sw_drawing_close(&drawing);
    sw_late.cairo_destroy(cairo);
    sw_late.cairo_surface_destroy(surface);
    animation->pages++;
    return !animation->failed || sw_fail_memory(error);
}

/* ---- writing ---- */

/* Pieces in the order in which they are written: by layer, look and times; else as they came. */
struct drawing_order {
    unsigned layer;
    uint32_t look, timing, piece;
};
SW_BY_FIELDS(by_order, struct drawing_order, SW_UP(layer), SW_UP(look), SW_UP(timing), SW_UP(piece))

/* Lists of times, sorted so that equal ones are beside one another. */
static int earlier_piece(const struct piece *a, const struct piece *b) {
    size_t x = a->times.count, y = b->times.count;
    return x != y ? (x > y) - (x < y) : memcmp(a->times.items, b->times.items, x * sizeof *a->times.items);
}
static int by_times(const void *a, const void *b) {
    return earlier_piece(*(struct piece *const *)a, *(struct piece *const *)b);
}

static bool is_always_seen(const struct sw_animation *animation, const struct piece *piece) {
    return piece->times.count == 1 && piece->times.items[0].from == 0 && piece->times.items[0].to == animation->pages;
}

static bool is_last(const struct sw_animation *animation, const struct piece *piece) {
    return piece->times.items[piece->times.count - 1].to == animation->pages;
}

struct tempo {
    double fps, seconds;
};

static void add_moment(struct sw_sink *sink, const struct tempo *tempo, uint32_t page) {
    sw_sink_printf(sink, "%.6g%%", 100 * page / tempo->fps / tempo->seconds);
}

/* The times as key frames; what is seen in the last page is seen until the end. */
static void add_times(const struct sw_animation *animation, struct sw_sink *sink, const struct piece *piece,
                      const struct tempo *tempo) {
    sw_sink_printf(sink, "@keyframes t%u{", piece->timing);
    if (piece->times.items[0].from > 0) {
        sw_sink_printf(sink, "0%%{visibility:hidden}");
    }
    for (size_t i = 0; i < piece->times.count; i++) {
        const struct while_seen *seen = &piece->times.items[i];
        add_moment(sink, tempo, seen->from);
        sw_sink_printf(sink, "{visibility:visible}");
        if (seen->to < animation->pages) {
            add_moment(sink, tempo, seen->to);
            sw_sink_printf(sink, "{visibility:hidden}");
        }
    }
    sw_sink_printf(sink, "to{visibility:%s}}\n.t%u{animation-name:t%u}\n",
                   is_last(animation, piece) ? "visible" : "hidden", piece->timing, piece->timing);
}

/* Number the distinct lists of times, from 1; 0 is for what never changes. */
static bool add_style(const struct sw_animation *animation, const struct tempo *tempo, struct sw_sink *sink) {
    size_t count = animation->pieces.count;
    struct piece **sorted = SW_NEW(struct piece *, count);
    if (!sorted) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &animation->pieces.items[i];
    }
    qsort(sorted, count, sizeof(struct piece *), by_times);
    sw_sink_printf(sink,
                   "<style>\ng,path{animation:%.6gs step-end infinite}\n"
                   "@media(prefers-reduced-motion:reduce){g,path{animation:none!important}}\n",
                   tempo->seconds);
    uint32_t timing = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_always_seen(animation, sorted[i])) {
            sorted[i]->timing = 0;
        } else if (i > 0 && sorted[i - 1]->timing && earlier_piece(sorted[i - 1], sorted[i]) == 0) {
            sorted[i]->timing = timing;
        } else {
            sorted[i]->timing = ++timing;
            add_times(animation, sink, sorted[i], tempo);
        }
    }
    sw_sink_printf(sink, "</style>\n");
    SW_FREE(sorted, count);
    return true;
}

/* Pieces of one look and one list of times: one path, or one group of texts. */
static size_t put_svg_group(const struct sw_animation *animation, struct sw_sink *sink,
                            const struct drawing_order *order, size_t count) {
    const struct piece *first = &animation->pieces.items[order[0].piece];
    const struct piece_look *look = &animation->looks.items[order[0].look];
    size_t i = 0;
    sw_sink_printf(sink, "<%s", look->text ? "g" : "path");
    if (first->timing) {
        sw_sink_printf(sink, " class=\"t%u\"%s", first->timing,
                       is_last(animation, first) ? "" : " visibility=\"hidden\"");
    }
    sw_sink_add(sink, look->attributes, strlen(look->attributes));
    sw_sink_printf(sink, "%s", look->text ? ">" : " d=\"");
    for (; i < count && order[i].look == order[0].look && order[i].timing == order[0].timing; i++) {
        const char *body = animation->pieces.items[order[i].piece].body;
        sw_sink_add(sink, body, strlen(body));
    }
    sw_sink_printf(sink, "%s\n", look->text ? "</g>" : "\"/>");
    return i;
}

static bool put_pieces(const struct sw_animation *animation, struct sw_sink *sink) {
    size_t count = animation->pieces.count;
    struct drawing_order *order = SW_NEW(struct drawing_order, count);
    if (!order) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct piece *piece = &animation->pieces.items[i];
        order[i] =
            (struct drawing_order){animation->looks.items[piece->look].layer, piece->look, piece->timing, (uint32_t)i};
    }
    qsort(order, count, sizeof *order, by_order);
    for (size_t i = 0; i < count;) {
        i += put_svg_group(animation, sink, order + i, count - i);
    }
    SW_FREE(order, count);
    return true;
}

bool sw_animation_write(const struct sw_animation *animation, double fps, double hold, struct sw_sink *sink,
                        struct sw_error *error) {
    if (animation->failed || animation->pages == 0) {
        return sw_fail_memory(error);
    }
    struct tempo tempo = {fps, animation->pages / fps + hold};
    sw_sink_printf(sink,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gpt\" height=\"%gpt\" "
                   "viewBox=\"0 0 %g %g\" font-family=\"",
                   animation->width * animation->zoom, animation->height * animation->zoom, animation->width,
                   animation->height);
    sw_sink_xml(sink, animation->family, strlen(animation->family));
    sw_sink_printf(sink, "\">");
    sw_picture_metadata(sink, animation->title, animation->description);
    bool good = add_style(animation, &tempo, sink) && put_pieces(animation, sink);
    sw_sink_printf(sink, "</svg>\n");
    return (good && !sink->failed) || sw_fail_memory(error);
}
