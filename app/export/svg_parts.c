/* Numbers, paths and texts of SVG, for the files that write it themselves. */
#include "export/drawing.h"

#include <math.h>

void sw_svg_coordinate(struct sw_sink *sink, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.2f", value);
    size_t length = strlen(text);
    while (text[length - 1] == '0') {
        length--;
    }
    length -= text[length - 1] == '.';
    text[length] = '\0';
    const char *start = !strcmp(text, "-0") ? "0" : text;
    sw_sink_add(sink, start, strlen(start));
}

struct sw_svg_paint sw_svg_paint_of(cairo_t *cairo, bool stroke) {
    struct sw_svg_paint paint = {.alpha = 1};
    double red = 0, green = 0, blue = 0, offset;
    sw_late.cairo_pattern_get_rgba(sw_late.cairo_get_source(cairo), &red, &green, &blue, &paint.alpha);
    paint.color = (struct sw_color){
        .red = (uint8_t)lround(red * 255), .green = (uint8_t)lround(green * 255), .blue = (uint8_t)lround(blue * 255)};
    if (stroke) {
        int count = sw_late.cairo_get_dash_count(cairo);
        paint.width = sw_late.cairo_get_line_width(cairo);
        if (count > 0 && count <= (int)(sizeof paint.dashes / sizeof *paint.dashes)) {
            sw_late.cairo_get_dash(cairo, paint.dashes, &offset);
            paint.dash_count = count;
        }
    }
    return paint;
}

void sw_svg_attribute(struct sw_sink *sink, const char *name, double value) {
    sw_sink_printf(sink, " %s=\"", name);
    sw_svg_coordinate(sink, value);
    sw_sink_printf(sink, "\"");
}

void sw_svg_point(struct sw_sink *sink, struct sw_svg_pen *pen, const cairo_path_data_t *data) {
    double x = data[1].point.x, y = data[1].point.y;
    bool move = data->header.type == CAIRO_PATH_MOVE_TO, level = !move && y == pen->y;
    bool upright = !move && !level && x == pen->x;
    sw_sink_printf(sink, "%s", move ? "M" : level ? "H" : upright ? "V" : "L");
    if (!upright) {
        sw_svg_coordinate(sink, x);
        sw_sink_printf(sink, "%s", level ? "" : " ");
    }
    if (!level) {
        sw_svg_coordinate(sink, y);
    }
    *pen = (struct sw_svg_pen){x, y, pen->points + 1};
}

void sw_svg_box(struct sw_sink *sink, const struct sw_placed_text *text) {
    sw_sink_printf(sink, "<rect");
    sw_svg_attribute(sink, "x", text->left - text->across);
    sw_svg_attribute(sink, "y", text->top - text->along);
    sw_svg_attribute(sink, "width", text->width + 2 * text->across);
    sw_svg_attribute(sink, "height", text->height + 2 * text->along);
}

struct svg_line {
    struct sw_sink *sink;
    const char *attributes;
};

static void write_placed_line(void *context, const struct sw_placed_text *text, const struct sw_text_line *line) {
    const struct svg_line *out = context;
    struct sw_sink *sink = out->sink;
    sw_sink_printf(sink, "<text%s", out->attributes);
    if (text->rotated) {
        sw_sink_printf(sink, " transform=\"translate(");
        sw_svg_coordinate(sink, text->left + line->baseline - text->top);
        sw_sink_printf(sink, " ");
        sw_svg_coordinate(sink, text->top + text->height);
        sw_sink_printf(sink, ")rotate(-90)\"");
    } else {
        sw_svg_attribute(sink, "x", line->left);
        sw_svg_attribute(sink, "y", line->baseline);
    }
    sw_svg_attribute(sink, "textLength", line->width);
    sw_sink_printf(sink, ">");
    sw_sink_xml(sink, line->from, line->length);
    sw_sink_printf(sink, "</text>");
}

void sw_svg_text(struct sw_sink *sink, struct sw_drawing *drawing, const struct sw_placed_text *text,
                 const char *attributes) {
    struct sw_placed_text shown = *text;
    if (text->room > 0 && !text->note) {
        shown.text = sw_drawing_cut(drawing, text);
        shown.room = 0;
    }
    sw_drawing_lines(drawing, &shown, write_placed_line, &(struct svg_line){sink, attributes});
}
