/* What the memory traffic costs at each step, tier upon tier, and where nothing has a price, what
 * is moved. */
#include "view/scene/lines.h"
#include "base/base.h"

enum { LEAST_COST_PLOT = 9 }; /* rows: below that the table alone */

static double cost_at(const struct sw_costs *costs, uint32_t step, uint32_t column) {
    return costs->grid[(size_t)step * costs->columns + column];
}

static double sum_at(const struct sw_costs *costs, uint32_t step) {
    double sum = 0;
    for (uint32_t c = 0; c < costs->columns; c++) {
        sum += cost_at(costs, step, c);
    }
    return sum;
}

static const char *cost_column_name(const struct sw_problem *problem, uint32_t column) {
    return column < sw_problem_tier_count(problem) ? sw_problem_tier(problem, column)->name : SW_HOST_NAME;
}

/* "161.125", or "18K": what it costs, or what is moved. */
static const char *cost_figure(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_costs *costs,
                               double value) {
    return costs->kind != SW_COSTS_PRICED   ? sw_view_said_bytes(in, scene, (uint64_t)value)
           : value >= 1e6 && value < 0x1p63 ? sw_scene_printf(scene, "%s", SW_COUNT((uint64_t)(value + 0.5)))
                                            : sw_scene_printf(scene, "%.6g", value);
}

/* ---- bars ---- */

/* Never plain: a tier is known by its hatching, too. */
static unsigned tier_pattern(uint32_t column) {
    return SW_PATTERN_INPUT + column % (SW_PATTERN_COUNT - 1);
}

static void draw_stack(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                       const struct sw_costs *costs, uint32_t step, double from, double to) {
    double below = 0;
    for (uint32_t c = 0; c < costs->columns; c++) {
        double value = cost_at(costs, step, c);
        if (value > 0) {
            struct sw_mark *mark = sw_panel_mark(scene, panel,
                                                 sw_mark_over(SW_MARK_RECT, SW_STYLE_BLOCK, sw_view_x(in, from),
                                                              sw_view_x(in, to), below, below + value));
            mark->hue = (uint8_t)(c % SW_HUES);
            mark->pattern = (uint8_t)tier_pattern(c);
            mark->item = (struct sw_item){SW_ITEM_STEP, step};
            below += value;
        }
    }
}

/* One bar per step; where steps are finer than marks, one per mark, of the dearest of its steps. */
static void draw_cost_bars(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                           const struct sw_costs *costs) {
    double lo = floor(fmax(in->look.viewport.time_lo, 0)), hi = fmin(in->look.viewport.time_hi, costs->steps);
    double columns = sw_view_space(in, panel).columns;
    double wide = fmax((in->look.viewport.time_hi - in->look.viewport.time_lo) / columns, 1);
    for (double from = lo; from < hi && !scene->failed; from += wide) {
        double to = fmin(from + wide, hi), most = 0;
        uint32_t dearest = (uint32_t)from;
        for (uint32_t step = (uint32_t)ceil(from); step < to; step++) {
            double sum = sum_at(costs, step);
            if (sum > most) {
                most = sum;
                dearest = step;
            }
        }
        if (most > 0) {
            draw_stack(in, scene, panel, costs, dearest, from, to);
        }
    }
}

static const char *kind_words(const struct sw_costs *costs) {
    return costs->kind == SW_COSTS_PRICED ? "memory cost" : "bytes moved";
}

static void draw_cost_plot(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                           const struct sw_costs *costs) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "cost");
    double span = in->look.viewport.time_hi - in->look.viewport.time_lo;
    panel->title = kind_words(costs);
    sw_view_place(in, scene, panel, box, true);
    bool merged = span > sw_view_space(in, panel).columns;
    panel->title =
        sw_scene_printf(scene, "%s at each step%s", kind_words(costs), merged ? ", the dearest of each column" : "");
    double hi = fmax(costs->most, 1e-9) * 1.04;
    if (costs->kind == SW_COSTS_MOVED) {
        sw_view_bytes_axis(in, scene, panel, 0, hi);
    } else {
        sw_view_number_axis(in, scene, panel, 0, hi);
        panel->y.title = sw_medium(in)->axis_titles ? "E" : NULL;
    }
    draw_cost_bars(in, scene, panel, costs);
    sw_view_mark_cursor(in, scene, panel);
    for (uint32_t c = 0; c < costs->columns && sw_medium(in)->legend; c++) {
        if (costs->by_column[c] <= 0) {
            continue;
        }
        sw_scene_legend(scene, SW_STYLE_BLOCK, c % SW_HUES, tier_pattern(c),
                        cost_column_name(sw_search_problem(in->run.search), c));
    }
}

