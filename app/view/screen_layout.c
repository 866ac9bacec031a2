/* The explorer's screen: which panes, and where. All sizes are cells. */
#include "view/area/map_area.h"
#include "base/minmax.h"

#include <math.h>
#include <string.h>

#define LEAST_SCREEN_WIDTH 40
#define LEAST_SCREEN_HEIGHT 12

static void too_small(const struct sw_view_input *in, struct sw_scene *scene) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "message");
    sw_panel_put(panel, (struct sw_box){0, 0, in->width, in->height});
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    sw_panel_cell(scene, panel, SW_STYLE_WARNING, false,
                  sw_scene_printf(scene, "needs %dx%d, has %.0fx%.0f", LEAST_SCREEN_WIDTH, LEAST_SCREEN_HEIGHT,
                                  in->width, in->height));
}

enum { OVERVIEW_ROWS = 7 };

/* Is part of the map out of view, of one over time? The map of a moment says itself what it shows. */
static bool has_window(const struct sw_view_input *in) {
    return sw_view_zoomed(in) && !sw_view_moment_of(in->run.search);
}

/* Is there a corner for the overview? Else one line above the map has to do. */
static bool has_corner(const struct sw_view_input *in, double height) {
    return has_window(in) && height >= 3 * OVERVIEW_ROWS;
}

enum { LEGEND_FROM = 30, LEGEND_MOST = SW_BASES + SW_PATTERN_COUNT, LEGEND_EDGES = 2 };

/* A row for what the colors say: on a low screen only when they were asked for. */
static double rows_of_legend(const struct sw_view_input *in, double height) {
    bool wanted = in->look.coloring != SW_COLOR_AUTO || in->height >= LEGEND_FROM;
    return wanted && height >= 6 && sw_view_colors_speak(in) ? 1 : 0;
}

/* How long a name may be, so that all have room. */
static unsigned legend_name_room(const size_t *columns, size_t count, unsigned width) {
    unsigned most = width;
    for (size_t used = SIZE_MAX; used > width && most > 1; most--) {
        used = 0;
        for (size_t i = 0; i < count; i++) {
            used += SW_MIN(columns[i], most) + LEGEND_EDGES;
        }
        if (used <= width) {
            break;
        }
    }
    return most;
}

/* So many columns of the name as have room, less in its middle: its end may tell it from others. */
static const char *legend_name(struct sw_scene *scene, const char *name, unsigned room) {
    size_t length = strlen(name), head = length / 2, tail = head;
    const char *text = name;
    while (head > 0 && sw_view_columns(text) > room) {
        size_t *end = head > length - tail ? &head : &tail;
        do {
            *end += end == &head ? (size_t)-1 : 1;
        } while (*end > 0 && *end < length && ((unsigned char)name[*end] & 0xc0) == 0x80);
        text = sw_scene_printf(scene, "%.*s...%s", (int)head, name, name + tail);
    }
    return text;
}

/* What the map has put into the scene's legend, as blocks with names. */
static void build_legend(struct sw_scene *scene, struct sw_box box) {
    const char *names[LEGEND_MOST];
    size_t columns[LEGEND_MOST], count = 0;
    unsigned width = (unsigned)box.width;
    double at = 0;
    for (size_t i = 0; i < scene->legend.count && count < LEGEND_MOST; i++) {
        names[count] = scene->legend.items[i].text;
        columns[count] = sw_view_columns(names[count]);
        count++;
    }
    unsigned room = legend_name_room(columns, count, width);
    struct sw_panel *panel = sw_view_legend_row(scene, "legend", box, 0, width);
    for (size_t i = 0; i < count; i++) {
        const struct sw_legend_entry *entry = &scene->legend.items[i];
        const char *name = legend_name(scene, names[i], room);
        double wide = (double)sw_view_columns(name) + LEGEND_EDGES;
        struct sw_mark mark = sw_mark_over(SW_MARK_RECT, SW_STYLE_BLOCK, at, at + wide, 0, 1);
        mark.hue = entry->hue;
        mark.pattern = entry->pattern;
        mark.labels = SW_LABELS(scene, name, "");
        sw_panel_mark(scene, panel, mark);
        at += wide;
    }
}

