/* Pages: text that fills the screen until a key closes it, for what a status line cannot hold. The
 * lines of the help are made from the table of commands; the other pages are lists of lines. */
#include "command/screen/reading.h"
#include "base/base.h"
#include "command/screen/screen.h"
#include "command/state.h"

static void forget_reading(struct sw_screenful *reading) {
    sw_lines_clear(&reading->page.lines);
    SW_ARRAY_DONE(&reading->seek.rows);
}

SW_SESSION_PART(screenful, forget_reading(screenful));

void sw_page_end(struct sw_session *session) {
    session->screenful->top = SIZE_MAX / 2; /* drawing stops it at the last row */
}

void sw_page_begin(struct sw_session *session, const char *title) {
    sw_lines_clear(&session->screenful->page.lines);
    snprintf(session->screenful->page.title, sizeof session->screenful->page.title, "%s", title);
    session->screenful->top = 0;
    session->screenful->paging = true;
    session->mode = SW_MODE_HELP;
    sw_seek_forget(session);
}

/* Of a line that memory was too short for, the next frame says so. */
void sw_page_add(struct sw_session *session, enum sw_style style, const char *text) {
    sw_lines_add(session, &session->screenful->page.lines, style, text);
}

bool sw_page_text(struct sw_session *session, const char *title, struct sw_sink *text, struct sw_error *error) {
    char *rest = sw_sink_ended(text);
    bool good = rest;
    if (good) {
        sw_page_begin(session, title);
    }
    for (char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
        line[SW_MIN(strlen(line), 1199)] = '\0';
        sw_page_add(session, SW_STYLE_TEXT, line);
    }
    sw_sink_done(text);
    return good || sw_fail_memory(error);
}

/* One line of the page as rows; returns how many it is. */
static size_t add_page_rows(struct sw_session *session, struct sw_scene *scene, struct sw_panel *panel,
                            const struct sw_log_line *line, size_t at, size_t room) {
    size_t top = session->screenful->top;
    const char *text = sw_scene_clean(scene, line->text);
    size_t indent = strspn(text, " "), rows = 0;
    unsigned width = panel->width > 12 ? (unsigned)panel->width - 1 : 11;
    indent = indent < width / 2 ? indent : 0;
    do {
        bool first = rows == 0;
        size_t length = sw_view_wrap(text, first ? width : width - (unsigned)indent - 2);
        const char *shown = sw_scene_printf(scene, "%*s%.*s", first ? 0 : (int)indent + 2, "", (int)length, text);
        bool found = sw_seek_row(session, at + rows, shown);
        if (at + rows >= top && at + rows < top + room) {
            sw_panel_row(scene, panel, (struct sw_item){SW_ITEM_NONE, 0}, found);
            sw_panel_cell(scene, panel, line->style, false, shown);
        }
        text += length;
        text += strspn(text, " ");
        rows++;
    } while (*text);
    return rows;
}

void sw_page_line(struct sw_scene *scene, const char *id, double top, double width, enum sw_style fill,
                  const char *text) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, id);
    if (panel) {
        panel->top = top;
        panel->width = width;
        panel->height = 1;
        panel->columns = 1;
        panel->fill = (uint8_t)fill;
        sw_panel_row(scene, panel, (struct sw_item){SW_ITEM_NONE, 0}, false);
        sw_panel_cell(scene, panel, fill, false, text);
    }
}

static const char *footer_text(const struct sw_session *session, struct sw_scene *scene, double width, uint64_t above,
                               uint64_t below) {
    const char *seek = sw_seek_text(session, scene);
    const char *where = sw_scene_printf(scene, "%" PRIu64 " above, %" PRIu64 " below", above, below);
    const char *text = sw_scene_printf(scene, " Esc closes   Up Down scroll   %s   %s", seek, where);
    return (double)sw_view_columns(text) <= width ? text : sw_scene_printf(scene, " %s   Esc   %s", where, seek);
}

void sw_screenful_scene(struct sw_session *session, struct sw_scene *scene, double width, double height,
                        const char *title, const char *id, sw_rows_fn *draw) {
    size_t room = (size_t)height - 2, *top = &session->screenful->top, rows = 0;
    scene->width = width;
    scene->height = height;
    sw_page_line(scene, "header", 0, width, SW_STYLE_HEADER, title);
    for (int pass = 0; pass < 3; pass++) { /* again when something was found, or it was scrolled past its end */
        struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, id);
        if (!panel) {
            return;
        }
        panel->left = 1;
        panel->top = 1;
        panel->width = width - 1;
        panel->height = height - 2;
        panel->columns = 1;
        sw_seek_begin(session);
        rows = draw(session, scene, panel, room);
        size_t most = rows > room ? rows - room : 0;
        bool found = sw_seek_settle(session, room);
        if (scene->failed || (*top <= most && !found)) {
            break;
        }
        *top = SW_MIN(*top, most);
        panel->rows.count = panel->texts.count = 0;
        scene->panels.count--;
    }
    size_t below = rows > *top + room ? rows - *top - room : 0;
    sw_page_line(scene, "help-footer", height - 1, width, SW_STYLE_FOOTER,
                 footer_text(session, scene, width, *top, below));
}

static size_t draw_page(struct sw_session *session, struct sw_scene *scene, struct sw_panel *panel, size_t room) {
    const struct sw_page *page = &session->screenful->page;
    size_t rows = 0;
    for (size_t i = 0; i < page->lines.list.count; i++) {
        rows += add_page_rows(session, scene, panel, &page->lines.list.items[i], rows, room);
    }
    return rows;
}

void sw_page_scene(struct sw_session *session, struct sw_scene *scene, double width, double height) {
    sw_screenful_scene(session, scene, width, height, sw_scene_printf(scene, " %s", session->screenful->page.title),
                       "page", draw_page);
}