/* In a terminal the legend is a row of bars, as wide as each other. */
static void draw_cost_legend(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                             const struct sw_costs *costs) {
    double gutter = box.width >= 32 ? 7 : 0; /* as the plot's */
    struct sw_panel *panel = sw_view_legend_row(scene, "cost-legend", box, gutter, costs->columns);
    for (uint32_t c = 0; c < costs->columns; c++) {
        struct sw_mark *mark = sw_panel_mark(scene, panel, sw_mark_over(SW_MARK_RECT, SW_STYLE_BLOCK, c, c + 1, 0, 1));
        mark->hue = (uint8_t)(c % SW_HUES);
        mark->pattern = (uint8_t)tier_pattern(c);
        mark->item = (struct sw_item){SW_ITEM_STEP, in->look.cursor};
        mark->labels = sw_scene_labels(scene, cost_column_name(sw_search_problem(in->run.search), c));
    }
}

/* ---- the table ---- */

static const struct sw_lines_head cost_heads[] = {
    {"tier", false}, {"in all", true}, {"share", true}, {"at this step", true}};
enum { COST_COLUMNS = sizeof cost_heads / sizeof *cost_heads };

static const char *total_line(struct sw_lines *lines, const struct sw_costs *costs) {
    const char *total = costs->kind == SW_COSTS_PRICED /* as `plan` has it */
                            ? sw_scene_printf(lines->scene, "%s", SW_NUMBER(costs->total))
                            : cost_figure(lines->in, lines->scene, costs, costs->total);
    struct sw_claims claims;
    sw_search_claims(lines->search, &claims);
    uint64_t at_step = sw_search_at(lines->search);
    bool whole = sw_layout_placed_count(lines->layout) == sw_problem_planned_count(lines->problem);
    const char *so_far = whole || claims.no_addresses || at_step == 0 ? "" : ", of what is placed so far";
    const char *counted =
        claims.has_migration && (double)claims.migration_bytes < costs->total
            ? sw_scene_printf(lines->scene, ", of which migration counts %s",
                              cost_figure(lines->in, lines->scene, costs, (double)claims.migration_bytes))
            : "";
    return costs->kind == SW_COSTS_MOVED
               ? sw_scene_printf(lines->scene,
                                 "%s moved between tiers%s%s; nothing has a bandwidth, so there is no cost E", total,
                                 so_far, counted)
           : costs->whole ? sw_scene_printf(lines->scene,
                                            "E = %s%s, by a model that prices layouts as a whole; "
                                            "the parts are by its rule for one access",
                                            total, so_far)
                          : sw_scene_printf(lines->scene, "E = %s%s", total, so_far);
}

/* What the step under the cursor costs, in words. */
static const char *cursor_line(struct sw_lines *lines, const struct sw_costs *costs, uint32_t step) {
    double sum = sum_at(costs, step), all = costs->parts;
    const char *text =
        sw_scene_printf(lines->scene, "%s: %s, %s of all", sw_lines_when(lines, step),
                        cost_figure(lines->in, lines->scene, costs, sum), SW_PERCENT(all > 0 ? sum / all : 0, false));
    return costs->dearest == step ? sw_scene_printf(lines->scene, "%s; no step has more", text)
                                  : sw_scene_printf(lines->scene, "%s; most: %s at %s", text,
                                                    cost_figure(lines->in, lines->scene, costs, costs->most),
                                                    sw_lines_when(lines, costs->dearest));
}

