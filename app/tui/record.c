#include "tui/tui.h"
#include "base/base.h"

#include "formats/format.h"

/* A cell in the picture: a usual monospaced letter of 14 pixels is about so wide. */
#define CELL_WIDTH 8.4
#define CELL_HEIGHT 17.0
#define BASELINE 13.0

static void put_css_color(struct sw_sink *out, struct sw_color color) {
    sw_sink_printf(out, "#%02x%02x%02x", color.red, color.green, color.blue);
}

static bool is_blank_cell(const struct sw_cell *cell) {
    return cell->text[0] == ' ' && !cell->text[1];
}

/* Cells from..to of a row, which look the same: their ground, then their text, stretched to its
 * cells whatever the viewer's font is. */
static void put_look_run(const struct sw_screencast *recording, struct sw_sink *out, unsigned y, unsigned from,
                         unsigned to) {
    const struct sw_theme *theme = &recording->frame.theme;
    const struct sw_cell *first = sw_grid_cell(&recording->frame.grid, from, y);
    bool swap = first->look.attributes & SW_ATTRIBUTE_REVERSE;
    struct sw_color ink = first->look.foreground.set ? first->look.foreground : theme->foreground;
    struct sw_color ground = first->look.background;
    if (swap) {
        struct sw_color other = ground.set ? ground : theme->background;
        ground = ink;
        ink = other;
    }
    double x = from * CELL_WIDTH, width = (to - from) * CELL_WIDTH;
    if (ground.set && !sw_same_color(ground, theme->background)) {
        sw_sink_printf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"17.3\" fill=\"", x, y * CELL_HEIGHT,
                       width + 0.3);
        put_css_color(out, ground);
        sw_sink_text(out, "\"/>");
    }
    while (from < to && is_blank_cell(sw_grid_cell(&recording->frame.grid, from, y))) {
        from++;
    }
    while (from < to && is_blank_cell(sw_grid_cell(&recording->frame.grid, to - 1, y))) {
        to--;
    }
    if (from == to) {
        return;
    }
    sw_sink_printf(out, "<text x=\"%g\" y=\"%g\"", from * CELL_WIDTH, y * CELL_HEIGHT + BASELINE);
    if (to - from > 1) {
        sw_sink_printf(out, " textLength=\"%g\"", (to - from) * CELL_WIDTH);
    }
    sw_sink_text(out, " fill=\"");
    put_css_color(out, ink);
    sw_sink_printf(out, "\"%s%s>", first->look.attributes & SW_ATTRIBUTE_BOLD ? " font-weight=\"bold\"" : "",
                   first->look.attributes & SW_ATTRIBUTE_DIM ? " opacity=\"0.6\"" : "");
    for (unsigned i = from; i < to; i++) {
        sw_sink_xml(out, sw_grid_cell(&recording->frame.grid, i, y)->text,
                    strlen(sw_grid_cell(&recording->frame.grid, i, y)->text));
    }
    sw_sink_text(out, "</text>");
}

/* A row as SVG. */
static void put_recorded_row(const struct sw_screencast *recording, unsigned y, struct sw_sink *out) {
    for (unsigned from = 0; from < recording->columns;) {
        const struct sw_cell *first = sw_grid_cell(&recording->frame.grid, from, y);
        unsigned to = from + 1;
        while (to < recording->columns &&
               (sw_grid_cell(&recording->frame.grid, to, y)->width == 0 ||
                sw_same_look(&first->look, &sw_grid_cell(&recording->frame.grid, to, y)->look))) {
            to++;
        }
        put_look_run(recording, out, y, from, to);
        from = to;
    }
}

/* The row as it stands before a frame; "" when it is the first. */
static const char *last_drawn(const struct sw_screencast *recording, size_t frame, unsigned y) {
    const char *line = NULL;
    while (frame-- > 0 && !line) {
        line = recording->lines.items[frame * recording->rows + y];
    }
    return line ? line : "";
}

