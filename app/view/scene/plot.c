/* What plots have in common: where the body lies, axes, lines. */
#include "view/facts.h"
#include "base/base.h"
#include "problem/requests.h"
#include "planners/planner.h"
#include "view/view_internal.h"
#include "view/scene/short_names.h"
#include "search/result/run_plan.h"

double sw_view_x(const struct sw_view_input *in, double step) {
    if (!in->look.raw_time) {
        return step;
    }
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t steps = sw_problem_steps(problem);
    if (!(step > 0) || steps == 0) {
        return (double)sw_problem_time(problem, 0) + (SW_MIN(step, 0));
    }
    if (step >= steps) {
        return (double)sw_problem_time(problem, steps) + (step - steps);
    }
    uint32_t whole = (uint32_t)step;
    double from = (double)sw_problem_time(problem, whole);
    double to = (double)sw_problem_time(problem, whole + 1);
    return from + (to - from) * (step - whole);
}

bool sw_view_tells_time(const struct sw_view_input *in) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t steps = sw_problem_steps(problem);
    /* Times rise, so that these two tell whether all are the numbers of steps. */
    bool same = sw_problem_time(problem, 0) == 0 && sw_problem_time(problem, steps) == steps;
    return in->look.raw_time || (sw_medium(in)->file_times && !same);
}

bool sw_view_stretched(const struct sw_view_input *in) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t steps = sw_problem_steps(problem);
    return sw_view_tells_time(in) && sw_problem_time(problem, steps) - sw_problem_time(problem, 0) != (int64_t)steps;
}

long long sw_view_moment(const struct sw_view_input *in, uint32_t step) {
    return sw_view_tells_time(in) ? (long long)sw_problem_time(sw_search_problem(in->run.search), step)
                                  : (long long)step;
}

const char *sw_view_when(const struct sw_view_input *in, struct sw_scene *scene, uint32_t step) {
    return sw_scene_printf(scene, "%s %lld", sw_view_tells_time(in) ? "time" : "step", sw_view_moment(in, step));
}

/* A step is as wide as its column: its tick belongs to the middle, and the end is no step. */
static void center_ticks(struct sw_axis *axis) {
    size_t kept = 0;
    for (size_t i = 0; i < axis->ticks.count; i++) {
        struct sw_tick tick = axis->ticks.items[i];
        tick.at += 0.5;
        if (tick.at < axis->hi) {
            axis->ticks.items[kept++] = tick;
        }
    }
    axis->ticks.count = kept;
}

/* One column a step, whatever times it lasts: a tick stands where its step begins and tells that
 * moment, or, where every step is one moment long, in the middle of the column. */
static void tell_moments(const struct sw_view_input *in, struct sw_scene *scene, struct sw_axis *axis) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t steps = sw_problem_steps(problem);
    size_t kept = 0;
    for (size_t i = 0; i < axis->ticks.count; i++) {
        struct sw_tick tick = axis->ticks.items[i];
        if (tick.at >= 0 && tick.at < axis->hi && tick.at <= steps) { /* the end is no step */
            tick.label = sw_scene_printf(scene, "%lld", (long long)sw_problem_time(problem, (uint32_t)tick.at));
            axis->ticks.items[kept++] = tick;
        }
    }
    axis->ticks.count = kept;
    if (!sw_view_stretched(in)) {
        center_ticks(axis);
    }
}

/* Times may be long: the room a tick wants. */
static double tick_room(const struct sw_view_input *in, double usual) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    char text[32];
    if (!sw_view_tells_time(in) || !sw_medium(in)->file_times) {
        return usual;
    }
    int first = snprintf(text, sizeof text, "%lld", (long long)sw_problem_time(problem, 0));
    int last = snprintf(text, sizeof text, "%lld", (long long)sw_problem_time(problem, sw_problem_steps(problem)));
    return fmax(usual, (SW_MAX(first, last)) * SW_PAGE_CHARACTER + 20);
}

