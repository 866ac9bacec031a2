/* The block diagram of a model on several cores: a lane per core, a column per operator, and behind each operator the
 * blocks that it writes. Arrows lead from a block to the operators that read it, also on other cores, where a
 * concatenation brings them together; dashed lines are synchronisations. */
#include "view/map/map.h"
#include "view/scene/lines.h"

#include <math.h>

/* Of a lane: where boxes begin and end, and how far apart they are. What waits for what is drawn between lanes. */
#define DIAGRAM_FOOT 0.16
#define DIAGRAM_TOP 0.84
#define DIAGRAM_APART 0.06

struct block_diagram {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    uint32_t cores, first, end; /* operators that are shown: [first, end) */
    double inputs;              /* columns at the left, for what is there at first: 1, or 0 where nothing is */
    struct sw_map_hues hues;
    uint32_t *slots;          /* per buffer: its place among those of its column and lane */
    uint32_t *outside;        /* per core: blocks that no operator in sight writes */
    bool reads, waits;        /* such arrows and lines are drawn */
    struct sw_panel scrolled; /* which of the operators are shown */
};

static bool is_drawn(const struct block_diagram *d, uint32_t step) {
    return step >= d->first && step < d->end;
}

static double diagram_lane(const struct block_diagram *d, uint32_t step) {
    return (double)d->cores - 1 - sw_problem_operator(d->problem, step)->core;
}

/* Its operator, where that is in sight. */
static uint32_t drawn_writer(const struct block_diagram *d, uint32_t b) {
    uint32_t writer = sw_problem_producer(d->problem, b);
    return writer != SW_NONE && is_drawn(d, writer) ? writer : SW_NONE;
}

/* The operator that first reads a block; SW_NONE: there is none in sight. */
static uint32_t reader_of(const struct block_diagram *d, uint32_t b) {
    const struct sw_buffer *buffer = sw_problem_buffer(d->problem, b);
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        if (is_drawn(d, buffer->accesses[i])) {
            return buffer->accesses[i];
        }
    }
    return SW_NONE;
}

struct diagram_place {
    bool there;
    double x0, x1, y0, y1;
};

/* Blocks stand one above the other, in the right half of the column of the operator that writes them, or at the left.
 */
static struct diagram_place block_place(const struct block_diagram *d, uint32_t b) {
    struct diagram_place at = {0};
    uint32_t writer = drawn_writer(d, b);
    bool outside = writer == SW_NONE;
    uint32_t op = outside ? reader_of(d, b) : writer;
    if (op == SW_NONE || !sw_problem_buffer(d->problem, b)->planned) {
        return at;
    }
    uint32_t count = outside ? d->outside[sw_problem_operator(d->problem, op)->core]
                             : sw_problem_operator(d->problem, op)->output_count;
    double each = (DIAGRAM_TOP - DIAGRAM_FOOT + DIAGRAM_APART) / fmax(count, 1);
    at.there = true;
    at.x0 = outside ? d->first - 0.95 : op + 0.48;
    at.x1 = outside ? d->first - 0.2 : op + 0.86;
    at.y1 = diagram_lane(d, op) + DIAGRAM_TOP - d->slots[b] * each;
    at.y0 = at.y1 - fmax(each - DIAGRAM_APART, each * 0.8);
    return at;
}

static bool fill_slots(struct block_diagram *d) {
    uint32_t buffers = sw_problem_buffer_count(d->problem);
    d->slots = sw_arena_new(&d->scene->arena, buffers + 1, sizeof *d->slots);
    d->outside = sw_arena_new(&d->scene->arena, d->cores + 1, sizeof *d->outside);
    d->inputs = 0;
    if (!d->slots || !d->outside) {
        d->scene->failed = true;
        return false;
    }
    for (uint32_t step = d->first; step < d->end; step++) {
        const struct sw_operator *op = sw_problem_operator(d->problem, step);
        for (uint32_t i = 0; i < op->output_count; i++) {
            d->slots[op->outputs[i].buffer] = i;
        }
    }
    for (uint32_t b = 0; b < buffers; b++) {
        uint32_t op = drawn_writer(d, b) == SW_NONE ? reader_of(d, b) : SW_NONE;
        if (op != SW_NONE && sw_problem_buffer(d->problem, b)->planned) {
            d->slots[b] = d->outside[sw_problem_operator(d->problem, op)->core]++;
            d->inputs = 1;
        }
    }
    return true;
}

