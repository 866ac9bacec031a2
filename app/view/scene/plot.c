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

#define AXIS_TITLE_APART 10.0 /* of the axis' end, as it is drawn */

/* ---- ticks of the file's own times ---- */

struct tick_moments {
    const struct sw_problem *problem;
    struct sw_scene *scene;
    struct sw_axis *axis;
    int64_t first, end;  /* of all steps */
    double shift, apart; /* of a tick from where its moment begins; of two ticks, in columns */
};

/* One column a step, whatever time it lasts: a moment within it lies as far into the column. */
static double column_of_moment(const struct tick_moments *m, int64_t moment) {
    uint32_t lo = 0, hi = sw_problem_steps(m->problem);
    while (lo + 1 < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        *(sw_problem_time(m->problem, middle) <= moment ? &lo : &hi) = middle;
    }
    double from = (double)sw_problem_time(m->problem, lo), to = (double)sw_problem_time(m->problem, lo + 1);
    return lo + fmin(fmax(((double)moment - from) / (to - from), 0), 1) + m->shift;
}

/* NaN: out of view. */
static double seen_moment(const struct tick_moments *m, int64_t moment) {
    double x = moment < m->first || moment >= m->end ? NAN : column_of_moment(m, moment);
    return x >= m->axis->lo && x < m->axis->hi ? x : NAN;
}

/* Has each multiple of `step` inside of `cell` room to the one before, and the last one to the end of the cell? */
static bool moments_fit(const struct tick_moments *m, int64_t from, int64_t cell, int64_t step) {
    double last = seen_moment(m, from);
    for (int64_t at = from + step; at <= from + cell; at += step) {
        double x = seen_moment(m, at);
        if (x - last < m->apart) {
            return false;
        }
        last = isnan(x) ? last : x;
    }
    return true;
}

static void push_moment(const struct tick_moments *m, int64_t moment) {
    struct sw_tick tick = {.at = seen_moment(m, moment)};
    if (!isnan(tick.at)) {
        uint64_t count = moment < 0 ? (uint64_t)-moment : (uint64_t)moment;
        tick.label = sw_scene_printf(m->scene, "%s%s", moment < 0 ? "-" : "", SW_COUNT(count));
        m->scene->failed |= !SW_PUSH(&m->axis->ticks, tick);
    }
}

/* The next smaller one of 1, 2 and 5 times the powers of ten; 0 below 1. */
static int64_t rounder_below(int64_t step) {
    int64_t ten = 1;
    while (ten <= step / 10) {
        ten *= 10;
    }
    return step / ten == 5 ? 2 * ten : step / ten == 2 ? ten : ten / 2;
}

/* Ticks at the finest round numbers for which there is room inside of a cell between two of them, and inside of each
 * cell that these make: where the file's time passes quickly and the page has room, there are more. */
static void push_moments(const struct tick_moments *m, int64_t from, int64_t cell) {
    enum { MOST_PARTS = 50 };
    int64_t finest = 0;
    if (column_of_moment(m, from) >= m->axis->hi || column_of_moment(m, from + cell) <= m->axis->lo) {
        return;
    }
    for (int64_t step = rounder_below(cell); step > 0 && cell / step <= MOST_PARTS; step = rounder_below(step)) {
        finest = cell % step == 0 && moments_fit(m, from, cell, step) ? step : finest;
    }
    for (int64_t at = from; finest > 0 && at < from + cell && !m->scene->failed; at += finest) {
        if (at > from) {
            push_moment(m, at);
        }
        push_moments(m, at, finest);
    }
}

static void tell_moments(const struct sw_view_input *in, struct sw_scene *scene, struct sw_axis *axis, double apart) {
    struct tick_moments m = {sw_search_problem(in->run.search), scene, axis, 0, 0,
                             sw_view_stretched(in) ? 0 : 0.5,   apart};
    uint32_t steps = sw_problem_steps(m.problem);
    int64_t cell = 1;
    if (steps == 0) {
        return;
    }
    m.first = sw_problem_time(m.problem, 0);
    m.end = sw_problem_time(m.problem, steps); /* both below 2^62 */
    while (cell < INT64_C(1000000000000000000) && cell < m.end - m.first) {
        cell *= 10;
    }
    for (int64_t at = m.first / cell - (m.first < 0); at * cell < m.end; at++) {
        push_moment(&m, at * cell);
        push_moments(&m, at * cell, cell);
    }
}

