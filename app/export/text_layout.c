/* Text: measured and drawn with pango, placed so that no two boxes meet. */
#include "export/drawing.h"
#include "base/base.h"
#include "view/pages/page.h"
#include "view/web/web_data.h"

#define TITLE_SIZE 15.0
#define LEAST_TITLE 10.0                   /* on narrow pages */
#define SW_FONTS "DejaVu Sans, sans-serif" /* the first that the system has */
#define CAPTION_SIZE SW_PAGE_CAPTION_SIZE
#define PANEL_SIZE SW_PAGE_SUBTITLE_SIZE
#define LEAST_PANEL 8.0
#define TABLE_SIZE SW_PAGE_TABLE_SIZE
#define AXIS_SIZE 8.5

/* Left to itself, fontconfig asks for its configuration again and again when memory runs out, without end. Given one,
 * it does not ask. */
static bool load_fonts(void) {
    static bool loaded;
    if (!loaded) {
        FcConfig *config = sw_late.FcInitLoadConfigAndFonts();
        loaded = config && sw_late.FcConfigSetCurrent(config);
    }
    return loaded;
}

bool sw_drawing_open(struct sw_drawing *drawing, const struct sw_scene *scene, const struct sw_theme *theme,
                     cairo_t *cairo) {
    *drawing = (struct sw_drawing){.scene = scene, .theme = theme, .cairo = cairo};
    if (!load_fonts()) {
        return false;
    }
    drawing->layout = sw_late.pango_cairo_create_layout(cairo);
    drawing->font = sw_late.pango_font_description_from_string(SW_FONTS);
    cairo_font_options_t *options = sw_late.cairo_font_options_create();
    /* Nothing that depends on the screen of this machine. */
    sw_late.cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    sw_late.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    sw_late.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    PangoContext *context = sw_late.pango_layout_get_context(drawing->layout);
    /* Names that read from right to left do so inside pages that read from left to right. */
    sw_late.pango_context_set_base_dir(context, PANGO_DIRECTION_LTR);
    sw_late.pango_layout_set_auto_dir(drawing->layout, FALSE);
    sw_late.pango_cairo_context_set_font_options(context, options);
    sw_late.pango_cairo_context_set_resolution(context, 72);
    sw_late.pango_context_set_round_glyph_positions(context, FALSE);
    bool good = sw_late.cairo_font_options_status(options) == CAIRO_STATUS_SUCCESS;
    sw_late.cairo_font_options_destroy(options);
    return good && drawing->layout && drawing->font && sw_late.cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
}

void sw_drawing_close(struct sw_drawing *drawing) {
    if (drawing->font) {
        sw_late.pango_font_description_free(drawing->font);
    }
    if (drawing->layout) {
        sw_late.g_object_unref(drawing->layout);
    }
    SW_ARRAY_DONE(&drawing->texts, &drawing->arrows, &drawing->leaders, &drawing->names);
    sw_arena_done(&drawing->arena);
}

/* The ranges in which Unicode keeps all letters that are read from right to left. */
static bool is_rtl(const char *at) {
    gunichar code = g_utf8_get_char(at);
    return (code >= 0x590 && code <= 0x8ff) || (code >= 0xfb1d && code <= 0xfdff) ||
           (code >= 0xfe70 && code <= 0xfeff) || (code >= 0x10800 && code <= 0x10fff) ||
           (code >= 0x1e800 && code <= 0x1efff);
}

/* Does something follow that reads from left to right, before anything that does not? */
static bool turns(const char *text) {
    for (; *text; text = g_utf8_next_char(text)) {
        if (is_rtl(text)) {
            return false;
        }
        if (g_unichar_isalnum(g_utf8_get_char(text))) {
            return true;
        }
    }
    return false;
}

/* Digits and signs behind a name that reads from right to left would be taken for a part of it and
 * stand on its other side: a mark that is not seen ends the name. NULL: there is none. */
static char *end_names(const char *text) {
    GString *ended = NULL;
    const char *begin = text, *at = text;
    while (*at) {
        const char *next = g_utf8_next_char(at);
        if ((unsigned char)*at >= 0xd6 && is_rtl(at)) { /* from U+0590 on */
            while (*next && g_unichar_ismark(g_utf8_get_char(next))) {
                next = g_utf8_next_char(next);
            }
            if (*next && turns(next)) {
                ended = ended ? ended : g_string_new(NULL);
                g_string_append_len(ended, begin, next - begin);
                g_string_append(ended, "\u200e");
                begin = next;
            }
        }
        at = next;
    }
    return ended ? g_string_free(g_string_append(ended, begin), FALSE) : NULL;
}

