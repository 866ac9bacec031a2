/* Execution flow: a lane per core, its operators as bars, above each what it loads and below what it stores, and an
 * arrow for each synchronisation: an operator of one core that waits for one of another.
 *
 * The axis has the steps of the model, one operator each, as the map beside it. Cores run at the same time, however:
 * which of two operators of two cores comes first is only known where arrows and lanes lead from one to the other. What
 * is said of the operator at the cursor is true of all such runs. A block that is loaded without such a way from the
 * operator that stores it may be read too early, and is said to be. */
#include "view/map/map.h"
#include "view/scene/lines.h"

#include <math.h>

/* Parts of a lane, in rows of a terminal from its top: blank, loads, the bar, stores, blank. On paper as many tenths.
 */
enum { LEAST_LANE_ROWS = 6, BELOW = 9, MOST_ARROWS = 4000, MOST_FLOW_NAMES = 6 };

struct core_flow {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    struct sw_space space;
    uint32_t cores, operators;
    struct sw_map_hues hues; /* where parts are drawn */
    double row;              /* of a lane, in lanes */
    bool parts;              /* loads and stores have room */
    uint32_t waits;          /* synchronisations between cores */
    uint32_t arrows;         /* of which are drawn */
    uint32_t racing;         /* loads that nothing orders after their store */
};

static const char *core_name(const struct sw_problem *problem, uint32_t core) {
    const char *name = sw_problem_core(problem, core);
    return *name ? name : "the core";
}

/* Is the block loaded by this operator stored by one that may run later? */
static bool races(const struct sw_problem *problem, uint32_t step, uint32_t buffer) {
    uint32_t writer = sw_problem_producer(problem, buffer);
    return writer != SW_NONE && writer != step && !sw_problem_ordered(problem, writer, step);
}

static double lane_of(const struct core_flow *flow, uint32_t core) {
    return (double)flow->cores - 1 - core;
}

/* ---- marks ---- */

/* Blocks side by side over the width of the bar, or, where they have no room, one mark that says how many. */
static void add_flow_blocks(struct core_flow *flow, uint32_t step, const struct sw_ref *refs, uint32_t count,
                            double y0) {
    double x0 = sw_view_x(flow->in, step), x1 = sw_view_x(flow->in, step + 1.0), each = (x1 - x0) / count;
    struct sw_mark mark = {.kind = SW_MARK_RECT, .y0 = y0, .y1 = y0 + flow->row};
    if (count == 0) {
        return;
    }
    if (each * flow->space.x_scale < 2) {
        mark.style = SW_STYLE_MERGED;
        mark.pattern = 2;
        mark.x0 = x0;
        mark.x1 = x1;
        mark.hidden = count;
        mark.item = (struct sw_item){SW_ITEM_OPERATOR, step};
        sw_panel_mark(flow->scene, flow->panel, mark);
        return;
    }
    for (uint32_t i = 0; i < count && !flow->scene->failed; i++) {
        uint32_t b = refs[i].buffer;
        mark.style = b == flow->in->look.selected ? SW_STYLE_SELECTED : SW_STYLE_BLOCK;
        mark.hue = flow->hues.of[b];
        mark.x0 = x0 + i * each;
        mark.x1 = x0 + (i + 1) * each;
        mark.item = (struct sw_item){SW_ITEM_BUFFER, b};
        mark.labels = sw_scene_labels(flow->scene, sw_problem_buffer(flow->problem, b)->name);
        sw_panel_mark(flow->scene, flow->panel, mark);
    }
}

static void add_operator_bar(struct core_flow *flow, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(flow->problem, step);
    double lane = lane_of(flow, op->core), inset = flow->parts ? 2 * flow->row : flow->space.y_scale > 2 ? 0.1 : 0;
    bool now = step == flow->in->look.cursor && !sw_medium(flow->in)->still;
    struct sw_mark mark = sw_mark_over(SW_MARK_RECT, now ? SW_STYLE_CURRENT : SW_STYLE_BLOCK, sw_view_x(flow->in, step),
                                       sw_view_x(flow->in, step + 1.0), lane + inset, lane + 1 - inset);
    mark.hue = flow->cores > 1 ? (uint8_t)(op->core % SW_HUES) : SW_HUE_NEUTRAL;
    mark.item = (struct sw_item){SW_ITEM_OPERATOR, step};
    mark.labels = sw_scene_labels(flow->scene, op->name);
    sw_panel_mark(flow->scene, flow->panel, mark);
    if (flow->parts) {
        add_flow_blocks(flow, step, op->inputs, op->input_count, lane + 1 - 2 * flow->row);
        add_flow_blocks(flow, step, op->outputs, op->output_count, lane + flow->row);
    }
}