/* What an axis counts and, where ticks do not tell both ends of it, from where to where. */
static const char *axis_title(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_panel *panel,
                              const char *what, double from, double to) {
    const struct sw_axis *axis = &panel->x;
    size_t count = axis->ticks.count;
    if (!sw_medium(in)->axis_titles || count == 0 || !(from < to) || fabs(from) > 0x1p53 || to > 0x1p53) {
        return what;
    }
    const char *first = sw_scene_printf(scene, "%s%s", from < 0 ? "-" : "", SW_COUNT((uint64_t)fabs(from))),
               *last = sw_scene_printf(scene, "%s%s", to < 0 ? "-" : "", SW_COUNT((uint64_t)fabs(to)));
    bool told = !strcmp(axis->ticks.items[0].label, first) && !strcmp(axis->ticks.items[count - 1].label, last);
    const char *title = sw_scene_printf(scene, "%s, %s to %s", what, first, last);
    double room = panel->left + panel->width - panel->body_left - panel->body_width - AXIS_TITLE_APART;
    return !told && (double)sw_view_columns(title) * SW_PAGE_CHARACTER <= room ? title : what;
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
    panel->steps = !in->run.shown;
    panel->raw_time = in->look.raw_time;
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
    double apart = sw_medium(in)->tick_room;
    sw_axis_ticks(scene, &panel->x, (unsigned)fmax(2, panel->body_width / apart), false);
    center_ticks(&panel->x);
    panel->x.title = lo == floor(lo) && hi == floor(hi) ? axis_title(in, scene, panel, what, lo, hi - 1) : what;
}

/* Ticks without labels: their lines stay. */
static void silence(struct sw_axis *axis) {
    for (size_t i = 0; i < axis->ticks.count; i++) {
        axis->ticks.items[i].label = "";
    }
}

static const char *time_title(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_panel *panel) {
    uint32_t steps = sw_problem_steps(sw_search_problem(in->run.search));
    double lo = fmax(floor(in->look.viewport.time_lo), 0), hi = fmin(ceil(in->look.viewport.time_hi), steps);
    bool own = sw_view_tells_time(in);
    const char *what = own ? "time" : "step";
    return !(lo < hi) || in->look.viewport.time_hi > steps ? what
           : own ? axis_title(in, scene, panel, what, (double)sw_view_moment(in, (uint32_t)lo),
                              (double)sw_view_moment(in, (uint32_t)hi) - 1)
                 : axis_title(in, scene, panel, what, lo, hi - 1);
}

void sw_view_place(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, struct sw_box box,
                   bool x_labels) {
    place_body(in, panel, box, x_labels);
    double lo = sw_view_x(in, in->look.viewport.time_lo), hi = sw_view_x(in, in->look.viewport.time_hi);
    panel->x.lo = lo;
    panel->x.hi = hi > lo ? hi : lo + 1;
    panel->timed = true;
    if (x_labels) {
        double apart = tick_room(in, sw_medium(in)->tick_room);
        if (!in->look.raw_time && sw_view_tells_time(in)) {
            tell_moments(in, scene, &panel->x, apart * (panel->x.hi - panel->x.lo) / panel->body_width);
        } else {
            sw_axis_ticks(scene, &panel->x, (unsigned)fmax(2, panel->body_width / apart), false);
        }
        if (!sw_view_tells_time(in)) {
            center_ticks(&panel->x);
        }
    }
    panel->x.title = in->furniture && !in->furniture->x_title ? NULL : time_title(in, scene, panel);
    if (x_labels && in->furniture && !in->furniture->x_labels) {
        silence(&panel->x);
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

bool sw_view_says(const struct sw_scene *scene, const char *word, uint32_t tier) {
    size_t length = strlen(word);
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        double room = panel->left + panel->width - panel->body_left - panel->body_width;
        for (size_t i = 0; i < panel->marks.count && (tier == SW_NONE || panel->tier == tier); i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            const char *label = mark->kind == SW_MARK_LINE && mark->labels && *mark->labels ? *mark->labels : "";
            const char *behind = strncmp(label, SW_PEAK_IS, strlen(SW_PEAK_IS)) ? label : label + strlen(SW_PEAK_IS);
            bool says = (!strncmp(label, word, length) && label[length] == ' ') ||
                        (!strncmp(behind, word, length) && behind[length] == ' ');
            if (says && (double)sw_view_columns(label) * SW_PAGE_CHARACTER <= room) {
                return true;
            }
        }
    }
    return false;
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
