/* The regions of a changed model: which rows of which tensor are alive at which call, and what each call reads. */
#include "view/fit/fit_sight.h"
#include "base/base.h"
#include "view/scene/short_names.h"

#define BAND 0.88 /* of a tensor's height: the rest is between it and the next */
enum { MOST_REGIONS = 9, MOST_TENSOR_NAME = 64 };

struct strips {
    struct sw_fit_seen seen;
    struct sw_fit_shown_program shown;
    bool kept, again; /* there are such rows: the legend says what they look like */
};

/* A region as a plot: a band of rows for each tensor, one below the other, the first of what it reads on top. */
struct region_plot {
    struct strips *strips;
    struct sw_panel *panel;
    uint32_t number, begin, end; /* region, its calls */
    SW_ARRAY(uint32_t) tensors;
    SW_ARRAY(const char *) names;
};

static const struct sw_fit_region *region_of(const struct region_plot *plot) {
    return &plot->strips->shown.program.regions[plot->number];
}

/* ---- tensors ---- */

static size_t band_of(const struct region_plot *plot, uint32_t buffer) {
    size_t band = 0;
    while (band < plot->tensors.count && plot->tensors.items[band] != buffer) {
        band++;
    }
    return band;
}

static void add_tensor(struct region_plot *plot, uint32_t buffer) {
    struct sw_scene *scene = plot->strips->seen.scene;
    const char *name = sw_scene_clean(scene, sw_problem_buffer(sw_fit_cut_problem(&plot->strips->seen), buffer)->name);
    if (band_of(plot, buffer) == plot->tensors.count &&
        (!SW_PUSH(&plot->tensors, buffer) || !SW_PUSH(&plot->names, name))) {
        scene->failed = true;
    }
}

static void list_tensors(struct region_plot *plot) {
    const struct sw_problem *problem = sw_fit_cut_problem(&plot->strips->seen);
    const struct sw_fit_region *region = region_of(plot);
    for (uint32_t op = region->first; op <= region->last; op++) {
        const struct sw_operator *operator_ = sw_problem_operator(problem, op);
        for (uint32_t i = 0; i < operator_->input_count; i++) {
            uint32_t producer = sw_problem_producer(problem, operator_->inputs[i].buffer);
            if (producer == SW_NONE || producer < region->first) {
                add_tensor(plot, operator_->inputs[i].buffer);
            }
        }
    }
    for (uint32_t op = region->first; op <= region->last; op++) {
        add_tensor(plot, sw_problem_operator(problem, op)->outputs[0].buffer);
    }
}

/* Of the whole tensor. */
static double height_of(const struct region_plot *plot, uint32_t buffer) {
    struct sw_row_range rows = plot->strips->shown.program.values.items[buffer].rows;
    return fmax((double)(rows.hi - rows.lo), 1);
}

static double y_of(const struct region_plot *plot, uint32_t buffer, int64_t row) {
    return -((double)band_of(plot, buffer) + BAND * (double)row / height_of(plot, buffer));
}

/* ---- marks ---- */

/* What a mark stands for in the problem at hand: a call of the changed model, or the operator that it is of. Nothing
 * where the run is about another changed model than the one that is looked at. */
static struct sw_item item_of(const struct region_plot *plot, uint32_t call) {
    const struct sw_fit_seen *seen = &plot->strips->seen;
    const uint32_t *operators = seen->result->variants[seen->looked->variant].base.operators;
    if (seen->sight.handed) {
        return seen->looked == seen->sight.chosen ? (struct sw_item){SW_ITEM_OPERATOR, call} : SW_NO_ITEM;
    }
    return (struct sw_item){SW_ITEM_OPERATOR, operators[plot->strips->shown.program.calls.items[call].op]};
}

