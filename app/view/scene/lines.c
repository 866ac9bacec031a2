#include "view/scene/lines.h"
#include "base/minmax.h"
#include "view/scene/short_names.h"

struct sw_lines sw_lines_begin(const struct sw_view_input *in, struct sw_scene *scene, const char *id,
                               const char *title, struct sw_box box, uint32_t columns, uint32_t stretch) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, id);
    double unit = sw_medium(in)->row;
    unsigned room = sw_view_room(in, box.width - 2);
    panel->title = title;
    sw_panel_put(panel, box);
    panel->columns = columns;
    panel->stretch = stretch;
    panel->margin = true;
    return (struct sw_lines){.in = in,
                             .scene = scene,
                             .panel = panel,
                             .search = in->run.search,
                             .layout = sw_search_layout(in->run.search),
                             .problem = sw_search_problem(in->run.search),
                             .rows = box.height / unit > 1 ? (size_t)(box.height / unit) - 1 : 0,
                             .room = SW_MAX(room, 8)};
}

void sw_lines_flow(struct sw_lines *lines) {
    int32_t scroll = lines->in->look.scroll;
    lines->skip = scroll > 0 ? (uint32_t)scroll : 0;
    lines->panel->flows = true;
    lines->panel->over = SW_MIN(scroll, 0);
}

uint64_t sw_view_first(struct sw_panel *panel, int32_t scroll, uint64_t first, uint64_t count, uint64_t room) {
    int64_t most = count > room ? (int64_t)(count - room) : 0;
    int64_t from = SW_MIN((int64_t)first, most), to = from + scroll;
    int64_t there = to < 0 ? 0 : to > most ? most : to;
    panel->over = (int32_t)(to - there);
    panel->hidden_above = (uint64_t)there;
    panel->hidden_below = (uint64_t)(most - there);
    return (uint64_t)there;
}

void sw_view_scrolled(struct sw_panel *panel, const struct sw_panel *part) {
    panel->over = part->over;
    panel->hidden_above = part->hidden_above;
    panel->hidden_below = part->hidden_below;
}

uint32_t sw_lines_first(struct sw_lines *lines, uint32_t first, uint32_t count, uint32_t room) {
    return (uint32_t)sw_view_first(lines->panel, lines->in->look.scroll, first, count, room);
}

uint32_t sw_lines_cursor(const struct sw_view_input *in) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    return in->look.cursor < sw_problem_steps(problem) ? in->look.cursor : sw_problem_bound_step(problem);
}

bool sw_lines_row(struct sw_lines *lines, struct sw_item item, bool current) {
    bool above = lines->skip > 0, below = !above && lines->panel->rows.count >= lines->rows;
    lines->skip -= above;
    lines->panel->hidden_above += above;
    lines->panel->hidden_below += below;
    lines->hides = above || below;
    if (!lines->hides) {
        sw_panel_row(lines->scene, lines->panel, item, current);
    }
    return !lines->hides;
}

void sw_lines_cell(struct sw_lines *lines, enum sw_style style, bool right, const char *text) {
    if (!lines->hides) {
        sw_panel_cell(lines->scene, lines->panel, style, right, text);
    }
}

void sw_lines_cellf(struct sw_lines *lines, enum sw_style style, bool right, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_lines_cell(lines, style, right, lines->hides ? "" : sw_scene_vprintf(lines->scene, format, arguments));
    va_end(arguments);
}

void sw_lines_name(struct sw_lines *lines, enum sw_style style, const char *name) {
    if (!lines->hides) {
        sw_panel_name(lines->scene, lines->panel, style, "", name);
    }
}

/* ---- names in sentences ---- */

enum { AROUND = 2 }; /* names on either side, from which it is told apart */

static const char *buffer_name_at(const struct sw_problem *problem, uint32_t i) {
    return i < sw_problem_buffer_count(problem) ? sw_problem_buffer(problem, i)->name : NULL;
}

static const char *operator_name_at(const struct sw_problem *problem, uint32_t i) {
    return i < sw_problem_operator_count(problem) ? sw_problem_operator(problem, i)->name : NULL;
}

static const char *brief(const struct sw_view_input *in, struct sw_scene *scene, uint32_t i, unsigned width,
                         const char *(*name_of)(const struct sw_problem *, uint32_t)) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const char *name = sw_scene_clean(scene, name_of(problem, i)), *items[2 * AROUND + 1];
    struct sw_short names = {.items = items};
    char text[1024];
    if (sw_medium(in)->whole_names || sw_view_columns(name) <= width) {
        return name;
    }
    for (uint32_t k = i > AROUND ? i - AROUND : 0; k <= i + AROUND; k++) {
        const char *other = k == i ? name : name_of(problem, k);
        if (other) {
            items[names.count++] = other;
        }
    }
    sw_short_open(&names);
    sw_short_name(&names, name, width, text, sizeof text);
    return sw_scene_printf(scene, "%s", text);
}

const char *sw_view_buffer_name(const struct sw_view_input *in, struct sw_scene *scene, uint32_t buffer,
                                unsigned width) {
    return brief(in, scene, buffer, width, buffer_name_at);
}

const char *sw_view_operator_name(const struct sw_view_input *in, struct sw_scene *scene, uint32_t step,
                                  unsigned width) {
    return brief(in, scene, step, width, operator_name_at);
}

