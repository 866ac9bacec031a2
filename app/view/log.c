/* What scripts printed, what went wrong in them, what commands said: the newest at the bottom. */
#include "view/lines.h"

/* Rows that a line takes. */
static size_t rows_of(const struct sw_lines *lines, const struct sw_log_line *said) {
    size_t rows = 0;
    if (said->style == SW_STYLE_DIM) {
        return 1; /* what a command said is cut, not wrapped */
    }
    const char *text = said->text;
    do {
        text += sw_view_wrap(text, lines->room);
        while (*text == ' ') {
            text++;
        }
        rows++;
    } while (*text);
    return rows;
}

static void add(struct sw_lines *lines, const struct sw_log_line *said) {
    if (*said->text && said->style != SW_STYLE_DIM) {
        sw_lines_text(lines, said->style, said->text);
    } else if (sw_lines_row(lines, (struct sw_item){SW_ITEM_NONE, 0}, false)) {
        sw_lines_cell(lines, said->style, false, said->text);
    }
}

static void build(const struct sw_view_input *in, struct sw_scene *scene, double left, double top,
                  double width, double height) {
    struct sw_lines lines;
    size_t first = in->log_count, used = 0;
    char text[32];
    const char *title = sw_scene_printf(scene, "log: %s line%s", sw_show_count(in->log_count, text),
                                        in->log_count == 1 ? "" : "s");
    if (!sw_lines_begin(&lines, in, scene, "log", title, (struct sw_box){left, top, width, height},
                        1, 0)) {
        return;
    }
    while (first > 0) {
        used += rows_of(&lines, &in->log[first - 1]);
        if (used > lines.rows && first < in->log_count) {
            break; /* the newest is shown even when it is too long */
        }
        first--;
    }
    if (first > 0) {
        char shown[32];
        lines.panel->title = sw_scene_printf(scene, "%s, the last %s", title,
                                             sw_show_count(in->log_count - first, shown));
    }
    for (size_t i = first; i < in->log_count && !scene->failed; i++) {
        add(&lines, &in->log[i]);
    }
    lines.panel->hidden_above = first;
    if (in->log_count == 0) {
        sw_lines_text(&lines, SW_STYLE_DIM, "Nothing has been said so far.");
    }
}

const struct sw_view sw_view_log = {
    .name = "log",
    .summary = "what scripts printed, their errors, and what commands said, the newest last",
    .build = build,
};