/* Operators that are too narrow to draw: how many begin in one column of marks, and how much of it they take. */
struct flow_column {
    double at;
    uint32_t count, first;
};

static void add_merged_operators(struct core_flow *flow, uint32_t core, const struct flow_column *column) {
    double width = 1 / flow->space.x_scale, x0 = flow->panel->x.lo + column->at * width, lane = lane_of(flow, core);
    double full = column->count * (sw_view_x(flow->in, 1) - sw_view_x(flow->in, 0)) / width;
    bool one = column->count == 1;
    struct sw_mark mark = sw_mark_over(SW_MARK_RECT, SW_STYLE_MERGED, x0, x0 + width, lane + 0.1, lane + 0.9);
    mark.pattern = (uint8_t)fmin(fmax(ceil(4 * full), 1), 4);
    mark.hidden = column->count;
    mark.item = (struct sw_item){one ? SW_ITEM_OPERATOR : SW_ITEM_MERGED, one ? column->first : column->count};
    if (column->count > 0) {
        sw_panel_mark(flow->scene, flow->panel, mark);
    }
}

static void add_lane(struct core_flow *flow, uint32_t core) {
    double width = 1 / flow->space.x_scale;
    bool merge = sw_view_x(flow->in, 1) - sw_view_x(flow->in, 0) < width;
    struct flow_column column = {.at = -1};
    for (uint32_t step = 0; step < flow->operators && !flow->scene->failed; step++) {
        double x0 = sw_view_x(flow->in, step), x1 = sw_view_x(flow->in, step + 1.0);
        if (sw_problem_operator(flow->problem, step)->core != core || x1 <= flow->panel->x.lo ||
            x0 >= flow->panel->x.hi) {
            continue;
        }
        if (!merge) {
            add_operator_bar(flow, step);
            continue;
        }
        double at = fmax(floor((x0 - flow->panel->x.lo) / width), 0);
        if (at > column.at) {
            add_merged_operators(flow, core, &column);
            column = (struct flow_column){.at = at, .first = step};
        }
        column.count++;
    }
    add_merged_operators(flow, core, &column);
}

/* Does an operator of the core run between the two? */
static bool busy_between(const struct core_flow *flow, uint32_t core, uint32_t earlier, uint32_t later) {
    for (uint32_t step = earlier + 1; step < later; step++) {
        if (sw_problem_operator(flow->problem, step)->core == core) {
            return true;
        }
    }
    return false;
}

/* From the end of one bar across the lanes, then along the other lane to the start of the other bar: over its middle,
 * or, where a bar would be in the way, over the blank part at its edge. */
static void add_arrow(struct core_flow *flow, uint32_t earlier, uint32_t later, bool race) {
    uint32_t a = sw_problem_operator(flow->problem, earlier)->core, b = sw_problem_operator(flow->problem, later)->core;
    bool cells = !sw_medium(flow->in)->still;
    double edge = flow->parts ? flow->row / 2 : 0.05, into = a < b ? 1 - edge : edge;
    into = !cells && !busy_between(flow, b, earlier, later) ? 0.5 : into;
    struct sw_mark mark = sw_mark_over(SW_MARK_ARROW, race ? SW_STYLE_WARNING : SW_STYLE_TRANSFER,
                                       sw_view_x(flow->in, earlier + (cells ? 0.999 : 1.0)),
                                       sw_view_x(flow->in, later + (cells ? 0.001 : 0.0)),
                                       lane_of(flow, a) + (!cells  ? 0.5
                                                           : a < b ? edge
                                                                   : 1 - edge),
                                       lane_of(flow, b) + into);
    flow->arrows++;
    if (!cells && mark.x1 > mark.x0) { /* a terminal draws arrows so by itself */
        struct sw_mark down = mark;
        down.kind = SW_MARK_LINE;
        down.x1 = down.x0;
        sw_panel_mark(flow->scene, flow->panel, down);
        mark.y0 = mark.y1;
    }
    sw_panel_mark(flow->scene, flow->panel, mark);
}

