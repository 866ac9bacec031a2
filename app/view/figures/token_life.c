/* The life of tokens: a row for each tensor that has a memory id, a column for each operator. A row goes from the
 * operator that writes the tensor to its last reader and says the count, the readers that are left; an arrow leads from
 * what a tensor is written over. Beside it what the tensor needs and what its id has allocated, and what the file
 * declares where the tensor adopted another size. */
#include "planners/planner.h"
#include "planners/tokens/token_look.h"
#include "view/facts.h"
#include "view/scene/lines.h"

#include <math.h>

struct token_lives {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    const struct sw_facts *facts;
    const struct sw_problem *problem;
    const struct sw_token_look *look; /* NULL: counts are not known */
    struct sw_panel *panel;
    uint32_t *rows; /* tensors, by birth */
    uint32_t count, first, shown;
    double inset; /* of a block in its row */
};

static uint32_t life_id(const struct token_lives *l, uint32_t b) {
    return l->facts->ids.of.items[b];
}

/* The height of a row's lower edge. */
static double life_row(const struct token_lives *l, uint32_t row) {
    return (double)l->shown - 1 - (row - l->first);
}

/* ---- which rows ---- */

static bool list_lives(struct token_lives *l) {
    const uint32_t *order = sw_problem_order(l->problem);
    uint32_t planned = sw_problem_planned_count(l->problem);
    const struct sw_viewport *port = &l->in->look.viewport;
    l->rows = sw_arena_new(&l->scene->arena, planned + 1, sizeof *l->rows);
    for (uint32_t i = 0; l->rows && i < planned; i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(l->problem, order[i]);
        bool seen = buffer->first < port->time_hi && buffer->last + 1.0 > port->time_lo;
        if (life_id(l, order[i]) != SW_NONE && seen) {
            l->rows[l->count++] = order[i];
        }
    }
    l->scene->failed |= !l->rows;
    return l->rows != NULL;
}

/* The row to keep in sight: of the selected tensor, or of the one that was decided about. */
static uint32_t life_focus(const struct token_lives *l) {
    const struct sw_decision *decision = sw_search_decision(l->in->run.search);
    uint32_t b = l->in->look.selected != SW_NONE                  ? l->in->look.selected
                 : decision && !sw_view_at_end(l->in->run.search) ? decision->buffer
                                                                  : SW_NONE;
    uint32_t row = 0;
    while (row < l->count && l->rows[row] != b) {
        row++;
    }
    return row < l->count ? row : 0;
}

/* ---- rows ---- */

static const char *const *life_labels(const struct token_lives *l, uint32_t b, uint32_t count, bool born) {
    struct sw_scene *scene = l->scene;
    const char *number = l->look ? sw_scene_printf(scene, "%u", count) : "";
    uint32_t id = life_id(l, b);
    if (!born) {
        return SW_LABELS(scene, sw_scene_printf(scene, "count %u", count), number, "");
    }
    return l->look ? SW_LABELS(scene, sw_scene_printf(scene, "id %u, count %u", id, count),
                               sw_scene_printf(scene, "id %u: %u", id, count),
                               sw_scene_printf(scene, "#%u: %u", id, count), number, "")
                   : SW_LABELS(scene, sw_scene_printf(scene, "id %u", id), sw_scene_printf(scene, "%u", id), "");
}

static void life_piece(struct token_lives *l, uint32_t row, double from, double to, const char *const *labels) {
    uint32_t b = l->rows[row];
    const struct sw_decision *decision = sw_search_decision(l->in->run.search);
    bool now = decision && decision->buffer == b && !sw_view_at_end(l->in->run.search);
    double y = life_row(l, row);
    struct sw_mark mark = sw_mark_over(SW_MARK_RECT,
                                       b == l->in->look.selected ? SW_STYLE_SELECTED
                                       : now                     ? SW_STYLE_CURRENT
                                                                 : SW_STYLE_BLOCK,
                                       sw_view_x(l->in, from), sw_view_x(l->in, to), y + l->inset, y + 1 - l->inset);
    mark.hue = (uint8_t)(life_id(l, b) % SW_HUES);
    mark.item = (struct sw_item){SW_ITEM_BUFFER, b};
    mark.labels = labels;
    if (mark.x0 < l->panel->x.hi && mark.x1 > l->panel->x.lo) {
        sw_panel_mark(l->scene, l->panel, mark);
    }
}

