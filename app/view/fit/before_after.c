/* The model as it is beside the changed one, on one axis of bytes: what is alive at each step, the head, the tail above
 * it, and what the interpreter needs to start. */
#include "view/fit/fit_sight.h"
#include "base/base.h"

enum { LEAST_SIDES_PLOT = 12 /* rows: below that the table alone */ };

struct sides {
    struct sw_fit_seen seen;
    struct sw_fit_shown_program shown;
    double hi;                          /* of the axis */
    bool in_strips, tail, floor_, head; /* what the legend tells */
};

/* ---- live bytes ---- */

/* The steps [from, *end) of one mark: steps with as many live bytes, or, where steps are narrower than a mark, as many
 * as it is wide. */
static uint64_t next_bar(const struct sw_problem *problem, double columns, uint32_t from, uint32_t *end) {
    const uint64_t *profile = sw_problem_profile(problem);
    uint32_t steps = sw_problem_steps(problem);
    uint64_t most = profile[from];
    *end = from + 1;
    if (steps <= columns) {
        for (; *end < steps && profile[*end] == most; ++*end) {
        }
        return most;
    }
    double column = floor(from * columns / steps);
    for (; *end < steps && floor(*end * columns / steps) == column; ++*end) {
        most = SW_MAX(most, profile[*end]);
    }
    return most;
}

static void draw_live(struct sides *s, struct sw_panel *panel, const struct sw_fit_model *model) {
    double columns = sw_view_space(s->seen.in, panel).columns;
    uint32_t steps = sw_problem_steps(model->problem);
    for (uint32_t from = 0, end; from < steps && !s->seen.scene->failed; from = end) {
        uint64_t live = next_bar(model->problem, columns, from, &end);
        if (live > 0) {
            sw_panel_mark(s->seen.scene, panel,
                          sw_mark_over(SW_MARK_BAR, live == model->bound ? SW_STYLE_PEAK : SW_STYLE_LIVE, from, end, 0,
                                       (double)live))
                ->item = (struct sw_item){SW_ITEM_STEP, from};
        }
    }
}

/* ---- head, tail, floor ---- */

static void draw_tail(struct sides *s, struct sw_panel *panel, const struct sw_fit_model *model) {
    uint64_t tail = sw_problem_outside(model->problem);
    if (tail == 0) {
        return;
    }
    const char *full = sw_scene_printf(s->seen.scene, "tail %s", sw_view_bytes(s->seen.in, s->seen.scene, tail));
    struct sw_mark *mark =
        sw_panel_mark(s->seen.scene, panel,
                      sw_mark_over(SW_MARK_RECT, SW_STYLE_MERGED, 0, sw_problem_steps(model->problem),
                                   (double)model->head, (double)(model->head + tail)));
    mark->pattern = 2;
    mark->labels = SW_LABELS(s->seen.scene, full, "tail");
    s->tail = true;
}

static void draw_levels(struct sides *s, struct sw_panel *panel, const struct sw_fit_model *model) {
    const struct sw_view_input *in = s->seen.in;
    struct sw_scene *scene = s->seen.scene;
    uint64_t floor_ = sw_problem_least_arena(model->problem);
    sw_view_level(scene, panel, SW_STYLE_PEAK, false, (double)model->head,
                  sw_view_figure(in, scene, "head", model->head));
    s->head = true;
    if (floor_ > 0) {
        sw_view_level(scene, panel, SW_STYLE_BOUND, true, (double)floor_, sw_view_figure(in, scene, "set-up", floor_));
        s->floor_ = true;
    }
    if (model->arena > model->head) {
        sw_view_level(scene, panel, SW_STYLE_STRONG, false, (double)model->arena,
                      sw_view_figure(in, scene, "arena", model->arena));
    }
    if (s->seen.sight.has_capacity && (double)s->seen.sight.capacity <= s->hi) {
        sw_view_level(scene, panel, SW_STYLE_CAPACITY, false, (double)s->seen.sight.capacity,
                      sw_view_figure(in, scene, "capacity", s->seen.sight.capacity));
    }
}