/* Addresses are longer than sizes. All plots of a page have the same, so that their steps stand one
 * above the other. */
static double gutter_for(const struct sw_view_input *in) {
    double usual = sw_medium(in)->gutter, digits = 2; /* 0x */
    for (double top = (double)in->run.base + in->look.viewport.bytes_hi; top >= 1; top /= 16) {
        digits++;
    }
    return in->run.base && sw_medium(in)->fit_addresses ? fmax(usual, digits * SW_PAGE_CHARACTER + 20) : usual;
}

static void place_body(const struct sw_view_input *in, struct sw_panel *panel, struct sw_box box, bool x_labels) {
    sw_panel_put(panel, box);
    const struct sw_medium *medium = sw_medium(in);
    double gutter = box.width < medium->gutter_from ? 0 : gutter_for(in);
    double right = fmin(medium->right, box.width / 4);
    double above = !panel->title || (medium->brief && sw_view_single(in)) ? 0 : medium->heading;
    double below = x_labels ? medium->ticks : 0;
    if (in->furniture && in->furniture->has_room) {
        gutter = in->furniture->left;
        right = in->furniture->right;
        above = in->furniture->above;
        below = in->furniture->below;
    }
    panel->about = in->run.search;
    panel->base = in->run.base;
    panel->zooms = in->zooms;
    panel->steps = !in->run.shown && !in->run.changes;
    panel->body_left = box.left + gutter;
    panel->body_top = box.top + above;
    panel->body_width = fmax(box.width - gutter - right, 1);
    panel->body_height = fmax(box.height - above - below, 1);
}

struct sw_box sw_view_in_pixels(const struct sw_view_input *in, struct sw_view_input *own, struct sw_box *box) {
    struct sw_box cells = {0};
    *own = *in;
    if (in->medium == SW_ON_CELLS && in->cell_width > 0) {
        cells = *box;
        *box = (struct sw_box){cells.left * in->cell_width, cells.top * in->cell_height, cells.width * in->cell_width,
                               cells.height * in->cell_height};
        own->medium = SW_IN_PIXELS;
        own->marks_per_unit_x = own->marks_per_unit_y = sw_view_marks_per_point(in);
    }
    return cells;
}

void sw_view_place_count(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                         struct sw_box box, const char *what, double lo, double hi) {
    place_body(in, panel, box, true);
    panel->x.lo = lo;
    panel->x.hi = hi;
    panel->x.title = what;
    double apart = sw_medium(in)->tick_room;
    sw_axis_ticks(scene, &panel->x, (unsigned)fmax(2, panel->body_width / apart), false);
    center_ticks(&panel->x);
}

/* Ticks without labels: their lines stay. */
static void silence(struct sw_axis *axis) {
    for (size_t i = 0; i < axis->ticks.count; i++) {
        axis->ticks.items[i].label = "";
    }
}

void sw_view_place(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, struct sw_box box,
                   bool x_labels) {
    place_body(in, panel, box, x_labels);
    double lo = sw_view_x(in, in->look.viewport.time_lo), hi = sw_view_x(in, in->look.viewport.time_hi);
    panel->x.lo = lo;
    panel->x.hi = hi > lo ? hi : lo + 1;
    bool titled = !in->furniture || in->furniture->x_title;
    panel->x.title = !titled ? NULL : sw_view_tells_time(in) ? "time" : "step";
    panel->timed = true;
    if (x_labels) {
        double apart = tick_room(in, sw_medium(in)->tick_room);
        sw_axis_ticks(scene, &panel->x, (unsigned)fmax(2, panel->body_width / apart), false);
        if (!in->look.raw_time && sw_view_tells_time(in)) {
            tell_moments(in, scene, &panel->x);
        } else if (!in->look.raw_time) {
            center_ticks(&panel->x);
        }
        if (in->furniture && !in->furniture->x_labels) {
            silence(&panel->x);
        }
    }
}