/* The tensor's life in pieces: after each reader the count is smaller. Where pieces are too narrow it is one. */
static void draw_life(struct token_lives *l, uint32_t row) {
    uint32_t b = l->rows[row];
    const struct sw_buffer *buffer = sw_problem_buffer(l->problem, b);
    uint32_t count = l->look ? l->look->count[b] : 0, from = buffer->first;
    bool born = true, apart = (sw_view_x(l->in, 1) - sw_view_x(l->in, 0)) * sw_view_space(l->in, l->panel).x_scale >=
                              2 * l->in->marks_per_unit_x;
    const char *const *labels = life_labels(l, b, count, true);
    for (uint32_t i = l->look && apart ? l->look->first[b] : 0; l->look && apart && i < l->look->first[b + 1];) {
        uint32_t step = l->look->drops.items[i].step;
        if (step > buffer->last || step < from) {
            break;
        }
        life_piece(l, row, from, step + 1.0, labels);
        for (; i < l->look->first[b + 1] && l->look->drops.items[i].step == step; i++) {
            count -= count > 0;
        }
        from = step + 1;
        born = false;
        labels = life_labels(l, b, count, false);
    }
    if (from <= buffer->last || born) {
        life_piece(l, row, from, buffer->last + 1.0, labels);
    }
}

static void name_life(struct token_lives *l, uint32_t row, unsigned room) {
    const char *name = sw_problem_buffer(l->problem, l->rows[row])->name;
    struct sw_tick tick = {life_row(l, row) + 0.5, sw_view_name_within(l->scene, name, room)};
    l->scene->failed |= !SW_PUSH(&l->panel->y.ticks, tick);
}

/* From the row of what is written over to the row of what is written. */
static bool draw_takeover(struct token_lives *l, uint32_t row) {
    uint32_t b = l->rows[row], from = l->first;
    uint64_t step = l->facts->decided.items[b];
    const struct sw_decision *decision = step ? sw_search_journal(l->in->run.search, step) : NULL;
    if (!decision || decision->kind != SW_DECISION_REUSE) {
        return false;
    }
    while (from < l->first + l->shown && l->rows[from] != decision->reuse.over) {
        from++;
    }
    if (from == l->first + l->shown) {
        return false;
    }
    double x = sw_view_x(l->in, sw_problem_buffer(l->problem, b)->first);
    bool fine = sw_medium(l->in)->fine; /* in cells it leaves the row that it comes from as it is */
    double from_y = life_row(l, from) + (fine ? 0.5 : -0.01), to_y = life_row(l, row) + (fine ? 1 - l->inset : 0.5);
    struct sw_mark arrow = sw_mark_over(SW_MARK_ARROW, SW_STYLE_TRANSFER, x, x, from_y, to_y);
    arrow.item = (struct sw_item){SW_ITEM_BUFFER, b};
    if (x < l->panel->x.lo || x >= l->panel->x.hi) {
        return false;
    }
    sw_panel_mark(l->scene, l->panel, arrow);
    return true;
}

/* ---- bytes ---- */

static void life_bar(struct token_lives *l, struct sw_panel *panel, uint32_t row, enum sw_mark_kind kind,
                     enum sw_style style, uint64_t bytes, double inset) {
    double y = life_row(l, row);
    struct sw_mark mark = sw_mark_over(kind, style, 0, (double)bytes, y + inset, y + 1 - inset);
    mark.hue = (uint8_t)(life_id(l, l->rows[row]) % SW_HUES);
    mark.item = (struct sw_item){SW_ITEM_BUFFER, l->rows[row]};
    mark.labels = style == SW_STYLE_BLOCK ? SW_LABELS(l->scene, sw_view_bytes(l->in, l->scene, bytes), "") : NULL;
    sw_panel_mark(l->scene, panel, mark);
}