static void diagram_box(struct block_diagram *d, enum sw_mark_kind kind, enum sw_style style, struct diagram_place at,
                        struct sw_item item, unsigned hue, const char *const *labels) {
    struct sw_mark mark = sw_mark_over(kind, style, at.x0, at.x1, at.y0, at.y1);
    mark.item = item;
    mark.hue = (uint8_t)hue;
    mark.labels = labels;
    sw_panel_mark(d->scene, d->panel, mark);
}

static void draw_diagram_block(struct block_diagram *d, uint32_t b) {
    struct diagram_place at = block_place(d, b);
    const struct sw_buffer *buffer = sw_problem_buffer(d->problem, b);
    const char *bytes = sw_view_bytes(d->in, d->scene, buffer->size);
    if (at.there) {
        diagram_box(d, SW_MARK_RECT, b == d->in->look.selected ? SW_STYLE_SELECTED : SW_STYLE_BLOCK, at,
                    (struct sw_item){SW_ITEM_BUFFER, b}, d->hues.of[b],
                    SW_LABELS(d->scene, sw_scene_printf(d->scene, "%s, %s", buffer->name, bytes),
                              sw_scene_clean(d->scene, buffer->name), ""));
    }
}

static void draw_diagram_operator(struct block_diagram *d, uint32_t step) {
    double lane = diagram_lane(d, step);
    struct diagram_place at = {true, step + 0.06, step + 0.42, lane + DIAGRAM_FOOT, lane + DIAGRAM_TOP};
    bool fine = sw_medium(d->in)->fine; /* in cells the name stands above */
    const struct sw_operator *op = sw_problem_operator(d->problem, step);
    bool now = step == d->in->look.cursor && !sw_medium(d->in)->still;
    diagram_box(d, SW_MARK_FRAME, now ? SW_STYLE_CURRENT : SW_STYLE_STRONG, at,
                (struct sw_item){SW_ITEM_OPERATOR, step}, 0, fine ? sw_scene_labels(d->scene, op->name) : NULL);
    if (!fine) {
        sw_view_point(d->scene, d->panel, SW_STYLE_TEXT, step + 0.1, at.y1, sw_scene_labels(d->scene, op->name));
    }
    for (uint32_t i = 0; i < op->output_count && !d->scene->failed; i++) {
        struct diagram_place out = block_place(d, op->outputs[i].buffer);
        if (out.there) {
            sw_panel_mark(
                d->scene, d->panel,
                sw_mark_over(SW_MARK_LINE, SW_STYLE_TRANSFER, at.x1, out.x0, lane + 0.5, (out.y0 + out.y1) / 2));
        }
    }
}

static void diagram_piece(struct block_diagram *d, enum sw_mark_kind kind, uint32_t b, double x0, double y0, double x1,
                          double y1) {
    struct sw_mark mark = sw_mark_over(kind, SW_STYLE_TRANSFER, x0, x1, y0, y1);
    mark.item = (struct sw_item){SW_ITEM_BUFFER, b};
    sw_panel_mark(d->scene, d->panel, mark);
}

/* Does another operator stand between them, on the same core? */
static bool is_behind_others(const struct block_diagram *d, uint32_t b, uint32_t step) {
    uint32_t writer = drawn_writer(d, b), from = writer == SW_NONE ? d->first : writer + 1;
    uint32_t core = sw_problem_operator(d->problem, step)->core;
    bool level = sw_problem_operator(d->problem, writer == SW_NONE ? reader_of(d, b) : writer)->core == core;
    for (; level && from < step && sw_problem_operator(d->problem, from)->core != core; from++) {
    }
    return level && from < step;
}

