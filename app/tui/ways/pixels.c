/* How the map and the curve are drawn, and their pictures to the terminal. */
#include "base/base.h"
#include "tui/tui_internal.h"

#include <langinfo.h>

/* Why the map cannot be drawn in pixels or in parts of cells here; NULL: it can. */
static const char *no_pixels(const struct sw_display *display) {
    unsigned width, height;
    return sw_curses_colors() == 0              ? "without colors the map is not drawn in pixels"
           : display->ascii                     ? "in ASCII the map is not drawn in pixels"
           : sw_curses_abilities()->multiplexed ? "in tmux and screen the map is not drawn in pixels"
           : sw_abilities_protocol(sw_curses_abilities()) == SW_PROTOCOL_NONE ? "this terminal shows no pixels"
           : !sw_curses_cell_size(&width, &height) ? "this terminal does not tell how large a cell is"
                                                   : NULL;
}

static const char *no_symbols(const struct sw_display *display) {
    return sw_curses_colors() < 256                     ? "this terminal has too few colors for parts of cells"
           : display->ascii                             ? "ASCII has no parts of cells"
           : strcmp(nl_langinfo(CODESET), "UTF-8") != 0 ? "there are no parts of cells without UTF-8"
           : !sw_painter_has_chafa() ? "this program was built without Chafa, which draws in parts of cells"
                                     : NULL;
}

/* The best that can be had of what is wanted. */
static enum sw_map_look reach(const struct sw_plots *plots, const struct sw_display *display, const char **why) {
    bool remote = sw_curses_abilities()->remote;
    enum sw_map_look look = display->map != SW_MAP_AUTO ? display->map : remote ? SW_MAP_SYMBOLS : SW_MAP_PIXELS;
    *why = plots->failed ? plots->error.message : NULL;
    look = plots->failed ? SW_MAP_CELLS : look;
    if (look == SW_MAP_PIXELS && (*why = no_pixels(display))) {
        look = SW_MAP_SYMBOLS;
    }
    if (look == SW_MAP_SYMBOLS && no_symbols(display)) {
        *why = *why ? *why : no_symbols(display);
        look = SW_MAP_CELLS;
    }
    return look;
}

static bool cut_for_grid(void *context, const struct sw_cut *cut, struct sw_cut_cell *cells) {
    struct sw_plots *plots = context;
    return sw_painter_cut(plots->painter, cut, cells, &plots->error);
}

/* Cells for what the painter cannot do any more; the terminal is as it should be in any case. */
static void fall_back(struct sw_plots *plots, struct sw_session *session) {
    plots->failed = true;
    sw_session_say(session, true, "the map is drawn in cells: %s", plots->error.message);
}

void sw_plots_choose(struct sw_plots *plots, struct sw_session *session, struct sw_frame *frame) {
    static const char *const words[SW_MAP_LOOKS] = {"", "in pixels", "in symbols", "in cells"};
    struct sw_display *display = sw_session_display(session);
    const struct sw_abilities *abilities = sw_curses_abilities();
    struct sw_canvas *canvas = &plots->canvas;
    const char *why;
    bool asked = plots->asked != display->map_asked;
    plots->asked = display->map_asked;
    plots->answered = abilities->answered;
    plots->failed &= !asked;
    if (!plots->painter && !(plots->painter = sw_painter_new()) && !plots->failed) {
        sw_fail_memory(&plots->error);
        fall_back(plots, session);
    }
    plots->look = reach(plots, display, &why);
    if (asked && display->map != SW_MAP_AUTO && plots->look != display->map) {
        sw_session_say(session, true, "%s; it is drawn %s", why, words[plots->look]);
    }
    bool pixels = plots->look == SW_MAP_PIXELS, symbols = plots->look == SW_MAP_SYMBOLS;
    canvas->protocol = pixels ? sw_abilities_protocol(abilities) : SW_PROTOCOL_NONE;
    pixels = pixels && sw_curses_cell_size(&canvas->cell_width, &canvas->cell_height);
    canvas->colors = abilities->registers;
    display->cell_width = pixels ? sw_canvas_column(canvas) : 0;
    display->cell_height = pixels ? SW_CANVAS_ROW : 0;
    frame->across = symbols ? abilities->across : 0;
    frame->down = symbols ? abilities->down : 0;
    frame->grid.cut = cut_for_grid;
    frame->grid.cut_context = plots;
    sw_curses_pictures(canvas->protocol);
}

bool sw_plots_news(struct sw_plots *plots) {
    return sw_curses_abilities()->answered != plots->answered;
}

bool sw_plots_drawn(struct sw_plots *plots, struct sw_session *session, const struct sw_frame *frame) {
    if (plots->look == SW_MAP_SYMBOLS && frame->grid.down == 0 && plots->error.code) {
        fall_back(plots, session);
        return false;
    }
    return true;
}

bool sw_plots_paint(struct sw_plots *plots, struct sw_session *session, const struct sw_frame *frame) {
    struct sw_sink bytes = {0};
    plots->canvas.columns = frame->grid.columns;
    plots->canvas.rows = frame->grid.rows;
    plots->canvas.cells = sw_curses_canvas();
    if (plots->canvas.protocol == SW_PROTOCOL_NONE || frame->grid.columns == 0 || frame->grid.rows == 0) {
        return true;
    }
    if (!plots->canvas.cells) {
        sw_fail_memory(&plots->error);
        fall_back(plots, session);
        return false;
    }
    /* On the same ground as the text around it. */
    plots->theme = frame->theme;
    plots->theme.background = sw_color_shown(frame->theme.background, sw_curses_colors());
    bool good = sw_painter_paint(plots->painter, &plots->canvas, &frame->scene, &plots->theme, &bytes, &plots->error);
    if (good) {
        sw_curses_send(bytes.text.items, bytes.text.count);
    } else {
        fall_back(plots, session);
    }
    sw_sink_done(&bytes);
    return good;
}

void sw_plots_done(struct sw_plots *plots) {
    sw_painter_free(plots->painter);
    *plots = (struct sw_plots){0};
}