static void add_arrows(struct core_flow *flow) {
    bool room = flow->space.x_scale * (sw_view_x(flow->in, 1) - sw_view_x(flow->in, 0)) >= 1;
    for (uint32_t step = 0; step < flow->operators && !flow->scene->failed; step++) {
        const struct sw_operator *op = sw_problem_operator(flow->problem, step);
        for (uint32_t i = 0; i < op->after_count; i++) {
            if (sw_problem_operator(flow->problem, op->after[i])->core == op->core) {
                continue;
            }
            flow->waits++;
            if (room && flow->arrows < MOST_ARROWS) {
                add_arrow(flow, op->after[i], step, false);
            }
        }
        for (uint32_t i = 0; i < op->input_count; i++) {
            if (races(flow->problem, step, op->inputs[i].buffer)) {
                flow->racing++;
                if (room && flow->arrows < MOST_ARROWS) {
                    add_arrow(flow, sw_problem_producer(flow->problem, op->inputs[i].buffer), step, true);
                }
            }
        }
    }
}

/* ---- the operator at the cursor ---- */

/* Names one after the other, at most a few; the others are counted. */
struct flow_names {
    const char *text;
    uint32_t count;
};

static void add_flow_name(struct sw_scene *scene, struct flow_names *names, const char *name) {
    if (names->count < MOST_FLOW_NAMES) {
        names->text = sw_scene_printf(scene, "%s%s%s", names->count ? names->text : "", names->count ? ", " : "", name);
    }
    names->count++;
}

static void say_names(struct sw_lines *lines, enum sw_style style, const char *what, const struct flow_names *names) {
    const char *more = names->count > MOST_FLOW_NAMES
                           ? sw_scene_printf(lines->scene, " and %u more", names->count - MOST_FLOW_NAMES)
                           : "";
    if (names->count > 0) {
        sw_lines_textf(lines, style, "%s %s%s", what, names->text, more);
    }
}

static const char *operator_on_core(const struct sw_lines *lines, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(lines->problem, step);
    return sw_scene_printf(lines->scene, "%s on %s", sw_view_operator_name(lines->in, lines->scene, step, 24),
                           core_name(lines->problem, op->core));
}

static void say_loads(struct sw_lines *lines, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(lines->problem, step);
    struct flow_names loads = {0}, stores = {0}, racing = {0};
    for (uint32_t i = 0; i < op->input_count; i++) {
        uint32_t b = op->inputs[i].buffer, writer = sw_problem_producer(lines->problem, b);
        const char *size = sw_lines_bytes(lines, sw_problem_buffer(lines->problem, b)->size);
        bool away = writer != SW_NONE && sw_problem_operator(lines->problem, writer)->core != op->core;
        add_flow_name(
            lines->scene, &loads,
            sw_scene_printf(lines->scene, "%s (%s%s)", sw_lines_buffer(lines, b), size,
                            away ? sw_scene_printf(lines->scene, ", stored by %s", operator_on_core(lines, writer))
                                 : ""));
        if (races(lines->problem, step, b)) {
            add_flow_name(lines->scene, &racing, sw_lines_buffer(lines, b));
        }
    }
    for (uint32_t i = 0; i < op->output_count; i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, op->outputs[i].buffer);
        add_flow_name(lines->scene, &stores,
                      sw_scene_printf(lines->scene, "%s (%s)", sw_lines_buffer(lines, op->outputs[i].buffer),
                                      sw_lines_bytes(lines, buffer->size)));
    }
    say_names(lines, SW_STYLE_TEXT, "loads", &loads);
    say_names(lines, SW_STYLE_TEXT, "stores", &stores);
    say_names(lines, SW_STYLE_WARNING, "no synchronisation orders its loads after their stores:", &racing);
}

static void say_order(struct sw_lines *lines, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(lines->problem, step);
    struct flow_names waits = {0}, beside = {0};
    for (uint32_t i = 0; i < op->after_count; i++) {
        add_flow_name(lines->scene, &waits, operator_on_core(lines, op->after[i]));
    }
    for (uint32_t other = 0; other < sw_problem_operator_count(lines->problem); other++) {
        if (other != step && !sw_problem_ordered(lines->problem, other, step) &&
            !sw_problem_ordered(lines->problem, step, other)) {
            if (beside.count < MOST_FLOW_NAMES) {
                add_flow_name(lines->scene, &beside, operator_on_core(lines, other));
            } else {
                beside.count++;
            }
        }
    }
    say_names(lines, SW_STYLE_TEXT, "waits for", &waits);
    say_names(lines, SW_STYLE_DIM, "not ordered with", &beside);
}