/* A region's steps, from the top of the axis to its foot on paper, a line at the top in cells. */
static void draw_region(struct sides *s, struct sw_panel *panel, uint32_t number, double from, double to) {
    bool fine = sw_medium(s->seen.in)->fine;
    struct sw_mark *mark =
        sw_panel_mark(s->seen.scene, panel,
                      sw_mark_over(fine ? SW_MARK_BAND : SW_MARK_LINE, fine ? SW_STYLE_BLOCK : SW_STYLE_TRANSFER, from,
                                   to, fine ? 0 : s->hi, s->hi));
    mark->hue = (uint8_t)(number % SW_HUES);
    mark->pattern = fine ? (uint8_t)(number % 2) : 0;
    mark->item = (struct sw_item){SW_ITEM_STEP, (uint64_t)from};
    s->in_strips = true;
}

/* ---- the two plots ---- */

static void build_fit_side(struct sides *s, const struct sw_fit_model *model, const char *id, const char *title,
                           struct sw_box box) {
    bool fine = sw_medium(s->seen.in)->fine;
    struct sw_furniture furniture = sw_fit_furniture(&s->seen, fine ? 62 : 7, fine ? fmin(96, box.width / 4) : 0);
    struct sw_view_input in = *s->seen.in;
    bool changed = model != s->seen.as_is;
    in.furniture = &furniture;
    struct sw_panel *panel = sw_scene_panel(s->seen.scene, SW_PANEL_PLOT, id);
    panel->title = title;
    sw_view_place_count(&in, s->seen.scene, panel, box, changed ? "call" : "step", 0,
                        SW_MAX(sw_problem_steps(model->problem), 1u));
    const char *more = strstr(title, ", ");
    if (fine && more && !sw_page_title_fits(title, panel->body_width)) {
        panel->title = sw_scene_printf(s->seen.scene, "%.*s", (int)(more - title), title);
    }
    sw_view_bytes_axis(&in, s->seen.scene, panel, 0, s->hi);
    /* In another schedule a region is no run of the steps that the model has as it is. */
    bool known = changed || s->seen.result->variants[s->seen.looked->variant].base.plain;
    for (uint32_t r = 0; r < s->shown.program.region_count && known; r++) {
        const struct sw_fit_region *region = &s->shown.program.regions[r];
        uint32_t first = region->first, end = region->last + 1;
        if (changed) {
            sw_fit_region_calls(&s->shown.program, r, &first, &end);
        }
        draw_region(s, panel, r, first, end);
    }
    draw_live(s, panel, model);
    draw_tail(s, panel, model);
    draw_levels(s, panel, model);
}

static void add_sides_legend(struct sides *s) {
    struct sw_scene *scene = s->seen.scene;
    sw_scene_legend(scene, SW_STYLE_LIVE, 0, 0, "live bytes");
    sw_scene_legend(scene, SW_STYLE_PEAK, 0, 0, "most live bytes: no plan has less");
    if (s->tail) {
        sw_scene_legend(scene, SW_STYLE_MERGED, 0, 2, "tail: what the interpreter keeps above the plan");
    }
    if (s->floor_) {
        sw_scene_legend(scene, SW_STYLE_BOUND, 0, 0, "what the interpreter needs while it sets up");
    }
    if (s->in_strips) {
        sw_scene_legend_line(scene, SW_STYLE_BLOCK, 0, SW_DASH_NONE, true, "region in strips");
    }
}

/* ---- figures ---- */