static void set_layout_text(struct sw_drawing *drawing, const char *text, double size, bool bold, double room) {
    sw_late.pango_font_description_set_absolute_size(drawing->font, size * PANGO_SCALE);
    sw_late.pango_font_description_set_weight(drawing->font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    sw_late.pango_layout_set_font_description(drawing->layout, drawing->font);
    sw_late.pango_layout_set_single_paragraph_mode(drawing->layout, TRUE);
    sw_late.pango_layout_set_width(drawing->layout, room > 0 ? (int)(room * PANGO_SCALE) : -1);
    sw_late.pango_layout_set_ellipsize(drawing->layout, room > 0 ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
    char *ended = end_names(text);
    sw_late.pango_layout_set_text(drawing->layout, ended ? ended : text, -1);
    g_free(ended);
}

/* Notes are wrapped, between words where that can be. */
static void set_placed(struct sw_drawing *drawing, const struct sw_placed_text *text) {
    set_layout_text(drawing, text->text, text->size, text->bold, text->room);
    if (text->note) {
        sw_late.pango_layout_set_ellipsize(drawing->layout, PANGO_ELLIPSIZE_NONE);
        sw_late.pango_layout_set_wrap(drawing->layout, PANGO_WRAP_WORD_CHAR);
    }
}

void sw_drawing_measure_note(struct sw_drawing *drawing, struct sw_placed_text *text) {
    PangoRectangle logical;
    set_placed(drawing, text);
    /* As narrow as it can be with as many lines: no word is left alone in the last. */
    int lines = sw_late.pango_layout_get_line_count(drawing->layout);
    for (double room = text->room; room > 40 && lines > 1; room -= 4) {
        sw_late.pango_layout_set_width(drawing->layout, (int)(room * PANGO_SCALE));
        if (sw_late.pango_layout_get_line_count(drawing->layout) > lines) {
            break;
        }
        text->room = room;
    }
    sw_late.pango_layout_set_width(drawing->layout, (int)(text->room * PANGO_SCALE));
    sw_late.pango_layout_get_extents(drawing->layout, NULL, &logical);
    text->width = fmin(ceil((double)logical.width / PANGO_SCALE), text->room);
    text->height = (double)logical.height / PANGO_SCALE;
}

void sw_drawing_measure(struct sw_drawing *drawing, const char *text, double size, bool bold, double *width,
                        double *height) {
    PangoRectangle logical;
    set_layout_text(drawing, text, size, bold, 0);
    sw_late.pango_layout_get_extents(drawing->layout, NULL, &logical);
    *width = (double)logical.width / PANGO_SCALE;
    *height = (double)logical.height / PANGO_SCALE;
}

/* Where its layout begins, inside a note's frame. */
static void text_origin(const struct sw_placed_text *text, double *left, double *top) {
    *left = text->left + (text->note ? SW_NOTE_PADDING : 0);
    *top = text->top + text->drop + (text->note ? SW_NOTE_PADDING - 1 : 0);
}

void sw_drawing_text(struct sw_drawing *drawing, const struct sw_placed_text *text) {
    cairo_t *cairo = drawing->cairo;
    double left, top;
    text_origin(text, &left, &top);
    if (text->note) {
        sw_late.cairo_rectangle(cairo, text->left, text->top, text->width, text->height);
        sw_drawing_color(drawing, text->ground, 1);
        sw_late.cairo_fill_preserve(cairo);
        sw_late.cairo_set_line_width(cairo, 0.9);
        sw_drawing_color(drawing, sw_drawing_ink(drawing, SW_STYLE_STRONG), 1);
        sw_late.cairo_stroke(cairo);
    }
    if (text->boxed) {
        sw_drawing_color(drawing, text->ground, 0.88);
        sw_late.cairo_rectangle(cairo, text->left - text->across, text->top - text->along,
                                text->width + 2 * text->across, text->height + 2 * text->along);
        sw_late.cairo_fill(cairo);
    }
    sw_drawing_color(drawing, text->color, 1);
    set_placed(drawing, text);
    sw_late.cairo_save(cairo);
    if (text->rotated) {
        sw_late.cairo_translate(cairo, text->left, text->top + text->height);
        sw_late.cairo_rotate(cairo, -G_PI / 2);
    } else {
        sw_late.cairo_translate(cairo, left, top);
    }
    sw_late.pango_cairo_show_layout(cairo, drawing->layout);
    sw_late.cairo_restore(cairo);
}

/* ---- text that can be selected ---- */

void sw_drawing_lines(struct sw_drawing *drawing, const struct sw_placed_text *text,
                      void (*take)(void *context, const struct sw_placed_text *, const struct sw_text_line *),
                      void *context) {
    double left, top;
    text_origin(text, &left, &top);
    set_placed(drawing, text);
    const char *all = sw_late.pango_layout_get_text(drawing->layout);
    PangoLayoutIter *iter = sw_late.pango_layout_get_iter(drawing->layout);
    do {
        PangoLayoutLine *line = sw_late.pango_layout_iter_get_line_readonly(iter);
        PangoRectangle logical;
        sw_late.pango_layout_iter_get_line_extents(iter, NULL, &logical);
        double baseline = (double)sw_late.pango_layout_iter_get_baseline(iter) / PANGO_SCALE;
        struct sw_text_line said = {.left = left,
                                    .baseline = top + baseline,
                                    .width = (double)logical.width / PANGO_SCALE,
                                    .from = text->note ? all + sw_late.pango_layout_line_get_start_index(line) : all,
                                    .length =
                                        text->note ? (size_t)sw_late.pango_layout_line_get_length(line) : strlen(all)};
        take(context, text, &said);
    } while (sw_late.pango_layout_iter_next_line(iter));
    sw_late.pango_layout_iter_free(iter);
}

const char *sw_drawing_cut(struct sw_drawing *drawing, const struct sw_placed_text *text) {
    double width, height;
    if (!(text->room > 0)) {
        return text->text;
    }
    size_t length = strlen(text->text);
    char *cut = sw_arena_new(&drawing->arena, length + 4, 1);
    if (!cut) {
        drawing->failed = true;
        return "";
    }
    size_t fits = 0, more = (size_t)g_utf8_strlen(text->text, -1);
    while (fits < more) {
        size_t half = fits + (more - fits + 1) / 2;
        const char *end = g_utf8_offset_to_pointer(text->text, (glong)half);
        snprintf(cut, length + 4, "%.*s\xe2\x80\xa6", (int)(end - text->text), text->text);
        sw_drawing_measure(drawing, cut, text->size, text->bold, &width, &height);
        if (width <= text->room) {
            fits = half;
        } else {
            more = half - 1;
        }
    }
    const char *end = g_utf8_offset_to_pointer(text->text, (glong)fits);
    while (end > text->text && g_unichar_ismark(g_utf8_get_char(end))) {
        end = g_utf8_prev_char(end); /* not between a letter and what stands on it */
    }
    snprintf(cut, length + 4, "%.*s\xe2\x80\xa6", (int)(end - text->text), text->text);
    return cut;
}

/* A line of the layout where its outlines are. What was cut stands there as a whole. */
static void keep_text_line(void *context, const struct sw_placed_text *text, const struct sw_text_line *line) {
    struct sw_sink *sink = context;
    if (text->rotated) {
        sw_sink_printf(sink, "<text transform=\"translate(%.5g %.5g) rotate(-90)\"",
                       text->left + line->baseline - text->top, text->top + text->height);
    } else {
        sw_sink_printf(sink, "<text x=\"%.5g\" y=\"%.5g\"", line->left, line->baseline);
    }
    sw_sink_printf(sink, " font-size=\"%.3g\"%s textLength=\"%.5g\">", text->size,
                   text->bold ? " font-weight=\"bold\"" : "", line->width);
    sw_sink_xml(sink, line->from, line->length);
    sw_sink_printf(sink, "</text>\n");
}

static void keep_title(const char *told, struct sw_sink *sink) {
    sw_sink_printf(sink, "<title>");
    sw_sink_xml(sink, told, strlen(told));
    sw_sink_printf(sink, "</title>\n");
}

/* What browsers show where one points at a block. */
static void keep_areas(const struct sw_panel *panel, struct sw_scene *words, struct sw_sink *sink) {
    struct sw_area area;
    for (size_t i = 0; panel->kind == SW_PANEL_PLOT && i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (!sw_web_points(mark) || !sw_drawing_area(panel, mark, &area)) {
            continue;
        }
        const char *told = sw_web_tell(words, panel, mark);
        if (*told) {
            sw_sink_printf(sink, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\">", area.left, area.top,
                           area.right - area.left, area.bottom - area.top);
            keep_title(told, sink);
            sw_sink_printf(sink, "</rect>\n");
        }
    }
}

void sw_drawing_layer(struct sw_drawing *drawing, struct sw_sink *sink) {
    sw_sink_printf(sink, "<g fill=\"transparent\" font-family=\"" SW_FONTS "\"");
    if (drawing->scene->zoom > 0) {
        sw_sink_printf(sink, " transform=\"scale(%.6g)\"", drawing->scene->zoom);
    }
    sw_sink_printf(sink, ">\n");
    struct sw_scene words = {.units = drawing->scene->units, .joins = true};
    for (size_t i = 0; i < drawing->scene->panels.count; i++) {
        keep_areas(&drawing->scene->panels.items[i], &words, sink);
    }
    for (size_t i = 0; i < drawing->texts.count; i++) {
        const struct sw_placed_text *text = &drawing->texts.items[i];
        bool named = text->mark && sw_web_points(text->mark);
        if (named) {
            sw_sink_printf(sink, "<g>");
            keep_title(sw_web_tell(&words, text->panel, text->mark), sink);
        }
        sw_drawing_lines(drawing, text, keep_text_line, sink);
        sw_sink_printf(sink, named ? "</g>\n" : "");
    }
    sw_sink_printf(sink, "</g>\n");
    sink->failed |= words.failed;
    sw_scene_done(&words);
}

/* ---- placing ---- */

static bool texts_meet(const struct sw_placed_text *a, const struct sw_placed_text *b) {
    return a->left < b->left + b->width && b->left < a->left + a->width && a->top < b->top + b->height &&
           b->top < a->top + a->height;
}

bool sw_drawing_free(const struct sw_drawing *drawing, const struct sw_placed_text *text, double apart) {
    struct sw_placed_text box = *text;
    if (box.left < 0 || box.top < 0 || box.left + box.width > drawing->scene->width ||
        box.top + box.height > drawing->scene->height) {
        return false;
    }
    box.left -= apart;
    box.top -= apart;
    box.width += 2 * apart;
    box.height += 2 * apart;
    for (size_t i = 0; i < drawing->texts.count; i++) {
        if (texts_meet(&box, &drawing->texts.items[i])) {
            return false;
        }
    }
    return true;
}

/* Takes the text when its box is free; says whether it did. */
bool sw_drawing_place(struct sw_drawing *drawing, struct sw_placed_text text) {
    if (!*text.text || !sw_drawing_free(drawing, &text, 0)) {
        return false;
    }
    if (!SW_PUSH(&drawing->texts, text)) {
        drawing->failed = true;
    }
    return true;
}

static bool place_text_at(struct sw_drawing *drawing, struct sw_placed_text text, double left, double top) {
    text.left = left;
    text.top = top;
    return sw_drawing_place(drawing, text);
}

static struct sw_placed_text measured_text(struct sw_drawing *drawing, const char *text, double size, bool bold,
                                           enum sw_style style) {
    struct sw_placed_text placed = {.text = text, .size = size, .bold = bold, .color = sw_drawing_ink(drawing, style)};
    sw_drawing_measure(drawing, text, size, bold, &placed.width, &placed.height);
    return placed;
}

/* Cut at `room`. */
void sw_drawing_limit(struct sw_placed_text *text, double room) {
    if (text->width > room) {
        text->room = fmax(room, 1);
        text->width = text->room;
    }
}

/* ---- the frame of the page ---- */

/* Smaller where it is too long, and cut where the least size does not do. */
static struct sw_placed_text title_within(struct sw_drawing *drawing, const char *title, enum sw_style style,
                                          double size, double least, double room) {
    struct sw_placed_text text = measured_text(drawing, title, size, true, style);
    if (text.width > room) {
        size = fmax(least, floor(2 * size * room / text.width) / 2);
        text = measured_text(drawing, title, size, true, style);
    }
    sw_drawing_limit(&text, room);
    return text;
}

static void plan_title(struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    if (!scene->title) {
        return;
    }
    double room = scene->width - 2 * SW_PAGE_MARGIN;
    struct sw_placed_text text = title_within(drawing, scene->title, SW_STYLE_STRONG, TITLE_SIZE, LEAST_TITLE, room);
    double below = SW_PAGE_MARGIN - 8 + text.height + 1;
    place_text_at(drawing, text, SW_PAGE_MARGIN, SW_PAGE_MARGIN - 8);
    if (scene->subtitle) {
        text = measured_text(drawing, scene->subtitle, PANEL_SIZE, scene->warns,
                             scene->warns ? SW_STYLE_WARNING : SW_STYLE_DIM);
        sw_drawing_limit(&text, room);
        place_text_at(drawing, text, SW_PAGE_MARGIN, below);
    }
}

/* The page's number, right of the caption's last line; the room it takes. */
static double plan_number(struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    if (!scene->number) {
        return 0;
    }
    struct sw_placed_text text = measured_text(drawing, scene->number, CAPTION_SIZE, true, SW_STYLE_TEXT);
    text.height = fmin(text.height, SW_PAGE_CAPTION_LINE);
    place_text_at(drawing, text, scene->width - SW_PAGE_MARGIN - text.width,
                  scene->height - SW_PAGE_MARGIN - SW_PAGE_CAPTION_LINE);
    return text.width + 12;
}

static void plan_caption(struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    size_t lines = sw_scene_caption_lines(scene);
    double top = scene->height - SW_PAGE_MARGIN - SW_PAGE_CAPTION_LINE * (double)lines;
    bool first = true; /* the first sentence */
    for (size_t i = 0; i < lines; i++) {
        const char *line = scene->caption.items[i];
        struct sw_placed_text text =
            measured_text(drawing, line, CAPTION_SIZE, false, first ? SW_STYLE_TEXT : SW_STYLE_DIM);
        first = first && (!*line || line[strlen(line) - 1] != '.');
        sw_drawing_limit(&text, scene->width - 2 * SW_PAGE_MARGIN - (i + 1 == lines ? plan_number(drawing) : 0));
        text.height = fmin(text.height, SW_PAGE_CAPTION_LINE);
        place_text_at(drawing, text, SW_PAGE_MARGIN, top + SW_PAGE_CAPTION_LINE * (double)i);
    }
}

bool sw_drawing_legend(struct sw_drawing *drawing, size_t entry, struct sw_legend_place *at) {
    const struct sw_scene *scene = drawing->scene;
    double right = scene->width - SW_PAGE_MARGIN;
    double left = SW_PAGE_MARGIN, row = 0, rows = 1;
    for (size_t i = 0; i < scene->legend.count; i++) {
        double width, height;
        sw_drawing_measure(drawing, scene->legend.items[i].text, TABLE_SIZE, false, &width, &height);
        width = sw_legend_sample(&scene->legend.items[i]) + 6 + width + SW_PAGE_LEGEND_SPACE;
        if (left + width > right && left > SW_PAGE_MARGIN) {
            left = SW_PAGE_MARGIN;
            rows++;
        }
        if (i == entry) {
            at->left = left;
            row = rows - 1;
        }
        left += width;
    }
    at->top = scene->height - SW_PAGE_MARGIN - SW_PAGE_CAPTION_GAP -
              SW_PAGE_CAPTION_LINE * (double)sw_scene_caption_lines(scene) - SW_PAGE_LEGEND_ROW * (rows - row);
    return entry < scene->legend.count;
}

static void plan_legend(struct sw_drawing *drawing) {
    struct sw_legend_place at;
    for (size_t i = 0; sw_drawing_legend(drawing, i, &at); i++) {
        struct sw_placed_text text =
            measured_text(drawing, drawing->scene->legend.items[i].text, TABLE_SIZE, false, SW_STYLE_TEXT);
        text.entry = &drawing->scene->legend.items[i];
        place_text_at(drawing, text, at.left + sw_legend_sample(text.entry) + 6,
                      at.top + (SW_PAGE_LEGEND_ROW - text.height) / 2);
    }
}

/* ---- plots ---- */

static void plan_axes(struct sw_drawing *drawing, const struct sw_panel *panel) {
    double bottom = panel->body_top + panel->body_height;
    struct sw_placed_text text;
    for (size_t i = 0; i < panel->y.ticks.count; i++) {
        const struct sw_tick *tick = &panel->y.ticks.items[i];
        text = measured_text(drawing, tick->label, AXIS_SIZE, false, SW_STYLE_DIM);
        place_text_at(drawing, text, panel->body_left - 7 - text.width,
                      sw_drawing_y(panel, tick->at) - text.height / 2);
    }
    for (size_t i = 0; i < panel->x.ticks.count; i++) {
        const struct sw_tick *tick = &panel->x.ticks.items[i];
        text = measured_text(drawing, tick->label, AXIS_SIZE, false, SW_STYLE_DIM);
        double row = panel->x.rows ? (double)(i % panel->x.rows) : 0;
        place_text_at(drawing, text, sw_drawing_x(panel, tick->at) - text.width / 2,
                      bottom + 6 + row * SW_PAGE_LABEL_ROW);
    }
    if (panel->x.title && panel->x.ticks.count) {
        text = measured_text(drawing, panel->x.title, AXIS_SIZE, false, SW_STYLE_DIM);
        bool below = panel->x.rows > 0;
        place_text_at(drawing, text,
                      panel->body_left + (below ? (panel->body_width - text.width) / 2 : panel->body_width + 10),
                      bottom + 6 + (below ? panel->x.rows * SW_PAGE_LABEL_ROW + 3 : 0));
    }
    if (panel->y.title) {
        text = measured_text(drawing, panel->y.title, AXIS_SIZE, false, SW_STYLE_DIM);
        double width = text.width;
        text.rotated = true;
        text.width = text.height;
        text.height = width;
        place_text_at(drawing, text, panel->left, panel->body_top + (panel->body_height - width) / 2);
    }
}

/* The longest form that has room; when none has, the shortest that says anything is cut. */
static struct sw_placed_text line_label(struct sw_drawing *drawing, const struct sw_mark *mark, double room) {
    struct sw_placed_text text = {0};
    /* What names a curve stands on the page, not in a block. */
    enum sw_style style = mark->style == SW_STYLE_BLOCK ? SW_STYLE_TEXT : (enum sw_style)mark->style;
    for (size_t i = 0; mark->labels[i] && *mark->labels[i]; i++) {
        text = measured_text(drawing, mark->labels[i], AXIS_SIZE, style == SW_STYLE_PEAK, style);
        if (text.width <= room) {
            return text;
        }
    }
    sw_drawing_limit(&text, room);
    return text;
}

/* Labels of lines stand right of the body, pushed apart where lines are close. */
enum { LAID_LINES = 8 };
static void plan_line_labels(struct sw_drawing *drawing, const struct sw_panel *panel) {
    struct sw_placed_text labels[LAID_LINES];
    size_t count = 0;
    double left = panel->body_left + panel->body_width + 10;
    /* Into the margin, rather than cut a figure, but not into what stands beside. */
    double end = panel->left + panel->width, edge = drawing->scene->width - SW_PAGE_MARGIN;
    double room = (end < edge - 1 ? end : drawing->scene->width - 8) - left;
    for (size_t i = 0; i < panel->marks.count && count < LAID_LINES; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind != SW_MARK_LINE || mark->y0 != mark->y1 || !mark->labels || !mark->labels[0] ||
            !*mark->labels[0]) {
            continue;
        }
        struct sw_placed_text text = line_label(drawing, mark, room);
        text.left = left;
        text.top = sw_drawing_y(panel, mark->y0) - text.height / 2;
        size_t at = count++;
        for (; at > 0 && labels[at - 1].top > text.top; at--) {
            labels[at] = labels[at - 1];
        }
        labels[at] = text;
    }
    /* From below upward nothing may stand on what is lower: higher lines give way upward. */
    for (size_t i = count; i-- > 1;) {
        double highest = labels[i].top - labels[i - 1].height - 0.5;
        labels[i - 1].top = fmin(labels[i - 1].top, highest);
    }
    for (size_t i = 0; i < count; i++) {
        sw_drawing_place(drawing, labels[i]);
    }
}

static void plan_text_mark(struct sw_drawing *drawing, const struct sw_panel *panel, const struct sw_mark *mark) {
    double right = panel->body_left + panel->body_width;
    for (size_t i = 0; mark->labels && mark->labels[i] && *mark->labels[i]; i++) {
        struct sw_placed_text text = measured_text(drawing, mark->labels[i], AXIS_SIZE, false, mark->style);
        double left = fmin(sw_drawing_x(panel, mark->x0) - text.width / 2, right - text.width);
        left = fmax(left, panel->body_left + 4);
        if (left + text.width <= right &&
            place_text_at(drawing, text, left, sw_drawing_y(panel, mark->y0) - text.height - 2)) {
            return;
        }
    }
}

/* ---- the panel ---- */

/* A title may go on above the labels of lines, where none stands that high. */
static double title_room(const struct sw_panel *panel) {
    double highest = INFINITY;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        bool level = mark->kind == SW_MARK_LINE && mark->y0 == mark->y1 && mark->labels;
        highest = level ? fmin(highest, sw_drawing_y(panel, mark->y0)) : highest;
    }
    bool above = highest > panel->body_top + 3;
    return above ? fmax(panel->left + panel->width - panel->body_left, panel->body_width) : panel->body_width;
}