/* On paper "64K" is "64 KiB", and one axis has one unit: the largest in which two digits behind the
 * point say everything. */
static void spell_units(struct sw_scene *scene, struct sw_axis *axis) {
    static const char units[] = "\0KMGTPE";
    size_t count = axis->ticks.count, unit = 0;
    double step = count > 1 ? axis->ticks.items[1].at - axis->ticks.items[0].at : count ? axis->ticks.items[0].at : 0;
    double highest = count ? axis->ticks.items[count - 1].at : 0, one = 1;
    while (unit < 6 && one * 1024 <= highest && step * 4 >= one * 1024) {
        one *= 1024;
        unit++;
    }
    /* Steps are powers of two. */
    int digits = step >= one ? 0 : 2 * step >= one ? 1 : 2;
    for (size_t i = 0; i < count; i++) {
        struct sw_tick *tick = &axis->ticks.items[i];
        tick->label = tick->at == 0 ? "0"
                      : unit        ? sw_scene_printf(scene, "%.*f %ciB", digits, tick->at / one, units[unit])
                                    : sw_scene_printf(scene, "%.0f B", tick->at);
    }
}

void sw_view_bytes_ticks(const struct sw_view_input *in, struct sw_scene *scene, struct sw_axis *axis, double most) {
    sw_axis_ticks(scene, axis, (unsigned)fmin(most, 24), true);
    if (sw_medium(in)->long_units && scene->units == SW_UNITS_AUTO) {
        spell_units(scene, axis);
    }
}

void sw_view_bytes_axis(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, double lo,
                        double hi) {
    panel->y.lo = lo;
    panel->y.hi = hi > lo ? hi : lo + 1;
    if (panel->body_left > panel->left) {
        const struct sw_medium *medium = sw_medium(in);
        bool low = panel->body_height < 3 * medium->level_room;
        double apart = in->furniture && in->furniture->has_room ? sw_media[SW_SMALL_ON_PAGE].level_room
                       : low                                    ? medium->low_level_room
                                                                : medium->level_room;
        sw_view_bytes_ticks(in, scene, &panel->y, fmax(floor(panel->body_height / apart), 2));
    }
}

void sw_view_number_axis(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, double lo,
                         double hi) {
    double most = fmin(panel->body_height / sw_medium(in)->level_room, 24);
    panel->y.lo = lo;
    panel->y.hi = hi;
    sw_axis_ticks(scene, &panel->y, (unsigned)fmax(2, most), false);
}

/* On paper round addresses in hexadecimal. The gutter of a terminal is too narrow for those: there
 * it says how far above the base. */
static void add_base(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel) {
    struct sw_axis *axis = &panel->y;
    for (size_t i = 0; i < axis->ticks.count && !sw_medium(in)->hex_addresses; i++) {
        struct sw_tick *tick = &axis->ticks.items[i];
        tick->label = sw_scene_printf(scene, "+%s", tick->label);
    }
    if (!sw_medium(in)->hex_addresses) {
        return;
    }
    double lo = axis->lo, hi = axis->hi, most = fmax(floor(panel->body_height / 34), 2);
    axis->ticks.count = 0;
    axis->lo += (double)in->run.base;
    axis->hi += (double)in->run.base;
    sw_axis_ticks(scene, axis, (unsigned)fmin(most, 24), true);
    for (size_t i = 0; i < axis->ticks.count; i++) {
        struct sw_tick *tick = &axis->ticks.items[i];
        tick->label = sw_scene_printf(scene, "0x%llx", (unsigned long long)tick->at);
        tick->at -= (double)in->run.base;
    }
    axis->lo = lo;
    axis->hi = hi;
}

