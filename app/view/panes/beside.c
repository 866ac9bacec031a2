/* Two to four runs side by side: a map and a curve each, the same window, and below them what sets
 * them apart. */
#include "view/facts.h"
#include "base/base.h"
#include "view/scene/lines.h"

enum { LEAST_COLUMN = 26 };

static const struct sw_lines_head beside_heads[] = {
    {"", true}, {"run", false},     {"decision", true}, {"peak", true},      {"bound", true},
    {"", true}, {"the same", true}, {"moved", true},    {"only here", true}, {"parts at", false}};
enum { BESIDE_COLUMNS = sizeof beside_heads / sizeof *beside_heads };

/* What the run shows in its own bar: its name and its figures. */
static void head(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_beside_run *run,
                 struct sw_box box) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "run");
    enum sw_style style = run->current ? SW_STYLE_HEADER : SW_STYLE_FOOTER;
    struct sw_metrics metrics;
    char peak[24];
    sw_metrics_of(sw_search_layout(run->search), &metrics);
    const char *peaks =
        metrics.single_tier
            ? sw_show_bytes(metrics.peak, peak)
            : sw_scene_printf(scene, "%s %s", sw_problem_tier(sw_search_problem(run->search), in->look.tier)->name,
                              sw_show_bytes(metrics.tier_peak[in->look.tier], peak));
    sw_panel_put(panel, box);
    panel->fill = (uint8_t)style;
    panel->stretch = 0;
    panel->columns = 2;
    sw_panel_row(scene, panel, (struct sw_item){SW_ITEM_BRANCH, run->branch}, false);
    sw_panel_cell(scene, panel, style, false,
                  sw_scene_printf(scene, "%s%u %s", run->current ? ">" : " ", run->branch, run->what));
    sw_panel_cell(scene, panel, style, true,
                  sw_scene_printf(scene, "%s%s  %s %s", SW_COUNT(sw_search_at(run->search)), run->behind ? "..." : "",
                                  peaks,
                                  metrics.single_tier && metrics.comparable ? SW_PERCENT(metrics.over_bound, true)
                                                                            : sw_view_below(scene, run->search, true)));
}

static void add_run_column(const struct sw_view_input *in, struct sw_scene *scene, uint32_t i, struct sw_box box) {
    struct sw_view_input own = *in;
    const struct sw_beside_run *run = &in->run.beside.runs[i];
    double live = box.height >= 24 ? 5 : box.height >= 14 ? 4 : 0;
    own.run.search = run->search;
    own.run.explanation = run->current ? in->run.explanation : NULL;
    own.look.candidate = run->current ? in->look.candidate : SW_NONE;
    /* The first run is shown by what differs from the second. */
    own.run.against = in->run.beside.diff ? in->run.beside.runs[i ? 0 : 1].search : NULL;
    head(in, scene, run, sw_box_take(&box, 1));
    sw_view_build_map(&own, scene, sw_box_take(&box, box.height - live), true);
    if (live > 0) {
        sw_view_build_live(&own, scene, box, false);
    }
}

/* A block that lies elsewhere, and the decision of the first run about it; 0: none is known. */
struct elsewhere {
    uint32_t buffer;
    uint64_t decision;
};

static bool is_moved(const struct sw_layout *mine, const struct sw_layout *other, uint32_t buffer) {
    struct sw_placement place;
    return sw_layout_difference(mine, other, buffer) == SW_DIFFERENCE_MOVED &&
           sw_layout_placement(other, buffer, 0, &place) && sw_layout_placement(mine, buffer, 0, &place);
}

/* The first block, in the order of the first run, that lies elsewhere in the other: orders may
 * differ without any consequence. Decisions about whole layouts place no single block: then by birth. */
static struct elsewhere find_elsewhere(const struct sw_beside_run *run, const struct sw_beside_run *first) {
    enum { DECISIONS_COMPARED = 100000 };
    const struct sw_layout *mine = sw_search_layout(run->search);
    const struct sw_layout *other = sw_search_layout(first->search);
    const struct sw_problem *problem = sw_search_problem(first->search);
    uint64_t end = sw_search_at(first->search);
    end = SW_MIN(end, DECISIONS_COMPARED);
    for (uint64_t i = 1; i <= end && run->differences.moved; i++) {
        const struct sw_decision *decision = sw_search_journal(first->search, i);
        if (decision->buffer != SW_NONE && decision->tier != SW_NONE && is_moved(mine, other, decision->buffer)) {
            return (struct elsewhere){decision->buffer, i};
        }
    }
    uint32_t planned = sw_problem_planned_count(problem);
    for (uint32_t i = 0; i < planned && run->differences.moved; i++) {
        uint32_t b = sw_problem_order(problem)[i];
        if (is_moved(mine, other, b)) {
            return (struct elsewhere){b, 0};
        }
    }
    return (struct elsewhere){SW_NONE, 0};
}