static void plan_plot(struct sw_drawing *drawing, const struct sw_panel *panel) {
    drawing->panel = panel;
    if (panel->title && *panel->title) {
        struct sw_placed_text text =
            title_within(drawing, panel->title, SW_STYLE_TEXT, PANEL_SIZE, LEAST_PANEL, title_room(panel));
        place_text_at(drawing, text, panel->body_left, panel->body_top - text.height - 3);
    }
    plan_axes(drawing, panel);
    plan_line_labels(drawing, panel);
    for (size_t i = 0; i < panel->marks.count; i++) {
        if (panel->marks.items[i].kind == SW_MARK_TEXT) {
            plan_text_mark(drawing, panel, &panel->marks.items[i]);
        }
    }
    sw_drawing_plan_names(drawing, panel);
}

/* ---- tables ---- */

enum { LAID_COLUMNS = 16 };
#define LEAST_LAID_COLUMN 8.0

/* When the one that stretches is at its share, the widest columns give way, evenly, until all find
 * room: a name can be cut, a figure that is off the page is lost. */
static void narrow_texts(double *widths, uint32_t columns, double room) {
    for (uint32_t tries = 0; tries < columns; tries++) {
        double total = 0, widest = 0, next = LEAST_LAID_COLUMN;
        unsigned wide = 0;
        for (uint32_t c = 0; c < columns; c++) {
            total += widths[c];
            widest = fmax(widest, widths[c]);
        }
        for (uint32_t c = 0; c < columns; c++) {
            bool among = widths[c] > widest - 0.5;
            wide += among;
            next = among ? next : fmax(next, widths[c]);
        }
        if (total <= room || widest <= LEAST_LAID_COLUMN) {
            return;
        }
        double wanted = fmax(next, widest - (total - room) / wide);
        for (uint32_t c = 0; c < columns; c++) {
            widths[c] = fmin(widths[c], wanted);
        }
    }
}