bool sw_record_frame(struct sw_screencast *recording, struct sw_session *session, double seconds,
                     struct sw_error *error) {
    size_t frame = recording->seconds.count, rows = recording->rows;
    if (!sw_frame_draw(&recording->frame, session, recording->columns, recording->rows, SW_FRAME_THEME, error)) {
        return false;
    }
    if (!SW_RESERVE(&recording->lines, (frame + 1) * rows) || !SW_PUSH(&recording->seconds, seconds)) {
        return sw_fail_memory(error);
    }
    for (unsigned y = 0; y < rows; y++) {
        struct sw_sink out = {0};
        const char *before = last_drawn(recording, frame, y), *line = NULL;
        put_recorded_row(recording, y, &out);
        size_t length = out.text.count;
        bool same = strlen(before) == length && memcmp(before, length ? out.text.items : "", length) == 0;
        if (!out.failed && !same) {
            line = sw_arena_string(&recording->arena, length ? out.text.items : "", length);
        }
        recording->lines.items[recording->lines.count++] = line;
        bool good = !out.failed && (same || line);
        sw_sink_done(&out);
        if (!good) {
            return sw_fail_memory(error);
        }
    }
    return true;
}

static double seconds_before(const struct sw_screencast *recording, size_t frame) {
    double sum = 0;
    for (size_t i = 0; i < frame; i++) {
        sum += recording->seconds.items[i];
    }
    return sum;
}

/* For how many frames a row stays as it was drawn. */
static size_t frames_it_stays(const struct sw_screencast *recording, size_t frame, unsigned y) {
    size_t end = frame + 1;
    while (end < recording->seconds.count && !recording->lines.items[end * recording->rows + y]) {
        end++;
    }
    return end;
}

/* Before and after its frames a part is hidden. Where nothing moves, in print say, the last frame
 * stands. */
static void begin_frame_part(const struct sw_screencast *recording, struct sw_sink *out, size_t frame, size_t end) {
    double all = seconds_before(recording, recording->seconds.count);
    double from = seconds_before(recording, frame) / all;
    double to = seconds_before(recording, end) / all;
    bool last = end == recording->seconds.count;
    sw_sink_printf(out, "<g visibility=\"%s\">", last ? "visible" : "hidden");
    if (frame == 0 && last) {
        return;
    }
    sw_sink_printf(out,
                   "<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"%gs\" "
                   "repeatCount=\"indefinite\" values=\"",
                   all);
    if (frame == 0) {
        sw_sink_printf(out, "visible;hidden\" keyTimes=\"0;%.5f\"/>\n", to);
    } else if (last) {
        sw_sink_printf(out, "hidden;visible\" keyTimes=\"0;%.5f\"/>\n", from);
    } else {
        sw_sink_printf(out, "hidden;visible;hidden\" keyTimes=\"0;%.5f;%.5f\"/>\n", from, to);
    }
}

/* Of the rows drawn anew in a frame, those that stand until another one. */
static void put_frame_part(const struct sw_screencast *recording, struct sw_sink *out, size_t frame, size_t end) {
    bool begun = false;
    for (unsigned y = 0; y < recording->rows; y++) {
        const char *line = recording->lines.items[frame * recording->rows + y];
        if (line && *line && frames_it_stays(recording, frame, y) == end) {
            if (!begun) {
                begin_frame_part(recording, out, frame, end);
            }
            begun = true;
            sw_sink_text(out, line);
            sw_sink_printf(out, "\n");
        }
    }
    if (begun) {
        sw_sink_printf(out, "</g>\n");
    }
}

void sw_record_svg(const struct sw_screencast *recording, const char *title, struct sw_sink *out) {
    double width = recording->columns * CELL_WIDTH, height = recording->rows * CELL_HEIGHT;
    sw_sink_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-8 -8 %.1f %.1f\" "
                   "width=\"%.0f\" height=\"%.0f\" font-family=\"'DejaVu Sans Mono', Menlo, "
                   "Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n<style>text { "
                   "white-space: pre }</style>\n<title>",
                   width + 16, height + 16, width + 16, height + 16);
    sw_sink_xml(out, title, strlen(title));
    sw_sink_text(out, "</title>\n<rect x=\"-8\" y=\"-8\" width=\"100%\" height=\"100%\" fill=\"");
    put_css_color(out, recording->frame.theme.background);
    sw_sink_printf(out, "\"/>\n");
    for (size_t frame = 0; frame < recording->seconds.count; frame++) {
        for (size_t end = frame + 1; end <= recording->seconds.count; end++) {
            put_frame_part(recording, out, frame, end);
        }
    }
    sw_sink_printf(out, "</svg>\n");
}

void sw_record_done(struct sw_screencast *recording) {
    sw_arena_done(&recording->arena);
    SW_ARRAY_DONE(&recording->lines, &recording->seconds);
    sw_frame_done(&recording->frame);
}