static void draw_alive(struct region_plot *plot) {
    struct strips *s = plot->strips;
    struct sw_fit_alive alive = {0};
    bool fine = sw_medium(s->seen.in)->fine;
    s->seen.scene->failed |= !sw_fit_alive_find(&s->shown.program, plot->number, &alive);
    for (size_t i = 0; i < alive.count && !s->seen.scene->failed; i++) {
        const struct sw_fit_rows_alive *rows = &alive.items[i];
        struct sw_mark mark =
            sw_mark_over(SW_MARK_RECT, SW_STYLE_BLOCK, rows->first, rows->last + 1.0,
                         y_of(plot, rows->buffer, rows->rows.hi), y_of(plot, rows->buffer, rows->rows.lo));
        mark.hue = (uint8_t)(rows->strip % SW_HUES);
        mark.item = item_of(plot, rows->first);
        if (rows->strip == SW_NONE) {
            mark.style = SW_STYLE_MERGED;
            mark.hue = 0;
            mark.pattern = 2;
        } else if (rows->kept) {
            mark.pattern = SW_PATTERN_CONSTANT;
        } else if (rows->again) {
            mark.pattern = fine ? SW_PATTERN_INPUT : SW_PATTERN_SCRATCH;
        }
        s->kept |= rows->kept;
        s->again |= rows->again && !rows->kept;
        sw_panel_mark(s->seen.scene, plot->panel, mark);
        if (fine && rows->again && !rows->kept) { /* few rows are thin: an edge, too */
            mark.kind = SW_MARK_FRAME;
            mark.style = SW_STYLE_PEAK;
            sw_panel_mark(s->seen.scene, plot->panel, mark);
        }
    }
    SW_ARRAY_DONE(&alive);
}

/* Upright, at the call, over the rows that it reads. */
static void draw_reads(struct region_plot *plot) {
    const struct sw_fit_program *program = &plot->strips->shown.program;
    for (uint32_t c = plot->begin; c < plot->end; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        for (uint32_t i = 0; call->act == SW_FIT_RUN && i < call->input_count && !plot->strips->seen.scene->failed;
             i++) {
            const struct sw_fit_value *value = &program->values.items[program->inputs.items[call->first_input + i]];
            int64_t lo = SW_MAX(value->rows.lo, 0),
                    hi = SW_MIN(value->rows.hi, (int64_t)height_of(plot, value->buffer));
            sw_panel_mark(plot->strips->seen.scene, plot->panel,
                          sw_mark_over(SW_MARK_LINE, SW_STYLE_STRONG, c + 0.5, c + 0.5, y_of(plot, value->buffer, hi),
                                       y_of(plot, value->buffer, lo)))
                ->item = item_of(plot, c);
        }
    }
}

/* "strip 2" over the calls of a strip, where that has room. */
static void name_strip(struct region_plot *plot, uint32_t from, uint32_t to, uint32_t strip) {
    struct sw_scene *scene = plot->strips->seen.scene;
    const struct sw_medium *medium = sw_medium(plot->strips->seen.in);
    double room = plot->panel->body_width * (to - from) / (plot->end - plot->begin);
    const char *full = strip == SW_NONE ? "join" : sw_scene_printf(scene, "strip %u", strip + 1);
    const char *brief = strip == SW_NONE ? "" : sw_scene_printf(scene, "%u", strip + 1);
    const char *label = (double)sw_view_columns(full) * medium->character < room    ? full
                        : (double)sw_view_columns(brief) * medium->character < room ? brief
                                                                                    : "";
    /* In cells a text begins at its place, on paper it has its middle there. */
    double x = medium->fine ? (from + to) / 2.0 : from + 1.01 * (plot->end - plot->begin) / plot->panel->body_width;
    sw_view_point(scene, plot->panel, SW_STYLE_DIM, x, 0.1, SW_LABELS(scene, label));
}

/* Where each strip begins. */
static void draw_begins(struct region_plot *plot) {
    const struct sw_fit_program *program = &plot->strips->shown.program;
    struct sw_scene *scene = plot->strips->seen.scene;
    for (uint32_t from = plot->begin, to; from < plot->end && !scene->failed; from = to) {
        uint32_t strip = program->calls.items[from].strip;
        for (to = from + 1; to < plot->end && program->calls.items[to].strip == strip; to++) {
        }
        sw_panel_mark(scene, plot->panel,
                      sw_mark_over(SW_MARK_LINE, SW_STYLE_DIM, from, from, plot->panel->y.lo, plot->panel->y.hi))
            ->pattern = 1;
        name_strip(plot, from, to, strip);
    }
}