static void add_run_row(struct sw_lines *lines, const struct sw_beside_run *run, const struct sw_beside_run *lead) {
    bool first = run == lead;
    struct sw_scene *scene = lines->scene;
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(run->search), &metrics);
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BRANCH, run->branch}, run->current);
    enum sw_style style = run->current ? SW_STYLE_STRONG : SW_STYLE_TEXT;
    bool end = sw_view_at_end(run->search);
    sw_lines_cellf(lines, style, true, "%u", run->branch);
    sw_lines_cell(lines, style, false, run->what);
    sw_lines_cellf(lines, style, true, "%s%s", SW_COUNT(sw_search_at(run->search)),
                   end           ? ", end"
                   : run->behind ? " ..."
                                 : "");
    sw_lines_cell(lines, style, true,
                  metrics.single_tier ? sw_lines_bytes(lines, metrics.peak)
                                      : sw_lines_tiers(lines, sw_search_problem(run->search), metrics.tier_peak, NULL));
    sw_lines_cell(lines, style, true, metrics.single_tier ? sw_lines_bytes(lines, metrics.lower_bound) : "-");
    sw_lines_cell(lines, style, true,
                  metrics.comparable && metrics.single_tier
                      ? sw_scene_printf(scene, "%s", SW_PERCENT(metrics.over_bound, true))
                      : sw_view_below(scene, run->search, true));
    const uint64_t counts[] = {run->differences.same, run->differences.moved, run->differences.here};
    for (size_t i = 0; i < 3; i++) {
        sw_lines_cell(lines, style, true, first ? "" : sw_scene_printf(scene, "%s", SW_COUNT(counts[i])));
    }
    struct elsewhere parts = first ? (struct elsewhere){SW_NONE, 0} : find_elsewhere(run, lead);
    if (parts.buffer != SW_NONE) {
        sw_lines_name(lines, style, sw_problem_buffer(lines->problem, parts.buffer)->name);
    } else {
        sw_lines_cell(lines, SW_STYLE_DIM, false, first ? "" : "nowhere");
    }
}

/* How they part, as far as both have come. */
static void sentence(struct sw_lines *lines, const struct sw_beside_run *run, const struct sw_beside_run *first) {
    struct elsewhere parts = find_elsewhere(run, first);
    struct sw_scene *scene = lines->scene;
    char text[3][32];
    if (parts.buffer == SW_NONE) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      run->parted
                          ? sw_scene_printf(scene,
                                            "What runs %u and %u have both placed lies at the same addresses; "
                                            "they decide in another order from decision %s on.",
                                            first->branch, run->branch, sw_show_count(run->parted, text[0]))
                          : sw_scene_printf(scene, "Runs %u and %u have made the same %s so far.", first->branch,
                                            run->branch, sw_scene_counted(scene, run->agreed, "decision")));
        return;
    }
    struct sw_placement here = {0}, there = {0};
    uint64_t base = lines->in->run.base;
    sw_layout_placement(sw_search_layout(first->search), parts.buffer, 0, &there);
    sw_layout_placement(sw_search_layout(run->search), parts.buffer, 0, &here);
    const char *when =
        parts.decision ? sw_scene_printf(scene, " (decision %s)", sw_show_count(parts.decision, text[0])) : "";
    sw_lines_textf(
        lines, SW_STYLE_TEXT, "The first block that lies elsewhere is %s%s: at %s in run %u, at %s in run %u.",
        sw_problem_buffer(lines->problem, parts.buffer)->name, when, sw_show_count(there.offset + base, text[1]),
        first->branch, sw_show_count(here.offset + base, text[2]), run->branch);
}

void sw_view_build_runs(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    uint32_t room = (uint32_t)(box.width / LEAST_COLUMN);
    const char *maps = room < in->run.beside.count
                           ? sw_scene_printf(scene, "; maps of %u: more where it is wider", room ? room : 1)
                           : "";
    const char *title = sw_scene_printf(scene, "side by side, in step by %s%s%s", in->run.beside.sync, maps,
                                        in->run.beside.diff ? "; same blocks dim, ~ moved, + only here" : "");
    struct sw_lines lines = sw_lines_begin(in, scene, "beside", title, box, BESIDE_COLUMNS, 1);
    lines.panel->edges = SW_EDGE_TOP;
    lines.panel->spare = 1u << 4 | 1u << 8; /* the bound, which is the same; what is only here */
    sw_lines_heads(&lines, beside_heads, BESIDE_COLUMNS, in->run.beside.count);
    for (uint32_t i = 0; i < in->run.beside.count; i++) {
        add_run_row(&lines, &in->run.beside.runs[i], &in->run.beside.runs[0]);
    }
    for (uint32_t i = 1; i < in->run.beside.count; i++) {
        sentence(&lines, &in->run.beside.runs[i], &in->run.beside.runs[0]);
    }
}

void sw_view_build_beside(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    uint32_t count = in->run.beside.count, room = (uint32_t)(box.width / LEAST_COLUMN);
    uint32_t shown = count < room ? count : room > 0 ? room : 1;
    double low = fmin(floor(box.height * 0.4), 3.0 + count + 3.0 * (count - 1));
    double width = floor((box.width + 1) / shown); /* one column between */
    for (uint32_t i = 0; i < shown; i++) {
        add_run_column(in, scene, i, (struct sw_box){box.left + width * i, box.top, width - 1, box.height - low});
    }
    sw_view_build_runs(in, scene, (struct sw_box){box.left, box.top + box.height - low, box.width, low});
}