static void add_cost_row(struct sw_lines *lines, const struct sw_costs *costs, uint32_t c, uint32_t step) {
    double sum = costs->by_column[c], all = costs->parts;
    sw_lines_row(lines, SW_NO_ITEM, false);
    enum sw_style style = sum > 0 ? SW_STYLE_TEXT : SW_STYLE_DIM;
    const char *prefix = costs->kind == SW_COSTS_MOVED ? "to " : "";
    sw_lines_cellf(lines, style, false, "%s%s", prefix, cost_column_name(lines->problem, c));
    sw_lines_cell(lines, style, true, cost_figure(lines->in, lines->scene, costs, sum));
    sw_lines_cellf(lines, style, true, "%s", SW_PERCENT(all > 0 ? sum / all : 0, false));
    sw_lines_cell(lines, style, true, cost_figure(lines->in, lines->scene, costs, cost_at(costs, step, c)));
}

static void add_cost_table(struct sw_lines *lines, const struct sw_costs *costs) {
    uint32_t step = lines->in->look.cursor < costs->steps ? lines->in->look.cursor : costs->dearest;
    sw_lines_text(lines, SW_STYLE_STRONG, total_line(lines, costs));
    if (step >= costs->steps) {
        return;
    }
    sw_lines_text(lines, SW_STYLE_TEXT, cursor_line(lines, costs, step));
    if (lines->panel->rows.count + costs->columns < lines->rows) {
        sw_lines_head_row(lines, cost_heads, COST_COLUMNS);
    }
    for (uint32_t c = 0; c < costs->columns; c++) {
        add_cost_row(lines, costs, c, step);
    }
}

static const char *why_nothing(struct sw_lines *lines, const struct sw_costs *costs) {
    const char *missing = sw_problem_accesses_known(lines->problem)
                              ? "no tier has a bandwidth or a latency"
                              : "the input does not say when buffers are accessed";
    if (costs->fault[0]) {
        return costs->fault;
    }
    return sw_scene_printf(lines->scene, "There is no cost to show: %s, and this layout moves nothing between tiers.",
                           missing);
}

/* ---- both ---- */

static void build_costs(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                        const struct sw_costs *costs) {
    double unit = sw_medium(in)->row;
    double table = (costs->columns + (sw_medium(in)->legend ? 5 : 6)) * unit;
    table = fmin(table, fmax(floor(box.height / unit / 2), 1) * unit);
    if (costs->kind != SW_COSTS_NONE && box.height >= (sw_medium(in)->still ? 5 : LEAST_COST_PLOT) * unit) {
        double legend = sw_medium(in)->legend ? 0 : 1;
        double high = sw_page_plot_height(in, box.height, box.height - table - legend);
        draw_cost_plot(in, scene, sw_box_take(&box, high), costs);
        if (box.height <= 0) {
            return;
        }
        if (legend > 0) {
            draw_cost_legend(in, scene, sw_box_take(&box, legend), costs);
        }
        box.height = fmin(table, box.height);
    }
    struct sw_lines lines = sw_lines_begin(in, scene, "cost-table", "cost by tier", box, COST_COLUMNS, 0);
    sw_lines_flow(&lines);
    if (costs->kind == SW_COSTS_NONE) {
        sw_lines_text(&lines, SW_STYLE_DIM, why_nothing(&lines, costs));
    } else {
        lines.panel->title = costs->kind == SW_COSTS_PRICED ? "cost by tier" : "moved, by tier";
        add_cost_table(&lines, costs);
    }
}

static void cost_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_costs own = {0};
    const struct sw_costs *costs = in->run.costs;
    if (!costs && !sw_costs_of(in->run.search, &own)) {
        scene->failed = true;
        return;
    }
    build_costs(in, scene, box, costs ? costs : &own);
    sw_costs_done(&own);
}

static bool cost_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    const struct sw_problem *problem = sw_search_problem(search);
    return sw_cost_known(problem, sw_search_params(search)->cost) || sw_problem_tier_count(problem) > 1;
}

const struct sw_view sw_view_cost = {
    .name = "cost",
    .summary = "what traffic costs, or what is moved, by step and tier",
    .takes = SW_TAKES_TIME,
    .scrolls = SW_SCROLLS_TEXT,
    .applies = cost_applies,
    .build = cost_build,
    .reads = SW_VIEW_READS_COSTS,
};