/* ---- the plot ---- */

/* Each tensor's name and rows, at the middle of its band, in the room that there is. */
static void set_names(struct region_plot *plot, unsigned room) {
    struct sw_scene *scene = plot->strips->seen.scene;
    struct sw_short names = {.items = plot->names.items, .count = plot->names.count};
    sw_short_open(&names);
    for (size_t i = 0; i < plot->tensors.count && !scene->failed; i++) {
        char rows[32], name[MOST_TENSOR_NAME * 4];
        uint32_t buffer = plot->tensors.items[i];
        int length = snprintf(rows, sizeof rows, " %.0f rows", height_of(plot, buffer));
        unsigned left = room > (unsigned)length + 8 ? room - (unsigned)length : room;
        sw_short_name(&names, plot->names.items[i], SW_MIN(left, (unsigned)MOST_TENSOR_NAME), name, sizeof name);
        struct sw_tick tick = {-((double)i + BAND / 2), sw_scene_printf(scene, "%s%s", name, left < room ? rows : "")};
        scene->failed |= !SW_PUSH(&plot->panel->y.ticks, tick);
    }
}

static void build_region(struct strips *s, uint32_t number, struct sw_box box) {
    struct sw_fit_seen *seen = &s->seen;
    const struct sw_medium *medium = sw_medium(seen->in);
    struct region_plot plot = {.strips = s, .number = number};
    double gutter = medium->fine ? fmin(150, box.width * 0.27) : fmin(26, floor(box.width * 0.3));
    struct sw_furniture furniture = sw_fit_furniture(seen, gutter, medium->fine ? 10 : 0);
    struct sw_view_input in = *seen->in;
    in.furniture = &furniture;
    sw_fit_region_calls(&s->shown.program, number, &plot.begin, &plot.end);
    list_tensors(&plot);
    plot.panel = sw_scene_panel(seen->scene, SW_PANEL_PLOT, "strips");
    plot.panel->title = sw_fit_region_words(seen, seen->looked, region_of(&plot));
    sw_view_place_count(&in, seen->scene, plot.panel, box, "call", plot.begin, plot.end);
    const char *how = strstr(plot.panel->title, " in ");
    if (medium->still && how && !sw_page_title_fits(plot.panel->title, plot.panel->body_width)) {
        plot.panel->title = sw_scene_printf(seen->scene, "%.*s", (int)(how - plot.panel->title), plot.panel->title);
    }
    plot.panel->y.lo = -(double)plot.tensors.count;
    plot.panel->y.hi = plot.panel->body_height / ((double)plot.tensors.count + 1) >= medium->row ? 0.7 : 0.3;
    set_names(&plot, sw_view_room(seen->in, gutter - (medium->fine ? 8 : 1)));
    draw_begins(&plot);
    draw_alive(&plot);
    draw_reads(&plot);
    SW_ARRAY_DONE(&plot.tensors, &plot.names);
}

/* ---- the view ---- */

static void add_strips_legend(struct strips *s) {
    struct sw_scene *scene = s->seen.scene;
    sw_scene_legend(scene, SW_STYLE_BLOCK, 0, 0, "rows alive, a color a strip");
    sw_scene_legend(scene, SW_STYLE_MERGED, 0, 2, "rows that are there before the region, or after it");
    if (s->again) {
        sw_scene_legend(scene, SW_STYLE_BLOCK, 0, SW_PATTERN_INPUT, "computed a second time (with an edge)");
    }
    if (s->kept) {
        sw_scene_legend(scene, SW_STYLE_BLOCK, 0, SW_PATTERN_CONSTANT, "kept for a later strip");
    }
    sw_scene_legend_line(scene, SW_STYLE_STRONG, 0, SW_DASH_NONE, false, "read by the call");
}

/* Where the cursor is: at an operator of the model, or, once the run is about the changed one, at a call of it. The
 * first region where that is in none. */