static void column_widths(struct sw_drawing *drawing, const struct sw_panel *panel, double widths[LAID_COLUMNS]) {
    uint32_t columns = SW_MIN(panel->columns, LAID_COLUMNS);
    double total = 0, height;
    for (size_t r = 0; r < panel->rows.count; r++) {
        const struct sw_row *row = &panel->rows.items[r];
        for (uint32_t c = 0; row->count > 1 && c < row->count && c < columns; c++) {
            double width;
            sw_drawing_measure(drawing, panel->texts.items[row->first + c].text, TABLE_SIZE, row->current, &width,
                               &height);
            widths[c] = fmax(widths[c], width);
        }
    }
    for (uint32_t c = 0; c < columns; c++) {
        total += widths[c] + (c ? SW_PAGE_COLUMN : 0);
    }
    if (panel->stretch < columns) {
        double *stretch = &widths[panel->stretch];
        *stretch = fmax(*stretch + fmin(panel->width - total, 0), fmin(*stretch, panel->width / columns));
    }
    narrow_texts(widths, columns, panel->width - SW_PAGE_COLUMN * fmax((double)columns - 1, 0));
}

/* Between columns: a table that has room to spare is spread, but no line is torn apart. */
static double table_space(const struct sw_panel *panel, const double widths[LAID_COLUMNS]) {
    double total = 0;
    for (int c = 0; c < LAID_COLUMNS; c++) {
        total += widths[c];
    }
    double spare = panel->columns > 1 ? (panel->width - total) / (panel->columns - 1) : 0;
    return fmax(fmin(spare, 26), SW_PAGE_COLUMN);
}