void sw_view_address_axis(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, double lo,
                          double hi) {
    sw_view_bytes_axis(in, scene, panel, lo, hi);
    panel->y.title = in->furniture                 ? in->furniture->y_title
                     : !sw_medium(in)->axis_titles ? NULL
                     : in->run.base                ? "address"
                                                   : "memory";
    if (in->run.base && panel->body_left > panel->left) {
        add_base(in, scene, panel);
    }
    if (in->furniture && !in->furniture->y_labels) {
        silence(&panel->y);
    }
}

struct sw_space sw_view_space(const struct sw_view_input *in, const struct sw_panel *panel) {
    struct sw_space space = {.x_lo = panel->x.lo, .x_hi = panel->x.hi, .y_lo = panel->y.lo, .y_hi = panel->y.hi};
    space.columns = fmin(fmax(floor(panel->body_width * in->marks_per_unit_x), 1), 4096);
    space.rows = fmin(fmax(floor(panel->body_height * in->marks_per_unit_y), 1), 4096);
    space.x_scale = space.columns / (space.x_hi - space.x_lo);
    space.y_scale = space.rows / (space.y_hi - space.y_lo);
    return space;
}

void sw_view_level(struct sw_scene *scene, struct sw_panel *panel, enum sw_style style, bool dashed, double at,
                   const char *const *labels) {
    if (at < panel->y.lo || at > panel->y.hi) {
        return;
    }
    struct sw_mark *mark =
        sw_panel_mark(scene, panel, sw_mark_over(SW_MARK_LINE, style, panel->x.lo, panel->x.hi, at, at));
    mark->pattern = dashed;
    mark->labels = labels;
}

void sw_view_mark_cursor(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel) {
    double x = sw_view_x(in, in->look.cursor + 0.5);
    if (!sw_medium(in)->still && in->look.cursor < sw_problem_steps(sw_search_problem(in->run.search)) &&
        x >= panel->x.lo && x < panel->x.hi) {
        struct sw_mark *mark =
            sw_panel_mark(scene, panel, sw_mark_over(SW_MARK_LINE, SW_STYLE_CURSOR, x, x, panel->y.lo, panel->y.hi));
        mark->pattern = 1;
        mark->item = (struct sw_item){SW_ITEM_STEP, in->look.cursor};
    }
}

void sw_view_point(struct sw_scene *scene, struct sw_panel *panel, enum sw_style style, double x, double y,
                   const char *const *labels) {
    sw_panel_mark(scene, panel, sw_mark_over(SW_MARK_TEXT, style, x, x, y, y))->labels = labels;
}

struct sw_panel *sw_view_legend_row(struct sw_scene *scene, const char *id, struct sw_box box, double gutter,
                                    unsigned count) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, id);
    sw_panel_put(panel, box);
    panel->body_left = box.left + gutter;
    panel->body_top = box.top;
    panel->body_width = fmax(box.width - gutter, 1);
    panel->body_height = box.height;
    panel->x.lo = panel->y.lo = 0;
    panel->x.hi = SW_MAX(count, 1);
    panel->y.hi = 1;
    return panel;
}

const char *sw_view_bound_remark(const struct sw_view_input *in) {
    return sw_view_single(in) ? sw_bound_remark(in->run.search) : "";
}

bool sw_view_tries(const struct sw_view_input *in) {
    const struct sw_planner *planner = sw_search_planner(in->run.search);
    bool told = planner->needs & SW_NEEDS_RECORDING; /* what another planner decided, as it stands */
    return planner->settle && !planner->one_layout && !told && !sw_search_complete(in->run.search);
}

const char *sw_view_trial(const struct sw_view_input *in, struct sw_scene *scene, uint64_t *plan) {
    struct sw_trial trial;
    if (!sw_search_trial(in->run.search, &trial)) {
        return "";
    }
    if (plan) {
        *plan = trial.plan;
    }
    return trial.number ? sw_scene_printf(scene, "trial %s of %s", SW_COUNT(trial.number), SW_COUNT(trial.count))
                        : "a trial";
}