/* From the block to the operator that reads it: on paper above what stands between them. */
static void draw_read(struct block_diagram *d, uint32_t b, uint32_t step, double y) {
    struct diagram_place from = block_place(d, b);
    double middle = (from.y0 + from.y1) / 2, lane = diagram_lane(d, step), high = lane + 0.93, x = from.x1 + 0.06;
    if (!sw_medium(d->in)->fine || !is_behind_others(d, b, step)) {
        diagram_piece(d, SW_MARK_ARROW, b, from.x1, middle, step + 0.06, y);
        return;
    }
    diagram_piece(d, SW_MARK_LINE, b, from.x1, middle, x, middle);
    diagram_piece(d, SW_MARK_LINE, b, x, middle, x, high);
    diagram_piece(d, SW_MARK_LINE, b, x, high, step + 0.24, high);
    diagram_piece(d, SW_MARK_ARROW, b, step + 0.24, high, step + 0.24, lane + DIAGRAM_TOP);
}

/* What the operator reads, and what it waits for on another core. */
static void draw_diagram_arrows(struct block_diagram *d, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(d->problem, step);
    double lane = diagram_lane(d, step);
    for (uint32_t i = 0; i < op->input_count && !d->scene->failed; i++) {
        double y = lane + 0.5 + ((op->input_count - 1) / 2.0 - i) * 0.3 / op->input_count;
        if (block_place(d, op->inputs[i].buffer).there) {
            draw_read(d, op->inputs[i].buffer, step, y);
            d->reads = true;
        }
    }
    for (uint32_t i = 0; i < op->after_count && !d->scene->failed; i++) {
        uint32_t before = op->after[i];
        if (sw_problem_operator(d->problem, before)->core != op->core && is_drawn(d, before)) {
            double y = diagram_lane(d, before), edge = y > lane ? DIAGRAM_FOOT : DIAGRAM_TOP;
            struct sw_mark line =
                sw_mark_over(SW_MARK_LINE, SW_STYLE_BOUND, before + 0.24, step + 0.24, y + edge, lane + 1 - edge);
            line.pattern = 1;
            sw_panel_mark(d->scene, d->panel, line);
            d->waits = true;
        }
    }
}

static void draw_diagram(struct block_diagram *d) {
    uint32_t buffers = sw_problem_buffer_count(d->problem);
    for (uint32_t step = d->first; step < d->end && !d->scene->failed; step++) {
        draw_diagram_arrows(d, step);
    }
    for (uint32_t step = d->first; step < d->end && !d->scene->failed; step++) {
        draw_diagram_operator(d, step);
    }
    for (uint32_t b = 0; b < buffers && !d->scene->failed; b++) {
        draw_diagram_block(d, b);
    }
    for (uint32_t core = 0; core < d->cores; core++) {
        const char *name = sw_problem_core(d->problem, core);
        struct sw_tick tick = {d->cores - 0.5 - core, sw_view_gutter_name(d->in, d->scene, *name ? name : "core")};
        d->scene->failed |= !SW_PUSH(&d->panel->y.ticks, tick);
    }
}

/* Operators in one row; false: nothing is drawn. */
static bool draw_diagram_row(struct block_diagram *d, struct sw_box box, const char *title) {
    const struct sw_medium *medium = sw_medium(d->in);
    if (!fill_slots(d)) {
        return false;
    }
    d->panel = sw_scene_panel(d->scene, SW_PANEL_PLOT, "block-diagram");
    d->panel->title = title;
    sw_view_place_count(d->in, d->scene, d->panel, box, "step", d->first - d->inputs, d->end);
    size_t kept = 0;
    for (size_t i = 0; i < d->panel->x.ticks.count; i++) { /* before the first step stands what is there at first */
        if (d->panel->x.ticks.items[i].at >= d->first) {
            d->panel->x.ticks.items[kept++] = d->panel->x.ticks.items[i];
        }
    }
    d->panel->x.ticks.count = kept;
    d->panel->x.title = "step";
    d->panel->tier = SW_NONE;
    sw_view_scrolled(d->panel, &d->scrolled);
    if (medium->fine) { /* no labels of lines stand at the right */
        d->panel->body_width += medium->right - 40;
    }
    d->panel->y.lo = 0;
    d->panel->y.hi = d->cores;
    draw_diagram(d);
    return !d->scene->failed;
}