static void say_cursor(const struct core_flow *flow, struct sw_box box) {
    uint32_t step = sw_lines_cursor(flow->in);
    struct sw_lines lines = sw_lines_begin(flow->in, flow->scene, "flow-operator", "operator", box, 1, 0);
    if (step >= flow->operators) {
        sw_lines_text(&lines, SW_STYLE_DIM, "No operator runs at the cursor.");
        return;
    }
    lines.panel->title = sw_scene_printf(flow->scene, "%s, %s", operator_on_core(&lines, step),
                                         sw_view_when(flow->in, flow->scene, step));
    say_loads(&lines, step);
    say_order(&lines, step);
}

/* ---- together ---- */

static const char *flow_title(const struct core_flow *flow) {
    const char *text = sw_scene_printf(flow->scene, "flow: %u core%s, %s, %s", flow->cores, flow->cores == 1 ? "" : "s",
                                       sw_scene_counted(flow->scene, flow->operators, "operator"),
                                       sw_scene_counted(flow->scene, flow->waits, "synchronisation"));
    if (flow->racing > 0) {
        text = sw_scene_printf(flow->scene, "%s, %u load%s not ordered after %s store", text, flow->racing,
                               flow->racing == 1 ? "" : "s", flow->racing == 1 ? "its" : "their");
    }
    uint32_t all = flow->waits + flow->racing;
    return flow->arrows < all
               ? sw_scene_printf(flow->scene, "%s; %s not drawn, zoom in", text, SW_COUNT(all - flow->arrows))
               : text;
}

static void add_flow_legend(const struct core_flow *flow) {
    if (sw_medium(flow->in)->legend && flow->arrows > 0) {
        sw_scene_legend(flow->scene, SW_STYLE_TRANSFER, 0, 0, "waits for");
    }
    if (flow->parts && sw_medium(flow->in)->still) {
        sw_scene_caption(flow->scene, "Above each operator stands what it loads, below it what it stores.");
    }
}

static void flow_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    struct core_flow flow = {.in = in,
                             .scene = scene,
                             .problem = problem,
                             .cores = sw_problem_core_count(problem),
                             .operators = sw_problem_operator_count(problem)};
    if (flow.operators == 0) {
        struct sw_lines lines = sw_lines_begin(in, scene, "flow", "flow", box, 1, 0);
        sw_lines_text(&lines, SW_STYLE_DIM, "This is a list of buffers: it names no operators.");
        return;
    }
    bool cells = !sw_medium(in)->still;
    double below = cells && box.height >= 14 ? fmin(BELOW, floor(box.height / 3)) : 0;
    flow.panel = sw_scene_panel(scene, SW_PANEL_PLOT, "flow");
    struct sw_panel *panel = flow.panel;
    panel->title = "flow"; /* so that there is room for it */
    sw_view_place(in, scene, panel, (struct sw_box){box.left, box.top, box.width, box.height - below}, true);
    panel->y.lo = 0;
    panel->y.hi = flow.cores;
    panel->tier = SW_NONE;
    flow.space = sw_view_space(in, panel);
    double rows = cells ? floor(panel->body_height / flow.cores) : 10;
    flow.parts = rows >= LEAST_LANE_ROWS && (cells || panel->body_height / flow.cores > 40);
    flow.row = 1 / fmax(rows, 1);
    flow.parts = flow.parts && sw_map_hues(in, scene, &flow.hues);
    for (uint32_t core = 0; core < flow.cores && !scene->failed; core++) {
        add_lane(&flow, core);
        struct sw_tick tick = {lane_of(&flow, core) + 0.5,
                               sw_scene_printf(scene, "%s", sw_problem_core(problem, core))};
        scene->failed |= !SW_PUSH(&panel->y.ticks, tick);
    }
    add_arrows(&flow);
    panel->title = flow_title(&flow);
    add_flow_legend(&flow);
    if (flow.parts) {
        sw_map_hues_legend(in, scene, &flow.hues);
    }
    if (below > 0 && !scene->failed) {
        say_cursor(&flow, (struct sw_box){box.left, box.top + box.height - below, box.width, below});
    }
}

static bool flow_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    return sw_problem_core_count(sw_search_problem(search)) > 1;
}

const struct sw_view sw_view_flow = {
    .name = "flow",
    .summary = "operators on cores, loads and stores, what waits for what",
    .takes = SW_TAKES_TIME | SW_TAKES_BUFFER,
    .applies = flow_applies,
    .build = flow_build,
};
