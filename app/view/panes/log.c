/* What scripts printed, what went wrong in them, what commands said: the newest at the bottom. */
#include "view/scene/lines.h"

static void add_said(struct sw_lines *lines, const struct sw_log_line *said) {
    if (*said->text) {
        sw_lines_text(lines, said->style, said->text);
    } else if (sw_lines_row(lines, SW_NO_ITEM, false)) {
        sw_lines_cell(lines, said->style, false, said->text);
    }
}

/* So many lines, from the oldest on, fill the pane: it goes no further up. */
static size_t first_page(const struct sw_lines *lines) {
    const struct sw_view_input *in = lines->in;
    size_t used = 0, count = 0;
    while (count < in->run.log_count) {
        used += sw_view_line_count(in->run.log[count].text, lines->room);
        if (used > lines->rows && count > 0) {
            break;
        }
        count++;
    }
    return count;
}

static void log_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    size_t up = in->look.scroll < 0 ? (size_t)-in->look.scroll : 0, used = 0;
    const char *title = sw_scene_printf(scene, "log: %s", sw_scene_counted(scene, in->run.log_count, "line"));
    struct sw_lines lines = sw_lines_begin(in, scene, "log", title, box, 1, 0);
    size_t least = first_page(&lines), end = in->run.log_count;
    end = up < end - least ? end - up : least;
    lines.panel->over = in->look.scroll + (int32_t)(in->run.log_count - end);
    size_t first = end;
    while (first > 0) {
        used += sw_view_line_count(in->run.log[first - 1].text, lines.room);
        if (used > lines.rows && first < end) {
            break; /* the newest is shown even when it is too long */
        }
        first--;
    }
    for (size_t i = first; i < end && !scene->failed; i++) {
        add_said(&lines, &in->run.log[i]);
    }
    lines.panel->hidden_above = first;
    lines.panel->hidden_below += in->run.log_count - end;
    if (in->run.log_count == 0) {
        sw_lines_text(&lines, SW_STYLE_DIM, "Nothing has been said so far.");
    }
}

const struct sw_view sw_view_log = {
    .name = "log",
    .of = SW_VIEW_OF_BOTH,
    .summary = "what scripts and commands said, the newest last",
    .scrolls = SW_SCROLLS_LIST,
    .build = log_build,
};