unsigned sw_view_name_room(unsigned room) {
    enum { LEAST_SENTENCE_NAME = 24 };
    return room / 2 > LEAST_SENTENCE_NAME ? room / 2 : LEAST_SENTENCE_NAME;
}

const char *sw_lines_buffer(const struct sw_lines *lines, uint32_t buffer) {
    return sw_view_buffer_name(lines->in, lines->scene, buffer, sw_view_name_room(lines->room));
}

void sw_lines_head_row(struct sw_lines *lines, const struct sw_lines_head *heads, uint32_t columns) {
    sw_lines_row(lines, SW_NO_ITEM, false);
    for (uint32_t i = 0; i < columns; i++) {
        sw_lines_cell(lines, SW_STYLE_DIM, heads[i].right, heads[i].name);
    }
}

uint32_t sw_lines_heads(struct sw_lines *lines, const struct sw_lines_head *heads, uint32_t columns, uint32_t count) {
    size_t room = lines->rows;
    if (room >= 4) {
        sw_lines_head_row(lines, heads, columns);
        room -= !lines->hides;
    }
    /* The last row says how many more there are. */
    return room >= count ? count : room > 1 ? (uint32_t)room - 1 : (uint32_t)room;
}

void sw_lines_text(struct sw_lines *lines, enum sw_style style, const char *text) {
    while (*text && !lines->scene->failed) {
        sw_lines_row(lines, SW_NO_ITEM, false);
        sw_lines_cell(lines, style, false, sw_view_line(lines->scene, &text, lines->room));
    }
}

void sw_lines_textf(struct sw_lines *lines, enum sw_style style, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_lines_text(lines, style, sw_scene_vprintf(lines->scene, format, arguments));
    va_end(arguments);
}

void sw_lines_blank(struct sw_lines *lines) {
    if (lines->skip > 0) {
        lines->skip--;
        lines->panel->hidden_above++;
    } else if (lines->panel->rows.count + 1 < lines->rows) {
        sw_lines_row(lines, SW_NO_ITEM, false);
        sw_lines_cell(lines, SW_STYLE_TEXT, false, "");
    }
}

const char *sw_lines_bytes(const struct sw_lines *lines, uint64_t bytes) {
    return sw_view_said_bytes(lines->in, lines->scene, bytes);
}

const char *sw_view_said_bytes(const struct sw_view_input *in, struct sw_scene *scene, uint64_t bytes) {
    if (sw_medium(in)->long_units) {
        return sw_view_bytes(in, scene, bytes);
    }
    bool bare = bytes < 1024 && scene->units == SW_UNITS_AUTO;
    return sw_scene_printf(scene, bare ? "%s B" : "%s", sw_scene_bytes(scene, bytes));
}

const char *sw_lines_tiers(const struct sw_lines *lines, const struct sw_problem *problem, const uint64_t *of,
                           const uint64_t *before) {
    const char *text = "";
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        uint64_t was = before ? before[t] : 0;
        if (of[t] != was) {
            text =
                sw_scene_printf(lines->scene, "%s%s%s %s%s", text, *text ? ", " : "", sw_problem_tier(problem, t)->name,
                                !before       ? ""
                                : of[t] > was ? "+"
                                              : "-",
                                sw_lines_bytes(lines, of[t] > was ? of[t] - was : was - of[t]));
        }
    }
    return *text ? text : before ? "=" : "0";
}

const char *sw_lines_step(const struct sw_lines *lines, uint32_t step) {
    return step < sw_problem_operator_count(lines->problem)
               ? sw_view_operator_name(lines->in, lines->scene, step, sw_view_name_room(lines->room))
               : sw_scene_printf(lines->scene, "time %lld", (long long)sw_problem_time(lines->problem, step));
}

bool sw_lines_cores(const struct sw_lines *lines) {
    return sw_problem_core_count(lines->problem) > 1;
}

const char *sw_lines_core(const struct sw_lines *lines, uint32_t step) {
    if (!sw_lines_cores(lines) || step >= sw_problem_operator_count(lines->problem)) {
        return "";
    }
    const char *name = sw_problem_core(lines->problem, sw_problem_operator(lines->problem, step)->core);
    return *name ? sw_scene_printf(lines->scene, "%s", name) : "the core without a name";
}

const char *sw_lines_when(const struct sw_lines *lines, uint32_t step) {
    return step < sw_problem_operator_count(lines->problem)
               ? sw_scene_printf(lines->scene, "%s%s%s (step %u)", sw_lines_step(lines, step),
                                 sw_lines_cores(lines) ? " on " : "", sw_lines_core(lines, step), step)
               : sw_lines_step(lines, step);
}

const char *sw_lines_life(const struct sw_lines *lines, const struct sw_buffer *buffer) {
    return sw_view_life(lines->scene, lines->problem, buffer);
}

const char *sw_view_life(struct sw_scene *scene, const struct sw_problem *problem, const struct sw_buffer *buffer) {
    return sw_scene_printf(scene, "%lld..%lld", (long long)sw_problem_time(problem, buffer->first),
                           (long long)sw_problem_time(problem, buffer->last + 1) - 1);
}

void sw_lines_origin(struct sw_lines *lines, const char *origin) {
    for (bool first = true; origin && *origin && !lines->scene->failed; first = false) {
        size_t length = strcspn(origin, "\n");
        sw_lines_textf(lines, SW_STYLE_DIM, "%s%.*s", first ? "from " : "  ", (int)length, origin);
        origin += length + (origin[length] == '\n');
    }
}