/* Map above, live curve below it, one axis of time. */
static void plots(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, bool corner) {
    if (!corner && box.height >= 6 && has_window(in)) {
        sw_view_build_window(in, scene, sw_box_take(&box, 1));
    }
    double legend = rows_of_legend(in, box.height);
    struct sw_box below = {box.left, box.top + box.height - legend, box.width, legend};
    box.height -= legend;
    double live = in->look.side == &sw_view_live || sw_view_moment_of(in->run.search) ? 0 /* the pane has it */
                  : box.height >= 36                                                  ? 7
                  : box.height >= 24                                                  ? 5
                  : box.height >= 14                                                  ? 4
                  : box.height >= 9                                                   ? 2
                                                                                      : 0;
    sw_view_build_memory(in, scene, sw_box_take(&box, box.height - live));
    if (live > 0) {
        sw_view_build_live(in, scene, box, false);
    }
    if (legend > 0) {
        build_legend(scene, below);
    }
}

/* What does not fit comes into view with these keys. */
static void say_pane_keys(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel) {
    bool scrolls = in->look.side->scrolls != SW_SCROLLS_NOT;
    panel->scrolls = scrolls;
    panel->more = scrolls          ? sw_view_key(in, scene, "scroll-down")
                  : in->look.whole ? NULL
                                   : sw_view_key(in, scene, "whole");
    panel->less = scrolls ? sw_view_key(in, scene, "scroll-up") : NULL;
}

/* By how many rows a text is scrolled past its end. */
static int32_t past_end(const struct sw_panel *panel, int32_t scroll) {
    int64_t room = panel->height > 1 ? (int64_t)panel->height - 1 : 0;
    int64_t all = (int64_t)(panel->hidden_above + panel->rows.count);
    int64_t most = all > room ? all - room : 0;
    bool ends = panel->flows && panel->hidden_below == 0;
    return ends && scroll > most ? (int32_t)(scroll - most) : 0;
}

/* The view that the pane is of. No text is scrolled away: its last rows stay in sight. */
static void build_pane_view(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    size_t before = scene->panels.count;
    in->look.side->build(in, scene, box);
    int32_t over = 0;
    for (size_t i = before; i < scene->panels.count && !scene->failed; i++) {
        over += past_end(&scene->panels.items[i], in->look.scroll);
    }
    if (over > 0) {
        struct sw_view_input less = *in;
        less.look.scroll -= over;
        scene->panels.count = before;
        in->look.side->build(&less, scene, box);
        for (size_t i = before; i < scene->panels.count; i++) {
            scene->panels.items[i].over = scene->panels.items[i].flows ? over : 0;
        }
    }
}

/* What the user wants to see beside the map. */
static void pane(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, unsigned edges) {
    size_t before = scene->panels.count;
    if (!in->look.side) {
        sw_view_build_decision(in, scene, box, edges);
        struct sw_panel *panel = scene->panels.count > before ? &scene->panels.items[before] : NULL;
        if (panel) { /* where only places are out of sight, the key goes through them */
            panel->more = sw_view_key(in, scene, panel->flows ? "scroll-down" : "next-candidate");
            panel->less = panel->flows ? sw_view_key(in, scene, "scroll-up") : NULL;
        }
        return;
    }
    if (in->cell_width > 0 && edges && in->look.side == &sw_view_live) { /* a picture has no edge of its own */
        struct sw_panel *edge = sw_scene_panel(scene, SW_PANEL_TABLE, "edge");
        sw_panel_put(edge, box);
        edge->edges = edges;
        double across = edges == SW_EDGE_LEFT ? 1 : 0, down = edges == SW_EDGE_TOP ? 1 : 0;
        box = (struct sw_box){box.left + across, box.top + down, box.width - across, box.height - down};
    }
    before = scene->panels.count;
    build_pane_view(in, scene, box);
    for (size_t i = before; i < scene->panels.count && !scene->failed; i++) {
        struct sw_panel *panel = &scene->panels.items[i];
        bool plot = panel->kind == SW_PANEL_PLOT;
        bool room = !plot || (edges == SW_EDGE_TOP ? panel->body_top > panel->top : panel->body_left > panel->left);
        panel->edges = room ? edges : panel->edges;
        if (!plot) {
            say_pane_keys(in, scene, panel);
        }
    }
}