static void block_diagram_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_medium *medium = sw_medium(in);
    struct block_diagram d = {.in = in,
                              .scene = scene,
                              .problem = sw_search_problem(in->run.search),
                              .cores = sw_problem_core_count(sw_search_problem(in->run.search))};
    uint32_t operators = sw_problem_operator_count(d.problem);
    if (operators == 0) {
        struct sw_lines lines = sw_lines_begin(in, scene, "block-diagram", "block diagram", box, 1, 0);
        sw_lines_text(&lines, SW_STYLE_DIM, "This is a list of buffers: it names no operators.");
        return;
    }
    /* Where lanes are low, names are level and need wider columns. On paper rows of operators fill the page. */
    double frame = medium->heading + medium->ticks, most = medium->fine ? 190 : 12;
    double each = !medium->fine ? 18 : (box.height - frame) / d.cores < 60 ? 124 : 62;
    double columns = floor((box.width - medium->gutter - (medium->fine ? 40 : 0)) / each) - 1;
    uint32_t room = (uint32_t)fmax(columns, 1), from = (uint32_t)fmax(floor(in->look.viewport.time_lo), 0);
    from = from < operators ? from : operators - 1;
    uint32_t until = (uint32_t)fmin(fmax(ceil(in->look.viewport.time_hi), from + 1.0), operators);
    if (!medium->still) { /* the cursor is in sight, or what was scrolled to */
        uint32_t cursor = in->look.cursor < operators ? in->look.cursor : from;
        bool seen = cursor >= from && cursor < from + room;
        from = seen ? from : cursor > room / 2 ? cursor - room / 2 : 0;
        from = (uint32_t)sw_view_first(&d.scrolled, in->look.scroll, from, operators, room);
        until = operators;
    }
    uint32_t wanted = (until - from + room - 1) / room;
    double rows =
        medium->still ? fmax(floor((box.height + medium->gap) / (frame + 100.0 * d.cores + medium->gap)), 1) : 1;
    uint32_t row_count = rows < wanted ? (uint32_t)rows : wanted, shown = until - from;
    shown = shown < row_count * room ? shown : row_count * room;
    uint32_t in_row = (shown + row_count - 1) / row_count;
    double height = floor((box.height - (row_count - 1) * medium->gap) / row_count);
    height = fmin(height, most * d.cores + frame);
    const char *title = sw_scene_printf(scene, "block diagram: %s, %s", sw_scene_counted(scene, d.cores, "core"),
                                        sw_scene_counted(scene, operators, "operator"));
    if (medium->legend) {
        sw_scene_legend(scene, SW_STYLE_STRONG, 0, 0, "operator");
    }
    sw_map_hues(in, scene, &d.hues);
    for (d.first = from; d.first < from + shown && !scene->failed; d.first = d.end) {
        d.end = d.first + in_row < from + shown ? d.first + in_row : from + shown;
        const char *steps = sw_scene_printf(scene, "steps %u to %u", d.first, d.end - 1);
        bool all = d.end - d.first == operators;
        draw_diagram_row(&d, sw_box_take(&box, height),
                         all               ? title
                         : d.first == from ? sw_scene_printf(scene, "%s, %s", title, steps)
                                           : steps);
        sw_box_take(&box, medium->gap);
    }
    sw_map_hues_legend(in, scene, &d.hues);
    if (medium->legend && d.reads) {
        sw_scene_legend(scene, SW_STYLE_TRANSFER, 0, 0, "reads");
    }
    if (medium->legend && d.waits) {
        sw_scene_legend_line(scene, SW_STYLE_BOUND, 0, SW_DASH_LONG, false, "waits for another core");
    }
}

static bool block_diagram_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    return sw_problem_core_count(sw_search_problem(search)) > 1;
}

const struct sw_view sw_view_block_diagram = {
    .name = "block-diagram",
    .summary = "blocks on their cores: what writes and reads them",
    .takes = SW_TAKES_TIME | SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .applies = block_diagram_applies,
    .build = block_diagram_build,
};
