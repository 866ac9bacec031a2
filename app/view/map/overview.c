/* Where the window lies in the whole arena and time: a small plot where there is room for it, else
 * one line. Only while part of the map is out of view; it has rows of its own and covers nothing.
 */
#include "view/view_internal.h"
#include "base/base.h"

bool sw_view_zoomed(const struct sw_view_input *in) {
    struct sw_viewport all = sw_viewport_all(in->run.search, in->look.tier);
    const struct sw_viewport *port = &in->look.viewport;
    return port->time_lo > 0 || port->bytes_lo > 0 || port->time_hi < all.time_hi || port->bytes_hi < all.bytes_hi;
}

enum { BAR = 12 };

/* "[..====......]" */
static const char *bar(struct sw_scene *scene, double lo, double hi, double whole) {
    char text[BAR + 1];
    int from = (int)floor(fmin(fmax(lo / whole, 0), 1) * BAR);
    int to = (int)ceil(fmin(fmax(hi / whole, 0), 1) * BAR);
    from = from < BAR ? from : BAR - 1;
    to = to > from ? to : from + 1;
    for (int i = 0; i < BAR; i++) {
        text[i] = i >= from && i < to ? '=' : '.';
    }
    text[BAR] = '\0';
    return sw_scene_printf(scene, "[%s]", text);
}

static const char *axis_bytes(struct sw_scene *scene, double value) {
    return sw_scene_bytes(scene, value > 0 ? (uint64_t)value : 0);
}

/* "4..11 of 31": steps, both inside. */
static const char *window_time_words(const struct sw_view_input *in, struct sw_scene *scene,
                                     const struct sw_viewport *all) {
    char from[32], to[32];
    const struct sw_viewport *port = &in->look.viewport;
    sw_show_count((uint64_t)fmax(floor(port->time_lo), 0), from);
    sw_show_count((uint64_t)fmax(ceil(port->time_hi) - 1, 0), to);
    return sw_scene_printf(scene, "%s..%s of %s", from, to, SW_COUNT((uint64_t)all->time_hi));
}

/* "8K..30K of 56K". */
static const char *bytes_words(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_viewport *all) {
    return sw_scene_printf(
        scene, "%s..%s of %s", axis_bytes(scene, in->look.viewport.bytes_lo),
        axis_bytes(scene, fmin(in->look.viewport.bytes_hi, fmax(all->bytes_hi, in->look.viewport.bytes_hi))),
        axis_bytes(scene, fmax(all->bytes_hi, in->look.viewport.bytes_hi)));
}

/* The longest of three forms that fits. */
static const char *window_words(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_viewport *all,
                                double width, bool bars) {
    const char *steps = window_time_words(in, scene, all), *room = bytes_words(in, scene, all);
    const char *across = bar(scene, in->look.viewport.time_lo, in->look.viewport.time_hi, all->time_hi);
    const char *up = bar(scene, in->look.viewport.bytes_lo, in->look.viewport.bytes_hi,
                         fmax(all->bytes_hi, in->look.viewport.bytes_hi));
    const char *forms[3] = {sw_scene_printf(scene, "window: steps %s %s, %s %s", steps, across, room, up),
                            sw_scene_printf(scene, "window: steps %s, %s", steps, room),
                            sw_scene_printf(scene, "%s, %s", steps, room)};
    int at = bars ? 0 : 1;
    while (at < 2 && (double)sw_view_columns(forms[at]) > width) {
        at++;
    }
    return forms[at];
}

void sw_view_build_window(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "window");
    struct sw_viewport all = sw_viewport_all(in->run.search, in->look.tier);
    sw_panel_put(panel, box);
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    sw_panel_cell(scene, panel, SW_STYLE_DIM, false, window_words(in, scene, &all, box.width, true));
}

void sw_view_build_overview(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_view_input whole = *in;
    whole.look.viewport = sw_viewport_all(in->run.search, in->look.tier);
    whole.look.viewport.bytes_hi = fmax(whole.look.viewport.bytes_hi, in->look.viewport.bytes_hi);
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "overview");
    panel->edges = SW_EDGE_LEFT | SW_EDGE_TOP;
    panel->title = window_words(in, scene, &whole.look.viewport, box.width - 4, false);
    sw_view_place(&whole, scene, panel, box, false);
    sw_view_bytes_axis(&whole, scene, panel, whole.look.viewport.bytes_lo, whole.look.viewport.bytes_hi);
    if (sw_view_single(in)) { /* the curve is one of all tiers */
        const struct sw_problem *problem = sw_search_problem(in->run.search);
        uint32_t step;
        sw_view_bars(&whole, scene, panel, sw_problem_profile(problem), sw_view_live_peak(problem, &step));
    }
    double from = fmax(in->look.viewport.time_lo, 0);
    double to = fmin(in->look.viewport.time_hi, whole.look.viewport.time_hi);
    sw_panel_mark(scene, panel,
                  sw_mark_over(SW_MARK_FRAME, SW_STYLE_SELECTED, sw_view_x(&whole, from), sw_view_x(&whole, to),
                               fmax(in->look.viewport.bytes_lo, 0), in->look.viewport.bytes_hi));
}