/* Wide: the decision pane at the right, over the whole height. */
static void lay_out_wide(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    double side = in->look.share ? floor(fmin(fmax(box.width * in->look.share / 100, 24), box.width - 32))
                                 : floor(fmin(fmax(box.width * 0.36, 40), 68));
    bool list = box.height >= 38;
    bool moment = sw_view_moment_of(in->run.search) != NULL;
    double strip = list || moment ? 0 : 1;
    double tall = box.height - strip;
    double lower = list ? floor(box.height * 0.36) : 0;
    bool corner = has_corner(in, tall - lower);
    plots(in, scene, (struct sw_box){box.left, box.top, box.width - side, tall}, corner);
    struct sw_box right = {box.left + box.width - side, box.top, side, tall - lower};
    if (corner) {
        right.height -= OVERVIEW_ROWS;
        sw_view_build_overview(in, scene, (struct sw_box){right.left, right.top + right.height, side, OVERVIEW_ROWS});
    }
    pane(in, scene, right, SW_EDGE_LEFT);
    if (list) {
        right.top = box.top + tall - lower;
        right.height = lower;
        if (moment) {
            struct sw_view_input below = *in;
            below.look.side = in->look.side == &sw_view_buffers ? &sw_view_moment_pane : &sw_view_buffers;
            below.look.scroll = 0;
            pane(&below, scene, right, SW_EDGE_LEFT | SW_EDGE_TOP);
        } else if (in->look.side == &sw_view_decisions) { /* the pane has the list */
            sw_view_build_decision(in, scene, right, SW_EDGE_LEFT | SW_EDGE_TOP);
        } else {
            sw_view_build_decisions(in, scene, right, SW_EDGE_LEFT | SW_EDGE_TOP);
        }
    } else if (strip > 0) {
        sw_view_build_decisions(in, scene, (struct sw_box){box.left, box.top + tall, box.width, strip}, 0);
    }
}

/* Narrow: the decision pane below, as high as can be spared. */
static void lay_out_narrow(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    double strip = box.height >= 20 && box.width >= 60 && !sw_view_moment_of(in->run.search) ? 1 : 0;
    double low = in->look.share ? floor(fmin(fmax(box.height * in->look.share / 100, 3), box.height - 6))
                                : floor(fmin(fmax((box.height - strip) * 0.38, 3), 20));
    double tall = box.height - strip - low;
    plots(in, scene, (struct sw_box){box.left, box.top, box.width, tall}, false);
    pane(in, scene, (struct sw_box){box.left, box.top + tall, box.width, low}, SW_EDGE_TOP);
    if (strip > 0) {
        sw_view_build_decisions(in, scene, (struct sw_box){box.left, box.top + tall + low, box.width, strip}, 0);
    }
}

