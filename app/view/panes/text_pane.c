/* The screen as lines of text, for screen readers and terminals that can draw nothing: sentences,
 * the decision or another pane, and the column of memory at the cursor. Everything comes from the
 * views that stand beside the map; a plot among them is told mark by mark. */
#include "problem/moment/moment.h"
#include "view/scene/lines.h"
#include "base/base.h"

/* ---- where we are ---- */

static const char *cursor_sentence(struct sw_lines *lines, bool brief) {
    const struct sw_problem *problem = lines->problem;
    uint32_t at = sw_lines_cursor(lines->in), most_at;
    uint64_t most = sw_view_live_peak(problem, &most_at);
    if (sw_problem_steps(problem) == 0) {
        return "There is no step of time.";
    }
    if (brief) {
        return sw_scene_printf(lines->scene, "%s: %s live%s.", sw_lines_when(lines, at),
                               sw_lines_bytes(lines, sw_problem_profile(problem)[at]), sw_view_if_served(problem));
    }
    return sw_scene_printf(lines->scene, "Cursor at %s: %s live%s; most live %s at %s.", sw_lines_when(lines, at),
                           sw_lines_bytes(lines, sw_problem_profile(problem)[at]), sw_view_if_served(problem),
                           sw_lines_bytes(lines, most), sw_lines_when(lines, most_at));
}

static void add_figures(struct sw_lines *lines) {
    struct sw_metrics metrics;
    sw_metrics_of(lines->layout, &metrics);
    if (metrics.single_tier) {
        bool over = metrics.comparable && metrics.lower_bound > 0;
        const char *below = sw_view_below(lines->scene, lines->search, true);
        sw_lines_textf(lines, SW_STYLE_PEAK, "%s %s, lower bound %s%s%s.",
                       *sw_view_trial(lines->in, lines->scene, NULL) ? "A trial: peak" : "Peak",
                       sw_lines_bytes(lines, metrics.peak), sw_lines_bytes(lines, metrics.lower_bound),
                       over || *below ? ", " : "", over ? SW_PERCENT(metrics.over_bound, true) : below);
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(lines->problem); t++) {
        const struct sw_tier *tier = sw_problem_tier(lines->problem, t);
        uint64_t peak = metrics.tier_peak[t];
        bool bounded = tier->capacity != SW_UNBOUNDED;
        if (metrics.single_tier && !bounded) {
            continue;
        }
        bool over = bounded && peak > tier->capacity;
        uint64_t rest = over ? peak - tier->capacity : tier->capacity - peak;
        const char *room = bounded
                               ? sw_scene_printf(lines->scene, " of %s, %s %s", sw_lines_bytes(lines, tier->capacity),
                                                 sw_lines_bytes(lines, rest), over ? "too much" : "to spare")
                               : "";
        sw_lines_textf(lines, over ? SW_STYLE_ERROR : SW_STYLE_TEXT, "%s: peak %s%s.", tier->name,
                       sw_lines_bytes(lines, peak), room);
    }
}

static void add_selected(struct sw_lines *lines) {
    const struct sw_view_input *in = lines->in;
    struct sw_placement place;
    if (in->look.selected >= sw_problem_buffer_count(lines->problem)) {
        return;
    }
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, in->look.selected);
    const char *where = sw_layout_placement(sw_search_layout(in->run.search), in->look.selected, 0, &place)
                            ? sw_scene_printf(lines->scene, "at %s", SW_COUNT(place.offset + in->run.base))
                            : "not placed";
    sw_lines_textf(lines, SW_STYLE_SELECTED, "Selected: %s, %s, alive %s, %s.", buffer->name,
                   sw_lines_bytes(lines, buffer->size), sw_lines_life(lines, buffer), where);
}

/* On a small screen one sentence; the header has the peak. */
static void build_sight(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    bool brief = box.height < 16 * sw_medium(in)->row;
    struct sw_lines lines = sw_lines_begin(in, scene, "sight", NULL, box, 1, 0);
    lines.rows++; /* no row is kept for a title */
    sw_lines_text(&lines, SW_STYLE_TEXT, cursor_sentence(&lines, brief));
    if (!brief) {
        add_figures(&lines);
        add_selected(&lines);
    }
}

/* ---- a plot, mark by mark ---- */

static const char *mark_subject(const struct sw_lines *lines, const struct sw_mark *mark) {
    uint64_t id = mark->item.id;
    switch (mark->item.kind) {
    case SW_ITEM_BUFFER:
        return sw_problem_buffer(lines->problem, (uint32_t)id)->name;
    case SW_ITEM_OPERATOR:
    case SW_ITEM_STEP:
        return sw_lines_step(lines, (uint32_t)id);
    case SW_ITEM_DECISION:
        return sw_scene_printf(lines->scene, "decision %s", SW_COUNT(id));
    case SW_ITEM_PIECE:
        return sw_scene_printf(lines->scene, "0x%llx",
                               (unsigned long long)sw_problem_moment(lines->problem)->blocks.items[id].address);
    case SW_ITEM_CANDIDATE:
        return sw_scene_printf(lines->scene, "candidate %s", SW_COUNT(id + 1));
    case SW_ITEM_BRANCH:
        return sw_scene_printf(lines->scene, "run %s", SW_COUNT(id));
    case SW_ITEM_MERGED:
        return sw_scene_printf(lines->scene, "%s in one", SW_COUNT(mark->hidden));
    case SW_ITEM_NONE:
        break;
    }
    return mark->labels ? mark->labels[0] : "";
}