static void add_figure(struct sw_lines *lines, const char *name, uint64_t before, uint64_t then) {
    const char *change = before == then ? "as before"
                         : before == 0  ? ""
                                        : SW_PERCENT((double)then / (double)before - 1, true);
    sw_lines_row(lines, SW_NO_ITEM, false);
    sw_lines_cell(lines, SW_STYLE_TEXT, false, name);
    sw_lines_cellf(lines, SW_STYLE_TEXT, true, "%s", SW_COUNT(before));
    sw_lines_cellf(lines, SW_STYLE_STRONG, true, "%s", SW_COUNT(then));
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%s", change);
    sw_lines_cell(lines, SW_STYLE_TEXT, false, "");
}

static void add_figure_table(struct sides *s, struct sw_box box) {
    enum { FIGURE_COLUMNS = 5 };
    static const struct sw_lines_head heads[FIGURE_COLUMNS] = {
        {"", false}, {"as it is", true}, {"changed", true}, {"", true}, {"", false}};
    const struct sw_fit_model *a = s->seen.as_is, *b = s->seen.looked;
    struct sw_lines lines =
        sw_lines_begin(s->seen.in, s->seen.scene, "figures", NULL, box, FIGURE_COLUMNS, FIGURE_COLUMNS - 1);
    sw_lines_heads(&lines, heads, FIGURE_COLUMNS, 7);
    add_figure(&lines, "arena", a->arena, b->arena);
    add_figure(&lines, "head", a->head, b->head);
    if (s->tail) {
        add_figure(&lines, "tail", sw_problem_outside(a->problem), sw_problem_outside(b->problem));
        add_figure(&lines, "set-up", sw_problem_least_arena(a->problem), sw_problem_least_arena(b->problem));
    }
    add_figure(&lines, "most live", a->bound, b->bound);
    add_figure(&lines, "multiply-adds", a->macs, b->macs);
    add_figure(&lines, "operators", a->calls, b->calls);
}

static void before_after_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sides s = {0};
    double unit = sw_medium(in)->row;
    if (!sw_fit_seen(in, scene, &s.seen)) {
        sw_fit_say_nothing(in, scene, "before-after", box);
        return;
    }
    if (!sw_fit_shown_open(&s.seen, &s.shown)) {
        return;
    }
    const struct sw_fit_model *a = s.seen.as_is, *b = s.seen.looked;
    s.hi = (double)SW_MAX(SW_MAX(a->arena, a->bound), SW_MAX(b->arena, b->bound));
    if (s.seen.sight.has_capacity && (double)s.seen.sight.capacity <= 1.3 * s.hi) {
        s.hi = fmax(s.hi, (double)s.seen.sight.capacity);
    }
    s.hi = fmax(s.hi * 1.06, 1);
    s.tail = sw_problem_outside(a->problem) > 0;
    if (box.height >= LEAST_SIDES_PLOT * unit) {
        double table = (s.tail ? 10 : 8) * unit,
               high = fmax(box.height - table, floor(box.height / unit * 0.62) * unit), half = floor(box.width / 2);
        build_fit_side(&s, a, "before",
                       sw_scene_printf(scene, "as it is: arena %s", sw_view_bytes(in, scene, a->arena)),
                       (struct sw_box){box.left, box.top, half, high});
        build_fit_side(&s, b, "after",
                       b == a ? "nothing is changed"
                              : sw_scene_printf(scene, "changed: arena %s, %.3f of the work",
                                                sw_view_bytes(in, scene, b->arena), sw_fit_work(&s.seen, b)),
                       (struct sw_box){box.left + half, box.top, box.width - half, high});
        box.top += high;
        box.height -= high;
        if (sw_medium(in)->legend) {
            add_sides_legend(&s);
        }
    }
    add_figure_table(&s, box);
    sw_fit_shown_done(&s.shown);
}

const struct sw_view sw_view_before_after = {
    .name = "before-after",
    .summary = "live bytes, head and tail before and after changes",
    .of_fit = true,
    .scrolls = SW_SCROLLS_LIST,
    .applies = sw_fit_applies,
    .build = before_after_build,
};