/* The panes, a line each, over the map: the one on view and those around it that have room. */
static void pane_menu(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    enum { MENU_WIDTH = 77 }; /* no wider than the map of 120 columns */
    bool beside = in->width >= 100;
    uint64_t count = 0, now = 0;
    for (; sw_view_pane(count); count++) {
        now = sw_view_pane(count) == (in->look.side ? in->look.side : &sw_view_decision) ? count : now;
    }
    double width = fmin(box.width, MENU_WIDTH);
    double height = fmin((double)count + 2, beside ? box.height : floor(box.height * 0.62));
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "pane-menu");
    sw_panel_put(panel, (struct sw_box){box.left, box.top, width, height});
    panel->columns = 2;
    panel->stretch = 1;
    panel->fill = SW_STYLE_HEADER;
    panel->margin = true;
    uint64_t room = (uint64_t)height - 2, first = now > room / 2 ? now - room / 2 : 0;
    first = first + room > count ? (count > room ? count - room : 0) : first;
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    sw_panel_cell(scene, panel, SW_STYLE_STRONG, false,
                  sw_scene_printf(scene,
                                  "panes %llu-%llu of %llu: Down Up, Enter takes, Esc goes back   (nothing to show)",
                                  (unsigned long long)first + 1, (unsigned long long)SW_MIN(first + room, count),
                                  (unsigned long long)count));
    for (uint64_t i = first; i < count && i < first + room; i++) {
        const struct sw_view *view = sw_view_pane(i);
        bool shows = in->look.menu >> i & 1;
        enum sw_style style = shows ? SW_STYLE_HEADER : SW_STYLE_DIM;
        sw_panel_row(scene, panel, SW_NO_ITEM, i == now);
        sw_panel_cell(scene, panel, style, false, sw_scene_printf(scene, shows ? "%s" : "(%s)", view->name));
        sw_panel_cell(scene, panel, style, false, view->summary);
    }
}

/* Runs side by side: their maps, and below these a pane about all of them or about the one that has the cursor. */
static void lay_out_runs(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    enum { LEAST_MAPS = 9, MOST_PANE = 22 };
    double low = in->look.share ? floor(fmin(fmax(box.height * in->look.share / 100, 3), box.height - 6))
                                : floor(fmin(fmin(box.height / 2, box.height - LEAST_MAPS), MOST_PANE));
    low = fmax(low, 3);
    sw_view_build_beside(in, scene, sw_box_take(&box, box.height - low));
    pane(in, scene, box, SW_EDGE_TOP);
}

/* The tour, above the footer; returns how high it is. */
static double guide(const struct sw_view_input *in, struct sw_scene *scene, double footer) {
    const char *text = sw_scene_printf(scene, "%u of %u  %s  (Space does it, :tour off ends)", in->look.guide_at,
                                       in->look.guide_count, in->look.guide);
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "guide");
    double rows = 0;
    panel->columns = 1;
    panel->fill = SW_STYLE_HEADER;
    while (*text && rows < 6 && !scene->failed) {
        const char *line = sw_view_line(scene, &text, (unsigned)in->width - 2);
        sw_panel_row(scene, panel, SW_NO_ITEM, false);
        sw_panel_cell(scene, panel, SW_STYLE_HEADER, false, sw_scene_printf(scene, " %s", line));
        rows++;
    }
    sw_panel_put(panel, (struct sw_box){0, in->height - footer - rows, in->width, rows});
    return rows;
}

void sw_view_screen(const struct sw_view_input *in, struct sw_scene *scene, const char *status, bool status_is_error) {
    scene->width = in->width;
    scene->height = in->height;
    if (in->width < LEAST_SCREEN_WIDTH || in->height < LEAST_SCREEN_HEIGHT) {
        too_small(in, scene);
        return;
    }
    sw_view_build_header(in, scene, (struct sw_box){0, 0, in->width, 1});
    struct sw_box middle = {0, 1, in->width, in->height - 2};
    double footer = sw_view_footer_rows(in, status);
    if (in->look.guide && in->height >= 16) {
        middle.height -= guide(in, scene, footer) + footer - 1;
    }
    if (in->text) {
        sw_view_build_text(in, scene, middle);
    } else if (in->look.whole) {
        pane(in, scene, middle, 0);
    } else if (in->run.beside.count > 1) {
        lay_out_runs(in, scene, middle);
    } else if (in->width >= 100) {
        lay_out_wide(in, scene, middle);
    } else {
        lay_out_narrow(in, scene, middle);
    }
    if (in->look.menu) {
        pane_menu(in, scene, middle);
    }
    /* A long message covers the last rows: nothing moves when it comes and goes. */
    sw_view_build_footer(in, scene, (struct sw_box){0, in->height - footer, in->width, footer}, status,
                         status_is_error);
}