/* Of each row what is allocated, in it what the tensor needs, and a frame around what the file declares. */
static void build_life_bytes(struct token_lives *l, struct sw_box box, double top, double height) {
    struct sw_panel *panel = sw_scene_panel(l->scene, SW_PANEL_PLOT, "token-bytes");
    uint64_t most = 1;
    bool adopted = false, legend = sw_medium(l->in)->legend;
    sw_panel_put(panel, box);
    panel->title = "bytes of tensors";
    panel->tier = SW_NONE;
    panel->body_left = box.left;
    panel->body_width = box.width;
    panel->body_top = top;
    panel->body_height = height;
    panel->y.lo = 0;
    panel->y.hi = fmax(l->shown, 1);
    for (uint32_t row = l->first; row < l->first + l->shown; row++) {
        uint32_t b = l->rows[row];
        uint64_t declared = l->look ? l->look->declared[b] : SW_UNBOUNDED,
                 all = l->facts->ids.bytes.items[life_id(l, b)];
        most = all > most ? all : most;
        most = declared != SW_UNBOUNDED && declared > most ? declared : most;
    }
    panel->x.lo = 0;
    panel->x.hi = (double)most * 1.02;
    sw_view_bytes_ticks(l->in, l->scene, &panel->x, fmax(2, panel->body_width / (sw_medium(l->in)->fine ? 50 : 10)));
    for (uint32_t row = l->first; row < l->first + l->shown && !l->scene->failed; row++) {
        uint32_t b = l->rows[row];
        uint64_t declared = l->look ? l->look->declared[b] : SW_UNBOUNDED;
        bool fine = sw_medium(l->in)->fine;
        life_bar(l, panel, row, SW_MARK_RECT, SW_STYLE_GAP, l->facts->ids.bytes.items[life_id(l, b)], l->inset);
        life_bar(l, panel, row, SW_MARK_RECT, SW_STYLE_BLOCK, sw_problem_buffer(l->problem, b)->size, l->inset);
        if (declared != SW_UNBOUNDED && fine) {
            life_bar(l, panel, row, SW_MARK_FRAME, SW_STYLE_WARNING, declared, 0.08);
            adopted = true;
        }
    }
    if (legend) {
        sw_scene_legend(l->scene, SW_STYLE_GAP, 0, 0, "allocated to its id");
    }
    if (legend && adopted) {
        sw_scene_legend_line(l->scene, SW_STYLE_WARNING, 0, SW_DASH_NONE, false,
                             "declared, before it adopted another size");
    }
}

/* ---- together ---- */

/* Operators' names below the columns, where each has room. */
static void name_columns(struct token_lives *l) {
    double column = l->panel->body_width / fmax(l->panel->x.hi - l->panel->x.lo, 1);
    uint32_t steps = sw_problem_operator_count(l->problem);
    for (uint32_t step = 0; step < steps; step++) {
        if ((double)sw_view_columns(sw_problem_operator(l->problem, step)->name) * sw_medium(l->in)->character + 4 >
            column) {
            return;
        }
    }
    l->panel->x.ticks.count = 0;
    l->panel->x.title = "operator";
    for (uint32_t step = 0; step < steps && !l->scene->failed; step++) {
        double at = (sw_view_x(l->in, step) + sw_view_x(l->in, step + 1.0)) / 2;
        struct sw_tick tick = {at, sw_scene_printf(l->scene, "%s", sw_problem_operator(l->problem, step)->name)};
        if (at > l->panel->x.lo && at < l->panel->x.hi) {
            l->scene->failed |= !SW_PUSH(&l->panel->x.ticks, tick);
        }
    }
}

/* As wide as the longest name that is shown, and not too wide. */
static unsigned longest_name(const struct token_lives *l, unsigned most) {
    unsigned longest = 4;
    for (uint32_t row = l->first; row < l->first + l->shown; row++) {
        unsigned width = (unsigned)sw_view_columns(sw_problem_buffer(l->problem, l->rows[row])->name);
        longest = width > longest ? width : longest;
    }
    return longest < most ? longest : most;
}

/* On paper the time that the rows take, where they are not all. */
static struct sw_view_input fit_lives(const struct token_lives *l, uint32_t first) {
    struct sw_view_input in = *l->in;
    double lo = in.look.viewport.time_hi, hi = in.look.viewport.time_lo;
    for (uint32_t row = first; row < first + l->shown; row++) {
        const struct sw_buffer *buffer = sw_problem_buffer(l->problem, l->rows[row]);
        lo = fmin(lo, buffer->first);
        hi = fmax(hi, buffer->last + 1.0);
    }
    in.look.viewport.time_lo = fmax(lo, in.look.viewport.time_lo);
    in.look.viewport.time_hi = fmin(hi, in.look.viewport.time_hi);
    return in;
}