/* From the top to where letters stand. Scripts differ in it; in a row they stand on one line. */
static double baseline(struct sw_drawing *drawing, const char *text, bool bold) {
    set_layout_text(drawing, text, TABLE_SIZE, bold, 0);
    return (double)sw_late.pango_layout_get_baseline(drawing->layout) / PANGO_SCALE;
}

static void plan_table(struct sw_drawing *drawing, const struct sw_panel *panel) {
    double widths[LAID_COLUMNS] = {0};
    column_widths(drawing, panel, widths);
    double top = panel->top, usual = baseline(drawing, "0", false), space = table_space(panel, widths);
    if (panel->title && *panel->title) {
        struct sw_placed_text text =
            title_within(drawing, panel->title, SW_STYLE_TEXT, PANEL_SIZE, LEAST_PANEL, panel->width);
        place_text_at(drawing, text, panel->left, top - 2);
        top += SW_PAGE_ROW; /* views count a row for it */
    }
    for (size_t r = 0; r < panel->rows.count; r++, top += SW_PAGE_ROW) {
        const struct sw_row *row = &panel->rows.items[r];
        double left = panel->left;
        for (uint32_t c = 0; c < row->count && c < LAID_COLUMNS; c++) {
            const struct sw_text *cell = &panel->texts.items[row->first + c];
            struct sw_placed_text text = measured_text(drawing, cell->text, TABLE_SIZE, row->current, cell->style);
            double room = row->count == 1 ? panel->width : widths[c];
            sw_drawing_limit(&text, room);
            text.height = fmin(text.height, SW_PAGE_ROW);
            text.drop = usual - baseline(drawing, cell->text, row->current);
            place_text_at(drawing, text, left + (cell->right ? room - text.width : 0), top);
            left += room + space;
        }
    }
}