const char *sw_view_bytes(const struct sw_view_input *in, struct sw_scene *scene, uint64_t bytes) {
    char text[40];
    return sw_scene_printf(scene, "%s",
                           sw_medium(in)->long_units ? sw_show_bytes_in(scene->units, bytes, text)
                                                     : sw_show_bytes(bytes, text));
}

const char *const *sw_view_figure(const struct sw_view_input *in, struct sw_scene *scene, const char *word,
                                  uint64_t bytes) {
    return SW_LABELS(scene, sw_scene_printf(scene, "%s %s", word, sw_view_bytes(in, scene, bytes)), word, "");
}

size_t sw_view_wrap(const char *text, unsigned room) {
    size_t length = 0, blank = 0;
    unsigned columns = 0;
    while (text[length]) {
        size_t next = length + 1;
        while (((unsigned char)text[next] & 0xc0) == 0x80) {
            next++;
        }
        if (++columns > room) {
            return blank ? blank : length ? length : next;
        }
        if (text[next] == ' ' || text[next] == '\0') {
            blank = next;
        }
        length = next;
    }
    return length;
}

const char *sw_view_line(struct sw_scene *scene, const char **text, unsigned room) {
    size_t length = sw_view_wrap(*text, room);
    const char *line = sw_scene_printf(scene, "%.*s", (int)length, *text);
    *text += length;
    *text += strspn(*text, " ");
    return line;
}

unsigned sw_view_line_count(const char *text, unsigned room) {
    unsigned lines = 0;
    do {
        text += sw_view_wrap(text, room);
        text += strspn(text, " ");
        lines++;
    } while (*text);
    return lines;
}

size_t sw_view_columns(const char *text) {
    size_t columns = 0;
    for (; *text; text++) {
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return columns;
}

const char *sw_view_name_within(struct sw_scene *scene, const char *name, unsigned room) {
    const char *const *labels = sw_scene_labels(scene, name);
    while (labels && **labels && sw_view_columns(*labels) > room) {
        labels++;
    }
    if (!labels || **labels || room < 4) {
        return labels ? *labels : "";
    }
    char text[64];
    sw_short_name(&(struct sw_short){.items = &name, .count = 1}, name, room, text, sizeof text);
    return sw_scene_printf(scene, "%s", text);
}

const char *sw_view_gutter_name(const struct sw_view_input *in, struct sw_scene *scene, const char *name) {
    return sw_view_name_within(scene, name, sw_medium(in)->gutter_name);
}

unsigned sw_view_room(const struct sw_view_input *in, double width) {
    double room = width / sw_medium(in)->character;
    return room < 1 ? 1 : room > 1000 ? 1000 : (unsigned)room;
}

bool sw_view_at_end(const struct sw_search *search) {
    return sw_search_complete(search) && sw_search_at(search) == sw_search_known(search);
}

bool sw_view_single(const struct sw_view_input *in) {
    return sw_problem_tier_count(sw_search_problem(in->run.search)) == 1;
}

uint64_t sw_view_live_peak(const struct sw_problem *problem, uint32_t *step) {
    const uint64_t *profile = sw_problem_profile(problem);
    uint32_t steps = sw_problem_steps(problem);
    *step = sw_problem_bound_step(problem); /* the first of those with the most */
    for (uint32_t i = 1; sw_problem_goes_on(problem) && i < steps; i++) {
        *step = profile[i] > profile[*step] ? i : *step;
    }
    return steps > 0 ? profile[*step] : 0;
}

const char *sw_view_if_served(const struct sw_problem *problem) {
    return sw_problem_goes_on(problem) ? " if all were served" : "";
}

uint64_t sw_view_capacity(const struct sw_view_input *in) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    return in->look.tier < sw_problem_tier_count(problem) ? sw_problem_tier(problem, in->look.tier)->capacity
                                                          : SW_UNBOUNDED;
}