static void build_life_plot(struct token_lives *l, struct sw_box box) {
    enum { MOST_NAME = 26, LEAST_LIFE_WIDTH = 46 };
    const struct sw_medium *medium = sw_medium(l->in);
    double unit = medium->character, foot = medium->fine ? SW_PAGE_TICKS : 1, head = medium->heading;
    double least = medium->fine ? 11 : 1, most = medium->fine ? 24 : 1, room = box.height - head - foot;
    uint32_t rows = (uint32_t)fmax(floor(room / least), 1);
    struct sw_view_input fitted;
    bool bytes = box.width >= LEAST_LIFE_WIDTH * unit;
    l->shown = l->count < rows ? l->count : rows;
    uint32_t focus = life_focus(l), first = focus > (l->shown - 1) / 2 ? focus - (l->shown - 1) / 2 : 0;
    l->panel->title = "token life";
    if (medium->still && l->shown < l->count) {
        fitted = fit_lives(l, first);
        l->in = &fitted;
    }
    double share = bytes ? floor(box.width * 0.3) : 0;
    sw_view_place(l->in, l->scene, l->panel, (struct sw_box){box.left, box.top, box.width - share, box.height}, true);
    l->first = (uint32_t)sw_view_first(l->panel, l->in->look.scroll, first, l->count, l->shown);
    unsigned name = longest_name(l, medium->fine ? MOST_NAME : (unsigned)fmin(box.width / 4, 16));
    double gutter = name * unit + (medium->fine ? 10 : 1), pitch = fmin(room / l->shown, most);
    double height = l->shown * (medium->fine ? floor(pitch) : pitch); /* all rows are as high, and texts as large */
    l->inset = medium->fine ? 0.14 : 0;
    l->panel->body_left = box.left + gutter;
    double apart = bytes ? (medium->fine ? 13 : 2) * unit : 0; /* on paper "operator" stands there, and a tick */
    l->panel->body_width = fmax(box.width - share - gutter - apart, 1);
    l->panel->body_height = height;
    l->panel->height = height + head + foot;
    l->panel->y.lo = 0;
    l->panel->y.hi = l->shown;
    l->panel->tier = SW_NONE;
    if (medium->fine) {
        name_columns(l);
    }
    bool arrows = false;
    for (uint32_t row = l->first; row < l->first + l->shown && !l->scene->failed; row++) {
        draw_life(l, row);
        name_life(l, row, name);
    }
    for (uint32_t row = l->first; row < l->first + l->shown && !l->scene->failed; row++) {
        arrows |= draw_takeover(l, row);
    }
    sw_view_mark_cursor(l->in, l->scene, l->panel);
    const char *count = sw_scene_counted(l->scene, l->count, "token");
    if (l->shown < l->count) {
        count = sw_scene_printf(l->scene, "tokens %u..%u of %u", l->first + 1, l->first + l->shown, l->count);
    }
    bool told = !medium->legend && l->look; /* else the caption tells it */
    l->panel->title = told ? sw_scene_printf(l->scene, "%s; numbers: readers left", count) : count;
    if (medium->legend && l->look) {
        sw_scene_caption(l->scene, "The count of a token is the number of its readers that are left.");
    }
    if (medium->legend) {
        sw_scene_legend(l->scene, SW_STYLE_BLOCK, 0, 0, "tensor, in the color of its id");
    }
    if (medium->legend && arrows) {
        sw_scene_legend(l->scene, SW_STYLE_TRANSFER, 0, 0, "written in place over");
    }
    double top = l->panel->body_top;
    if (bytes && !l->scene->failed) {
        build_life_bytes(l,
                         (struct sw_box){box.left + box.width - share, box.top, share - (medium->fine ? 8 : 0),
                                         height + head + foot},
                         top, height);
    }
}

static void build_lives(const struct sw_view_input *in, const struct sw_facts *facts, struct sw_scene *scene,
                        struct sw_box box) {
    struct sw_token_look look = {0};
    bool missed = false, known = sw_token_look(in->run.search, &look, &missed);
    struct token_lives lives = {.in = in,
                                .scene = scene,
                                .facts = facts,
                                .problem = sw_search_problem(in->run.search),
                                .look = known ? &look : NULL};
    scene->failed |= missed;
    bool any = facts->ids.count > 0 && !scene->failed && list_lives(&lives) && lives.count > 0;
    if (any) {
        lives.panel = sw_scene_panel(scene, SW_PANEL_PLOT, "token-life");
        build_life_plot(&lives, box);
    } else if (!scene->failed) {
        struct sw_lines lines = sw_lines_begin(in, scene, "token-life", "token life", box, 1, 0);
        const char *planner = sw_search_planner(in->run.search)->name;
        sw_lines_textf(&lines, SW_STYLE_DIM,
                       facts->ids.count > 0   ? "%s has no token alive at the steps on view."
                       : facts->hands_out_ids ? "%s has given out no memory id so far."
                                              : "%s gives out no memory ids.",
                       planner);
    }
    sw_token_look_done(&look);
}

static void token_life_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    sw_view_with_facts(in, scene, box, build_lives);
}

static bool token_life_applies(const struct sw_search *search, bool *missed) {
    return sw_view_tokens.applies(search, missed);
}

const struct sw_view sw_view_token_life = {
    .name = "token-life",
    .summary = "tokens over time: counts, takeovers, bytes in ids",
    .reads = SW_VIEW_READS_FACTS,
    .takes = SW_TAKES_TIME | SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .applies = token_life_applies,
    .build = token_life_build,
};