/* ---- arrows do not strike texts out ---- */

static void clear_way(struct sw_drawing *drawing, const struct sw_panel *panel, const struct sw_mark *arrow) {
    double x0 = sw_drawing_x(panel, arrow->x0), x1 = sw_drawing_x(panel, arrow->x1);
    double y0 = sw_drawing_y(panel, arrow->y0), y1 = sw_drawing_y(panel, arrow->y1);
    for (size_t i = 0; i < drawing->texts.count; i++) {
        struct sw_placed_text *text = &drawing->texts.items[i];
        if (!text->boxed && !text->note && fmax(x0, x1) >= text->left - 3 &&
            fmin(x0, x1) <= text->left + text->width + 3 && fmax(y0, y1) >= text->top &&
            fmin(y0, y1) <= text->top + text->height) {
            text->boxed = true;
            text->across = 1.5;
            text->ground = text->ground.set ? text->ground : drawing->theme->background;
        }
    }
}

static void clear_ways(struct sw_drawing *drawing) {
    for (size_t p = 0; p < drawing->scene->panels.count; p++) {
        const struct sw_panel *panel = &drawing->scene->panels.items[p];
        for (size_t i = 0; panel->kind == SW_PANEL_PLOT && i < panel->marks.count; i++) {
            if (panel->marks.items[i].kind == SW_MARK_ARROW) {
                clear_way(drawing, panel, &panel->marks.items[i]);
            }
        }
    }
}

void sw_drawing_plan(struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    plan_title(drawing);
    plan_caption(drawing);
    plan_legend(drawing);
    sw_drawing_size_names(drawing);
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (scene->panels.items[i].kind == SW_PANEL_PLOT) {
            plan_plot(drawing, &scene->panels.items[i]);
        } else {
            plan_table(drawing, &scene->panels.items[i]);
        }
    }
    clear_ways(drawing);
    sw_drawing_plan_notes(drawing);
    sw_drawing_plan_leaders(drawing);
}