static uint32_t region_at_cursor(const struct strips *s) {
    const struct sw_fit_program *program = &s->shown.program;
    const struct sw_fit_seen *seen = &s->seen;
    const uint32_t *operators = seen->result->variants[seen->looked->variant].base.operators;
    uint32_t cursor = seen->in->look.cursor;
    if (seen->sight.handed) {
        bool known = cursor < program->calls.count && seen->looked == seen->sight.chosen &&
                     program->calls.items[cursor].region != SW_NONE;
        return known ? program->calls.items[cursor].region : 0;
    }
    for (uint32_t r = 0; r < program->region_count; r++) {
        for (uint32_t op = program->regions[r].first; op <= program->regions[r].last; op++) {
            if (operators[op] == cursor) {
                return r;
            }
        }
    }
    return 0;
}

static void build_region_plots(struct strips *s, struct sw_box box) {
    uint32_t count = (uint32_t)s->shown.program.region_count;
    if (!sw_medium(s->seen.in)->still) {
        build_region(s, region_at_cursor(s), box);
        return;
    }
    uint32_t shown = SW_MIN(count, (uint32_t)MOST_REGIONS), columns = 1;
    while (columns * columns < shown && box.width / (columns + 1) >= 220) {
        columns++;
    }
    uint32_t rows = (shown + columns - 1) / columns;
    for (uint32_t r = 0; r < shown && !s->seen.scene->failed; r++) {
        struct sw_box one = {box.left + box.width / columns * (r % columns),
                             box.top + box.height / rows * (r / columns), box.width / columns, box.height / rows};
        build_region(s, r, one);
    }
}

static void build_trades_table(struct strips *s, struct sw_box box) {
    uint32_t count = (uint32_t)s->shown.program.region_count;
    bool still = sw_medium(s->seen.in)->still;
    struct sw_lines lines = sw_lines_begin(s->seen.in, s->seen.scene, "trades",
                                           still ? NULL : "regions, in the order in which they are taken", box, 2, 1);
    sw_lines_flow(&lines);
    sw_fit_add_trades(&s->seen, &lines, &s->shown, still ? SW_NONE : region_at_cursor(s));
    if (still && count > MOST_REGIONS) {
        sw_lines_textf(&lines, SW_STYLE_DIM, "The first %d regions are drawn.", MOST_REGIONS);
    }
}

static void strips_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct strips s = {0};
    double unit = sw_medium(in)->row;
    if (!sw_fit_seen(in, scene, &s.seen)) {
        sw_fit_say_nothing(in, scene, "strips", box);
        return;
    }
    if (s.seen.looked->region_count == 0) {
        struct sw_lines lines = sw_lines_begin(in, scene, "strips", "strips", box, 1, 0);
        sw_lines_text(&lines, SW_STYLE_DIM,
                      s.seen.looked == s.seen.as_is
                          ? "This is the model as it is: nothing of it is computed in strips."
                          : "This model is changed in other ways: nothing of it is computed in strips.");
        return;
    }
    if (!sw_fit_shown_open(&s.seen, &s.shown)) {
        return;
    }
    double each = sw_fit_trades_are_level(&s.seen, &s.shown, box.width) ? 1 : sw_medium(in)->fine ? 2 : 4;
    double rows = each * (double)s.shown.program.region_count + 1;
    double table = fmin(rows * unit, floor(box.height / unit * 0.35) * unit);
    table = box.height < 8 * unit ? 0 : table;
    build_region_plots(&s, (struct sw_box){box.left, box.top, box.width, box.height - table});
    if (table > 0) {
        build_trades_table(&s, (struct sw_box){box.left, box.top + box.height - table, box.width, table});
    }
    if (sw_medium(in)->legend) {
        add_strips_legend(&s);
    }
    sw_fit_shown_done(&s.shown);
}

const struct sw_view sw_view_strips = {
    .name = "strips",
    .summary = "which rows are alive at which call of the regions in strips",
    .of_fit = true,
    .scrolls = SW_SCROLLS_TEXT,
    .applies = sw_fit_applies,
    .build = strips_build,
};