/* "1,024", or "0.25". */
static const char *mark_number(const struct sw_lines *lines, double value) {
    return value >= 0 && value < 1e15 && floor(value) == value
               ? sw_scene_printf(lines->scene, "%s", SW_COUNT((uint64_t)value))
               : sw_scene_printf(lines->scene, "%.3g", value);
}

static void add_mark_row(struct sw_lines *lines, const struct sw_mark *mark) {
    const char *name = mark_subject(lines, mark);
    if (sw_lines_row(lines, mark->item, false)) {
        sw_lines_cell(lines, SW_STYLE_DIM, false, sw_style_name((enum sw_style)mark->style));
        sw_lines_cell(lines, SW_STYLE_TEXT, false, name);
        sw_lines_cellf(lines, SW_STYLE_TEXT, true, "%s..%s", mark_number(lines, mark->x0),
                       mark_number(lines, mark->x1));
        sw_lines_cellf(lines, SW_STYLE_TEXT, true, "%s..%s", mark_number(lines, mark->y0),
                       mark_number(lines, mark->y1));
    }
}

/* The table takes the place of the plot. */
static void tell_plot(const struct sw_view_input *in, struct sw_scene *scene, size_t at) {
    static const struct sw_lines_head heads[] = {{"what", false}, {"of", false}, {"across", true}, {"up", true}};
    struct sw_box box = {scene->panels.items[at].left, scene->panels.items[at].top, scene->panels.items[at].width,
                         scene->panels.items[at].height};
    struct sw_lines lines =
        sw_lines_begin(in, scene, scene->panels.items[at].id, scene->panels.items[at].title, box, 4, 1);
    if (scene->failed) {
        return;
    }
    const struct sw_panel *plot = &scene->panels.items[at];
    sw_lines_heads(&lines, heads, 4, (uint32_t)plot->marks.count);
    for (size_t i = 0; i < plot->marks.count && !scene->failed; i++) {
        add_mark_row(&lines, &plot->marks.items[i]);
    }
    if (!scene->failed) { /* the table was the last panel, and becomes this one */
        struct sw_panel table = scene->panels.items[--scene->panels.count];
        scene->panels.items[scene->panels.count] = *plot;
        scene->panels.items[at] = table;
    }
}

/* ---- putting it together ---- */

/* No higher than its rows need; returns where the next one begins. */
static double settle_panel(const struct sw_view_input *in, struct sw_panel *panel, double top, double most) {
    uint64_t rows = panel->rows.count + panel->hidden_below + (panel->title != NULL);
    panel->top = top;
    panel->height = fmin((double)rows * sw_medium(in)->row, most);
    panel->edges = 0;
    return top + panel->height;
}

static double panel_need(const struct sw_view_input *in, const struct sw_panel *panel) {
    return (double)(panel->rows.count + panel->hidden_below + 1) * sw_medium(in)->row;
}

enum { LIST_ROWS = 6 }; /* with fewer there is no list of decisions */

/* What stands beside the map, above what else there is; at most two panels are usual. */
static void build_pane(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    if (in->look.side) {
        in->look.side->build(in, scene, box);
    } else {
        size_t at = scene->panels.count;
        box.width -= sw_medium(in)->margin;
        sw_view_build_decision(in, scene, box, 0);
        if (sw_medium(in)->margin > 0 && !scene->failed) { /* in line with the other tables */
            scene->panels.items[at].width++;
            scene->panels.items[at].margin = true;
        }
    }
}

static void settle_panels(const struct sw_view_input *in, struct sw_scene *scene, size_t from, struct sw_box *box) {
    for (size_t i = from; i < scene->panels.count && !scene->failed; i++) {
        if (scene->panels.items[i].kind == SW_PANEL_PLOT) {
            tell_plot(in, scene, i);
        }
        double top = settle_panel(in, &scene->panels.items[i], box->top, box->height);
        box->height -= top - box->top;
        box->top = top;
    }
}

void sw_view_build_text(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    size_t first = scene->panels.count;
    bool moment = sw_view_moment_of(in->run.search) != NULL;
    bool column = !in->look.whole && in->look.side != &sw_view_free && !moment;
    double wanted = 0;
    if (!in->look.whole && !moment) {
        build_sight(in, scene, box);
        settle_panels(in, scene, first, &box);
    }
    /* The column is built first, to know how much it needs, and drawn last. */
    size_t at = scene->panels.count;
    if (column && !scene->failed) {
        sw_view_free.build(in, scene, box);
        wanted = scene->failed ? 0 : panel_need(in, &scene->panels.items[at]);
    }
    struct sw_box pane = box;
    pane.height -= fmin(wanted, floor(box.height / 2 / sw_medium(in)->row) * sw_medium(in)->row);
    size_t second = scene->panels.count;
    build_pane(in, scene, pane);
    settle_panels(in, scene, second, &pane);
    if (moment && !in->look.whole && in->look.side != &sw_view_buffers &&
        pane.height >= LIST_ROWS * sw_medium(in)->row) {
        sw_view_buffers.build(in, scene, pane);
    }
    if (column && !scene->failed) {
        double end = box.top + box.height;
        pane.top = settle_panel(in, &scene->panels.items[at], pane.top, end - pane.top);
        pane.height = end - pane.top;
        if (pane.height >= LIST_ROWS * sw_medium(in)->row) {
            sw_view_build_decisions(in, scene, pane, 0);
        }
    }
}

static void as_text_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_view_input told = *in;
    told.text = true;
    sw_view_build_text(&told, scene, box);
}

const struct sw_view sw_view_as_text = {
    .name = "text",
    .summary = "the screen as lines of text: figures, the decision, and memory at the cursor",
    .takes = SW_TAKES_BUFFER,
    .build = as_text_build,
};
